"""Systems against a gold standard: per document, over the corpus, ranked, with trivial baselines.

Every measure of a document is a fraction, numerator and denominator: windows without an error over
windows, boundaries that agree over boundaries. They are counted once; *micro* divides their sums
over documents, *macro* is the mean of the fractions, leaving out and counting documents without a
denominator. Tests reweigh the counts, as for γ: documents are drawn again for an interval of the
difference of two systems (`ratios`), and the systems' counts are exchanged in random documents for
its p (approximate randomisation, Noreen 1989), in all ways where documents are few.

Baselines know the reference, not the text: `none` and `all` boundaries, as many segments as the
reference of `even` length, and the reference's own segments `shuffled` (the mean of 20 orders).
They take in all documents that a system coded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from gammacp.arguments import several, whole
from gammacp.arrays import Floats
from gammacp.errors import DataError, UsageError
from gammacp.segmentation.choices import Basis
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.comparison import Comparison
from gammacp.segmentation.ratios import draw_items, interval, linearised
from gammacp.segmentation.rows import Rows, compared, share
from gammacp.segmentation.statistics import Spread, spread
from gammacp.segmentation.value import Segmentation
from gammacp.signature import quoted

RANKED_BY = "b"
# In this order in tables. An agreement is 1 at best; over, under and shift are 0 at best.
MEASURES = ("b", "s", "windowdiff", "pk", "ghd", "f", "f_near", "over", "under", "shift")
# What a fraction is where there is nothing to count; no other measure has a value there.
_EMPTY = {"b": 1.0, "s": 1.0, "ghd": 1.0}
_SHUFFLES, _EXACT = 20, 10

Fractions = Mapping[str, tuple[Floats, Floats]]


class Difference(NamedTuple):
    """How much more one system has by a measure (micro), a 95 % interval of it, and its p.

    No interval for fewer than 5 documents.
    """

    value: float
    interval: tuple[float, float] | None
    p: float


@dataclass(frozen=True, kw_only=True)
class SystemScore:
    """One system, or baseline, against the reference.

    Attributes
    ----------
    name, baseline
        Whose codings; whether it is one of the baselines.
    documents
        What was compared, in order.
    left_out
        Documents that it or the reference did not code.
    fractions
        Numerators and denominators of `MEASURES`, shape (documents,) each.
    """

    name: str
    baseline: bool
    documents: tuple[str, ...]
    left_out: tuple[str, ...]
    fractions: Fractions

    def values(self, measure: str) -> Floats:
        """The measure of each document; NaN where it has none."""
        return share(*self.fractions[measure], _EMPTY.get(measure, math.nan))

    def micro(self, measure: str) -> float:
        """The measure of all documents together."""
        above, below = (part.sum() for part in self.fractions[measure])
        return float(above / below) if below else _EMPTY.get(measure, math.nan)

    def macro(self, measure: str) -> Spread:
        """Mean and spread of the measure over documents, and how many have no value."""
        return spread(self.values(measure))

    def as_dict(self) -> dict[str, Any]:
        """The score as JSON."""
        columns = [self.values(name).tolist() for name in MEASURES]
        rows = zip(self.documents, zip(*columns, strict=True), strict=True)
        return {
            "system": self.name,
            "baseline": self.baseline,
            "documents": len(self.documents),
            "left_out": self.left_out,
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
        Who is right; within how many places a boundary counts as found.
    systems
        Ranked.
    differences
        Of every two of which one is a system, the better first, on the documents that both have.
    notes
        What is left out or has no value.
    signature
        How it was made.
    """

    reference: str
    near: int
    systems: tuple[SystemScore, ...]
    differences: Mapping[tuple[str, str], Mapping[str, Difference]]
    notes: tuple[str, ...]
    signature: str

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON."""
        return {
            "reference": self.reference,
            "near": self.near,
            "systems": [system.as_dict() for system in self.systems],
            "differences": [
                {"first": a, "second": b, **{name: d._asdict() for name, d in found.items()}}
                for (a, b), found in self.differences.items()
            ],
            "notes": self.notes,
            "signature": self.signature,
        }


def gold_report(
    codings: Codings,
    reference: str,
    *,
    systems: Sequence[str] = (),
    comparison: Comparison | None = None,
    near: int | None = None,
    draws: int = 1000,
    seed: int = 0,
) -> GoldReport:
    """Systems against one coder, with the baselines.

    Parameters
    ----------
    codings
        The reference's and the systems' segmentations.
    reference
        The coder who is right.
    systems
        Names of coders; default: all others.
    comparison
        Edits of S and B; mode of WindowDiff.
    near
        Places within which F₁, over- and under-segmentation take a boundary as found, one to one;
        default: as far as a near miss reaches, n − 1.
    draws
        Of the tests.
    seed
        Of the draws and of `shuffled`.

    Raises
    ------
    UsageError
        The reference or a system coded nothing.
    DataError
        No system has a document in common with it.

    >>> one, other = Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([5, 6])
    >>> found = gold_report(Codings.of({"x": {"gold": one, "system": other}}), "gold")
    >>> found.systems[0].name, found.systems[0].micro("b"), found.systems[0].micro("under")
    ('system', 0.5, 0.5)
    """
    comparison = comparison or Comparison()
    near = comparison.n - 1 if near is None else min(whole("near", near, 0), 2**53)
    draws, seed = whole("draws", draws, 1), whole("seed", seed, 0)
    chosen = several("systems", systems) or [c for c in codings.coders if c != reference]
    for role, name in (("reference", reference), *(("system", name) for name in chosen)):
        if name not in codings.coders:
            raise UsageError(
                f"{role} {name!r} coded no item; coders are: {', '.join(codings.coders)}"
            )
    if reference in chosen:
        raise UsageError(f"{reference!r} is the reference, and no system beside it")
    clash = next((c for c in chosen if c in map("({})".format, BASELINES)), None)
    if clash is not None:
        raise UsageError(f"{clash!r} is the name of a baseline: call the system otherwise")
    gold = {item: coders[reference] for item, coders in codings.items() if reference in coders}
    scores: list[SystemScore] = []
    apart: list[str] = []
    for name in dict.fromkeys(chosen):
        shared = {i: [codings[i][name]] for i in gold if name in codings[i]}
        if shared:
            lost = tuple(
                i for i in codings if (name in codings[i] or i in gold) and i not in shared
            )
            scores.append(_score(name, gold, shared, comparison, near, lost))
        elif systems:
            raise DataError(f"{name!r} coded no item of the reference {reference!r}")
        else:
            apart.append(name)
    if not scores:
        raise DataError(
            f"no item of {reference!r} is coded by a system",
            hint="A system's segmentations stand under the items of the reference",
        )
    coded = [i for i in gold if any(i in s.documents for s in scores)]
    rng = np.random.default_rng(seed)
    scores += [
        _score(f"({name})", gold, {i: made(gold[i], rng) for i in coded}, comparison, near)
        for name, made in BASELINES.items()
    ]
    ranked = sorted(scores, key=lambda s: (math.isnan(s.micro(RANKED_BY)), -s.micro(RANKED_BY)))
    return GoldReport(
        reference=reference,
        near=near,
        systems=tuple(ranked),
        differences={
            (a.name, b.name): _differences(a, b, draws, seed)
            for a, b in combinations(ranked, 2)
            if not (a.baseline and b.baseline)
        },
        notes=tuple(_notes(gold.values(), ranked, apart)),
        signature=comparison.signed(
            "segmentation",
            reference=quoted(reference),
            systems=",".join(sorted(quoted(s.name) for s in scores if not s.baseline)),
            near=near,
            draws=draws,
            seed=seed,
        ),
    )


def _even(s: Segmentation) -> Segmentation:
    mass, parts = s.mass, s.n_segments
    places = [(2 * i * mass + parts) // (2 * parts) for i in range(1, parts)]
    return Segmentation.from_typed({s.types[0]: places}, mass=mass, types=s.types)


BASELINES: Mapping[str, Callable[[Segmentation, np.random.Generator], list[Segmentation]]] = {
    "none": lambda s, _: [Segmentation.from_typed({}, mass=s.mass, types=s.types)],
    "all": lambda s, _: [
        Segmentation.from_typed({s.types[0]: range(1, s.mass)}, mass=s.mass, types=s.types)
    ],
    "even": lambda s, _: [_even(s)],
    "shuffled": lambda s, rng: [
        random.segmentation(0)
        for random in (Rows.of({"": {"": s}}, s.types).shuffled(rng) for _ in range(_SHUFFLES))
    ],
}


def _score(
    name: str,
    gold: Mapping[str, Segmentation],
    made: Mapping[str, Sequence[Segmentation]],
    comparison: Comparison,
    near: int,
    lost: tuple[str, ...] = (),
) -> SystemScore:
    """A score; of several segmentations of a document, the mean of their counts."""
    counts = [
        _counts({i: {"": gold[i], " ": each[k]} for i, each in made.items()}, comparison, near)
        for k in range(len(next(iter(made.values()))))
    ]
    fractions: dict[str, tuple[Floats, Floats]] = {
        measure: (
            np.mean([c[measure][0] for c in counts], axis=0),
            np.mean([c[measure][1] for c in counts], axis=0),
        )
        for measure in MEASURES
    }
    return SystemScore(
        name=name,
        baseline=name.startswith("("),
        documents=tuple(made),
        left_out=lost,
        fractions=fractions,
    )


def _counts(
    both: Mapping[str, Mapping[str, Segmentation]], comparison: Comparison, near: int
) -> Fractions:
    from gammacp.segmentation.kernels import tolerated

    types = next(iter(next(iter(both.values())).values())).types
    pairs = compared(Rows.of(both, types), comparison)
    rows = pairs.rows
    first, second = rows.pairs
    found, shifts = tolerated(rows.places, rows.offsets, first, second, float(near)).T
    gold, placed = (rows.placed.sum(axis=1)[side].astype(np.float64) for side in (first, second))
    gold_places, places = (rows.sizes[side].astype(np.float64) for side in (first, second))
    windows, errors, p_windows, p_errors, distance, largest = pairs.sided[:, 0].T
    return {
        "b": pairs.parts(Basis.B),
        "s": pairs.parts(Basis.S),
        "windowdiff": (windows - errors, windows),
        "pk": (p_windows - p_errors, p_windows),
        "ghd": (largest - distance, largest),
        "f": (2 * pairs.column("matches"), gold + placed),
        "f_near": (2 * found, gold_places + places),
        "over": (places - found, places),
        "under": (gold_places - found, gold_places),
        "shift": (shifts, found),
    }


def _differences(a: SystemScore, b: SystemScore, draws: int, seed: int) -> dict[str, Difference]:
    mine, theirs = ([s.documents.index(i) for i in a.documents if i in b.documents] for s in (a, b))
    size = len(mine)
    if not size:
        return dict.fromkeys(MEASURES, Difference(math.nan, None, math.nan))
    drawn = draw_items(size, draws, seed)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(size,)))
    exact = size <= _EXACT
    swaps = (
        np.array(list(product((0, 1), repeat=size))) if exact else rng.integers(2, size=drawn.shape)
    )
    found = {}
    for measure in MEASURES:
        one, other = a.fractions[measure], b.fractions[measure]
        parts = np.stack([one[0][mine], one[1][mine], other[0][theirs], other[1][theirs]])
        value = float(linearised(parts, np.ones((1, size)))[0][0])
        moved = np.einsum("wd,pd->pw", swaps.astype(np.float64), parts[[2, 3]] - parts[:2])
        sums = parts.sum(axis=1)[:, None] + np.concatenate((moved, -moved))
        apart = share(sums[0], sums[1], math.nan) - share(sums[2], sums[3], math.nan)
        # The data are one of all exchanges, and count as one of the random ones.
        as_far = int((np.abs(apart) >= abs(value) - 1e-12).sum()) + (not exact)
        p = math.nan if math.isnan(value) else as_far / (len(swaps) + (not exact))
        found[measure] = Difference(
            value, interval(parts, drawn, math.inf if measure == "shift" else 1.0), p
        )
    return found


def _notes(
    gold: Collection[Segmentation], systems: Sequence[SystemScore], apart: Sequence[str]
) -> list[str]:
    notes = [f"{name}: no document of the reference, so it is left out" for name in apart]
    if any(len(s.types) > 1 for s in gold):
        notes.append("f_near, over, under and shift look at places, not at types of boundaries")
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
        lost = {name: s.macro(name).undefined for name in MEASURES}
        listed = ", ".join(f"{name} {count}" for name, count in lost.items() if count)
        if listed and not s.baseline:
            notes.append(
                f"{s.name}: documents without a value, which the means leave out: {listed}"
            )
    return notes
