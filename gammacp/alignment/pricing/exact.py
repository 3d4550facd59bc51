"""Groups by their reduced cost, with limits of number and time."""

from functools import partial
from typing import NamedTuple

import numpy as np

from gammacp.alignment.columns import Columns
from gammacp.alignment.problem import Problem
from gammacp.alignment.tuning import DEFAULT, Tuning
from gammacp.arrays import Bools, Floats, Indices
from gammacp.stopping import halting


class Found(NamedTuple):
    """Groups found; by root what none gains beyond its prices (≥ 0), and where that is a bound."""

    columns: Columns
    excess: Floats
    unsure: Bools


def search(
    problem: Problem,
    price: Floats,
    floor: float,
    *,
    every: bool = False,
    roots: Indices | None = None,
    nodes: int = 2**62,
    limit: int | None = None,
    deadline: float = np.inf,
    tuning: Tuning = DEFAULT,
) -> Found | None:
    """Groups with gain − Σ price > floor, and the excess of each root; see `price_groups`.

    None with more than `limit` members (default `tuning.listed_at_last`). At the deadline an
    enumeration (`every`) ends with None, pricing with weaker excesses.
    """
    from gammacp.alignment.kernels.pricing import Effort, price_groups

    effort = Effort(
        nodes,
        tuning.listed_at_last if limit is None else limit,
        tuning.messages,
        tuning.edges,
        tuning.message_progress,
        tuning.decisiveness,
    )
    roots = np.arange(problem.n_units) if roots is None else roots
    within = problem.graph, price, problem.opening, floor, every, roots, effort
    found, excess, unsure, whole = halting(partial(price_groups, *within), deadline)
    return Found(found, excess, unsure) if whole else None
