"""Files of grids (`--grid FILE`): where the words, frames or other places of documents are.

    document,start,end
    interview,0,4
    interview,5,9

`document` may be left out where all documents have the same places.
"""

from collections.abc import Mapping
from pathlib import Path

from gammacp.base.files import content_of
from gammacp.continuum.grid import Grid
from gammacp.errors import DataError
from gammacp.formats.positions import position
from gammacp.formats.records import table
from gammacp.formats.source import Source


def read_grids(path: Path) -> Mapping[str, Grid]:
    """Return grids by document; the key "" is for all documents.

    Parameters
    ----------
    path
        A CSV file.

    Raises
    ------
    DataError
        A column is missing, a cell is no number, or places overlap; with the line.
    """
    spans: dict[str, list[tuple[float, float]]] = {}
    for row in table(Source(path, "", "", content_of(path)), ("start", "end")):
        mine = spans.setdefault(row.get("document", ""), [])
        start, end = (row.position(side, "place of a grid:") for side in ("start", "end"))
        if start >= end or (mine and start < mine[-1][1]):
            fault = (
                f"place {row['start']}-{row['end']} is empty, or begins before the last one ends"
            )
            raise row.error(fault, "Write one place a line, in ascending order")
        mine.append((start, end))
    if not spans:
        raise DataError("the grid has no places", file=path, hint="Write start,end, then places")
    columns = {name: tuple(zip(*rows, strict=True)) for name, rows in spans.items()}
    return {name: Grid("places", 0.0, s, e) for name, (s, e) in columns.items()}


def grid_in(entry: str) -> float | str:
    """Parse `--grid`: the length of a place, or the path of a file.

    Parameters
    ----------
    entry
        Entry as it was written.
    """
    try:
        return position(entry)
    except ValueError:
        return entry
