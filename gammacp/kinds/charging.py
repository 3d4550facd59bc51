"""Sum the costs of differences by kind, and charge them to annotators.

When two annotators differ, the cost is charged to the one who disagrees with more of the other
annotators in that kind of difference. In a tie each is charged with half. For example, if one
annotator has one unit where another has several, the difference is `merged` if the annotator with
one unit is in the minority, and `split` if the annotator with several units is. A unit without a
counterpart is `missing` if the annotator without it is in the minority, `extra` if the annotator
with it is, and `unmatched` in a tie. In documents of two annotators, everything is a tie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.kinds.codes import (
    BEARER_BOTH,
    BEARER_FIRST,
    BEARER_NOBODY,
    BEARER_SECOND,
    DIFFERENCE_KINDS,
    FORM_CATEGORY,
    FORM_FAMILY,
    FORM_NESTING,
    FORM_POSITION,
    FORM_UNMATCHED,
    KIND_CODE,
)
from gammacp.kinds.differences import Differences

# Kind of a row by its form, if it is charged to its first annotator, to its second annotator, or
# (for unmatched units) to each with half.
_OF_FIRST = {
    FORM_POSITION: "position",
    FORM_CATEGORY: "category",
    FORM_FAMILY: "merged",
    FORM_UNMATCHED: "extra",
    FORM_NESTING: "level",
}
_OF_SECOND = _OF_FIRST | {FORM_FAMILY: "split", FORM_UNMATCHED: "missing"}
_TIED = ("unmatched", "unmatched")


class Shares(NamedTuple):
    """Shares of rows; each share has one kind and is charged to one annotator of the document.

    Attributes
    ----------
    row
        Index of the row in the table of differences.
    slot
        Index of the charged annotator in the document; −1 if nobody is charged.
    kind
        Index of the kind in `DIFFERENCE_KINDS`.
    share
        Share of the row's cost: 1, or ½ in a tie.
    """

    row: Indices
    slot: Codes
    kind: Codes
    share: Floats


def _kind_table() -> Codes:
    """Return the kind codes by form, bearer and side of a row, shape (forms, 4, 2).

    The bearer is the first annotator, the second, both (a tie) or nobody.
    """
    table = np.zeros((len(_OF_FIRST), 4, 2), np.int32)
    for form, kind in _OF_FIRST.items():
        table[form, BEARER_FIRST] = KIND_CODE[kind]
        table[form, BEARER_SECOND] = KIND_CODE[_OF_SECOND[form]]
        if form == FORM_UNMATCHED:
            tied = _TIED
        else:
            tied = (kind, _OF_SECOND[form])
        table[form, BEARER_BOTH] = table[form, BEARER_NOBODY] = [KIND_CODE[name] for name in tied]
    return table


_KINDS_BY_FORM = _kind_table()


def shares_of(differences: Differences) -> Shares:
    """Return the shares of all rows and the annotators who are charged with them.

    Parameters
    ----------
    differences
        The differences.
    """
    rows = np.arange(len(differences.form))
    tied = differences.bearer >= BEARER_BOTH
    mine = np.concatenate(
        [rows[differences.bearer != BEARER_SECOND], rows[differences.bearer != BEARER_FIRST]]
    )
    side = np.repeat(
        [0, 1],
        [
            int((differences.bearer != BEARER_SECOND).sum()),
            int((differences.bearer != BEARER_FIRST).sum()),
        ],
    )
    slot = np.where(side == 0, differences.first[mine], differences.second[mine])
    slot = np.where(differences.bearer[mine] == BEARER_NOBODY, -1, slot)
    kind = _KINDS_BY_FORM[differences.form[mine], differences.bearer[mine], side]
    return Shares(mine, slot, kind, np.where(tied[mine], 0.5, 1.0))


def charged_to(differences: Differences, codes: Codes, kind: str) -> NDArray[np.bool_]:
    """Return which rows have one kind and are charged in full to one annotator.

    Parameters
    ----------
    differences
        The differences.
    codes
        Number of the annotator in each document of the batch; −1 in documents of others.
    kind
        One of `DIFFERENCE_KINDS`.
    """
    first = differences.bearer == BEARER_FIRST
    side = np.where(first, BEARER_FIRST, BEARER_SECOND)
    kinds = _KINDS_BY_FORM[differences.form, side, side]
    annotators = np.where(first, differences.first, differences.second)
    one = first | (differences.bearer == BEARER_SECOND)
    mine = one & (annotators == codes[differences.document])
    return np.asarray(mine & (kinds == KIND_CODE[kind]))


def sides_of(differences: Differences) -> Shares:
    """Return each row in full for each annotator whom it describes, for when nobody is charged.

    Parameters
    ----------
    differences
        The differences of documents of two annotators.
    """
    rows = np.arange(len(differences.form))
    rows = rows[differences.bearer != BEARER_NOBODY]
    mutual = rows[~np.isin(differences.form[rows], (FORM_UNMATCHED, FORM_NESTING))]
    mine = np.concatenate([rows, mutual])
    side = np.repeat([0, 1], [len(rows), len(mutual)])
    slot = np.where(side == 0, differences.first[mine], differences.second[mine])
    kind = _KINDS_BY_FORM[differences.form[mine], np.full(len(mine), BEARER_BOTH), side]
    return Shares(mine, slot, kind, np.ones(len(mine)))


def parts_of(differences: Differences, shares: Shares) -> Floats:
    """Return the cost of each kind, summed over annotators.

    Parameters
    ----------
    differences, shares
        Rows and who is charged with them.
    """
    cost = differences.cost[shares.row] * shares.share
    return np.asarray(np.bincount(shares.kind, cost, len(DIFFERENCE_KINDS)))


@dataclass(frozen=True, eq=False)
class SlotSums:
    """Sums of values that are charged to each annotator of each document.

    A slot is an annotator of a document.

    Attributes
    ----------
    document, person
        Document and person of each slot, as numbers.
    values
        Sums by slot and kind, shape (slots, kinds), in the order of the documents.
    """

    document: Indices
    person: Indices
    values: Floats

    @classmethod
    def joined(cls, sums: Sequence[SlotSums]) -> SlotSums:
        """Concatenate the sums of several batches of documents.

        Parameters
        ----------
        sums
            Sums whose documents are numbered consecutively from batch to batch.
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


