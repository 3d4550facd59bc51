"""The best alignments of a continuum: all that are as good, or all within some disorder.

`align` returns one best alignment. If several have the same cost, values derived from it (γ_cat,
γ_k, a consensus) may depend on which one is chosen; `alignments` lists and counts them all. The
count is exact: `listing` excludes only groups that no alignment within the limit can contain, and
`divisions` combines the remaining groups in all possible ways, component by component.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from gammacp.alignment.align import align
from gammacp.alignment.alignment import Alignment
from gammacp.alignment.alternatives.divisions import (
    Allowance,
    Division,
    DivisionSearch,
    LossCount,
    TooManyError,
    best_divisions,
    merge_counts,
)
from gammacp.alignment.alternatives.listing import (
    PricedProblem,
    UsableComponents,
    list_groups,
    price_units,
)
from gammacp.alignment.candidates import (
    MOST_PAIRS,
    TooManyPairsError,
    build_problem,
    pairs_within,
    position_ranks,
)
from gammacp.alignment.columns import group_table
from gammacp.alignment.costs import alignment_cost, disorder_scale, pair_count
from gammacp.alignment.kernels.records import Columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Problem, Status
from gammacp.alignment.ties import (
    category_costs,
    category_costs_of_columns,
    nameless_ranks,
    sort_groups,
)
from gammacp.base.arguments import instance, whole
from gammacp.base.arrays import Codes
from gammacp.base.stopping import due, was_interrupted
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import BoundDissimilarity, bind, to_unit
from gammacp.dissimilarity.combined import Combined
from gammacp.errors import UsageError

# Alignments are borderline if their distance from the limit is between the tolerance divided by
# this factor and the tolerance times this factor.
_BAND = 16.0
# Losses that differ by less than this share of the tolerance are counted together.
_RESOLUTION = 1 / 1024
# Budget of one attempt: options tried and divisions kept, some three seconds.
_STEPS = 500_000
# Factor by which the limit is narrowed in each further attempt; number of attempts before only the
# best alignments are counted; and factor by which a growing limit is widened.
_NARROWER = 8.0
_ATTEMPTS = 4
_WIDER = 4.0
# First limit, as a share of Δ, if alignments of any disorder are requested (`within` is infinite).
_FIRST_WITHIN = 1e-3
# Reasons why a count ends before the requested limit.
_SIZE, _TIME, _INTERRUPTION = "size", "time limit", "interruption"


class PoolProof(NamedTuple):
    """Basis of a count.

    Attributes
    ----------
    unitary_alignments
        Number of unitary alignments of two or more units whose loss under the prices is at most
        `loss`. No unitary alignment gains more than the prices of its units.
    loss
        Gap between the best alignment and the bound of the prices, plus the limit, as a disorder.
    components
        Number of components into which the units fall; each is divided in all possible ways.
    largest
        Number of units of the largest component.
    """

    unitary_alignments: int
    loss: float
    components: int
    largest: int


@dataclass(frozen=True)
class Pool:
    """The best alignments, the best first, and how many there are.

    Attributes
    ----------
    alignments
        The best alignments, at most as many as requested. Alignments of equal disorder are sorted
        by number of unitary alignments, then by Σ d_cat, then by position. The first one is that of
        `align`.
    count
        Number of alignments whose disorder is within `counted_within` of the least.
    within
        Requested distance from the least disorder.
    counted_within
        Distance within which alignments were counted: less than `within` if there are too many.
        None if not even the best ones could be counted.
    tolerance
        Largest difference at which two disorders count as equal.
    borderline
        Number of alignments so near the limit that a tolerance up to 16 times larger or smaller
        would change whether they count.
    identical
        Number of units that equal another unit of the same annotator. Exchanging two equal units
        counts as a different alignment.
    proof
        Evidence for the count; None if nothing could be counted.
    stopped_by
        Reason why the count or the list ended early: "size", "time limit" or "interruption". None
        if it did not.
    """

    alignments: tuple[Alignment, ...]
    count: int
    within: float
    counted_within: float | None
    tolerance: float
    borderline: int
    identical: int
    proof: PoolProof | None
    stopped_by: str | None = None

    def __len__(self) -> int:
        """Return the number of alignments that are listed."""
        return len(self.alignments)

    def __getitem__(self, index: Any) -> Any:
        """Return the alignment with a number, from 0."""
        return self.alignments[index]

    def __iter__(self) -> Iterator[Alignment]:
        """Return the alignments, the best first."""
        return iter(self.alignments)

    @property
    def exact(self) -> bool:
        """True if `count` includes all alignments within the limit; else it is a lower bound."""
        return self.counted_within is not None and self.counted_within >= self.within

    @property
    def complete(self) -> bool:
        """True if all alignments within the limit are listed."""
        return self.exact and self.count == len(self.alignments)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what is not listed, not counted, or not certain."""
        notes = []
        if self.stopped_by is not None:
            notes.append(self._why_short())
        if self.count > len(self):
            least = "" if self.exact or math.isfinite(self.within) else "at least "
            notes.append(f"{len(self)} of {least}{self.count:,} alignments are listed")
        if self.borderline:
            notes.append(
                f"{self.borderline:,} alignments are so near the limit that the count depends on "
                f"the tolerance of {self.tolerance:.2g}"
            )
        if self.identical:
            notes.append(
                f"{self.identical} units equal another one of the same annotator: alignments that "
                "differ by an exchange of equal units are counted one by one"
            )
        return tuple(notes)

    def _why_short(self) -> str:
        """Return a sentence on what was not counted or listed, and why."""
        if self.counted_within is None:
            what = "not counted"
            too_many = "too many unitary alignments could be part of an alignment as good"
        elif math.isfinite(self.within):
            what = f"counted within {self.counted_within:.3g} of the least disorder only"
            too_many = f"within {self.within:.3g} there are too many"
        else:
            what = f"listed within {self.counted_within:.3g} of the least disorder only"
            too_many = "beyond there are too many to find the best ones of them"
        if self.stopped_by == _TIME:
            return f"{what}: the time limit came first"
        if self.stopped_by == _INTERRUPTION:
            return f"{what}: interrupted"
        return f"{what}: {too_many}"

    def as_dict(self) -> dict[str, Any]:
        """Return the count and its evidence as a dict, without the alignments."""
        return {
            "count": self.count,
            "exact": self.exact,
            "complete": self.complete,
            "within": self.within if math.isfinite(self.within) else None,
            "counted_within": self.counted_within,
            "tolerance": self.tolerance,
            "borderline": self.borderline,
            "identical_units": self.identical,
            "stopped_by": self.stopped_by,
            "proof": None if self.proof is None else self.proof._asdict(),
            "notes": list(self.notes),
        }


