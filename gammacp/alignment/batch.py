"""Many small continua aligned in one go: laid one behind another, too far apart to meet.

The best alignment of the row is that of each of them, and its proof that of all. What a continuum
of a few units costs by itself is hardly its alignment but the way there, once per continuum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Unpack

import numpy as np

from gammacp.alignment.align import BestGroups, best_groups, disorder_scale, shown
from gammacp.alignment.alignment import Alignment
from gammacp.alignment.candidates import pair_count
from gammacp.alignment.limits import Limits, Solving
from gammacp.alignment.presolve.pooling import costs_of
from gammacp.alignment.presolve.presolve import solve_presolved
from gammacp.alignment.problem import Status
from gammacp.alignment.solvers.registry import SOLVERS
from gammacp.alignment.ties import break_ties, nameless_ranks
from gammacp.alignment.tuning import DEFAULT, Tuning
from gammacp.arrays import Codes, Indices
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import NO_FORMULA, BoundDissimilarity, Reach
from gammacp.stopping import due

# Tasks that continua are spread over an executor in.
_TASKS = 32


def align_each(
    continua: Sequence[Continuum],
    dissimilarity: BoundDissimilarity,
    *,
    executor: Executor | None = None,
    **solving: Unpack[Solving],
) -> list[Alignment]:
    """`align` of several continua; otherwise as `best_groups_of_each`.

    Parameters
    ----------
    continua, dissimilarity, solving
        As for `best_groups_of_each`.
    executor
        What they are spread over.
    """
    size = len(continua) if executor is None else -(-len(continua) // _TASKS)
    parts = [continua[i : i + size] for i in range(0, len(continua), max(1, size))]
    solve = partial(best_groups_of_each, dissimilarity=dissimilarity, ties=True, **solving)
    spread = map if executor is None else executor.map
    found: list[BestGroups] = []
    for part, solved in zip(parts, spread(solve, parts), strict=True):
        found += solved
        if len(solved) < len(part):
            # Interrupted: what later parts have belongs to later continua.
            break
    method, cover = solving.get("method", "auto"), solving.get("cover", False)
    return [
        shown(c, dissimilarity, f, method, cover=cover)
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
    limits = Limits(seed=solving.get("seed", 0), tuning=solving.get("tuning", DEFAULT))
    together = solving.get("method", "auto") == "auto" and not solving.get("gap")
    if together and solving.get("time_limit") is None:
        for rows in _rows(continua, dissimilarity, limits.tuning):
            row = _Row.of([continua[i] for i in rows], _apart(dissimilarity, continua[rows[0]]))
            solved = _solved(row, dissimilarity, limits, solving.get("cover", False), ties)
            found.update(zip(rows, solved or (), strict=False))
    listed: list[BestGroups] = []
    for i, continuum in enumerate(continua):
        if i not in found and listed and due():
            break
        alone = i not in found
        listed.append(
            best_groups(continuum, dissimilarity, ties=ties, **solving) if alone else found[i]
        )
    return listed


def _apart(dissimilarity: BoundDissimilarity, continuum: Continuum) -> Reach:
    """How far units must lie apart never to be a candidate pair; ∞ if they may not be moved."""
    if dissimilarity.formula == NO_FORMULA:
        return np.inf, np.inf
    n = continuum.n_annotators
    return dissimilarity.reach((n - 1 + pair_count(n)) * dissimilarity.delta * (1 + 1e-9))


def _rows(
    continua: Sequence[Continuum], dissimilarity: BoundDissimilarity, tuning: Tuning
) -> Iterator[list[int]]:
    """Which continua go into one row: small ones of as many annotators."""
    by_number: dict[int, list[int]] = {}
    for i, c in enumerate(continua):
        n = c.n_annotators
        most = tuning.diffused_units if n <= tuning.diffused else tuning.small_units
        if n <= tuning.few_annotators and 0 < c.n_units <= most and c.breaks is None:
            by_number.setdefault(n, []).append(i)
    for places in by_number.values():
        if len(places) < 2 or not np.isfinite(_apart(dissimilarity, continua[places[0]])).all():
            continue
        filled = np.cumsum([continua[i].n_units for i in places]) // tuning.row_units
        edges = np.flatnonzero(np.diff(filled)) + 1
        yield from (part.tolist() for part in np.split(np.array(places), edges))


@dataclass(frozen=True)
class _Row:
    """Continua one behind another.

    `whole` has the units of all, moved; `owner` and `own` say which continuum each of its units is
    from and which unit it is there, and `place` holds the units where they were.
    """

    continua: Sequence[Continuum]
    whole: Continuum
    place: Continuum
    owner: Indices
    own: Codes

    @classmethod
    def of(cls, continua: Sequence[Continuum], apart: Reach) -> _Row:
        counts = np.array([c.n_units for c in continua])
        starts = np.concatenate([c.starts for c in continua])
        ends = np.concatenate([c.ends for c in continua])
        owner = np.repeat(np.arange(len(continua)), counts)
        first = np.concatenate(([0], np.cumsum(counts)))[:-1]
        low, high = np.minimum.reduceat(starts, first), np.maximum.reduceat(ends, first)
        longest = float((ends - starts).max())
        between = np.ceil(apart[0] + (2 * apart[1] + 1) * longest) + 1
        # Whole steps, so that whole positions stay whole.
        begins = np.concatenate(([0.0], np.cumsum(np.ceil(high - low) + between)))[:-1]
        offset = (begins - np.floor(low))[owner]
        annotator = np.concatenate([c.annotator_codes for c in continua])
        order = np.argsort(annotator, kind="stable")
        whole = Continuum(
            continua[0].annotators,
            continua[0].categories,
            (starts + offset)[order],
            (ends + offset)[order],
            annotator[order],
            np.concatenate([c.category_codes for c in continua])[order],
            bounds=(0.0, float(begins[-1] + high[-1] - low[-1] + 1)),
        )
        return cls(
            continua,
            whole,
            replace(whole, starts=starts[order], ends=ends[order]),
            owner[order],
            (np.arange(len(owner)) - first[owner])[order].astype(np.int32),
        )

    def ranks(self, dissimilarity: BoundDissimilarity) -> Codes:
        """The units' places by their `nameless_ranks`."""
        first = np.cumsum([0, *(c.n_units for c in self.continua)])
        return nameless_ranks(self.continua, dissimilarity)[first[self.owner] + self.own]


