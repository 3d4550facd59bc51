"""Summaries of continua: counts, lengths, gaps, overlaps, and obstacles for measures."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.base.record_tables import record_of
from gammacp.continuum import Bounds, Continuum


@dataclass(frozen=True, kw_only=True)
class LengthSummary:
    """Smallest, median, mean and largest of some lengths, in the continuum's offset unit."""

    minimum: float
    median: float
    mean: float
    maximum: float


@dataclass(frozen=True, kw_only=True)
class AnnotatorCounts:
    """Counts of one annotator's units in a continuum.

    Attributes
    ----------
    units
        All units.
    gaps
        Stretches between the bounds that no unit covers.
    coverage
        Share of the continuum that the units cover; NaN when the continuum has no length.
    overlaps
        Units that begin before an earlier one has ended.
    duplicates
        Units that repeat another in start, end and category.
    """

    units: int
    gaps: int
    coverage: float
    overlaps: int
    duplicates: int


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Counts of one continuum.

    Attributes
    ----------
    annotators
        Counts of each annotator.
    categories
        Units per category; the prevalence is the share of the labelled units.
    lengths
        Lengths of the units; None without units.
    unlabelled, zero_length
        Units without a category, and with start = end.
    whole_numbers
        Whether every position is an integer.
    warnings
        Sentences on properties that are obstacles for measures.
    """

    units: int
    offset_unit: str
    bounds: Bounds
    annotators: Mapping[str, AnnotatorCounts]
    categories: Mapping[str, int]
    lengths: LengthSummary | None
    unlabelled: int
    zero_length: int
    whole_numbers: bool
    has_text: bool
    warnings: Sequence[str]

    def prevalence(self, category: str) -> float:
        """Return the share of a category among the labelled units."""
        return self.categories[category] / max(1, sum(self.categories.values()))

    def as_dict(self) -> dict[str, Any]:
        """Return the summary for JSON; counts of annotators are by the annotator's name."""
        return {
            **record_of(self, "units offset_unit bounds"),
            "annotators": self._by_annotator("units"),
            "categories": {
                name: {"units": count, "prevalence": self.prevalence(name)}
                for name, count in self.categories.items()
            },
            "lengths": self.lengths and vars(self.lengths),
            "gaps": self._by_annotator("gaps"),
            "coverage": self._by_annotator("coverage"),
            "overlaps": self._by_annotator("overlaps"),
            "duplicates": self._by_annotator("duplicates"),
            **record_of(self, "unlabelled zero_length whole_numbers has_text warnings"),
        }

    def _by_annotator(self, count: str) -> dict[str, float]:
        return {name: getattr(counts, count) for name, counts in self.annotators.items()}


def summary(continuum: Continuum, people: Sequence[str] = ()) -> Summary:
    """Count what is in a continuum.

    Parameters
    ----------
    continuum
        Continuum to be counted.
    people
        Similar names of annotators in the corpus (`alike_names`), for warnings.
    """
    c = continuum
    parts = continuum.atoms()
    counts = np.bincount(c.category_codes[c.category_codes >= 0], minlength=len(c.categories))
    annotators = {
        name: _counts(c, parts, name, units)
        for name, units in zip(c.annotators, c.counts.tolist(), strict=True)
    }
    return Summary(
        units=c.n_units,
        offset_unit=c.offset_unit,
        bounds=c.bounds,
        annotators=annotators,
        categories=dict(zip(c.categories, counts.tolist(), strict=True)),
        lengths=_spread(_marked_lengths(c)),
        unlabelled=int((c.category_codes < 0).sum()),
        zero_length=int((c.lengths == 0).sum()),
        whole_numbers=_whole(c),
        has_text=c.text is not None,
        warnings=tuple(_warnings(c, annotators, people)),
    )


def _marked_lengths(c: Continuum) -> Floats:
    """Return the length of each unit without the gaps between its fragments."""
    if not c.n_broken:
        return c.lengths
    return np.array([sum(e - s for s, e in u.fragments) or u.length for u in c], np.float64)


def _spread(lengths: Floats) -> LengthSummary | None:
    if not len(lengths):
        return None
    low, middle, high = np.quantile(lengths, [0, 0.5, 1]).tolist()
    return LengthSummary(minimum=low, median=middle, mean=float(lengths.mean()), maximum=high)


