"""Accuracies without a correction for chance, pairwise and weighted by length (eq. 3).

LAS_p = Σ_i |x_i1| · mean LAS over the annotator pairs of sentence i / Σ_i |x_i1|. Sentences whose
annotations differ in their number of tokens are left out and counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gammacp.arrays import Floats
from gammacp.errors import DataError
from gammacp.syntax.annotations import Dependencies, Item, Phrase, Treebank

DEPENDENCY_SCORES = ("las", "uas", "label")
PHRASE_SCORES = ("jaccard", "f1")


def attachment_scores(a: Dependencies, b: Dependencies) -> tuple[float, float, float]:
    """LAS, UAS and label accuracy: the share of tokens with the same head and label, head, label.

    Parameters
    ----------
    a, b
        Annotations with the same number of tokens.

    Raises
    ------
    DataError
        Their numbers of tokens differ.

    >>> one, two = Dependencies((2, 0), ("s", "r")), Dependencies((2, 0), ("o", "r"))
    >>> attachment_scores(one, two)
    (0.5, 1.0, 0.5)
    """
    if a.n_tokens != b.n_tokens:
        raise DataError(f"{a.n_tokens} and {b.n_tokens} tokens have no attachments in common")
    heads = [x == y for x, y in zip(a.heads, b.heads, strict=True)]
    labels = [x == y for x, y in zip(a.relations, b.relations, strict=True)]
    both = [x and y for x, y in zip(heads, labels, strict=True)]
    return sum(both) / len(both), sum(heads) / len(heads), sum(labels) / len(labels)


def bracketing_scores(a: Phrase, b: Phrase) -> tuple[float, float]:
    """Jaccard similarity and F₁ of the sets of labelled bracketings, leaves included.

    >>> a = Phrase(("S", (("NP", ()), ("VP", (("V", ()), ("NP", ()))))))
    >>> b = Phrase(("S", (("NP", ()), ("V", ()), ("NP", ()))))
    >>> bracketing_scores(a, b)[0]
    0.8
    """
    x, y = a.bracketings, b.bracketings
    common = len(x & y)
    return common / len(x | y), 2 * common / (len(x) + len(y))


@dataclass(frozen=True)
class Accuracies:
    """Scores per sentence, and what they weigh.

    Attributes
    ----------
    names
        Of the scores.
    values
        Mean over the annotator pairs of each sentence: shape (scores, sentences); NaN where the
        sentence is left out.
    lengths
        Tokens of each sentence, as its first annotator has them.
    """

    names: tuple[str, ...]
    values: Floats
    lengths: Floats

    @property
    def ignored(self) -> int:
        """Number of sentences with differing token counts."""
        return int(np.isnan(self.values[0]).sum())

    def mean(self, item_weights: Floats | None = None) -> dict[str, float]:
        """The scores over all sentences (eq. 3); NaN if none is left.

        Parameters
        ----------
        item_weights
            How often each sentence counts, shape (items,); default once.
        """
        weights = np.where(np.isnan(self.values[0]), 0.0, self.lengths)
        if item_weights is not None:
            weights = weights * item_weights
        total = weights.sum()
        if not total:
            return dict.fromkeys(self.names, float("nan"))
        means = np.nan_to_num(self.values) @ weights / total
        return {name: float(value) for name, value in zip(self.names, means, strict=True)}


def accuracies(treebank: Treebank, annotators: tuple[str, ...] | None = None) -> Accuracies:
    """Scores of all sentences, or of those that at least two of `annotators` annotated.

    Parameters
    ----------
    treebank
        Dependency or phrase structure trees.
    annotators
        Whose annotations count; default everybody's.
    """
    names = DEPENDENCY_SCORES if treebank.kind == "dependency" else PHRASE_SCORES
    chosen = treebank.annotators if annotators is None else annotators
    kept = [
        Item(item.document, item.name, {a: s for a, s in item.annotations.items() if a in chosen})
        for item in treebank.shared
    ]
    kept = [item for item in kept if len(item.annotations) >= 2]
    values = np.array([_mean_over_pairs(item, len(names)) for item in kept], np.float64)
    return Accuracies(
        names,
        values.reshape(len(kept), len(names)).T,
        np.array([item.n_tokens for item in kept], np.float64),
    )


def _mean_over_pairs(item: Item, n_scores: int) -> tuple[float, ...]:
    if not item.same_length:
        return (float("nan"),) * n_scores
    score: Callable[..., tuple[float, ...]] = (
        attachment_scores
        if isinstance(next(iter(item.annotations.values())), Dependencies)
        else bracketing_scores
    )
    scores = [score(a, b) for a, b in combinations(item.annotations.values(), 2)]
    return tuple(sum(column) / len(scores) for column in zip(*scores, strict=True))
