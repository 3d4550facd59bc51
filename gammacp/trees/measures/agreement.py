"""The agreement of a treebank: α and accuracies, by annotator and by sentence."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from gammacp.base.arguments import whole
from gammacp.base.arrays import Bools, Floats
from gammacp.base.signature import signature
from gammacp.chance.beyond import BeyondChance, ratios
from gammacp.errors import DataError, UsageError
from gammacp.inference.contributions import Contributions
from gammacp.trees.measures.alpha import (
    DELTAS,
    ExpectedDisagreement,
    TreeObservations,
    expected_disagreement,
    observed_disagreement,
    sampled_disagreement,
)
from gammacp.trees.measures.annotations import Item, Treebank
from gammacp.trees.measures.matched import (
    LENGTH_MATCHED,
    beyond_length_matched,
    interval_over_sentences,
)

Interval: TypeAlias = tuple[float, float]
_U = 1.96
ZERO_EXPECTED = "expected disagreement is 0: no two trees differ by this δ"


@dataclass(frozen=True, kw_only=True)
class TreeAlpha:
    """Agreement of one choice of annotators, by the three δ ("plain", "diff", "norm").

    Attributes
    ----------
    alpha, observed, expected
        α = 1 − observed / expected as published, over all pairs of annotations; NaN where the
        expected disagreement is 0.
    beyond_chance
        Values by δ and accuracy, against other sentences of the same length
        (`gammacp.trees.measures.matched`); empty if not asked for.
    interval
        95 % Monte-Carlo interval where the expected disagreement is estimated from sampled pairs.
    scores
        Accuracies by name ("las", "uas", "label", or "jaccard", "f1").
    annotators
        Annotators whose annotations count.
    items
        Sentences with at least two of their annotations.
    """

    annotators: tuple[str, ...]
    items: int
    alpha: Mapping[str, float]
    observed: Mapping[str, float]
    expected: Mapping[str, float]
    interval: Mapping[str, Interval] | None
    scores: Mapping[str, float]
    beyond_chance: Mapping[str, BeyondChance]


@dataclass(frozen=True)
class SentenceShare:
    """A sentence, and its share of D_o under each δ."""

    item: Item
    share: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class SyntaxAgreement:
    """The agreement of a treebank, as a whole and in parts.

    Attributes
    ----------
    total
        Agreement of all annotators together.
    pairs, without
        Agreement of each pair of annotators that share a sentence, and of all annotators but one.
    sentences
        Sorted by their share of D_o under δ_plain, the worst first.
    bootstrap
        95 % intervals over sentences (`gammacp.inference.resampling`), by δ and by score, None
        where these are too few; None if not asked for.
    ignored
        Number of sentences that accuracies leave out, as token counts differ.
    """

    total: TreeAlpha
    pairs: tuple[TreeAlpha, ...]
    without: tuple[TreeAlpha, ...]
    sentences: tuple[SentenceShare, ...]
    bootstrap: Mapping[str, Interval | None] | None
    tokens: int
    ignored: int
    signature: str

    @property
    def reason(self) -> str | None:
        """Return why an α is undefined; None if all three are defined."""
        lost = [d for d in DELTAS if np.isnan(self.total.alpha[d])]
        if lost:
            return f"{', '.join(lost)}: {ZERO_EXPECTED}"
        return None


def syntax_agreement(
    treebank: Treebank,
    *,
    chance: str | None = LENGTH_MATCHED,
    sample_pairs: int = 0,
    bootstrap: int = 0,
    breakdown: bool = True,
    seed: int = 0,
) -> SyntaxAgreement:
    """Return the agreement of a treebank (Skjærholt 2014), as published and beyond chance.

    Parameters
    ----------
    treebank
        Sentences with annotations; those with one annotation are left out.
    chance
        "length-matched", or None for the published values alone.
    sample_pairs
        Number of pairs of annotations from which the published D_e is estimated; 0 for all pairs.
    bootstrap
        Number of bootstrap samples of sentences for the intervals of the published values; 0 for
        none. Trees are not compared again for them.
    breakdown
        Whether to compute pairs of annotators and everybody but one.
    seed
        Seed of sampled pairs and of the bootstrap.

    Raises
    ------
    UsageError
        The chance model is unknown, `sample_pairs` or `bootstrap` is negative or 1, or a number is
        no whole one.
    DataError
        There is one annotator only, or no sentence has two annotations.

    >>> from gammacp.trees.measures.annotations import Dependencies
    >>> one, two = Dependencies((2, 0), ("s", "r")), Dependencies((0, 1, 1), ("r", "o", "o"))
    >>> treebank = Treebank.from_annotations({"Ann": [one, two], "Ben": [one, two]})
    >>> syntax_agreement(treebank).total.alpha
    {'plain': 1.0, 'diff': 1.0, 'norm': 1.0}
    """
    _check_options(chance, sample_pairs=sample_pairs, bootstrap=bootstrap)
    seed = whole("seed", seed, 0)
    if len(treebank.annotators) < 2:
        raise DataError("one annotator only", hint="Agreement needs two.")
    observations = TreeObservations.of(treebank)
    pairs, without = _breakdown(observations, len(treebank.annotators) if breakdown else 0)
    groups = [tuple(range(len(treebank.annotators))), *pairs, *without]
    chosen = np.stack([observations.by(group) for group in groups])
    expected = _expected(observations, chosen, sample_pairs, seed)
    results = [
        TreeAlpha(
            annotators=tuple(treebank.annotators[a] for a in group),
            **_published(observations, rows, mean, error if sample_pairs else None),
            beyond_chance=beyond_length_matched(observations, rows, seed=seed) if chance else {},
        )
        for group, rows, mean, error in zip(
            groups, chosen, expected.mean, expected.error, strict=True
        )
    ]
    return SyntaxAgreement(
        total=results[0],
        pairs=tuple(results[1 : len(pairs) + 1]),
        without=tuple(results[len(pairs) + 1 :]),
        sentences=_shares(observations),
        bootstrap=_bootstrap(observations, expected, bootstrap, seed),
        tokens=sum(item.n_tokens for item in treebank.shared_items),
        ignored=observations.n_items - int(observations.compared(observations.everything).sum()),
        signature=_signature(treebank, sample_pairs, bootstrap, seed),
    )


def _signature(treebank: Treebank, sample_pairs: int, bootstrap: int, seed: int) -> str:
    """Return the signature, with the seed only if random numbers are used."""
    return signature(
        "syntax-alpha",
        trees=treebank.kind,
        selection=treebank.selection,
        pairs=sample_pairs or "all",
        bootstrap=bootstrap or None,
        seed=seed if sample_pairs or bootstrap else None,
    )


def _check_options(chance: str | None, **numbers: int) -> None:
    """Raise UsageError for an unknown chance model or too small a number of draws."""
    for name, value in numbers.items():
        if whole(name, value, 0) == 1:
            raise UsageError(f"{name} 1 is not 0 or at least 2")
    if chance not in (LENGTH_MATCHED, None):
        raise UsageError(f"chance {chance!r} is not {LENGTH_MATCHED!r} or None")


def _breakdown(
    observations: TreeObservations, annotators: int
) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Return the pairs of annotators who share sentences, and all groups that lack one."""
    people = range(annotators)
    pairs = [pair for pair in combinations(people, 2) if observations.by(pair).any()]
    without: list[tuple[int, ...]] = []
    if annotators > 2:
        without = [tuple(b for b in people if b != a) for a in people]
    return [*pairs], without


