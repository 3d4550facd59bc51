"""Counts that add up over documents, and the one formula that makes a value of them.

A measure that can be pooled is two functions (`Counting`): `count` gives numbers of a continuum,
for each pair of its annotators or for all of them together, and `rates` makes a value of such
numbers, whether they are those of a pair, of a document, or sums over a corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from gammacp.base.arrays import Floats

Numbers: TypeAlias = Mapping[str, Floats]


@dataclass(frozen=True)
class Counts:
    """Counts of a measure in one continuum.

    Attributes
    ----------
    parties
        Whom each row is about: two annotators, or all of them (nobody is named where names take
        long to look up).
    numbers
        Numbers by name, shape (parties,), or (parties, labels[, labels]) where labels are told
        apart. What belongs to one of the two annotators begins with `first_` or `second_`.
    labels
        Names along the axes of labels.
    ordered
        Whether each pair is there in both orders, the reference first.
    weight
        Factor of the numbers in sums over documents, such as x̄ of γ; of shape (labels,) where each
        label has a weight of its own.
    """

    parties: tuple[tuple[str, ...], ...]
    numbers: Numbers
    labels: tuple[str, ...] = ()
    ordered: bool = False
    weight: float | Floats = 1.0

    @property
    def of_pairs(self) -> bool:
        """Return whether each row is about two annotators."""
        return all(len(party) == 2 for party in self.parties)

    def against(self, reference: str) -> Counts:
        """Return the pairs that include one annotator, with this annotator as the first of each.

        Parameters
        ----------
        reference
            Name of an annotator.
        """
        rows = [i for i, (first, _) in enumerate(self.parties) if first == reference]
        turned: list[int] = []
        if not self.ordered:
            turned = [i for i, (_, second) in enumerate(self.parties) if second == reference]
        pairs = [self.parties[i] for i in rows] + [self.parties[i][::-1] for i in turned]
        numbers = {
            name: np.concatenate((values[rows], self.numbers[_exchanged(name)][turned]))
            for name, values in self.numbers.items()
        }
        return replace(self, parties=tuple(pairs), numbers=numbers)

    def of_party(self, row: int) -> Counts:
        """Return the counts with a single row.

        Parameters
        ----------
        row
            Number of the party.
        """
        numbers = {name: values[[row]] for name, values in self.numbers.items()}
        return replace(self, parties=(self.parties[row],), numbers=numbers)

    def mean(self) -> Numbers:
        """Return the mean of the rows, by name."""
        return {name: values.mean(axis=0) for name, values in self.numbers.items()}

    def with_labels(self, labels: tuple[str, ...]) -> Counts:
        """Return the same with more labels, or with labels in another order.

        Parameters
        ----------
        labels
            Names, those of `labels` among them.
        """
        if labels == self.labels:
            return self
        place = {name: i for i, name in enumerate(labels)}
        places = np.array([place[name] for name in self.labels], np.int64)
        numbers = {name: _spread(x, places, len(labels)) for name, x in self.numbers.items()}
        weight = self.weight
        if isinstance(weight, np.ndarray):
            weight = _spread(weight[None], places, len(labels))[0]
        return replace(self, numbers=numbers, labels=labels, weight=weight)


def _exchanged(name: str) -> str:
    """Return the name under which the other annotator of a pair has the same number."""
    side, underscore, rest = name.partition("_")
    other = {"first": "second", "second": "first"}.get(side, side)
    return other + underscore + rest


def _spread(values: Floats, places: np.ndarray[Any, Any], size: int) -> Floats:
    """Move rows and columns of labels to the places of these labels among `size`."""
    if values.ndim == 1:
        return values
    table = np.zeros((len(values), *(size,) * (values.ndim - 1)))
    table[np.ix_(np.arange(len(values)), *(places,) * (values.ndim - 1))] = values
    return table


def pairs_of(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return all pairs of annotators, each once.

    Parameters
    ----------
    names
        Names of all annotators, in order.
    """
    return tuple(combinations(names, 2))


@dataclass(frozen=True)
class Rates:
    """Values that a formula computes from counts; arrays of the shape of their leading axes.

    Attributes
    ----------
    value
        The agreement; NaN where there is nothing to compare.
    disagreement
        The measure's D, at most `most`.
    size
        Number of units, items or links that the value is about.
    expected
        D that is expected by chance: value = 1 − disagreement / expected; 1 without chance.
    recall, precision
        Recall and precision of the second annotator, the first being taken as the truth.
    by_label
        A value per label, shape (…, labels), where the measure computes it itself.
    most
        The largest possible disagreement.
    """

    value: Floats
    disagreement: Floats
    size: Floats
    expected: Floats | None = None
    recall: Floats | None = None
    precision: Floats | None = None
    by_label: Floats | None = None
    most: float = 1.0


