"""Many small continua aligned in one go: one problem of units that stay where they are.

Units of different continua are no candidate pairs, so that the best alignment of this row is that
of each of them, and its proof that of all. What a continuum of a few units costs by itself is
hardly its alignment but the way there, once per continuum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Unpack

import numpy as np

from gammacp.alignment.align import BestGroups, at_delta, best_groups, nearer_delta, to_alignment
from gammacp.alignment.aligned import Aligned, AlignedPart
from gammacp.alignment.candidates import build_problem
from gammacp.alignment.duals.diffusion import DIFFUSED
from gammacp.alignment.limits import SMALL_UNITS, Limits, Solving, Stage
from gammacp.alignment.presolve.pooling import costs_of
from gammacp.alignment.presolve.presolve import Presolve, Presolved
from gammacp.alignment.problem import Proof, Status, group_costs
from gammacp.alignment.solvers.enumeration import FEW_ANNOTATORS
from gammacp.alignment.solvers.registry import SOLVERS
from gammacp.alignment.ties import break_ties, nameless_ranks
from gammacp.arrays import Codes, Floats, Indices
from gammacp.continuum import Continuum
from gammacp.continuum.sequence import ContinuumSequence
from gammacp.dissimilarity.base import NOWHERE, BoundDissimilarity, to_unit
from gammacp.stopping import due

# Units of a task: the same tasks wherever they are computed, so that rows of continua are the same.
_TASK_UNITS = 10_000
# Units of a small continuum of annotators whose prices need no linear program: a quarter of the
# time of random 3by100 and 3 × 60 is saved, half of 2 × 150; 5 × 30 would take longer.
_DIFFUSED_UNITS = 400
# Candidate pairs per unit from which a continuum is solved by itself.
_ROW_PAIRS = 30


@dataclass(frozen=True)
class RowTuning(Stage):
    """How many small continua are solved as one.

    Attributes
    ----------
    units
        Of such a row, so that memory stays small and one hard continuum holds up few.
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
    """`align` of several continua; otherwise as `best_groups_of_each`.

    Parameters
    ----------
    continua, dissimilarity, solving
        As for `best_groups_of_each`.
    executor
        What they are spread over.
    progress
        Told how many are aligned, of how many.
    """
    every = ContinuumSequence.of(continua)
    parts = [*every.stretches(_TASK_UNITS)]
    solve = partial(best_groups_of_each, dissimilarity=dissimilarity, ties=True, **solving)
    method, cover = solving.get("method", "auto"), solving.get("cover", False)
    spread = map if executor is None else executor.map
    found: list[AlignedPart] = []
    done = 0
    for part, solved in zip(parts, spread(solve, parts), strict=False):
        alignments = [
            to_alignment(c, dissimilarity, f, method, cover=cover)
            for c, f in zip(part, solved, strict=False)
        ]
        found.append(AlignedPart.of(alignments))
        done += len(solved)
        if progress is not None and len(every) > 1:
            progress(done, len(every))
        if len(solved) < len(part):
            # Interrupted: what later parts have belongs to later continua.
            break
    return Aligned(every, dissimilarity, method, cover=cover, parts=found)


def best_groups_of_each(
    continua: Sequence[Continuum],
    dissimilarity: BoundDissimilarity,
    *,
    ties: bool = False,
    **solving: Unpack[Solving],
) -> list[BestGroups]:
    """`best_groups` of several continua, small ones together.

    Parameters
    ----------
    continua
        With at least two annotators and one unit each, and one list of categories.
    dissimilarity, ties, solving
        As for `best_groups`. Only `auto` without a gap or a time limit takes continua together.

    After Ctrl-C those that were not reached are missing at the end, and the last one that is there
    may have been cut short.
    """
    found: dict[int, BestGroups] = {}
    limits = Limits(seed=solving.get("seed", 0), tuning=solving.get("tuning", ()))
    together = solving.get("method", "auto") == "auto" and not solving.get("gap")
    every = ContinuumSequence.of(continua)
    if together and solving.get("time_limit") is None:
        cover = solving.get("cover", False)
        for rows in _rows(every, dissimilarity, limits):
            row = every.at(rows)
            solved = _solve_together(row, dissimilarity, limits, cover=cover, ties=ties)
            numbered = zip(rows.tolist(), solved, strict=True)
            found |= {i: best for i, best in numbered if best is not None}
    listed: list[BestGroups] = []
    for i in range(len(every)):
        if i not in found and listed and due():
            break
        alone = i not in found
        listed.append(
            best_groups(every[i], dissimilarity, ties=ties, **solving) if alone else found[i]
        )
    return listed


def _rows(
    continua: ContinuumSequence, dissimilarity: BoundDissimilarity, limits: Limits
) -> Iterator[Indices]:
    """Which continua go into one row: small ones of as many annotators, without many duplicates."""
    if dissimilarity.formula[0] <= NOWHERE:
        return
    number, units = continua.n_annotators, continua.n_units
    most = np.where(number <= DIFFUSED, _DIFFUSED_UNITS, SMALL_UNITS)
    small = (number <= FEW_ANNOTATORS) & (units > 0) & (units <= most)
    if continua.beside:
        small &= [c.breaks is None for c in continua.beside]
    chosen = np.flatnonzero(small)
    many = _distinct(continua.at(chosen)) + 1 > limits.of(Presolve).merged * units[chosen]
    chosen = chosen[many]
    for n in dict.fromkeys(number[chosen].tolist()):
        places = chosen[number[chosen] == n]
        if len(places) < 2:
            continue
        filled = np.cumsum(units[places]) // limits.of(RowTuning).units
        yield from np.split(places, np.flatnonzero(np.diff(filled)) + 1)


