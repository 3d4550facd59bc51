"""All scores of the CoNLL 2018 shared task, on documents that annotators split differently.

`EXPECTED` holds the F₁ of conll18_ud_eval.py (ufal/conll2018, f2bc4dd) to six digits. `python
conll18_ud_eval.py --verbose ann/d.conllu ben/d.conllu` prints them in percent to two digits, and
`benchmarks/fields_peers.py` compares all digits.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gammacp.trees.measures.annotations import Dependencies, Treebank
from gammacp.trees.recut import documents_of, joined
from gammacp.trees.treebank import read_treebank
from gammacp.trees.universal import ud_scores
from tests.conftest import Run

WORDS = """\
1 He he PRON PRP Case=Nom 2 nsubj
2 said say VERB VBD Tense=Past 0 root
3 it it PRON PRP _ 2 obj
4 . . PUNCT . _ 2 punct

1 Do do AUX VBP _ 3 aux
2 n't not PART RB Polarity=Neg 3 advmod
3 go go VERB VB VerbForm=Inf 0 root

1 Yes yes INTJ UH _ 0 root
"""
# Ben joins two of Ann's sentences, has "Don't" as one token, and changes two tags, a head and a
# lemma.
OTHER = """\
1 He he PRON PRP Case=Nom 2 nsubj
2 said say VERB VBN Tense=Past 0 root
3 it they PRON PRP _ 2 nmod
4 . . PUNCT . _ 2 punct
5-6 Don't _ _ _ _ _ _
5 Do do AUX VBP _ 6 aux
6 n't not ADV RB Polarity=Neg 7 advmod
7 go go VERB VB VerbForm=Inf 2 parataxis

1 Yes yes INTJ UH _ 0 root
"""
EXPECTED = {
    "tokens": 0.8,
    "sentences": 0.4,
    "words": 1.0,
    "upos": 0.875,
    "xpos": 0.875,
    "features": 1.0,
    "alltags": 0.75,
    "lemma": 0.875,
    "uas": 0.75,
    "las": 0.625,
    "clas": 2 / 3,
    "mlas": 0.5,
    "blex": 2 / 3,
}


def write(folder: Path, who: str, text: str) -> None:
    lines = []
    for row in text.splitlines():
        cells = row.split()
        if cells:
            lines.append("\t".join([*cells, "_", "_"]))
        else:
            lines.append("")
    (folder / who).mkdir()
    (folder / who / "d.conllu").write_text("\n".join(lines) + "\n\n", encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, "ann", WORDS)
    write(tmp_path, "ben", OTHER)
    return tmp_path


def test_scores_equal_those_of_the_shared_task(folder: Path) -> None:
    found = ud_scores(read_treebank(folder, labels="universal").treebank)
    assert {name: found[name] for name in EXPECTED} == pytest.approx(EXPECTED)
    assert (found["recut"], found["other_text"], found["other_documents"]) == (1, 0, 0)


def test_swapping_the_annotators_changes_no_score(tmp_path: Path) -> None:
    write(tmp_path, "ann", OTHER)
    write(tmp_path, "ben", WORDS)
    found = ud_scores(read_treebank(tmp_path, labels="universal").treebank)
    assert {name: found[name] for name in EXPECTED} == pytest.approx(EXPECTED)


def test_documents_with_different_texts_are_counted_but_not_compared(tmp_path: Path) -> None:
    write(tmp_path, "ann", WORDS)
    write(tmp_path, "ben", WORDS.replace("Yes yes", "Yeah yeah"))
    found = ud_scores(read_treebank(tmp_path, labels="universal").treebank)
    assert found["sentences"] != found["sentences"]
    assert (found["recut"], found["other_documents"]) == (0, 1)
    assert found["words"] == 1


def test_the_command_prints_scores_and_reports_stretches_of_text(folder: Path, run: Run) -> None:
    outcome = run("syntax", folder, "--labels", "universal")
    assert outcome.code == 0
    for header in ("tokens", "sentences", "XPOS", "AllTags"):
        assert header in outcome.out
    said = "UD: 1 stretch of text, cut into different sentences, compared as a whole"
    assert said in outcome.err


def test_joined_sentences_keep_word_ranges_and_enhanced_graphs() -> None:
    one = Dependencies(
        (0, 7),
        ("root", "obj"),
        ("a", "b"),
        multiword=((1, 2, "ab"),),
        enhanced=(("0", "root", "1"), ("1.1", "obj", "2")),
    )
    both = joined([one, one])
    # a head out of range does not point into the other sentence
    assert both.heads == (0, -1, 0, -1)
    assert both.multiword == ((1, 2, "ab"), (3, 4, "ab"))
    assert both.enhanced[2:] == (("0", "root", "3"), ("3.1", "obj", "4"))
    assert both.xpos == ("_",) * 4


def test_documents_have_sentences_in_the_order_of_the_file() -> None:
    lines = [
        Dependencies((0,), ("root",), (form,), lines=(k,)) for k, form in enumerate("abc", start=1)
    ]
    treebank = Treebank.from_annotations({"A": [lines[2], lines[0], lines[1]], "B": [*lines]})
    assert documents_of(treebank)[""]["A"] == lines
