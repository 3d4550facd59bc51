"""What is in a continuum: counts, lengths, gaps, overlaps, and what measures will stumble over."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.continuum import Bounds, Continuum


@dataclass(frozen=True, kw_only=True)
class LengthSummary:
    """Smallest, median, mean and largest of some lengths, in the continuum's offset unit."""

    minimum: float
    median: float
    mean: float
    maximum: float


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Counts of one continuum.

    Attributes
    ----------
    annotators
        Units per annotator.
    categories
        Units per category; the prevalence is the share of the labelled units.
    lengths
        Of the units; None without units.
    gaps, coverage
        Per annotator: stretches between the bounds that no unit covers, and the share of the
        continuum that the units cover (NaN when the continuum has no length).
    overlaps
        Per annotator: units that begin before an earlier one has ended.
    duplicates
        Per annotator: units that repeat another in start, end and category.
    unlabelled, zero_length
        Units without a category, and with start = end.
    whole_numbers
        Whether every position is an integer.
    warnings
        What measures will stumble over, one sentence each.
    """

    units: int
    offset_unit: str
    bounds: Bounds
    annotators: Mapping[str, int]
    categories: Mapping[str, int]
    lengths: LengthSummary | None
    gaps: Mapping[str, int]
    coverage: Mapping[str, float]
    overlaps: Mapping[str, int]
    duplicates: Mapping[str, int]
    unlabelled: int
    zero_length: int
    whole_numbers: bool
    has_text: bool
    warnings: Sequence[str]

    def prevalence(self, category: str) -> float:
        """The share of a category among the labelled units."""
        return self.categories[category] / max(1, sum(self.categories.values()))


def summary(continuum: Continuum) -> Summary:
    """Count what is in a continuum."""
    c, parts = continuum, continuum.atoms()
    counts = np.bincount(c.category_codes[c.category_codes >= 0], minlength=len(c.categories))
    covers = {name: _coverage(parts, name) for name in c.annotators}
    overlaps = {name: over for name, (_, _, over) in covers.items()}
    duplicates = {name: _duplicates(c, name) for name in c.annotators}
    return Summary(
        units=c.n_units,
        offset_unit=c.offset_unit,
        bounds=c.bounds,
        annotators=dict(zip(c.annotators, c.counts.tolist(), strict=True)),
        categories=dict(zip(c.categories, counts.tolist(), strict=True)),
        lengths=_spread(_marked_lengths(c)),
        gaps={name: gaps for name, (gaps, _, _) in covers.items()},
        coverage={name: share for name, (_, share, _) in covers.items()},
        overlaps=overlaps,
        duplicates=duplicates,
        unlabelled=int((c.category_codes < 0).sum()),
        zero_length=int((c.lengths == 0).sum()),
        whole_numbers=_whole(c),
        has_text=c.text is not None,
        warnings=tuple(_warnings(c, overlaps, duplicates)),
    )


def _marked_lengths(c: Continuum) -> Floats:
    """How long each unit is, without the gaps in it."""
    if not c.n_broken:
        return c.lengths
    return np.array([sum(e - s for s, e in u.fragments) or u.length for u in c], np.float64)


def _spread(lengths: Floats) -> LengthSummary | None:
    if not len(lengths):
        return None
    low, middle, high = np.quantile(lengths, [0, 0.5, 1]).tolist()
    return LengthSummary(minimum=low, median=middle, mean=float(lengths.mean()), maximum=high)


def _coverage(c: Continuum, name: str) -> tuple[int, float, int]:
    """Gaps, covered share, and units that overlap an earlier one."""
    rows = c.rows_of(name)
    starts = np.append(c.starts[rows], c.bounds[1])
    # How far the earlier units reach, from the lower bound on.
    reached = np.maximum.accumulate(np.concatenate(([c.bounds[0]], c.ends[rows])))
    gaps = np.maximum(starts - reached, 0.0)
    covered = 1 - float(gaps.sum()) / c.length if c.length else float("nan")
    return int((gaps > 0).sum()), covered, int((starts[1:-1] < reached[1:-1]).sum())


def _duplicates(c: Continuum, name: str) -> int:
    rows = c.rows_of(name)
    columns = np.stack((c.starts[rows], c.ends[rows], c.category_codes[rows]))
    return int((columns[:, 1:] == columns[:, :-1]).all(axis=0).sum())


def _whole(c: Continuum) -> bool:
    return bool((c.starts % 1 == 0).all() and (c.ends % 1 == 0).all())


def _warnings(
    c: Continuum, overlaps: Mapping[str, int], duplicates: Mapping[str, int]
) -> Iterator[str]:
    if not c.n_units:
        yield "there are no units: no measure is defined"
    elif c.n_annotators < 2:
        yield "there is only one annotator: agreement needs two"
    for name, count in zip(c.annotators, c.counts.tolist(), strict=True):
        if c.n_units and not count:
            yield (
                f"{name} has no units, which counts as having found none; leave out annotators who "
                "did not annotate"
            )
    for name, count in overlaps.items():
        if count:
            yield (
                f"{name} has {_units(count)} overlapping an earlier one: measures that need units "
                "without overlaps (u-alpha, segmentation, kappa-d) do not apply"
            )
    for name, count in duplicates.items():
        if count:
            yield f"{name} has {_units(count)} repeating another exactly: each one counts"
    yield from _unit_warnings(c)
    for kind, names in (("annotators", c.annotators), ("categories", c.categories)):
        for group in _alike(names):
            yield f"{kind} {', '.join(map(repr, group))} differ only in case or blanks"


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


def _alike(names: Sequence[str]) -> list[list[str]]:
    folded = Counter(_fold(n) for n in names)
    return [
        [n for n in names if _fold(n) == key] for key, count in sorted(folded.items()) if count > 1
    ]


def _fold(name: str) -> str:
    return " ".join(name.casefold().split())
