"""Random places without overlap, lengths kept: `non-overlapping` (Li, Rosé, Yuan & Zhou 2024).

Each annotator's units keep their lengths and categories; their places are drawn uniformly from all
arrangements in which none of the annotator's units overlap: a random order, and the free length
dealt uniformly to the gaps before, between and after them. Whole positions (tokens, characters)
stay whole: every arrangement on the grid is then equally likely. Annotators are independent of each
other, and each takes part once.

The model fits annotators whose gaps are exponential: for gaps in bursts, or units that overlap in
the data, its zero is not chance (docs/chance.md has the figures), and overlapping units of one
annotator are refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gammacp.chance.annotation import Annotation, annotation_set, annotations_of
from gammacp.chance.refusals import check_no_overlap, single_continuum
from gammacp.chance.registry import registered
from gammacp.continuum import Continuum


@dataclass(frozen=True)
class NonOverlappingSampler:
    """Sets of all annotators' units at random places; see the module."""

    annotations: tuple[Annotation, ...]
    categories: tuple[str, ...]
    whole: bool
    signature: str = "non-overlapping"

    def draw(self, rng: np.random.Generator) -> Continuum:
        """One random annotation set."""
        return annotation_set([self._place(a, rng) for a in self.annotations], self.categories)

    def _place(self, annotation: Annotation, rng: np.random.Generator) -> Annotation:
        units = annotation.take(rng.permutation(len(annotation.starts)))
        lengths = units.lengths
        free = annotation.length - float(lengths.sum())
        if self.whole:
            slots = rng.permutation(round(free) + len(lengths))[: len(lengths)]
            ahead = np.sort(slots).astype(np.float64) - np.arange(len(lengths))
        else:
            ahead = np.sort(rng.random(len(lengths))) * free
        starts = ahead + np.concatenate([[0.0], np.cumsum(lengths)])[: len(lengths)]
        return replace(units, starts=starts, ids=None, links=())


@registered(
    "non-overlapping",
    "every annotator's units at random places, lengths kept, without overlap",
    "Li, Rosé, Yuan & Zhou 2024",
    built_from_all=False,
)
def prepare_non_overlapping(
    continua: Sequence[Continuum], n_annotators: int
) -> NonOverlappingSampler:
    """Return the sampler of one continuum.

    Raises
    ------
    DataError
        Units of one annotator overlap, or another number of annotators is asked for.
    """
    continuum = single_continuum(continua, n_annotators, "non-overlapping")
    check_no_overlap(continuum, "non-overlapping")
    return NonOverlappingSampler(annotations_of(continuum), continuum.categories, continuum.whole)
