"""Alignment of many small continua at once, as one problem.

Aligning a continuum of a few units takes more time for overhead than for search. So small continua
are joined into a *batch*: one problem with all their units, in which units of different continua
are never candidate pairs. The best alignment of the batch consists of those of its continua, and
its proof is a proof for each of them. Larger continua, and those that are not solved in a batch,
are aligned one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Unpack

import numpy as np

from gammacp.alignment.align import (
    BestGroups,
    best_groups,
    check_reuse,
    smaller_deltas,
    to_alignment,
)
from gammacp.alignment.aligned import Aligned, AlignedPart
from gammacp.alignment.candidates import build_problem
from gammacp.alignment.costs import (
    costs_from_units,
    disorder_scale,
    reuse_price,
    tolerance_at,
)
from gammacp.alignment.limits import DIFFUSED, FEW_ANNOTATORS, SMALL_UNITS, Limits, Solving, Stage
from gammacp.alignment.presolve.presolve import Presolve, Presolved
from gammacp.alignment.problem import Status, group_costs
from gammacp.alignment.solvers.registry import SOLVERS
from gammacp.alignment.ties import break_ties, nameless_ranks, sort_groups
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.stopping import due
from gammacp.continuum import Continuum
from gammacp.continuum.sequence import ContinuumSequence
from gammacp.dissimilarity.base import NOWHERE, BoundDissimilarity, to_unit
from gammacp.errors import UsageError

# Number of units of a task. Tasks, and thus batches, do not depend on the executor.
_TASK_UNITS = 40_000
# Largest number of units of a small continuum, if its annotators are so few that prices need no
# linear program. Batches save a quarter of the time for random 3by100 and 3 × 60, and half of it
# for 2 × 150; 5 × 30 would take longer.
DIFFUSED_UNITS = 400
# Number of candidate pairs per unit above which a continuum is solved by itself.
_BATCH_PAIRS = 30


@dataclass(frozen=True)
class BatchTuning(Stage):
    """Size of a batch of small continua that are solved as one problem.

    Attributes
    ----------
    units
        Number of units of a batch: few enough that memory stays small, and that a hard continuum
        delays only a few others.
    """

    units: int = 2000


def align_each(
    continua: Sequence[Continuum],
    dissimilarity: BoundDissimilarity,
    *,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
    **solving: Unpack[Solving],
) -> Aligned:
    """Align several continua as `align` does, spread over processes.

    Parameters
    ----------
    continua, dissimilarity, solving
        As for `best_groups_of_each`.
    executor
        Processes that the continua are spread over.
    progress
        Function that is called with the number of aligned continua and that of all.
    """
    every = ContinuumSequence.of(continua)
    constraints = tuple(solving.get("constraints", ()))
    sizes = [len(part) for part in every.stretches(_TASK_UNITS)]
    solve = partial(
        _columns_of_each, dissimilarity=dissimilarity, ties=True, as_alignment=True, **solving
    )
    method, cover = solving.get("method", "auto"), solving.get("cover", False)
    reuse = check_reuse(solving.get("reuse", 0.0), cover=cover)
    if executor is not None and not hasattr(executor, "map"):
        raise UsageError(f"executor {executor!r} is no Executor of concurrent.futures")
    spread = map if executor is None else executor.map
    aligned_parts: list[AlignedPart] = []
    done = 0
    # The parts are made anew, and not kept, because their columns would fill memory.
    parts = every.stretches(_TASK_UNITS)
    for size, solved in zip(sizes, spread(solve, parts), strict=False):
        aligned_parts.append(solved.small())
        done += len(solved)
        if progress is not None and len(every) > 1:
            progress(done, len(every))
        if len(solved) < size:
            # Interrupted: results of later parts would not belong to the continua that come next.
            break
    return Aligned(
        every,
        dissimilarity,
        method,
        cover=cover,
        parts=aligned_parts,
        constraints=constraints,
        reuse=reuse,
    )


def best_groups_of_each(
    continua: Sequence[Continuum],
    dissimilarity: BoundDissimilarity,
    *,
    ties: bool = False,
    **solving: Unpack[Solving],
) -> list[BestGroups]:
    """Return what `best_groups` does for each of several continua; small ones are solved together.

    Parameters
    ----------
    continua
        Continua with at least two annotators and one unit each, and one list of categories.
    dissimilarity, ties, solving
        As for `best_groups`. Only `auto` without a gap, a time limit or constraints takes continua
        together.

    After Ctrl-C those that were not reached are missing at the end, and the last one that is there
    may have been cut short.
    """
    every = ContinuumSequence.of(continua)
    columns = _columns_of_each(every, dissimilarity, ties=ties, as_alignment=False, **solving)
    annotators = every.n_annotators.tolist()[: len(columns)]
    return [BestGroups(**columns.fields_of(k, n)) for k, n in enumerate(annotators)]


def _columns_of_each(
    every: ContinuumSequence,
    dissimilarity: BoundDissimilarity,
    *,
    ties: bool,
    as_alignment: bool,
    **solving: Unpack[Solving],
) -> AlignedPart:
    """Solve each continuum as `best_groups` does or, with `as_alignment`, as `align` does."""
    method, cover = solving.get("method", "auto"), solving.get("cover", False)
    reuse = check_reuse(solving.get("reuse", 0.0), cover=cover)
    limits = Limits(seed=solving.get("seed", 0), tuning=solving.get("tuning", ()))
    numbers = [np.empty(0, np.int64)]
    parts = [AlignedPart.of([])]
    alike = not solving.get("gap") and solving.get("time_limit") is None
    if method == "auto" and alike and not solving.get("constraints"):
        for batch in _batches(every, dissimilarity, limits):
            solved, part = _solve_together(
                every.at(batch),
                dissimilarity,
                limits,
                cover=cover,
                reuse=reuse,
                ties=ties,
                as_alignment=as_alignment,
            )
            numbers.append(batch[solved])
            parts.append(part)
    missing = np.ones(len(every), np.bool_)
    missing[np.concatenate(numbers)] = False
    end = len(every)
    one_by_one: list[Any] = []
    for i in np.flatnonzero(missing).tolist():
        if i and due():
            end = i
            break
        c = every[i]
        best = best_groups(c, dissimilarity, ties=ties, **solving)
        if as_alignment:
            alignment = to_alignment(c, dissimilarity, best, method, cover=cover, reuse=reuse)
            one_by_one.append(alignment)
        else:
            one_by_one.append(best)
    numbers.append(np.flatnonzero(missing)[: len(one_by_one)])
    parts.append(AlignedPart.of(one_by_one))
    order = np.argsort(np.concatenate(numbers))
    return AlignedPart.joined(parts).at(order[:end])


def _batches(
    continua: ContinuumSequence, dissimilarity: BoundDissimilarity, limits: Limits
) -> Iterator[Indices]:
    """Yield batches, as indices of small continua with the same number of annotators.

    Continua with so many identical units that presolving merges them are left out.
    """
    if dissimilarity.formula[0] <= NOWHERE:
        return
    number = continua.n_annotators
    units = continua.n_units
    limit = np.where(number <= DIFFUSED, DIFFUSED_UNITS, SMALL_UNITS)
    small = (number <= FEW_ANNOTATORS) & (units > 0) & (units <= limit)
    if continua.structured:
        small &= [c.inside is None for c in continua.structured]
    chosen = np.flatnonzero(small)
    enough_distinct = limits.of(Presolve).merged * units[chosen]
    chosen = chosen[_distinct(continua.at(chosen)) + 1 > enough_distinct]
    for n in dict.fromkeys(number[chosen].tolist()):
        numbers = chosen[number[chosen] == n]
        if len(numbers) < 2:
            continue
        filled = np.cumsum(units[numbers]) // limits.of(BatchTuning).units
        yield from np.split(numbers, np.flatnonzero(np.diff(filled)) + 1)


def _distinct(continua: ContinuumSequence) -> Indices:
    """Return the number of different units of each continuum; shape (continua,)."""
    owner = np.repeat(np.arange(len(continua)), continua.n_units)
    new = np.ones(len(owner), np.bool_)
    new[1:] = False
    for column in (*continua.all_units(), owner):
        new[1:] |= column[1:] != column[:-1]
    distinct: Indices = np.bincount(owner[new], minlength=len(continua))
    return distinct


@dataclass(frozen=True)
class _Batch:
    """The units of several continua as one continuum, at their own positions.

    `owner` is the continuum of each unit of `joined`, and `rows` its row there. Units of different
    continua are never compared, even where they lie on top of each other.
    """

    continua: ContinuumSequence
    joined: Continuum
    owner: Indices
    rows: Codes

    @classmethod
    def of(cls, continua: ContinuumSequence) -> _Batch:
        units = continua.all_units()
        owner = np.repeat(np.arange(len(continua)), continua.n_units)
        order = np.argsort(units.annotator_codes, kind="stable")
        joined = replace(
            continua[0],
            starts=units.starts[order],
            ends=units.ends[order],
            annotator_codes=units.annotator_codes[order],
            category_codes=units.category_codes[order],
        )
        row_of_unit = (np.arange(len(owner)) - continua.edges[owner])[order].astype(np.int32)
        return cls(continua, joined, owner[order], row_of_unit)

    def ranks(self, dissimilarity: BoundDissimilarity) -> Codes:
        """Return the rank of each unit by `nameless_ranks`."""
        rows = self.continua.edges[self.owner] + self.rows
        ranks_of_rows: Codes = nameless_ranks(self.continua, dissimilarity)[rows]
        return ranks_of_rows

    def by_owner(self, groups: Codes) -> tuple[Indices, Indices]:
        """Return the order of groups by continuum, and the start of each continuum's groups."""
        owner = self.owner[groups.max(axis=1)]
        order = np.argsort(owner, kind="stable")
        return order, np.searchsorted(owner[order], np.arange(len(self.continua) + 1))

    def sums(self, groups: Codes, costs: Floats) -> Floats:
        """Return the total cost of each continuum's groups."""
        order, edges = self.by_owner(groups)
        listed = costs[order].tolist()
        return np.array([math.fsum(listed[i:j]) for i, j in pairwise(edges.tolist())])

    def repeated(self, groups: Codes) -> Indices:
        """Return the number of further groups that units are in, per continuum."""
        uses = np.bincount(groups[groups >= 0], minlength=len(self.owner)) - 1
        return np.bincount(self.owner, weights=uses, minlength=len(self.continua)).astype(np.int64)


