"""The samplers of pygamma-agreement: the same draws from `numpy.random`, in the same order."""

# ruff: noqa: NPY002
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from sortedcontainers import SortedSet

from gammacp.compat.pygamma.continuum import Continuum
from gammacp.compat.pygamma.units import Segment

# The shortest segment of pyannote.
_SHORTEST = 1e-6


class AbstractContinuumSampler:
    """Draws random continua like a reference; one of one's own has `sample_from_continuum`."""

    _reference_continuum: Any = None
    _ground_truth_annotators: Any = None

    def init_sampling(
        self, reference_continuum: Continuum, ground_truth_annotators: Iterable[Any] | None = None
    ) -> None:
        """Draw like this continuum, or like some of its annotators."""
        assert reference_continuum, "Cannot initialize sampling with an empty reference continuum."
        known = reference_continuum.annotators
        chosen = known if ground_truth_annotators is None else SortedSet(ground_truth_annotators)
        assert known.issuperset(chosen), "Can't sample from annotators not in the continuum."
        self._reference_continuum, self._ground_truth_annotators = reference_continuum, chosen

    def _has_been_init(self) -> None:
        assert self._reference_continuum is not None, "Call init_sampling first."

    @property
    def sample_from_continuum(self) -> Continuum:
        """A random continuum."""
        raise NotImplementedError


class ShuffleContinuumSampler(AbstractContinuumSampler):
    """Annotators drawn with replacement and shifted on the circle (Mathet et al. 2015, §5.2)."""

    def __init__(self, pivot_type: str = "int_pivot") -> None:
        """Shifts by whole numbers, or with "float_pivot" by any."""
        assert pivot_type in ("float_pivot", "int_pivot")
        self._pivot_type = pivot_type

    def _pivot(self, free: list[tuple[float, float]], bounds: tuple[float, float]) -> float:
        if not free:
            return float(np.random.uniform(*bounds))
        lengths = np.array([end - start for start, end in free])
        chosen = free[np.random.choice(len(free), p=lengths / lengths.sum())]
        pivot = np.random.uniform(*chosen)
        return int(pivot) if self._pivot_type == "int_pivot" else float(pivot)

    @property
    def sample_from_continuum(self) -> Continuum:
        """A random continuum with a unit at least."""
        self._has_been_init()
        reference, names = self._reference_continuum, self._ground_truth_annotators
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
                    start, end = unit.segment.start + pivot - low, unit.segment.end + pivot - low
                    back = high - low if start > high else 0
                    drawn.add(name, Segment(start - back, end - back), unit.annotation)
        return drawn


class StatisticalContinuumSampler(AbstractContinuumSampler):
    """Numbers of units, gaps and lengths from normal distributions, categories by their shares."""

    def init_sampling(
        self, reference_continuum: Continuum, ground_truth_annotators: Iterable[Any] | None = None
    ) -> None:
        """Means and deviations of this continuum."""
        super().init_sampling(reference_continuum, ground_truth_annotators)
        everybody = [x for x in reference_continuum._annotations.values() if x]
        first = reference_continuum.bound_inf
        gaps = [b.segment.start - a.segment.end for x in everybody for a, b in pairwise(x)]
        gaps += [x[0].segment.start - first for x in everybody if x[0].segment.start > first]
        units = [unit for _, unit in reference_continuum]
        self._normals = {
            "number": _normal([len(x) for x in reference_continuum._annotations.values()]),
            "gap": _normal([0, *gaps]),
            "duration": _normal([u.segment.end - u.segment.start for u in units]),
        }
        counts = Counter(unit.annotation for unit in units)
        self._categories = [*reference_continuum.categories] + [None] * (None in counts)
        shares = [counts[name] / len(units) for name in self._categories]
        self._sums: list[float] | None = _sums(shares)

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
        """Means and deviations of one's own, categories of equal shares by default."""
        dummy = Continuum()
        for annotator in annotators:
            dummy.add(annotator, Segment(0, 10), "Dummy")
        super().init_sampling(dummy)
        self._normals = {
            "number": (avg_num_units_per_annotator, std_num_units_per_annotator),
            "gap": (avg_gap, std_gap),
            "duration": (avg_duration, std_duration),
        }
        self._categories = [*categories]
        self._sums = None if categories_weight is None else _sums([*categories_weight])
        if self._sums is not None and len(self._categories) != len(self._sums):
            raise ValueError("categories and categories_weight have different sizes.")

    def _category(self) -> Any:
        """As `numpy.random.choice` draws, at a tenth of its cost."""
        if self._sums is None:
            return self._categories[np.random.randint(0, len(self._categories))]
        return self._categories[bisect_right(self._sums, np.random.random_sample())]

    @property
    def sample_from_continuum(self) -> Continuum:
        """A random continuum with a unit at least."""
        self._has_been_init()
        normal, of = np.random.normal, self._normals
        drawn: Continuum = self._reference_continuum.copy_flush()
        for annotator in self._ground_truth_annotators:
            drawn.add_annotator(annotator)
            number, end = abs(int(normal(*of["number"]))), self._reference_continuum.bound_inf
            for _ in range(number if drawn else max(1, number)):
                start = end = end + normal(*of["gap"])
                while end - start < _SHORTEST:
                    end = start + abs(normal(*of["duration"]))
                drawn.add(annotator, Segment(float(start), float(end)), self._category())
        return drawn


def _normal(values: list[float]) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values))


def _sums(shares: list[float]) -> list[float]:
    sums = np.cumsum(shares)
    return [float(x) for x in sums / sums[-1]]
