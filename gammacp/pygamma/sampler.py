"""The samplers of pygamma-agreement: the same draws from `numpy.random`, in the same order."""

# ruff: noqa: NPY002
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from sortedcontainers import SortedSet

from gammacp.chance.normal import NormalSampler, cumulative_sums, normal_sampler
from gammacp.pygamma.continuum import Continuum
from gammacp.pygamma.units import Segment

# Length of the shortest segment that pyannote accepts.
_SHORTEST = 1e-6


class AbstractContinuumSampler:
    """Base of samplers of random continua; a subclass defines `sample_from_continuum`."""

    _reference_continuum: Any = None
    _ground_truth_annotators: Any = None

    def init_sampling(
        self, reference_continuum: Continuum, ground_truth_annotators: Iterable[Any] | None = None
    ) -> None:
        """Set the continuum, or some of its annotators, as the model of the random continua."""
        assert reference_continuum, "Cannot initialize sampling with an empty reference continuum."
        annotators = reference_continuum.annotators
        if ground_truth_annotators is None:
            chosen = annotators
        else:
            chosen = SortedSet(ground_truth_annotators)
        assert annotators.issuperset(chosen), "Can't sample from annotators not in the continuum."
        self._reference_continuum = reference_continuum
        self._ground_truth_annotators = chosen

    def _has_been_init(self) -> None:
        assert self._reference_continuum is not None, "Call init_sampling first."

    @property
    def sample_from_continuum(self) -> Continuum:
        """A random continuum."""
        raise NotImplementedError


class ShuffleContinuumSampler(AbstractContinuumSampler):
    """Draw annotators with replacement and shift them circularly (Mathet et al. 2015, §5.2)."""

    def __init__(self, pivot_type: str = "int_pivot") -> None:
        """Shift by whole numbers, or by real numbers if `pivot_type` is "float_pivot"."""
        assert pivot_type in ("float_pivot", "int_pivot")
        self._pivot_type = pivot_type

    def _pivot(self, free: list[tuple[float, float]], bounds: tuple[float, float]) -> float:
        if not free:
            return float(np.random.uniform(*bounds))
        lengths = np.array([end - start for start, end in free])
        chosen = free[np.random.choice(len(free), p=lengths / lengths.sum())]
        pivot = np.random.uniform(*chosen)
        if self._pivot_type == "int_pivot":
            return int(pivot)
        return float(pivot)

    @property
    def sample_from_continuum(self) -> Continuum:
        """A random continuum with a unit at least."""
        self._has_been_init()
        reference = self._reference_continuum
        names = self._ground_truth_annotators
        apart, (low, high) = reference.avg_length_unit / 2, reference.bounds
        drawn: Continuum = reference.copy_flush()
        while not drawn:
            free = [(low, high)]
            for number in range(len(names)):
                pivot = self._pivot(free, (low, high))
                sides = [((a, pivot - apart), (pivot + apart, b)) for a, b in reversed(free)]
                free = [(a, b) for both in sides for a, b in both if a < b]
                drawn.add_annotator(name := f"Sampled_annotation {number}")
                for unit in reference.iter_annotator(np.random.choice(names)):
                    start = unit.segment.start + pivot - low
                    end = unit.segment.end + pivot - low
                    if start > high:
                        back = high - low
                    else:
                        back = 0
                    drawn.add(name, Segment(start - back, end - back), unit.annotation)
        return drawn


class _AllAlike(NormalSampler):
    """Categories with equal shares, as `numpy.random.choice` draws them if no shares are given."""

    def category(self, rng: Any) -> int:
        return int(rng.randint(0, len(self.category_codes)))


class StatisticalContinuumSampler(AbstractContinuumSampler):
    """Draw numbers of units, gaps and lengths from normal distributions, categories by shares."""

    _model: NormalSampler
    _categories: list[Any]

    def init_sampling(
        self, reference_continuum: Continuum, ground_truth_annotators: Iterable[Any] | None = None
    ) -> None:
        """Take means and standard deviations from the reference continuum."""
        super().init_sampling(reference_continuum, ground_truth_annotators)
        # Unlabelled units have the code −1, which selects the last category.
        self._categories = [*reference_continuum.categories, None]
        codes = [*range(len(self._categories) - 1), -1]
        native = reference_continuum.to_gammacp()
        begins = reference_continuum.bound_inf
        sampler = normal_sampler(native, len(self._ground_truth_annotators), codes, begins)
        self._model = replace(sampler, shortest=_SHORTEST)

    def init_sampling_custom(
        self,
        annotators: Iterable[Any],
        avg_num_units_per_annotator: float,
        std_num_units_per_annotator: float,
        avg_gap: float,
        std_gap: float,
        avg_duration: float,
        std_duration: float,
        categories: Iterable[Any],
        categories_weight: Iterable[float] | None = None,
    ) -> None:
        """Set means and standard deviations directly; categories have equal shares by default."""
        dummy = Continuum()
        for annotator in annotators:
            dummy.add(annotator, Segment(0, 10), "Dummy")
        super().init_sampling(dummy)
        self._categories = [*categories]
        shares = [1.0 for _ in self._categories] if categories_weight is None else categories_weight
        sums = cumulative_sums([*shares])
        if len(self._categories) != len(sums):
            raise ValueError("categories and categories_weight have different sizes.")
        self._model = (_AllAlike if categories_weight is None else NormalSampler)(
            (),
            len(dummy),
            tuple(range(len(sums))),
            sums,
            (avg_num_units_per_annotator, std_num_units_per_annotator),
            (avg_gap, std_gap),
            (avg_duration, std_duration),
            shortest=_SHORTEST,
        )

    @property
    def sample_from_continuum(self) -> Continuum:
        """A random continuum with a unit at least."""
        self._has_been_init()
        continuum: Continuum = self._reference_continuum.copy_flush()
        shared: Any = np.random  # its functions draw from the state that `numpy.random.seed` sets
        for annotator in self._ground_truth_annotators:
            continuum.add_annotator(annotator)
            units = self._model.annotation(shared, least=int(not continuum))
            starts = units.starts + self._reference_continuum.bound_inf
            spans = zip(starts.tolist(), (starts + units.lengths).tolist(), strict=True)
            for span, code in zip(spans, units.category_codes.tolist(), strict=True):
                continuum.add(annotator, Segment(*span), self._categories[code])
        return continuum
