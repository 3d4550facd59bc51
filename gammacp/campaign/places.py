"""Places of the documents that a verdict sends its reader to.

A place is the stretch of one unitary alignment. The places are those with the largest disorder, so
they are facts about these documents: they say where to look first, and no more.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gammacp.base.arrays import Codes, Floats
from gammacp.base.record_tables import position
from gammacp.base.text import first_names, visible
from gammacp.continuum import Continuum, Unit
from gammacp.continuum.label import plain

if TYPE_CHECKING:
    from gammacp.alignment import Alignment
    from gammacp.kinds.kinds import Kinds
    from gammacp.measures.agreement import Agreement

MOST = 3
"""Largest number of places that are named."""
_PEOPLE = 3
# Largest number of different readings of a place that are spelled out.
_PHRASES = 6
# Longest text, name of a document (its end), and annotator with label, in characters.
_QUOTED = 40
_TIMES = ("s", "ms")


@dataclass(frozen=True, kw_only=True)
class Place:
    """A stretch of a document, and what each annotator marks there.

    Attributes
    ----------
    document
        Name of the document.
    start, end
        First start and last end of the units.
    annotators, counts, labels
        All annotators of the document, the numbers of their units in the stretch, and the labels of
        these; None without a label.
    text
        The annotated text; None if there is none.
    unit
        Unit of the positions, `s` or `ms`; "" if they are no times.
    """

    document: str
    start: float
    end: float
    annotators: tuple[str, ...]
    counts: tuple[int, ...]
    labels: tuple[str | None, ...]
    text: str | None = None
    unit: str = ""

    def in_words(self) -> str:
        """Return the place in words.

        >>> place = Place(
        ...     document="d",
        ...     start=2,
        ...     end=9,
        ...     annotators=("A", "B", "C"),
        ...     counts=(1, 2, 2),
        ...     labels=("x", "y", "y"),
        ... )
        >>> place.in_words()
        'd, 2–9 (A: x; B, C: 2 units, y)'
        """
        document = visible(self.document)
        if len(document) > _QUOTED:
            # The end of a path tells documents apart.
            document = f"…{document[1 - _QUOTED :]}"
        words = f"{document}, {position(self.start)}–{position(self.end)}"
        if self.unit:
            words += f" {self.unit}"
        if self.text and (quoted := shorten(visible(self.text), _QUOTED, placeholder=" …")):
            words += f" “{quoted}”"
        annotators_of: dict[str, list[str]] = {}
        for name, count, label in zip(self.annotators, self.counts, self.labels, strict=True):
            annotators_of.setdefault(_marked(count, label), []).append(_cut(visible(name)))
        phrases = [
            f"{first_names(names, _PEOPLE)}: {what}" for what, names in annotators_of.items()
        ]
        if len(phrases) > _PHRASES:
            phrases = [*phrases[:_PHRASES], "others differ, too"]
        return f"{words} ({'; '.join(phrases)})"

    def as_dict(self) -> dict[str, Any]:
        """Return the place as JSON has it."""
        return asdict(self)


def _cut(text: str) -> str:
    """Return a text, cut if it is long."""
    if len(text) > _QUOTED:
        return f"{text[: _QUOTED - 1]}…"
    return text


def _marked(count: int, label: str | None) -> str:
    """Return what an annotator marks in words."""
    if count == 0:
        return "nothing"
    if count == 1:
        return _cut(visible(label)) if label is not None else "1 unit"
    if label is None:
        return f"{count} units"
    return f"{count} units, {_cut(visible(label))}"


def costliest_places(
    overall: Agreement,
    *,
    label: str | None = None,
    annotator: str | None = None,
    most: int = MOST,
) -> tuple[Place, ...]:
    """Return the unitary alignments with the largest disorder, the largest first.

    Parameters
    ----------
    overall
        γ of all annotators.
    label
        If given, only unitary alignments in which some unit has this label, and not everybody has a
        unit with it.
    annotator
        If given, only the costs of pairs with this annotator count.
    most
        Largest number of places.
    """
    # Of equal costs, those of different documents come first.
    candidates: list[tuple[float, int, int, int]] = []
    names = [*overall.rated]
    for number, name in enumerate(names):
        alignment = overall.rated[name].alignment
        costs = _costs(alignment, label, annotator) * overall.weights.get(name, 1.0)
        for k, row in enumerate(np.argsort(-costs, kind="stable")[:most].tolist()):
            if costs[row] > 0:
                candidates.append((-round(float(costs[row]), 9), k, number, row))
    places = []
    for _, _, number, row in heapq.nsmallest(most, candidates):
        alignment = overall.rated[names[number]].alignment
        rows = [code for code in alignment.groups[row].tolist() if code >= 0]
        units = [alignment.continuum.unit(code) for code in rows]
        places.append(_place(names[number], alignment.continuum, units))
    return tuple(places)


def _costs(alignment: Alignment, label: str | None, annotator: str | None) -> Floats:
    """Return the cost of each unitary alignment, 0 where it is not asked for."""
    continuum = alignment.continuum
    costs: Floats = alignment.disorders
    if annotator is not None:
        if annotator not in continuum.annotators:
            return np.zeros(len(alignment.groups))
        own = continuum.annotators.index(annotator)
        pairs = np.any(np.array(np.triu_indices(continuum.n_annotators, 1)) == own, axis=0)
        costs = alignment.pair_costs[:, pairs].sum(axis=1)
    if label is not None:
        categories, codes = plain(continuum.categories)
        if label not in categories:
            return np.zeros(len(alignment.groups))
        labels = np.append(codes, -1).astype(np.int32)[continuum.category_codes]
        disputed = _disputed(alignment.groups, labels, categories.index(label))
        costs = np.where(disputed, costs, 0.0)
    return costs


def _disputed(groups: Codes, labels: Codes, wanted: int) -> NDArray[np.bool_]:
    """Return which groups have units with the wanted label, but not of every annotator."""
    has_label = (groups >= 0) & (labels[groups] == wanted)
    return np.asarray(has_label.any(axis=1) & ~has_label.all(axis=1))


def places_of_kind(
    kinds: Kinds, annotator: str, kind: str, *, most: int = MOST
) -> tuple[Place, ...]:
    """Return places where an annotator is charged with a kind of difference, the costliest first.

    Parameters
    ----------
    kinds
        The kinds of differences.
    annotator, kind
        The annotator, and the kind.
    most
        Largest number of places.
    """
    first_of: list[Place] = []
    places: list[Place] = []
    units_of: list[list[Unit]] = []
    for case in kinds.costliest(annotator, kind):
        continuum = kinds.documents.alignments[case.document].continuum
        units = [unit for side in case.units for unit in side]
        place = _place(case.document, continuum, units)
        # One unit that differs from several others makes a case with each of them.
        same = [k for k, first in enumerate(first_of) if _overlap(place, first)]
        for k in same[:1]:
            units_of[k] += units
            places[k] = _place(case.document, continuum, units_of[k])
        if not same and len(places) < most:
            first_of.append(place)
            places.append(place)
            units_of.append(units)
    return tuple(places)


def _overlap(one: Place, other: Place) -> bool:
    same = one.document == other.document
    return same and one.start < other.end and other.start < one.end


def _place(document: str, continuum: Continuum, units: Sequence[Unit]) -> Place:
    """Return the stretch of some units of a document, with all units that lie in it or overlap it.

    A unit that a neighbour marks beside the stretch, and that only touches it, does not count.
    """
    start = min(unit.start for unit in units)
    end = max(unit.end for unit in units)
    inside = (continuum.starts < end) & (continuum.ends > start)
    inside |= (continuum.starts == start) & (continuum.ends == end)
    rows = np.flatnonzero(inside)
    people = continuum.annotator_codes[rows]
    counts = np.bincount(people, minlength=continuum.n_annotators)
    # One unit of each annotator and category stands for all: a place can hold very many.
    pairs = np.column_stack((people, continuum.category_codes[rows]))
    _, examples = np.unique(pairs, axis=0, return_index=True)
    labels: dict[str, list[str]] = {name: [] for name in continuum.annotators}
    for row in rows[np.sort(examples)].tolist():
        unit = continuum.unit(row)
        if unit.category is not None:
            labels[unit.annotator].append(unit.category)
    offsets = continuum.offset_unit
    return Place(
        document=document,
        start=start,
        end=end,
        annotators=continuum.annotators,
        counts=tuple(counts.tolist()),
        labels=tuple(" + ".join(own) or None for own in labels.values()),
        text=continuum.text_between(start, end),
        unit=offsets if offsets in _TIMES else "",
    )
