"""Corpora: several continua of one campaign."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, Sequence, ValuesView
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gammacp.base.left_out import LeftOut, Tally, gather
from gammacp.base.text import counted
from gammacp.continuum.columns import all_names
from gammacp.continuum.continuum import Continuum
from gammacp.continuum.document_table import DocumentTable
from gammacp.continuum.label import feature_names
from gammacp.continuum.renaming import adopt_categories
from gammacp.continuum.sequence import ContinuumSequence


@dataclass(frozen=True)
class Corpus(Mapping[str, Continuum]):
    """Several continua of one campaign, by name; they share their categories.

    Build it with `from_continua`, which gives every continuum the union of the categories.
    `left_out` is metadata: what the readers of its files passed over.
    """

    continua: Mapping[str, Continuum]
    categories: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = field(default=(), compare=False)

    @classmethod
    def from_continua(
        cls,
        continua: Mapping[str, Continuum],
        *,
        categories: Sequence[str] | None = None,
        left_out: tuple[LeftOut, ...] | None = None,
    ) -> Corpus:
        """Return a corpus of these continua.

        `categories` are kept in the given order, on which ordinal distances depend. By default, the
        order is that of the continua if all have the same categories; otherwise they are sorted.
        `left_out` is gathered from the continua by default.
        """
        if categories is None:
            wanted = None
        else:
            wanted = tuple(categories)
        if isinstance(continua, DocumentTable) and wanted in (None, continua.categories):
            return cls(continua, continua.categories, left_out or ())
        used = [c.categories for c in continua.values()]
        if categories is None and len(set(used)) == 1:
            categories = used[0]
        names = all_names(categories, (c for order in used for c in order), "category")
        coded = {key: adopt_categories(c, names, name=key) for key, c in continua.items()}
        if left_out is None:
            left_out = gather(c.left_out for c in continua.values())
        return cls(coded, names, left_out)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        document: str | None = None,
        features: Sequence[str] = (),
        columns: Mapping[str, str] | None = None,
    ) -> Corpus:
        """Build a corpus from a data frame with one row per unit.

        Any frame whose columns are sequences will do (pandas, polars, a dict of lists); pyarrow is
        not needed. Columns have the names that they may have in CSV and Parquet: document,
        annotator (or coder, rater, …), category (label, tag, …), start (begin, onset, …), end,
        duration in the place of the end, fragments, y0 and y1 (z0, z1) or shape, bounds_start and
        bounds_end. A row with an annotator and no positions declares that the annotator found
        nothing; one with a document alone declares the document. Columns that are not read are in
        `left_out`.

        Parameters
        ----------
        frame
            One row per unit.
        document
            The column that names the documents, where its name is not a known one.
        features
            Further columns that are features beside the category.
        columns
            The column of each role, where its name is not a known one: `{"start": "from"}`.

        Raises
        ------
        DataError
            A column is missing, or several could have one role; a value is missing, is no name or
            no number, or an end lies before its start. The message names row and column.
        UsageError
            A role is unknown, or `document` and `columns` both say which column it is.
        """
        # Imported here, as reading files does not need it.
        from gammacp.continuum.frame import documents_of_frame

        table, unused = documents_of_frame(frame, document, features, columns)
        tally = Tally("data frame")
        for name in unused:
            tally.add("column", f"{name} is not used")
        return cls(table, table.categories, tally.entries())

    def __getstate__(self) -> dict[str, Any]:
        """Leave out `sequence`, which other processes make anew."""
        return {name: value for name, value in vars(self).items() if name != "sequence"}

    def __repr__(self) -> str:
        """Return the size of the corpus in one line."""
        units = int(self.sequence.n_units.sum())
        if len(self) == 1:
            continua = "1 continuum"
        else:
            continua = f"{len(self)} continua"
        return (
            f"Corpus({continua}, {counted(len(self.annotators), 'annotator')}, "
            f"{counted(units, 'unit')}, {counted(len(self.categories), 'category')})"
        )

    def _repr_html_(self) -> str:
        from gammacp.base.display import as_html

        return as_html("corpus", self)

    def __getitem__(self, name: str) -> Continuum:
        """Return the continuum of that name."""
        return self.continua[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, in order."""
        return iter(self.continua)

    def __len__(self) -> int:
        """Return the number of continua."""
        return len(self.continua)

    def values(self) -> ValuesView[Continuum]:
        """Return the continua, in order."""
        return self.continua.values()

    @cached_property
    def sequence(self) -> ContinuumSequence:
        """The continua in order, with arrays of their quantities that are made only once."""
        return ContinuumSequence.of(self.values())

    def items(self) -> ItemsView[str, Continuum]:
        """Return the names with their continua, in order."""
        return self.continua.items()

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that units have beside their category."""
        return feature_names(self.categories)

    @property
    def annotators(self) -> tuple[str, ...]:
        """Names of all annotators of at least one continuum, sorted."""
        return tuple(sorted(self.sequence.people[0]))
