"""A reference model learnt from real annotations.

Everything is empirical and pooled over annotators and continua: prevalence, lengths per category,
gaps (also those between the bounds and the first and last units). The number of units is the mean
per annotator with units, rounded. The layout follows the data: units that overlap within an
annotator give `overlapping`, annotators who all tile their continuum give `covering`, anything
else `apart`. Only with overlaps the model takes the mean length of the continua: there, gaps and
lengths do not add up to it.
"""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from gammacp.base.arrays import Bools, Floats
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.needs import require_whole
from gammacp.errors import DataError
from shuffling.distribution import Distribution, Empirical, Uniform
from shuffling.placement import Layout
from shuffling.reference import CategoryModel, ReferenceModel


def fit(
    observed: Continuum | Corpus | Iterable[Continuum], *, integer: bool | None = None
) -> ReferenceModel:
    """Learn a reference model from annotations.

    Parameters
    ----------
    observed
        One continuum, a corpus, or several continua; any number of annotators.
    integer
        Whether positions are whole numbers; None: whether all observed ones are.

    Raises
    ------
    DataError
        There is no unit, or `integer` is asked for and a position is not whole.
    """
    continua = _continua(observed)
    for continuum in continua:
        require_whole(continuum)
    counts = np.concatenate([c.counts for c in continua])
    if not counts.sum():
        raise DataError("no unit to learn a reference model from")
    whole = all(c.whole for c in continua)
    if integer and not whole:
        raise DataError("positions are not all whole numbers, but integer = true")
    layout = _layout(continua)
    return ReferenceModel(
        n_units=max(1, math.floor(float(counts[counts > 0].mean()) + 0.5)),
        categories=_categories(continua),
        gaps=_gaps(continua, layout),
        layout=layout,
        length=_length(continua, whole) if layout is Layout.OVERLAPPING else None,
        integer=whole if integer is None else integer,
    )


def fit_hulls(reference: Continuum) -> ReferenceModel:
    """Learn a model from the units of a reference, each taken from its start to its end.

    Fragments and shapes are ignored. Shapes are no segmentation, even if they cover their first
    axis: the layout is then `apart`, not `covering`.

    Parameters
    ----------
    reference
        One annotator's units.

    Raises
    ------
    DataError
        There is no unit.
    """
    model = fit(reference.hulls())
    alone = reference.axes > 1 and model.layout is Layout.COVERING
    if alone:
        return model.laid_out(Layout.APART)
    return model


def overlaps(starts: Floats, ends: Floats) -> Bools:
    """Return which units, sorted by start, begin before an earlier one ends; shape (n,)."""
    begins = np.zeros(len(starts), bool)
    begins[1:] = starts[1:] < np.maximum.accumulate(ends)[:-1]
    return begins


def _continua(observed: Continuum | Corpus | Iterable[Continuum]) -> list[Continuum]:
    if isinstance(observed, Continuum):
        return [observed]
    continua = list(observed.values() if isinstance(observed, Corpus) else observed)
    if not continua:
        raise DataError("no continuum to learn a reference model from")
    return continua


def _annotations(continua: list[Continuum]) -> Iterator[tuple[Floats, Floats]]:
    for c in continua:
        for lo, hi in zip(c.offsets[:-1], c.offsets[1:], strict=True):
            yield c.starts[lo:hi], c.ends[lo:hi]


def gaps_of(continua: Iterable[Continuum]) -> Floats:
    """Return the gaps before, between and after the units of each annotator; shape (gaps,).

    Together with the lengths of the units they add up to the continuum: the gap before a unit is
    negative if the unit overlaps the one before.
    """
    gaps = [np.zeros(0)]
    for c in continua:
        lowest, highest = c.bounds
        for low, high in zip(c.offsets[:-1], c.offsets[1:], strict=True):
            if high > low:
                begins = np.append(c.starts[low:high], highest)
                gaps.append(begins - np.concatenate(([lowest], c.ends[low:high])))
    return np.concatenate(gaps)


def _layout(continua: list[Continuum]) -> Layout:
    if any(overlaps(starts, ends).any() for starts, ends in _annotations(continua)):
        return Layout.OVERLAPPING
    if gaps_of(continua).any():
        return Layout.APART
    return Layout.COVERING


def _gaps(continua: list[Continuum], layout: Layout) -> Distribution:
    if layout is Layout.COVERING:
        return Uniform(0, 0)
    return Empirical(tuple(gaps_of(continua).tolist()))


def _length(continua: list[Continuum], whole: bool) -> float:
    mean = float(np.mean([c.length for c in continua]))
    longest = max(float(c.lengths.max(initial=0)) for c in continua)
    return max(longest, math.floor(mean + 0.5) if whole else mean)


def _categories(continua: list[Continuum]) -> tuple[CategoryModel, ...]:
    lengths: dict[str | None, list[float]] = {
        name: [] for c in continua for name in (*c.categories, None)
    }
    for c in continua:
        for code, length in zip(c.category_codes.tolist(), c.lengths.tolist(), strict=True):
            lengths[None if code < 0 else c.categories[code]].append(length)
    total = sum(len(own_lengths) for own_lengths in lengths.values())
    everything = tuple(v for own_lengths in lengths.values() for v in own_lengths)
    # A declared category that nobody used stays in the model, with prevalence 0.
    return tuple(
        CategoryModel(
            name=name,
            prevalence=len(own_lengths) / total,
            lengths=Empirical(tuple(own_lengths) or everything),
        )
        for name, own_lengths in lengths.items()
        if own_lengths or name is not None
    )
