"""Questions that settle several units to review at once, because they differ in the same way.

A question collects all units of one label in which one annotator differs from the others in one
way ("lists: one or several?"). Questions are ordered by their share of the disorder, largest first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gammacp.base.text import category_name, visible
from gammacp.campaign.charges import WORDS
from gammacp.campaign.consensus import Consensus
from gammacp.continuum import Unit
from gammacp.errors import DataError
from gammacp.kinds.kinds import Case, Kinds
from gammacp.studio.journal import Decision
from gammacp.studio.review import DecisionRequest, decision_of, item_keys

Side = Literal["theirs", "others"]
_Way = tuple[str, str, str | None]
_Place = tuple[str, str, float, float, str | None]

# Instructions by kind of difference: to the one who differs if the decision follows the others, and
# to the others if it follows that annotator.
_TOLD: Mapping[str, tuple[str, str]] = {
    "position": ("begin and end units where the others do", "begin and end units where {} does"),
    "category": ("use the label of the others", "use the label that {} uses"),
    "split": ("mark one unit, not several", "mark several units, as {} does"),
    "merged": ("mark several units, not one", "mark one unit, as {} does"),
    "missing": ("mark these units, too", "leave these units out, as {} does"),
    "extra": ("leave these units out", "mark these units, too, as {} does"),
    "level": ("follow the others in units inside units", "mark units inside units as {} does"),
}
_ASKED: Mapping[str, str] = {
    "position": "where do these units begin and end?",
    "category": "which label?",
    "split": "one unit or several?",
    "merged": "one unit or several?",
    "missing": "is this a unit?",
    "extra": "is this a unit?",
    "level": "is this a unit of its own?",
}


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question, with the units that its answer decides.

    Attributes
    ----------
    annotator, kind, label
        Annotator who differs from the others, kind of the difference, and label of the unit, which
        may be None.
    share
        Share of these differences in the observed disorder.
    items
        Document and key of each unit to review.
    """

    annotator: str
    kind: str
    label: str | None
    share: float
    items: tuple[tuple[str, str], ...]

    @property
    def title(self) -> str:
        """Return the question in words."""
        kind = WORDS.get(self.kind, self.kind)
        question = _ASKED.get(self.kind, "which is right?")
        return f"{visible(self.annotator)}: {kind}, {category_name(self.label)}: {question}"

    @property
    def documents(self) -> int:
        """Return the number of documents with these units."""
        return len({document for document, _ in self.items})

    @property
    def told(self) -> dict[Side, str]:
        """Return what to tell whom after the decision, for either way to decide."""
        name = visible(self.annotator)
        others, advice = _TOLD.get(self.kind, ("follow the others", "follow {}"))
        label = category_name(self.label)
        return {
            "others": f"Tell {name}: {others} ({label}).",
            "theirs": f"Tell the others: {advice.format(name)} ({label}).",
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the question as JSON for the page."""
        return {
            "annotator": self.annotator,
            "kind": self.kind,
            "label": self.label,
            "title": self.title,
            "share": self.share,
            "items": [list(item) for item in self.items],
            "told": self.told,
        }


def questions_of(kinds: Kinds | None, consensus: Mapping[str, Consensus]) -> tuple[Question, ...]:
    """Return the questions about units to review, those with the largest share first.

    A unit with several differences belongs to the question with the largest cost in it.

    Parameters
    ----------
    kinds
        The kinds of differences; None if there are none.
    consensus
        Consensus by document.
    """
    if kinds is None or kinds.reason is not None or not kinds.observed:
        return ()
    costs: defaultdict[_Place, defaultdict[_Way, float]] = defaultdict(lambda: defaultdict(float))
    for case in kinds.cases:
        way = _way(case)
        if way is not None:
            for place in _places(case):
                costs[place][way] += case.cost
    items: defaultdict[_Way, list[tuple[str, str]]] = defaultdict(list)
    for document, decided in consensus.items():
        for key, unit in zip(item_keys(decided), decided.units, strict=True):
            if unit.reasons and (ways := _ways(document, unit.units, costs)):
                items[max(ways, key=lambda w: (ways[w], str(w)))].append((document, key))
    shares: defaultdict[_Way, float] = defaultdict(float)
    for case in kinds.cases:
        if (way := _way(case)) is not None:
            shares[way] += case.cost / kinds.observed
    questions = [
        Question(annotator=w[0], kind=w[1], label=w[2], share=shares[w], items=tuple(listed))
        for w, listed in items.items()
    ]
    return tuple(sorted(questions, key=lambda q: (-q.share, q.title)))


def _way(case: Case) -> _Way | None:
    """Return who differs, how, and the label of the unit; None if nobody is charged.

    If the annotator lacks the unit, the label is that of the others.
    """
    if case.charged is None:
        return None
    label = case.label
    if case.charged == case.annotators[1] and case.units[1]:
        label = case.other_label
    return case.charged, case.kind, label


def _places(case: Case) -> Iterator[_Place]:
    for units in case.units:
        for unit in units:
            yield case.document, unit.annotator, unit.start, unit.end, unit.category


def _ways(
    document: str,
    units: Mapping[str, Unit | None],
    costs: Mapping[_Place, Mapping[_Way, float]],
) -> dict[_Way, float]:
    """Return the differences in a unit of the consensus, with their costs."""
    ways: defaultdict[_Way, float] = defaultdict(float)
    for name, unit in units.items():
        if unit is not None:
            place = document, name, unit.start, unit.end, unit.category
            for way, cost in costs.get(place, {}).items():
                ways[way] += cost
    return dict(ways)


def decisions_of(
    documents: Mapping[str, Consensus], request: DecisionRequest
) -> tuple[list[Decision], int]:
    """Return a decision on each of several units, and the number of units left open.

    Parameters
    ----------
    documents
        Consensus by document.
    request
        Request with the action `take`, which uses the version of an annotator for all units, or
        `agree`, which follows the majority: a unit that most annotators lack is dropped, and one
        with a tied category stays open.

    Raises
    ------
    DataError
        The action is unknown, or a single decision fails; then no decision is made.
    """
    if request.action not in ("take", "agree"):
        raise DataError(f"{request.action!r} is for one unit at a time")
    units = {
        (name, key): unit
        for name, c in documents.items()
        if any(name == item[0] for item in request.items)
        for key, unit in zip(item_keys(c), c.units, strict=True)
    }
    decisions = []
    tied = 0
    for number, (document, item) in enumerate(dict.fromkeys(map(tuple, request.items))):
        action: str = request.action
        unit = units.get((document, item))
        if action == "agree":
            if unit is not None and unit.kept and unit.category is None and unit.vote.tied:
                tied += 1
                continue
            if unit is not None and not unit.kept:
                action = "drop"
            else:
                action = "merge"
        single = {
            "document": document,
            "item": item,
            "items": (),
            "action": action,
            "request": batch_request(request.request, number),
        }
        decisions.append(decision_of(documents, request.model_copy(update=single)))
    return decisions, tied


def batch_request(request: str, number: int) -> str:
    """Return the request identifier of one of several decisions that are undone together.

    Parameters
    ----------
    request, number
        Identifier of the whole request, and index of the decision.
    """
    from gammacp.studio.journal import TOGETHER

    return f"{TOGETHER}{request}:{number}"


def shown(questions: Sequence[Question]) -> list[dict[str, Any]]:
    """Return the questions as JSON for the page."""
    return [q.as_dict() for q in questions]
