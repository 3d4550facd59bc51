"""F₁ between annotators: how many units find their like in the other's.

For orientation: nothing here is corrected for chance. The three kinds of match are those of
SemEval-2013 Task 9.1 (Segura-Bedmar, Martínez & Herrero-Zazo 2013): the same boundaries whatever
the category, some overlap whatever the category, some overlap and the same category.

Matches are one to one, as many as possible, so that a long unit that overlaps three finds only
one of them. F₁ = 2·matches / (x_i + x_j) does not depend on which of the two is the reference. A
boundary that is a little off costs `f1-exact` the whole unit and the other two nothing: none of
them says how far off it is.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from gammacp.arrays import Bools, Indices
from gammacp.continuum import Continuum
from gammacp.measures.overlapping import Overlaps, overlaps
from gammacp.measures.registry import registered
from gammacp.measures.score import Score
from gammacp.needs import Need, require
from gammacp.signature import signature

_registered = partial(
    registered,
    reference="van Rijsbergen 1979; matches as in SemEval-2013 Task 9.1",
    range="[0, 1]",
    chance_corrected=False,
)


@dataclass(frozen=True, kw_only=True)
class MatchScore(Score):
    """F₁, the mean over pairs of annotators.

    `matches` has the number of matched units of two annotators, shape (m, m), symmetric; on the
    diagonal each annotator's number of units.
    """

    matches: Indices


@_registered("f1-exact", "F₁ of units with the same boundaries", fragments="whole")
def f1_exact(continuum: Continuum) -> MatchScore:
    """F₁ of a continuum's units with the same start, end and fragments; categories do not matter.

    Worked value: A [0,10) [15,25), B [0,10) [16,25): 1 match of 2 and 2 units, F₁ = 0.5.

    Parameters
    ----------
    continuum
        At least two annotators and one unit.
    """
    require(continuum, fragments=True)
    s, e, b = continuum.starts, continuum.ends, continuum.breaks
    found = _matchings(
        continuum,
        lambda x: (
            (s[x.left] == s[x.right])
            & (e[x.left] == e[x.right])
            & (b is None or (b[x.left] == b[x.right]).astype(np.bool_))
        ),
    )
    return _score(continuum, found, "f1-exact")


@_registered("f1-overlap", "F₁ of units that overlap")
def f1_overlap(continuum: Continuum) -> MatchScore:
    """F₁ of units that overlap; categories do not matter. The example of `f1_exact`: 1.

    Parameters
    ----------
    continuum
        At least two annotators and one unit.
    """
    require(continuum)
    return _score(
        continuum, _matchings(continuum, lambda x: np.ones(len(x.left), np.bool_)), "f1-overlap"
    )


@_registered(
    "f1-category", "F₁ of units that overlap and have the same category", needs={Need.CATEGORIES}
)
def f1_category(continuum: Continuum) -> MatchScore:
    """F₁ of units that overlap and have the same category; every unit must have one.

    Parameters
    ----------
    continuum
        At least two annotators and one unit.
    """
    require(continuum, {Need.CATEGORIES})
    codes = continuum.category_codes
    found = _matchings(continuum, lambda x: codes[x.left] == codes[x.right])
    return _score(continuum, found, "f1-category")


def _matchings(
    continuum: Continuum, match: Callable[[Overlaps], Bools]
) -> Iterator[tuple[int, int, int]]:
    """Codes of two annotators and the size of their largest one-to-one matching."""
    for met in overlaps(continuum):
        edges = match(met)
        yield met.first, met.second, _largest_matching(met.left[edges], met.right[edges])


def _largest_matching(left: Indices, right: Indices) -> int:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    if not len(left):
        return 0
    rows, row = np.unique(left, return_inverse=True)
    columns, column = np.unique(right, return_inverse=True)
    graph = csr_array((np.ones(len(row)), (row, column)), shape=(len(rows), len(columns)))
    return int(np.count_nonzero(maximum_bipartite_matching(graph) >= 0))


def _score(continuum: Continuum, found: Iterator[tuple[int, int, int]], name: str) -> MatchScore:
    counts = continuum.counts
    matches = np.diag(counts)
    ratios, reason = [], None
    for i, j, size in found:
        matches[i, j] = matches[j, i] = size
        if counts[i] + counts[j]:
            ratios.append(2 * size / float(counts[i] + counts[j]))
        else:
            ratios.append(math.nan)
            first, second = continuum.annotators[i], continuum.annotators[j]
            reason = reason or f"neither {first} nor {second} has a unit"
    value = float(np.mean(ratios))
    return MatchScore(
        value=value,
        observed=None if reason else value,
        reason=reason,
        signature=signature(name, selection=continuum.selection),
        matches=matches,
    )
