"""Ranks of measures by how well they tell magnitudes of an error apart, with intervals.

For each error, the score of a measure (`power`) is the mean power, over pairs of magnitudes, of
Welch's test between two independent corpora of D documents, in the right direction: the corpus with
more errors has less agreement. The score depends on neither the scale nor the zero of a measure. A
curve without spread at magnitude 0 benefits from that only in the pairs with magnitude 0.

>>> import numpy as np
>>> rng = np.random.default_rng(0)
>>> values = {
...     ("split", measure, m): {k: 1 - m * (slope + 0.1 * rng.standard_normal()) for k in range(12)}
...     for measure, slope in (("sees", 0.8), ("blind", 0.0))
...     for m in (0.0, 0.5, 1.0)
... }
>>> [(m.measure, round(m.power, 3), m.rank) for m in rank(values, documents=5).errors[0].measures]
[('sees', 1.0, (1, 1)), ('blind', 0.038, (2, 2))]
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gammacp.base.arguments import whole
from gammacp.base.arrays import Floats
from gammacp.base.lazy import Plotted
from gammacp.bench.equivalents import Equivalent, equivalent_magnitude
from gammacp.bench.power import Moments, PairPower, pair_power, pairs_of, pseudo_values
from gammacp.bench.rank_intervals import TIE, critical_value, rank_intervals
from gammacp.bench.store import Values
from gammacp.errors import UsageError

if TYPE_CHECKING:
    from gammacp.base.pictures import Picture

POWER = 0.8
"""Power from which two magnitudes count as told apart, in `step` and `ends`."""

LEAST_SETS = 4
PUBLISHED_SETS = 40
"""Number of sets that ranks for publication need; fewer show a tentative order."""

_EXACT = 1e-9


@dataclass(frozen=True)
class MeasureRank:
    """Power and rank of one measure for one error.

    Attributes
    ----------
    power
        Mean power over pairs of magnitudes, in the right direction; None where the measure has too
        few values for any pair.
    rank
        Best and worst rank among the measures under this error; None where `power` is.
    step, step_at
        Least distance from which any two magnitudes are told apart with power .8, and the lower
        magnitude of the hardest pair at that distance. None if not even the outermost magnitudes
        are told apart.
    ends
        Magnitude above which no two are told apart with power .8: 0 for a measure that does not
        react to the error, the last magnitude for one that never saturates.
    used
        Range of the means.
    noise
        Root mean square of the standard deviations over sets, in shares of `used`; None without
        range.
    wrong
        Mean power in the wrong direction.
    undefined
        Share of undefined values.
    nuisance
        Effect of a change that should not matter, as a magnitude of the error; None if no such
        change was given.
    """

    measure: str
    power: float | None
    step: float | None
    step_at: float | None
    ends: float | None
    used: float | None
    noise: float | None
    wrong: float | None
    undefined: float
    rank: tuple[int, int] | None = None
    nuisance: Equivalent | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields for JSON; `nuisance` only where there is one."""
        record: dict[str, Any] = {"measure": self.measure, "told": self.power}
        for name in ("step", "step_at", "ends", "used", "noise", "wrong", "undefined"):
            record[name] = getattr(self, name)
        record["rank"] = None if self.rank is None else list(self.rank)
        if self.nuisance is None:
            return record
        return record | {"nuisance": self.nuisance.as_dict()}


@dataclass(frozen=True)
class ErrorRanks:
    """Measures under one error, best first; those that are not ranked come last.

    Attributes
    ----------
    magnitudes
        Magnitudes at which all measures were computed and at least one has values.
    dropped
        Magnitudes that were left out: not computed for all measures, or without any value.
    """

    error: str
    magnitudes: tuple[float, ...]
    measures: tuple[MeasureRank, ...]
    dropped: tuple[float, ...] = ()


@dataclass(frozen=True)
class RankChange:
    """A measure whose rank by mean power changes with the number of documents.

    Attributes
    ----------
    documents
        The other number of documents.
    rank, other_rank
        Rank with the number that was asked for, and with the other one.
    """

    error: str
    measure: str
    documents: int
    rank: int
    other_rank: int

    def as_dict(self) -> dict[str, Any]:
        """Return the change for JSON, where the other rank is `there`."""
        return {
            "error": self.error,
            "measure": self.measure,
            "documents": self.documents,
            "rank": self.rank,
            "there": self.other_rank,
        }


