"""Counts of segmentations that add up over documents, and the formulas of measures from them.

For windows and GHD, pairs of annotators are counted in both orders, as the reference determines the
width of a window and the cost of a boundary. A corpus has the share of wrong windows among all
windows (or of costs among the largest possible costs), with a separate width for each reference and
document. S and B are the share of places or boundaries that no edit touches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations, permutations
from typing import Any, TypeVar

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.chance.beyond import ratios
from gammacp.continuum import Continuum
from gammacp.errors import DataError
from gammacp.measures.counting import Counting, Counts, Numbers, Pooling, Rates, share
from gammacp.segmentation.measures.comparison import CorrectedSimilarity, Criterion, Mode
from gammacp.segmentation.measures.edits import EditSearch
from gammacp.segmentation.measures.hamming import ghd_of_positions
from gammacp.segmentation.measures.rows import CodingPairs, Rows, compare_rows
from gammacp.segmentation.measures.rows import share as share_or
from gammacp.segmentation.measures.tiling import from_continuum, inner_boundaries
from gammacp.segmentation.measures.value import ONE_TYPE
from gammacp.segmentation.measures.windows import WindowCounts, windows_of

T = TypeVar("T")
Pair = tuple[str, str]


def pair_annotators(by_annotator: Mapping[str, T], *, ordered: bool) -> dict[Pair, tuple[T, T]]:
    """Return the values of all pairs of annotators; with `ordered`, in both orders.

    Parameters
    ----------
    by_annotator
        Value of each annotator; fewer than two raise a DataError.
    """
    if len(by_annotator) < 2:
        raise DataError(
            "agreement needs two annotators, but there is one", hint="Give at least two annotators"
        )
    pairs = (permutations if ordered else combinations)(by_annotator, 2)
    return {(a, b): (by_annotator[a], by_annotator[b]) for a, b in pairs}


def _count_windows(
    continuum: Continuum,
    wrong: Callable[[WindowCounts], int],
    window: int | None,
    padded: bool,
) -> Counts:
    pairs = pair_annotators(from_continuum(continuum), ordered=True)
    counts = [windows_of(*texts, k=window, padded=padded) for texts in pairs.values()]
    numbers = {
        "wrong": [wrong(c) for c in counts],
        "windows": [c.windows for c in counts],
        # Number of windows that share no place: each boundary is in `size` windows.
        "units": [c.windows / c.size for c in counts],
    }
    columns = {name: np.array(values, np.float64) for name, values in numbers.items()}
    return Counts(tuple(pairs), columns, ordered=True)


def count_unequal_windows(
    continuum: Continuum, *, window: int | None = None, padded: bool = False
) -> Counts:
    """Count windows with unequal numbers of boundaries, for WindowDiff.

    Parameters
    ----------
    continuum, window, padded
        As for `windowdiff`.
    """
    return _count_windows(continuum, lambda c: c.unequal, window, padded)


def count_parted_windows(
    continuum: Continuum, *, window: int | None = None, padded: bool = False
) -> Counts:
    """Count windows that are empty for only one of two annotators, for P_k.

    Parameters
    ----------
    continuum, window, padded
        As for `windowdiff`.
    """
    return _count_windows(continuum, lambda c: c.parted, window, padded)


def window_rates(numbers: Numbers) -> Rates:
    """Return 1 − the share of wrong windows.

    Parameters
    ----------
    numbers
        Counts: `wrong` and all `windows`, and as `units` the number of windows that share no place.
    """
    error = share(numbers["wrong"], numbers["windows"])
    return Rates(value=1 - error, disagreement=error, size=numbers["units"])


def count_shifts(
    continuum: Continuum,
    *,
    insertion: float | None = None,
    deletion: float | None = None,
    shift: float = 2.0,
) -> Counts:
    """Sum the costs of turning one annotator's boundaries into another's, for GHD.

    Parameters
    ----------
    continuum, insertion, deletion, shift
        As for `ghd`.
    """
    pairs = pair_annotators(inner_boundaries(continuum), ordered=True)
    costs = []
    largest = []
    units = []
    for reference, hypothesis in pairs.values():
        mean = continuum.length / (len(reference) + 1)
        ghd = ghd_of_positions(
            reference,
            hypothesis,
            insertion=mean if insertion is None else insertion,
            deletion=mean if deletion is None else deletion,
            shift=shift,
        )
        costs.append(ghd.distance)
        largest.append(ghd.largest)
        units.append((len(reference) + len(hypothesis)) / 2)
    columns = {"cost": costs, "largest": largest, "units": units}
    numbers = {name: np.array(values, np.float64) for name, values in columns.items()}
    return Counts(tuple(pairs), numbers, ordered=True)


def shift_rates(numbers: Numbers) -> Rates:
    """Return 1 − GHD/largest; 1 if there are no boundaries.

    Parameters
    ----------
    numbers
        Counts: `cost`, the `largest` possible cost, and as `units` the boundaries.
    """
    error = 1 - (1 - share_or(numbers["cost"], numbers["largest"], 0.0))
    return Rates(value=1 - error, disagreement=error, size=numbers["units"])


def compare_annotators(
    continuum: Continuum, comparison: Criterion, *, together: bool = False
) -> tuple[list[Pair], CodingPairs]:
    """Compare all pairs of annotators, each pair as an item of its own.

    Parameters
    ----------
    continuum
        Continuum that they segmented.
    comparison
        The criterion.
    together
        Whether all annotators are in one item.
    """
    coders = from_continuum(continuum)
    both = pair_annotators(coders, ordered=False)
    items = {" ".join(pair): dict(zip(pair, texts, strict=True)) for pair, texts in both.items()}
    return list(both), compare_rows(
        Rows.of({"": coders} if together else items, ONE_TYPE), comparison
    )


def count_places(continuum: Continuum, *, n: int = 2, edit: str = "published") -> Counts:
    """Count places that no edit touches, for S.

    Parameters
    ----------
    continuum, n, edit
        As for `s`.
    """
    return _count_similar(continuum, CorrectedSimilarity.S, n, edit)


def count_boundaries(continuum: Continuum, *, n: int = 2) -> Counts:
    """Count boundaries that no edit touches, for B.

    Parameters
    ----------
    continuum, n
        As for `b`.
    """
    return _count_similar(continuum, CorrectedSimilarity.B, n, "published")


def _count_similar(continuum: Continuum, basis: CorrectedSimilarity, n: int, edit: str) -> Counts:
    criterion = Criterion(basis=basis, n=n, search=EditSearch(edit))
    names, pairs = compare_annotators(continuum, criterion)
    similar, compared = pairs.parts(basis)
    return Counts(tuple(names), {"similar": similar, "compared": compared})


def similarity_rates(numbers: Numbers) -> Rates:
    """Return S or B; 1 if there is nothing to compare.

    Parameters
    ----------
    numbers
        Places or boundaries that are `similar`, of those `compared`.
    """
    value = share_or(numbers["similar"], numbers["compared"], 1.0)
    return Rates(value=value, disagreement=1 - value, size=numbers["compared"])


def count_placed(
    continuum: Continuum,
    *,
    n: int = 2,
    edit: str = "published",
    mode: str = "equations",
    together: bool,
) -> Counts:
    """Count what π and κ on S need: the boundaries that each annotator places.

    Parameters
    ----------
    continuum, n, edit, mode
        As for `pi-s`.
    together
        Whether all annotators are compared as one group, or each pair on its own.
    """
    criterion = Criterion(n=n, search=EditSearch(edit), mode=Mode(mode))
    names, pairs = compare_annotators(continuum, criterion, together=together)
    rows = pairs.rows
    people = continuum.annotators
    if together:
        parties: list[tuple[str, ...]] = [people]
    else:
        parties = [*names]
    number = {name: k for k, name in enumerate(people)}
    item = rows.item
    who = np.array([number[name] for name in rows.coder], np.int64)
    published = criterion.mode is Mode.PUBLISHED
    boundary_counts, places, coded = np.zeros((3, len(parties), len(people)))
    boundary_counts[item, who] = rows.sizes + published
    places[item, who] = rows.masses - 1
    coded[item, who] = 1
    similar, compared = np.zeros((2, len(parties)))
    for total, part in zip((similar, compared), pairs.parts(criterion.basis), strict=True):
        np.add.at(total, pairs.item, part)
    both = coded[:, :, None] * coded[:, None, :] * (1 - np.eye(len(people)))
    numbers = {
        "similar": similar,
        "compared": compared,
        "placed": boundary_counts,
        "places": places,
    }
    numbers["both"] = both
    if published:
        numbers["rates"] = share_or(boundary_counts, places, 0.0)
        numbers["coded"] = np.where(places > 0, coded, 0.0)
    return Counts(tuple(parties), numbers, people)


def expected_agreements(numbers: Numbers) -> tuple[Floats, Floats]:
    """Return A_e of π and of κ (2012, eq. 8, 11 and 15).

    Parameters
    ----------
    numbers
        Numbers of `count_placed`.
    """
    above = numbers.get("rates", numbers["placed"]).sum(axis=-1)
    below = numbers.get("coded", numbers["places"]).sum(axis=-1)
    rates = share_or(numbers["placed"], numbers["places"], 0.0)
    chosen = (numbers["places"] > 0).astype(np.float64)
    both = (numbers["both"] > 0) * chosen[..., :, None] * chosen[..., None, :]
    kappa = np.einsum("...c,...d,...cd->...", rates, rates, both)
    return share(above, below) ** 2, share(kappa, both.sum(axis=(-2, -1)))


def corrected_rates(numbers: Numbers, *, own: bool) -> Rates:
    """Return π or κ on S; NaN if the expected agreement of either is 1.

    Parameters
    ----------
    numbers
        Numbers of `count_placed`.
    own
        Whether each annotator places boundaries at a rate of their own (κ).
    """
    observed = 1 - share(numbers["similar"], numbers["compared"])
    pi, kappa = expected_agreements(numbers)
    expected = 1 - (kappa if own else pi)
    return Rates(
        value=np.where(np.maximum(pi, kappa) < 1, ratios(observed, expected), np.nan),
        disagreement=observed,
        size=numbers["compared"],
        expected=expected,
    )


def reasons_without_coefficient(counts: Counts) -> list[str | None]:
    """Return why each party has neither π nor κ; None where it has both.

    Parameters
    ----------
    counts
        Counts of `count_placed`.
    """
    highest = np.maximum(*expected_agreements(counts.numbers))
    reasons: list[str | None] = []
    for compared, chance in zip(counts.numbers["compared"], highest.tolist(), strict=True):
        if not compared:
            reasons.append("no potential boundary")
        elif chance < 1:
            reasons.append(None)
        else:
            reasons.append(f"boundaries (almost) everywhere: chance agreement is {chance:g}")
    return reasons


WINDOWDIFF, PK = (
    Counting(count=count, rates=window_rates, nothing="every document is too short for a window")
    for count in (count_unequal_windows, count_parted_windows)
)
GHD = Counting(count=count_shifts, rates=shift_rates)
S, B = (Counting(count=count, rates=similarity_rates) for count in (count_places, count_boundaries))


def counting_of_coefficient(*, together: bool, own: bool) -> Counting:
    """Return the counting of π or κ on S.

    Parameters
    ----------
    together, own
        As for `count_placed` and `corrected_rates`.
    """

    def count(continuum: Continuum, **options: Any) -> Counts:
        return count_placed(continuum, together=together, **options)

    def rates(numbers: Numbers) -> Rates:
        return corrected_rates(numbers, own=own)

    if together:
        pooling: Pooling = "all"
    else:
        pooling = "values"
    nothing = "boundaries are (almost) everywhere, so no disagreement can be expected"
    return Counting(count=count, rates=rates, pooling=pooling, nothing=nothing)
