"""Agreement by relation and by groups of tokens, by hand and against κ of predefined units."""

from __future__ import annotations

import numpy as np
import pytest

import gammacp as gc
from gammacp.errors import UsageError
from gammacp.trees.breakdown import breakdown
from gammacp.trees.measures.annotations import Dependencies, Phrase, Treebank


def treebank(**annotators: list[Dependencies]) -> Treebank:
    return Treebank.from_annotations(annotators)


def test_the_breakdown_of_two_sentences_by_hand() -> None:
    a = Dependencies((2, 0, 2), ("subj", "root", "obj"), upos=("N", "V", "N"))
    b = Dependencies((2, 0, 1), ("obj", "root", "obj"), upos=("N", "V", "N"))
    long = Dependencies((0, 1), ("root", "obj"))
    short = Dependencies((0,), ("root",))
    found = breakdown(treebank(Ann=[a, long], Ben=[b, short]))
    assert found["left_out"] == 1
    rows = {row["relation"]: row for row in found["relations"]}
    # obj: 3 of 6 labels; it differs at one token of three: 1 − (1/3)/(2·½·½).
    assert rows["obj"] == {
        "relation": "obj", "tokens": 2, "agreed": 1,
        "label": pytest.approx(1 / 3),
        # Heads at +1, +1 and −1, −2: one of two differs; 1 − (½² + ¼² + ¼²) is expected.
        "head": pytest.approx(1 - (1 / 2) / (5 / 8)),
    }  # fmt: skip
    assert rows["root"]["label"] == 1
    assert found["confusions"] == [{"relations": ("obj", "subj"), "count": 1}]
    assert found["by"]["length"] == [
        {"group": "1–5", "tokens": 3, "las": 1 / 3, "uas": 2 / 3, "label": 2 / 3},
    ]
    assert {row["group"]: row["uas"] for row in found["by"]["distance"]} == {"1": 0.5, "root": 1}
    assert {row["group"]: row["las"] for row in found["by"]["upos"]} == {"N": 0, "V": 1}


def test_agreement_on_labels_is_scotts_pi() -> None:
    rng = np.random.default_rng(2)
    names = np.array(["a", "b", "c"])
    sentences = {
        who: [Dependencies((0, 1, 1), tuple(names[rng.integers(3, size=3)])) for _ in range(20)]
        for who in ("Ann", "Ben")
    }
    found = breakdown(treebank(**sentences))
    for row in found["relations"]:
        units = [
            gc.Unit(who, 3 * k + t, 3 * k + t + 1, str(label == row["relation"]))
            for who, own in sentences.items()
            for k, s in enumerate(own)
            for t, label in enumerate(s.relations)
        ]
        pi = gc.measure(gc.Continuum.from_units(units), ["kappa"])["kappa"].value
        assert row["label"] == pytest.approx(pi)


def test_a_sentence_counts_once_for_any_number_of_annotators() -> None:
    two = Dependencies((0, 1), ("root", "x"))
    found = breakdown(treebank(Ann=[two], Ben=[two], Cid=[Dependencies((0, 1), ("root", "y"))]))
    assert found["confusions"][0]["count"] == pytest.approx(2 / 3)
    assert found["relations"][0] == {
        "relation": "root", "tokens": pytest.approx(1), "agreed": pytest.approx(1), "label": 1,
        "head": pytest.approx(float("nan"), nan_ok=True),
    }  # fmt: skip
    with pytest.raises(UsageError, match="needs dependency trees"):
        breakdown(
            Treebank.from_annotations({"Ann": [Phrase(("S", ()))], "Ben": [Phrase(("S", ()))]})
        )
