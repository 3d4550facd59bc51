"""A reference model learnt from annotations that hold errors: what they were before.

A model learnt from annotations inherits their errors: shifted boundaries shorten units, omissions
make them rarer, splits multiply them. So for a kind of error and its magnitude, this module seeks a
model whose shuffled annotations have the observed statistics (indirect inference; Gouriéroux,
Monfort & Renault 1993). These are the number of units per annotator, the mean and spread of their
lengths, the shares that touch or overlap the unit before, the spread of the other gaps, and the
frequency of each category. The search starts from the model that `fit` learns. Its shuffled sets,
always drawn with the same random numbers, show how far each statistic is off; the parameter that
governs the statistic is corrected, for a few rounds. The length of the continuum is kept: gaps fill
what units leave.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.continuum import Continuum
from gammacp.errors import DataError
from shuffling.distribution import Distribution, Empirical
from shuffling.fitting import fit, gaps_of
from shuffling.placement import Layout
from shuffling.reference import ReferenceModel
from shuffling.setting import FewerErrors, fewer_errors
from shuffling.shuffle import Errors, Seed, resolve_errors, shuffled_set

ROUNDS = 6
FEWER_ROUNDS = 3
CLOSE = 0.02
_POINTS = 400  # values that stand for a distribution
_GOLDEN = (math.sqrt(5) - 1) / 2
_STEEPEST = 2.0  # factor of one round
_FARTHEST = 4.0  # how far a correction may go beyond what is missing
_POWERS = (0.2, 4.0)


@dataclass(frozen=True)
class Statistics:
    """Statistics of units over all annotators.

    Attributes
    ----------
    units
        Number of units per annotator and continuum.
    length, length_spread
        Mean length of a unit, and standard deviation over mean.
    touching, overlapping
        Shares of gaps, including those at the bounds, that are 0 and that are negative.
    gap_spread
        Standard deviation over mean of the gaps that are positive.
    categories
        Share of each category of the model among the units, in its order.
    extent
        Mean length of a continuum.
    """

    units: float
    length: float
    length_spread: float
    touching: float
    overlapping: float
    gap_spread: float
    categories: Floats
    extent: float

    @classmethod
    def of(cls, continua: Iterable[Continuum], names: Sequence[str | None]) -> Statistics:
        """Compute the statistics of continua with the share of these categories.

        At least one continuum has a unit.
        """
        continua = list(continua)
        lengths = np.concatenate([c.lengths for c in continua])
        gaps = gaps_of(continua)
        labels = [
            c.categories[k] if k >= 0 else None for c in continua for k in c.category_codes.tolist()
        ]
        return cls(
            units=len(lengths) / sum(c.n_annotators for c in continua),
            length=float(lengths.mean()),
            length_spread=_spread(lengths),
            touching=float((gaps == 0).mean()),
            overlapping=float((gaps < 0).mean()),
            gap_spread=_spread(gaps[gaps > 0]),
            categories=np.array([labels.count(name) for name in names]) / len(labels),
            extent=float(np.mean([c.length for c in continua])),
        )

    def distance(self, other: Statistics) -> float:
        """Return the largest, mostly relative, difference from other statistics."""
        return max(
            abs(other.units / self.units - 1),
            abs(other.length - self.length) / self.length if self.length else 0.0,
            abs(other.touching - self.touching),
            abs(other.overlapping - self.overlapping),
            abs(other.length_spread - self.length_spread),
            abs(other.extent - self.extent) / self.extent if self.extent else 0.0,
        )


def _spread(values: Floats) -> float:
    if len(values) and values.mean() > 0:
        return float(values.std() / values.mean())
    return 0.0


@dataclass(frozen=True)
class Guess:
    """Parameters of a candidate model, relative to the model learnt from the annotations.

    Attributes
    ----------
    units, extent
        Mean number and mean extent of the units of a reference.
    stretch, power, gap_power
        `stretch` multiplies lengths; `power` and `gap_power` spread out lengths and gaps.
    touching, overlapping
        Shares of gaps that are 0 and that are negative.
    prevalence
        Prevalence of each category.
    """

    units: float
    stretch: float
    power: float
    touching: float
    overlapping: float
    gap_power: float
    prevalence: Floats
    extent: float


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model whose shuffled sets have the observed statistics.

    Attributes
    ----------
    sets
        Shuffled sets of the model.
    guess
        Parameters of the model; the number of units of a set is rounded down or up.
    misfit
        Distance of the statistics of the sets from the observed ones (`Statistics.distance`).
    fewer
        Errors that could not be made as often as requested.
    """

    sets: tuple[Continuum, ...]
    guess: Guess
    misfit: float
    fewer: tuple[FewerErrors, ...] = ()


