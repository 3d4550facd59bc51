"""Automatic segmenters judged by the agreement of people (2012, §3.4).

Agreement is computed without and with an automatic segmenter among the coders. If it falls, the
segmenter agrees with people less than people do with each other. What falls must be agreement
beyond chance: S and its π* rise when somebody who never places a boundary joins. So a candidate is
judged by 1 − D/E[D], D being 1 − B summed over pairs of coders, E[D] its mean over the coders' own
segments in random order (`gammacp.segmentation.beyond`); the drop of π* and κ* as in the 2012 paper
stands beside it. The baselines of `gammacp.segmentation.gold` are judged too, made in each item
from the segmentation of one of the people, drawn at random.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.arguments import several, whole
from gammacp.arrays import Floats
from gammacp.chance.sampling import Disagreement, SampleRule, expectations
from gammacp.errors import DataError, UsageError
from gammacp.segmentation.beyond import SegmentSampler
from gammacp.segmentation.choices import Basis
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.coefficients import Coefficients, coefficients, pool
from gammacp.segmentation.comparison import Comparison
from gammacp.segmentation.gold import BASELINES
from gammacp.segmentation.ratios import draw_items, interval
from gammacp.segmentation.rows import Rows, compared, share
from gammacp.segmentation.value import Segmentation


@dataclass(frozen=True, kw_only=True)
class CandidateDrop:
    """What one automatic segmenter, or baseline, does to the agreement of the people.

    Attributes
    ----------
    candidate, baseline
        Its name; whether it is a baseline, whose name then stands in brackets.
    items, left_out
        On how many items it was compared: those that it and two people coded; and on how many not.
    people, joined, own
        B beyond chance among the people, among them and the candidate, and of the candidate with
        the people alone.
    interval
        95 % of `drop`, over items; None without draws, or for fewer than 5 items.
    samples
        Random codings behind E[D].
    without, with_candidate
        Coefficients of the people, and of the people with the candidate, on these items.
    """

    candidate: str
    baseline: bool
    items: int
    left_out: int
    people: float
    joined: float
    own: float
    interval: tuple[float, float] | None
    samples: int
    without: Coefficients
    with_candidate: Coefficients

    @property
    def drop(self) -> float:
        """B beyond chance of the people minus that with the candidate: positive if it agrees less.

        Not positive is as good as people.
        """
        return self.people - self.joined

    @property
    def pi_drop(self) -> float:
        """π* of the people minus π* with the candidate."""
        return self.without.pi - self.with_candidate.pi

    @property
    def kappa_drop(self) -> float:
        """The same for κ*."""
        return self.without.kappa - self.with_candidate.kappa

    def as_dict(self) -> dict[str, Any]:
        """The drop as JSON."""
        drop = {"b": self.drop, "pi_s": self.pi_drop, "kappa_s": self.kappa_drop}
        return {
            "candidate": self.candidate,
            "baseline": self.baseline,
            "items": self.items,
            "left_out": self.left_out,
            "without": {"b": self.people, **self.without.as_dict()},
            "with": {"b": self.joined, **self.with_candidate.as_dict()},
            "own": {"b": self.own},
            "drop": drop,
            "interval": {"b": self.interval},
            "samples": self.samples,
        }


def candidate_drops(
    codings: Codings,
    candidates: Sequence[str],
    *,
    comparison: Comparison | None = None,
    rule: SampleRule | None = None,
    bootstrap: int = 0,
    seed: int = 0,
) -> tuple[CandidateDrop, ...]:
    """Candidates and baselines from the smallest drop to the largest, each judged on its own.

    Parameters
    ----------
    codings
        Segmentations of people and candidates. A candidate is one coder in all groups of people.
    candidates
        Names of coders that are automatic; the others are people.
    comparison
        Edits of B, and all of π* and κ*.
    rule
        How many random codings.
    bootstrap, seed
        Draws of items for the interval, 0 for none; of these and of random codings.

    Raises
    ------
    UsageError
        A candidate coded nothing, or nobody else is left.
    DataError
        A candidate has no item in common with two people.
    """
    comparison, rule = comparison or Comparison(), rule or SampleRule()
    bootstrap, seed = whole("bootstrap", bootstrap, 0), whole("seed", seed, 0)
    chosen = list(dict.fromkeys(several("candidates", candidates)))
    for name in chosen:
        if name not in codings.coders:
            raise UsageError(
                f"candidate {name!r} coded no item; coders are: {', '.join(codings.coders)}"
            )
    if not chosen:
        return ()
    people = codings.without(chosen)
    people = people.only(item for item, coders in people.items() if len(coders) > 1)
    judged: dict[str, dict[str, list[Segmentation]]] = {
        name: {i: [codings[i][name]] for i in people if name in codings[i]} for name in chosen
    }
    for name, shared in judged.items():
        if not shared:
            raise DataError(
                f"candidate {name!r} has no item that two people coded",
                hint="Put its segmentation among those of the people, under the same item",
            )
    rng = np.random.default_rng(seed)
    models = {i: list(coders.values())[rng.integers(len(coders))] for i, coders in people.items()}
    for name, made in BASELINES.items():
        judged[f"({name})"] = {i: made(s, rng) for i, s in models.items()}
    found = _disagreements(people, judged, comparison, rule, seed)
    drops = []
    for k, (name, shared) in enumerate(judged.items(), 1):
        items = [i for i, item in enumerate(people) if item in shared]
        first, own = found.counts[:, [0, k]][..., items].swapaxes(0, 1)
        joined = first + own
        without, together, alone = (_beyond(part) for part in (first, joined, own))
        drawn = draw_items(len(items), bootstrap, seed)
        part = people.only(shared)
        drops.append(
            CandidateDrop(
                candidate=name,
                baseline=name not in chosen,
                items=len(items),
                left_out=len(codings) - len(items),
                people=without,
                joined=together,
                own=alone,
                interval=interval(np.concatenate((joined, first)), drawn, 1.0)
                if bootstrap
                else None,
                samples=found.samples,
                without=_coefficients(part, {}, comparison),
                with_candidate=_coefficients(part, {name: shared}, comparison),
            )
        )
    return tuple(sorted(drops, key=lambda d: (math.isnan(d.drop), d.drop)))


@dataclass(frozen=True)
class _Counts:
    """Σ(1 − B) of people and of each candidate with the people, per item.

    `counts[0]` are observed, `counts[1]` the mean over random codings: shape (2, 1 + candidates,
    items).
    """

    counts: Floats
    samples: int


def _disagreements(
    people: Codings,
    judged: Mapping[str, Mapping[str, Sequence[Segmentation]]],
    comparison: Comparison,
    rule: SampleRule,
    seed: int,
) -> _Counts:
    """One draw of random codings for all."""
    items, owner = {}, []
    for item, coders in people.items():
        listed = list(coders.values())
        owner += [0] * len(coders)
        for k, shared in enumerate(judged.values(), 1):
            listed += shared.get(item, ())
            owner += [k] * len(shared.get(item, ()))
        items[item] = {str(number): s for number, s in enumerate(listed)}
    rows = Rows.of(items, people.types)
    whose = np.array(owner)
    first, second = rows.pairs
    chosen = whose[first] == 0
    pairs = first[chosen], second[chosen]
    column, item = whose[pairs[1]], rows.item[pairs[0]]
    several_of = np.array([1, *(len(next(iter(s.values()))) for s in judged.values())])

    def counted(drawn: Rows) -> Floats:
        similar, total = compared(drawn, comparison, pairs).parts(Basis.B)
        sums = np.zeros((len(judged) + 1, len(people)))
        np.add.at(sums, (column, item), 1 - share(similar, total, 1.0))
        sums /= several_of[:, None]
        return sums

    def drawn_disagreements(drawn: Rows) -> list[Disagreement]:
        sums = counted(drawn)
        return [
            Disagreement(d, d, kept=None if k else sums) for k, d in enumerate(sums.sum(axis=1))
        ]

    expected, kept = expectations(
        SegmentSampler(rows), drawn_disagreements, rule, seed, measures=len(judged) + 1
    )
    mean = np.mean(np.array(kept), axis=0)
    return _Counts(np.stack((counted(rows), mean)), expected[0].samples)


def _beyond(parts: Floats) -> float:
    observed, expected = parts.sum(axis=-1)
    # A disagreement that no order changes is its own expectation, but for the rounding of means.
    return round(1 - float(observed / expected), 12) + 0.0 if expected > 0 else math.nan


def _coefficients(
    people: Codings,
    judged: Mapping[str, Mapping[str, Sequence[Segmentation]]],
    comparison: Comparison,
) -> Coefficients:
    """π* and κ* of the people, and one more coder."""
    person = people.people()
    items = {
        item: {
            **{person[item][coder]: s for coder, s in coders.items()},
            **{name: made[item][0] for name, made in judged.items()},
        }
        for item, coders in people.items()
    }
    rows = Rows.of(items, people.types)
    return coefficients(pool(compared(rows, comparison)), mode=comparison.mode)
