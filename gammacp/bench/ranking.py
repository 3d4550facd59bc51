"""Ranks of measures: which one tells magnitudes of an error apart, and how surely that is known.

For each error a measure's *told* is the mean power, over pairs of magnitudes, of Welch's test
between two independent corpora of D documents, in the right direction: the corpus with more errors
has less agreement. It depends on neither the scale nor the zero of a measure, and a curve without
spread at magnitude 0 gains nothing by it but the pairs with 0.

>>> import numpy as np
>>> rng = np.random.default_rng(0)
>>> values = {
...     ("split", measure, m): {k: 1 - m * (slope + 0.1 * rng.standard_normal()) for k in range(12)}
...     for measure, slope in (("sees", 0.8), ("blind", 0.0))
...     for m in (0.0, 0.5, 1.0)
... }
>>> [(m.measure, round(m.told, 3), m.rank) for m in rank(values, documents=5).errors[0].measures]
[('sees', 1.0, (1, 1)), ('blind', 0.038, (2, 2))]
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gammacp.base.arguments import whole
from gammacp.base.arrays import Floats
from gammacp.bench.equivalents import Equivalent, equivalent_magnitude
from gammacp.bench.power import Moments, Told, pairs_of, pseudo_values, told_by
from gammacp.bench.simultaneous import TIE, critical_value, rank_intervals
from gammacp.bench.store import Values
from gammacp.errors import UsageError

POWER = 0.8
"""Power with which `step` is told and from which `ends` counts."""

LEAST_SETS = 4
PUBLISHED_SETS = 40
"""Sets from which ranks are for publication; fewer show an order."""

_EXACT = 1e-9


@dataclass(frozen=True)
class MeasureRank:
    """Power and rank of one measure for one error.

    Attributes
    ----------
    told
        Mean power over pairs of magnitudes, in the right direction; None where the measure has too
        few values for any pair.
    rank
        Best and worst rank among the measures under this error; None where `told` is.
    step, step_at
        Any two magnitudes at least `step` apart are told apart with power .8, which is hardest
        from `step_at` on; None where not even the outermost ones are.
    ends
        Magnitude from which on no two are told apart with power .8: 0 for a measure that sees
        nothing, the last magnitude for one that is never saturated.
    used
        Range of the means.
    noise
        Root mean square of the standard deviations over sets, in shares of `used`; None without
        range.
    wrong
        Mean power in the wrong direction.
    undefined
        Share of values that the measure does not have.
    nuisance
        What a change that should not matter does, as a magnitude; None where none was given.
    """

    measure: str
    told: float | None
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
        """The fields for JSON; `nuisance` only where there is one."""
        names = ("measure", "told", "step", "step_at", "ends", "used", "noise", "wrong")
        found = {name: getattr(self, name) for name in (*names, "undefined")}
        found["rank"] = None if self.rank is None else list(self.rank)
        if self.nuisance is None:
            return found
        return found | {"nuisance": self.nuisance.as_dict()}


@dataclass(frozen=True)
class ErrorRanks:
    """Measures under one error, best first; those that are not ranked come last.

    Attributes
    ----------
    magnitudes
        Those that every measure was computed at and at least one has values for.
    dropped
        Magnitudes that were left out: not computed for all measures, or without any value.
    """

    error: str
    magnitudes: tuple[float, ...]
    measures: tuple[MeasureRank, ...]
    dropped: tuple[float, ...] = ()


@dataclass(frozen=True)
class RankChange:
    """A measure whose rank by `told` is another one with another number of documents."""

    error: str
    measure: str
    documents: int
    rank: int
    there: int


@dataclass(frozen=True)
class Ranking:
    """Ranks of measures under errors.

    Attributes
    ----------
    documents, level
        D, and the level of the test and of the intervals of ranks, which hold together.
    sets
        Annotation sets that every curve has.
    critical
        |t| from which on two measures are put in an order.
    left_out
        Sets that only some curves have.
    changes
        Ranks that are others with half or twice as many documents.
    """

    documents: int
    level: float
    sets: int
    critical: float
    left_out: int
    errors: tuple[ErrorRanks, ...]
    changes: tuple[RankChange, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The ranking for JSON."""
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
            "changes": [vars(change) for change in self.changes],
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
    """Rank measures by what they tell of each error.

    Parameters
    ----------
    values
        Of single sets, as `Store.values` returns them: by error, measure and magnitude, then by
        set; NaN where a measure has no value.
    documents
        D ≥ 2: annotation sets of each of the two corpora that are compared.
    level
        Of Welch's test and of the intervals of ranks, in (0, 1).
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
    found = [_curves(values, error, sets) for error in dict.fromkeys(e for e, _, _ in values)]
    ranked = [_ranked_rows(curves, documents, level) for curves in found]
    pseudo = [
        pseudo_values(curves.values[:, rows], documents, level)
        for curves, rows in zip(found, ranked, strict=True)
    ]
    critical = critical_value(pseudo, level)
    errors = [
        _error_ranks(curves, rows, table, documents, level, critical)
        for curves, rows, table in zip(found, ranked, pseudo, strict=True)
    ]
    if nuisance is not None:
        errors = [
            _with_nuisance(each, curves, nuisance)
            for each, curves in zip(errors, found, strict=True)
        ]
    changes = _changes(found, documents, level)
    return Ranking(documents, level, len(sets), critical, left_out, tuple(errors), tuple(changes))


def common_sets(values: Values) -> tuple[list[int], int]:
    """Numbers of the sets that every point has, and how many others there are.

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
    known = frozenset.union(*numbers)
    if len(common) < LEAST_SETS:
        raise UsageError(
            f"{len(common)} annotation sets in common: ranks need at least {LEAST_SETS}, and "
            f"{PUBLISHED_SETS} for publication"
        )
    return sorted(common), len(known) - len(common)


