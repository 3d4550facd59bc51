"""A dissimilarity as a TOML file: positions, category and features, with weights, orders and trees.

    alpha = 1                  # and beta, delta, positional, f_cat, as on the command line
    scale = 12                 # with positional = "boundary": what points may be apart
    [category]
    type = "tree"              # as --categorial has it; tree = {A = ["x", "y"]} names it here
    [features.severity]
    order = ["Minor", "Major", "Critical"]
    weight = 0.5

Further keys of a part depend on its type: `order` (ordinal), `separator`
(sets and trees), `tree` or `file` (trees), `labels` with `distances`, or `file` (matrix). Files are
relative to the TOML file, in its folder or below.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from gammacp.base.files import confine
from gammacp.base.toml_files import line_of, read_toml
from gammacp.base.validation import WrittenTable, validated
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

_TREES = frozenset({"separator", "tree", "file"})
_OWN: Mapping[str, frozenset[str]] = {
    "ordinal": frozenset({"order"}),
    "jaccard": frozenset({"separator"}),
    "masi": frozenset({"separator"}),
    "tree": _TREES,
    "tree-information": _TREES,
    "matrix": frozenset({"labels", "distances", "file"}),
}


class _WrittenPart(WrittenTable):
    type: str = ""
    weight: float = 1
    order: list[Any] = Field(default=[])
    separator: str = ""
    tree: dict[str, Any] = Field(default={})
    file: str = ""
    labels: list[Any] = Field(default=[])
    distances: list[list[float]] = Field(default=[])


class _File(WrittenTable):
    alpha: float = 1
    beta: float = 1
    delta: float = 1
    positional: str = ""
    scale: float = 0
    f_cat: str = ""
    category: _WrittenPart = _WrittenPart()
    features: dict[str, _WrittenPart] = Field(default={})


def read_dissimilarity(path: str | Path) -> Combined:
    """Return the dissimilarity that a TOML file describes (see the module).

    Parameters
    ----------
    path
        Path of the file.

    Raises
    ------
    DataError
        It cannot be read, or a value is wrong; with the line.
    """
    document, text = read_toml(path)
    content = validated(_File, document, file=path, text=text).model_dump(exclude_unset=True)

    def error(problem: str, *keys: str, hint: str | None = None) -> DataError:
        return DataError(problem, file=path, line=line_of(text, *keys), hint=hint)

    tables: dict[tuple[str, ...], Any] = {(CATEGORY,): content.get(CATEGORY, {})}
    for name, table in content.get("features", {}).items():
        tables["features", name] = table
    parts = []
    for keys, table in tables.items():
        folder = Path(path).parent
        try:
            with confine(folder):
                parts.append(Part(keys[-1], _kind(table, folder), table.get("weight", 1)))
        except GammacpError as problem:
            if isinstance(problem, DataError):
                data_error = problem
            else:
                data_error = DataError(str(problem))
            if data_error.file is None:
                message = data_error.message
            else:
                message = f"file {data_error.file}: {data_error.message}"
            culprit = [key for key in table if message.startswith(f"{key} ")]
            raise error(message, *keys, *culprit[:1], hint=data_error.hint) from None
    options = {key: content[key] for key in content if key not in (CATEGORY, "features")}
    try:
        positional: Any = POSITIONAL[options.get("positional", "sporadic")]
        if "scale" in options:
            if not hasattr(positional, "scale"):
                raise UsageError("scale applies only to positional 'boundary'")
            options["positional"] = type(positional)(options.pop("scale"))
        plain = len(parts) == 1 and parts[0].weight > 0
        return Combined(categorial=parts[0].kind if plain else Features(tuple(parts)), **options)
    except UsageError as problem:
        raise error(str(problem)) from None


def _kind(table: Mapping[str, Any], folder: Path) -> Categorial:
    guess = {"order": "ordinal", "tree": "tree", "distances": "matrix"}
    kind = table.get("type", next((t for key, t in guess.items() if key in table), "nominal"))
    for key in table.keys() - {"type", "weight"} - _OWN.get(kind, frozenset()):
        raise UsageError(f"{key} does not apply to type {kind!r}")
    if kind == "matrix":
        if "file" in table:
            return Matrix.read(folder / table["file"])
        if not {"labels", "distances"} <= table.keys():
            raise UsageError("matrix needs a file, or labels and distances")
        if len({*map(len, table["distances"])}) > 1:
            raise UsageError("rows of distances differ in length")
        return Matrix(tuple(map(str, table["labels"])), np.array(table["distances"]))
    if not table.get("separator", "+").strip():
        raise UsageError("separator is empty")
    if kind in _OWN:
        dissimilarity: Any = CATEGORIAL[kind]
    else:
        dissimilarity = categorial(kind)
    if isinstance(dissimilarity, Ordinal):
        if "order" in table:
            return Ordinal(checked_order(map(str, table["order"])))
        return dissimilarity
    if "file" in table:
        dissimilarity = dissimilarity.with_argument(str(folder / table["file"]))
    if "separator" in table:
        dissimilarity = replace(dissimilarity, separator=table["separator"])
    if "tree" in table:
        dissimilarity = replace(dissimilarity, parents=tuple(_edges(table["tree"], "")))
    return dissimilarity  # type: ignore[no-any-return]


def _edges(tree: Any, parent: str) -> Iterator[tuple[str, str]]:
    """Yield each label in nested tables and lists with its parent."""
    for label in tree:
        if not isinstance(label, str):
            raise UsageError(f"tree has {label!r} below {parent!r}, where a label is needed")
        yield label, parent
        if isinstance(tree, dict):
            yield from _edges(tree[label], label)
