"""Protocols that built-in and new dissimilarities follow.

Conventions
-----------
A dissimilarity is symmetric and 0 for equal units (Mathet et al. 2015, §4.2); it need not obey the
triangle inequality. It may be infinite; such units are never aligned. It is compared with Δ
(`delta`), the cost of a pair with an empty unit.

Before use, a dissimilarity is *bound* to the continuum or the corpus that is measured: normalisers
and category matrices are computed from it. Random continua are measured with the same bound
dissimilarity; nothing is computed from them.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, partial
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.signature import describe
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.sequence import ContinuumSequence
from gammacp.continuum.shapes import KINDS, at_place
from gammacp.errors import DataError, UsageError

Annotations: TypeAlias = Continuum | Corpus
Reach: TypeAlias = tuple[float, float]

# Formulas that compiled kernels can compute (`dissimilarity.kernels`), as (number, factor). The
# module `positional` has the numbers of its dissimilarities; 0 ignores positions.
Formula: TypeAlias = tuple[int, float]
NOWHERE = 0
NO_FORMULA: Formula = (-1, 0.0)
# Fields that are always set; the others are taken from the object if it has them.
_ASKED_FOR = ("pairwise", "signature")
# Number of units from which comparing all pairs is noticeably slow.
_MANY_UNITS = 500
# Number of units that are counted in one batch.
_AT_ONCE = 100_000


@dataclass(frozen=True, slots=True)
class FragmentEdges:
    """Starts and ends of all fragments in one array; those of a unit are `edge[first:last]`."""

    edge: Floats
    first: Indices
    last: Indices


@dataclass(frozen=True, slots=True)
class UnitColumns:
    """Units as arrays that NumPy can broadcast; the arguments of `pairwise`.

    `start`, `end`, `length` are float64; `category` are int32 codes into `categories` (−1 is
    unlabelled). `columns[rows]` and `columns[:, None]` index all arrays in the same way. If a unit
    has several fragments, `start` and `end` are those of the whole unit, and `edges` has those of
    each fragment. If units are shapes, `extents` has their low and high ends on each axis after the
    first, shape (…, 2·(axes − 1)); `outlines` has a geometry for each unit, unless all are boxes.
    """

    start: Floats
    end: Floats
    length: Floats
    category: Codes
    categories: tuple[str, ...]
    edges: FragmentEdges | None = None
    extents: Floats | None = None
    outlines: Any = None

    def __getitem__(self, key: Any) -> UnitColumns:
        """Return the columns with each of their arrays indexed by `key`."""
        start, end, length = self.start[key], self.end[key], self.length[key]
        edges = self.edges and FragmentEdges(
            self.edges.edge, self.edges.first[key], self.edges.last[key]
        )
        if self.extents is None:
            extents = None
        else:
            extents = self.extents[key]
        if self.outlines is None:
            outlines = None
        else:
            outlines = self.outlines[key]
        label = self.category[key]
        return UnitColumns(start, end, length, label, self.categories, edges, extents, outlines)


def unit_columns(continuum: Continuum) -> UnitColumns:
    """Return all units of a continuum as columns, in its order."""
    return UnitColumns(
        continuum.starts,
        continuum.ends,
        continuum.lengths,
        continuum.category_codes,
        continuum.categories,
        _edges(continuum) if continuum.n_broken else None,
        continuum.extents if continuum.axes > 1 else None,
        _outlines(continuum) if continuum.kinds - {"box"} else None,
    )


def joined_columns(continua: ContinuumSequence) -> UnitColumns:
    """Return all units of continua with the same categories, one continuum after the other.

    Parameters
    ----------
    continua
        One continuum; or several, if no unit has several fragments or a shape.
    """
    first = continua[0]
    if len(continua) == 1:
        return unit_columns(first)
    start, end, _, category = continua.all_units()
    return UnitColumns(start, end, end - start, category, first.categories)


def _outlines(continuum: Continuum) -> Any:
    from gammacp.continuum.outlines import geometries

    shapes = () if continuum.shapes is None else continuum.shapes
    ends = zip(continuum.starts.tolist(), continuum.ends.tolist(), shapes, strict=True)
    return geometries((s, e, at_place(s, e, shape)) for s, e, shape in ends)


def _edges(continuum: Continuum) -> FragmentEdges:
    spans = [u.fragments or ((u.start, u.end),) for u in continuum]
    last = 2 * np.cumsum([len(fragments) for fragments in spans])
    flat = np.array([edge for fragments in spans for f in fragments for edge in f], np.float64)
    return FragmentEdges(flat, np.append(0, last)[:-1], last)


PairCosts: TypeAlias = Callable[[UnitColumns, UnitColumns], Floats]


def unbounded_reach(most: float) -> Reach:  # noqa: ARG001
    """Return an infinite reach, by which no pair of units is left out for its position.

    Parameters
    ----------
    most
        Not used.
    """
    return np.inf, 0.0


@runtime_checkable
class Pairwise(Protocol):
    """The minimum of a dissimilarity; it may have any attribute of `BoundDissimilarity`."""

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        """Return d(u, v) ≥ 0, with NumPy broadcasting over the columns."""
        ...


@runtime_checkable
class Bindable(Protocol):
    """A dissimilarity that depends on all of the data, for example on their mean length."""

    def bind(self, annotations: Annotations) -> Any:
        """Return the object with `pairwise` that is used on this continuum or corpus."""
        ...


@runtime_checkable
class Blind(Protocol):
    """A dissimilarity, or its positional part, that names properties of units that it ignores."""

    blind_to: Iterable[str]


@runtime_checkable
class ReadingFeatures(Protocol):
    """A dissimilarity that uses features of the labels in addition to the category."""

    features: Iterable[str]


@dataclass(frozen=True, eq=False, kw_only=True)
class BoundDissimilarity:
    """A dissimilarity ready for use, with its required and its optional attributes.

    `bind` builds it from any object with `pairwise`. Nothing else in the package checks which
    optional attributes an object has.

    Attributes
    ----------
    pairwise
        Function that returns d(u, v) ≥ 0; the columns of u and v must broadcast.
    signature
        Short description for signatures of results; default: the name of the class.
    delta
        Δ > 0: cost of a pair with an empty unit.
    reach
        Function reach(most) = (absolute, relative). It promises that d(u, v) > most whenever
        |start_u − start_v| > absolute + relative·(len_u + len_v), for shapes on any axis. Without
        it, every pair of units is compared.
    fragments
        Whether it uses the `edges` of units with several fragments; if not, such units are refused.
    shapes
        Kinds of shapes that it can compare; others are refused.
    formula
        Number and factor of the formula with which kernels compute it, or its positional part.
    positional_part, categorial_part
        The two summands of `pairwise`, if it is such a sum.
    category_costs
        The categorial part between every two category codes, shape (K + 1, K + 1). The last row
        and the last column are for unlabelled units.
    category_parts
        Summands of `category_costs` by name: that of the category, and that of each feature.
    """

    pairwise: PairCosts
    signature: str
    delta: float = 1.0
    reach: Callable[[float], Reach] = unbounded_reach
    fragments: bool = False
    shapes: Sequence[str] = ()
    formula: Formula = NO_FORMULA
    positional_part: PairCosts | None = None
    categorial_part: PairCosts | None = None
    category_costs: Floats | None = None
    category_parts: Mapping[str, Floats] = field(default_factory=dict)


_OFFERED = tuple(f.name for f in fields(BoundDissimilarity) if f.name not in _ASKED_FOR)


def with_defaults(inner: Pairwise) -> BoundDissimilarity:
    """Wrap an object with `pairwise`; optional attributes that it lacks get defaults.

    Parameters
    ----------
    inner
        Object with `pairwise`.

    Raises
    ------
    UsageError
        The object has no `pairwise`.
    """
    if isinstance(inner, BoundDissimilarity):
        return inner
    if not hasattr(inner, "pairwise"):
        raise UsageError(f"{inner!r} is no dissimilarity: it has no method pairwise(u, v)")
    offered = {name: getattr(inner, name) for name in _OFFERED if hasattr(inner, name)}
    pairwise = partial(_times, inner.pairwise, 1.0)
    return BoundDissimilarity(pairwise=pairwise, signature=describe(inner), **offered)


def scale_costs(bound: BoundDissimilarity, factor: float) -> BoundDissimilarity:
    """Multiply all costs by a factor, but not Δ.

    Parameters
    ----------
    bound
        The dissimilarity.
    factor
        Factor > 0. If it is a power of two, no cost is rounded.
    """
    number, formula_factor = bound.formula
    positional_part = bound.positional_part
    label = bound.categorial_part
    reach = bound.reach
    return replace(
        bound,
        pairwise=partial(_times, bound.pairwise, factor),
        reach=reach if reach is unbounded_reach else partial(_reach_over, reach, factor),
        formula=(number, formula_factor * factor),
        positional_part=(
            None if positional_part is None else partial(_times, positional_part, factor)
        ),
        categorial_part=None if label is None else partial(_times, label, factor),
        category_costs=None if bound.category_costs is None else bound.category_costs * factor,
        category_parts={name: part * factor for name, part in bound.category_parts.items()},
    )


def to_unit(bound: BoundDissimilarity, delta: float) -> BoundDissimilarity:
    """Scale costs and Δ by a power of two so that 1 ≤ Δ < 2.

    Solvers have absolute tolerances that suit costs of about 1.

    Parameters
    ----------
    bound
        The dissimilarity; returned unchanged if nothing has to change.
    delta
        Δ to use, > 0.

    Raises
    ------
    UsageError
        Δ is smaller than the smallest normal floating-point number.
    """
    if delta < sys.float_info.min:
        raise UsageError(f"delta {delta!r} is too small to compute with")
    factor = 2.0 ** (1 - float(np.frexp(delta)[1]))
    if factor == 1 and delta == bound.delta:
        return bound
    return replace(scale_costs(bound, factor), delta=delta * factor)


def _times(costs: PairCosts, factor: float, u: UnitColumns, v: UnitColumns) -> Floats:
    """Return the costs of pairs, times a factor."""
    return np.asarray(factor * np.asarray(costs(u, v), np.float64))


def _reach_over(reach: Callable[[float], Reach], factor: float, most: float) -> Reach:
    """Return the reach of costs that are multiplied by a factor."""
    return reach(most / factor)


def bind(dissimilarity: Any, annotations: Annotations) -> BoundDissimilarity:
    """Prepare a dissimilarity for this continuum or corpus.

    Calls its `bind` if it has one; missing attributes get the defaults of `BoundDissimilarity`.

    Parameters
    ----------
    dissimilarity
        A bound dissimilarity, or an object with `bind(annotations)` or `pairwise(u, v)`.
    annotations
        The continuum or corpus that is measured. What is returned also serves for its random sets.

    Raises
    ------
    DataError
        There are units with several fragments, or with shapes, which it does not support.
    UsageError
        The dissimilarity is a class, or has neither `bind` nor `pairwise`.

    Warns
    -----
    UserWarning
        It has no reach, so that all pairs of a large number of units are compared. Each signature
        is warned of once.
    """
    if isinstance(dissimilarity, type):
        name = dissimilarity.__name__
        raise UsageError(f"{name} is a class: give a dissimilarity, such as {name}()")
    is_bindable = isinstance(dissimilarity, Bindable)
    bound = with_defaults(dissimilarity.bind(annotations) if is_bindable else dissimilarity)
    slow = bound.reach is unbounded_reach and bound.formula == NO_FORMULA
    continua = continua_of(annotations)
    for continuum in continua.structured:
        check_fragments(bound, continuum)
    if slow and (continua.n_units >= _MANY_UNITS).any():
        _warn_slow(bound.signature)
    return bound


@cache
def _warn_slow(signature: str) -> None:
    warnings.warn(
        f"the dissimilarity {signature} compares every pair of units, which is slow: give it "
        "a method reach(most), the distance beyond which units cost more than `most`, and let "
        "costs grow with the distance, or become infinite",
        UserWarning,
        stacklevel=3,
    )


def blind_to(part: object) -> frozenset[str]:
    """Return what a dissimilarity ignores of `start`, `end`, `category` and `fragments`.

    Parameters
    ----------
    part
        A dissimilarity, or its positional part; without an attribute `blind_to` it ignores none.
    """
    if isinstance(part, Blind):
        return frozenset(part.blind_to)
    return frozenset()


def features_of(dissimilarity: object) -> tuple[str, ...]:
    """Return the names of the features that a dissimilarity uses in addition to the category.

    Parameters
    ----------
    dissimilarity
        Dissimilarity that is not yet bound; without the attribute `features` it uses none.
    """
    if isinstance(dissimilarity, ReadingFeatures):
        return tuple(dissimilarity.features)
    return ()


def check_fragments(bound: BoundDissimilarity, continuum: Continuum) -> None:
    """Raise a DataError for fragments or shapes that the dissimilarity does not support."""
    if continuum.shapes is not None:
        others = sum(s.kind not in bound.shapes for s in continuum.shapes)
        if others:
            kinds = ", ".join(k for k in KINDS if k in continuum.kinds)
            raise DataError(
                f"the dissimilarity {bound.signature} does not support shapes of {others} units "
                f"(there are: {kinds})",
                hint="Use `positional=iou` for boxes and polygons, boundary for points and lines; "
                "or read them with `read(shapes=box)` or no (in Python: c.boxes(), c.hulls())",
            )
    elif continuum.breaks is not None and not bound.fragments:
        raise DataError(
            f"the dissimilarity {bound.signature} does not support "
            f"units of several fragments, but there are {continuum.n_broken}",
            hint="Use `positional=sporadic`, or read them with `read(discontinuous=cover)`",
        )


def mean_length(annotations: Annotations) -> float:
    """Return the mean length of all units of the continuum or corpus; 0 if it has none."""
    continua = continua_of(annotations)
    units = sum(c.n_units for c in continua)
    if units:
        return sum(float(c.lengths.sum()) for c in continua) / units
    return 0.0


def category_counts(annotations: Annotations) -> dict[str, int]:
    """Count the units of each category; unlabelled ones are not counted."""
    size = len(annotations.categories)
    counts = np.zeros(size, np.int64)
    for part in continua_of(annotations).stretches(_AT_ONCE):
        codes = part.all_units().category_codes
        counts += np.bincount(codes[codes >= 0], minlength=size)
    return dict(zip(annotations.categories, counts.tolist(), strict=True))


def continua_of(annotations: Annotations) -> ContinuumSequence:
    """Return the continuum, or the continua of the corpus."""
    if isinstance(annotations, Continuum):
        return ContinuumSequence.of([annotations])
    return annotations.sequence


def costs_by_axis(formula: Formula, u: UnitColumns, v: UnitColumns) -> Floats:
    """Sum the costs of a formula over the axes of boxes.

    Parameters
    ----------
    formula
        Number of the formula, and its factor.
    u, v
        Boxes whose columns broadcast.
    """
    costs = formula_costs(formula, u, v)
    if u.extents is not None and v.extents is not None:
        for low in range(0, u.extents.shape[-1], 2):
            costs = costs + formula_costs(formula, _on_axis(u, low), _on_axis(v, low))
    return costs


def _on_axis(units: UnitColumns, low: int) -> UnitColumns:
    assert units.extents is not None
    start = units.extents[..., low]
    end = units.extents[..., low + 1]
    return UnitColumns(start, end, end - start, units.category, units.categories)


def formula_costs(formula: Formula, u: UnitColumns, v: UnitColumns) -> Floats:
    """Return a formula's costs between units, whose columns must broadcast.

    The costs are 0 if the formula ignores positions.
    """
    if formula[0] == NOWHERE:
        return np.zeros(np.broadcast_shapes(u.start.shape, v.start.shape))
    from gammacp.dissimilarity.kernels import costs_of_fragments, positional_costs

    positions = np.broadcast_arrays(u.start, u.end, v.start, v.end)
    # Writable copies, as compiled code would be compiled again for arrays that are read-only.
    flat = (np.asarray(column, np.float64).flatten() for column in positions)
    number, factor = formula
    costs = positional_costs(number, float(factor), *flat)
    if u.edges is not None and v.edges is not None:
        sides = (u.edges.first, u.edges.last, v.edges.first, v.edges.last)
        rows = np.stack(np.broadcast_arrays(*sides), axis=-1).reshape(-1, 4)
        costs_of_fragments(float(factor), u.edges.edge, v.edges.edge, rows, costs)
    return np.asarray(costs.reshape(positions[0].shape))
