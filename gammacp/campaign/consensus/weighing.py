"""Whom the consensus believes: a model of annotators over the unitary alignments of a corpus.

Each unitary alignment is an item, each annotator of its document responds with a category or with
∅. Only what somebody marked is an item; the model reckons with those that all passed over
(`annotators.fit` with `unseen`), so that recall is of all that is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gammacp.arrays import Bools, Codes, Floats, Indices
from gammacp.campaign.annotators.models import STRENGTH
from gammacp.campaign.annotators.responses import Responses
from gammacp.continuum import Continuum, Unit
from gammacp.continuum.label import category_of, plain
from gammacp.text import category_name

if TYPE_CHECKING:
    from gammacp.alignment import Alignment
    from gammacp.campaign.consensus.consensus import Consensus, ConsensusUnit

GoldUnits: TypeAlias = "Sequence[tuple[Unit | ConsensusUnit, Mapping[str, Unit | None]]]"
"""The units of a gold standard, each with those by annotator that it is made of."""
ABSENT = "∅"
# Up to how far apart boundaries are close, and still rather close, as a share of the length.
_FAR = (0.05, 0.25)


@dataclass(frozen=True, eq=False)
class Truth:
    """What a model holds true of the unitary alignments of a document.

    Attributes
    ----------
    posterior
        Shape (groups, labels); the last label is ∅.
    labels
        Categories, None for "unlabelled" where somebody left a unit so, and ∅.
    threshold
        Units are kept from this posterior of their category.
    boundaries
        What each annotator's boundaries count, shape (annotators,).
    """

    posterior: Floats
    labels: tuple[str | None, ...]
    threshold: float
    boundaries: Floats

    @cached_property
    def shares(self) -> list[list[float]]:
        """The posterior as numbers."""
        return [*map(np.ndarray.tolist, self.posterior)]

    @cached_property
    def entropies(self) -> list[float]:
        """Of what is there, in bits, of each unitary alignment."""
        bits = self.posterior * np.log2(np.maximum(self.posterior, 1e-300))
        return [-x for x in bits.sum(axis=1).tolist()]


@dataclass(frozen=True, kw_only=True)
class AnnotatorQuality:
    """What a model says of an annotator.

    Attributes
    ----------
    units, items
        How many units were marked, and of how many unitary alignments there were.
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


def responses_of(
    alignments: Iterable[Alignment],
    like: Responses | None = None,
    masks: Sequence[Bools] | None = None,
) -> Responses:
    """A response per unitary alignment and annotator of its document: categories, no features.

    Parameters
    ----------
    alignments
        Of all documents.
    like
        Whose codes of annotators and labels are taken; default: those of the alignments.
    masks
        The annotators of each document who respond; default: all.
    """
    found = list(alignments)
    annotators, labels = _names(found) if like is None else (like.annotators, like.labels)
    code = {name: i for i, name in enumerate(annotators)}
    place = {c: i for i, c in enumerate(labels)}
    columns, before, close = [], 0, []
    for i, (c, rows) in enumerate((f.continuum, f.groups) for f in found):
        # One entry per category of the continuum, the last for its units without any.
        own = map(category_of, c.categories)
        known = np.array([*(place.get(k, -1) for k in own), place.get(None, -1)], np.int64)
        said = np.where(rows < 0, len(labels) - 1, known[c.category_codes[rows]])
        items = np.arange(before, before + len(rows))
        before += len(rows)
        mine = np.array([code[a] for a in c.annotators], np.int64)
        if masks is not None:
            mine, said = mine[masks[i]], said[:, masks[i]]
        columns.append((np.repeat(items, len(mine)), np.tile(mine, len(rows)), said.ravel()))
        close.append(_closeness(c, rows))
    item, annotator, label = (np.concatenate(x) for x in zip(*columns, strict=True))
    return Responses(item, annotator, label, before, annotators, labels, np.concatenate(close))


def _names(alignments: Sequence[Alignment]) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
    """Everybody, and all that can be said, ∅ last."""
    continua = [f.continuum for f in alignments]
    used = dict.fromkeys(category_of(label) for c in continua for label in c.categories)
    bare = any((plain(c.categories)[1][c.category_codes] < 0).any() for c in continua)
    labels = (*(c for c in used if c is not None), *([None] if bare else []), ABSENT)
    return tuple(dict.fromkeys(a for c in continua for a in c.annotators)), labels


