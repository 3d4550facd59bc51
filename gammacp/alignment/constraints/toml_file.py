"""Constraints in a TOML file: the form for constraints that name units.

[[constraint]]
kind = "must-link"
units = [
    {annotator = "Ann", start = 0, end = 4, category = "noun"},
    {annotator = "Bob", start = 1, end = 4},          # the category only where it is needed
]
[[constraint]]
kind = "at-most"
units = 3
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gammacp.alignment.constraints.base import CONSTRAINTS, Constraint, constraint
from gammacp.base.toml_files import line_of, read_toml
from gammacp.errors import DataError, GammacpError


def read_constraints(path: str | Path) -> tuple[Constraint, ...]:
    """Return the constraints that a TOML file lists (see the module for the format).

    Parameters
    ----------
    path
        Path of the file.

    Raises
    ------
    DataError
        The file cannot be read, or a constraint is wrong; the message has the constraint's number.
    """
    document, text = read_toml(path)
    tables = document.get("constraint")
    others = [key for key in document if key != "constraint"]
    if others:
        raise DataError(
            f"unknown key {others[0]!r}",
            file=path,
            line=line_of(text, others[0]),
            hint='There are [[constraint]] tables, each with kind = "…"',
        )
    if not isinstance(tables, list) or not tables:
        raise DataError("it has no [[constraint]]", file=path, hint='Write kind = "…" below it')
    return tuple(_constraint(table, number, path) for number, table in enumerate(tables, 1))


def _constraint(table: Any, number: int, path: str | Path) -> Constraint:
    """Return the constraint that a table describes."""
    where = f"[[constraint]] number {number}"
    if not isinstance(table, dict) or not isinstance(table.get("kind"), str):
        raise DataError(f'{where} needs kind = "…"', file=path)
    others = {key: value for key, value in table.items() if key != "kind"}
    try:
        return CONSTRAINTS[table["kind"]].from_table(others)
    except GammacpError as error:
        raise DataError(f"{where}: {error}", file=path) from None


def constraints_of(texts: list[str]) -> tuple[Constraint, ...]:
    """Return the constraints given as `KIND`, `KIND=VALUE` or `FILE.toml` on the command line.

    Parameters
    ----------
    texts
        Constraints as `--constraint` takes them.
    """
    constraints: list[Constraint] = []
    for text in texts:
        if text.lower().endswith(".toml"):
            constraints += read_constraints(text)
        else:
            constraints.append(constraint(text))
    return tuple(constraints)
