"""Estimate each annotator's rates of mistakes from slots whose true state is unknown.

A slot is either real or an addition. Each annotator misses real slots at an individual rate. An
addition was made by one annotator alone (or, rarely, by two in the same place by chance). Slots
with three or more annotators are real. For the others, the probability of being real is computed
from the rates, and the rates are estimated again, until they no longer change (the EM algorithm;
Dempster, Laird & Rubin 1977). The number of real slots that all annotators missed is estimated from
the rates, too (capture–recapture). At least three annotators are needed to identify the rates.
Wrong labels are estimated in the same way (Dawid & Skene 1979, with one rate per annotator).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Bools, Codes, Floats

_STEPS = 500
_SMALL = 1e-9
_START = 0.1


@dataclass(frozen=True, eq=False)
class Patterns:
    """Distinct patterns of slots, and the number of slots with each pattern by document.

    Attributes
    ----------
    present, is_known
        Whether each annotator has the slot, and whether this is known, shape (patterns,
        annotators).
    counts
        Number of slots with each pattern, shape (documents, patterns).
    """

    present: Bools
    is_known: Bools
    counts: Floats

    @classmethod
    def of(cls, present: Bools, is_known: Bools, document: Codes, documents: int) -> Patterns:
        """Count the patterns of slots.

        Parameters
        ----------
        present, is_known
            Whether each annotator has each slot, and whether this is known, shape (slots,
            annotators).
        document
            Index of each slot's document, shape (slots,).
        documents
            Number of documents.
        """
        both = np.concatenate([present & is_known, is_known], axis=1)
        rows, place = np.unique(both, axis=0, return_inverse=True)
        counts = np.zeros((documents, len(rows)))
        np.add.at(counts, (document, place.ravel()), 1.0)
        people = present.shape[1]
        return cls(rows[:, :people], rows[:, people:], counts)


@dataclass(frozen=True, eq=False)
class AnnotatorRates:
    """Rates of annotators, shape (annotators,) each; NaN for annotators without data.

    Attributes
    ----------
    failing
        Share of real slots that the annotator lacks.
    adding
        Number of slots that the annotator added although they are not real, per real slot.
    real
        Estimated number of real slots that the annotator could have had.
    """

    failing: Floats
    adding: Floats
    real: Floats


def rates_of(patterns: Patterns, weights: Floats, meeting: float = 0.0) -> AnnotatorRates:
    """Estimate the rates of all annotators together.

    Parameters
    ----------
    patterns
        Patterns of slots.
    weights
        Weight of each document, shape (documents,).
    meeting
        Number of slots that two annotators both added in the same place by chance, per real slot
        and per product of their rates of adding.
    """
    counts = weights @ patterns.counts
    used = counts > 0
    present = patterns.present[used]
    is_known = patterns.is_known[used]
    counts = counts[used]
    people = patterns.present.shape[1]
    if not len(counts):
        nothing = np.full(people, np.nan)
        return AnnotatorRates(nothing, nothing.copy(), np.zeros(people))
    kinds, stratum = np.unique(is_known, axis=0, return_inverse=True)
    stratum = stratum.ravel()
    alone = present.sum(axis=1) == 1
    owner = present.argmax(axis=1)
    two = np.flatnonzero(present.sum(axis=1) == 2)
    both = np.argwhere(present[two])[:, 1].reshape(-1, 2)
    failing = np.full(people, _START)
    adding = np.full(people, _START)
    real = np.zeros(people)
    for _ in range(_STEPS):
        before = np.concatenate([failing, adding])
        likely = np.where(is_known, np.where(present, 1 - failing, failing), 1.0).prod(axis=1)
        share = np.ones(len(counts))
        share[alone] = likely[alone] / (likely[alone] + adding[owner[alone]] + _SMALL)
        met = meeting * adding[both].prod(axis=1)
        share[two] = likely[two] / (likely[two] + met + _SMALL)
        real_counts = counts * share
        # Estimate the number of real slots that all annotators missed.
        unseen = np.where(kinds, failing, 1.0).prod(axis=1)
        by_kind = np.bincount(stratum, real_counts, len(kinds))
        missed = by_kind * unseen / np.maximum(1 - unseen, _SMALL)
        real = (by_kind + missed) @ kinds
        failed = real_counts @ (is_known & ~present) + missed @ kinds
        added = np.zeros(people)
        np.add.at(added, owner[alone], (counts - real_counts)[alone])
        np.add.at(added, both, (counts - real_counts)[two, None])
        with np.errstate(invalid="ignore", divide="ignore"):
            failing = np.where(real > 0, failed / real, 0.0)
            adding = np.where(real > 0, added / real, 0.0)
        if np.abs(np.concatenate([failing, adding]) - before).max() < _SMALL:
            break
    unknown = real <= 0
    failing[unknown] = np.nan
    adding[unknown] = np.nan
    return AnnotatorRates(failing, adding, real)


def wrong_labels(labels: Codes, categories: int, weights: Floats) -> Floats:
    """Estimate the share of each annotator's labels that are wrong, shape (annotators,).

    In the model, an annotator either gives the true label or draws a label at random from the
    distribution of all labels. A drawn label may be right by chance.

    Parameters
    ----------
    labels
        Codes of labels, −1 if an annotator has none, shape (slots, annotators).
    categories
        Number of categories.
    weights
        Weight of each slot, shape (slots,).
    """
    used = weights > 0
    labels = labels[used]
    weights = weights[used]
    people = labels.shape[1]
    is_known = labels >= 0
    n = weights @ is_known
    if not len(labels):
        return np.full(people, np.nan)
    one_hot = np.stack([labels == k for k in range(categories)], axis=2)
    prevalence = (weights[:, None, None] * one_hot).sum(axis=(0, 1)) + _SMALL
    prevalence /= prevalence.sum()
    redrawn = np.full(people, _START)
    for _ in range(_STEPS):
        before = redrawn
        chance = redrawn * prevalence[np.maximum(labels, 0)]
        # Likelihood of each label, given each true label; shape (slots, annotators, categories).
        likely = chance[:, :, None] + (1 - redrawn)[None, :, None] * one_hot
        likely = np.where(is_known[:, :, None], likely, 1.0)
        truth = prevalence * likely.prod(axis=1)
        truth /= truth.sum(axis=1, keepdims=True) + _SMALL**2
        agrees = np.take_along_axis(truth, np.maximum(labels, 0), axis=1)
        by_chance = chance / (chance + (1 - redrawn) + _SMALL**2)
        drawn = np.where(is_known, 1 - agrees + agrees * by_chance, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            redrawn = np.where(n > 0, (weights @ drawn) / n, 0.0)
        prevalence = weights @ truth + _SMALL
        prevalence /= prevalence.sum()
        if np.abs(redrawn - before).max() < _SMALL:
            break
    wrong: Floats = np.where(n > 0, redrawn * (1 - (prevalence**2).sum()), np.nan)
    return wrong


def variances(squares: Floats, counts: Floats) -> Floats:
    """Split the mean squared differences of pairs into a variance for each annotator.

    The variance of the difference of two annotators is the sum of their variances. Three annotators
    therefore give three equations with three unknowns; for more, the equations are solved by least
    squares.

    Parameters
    ----------
    squares, counts
        Sum and number of the squared differences of each pair, shape (annotators, annotators),
        symmetric.

    Returns
    -------
    Floats
        Variances, shape (annotators,). They are NaN for annotators whose variance cannot be
        determined from their pairs, and may be below 0 by chance.
    """
    people = len(counts)
    rows = []
    weights = []
    means = []
    for one in range(people):
        for other in range(one):
            if counts[one, other]:
                row = np.zeros(people)
                row[[one, other]] = 1.0
                rows.append(row)
                weights.append(float(counts[one, other]) ** 0.5)
                means.append(float(squares[one, other] / counts[one, other]))
    estimates = np.full(people, np.nan)
    if not rows:
        return estimates
    matrix = np.array(rows) * np.array(weights)[:, None]
    inverse = np.linalg.pinv(matrix)
    solved = inverse @ (np.array(means) * np.array(weights))
    # A variance is determined only if the system of equations has a unique solution for it.
    is_determined = np.isclose((inverse @ matrix).diagonal(), 1.0)
    estimates[is_determined] = solved[is_determined]
    return estimates
