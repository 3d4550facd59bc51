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
        """Return an object with `pairwise` and, where it can, `reach`, `formula` and `fragments`.

        `base.BoundDissimilarity` says what these promise.

        Parameters
        ----------
        annotations
            The continuum or corpus that is measured.
        delta
            Δ, what a pair with an empty unit costs.
        """
        ...


@dataclass(frozen=True)
class Sporadic:
    """Distance relative to length, squared (2015, eq. 3): for units scattered over a text.

    d(u, v) = factor · ((|start_u − start_v| + |end_u − end_v|) / (len_u + len_v))², factor = Δ.
    Two touching units of equal length cost Δ, [4,14] and [20,25] cost (27/15)²·Δ = 3.24·Δ (2015,
    Fig. 10). Two zero-length units: 0 at the same place, otherwise ∞.

    `factor` overrides Δ: the 2011 form divides by the mean length and knows no Δ, which is
    factor 4.

    Of units of several fragments U and V: the numerator is what only one of them covers, and twice
    the distance between them where they have no place in common; lengths are those of the fragments
    together. For two intervals this is |start_u − start_v| + |end_u − end_v|.

    Of boxes it is the sum over the axes, the square of the distance relative to the lengths: boxes
    that differ on one axis cost what they cost there; moving and scaling an axis leaves it alone.
    """

    factor: float | None = None

    def __post_init__(self) -> None:
        """UsageError for a factor outside its range."""
        if self.factor is not None and not (np.isfinite(self.factor) and self.factor > 0):
            raise UsageError(f"factor {self.factor!r} is not a number > 0")

    def bind(self, annotations: Annotations, delta: float) -> BoundDissimilarity:
        """Δ, and whether there are units of several fragments, or boxes."""
        if self.factor is None:
            factor = delta
        else:
            factor = self.factor
        if any(c.axes > 1 for c in continua_of(annotations).beside):
            return BoundDissimilarity(
                pairwise=partial(costs_by_axis, (SPORADIC, factor)),
                signature=self.signature,
                reach=partial(_sporadic_reach, factor, False),
                shapes=("box",),
            )
        broken = any(c.inside is not None for c in continua_of(annotations).beside)
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
    """|start_u − start_v| alone already gives d > most beyond √(most/factor)·(lengths).

    With fragments only beyond the lengths from first start to last end, where the units are apart
    (proof: docs/method).
    """
    relative = float(np.sqrt(max(most, 0.0) / factor))
    return 0.0, max(relative, float(fragments)) * (1 + 1e-12)


@dataclass(frozen=True)
class Hamming:
    """|end_u − end_v| / (k/2) · Δ, k the mean length of all units (2011, eq. 2).

    For segmentations that cover everything: it emulates GHD, ignores starts, and is therefore 0
    for different units with the same end. k comes from the source it is bound to.
    """

    blind_to: ClassVar[frozenset[str]] = frozenset({"start"})

    @property
    def signature(self) -> str:
        """Return the name in the registry."""
        return "hamming"

    def bind(self, annotations: Annotations, delta: float) -> BoundDissimilarity:
        """Return k of the continuum or corpus; DataError if all units have length 0."""
        k = mean_length(annotations)
        if k == 0 and any(c.n_units for c in continua_of(annotations)):
            raise DataError(
                "all units have length 0, so the Hamming distance has no scale",
                hint="Use another positional dissimilarity",
            )
        return _by_formula(self.signature, (HAMMING, 2 * delta / (k or 1.0)), _hamming_reach)


def _hamming_reach(factor: float, fragments: bool, most: float) -> Reach:  # noqa: ARG001
    """|start_u − start_v| ≤ |end_u − end_v| + len_u + len_v."""
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
    """Return a positional dissimilarity as it is used on this continuum or corpus.

    Parameters
    ----------
    choice
        A name or an object; one that has no `bind` gives its costs in units of Δ.
    annotations
        Units to be measured.
    delta
        Δ.
    """
    place = positional(choice)
    if isinstance(place, Positional):
        return with_defaults(place.bind(annotations, delta))
    return scale_costs(with_defaults(place), delta)
