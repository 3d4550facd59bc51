"""Circular shift (Mathet, Widlöcher & Métivier 2015, §5.2.1, Figure 12).

A random annotator is a real annotator's annotation, cut at a random position, the parts permuted.
To keep units from meeting themselves, no two shifts of a set are closer on the circle than the
mean length of all units. Choices the paper leaves open: annotators are drawn with replacement;
where n mean lengths exceed half the circle, the distance is L/(2n).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.chance.annotation import Annotation, annotation_set, annotations_of, least_distance
from gammacp.chance.refusals import check_time_axis
from gammacp.chance.registry import registered
from gammacp.continuum import Continuum


@dataclass(frozen=True)
class ShiftSampler:
    """Sets of `n_annotators` shifted annotations out of a pool; see the module."""

    pool: tuple[Annotation, ...]
    categories: tuple[str, ...]
    n_annotators: int
    distance: float
    """Least distance of two shifts, as a fraction of L."""
    signature: str

    def draw(self, rng: np.random.Generator) -> Continuum:
        """One random annotation set."""
        chosen = [self.pool[i] for i in rng.integers(len(self.pool), size=self.n_annotators)]
        longest = max(a.length for a in chosen)
        shifts = distant_shifts(self.n_annotators, self.distance, rng)
        parts = [a.mosaic(longest).shift(s) for a, s in zip(chosen, shifts, strict=True)]
        return annotation_set(parts, self.categories)


def distant_shifts(n: int, distance: float, rng: np.random.Generator) -> Floats:
    """Return n uniform points of a circle of length 1, no two closer than `distance` (≤ 1/n).

    They are drawn directly, never by rejection: n points are uniform on a length of
    1 − n·distance, `distance` is added between neighbours, all are turned by a uniform angle, and
    returned in random order.

    Parameters
    ----------
    n
        Number of points.
    distance
        In [0, 1/n].
    rng
        Generator of the random numbers.
    """
    free = np.sort(rng.random(n)) * (1 - n * distance)
    points = (free + distance * np.arange(n) + rng.random()) % 1.0
    return rng.permutation(points)


@registered(
    "shift",
    "real annotations, circularly shifted",
    "Mathet, Widlöcher & Métivier 2015, §5.2.1",
    built_from_all=False,
)
def prepare_shift(
    continua: Sequence[Continuum], n_annotators: int, name: str = "shift"
) -> ShiftSampler:
    """Return the sampler of one continuum, or of all; shorter annotations of a set are repeated.

    Parameters
    ----------
    continua
        One continuum, or the corpus.
    n_annotators
        Number of random annotators in a set.
    name
        Name of the chance model.
    """
    check_time_axis(continua, name)
    pool = tuple(a for c in continua for a in annotations_of(c))
    total = sum(c.lengths.sum() for c in continua)
    mean_length = float(total / max(1, sum(c.n_units for c in continua)))
    circle = float(np.mean([c.length for c in continua]))
    distance, note = least_distance(mean_length, circle, n_annotators)
    return ShiftSampler(pool, continua[0].categories, n_annotators, distance, f"{name}{note}")


registered(
    "shift-pooled",
    "annotations of all continua of the corpus, mosaicked and circularly shifted",
    "after Mathet, Widlöcher & Métivier 2015, §5.2",
    built_from_all=True,
)(partial(prepare_shift, name="shift-pooled"))
