"""Rates of mistakes of each annotator, estimated from slots whose truth nobody knows.

A slot is real, and then each annotator fails at it with a rate of their own, or it was made by one
annotator alone. Slots at which two or more agree are real; those of one annotator are shared out
by the rates (expectation and maximisation; Dempster, Laird & Rubin 1977), and so are real slots at
which everybody fails, which nobody sees (capture and recapture). Three annotators are the fewest
of whom this tells who is who. Labels likewise (Dawid & Skene 1979, with one rate per annotator).
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
    """Different rows of slots, and how often each document has them.

    Attributes
    ----------
    present, asked
        Annotators who have the slot, and annotators of whom that is known, shape (patterns,
        annotators).
    counts
        Shape (documents, patterns).
    """

    present: Bools
    asked: Bools
    counts: Floats

    @classmethod
    def of(cls, present: Bools, asked: Bools, document: Codes, documents: int) -> Patterns:
        """Return the patterns of slots.

        Parameters
        ----------
        present, asked
            Annotators who have each slot, and of whom that is known, shape (slots, annotators).
        document
            Document of each slot, as its place; shape (slots,).
        documents
            Number of documents.
        """
        both = np.concatenate([present & asked, asked], axis=1)
        rows, place = np.unique(both, axis=0, return_inverse=True)
        counts = np.zeros((documents, len(rows)))
        np.add.at(counts, (document, place.ravel()), 1.0)
        people = present.shape[1]
        return cls(rows[:, :people], rows[:, people:], counts)


@dataclass(frozen=True, eq=False)
class Rates:
    """Rates of annotators, shape (annotators,); NaN of those of whom nothing is known.

    Attributes
    ----------
    failing
        Share of real slots that an annotator lacks.
    adding
        Slots of an annotator alone that are not real, per real slot.
    real
        Number of real slots that each annotator could have had.
    """

    failing: Floats
    adding: Floats
    real: Floats


def rates_of(patterns: Patterns, weights: Floats, meeting: float = 0.0) -> Rates:
    """Estimate the rates of all annotators together.

    Parameters
    ----------
    patterns
        Patterns of slots.
    weights
        Number of times that each document counts, shape (documents,).
    meeting
        Number of slots of two annotators alone that are at the same place by chance, per real slot
        and product of their rates of adding: slots of two may be such a meeting.
    """
    counts = weights @ patterns.counts
    used = counts > 0
    present = patterns.present[used]
    asked = patterns.asked[used]
    counts = counts[used]
    people = patterns.present.shape[1]
    if not len(counts):
        nothing = np.full(people, np.nan)
        return Rates(nothing, nothing.copy(), np.zeros(people))
    kinds, stratum = np.unique(asked, axis=0, return_inverse=True)
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
        likely = np.where(asked, np.where(present, 1 - failing, failing), 1.0).prod(axis=1)
        share = np.ones(len(counts))
        share[alone] = likely[alone] / (likely[alone] + adding[owner[alone]] + _SMALL)
        met = meeting * adding[both].prod(axis=1)
        share[two] = likely[two] / (likely[two] + met + _SMALL)
        seen = counts * share
        # Of real slots some are seen by nobody: as many as the rates say.
        unseen = np.where(kinds, failing, 1.0).prod(axis=1)
        by_kind = np.bincount(stratum, seen, len(kinds))
        missed = by_kind * unseen / np.maximum(1 - unseen, _SMALL)
        real = (by_kind + missed) @ kinds
        failed = seen @ (asked & ~present) + missed @ kinds
        added = np.zeros(people)
        np.add.at(added, owner[alone], (counts - seen)[alone])
        np.add.at(added, both, (counts - seen)[two, None])
        with np.errstate(invalid="ignore", divide="ignore"):
            failing = np.where(real > 0, failed / real, 0.0)
            adding = np.where(real > 0, added / real, 0.0)
        if np.abs(np.concatenate([failing, adding]) - before).max() < _SMALL:
            break
    unknown = real <= 0
    failing[unknown] = np.nan
    adding[unknown] = np.nan
    return Rates(failing, adding, real)


def wrong_labels(labels: Codes, categories: int, weights: Floats) -> Floats:
    """Estimate the share of each annotator's labels that are wrong, shape (annotators,).

    A wrong label is drawn like those of all units, and may be right by chance.

    Parameters
    ----------
    labels
        Codes, −1 where an annotator has none, shape (slots, annotators).
    categories
        Number of categories.
    weights
        Number of times that each slot counts, shape (slots,).
    """
    used = weights > 0
    labels = labels[used]
    weights = weights[used]
    people = labels.shape[1]
    asked = labels >= 0
    n = weights @ asked
    if not len(labels):
        return np.full(people, np.nan)
    one_hot = np.stack([labels == k for k in range(categories)], axis=2)
    prevalence = (weights[:, None, None] * one_hot).sum(axis=(0, 1)) + _SMALL
    prevalence /= prevalence.sum()
    redrawn = np.full(people, _START)
    for _ in range(_STEPS):
        before = redrawn
        chance = redrawn * prevalence[np.maximum(labels, 0)]
        # The label is the true one, or not; shape (slots, annotators, categories).
        likely = chance[:, :, None] + (1 - redrawn)[None, :, None] * one_hot
        likely = np.where(asked[:, :, None], likely, 1.0)
        truth = prevalence * likely.prod(axis=1)
        truth /= truth.sum(axis=1, keepdims=True) + _SMALL**2
        agrees = np.take_along_axis(truth, np.maximum(labels, 0), axis=1)
        by_chance = chance / (chance + (1 - redrawn) + _SMALL**2)
        drawn = np.where(asked, 1 - agrees + agrees * by_chance, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            redrawn = np.where(n > 0, (weights @ drawn) / n, 0.0)
        prevalence = weights @ truth + _SMALL
        prevalence /= prevalence.sum()
        if np.abs(redrawn - before).max() < _SMALL:
            break
    wrong: Floats = np.where(n > 0, redrawn * (1 - (prevalence**2).sum()), np.nan)
    return wrong


def variances(squares: Floats, counts: Floats) -> Floats:
    """Split mean squared differences of pairs into a variance of each annotator.

    The difference of two has the variance of the one and that of the other; so three annotators
    have three equations, and more have least squares.

    Parameters
    ----------
    squares, counts
        Σ of squared differences of each pair and how many there are, shape (annotators,
        annotators), symmetric.

    Returns
    -------
    Floats
        Shape (annotators,); NaN of those whose pairs do not tell, and below 0 by chance.
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
    found = np.full(people, np.nan)
    if not rows:
        return found
    matrix = np.array(rows) * np.array(weights)[:, None]
    inverse = np.linalg.pinv(matrix)
    solved = inverse @ (np.array(means) * np.array(weights))
    # An annotator is known where the equations leave nothing else.
    known = np.isclose((inverse @ matrix).diagonal(), 1.0)
    found[known] = solved[known]
    return found
