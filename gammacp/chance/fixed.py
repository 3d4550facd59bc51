"""Predefined units keep their places; labels are redrawn from the pooled prevalence.

For pure categorisation (Mathet, Widlöcher & Métivier 2015, §6.3.3, Figure 25), where annotators
choose labels only: there γ, cuα, α and κ coincide. Drawing labels independently from the pooled
prevalence is a choice.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.chance.annotation import Annotation, annotation_of, annotation_set, annotations_of
from gammacp.chance.refusals import check_places, check_predefined
from gammacp.chance.registry import registered
from gammacp.continuum import Continuum
from gammacp.continuum.canonical import canonical_categories, in_content_order

FIXED_POSITIONS = "fixed-positions"


@dataclass(frozen=True)
class FixedPositionsSampler:
    """Sampler of sets whose units have the places of one continuum and independent labels."""

    places: tuple[Annotation, ...]
    """One annotation per continuum; all its annotators have the same places."""
    categories: tuple[str, ...]
    n_annotators: int
    category_codes: Indices
    prevalence: Floats
    signature: str = FIXED_POSITIONS

    def draw(self, rng: np.random.Generator) -> Continuum:
        """One random annotation set."""
        place = self.places[rng.integers(len(self.places))]
        parts = []
        for _ in range(self.n_annotators):
            parts.append(self.relabelled(place, rng))
        return annotation_set(parts, self.categories)

    def relabelled(self, place: Annotation, rng: np.random.Generator) -> Annotation:
        """Return units with labels drawn from the prevalence.

        Parameters
        ----------
        place
            The units.
        rng
            The generator of this one sample.
        """
        rank = rng.choice(len(self.category_codes), size=len(place.starts), p=self.prevalence)
        codes = self.category_codes[rank].astype(np.int32)
        return replace(place, category_codes=codes)


@registered(
    FIXED_POSITIONS,
    "predefined units keep their places; labels redrawn from the pooled prevalence",
    "after Mathet, Widlöcher & Métivier 2015, §6.3.3",
    built_from_all=True,
    keeps_places=True,
)
def prepare_fixed_positions(
    continua: Sequence[Continuum], n_annotators: int
) -> FixedPositionsSampler:
    """Return the sampler; DataError where two annotators of a continuum have units at other places.

    Parameters
    ----------
    continua
        Continua whose units are kept where they are.
    n_annotators
        Number of random annotators in a set.
    """
    ordered = in_content_order(continua)
    check_predefined(ordered, FIXED_POSITIONS)
    return _labels_of(ordered, continua[0].categories, n_annotators)


def _labels_of(
    ordered: Sequence[Continuum], categories: tuple[str, ...], n_annotators: int
) -> FixedPositionsSampler:
    """Return a sampler at the first annotators' places, with the prevalence of all labels."""
    codes = np.concatenate([c.category_codes for c in ordered])
    canonical = canonical_categories(ordered)
    counts = np.array([np.count_nonzero(codes == c) for c in canonical], np.float64)
    return FixedPositionsSampler(
        tuple(annotations_of(c)[0] for c in ordered),
        categories,
        n_annotators,
        canonical,
        counts / counts.sum(),
    )


@dataclass(frozen=True)
class OwnPlacesSampler:
    """Sampler of sets in which each annotator of a document keeps his or her own places.

    Places where an annotator has no unit stay empty.

    Attributes
    ----------
    places
        One annotation per annotator.
    names
        Names of the annotators.
    labels
        Sets of the whole corpus, whose labels are drawn.
    """

    places: tuple[Annotation, ...]
    names: tuple[str, ...]
    labels: FixedPositionsSampler

    @property
    def signature(self) -> str:
        """The model."""
        return self.labels.signature

    def draw(self, rng: np.random.Generator) -> Continuum:
        """One random annotation set.

        Parameters
        ----------
        rng
            The generator of this one sample.
        """
        parts = [self.labels.relabelled(place, rng) for place in self.places]
        return annotation_set(parts, self.labels.categories, self.names)


def keep_own_places(continua: Sequence[Continuum]) -> list[OwnPlacesSampler]:
    """Return a sampler of each document of a corpus; labels are drawn from all documents together.

    Parameters
    ----------
    continua
        The documents.

    Raises
    ------
    DataError
        Units of a document overlap without having the same place.
    """
    check_places(continua, FIXED_POSITIONS)
    labels = _labels_of(in_content_order(continua), continua[0].categories, 0)
    return [
        OwnPlacesSampler(
            tuple(annotation_of(c, code) for code in range(c.n_annotators)), c.annotators, labels
        )
        for c in continua
    ]