def _distinct(continua: ContinuumSequence) -> Indices:
    """How many different units each continuum has; shape (continua,)."""
    owner = np.repeat(np.arange(len(continua)), continua.n_units)
    new = np.ones(len(owner), np.bool_)
    new[1:] = False
    for column in (*continua.all_units(), owner):
        new[1:] |= column[1:] != column[:-1]
    found: Indices = np.bincount(owner[new], minlength=len(continua))
    return found


@dataclass(frozen=True)
class _Row:
    """The units of several continua, where they are.

    `owner` and `own` say which continuum each unit is from and which unit it is there: units of
    different ones never meet, as far as they may lie apart or on top of each other.
    """

    continua: ContinuumSequence
    whole: Continuum
    owner: Indices
    own: Codes

    @classmethod
    def of(cls, continua: ContinuumSequence) -> _Row:
        units = continua.all_units()
        owner = np.repeat(np.arange(len(continua)), continua.n_units)
        order = np.argsort(units.annotator_codes, kind="stable")
        whole = replace(
            continua[0],
            starts=units.starts[order],
            ends=units.ends[order],
            annotator_codes=units.annotator_codes[order],
            category_codes=units.category_codes[order],
        )
        own = (np.arange(len(owner)) - continua.edges[owner])[order].astype(np.int32)
        return cls(continua, whole, owner[order], own)

    def ranks(self, dissimilarity: BoundDissimilarity) -> Codes:
        """The units' places by their `nameless_ranks`."""
        own = self.continua.edges[self.owner] + self.own
        found: Codes = nameless_ranks(self.continua, dissimilarity)[own]
        return found

    def proofs(self, proof: Proof | None) -> list[Proof | None]:
        """Each continuum's own prices; those of a row pay for the groups of each."""
        if proof is None:
            return [None] * len(self.continua)
        first = self.continua.edges
        every = np.empty(first[-1])
        every[first[self.owner] + self.own] = proof.price
        return [Proof(every[i:j]) for i, j in pairwise(first.tolist())]

    def parts(self, groups: Codes, costs: Floats) -> list[tuple[Codes, float]]:
        """Each continuum's groups, of its own units, and what they cost together."""
        owner = self.owner[groups.max(axis=1)]
        order = np.argsort(owner, kind="stable")
        edges = np.searchsorted(owner[order], np.arange(len(self.continua) + 1)).tolist()
        own = np.where(groups >= 0, self.own[groups], np.int32(-1))[order]
        listed = costs[order].tolist()
        return [(own[i:j], math.fsum(listed[i:j])) for i, j in pairwise(edges)]


def _solve_together(
    continua: ContinuumSequence,
    dissimilarity: BoundDissimilarity,
    limits: Limits,
    *,
    cover: bool,
    ties: bool,
) -> list[BestGroups | None]:
    """Each one's best groups; None for what is better solved by itself."""
    delta = dissimilarity.delta
    measured = to_unit(dissimilarity, delta)
    row = _Row.of(continua)
    problem = build_problem(row.whole, measured, cover=cover, owner=row.owner)
    counts = np.bincount(row.owner)
    pairs = np.bincount(row.owner[problem.first], minlength=len(counts))
    dense = pairs > _ROW_PAIRS * counts
    if dense.any():
        # Where groups are many, one hard continuum would make all of them hard.
        few = continua.at(np.flatnonzero(~dense))
        rest = iter(
            _solve_together(few, dissimilarity, limits, cover=cover, ties=ties) if len(few) else ()
        )
        return [None if d else next(rest) for d in dense]
    solved = chosen = SOLVERS["auto"].solve(problem, limits)
    if solved.status is not Status.OPTIMAL or due():
        return [None] * len(continua)
    if ties:
        found = Presolved(solved, problem)
        chosen = break_ties(row.whole, measured, found, limits, row.ranks(measured))
    proven = row.parts(solved.groups, group_costs(problem, solved.groups))
    told = row.parts(solved.groups, costs_of(row.whole, solved.groups, dissimilarity))
    taken = told if chosen is solved else row.parts(chosen.groups, np.zeros(len(chosen.groups)))
    listed: list[BestGroups | None] = []
    proofs = row.proofs(solved.proof)
    for c, (_, objective), (_, cost), (groups, _), proof in zip(
        continua, proven, told, taken, proofs, strict=True
    ):
        own = replace(solved, groups=groups, objective=objective, first=chosen.first, proof=proof)
        best = at_delta(c, own, cost, delta, delta / measured.delta)
        alone = best.status is not Status.OPTIMAL or nearer_delta(c, best, delta) is not None
        listed.append(None if alone else best)
    return listed
