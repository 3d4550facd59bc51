"""Measures of agreement between trees (Skjærholt 2014): three α, LAS, Jaccard similarity.

Each takes a `gammacp.trees.measures.annotations.Treebank` where other measures take a continuum.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

from gammacp.measures.registry import observed_disagreement, registered
from gammacp.measures.score import Score, undefined

if TYPE_CHECKING:
    from gammacp.trees.measures.agreement import SyntaxAgreement
    from gammacp.trees.measures.annotations import Treebank

_registered = partial(registered, reference="Skjærholt 2014", applies_to="trees")
_accuracy_registered = partial(_registered, range="[0, 1]", chance_corrected=False)


def _alpha(delta: str) -> Callable[..., Score]:
    """Return the measure of one δ; the three share one comparison of all trees."""

    def alpha(
        treebank: Treebank,
        *,
        sample_pairs: int = 0,
        bootstrap: int = 0,
        seed: int = 0,
        shared: dict[object, object] | None = None,
    ) -> Score:
        """α over trees: the paper recommends δ plain (§5); diff is sensitive, norm lenient (§3).

        Parameters
        ----------
        treebank
            Sentences with at least two annotations count.
        sample_pairs
            Pairs from which the expected disagreement is estimated; 0 for all.
        bootstrap
            Number of resamples of the sentences; 0 for none.
        seed
            Seed of both.
        shared
            Keeps what measures of one family have in common.
        """
        from gammacp.trees.measures.agreement import ZERO_EXPECTED, syntax_agreement

        options = {"sample_pairs": sample_pairs, "bootstrap": bootstrap, "seed": seed}
        if shared is None:
            memory = {}
        else:
            memory = shared
        key = ("trees", *options.items())
        if key not in memory:
            memory[key] = syntax_agreement(treebank, chance=None, breakdown=False, **options)
        result = cast("SyntaxAgreement", memory[key])
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
    return alpha


for _delta, _distance in (
    ("plain", "tree edit distance"),
    ("diff", "distance less the difference in size"),
    ("norm", "distance over the sum of the sizes"),
):
    _registered(
        f"alpha-{_delta}",
        f"α over trees, δ = {_distance}",
        disagreement=observed_disagreement,
    )(_alpha(_delta))


@_accuracy_registered("las", "labelled attachment score, mean over annotator pairs")
def las(treebank: Treebank) -> Score:
    """Labelled attachment score, pairwise and weighted by length (eq. 3).

    Parameters
    ----------
    treebank
        Dependency trees; at least one sentence with two annotations.
    """
    return _accuracy(treebank, "las", "phrase structure has no heads to attach to")


@_accuracy_registered("jaccard", "Jaccard similarity of labelled bracketings")
def jaccard(treebank: Treebank) -> Score:
    """Jaccard similarity of labelled bracketings, pairwise and weighted by length (§4.2).

    Parameters
    ----------
    treebank
        Phrase structure trees; at least one sentence with two annotations.
    """
    return _accuracy(treebank, "jaccard", "dependency trees have no bracketings")


def _accuracy(treebank: Treebank, name: str, other_kind: str) -> Score:
    from gammacp.base.signature import signature
    from gammacp.trees.measures.alpha import TreeObservations

    observations = TreeObservations.of(treebank)
    wrong = observations.wrong_tokens(observations.everything).get(name)
    if wrong is None:
        return undefined(other_kind)
    if not len(wrong):
        return undefined("the annotators' token counts differ in every sentence")
    n = observations.n_items
    note = f"{n - len(wrong)} of {n} sentences left out because their token counts differ"
    notes = (note,) if len(wrong) < n else ()
    return Score(value=wrong.gamma, signature=signature(name), notes=notes)
