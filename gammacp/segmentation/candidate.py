"""Automatic segmenters judged by the agreement of people (2012, §3.4).

Agreement is computed without and with an automatic segmenter among the coders. If it falls, the
segmenter agrees with people less than people do with each other. What falls must be agreement
beyond chance: S and its π* rise when somebody who never places a boundary joins. So a candidate is
judged by 1 − D/E[D], D being 1 − B summed over pairs of coders, E[D] its mean over the coders' own
segmentations turned (`gammacp.segmentation.measures.turned`); the drop of π* and κ* as in the
2012 paper stands beside it. The baselines of `gammacp.segmentation.baselines` are judged too, made
of each person's segmentation of the items that a candidate coded; their disagreements are means
over these.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.base.arguments import several, whole
from gammacp.base.arrays import Floats
from gammacp.base.record_tables import record_of
from gammacp.chance.beyond import ratio
from gammacp.chance.expected import SampleRule
from gammacp.chance.sampling import Disagreement, OneByOne, expectations
from gammacp.errors import DataError
from gammacp.segmentation.baselines import BASELINES, JointCodings
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.measures.coefficients import arrays_of_items, coefficients
from gammacp.segmentation.measures.comparison import CorrectedSimilarity, Criterion
from gammacp.segmentation.measures.rows import Rows, compare_rows, share
from gammacp.segmentation.measures.turned import TurnedSegments
from gammacp.segmentation.measures.value import Segmentation
from gammacp.segmentation.statistics import difference_interval, draw_items


@dataclass(frozen=True, kw_only=True)
class CandidateDrop:
    """Change that one automatic segmenter, or baseline, makes to the agreement of the people.

    Attributes
    ----------
    candidate, baseline
        Name of the candidate; whether it is a baseline, whose name then stands in brackets.
    items, left_out
        Number of items on which it was compared, those that it and two people coded; and number of
        the others.
    people, joined
        B beyond chance (`b`) and the coefficients (`pi_s`, `kappa_s`, `bias`) among the people, and
        among them and the candidate, on these items.
    own
        B beyond chance of the candidate with the people alone.
    interval
        95 % interval of the `drop` of B, over items; None without draws, or for fewer than 5 items.
    samples
        Number of random codings from which E[D] is estimated.
    """

    candidate: str
    baseline: bool
    items: int
    left_out: int
    people: Mapping[str, float]
    joined: Mapping[str, float]
    own: float
    interval: tuple[float, float] | None
    samples: int

    @property
    def drop(self) -> dict[str, float]:
        """Return B beyond chance, π* and κ* of the people minus those with the candidate.

        A positive drop means that the candidate agrees less than people do; otherwise it is as good
        as they are.
        """
        return {name: self.people[name] - self.joined[name] for name in ("b", "pi_s", "kappa_s")}

    def as_dict(self) -> dict[str, Any]:
        """Return the drop as JSON."""
        return {
            **record_of(self, "candidate baseline items"),
            "items_left_out": self.left_out,
            "without": self.people,
            "with": self.joined,
            "own": {"b": self.own},
            "drop": self.drop,
            "interval": {"b": self.interval},
            "samples": self.samples,
        }


def candidate_drops(
    codings: Codings,
    candidates: Sequence[str],
    *,
    comparison: Criterion | None = None,
    rule: SampleRule | None = None,
    bootstrap: int = 0,
    seed: int = 0,
) -> tuple[CandidateDrop, ...]:
    """Judge each candidate and baseline on its own; return them by increasing drop.

    Parameters
    ----------
    codings
        Segmentations of people and candidates. A candidate is one coder in all groups of people.
    candidates
        Names of the automatic coders; all others are people.
    comparison
        Criterion of the comparison: edits of B, and settings of π* and κ*.
    rule
        Rule for the number of random codings.
    bootstrap, seed
        Draws of items for the interval, 0 for none; of these and of random codings.

    Raises
    ------
    UsageError
        A candidate coded nothing, or nobody else is left.
    DataError
        A candidate has no item in common with two people.
    """
    comparison = comparison or Criterion()
    rule = rule or SampleRule()
    bootstrap = whole("bootstrap", bootstrap, 0)
    seed = whole("seed", seed, 0)
    chosen = list(dict.fromkeys(several("candidates", candidates)))
    for name in chosen:
        codings.require("candidate", name)
    if not chosen:
        return ()
    people = codings.without(chosen)
    people = people.only(item for item, coders in people.items() if len(coders) > 1)
    shared = _shared_items(codings, people, chosen)
    people = people.only(i for i in people if any(i in items for items in shared.values()))
    joint = JointCodings(codings, people, shared, np.random.default_rng(seed))
    counts, samples = _disagreements(joint, comparison, rule, seed)
    drops = []
    for k, (name, rows) in enumerate(joint.judged.items(), 1):
        part = people.only(shared.get(name, people))
        places = np.flatnonzero([item in part for item in people])
        first, with_people = counts[:, [0, k]][..., places].swapaxes(0, 1)
        joined = first + with_people
        without, together, alone = (_beyond(parts) for parts in (first, joined, with_people))
        drawn = draw_items(len(places), bootstrap, seed)
        drops.append(
            CandidateDrop(
                candidate=name,
                baseline=name in BASELINES,
                items=len(places),
                left_out=len(codings) - len(places),
                people={"b": without, **_coefficients(part, comparison)},
                joined={"b": together, **_coefficients(part, comparison, name, rows)},
                own=alone,
                interval=difference_interval(np.concatenate((joined, first)), drawn, 1.0),
                samples=samples,
            )
        )
    return tuple(sorted(drops, key=lambda d: (math.isnan(d.drop["b"]), d.drop["b"])))


def _shared_items(
    codings: Codings, people: Codings, candidates: Iterable[str]
) -> dict[str, list[str]]:
    """Return for each candidate the people's items that it coded, too.

    Raises
    ------
    DataError
        A candidate has none.
    """
    shared = {name: [i for i in people if name in codings[i]] for name in candidates}
    for name, items in shared.items():
        if not items:
            raise DataError(
                f"candidate {name!r} shares no item with two people",
                hint="List its segmentations under the same items as those of the people",
            )
    return shared


def _disagreements(
    joint: JointCodings, comparison: Criterion, rule: SampleRule, seed: int
) -> tuple[Floats, int]:
    """Return Σ(1 − B) per item among people and between candidates and people, and sample number.

    The first row is observed, the second the mean over random codings, the same for all: shape (2,
    1 + candidates, items).
    """

    def count_each(drawn: Rows) -> Floats:
        parts = compare_rows(drawn, comparison, joint.pairs).parts(CorrectedSimilarity.B)
        return joint.sums(1 - share(*parts, 1.0))

    def drawn_disagreements(drawn: Rows) -> list[Disagreement]:
        sums = count_each(drawn)
        return [
            Disagreement(d, d, detail=None if k else sums) for k, d in enumerate(sums.sum(axis=1))
        ]

    # A baseline made of somebody's segments is another coder than that person.
    coders = zip(joint.owner.tolist(), joint.rows.coder, strict=True)
    expected, sums_by_sample = expectations(
        TurnedSegments.of(joint.rows, coders),
        OneByOne(drawn_disagreements),
        rule,
        seed,
        measures=len(joint.versions),
    )
    mean = np.mean(np.array(sums_by_sample), axis=0)
    return np.stack((count_each(joint.rows), mean)), expected[0].samples


def _beyond(parts: Floats) -> float:
    observed, expected = parts.sum(axis=-1)
    # A disagreement that no order changes is its own expectation, but for the rounding of means.
    return round(ratio(float(observed), float(expected), "")[0], 12) + 0.0


def _coefficients(
    people: Codings, comparison: Criterion, name: str = "", candidate: Rows | None = None
) -> dict[str, float]:
    """π* and κ* of the people, and of one more coder: the candidate's first coding of each item."""
    added: list[dict[str, Segmentation]] = [{} for _ in people]
    if candidate is not None:
        firsts = np.unique(candidate.item, return_index=True)[1]
        added = [{name: candidate.segmentation(int(row))} for row in firsts]
    person = people.people()
    items = {
        item: {person[item][coder]: s for coder, s in coders.items()} | more
        for (item, coders), more in zip(people.items(), added, strict=True)
    }
    pairs = compare_rows(Rows.of(items, people.types), comparison)
    return coefficients(arrays_of_items(pairs), mode=comparison.mode).as_dict()