def _solved(
    row: _Row, dissimilarity: BoundDissimilarity, limits: Limits, cover: bool, ties: bool
) -> list[BestGroups] | None:
    """Each one's best groups; None if the row as a whole is not proven."""
    found = solve_presolved(row.whole, dissimilarity, SOLVERS["auto"].solve, limits, cover=cover)
    if found.solution.status is not Status.OPTIMAL or due():
        return None
    chosen = found.solution
    if ties:
        chosen = break_ties(row.whole, dissimilarity, found, limits, row.ranks(dissimilarity))
    groups = chosen.groups
    owner = row.owner[groups.max(axis=1)]
    # In an order of their own, so that sums have the same bits in whatever row.
    first = np.where(groups >= 0, row.own[groups], np.iinfo(np.int32).max).min(axis=1)
    order = np.lexsort((first, owner))
    groups, owner = groups[order], owner[order]
    costs = np.bincount(owner, costs_of(row.place, groups, dissimilarity), len(row.continua))
    edges = np.searchsorted(owner, np.arange(1, len(row.continua)))
    parts = np.split(np.where(groups >= 0, row.own[groups], np.int32(-1)), edges)
    scaled = [c * disorder_scale(k) for c, k in zip(costs.tolist(), row.continua, strict=True)]
    return [
        BestGroups(d, d, Status.OPTIMAL, part, chosen.first)
        for d, part in zip(scaled, parts, strict=True)
    ]
