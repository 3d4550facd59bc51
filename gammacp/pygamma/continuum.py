"""The mutable continuum of pygamma-agreement, and the result of its `compute_gamma`."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partialmethod
from pathlib import Path
from typing import Any

import numpy as np
from sortedcontainers import SortedDict, SortedSet

import gammacp
from gammacp.alignment import align_each
from gammacp.base.signature import signature
from gammacp.chance.beyond import ratio
from gammacp.continuum.about import About
from gammacp.dissimilarity import bind
from gammacp.errors import DataError
from gammacp.pygamma.alignment import Alignment, SoftAlignment, UnitaryAlignment
from gammacp.pygamma.dissimilarity import (
    AbstractDissimilarity,
    CombinedCategoricalDissimilarity,
)
from gammacp.pygamma.units import Segment, Unit, sort_key, warn_of_difference

PRECISION_LEVEL = {"high": 0.01, "medium": 0.02, "low": 0.1}


class DisorderError(DataError, AssertionError):
    """A condition that pygamma-agreement asserts is violated, such as at least two annotators."""


class Continuum:
    """All annotators' units in one text or recording: `{annotator: {unit, …}}`, all sorted."""

    def __init__(self, uri: str | None = None) -> None:
        """Make an empty continuum; `uri` names the recording."""
        self.uri = uri
        self.bound_inf = self.bound_sup = 0.0
        self._annotations: Any = SortedDict()
        self._categories: Any = SortedSet()

    @classmethod
    def from_csv(
        cls, path: str | Path, discard_invalid_rows: bool = True, delimiter: str = ","
    ) -> Continuum:
        """Read rows of annotator, category, start and end, without a header.

        A DataError names the line that cannot be read.
        """
        continuum = cls()
        with Path(path).open(newline="", encoding="utf-8") as file:
            for line, row in enumerate(csv.reader(file, delimiter=delimiter), 1):
                try:
                    segment = Segment(float(row[2]), float(row[3]))
                except (IndexError, ValueError):
                    message = f"{','.join(row)!r} is not annotator, category, start, end"
                    raise DataError(message, file=path, line=line) from None
                try:
                    continuum.add(row[0], segment, row[1])
                except ValueError as error:
                    if not discard_invalid_rows:
                        raise
                    print(f"Discarded invalid segment : {error}")
        return continuum

    @classmethod
    def from_rttm(cls, path: str | Path) -> Continuum:
        """Read the SPEAKER lines of an RTTM file, whose file field names the annotator."""
        continuum = cls()
        for unit in gammacp.read(path, format="rttm", file_is="annotator"):
            continuum.add(unit.annotator, Segment(unit.start, unit.end), unit.category)
        return continuum

    def to_gammacp(self, categories: Iterable[Any] = ()) -> gammacp.Continuum:
        """Return gammacp's own continuum, with the units in the same order."""
        names = [*SortedSet(self._categories).union(categories)]
        code: dict[Any, int] = {None: -1, **{name: i for i, name in enumerate(names)}}
        units = [unit for _, unit in self]
        return gammacp.Continuum.from_codes(
            tuple(map(str, self._annotations)),
            tuple(map(str, names)),
            np.array([u.segment.start for u in units], np.float64),
            np.array([u.segment.end for u in units], np.float64),
            np.repeat(
                np.arange(len(self), dtype=np.int32), [*map(len, self._annotations.values())]
            ),
            np.array([code[u.annotation] for u in units], np.int32),
            bounds=(float(self.bound_inf), float(self.bound_sup)),
            about=About(self.uri or ""),
        )

    def copy_flush(self) -> Continuum:
        """Return a continuum with the same bounds and name, but without annotators."""
        emptied = Continuum(self.uri)
        emptied.bound_inf, emptied.bound_sup = self.bounds
        return emptied

    def copy(self) -> Continuum:
        """Return a copy that can be changed independently."""
        duplicate = self.copy_flush()
        duplicate._categories = SortedSet(self._categories)
        for annotator, units in self._annotations.items():
            duplicate.put(annotator, units)
        return duplicate

    def put(self, annotator: Any, units: Iterable[Unit]) -> None:
        """Replace the units of `annotator` by `units`; bounds and categories are unchanged."""
        self._annotations[annotator] = SortedSet(units, key=sort_key)

    def __bool__(self) -> bool:
        """Return whether the continuum has at least one unit."""
        return any(self._annotations.values())

    def __len__(self) -> int:
        """Return the number of annotators."""
        return len(self._annotations)

    def __eq__(self, other: object) -> bool:
        """Return whether both continua have the same annotators with the same units."""
        return isinstance(other, Continuum) and self._annotations == other._annotations

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[tuple[Any, Unit]]:
        """Iterate over pairs of annotator and unit."""
        return ((a, unit) for a, units in self._annotations.items() for unit in units)

    def __add__(self, other: Continuum) -> Continuum:
        """Return a new continuum with the units of both."""
        return self.copy()._taking(other)

    def __getitem__(self, keys: Any) -> Any:
        """Return a copy of an annotator's units, or one unit for `continuum[annotator, index]`."""
        if isinstance(keys, tuple):
            return self._annotations[keys[0]][keys[1]]
        return self._annotations[keys].copy()

    @property
    def num_units(self) -> int:
        """Number of units of all annotators."""
        return sum(map(len, self._annotations.values()))

    @property
    def num_annotators(self) -> int:
        """Number of annotators."""
        return len(self)

    @property
    def annotators(self) -> Any:
        """Names of the annotators, as a SortedSet."""
        return SortedSet(self._annotations)

    @property
    def categories(self) -> Any:
        """All categories that were ever added, as a SortedSet."""
        return self._categories

    @property
    def category_weights(self) -> Any:
        """Share of the units that have each category, as a SortedDict."""
        counts = Counter(unit.annotation for _, unit in self)
        return SortedDict({name: count / self.num_units for name, count in counts.items()})

    @property
    def bounds(self) -> tuple[float, float]:
        """First and last position, initially (0, 0).

        Units that are added widen them; `reset_bounds` narrows them.
        """
        return self.bound_inf, self.bound_sup

    @property
    def avg_num_annotations_per_annotator(self) -> float:
        """Mean number of units per annotator (x̄)."""
        return self.num_units / self.num_annotators

    @property
    def max_num_annotations_per_annotator(self) -> int:
        """Largest number of units of any annotator."""
        return max(map(len, self._annotations.values()), default=0)

    @property
    def avg_length_unit(self) -> float:
        """Mean length of the units."""
        return float(sum(u.segment.end - u.segment.start for _, u in self)) / self.num_units

    def add_annotator(self, annotator: Any) -> None:
        """Add `annotator`, without any units yet."""
        self._annotations.setdefault(annotator, SortedSet(key=sort_key))

    def add(self, annotator: Any, segment: Any, annotation: Any = None) -> None:
        """Add a unit; raise a ValueError unless its `segment` has a finite length > 0."""
        if not 0 < segment.end - segment.start < math.inf:
            raise ValueError(f"Tried adding segment of duration {segment.end - segment.start}")
        self.add_annotator(annotator)
        if annotation is not None:
            self._categories.add(annotation)
        units = self._annotations[annotator]
        before = len(self._annotations[annotator])
        units.add(Unit(segment, annotation))
        if len(units) == before:
            warn_of_difference("twice")
        self.bound_inf = min(self.bound_inf, segment.start)
        self.bound_sup = max(self.bound_sup, segment.end)

    def add_annotation(self, annotator: Any, annotation: Any) -> None:
        """Add all segments of a `pyannote.core.Annotation`, with their labels."""
        for segment, _, label in annotation.itertracks(yield_label=True):
            self.add(annotator, segment, label)

    def add_timeline(self, annotator: Any, timeline: Iterable[Any]) -> None:
        """Add segments without labels, such as those of a `pyannote.core.Timeline`."""
        for segment in timeline:
            self.add(annotator, segment)

    def _add_tiers(
        self,
        annotator: Any,
        path: str | Path,
        selected_tiers: Collection[str] | None = None,
        use_tier_as_annotation: bool = False,
        format: str = "elan",
    ) -> None:
        """Add the annotations of all or of selected tiers of a file as those of one annotator."""
        for unit in gammacp.read(path, format=format, tier="{annotator}"):
            if selected_tiers is None or unit.annotator in selected_tiers:
                if use_tier_as_annotation:
                    label = unit.annotator
                else:
                    label = unit.category or ""
                self.add(annotator, Segment(unit.start, unit.end), label)

    add_elan = _add_tiers
    add_textgrid = partialmethod(_add_tiers, format="textgrid")

    def reset_bounds(self) -> None:
        """Set the bounds to the first start and the last end.

        After that, γ does not depend on the origin of the positions.
        """
        segments = [unit.segment for _, unit in self]
        self.bound_inf = min((s.start for s in segments), default=0.0)
        self.bound_sup = max((s.end for s in segments), default=0.0)

    def merge(self, continuum: Continuum, in_place: bool = False) -> Continuum | None:
        """Add the units of `continuum`, `in_place` or (by default) to a copy, which is returned."""
        merged = (self if in_place else self.copy())._taking(continuum)
        if in_place:
            return None
        return merged

    def _taking(self, other: Continuum) -> Continuum:
        for annotator in other._annotations:
            self.add_annotator(annotator)
        for annotator, unit in other:
            self.add(annotator, unit.segment, unit.annotation)
        return self

    def iter_annotator(self, annotator: Any) -> Iterator[Unit]:
        """Yield the units of an annotator."""
        return iter(self._annotations[annotator])

    iterunits = iter_annotator

    def remove(self, annotator: Any, unit: Unit) -> None:
        """Remove a unit, but keep bounds and categories; raise a KeyError if it does not exist."""
        self._annotations[annotator].remove(unit)

    def to_csv(self, path: str | Path, delimiter: str = ",") -> None:
        """Write a CSV file that `from_csv` can read."""
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=delimiter)
            for a, unit in self:
                writer.writerow([a, unit.annotation, unit.segment.start, unit.segment.end])

    def get_best_alignment(self, dissimilarity: AbstractDissimilarity) -> Alignment:
        """Return the alignment of least disorder, proven to be optimal."""
        return _align_all([self], dissimilarity, soft=False)[0]

    def get_best_soft_alignment(self, dissimilarity: AbstractDissimilarity) -> Alignment:
        """Return the best soft alignment, in which units may occur more than once."""
        return _align_all([self], dissimilarity, soft=True)[0]

    def compute_gamma(
        self,
        dissimilarity: AbstractDissimilarity | None = None,
        n_samples: int = 30,
        precision_level: float | str | None = None,
        ground_truth_annotators: Iterable[Any] | None = None,
        sampler: Any = None,
        fast: bool = False,
        soft: bool = False,
    ) -> GammaResults:
        """Compute γ against random continua of the sampler, by default the statistical one.

        `fast` has no effect, as every alignment is exact; together with `soft` it is refused, as
        in pygamma-agreement. If `precision_level` requires more than `n_samples` samples, they are
        added once, by the formula of §5.3 of the paper.
        """
        from gammacp.pygamma.sampler import StatisticalContinuumSampler

        if soft and fast:
            raise NotImplementedError("Fast-gamma and Soft-gamma are not compatible")
        _check(self)
        measured = CombinedCategoricalDissimilarity() if dissimilarity is None else dissimilarity
        sampler = StatisticalContinuumSampler() if sampler is None else sampler
        sampler.init_sampling(self, ground_truth_annotators)
        first = min(unit.segment.start for _, unit in self)
        if self.bound_inf == 0 and first > self.bound_sup - first:
            warn_of_difference("from-zero")
        precision: Any = PRECISION_LEVEL.get(precision_level, precision_level)  # type: ignore[arg-type]
        if isinstance(precision, str) or (precision is not None and not 0 < precision < 1):
            levels = ", ".join(PRECISION_LEVEL)
            raise DisorderError(
                f"precision_level {precision!r} is neither {levels} nor a number between 0 and 1"
            )
        if n_samples < 1:
            raise DisorderError(f"n_samples {n_samples!r} is not at least 1")
        drawn = [sampler.sample_from_continuum for _ in range(n_samples)]
        best, *chance = _align_all([self, *drawn], measured, soft=soft)
        if precision is not None:
            disorders = [x.disorder for x in chance]
            mean = np.mean(disorders)
            spread = np.std(disorders) / mean if mean else 0.0
            more = math.ceil((spread * 1.96 / precision) ** 2) - n_samples
            drawn = [sampler.sample_from_continuum for _ in range(more)]
            if drawn:
                chance += _align_all([self, *drawn], measured, soft=soft)[1:]
            else:
                chance += []
        return GammaResults(best, chance, measured, precision, type(sampler).__name__)


