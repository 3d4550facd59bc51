"""The combined dissimilarity: α·d_pos + β·d_cat (Mathet et al. 2015, eq. 5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from gammacp.base.arrays import Floats, freeze
from gammacp.base.signature import describe, shortest
from gammacp.continuum.shapes import KINDS
from gammacp.dissimilarity.base import (
    NO_FORMULA,
    NOWHERE,
    Annotations,
    BoundDissimilarity,
    PairCosts,
    Pairwise,
    UnitColumns,
    blind_to,
    category_counts,
    formula_costs,
    scale_costs,
)
from gammacp.dissimilarity.categorial import Categorial, categorial, steep
from gammacp.dissimilarity.features import CATEGORY, as_features
from gammacp.dissimilarity.positional import Positional, bind_positional, positional
from gammacp.errors import UsageError


@dataclass(frozen=True)
class Combined:
    """α·d_pos + β·d_cat; γ uses α = β = Δ = 1 (2015, §4.4).

    Parameters
    ----------
    alpha, beta
        Weights ≥ 0 of the positional and the categorial part; not both 0.
    delta
        Δ > 0, the dissimilarity to the empty unit; both parts scale with it.
    positional
        A name in POSITIONAL, or an object with `bind(annotations, delta)` or `pairwise(u, v)`
        (then in units of Δ).
    categorial
        A name in CATEGORIAL, some with an argument (`ordinal=A<B<C`, `tree=FILE`), a path of a CSV
        matrix, `Features`, or an object with `distances(categories)` and perhaps
        `counting(counts)`, which tells it how often each category occurs in what is measured.
    f_cat
        "identity", or "steep" for the form of footnote 2, with which categories at distance 1 are
        never aligned; with `Features` it is applied to each part.

    Unlabelled units: d_cat(None, None) = 0, d_cat(None, c) = Δ.

    Bound to Fig. 10's continuum (positions alone), d(A1, B2) = 3.24.
    """

    alpha: float = 1.0
    beta: float = 1.0
    delta: float = 1.0
    positional: str | Positional | Pairwise = "sporadic"
    categorial: str | Categorial = "nominal"
    f_cat: Literal["identity", "steep"] = "identity"

    def __post_init__(self) -> None:
        """Raise a UsageError for weights outside their range."""
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not (np.isfinite(value) and value >= 0):
                raise UsageError(f"{name} {value!r} is not a number >= 0")
        if self.alpha == 0 and self.beta == 0:
            raise UsageError("alpha and beta are both 0, so nothing is compared")
        if not (np.isfinite(self.delta) and self.delta > 0):
            raise UsageError(f"delta {self.delta!r} is not a number > 0")
        if self.f_cat not in ("identity", "steep"):
            raise UsageError(f"f_cat {self.f_cat!r} is neither 'identity' nor 'steep'")

    @property
    def signature(self) -> str:
        """`combined(a:1,b:1,d:1,pos:sporadic,cat:nominal)`."""
        weights = {"a": self.alpha, "b": self.beta, "d": self.delta}
        parts = [f"{key}:{shortest(value)}" for key, value in weights.items()]
        parts += [f"pos:{describe(positional(self.positional))}"]
        parts += [f"cat:{describe(categorial(self.categorial))}"]
        if self.f_cat != "identity":
            parts.append(f"f:{self.f_cat}")
        return f"combined({','.join(parts)})"

    @property
    def blind_to(self) -> frozenset[str]:
        """Properties of units that do not affect the dissimilarity."""
        if not self.alpha:
            ignored = {"start", "end", "fragments"}
        else:
            ignored = set()
        ignored |= blind_to(positional(self.positional))
        if not self.beta:
            ignored.add("category")
        return frozenset(ignored)

    def bind(self, annotations: Annotations) -> BoundDissimilarity:
        """Compute the normalisers and the category matrix of this continuum or corpus.

        Parameters
        ----------
        annotations
            The continuum or corpus that is measured. The result is also used for its random sets.
        """
        positional_part = _NO_POSITION
        if self.alpha:
            positional_part = scale_costs(
                bind_positional(self.positional, annotations, self.delta), self.alpha
            )
        has_no_formula = positional_part.formula == NO_FORMULA
        tables = self._category_parts(annotations)
        costs = np.asarray(sum(tables.values()))
        freeze(costs)
        if has_no_formula:
            by_position = positional_part.pairwise
        else:
            by_position = partial(formula_costs, positional_part.formula)
        by_label = partial(_label_costs, costs)
        return replace(
            positional_part,
            pairwise=partial(_sum, by_position, by_label),
            signature=self.signature,
            delta=self.delta,
            positional_part=by_position,
            categorial_part=by_label,
            category_costs=costs,
            category_parts=tables,
        )

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that it uses in addition to the category."""
        return as_features(self.categorial).features

    def _category_parts(self, annotations: Annotations) -> dict[str, Floats]:
        """Return β·d_cat of category and features, each (K + 1, K + 1); last row: unlabelled."""
        labels = annotations.categories
        if not self.beta:
            return {CATEGORY: np.zeros((len(labels) + 1, len(labels) + 1))}
        tables = as_features(self.categorial).tables(
            labels, category_counts(annotations), steep if self.f_cat == "steep" else np.asarray
        )
        return {name: table * (self.beta * self.delta) for name, table in tables.items()}


# If α is 0, neither positions nor fragments count.
_NO_POSITION = BoundDissimilarity(
    pairwise=partial(formula_costs, (NOWHERE, 0.0)),
    signature="",
    fragments=True,
    shapes=tuple(KINDS),
    formula=(NOWHERE, 0.0),
)


def _label_costs(costs: Floats, u: UnitColumns, v: UnitColumns) -> Floats:
    """Return β·d_cat as `costs[c, k]` for category codes; −1 is "unlabelled"."""
    return np.asarray(costs[u.category, v.category])


def _sum(position: PairCosts, label: PairCosts, u: UnitColumns, v: UnitColumns) -> Floats:
    """Return α·d_pos(u, v) + β·d_cat(u, v)."""
    return np.asarray(position(u, v) + label(u, v))
