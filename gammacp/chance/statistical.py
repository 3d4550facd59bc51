"""Random annotators with the observed statistics (Mathet & Widlöcher 2011, "random1").

Everything is drawn from the empirical distributions, pooled over annotators and continua: the
number of units, the categories, the lengths of each category, the gaps between neighbours (a
negative gap is an overlap). Which categories overlap is not kept (2015, §4.8.1); `shift` and
`corpus` keep it.

Choices the paper leaves open: gaps are taken on the circle (the last unit's gap reaches over the
bounds to the first), so that lengths and gaps of an annotator fill L on average; a random
annotation starts anywhere on the circle; a unit that would reach over the upper bound is moved
back to end there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.chance.annotation import Annotation, annotation_set, annotations_of
from gammacp.chance.refusals import check_in_one_piece
from gammacp.chance.registry import registered
from gammacp.continuum import Continuum
from gammacp.continuum.canonical import canonical_categories, in_content_order


@dataclass(frozen=True)
class StatisticalSampler:
    """Sets drawn from pooled empirical distributions; see the module."""

    categories: tuple[str, ...]
    n_annotators: int
    counts: tuple[tuple[float, Indices], ...]
    """Per continuum: L, and the number of units of each annotator, sorted."""
    category_of_rank: Indices
    lengths: tuple[Floats, ...]
    """Per category that occurs, in canonical order: its unit lengths as fractions of L, sorted."""
    gaps: Floats
    """As fractions of L, sorted."""
    signature: str = "statistical"

    def draw(self, rng: np.random.Generator) -> Continuum:
        """One random annotation set."""
        length, counts = self.counts[rng.integers(len(self.counts))]
        parts = [
            self._annotation(int(counts[rng.integers(len(counts))]), length, rng)
            for _ in range(self.n_annotators)
        ]
        return annotation_set(parts, self.categories)

    def _annotation(self, n_units: int, length: float, rng: np.random.Generator) -> Annotation:
        sizes = np.array([len(x) for x in self.lengths])
        rank = rng.choice(len(sizes), size=n_units, p=sizes / sizes.sum())
        lengths = np.array([self.lengths[r][rng.integers(sizes[r])] for r in rank])
        gaps = self.gaps[rng.integers(len(self.gaps), size=n_units)]
        steps = np.concatenate(([0.0], np.cumsum(lengths + gaps)[:-1]))
        starts = (steps[:n_units] + rng.random()) % 1.0
        starts = np.maximum(np.minimum(starts, 1.0 - lengths), 0.0)
        codes = self.category_of_rank[rank].astype(np.int32)
        return Annotation(starts * length, lengths * length, codes, length)


def circular_gaps(annotation: Annotation) -> Floats:
    """Start of the next unit minus end of this one, over the bounds for the last one.

    Parameters
    ----------
    annotation
        The units of one annotator, sorted.
    """
    if not len(annotation.starts):
        return np.zeros(0)
    ends = annotation.starts + annotation.lengths
    nexts = np.append(annotation.starts[1:], annotation.starts[0] + annotation.length)
    return nexts - ends


@registered(
    "statistical",
    "units drawn from the observed counts, categories, lengths and gaps",
    "Mathet & Widlöcher 2011, §5.3 (random1)",
    built_from_all=True,
)
def prepare_statistical(continua: Sequence[Continuum], n_annotators: int) -> StatisticalSampler:
    """Return the sampler over the pooled statistics of the continua.

    Parameters
    ----------
    continua
        Continua whose counts, lengths, gaps and categories are drawn from.
    n_annotators
        Number of random annotators in a set.

    Raises
    ------
    DataError
        There are units of several fragments: gaps and lengths drawn at random say nothing of them.
    """
    check_in_one_piece(continua, "statistical")
    ordered = in_content_order(continua)
    lengths = np.concatenate([c.lengths / (c.length or 1.0) for c in ordered])
    codes = np.concatenate([c.category_codes for c in ordered])
    categories = canonical_categories(ordered)
    gaps = [circular_gaps(a) / (c.length or 1.0) for c in ordered for a in annotations_of(c)]
    return StatisticalSampler(
        continua[0].categories,
        n_annotators,
        tuple((c.length, np.sort(c.counts)) for c in ordered),
        categories,
        tuple(np.sort(lengths[codes == c]) for c in categories),
        np.sort(np.concatenate(gaps)),
    )
