"""The dissimilarities of pygamma-agreement; gammacp accepts each as its own (`pairwise`, `bind`).

To define another one, write a class with a method `compile_d_mat`. It returns a function of two
arrays (start, end, duration, number of the category), decorated with `dissimilarity_dec`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from sortedcontainers import SortedSet

from gammacp.base.arrays import Floats
from gammacp.base.signature import fingerprint
from gammacp.dissimilarity import (
    Annotations,
    BoundDissimilarity,
    Combined,
    Levenshtein,
    UnitColumns,
)
from gammacp.errors import DataError
from gammacp.pygamma.units import warn_of_difference

if TYPE_CHECKING:
    from gammacp.pygamma.alignment import Alignment


def dissimilarity_dec(function: Callable[..., float]) -> Any:
    """Compile the function that `compile_d_mat` returns, in double precision, at its first call."""
    import numba

    return numba.njit(function)


class AbstractDissimilarity:
    """Dissimilarity of units; `delta_empty` is the dissimilarity to an empty unit."""

    def __init__(self, categories: Any = None, delta_empty: float = 1.0) -> None:
        """Set Δ and the categories (None if any are allowed); ValueError if these are empty."""
        if categories is not None and len(categories) == 0:
            raise ValueError("Cannot declare categorical dissimilarity with no categories.")
        if categories is None:
            self.categories = None
        else:
            self.categories = SortedSet(categories)
        self.delta_empty = float(delta_empty)

    @property
    def delta(self) -> float:
        """The cost Δ of an empty unit."""
        return self.delta_empty

    @property
    def signature(self) -> str:
        """Return the name of the class, with Δ."""
        return f"{type(self).__name__}(d:{self.delta_empty:g})"

    def compile_d_mat(self) -> Any:
        """Return the compiled function (see the docstring of the module)."""
        raise NotImplementedError(f"{type(self).__name__} has no compile_d_mat")

    def _compile(self) -> Any:
        return self.compile_d_mat()

    @cached_property
    def d_mat(self) -> Any:
        """Return the compiled function.

        Raises
        ------
        ValueError
            For a sample pair of units, the function is not symmetric, or d(u, u) is not 0.
        """
        function = self._compile()
        if self.categories is None:
            last = 0
        else:
            last = len(self.categories) - 1
        u = np.array([3.0, 10.0, 7.0, 0.0])
        v = np.array([5.0, 7.5, 2.5, last])
        if function(u, v) != function(v, u) or function(u, u) != 0:
            raise ValueError("Compiled dissimilarity is not symmetrical, or not 0 for d(u, u)")
        return function

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        """Return the dissimilarity of units `u` and `v`, whose columns broadcast."""
        shape = np.broadcast_shapes(u.start.shape, v.start.shape)
        first, second = (self._rows(columns, shape) for columns in (u, v))
        compare_rows = _compile_for_rows(self.d_mat)
        return np.asarray(compare_rows(first, second).reshape(shape))

    def _rows(self, u: UnitColumns, shape: tuple[int, ...]) -> Floats:
        """Return a row (start, end, duration, category) per unit; the category −1 for none."""
        code_by_category = {str(c): i for i, c in enumerate(self.categories or u.categories)}
        codes = np.array([*(code_by_category.get(c, -1) for c in u.categories), -1])[u.category]
        parts = (np.broadcast_to(x, shape).ravel() for x in (u.start, u.end, u.length, codes))
        return np.stack([*parts], axis=1).astype(np.float64)

    def d(self, unit1: Any, unit2: Any) -> float:
        """Return the dissimilarity of two units."""
        from gammacp.pygamma.alignment import Alignment, UnitaryAlignment

        pair = UnitaryAlignment([("1", unit1), ("2", unit2)])
        return float(self.compute_disorder(Alignment([pair]))[0])

    def compute_disorder(self, alignment: Alignment) -> Floats:
        """Return the disorder of each unitary alignment of an alignment."""
        return alignment.native(self).disorders


@cache
def _compile_for_rows(d_mat: Any) -> Any:
    """Return a compiled function that applies `d_mat` to each pair of rows of two arrays."""
    import numba

    @numba.njit
    def compare_rows(first: Floats, second: Floats) -> Floats:
        distances = np.empty(len(first))
        for i in range(len(first)):
            distances[i] = d_mat(first[i], second[i])
        return distances

    return compare_rows


class _BuiltIn(AbstractDissimilarity):
    """A dissimilarity that gammacp's `Combined` can express."""

    def to_combined(self) -> Combined:
        """Return the equivalent `Combined`, which solvers treat faster than a compiled function."""
        raise NotImplementedError

    @property
    def signature(self) -> str:
        """Return gammacp's signature."""
        return self.to_combined().signature

    def bind(self, annotations: Annotations) -> BoundDissimilarity:
        """Bind the equivalent `Combined` to the annotations."""
        return self.to_combined().bind(annotations)