def _settle_nothing(_counts: Counts, **_options: Any) -> dict[str, Any]:
    return {}


def _remark_nothing(_continuum: Any) -> tuple[str, ...]:
    return ()


Pooling: TypeAlias = Literal["pairs", "all", "values", "parts"]


@dataclass(frozen=True, kw_only=True)
class Counting:
    """A measure as counts and a formula.

    Attributes
    ----------
    count
        `(continuum, **options) -> Counts`, with the options of the measure.
    rates
        `(numbers, **settled) -> Rates`, of numbers with any leading axes.
    settle
        `(counts, **options)`: what `rates` needs beside the numbers, by name, such as the
        differences of labels; `counts` are those of the document or of the whole corpus.
    pooling
        Way in which values of pairs become a document's value, and counts of documents a corpus's:

        - "pairs": the mean of the pairs' values; a corpus: the value of the sums;
        - "all": the value of the sums, in a document as in a corpus;
        - "values": the mean of the pairs' values; a corpus: that of each pair's sums;
        - "parts": 1 − D_o/D_e, both the means over pairs; a corpus: of each pair's sums;

        or a function from the options to one of them.
    relabelled
        Whether, to measure one label, units of all other labels are kept as "others" (True) or
        left out (False).
    nothing
        Reason why a corpus has no value where the formula gives none.
    together
        `(corpus, **options) -> Score`, for measures that must see all documents at once because
        these share an expected value; the documents' scores are in its `scores`. None: each
        document is measured alone.
    observe
        `(continuum, **options) -> Counts` without random sets, of measures that `count` with them:
        what the formula's disagreement needs, for random sets that come from elsewhere. None:
        `count` draws none.
    alone
        Whether a single document has a value at all.
    remarks
        `(continuum) -> notes` on a document's own value, which `together` leaves out because they
        do not hold for many documents.
    reference_remarks
        `(sums) -> notes` on what was counted against a reference: sums over documents and
        annotators.
    """

    count: Callable[..., Counts]
    rates: Callable[..., Rates]
    settle: Callable[..., dict[str, Any]] = _settle_nothing
    pooling: Pooling | Callable[..., Pooling] = "pairs"
    relabelled: bool = False
    nothing: str = "there is nothing to compare"
    together: Callable[..., Any] | None = None
    observe: Callable[..., Counts] | None = None
    alone: bool = True
    remarks: Callable[[Any], tuple[str, ...]] = _remark_nothing
    reference_remarks: Callable[[Numbers], tuple[str, ...]] = _remark_nothing

    def pooling_of(self, **options: Any) -> Pooling:
        """Return the way to pool the parties of documents and of a corpus.

        Parameters
        ----------
        options
            Options of the measure.
        """
        if isinstance(self.pooling, str):
            return self.pooling
        return self.pooling(**options)

    def rates_of(self, counts: Counts, **options: Any) -> Rates:
        """Return the rates of each party of one document, shape (parties,).

        Parameters
        ----------
        counts
            Counts of the document.
        options
            Options of the measure.
        """
        return self.rates(counts.numbers, **self.settle(counts, **options))


def share(part: Floats, whole: Floats) -> Floats:
    """Return part / whole, and NaN where the whole is 0.

    Parameters
    ----------
    part, whole
        Numbers, of shapes that broadcast.

    >>> share(np.array([1.0, 0.0]), np.array([4.0, 0.0])).tolist()
    [0.25, nan]
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        quotient: Floats = np.where(whole > 0, part / whole, np.nan)
    return quotient


def harmonic_mean(recall: Floats, precision: Floats) -> Floats:
    """Return F₁ of recall and precision: 0 where both are 0, NaN where one is unknown.

    Parameters
    ----------
    recall, precision
        In [0, 1].

    >>> harmonic_mean(np.array([0.5, 0.0]), np.array([1.0, 0.0])).round(4).tolist()
    [0.6667, 0.0]
    """
    total = recall + precision
    with np.errstate(invalid="ignore", divide="ignore"):
        mean: Floats = np.where(total == 0, 0.0, 2 * precision * recall / total)
    return mean