def _solve_together(
    continua: ContinuumSequence,
    dissimilarity: BoundDissimilarity,
    limits: Limits,
    *,
    cover: bool,
    reuse: float,
    ties: bool,
    as_alignment: bool,
) -> tuple[Indices, AlignedPart]:
    """Solve continua with the same number of annotators as one problem.

    Return the indices of the continua that are solved, and their alignments. The others have to be
    aligned one by one.
    """
    delta = dissimilarity.delta
    n = int(continua.n_annotators[0])
    measured = to_unit(dissimilarity, delta)
    batch = _Batch.of(continua)
    problem = build_problem(batch.joined, measured, cover=cover, reuse=reuse, owner=batch.owner)
    counts = np.bincount(batch.owner)
    pairs = np.bincount(batch.owner[problem.first], minlength=len(counts))
    few = np.flatnonzero(pairs <= _BATCH_PAIRS * counts)
    if not len(few):
        return few, AlignedPart.of([])
    if len(few) < len(continua):
        # One continuum with many candidate pairs would make the whole batch hard to solve.
        numbers, part = _solve_together(
            continua.at(few),
            dissimilarity,
            limits,
            cover=cover,
            reuse=reuse,
            ties=ties,
            as_alignment=as_alignment,
        )
        return few[numbers], part
    solved = chosen = SOLVERS["auto"].solve(problem, limits)
    if solved.status is not Status.OPTIMAL or due():
        return few[:0], AlignedPart.of([])
    if ties:
        presolved = Presolved(solved, problem)
        chosen = break_ties(batch.joined, measured, presolved, limits, batch.ranks(measured))
    if as_alignment:
        groups = sort_groups(problem.ranks, chosen.groups)
    else:
        groups = chosen.groups
    scale = disorder_scale(n, continua.mean_units)
    price = reuse_price(reuse, n, delta)
    cost = batch.sums(solved.groups, costs_from_units(batch.joined, solved.groups, dissimilarity))
    cost += price * batch.repeated(solved.groups)
    cost_scale = delta / measured.delta
    solver_cost = batch.sums(solved.groups, group_costs(problem, solved.groups)) * cost_scale
    solver_cost += price * batch.repeated(solved.groups)
    tolerance = tolerance_at(delta, n)
    disorder = cost * scale
    order, edges = batch.by_owner(groups)
    empty = np.add.reduceat((groups[order] < 0).any(axis=1), edges[:-1]) > 0
    # Continua whose cost is not confirmed, or whose proof is not precise enough (`smaller_delta`),
    # are left to be aligned one by one.
    differs = np.abs(solver_cost * scale - disorder) > tolerance
    smaller = smaller_deltas(disorder, disorder / scale, tolerance, delta)
    numbers = np.flatnonzero(~differs & (empty | np.isnan(smaller)))
    if as_alignment:
        disorder = batch.sums(groups, costs_from_units(batch.joined, groups, dissimilarity))
        disorder = (disorder + price * batch.repeated(groups)) * scale
    members = np.where(groups >= 0, batch.rows[groups], np.int32(-1))[order]
    every = AlignedPart.proven(members, edges * n, disorder, tolerance, first=chosen.first)
    return numbers, every if len(numbers) == len(continua) else every.at(numbers)
