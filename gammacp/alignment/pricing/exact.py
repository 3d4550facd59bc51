"""Groups by their reduced cost, with limits of number and time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gammacp.alignment.columns import Columns
from gammacp.alignment.problem import Problem
from gammacp.alignment.tuning import DEFAULT, Tuning
from gammacp.arrays import Bools, Floats, Indices
from gammacp.stopping import watched


class Found(NamedTuple):
    """Groups found; what no group of a root exceeds, and where that is only a bound."""

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
    halted = np.zeros(1, np.bool_)
    begin, members, gain, excess, unsure, count = watched(
        lambda: price_groups(
            problem.annotator,
            problem.n_annotators,
            problem.adjacency,
            price,
            problem.opening,
            floor,
            every,
            np.arange(problem.n_units) if roots is None else roots,
            effort,
            halted,
        ),
        lambda: halted.fill(True),
        deadline,
    )
    return None if count < 0 else Found(Columns(begin, members, gain), excess, unsure)
