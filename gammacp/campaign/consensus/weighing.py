"""Whom the consensus believes: a model of annotators over the unitary alignments of a corpus.

Each unitary alignment is an item, each annotator of its document responds with a category or with
∅. Only what somebody marked is an item; the model reckons with those that all passed over
(`annotators.fit` with `unseen`), so that recall is of all that is there.
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
    """Estimates of a model about an annotator.

    Attributes
    ----------
    units, items
        Number of units that were marked, and of unitary alignments.
    recall, precision
        Expected share of the true units that were marked with their category, and of the marked
        units that are true with theirs.
    confusion
        P(said | true), by true label and said label.
    boundary_bias, boundary_sd
        Mean and standard deviation of start and of end, minus those of the consensus; NaN for
        fewer than one and two units.
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
        """One annotator as JSON has it."""
        rest = {key: value for key, value in vars(self).items() if key != "name"}
        sides = {key: rest[key] for key in ("boundary_bias", "boundary_sd")}
        return rest | {k: dict(zip(("start", "end"), v, strict=True)) for k, v in sides.items()}


def best_threshold(posterior: Floats, unseen: float = 0.0, times: Floats | None = None) -> float:
    """Return the posterior of its category from which keeping a unit has the highest expected F₁.

    With the n most probable units of N expected ones, expected F₁ is near 2·Σp / (n + N); one more
    raises it if its p is above half of it. That is an F₁ under the model, of categories at the
    places that the alignment has; strict ones, which count boundaries, are lower.

    Parameters
    ----------
    posterior
        Shape (items, labels), the last label ∅.
    unseen
        Expected number of units that nobody marked.
    times
        Number of items that each row stands for; default 1.

    >>> best_threshold(np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8]]))  # 1.7 / (2 + 1.9)
    0.4358974358974359
    """
    if times is None:
        times = np.ones(len(posterior))
    best = posterior[:, :-1].max(axis=1, initial=0.0)
    ranked = np.argsort(-best)
    expected = float(times @ (1 - posterior[:, -1])) + unseen
    # Among equal rows the gain is monotone: one of their ends is as good as any between.
    gain = 2 * np.cumsum((best * times)[ranked]) / (np.cumsum(times[ranked]) + expected)
    return float(gain.max(initial=0.0) / 2)


def shares_of_boundaries(people: int, each: Iterable[Decided]) -> Floats:
    """Return the weights of annotators' boundaries: 1 over mean distance from the consensus.

    Relative to everybody's; who did little is drawn to the mean like a confusion matrix. As the
    consensus is partly of their own, nobody counts more than three times what another does.

    Parameters
    ----------
    people
        Number of annotators.
    each
        Decisions about the unitary alignments of each stretch.
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
    """Return what there is to say of each annotator, in the order of the responses.

    Parameters
    ----------
    responses
        Responses of annotators to items.
    counts, confusion
        Responses by truth, and P(said | true); shape (annotators, labels, labels), the last ∅.
    each
        Decisions about the unitary alignments of each stretch, for boundaries.
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
    """Mean and standard deviation of what is off, by annotator; NaN for fewer than one and two."""
    number = np.zeros(people)
    sums = np.zeros((people, 2))
    squares = np.zeros((people, 2))
    for who, off in each:
        mine = np.bincount(who, minlength=people)
        total = np.stack([np.bincount(who, x, people) for x in off.T], axis=1)
        mean = total / np.maximum(mine, 1)[:, None]
        apart = np.stack([np.bincount(who, x, people) for x in ((off - mean[who]) ** 2).T], axis=1)
        # Squares about the mean of both (Chan, Golub & LeVeque 1983, eq. 2.1).
        both = np.maximum(number + mine, 1)[:, None]
        between = mean - sums / np.maximum(number, 1)[:, None]
        squares += apart + between**2 * (number * mine)[:, None] / both
        sums = sums + total
        number = number + mine
    with np.errstate(invalid="ignore", divide="ignore"):
        sd = np.sqrt(squares / (number - 1)[:, None])
        return sums / number[:, None], np.where(number[:, None] > 1, sd, np.nan)


def qualities_by_vote(
    responses: Responses, each: Callable[[], Iterable[Decided]]
) -> tuple[AnnotatorQuality, ...]:
    """Recall, precision, confusion and boundaries of each annotator, counted against the votes.

    What was left out is true ∅; a tied category is shared evenly by those that are level.

    Parameters
    ----------
    responses
        Responses that the alignments give (`AlignedCells.responses`).
    each
        Gives what the unitary alignments of each stretch become, anew.
    """
    truth = np.zeros((responses.items, len(responses.labels)))
    for decided in each():
        group, label = votes(decided.cells, len(responses.labels))
        level = np.bincount(group, minlength=len(decided.cells))
        true = np.where(decided.kept[group], label, len(responses.labels) - 1)
        np.add.at(truth, (decided.cells.before + group, true), 1 / level[group])
    counts = expected_counts(responses, truth)
    totals = counts.sum(axis=2, keepdims=True)
    shares = np.divide(counts, totals, out=np.full_like(counts, np.nan), where=totals > 0)
    return qualities(responses, counts, shares, each())
