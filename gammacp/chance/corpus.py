"""Mixing continua of a corpus (Mathet, Widlöcher & Métivier 2015, §5.2.2, Figure 13).

n different continua are drawn, and one annotator of each; shorter continua are repeated like a
mosaic up to the longest of the drawn ones. With m continua of n annotators each there are
C(m, n)·nⁿ sets: 56 · 3³ = 1512 for n = 3, m = 8.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.chance.annotation import Annotation, annotation_set, annotations_of
from gammacp.chance.refusals import check_enough, check_time_axis
from gammacp.chance.registry import registered
from gammacp.continuum import Continuum
from gammacp.continuum.canonical import in_content_order


@dataclass(frozen=True)
class CorpusSampler:
    """Sets of annotations from different continua; see the module."""

    continua: tuple[tuple[Annotation, ...], ...]
    categories: tuple[str, ...]
    n_annotators: int
    signature: str = "corpus"

    def draw(self, rng: np.random.Generator) -> Continuum:
        """One random annotation set."""
        which = rng.choice(len(self.continua), size=self.n_annotators, replace=False)
        chosen = [self.continua[i][rng.integers(len(self.continua[i]))] for i in which]
        longest = max(a.length for a in chosen)
        return annotation_set([a.mosaic(longest) for a in chosen], self.categories)


@registered(
    "corpus",
    "annotators of different continua, put side by side",
    "Mathet, Widlöcher & Métivier 2015, §5.2.2",
    built_from_all=True,
)
def prepare_corpus(continua: Sequence[Continuum], n_annotators: int) -> CorpusSampler:
    """Return the sampler of a corpus with at least as many continua as annotators.

    Parameters
    ----------
    continua
        The corpus.
    n_annotators
        Number of random annotators in a set.

    Raises
    ------
    DataError
        There are fewer continua than that.
    """
    others = "cut or shift-pooled"
    check_enough(continua, n_annotators, "corpus", noun="continua", alternatives=others)
    check_time_axis(continua, "corpus")
    ordered = in_content_order(continua)
    return CorpusSampler(
        tuple(annotations_of(c) for c in ordered), continua[0].categories, n_annotators
    )
