"""Categorial distances of labels with features: a weighted mean over category and features."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.base.signature import describe, quote_part, shortest
from gammacp.continuum.label import category_of, feature_names, features_of
from gammacp.dissimilarity.categorial import (
    Categorial,
    CountBased,
    Ordinal,
    all_numbers,
    categorial,
)
from gammacp.errors import DataError, UsageError

CATEGORY = "category"


@dataclass(frozen=True)
class Part:
    """The category or one feature, with its distance and its weight ≥ 0."""

    name: str
    kind: str | Categorial = "nominal"
    weight: float = 1.0

    def __post_init__(self) -> None:
        """Raise a UsageError for a wrong weight or name."""
        if self.name in ("position", "absence", "dissimilarity"):
            raise UsageError(f"feature {self.name!r} has the name of another part of γ: rename it")
        if not (math.isfinite(self.weight) and self.weight >= 0):
            raise UsageError(f"weight {self.weight!r} of {self.name} is not a number >= 0")

    @classmethod
    def parse(cls, name: str, text: str) -> Part:
        """Parse `TYPE[=…][@WEIGHT]`, TYPE as `Combined` takes `categorial`.

        Parameters
        ----------
        name, text
            Such as `severity` and `ordinal=Minor<Major<Critical@2`.

        Raises
        ------
        UsageError
            There is no such type, or the weight is no number.
        """
        kind, sign, weight = text.rpartition("@")
        try:
            if sign:
                number = float(weight)
            else:
                number = 1.0
        except ValueError:
            raise UsageError(f"{name}: weight {weight!r} after @ is not a number") from None
        return cls(name, categorial(kind if sign else text), number)

    @property
    def signature(self) -> str:
        """`severity:ordinal(Minor,Major)@2`; a weight of 1 is omitted."""
        if self.weight != 1:
            weight = f"@{shortest(self.weight)}"
        else:
            weight = ""
        return f"{quote_part(self.name)}:{describe(categorial(self.kind))}{weight}"

    def of(self, label: str | None) -> str | None:
        """Return the value of this feature, or the category, in a label."""
        if self.name == CATEGORY:
            return category_of(label)
        return features_of(label).get(self.name)

    def table(
        self, labels: tuple[str, ...], counts: Mapping[str, int], bend: Callable[[Floats], Floats]
    ) -> Floats:
        """Return the distances of labels in this part; the last row and column are "unlabelled".

        The distance between a value and a missing value is 1.

        Parameters
        ----------
        labels, counts, bend
            As for `Features.tables`.

        Raises
        ------
        DataError
            No label has the feature, or a value does not suit the distance.
        """
        values = [*map(self.of, labels), None]
        levels = tuple(dict.fromkeys(v for v in values if v is not None))
        kind = categorial(self.kind)
        if self.name != CATEGORY:
            levels = tuple(sorted(levels))
            self._check(kind, levels, labels)
        if isinstance(kind, CountBased):
            count: Counter[str] = Counter(dict.fromkeys(levels, 0))
            for label, units in counts.items():
                if (value := self.of(label)) is not None:
                    count[value] += units
            kind = kind.counting(count)
        table = np.ones((len(levels) + 1, len(levels) + 1))
        table[-1, -1] = 0.0
        try:
            table[:-1, :-1] = bend(kind.distances(levels))
        except DataError as error:
            message = error.message.replace(CATEGORY, self.name, 1)
            hint = error.hint and error.hint.removesuffix(", or rename it with `map=`")
            raise DataError(message, file=error.file, line=error.line, hint=hint) from None
        code: dict[str | None, int] = {level: k for k, level in enumerate(levels)}
        rows = [code.get(value, -1) for value in values]
        return np.asarray(table[np.ix_(rows, rows)])

    def _check(self, kind: Categorial, levels: tuple[str, ...], labels: tuple[str, ...]) -> None:
        if labels and not levels:
            feature_list = ", ".join(feature_names(labels)) or "none"
            raise DataError(
                f"no unit has the feature {self.name!r}",
                hint=f"Features that were read: {feature_list}. Leave it out, or correct its name",
            )
        if isinstance(kind, Ordinal) and kind.order is None and not all_numbers(levels):
            raise DataError(
                f"feature {self.name!r} is ordinal, but has no order",
                hint=f"Give it: {self.name}:ordinal={'<'.join(levels)}",
            )


@dataclass(frozen=True)
class Features:
    """Σ w·d / Σ w over the category and the features of labels.

    A feature that both labels lack costs 0; one that only one of them lacks costs 1. With a single
    part of positive weight, distances are those of the part alone, to the last bit.
    """

    parts: tuple[Part, ...]

    def __post_init__(self) -> None:
        """Raise a UsageError for a repeated part, or weights that sum to 0."""
        names = [part.name for part in self.parts]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"feature {name!r} is given twice")
        if not sum(part.weight for part in self.parts) > 0:
            whose = ", ".join(names) or "no features"
            raise UsageError(f"weights of {whose} sum to 0: give one a positive weight")

    @property
    def signature(self) -> str:
        """`features(category:tree(/),severity:ordinal(Minor,Major)@2)`."""
        return f"features({','.join(part.signature for part in self.parts)})"

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that are used: those of positive weight."""
        return tuple(p.name for p in self.parts if p.name != CATEGORY and p.weight)

    def distances(self, categories: tuple[str, ...]) -> Floats:
        """Return the distances of labels, shape (K, K); raise a DataError for an unknown feature.

        Parameters
        ----------
        categories
            Labels, in the order of their codes.
        """
        return np.asarray(sum(self.tables(categories, {}).values())[:-1, :-1])  # type: ignore[index]

    def tables(
        self,
        labels: tuple[str, ...],
        counts: Mapping[str, int],
        bend: Callable[[Floats], Floats] = np.asarray,
    ) -> dict[str, Floats]:
        """Return what each part adds to the distance, shape (K + 1, K + 1); last row: unlabelled.

        Parameters
        ----------
        labels
            Labels in the order of their codes.
        counts
            Units by label.
        bend
            Function that is applied to the distances of each part (f_cat).

        Raises
        ------
        DataError
            No label has one of the features, or a value does not suit its distance.
        """
        total_weight = sum(part.weight for part in self.parts)
        used = [part for part in self.parts if part.weight]
        return {p.name: p.table(labels, counts, bend) * (p.weight / total_weight) for p in used}


def as_features(kind: str | Categorial) -> Features:
    """Wrap a categorial distance as `Features` of the category alone; keep `Features` unchanged.

    Parameters
    ----------
    kind
        A kind as `Combined` takes it.
    """
    dissimilarity = categorial(kind)
    if isinstance(dissimilarity, Features):
        return dissimilarity
    return Features((Part(CATEGORY, dissimilarity),))


def with_features(kind: str | Categorial, features: Iterable[str]) -> Features:
    """Return `Features` of a categorial distance and further features.

    Parameters
    ----------
    kind
        Distance of the category: `TYPE[=…][@WEIGHT]`.
    features
        `NAME:TYPE[=…][@WEIGHT]` each.
    """
    parts = [Part.parse(CATEGORY, kind) if isinstance(kind, str) else Part(CATEGORY, kind)]
    for entry in features:
        name, _, text = entry.partition(":")
        if not (name and text) or name == CATEGORY:
            raise UsageError(f"feature {entry!r} is not NAME:TYPE, such as severity:nominal")
        parts.append(Part.parse(name, text))
    return Features(tuple(parts))