@dataclass(frozen=True)
class Ranking(Plotted):
    """Ranks of measures under errors.

    Attributes
    ----------
    documents, level
        D, and the level of the test and of the intervals of ranks, which hold simultaneously.
    sets
        Number of annotation sets common to all curves.
    critical
        Least |t| at which two measures are ranked one above the other.
    left_out
        Number of sets that only some curves have.
    changes
        Changes of ranks with half or twice as many documents.
    """

    documents: int
    level: float
    sets: int
    critical: float
    left_out: int
    errors: tuple[ErrorRanks, ...]
    changes: tuple[RankChange, ...] = ()

    def __repr__(self) -> str:
        """Return the size of the ranking; `as_dict` has the ranks."""
        measures = {m.measure for each in self.errors for m in each.measures}
        return (
            f"Ranking({len(measures)} measures under {len(self.errors)} errors, {self.sets} sets, "
            f"{self.documents} documents)"
        )

    def _repr_html_(self) -> str:
        from gammacp.base.display import as_html

        return as_html("ranking", self)

    def _picture(self, width: float) -> Picture:
        """Draw the heat map of measures and errors."""
        from gammacp.bench.rank_results import picture_of

        return picture_of(self, width)

    def as_dict(self) -> dict[str, Any]:
        """Return the ranking for JSON."""
        return {
            "documents": self.documents,
            "level": self.level,
            "sets": self.sets,
            "critical": self.critical,
            "left_out": self.left_out,
            "errors": [
                {
                    "error": each.error,
                    "magnitudes": list(each.magnitudes),
                    "measures": [m.as_dict() for m in each.measures],
                    "dropped": list(each.dropped),
                }
                for each in self.errors
            ],
            "changes": [change.as_dict() for change in self.changes],
        }


@dataclass(frozen=True)
class _Curves:
    """Values of one error, shape (sets, measures, magnitudes)."""

    error: str
    measures: tuple[str, ...]
    magnitudes: Floats
    values: Floats
    dropped: tuple[float, ...]


def rank(
    values: Values, documents: int = 10, level: float = 0.05, *, nuisance: Values | None = None
) -> Ranking:
    """Rank measures by how well they tell magnitudes of each error apart.

    Parameters
    ----------
    values
        Values of single sets, as `Store.values` returns them: by error, measure and magnitude, then
        by set; NaN where a measure has no value.
    documents
        D ≥ 2: annotation sets of each of the two corpora that are compared.
    level
        Level of Welch's test and of the intervals of ranks, in (0, 1).
    nuisance
        Values of the same errors under a change that should not matter.

    Raises
    ------
    UsageError
        Fewer than four sets in common or fewer than two magnitudes, one measure alone, D < 2, or
        a level out of range.
    """
    whole("documents", documents, 2)
    if not 0 < level < 1:
        raise UsageError(f"level {level:g} is not between 0 and 1")
    sets, left_out = common_sets(values)
    curves_by_error = [
        _curves(values, error, sets) for error in dict.fromkeys(e for e, _, _ in values)
    ]
    ranked = [_ranked_rows(curves, documents, level) for curves in curves_by_error]
    pseudo = [
        pseudo_values(curves.values[:, rows], documents, level)
        for curves, rows in zip(curves_by_error, ranked, strict=True)
    ]
    critical = critical_value(pseudo, level)
    errors = [
        _error_ranks(curves, rows, table, documents, level, critical)
        for curves, rows, table in zip(curves_by_error, ranked, pseudo, strict=True)
    ]
    if nuisance is not None:
        errors = [
            _with_nuisance(each, curves, nuisance)
            for each, curves in zip(errors, curves_by_error, strict=True)
        ]
    changes = _changes(curves_by_error, documents, level)
    return Ranking(documents, level, len(sets), critical, left_out, tuple(errors), tuple(changes))


def common_sets(values: Values) -> tuple[list[int], int]:
    """Return the numbers of the sets common to all points, and the number of other sets.

    Raises UsageError where fewer than four are common.

    Parameters
    ----------
    values
        As for `rank`.
    """
    if not values:
        raise UsageError("no values to rank")
    numbers = [frozenset(by_set) for by_set in values.values()]
    common = frozenset.intersection(*numbers)
    every = frozenset.union(*numbers)
    if len(common) < LEAST_SETS:
        raise UsageError(
            f"{len(common)} annotation sets in common: ranks need at least {LEAST_SETS}, and "
            f"{PUBLISHED_SETS} for publication"
        )
    return sorted(common), len(every) - len(common)


def _curves(values: Values, error: str, sets: Sequence[int]) -> _Curves:
    by_measure: dict[str, dict[float, Mapping[int, float]]] = {}
    for (name, measure, magnitude), by_set in values.items():
        if name == error:
            by_measure.setdefault(measure, {})[magnitude] = by_set
    measures = _without_parents(by_measure)
    if len(measures) < 2:
        raise UsageError(
            f"{error}: ranks need at least two measures, but there is only {measures[0]}"
        )
    points = [frozenset(by_measure[m]) for m in measures]
    common = sorted(frozenset.intersection(*points))
    every = frozenset.union(*points)
    table = np.array(
        [[[by_measure[m][x][k] for x in common] for m in measures] for k in sets], np.float64
    ).reshape(len(sets), len(measures), len(common))
    # Magnitudes at which no measure has two values cannot be tested by any, and are dropped.
    somewhere = ((~np.isnan(table)).sum(axis=0) > 1).any(axis=0)
    magnitudes = np.array(common)[somewhere]
    if len(magnitudes) < 2:
        raise UsageError(f"{error}: ranks need at least two magnitudes that every measure has")
    dropped = tuple(sorted(every - set(magnitudes.tolist())))
    return _Curves(error, measures, magnitudes, table[:, :, somewhere], dropped)


