"""Codings to files: segeval's JSON, and TSV."""

import json
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path

from gammacp.arguments import one_of
from gammacp.csv_files import line_of
from gammacp.errors import DataError, UsageError
from gammacp.files import write_text
from gammacp.measures.segmentations.value import Segmentation
from gammacp.segmentation.codings import Codings


def _labels(s: Segmentation) -> list[int]:
    return [i for i, mass in enumerate(s.masses, start=1) for _ in range(mass)]


_ROWS: Mapping[str, tuple[tuple[str, ...], Callable[[Segmentation], list[int]]]] = {
    "masses": (("Masses",), lambda s: list(s.masses)),
    "positions": (("Positions",), _labels),
    "boundaries": (("Mass", "Boundaries"), lambda s: [s.mass, *s.places.tolist()]),
}


def write_codings(codings: Codings, path: str | PathLike[str], *, layout: str = "masses") -> None:
    """Write JSON (segeval's) or TSV, by the ending of `path`; `read_codings` reads it back.

    Parameters
    ----------
    codings
        What is written.
    path
        Its ending says the format.
    layout
        Of a TSV row: `masses`, `positions` (the segment label of each base unit) or `boundaries`.

    Raises
    ------
    UsageError
        The ending is neither .json nor .tsv, or the layout is unknown.
    DataError
        Several boundary types or declared groups for a TSV, which has no place for them.
    """
    ending = Path(path).suffix.lower()
    if ending == ".json":
        text = to_json(codings)
    elif ending == ".tsv":
        text = to_table(codings, layout=layout)
    else:
        raise UsageError(f"{path}: segmentations are written as .json or .tsv")
    write_text(path, text)


def to_json(codings: Codings) -> str:
    """Codings and groups as JSON; masses, or boundaries by type where there are several types.

    Parameters
    ----------
    codings
        Of one type or several.
    """
    typed = len(codings.types) > 1
    items = {
        item: {coder: _as_json(s) if typed else list(s.masses) for coder, s in coders.items()}
        for item, coders in codings.items()
    }
    root: dict[str, object] = {"segmentation_type": "linear"}
    if typed:
        root["boundary_types"] = list(codings.types)
    if codings.anonymous:
        root["anonymous_coders"] = True
    if codings.declared:
        root["groups"] = [list(group) for group in codings.declared]
    return json.dumps({**root, "items": items}, ensure_ascii=False, indent=1) + "\n"


def to_table(codings: Codings, *, layout: str = "masses") -> str:
    """Codings as TSV with the columns Item, Coder and those of the layout.

    Parameters
    ----------
    codings
        Of one boundary type.
    layout
        As for `write_codings`.

    Raises
    ------
    UsageError
        The layout is unknown.
    DataError
        Several boundary types or declared groups, which a table has no place for.
    """
    one_of("layout", layout, _ROWS)
    if len(codings.types) > 1:
        raise DataError(
            f"boundary types {', '.join(codings.types)} do not fit into a table", hint="Write JSON"
        )
    if codings.declared or codings.anonymous:
        raise DataError("groups of coders do not fit into a table", hint="Write JSON")
    header, cells = _ROWS[layout]
    rows: list[tuple[object, ...]] = [("Item", "Coder", *header)]
    for item, coders in codings.items():
        rows += [(item, coder, *cells(s)) for coder, s in coders.items()]
    return "".join(line_of([str(cell) for cell in row], "\t") for row in rows)


def _as_json(s: Segmentation) -> dict[str, object]:
    return {"mass": s.mass, "boundaries": {name: s.of_type(name).tolist() for name in s.types}}