class PositionalSporadicDissimilarity(_BuiltIn):
    """Δ times squared distance of boundaries relative to lengths (Mathet et al. 2015, eq. 3)."""

    def __init__(self, delta_empty: float = 1.0) -> None:
        """Set Δ; categories do not matter."""
        super().__init__(delta_empty=delta_empty)

    def compile_d_mat(self) -> Any:
        """Return the compiled function, for dissimilarities of users that include this one."""
        delta = self.delta_empty

        def sporadic(u: Floats, v: Floats) -> float:
            relative: float = (abs(u[0] - v[0]) + abs(u[1] - v[1])) / (u[2] + v[2])
            return relative * relative * delta

        return dissimilarity_dec(sporadic)

    def to_combined(self) -> Combined:
        """Return a `Combined` of positions alone."""
        return Combined(beta=0.0, delta=self.delta_empty)


class CategoricalDissimilarity(_BuiltIn):
    """Δ times a distance between categories, which `compile_d_mat` or a matrix defines."""

    def __init__(self, categories: Any, delta_empty: float = 1.0) -> None:
        """Set the categories that are compared; None for any."""
        super().__init__(categories, delta_empty)
        # `d_mat` is compiled with this Δ, as in pygamma-agreement, whose constructors compile:
        # `CombinedCategoricalDissimilarity` replaces `delta_empty` before `d_mat` is first used.
        self.compiled_with = self.delta_empty

    def _compile(self) -> Any:
        constructed = copy(self)
        constructed.delta_empty = self.compiled_with
        return constructed.compile_d_mat()

    def distances(self, categories: tuple[str, ...]) -> Floats:
        """Return the distances in units of Δ, as gammacp needs them: (categories, categories)."""
        row_by_category = {str(c): i for i, c in enumerate(self.categories or categories)}
        if missing := [c for c in categories if c not in row_by_category]:
            raise DataError(f"category {missing[0]!r} has no distance to others")
        rows = [row_by_category[c] for c in categories]
        return np.asarray(self._matrix(len(row_by_category))[np.ix_(rows, rows)])

    def _matrix(self, size: int) -> Floats:
        """Return distances of the first `size` categories in units of Δ, of units at one place."""
        units = np.column_stack([np.zeros(size), np.ones(size), np.ones(size), np.arange(size)])
        row, column = np.indices((size, size)).reshape(2, -1)
        distances = _compile_for_rows(self.d_mat)(units[row], units[column])
        return np.asarray(distances).reshape(size, size) / self.compiled_with

    def to_combined(self) -> Combined:
        """Return a `Combined` of categories alone."""
        return Combined(alpha=0.0, delta=self.delta_empty, categorial=_Distances(self))


@dataclass(frozen=True)
class _Distances:
    """A distance of gammacp that wraps a `CategoricalDissimilarity`, hashable so γ can share it."""

    of: CategoricalDissimilarity

    @property
    def signature(self) -> str:
        names = tuple(map(str, self.of.categories or ()))
        if names:
            contents = fingerprint(*names, self.of.distances(names).tobytes())
        else:
            contents = "nominal"
        return f"{type(self.of).__name__}({contents})"

    def distances(self, categories: tuple[str, ...]) -> Floats:
        return self.of.distances(categories)


class AbsoluteCategoricalDissimilarity(CategoricalDissimilarity):
    """0 for equal categories, otherwise Δ."""

    def __init__(self, delta_empty: float = 1.0) -> None:
        """Compare units of any categories."""
        super().__init__(None, delta_empty)

    def compile_d_mat(self) -> Any:
        """See `PositionalSporadicDissimilarity`."""
        delta = self.delta_empty
        return dissimilarity_dec(lambda u, v: 0.0 if u[3] == v[3] else delta)

    def _matrix(self, size: int) -> Floats:
        return 1.0 - np.eye(size)


class PrecomputedCategoricalDissimilarity(CategoricalDissimilarity):
    """Δ times a matrix, with rows and columns in the alphabetical order of the categories."""

    def __init__(self, categories: Any, matrix: Any, delta_empty: float = 1.0) -> None:
        """Set a square symmetric matrix, 0 on the diagonal."""
        super().__init__(categories, delta_empty)
        values = np.asarray(matrix, np.float64)
        assert values.shape == (len(categories),) * 2, "matrix does not match the categories"
        if (values != values.T).any() or values.diagonal().any():
            raise ValueError("Distances are not symmetrical, or not 0 on the diagonal")
        self._values = values

    def compile_d_mat(self) -> Any:
        """See `PositionalSporadicDissimilarity`."""
        values = self._values * self.delta_empty
        return dissimilarity_dec(lambda u, v: values[int(u[3]), int(v[3])])

    def _matrix(self, size: int) -> Floats:  # noqa: ARG002
        return self._values


class LambdaCategoricalDissimilarity(PrecomputedCategoricalDissimilarity):
    """The values of `cat_dissim_func` for all pairs of labels, scaled to at most 1."""

    def __init__(self, labels: Iterable[Any], delta_empty: float = 1.0) -> None:
        """Set the categories."""
        names = SortedSet(labels)
        distance = self.cat_dissim_func
        values = np.zeros((len(names), len(names)))
        # Each pair is compared in one order, the later label first: the matrix is symmetric.
        for i, j in combinations(range(len(names)), 2):
            values[i, j] = values[j, i] = distance(names[j], names[i])
        super().__init__(names, values / values.max(initial=1.0), delta_empty)

    @staticmethod
    def cat_dissim_func(str1: str, str2: str) -> float:
        """Return the distance of two labels."""
        raise NotImplementedError