def _without_parents(measures: Mapping[str, object]) -> tuple[str, ...]:
    """Return the measures without those that occur by category, as in NAME[CATEGORY]."""
    parents = {name.partition("[")[0] for name in measures if name.endswith("]")}
    return tuple(name for name in measures if name not in parents)


def _pair_power(curves: _Curves, documents: int, level: float) -> PairPower:
    return pair_power(Moments.of(curves.values), documents, level)


def _ranked_rows(curves: _Curves, documents: int, level: float) -> list[int]:
    """Return rows of the measures that can be ranked: some pair of magnitudes can be tested."""
    power = _pair_power(curves, documents, level).mean
    return [int(row) for row in np.flatnonzero(~np.isnan(power))]


def _error_ranks(
    curves: _Curves,
    ranked: Sequence[int],
    pseudo: Floats,
    documents: int,
    level: float,
    critical: float,
) -> ErrorRanks:
    power = _pair_power(curves, documents, level)
    intervals = rank_intervals(power.mean[list(ranked)], pseudo, critical)
    rank_by_row = {row: _measure_rank(curves, power, row) for row in range(len(curves.measures))}
    for row, interval in zip(ranked, intervals, strict=True):
        rank_by_row[row] = replace(rank_by_row[row], rank=interval)
    ordered = sorted(rank_by_row.values(), key=lambda m: math.inf if m.power is None else -m.power)
    magnitudes = tuple(curves.magnitudes.tolist())
    return ErrorRanks(curves.error, magnitudes, tuple(ordered), curves.dropped)


def _measure_rank(curves: _Curves, power: PairPower, row: int) -> MeasureRank:
    values = curves.values[:, row]
    undefined = float(np.isnan(values).mean())
    mean_power = float(power.mean[row])
    if math.isnan(mean_power):
        return MeasureRank(curves.measures[row], *(None,) * 7, undefined)
    step, step_at = _step(power.right[row], curves.magnitudes)
    moments = Moments.of(values)
    used = float(np.nanmax(moments.mean) - np.nanmin(moments.mean))
    spread = math.sqrt(float(np.nanmean(moments.variance)))
    return MeasureRank(
        curves.measures[row],
        mean_power,
        step,
        step_at,
        _end(power.right[row], curves.magnitudes),
        used,
        spread / used if used > _EXACT else None,
        float(power.wrong[row].mean()),
        undefined,
    )


def _step(power: Floats, magnitudes: Floats) -> tuple[float | None, float | None]:
    """Return the least distance at which all pairs are told apart, and the start of the hardest."""
    first, second = pairs_of(len(magnitudes))
    distances = np.round(magnitudes[second] - magnitudes[first], 9)
    undetected = power < POWER
    if undetected.any():
        farthest = distances[undetected].max()
    else:
        farthest = 0.0
    enough = distances[distances > farthest]
    if not len(enough):
        return None, None
    step = float(enough.min())
    pairs_at_step = np.flatnonzero(distances == step)
    hardest = pairs_at_step[np.argmin(power[pairs_at_step])]
    return step, float(magnitudes[first[hardest]])


def _end(power: Floats, magnitudes: Floats) -> float:
    """Return the magnitude above which no pair is told apart."""
    first, _ = pairs_of(len(magnitudes))
    starts = first[power >= POWER]
    if len(starts):
        return float(magnitudes[starts.max() + 1])
    return float(magnitudes[0])


def _with_nuisance(ranks: ErrorRanks, curves: _Curves, nuisance: Values) -> ErrorRanks:
    """Return the ranks with the effect of the nuisance on each measure."""
    means = Moments.of(curves.values).mean
    measures = []
    for each in ranks.measures:
        row = curves.measures.index(each.measure)
        changed = {
            x: list(by_set.values())
            for (error, measure, x), by_set in nuisance.items()
            if (error, measure) == (curves.error, each.measure)
        }
        equivalent = equivalent_magnitude(curves.magnitudes, means[row], changed, ends=each.ends)
        measures.append(replace(each, nuisance=equivalent))
    return replace(ranks, measures=tuple(measures))


def _changes(curves_by_error: Sequence[_Curves], documents: int, level: float) -> list[RankChange]:
    """Return ranks that change with half as many documents (if at least 2) or twice as many."""
    others = [n for n in (documents // 2, 2 * documents) if n >= 2]
    changes = []
    for curves in curves_by_error:
        ranks = _order(curves, documents, level)
        for n in others:
            other_ranks = _order(curves, n, level)
            changes += [
                RankChange(curves.error, measure, n, ranks[measure], other_ranks[measure])
                for measure in ranks
                if measure in other_ranks and ranks[measure] != other_ranks[measure]
            ]
    return changes


def _order(curves: _Curves, documents: int, level: float) -> dict[str, int]:
    """Return 1 + the number of measures with more mean power, ties apart, for each measure."""
    power = _pair_power(curves, documents, level).mean
    return {
        measure: 1 + int((power > power[row] + TIE).sum())
        for row, measure in enumerate(curves.measures)
        if not math.isnan(power[row])
    }
