"""Sums of differences: what they cost by kind, and which annotators are charged with them.

Of two annotators who differ, the one bears the cost who, in that kind, stands against more of the
others; a tie is halved. So one unit against several is `merged` if the one who has one stands
alone, and `split` if the one who has several does; a unit that others have not is `missing` or
`extra`, and `unmatched` in a tie. Where a document has two annotators, everything is a tie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.kinds.differences import Differences
from gammacp.kinds.forms import (
    BOTH,
    CATEGORY,
    FAMILY,
    FIRST,
    KIND_CODE,
    KINDS,
    NESTING,
    NOBODY,
    POSITION,
    SECOND,
    UNMATCHED,
)

# The kind of a row of each form if its first annotator bears it, the second, or both in halves.
_OF_FIRST = {
    POSITION: "position",
    CATEGORY: "category",
    FAMILY: "merged",
    UNMATCHED: "extra",
    NESTING: "level",
}
_OF_SECOND = _OF_FIRST | {FAMILY: "split", UNMATCHED: "missing"}
_TIED = ("unmatched", "unmatched")


class Shares(NamedTuple):
    """Shares of rows, each of one kind and charged to one annotator of the row's document.

    Attributes
    ----------
    row
        Place of the row among the differences.
    slot
        The annotator in the document; −1 for nobody.
    kind
        Place of the kind in `KINDS`.
    share
        1, or ½ of a tie.
    """

    row: Indices
    slot: Codes
    kind: Codes
    share: Floats


def _kind_table() -> Codes:
    """Return kinds by form, bearer (first, second, tie, nobody) and side, shape (forms, 4, 2)."""
    table = np.zeros((len(_OF_FIRST), 4, 2), np.int32)
    for form, kind in _OF_FIRST.items():
        table[form, FIRST] = KIND_CODE[kind]
        table[form, SECOND] = KIND_CODE[_OF_SECOND[form]]
        if form == UNMATCHED:
            tied = _TIED
        else:
            tied = (kind, _OF_SECOND[form])
        table[form, BOTH] = table[form, NOBODY] = [KIND_CODE[name] for name in tied]
    return table


_KINDS_BY_FORM = _kind_table()


def shares_of(found: Differences) -> Shares:
    """Return who is charged with what share of each row.

    Parameters
    ----------
    found
        The differences.
    """
    rows = np.arange(len(found.form))
    tied = found.bearer >= BOTH
    mine = np.concatenate([rows[found.bearer != SECOND], rows[found.bearer != FIRST]])
    side = np.repeat(
        [0, 1], [int((found.bearer != SECOND).sum()), int((found.bearer != FIRST).sum())]
    )
    slot = np.where(side == 0, found.first[mine], found.second[mine])
    slot = np.where(found.bearer[mine] == NOBODY, -1, slot)
    kind = _KINDS_BY_FORM[found.form[mine], found.bearer[mine], side]
    return Shares(mine, slot, kind, np.where(tied[mine], 0.5, 1.0))


def sides_of(found: Differences) -> Shares:
    """Return each row once for each annotator whom it describes, where nobody can be charged.

    Parameters
    ----------
    found
        The differences of documents of two annotators.
    """
    rows = np.arange(len(found.form))
    rows = rows[found.bearer != NOBODY]
    mutual = rows[~np.isin(found.form[rows], (UNMATCHED, NESTING))]
    mine = np.concatenate([rows, mutual])
    side = np.repeat([0, 1], [len(rows), len(mutual)])
    slot = np.where(side == 0, found.first[mine], found.second[mine])
    kind = _KINDS_BY_FORM[found.form[mine], np.full(len(mine), BOTH), side]
    return Shares(mine, slot, kind, np.ones(len(mine)))


def parts_of(found: Differences, shares: Shares) -> Floats:
    """Return the cost of each kind, whoever is charged with it.

    Parameters
    ----------
    found, shares
        Rows and who is charged with them.
    """
    cost = found.cost[shares.row] * shares.share
    return np.asarray(np.bincount(shares.kind, cost, len(KINDS)))


@dataclass(frozen=True, eq=False)
class SlotSums:
    """Sums of what each annotator of each document is charged with.

    Attributes
    ----------
    document, person
        The document of each slot, and who is in it.
    values
        Shape (slots, kinds), by document.
    """

    document: Indices
    person: Indices
    values: Floats

    @classmethod
    def joined(cls, sums: Sequence[SlotSums]) -> SlotSums:
        """Return the sums of documents, one after the other.

        Parameters
        ----------
        sums
            Their documents are counted on.
        """
        return cls(
            np.concatenate([s.document for s in sums]),
            np.concatenate([s.person for s in sums]),
            np.concatenate([s.values for s in sums]),
        )

    def by_person(self, size: int) -> Floats:
        """Return sums over all documents, shape (size, kinds).

        Parameters
        ----------
        size
            Number of people.
        """
        return sums_over(self.person, self.values, size)


def sums_over(places: Indices, values: Floats, size: int) -> Floats:
    """Return rows of values added up by place, shape (size, columns).

    Parameters
    ----------
    places
        Places of each row.
    values
        The rows.
    size
        Number of places.
    """
    sums = np.zeros((size, values.shape[1]))
    for column in range(values.shape[1]):
        sums[:, column] = np.bincount(places, values[:, column], size)
    return sums


def add_up(
    found: Differences, shares: Shares, values: Floats, people: Sequence[Codes], begin: int = 0
) -> SlotSums:
    """Return sums of values by annotator of a document and kind.

    Parameters
    ----------
    found, shares
        Rows and who is charged with them.
    values
        Values of each row.
    people
        For each document the person in each of its slots.
    begin
        Number of the first document.
    """
    sizes = np.array([len(p) for p in people])
    first = np.concatenate(([0], np.cumsum(sizes)))
    somebody = shares.slot >= 0
    row = shares.row[somebody]
    kind = shares.kind[somebody]
    slot = first[found.document[row]] + shares.slot[somebody]
    charged = (values[row] * shares.share[somebody]).astype(np.float64)
    size = int(first[-1])
    sums = np.bincount(slot * len(KINDS) + kind, charged, size * len(KINDS)).astype(np.float64)
    return SlotSums(
        np.repeat(np.arange(begin, begin + len(people)), sizes),
        np.concatenate([np.asarray(p, np.int64) for p in people]),
        sums.reshape(size, len(KINDS)),
    )
