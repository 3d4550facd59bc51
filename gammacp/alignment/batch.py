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
from gammacp.alignment.alignment import Alignment
from gammacp.alignment.candidates import build_problem
from gammacp.alignment.duals.diffusion import DIFFUSED
from gammacp.alignment.limits import SMALL_UNITS, Limits, Solving, Stage
from gammacp.alignment.presolve.duplicates import runs_of_identical
from gammacp.alignment.presolve.pooling import costs_of
from gammacp.alignment.presolve.presolve import Presolve, Presolved
from gammacp.alignment.problem import Proof, Status, group_costs
from gammacp.alignment.solvers.enumeration import FEW_ANNOTATORS
from gammacp.alignment.solvers.registry import SOLVERS
from gammacp.alignment.ties import break_ties, nameless_ranks
from gammacp.arrays import Codes, Floats, Indices
from gammacp.continuum import Continuum
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
) -> list[Alignment]:
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
    units = np.cumsum([c.n_units for c in continua])
    edges = [0, *(np.flatnonzero(np.diff(units // _TASK_UNITS)) + 1).tolist(), len(continua)]
    parts = [continua[i:j] for i, j in pairwise(edges) if i < j]
    solve = partial(best_groups_of_each, dissimilarity=dissimilarity, ties=True, **solving)
    spread = map if executor is None else executor.map
    found: list[BestGroups] = []
    for part, solved in zip(parts, spread(solve, parts), strict=False):
        found += solved
        if progress is not None and len(continua) > 1:
            progress(len(found), len(continua))
        if len(solved) < len(part):
            # Interrupted: what later parts have belongs to later continua.
            break
    method, cover = solving.get("method", "auto"), solving.get("cover", False)
    return [
        to_alignment(c, dissimilarity, f, method, cover=cover)
        for c, f in zip(continua, found, strict=False)
    ]


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
    if together and solving.get("time_limit") is None:
        cover = solving.get("cover", False)
        for rows in _rows(continua, dissimilarity, limits):
            row = [continua[i] for i in rows]
            solved = _solve_together(row, dissimilarity, limits, cover=cover, ties=ties)
            found |= {i: best for i, best in zip(rows, solved, strict=True) if best is not None}
    listed: list[BestGroups] = []
    for i, continuum in enumerate(continua):
        if i not in found and listed and due():
            break
        alone = i not in found
        listed.append(
            best_groups(continuum, dissimilarity, ties=ties, **solving) if alone else found[i]
        )
    return listed


def _rows(
    continua: Sequence[Continuum], dissimilarity: BoundDissimilarity, limits: Limits
) -> Iterator[list[int]]:
    """Which continua go into one row: small ones of as many annotators, without many duplicates."""
    if dissimilarity.formula[0] <= NOWHERE:
        return
    by_number: dict[int, list[int]] = {}
    for i, c in enumerate(continua):
        n = c.n_annotators
        most = _DIFFUSED_UNITS if n <= DIFFUSED else SMALL_UNITS
        small = n <= FEW_ANNOTATORS and 0 < c.n_units <= most and c.breaks is None
        if small and len(runs_of_identical(c)) > limits.of(Presolve).merged * c.n_units:
            by_number.setdefault(n, []).append(i)
    for places in by_number.values():
        if len(places) < 2:
            continue
        filled = np.cumsum([continua[i].n_units for i in places]) // limits.of(RowTuning).units
        edges = np.flatnonzero(np.diff(filled)) + 1
        yield from (part.tolist() for part in np.split(np.array(places), edges))


@dataclass(frozen=True)
class _Row:
    """The units of several continua, where they are.

    `owner` and `own` say which continuum each unit is from and which unit it is there: units of
    different ones never meet, as far as they may lie apart or on top of each other.
    """

    continua: Sequence[Continuum]
    whole: Continuum
    owner: Indices
    own: Codes

    @classmethod
    def of(cls, continua: Sequence[Continuum]) -> _Row:
        counts = np.array([c.n_units for c in continua])
        owner = np.repeat(np.arange(len(continua)), counts)
        first = np.concatenate(([0], np.cumsum(counts)))[:-1]
        annotator = np.concatenate([c.annotator_codes for c in continua])
        order = np.argsort(annotator, kind="stable")
        whole = replace(
            continua[0],
            starts=np.concatenate([c.starts for c in continua])[order],
            ends=np.concatenate([c.ends for c in continua])[order],
            annotator_codes=annotator[order],
            category_codes=np.concatenate([c.category_codes for c in continua])[order],
        )
        own = (np.arange(len(owner)) - first[owner])[order].astype(np.int32)
        return cls(continua, whole, owner[order], own)

    def ranks(self, dissimilarity: BoundDissimilarity) -> Codes:
        """The units' places by their `nameless_ranks`."""
        first = np.cumsum([0, *(c.n_units for c in self.continua)])
        return nameless_ranks(self.continua, dissimilarity)[first[self.owner] + self.own]

    def proofs(self, proof: Proof | None) -> list[Proof | None]:
        """Each continuum's own prices; those of a row pay for the groups of each."""
        if proof is None:
            return [None] * len(self.continua)
        first = np.cumsum([0, *(c.n_units for c in self.continua)])
        every = np.empty(first[-1])
        every[first[self.owner] + self.own] = proof.price
        return [Proof(price) for price in np.split(every, first[1:-1])]

    def parts(self, groups: Codes, costs: Floats) -> list[tuple[Codes, float]]:
        """Each continuum's groups, of its own units, and what they cost together."""
        owner = self.owner[groups.max(axis=1)]
        order = np.argsort(owner, kind="stable")
        edges = np.searchsorted(owner[order], np.arange(1, len(self.continua)))
        own = np.where(groups >= 0, self.own[groups], np.int32(-1))[order]
        sums = map(math.fsum, np.split(costs[order], edges))
        return list(zip(np.split(own, edges), sums, strict=True))


def _solve_together(
    continua: Sequence[Continuum],
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
        few = [c for c, d in zip(continua, dense, strict=True) if not d]
        rest = iter(
            _solve_together(few, dissimilarity, limits, cover=cover, ties=ties) if few else ()
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
