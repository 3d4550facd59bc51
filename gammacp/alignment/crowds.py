"""Units that crowd on one spot: as if positions did not matter.

All units of one annotator with one category are then interchangeable, so that the problem has a
few distinct units with multiplicities (`duplicates`). Its bound holds for the true problem, whose
costs are higher; its groups, the units of each category taken by position, are a good alignment
where everything is at one place, and a bad one elsewhere.
"""

from __future__ import annotations

import numpy as np

from gammacp.alignment.candidates import pair_count
from gammacp.alignment.duplicates import whole_groups
from gammacp.alignment.problem import Problem
from gammacp.arrays import Codes
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity

_MOST_KINDS = 200


def by_category(
    continuum: Continuum, dissimilarity: BoundDissimilarity, deadline: float
) -> tuple[Codes, float] | None:
    """Groups, and what no alignment costs less than; None where that is not to be had.

    It needs a dissimilarity whose categorial part is a table that the positional one adds to.
    """
    if getattr(dissimilarity, "closed_form", None) is None:
        return None
    costs = dissimilarity.category_costs  # type: ignore[attr-defined]
    annotator, category = continuum.annotator_codes, continuum.category_codes
    order = np.lexsort((continuum.ends, continuum.starts, category, annotator))
    new = (np.diff(annotator[order]) != 0) | (np.diff(category[order]) != 0)
    runs = np.concatenate(([0], np.flatnonzero(new) + 1, [continuum.n_units])).astype(np.int64)
    if len(runs) > _MOST_KINDS:
        return None
    kinds = order[runs[:-1]]
    first, second = np.triu_indices(len(kinds), 1)
    different = annotator[kinds[first]] != annotator[kinds[second]]
    first, second = first[different].astype(np.int32), second[different].astype(np.int32)
    cost = costs[category[kinds[first]], category[kinds[second]]]
    finite = np.isfinite(cost)
    opening = dissimilarity.delta * pair_count(continuum.n_annotators)
    kinds_problem = Problem(
        annotator=annotator[kinds],
        n_annotators=continuum.n_annotators,
        first=first[finite],
        second=second[finite],
        weight=dissimilarity.delta - cost[finite],
        opening=opening,
        delta=dissimilarity.delta,
    )
    whole = whole_groups(kinds_problem, runs, deadline)
    if whole is None:
        return None
    groups, left, gain = whole
    single = np.full((len(left), continuum.n_annotators), -1, np.int32)
    single[np.arange(len(left)), annotator[order[left]]] = left
    rows = np.append(order, -1).astype(np.int32)
    return rows[np.concatenate((groups, single))], continuum.n_units * opening - gain
