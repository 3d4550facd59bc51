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
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.base.arrays import Bools, Indices
from gammacp.base.signature import signature
from gammacp.continuum import Continuum
from gammacp.continuum.needs import Need, require
from gammacp.measures.overlapping import Overlaps, overlaps
from gammacp.measures.registry import registered
from gammacp.measures.score import Score


@dataclass(frozen=True, kw_only=True)
class MatchScore(Score):
    """F₁, the mean over pairs of annotators.

    `matches` has the number of matched units of two annotators, shape (m, m), symmetric; on the
    diagonal each annotator's number of units.
    """

    matches: Indices


def _register(
    name: str, summary: str, alike: Callable[[Continuum, Overlaps], Bools], **facts: Any
) -> Callable[[Continuum], MatchScore]:
    """A measure of units that overlap and are `alike`."""

    @registered(
        name,
        summary,
        "van Rijsbergen 1979; matches as in SemEval-2013 Task 9.1",
        range="[0, 1]",
        chance_corrected=False,
        **facts,
    )
    def f1(continuum: Continuum) -> MatchScore:
        """F₁ of matched units, the mean over pairs of annotators.

        Parameters
        ----------
        continuum
            At least two annotators and one unit; for `f1-category` every unit has a category.

        Worked value: A [0,10) [15,25), B [0,10) [16,25): 1 match of 2 and 2 units, `f1-exact` 0.5;
        2 matches, `f1-overlap` 1.
        """
        require(continuum, facts.get("needs", ()), fragments="fragments" in facts)
        counts = continuum.counts
        matches = np.diag(counts)
        ratios, reason = [], None
        for met in overlaps(continuum):
            i, j, edges = met.first, met.second, alike(continuum, met)
            size = _largest_matching(met.left[edges], met.right[edges])
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

    return f1


def _in_the_same_place(c: Continuum, met: Overlaps) -> Bools:
    """Whether starts, ends and fragments are the same."""
    u, v = met.left, met.right
    same: Bools = (c.starts[u] == c.starts[v]) & (c.ends[u] == c.ends[v])
    return same if c.inside is None else same & (c.inside[u] == c.inside[v]).astype(np.bool_)


f1_exact = _register(
    "f1-exact", "F₁ of units with the same boundaries", _in_the_same_place, fragments="whole"
)
f1_overlap = _register(
    "f1-overlap", "F₁ of units that overlap", lambda _, met: np.ones(len(met.left), np.bool_)
)
f1_category = _register(
    "f1-category",
    "F₁ of units that overlap and have the same category",
    lambda c, met: c.category_codes[met.left] == c.category_codes[met.right],
    needs={Need.CATEGORIES},
)


def _largest_matching(left: Indices, right: Indices) -> int:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    if not len(left):
        return 0
    rows, row = np.unique(left, return_inverse=True)
    columns, column = np.unique(right, return_inverse=True)
    graph = csr_array((np.ones(len(row)), (row, column)), shape=(len(rows), len(columns)))
    return int(np.count_nonzero(maximum_bipartite_matching(graph) >= 0))
