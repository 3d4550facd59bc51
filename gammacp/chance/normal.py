"""Units one after the other from normal distributions: `statistical-normal` (Titeux & Riad 2021).

The default sampler of pygamma-agreement. Three numbers are drawn from normal distributions: that of
an annotator's units, the length of each, and its gap, the distance from the end of the unit before.
Means and standard deviations are those of all annotators' units; categories are drawn by their
shares. A gap below 0 is an overlap.

As in pygamma-agreement: numbers and lengths lose their sign; the first annotator has a unit at
least; a gap of 0 is added to the observed ones; an annotator's distance from the beginning to the
first unit is a gap, unless it is 0; and random units may reach over both bounds. Where nobody
declares bounds the continuum begins at 0, so that a recording whose first unit is late has longer
gaps, more expected disorder and a greater γ.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.chance.annotation import Annotation, annotation_set
from gammacp.chance.refusals import check_in_one_piece
from gammacp.chance.registry import registered
from gammacp.continuum import Continuum
from gammacp.continuum.canonical import canonical_categories

Normal: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class NormalSampler:
    """Sets of annotators drawn unit by unit; see the module.

    Attributes
    ----------
    category_codes, sums
        Codes to draw from, and their cumulated shares, both of the same length.
    number, gap, length
        Mean and standard deviation of an annotator's number of units, of the distance between one
        unit's end and the next one's start, and of a unit's length.
    extent
        Length from the beginning to the upper bound.
    shortest
        A unit that is shorter is drawn again.
    """

    categories: tuple[str, ...]
    n_annotators: int
    category_codes: tuple[int, ...]
    sums: tuple[float, ...]
    number: Normal
    gap: Normal
    length: Normal
    extent: float = 0.0
    shortest: float = 0.0
    signature: str = "statistical-normal"

    def draw(self, rng: np.random.Generator) -> Continuum:
        """One random annotation set."""
        parts = [self.annotation(rng, least=int(k == 0)) for k in range(self.n_annotators)]
        return annotation_set(parts, self.categories)

    def annotation(
        self, rng: np.random.Generator | np.random.RandomState, least: int = 0
    ) -> Annotation:
        """Draw one random annotator; starts are relative to the beginning of the continuum.

        Parameters
        ----------
        rng
            Draws the number, then gap, length and category of each unit in turn.
        least
            Smallest number of units.
        """
        number = max(least, abs(int(rng.normal(*self.number))))
        starts = np.zeros(number)
        ends = np.zeros(number)
        codes = np.zeros(number, np.int32)
        end = 0.0
        for k in range(number):
            start = end + rng.normal(*self.gap)
            end = start + abs(rng.normal(*self.length))
            while end - start < self.shortest:
                end = start + abs(rng.normal(*self.length))
            starts[k], ends[k], codes[k] = start, end, self.category(rng)
        return Annotation(starts, ends - starts, codes, self.extent)

    def category(self, rng: np.random.Generator | np.random.RandomState) -> int:
        """Return a random category's code, as `choice` draws it with these shares.

        Parameters
        ----------
        rng
            Draws one number.
        """
        return self.category_codes[bisect_right(self.sums, rng.random())]


def cumulative_sums(shares: Sequence[float]) -> tuple[float, ...]:
    """Return cumulative sums of shares, scaled so that the last one is 1.

    Parameters
    ----------
    shares
        Not negative, and not all 0.
    """
    sums = np.cumsum(shares)
    return tuple((sums / sums[-1]).tolist())


def normal_sampler(
    continuum: Continuum, n_annotators: int, category_codes: Sequence[int], begins: float
) -> NormalSampler:
    """Return the sampler with the means and deviations of one continuum.

    Parameters
    ----------
    continuum
        A continuum with one unit at least, whose units are counted.
    n_annotators
        Number of random annotators in a set.
    category_codes
        Codes in the order in which random numbers choose among them; −1 is unlabelled.
    begins
        Position at which the continuum begins.
    """
    first = continuum.starts[continuum.offsets[:-1][continuum.counts > 0]] - begins
    follows = np.diff(continuum.annotator_codes) == 0
    between = (continuum.starts[1:] - continuum.ends[:-1])[follows]
    return NormalSampler(
        continuum.categories,
        n_annotators,
        tuple(category_codes),
        cumulative_sums([int((continuum.category_codes == c).sum()) for c in category_codes]),
        _normal(continuum.counts),
        _normal(np.concatenate([[0.0], between, first[first > 0]])),
        _normal(continuum.lengths),
        continuum.bounds[1] - begins,
    )


def _normal(values: Floats | Indices) -> Normal:
    """Return mean and standard deviation, summed in sorted order: names cannot change a bit."""
    ordered = np.sort(values)
    return float(np.mean(ordered)), float(np.std(ordered))


@registered(
    "statistical-normal",
    "units drawn from normal distributions of the observed counts, lengths and gaps",
    "Titeux & Riad 2021 (pygamma-agreement)",
    built_from_all=False,
)
def prepare_normal(continua: Sequence[Continuum], n_annotators: int) -> NormalSampler:
    """Return the sampler of one continuum, which begins at 0, or where its bounds are declared to.

    Parameters
    ----------
    continua
        One continuum.
    n_annotators
        Number of random annotators in a set.

    Raises
    ------
    DataError
        There are units of several fragments.
    """
    check_in_one_piece(continua, "statistical-normal")
    (continuum,) = continua
    low = continuum.bounds[0]
    codes = canonical_categories(continua).tolist()
    if continuum.declared:
        begins = low
    else:
        begins = min(0.0, low)
    sampler = normal_sampler(continuum, n_annotators, codes, begins)
    if begins == low:
        return sampler
    return replace(sampler, signature=f"{sampler.signature}(from=0)")
