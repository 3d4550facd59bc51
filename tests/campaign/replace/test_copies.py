"""Candidates that copy a person, and verdicts that depend on the score."""

from __future__ import annotations

import numpy as np
import pytest

from gammacp.campaign.replace import replace
from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError

PEOPLE = ("Ann", "Bea", "Cid")
Mark = tuple[int, int, str]


def panel(copied: str, *, slip: int = 0, wrong: float = 0.0, documents: int = 12) -> dict:
    """Return three people who err independently, and a bot that errs on top of one's units.

    `copied` is a person or "truth". The bot's boundaries move by up to `slip`, and a share `wrong`
    of its labels is drawn anew.
    """
    rng, continua = np.random.default_rng(0), {}

    def marked(marks: list[Mark], slip: int, missed: float, wrong: float) -> list[Mark]:
        units = []
        for s, e, c in marks:
            a, b = s + rng.integers(-slip, slip + 1), e + rng.integers(-slip, slip + 1)
            label = str(rng.choice(list("xyz"))) if rng.random() < wrong else c
            if rng.random() >= missed:
                units.append((int(min(a, b - 1)), int(b), label))
        return units

    for d in range(documents):
        starts, lengths = np.cumsum(rng.integers(20, 60, 8)), rng.integers(9, 15, 8)
        labels = rng.choice(list("xyz"), 8).tolist()
        marks = {"truth": [*zip(starts.tolist(), (starts + lengths).tolist(), labels, strict=True)]}
        for person in PEOPLE:
            marks[person] = marked(marks["truth"], 4, 0.2, 0.2)
        marks["bot"] = marked(marks[copied], slip, 0.0, wrong)
        continua[f"d{d}"] = Continuum.from_units(
            [Unit(a, *u) for a in (*PEOPLE, "bot") for u in marks[a]], bounds=(0, 600)
        )
    return continua


def candidacy(documents: dict, **options: object):  # type: ignore[no-untyped-def]
    return replace(documents, ["bot"], min_documents=5, draws=20, **options).candidates[0]  # type: ignore[arg-type]


def test_a_copy_of_a_person_is_named() -> None:
    notes = candidacy(panel("Ann")).notes
    assert [n for n in notes if n.startswith("bot has exactly the units of Ann")]


def test_a_noisy_copy_is_named() -> None:
    notes = candidacy(panel("Bea", slip=1)).notes
    assert [n for n in notes if n.startswith("bot agrees with Bea better")]


@pytest.mark.parametrize("slip", [0, 2])
def test_a_candidate_that_is_nearer_to_all_is_no_copy(slip: int) -> None:
    notes = candidacy(panel("truth", slip=slip)).notes
    assert not [n for n in notes if "exactly" in n or "better" in n]


def test_the_verdict_by_other_scores_is_shown() -> None:
    """The verdict on a copy with wrong labels depends on whether labels count."""
    documents = panel("Ann", wrong=0.8)
    candidate = candidacy(documents)
    assert candidate.passes is False
    assert {b.score: b.passes for b in candidate.by_score} == {"soft-f1": False, "overlap": True}
    assert "But the verdict depends on the score" in candidate.in_words()
    # The verdict shown beside is that of a run with that score.
    alone = candidacy(documents, score="overlap")
    assert [b.score for b in alone.by_score] == ["soft-f1"]
    (beside,) = (b for b in candidate.by_score if b.score == "overlap")
    assert (alone.passes, alone.confirmed_rate) == (beside.passes, beside.confirmed_rate)
    assert candidate.as_dict()["by_score"]["overlap"]["passes"] is True


def test_an_inapplicable_score_is_a_note() -> None:
    documents = panel("truth", slip=2)
    units = [*documents["d0"], Unit("Ann", 590, 599, "x", fragments=((590, 592), (595, 599)))]
    documents["d0"] = Continuum.from_units(units, bounds=(0, 600))
    candidate = candidacy(documents)
    assert [n for n in candidate.notes if n.startswith("no verdict by soft-f1")]
    with pytest.raises(DataError):
        candidacy(documents, score="soft-f1")