def _curves(values: Values, error: str, sets: Sequence[int]) -> _Curves:
    by_measure: dict[str, dict[float, Mapping[int, float]]] = {}
    for (name, measure, magnitude), by_set in values.items():
        if name == error:
            by_measure.setdefault(measure, {})[magnitude] = by_set
    measures = _without_parents(by_measure)
    if len(measures) < 2:
        raise UsageError(f"{error}: one measure ({measures[0]}) has nothing to be ranked against")
    points = [frozenset(by_measure[m]) for m in measures]
    common = sorted(frozenset.intersection(*points))
    every = frozenset.union(*points)
    table = np.array(
        [[[by_measure[m][x][k] for x in common] for m in measures] for k in sets], np.float64
    ).reshape(len(sets), len(measures), len(common))
    # Where no measure has two values there is nothing that one could tell and another not.
    somewhere = ((~np.isnan(table)).sum(axis=0) > 1).any(axis=0)
    magnitudes = np.array(common)[somewhere]
    if len(magnitudes) < 2:
        raise UsageError(f"{error}: ranks need at least two magnitudes that every measure has")
    dropped = tuple(sorted(every - set(magnitudes.tolist())))
    return _Curves(error, measures, magnitudes, table[:, :, somewhere], dropped)


def _without_parents(measures: Mapping[str, object]) -> tuple[str, ...]:
    """A measure by category has no value of its own: its categories stand for it."""
    parents = {name.partition("[")[0] for name in measures if name.endswith("]")}
    return tuple(name for name in measures if name not in parents)


def _told(curves: _Curves, documents: int, level: float) -> Told:
    return told_by(Moments.of(curves.values), documents, level)


def _ranked_rows(curves: _Curves, documents: int, level: float) -> list[int]:
    """Rows of the measures that can be ranked: those that any pair can be tested for."""
    told = _told(curves, documents, level).told
    return [int(row) for row in np.flatnonzero(~np.isnan(told))]


