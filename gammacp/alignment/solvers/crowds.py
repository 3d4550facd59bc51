"""Back-end `crowd`: a search from above and a relaxation from below.

Dozens of annotators who mark nearly the same spans have more groups that matter than can be
generated. Their alignments are annealed (`heuristics.annealing`) and their bound comes from prices
that no group beats (`duals.nested`); both are better all the time. Column generation has a head
start, and it goes on from there once the relaxation makes no more progress. Thousands of units of
fewer annotators are recombined (`heuristics.local_search`) and priced by proximal steps
(`duals.proximal`) instead.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gammacp.alignment.columns import to_columns
from gammacp.alignment.duals.nested import relaxations
from gammacp.alignment.duals.proximal import approached
from gammacp.alignment.heuristics.annealing import annealed
from gammacp.alignment.heuristics.local_search import improve, recombined
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Problem, Solution, group_costs
from gammacp.alignment.reporting import tell
from gammacp.alignment.solvers.generation import Generated, concluded, generate, solve_generation
from gammacp.alignment.solvers.registry import registered
from gammacp.alignment.tuning import Tuning
from gammacp.arrays import Floats
from gammacp.stopping import clock, cpu_clock, due


@registered(
    "crowd",
    "annealing and a semidefinite bound, for dozens of annotators",
    exact=False,
    presolved=True,
)
def solve_crowd(problem: Problem, limits: Limits) -> Solution:
    """Generate for a while, then anneal and relax, then generate again.

    It ends when the gap is small enough and at the deadline; without one, a crowd ends some time
    after nothing more comes of it, and fewer annotators are generated to the end.
    """
    from threadpoolctl import threadpool_limits

    began, deadline, tuning = clock(), limits.deadline(), limits.tuning
    small = problem.n_annotators < tuning.crowd
    if problem.cover or problem.opening <= 0:
        return solve_generation(problem, limits)
    found = _head_start(problem, limits, deadline)
    if not _ended(problem, found, limits, deadline):
        until, now = deadline, clock()
        if small and not _long(problem, tuning):
            back = now + tuning.enclosing * (now - began)
            # In less time columns would hardly come to more than the relaxation does.
            until = back if deadline - back >= tuning.long_head_start else deadline
        # Two threads of BLAS take up to fourteen times the CPU seconds on a busy machine.
        with threadpool_limits(1, "blas"):
            found = enclose(problem, found, limits, until)
        if not _ended(problem, found, limits, deadline):
            now = clock()
            if not small and not limits.time_limit:
                deadline = now + tuning.last_share * (now - began)
            found = generate(problem, limits, deadline, found)
    return concluded(problem, found, limits, deadline)


def _long(problem: Problem, tuning: Tuning) -> bool:
    """Whether there are too many units for a semidefinite matrix, of annotators that are few."""
    return problem.n_annotators < tuning.crowd and problem.n_units > tuning.most_relaxed


def _ended(problem: Problem, found: Generated, limits: Limits, deadline: float) -> bool:
    return found.complete or due(deadline) or found.close(problem, limits, problem.slack)


def _head_start(problem: Problem, limits: Limits, deadline: float) -> Generated:
    """Columns that are generated first; none but those of a start in a large crowd."""
    tuning = limits.tuning
    crowd = problem.n_annotators >= tuning.crowd
    if crowd and len(problem.first) >= tuning.searched_pairs:
        columns = to_columns(problem, groups := improve(problem, None, deadline, tuning))
        price = np.full(problem.n_units, problem.opening)
        return Generated(columns, price, groups, float(columns.gain.sum()), float(price.sum()))
    seconds = tuning.head_start if crowd else tuning.long_head_start
    most = np.inf if limits.time_limit is None else tuning.head_share * limits.time_limit
    until = min(clock() + min(seconds, most), deadline)
    return generate(problem, limits, until, trying=_long(problem, tuning))


def enclose(problem: Problem, found: Generated, limits: Limits, deadline: float) -> Generated:
    """A better alignment and a better bound, in turn, until due or nothing more comes of it.

    What comes of it is asked by the clock of the CPU: other work on the machine ends nothing.
    """
    tuning, began = limits.tuning, cpu_clock()
    total = problem.n_units * problem.opening
    # The relaxation first; annealing that brings nothing has less and less of the time.
    long = _long(problem, tuning)
    groups = found.groups
    how: dict[str, Any] = {"seed": limits.seed, "deadline": deadline, "tuning": tuning}
    together: Floats | None = None
    turns: dict[str, Iterator[Any]] = (
        {
            "relax": approached(problem, groups, deadline, tuning),
            "anneal": recombined(problem, groups, together=lambda: together, **how),
        }
        if long
        else {
            "relax": relaxations(problem, total - found.gain, deadline, tuning),
            "anneal": annealed(problem, groups, **how),
        }
    )
    n_inside, reached = 0, -np.inf
    spent, idle, progressed, open_gap = dict.fromkeys(turns, 0.0), 0, began, np.inf
    while turns and not due(deadline) and not found.close(problem, limits, problem.slack):
        fruitless = idle // len(tuning.noises) if long else idle
        anneals = spent["anneal"] * (1 + fruitless) <= spent["relax"] > 0
        turn = "anneal" if anneals and "anneal" in turns else next(iter(turns))
        started = cpu_clock()
        item = next(turns[turn], None)
        spent[turn] += cpu_clock() - started
        if item is None:
            del turns[turn]
        elif turn == "relax":
            # Each relaxation begins below the bound so far, and comes above it.
            if item.n_inside > n_inside:
                n_inside, reached = item.n_inside, -np.inf
                progressed, open_gap = cpu_clock(), np.inf
            reached, together = max(reached, item.bound), item.together
            # From shares of costs to prices of gains: a unit alone costs the opening.
            if total - item.bound < found.most_gain:
                price = problem.opening - item.share
                found = replace(found, price=price, most_gain=total - item.bound)
        else:
            gain = total - float(group_costs(problem, item).sum())
            idle += 1
            if gain > found.gain + problem.tolerance:
                found, idle = replace(found, groups=item, gain=gain), 0
        tell(total - found.gain, total - found.most_gain)
        now, left = cpu_clock(), total - found.gain - reached
        if left < (1 - tuning.progress) * open_gap:
            progressed, open_gap = now, left
        # A step of the relaxation may take longer than patience lasts: the next one is waited for.
        waiting = turn == "anneal" and "relax" in turns
        if not waiting and now - progressed > 1 + tuning.patience_share * (now - began):
            break
    return found
