"""Weigh annotators with a model over the unitary alignments of a corpus, and rate their quality.

Each unitary alignment is an item, to which each annotator of the document responds with a category
or with ∅. True units that all annotators missed are not among the items. The model estimates their
number (`annotators.fit` with `unseen`), so that recall is relative to all true units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.base.arrays import Codes, Floats
from gammacp.base.text import category_name
from gammacp.campaign.annotators.models import STRENGTH, expected_counts
from gammacp.campaign.annotators.responses import Responses
from gammacp.campaign.consensus.deciding import Decided, votes


@dataclass(frozen=True, kw_only=True)
class AnnotatorQuality:
    """Estimated quality of an annotator.

    Attributes
    ----------
    name
        Name of the annotator.
    units
        Number of units that the annotator marked.
    items
        Number of unitary alignments in the annotator's documents.
    recall
        Expected share of the true units that the annotator marked with their true category.
    precision
        Expected share of the annotator's units that are true units with the same category.
    confusion
        P(said label | true label), by true label and said label.
    boundary_bias
        Mean offset of starts and of ends from those of the consensus; NaN without units.
    boundary_sd
        Standard deviation of these offsets; NaN for fewer than two units.
    """

    name: str
    units: int
    items: int
    recall: float
    precision: float
    confusion: Mapping[str, Mapping[str, float]]
    boundary_bias: tuple[float, float]
    boundary_sd: tuple[float, float]

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        rest = {key: value for key, value in vars(self).items() if key != "name"}
        sides = {key: rest[key] for key in ("boundary_bias", "boundary_sd")}
        return rest | {k: dict(zip(("start", "end"), v, strict=True)) for k, v in sides.items()}


def best_threshold(posterior: Floats, unseen: float = 0.0, times: Floats | None = None) -> float:
    """Return the threshold of the posterior that maximises the expected F₁ of the kept units.

    If the n most probable units are kept, and N true units are expected, the expected F₁ is about
    2·Σp / (n + N). One more unit raises it if its p is more than half of this F₁; hence the
    threshold is half of the largest F₁. This F₁ holds under the model and ignores boundaries, so a
    stricter F₁ that compares boundaries is lower.

    Parameters
    ----------
    posterior
        Posterior of the labels, shape (items, labels); the last label is ∅.
    unseen
        Expected number of true units that nobody marked.
    times
        Number of items that each row stands for; default: 1.

    >>> best_threshold(np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8]]))  # 1.7 / (2 + 1.9)
    0.4358974358974359
    """
    if times is None:
        times = np.ones(len(posterior))
    best = posterior[:, :-1].max(axis=1, initial=0.0)
    ranked = np.argsort(-best)
    expected = float(times @ (1 - posterior[:, -1])) + unseen
    # Within the items that a row stands for, the gain is monotone, so it is largest at an end.
    gain = 2 * np.cumsum((best * times)[ranked]) / (np.cumsum(times[ranked]) + expected)
    return float(gain.max(initial=0.0) / 2)


def shares_of_boundaries(people: int, each: Iterable[Decided]) -> Floats:
    """Return the weight of each annotator's boundaries.

    The weight is the mean distance of all annotators from the consensus, divided by that of the
    annotator. Weights of annotators with few units are smoothed towards 1. Because each annotator
    contributes to the consensus, the largest weight is at most three times the smallest one.

    Parameters
    ----------
    people
        Number of annotators.
    each
        Decisions on the unitary alignments of each stretch.
    """
    far = np.zeros(people)
    count = np.zeros(people)
    for decided in each:
        who, off = decided.deviations()
        far += np.bincount(who, np.abs(off).sum(axis=1), people)
        count += np.bincount(who, minlength=people) * 2.0
    pooled = far.sum() / max(count.sum(), 1.0)
    if not pooled:
        return np.ones(people)
    shares = pooled * (count + STRENGTH) / (far + STRENGTH * pooled)
    return np.asarray(np.clip(shares, 3**-0.5, 3**0.5))


def qualities(
    responses: Responses, counts: Floats, confusion: Floats, each: Iterable[Decided]
) -> tuple[AnnotatorQuality, ...]:
    """Return the quality of each annotator, in the order of `responses.annotators`.

    Parameters
    ----------
    responses
        Responses of annotators to items.
    counts, confusion
        Expected counts of responses by true and said label, and P(said label | true label); shape
        (annotators, labels, labels) each. The last label is ∅.
    each
        Decisions on the unitary alignments of each stretch, to compare boundaries.
    """
    j = len(responses.annotators)
    names = [category_name(c) for c in responses.labels]
    right = np.trace(counts[:, :-1, :-1], axis1=1, axis2=2)
    true = counts[:, :-1].sum(axis=(1, 2))
    marked = counts[:, :, :-1].sum(axis=(1, 2))
    items = responses.per_annotator
    bias, sd = _means_and_deviations(j, (decided.deviations() for decided in each))
    return tuple(
        AnnotatorQuality(
            name=name,
            units=round(marked[i]),
            items=int(items[i]),
            recall=float(right[i] / true[i]) if true[i] else float("nan"),
            precision=float(right[i] / marked[i]) if marked[i] else float("nan"),
            confusion={
                t: dict(zip(names, row, strict=True))
                for t, row in zip(names, confusion[i].tolist(), strict=True)
            },
            boundary_bias=(float(bias[i, 0]), float(bias[i, 1])),
            boundary_sd=(float(sd[i, 0]), float(sd[i, 1])),
        )
        for i, name in enumerate(responses.annotators)
    )


def _means_and_deviations(
    people: int, each: Iterable[tuple[Codes, Floats]]
) -> tuple[Floats, Floats]:
    """Return the mean and standard deviation of offsets at start and end, by annotator.

    The mean is NaN without units, the standard deviation for fewer than two.
    """
    number = np.zeros(people)
    sums = np.zeros((people, 2))
    squares = np.zeros((people, 2))
    for who, off in each:
        counts = np.bincount(who, minlength=people)
        total = np.stack([np.bincount(who, x, people) for x in off.T], axis=1)
        mean = total / np.maximum(counts, 1)[:, None]
        apart = np.stack([np.bincount(who, x, people) for x in ((off - mean[who]) ** 2).T], axis=1)
        # Merge the sums of squared deviations (Chan, Golub & LeVeque 1983, eq. 2.1).
        both = np.maximum(number + counts, 1)[:, None]
        between = mean - sums / np.maximum(number, 1)[:, None]
        squares += apart + between**2 * (number * counts)[:, None] / both
        sums = sums + total
        number = number + counts
    with np.errstate(invalid="ignore", divide="ignore"):
        sd = np.sqrt(squares / (number - 1)[:, None])
        return sums / number[:, None], np.where(number[:, None] > 1, sd, np.nan)


def qualities_by_vote(
    responses: Responses, each: Callable[[], Iterable[Decided]]
) -> tuple[AnnotatorQuality, ...]:
    """Return the quality of each annotator, with the result of the votes as the truth.

    The true label of a unit that was left out is ∅. If categories are tied, each counts as the true
    one with an equal share.

    Parameters
    ----------
    responses
        Responses from the alignments (`AlignedCells.responses`).
    each
        Function that returns the decisions on the unitary alignments of each stretch; it is called
        twice.
    """
    truth = np.zeros((responses.items, len(responses.labels)))
    for decided in each():
        group, label = votes(decided.cells, len(responses.labels))
        level = np.bincount(group, minlength=len(decided.cells))
        true = np.where(decided.is_kept[group], label, len(responses.labels) - 1)
        np.add.at(truth, (decided.cells.before + group, true), 1 / level[group])
    counts = expected_counts(responses, truth)
    totals = counts.sum(axis=2, keepdims=True)
    shares = np.divide(counts, totals, out=np.full_like(counts, np.nan), where=totals > 0)
    return qualities(responses, counts, shares, each())
