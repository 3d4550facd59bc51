"""Systems against a gold standard: per document, over the corpus, ranked, with trivial baselines.

Every measure of a document is a fraction, numerator and denominator: windows without an error over
windows, boundaries that agree over boundaries. They are counted once; *micro* divides their sums
over documents, *macro* is the mean of the fractions, leaving out and counting documents without a
denominator. Tests reweigh the counts, as for γ: documents are drawn again for an interval of the
difference of two systems (`ratios`), and the systems' counts are exchanged in random documents for
its p (approximate randomisation, Noreen 1989), in all ways where documents are few.

The baselines (`gammacp.segmentation.baselines`) are made of the reference, and take in all
documents that a system coded.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from gammacp.base.arguments import several, whole
from gammacp.base.arrays import Floats
from gammacp.base.record_tables import record_of
from gammacp.base.signature import quote_part
from gammacp.errors import DataError, UsageError
from gammacp.inference.part_tests import holm
from gammacp.segmentation.baselines import BASELINES, JointCodings
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.measures.comparison import CorrectedSimilarity, Criterion
from gammacp.segmentation.measures.rows import CodingPairs, compare_rows, share
from gammacp.segmentation.statistics import (
    Spread,
    draw_items,
    fractions_apart,
    in_words,
    interval,
    spread,
)

RANKED_BY = "b"
# In this order in tables. An agreement is 1 at best; over, under, shift and deviations are 0.
SHOWN = ("b", "s", "windowdiff", "pk", "ghd", "f", "f_near", "over", "under", "shift")
# Measures of recordings. Purity is the share of each segment of the system that lies in one segment
# of the reference, and coverage is the reverse. `missed` is the median distance from boundaries of
# the reference to the nearest boundary of the system, and `strayed` is the reverse; all documents
# have equal weight.
RECORDING = ("purity", "coverage", "missed", "strayed")
MEASURES = (*SHOWN, *RECORDING)
_PLACES = frozenset({"shift", "missed", "strayed"})
# Value of a fraction with denominator 0; other measures have no value then.
_EMPTY = {"b": 1.0, "s": 1.0, "ghd": 1.0}
_EXACT = 10

Fractions = Mapping[str, tuple[Floats, Floats]]


class Difference(NamedTuple):
    """Difference of two systems by a measure (micro), with a 95 % interval and its p.

    No interval for fewer than 5 documents. `p_holm` is p after Holm's correction for all pairs.
    """

    value: float
    interval: tuple[float, float] | None
    p: float
    p_holm: float = math.nan


@dataclass(frozen=True, kw_only=True)
class SystemScore:
    """One system, or baseline, against the reference.

    Attributes
    ----------
    name, baseline
        Name of the system; whether it is one of the baselines.
    documents
        Documents that were compared, in order.
    left_out
        Documents that the system or the reference did not code.
    fractions
        Numerators and denominators of `MEASURES`, shape (documents,) each.
    """

    name: str
    baseline: bool
    documents: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    fractions: Fractions

    def values(self, measure: str) -> Floats:
        """Return the measure of each document; NaN where it has none."""
        return share(*self.fractions[measure], _EMPTY.get(measure, math.nan))

    def micro(self, measure: str) -> float:
        """Return the measure of all documents together."""
        above, below = (part.sum() for part in self.fractions[measure])
        if below:
            return float(above / below)
        return _EMPTY.get(measure, math.nan)

    def macro(self, measure: str) -> Spread:
        """Return mean and spread of a `measure` over documents, and how many have no value."""
        return spread(self.values(measure))

    def as_dict(self) -> dict[str, Any]:
        """Return the score as JSON."""
        columns = [self.values(name).tolist() for name in MEASURES]
        rows = zip(self.documents, zip(*columns, strict=True), strict=True)
        return {
            "system": self.name,
            "baseline": self.baseline,
            "documents": len(self.documents),
            "documents_left_out": self.left_out,
            "micro": {name: self.micro(name) for name in MEASURES},
            "macro": {name: self.macro(name)._asdict() for name in MEASURES},
            "by_document": {item: dict(zip(MEASURES, row, strict=True)) for item, row in rows},
        }


@dataclass(frozen=True, kw_only=True)
class GoldReport:
    """Systems and baselines, best first by B of all documents together.

    Attributes
    ----------
    reference, near
        Name of the reference; number of places within which a boundary counts as found.
    systems
        Systems and baselines, the best first.
    differences
        Difference of each pair with at least one system, the better first, on the documents that
        both have.
    notes
        Notes on what is left out or has no value.
    signature
        Signature of the report.
    """

    reference: str
    near: int
    systems: tuple[SystemScore, ...]
    differences: Mapping[tuple[str, str], Mapping[str, Difference]]
    notes: tuple[str, ...]
    signature: str

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON."""
        return {
            **record_of(self, "reference near"),
            "systems": [system.as_dict() for system in self.systems],
            "differences": [
                {"first": a, "second": b, **{name: d._asdict() for name, d in by_measure.items()}}
                for (a, b), by_measure in self.differences.items()
            ],
            **record_of(self, "notes signature"),
        }