def alignments(
    continuum: Continuum,
    dissimilarity: Any = None,
    *,
    most: int = 20,
    within: float = 0.0,
    time_limit: float | None = None,
    seed: int = 0,
) -> Pool:
    """List the best alignments, and count all whose disorder is within a limit.

    Parameters
    ----------
    continuum
        At least two annotators and one unit.
    dissimilarity
        As for `align`.
    most
        Largest number of alignments that are listed, ≥ 1.
    within
        Disorder ≥ 0 beyond the least one up to which alignments count; 0: those that are as good as
        the best one. Infinite: as many as are asked for, however much worse; `count` is then that
        of all alignments only where all are listed (`Pool.exact`).
    time_limit
        Wall-clock seconds for the best alignment, and as many for each attempt to count.
    seed
        For the solver.

    Raises
    ------
    DataError
        One annotator, or no unit.
    UsageError
        `most` below 1, `within` below 0 or no number.

    Notes
    -----
    Two alignments differ if some unit has other partners. Disorders that differ by 1e-10·Δ / x̄ or
    less are equal (x̄: units per annotator); `Pool.borderline` says whether that matters.
    """
    instance("continuum", continuum, Continuum, "a Continuum")
    whole("most", most, 1)
    if isinstance(within, bool) or not isinstance(within, int | float) or not within >= 0:
        raise UsageError(f"within {within!r} is not a disorder of 0 or more")
    measured = bind(Combined() if dissimilarity is None else dissimilarity, continuum)
    best = align(continuum, measured, time_limit=time_limit, seed=seed)
    limits = Limits(time_limit=time_limit, seed=seed)
    if math.isinf(within):
        return _list_widening(best, most, limits)
    return _count_narrowing(best, most, float(within), limits)


