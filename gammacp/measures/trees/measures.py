"""Measures of agreement between trees (Skjærholt 2014): three α, LAS, Jaccard similarity.

Each takes a `gammacp.measures.trees.annotations.Treebank` where other measures take a continuum.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

from gammacp.chance.beyond import BeyondChance
from gammacp.measures.registry import observed_disagreement, registered
from gammacp.measures.score import Score, undefined

if TYPE_CHECKING:
    from gammacp.measures.trees.agreement import SyntaxAgreement
    from gammacp.measures.trees.annotations import Treebank

_registered = partial(registered, reference="Skjærholt 2014", applies_to="trees")
_accuracy_registered = partial(_registered, range="[0, 1]", chance_corrected=False)


def _agreement(
    treebank: Treebank, shared: dict[object, object] | None, **options: int
) -> SyntaxAgreement:
    from gammacp.measures.trees.agreement import syntax_agreement

    key = ("trees", *sorted(options.items()))
    memory = {} if shared is None else shared
    if key not in memory:
        memory[key] = syntax_agreement(treebank, chance=None, breakdown=False, **options)
    return cast("SyntaxAgreement", memory[key])


def _beyond(name: str) -> Callable[..., BeyondChance]:
    """1 − D_o/D_e of a δ or an accuracy against other sentences of the same length."""

    def beyond(treebank: Treebank, *, seed: int = 0) -> BeyondChance:
        from gammacp.measures.trees.alpha import TreeObservations
        from gammacp.measures.trees.matched import beyond_length_matched

        observations = TreeObservations.of(treebank)
        return beyond_length_matched(observations, observations.everything, seed=seed)[name]

    return beyond


def _alpha(delta: str, summary: str, note: str) -> Callable[..., Score]:
    """The measure of one δ; the three share one comparison of all trees."""

    def alpha(
        treebank: Treebank,
        *,
        sample_pairs: int = 0,
        bootstrap: int = 0,
        seed: int = 0,
        shared: dict[object, object] | None = None,
    ) -> Score:
        from gammacp.measures.trees.agreement import ZERO_EXPECTED

        result = _agreement(
            treebank, shared, sample_pairs=sample_pairs, bootstrap=bootstrap, seed=seed
        )
        total = result.total
        return Score(
            value=total.alpha[delta],
            observed=total.observed[delta],
            expected=total.expected[delta],
            interval=None if total.interval is None else total.interval[delta],
            bootstrap=None if result.bootstrap is None else result.bootstrap[delta],
            reason=ZERO_EXPECTED if math.isnan(total.alpha[delta]) else None,
            signature=result.signature,
        )

    alpha.__name__ = f"alpha_{delta}"
    alpha.__doc__ = f"""α over trees with δ_{delta}: {note}.

    Parameters
    ----------
    treebank
        Sentences with at least two annotations count.
    sample_pairs
        Pairs from which the expected disagreement is estimated; 0 for all.
    bootstrap
        Number of resamples of the sentences; 0 for none.
    seed
        Of both.
    shared
        Keeps what measures of one family have in common.
    """
    _registered(
        f"alpha-{delta}",
        f"α over trees, δ = {summary}",
        disagreement=observed_disagreement,
        beyond_chance=_beyond(delta),
    )(alpha)
    return alpha


alpha_plain = _alpha(
    "plain", "tree edit distance", "the tree edit distance, which the paper recommends (§5)"
)
alpha_diff = _alpha(
    "diff",
    "distance less the difference in size",
    "TED − ||x| − |y||, very sensitive to little disagreement (§3)",
)
alpha_norm = _alpha("norm", "distance over the sum of the sizes", "TED / (|x| + |y|), lenient (§3)")


@_accuracy_registered(
    "las", "labelled attachment score, mean over annotator pairs", beyond_chance=_beyond("las")
)
def las(treebank: Treebank) -> Score:
    """Labelled attachment score, pairwise and weighted by length (eq. 3).

    Parameters
    ----------
    treebank
        Dependency trees; at least one sentence with two annotations.
    """
    return _accuracy(treebank, "las", "phrase structure has no heads to attach to")


@_accuracy_registered(
    "jaccard", "Jaccard similarity of labelled bracketings", beyond_chance=_beyond("jaccard")
)
def jaccard(treebank: Treebank) -> Score:
    """Jaccard similarity of labelled bracketings, pairwise and weighted by length (§4.2).

    Parameters
    ----------
    treebank
        Phrase structure trees; at least one sentence with two annotations.
    """
    return _accuracy(treebank, "jaccard", "dependency trees have no bracketings")


def _accuracy(treebank: Treebank, name: str, other_kind: str) -> Score:
    from gammacp.measures.trees.accuracy import accuracies
    from gammacp.signature import signature

    found = accuracies(treebank)
    value, lost = found.mean().get(name), found.ignored
    if value is None:
        return undefined(other_kind)
    if math.isnan(value):
        return undefined("the annotators' token counts differ in every sentence")
    note = f"{lost} of {len(found.lengths)} sentences left out, in which token counts differ"
    return Score(value=value, signature=signature(name), notes=(note,) if lost else ())