def gold_report(
    codings: Codings,
    reference: str,
    *,
    systems: Sequence[str] = (),
    comparison: Criterion | None = None,
    near: int | None = None,
    draws: int = 1000,
    seed: int = 0,
) -> GoldReport:
    """Compare systems and baselines with one coder as the reference.

    Parameters
    ----------
    codings
        The reference's and the systems' segmentations.
    reference
        Name of the coder whose segmentations are taken as correct.
    systems
        Names of coders; default: all others.
    comparison
        Edits of S and B; mode of WindowDiff.
    near
        Places within which F₁, over- and under-segmentation take a boundary as found, one to one;
        default: as far as a near miss reaches, n − 1.
    draws
        Number of draws of the tests.
    seed
        Seed of the draws and of `shuffled`.

    Raises
    ------
    UsageError
        The reference or a system coded nothing.
    DataError
        No system has a document in common with it.

    >>> from gammacp.segmentation import Segmentation
    >>> one, other = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([5, 6])
    >>> found = gold_report(Codings.of({"x": {"gold": one, "system": other}}), "gold")
    >>> found.systems[0].name, found.systems[0].micro("b"), found.systems[0].micro("under")
    ('system', 0.5, 0.5)
    """
    comparison = comparison or Criterion()
    near = comparison.n - 1 if near is None else min(whole("near", near, 0), 2**53)
    draws = whole("draws", draws, 1)
    seed = whole("seed", seed, 0)
    chosen = _systems(codings, reference, several("systems", systems))
    gold = codings.only(item for item, coders in codings.items() if reference in coders)
    shared = {name: [i for i in gold if name in codings[i]] for name in chosen}
    apart = [name for name, items in shared.items() if not items]
    _check_shared(shared, reference, named=bool(systems))
    lost = _left_out(codings, gold, shared)
    scores = _scores(gold, reference, shared, lost, comparison, near, np.random.default_rng(seed))
    ranked = sorted(scores, key=lambda s: (math.isnan(s.micro(RANKED_BY)), -s.micro(RANKED_BY)))
    return GoldReport(
        reference=reference,
        near=near,
        systems=tuple(ranked),
        differences=_all_differences(ranked, draws, seed),
        notes=tuple(_notes(len(codings.types) > 1, ranked, apart)),
        signature=comparison.signature_of(
            "segmentation",
            reference=quote_part(reference),
            systems=",".join(sorted(quote_part(s.name) for s in scores if not s.baseline)),
            near=near,
            draws=draws,
            seed=seed,
        ),
    )


def _systems(codings: Codings, reference: str, systems: Sequence[str]) -> list[str]:
    """Return the coders that are compared with the reference: those named, or all others."""
    codings.require("reference", reference)
    chosen = list(dict.fromkeys(systems)) or [c for c in codings.coders if c != reference]
    for name in chosen:
        codings.require("system", name)
        if name in BASELINES:
            raise UsageError(f"system {name!r} has the name of a baseline: rename it")
        if name == reference:
            raise UsageError(f"{name!r} is the reference, so it cannot be a system too")
    return chosen


