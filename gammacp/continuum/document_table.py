"""The documents of a large corpus as columns: a continuum is made of them when it is asked for.

A million documents of fifteen units are 24 bytes a unit here, and several gigabytes as objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gammacp.arrays import Codes, Floats, Indices
from gammacp.continuum.columns import all_names, recode
from gammacp.continuum.continuum import Continuum
from gammacp.continuum.fragments import Breaks


@dataclass(frozen=True, eq=False)
class DocumentTable(Mapping[str, Continuum]):
    """Continua by name, kept as the columns of all their units; each is made when it is looked up.

    Attributes
    ----------
    names, annotators, categories
        Of the documents in their order, and those that codes count.
    document_codes, annotator_codes, category_codes
        int32, a row for each unit, in any order. A row of a document alone has annotator −1;
        category −1 is unlabelled.
    starts, ends
        Positions, known to be sound; NaN where a row declares an annotator without units.
    breaks
        Boundaries inside units, or None.
    bounds
        Of documents for which they are declared.
    offset_unit
        What positions count.
    """

    names: Sequence[str]
    annotators: Sequence[str]
    categories: tuple[str, ...]
    document_codes: Codes
    annotator_codes: Codes
    category_codes: Codes
    starts: Floats
    ends: Floats
    breaks: Breaks | None = None
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    offset_unit: str = ""

    def __post_init__(self) -> None:
        """Put rows in the order of documents, and count annotators and categories by name."""
        for kind, plural in (("annotator", "annotators"), ("category", "categories")):
            old = getattr(self, plural)
            new = all_names(None, old, kind)
            object.__setattr__(self, plural, new)
            codes = getattr(self, f"{kind}_codes")
            object.__setattr__(self, f"{kind}_codes", recode(old, new)[codes])
        if (np.diff(self.document_codes) < 0).any():
            order = np.argsort(self.document_codes, kind="stable")
            for name in ("document", "annotator", "category"):
                column = getattr(self, f"{name}_codes")
                object.__setattr__(self, f"{name}_codes", column[order])
            for name in ("starts", "ends", "breaks"):
                if getattr(self, name) is not None:
                    object.__setattr__(self, name, getattr(self, name)[order])

    @cached_property
    def _edges(self) -> Indices:
        """Where the rows of each document begin."""
        return np.searchsorted(self.document_codes, np.arange(len(self.names) + 1))

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def __getitem__(self, name: str) -> Continuum:
        """The continuum of that name, made anew."""
        place = self._places[name]
        rows = slice(self._edges[place], self._edges[place + 1])
        people, who = np.unique(self.annotator_codes[rows], return_inverse=True)
        nobody = int(len(people) > 0 and people[0] < 0)
        units = ~np.isnan(self.starts[rows])
        return Continuum.from_codes(
            tuple(self.annotators[k] for k in people[nobody:]),
            self.categories,
            self.starts[rows][units],
            self.ends[rows][units],
            np.asarray(who[units] - nobody, np.int32),
            self.category_codes[rows][units],
            breaks=None if self.breaks is None else self.breaks[rows][units],
            bounds=self.bounds.get(name),
            name=name,
            offset_unit=self.offset_unit,
        )

    def __iter__(self) -> Iterator[str]:
        """Names, in order."""
        return iter(self.names)

    def __len__(self) -> int:
        """Number of documents."""
        return len(self.names)
