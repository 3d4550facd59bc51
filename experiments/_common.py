"""Helpers of experiments: small continua by hand, tidy CSV."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gammacp.base.csv_files import write_rows
from gammacp.continuum import Continuum, Unit
from gammacp.measures.settings import PRESETS
from shuffling import CategoryModel, ReferenceModel, Uniform

Span = tuple[float, float, str | None]

# Experiments on the paper of 2015 model chance as it does.
MATHET_2015: Mapping[str, Any] = PRESETS["mathet-2015"]


def continuum(length: float | None = None, **annotators: Sequence[Span]) -> Continuum:
    """Return a continuum from (start, end, category) per annotator; bounds 0:length if given."""
    units = [Unit(name, *span) for name, spans in annotators.items() for span in spans]
    bounds = None if length is None else (0.0, length)
    return Continuum.from_units(units, annotators=list(annotators), bounds=bounds)


def model_of(shares: Sequence[float], low: int = 50, high: int = 150) -> ReferenceModel:
    """Return the default reference model with other shares of categories and other lengths."""
    categories = (
        CategoryModel(name=f"c{i}", prevalence=p, lengths=Uniform(low, high))
        for i, p in enumerate(shares)
    )
    return replace(ReferenceModel(), categories=tuple(categories))


def write_csv(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Write rows as a CSV file, columns in the order of the first row.

    NaN, None and missing values are empty cells. Numbers have 12 digits, because further digits
    differ between machines.
    """
    table = list(rows)
    cells = ([_twelve(row.get(k)) for k in table[0]] for row in table)
    write_rows(path, [list(table[0]), *cells])


def _twelve(cell: object) -> object:
    if not isinstance(cell, float) or not math.isfinite(cell):
        return cell
    return float(f"{cell:.12g}") if abs(cell) > 1e-13 else 0.0


def in_sets(values: Iterable[float]) -> str:
    """Join the values of annotation sets into a cell, on which the ledger tests a curve."""
    return " ".join(f"{v:.7g}" for v in values)
