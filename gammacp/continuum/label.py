"""Labels with features beside the category: severity, target, polarity, ….

A unit has one label: its category alone (plain text), or a `Label`. Code that encodes labels, draws
them at random or moves them with their unit treats a label as one value, so features need no
special care there. Only code that uses features takes labels apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import numpy as np

from gammacp.base.arrays import Codes


class Label(str):
    """A category with features, as text `Fluency/Grammar [severity=Minor]`.

    Labels are equal if their category and their features are. A label without features equals its
    category.

    >>> label = Label("Fluency", {"severity": "Minor", "target": None})
    >>> label, label.category, label.features["severity"]
    ('Fluency [severity=Minor]', 'Fluency', 'Minor')
    >>> Label("Fluency", {}) == "Fluency"
    True
    """

    __slots__ = ("category", "features")
    category: str | None
    features: Mapping[str, str]

    def __new__(cls, category: str | None, features: Mapping[str, str | None]) -> Label:
        """Make a label; features whose value is None or empty are left out."""
        marked = {name: value for name, value in sorted(features.items()) if value}
        shown = ", ".join(f"{_quote(name)}={_quote(value)}" for name, value in marked.items())
        label = super().__new__(
            cls, " ".join(filter(None, (category, f"[{shown}]" * bool(marked))))
        )
        label.category, label.features = category or None, MappingProxyType(marked)
        return label

    def __reduce__(self) -> tuple[type[Label], tuple[str | None, dict[str, str]]]:
        """Return the arguments that rebuild the label when it is unpickled, in worker processes."""
        return Label, (self.category, dict(self.features))


def to_label(category: str | None, features: Mapping[str, str | None]) -> str | None:
    """Return a label; without features, the category as plain text, or None.

    Parameters
    ----------
    category, features
        Category and features of the unit; None stands for a missing value.
    """
    if features and any(features.values()):
        return Label(category, features)
    return category


def category_of(label: str | None) -> str | None:
    """Return the category of a label; None for unlabelled.

    Parameters
    ----------
    label
        A `Label`, or plain text, which is its own category.
    """
    if isinstance(label, Label):
        return label.category
    return label


def features_of(label: str | None) -> Mapping[str, str]:
    """Return the features of a label by name; plain text has none.

    Parameters
    ----------
    label
        Label of a unit.
    """
    if isinstance(label, Label):
        return label.features
    return {}


def sort_key(label: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return a key that sorts labels by category first, then by features.

    Parameters
    ----------
    label
        Plain text sorts as itself.

    >>> sorted([Label("A", {"s": "m"}), "A B"], key=sort_key)
    ['A [s=m]', 'A B']
    """
    return category_of(label) or "", tuple(features_of(label).items())


def label_json(label: str | None) -> dict[str, object]:
    """Return the JSON of a label: `category`, and `features` if there are any.

    Parameters
    ----------
    label
        Label of a unit.
    """
    features = features_of(label)
    return {"category": category_of(label), **({"features": dict(features)} if features else {})}


def feature_names(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the features that occur, sorted.

    Parameters
    ----------
    labels
        Labels of a continuum or a corpus: its `categories`.
    """
    return tuple(sorted({name for label in labels for name in features_of(label)}))


def distinct(labels: Iterable[str | None]) -> tuple[tuple[str, ...], Codes]:
    """Return the distinct labels, and the code of each label among them.

    Parameters
    ----------
    labels
        Labels; None is "unlabelled".

    Returns
    -------
    different
        Distinct labels in the order in which they first occur.
    codes
        int32, shape (labels + 1,), −1 for none; the last is that of "unlabelled".
    """
    code: dict[str, int] = {}
    codes = [-1 if x is None else code.setdefault(x, len(code)) for x in labels]
    return tuple(code), np.array([*codes, -1], np.int32)


def plain(labels: Iterable[str]) -> tuple[tuple[str, ...], Codes]:
    """Return the categories of labels, and the code of each label's among them: as `distinct`.

    Parameters
    ----------
    labels
        Labels in the order of their codes.
    """
    return distinct(map(category_of, labels))


def _quote(text: str) -> str:
    return "".join(f"%{ord(c):02X}" if c in "%[],=" else c for c in text)