def _error_ranks(
    curves: _Curves,
    ranked: Sequence[int],
    pseudo: Floats,
    documents: int,
    level: float,
    critical: float,
) -> ErrorRanks:
    told = _told(curves, documents, level)
    intervals = rank_intervals(told.told[list(ranked)], pseudo, critical)
    found = {row: _measure_rank(curves, told, row) for row in range(len(curves.measures))}
    for row, interval in zip(ranked, intervals, strict=True):
        found[row] = replace(found[row], rank=interval)
    ordered = sorted(found.values(), key=lambda m: math.inf if m.told is None else -m.told)
    magnitudes = tuple(curves.magnitudes.tolist())
    return ErrorRanks(curves.error, magnitudes, tuple(ordered), curves.dropped)


def _measure_rank(curves: _Curves, told: Told, row: int) -> MeasureRank:
    values = curves.values[:, row]
    undefined = float(np.isnan(values).mean())
    mean_power = float(told.told[row])
    if math.isnan(mean_power):
        return MeasureRank(curves.measures[row], *(None,) * 7, undefined)
    step, step_at = _step(told.right[row], curves.magnitudes)
    moments = Moments.of(values)
    used = float(np.nanmax(moments.mean) - np.nanmin(moments.mean))
    spread = math.sqrt(float(np.nanmean(moments.variance)))
    return MeasureRank(
        curves.measures[row],
        mean_power,
        step,
        step_at,
        _end(told.right[row], curves.magnitudes),
        used,
        spread / used if used > _EXACT else None,
        float(told.wrong[row].mean()),
        undefined,
    )


def _step(power: Floats, magnitudes: Floats) -> tuple[float | None, float | None]:
    """The distance from which on every pair is told, and where it is hardest to tell."""
    first, second = pairs_of(len(magnitudes))
    distances = np.round(magnitudes[second] - magnitudes[first], 9)
    missed = power < POWER
    if missed.any():
        farthest = distances[missed].max()
    else:
        farthest = 0.0
    enough = distances[distances > farthest]
    if not len(enough):
        return None, None
    step = float(enough.min())
    here = np.flatnonzero(distances == step)
    hardest = here[np.argmin(power[here])]
    return step, float(magnitudes[first[hardest]])


def _end(power: Floats, magnitudes: Floats) -> float:
    """The magnitude from which on no pair is told."""
    first, _ = pairs_of(len(magnitudes))
    starts = first[power >= POWER]
    if len(starts):
        return float(magnitudes[starts.max() + 1])
    return float(magnitudes[0])


def _with_nuisance(ranks: ErrorRanks, curves: _Curves, nuisance: Values) -> ErrorRanks:
    """Ranks with what the nuisance does to each measure."""
    means = Moments.of(curves.values).mean
    measures = []
    for each in ranks.measures:
        row = curves.measures.index(each.measure)
        changed = {
            x: list(by_set.values())
            for (error, measure, x), by_set in nuisance.items()
            if (error, measure) == (curves.error, each.measure)
        }
        found = equivalent_magnitude(curves.magnitudes, means[row], changed, ends=each.ends)
        measures.append(replace(each, nuisance=found))
    return replace(ranks, measures=tuple(measures))


def _changes(found: Sequence[_Curves], documents: int, level: float) -> list[RankChange]:
    """Ranks that change with half as many documents, if these are two, and with twice as many."""
    others = [n for n in (documents // 2, 2 * documents) if n >= 2]
    changes = []
    for curves in found:
        here = _order(curves, documents, level)
        for n in others:
            there = _order(curves, n, level)
            changes += [
                RankChange(curves.error, measure, n, here[measure], there[measure])
                for measure in here
                if measure in there and here[measure] != there[measure]
            ]
    return changes


def _order(curves: _Curves, documents: int, level: float) -> dict[str, int]:
    """Rank of each measure by `told` itself: 1 + those that tell more, ties apart."""
    told = _told(curves, documents, level).told
    return {
        measure: 1 + int((told > told[row] + TIE).sum())
        for row, measure in enumerate(curves.measures)
        if not math.isnan(told[row])
    }
