"""The chance model of segmentations: each coder's own segmentation of an item, turned.

The ends of an item tear a coder's first and last segment. Both are completed to whole lengths of
the same coder's; the completed segments form a circle, and an item's mass of it is cut out at a
random place, among those where it holds as many boundaries of each type as the data. So everybody
keeps the lengths of the own segments, their order and number; what is left of agreement is that of
places. 0 is what coders reach whose sections do not depend on each other, and
begin anywhere in an item.

A torn segment is completed by one of the item's own whole segments that is at least as long, of
three; in items with fewer, by the lengths of all the coder's items (Kaplan & Meier's estimate, in
which torn segments count as at least as long). Types travel with their boundary; where the two ends
of the circle meet, a boundary is as one of the others. An item without a boundary keeps none.
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
    """Draws each coder's segmentations turned.

    Attributes
    ----------
    rows
        The codings.
    whose
        Number of a person, for each row.
    """

    rows: Rows
    whose: Indices
    signature: str = CHANCE

    @classmethod
    def of(cls, rows: Rows, people: Iterable[object]) -> TurnedSegments:
        """Return the rows of these people, one name per row."""
        names = list(people)
        number = {name: k for k, name in enumerate(dict.fromkeys(names))}
        return cls(rows, np.array([number[name] for name in names], np.int64))

    @cached_property
    def _lengths(self) -> tuple[Indices, Indices, Indices, Indices]:
        """Everybody's whole lengths and where they begin; torn ones and where they begin."""
        rows, some = self.rows, self.rows.sizes > 0
        last = rows.offsets[1:][some] - 1
        inner = np.delete(np.diff(rows.places), last[:-1])
        ends = rows.places[rows.offsets[:-1][some]], rows.masses[some] - rows.places[last]
        owner = self.whose[some]
        wholes = np.repeat(owner, rows.sizes[some] - 1), inner
        torn = np.concatenate((owner, owner)), np.concatenate(ends)
        found: list[Indices] = []
        for person, lengths in (wholes, torn):
            begins = np.searchsorted(np.sort(person), np.arange(self.whose.max(initial=-1) + 2))
            found += [lengths[np.lexsort((lengths, person))], begins]
        return found[0], found[1], found[2], found[3]

    def draw(self, rng: np.random.Generator) -> Rows:
        """Random codings of the same items by the same coders."""
        from gammacp.segmentation.measures.turning_kernels import turned_rows

        rows = self.rows
        number = {held: k for k, held in enumerate(dict.fromkeys(rows.held))}
        kinds = np.array([number[held] for held in rows.held] or 0 * rows.places, np.int64)
        chances = rng.random((len(rows.masses), 4))
        places, source = turned_rows(
            rows.places, rows.offsets, rows.masses, kinds, self.whose, *self._lengths, chances
        )
        kept = np.repeat(rows.offsets[:-1], rows.sizes) + source
        if rows.held:
            held = tuple(rows.held[k] for k in kept.tolist())
        else:
            held = ()
        return replace(rows, places=places, held=held)