class _StoppedError(Exception):
    """Raised when a count does not finish, with the reason."""

    def __init__(self, reason: str) -> None:
        """Keep the reason."""
        super().__init__(reason)
        self.reason = reason


def _count_narrowing(best: Alignment, most: int, within: float, limits: Limits) -> Pool:
    """Count within the requested limit, or within a narrower one if there are too many."""
    try:
        # If not even the best ones can be counted, no other limit needs to be tried.
        narrowest = _count_in_time(best, most, 0.0, within, limits)
    except _StoppedError as error:
        return _without_count(best, within, error.reason)
    limit = within
    reason: str | None = None
    for _ in range(_ATTEMPTS):
        if limit == 0.0 or reason == _INTERRUPTION:
            break
        try:
            return replace(_count_in_time(best, most, limit, within, limits), stopped_by=reason)
        except _StoppedError as error:
            reason = reason or error.reason
            limit /= _NARROWER
    return replace(narrowest, stopped_by=reason)


def _list_widening(best: Alignment, most: int, limits: Limits) -> Pool:
    """Widen the limit until the requested number of alignments is found.

    If a limit turns out to be too wide to count, limits in between are tried.
    """
    try:
        pool = _count_in_time(best, most, 0.0, math.inf, limits)
    except _StoppedError as error:
        return _without_count(best, math.inf, error.reason)
    delta = best.dissimilarity.delta
    first = _FIRST_WITHIN * delta
    # Usually enough alignments are found below this disorder. Only beyond it are the costs of all
    # pairs computed, for a true upper bound.
    worst = 4 * best.continuum.n_annotators * delta
    all_known = False
    reached = 0.0
    too_far = math.inf
    reason: str | None = None
    between = 0
    while pool.count < most:
        if reached >= worst and not all_known:
            worst = _worst_disorder(best)
            all_known = True
        if reached >= worst:
            return replace(pool, counted_within=math.inf)
        if between == _ATTEMPTS or reason not in (None, _SIZE):
            return replace(pool, stopped_by=reason)
        if too_far < math.inf:
            limit = math.sqrt(max(reached, first / _WIDER) * too_far)
            between += 1
        else:
            limit = min(max(_WIDER * reached, first), worst)
        try:
            pool = _count_in_time(best, most, limit, math.inf, limits)
            reached = limit
        except _StoppedError as error:
            reason = error.reason
            too_far = limit
    return pool


def _worst_disorder(best: Alignment) -> float:
    """Return an upper bound on the disorder of any alignment.

    There are at most as many groups as units, and the disorder of a group is at most the cost of
    its worst pair. The bound is ∞ if there are too many pairs to compute all their costs.
    """
    continuum = best.continuum
    measured = best.dissimilarity
    try:
        _, _, costs = pairs_within(continuum, measured, math.inf, most_pairs=MOST_PAIRS)
    except TooManyPairsError:
        return math.inf
    return continuum.n_annotators * max(measured.delta, float(costs.max(initial=0.0)))


def _without_count(best: Alignment, within: float, reason: str) -> Pool:
    """Return a pool with only the best alignment, for a count that did not finish."""
    identical = _identical(best.continuum)
    return Pool((best,), 1, within, None, best.tolerance, 0, identical, None, reason)


def _identical(continuum: Continuum) -> int:
    units = list(continuum)
    return len(units) - len(set(units))