def _check(continuum: Continuum) -> None:
    if len(continuum) < 2 or not continuum:
        raise DisorderError(
            "Disorder cannot be computed with less than two annotators, or without annotations",
            hint="Declare an annotator without units by add_annotator",
        )


def _align_all(
    continua: list[Continuum], dissimilarity: AbstractDissimilarity, *, soft: bool
) -> list[Alignment]:
    """Return the best alignment of each continuum, by the dissimilarity bound to the first one."""
    categories = SortedSet(dissimilarity.categories or ()).union(*(c.categories for c in continua))
    compared = dissimilarity.categories
    if compared is not None and len(categories) > len(compared):
        raise DisorderError(f"category {next(iter(categories - compared))!r} is not compared")
    for continuum in continua:
        _check(continuum)
    natives = [c.to_gammacp(categories) for c in continua]
    solved = align_each(natives, bind(dissimilarity, natives[0]), cover=soft)
    kind = SoftAlignment if soft else Alignment
    alignments = []
    for continuum, native in zip(continua, solved, strict=True):
        units = [unit for _, unit in continuum] + [None]
        unitary = []
        for row, disorder in zip(native.groups.tolist(), native.disorders.tolist(), strict=True):
            tuples = [(a, units[u]) for a, u in zip(continuum._annotations, row, strict=True)]
            unitary.append(UnitaryAlignment(tuples, disorder))
        alignments.append(kind(unitary, continuum, disorder=native.disorder))
        alignments[-1].bound = native.bound
        alignments[-1].status = native.status
    return alignments


