"""Packing of columns by scipy's HiGHS, which also confirms bounds of CP-SAT."""

from dataclasses import replace
from typing import Any

import numpy as np

from gammacp.alignment.limits import Limits
from gammacp.alignment.packing.problem import Packing, PackingProblem
from gammacp.base.stopping import abandoned, current_work, spend

# Seconds that HiGHS may overrun its time limit before it is abandoned.
_OVERRUN = 0.5
# Largest number of nodes of HiGHS when it has to confirm a bound of CP-SAT, and total number of
# members above which it is not used, since its root node alone would take minutes.
_NODES_TO_CONFIRM = 500
_MEMBERS_TO_CONFIRM = 200_000
# Steps of work per node and member of a column.
_STEPS_OF_A_MEMBER = 200
# Absolute difference of objective and bound at which HiGHS stops.
_HIGHS_GAP = 1e-6


def highs_packing(
    problem: PackingProblem,
    limits: Limits,
    *,
    most_nodes: int | None = None,
    presolve: bool = True,
) -> Packing | None:
    """Find the best packing; None if HiGHS is abandoned or returns no bound.

    If there are rows other than those of units, its presolve may print to stdout: use
    `presolve=False` then.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csc_array, eye_array, hstack

    deadline = limits.deadline()
    columns = problem.columns
    opening = problem.opening
    capacity = problem.capacity
    n = len(capacity)
    m = columns.number
    cost = np.append(columns.sizes * opening - columns.gain, np.full(n, opening))
    # The opening, or a 64th of the largest cost if that is more, becomes 2¹⁵ to 2¹⁶, so that
    # `_HIGHS_GAP` is at most 3e-11 of it: less than the tolerance of the alignment problem.
    reference = max(opening, float(np.abs(cost).max()) / 64, 1e-200)
    cost_scale = 2.0 ** float(16 - np.frexp(reference)[1])
    groups = csc_array((np.ones(len(columns.members)), columns.members, columns.begin), (n, m))
    options: Any = {"mip_rel_gap": limits.gap or 1e-12, "presolve": presolve}
    if limits.time_limit is not None:
        options["time_limit"] = limits.time_limit
    if most_nodes is not None:
        options["node_limit"] = most_nodes
    # The last n variables say how often each unit is left alone.
    uses_of_units = csc_array(hstack((groups, eye_array(n))))
    # HiGHS may overrun its time limit within a step, and ignores Ctrl-C.
    result = abandoned(
        lambda: milp(
            cost * cost_scale,
            integrality=np.ones(m + n, np.int64),
            bounds=Bounds(0, np.append(problem.most_uses, capacity)),
            constraints=LinearConstraint(
                uses_of_units, capacity, np.inf if problem.cover else capacity
            ),
            options=options,
        ),
        deadline + _OVERRUN,
    )
    if result is None:
        return None
    n_nodes = int(getattr(result, "mip_node_count", None) or 0)
    current_work().nodes += n_nodes
    spend(_STEPS_OF_A_MEMBER * len(columns.members) * (10 + n_nodes))
    if result.mip_dual_bound is None:
        return None
    proven = result.status == 0 and not limits.gap
    cost_bound = float(result.mip_dual_bound) / cost_scale
    if proven:
        # The bound of an optimum may be lower than it by `_HIGHS_GAP`. Raising it by that much
        # keeps it valid up to the tolerance (see `cost_scale`).
        cost_bound += _HIGHS_GAP / cost_scale
    if result.x is None:
        times = np.zeros(m)
    else:
        times = np.rint(result.x[:m])
    return Packing(times.astype(np.int64), float(capacity.sum()) * opening - cost_bound, proven)


def highs_bound(problem: PackingProblem, limits: Limits, *, presolve: bool = True) -> float:
    """Return an upper bound on the gain of packings by HiGHS, or ∞ if none is found quickly."""
    columns, units = problem.columns.compress()
    if len(columns.members) > _MEMBERS_TO_CONFIRM:
        return np.inf
    connected = replace(problem, columns=columns, capacity=problem.capacity[units])
    packing = highs_packing(
        connected, replace(limits, gap=0.0), most_nodes=_NODES_TO_CONFIRM, presolve=presolve
    )
    if packing is None:
        return np.inf
    return packing.bound