def _count_in_time(best: Alignment, most: int, limit: float, within: float, limits: Limits) -> Pool:
    """Count the alignments within a limit; raise _StoppedError with the reason if it fails."""
    deadline = limits.deadline()
    try:
        return _count(best, most, limit, within, limits.until(deadline))
    except (TooManyError, TooManyPairsError):
        if was_interrupted():
            reason = _INTERRUPTION
        elif due(deadline):
            reason = _TIME
        else:
            reason = _SIZE
        raise _StoppedError(reason) from None


def _count(best: Alignment, most: int, limit: float, within: float, limits: Limits) -> Pool:
    """Count the alignments within a limit and list the best; raise TooManyError if too many.

    Costs inside this function are Σ cost(G) of the problem; `factor` converts them to disorders.
    """
    continuum = best.continuum
    delta = _delta_of(best, limit)
    measured = to_unit(best.dissimilarity, delta)
    factor = delta / measured.delta
    factor *= disorder_scale(continuum.n_annotators, continuum.mean_units)
    deadline = limits.deadline()
    problem = _problem(continuum, best.dissimilarity, measured, limit / factor, deadline)
    tolerance = problem.tolerance
    beyond = limit / factor + _BAND * tolerance
    allowance = Allowance(_STEPS, deadline)
    priced = _prices(best, problem, delta, factor, limits)
    priced, listed = list_groups(priced, beyond, deadline)
    costs = _category_costs(continuum, best.dissimilarity, problem, listed.columns)
    components = UsableComponents(priced, listed, costs, beyond, allowance).settle()
    counts = _combined_counts(components, beyond, _RESOLUTION * tolerance, allowance)
    inner = _count_within(counts, limit / factor + tolerance / _BAND)
    count = _count_within(counts, limit / factor + tolerance)
    divisions = _combined_divisions(components, min(most, count), tolerance)
    outer = sum(row.n_divisions for row in counts)
    proof = PoolProof(
        listed.columns.number,
        max(priced.cost - priced.bound, 0.0) * factor + limit,
        len(components),
        max(component.n_units for component in components),
    )
    all_alignments = [
        _alignment(best, problem, listed.columns, division, k, tolerance * factor)
        for k, division in enumerate(divisions)
    ]
    least_disorder = all_alignments[0].disorder
    listed_alignments = [_with_bound(a, least_disorder, tolerance * factor) for a in all_alignments]
    return Pool(
        tuple(listed_alignments),
        count,
        within,
        limit,
        tolerance * factor,
        outer - inner,
        _identical(continuum),
        proof,
    )


def _delta_of(best: Alignment, limit: float) -> float:
    """Return a smaller Δ with a finer tolerance at which the same alignments count, if any.

    If no alignment within the limit can contain an empty unit, Δ may be any number above their
    cost. Otherwise, or if that is hardly smaller, Δ itself is returned.
    """
    continuum = best.continuum
    delta = best.dissimilarity.delta
    scale = disorder_scale(continuum.n_annotators, continuum.mean_units)
    cost = (best.disorder + limit) / scale
    if (best.groups < 0).any() or cost <= 0:
        return delta
    smaller = math.ldexp(1.0, 1 + math.frexp(cost)[1])
    if 16 * smaller <= delta:
        return smaller
    return delta


def _problem(
    continuum: Continuum,
    dissimilarity: BoundDissimilarity,
    measured: BoundDissimilarity,
    limit: float,
    deadline: float,
) -> Problem:
    """Build the problem with all pairs that an alignment within the limit can use.

    In such an alignment, removing a unit from its group saves no more than the limit. So the cost
    of a pair may exceed the largest one in a best alignment (see `candidates`) by the limit.
    """
    n = continuum.n_annotators
    farthest = (n - 1 + pair_count(n)) * measured.delta + limit
    problem = build_problem(continuum, measured, most=farthest * (1 + 1e-9), deadline=deadline)
    return replace(problem, rank=nameless_ranks([continuum], dissimilarity))


