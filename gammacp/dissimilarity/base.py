"""What a dissimilarity is: the protocol that built-in and new ones follow.

Conventions
-----------
A dissimilarity is symmetric and 0 for equal units (Mathet et al. 2015, §4.2); it need not obey the
triangle inequality. It may be infinite: such units are never aligned. It is measured against
Δ (`delta`), what a pair with an empty unit costs.

Before use it is *bound* to the continuum or the corpus that is measured: normalisers and category
matrices come from there, never from random continua, which are measured with the same binding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from gammacp.arrays import Codes, Floats, Indices
from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError
from gammacp.signature import described

Annotations: TypeAlias = Continuum | Corpus
Reach: TypeAlias = tuple[float, float]

UNBOUNDED: Reach = (np.inf, 0.0)

# Formulas that kernels know, see `dissimilarity.kernels`: (number, factor). The numbers of the
# positional dissimilarities stand beside these, 0 is a formula that does not look at positions.
Formula: TypeAlias = tuple[int, float]
NOWHERE = 0
NO_FORMULA: Formula = (-1, 0.0)


@dataclass(frozen=True, slots=True)
class Edges:
    """Where units' fragments start and end: those of a unit are `edge[first:last]`."""

    edge: Floats
    first: Indices
    last: Indices


@dataclass(frozen=True, slots=True)
class UnitColumns:
    """Units as columns that broadcast: what `pairwise` compares.

    `start`, `end`, `length` are float64, `category` int32 codes into `categories` (−1 is
    unlabelled). `columns[rows]` and `columns[:, None]` index all of them alike. Of units of several
    fragments, `start` and `end` are those of all, and `edges` has each one's.
    """

    start: Floats
    end: Floats
    length: Floats
    category: Codes
    categories: tuple[str, ...]
    edges: Edges | None = None

    def __getitem__(self, key: Any) -> UnitColumns:
        """The same columns indexed by `key`."""
        places = self.start[key], self.end[key], self.length[key]
        edges = self.edges and Edges(self.edges.edge, self.edges.first[key], self.edges.last[key])
        return UnitColumns(*places, self.category[key], self.categories, edges)


def unit_columns(continuum: Continuum) -> UnitColumns:
    """All units of a continuum, in its order."""
    return UnitColumns(
        continuum.starts,
        continuum.ends,
        continuum.lengths,
        continuum.category_codes,
        continuum.categories,
        None if continuum.breaks is None else _edges(continuum),
    )


def _edges(continuum: Continuum) -> Edges:
    spans = [u.fragments or ((u.start, u.end),) for u in continuum]
    last = 2 * np.cumsum([len(fragments) for fragments in spans])
    flat = np.array([edge for fragments in spans for f in fragments for edge in f], np.float64)
    return Edges(flat, np.append(0, last)[:-1], last)


@runtime_checkable
class Pairwise(Protocol):
    """The least that a dissimilarity must have.

    Optional beside it: `reach(most) -> (absolute, relative)`, with the promise that
    d(u, v) > most whenever |start_u − start_v| > absolute + relative·(len_u + len_v); without it
    nothing is pruned by position. `delta` (default 1). `signature` (default: the class' name).
    `bind(annotations)`, which returns the dissimilarity to use on that continuum or corpus.
    `fragments`: whether it reads the `edges` of units of several fragments (default: no; such
    units are then refused).
    """

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        """d(u, v) ≥ 0, NumPy broadcasting over the columns."""
        ...


class BoundDissimilarity(Protocol):
    """A dissimilarity ready for use; see `Pairwise` for what the members promise."""

    @property
    def delta(self) -> float:
        """Δ > 0: what a pair with an empty unit costs."""
        ...

    @property
    def signature(self) -> str:
        """Short text that says what it is, for signatures of results."""
        ...

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        """d(u, v) ≥ 0."""
        ...

    def reach(self, most: float) -> Reach:
        """(absolute, relative): beyond it d exceeds `most`."""
        ...


