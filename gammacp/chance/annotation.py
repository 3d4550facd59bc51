"""One annotator's units as columns, and random annotation sets made of several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.continuum import Continuum
from gammacp.continuum.canonical import canonical_order
from gammacp.continuum.document_table import DocumentAnnotators, DocumentTable
from gammacp.continuum.fragments import Breaks, together
from gammacp.continuum.links import Ids, Link, links_over_joint

# Places that are closer than this share of a continuum's length count as one. Rounding may separate
# touching units by as much, whatever the unit of time. In a day it is a tenth of a millisecond.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Annotation:
    """Units of one annotator on one continuum; starts are relative to its lower bound.

    `length` is the length L of the continuum, and the circumference of the circle on which the
    annotation is turned. A unit of several fragments, or with a shape, is moved as a whole, with
    its `breaks`. Links move with the units whose `ids` they name.
    """

    starts: Floats
    lengths: Floats
    category_codes: Codes
    length: float
    breaks: Breaks | None = None
    ids: Ids | None = None
    links: tuple[Link, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Return whether all units are of one piece, without ids or links."""
        return self.breaks is None and self.ids is None and not self.links

    def take(self, rows: Indices) -> Annotation:
        """Return the units of these rows, each with everything that belongs to it.

        Parameters
        ----------
        rows
            Numbers of the units, in their new order; a row may come twice.
        """
        return replace(
            self,
            starts=self.starts[rows],
            lengths=self.lengths[rows],
            category_codes=self.category_codes[rows],
            breaks=None if self.breaks is None else self.breaks[rows],
            ids=None if self.ids is None else self.ids[rows],
        )

    def shift(self, fraction: float) -> Annotation:
        """Return a circular shift by a fraction of L; a unit is moved whole, with its start.

        `links_over_joint` treats links that reach over the joint, where the ends of the text meet.
        """
        if self.length == 0:
            return self
        turned = self.starts / self.length + fraction
        shifted = replace(self, starts=(turned % 1.0) * self.length)
        if not self.links or self.ids is None:
            return shifted
        laps = np.floor(turned)
        behind = int((laps < laps.max()).sum())
        names = self.ids[np.argsort(self.starts, kind="stable")].tolist()
        return replace(shifted, links=links_over_joint(self.links, names, behind))

    def mosaic(self, length: float) -> Annotation:
        """Return the annotation repeated up to `length`: units that start before it are kept."""
        if self.length == 0 or length <= self.length:
            return self
        copies = int(np.ceil(length / self.length))
        starts = (self.starts + self.length * np.arange(copies)[:, None]).ravel()
        inside = np.flatnonzero(starts < length * (1 - ROUNDING))
        units = self.take(inside % len(self.starts))
        return replace(units, starts=starts[inside], length=length, ids=None, links=())


def annotations_of(continuum: Continuum) -> tuple[Annotation, ...]:
    """Return the annotation of every annotator, in canonical order.

    Parameters
    ----------
    continuum
        The units of all annotators.
    """
    order, _ = canonical_order(continuum)
    return tuple(annotation_of(continuum, int(code)) for code in order)


def annotation_of(continuum: Continuum, code: int) -> Annotation:
    """Return the annotation of the annotator with this code.

    Parameters
    ----------
    continuum
        The units of all annotators.
    code
        Row of `continuum.annotators`.
    """
    rows = slice(int(continuum.offsets[code]), int(continuum.offsets[code + 1]))
    return Annotation(
        continuum.starts[rows] - continuum.bounds[0],
        continuum.lengths[rows],
        continuum.category_codes[rows],
        continuum.length,
        None if continuum.inside is None else continuum.inside[rows],
        None if continuum.ids is None else continuum.ids[rows],
        tuple(x for x in continuum.links if x.annotator == continuum.annotators[code]),
    )


def least_distance(mean_length: float, circle: float, n: int) -> tuple[float, str]:
    """Return the least distance between n shifts or cuts, as a fraction of the circle.

    It is ℓ̄, the mean length of units, but at most L/2n. The second value is the note for the
    signature; it is empty unless the distance is L/2n.

    Parameters
    ----------
    mean_length, circle
        Mean length of the units, and the length of the circle.
    n
        Number of annotators.
    """
    if circle > 0:
        distance = mean_length / circle
    else:
        distance = 0.0
    if n * distance > 0.5:
        return (1 / (2 * n), "(distance=L/2n)")
    return (distance, "")


def annotation_set(
    parts: Sequence[Annotation], categories: tuple[str, ...], names: tuple[str, ...] = ()
) -> Continuum:
    """Return a continuum from 0 on, whose annotators "1", "2", … have these annotations.

    Where units reach over an end of the text, the bound is moved to theirs.

    Parameters
    ----------
    parts
        One annotation per random annotator.
    categories
        Names of the category codes.
    names
        Names of the annotators, if these are real ones.
    """
    starts = np.concatenate([p.starts for p in parts])
    ends = np.concatenate([p.starts + p.lengths for p in parts])
    length = max((p.length for p in parts), default=0.0)
    called = names or tuple(str(i + 1) for i in range(len(parts)))
    carried = zip(parts, called, strict=True)
    return Continuum.from_codes(
        called,
        categories,
        starts,
        ends,
        np.repeat(np.arange(len(parts), dtype=np.int32), [len(p.starts) for p in parts]),
        np.concatenate([p.category_codes for p in parts]),
        inside=together([(p.breaks, len(p.starts)) for p in parts]),
        ids=together([(p.ids, len(p.starts)) for p in parts], ""),
        links=tuple(replace(x, annotator=name) for p, name in carried for x in p.links),
        bounds=(float(starts.min(initial=0.0)), float(ends.max(initial=length))),
    )


def annotation_sets(
    parts: Sequence[Annotation], n: int, categories: tuple[str, ...], names: tuple[str, ...]
) -> Sequence[Continuum]:
    """Return several sets at once, each as `annotation_set` makes it.

    Parameters
    ----------
    parts
        One annotation per annotator, with units of one piece. Each column has a row for every set,
        or a single row for all sets.
    n
        Number of sets.
    categories, names
        As for `annotation_set`.
    """

    def together(columns: Iterable[NDArray[Any]]) -> NDArray[Any]:
        return np.concatenate([np.broadcast_to(c, (n, c.shape[-1])) for c in columns], axis=1)

    columns: dict[str, Any] = {
        "category_codes": together(p.category_codes for p in parts),
        "ends": together(p.starts + p.lengths for p in parts),
        "starts": together(p.starts for p in parts),
        "annotator_codes": together(
            np.full(p.starts.shape[-1], k, np.int32) for k, p in enumerate(parts)
        ),
    }
    low = columns["starts"].min(axis=1, initial=0.0)
    length = max((p.length for p in parts), default=0.0)
    high = columns["ends"].max(axis=1, initial=length)
    order = np.lexsort(tuple(columns.values()))
    for name, values in columns.items():
        columns[name] = np.take_along_axis(values, order, 1).ravel()
    edges = np.arange(n + 1)
    table = DocumentTable(
        number_by_name={str(k): k for k in range(n)},
        people=DocumentAnnotators(
            names, np.tile(np.arange(len(parts), dtype=np.int32), n), edges * len(parts)
        ),
        categories=categories,
        edges=edges * order.shape[1],
        lows=low,
        highs=high,
        **columns,
    )
    return table.values()