def _prices(
    best: Alignment, problem: Problem, delta: float, factor: float, limits: Limits
) -> PricedProblem:
    """Return the prices that prove the alignment if they are for this Δ, else a solver's.

    The prices also hold for groups with pairs that were left out: such a group gains less than its
    parts.
    """
    proof = best.proof
    if proof is None:
        return price_units(problem, limits)
    if proof.delta is None:
        proof_delta = best.dissimilarity.delta
    else:
        proof_delta = proof.delta
    if proof_delta != delta:
        return price_units(problem, limits)
    return PricedProblem(problem, np.maximum(proof.price, 0.0), best.disorder / factor)


def _category_costs(
    continuum: Continuum, dissimilarity: BoundDissimilarity, problem: Problem, columns: Columns
) -> Any:
    """Return Σ d_cat of each group."""
    rows = np.arange(problem.n_units)
    costs = category_costs(continuum, dissimilarity, problem, rows)
    return category_costs_of_columns(problem, columns, costs)


def _combined_counts(
    components: Sequence[DivisionSearch], beyond: float, resolution: float, allowance: Allowance
) -> list[LossCount]:
    """Count alignments by their cost beyond the best one, from the counts of all components."""
    counts = [LossCount(0.0, 1)]
    for component in components:
        own_counts = component.count_by_loss(resolution)
        allowance.spend(len(own_counts) * len(counts))
        combined = []
        for loss, count in counts:
            for own_loss, own_count in own_counts:
                excess = loss + own_loss - component.least
                if excess <= beyond:
                    combined.append(LossCount(excess, count * own_count))
        counts = merge_counts(combined, resolution)
    return counts


def _count_within(counts: Sequence[LossCount], limit: float) -> int:
    return sum(row.n_divisions for row in counts if row.loss <= limit)


def _combined_divisions(
    components: Sequence[DivisionSearch], number: int, resolution: float
) -> list[Division]:
    """Combine the best divisions of each component into the best alignments."""
    divisions = [Division(0.0, 0, 0.0, ())]
    for component in components:
        combined = [
            Division(
                a.loss + b.loss - component.least,
                a.n_groups + b.n_groups,
                a.category_cost + b.category_cost,
                a.columns + b.columns,
            )
            for a, b in product(divisions, component.best(number, resolution))
        ]
        divisions = best_divisions(combined, 0.0, number, resolution)
    return divisions


def _alignment(
    best: Alignment,
    problem: Problem,
    columns: Columns,
    division: Division,
    number: int,
    tolerance: float,
) -> Alignment:
    """Return a division as an alignment, with its disorder computed anew."""
    continuum = best.continuum
    groups = sort_groups(position_ranks(continuum), _groups(problem, columns, division))
    scale = disorder_scale(continuum.n_annotators, continuum.mean_units)
    disorder = alignment_cost(continuum, groups, best.dissimilarity) * scale
    return replace(
        best, groups=groups, disorder=disorder, first=number == 0, effort=None, tolerance=tolerance
    )


def _with_bound(alignment: Alignment, least_disorder: float, tolerance: float) -> Alignment:
    """Return the alignment with a bound: its own disorder if it is a best one, else the least."""
    if alignment.disorder <= least_disorder + tolerance:
        return replace(alignment, bound=alignment.disorder, status=Status.OPTIMAL)
    return replace(alignment, bound=least_disorder, status=Status.FEASIBLE)


def _groups(problem: Problem, columns: Columns, division: Division) -> Codes:
    """Return the rows of units in each group of a division."""
    chosen = np.array([c for c in division.columns if c >= 0], np.int64)
    alone = np.array([~c for c in division.columns if c < 0], np.int64)
    single = np.full((len(alone), problem.n_annotators), -1, np.int32)
    single[np.arange(len(alone)), problem.annotator[alone]] = alone
    return np.concatenate((group_table(problem, columns.select(chosen)), single))
