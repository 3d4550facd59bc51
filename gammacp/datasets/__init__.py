"""Continua that ship with gammacp, by name.

`3by100`, `2by1000`, `alex-paul-suzan`, `dalton`, `figure10`; ATTRIBUTION.md says where they come
from and under which licence.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib.resources import files
from importlib.resources.abc import Traversable

from gammacp.continuum import Continuum
from gammacp.csv_files import rows_of
from gammacp.errors import UsageError


def names() -> tuple[str, ...]:
    """What `load` knows."""
    return tuple(sorted(entry.name[:-4] for entry in _folder() if entry.name.endswith(".csv")))


def load(name: str) -> Continuum:
    """The continuum of that name; UsageError that lists what there is.

    >>> load("figure10").n_units
    6
    """
    if name not in names():
        near = get_close_matches(name, names(), n=1)
        guess = f"did you mean {near[0]!r}? " if near else ""
        raise UsageError(f"dataset {name!r} is unknown; {guess}there are: {', '.join(names())}")
    text = files("gammacp.datasets").joinpath(f"{name}.csv").read_text(encoding="utf-8")
    rows = list(rows_of(text.splitlines()))
    return Continuum.from_columns(
        [row[0] for row in rows],
        [row[1] for row in rows],
        [float(row[2]) for row in rows],
        [float(row[3]) for row in rows],
        name=name,
    )


def _folder() -> list[Traversable]:
    return list(files("gammacp.datasets").iterdir())