@dataclass(frozen=True, eq=False)
class BeforeErrors:
    """Statistics of annotations, and the model learnt from them as if they held no errors.

    Parameters
    ----------
    model
        Model as `fit` learns it.
    observed
        Statistics of the annotations that it was learnt from.
    """

    model: ReferenceModel
    observed: Statistics

    @classmethod
    def learn(cls, continua: Sequence[Continuum]) -> BeforeErrors:
        """Learn from annotations.

        Raises
        ------
        DataError
            There is no unit.
        """
        model = fit(continua)
        return cls(model, Statistics.of(continua, [c.name for c in model.categories]))

    def shuffled(
        self,
        errors: Errors,
        magnitude: float,
        n_annotators: int,
        *,
        sets: int,
        seed: Seed = 0,
        start: Guess | None = None,
    ) -> Fitted:
        """Find the model that gives the observed statistics, and return its shuffled sets.

        Parameters
        ----------
        errors, magnitude, n_annotators, sets, seed
            As for `shuffled_sets`; the same random numbers at all magnitudes.
        start
            Result for a similar magnitude, as a starting point.

        Raises
        ------
        DataError
            The errors cannot be made on the model, or leave no unit.
        """
        error_list = resolve_errors(errors)
        guess = start or self._start
        best = None
        before: tuple[Guess, Statistics] | None = None
        for _ in range(FEWER_ROUNDS if start else ROUNDS):
            with fewer_errors() as fewer:
                drawn = self.drawn(
                    guess, error_list, magnitude, n_annotators, indices=range(sets), seed=seed
                )
            got = self.statistics(drawn)
            candidate = Fitted(drawn, guess, self.observed.distance(got), tuple(fewer))
            if best is None or candidate.misfit < best.misfit:
                best = candidate
            if best.misfit < CLOSE:
                break
            before, guess = (guess, got), self._next_guess(guess, got, before)
        assert best is not None
        return best

    def drawn(
        self,
        guess: Guess,
        errors: Errors,
        magnitude: float,
        n_annotators: int,
        *,
        indices: Sequence[int],
        seed: Seed = 0,
    ) -> tuple[Continuum, ...]:
        """Return the shuffled sets with these numbers, of the model of a guess.

        Raises DataError if no set has a unit.
        """
        sets = []
        model = self._model(guess)
        for k, index in enumerate(indices):
            # Round down or up so that the mean number of units over the sets is right.
            units = max(1, math.floor(guess.units + (k + 0.5) / len(indices)))
            set_model = replace(model, n_units=units)
            sets.append(
                shuffled_set(set_model, errors, magnitude, n_annotators, index=index, seed=seed)
            )
        if not any(c.n_units for c in sets):
            raise DataError("no unit is left in any shuffled set")
        return tuple(sets)

    def statistics(self, continua: Iterable[Continuum]) -> Statistics:
        """Compute the statistics of continua with the model's categories."""
        return Statistics.of(continua, [c.name for c in self.model.categories])

    @property
    def _start(self) -> Guess:
        s = self.observed
        return Guess(s.units, 1.0, 1.0, s.touching, s.overlapping, 1.0, s.categories, s.extent)

    def _next_guess(
        self, guess: Guess, got: Statistics, before: tuple[Guess, Statistics] | None
    ) -> Guess:
        """Return the next guess.

        A parameter is corrected further if its statistic responded little to the correction before.
        """
        observed = self.observed

        def correct(parameter: str, statistic: str) -> float:
            value = getattr(guess, parameter)
            reached = getattr(got, statistic)
            step = _step(getattr(observed, statistic), reached)
            if before is not None and step != 1:
                moved = math.log(value / getattr(before[0], parameter))
                if was := getattr(before[1], statistic):
                    followed = math.log(reached / was)
                else:
                    followed = 0
                if abs(moved) > CLOSE / 2:
                    step **= 1 / min(1.0, max(1 / _FARTHEST, followed / moved))
            return float(value * min(_STEEPEST, max(1 / _STEEPEST, step)))

        # Ratio of the numbers of gaps of the annotators and of the reference, at least 1.
        echo = max(got.units / guess.units, guess.units / got.units)
        touching = guess.touching + echo * (observed.touching - got.touching)
        overlapping = guess.overlapping + echo * (observed.overlapping - got.overlapping)
        again = np.where(got.categories > 0, got.categories, 1.0)
        ratio = np.where(got.categories > 0, observed.categories / again, 1.0)
        prevalence = guess.prevalence * ratio
        units = correct("units", "units")
        stretch = correct("stretch", "length")
        if self.model.layout is Layout.APART and observed.extent:
            # Units that would not fit into the continuum cannot have been there.
            over = units * stretch * observed.length / observed.extent
            if over > 1 and units > observed.units:
                fewer = max(observed.units, units / over)
                units, over = fewer, over * fewer / units
            stretch /= max(over, 1.0)
        return Guess(
            units,
            stretch,
            float(np.clip(correct("power", "length_spread"), *_POWERS)),
            float(np.clip(touching, 0, 1)),
            float(np.clip(overlapping, 0, 1)),
            float(np.clip(correct("gap_power", "gap_spread"), *_POWERS)),
            prevalence / prevalence.sum(),
            correct("extent", "extent"),
        )

    def _model(self, guess: Guess) -> ReferenceModel:
        """Return the model of a guess, except for its number of units."""
        model = self.model
        layout = model.layout
        total = model.length
        if layout is Layout.OVERLAPPING and guess.overlapping == 0:
            layout = Layout.APART
            total = None
        if total is None:
            longest = math.inf
        else:
            longest = total
        categories = tuple(
            replace(c, prevalence=share, lengths=self._lengths(c.lengths, guess, longest))
            for c, share in zip(model.categories, guess.prevalence.tolist(), strict=True)
        )
        gaps = model.gaps
        if layout is not Layout.COVERING:
            length = sum(c.prevalence * c.lengths.mean for c in categories)
            gaps = self._gaps(guess, (guess.extent - guess.units * length) / (guess.units + 1))
        return replace(model, categories=categories, gaps=gaps, layout=layout, length=total)

    def _lengths(self, learnt: Distribution, guess: Guess, longest: float) -> Distribution:
        if not isinstance(learnt, Empirical) or not self.observed.length:
            return learnt
        values = _spread_out(np.array(learnt.values), self.observed.length, guess.power)
        values = np.minimum(values * guess.stretch, longest)
        if not self.model.integer:
            return Empirical(tuple(values.tolist()))
        whole = self._whole(_quantiles(values, _POINTS), float(learnt.minimum > 0))
        return Empirical(tuple(whole.tolist()))

    def _gaps(self, guess: Guess, mean: float) -> Empirical:
        """Return gaps with the guessed shares of zeros and of negative values.

        Their mean is `mean`, as far as these shares allow.
        """
        gaps = self._observed_gaps
        negative = gaps[gaps < 0]
        positive = gaps[gaps > 0]
        if len(negative):
            below = round(_POINTS * guess.overlapping)
        else:
            below = 0
        level = min(round(_POINTS * guess.touching), _POINTS - below)
        above = _POINTS - below - level
        parts = [_quantiles(negative, below), np.zeros(level if len(positive) else level + above)]
        if above and len(positive):
            raised = _quantiles(
                _spread_out(positive, float(positive.mean()), guess.gap_power), above
            )
            room = max(0.0, mean * _POINTS - float(parts[0].sum())) / above
            parts.append(self._whole(raised * (room / raised.mean()), 0.0))
        return Empirical(tuple(np.concatenate(parts).tolist()))

    @cached_property
    def _observed_gaps(self) -> Floats:
        gaps = self.model.gaps
        return np.array(gaps.values if isinstance(gaps, Empirical) else (), np.float64)

    def _whole(self, values: Floats, least: float) -> Floats:
        """Whole numbers with the same mean, where positions are."""
        if not self.model.integer:
            return values
        up = (np.arange(len(values)) * _GOLDEN) % 1
        return np.maximum(np.floor(values + up), least)


def _spread_out(values: Floats, mean: float, power: float) -> Floats:
    """Return the values spread out (power > 1) or drawn together, with the mean of before."""
    spread: Floats = (values / mean) ** power
    scale = values.mean() / spread.mean() if spread.any() else 1.0
    return spread * scale


def _quantiles(values: Floats, count: int) -> Floats:
    if not len(values) or not count:
        return np.zeros(0)
    places = (np.arange(count) + 0.5) / count
    return np.asarray(np.quantile(values, places, method="inverted_cdf"))


def _step(observed: float, got: float) -> float:
    """Return the factor that takes a statistic to the observed one, within bounds."""
    if observed > 0 and got > 0:
        return min(_STEEPEST, max(1 / _STEEPEST, observed / got))
    return 1.0
