"""Codings from segeval's JSON."""

import json
import re
from collections.abc import Mapping

from gammacp.errors import DataError
from gammacp.formats.source import parsed_json
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.measures.value import ONE_TYPE, Segmentation

_HINT = "A segmentation is [masses], a boundary string or {mass, boundaries}"


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
    if "items" in root:
        declared = root.get("boundary_types")
    else:
        declared = None
    kind = root.get("segmentation_type", "linear")
    if kind != "linear":
        raise DataError(f"segmentation type {kind!r} is not 'linear'")
    if declared is None:
        types = None
    else:
        types = _type_names(declared)
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
    codings = Codings.of(items, types=types)
    if "items" not in root:
        return codings
    anonymous = root.get("anonymous_coders", False)
    if not isinstance(anonymous, bool):
        raise DataError('"anonymous_coders" is neither true nor false')
    return codings.with_groups(groups_of(root.get("groups", [])), anonymous=anonymous)


def groups_of(value: object) -> tuple[tuple[str, ...], ...]:
    """Return the groups of items as JSON has them; a DataError for anything else."""
    match value:
        case list() if all(
            isinstance(g, list) and all(isinstance(i, str) for i in g) for g in value
        ):
            return tuple(map(tuple, value))
    raise DataError("groups are not [[item, …], …]", hint="Items are named as in the codings")


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
    raise DataError(f"{json.dumps(value)[:40]} is not a segmentation", hint=_HINT)


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
        match = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:").search(
            text, at
        )
        if match is None:
            return None
        at = match.end()
    return text.count("\n", 0, at) + 1
