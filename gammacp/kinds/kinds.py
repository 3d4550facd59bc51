"""Kinds of differences between annotators, and who differs from the others in which.

The errors of the Corpus Shuffling Tool (Mathet et al. 2012), read backwards from the best alignment
of γ: a unit of one annotator may be moved (`position`), relabelled (`category`), several where
others have one (`split`), one where others have several (`merged`), not there (`missing`), there
alone (`extra`) or a level that others do not mark (`level`). Every pair of the alignment that costs
anything has one kind, so the kinds add up to the observed disorder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.continuum import Continuum, Unit
from gammacp.kinds.charging import add_up, shares_of, sides_of
from gammacp.kinds.differences import Differences, differences_in
from gammacp.kinds.documents import AlignedDocuments, documents_of
from gammacp.kinds.forms import BOTH, CATEGORY, FAMILY, FIRST, KINDS, NESTING, POSITION, UNMATCHED

Record: TypeAlias = dict[str, Any]

NOBODY = (
    "every document has two annotators: they differ from each other, and nobody can be charged "
    "with it"
)


@dataclass(frozen=True)
class Case:
    """A difference between two annotators of a document.

    Attributes
    ----------
    document
        Its name.
    kind
        One of `KINDS`. A tie between one unit and several is called `merged`; half of its cost
        counts as `split`.
    charged
        The annotator who stands against more of the others; None in a tie.
    annotators
        The two who differ. Of a family the first has one unit, the second several; of a unit that
        the other one has not, the first has it.
    units
        The units of each of them.
    label
        Category of the first one's unit.
    other_label
        Category of the second one's unit, where there is one.
    cost
        Its share of the observed disorder.
    """

    document: str
    kind: str
    charged: str | None
    annotators: tuple[str, str]
    units: tuple[tuple[Unit, ...], tuple[Unit, ...]]
    label: str | None
    other_label: str | None
    cost: float


@dataclass(frozen=True, kw_only=True)
class Kinds:
    """Kinds of differences between annotators.

    Attributes
    ----------
    parts
        For each kind its `observed` disorder, what is `expected` by chance (None without random
        sets) and its `share` of the observed disorder. The kinds add up to the disorder.
    people
        A record for each annotator and kind: `count` of differences, count `by_chance`, `p` that
        chance and mere luck give so many, and the disorder that the annotator is `charged` with.
        None where it cannot be known.
    pairs
        A record for each annotator who has `one` unit where another has `several`: number of
        `cases`, of `units` of the other, and of cases `with_gaps` between these.
    sentences
        What stands out, three sentences at most.
    reason
        Why nobody is charged; None where annotators are.
    """

    parts: Mapping[str, Record]
    people: tuple[Record, ...]
    pairs: tuple[Record, ...]
    sentences: tuple[str, ...]
    reason: str | None
    documents: AlignedDocuments
    batches: tuple[tuple[int, Differences], ...]

    @property
    def observed(self) -> float:
        """The observed disorder: the sum over the kinds."""
        return sum(float(part["observed"]) for part in self.parts.values())

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """Every difference between two annotators, by document."""
        names = tuple(self.documents.alignments)
        continua = [a.continuum for a in self.documents.alignments.values()]
        return tuple(
            case
            for begin, found in self.batches
            for case in _cases(found, names[begin:], continua[begin:], charged=self.reason is None)
        )

    def as_dict(self) -> Record:
        """The kinds as JSON has them."""
        made: Record = {
            "parts": {kind: dict(part) for kind, part in self.parts.items()},
            "people": [dict(record) for record in self.people],
            "pairs": [dict(record) for record in self.pairs],
            "sentences": list(self.sentences),
        }
        return made if self.reason is None else made | {"reason": self.reason}


def kinds_of(source: Any, *, random_sets: Any = None) -> Kinds:
    """Return the kinds of differences between the annotators of what was aligned.

    Parameters
    ----------
    source
        An alignment; a γ of one continuum or of a corpus; or an `Agreement`.
    random_sets
        Random annotation sets with their alignments, for what chance gives; None: nothing is
        compared with chance, and no sentence is made.

    Raises
    ------
    DataError
        Units that are not stretches of one piece, a soft alignment, or a dissimilarity that does
        not tell positions from categories.
    UsageError
        Something else was given.
    """
    documents = documents_of(source)
    aligned = [(a.continuum, a.groups) for a in documents.alignments.values()]
    batches = tuple(differences_in(aligned, documents.dissimilarity, documents.scales))
    size, costs, counts = len(documents.people), [], []
    for begin, found in batches:
        people = documents.slots[begin : begin + len(found.edges) - 1]
        shares = shares_of(found)
        costs.append(add_up(found, shares, found.cost, people, size))
        shares = shares if documents.charging else sides_of(found)
        counts.append(add_up(found, shares, np.ones(len(found.form)), people, size))
    cost, count = np.concatenate(costs), np.concatenate(counts)
    return Kinds(
        parts=_parts(cost.sum(axis=(0, 1))),
        people=tuple(_people(documents, count.sum(axis=0), cost.sum(axis=0))),
        pairs=tuple(_pairs(documents, batches)),
        sentences=(),
        reason=None if documents.charging else NOBODY,
        documents=documents,
        batches=batches,
    )


def _parts(observed: Floats) -> dict[str, Record]:
    total = float(observed.sum())
    return {
        kind: {"observed": value, "expected": None, "share": value / total if total else 0.0}
        for kind, value in zip(KINDS, observed.tolist(), strict=True)
    }


def _people(documents: AlignedDocuments, counts: Floats, costs: Floats) -> Iterator[Record]:
    for person, name in enumerate(documents.people):
        for kind, label in enumerate(KINDS):
            yield {
                "annotator": name,
                "kind": label,
                "count": float(counts[person, kind]),
                "by_chance": None,
                "p": None,
                "charged": float(costs[person, kind]) if documents.charging else None,
            }


def _pairs(
    documents: AlignedDocuments, batches: Sequence[tuple[int, Differences]]
) -> Iterator[Record]:
    """Yield who has one unit where who has several, those with the most cases first."""
    continua = [a.continuum for a in documents.alignments.values()]
    totals: dict[tuple[str, str], list[int]] = {}
    for begin, found in batches:
        for row in np.flatnonzero(found.form == FAMILY).tolist():
            c = continua[begin + int(found.document[row])]
            parts = found.parts_of(row)
            pair = (c.annotators[found.first[row]], c.annotators[found.second[row]])
            sums = totals.setdefault(pair, [0, 0, 0])
            gaps = has_gaps(c.starts[parts].tolist(), c.ends[parts].tolist())
            for k, number in enumerate((1, len(parts), int(gaps))):
                sums[k] += number
    order = sorted(totals.items(), key=lambda item: (-item[1][0], item[0]))
    for (one, several), (cases, units, with_gaps) in order:
        yield {
            "one": one,
            "several": several,
            "cases": cases,
            "units": units,
            "with_gaps": with_gaps,
        }


def has_gaps(starts: Sequence[float], ends: Sequence[float]) -> bool:
    """Return whether there is a gap between two of these stretches.

    Parameters
    ----------
    starts, ends
        In order of their starts.
    """
    latest = ends[0] if len(ends) else 0.0
    for start, end in zip(starts[1:], ends[1:], strict=True):
        if start > latest:
            return True
        latest = max(latest, end)
    return False


_NAMES = {POSITION: "position", CATEGORY: "category", NESTING: "level"}


def _cases(
    found: Differences, names: Sequence[str], continua: Sequence[Continuum], *, charged: bool
) -> Iterator[Case]:
    columns = (found.document, found.form, found.first, found.second, found.bearer)
    rows = zip(*(c.tolist() for c in columns), strict=True)
    for row, (document, form, first, second, bearer) in enumerate(rows):
        c = continua[document]
        base = int(found.edges[document])
        unit = c.unit(int(found.unit[row]) - base)
        pair = (c.annotators[first], c.annotators[second])
        others: tuple[Unit, ...] = ()
        if form == FAMILY:
            others = tuple(c.unit(p) for p in found.parts_of(row).tolist())
        elif found.other[row] >= 0:
            others = (c.unit(int(found.other[row]) - base),)
        yield Case(
            names[document],
            _kind(form, bearer),
            None if bearer == BOTH or not charged else pair[bearer],
            pair,
            ((unit,), others),
            unit.category,
            others[0].category if others else None,
            float(found.cost[row]),
        )


def _kind(form: int, bearer: int) -> str:
    if form == FAMILY:
        return "merged" if bearer in (FIRST, BOTH) else "split"
    if form == UNMATCHED:
        return "unmatched" if bearer == BOTH else "extra" if bearer == FIRST else "missing"
    return _NAMES[form]
