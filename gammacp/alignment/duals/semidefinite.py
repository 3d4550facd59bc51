"""Shares of costs from a semidefinite relaxation, for crowds: dozens or hundreds of annotators.

An alignment into K groups is a matrix X with X(u, v) = 1 if u and v share a group. Bordered by ones
and K it is positive semidefinite, because it is a sum over the groups of squares of their indicator
vectors. The relaxation requires this and the inequalities of `kernels.metric`:

    min opening·K − Σ w·X    over    Z = [[K, 1ᵀ], [1, X]] ⪰ 0,  X ≥ 0,  X(u, u) = 1,

with X(u, v) = 0 for pairs that may not be together (multi-graph matching: Chen, Guibas & Huang
2014; correlation clustering: Swamy 2004). It is solved by splitting: Z is projected in turn on the
semidefinite matrices and on the set of the other constraints (alternating direction method of
multipliers; Wen, Goldfarb & Yin 2010). Each iterate yields shares of costs that never add up to
more than the cost of a group (`feasible_shares`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gammacp.alignment.duals.definite import least_shift
from gammacp.alignment.limits import Stage
from gammacp.alignment.problem import Problem, RelaxedMatrix
from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.base.stopping import current_work, due, spend

# Grain that multipliers are rounded to, a power of 2 in units of the opening, and the number of
# grains that add up without rounding errors.
_GRAIN = 2.0**-40
_MOST_GRAINS = 2.0**52

# Number of steps between two bounds. A bound takes as long as half a step, in addition to its
# repairs.
_SPLITTINGS = 25
# Factors by which each repair and each step goes beyond its projection; a factor of 1 took twice as
# long (35 × 214).
_REPAIRING = 1.8
_OVERRELAXATION = 1.6
# Penalty at first, in units of the opening. At most every ten steps it is changed by the factor
# `_PENALTY_STEP`, if the primal and dual residuals differ by more than the factor `_IMBALANCE`.
_PENALTY = 0.05
_PENALTY_STEP = 1.6
_IMBALANCE = 4.0
# Violation above which triangles are added; largest number of triangles that are listed (40 MB);
# and number of the worst ones that are added at a time, per unit.
_VIOLATION = 0.02
_TRIANGLES = 2_000_000
_TRIANGLES_PER_UNIT = 5
# Least work of a step, nearly all of it the overhead of NumPy calls.
_SMALLEST_STEP = 300_000


@dataclass(frozen=True)
class Semidefinite(Stage):
    """Size of the relaxation, which grows stage by stage (`nested`), and repairs of its shares.

    Attributes
    ----------
    first
        Number of units of the first relaxation. A step takes 2 ms; with 1600 units, a second.
    largest
        Number of units of the largest relaxation, 1 GB. Up to this number, columns begin with
        annealing: beyond it, 8 × 425 has a gap of 22 % with annealing and of 0.6 % without, after
        60 s.
    repairs
        Number of alternating projections of the multiplier before each bound; each takes as long
        as a step (34 × 214).
    block
        Rough number of units of a block, if the annotators are relaxed block by block (`blocks`).
    """

    first: int = 120
    largest: int = 1600
    repairs: int = 12
    block: int = 280


@dataclass(frozen=True, eq=False)
class Matrices:
    """A problem as matrices, in units of the opening.

    Attributes
    ----------
    repairs
        As in `Semidefinite`.
    cost
        −w/2 per ordered pair, shape (units, units); 0 where there is no pair.
    pair
        True for pairs that are candidates.
    begin
        First unit of each annotator, and the number of units; shape (annotators + 1,).
    several
        Whether a unit is a candidate for more than one of an annotator's units, as only then the
        row inequality is not trivial; shape (units, annotators).
    border
        Scale of the first row: a power of 2 such that K·border² is near 1.
    """

    problem: Problem
    repairs: int
    cost: Floats
    pair: Bools
    begin: Indices
    several: Bools
    border: float

    @cached_property
    def bordered_cost(self) -> Floats:
        """Cost matrix of Z: 1 for K in the corner, then `cost`."""
        size = len(self.cost) + 1
        full = np.zeros((size, size))
        full[0, 0] = 1.0 / self.border**2
        full[1:, 1:] = self.cost
        return full


@dataclass(frozen=True, eq=False)
class Iterate:
    """State of the alternating direction method.

    Attributes
    ----------
    inside
        The copy of Z that obeys the inequalities; the other copy is semidefinite.
    scaled
        Multipliers of the equality of both copies, divided by the penalty.
    rows, multiplier
        Multipliers of the row inequalities, shape (units, annotators), and of the `triangles`.
    penalty
        Weight of the difference between the copies.
    matrix
        The positive semidefinite multiplier that shares are computed from.
    """

    inside: Floats
    scaled: Floats
    rows: Floats
    triangles: Codes
    multiplier: Floats
    penalty: float
    matrix: Floats | None = None


@dataclass(frozen=True, eq=False)
class ProvenBound:
    """Shares and bound that an iterate proves.

    Attributes
    ----------
    share
        Share of each unit in the costs of groups; the shares of a group's units add up to at most
        its cost. Shape (units,).
    matrix
        Matrix that the shares were computed from.
    value
        Objective of the iterate; if the iterate solved the relaxation, the bound would be as high.
    iterate
        State to continue from.
    """

    share: Floats
    matrix: RelaxedMatrix
    value: float
    iterate: Iterate

    @property
    def bound(self) -> float:
        """Sum of the shares, less rounding errors: no alignment costs less than this."""
        return safe_sum(self.share)


def model(problem: Problem, n_groups: float, repairs: int) -> Matrices:
    """Return the matrices of a problem with a positive opening.

    `n_groups` is roughly the number of its groups, and `repairs` as in `Semidefinite`.
    """
    size = problem.n_units
    n = problem.n_annotators
    several = np.zeros((size, n), np.bool_)
    cost = np.zeros((size, size))
    pair = np.zeros((size, size), np.bool_)
    for a, b in ((problem.first, problem.second), (problem.second, problem.first)):
        cost[a, b] = -0.5 * problem.weight / problem.opening
        pair[a, b] = True
    counts = np.bincount(problem.annotator, minlength=n)
    begin = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    for annotator in np.flatnonzero(counts > 1).tolist():
        units_of_annotator = slice(begin[annotator], begin[annotator + 1])
        several[:, annotator] = pair[:, units_of_annotator].sum(axis=1) > 1
    border = 2.0 ** -round(0.5 * np.log2(max(n_groups, 1.0)))
    return Matrices(problem, repairs, cost, pair, begin, several, border)


def start(model: Matrices) -> Iterate:
    """Return the first iterate: every unit alone."""
    size = len(model.cost)
    inside = np.eye(size + 1)
    inside[0, 1:] = inside[1:, 0] = model.border
    return Iterate(
        inside,
        np.zeros_like(inside),
        np.zeros(model.several.shape),
        np.zeros((0, 3), np.int32),
        np.zeros(0),
        _PENALTY,
    )


def enlarge(iterate: Iterate, old: Matrices, new: Matrices, at: Indices) -> Iterate:
    """Return an iterate of a larger problem from one of a smaller problem.

    `at` are the rows of the old problem's units in the new one.
    """
    grown = start(new)
    inside = grown.inside
    scaled = grown.scaled
    rows = grown.rows
    # The border stays first.
    index = np.concatenate(([0], at + 1))
    ratio = new.border / old.border
    factor = np.ones(len(index))
    factor[0] = ratio
    outer = np.outer(factor, factor)
    inside[np.ix_(index, index)] = iterate.inside * outer
    scaled[np.ix_(index, index)] = iterate.scaled / outer
    rows[at] = iterate.rows
    return replace(
        iterate,
        inside=inside,
        scaled=scaled,
        rows=rows,
        triangles=at[iterate.triangles].astype(np.int32),
        matrix=None,
    )


def ascend(model: Matrices, iterate: Iterate, deadline: float = np.inf) -> Iterator[ProvenBound]:
    """Yield shares with their bounds, without end, a few steps after each other.

    In between, violated triangles are added. At the deadline the steps end early.
    """
    done = 0
    while True:
        for _ in range(_SPLITTINGS):
            if done and due(deadline):
                break
            iterate, lack, change = _step(model, iterate)
            done += 1
            if done % 10 == 0:
                iterate = _balance_penalty(iterate, lack, change)
        current_work().rounds += 1
        value = float((model.bordered_cost * iterate.inside).sum()) * model.problem.opening
        matrix = feasible_matrix(model, iterate, deadline)
        yield ProvenBound(feasible_shares(model, matrix), matrix, value, iterate)
        iterate = _cut(model, iterate)


def _step(model: Matrices, iterate: Iterate) -> tuple[Iterate, float, float]:
    """Project once on the semidefinite matrices and once on the inequalities.

    Return the new iterate, the relative difference of the two projections, and how far the second
    one moved.
    """
    from gammacp.alignment.kernels.metric import project, subtract

    inside = iterate.inside
    penalty = iterate.penalty
    over = _OVERRELAXATION
    _spend(len(inside), len(iterate.triangles))
    target = inside - iterate.scaled - model.bordered_cost / penalty
    values, vectors = np.linalg.eigh(target)
    n_negative = np.searchsorted(values, 0.0)
    if 2 * n_negative > len(values):
        positive = vectors[:, n_negative:]
        definite = (positive * values[n_negative:]) @ positive.T
        matrix = definite - target
    else:
        negative = vectors[:, :n_negative]
        matrix = (negative * -values[:n_negative]) @ negative.T
        definite = target + matrix
    point = over * definite + (1 - over) * inside + iterate.scaled
    rest = np.ascontiguousarray(point[1:, 1:])
    rows = iterate.rows.copy()
    multiplier = iterate.multiplier.copy()
    rest[~model.pair] = -1e9
    subtract(rest, model.begin, rows, iterate.triangles, multiplier, 1.0)
    project(rest, model.several, model.begin, rows, iterate.triangles, multiplier)
    after = np.empty_like(point)
    after[0, 0] = point[0, 0]
    after[0, 1:] = after[1:, 0] = model.border
    after[1:, 1:] = np.maximum(rest, 0.0)
    units = np.arange(1, len(after))
    after[units, units] = 1.0
    moved = Iterate(
        after, point - after, rows, iterate.triangles, multiplier, penalty, penalty * matrix
    )
    norm = np.linalg.norm
    change = float(norm(after - inside)) / max(float(norm(matrix)), 1e-12)
    return moved, float(norm(definite - after) / norm(after)), change


def _spend(size: int, n_triangles: int) -> None:
    """Count the work of an eigendecomposition, its products, and passes over the inequalities."""
    spend(_SMALLEST_STEP + 2 * size**3 + 40 * size**2 + 40 * n_triangles)


def _balance_penalty(iterate: Iterate, lack: float, change: float) -> Iterate:
    """Return the iterate with a penalty under which both residuals shrink equally fast."""
    if max(lack, change) <= _IMBALANCE * min(lack, change):
        return iterate
    factor = _PENALTY_STEP ** (1 if lack > change else -1)
    return replace(
        iterate,
        penalty=iterate.penalty * factor,
        scaled=iterate.scaled / factor,
        rows=iterate.rows / factor,
        multiplier=iterate.multiplier / factor,
    )


def _cut(model: Matrices, iterate: Iterate) -> Iterate:
    """Add the worst violated triangles to the iterate, and drop those with a multiplier of 0."""
    from gammacp.alignment.kernels.metric import violations

    annotator = model.problem.annotator.astype(np.int32)
    least = _VIOLATION
    excess = np.zeros(_TRIANGLES)
    while len(excess) == _TRIANGLES:
        violated, excess = violations(iterate.inside[1:, 1:].copy(), annotator, least, _TRIANGLES)
        least *= 2
    worst = violated[np.argsort(-excess, kind="stable")[: _TRIANGLES_PER_UNIT * len(annotator)]]
    binding = iterate.multiplier > 0
    triangles = iterate.triangles[binding]
    multiplier = iterate.multiplier[binding]
    new = worst[~_among(worst, triangles, len(annotator))]
    return replace(
        iterate,
        triangles=np.concatenate((triangles, new)),
        multiplier=np.concatenate((multiplier, np.zeros(len(new)))),
    )


def _among(some: Codes, others: Codes, size: int) -> Bools:
    keys = [(t[:, 0].astype(np.int64) * size + t[:, 1]) * size + t[:, 2] for t in (some, others)]
    return np.isin(keys[0], keys[1])


def safe_sum(share: Floats) -> float:
    """Return the sum of `share`, less what rounding may have added."""
    total = float(share.sum())
    return total - 2.0**-52 * len(share) * float(np.abs(share).sum())


def feasible_matrix(model: Matrices, iterate: Iterate, deadline: float = np.inf) -> RelaxedMatrix:
    """Return the iterate's matrix and multipliers, changed so that shares can be computed.

    Entries are reduced to what pairs allow. Then the matrix is moved towards the nearest
    semidefinite one and reduced again (alternating projections), until the deadline at most.
    """
    assert iterate.matrix is not None
    penalty = iterate.penalty
    multipliers = penalty * iterate.rows, iterate.triangles, penalty * iterate.multiplier
    return allowed_matrix(model, iterate.matrix, *multipliers, deadline)


def allowed_matrix(
    model: Matrices,
    matrix: Floats,
    rows: Floats,
    triangles: Codes,
    multiplier: Floats,
    deadline: float = np.inf,
) -> RelaxedMatrix:
    """Reduce a matrix to what pairs and multipliers allow, and repair it until the deadline."""
    # Only the lower triangle is used, as in the proof; the upper one mirrors it up to rounding.
    matrix = matrix.copy()
    # Sums of multiples of a grain have no rounding errors.
    rows = _grains(rows)
    multiplier = _grains(multiplier)
    allowed = _most_allowed(model, rows, triangles, multiplier)
    corner = 1.0 / model.border**2
    _cut_to(matrix, allowed, model.pair, corner)
    for _ in range(model.repairs):
        if due(deadline):
            break
        _spend(len(matrix), 0)
        values, vectors = np.linalg.eigh(matrix)
        negative = np.searchsorted(values, 0.0)
        lack = (vectors[:, :negative] * -values[:negative]) @ vectors[:, :negative].T
        matrix += _REPAIRING * lack
        _cut_to(matrix, allowed, model.pair, corner)
    return RelaxedMatrix(np.arange(len(rows)), matrix, model.border, rows, triangles, multiplier)


def feasible_shares(model: Matrices, relaxed: RelaxedMatrix) -> Floats:
    """Return shares with Σ_{u∈G} share ≤ cost(G) for every group G, whatever the matrix.

    Let S ⪰ 0 have the opening in its corner, −b beside it, and S(u, v) ≤ −w/2 plus half the
    multipliers' normals for every candidate pair. With z = (1, indicator of G), cost(G) ≥ zᵀSz +
    Σ_{u∈G} [2·b(u) − S(u, u) − multipliers of apex u], and zᵀSz ≥ 0. Here S is a matrix that is
    reduced to what pairs allow, and whose diagonal is then shifted until it is semidefinite.
    """
    matrix = relaxed.matrix
    corner = 1.0 / model.border**2
    apex = 2 * relaxed.rows.sum(axis=1)
    corners = relaxed.triangles[:, 0]
    apex += 2 * np.bincount(corners, weights=relaxed.multiplier, minlength=len(apex))
    if apex.sum() + np.abs(model.cost).max() >= _MOST_GRAINS * _GRAIN:
        return np.full(len(apex), -np.inf)
    diagonal = np.diag(matrix)[1:].copy()
    _spend(len(matrix), 0)
    shift = least_shift(matrix)
    # The corner is fixed: its shift is undone by scaling the first row and column.
    shrink = np.sqrt(corner / (corner + shift)) * (1 - 2.0**-50)
    beside = -matrix[1:, 0] * model.border
    share = 2 * shrink * beside - diagonal - shift - apex
    slack = 2.0**-46 * (2 * np.abs(beside) + np.abs(diagonal) + shift + apex)
    return np.asarray((share - slack) * model.problem.opening)


def _most_allowed(model: Matrices, rows: Floats, triangles: Codes, multiplier: Floats) -> Floats:
    """Return the largest value allowed for each pair's entry."""
    from gammacp.alignment.kernels.metric import subtract

    allowed = _grains(model.cost) - 2 * _GRAIN
    # Each inequality contains X(u, v) as well as X(v, u).
    subtract(allowed, model.begin, rows, triangles, multiplier, -1.0)
    return allowed


def _cut_to(matrix: Floats, allowed: Floats, pair: Bools, corner: float) -> None:
    """Reduce a bordered matrix, in place, to what pairs allow, and set its corner."""
    inner = matrix[1:, 1:]
    np.copyto(inner, np.minimum(inner, allowed), where=pair)
    matrix[0, 0] = corner


def _grains(values: Floats) -> Floats:
    return np.round(values / _GRAIN) * _GRAIN