class LevenshteinCategoricalDissimilarity(LambdaCategoricalDissimilarity):
    """Levenshtein distance of two labels, divided by the length of the longer one."""

    def __init__(self, labels: Iterable[Any], delta_empty: float = 1.0) -> None:
        """Set the categories."""
        warn_of_difference("levenshtein")
        super().__init__(labels, delta_empty)

    @staticmethod
    def cat_dissim_func(str1: str, str2: str) -> float:
        """Return the distance of two labels: 3/7 for `kitten` and `sitting`."""
        return float(Levenshtein().distances((str1, str2))[0, 1])


class OrdinalCategoricalDissimilarity(PrecomputedCategoricalDissimilarity):
    """|a − b| / m of the labels' ranks (0, 1, 2 … or `p`); m is the largest |a − b|, at least 1."""

    def __init__(
        self, labels: Iterable[Any], p: Iterable[float] | None = None, delta_empty: float = 1.0
    ) -> None:
        """Set labels in order, or with ranks `p`; ValueError if the numbers of both differ."""
        names = [str(label) for label in labels]
        if len(set(names)) < len(names):
            raise ValueError("Provided labels must not have duplicates.")
        if p is None:
            ranks = np.arange(len(names))
        else:
            ranks = np.array([*p], np.float64)
        if len(ranks) != len(names):
            raise ValueError("Labels and their positions have not the same length")
        alphabetical = np.argsort(names)
        if (alphabetical != np.arange(len(names))).any():
            warn_of_difference("ordinal")
        sorted_ranks = ranks[alphabetical]
        differences = np.abs(sorted_ranks[:, None] - sorted_ranks)
        super().__init__(names, differences / differences.max(initial=1.0), delta_empty)


class NumericalCategoricalDissimilarity(OrdinalCategoricalDissimilarity):
    """|a − b| / m of labels that are numbers; m is the largest |a − b|, at least 1."""

    def __init__(self, labels: Iterable[Any], delta_empty: float = 1.0) -> None:
        """Set the labels; raise a ValueError if one is not a number."""
        names = [str(label) for label in labels]
        try:
            numbers = [float(name) for name in names]
        except ValueError:
            raise ValueError("Cannot use ordinal dissimilarity on non-numeric categories") from None
        super().__init__(names, numbers, delta_empty)


class CombinedCategoricalDissimilarity(_BuiltIn):
    """alpha · positions + beta · categories (Mathet et al. 2015, eq. 5)."""

    def __init__(
        self,
        alpha: float = 1.0,
        beta: float = 1.0,
        delta_empty: float = 1.0,
        pos_dissim: AbstractDissimilarity | None = None,
        cat_dissim: CategoricalDissimilarity | None = None,
    ) -> None:
        """Combine sporadic positions and nominal categories by default, both with the same Δ."""
        self.alpha, self.beta = float(alpha), float(beta)
        self.positional_dissim = pos_dissim or PositionalSporadicDissimilarity(delta_empty)
        self.categorical_dissim = cat_dissim or AbsoluteCategoricalDissimilarity()
        super().__init__(self.categorical_dissim.categories, delta_empty)
        if beta and self.categorical_dissim.compiled_with != self.delta_empty:
            warn_of_difference("categorial-delta")
        self.categorical_dissim.delta_empty = self.delta_empty

    def compile_d_mat(self) -> Any:
        """See `PositionalSporadicDissimilarity`."""
        alpha = self.alpha
        positional = self.positional_dissim.d_mat
        beta = self.beta * self.delta_empty / self.categorical_dissim.compiled_with
        categorical = self.categorical_dissim.d_mat
        return dissimilarity_dec(lambda u, v: alpha * positional(u, v) + beta * categorical(u, v))

    def to_combined(self) -> Combined:
        """Return a `Combined` of both parts; keep a user's dissimilarity of positions as it is."""
        delta = self.delta_empty
        positional = self.positional_dissim
        sporadic = isinstance(positional, PositionalSporadicDissimilarity)
        alpha = self.alpha
        if sporadic:
            # `Combined` multiplies positions by the common Δ; here they have a Δ of their own.
            alpha *= positional.delta_empty / delta
        return Combined(
            alpha=alpha,
            beta=self.beta,
            delta=delta,
            positional="sporadic" if sporadic else _Positions(positional, delta),
            categorial=_Distances(self.categorical_dissim),
        )


@dataclass(frozen=True)
class _Positions:
    """A user's dissimilarity of positions in units of Δ, in the form that `Combined` takes."""

    of: AbstractDissimilarity
    delta: float

    @property
    def signature(self) -> str:
        return self.of.signature

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        return self.of.pairwise(u, v) / self.delta
