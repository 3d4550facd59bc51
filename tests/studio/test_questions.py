"""Questions: units that differ in the same way are decided, and undone, together."""

from __future__ import annotations

from pathlib import Path

import pytest

import gammacp as gc
from gammacp.base.validation import validated
from gammacp.campaign.consensus import Consensus, consensus
from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError
from gammacp.kinds.kinds import kinds_of
from gammacp.studio.journal import Decision, Journal
from gammacp.studio.questions import Question, decisions_of, questions_of
from gammacp.studio.review import DecisionRequest, decision_of, gold, item_keys


def document() -> Continuum:
    """Return a document in which Max joins two pairs of LOC and one of PER; Bob misses the last
    ORG.
    """
    places = [(0, 8), (10, 18), (30, 38), (40, 48), (60, 68), (70, 78), (100, 108)]
    labels = ["LOC"] * 4 + ["PER"] * 2 + ["ORG"]
    units = []
    for who in ("Ann", "Bob", "Max"):
        spans = [(s, e, x) for (s, e), x in zip(places, labels, strict=True)]
        if who == "Max":
            spans = [(0, 18, "LOC"), (30, 48, "LOC"), (60, 78, "PER"), spans[-1]]
        if who == "Bob":
            spans.pop()
        units += [Unit(who, s, e, x) for s, e, x in spans]
    return Continuum.from_units(units, bounds=(0, 120))


@pytest.fixture(scope="module")
def found() -> dict[str, Consensus]:
    return {"d": consensus(gc.align(document()))}


@pytest.fixture(scope="module")
def questions(found: dict[str, Consensus]) -> tuple[Question, ...]:
    return questions_of(kinds_of(gc.gamma(document(), samples=10)), {"": found["d"]})


def ask(question: Question, action: str, **given: object) -> DecisionRequest:
    request = {
        "request": "r",
        "reviewer": "Ruth",
        "action": action,
        "items": [["d", key] for _, key in question.items],
    }
    return validated(DecisionRequest, request | given)


def test_units_with_the_same_difference_are_one_question(questions: tuple[Question, ...]) -> None:
    """Questions are on four units of LOC, two of PER and one of ORG, the costliest first."""
    asked = [(q.annotator, q.kind, q.label, len(q.items)) for q in questions]
    assert asked[:2] == [("Max", "merged", "LOC", 4), ("Max", "merged", "PER", 2)]
    assert ("Bob", "missing", "ORG", 1) in asked
    shares = [q.share for q in questions]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)
    assert questions[0].title == "Max: joined, LOC: one unit or several?"
    assert questions[0].told["others"] == "Tell Max: mark several units, not one (LOC)."


def test_two_annotators_raise_no_questions(found: dict[str, Consensus]) -> None:
    two = Continuum.from_units([u for u in document() if u.annotator != "Ann"], bounds=(0, 120))
    assert questions_of(kinds_of(gc.gamma(two, samples=10)), {"": consensus(gc.align(two))}) == ()
    assert questions_of(None, found) == ()


def test_all_units_can_be_as_most_have_them(
    found: dict[str, Consensus], questions: tuple[Question, ...]
) -> None:
    decisions, tied = decisions_of(found, ask(questions[0], "agree"))
    assert tied == 0
    kept_units = sorted((d.start, d.end, d.category) for d in decisions if d.kept)
    assert kept_units == [(0, 8, "LOC"), (10, 18, "LOC"), (30, 38, "LOC"), (40, 48, "LOC")]


def test_all_units_can_be_as_one_annotator_has_them(
    found: dict[str, Consensus], questions: tuple[Question, ...]
) -> None:
    decisions, _ = decisions_of(found, ask(questions[0], "take", annotator="Max"))
    assert sorted((d.start, d.end) for d in decisions if d.kept) == [(0, 18), (30, 48)]
    assert len(decisions) == 4
    standing = {("d", d.item): d for d in decisions}
    spans = [(u.start, u.end) for u in gold(found, standing).continua["d"]]
    assert spans[:2] == [(0, 18), (30, 48)]


def test_units_outside_the_gold_standard_are_dropped_and_ties_stay_open() -> None:
    units = [Unit("Ann", 0, 5, "x"), Unit("Bob", 0, 5, "y"), Unit("Ann", 20, 25, "x")]
    c = Continuum.from_units([*units, Unit("Cid", 0, 5, "z")], bounds=(0, 30))
    of = {"d": consensus(gc.align(c))}
    items = [["d", key] for key in item_keys(of["d"])]
    request = {"request": "r", "reviewer": "Ruth", "action": "agree", "items": items}
    decisions, tied = decisions_of(of, validated(DecisionRequest, request))
    assert tied == 1
    assert [d.action for d in decisions] == ["drop"]


def test_invalid_decisions_decide_no_unit(
    found: dict[str, Consensus], questions: tuple[Question, ...]
) -> None:
    items = [["d", questions[0].items[0][1]], ["d", "nothing"]]
    with pytest.raises(DataError, match="no such unit"):
        decisions_of(found, ask(questions[0], "agree", items=items))
    with pytest.raises(DataError, match="for one unit at a time"):
        decisions_of(found, ask(questions[0], "drop"))
    item = questions[0].items[0][1]
    single = {"request": "r", "reviewer": "Ruth", "action": "agree", "document": "d", "item": item}
    with pytest.raises(DataError, match="several units"):
        decision_of(found, validated(DecisionRequest, single))


def test_units_decided_together_are_undone_together(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    alone = Decision(request="one", reviewer="Ruth", document="d", item="z", action="drop")
    journal.add(alone)
    many = [
        Decision(request=f"all:two:{k}", reviewer="Ruth", document="d", item=k, action="drop")
        for k in "abc"
    ]
    assert len(journal.add_all(many)) == 3
    assert len(journal.add_all(many)) == 3  # sent twice, kept once
    journal.add(Decision(request="x", reviewer="Sam", document="d", item="y", action="drop"))
    assert len(journal.standing()) == 5
    journal.undo("back", "Ruth")
    journal.undo("back", "Ruth")  # a repeated request counts once
    assert {item for _, item in journal.standing()} == {"z", "y"}
    journal.undo("again", "Ruth")
    assert {item for _, item in journal.standing()} == {"y"}
    with pytest.raises(DataError, match="no decision to undo"):
        journal.undo("more", "Ruth")
    journal.close()


def test_requests_with_a_common_prefix_are_not_undone_together(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for request, item in (("all:a:0", "p"), ("all:ab:0", "q"), ("all:%:0", "r")):
        journal.add(
            Decision(request=request, reviewer="Ruth", document="d", item=item, action="drop")
        )
    journal.undo("back", "Ruth")
    assert {item for _, item in journal.standing()} == {"p", "q"}
    journal.close()