def _closeness(c: Continuum, rows: Codes) -> Indices:
    """How close together the units of each unitary alignment lie: 0 is closest, −1 one unit.

    Starts and ends are so far from their medians, on average and as a share of the mean length.
    """
    marked = rows >= 0
    number = marked.sum(axis=1)
    edges = np.where(marked, np.array([c.starts, c.ends])[:, rows], np.nan)
    ascending, group = np.sort(edges, axis=2), np.arange(len(rows))  # NaN last
    median = (ascending[:, group, (number - 1) // 2] + ascending[:, group, number // 2]) / 2
    far = np.where(marked, np.abs(edges - median[:, :, None]), 0.0).sum(axis=2) / number
    length = np.where(marked, edges[1] - edges[0], 0.0).sum(axis=1) / number
    level = np.searchsorted(_FAR, far.sum(axis=0) / np.maximum(length, 1e-300))
    return np.where(number > 1, level, -1)


def best_threshold(posterior: Floats, unseen: float = 0.0) -> float:
    """The posterior of its category from which a unit is to be kept for the highest expected F₁.

    With the n most probable units of N expected ones, expected F₁ is near 2·Σp / (n + N); one more
    raises it if its p is above half of it. That is an F₁ under the model, of categories at the
    places that the alignment has; strict ones, which count boundaries, are lower.

    Parameters
    ----------
    posterior
        Shape (items, labels), the last label ∅.
    unseen
        How many units are expected that nobody marked.

    >>> best_threshold(np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8]]))  # 1.7 / (2 + 1.9)
    0.4358974358974359
    """
    ranked = np.sort(posterior[:, :-1].max(axis=1, initial=0.0))[::-1]
    expected = float((1 - posterior[:, -1]).sum()) + unseen
    gain = 2 * np.cumsum(ranked) / (np.arange(1, len(ranked) + 1) + expected)
    return float(gain.max(initial=0.0) / 2)


def truths_of(
    alignments: Iterable[Alignment],
    posterior: Floats,
    labels: tuple[str | None, ...],
    unseen: float,
    boundaries: Iterable[Floats],
) -> list[Truth]:
    """What the posterior of all items says of each document, kept from `best_threshold` on.

    Parameters
    ----------
    alignments, boundaries
        Of each document.
    posterior, labels
        Of the items of all of them, in their order.
    unseen
        As for `best_threshold`.
    """
    threshold = best_threshold(posterior, unseen)
    each = np.split(posterior, np.cumsum([len(f.groups) for f in alignments])[:-1])
    return [Truth(p, labels, threshold, b) for p, b in zip(each, boundaries, strict=True)]


def shares_of_boundaries(annotators: Sequence[str], documents: Iterable[GoldUnits]) -> Floats:
    """What each annotator's boundaries count: 1 over their mean distance from the consensus.

    Relative to everybody's; who did little is drawn to the mean like a confusion matrix. As the
    consensus is partly of their own, nobody counts more than three times what another does.
    """
    far, count = np.zeros(len(annotators)), np.zeros(len(annotators))
    for who, off in _deviations(annotators, documents):
        far += np.bincount(who, np.abs(off).sum(axis=1), len(annotators))
        count += np.bincount(who, minlength=len(annotators)) * 2.0
    pooled = far.sum() / max(count.sum(), 1.0)
    if not pooled:
        return np.ones(len(annotators))
    shares = pooled * (count + STRENGTH) / (far + STRENGTH * pooled)
    return np.asarray(np.clip(shares, 3**-0.5, 3**0.5))


def qualities(
    responses: Responses, counts: Floats, confusion: Floats, documents: Iterable[Consensus]
) -> tuple[AnnotatorQuality, ...]:
    """What there is to say of each annotator, in the order of the responses.

    Parameters
    ----------
    responses
        Who said what.
    counts, confusion
        Responses by truth, and P(said | true); shape (annotators, labels, labels), the last ∅.
    documents
        The gold standard, for boundaries.
    """
    j = len(responses.annotators)
    names = [category_name(c) for c in responses.labels]
    right = np.trace(counts[:, :-1, :-1], axis1=1, axis2=2)
    true, marked = counts[:, :-1].sum(axis=(1, 2)), counts[:, :, :-1].sum(axis=(1, 2))
    items = np.bincount(responses.annotator, minlength=j)
    gold = ([(u, u.units) for u in found.kept] for found in documents)
    who, off = zip(*_deviations(responses.annotators, gold), strict=True)
    whose, distances = np.concatenate(who), np.concatenate(off)
    found = []
    for i, name in enumerate(responses.annotators):
        mine = distances[whose == i]
        bias = mine.mean(axis=0) if len(mine) else np.full(2, np.nan)
        sd = mine.std(axis=0, ddof=1) if len(mine) > 1 else np.full(2, np.nan)
        found.append(
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
                boundary_bias=(float(bias[0]), float(bias[1])),
                boundary_sd=(float(sd[0]), float(sd[1])),
            )
        )
    return tuple(found)


def qualities_by_vote(
    responses: Responses, alignments: Mapping[str, Alignment], documents: Mapping[str, Consensus]
) -> tuple[AnnotatorQuality, ...]:
    """Recall, precision, confusion and boundaries of each annotator, counted against the votes.

    What was left out is true ∅; a tied category is shared evenly by those that are level.

    Parameters
    ----------
    responses
        What the alignments say (`responses_of`).
    alignments
        By document.
    documents
        The consensus of each.
    """
    place = {label: i for i, label in enumerate(responses.labels)}
    truth = np.zeros((responses.items, len(place)))
    before = 0
    for name, alignment in alignments.items():
        for unit in documents[name].units:
            level = unit.vote.tied or (category_of(unit.category),)
            true = level if unit.kept else (ABSENT,)
            truth[before + unit.group, [place[label] for label in true]] = 1 / len(true)
        before += len(alignment.groups)
    people, labels = len(responses.annotators), len(place)
    said = np.zeros((people * labels, labels))
    np.add.at(said, responses.annotator * labels + responses.label, truth[responses.item])
    counts = said.reshape(people, labels, labels).transpose(0, 2, 1)
    totals = counts.sum(axis=2, keepdims=True)
    shares = np.divide(counts, totals, out=np.full_like(counts, np.nan), where=totals > 0)
    return qualities(responses, counts, shares, documents.values())


def _deviations(
    annotators: Sequence[str], documents: Iterable[GoldUnits]
) -> Iterable[tuple[Any, Floats]]:
    """Codes of annotators, and start and end of their units minus those of the consensus's."""
    place = {name: i for i, name in enumerate(annotators)}
    yield np.zeros(0, np.int64), np.zeros((0, 2))
    for found in documents:
        rows = [
            (place[name], unit.start - u.start, unit.end - u.end)
            for u, units in found
            for name, unit in units.items()
            if unit is not None
        ]
        if rows:
            table = np.array(rows)
            yield table[:, 0].astype(np.int64), table[:, 1:]
