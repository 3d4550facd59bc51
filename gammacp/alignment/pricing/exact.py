"""Groups by their reduced cost, with limits of number and time."""

from functools import partial
from typing import NamedTuple

import numpy as np

from gammacp.alignment.columns import Columns
from gammacp.alignment.problem import Problem
from gammacp.arrays import Bools, Floats, Indices
from gammacp.stopping import halting

# Nodes of the branch and bound of each root while prices are far off.
FEW_NODES = 30

# Members of all groups that are listed at the most.
LISTED_AT_LAST = 10_000_000

# Passes of messages at a node, four times as many at a root (20 × 30), again while the bound's
# distance to its goal falls by this share.
_MESSAGES = 3
_PROGRESS = 0.02
# Branching: a label that falls short by all that the bound has left counts exp(−this).
_DECISIVENESS = 2.5
# Numbers in a root's table of label pairs, 240 MB; above, its half-sum bound is used.
_EDGES = 30_000_000


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
    limit: int = LISTED_AT_LAST,
    deadline: float = np.inf,
) -> Found | None:
    """Groups with gain − Σ price > floor, and the excess of each root; see `price_groups`.

    None with more than `limit` members. At the deadline an
    enumeration (`every`) ends with None, pricing with weaker excesses.
    """
    from gammacp.alignment.kernels.pricing import Effort, price_groups

    effort = Effort(nodes, limit, _MESSAGES, _EDGES, _PROGRESS, _DECISIVENESS)
    roots = np.arange(problem.n_units) if roots is None else roots
    within = problem.graph, price, problem.opening, floor, every, roots, effort
    found, excess, unsure, whole = halting(partial(price_groups, *within), deadline)
    return Found(found, excess, unsure) if whole else None