def _all_differences(
    ranked: Sequence[SystemScore], draws: int, seed: int
) -> Mapping[tuple[str, str], Mapping[str, Difference]]:
    """Test the differences of all pairs of systems, and of systems and baselines, with Holm."""
    differences = {
        (a.name, b.name): _differences(a, b, draws, seed)
        for a, b in combinations(ranked, 2)
        if not (a.baseline and b.baseline)
    }
    return _correct_p(differences)


def _left_out(
    codings: Codings, gold: Codings, shared: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Return the items that a system or the reference coded, but not both, by system."""
    return {
        name: tuple(i for i in codings if (name in codings[i] or i in gold) and i not in items)
        for name, items in shared.items()
    }


def _check_shared(shared: Mapping[str, Sequence[str]], reference: str, *, named: bool) -> None:
    """Raise DataError if no system, or one that is named, has an item of the reference."""
    apart = [name for name, items in shared.items() if not items]
    if apart and named:
        raise DataError(f"{apart[0]!r} coded no item of the reference {reference!r}")
    if len(apart) == len(shared):
        raise DataError(
            f"no item of {reference!r} is coded by a system",
            hint="List a system's segmentations under the items of the reference",
        )


def _scores(
    gold: Codings,
    reference: str,
    shared: Mapping[str, Sequence[str]],
    lost: Mapping[str, tuple[str, ...]],
    comparison: Criterion,
    near: int,
    rng: np.random.Generator,
) -> list[SystemScore]:
    """Return the scores of systems, then of baselines, all computed in one comparison."""
    coded = [i for i in gold if any(i in items for items in shared.values())]
    right = gold.only(coded).without(c for c in gold.coders if c != reference)
    joint = JointCodings(gold, right, {n: items for n, items in shared.items() if items}, rng)
    counts = _counts(compare_rows(joint.rows, comparison, joint.pairs), near)
    means = {measure: [*map(joint.sums, parts)] for measure, parts in counts.items()}
    number = {item: k for k, item in enumerate(coded)}
    scores = []
    for k, name in enumerate(joint.judged, 1):
        items = shared.get(name, coded)
        at = [number[item] for item in items]
        scores.append(
            SystemScore(
                name=name,
                baseline=name in BASELINES,
                documents=tuple(items),
                left_out=lost.get(name, ()),
                fractions={m: (above[k, at], below[k, at]) for m, (above, below) in means.items()},
            )
        )
    return scores


def _counts(pairs: CodingPairs, near: int) -> dict[str, tuple[Floats, Floats]]:
    """Return the fractions of `MEASURES` of each pair, with the first coding as the reference."""
    from gammacp.segmentation.gold_kernels import both_ways, match_within

    rows, (first, second) = pairs.rows, pairs.pairs
    near_matches, shifts = match_within(rows.places, rows.offsets, first, second, float(near)).T
    gold_counts, system_counts = (
        rows.boundary_counts.sum(axis=1)[side].astype(np.float64) for side in (first, second)
    )
    gold_places, places = (rows.sizes[side].astype(np.float64) for side in (first, second))
    covered, missed, pure, strayed = both_ways(
        rows.places, rows.offsets, rows.masses, first, second
    ).T
    masses = rows.masses[first].astype(np.float64)
    placed_both = (missed >= 0).astype(np.float64)
    windows, errors, p_windows, p_errors, distance, largest = pairs.sided[:, 0].T
    return {
        "b": pairs.parts(CorrectedSimilarity.B),
        "s": pairs.parts(CorrectedSimilarity.S),
        "windowdiff": (windows - errors, windows),
        "pk": (p_windows - p_errors, p_windows),
        "ghd": (largest - distance, largest),
        "f": (2 * pairs.column("matches"), gold_counts + system_counts),
        "f_near": (2 * near_matches, gold_places + places),
        "over": (places - near_matches, places),
        "under": (gold_places - near_matches, gold_places),
        "shift": (shifts, near_matches),
        "purity": (pure, masses),
        "coverage": (covered, masses),
        "missed": (missed * placed_both, placed_both),
        "strayed": (strayed * placed_both, placed_both),
    }


@lru_cache(maxsize=2)
def _exchanges(size: int, draws: int, seed: int) -> tuple[Floats, Floats]:
    """Draw documents, and documents in which two systems are exchanged: (draws, size) each.

    With few documents, all possible exchanges are returned instead.
    """
    if size <= _EXACT:
        return draw_items(size, draws, seed), np.array(list(product((0.0, 1.0), repeat=size)))
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(size,)))
    return draw_items(size, draws, seed), rng.integers(2, size=(draws, size)).astype(np.float64)


def _differences(a: SystemScore, b: SystemScore, draws: int, seed: int) -> dict[str, Difference]:
    number = {item: k for k, item in enumerate(b.documents)}
    places_in_a = [k for k, item in enumerate(a.documents) if item in number]
    places_in_b = [number[item] for item in a.documents if item in number]
    size = len(places_in_a)
    if not size:
        return dict.fromkeys(MEASURES, Difference(math.nan, None, math.nan))
    drawn, swaps = _exchanges(size, draws, seed)
    exact = size <= _EXACT
    difference_by_measure = {}
    for measure in MEASURES:
        one = a.fractions[measure]
        other = b.fractions[measure]
        parts = np.stack(
            [one[0][places_in_a], one[1][places_in_a], other[0][places_in_b], other[1][places_in_b]]
        )
        values, errors = fractions_apart(parts, drawn)
        value = float(values[0])
        moved = np.einsum("wd,pd->pw", swaps, parts[[2, 3]] - parts[:2])
        sums = parts.sum(axis=1)[:, None] + np.concatenate((moved, -moved))
        exchanged = share(sums[0], sums[1], math.nan) - share(sums[2], sums[3], math.nan)
        # The data themselves are among all exchanges, and are added to random ones.
        as_far = int((np.abs(exchanged) >= abs(value) - 1e-12).sum()) + (not exact)
        if math.isnan(value):
            p = math.nan
        else:
            p = as_far / (len(swaps) + (not exact))
        if measure in _PLACES:
            limit = math.inf
        else:
            limit = 1.0
        difference_by_measure[measure] = Difference(value, interval(values, errors, size, limit), p)
    return difference_by_measure


def _correct_p(
    differences: Mapping[tuple[str, str], Mapping[str, Difference]],
) -> dict[tuple[str, str], dict[str, Difference]]:
    """Add p after Holm's correction for all pairs, for each measure separately."""
    corrected = {
        m: holm(np.array([d[m].p for d in differences.values()])).tolist() for m in MEASURES
    }
    return {
        pair: {m: d._replace(p_holm=corrected[m][k]) for m, d in of.items()}
        for k, (pair, of) in enumerate(differences.items())
    }


def _notes(typed: bool, systems: Sequence[SystemScore], apart: Sequence[str]) -> list[str]:
    notes = [f"{name}: left out, because it coded no document of the reference" for name in apart]
    if typed:
        notes.append("f_near, over, under and shift compare places and ignore types of boundaries")
    notes += [
        f"{a.name} and {b.name}: no document in common, so they are not compared"
        for a, b in combinations(systems, 2)
        if not set(a.documents) & set(b.documents)
    ]
    notes += [
        f"{s.name}: {len(s.left_out)} documents that it or the reference did not code are left "
        f"out: {', '.join(s.left_out)}"
        for s in systems
        if s.left_out
    ]
    for s in systems:
        listed = in_words({name: s.macro(name).undefined for name in MEASURES})
        if listed and not s.baseline:
            notes.append(f"{s.name}: the means leave out documents without a value: {listed}")
    return notes
