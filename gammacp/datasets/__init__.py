"""Continua that ship with gammacp, by name.

ATTRIBUTION.md describes their contents, sources and licences; `attributions` reads it.
"""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from gammacp.base.arguments import one_of
from gammacp.base.csv_files import rows_of
from gammacp.base.subjects import advice
from gammacp.continuum import Continuum


def names() -> tuple[str, ...]:
    """Return the names that `load` takes."""
    return tuple(sorted(entry.name[:-4] for entry in _folder() if entry.name.endswith(".csv")))


def coded() -> dict[str, Path]:
    """Return the paths of the data sets that are segmentations, by name."""
    paths = (Path(str(entry)) for entry in _folder() if entry.name.endswith(".json"))
    return {path.stem: path for path in sorted(paths)}


def attributions() -> list[dict[str, str]]:
    """Return `name`, `content`, `source`, `licence` and reading command of each data set.

    >>> [a["content"] for a in attributions() if a["name"] == "dalton"]
    ['example: 4 annotators, 12 units, 3 categories']
    """
    text = files("gammacp.datasets").joinpath("ATTRIBUTION.md").read_text(encoding="utf-8")
    rows = [line.strip("| \n").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [
        {
            "name": file.rpartition(".")[0],
            "command": _segmented() if file.endswith(".json") else "gammacp gamma, …",
            **dict(zip(rows[0][1:], cells, strict=True)),
        }
        for file, *cells in rows[1:]
    ]


def _segmented() -> str:
    """Return the command that reads files of segmentations."""
    return advice("command for segmentations", otherwise="none here")


def load(name: str) -> Continuum:
    """Return the continuum called `name`; an unknown name is a UsageError that lists all names.

    >>> load("figure10").n_units
    6
    """
    rows = [row for _, row in rows_of(text_of(name))]
    return Continuum.from_columns(
        [row[0] for row in rows],
        [row[1] for row in rows],
        [float(row[2]) for row in rows],
        [float(row[3]) for row in rows],
        name=name,
    )


def text_of(name: str) -> str:
    """Return the text of a continuum's file; errors are those of `load`.

    Parameters
    ----------
    name
        Name as `load` takes it.
    """
    one_of("dataset", name, names())
    return files("gammacp.datasets").joinpath(f"{name}.csv").read_text(encoding="utf-8")


def _folder() -> list[Traversable]:
    return list(files("gammacp.datasets").iterdir())
