"""A dissimilarity as a TOML file: positions, category and features, with weights, orders and trees.

    alpha = 1                  # and beta, delta, positional, f_cat, as on the command line
    [category]
    type = "tree"              # as --categorial has it; tree = {A = ["x", "y"]} names it here
    [features.severity]
    order = ["Minor", "Major", "Critical"]
    weight = 0.5

What a part may have beside type and weight depends on its type: `order` (ordinal), `separator`
(sets and trees), `tree` or `file` (trees), `labels` with `distances`, or `file` (matrix). Files are
relative to the TOML file, in its folder or below.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gammacp.dissimilarity.categorial import (
    CATEGORIAL,
    Categorial,
    Matrix,
    Ordinal,
    categorial,
    checked_order,
)
from gammacp.dissimilarity.combined import Combined
from gammacp.dissimilarity.features import CATEGORY, Features, Part
from gammacp.dissimilarity.positional import POSITIONAL
from gammacp.errors import DataError, GammacpError, UsageError
from gammacp.files import confined
from gammacp.toml_files import line_of, read_toml

_TREES = frozenset({"separator", "tree", "file"})
_OWN: Mapping[str, frozenset[str]] = {
    "ordinal": frozenset({"order"}),
    "jaccard": frozenset({"separator"}),
    "masi": frozenset({"separator"}),
    "tree": _TREES,
    "tree-information": _TREES,
    "matrix": frozenset({"labels", "distances", "file"}),
}
_TOP = {
    "alpha": (int, float), "beta": (int, float), "delta": (int, float),
    "positional": str, "f_cat": str, "category": dict, "features": dict,
}  # fmt: skip
_PART = {
    "type": str, "weight": (int, float), "order": list, "separator": str,
    "tree": dict, "file": str, "labels": list, "distances": list,
}  # fmt: skip


def read_dissimilarity(path: str | Path) -> Combined:
    """The dissimilarity that a TOML file says (see the module).

    Parameters
    ----------
    path
        Of the file.

    Raises
    ------
    DataError
        It cannot be read, or says what cannot be meant; with the line.
    """
    said, text = read_toml(path)

    def error(problem: str, *keys: str, hint: str | None = None) -> DataError:
        return DataError(problem, file=path, line=line_of(text, *keys), hint=hint)

    def checked(table: Mapping[str, Any], known: Mapping[str, Any], *keys: str) -> None:
        for key, value in table.items():
            if key not in known:
                raise error(
                    f"{key!r} is no key here", *keys, key, hint=f"There are: {', '.join(known)}"
                )
            if not isinstance(value, known[key]) or isinstance(value, bool):
                raise error(f"{key} = {value!r} is not of the kind that is needed", *keys, key)

    checked(said, _TOP)
    tables: dict[tuple[str, ...], Any] = {(CATEGORY,): said.get(CATEGORY, {})}
    for name, table in said.get("features", {}).items():
        tables["features", name] = table
    parts = []
    for keys, table in tables.items():
        if not isinstance(table, dict):
            raise error(f"{'.'.join(keys)} is not a table", *keys, hint=f"Write [{'.'.join(keys)}]")
        checked(table, _PART, *keys)
        folder = Path(path).parent
        try:
            with confined(folder):
                parts.append(Part(keys[-1], _kind(table, folder), table.get("weight", 1)))
        except GammacpError as problem:
            own = problem if isinstance(problem, DataError) else DataError(str(problem))
            message = own.message if own.file is None else f"file {own.file}: {own.message}"
            culprit = [key for key in table if message.startswith(f"{key} ")]
            raise error(message, *keys, *culprit[:1], hint=own.hint) from None
    options = {key: said[key] for key in said if key not in (CATEGORY, "features")}
    try:
        POSITIONAL[options.get("positional", "sporadic")]
        plain = len(parts) == 1 and parts[0].weight > 0
        return Combined(categorial=parts[0].kind if plain else Features(tuple(parts)), **options)
    except UsageError as problem:
        raise error(str(problem)) from None


def _kind(said: Mapping[str, Any], folder: Path) -> Categorial:
    guess = {"order": "ordinal", "tree": "tree", "distances": "matrix"}
    kind = said.get("type", next((t for key, t in guess.items() if key in said), "nominal"))
    for key in said.keys() - {"type", "weight"} - _OWN.get(kind, frozenset()):
        raise UsageError(f"{key} does not go with type {kind!r}")
    if kind == "matrix":
        if "file" in said:
            return Matrix.read(folder / said["file"])
        if not {"labels", "distances"} <= said.keys():
            raise UsageError("matrix has neither a file nor labels and distances")
        return Matrix(tuple(map(str, said["labels"])), _numbers(said["distances"]))
    if not said.get("separator", "+").strip():
        raise UsageError("separator is empty")
    made: Any = CATEGORIAL[kind] if kind in _OWN else categorial(kind)
    if isinstance(made, Ordinal):
        return Ordinal(checked_order(map(str, said["order"]))) if "order" in said else made
    if "file" in said:
        made = made.given(str(folder / said["file"]))
    if "separator" in said:
        made = replace(made, separator=said["separator"])
    if "tree" in said:
        made = replace(made, parents=tuple(_edges(said["tree"], "")))
    return made  # type: ignore[no-any-return]


def _edges(tree: Any, parent: str) -> Iterator[tuple[str, str]]:
    """Each label of nested tables and lists with the one above it."""
    for label in tree:
        if not isinstance(label, str):
            raise UsageError(f"tree has {label!r} below {parent!r}, where a label is needed")
        yield label, parent
        if isinstance(tree, dict):
            yield from _edges(tree[label], label)


def _numbers(rows: list[Any]) -> Any:
    import numpy as np

    try:
        return np.array(rows, np.float64)
    except (TypeError, ValueError):
        raise UsageError("distances are not rows of numbers of one length") from None
