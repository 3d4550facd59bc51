"""Enhanced dependencies: scores of the IWPT shared tasks, and graphs with empty nodes."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from gammacp.errors import DataError
from gammacp.trees.conventions import without_punctuation
from gammacp.trees.enhanced import collapse
from gammacp.trees.graphs.agreement import graph_agreement
from gammacp.trees.measures.annotations import Dependencies, Treebank
from gammacp.trees.treebank import read_treebank
from gammacp.trees.universal import ud_scores
from tests.conftest import Run


def conllu(*sentences: str) -> str:
    """Format sentences of tokens `id form head/relation DEPS` between `;`; `_` is no DEPS."""
    blocks = []
    for sentence in sentences:
        rows = []
        for token in sentence.split(";"):
            number, form, basic, deps = token.split()
            head, relation = basic.split("/")
            rows.append("\t".join((number, form, *"____", head, relation, deps, "_")))
        blocks.append("\n".join(rows) + "\n")
    return "\n".join(blocks) + "\n"


GAP = (
    "1 Mary 2/nsubj {}; 2 won 0/root 0:root; 3 gold 2/obj 2:obj; 4 and 5/cc 5.1:cc;"
    "5 Peter 2/conj 5.1:nsubj; 5.1 won _/_ {}; 6 bronze 5/orphan {}"
)
ONE = conllu(
    GAP.format("2:nsubj", "2:conj:and", "5.1:obj"),
    "1-2 del _/_ _; 1 de 3/case 3:case; 2 el 3/det 3:det; 3 rey 0/root 0:root|4:nsubj;"
    "4 habla 3/acl 3:acl:relcl; 5 canta 4/conj 3:acl:relcl|4:conj:y",
)
OTHER = conllu(
    GAP.format("2:nsubj|5:nsubj", "2:conj", "5.1:obj|5:orphan"),
    "1 del 2/case 2:case; 2 rey 0/root 0:root|3:nsubj; 3 habla 2/acl 2:acl:relcl;"
    "4 canta 3/conj 3:conj:e|2:acl",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ann.conllu").write_text(ONE, encoding="utf-8")
    (tmp_path / "ben.conllu").write_text(OTHER, encoding="utf-8")
    return tmp_path


def test_scores_are_those_of_the_shared_task(folder: Path) -> None:
    """The evaluation of the shared task matches 6 (ELAS) and 11 (EULAS) of 13 and 14 edges.

    Empty nodes are collapsed.
    """
    found = ud_scores(read_treebank(folder).treebank)
    assert (found["elas"], found["eulas"]) == pytest.approx((2 * 6 / 27, 2 * 11 / 27))
    assert (found["words"], found["las"]) == pytest.approx((18 / 21, 18 / 21))


def test_edges_with_one_universal_relation_are_counted_once(run: Run, tmp_path: Path) -> None:
    """Each sentence has two such edges.

    The shared task's program matches 2 + 4 of 4 and 4 edges, an F₁ of 1.5.
    """
    text = conllu("1 a 0/root 0:root; 2 b 1/obl 1:obl:in|1:obl:on; 3 c 1/obj 1:obj")
    for name in ("ann", "ben"):
        (tmp_path / f"{name}.conllu").write_text(text, encoding="utf-8")
    found = ud_scores(read_treebank(tmp_path).treebank)
    assert (found["elas"], found["eulas"], found["several_edges"]) == (1, 1, 2)
    said = run("syntax", tmp_path, "--labels", "universal").err
    assert "EULAS: 2 words have several edges of one universal relation to one head" in said


def test_missing_graphs_have_no_score() -> None:
    edges = (("0", "root", "1"), ("1", "obj:x", "2"))
    whole = Dependencies((0, 1), ("root", "obj"), ("a", "b"), enhanced=edges)
    half = Dependencies((0, 1), ("root", "obj"), ("a", "b"), enhanced=edges[:1])
    none = Dependencies((0, 1), ("root", "obj"), ("a", "b"))
    scores = [ud_scores(Treebank.from_annotations({"A": [whole], "B": [b]})) for b in (half, none)]
    assert (scores[0]["elas"], scores[0]["eulas"]) == (1, 1)
    assert math.isnan(scores[1]["elas"])


def test_paths_through_empty_nodes_are_collapsed() -> None:
    """One path has two empty nodes in a row, one runs in a circle, one has no head."""
    edges = [("0", "root", "1"), ("1", "conj", "1.1"), ("1.1", "obj", "1.2"), ("1.2", "x", "2")]
    edges += [("1.2", "y", "1.1"), ("1.3", "z", "2"), ("1.1", "self", "1")]
    found = collapse(Dependencies((0, 1), ("root", "obj"), enhanced=tuple(edges)))
    assert found == {0: [(-1, ("root",)), (0, ("conj", "self"))], 1: [(0, ("conj", "obj", "x"))]}


def test_empty_nodes_are_matched_in_graphs(folder: Path) -> None:
    """By hand: 6 of 7 and 9 edges in the first sentence, 3 of 7 and 6 in the second."""
    read = read_treebank(folder, kind="enhanced")
    assert (read.treebank.kind, read.left_out) == ("enhanced", ())
    compared = graph_agreement(read.treebank).compared
    assert [c.counts.tolist() for c in compared] == [[6, 6, 7, 9], [3, 3, 7, 6]]
    # The ids and the order of empty nodes do not matter.
    swapped = ONE.replace("5.1", "5.7")
    (folder / "ben.conllu").write_text(swapped, encoding="utf-8")
    again = graph_agreement(read_treebank(folder, kind="enhanced").treebank)
    assert again.smatch()["smatch"] == 1


def test_ignored_punctuation_passes_its_edges_to_its_head() -> None:
    edges = (("0", "root", "1"), ("1", "punct", "2"), ("2", "obj", "3"), ("2", "x", "3.1"))
    forms, relations = ("a", ",", "b"), ("root", "punct", "obj")
    found = without_punctuation(Dependencies((0, 1, 2), relations, forms, enhanced=edges))
    assert found.enhanced == (("0", "root", "1"), ("1", "obj", "2"), ("1", "x", "3.1"))


def test_the_command_reports_scores_of_enhanced_graphs(run: Run, folder: Path) -> None:
    document = json.loads(run("syntax", folder, "--trees", "enhanced", "--json").out)
    assert document["universal"]["elas"] == pytest.approx(12 / 27)
    assert document["smatch"] == pytest.approx(2 * 9 / 29)
    page = folder / "page.html"
    assert run("report", folder, "--trees", "enhanced", "-o", page).code == 0
    assert "conj:and" in page.read_text(encoding="utf-8")
    (folder / "ben.conllu").write_text(OTHER.replace("3:nsubj", "9:nsubj"), encoding="utf-8")
    result = run("syntax", folder, "--trees", "enhanced", "--json")
    (defect,) = (d for d in json.loads(result.out)["defects"] if d["kind"] != "token count")
    assert (defect["line"], defect["message"].split(" has")[0]) == (10, "'9:nsubj'")
    assert json.loads(result.out)["items"] == 1
    assert "_ in DEPS" in result.err
    with pytest.raises(
        DataError, match=r"no sentence has two annotations; left out: .* \(_ in DEPS\)"
    ):
        read_treebank(Path(__file__).parents[1] / "fixtures" / "cdt" / "es", kind="enhanced")
