"""Predefined units keep their places; labels are redrawn from the pooled prevalence.

For pure categorisation (Mathet, Widlöcher & Métivier 2015, §6.3.3, Figure 25), where annotators
choose labels only: there γ, cuα, α and κ coincide. Drawing labels independently from the pooled
prevalence is a choice.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.chance.annotation import Annotation, annotation_set, annotations_of
from gammacp.chance.canonical import canonical_categories, in_content_order
from gammacp.chance.refusals import check_predefined
from gammacp.chance.registry import registered
from gammacp.continuum import Continuum


@dataclass(frozen=True)
class FixedPositionsSampler:
    """Sets whose units have the places of one continuum and independent labels."""

    places: tuple[Annotation, ...]
    """One annotation per continuum; all its annotators have the same places."""
    categories: tuple[str, ...]
    n_annotators: int
    category_codes: Indices
    prevalence: Floats
    signature: str = "fixed-positions"

    def draw(self, rng: np.random.Generator) -> Continuum:
        """One random annotation set."""
        place = self.places[rng.integers(len(self.places))]
        parts = []
        for _ in range(self.n_annotators):
            rank = rng.choice(len(self.category_codes), size=len(place.starts), p=self.prevalence)
            codes = self.category_codes[rank].astype(np.int32)
            parts.append(replace(place, category_codes=codes))
        return annotation_set(parts, self.categories)


@registered(
    "fixed-positions",
    "predefined units keep their places; labels redrawn from the pooled prevalence",
    "after Mathet, Widlöcher & Métivier 2015, §6.3.3",
    pools=True,
    keeps_places=True,
)
def prepare_fixed_positions(
    continua: Sequence[Continuum], n_annotators: int
) -> FixedPositionsSampler:
    """The sampler; DataError where two annotators of a continuum have units at other places.

    Parameters
    ----------
    continua
        Whose units are kept where they are.
    n_annotators
        How many random annotators a set has.
    """
    ordered = in_content_order(continua)
    check_predefined(ordered, "fixed-positions")
    codes = np.concatenate([c.category_codes for c in ordered])
    canonical = canonical_categories(ordered)
    counts = np.array([np.count_nonzero(codes == c) for c in canonical], np.float64)
    return FixedPositionsSampler(
        tuple(annotations_of(c)[0] for c in ordered),
        continua[0].categories,
        n_annotators,
        canonical,
        counts / counts.sum(),
    )