@dataclass
class GammaResults:
    """The value of γ and the alignments behind it; γ_cat and γ_k are computed on request."""

    best_alignment: Alignment
    chance_alignments: list[Alignment]
    dissimilarity: AbstractDissimilarity
    precision_level: float | None = None
    sampler: str = ""

    @property
    def signature(self) -> str:
        """Return the signature of the result; `compat:pygamma` marks pygamma-agreement's γ."""
        return signature(
            "soft-gamma" if isinstance(self.best_alignment, SoftAlignment) else "gamma",
            compat="pygamma",
            d=self.dissimilarity.signature,
            chance=self.sampler,
            samples=self.n_samples,
            e=self.precision_level,
        )

    @property
    def n_samples(self) -> int:
        """Number of random continua behind the expected disorder."""
        return len(self.chance_alignments)

    @property
    def alignments_nb(self) -> int:
        """Number of unitary alignments in the best alignment."""
        return len(self.best_alignment.unitary_alignments)

    @property
    def observed_disorder(self) -> float:
        """Return the disorder of the best alignment."""
        return self.best_alignment.disorder

    @cached_property
    def expected_disorder(self) -> float:
        """Mean disorder of the random continua."""
        return float(np.mean([x.disorder for x in self.chance_alignments]))

    @property
    def approx_gamma_range(self) -> tuple[float, float]:
        """Values of γ if the expected disorder is smaller or greater by `precision_level`."""
        if self.precision_level is None:
            raise ValueError("No precision level has been set, cannot compute the gamma boundaries")
        ratio = self.observed_disorder / self.expected_disorder
        return 1 - ratio / (1 - self.precision_level), 1 - ratio / (1 + self.precision_level)

    @property
    def gamma(self) -> float:
        """1 − observed / expected; NaN where both are 0."""
        return ratio(self.observed_disorder, self.expected_disorder, "nothing expected")[0]

    @property
    def gamma_cat(self) -> float:
        """γ_cat (Mathet 2017) of `gammacp`; NaN where no two units are aligned."""
        return self._categorial(None)

    def gamma_k(self, category: Any) -> float:
        """γ_k of a category; NaN where none of its units is aligned with another."""
        return self._categorial(category)

    def _categorial(self, category: Any) -> float:
        warn_of_difference("gamma-cat")
        alignments = [self.best_alignment, *self.chance_alignments]
        observed, *chance = [a.gamma_k_disorder(self.dissimilarity, category) for a in alignments]
        defined = [x for x in chance if not math.isnan(x)]
        if math.isnan(observed) or not defined:
            return math.nan
        return ratio(observed, float(np.mean(defined)), "nothing expected")[0]
