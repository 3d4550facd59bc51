"""The default consensus against the vote, on crowds with planted truth."""

from dataclasses import replace

import numpy as np
import pytest

from experiments.consensus_planted import CELLS, Cell, cell_crowd, scored_cell
from gammacp.campaign.consensus import consensus_of_each
from gammacp.continuum import Continuum, Unit

SEEDS = range(900, 902)
ONE = CELLS[0]


def means(cell: Cell) -> dict[str, float]:
    rows = scored_cell(cell, SEEDS).rows
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


@pytest.mark.parametrize(
    ("cell", "least"),
    [*zip(CELLS[:3], (0.92, 0.85, 0.91), strict=True)],
    ids=("4, .1", "4, .3", "6"),
)
def test_a_model_is_clearly_above_the_vote_if_identified(cell: Cell, least: float) -> None:
    mean_values = means(cell)
    assert mean_values["auto"] >= least
    assert mean_values["vote"] < least - 0.02
    assert mean_values["recall_off"] == pytest.approx(0, abs=0.06)
    assert mean_values["precision_off"] == pytest.approx(0, abs=0.06)


@pytest.mark.parametrize(
    "cell",
    [
        Cell(people=6, categories=1, recall=0.6, invented=0.0, unequal=False, documents=10),
        Cell(people=4, categories=1, recall=0.6, invented=0.5, documents=10),
        Cell(people=3, categories=2, recall=0.7, invented=0.1, shaken=False, unequal=False),
        Cell(people=3, categories=5, recall=0.9, invented=0.0, documents=20),
        Cell(people=5, categories=3, recall=0.95, invented=0.3, documents=10),
        Cell(people=4, categories=2, recall=0.7, invented=0.5, unequal=False, documents=10),
        Cell(people=5, process="hard units", documents=10),
        Cell(people=5, process="spammer", documents=10),
        Cell(people=5, process="shared", documents=10),
    ],
    ids=str,
)
def test_the_default_is_nowhere_below_the_vote(cell: Cell) -> None:
    mean_values = means(cell)
    # Two crowds are few, so that their mean may be off by a point.
    assert mean_values["auto"] > mean_values["vote"] - 0.015
    assert mean_values["auto_positions"] > mean_values["vote_positions"] - 0.015


@pytest.mark.parametrize("people", [2, 3])
def test_the_vote_decides_without_an_identified_model_and_a_note_says_why(people: int) -> None:
    corpus, _, _ = cell_crowd(Cell(people=people, categories=1), 1)
    auto, vote = (consensus_of_each(corpus, weights=w) for w in ("auto", "vote"))
    assert auto.belief.weights == "vote"
    assert f"{'2' if people == 2 else 'three'} annotators cannot be weighed" in auto.belief.notes[0]
    for name, document in auto.documents.items():
        assert [u.kept for u in document.units] == [u.kept for u in vote.documents[name].units]


def test_units_against_the_majority_are_counted() -> None:
    """A note counts the units that the model keeps or drops against the majority.

    Four people miss three in ten units and invent none, so a unit marked once is right.
    """
    corpus, truth, _ = cell_crowd(replace(ONE, invented=0.0), 1)
    gold_standards = consensus_of_each(corpus)
    alone = most = 0
    for name, spans in truth.items():
        for start, end, _ in spans:
            marks = sum((u.start, u.end) == (start, end) for u in corpus[name])
            alone, most = alone + (marks == 1), most + (marks > 2)
    note = gold_standards.belief.notes[0]
    assert f"leaves out 0 of the {most} units that more than half" in note
    assert f"keeps {alone} of the {alone} that only one marked" in note


def test_a_model_that_follows_the_majority_has_no_note() -> None:
    units = [Unit(a, 9 * i, 9 * i + 4, "x") for a in "ABCD" for i in range(40)]
    belief = consensus_of_each(Continuum.from_units(units)).belief
    assert belief.weights == "dawid-skene"
    assert belief.notes == ()


def test_a_mark_beside_the_others_marks_is_another_place() -> None:
    """D misses all that A, B and C mark, and marks the stretch just behind each of their units."""
    units = [Unit(a, 50 * i, 50 * i + 6, "x") for a in "ABC" for i in range(40)]
    units += [Unit("D", 50 * i + 7, 50 * i + 13, "x") for i in range(40)]
    gold_standards = consensus_of_each(Continuum.from_units(units))
    assert gold_standards.belief.weights == "dawid-skene"
    recalls = {a.name: round(a.recall, 1) for a in gold_standards.belief.annotators}
    assert recalls == {"A": 1, "B": 1, "C": 1, "D": 0}
    (document,) = gold_standards.documents.values()
    assert {u.support for u in document.units} == {1, 3}


@pytest.mark.slow
def test_recall_and_precision_are_right_where_much_is_invented() -> None:
    """Recall and precision are close to the planted ones on the crowds of six seeds.

    Marks often lie beside units that their authors missed.
    """
    rows = scored_cell(Cell(people=4, categories=1, process="spammer"), range(900, 906)).rows
    assert np.mean([row["recall_off"] for row in rows]) == pytest.approx(0, abs=0.06)
    assert np.mean([row["precision_off"] for row in rows]) == pytest.approx(0, abs=0.06)