def _expected(
    observations: TreeObservations, chosen: Bools, sample_pairs: int, seed: int
) -> ExpectedDisagreement:
    """Return the published D_e of each group, estimated from sampled pairs if requested."""
    if sample_pairs:
        return sampled_disagreement(observations, chosen, pairs=sample_pairs, seed=seed)
    return expected_disagreement(observations, chosen)


def _bootstrap(
    observations: TreeObservations, expected: ExpectedDisagreement, draws: int, seed: int
) -> dict[str, Interval | None] | None:
    """Return the interval of each published value over sentences; None for 0 draws."""
    if not draws:
        return None
    draw = partial(interval_over_sentences, draws=draws, seed=seed)
    parts = published_parts(observations, expected)
    return {name: draw(part) for name, part in parts.items()}


def _published(
    observations: TreeObservations, chosen: Bools, expected: Floats, error: Floats | None
) -> dict[str, Any]:
    """Return the fields of `TreeAlpha` for some annotations without length-matched chance."""
    observed = observed_disagreement(observations, chosen)
    interval = None
    if error is not None:
        low, high = (ratios(observed, expected + sign * _U * error) for sign in (-1, 1))
        interval = dict(zip(DELTAS, zip(low.tolist(), high.tolist(), strict=True), strict=True))
    return {
        "items": len(np.unique(observations.item[chosen])),
        "alpha": _by_delta(ratios(observed, expected)),
        "observed": _by_delta(observed),
        "expected": _by_delta(expected),
        "interval": interval,
        "scores": {n: part.gamma for n, part in observations.wrong_tokens(chosen).items()},
    }


def _by_delta(values: Floats) -> dict[str, float]:
    return {name: float(value) for name, value in zip(DELTAS, values, strict=True)}


def published_parts(
    observations: TreeObservations, expected: ExpectedDisagreement
) -> dict[str, Contributions]:
    """Return the contributions of each sentence to D_o and D_e of each α and score.

    Parameters
    ----------
    observations
        The annotations of a treebank, and how far they are apart.
    expected
        Expected disagreement of all annotations, with the mean of each annotation.

    A sentence drawn twice changes the mean over all pairs twice as much as its annotations' means
    say: D_e is a mean over pairs, so that its linear part is 2·row − D_e.
    """
    everything = observations.everything
    observed = observations.item_disagreement(everything)
    linear = 2 * expected.rows - expected.mean[0][:, None]
    alphas = {
        name: Contributions(observed[d], observations.sums(linear[d], everything), "sentences")
        for d, name in enumerate(DELTAS)
    }
    return {**alphas, **observations.wrong_tokens(everything)}


def _shares(observations: TreeObservations) -> tuple[SentenceShare, ...]:
    parts = observations.item_disagreement(observations.everything)
    total = parts.sum(axis=1, keepdims=True)
    shares = np.divide(parts, total, out=np.zeros_like(parts), where=total > 0)
    order = np.lexsort((np.arange(observations.n_items), -shares[0]))
    items = observations.treebank.shared_items
    return tuple(SentenceShare(items[i], _by_delta(shares[:, i])) for i in order)
