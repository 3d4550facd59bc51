"""The chance model of segmentations: each coder's own segmentation of an item, turned.

The beginning and the end of an item cut through a coder's first and last segment. Both are
completed to lengths that whole segments of the same coder have. The completed segments are joined
to a circle, and a stretch as long as the item is cut out at a random place, among those where it
holds as many boundaries of each type as the data. So each coder keeps the lengths, the order and
the number of segments; only the places of boundaries become random. Coders whose segments are
placed independently of each other, and begin anywhere in an item, reach 0.

A torn segment gets the length of one of the item's own whole segments that is at least as long, if
the item has at least three whole ones. In other items it is drawn from the lengths in all the
coder's items, by the estimate of Kaplan & Meier, to which torn segments add that theirs is at least
as long. Each boundary keeps its type when it moves. The boundary where the two ends of the circle
meet has the type of one of the others. An item without a boundary stays without.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gammacp.base.arrays import Indices
from gammacp.segmentation.measures.rows import Rows

CHANCE = "turned"


@dataclass(frozen=True, eq=False)
class TurnedSegments:
    """Sampler that turns each coder's segmentation of each item.

    Attributes
    ----------
    rows
        The codings.
    whose
        Number of the coder of each row.
    """

    rows: Rows
    whose: Indices
    signature: str = CHANCE

    @classmethod
    def of(cls, rows: Rows, people: Iterable[object]) -> TurnedSegments:
        """Return the sampler for the codings `rows`; `people` names the coder of each row."""
        names = list(people)
        number = {name: k for k, name in enumerate(dict.fromkeys(names))}
        return cls(rows, np.array([number[name] for name in names], np.int64))

    @cached_property
    def _lengths(self) -> tuple[Indices, Indices, Indices, Indices]:
        """Return the lengths of whole and of torn segments, sorted within each coder.

        Each of the two is followed by the offsets at which the coders' lengths begin.
        """
        rows, some = self.rows, self.rows.sizes > 0
        last = rows.offsets[1:][some] - 1
        inner = np.delete(np.diff(rows.places), last[:-1])
        ends = rows.places[rows.offsets[:-1][some]], rows.masses[some] - rows.places[last]
        owner = self.whose[some]
        wholes = np.repeat(owner, rows.sizes[some] - 1), inner
        torn = np.concatenate((owner, owner)), np.concatenate(ends)
        sorted_lengths: list[Indices] = []
        for person, lengths in (wholes, torn):
            begins = np.searchsorted(np.sort(person), np.arange(self.whose.max(initial=-1) + 2))
            sorted_lengths += [lengths[np.lexsort((lengths, person))], begins]
        return sorted_lengths[0], sorted_lengths[1], sorted_lengths[2], sorted_lengths[3]

    def draw(self, rng: np.random.Generator) -> Rows:
        """Draw random codings of the same items by the same coders."""
        from gammacp.segmentation.measures.turning_kernels import turned_rows

        rows = self.rows
        number = {held: k for k, held in enumerate(dict.fromkeys(rows.held))}
        kinds = np.array([number[held] for held in rows.held] or 0 * rows.places, np.int64)
        chances = rng.random((len(rows.masses), 4))
        places, source = turned_rows(
            rows.places, rows.offsets, rows.masses, kinds, self.whose, *self._lengths, chances
        )
        boundary_rows = np.repeat(rows.offsets[:-1], rows.sizes) + source
        if rows.held:
            held = tuple(rows.held[k] for k in boundary_rows.tolist())
        else:
            held = ()
        return replace(rows, places=places, held=held)
