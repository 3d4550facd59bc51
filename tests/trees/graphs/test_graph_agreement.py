"""Smatch over several sentences and annotators, and its values beyond chance."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from pytest import approx

from gammacp.errors import DataError, UsageError
from gammacp.trees.graphs.agreement import graph_agreement
from gammacp.trees.measures.agreement import syntax_agreement
from gammacp.trees.measures.annotations import Dependencies, Treebank
from gammacp.trees.treebank import read_treebank
from tests.conftest import Run
from tests.trees.graphs.sample import WANT_FOOTBALL, WANT_GO, drawn

RAIN = "(r / rain-01)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ann = f"# ::id 1\n{WANT_GO}\n\n# ::id 2\n{RAIN}\n\n# ::id 3\n(x / y :ARG0 z)\n"
    ben = f"# ::id 2\n{RAIN}\n\n# ::id 1\n{WANT_FOOTBALL}\n"
    (tmp_path / "ann.amr").write_text(ann)
    (tmp_path / "ben.amr").write_text(ben)
    return tmp_path


def test_counts_are_summed_over_sentences_paired_by_id(folder: Path) -> None:
    read = read_treebank(folder)
    assert read.treebank.kind == "graph"
    found = graph_agreement(read.treebank).smatch()
    # Including the tops, 7 and 6 triples have 5 in common, and 2 and 2 triples have 2.
    assert found["smatch"] == approx(2 * 7 / (9 + 8))
    assert (found["precision"], found["recall"]) == approx((7 / 9, 7 / 8))
    assert [d.line for d in read.defects] == [8]


def test_indistinguishable_graphs_are_not_paired(tmp_path: Path) -> None:
    (tmp_path / "ann.amr").write_text(f"{WANT_GO}\n\n{RAIN}\n")
    (tmp_path / "ben.amr").write_text(f"{RAIN}\n")
    with pytest.raises(DataError, match=r"neither ids nor words.*ann 2, ben 1.*# ::id"):
        read_treebank(tmp_path)
    assert len(read_treebank(tmp_path, pairing="order").treebank.items) == 2
    (tmp_path / "ben.amr").write_text(f"# ::id 1\n{WANT_GO}\n\n# ::id 1\n{RAIN}\n")
    with pytest.raises(DataError, match=r"# ::id 1 occurs 2 times") as caught:
        read_treebank(tmp_path)
    assert (Path(caught.value.file or "").name, (caught.value.line or 0) > 1) == ("ben.amr", True)


def test_a_malformed_graph_keeps_its_position(tmp_path: Path) -> None:
    """Two of each annotator's three graphs are well-formed; only the first graphs form a pair."""
    broken = "(x / y :ARG0 z)"
    (tmp_path / "ann.amr").write_text("\n\n".join((WANT_GO, broken, RAIN)))
    (tmp_path / "ben.amr").write_text("\n\n".join((WANT_GO, WANT_FOOTBALL, broken)))
    for pairing in ("auto", "order"):
        read = read_treebank(tmp_path, pairing=pairing)
        assert [list(item.annotations) for item in read.treebank.items] == [
            ["ann", "ben"], ["ben"], ["ann"],
        ]  # fmt: skip
        assert graph_agreement(read.treebank).smatch()["smatch"] == 1
        lost = {(Path(e.file).stem, e.reason): e.count for e in read.left_out}
        assert lost["ann", "it is not sound (see the defects)"] == 1
    (tmp_path / "ben.amr").write_text(f"{WANT_GO}\n\n:ARG1 {RAIN}\n\n{RAIN}\n")
    for pairing in ("auto", "order"):
        with pytest.raises(DataError, match=r"ben\.amr:3: ':ARG1' stands outside .*# ::id"):
            read_treebank(tmp_path, pairing=pairing)


def test_a_sentence_counts_once_for_any_number_of_annotators() -> None:
    rng = random.Random(0)
    graphs = [[drawn(rng, 4) for _ in range(2)] for _ in range(3)]
    three = graph_agreement(Treebank.from_annotations(dict(zip("abc", graphs, strict=True))))
    total = sum(one.counts for one in three.compared) / 3
    assert three.smatch()["smatch"] == approx(2 * total[0] / (total[2] + total[3]))
    pair = graph_agreement(Treebank.from_annotations({"a": graphs[0], "b": graphs[1]}))
    assert three.smatch(("a", "b"))["smatch"] == pair.smatch()["smatch"]


def test_independent_annotators_have_agreement_zero_beyond_chance() -> None:
    """Graphs drawn from one distribution have about 0, identical graphs exactly 1."""
    rng = random.Random(4)
    one, two = ([drawn(rng, 3 + k % 3) for k in range(40)] for _ in range(2))
    found = graph_agreement(
        Treebank.from_annotations({"a": one, "b": two}), sample_pairs=160
    ).beyond_chance
    assert found["smatch"].value == approx(0, abs=0.04)
    assert found["plain"].value == approx(0, abs=0.08)
    same = graph_agreement(Treebank.from_annotations({"a": one, "b": one}), sample_pairs=1)
    assert {x.value for x in same.beyond_chance.values()} == {1.0}


def test_graph_agreement_refuses_trees() -> None:
    tree = Dependencies((0,), ("root",))
    with pytest.raises(UsageError, match="this treebank holds trees"):
        graph_agreement(Treebank.from_annotations({"a": [tree], "b": [tree]}))
    graph = drawn(random.Random(0), 2)
    with pytest.raises(DataError, match="gammacp syntax compares graphs"):
        syntax_agreement(Treebank.from_annotations({"a": [graph], "b": [graph]}))


def test_the_command_reports_smatch(folder: Path, run: Run) -> None:
    files = [folder / f"{name}.amr" for name in ("ann", "ben")]
    document = json.loads(run("syntax", *files, "--json", "--sentences", 1, "--by-annotator").out)
    assert document["smatch"] == document["bound"] == approx(14 / 17)
    assert (document["status"], document["compared"], document["unproven"]) == ("optimal", 2, 0)
    (defect,) = document["defects"]
    assert (defect["line"], defect["kind"]) == (8, "graph")
    assert document["sentences"][0]["only"] == {
        "ann": ["c / go-01", "c :arg0 b"],
        "ben": ["z / football"],
    }
    assert document["pairs"][0]["annotators"] == ["ann", "ben"]
    assert "too few for length-matched chance" in document["beyond_chance"]["plain"]["reason"]


def test_unread_graphs_and_options_of_trees_are_errors(folder: Path, run: Run) -> None:
    strict = run("syntax", folder, "--strict")
    assert strict.code == 3
    assert "ann.amr:8: graph: variable z is not defined" in strict.err
    below = run("syntax", folder, "--fail-under", 0.9)
    assert below.code == 3, "a graph that is not read comes before a threshold"
    assert "a sentence could not be read" in below.err
    assert run("syntax", folder, "--fail-under", 0.9, "--allow-unread").code == 5
    refused = run("syntax", folder, "--breakdown")
    assert (refused.code, "--breakdown: only for trees" in refused.err) == (2, True)


def test_other_separators_do_not_end_lines(tmp_path: Path) -> None:
    """Sentences from the web contain U+2028; the text that follows it is no graph."""
    (tmp_path / "ann.amr").write_text(f"# ::id 1\n# ::snt Go\u2028away (now\n{RAIN}\n")
    (tmp_path / "ben.amr").write_text(f"# ::id 1\n{RAIN}\n")
    read = read_treebank(tmp_path)
    assert not read.defects
    assert graph_agreement(read.treebank).smatch()["smatch"] == 1
