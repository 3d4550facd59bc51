"""Codings from files: segeval's JSON, TSV of masses, labels or boundaries, and any continuum.

JSON
    `{"items": {ITEM: {CODER: SEGMENTATION}}}` as segeval writes it, or the inner object alone. A
    segmentation is a list of masses, a boundary string ("0100": one character per potential
    boundary), or `{"mass": N, "boundaries": {TYPE: [POSITION, …]}}` for several boundary types. A
    key "boundary_types" beside "items" declares them all, "groups": [[ITEM, …], …] which items one
    group of coders worked on, and "anonymous_coders": true that equal names in different groups
    are different people.
TSV or CSV
    One coding per row under a header, which says what the row holds:
    `Coder  Masses …` segment masses; `Coder  Positions …` the segment label of each base unit
    (segeval's positions); `Coder  Mass  Boundaries …` the mass and where the boundaries are. A
    column `Item` in front names the item; without it that is the file's name. Lines that begin
    with "#" are comments. A wide table has a base unit per row and a column per coder: under
    `Unit CODER …` the label of the segment that the unit is in, under `After CODER …` 1 where a
    boundary stands after the unit, and 0 or nothing elsewhere.
Other files
    Every format of `gammacp formats`; each continuum is an item and must be covered without gaps.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

from gammacp.arguments import one_of
from gammacp.errors import DataError, UsageError
from gammacp.files import content_of
from gammacp.formats.source import Source, parsed_json
from gammacp.left_out import gathered
from gammacp.measures.segmentations.tiling import from_continuum
from gammacp.measures.segmentations.value import ONE_TYPE, Segmentation
from gammacp.segmentation.codings import Codings, merged
from gammacp.segmentation.table_reading import is_unit_table

DATASETS = ("hearst1997", "moonstone")

_HINT = "A segmentation is [masses], a boundary string or {mass, boundaries}"


def read_codings(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    format: str | None = None,
    unit: float | None = None,
    typed: bool = False,
    **options: object,
) -> Codings:
    """The codings of files, folders and globs; codings of one item in several files are joined.

    Parameters
    ----------
    paths
        JSON, TSV or CSV, or whatever holds a continuum that is covered without gaps.
    format, options
        The format of files that hold continua, and what it takes (`layer`, `tier`), as for
        `gammacp.read`; by default each file's is recognised.
    unit
        Of files that hold continua: length of a base unit in their positions, which may be real
        then; boundaries are rounded to it, and what rounding closes is no gap.
    typed
        Of files that hold continua: whether boundaries are of the category of the segment that
        ends there.

    Raises
    ------
    DataError
        A file cannot be read or understood (file, and line where it has one), one coder has two
        segmentations of an item, or masses differ between the coders of an item.
    UsageError
        `unit`, `typed` or an option of continua is given for a file of codings.
    """
    from gammacp.formats.finding import find
    from gammacp.formats.registry import FORMATS

    listed = [paths] if isinstance(paths, str | PathLike) else list(paths)
    finding = find(listed, None if format is None else FORMATS[format])
    tiling: dict[str, Any] = {"unit": unit, "typed": typed}
    parts, units = [], {}
    for source, entry in finding.found:
        # Any text with commas passes for CSV; what begins as an object is JSON first.
        is_json = entry.name == "csv" and not format and _is_object(source.content)
        codings = FORMATS["segeval"].codings if is_json else entry.codings
        if entry.name == "csv" and not (format or codings or is_unit_table(source.text())):
            codings = FORMATS["segmentation-table"].codings
        if codings is None:
            units[source.path] = source
            continue
        if any(value not in (None, False) for value in (*tiling.values(), *options.values())):
            what = "unit, typed, layer and tier are for other formats"
            raise UsageError(f"{source.place} is a segmentation: {what}")
        parts.append(codings(source))
    parts += [_from_continua(path, format, tiling, options) for path in units]
    for path, error in finding.failures:
        parts.append(_unrecognised(path, error))
    if not parts:
        raise DataError("no file", file=", ".join(map(str, listed)))
    passed = [e for e in finding.left_out if Path(e.file) not in units]
    found = merged(parts)
    return replace(found, left_out=gathered((passed, found.left_out)))


def load_codings(name: str) -> Codings:
    """The codings of a dataset that ships: `moonstone` or `hearst1997`.

    Parameters
    ----------
    name
        Of the dataset.

    Raises
    ------
    UsageError
        There is none of that name.

    >>> load_codings("hearst1997")["stargazer"]["1"].masses
    (2, 3, 3, 1, 3, 6, 3)
    """
    one_of("dataset", name, DATASETS)
    text = files("gammacp.datasets").joinpath(f"{name}.json").read_text(encoding="utf-8")
    return codings_from_json(text)


def codings_from_json(text: str) -> Codings:
    """Codings of a JSON text.

    Parameters
    ----------
    text
        `{"items": {ITEM: {CODER: SEGMENTATION}}}`, or the inner object alone.

    Raises
    ------
    DataError
        It is not such a text; with the line where it is known.
    """
    root = parsed_json(text)
    if not isinstance(root, dict):
        raise DataError("JSON is not {item: {coder: [masses]}}", hint=_HINT)
    declared = root.get("boundary_types") if "items" in root else None
    kind = root.get("segmentation_type", "linear")
    if kind != "linear":
        raise DataError(f"segmentation type {kind!r} is not 'linear'")
    types = None if declared is None else _type_names(declared)
    items: dict[str, dict[str, Segmentation]] = {}
    entries = root.get("items", root)
    for item, coders in _object(entries, "items").items():
        items[item] = {}
        for coder, value in _object(coders, f"item {item!r}").items():
            try:
                items[item][coder] = _segmentation(value, types)
            except DataError as error:
                where = error.within(f"item {item!r}, coder {coder!r}")
                raise where.at(None, _line_of(text, item, coder)) from None
    if not items:
        raise DataError("there is no item", hint="JSON is {item: {coder: [masses]}}")
    found = Codings.of(items, types=types)
    if "items" not in root:
        return found
    anonymous = root.get("anonymous_coders", False)
    if not isinstance(anonymous, bool):
        raise DataError('"anonymous_coders" is neither true nor false')
    return found.grouped(_groups(root.get("groups", [])), anonymous=anonymous)


def read_groups(path: str | PathLike[str]) -> tuple[tuple[str, ...], ...]:
    """The groups of items that a JSON file declares: `[[ITEM, …], …]`, or "groups" of an object.

    Parameters
    ----------
    path
        Of the JSON file.

    Raises
    ------
    DataError
        The file cannot be read, or holds something else.
    """
    file = Path(path)
    try:
        root = Source(file, file.stem, "", content_of(file)).json()
        return _groups(root.get("groups") if isinstance(root, dict) else root)
    except DataError as error:
        raise error.at(file) from None


def _groups(value: object) -> tuple[tuple[str, ...], ...]:
    match value:
        case list() if all(
            isinstance(g, list) and all(isinstance(i, str) for i in g) for g in value
        ):
            return tuple(map(tuple, value))
    raise DataError("groups are not [[item, …], …]", hint="Items are named as in the codings")


def _is_object(content: bytes) -> bool:
    return content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def _unrecognised(path: Path, error: DataError) -> Codings:
    """What looks like JSON is read as codings, whose error tells more."""
    from gammacp.formats.registry import FORMATS

    content = content_of(path) if path.is_file() else b""
    if read := content and FORMATS["segeval"].codings:
        if path.suffix.lower() == ".json" or _is_object(content):
            codings: Codings = read(Source(path, path.stem, "", content))
            return codings
        hint = "Segmentations are JSON {item: {coder: [masses]}} or TSV with Coder, Masses"
        raise DataError("file is of no known format", file=path, hint=hint)
    raise error


def _from_continua(
    path: Path, format: str | None, tiling: Mapping[str, Any], options: Mapping[str, object]
) -> Codings:
    from gammacp.formats.reading import by_document, collect

    found = collect([path], format=format, **options)
    for _, error in found.failures:
        raise error
    items = {}
    for name, continuum in by_document(found.continua).items():
        try:
            items[name] = from_continuum(continuum, **tiling)
        except DataError as error:
            raise error.within(name).at(path) from None
    return replace(Codings.of(items), left_out=found.left_out)


def _segmentation(value: object, types: tuple[str, ...] | None) -> Segmentation:
    match value:
        case str():
            return Segmentation.from_string(value)
        case list():
            return Segmentation.from_masses(value)
        case {"mass": int(mass), "boundaries": list(positions)}:
            return Segmentation.from_positions(positions, mass=mass)
        case {"mass": int(mass), "boundaries": dict(by_type)}:
            for name, positions in by_type.items():
                if not isinstance(positions, list):
                    raise DataError(f"boundaries of type {name!r} are not a list")
            return Segmentation.from_typed(by_type, mass=mass, types=types)
    raise DataError(f"{json.dumps(value)[:40]} is no segmentation", hint=_HINT)


def _type_names(declared: object) -> tuple[str, ...]:
    if not isinstance(declared, list) or not all(isinstance(name, str) for name in declared):
        raise DataError('"boundary_types" is not a list of names')
    return tuple(declared) or ONE_TYPE


def _object(value: object, what: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise DataError(f"{what} is not a JSON object", hint="JSON is {item: {coder: [masses]}}")
    return value


def _line_of(text: str, item: str, coder: str) -> int | None:
    """Line of a coding in a JSON text, found by its keys."""
    at = 0
    for key in (item, coder):
        found = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:").search(
            text, at
        )
        if found is None:
            return None
        at = found.end()
    return text.count("\n", 0, at) + 1
