"""Reference models whose shuffled sets resemble annotations that already contain errors.

A model that `fit` learns from annotations inherits their errors: shifted boundaries shorten units,
omissions make them rarer, splits multiply them. So for a kind of error and its magnitude, this
module seeks a model whose shuffled annotations have the statistics of the observed ones (indirect
inference; Gouriéroux, Monfort & Renault 1993).

Each parameter of the model (`ModelParameters`) governs one statistic of units (`UnitStatistics`).
The search starts from the model that `fit` learns. In each round, sets are shuffled from the
model, always with the same random numbers, and each parameter is corrected by how far its
statistic is from the observed one. The round that came nearest is the result. The length of the
continuum is kept: gaps fill what units leave.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.continuum import Continuum
from gammacp.errors import DataError
from shuffling.distribution import Distribution, Empirical
from shuffling.fitting import fit, gaps_of
from shuffling.placement import Layout
from shuffling.reference import CategoryModel, ReferenceModel
from shuffling.setting import FewerErrors, fewer_errors
from shuffling.shuffle import Errors, Seed, resolve_errors, shuffled_set

_ROUNDS = 6
_ROUNDS_FROM_SIMILAR = 3  # Rounds that start from the parameters of a similar magnitude.
_CLOSE = 0.02  # Distance of statistics at which the search ends.
_POINTS = 400  # Number of values that represent a distribution.
_GOLDEN = (math.sqrt(5) - 1) / 2
_LARGEST_FACTOR = 2.0  # Largest change of a parameter in one round.
_LARGEST_EXPONENT = 4.0  # Largest exponent of a correction whose parameter had little effect.
_SMALLEST_MOVE = 0.01  # Change of a parameter (log) that is too small to show its effect.
_POWERS = (0.2, 4.0)  # Range of the powers that spread out lengths and gaps.

# Parameters that are corrected by factors, and the statistics that they govern. The other
# parameters are shares; they govern the statistics of the same name.
_GOVERNED_STATISTICS = {
    "n_units": "n_units",
    "length_factor": "length",
    "length_power": "length_spread",
    "gap_power": "gap_spread",
    "continuum_length": "continuum_length",
}


@dataclass(frozen=True)
class UnitStatistics:
    """Statistics of units over all annotators.

    Attributes
    ----------
    n_units
        Number of units per annotator and continuum.
    length, length_spread
        Mean length of a unit, and standard deviation over mean.
    touching, overlapping
        Shares of gaps, including those at the bounds, that are 0 and that are negative.
    gap_spread
        Standard deviation over mean of the gaps that are positive.
    prevalence
        Share of each category of the model among the units, in its order.
    continuum_length
        Mean length of a continuum.
    """

    n_units: float
    length: float
    length_spread: float
    touching: float
    overlapping: float
    gap_spread: float
    prevalence: Floats
    continuum_length: float

    @classmethod
    def of(cls, continua: Iterable[Continuum], names: Sequence[str | None]) -> UnitStatistics:
        """Compute the statistics of continua.

        Parameters
        ----------
        continua
            Continua that together have at least one unit.
        names
            Categories of which the shares are computed; None for units without a category.
        """
        continua = list(continua)
        lengths = np.concatenate([c.lengths for c in continua])
        gaps = gaps_of(continua)
        labels = [
            c.categories[k] if k >= 0 else None for c in continua for k in c.category_codes.tolist()
        ]
        return cls(
            n_units=len(lengths) / sum(c.n_annotators for c in continua),
            length=float(lengths.mean()),
            length_spread=_spread(lengths),
            touching=float((gaps == 0).mean()),
            overlapping=float((gaps < 0).mean()),
            gap_spread=_spread(gaps[gaps > 0]),
            prevalence=np.array([labels.count(name) for name in names]) / len(labels),
            continuum_length=float(np.mean([c.length for c in continua])),
        )

    def distance(self, other: UnitStatistics) -> float:
        """Return the largest difference of other statistics from these.

        Differences of the number of units and of lengths are relative to these statistics, those
        of shares and of `length_spread` absolute. `gap_spread` and `prevalence` do not count.
        """
        return max(
            abs(other.n_units / self.n_units - 1),
            _relative_difference(self.length, other.length),
            abs(other.touching - self.touching),
            abs(other.overlapping - self.overlapping),
            abs(other.length_spread - self.length_spread),
            _relative_difference(self.continuum_length, other.continuum_length),
        )


def _spread(values: Floats) -> float:
    """Return standard deviation over mean; 0 unless the mean is positive."""
    if len(values) and values.mean() > 0:
        return float(values.std() / values.mean())
    return 0.0


def _relative_difference(value: float, other: float) -> float:
    """Return the difference of another value from `value`, relative to it; 0 if `value` is 0."""
    if value == 0:
        return 0.0
    return abs(other - value) / value


@dataclass(frozen=True)
class ModelParameters:
    """Parameters of a candidate model, relative to the model learnt from the annotations.

    Attributes
    ----------
    n_units
        Mean number of units of a reference.
    length_factor, length_power
        Lengths are multiplied by the factor; the power spreads them out.
    touching, overlapping
        Shares of gaps that are 0 and that are negative.
    gap_power
        Power that spreads out positive gaps.
    prevalence
        Prevalence of each category.
    continuum_length
        Mean length of a continuum.
    """

    n_units: float
    length_factor: float
    length_power: float
    touching: float
    overlapping: float
    gap_power: float
    prevalence: Floats
    continuum_length: float


class _Round(NamedTuple):
    """Parameters of one round, and the statistics of the sets shuffled with them."""

    parameters: ModelParameters
    statistics: UnitStatistics


@dataclass(frozen=True, eq=False)
class FittedSets:
    """Shuffled sets that have the observed statistics, and the model that they were drawn from.

    Attributes
    ----------
    sets
        Shuffled sets of the model.
    parameters
        Parameters of the model; the number of units of a set is rounded down or up.
    misfit
        Distance of the statistics of the sets from the observed ones (`UnitStatistics.distance`).
    missing_errors
        Errors that could not be made as often as requested.
    """

    sets: tuple[Continuum, ...]
    parameters: ModelParameters
    misfit: float
    missing_errors: tuple[FewerErrors, ...] = ()


@dataclass(frozen=True, eq=False)
class IndirectInference:
    """Search for the model that had given the observed annotations before their errors.

    Attributes
    ----------
    model
        Model that `fit` learns from the annotations, as if they held no errors.
    observed
        Statistics of the annotations that it was learnt from.
    """

    model: ReferenceModel
    observed: UnitStatistics

    @classmethod
    def learn(cls, continua: Sequence[Continuum]) -> IndirectInference:
        """Learn the starting model and the statistics from annotations.

        Raises
        ------
        DataError
            There is no unit.
        """
        model = fit(continua)
        return cls(model, UnitStatistics.of(continua, [c.name for c in model.categories]))

    def fit_to_errors(
        self,
        errors: Errors,
        magnitude: float,
        n_annotators: int,
        *,
        n_sets: int,
        seed: Seed = 0,
        start: ModelParameters | None = None,
    ) -> FittedSets:
        """Find the model that gives the observed statistics after errors, and its shuffled sets.

        Parameters
        ----------
        errors, magnitude, n_annotators, n_sets
            As for `shuffled_sets`.
        seed
            Seed that gives the same random numbers in all rounds and at all magnitudes.
        start
            Parameters found for a similar magnitude; None: those of the learnt model.

        Raises
        ------
        DataError
            The errors cannot be made on the model, or leave no unit.
        """
        error_list = resolve_errors(errors)
        if start is None:
            parameters = self._learnt_parameters
            n_rounds = _ROUNDS
        else:
            parameters = start
            n_rounds = _ROUNDS_FROM_SIMILAR
        best = None
        previous: _Round | None = None
        for _ in range(n_rounds):
            with fewer_errors() as missing_errors:
                sets = self.draw_sets(
                    parameters,
                    error_list,
                    magnitude,
                    n_annotators,
                    indices=range(n_sets),
                    seed=seed,
                )
            simulated = self.statistics(sets)
            misfit = self.observed.distance(simulated)
            if best is None or misfit < best.misfit:
                best = FittedSets(sets, parameters, misfit, tuple(missing_errors))
            if best.misfit < _CLOSE:
                break
            current = _Round(parameters, simulated)
            parameters = self._next_parameters(current, previous)
            previous = current
        assert best is not None
        return best

    def draw_sets(
        self,
        parameters: ModelParameters,
        errors: Errors,
        magnitude: float,
        n_annotators: int,
        *,
        indices: Sequence[int],
        seed: Seed = 0,
    ) -> tuple[Continuum, ...]:
        """Draw shuffled sets from the model with these parameters.

        Parameters
        ----------
        parameters
            Parameters of the model.
        errors, magnitude, n_annotators, seed
            As for `shuffled_sets`.
        indices
            Numbers of the sets; set k depends on the seed and on k only.

        Raises
        ------
        DataError
            No set has a unit.
        """
        sets = []
        model = self._model(parameters)
        for k, index in enumerate(indices):
            # Round down or up so that the mean number of units over the sets is right.
            n_units = max(1, math.floor(parameters.n_units + (k + 0.5) / len(indices)))
            set_model = replace(model, n_units=n_units)
            sets.append(
                shuffled_set(set_model, errors, magnitude, n_annotators, index=index, seed=seed)
            )
        if not any(c.n_units for c in sets):
            raise DataError("no unit is left in any shuffled set")
        return tuple(sets)

    def statistics(self, continua: Iterable[Continuum]) -> UnitStatistics:
        """Compute the statistics of continua with the model's categories."""
        return UnitStatistics.of(continua, [c.name for c in self.model.categories])

    @property
    def _learnt_parameters(self) -> ModelParameters:
        observed = self.observed
        return ModelParameters(
            n_units=observed.n_units,
            length_factor=1.0,
            length_power=1.0,
            touching=observed.touching,
            overlapping=observed.overlapping,
            gap_power=1.0,
            prevalence=observed.prevalence,
            continuum_length=observed.continuum_length,
        )

    def _next_parameters(self, current: _Round, previous: _Round | None) -> ModelParameters:
        """Return corrected parameters for the next round."""
        parameters, simulated = current
        observed = self.observed
        corrected = {
            parameter: self._corrected(parameter, current, previous)
            for parameter in _GOVERNED_STATISTICS
        }
        n_units, length_factor = self._fit_into_continuum(
            corrected["n_units"], corrected["length_factor"]
        )
        # Errors add gaps or remove them, so that the shares among the annotators' gaps follow those
        # of the reference less than one to one.
        gap_ratio = max(
            simulated.n_units / parameters.n_units, parameters.n_units / simulated.n_units
        )
        touching = parameters.touching + gap_ratio * (observed.touching - simulated.touching)
        overlapping = parameters.overlapping + gap_ratio * (
            observed.overlapping - simulated.overlapping
        )
        return ModelParameters(
            n_units=n_units,
            length_factor=length_factor,
            length_power=float(np.clip(corrected["length_power"], *_POWERS)),
            touching=float(np.clip(touching, 0, 1)),
            overlapping=float(np.clip(overlapping, 0, 1)),
            gap_power=float(np.clip(corrected["gap_power"], *_POWERS)),
            prevalence=self._next_prevalence(parameters, simulated),
            continuum_length=corrected["continuum_length"],
        )

    def _corrected(self, parameter: str, current: _Round, previous: _Round | None) -> float:
        """Return a parameter multiplied by a factor that brings its statistic to the observed one.

        A parameter is corrected further if its statistic responded little to the correction before.
        """
        statistic = _GOVERNED_STATISTICS[parameter]
        value: float = getattr(current.parameters, parameter)
        observed: float = getattr(self.observed, statistic)
        simulated: float = getattr(current.statistics, statistic)
        if observed <= 0 or simulated <= 0:
            return value
        factor = _limited(observed / simulated)
        if previous is not None and factor != 1:
            move = math.log(value / getattr(previous.parameters, parameter))
            simulated_before = getattr(previous.statistics, statistic)
            response = math.log(simulated / simulated_before) if simulated_before else 0.0
            if abs(move) > _SMALLEST_MOVE:
                # A statistic that follows its parameter only in part needs a larger correction.
                elasticity = response / move
                factor **= 1 / min(1.0, max(1 / _LARGEST_EXPONENT, elasticity))
        return value * _limited(factor)

    def _next_prevalence(self, parameters: ModelParameters, simulated: UnitStatistics) -> Floats:
        """Return prevalences corrected by the ratio of observed to simulated shares."""
        # A category that no simulated unit has keeps its prevalence.
        occurs = simulated.prevalence > 0
        nonzero_shares = np.where(occurs, simulated.prevalence, 1.0)
        ratios = np.where(occurs, self.observed.prevalence / nonzero_shares, 1.0)
        prevalence = parameters.prevalence * ratios
        return np.asarray(prevalence / prevalence.sum())

    def _fit_into_continuum(self, n_units: float, length_factor: float) -> tuple[float, float]:
        """Return number and length factor of units, reduced until disjoint units fit.

        Units that would not fit into the continuum cannot have been there. The number is reduced
        first, not below the observed one, then the lengths.
        """
        observed = self.observed
        if self.model.layout is not Layout.APART or not observed.continuum_length:
            return n_units, length_factor
        filled_share = n_units * length_factor * observed.length / observed.continuum_length
        if filled_share > 1 and n_units > observed.n_units:
            n_fitting = max(observed.n_units, n_units / filled_share)
            filled_share = filled_share * n_fitting / n_units
            n_units = n_fitting
        return n_units, length_factor / max(filled_share, 1.0)

    def _model(self, parameters: ModelParameters) -> ReferenceModel:
        """Return the model with these parameters, except for its number of units."""
        layout = self.model.layout
        length = self.model.length
        if layout is Layout.OVERLAPPING and parameters.overlapping == 0:
            layout = Layout.APART
            length = None
        categories = self._categories(parameters, longest=math.inf if length is None else length)
        gaps = self.model.gaps
        if layout is not Layout.COVERING:
            unit_length = sum(c.prevalence * c.lengths.mean for c in categories)
            # n units have n + 1 gaps, which share what the units leave of the continuum.
            free_length = parameters.continuum_length - parameters.n_units * unit_length
            gaps = self._gaps(parameters, mean=free_length / (parameters.n_units + 1))
        return replace(self.model, categories=categories, gaps=gaps, layout=layout, length=length)

    def _categories(self, parameters: ModelParameters, longest: float) -> tuple[CategoryModel, ...]:
        """Return the categories with corrected prevalences and lengths, at most `longest`."""
        shares = parameters.prevalence.tolist()
        return tuple(
            replace(c, prevalence=share, lengths=self._lengths(c.lengths, parameters, longest))
            for c, share in zip(self.model.categories, shares, strict=True)
        )

    def _lengths(
        self, learnt: Distribution, parameters: ModelParameters, longest: float
    ) -> Distribution:
        """Return the learnt lengths, spread out and multiplied, at most `longest`."""
        if not isinstance(learnt, Empirical) or not self.observed.length:
            return learnt
        values = _spread_out(np.array(learnt.values), self.observed.length, parameters.length_power)
        values = np.minimum(values * parameters.length_factor, longest)
        if self.model.integer:
            smallest = 1.0 if learnt.minimum > 0 else 0.0
            values = np.maximum(_round_keeping_mean(_quantiles(values, _POINTS)), smallest)
        return Empirical(tuple(values.tolist()))

    def _gaps(self, parameters: ModelParameters, mean: float) -> Empirical:
        """Return gaps with the shares of zeros and of negative values in `parameters`.

        Their mean is `mean`, as far as these shares allow.
        """
        gaps = self._observed_gaps
        negative = gaps[gaps < 0]
        positive = gaps[gaps > 0]
        n_negative = 0
        if len(negative):
            n_negative = round(_POINTS * parameters.overlapping)
        n_zero = min(round(_POINTS * parameters.touching), _POINTS - n_negative)
        n_positive = _POINTS - n_negative - n_zero
        negative_gaps = _quantiles(negative, n_negative)
        if not n_positive or not len(positive):
            zeros = np.zeros(n_zero + n_positive)
            return Empirical(tuple(np.concatenate([negative_gaps, zeros]).tolist()))
        positive_gaps = _quantiles(
            _spread_out(positive, float(positive.mean()), parameters.gap_power), n_positive
        )
        positive_mean = max(0.0, mean * _POINTS - float(negative_gaps.sum())) / n_positive
        positive_gaps = positive_gaps * (positive_mean / positive_gaps.mean())
        if self.model.integer:
            positive_gaps = np.maximum(_round_keeping_mean(positive_gaps), 0.0)
        values = np.concatenate([negative_gaps, np.zeros(n_zero), positive_gaps])
        return Empirical(tuple(values.tolist()))

    @cached_property
    def _observed_gaps(self) -> Floats:
        gaps = self.model.gaps
        return np.array(gaps.values if isinstance(gaps, Empirical) else (), np.float64)


def _spread_out(values: Floats, scale: float, power: float) -> Floats:
    """Return the values spread out (power > 1) or drawn together, keeping their mean.

    Powers are taken of values over `scale`, which should be of the order of the values.
    """
    spread: Floats = (values / scale) ** power
    factor = values.mean() / spread.mean() if spread.any() else 1.0
    return spread * factor


def _quantiles(values: Floats, count: int) -> Floats:
    """Return `count` of the values at evenly spaced probabilities; none if there is no value."""
    if not len(values) or not count:
        return np.zeros(0)
    probabilities = (np.arange(count) + 0.5) / count
    return np.asarray(np.quantile(values, probabilities, method="inverted_cdf"))


def _round_keeping_mean(values: Floats) -> Floats:
    """Round to whole numbers such that the mean stays nearly the same."""
    # Adding multiples of the golden ratio modulo 1, which are evenly spread in [0, 1), before
    # rounding down rounds up the right share of values of any size.
    offsets = (np.arange(len(values)) * _GOLDEN) % 1
    return np.asarray(np.floor(values + offsets))


def _limited(factor: float) -> float:
    """Return a factor limited to what a parameter may change in one round."""
    return min(_LARGEST_FACTOR, max(1 / _LARGEST_FACTOR, factor))
