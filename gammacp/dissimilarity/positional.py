"""Positional dissimilarities: how far apart two units are, whatever their categories.

References
----------
Mathet, Widlöcher & Métivier (2015), eq. 3; Mathet & Widlöcher (2011), eq. 1 and 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from gammacp.base.signature import shortest
from gammacp.dissimilarity.base import (
    Annotations,
    BoundDissimilarity,
    Formula,
    Pairwise,
    Reach,
    continua_of,
    costs_by_axis,
    formula_costs,
    mean_length,
    scale_costs,
    with_defaults,
)
from gammacp.errors import DataError, UsageError
from gammacp.registry import Registry

# Numbers of the formulas in `dissimilarity.kernels`.
SPORADIC = 1
HAMMING = 2


@runtime_checkable
class Positional(Protocol):
    """Positional part of `Combined`, bound with Δ before it compares positions."""

    def bind(self, annotations: Annotations, delta: float) -> Any:
        """Return an object with `pairwise` and, if possible, `reach`, `formula` and `fragments`.

        For the meaning of these attributes see `base.BoundDissimilarity`.

        Parameters
        ----------
        annotations
            The continuum or corpus that is measured.
        delta
            Δ, the cost of a pair with an empty unit.
        """
        ...


@dataclass(frozen=True)
class Sporadic:
    """Distance relative to length, squared (2015, eq. 3): for units scattered over a text.

    d(u, v) = factor · ((|start_u − start_v| + |end_u − end_v|) / (len_u + len_v))², factor = Δ.
    Two touching units of equal length cost Δ, [4,14] and [20,25] cost (27/15)²·Δ = 3.24·Δ (2015,
    Fig. 10). Two zero-length units: 0 at the same place, otherwise ∞.

    `factor` replaces Δ. The 2011 form divides by the mean of the two lengths and has no factor Δ,
    which equals `factor=4`.

    For units U and V with several fragments, the numerator is the length that only one of them
    covers, plus twice the distance between them if they are disjoint; the length of a unit is the
    sum over its fragments. For two intervals this is |start_u − start_v| + |end_u − end_v|.

    For boxes, the formula is applied to each axis and summed. Boxes that differ on one axis only
    cost as much as on that axis; moving or scaling an axis does not change the cost.
    """

    factor: float | None = None

    def __post_init__(self) -> None:
        """Raise a UsageError for a factor outside its range."""
        if self.factor is not None and not (np.isfinite(self.factor) and self.factor > 0):
            raise UsageError(f"factor {self.factor!r} is not a number > 0")

    def bind(self, annotations: Annotations, delta: float) -> BoundDissimilarity:
        """Bind to Δ, and note whether there are units with several fragments, or boxes."""
        if self.factor is None:
            factor = delta
        else:
            factor = self.factor
        if any(c.axes > 1 for c in continua_of(annotations).structured):
            return BoundDissimilarity(
                pairwise=partial(costs_by_axis, (SPORADIC, factor)),
                signature=self.signature,
                reach=partial(_sporadic_reach, factor, False),
                shapes=("box",),
            )
        broken = any(c.inside is not None for c in continua_of(annotations).structured)
        return _by_formula(self.signature, (SPORADIC, factor), _sporadic_reach, broken)

    @property
    def signature(self) -> str:
        """Return the name in the registry."""
        if self.factor is None:
            return "sporadic"
        return f"sporadic({shortest(self.factor)})"


@dataclass(frozen=True)
class Sporadic2011(Sporadic):
    """The 2011 form: the denominator is the mean length, there is no factor Δ; its Δ∅ is 4."""

    factor: float | None = 4.0

    @property
    def signature(self) -> str:
        """Return the name in the registry."""
        return "sporadic-2011"


def _sporadic_reach(factor: float, fragments: bool, most: float) -> Reach:
    """Return the reach: |start_u − start_v| > √(most/factor)·(len_u + len_v) implies d > most.

    The two numbers are the constant part of this distance, 0, and the factor of the lengths. With
    fragments this holds only beyond the lengths from first start to last end, where the units
    are apart (proof: docs/method).
    """
    relative = float(np.sqrt(max(most, 0.0) / factor))
    return 0.0, max(relative, float(fragments)) * (1 + 1e-12)


@dataclass(frozen=True)
class Hamming:
    """|end_u − end_v| / (k/2) · Δ, k the mean length of all units (2011, eq. 2).

    It is meant for segmentations that cover everything, where it emulates GHD. It ignores starts,
    so it is 0 for different units with the same end. k is computed from the data it is bound to.
    """

    blind_to: ClassVar[frozenset[str]] = frozenset({"start"})

    @property
    def signature(self) -> str:
        """Return the name in the registry."""
        return "hamming"

    def bind(self, annotations: Annotations, delta: float) -> BoundDissimilarity:
        """Bind to the k of the data; raise a DataError if all units have length 0."""
        k = mean_length(annotations)
        if k == 0 and any(c.n_units for c in continua_of(annotations)):
            raise DataError(
                "all units have length 0, so the Hamming distance has no scale",
                hint="Use another positional dissimilarity",
            )
        return _by_formula(self.signature, (HAMMING, 2 * delta / (k or 1.0)), _hamming_reach)


def _hamming_reach(factor: float, fragments: bool, most: float) -> Reach:  # noqa: ARG001
    """Return the reach, from |start_u − start_v| ≤ |end_u − end_v| + len_u + len_v."""
    return max(most, 0.0) / factor * (1 + 1e-12), 1.0 + 1e-12


def _by_formula(
    signature: str,
    formula: Formula,
    reach: Callable[[float, bool, float], Reach],
    fragments: bool = False,
) -> BoundDissimilarity:
    return BoundDissimilarity(
        pairwise=partial(formula_costs, formula),
        signature=signature,
        reach=partial(reach, formula[1], fragments),
        fragments=fragments,
        formula=formula,
    )


POSITIONAL: Registry[Positional] = Registry("positional dissimilarity")
POSITIONAL.register("sporadic", Sporadic())
POSITIONAL.register("sporadic-2011", Sporadic2011())
POSITIONAL.register("hamming", Hamming())


def positional(choice: str | Positional | Pairwise) -> Positional | Pairwise:
    """Return a positional dissimilarity by name, or the object itself."""
    if isinstance(choice, str):
        return POSITIONAL[choice]
    if not isinstance(choice, Positional | Pairwise):
        raise UsageError(f"positional {choice!r} has neither bind nor pairwise")
    return choice


def bind_positional(
    choice: str | Positional | Pairwise, annotations: Annotations, delta: float
) -> BoundDissimilarity:
    """Bind a positional dissimilarity to this continuum or corpus.

    Parameters
    ----------
    choice
        A name or an object; the costs of an object without `bind` are in units of Δ.
    annotations
        Units to be measured.
    delta
        Δ.
    """
    chosen = positional(choice)
    if isinstance(chosen, Positional):
        return with_defaults(chosen.bind(annotations, delta))
    return scale_costs(with_defaults(chosen), delta)
