"""Published values of Skjærholt (2014), A chance-corrected measure of inter-annotator agreement for
syntax, on the heads and labels of the Copenhagen Dependency Treebanks.

They are tested to the printed digit, and α to 1e-6 against an independent implementation where one
was available.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from gammacp.trees.measures.agreement import SyntaxAgreement, syntax_agreement
from gammacp.trees.measures.annotations import Treebank
from gammacp.trees.measures.ted import tree_edit_distance
from gammacp.trees.measures.tree import dependency_tree
from gammacp.trees.treebank import ReadTreebank, read_treebank

CDT = Path(__file__).parents[2] / "fixtures" / "cdt"
# The treebanks with words are not distributed with the project.
DATA = Path(os.environ.get("GAMMACP_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))
WITH_WORDS = DATA / "syntax" / "cdt"

# Table 2, in percent: α plain, diff, norm, LAS. The printed LAS of "es" and "it" is not that of the
# paper's definition (results/skjaerholt2014.md).
TABLE_2 = {
    "da": (95.7, 84.7, 96.2, 90.4),
    "en": (92.4, 70.7, 95.0, 88.4),
    "es": (86.6, 48.8, 85.8, None),
    "it": (84.5, 55.7, 89.2, None),
}
# The same from an independent implementation, which follows the definition of LAS for "es", too.
INDEPENDENT = {
    "da": (95.680042, 84.746595, 96.229032, 90.434419),
    "es": (86.633602, 48.818644, 85.755147, 80.266075),
}
# Table 1: sentences, tokens.
TABLE_1 = {"da": (162, 2394), "en": (264, 5528), "es": (55, 924), "it": (136, 3057)}
# Footnotes of Table 1: annotators; mean, fewest and most per text.
ANNOTATORS = {"es": (4, 2.8, 2, 4), "it": (3, 2.7, 2, 3)}
# Numbers of trees with a cycle, and of sentences that the LAS of Table 2 ignores.
CYCLIC = {"da": 3, "en": 6, "es": 2, "it": 1}
IGNORED = {"da": 0, "en": 0, "es": 2, "it": 15}


@cache
def corpus(name: str) -> ReadTreebank:
    # One file per annotator, or a folder that has a folder per annotator.
    files = sorted(CDT.glob(f"{name}-*.conll"))
    return read_treebank(files or [CDT / name])


@cache
def agreement(name: str) -> SyntaxAgreement:
    return syntax_agreement(corpus(name).treebank, breakdown=False)


@pytest.mark.parametrize("name", TABLE_2)
def test_table_2_is_reproduced_to_the_printed_digit(name: str) -> None:
    *alphas, las = TABLE_2[name]
    result = agreement(name).total
    assert [round(100 * a, 1) for a in result.alpha.values()] == alphas
    if las is not None:
        assert round(100 * result.scores["las"], 1) == las
    assert agreement(name).ignored == IGNORED[name]


@pytest.mark.parametrize("name", INDEPENDENT)
def test_table_2_agrees_with_an_independent_implementation(name: str) -> None:
    result = agreement(name).total
    values = [*result.alpha.values(), result.scores["las"]]
    assert [100 * v for v in values] == pytest.approx(INDEPENDENT[name], abs=1e-6)


@pytest.mark.parametrize("name", TABLE_1)
def test_table_1_is_reproduced(name: str) -> None:
    treebank = corpus(name).treebank
    assert (len(treebank.shared_items), sum(i.n_tokens for i in treebank.shared_items)) == TABLE_1[
        name
    ]


@pytest.mark.parametrize("name", ANNOTATORS)
def test_footnotes_of_table_1_are_reproduced(name: str) -> None:
    treebank: Treebank = corpus(name).treebank
    people, mean, fewest, most = ANNOTATORS[name]
    by_text = {item.document: len(item.annotations) for item in treebank.items}
    assert len(treebank.annotators) == people
    assert round(sum(by_text.values()) / len(by_text), 1) == mean
    assert (min(by_text.values()), max(by_text.values())) == (fewest, most)


@pytest.mark.parametrize("name", CYCLIC)
def test_cyclic_annotations_are_found(name: str) -> None:
    assert sum(d.kind == "cycle" for d in corpus(name).defects) == CYCLIC[name]


def test_transformation_of_figure_1() -> None:
    # the sentence "I saw the man"
    tree = dependency_tree([2, 0, 4, 2], ["SUBJ", "PRED", "DET", "OBJ"])
    assert tree.labels == ("SUBJ", "DET", "OBJ", "PRED", "")
    assert tree.parents == (3, 2, 3, 4, -1)


# Trees of Figure 2. LEFT is SUBJ PRED (DET OBJ). MIDDLE has an ATR with its own PRED, OBJ and DET
# below the object, as in "I saw the man who ate the soup". RIGHT is SUBJ PRED.
LEFT = dependency_tree([2, 0, 4, 2], ["SUBJ", "PRED", "DET", "OBJ"])
MIDDLE = dependency_tree(
    [2, 0, 4, 2, 4, 5, 8, 6],
    ["SUBJ", "PRED", "DET", "OBJ", "ATR", "PRED", "DET", "OBJ"],
)
RIGHT = dependency_tree([2, 0], ["SUBJ", "PRED"])


def test_distances_of_figure_2() -> None:
    """By §2, LEFT to MIDDLE has δ_plain 4 and δ_diff 0; LEFT to RIGHT has δ_diff 0."""
    assert tree_edit_distance(LEFT, MIDDLE) == 4
    assert tree_edit_distance(LEFT, MIDDLE) - abs(LEFT.size - MIDDLE.size) == 0
    assert tree_edit_distance(LEFT, RIGHT) - abs(LEFT.size - RIGHT.size) == 0


@pytest.mark.skipif(
    not WITH_WORDS.is_dir(),
    reason=f"no treebanks with words in {WITH_WORDS} (GAMMACP_DATA names another folder)",
)
@pytest.mark.parametrize("name", TABLE_2)
def test_heads_and_labels_equal_those_of_the_treebanks_with_words(name: str) -> None:
    """The CoNLL-X files of ten columns are compared with the heads and labels tested above."""
    words = read_treebank(sorted(WITH_WORDS.glob(f"{name}-*.conll")) or [WITH_WORDS / name])
    bare = corpus(name)
    assert words.treebank.annotators == bare.treebank.annotators
    for a, b in zip(words.treebank.items, bare.treebank.items, strict=True):
        assert (a.document, a.name, list(a.annotations)) == (
            b.document,
            b.name,
            list(b.annotations),
        )
        for x, y in zip(a.annotations.values(), b.annotations.values(), strict=True):
            assert x.tree == y.tree
    assert [d.kind for d in words.defects] == [d.kind for d in bare.defects]