@dataclass(frozen=True)
class Scaled:
    """A bound dissimilarity times a `factor`, and with a `delta` of its own; the rest is as there.

    Solvers have tolerances of their own, for costs of about 1. With a power of two as the factor
    every cost keeps its digits.
    """

    inner: Any
    factor: float
    delta: float

    @classmethod
    def to_unit(cls, dissimilarity: BoundDissimilarity, delta: float) -> BoundDissimilarity:
        """With this Δ, which becomes 1 or a little more (below 2).

        Parameters
        ----------
        dissimilarity
            It is returned as it is where nothing has to change.
        delta
            > 0.
        """
        factor = 2.0 ** (1 - float(np.frexp(delta)[1]))
        if factor == 1 and delta == dissimilarity.delta:
            return dissimilarity
        return cls(dissimilarity, factor, delta * factor)

    def __getattr__(self, name: str) -> Any:
        """What else there is; what is a cost is scaled, too."""
        value = getattr(self.inner, name)
        if name == "category_costs":
            return value * self.factor
        return value if name != "categorial_part" else lambda u, v: value(u, v) * self.factor

    @property
    def formula(self) -> Formula:
        """What kernels compute."""
        number, factor = getattr(self.inner, "formula", NO_FORMULA)
        return number, factor * self.factor

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        """d(u, v) times the factor."""
        return np.asarray(self.inner.pairwise(u, v) * self.factor)

    def reach(self, most: float) -> Reach:
        """Beyond it d exceeds `most`."""
        reach: Reach = self.inner.reach(most / self.factor)
        return reach


@dataclass(frozen=True)
class _Completed:
    """A dissimilarity with only `pairwise`, filled up with the defaults."""

    inner: Any

    @property
    def delta(self) -> float:
        return float(getattr(self.inner, "delta", 1.0))

    @property
    def signature(self) -> str:
        return described(self.inner)

    @property
    def fragments(self) -> bool:
        return bool(getattr(self.inner, "fragments", False))

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        return np.asarray(self.inner.pairwise(u, v), np.float64)

    def reach(self, most: float) -> Reach:
        reach = getattr(self.inner, "reach", None)
        return UNBOUNDED if reach is None else reach(most)


def bind(dissimilarity: Any, annotations: Annotations) -> BoundDissimilarity:
    """The dissimilarity as it is used on this continuum or corpus.

    Calls its `bind` if it has one; what is missing (`reach`, `delta`, `signature`) gets the
    defaults of `Pairwise`.
    """
    bound = dissimilarity.bind(annotations) if hasattr(dissimilarity, "bind") else dissimilarity
    for continuum in continua_of(annotations):
        check_fragments(bound, continuum)
    complete = all(hasattr(bound, name) for name in ("delta", "signature", "reach"))
    return bound if complete else _Completed(bound)


def check_fragments(bound: Any, continuum: Continuum) -> None:
    """DataError for units of several fragments that the dissimilarity would take for one piece."""
    if continuum.breaks is not None and not getattr(bound, "fragments", False):
        raise DataError(
            f"the dissimilarity {getattr(bound, 'signature', type(bound).__name__)} does not serve "
            f"units of several fragments, and there are {continuum.n_broken}",
            hint="Use --positional sporadic, or read them with --option discontinuous=cover",
        )


def mean_length(annotations: Annotations) -> float:
    """Mean length of all units of the continuum or of all continua of the corpus; 0 for none."""
    continua = continua_of(annotations)
    units = sum(c.n_units for c in continua)
    return sum(float(c.lengths.sum()) for c in continua) / units if units else 0.0


def category_counts(annotations: Annotations) -> dict[str, int]:
    """How many units have each category; unlabelled ones are not counted."""
    size = len(annotations.categories)
    counts = np.zeros(size, np.int64)
    for c in continua_of(annotations):
        counts += np.bincount(c.category_codes[c.category_codes >= 0], minlength=size)
    return dict(zip(annotations.categories, counts.tolist(), strict=True))


def continua_of(annotations: Annotations) -> Sequence[Continuum]:
    """The continuum, or the continua of the corpus."""
    return [annotations] if isinstance(annotations, Continuum) else list(annotations.values())


def formula_costs(formula: Formula, u: UnitColumns, v: UnitColumns) -> Floats:
    """What a formula gives for units whose columns broadcast; 0 for positions that do not count."""
    if formula[0] == NOWHERE:
        return np.zeros(np.broadcast_shapes(u.start.shape, v.start.shape))
    from gammacp.dissimilarity.kernels import costs_of_fragments, positional_costs

    places = np.broadcast_arrays(u.start, u.end, v.start, v.end)
    flat = (np.ascontiguousarray(place, np.float64).ravel() for place in places)
    costs = positional_costs(*formula, *flat)
    if u.edges is not None and v.edges is not None:
        sides = (u.edges.first, u.edges.last, v.edges.first, v.edges.last)
        rows = np.stack(np.broadcast_arrays(*sides), axis=-1).reshape(-1, 4)
        costs_of_fragments(formula[1], u.edges.edge, v.edges.edge, rows, costs)
    return np.asarray(costs.reshape(places[0].shape))