def sums_over(numbers: Indices, values: Floats, size: int) -> Floats:
    """Return the sum of the rows of `values` with each number, shape (size, columns).

    Parameters
    ----------
    numbers
        Number of each row in the result.
    values
        Rows to be summed, shape (rows, columns).
    size
        Rows of the result.
    """
    sums = np.zeros((size, values.shape[1]))
    for column in range(values.shape[1]):
        sums[:, column] = np.bincount(numbers, values[:, column], size)
    return sums


def add_up(
    differences: Differences,
    shares: Shares,
    values: Floats,
    people: Sequence[Codes],
    begin: int = 0,
) -> SlotSums:
    """Sum values by annotator of a document and by kind, weighted by the charged shares.

    Parameters
    ----------
    differences, shares
        Rows and who is charged with them.
    values
        Value of each row.
    people
        For each document, the number of the person in each of its slots.
    begin
        Number of the first document.
    """
    sizes = np.array([len(p) for p in people])
    first = np.concatenate(([0], np.cumsum(sizes)))
    somebody = shares.slot >= 0
    row = shares.row[somebody]
    kind = shares.kind[somebody]
    slot = first[differences.document[row]] + shares.slot[somebody]
    charged = (values[row] * shares.share[somebody]).astype(np.float64)
    size = int(first[-1])
    sums = np.bincount(
        slot * len(DIFFERENCE_KINDS) + kind, charged, size * len(DIFFERENCE_KINDS)
    ).astype(np.float64)
    return SlotSums(
        np.repeat(np.arange(begin, begin + len(people)), sizes),
        np.concatenate([np.asarray(p, np.int64) for p in people]),
        sums.reshape(size, len(DIFFERENCE_KINDS)),
    )