def _counts(continuum: Continuum, parts: Continuum, name: str, units: int) -> AnnotatorCounts:
    """Return the counts of one annotator; in `parts` each fragment is a unit."""
    c = parts
    rows = parts.rows_of(name)
    starts = np.append(c.starts[rows], c.bounds[1])
    # Largest end of the earlier units, or the lower bound.
    reached = np.maximum.accumulate(np.concatenate(([c.bounds[0]], c.ends[rows])))
    gaps = np.maximum(starts - reached, 0.0)
    if c.length:
        covered = 1 - float(gaps.sum()) / c.length
    else:
        covered = float("nan")
    return AnnotatorCounts(
        units=units,
        gaps=int((gaps > 0).sum()),
        coverage=covered,
        overlaps=int((starts[1:-1] < reached[1:-1]).sum()),
        duplicates=_duplicates(continuum, name),
    )


def _duplicates(c: Continuum, name: str) -> int:
    rows = c.rows_of(name)
    columns = np.stack((c.starts[rows], c.ends[rows], c.category_codes[rows]))
    return int((columns[:, 1:] == columns[:, :-1]).all(axis=0).sum())


def _whole(c: Continuum) -> bool:
    return bool((c.starts % 1 == 0).all() and (c.ends % 1 == 0).all())


def _warnings(
    c: Continuum, annotators: Mapping[str, AnnotatorCounts], people: Sequence[str]
) -> Iterator[str]:
    if not c.n_units:
        yield "there are no units: no measure is defined"
    elif c.n_annotators < 2:
        yield "there is only one annotator: agreement needs two"
    for name, counts in annotators.items():
        if c.n_units and not counts.units:
            yield (
                f"{name} has no units, which counts as having found none; leave out annotators who "
                "did not annotate"
            )
    for name, counts in annotators.items():
        if counts.overlaps:
            yield (
                f"{name} has {_units(counts.overlaps)} overlapping an earlier one: measures that "
                "need units without overlaps (u-alpha, segmentation, kappa-d) do not apply"
            )
    for name, counts in annotators.items():
        if counts.duplicates:
            repeated = _units(counts.duplicates)
            yield f"{name} has {repeated} repeating another exactly: each one counts"
    yield from _unit_warnings(c)
    everybody = sorted({*c.annotators, *people})
    for kind, names in (("annotators", everybody), ("categories", c.categories)):
        if kind == "annotators":
            here = {*c.annotators}
        else:
            here = {*names}
        for group in _alike(names):
            if here & {*group}:
                listed = ", ".join(map(repr, group))
                yield f"{kind} {listed} differ only in case, blanks or accents"


def _unit_warnings(c: Continuum) -> Iterator[str]:
    zero = int((c.lengths == 0).sum())
    if zero:
        yield (
            f"{_units(zero)} of zero length: a length-based dissimilarity matches them only with "
            "others of zero length at exactly the same place"
        )
    unlabelled = int((c.category_codes < 0).sum())
    if 0 < unlabelled < c.n_units:
        yield (
            f"{_units(unlabelled)} of {c.n_units} without a category: measures that need all units "
            "labelled do not apply"
        )
    if c.axes > 1:
        yield (
            f"{_units(c.n_units)} with shapes on {c.axes} axes ({', '.join(sorted(c.kinds))}): γ "
            "and the measures built on it use them; other measures do not apply and say so"
        )
    elif c.breaks is not None:
        yield (
            f"{_units(c.n_broken)} of several fragments: a measure takes each as one, or its "
            "fragments as units, or does not apply, and says so"
        )
    if c.n_units and not _whole(c):
        yield (
            "positions are not all whole numbers: u-alpha, cu-alpha, ku-alpha and segmentation "
            "measures do not apply"
        )


def _units(count: int) -> str:
    return f"{count} unit" + "s" * (count != 1)


def alike_names(names: Iterable[str]) -> list[str]:
    """Return the names that differ from another one only in case, blanks or accents.

    Parameters
    ----------
    names
        Names of all annotators of a corpus.

    >>> alike_names(["Zoë", "zoe", "Bob"])
    ['Zoë', 'zoe']
    """
    return [name for group in _alike(sorted({*names})) for name in group]


def _alike(names: Sequence[str]) -> list[list[str]]:
    folded = Counter(_fold(n) for n in names)
    return [
        [n for n in names if _fold(n) == key] for key, count in sorted(folded.items()) if count > 1
    ]


def _fold(name: str) -> str:
    """Return a name without case, accents and repeated blanks."""
    decomposed = unicodedata.normalize("NFKD", " ".join(name.casefold().split()))
    return "".join(c for c in decomposed if not unicodedata.combining(c))
