"""Reference models as TOML files.

    units = 25                 # default 25
    layout = "apart"           # apart | overlapping | covering | fixed
    integer = true             # whole positions
    length = 5000              # optional: length of the continuum

    [gaps]                     # or: values = [12, 0, 40]
    minimum = 0
    maximum = 150

    [categories.noun]          # one table per category; prevalences sum to 1
    prevalence = 0.6
    minimum-length = 50
    maximum-length = 150

    [categories.verb]
    prevalence = 0.3
    lengths = [40, 55, 61]     # observed values instead of a range

    [unlabelled]               # optional: units without a category, keys as of a category
    prevalence = 0.1
    lengths = [10]

What is left out has the default of `ReferenceModel`.
"""

from collections.abc import Mapping
from os import PathLike
from typing import Annotated, Any

from pydantic import Field, Strict

from gammacp.base.toml_files import read_toml, toml_key, toml_value
from gammacp.base.validation import WrittenTable, validated
from gammacp.errors import DataError
from shuffling.distribution import Distribution, Empirical, Uniform
from shuffling.placement import Layout
from shuffling.reference import CategoryModel, ReferenceModel

_RANGE_OR_VALUES = {
    "gaps": ("minimum", "maximum", "values"),
    "lengths": ("minimum-length", "maximum-length", "lengths"),
}


class _Gaps(WrittenTable):
    minimum: float | None = None
    maximum: float | None = None
    values: list[float] | None = None


class _Category(WrittenTable):
    prevalence: float
    minimum: float | None = Field(None, alias="minimum-length")
    maximum: float | None = Field(None, alias="maximum-length")
    values: list[float] | None = Field(None, alias="lengths")


class _Model(WrittenTable):
    units: int = 0
    layout: Annotated[Layout, Strict(False)] = Layout.APART
    integer: bool = True
    length: float | None = None
    gaps: _Gaps = _Gaps()
    categories: dict[str, _Category] = Field(default={})
    unlabelled: _Category | None = None


def read_model(path: str | PathLike[str]) -> ReferenceModel:
    """Return the model in a TOML file.

    Parameters
    ----------
    path
        Path of the TOML file.

    Raises
    ------
    DataError
        It is no TOML, a key is unknown or missing, a value is of the wrong type, or the model
        contradicts itself; with the file, the line and the key.
    """
    document, text = read_toml(path)
    try:
        return model_from(document, text)
    except DataError as error:
        raise error.at(path) from None


def model_from(document: Mapping[str, Any], text: str = "") -> ReferenceModel:
    """Return the model in a parsed document; errors as `read_model`, without the file.

    Parameters
    ----------
    document
        Document as parsed from TOML or JSON.
    text
        The TOML, for the lines of errors.
    """
    content = validated(_Model, document, text=text)
    model_fields: dict[str, Any] = content.model_dump(
        include={"layout", "integer", "length"} & document.keys()
    )
    if "units" in document:
        model_fields["n_units"] = content.units
    if "gaps" in document:
        model_fields["gaps"] = _distribution(content.gaps, "gaps")
    if {"categories", "unlabelled"} & document.keys():
        tables = [(name, f"categories.{name}", t) for name, t in content.categories.items()]
        if content.unlabelled:
            unlabelled = [(None, "unlabelled", content.unlabelled)]
        else:
            unlabelled = []
        model_fields["categories"] = tuple(
            CategoryModel(name=name, prevalence=t.prevalence, lengths=_distribution(t, key))
            for name, key, t in (*tables, *unlabelled)
        )
    return ReferenceModel(**model_fields)


def _distribution(table: _Gaps | _Category, key: str) -> Distribution:
    minimum, maximum, values = _RANGE_OR_VALUES["gaps" if key == "gaps" else "lengths"]
    limits = {minimum: table.minimum, maximum: table.maximum}
    if table.values is not None and set(limits.values()) != {None}:
        raise DataError(f"{key}.{values} and a minimum or maximum are both given")
    try:
        if table.values is not None:
            return Empirical(tuple(table.values))
        if table.minimum is not None and table.maximum is not None:
            return Uniform(table.minimum, table.maximum)
    except DataError as error:
        raise error.within(f"{key}.{values if table.values is not None else minimum}") from None
    gone = next(name for name, limit in limits.items() if limit is None)
    hint = f"Give {minimum} and {maximum}, or {values} = [observed values]"
    raise DataError(f"{key}.{gone} is missing", hint=hint)


def model_text(model: ReferenceModel) -> str:
    """Return the TOML text that `read_model` reads back.

    Parameters
    ----------
    model
        Model that is written down.
    """
    plain = {"units": model.n_units, "layout": str(model.layout), "integer": model.integer}
    if model.length is None:
        plain |= {}
    else:
        plain |= {"length": model.length}
    lines = [f"{key} = {toml_value(value)}" for key, value in plain.items()]
    lines += ["", "[gaps]", *_range_or_values(model.gaps, _RANGE_OR_VALUES["gaps"])]
    for category in model.categories:
        if category.name is None:
            quoted = "unlabelled"
        else:
            quoted = f"categories.{toml_key(category.name)}"
        lines += ["", f"[{quoted}]", f"prevalence = {category.prevalence!r}"]
        lines += _range_or_values(category.lengths, _RANGE_OR_VALUES["lengths"])
    return "\n".join(lines) + "\n"


def _range_or_values(distribution: Distribution, keys: tuple[str, ...]) -> list[str]:
    minimum, maximum, values = keys
    if isinstance(distribution, Empirical):
        return [f"{values} = {toml_value(distribution.values)}"]
    low, high = map(toml_value, (distribution.minimum, distribution.maximum))
    return [f"{minimum} = {low}", f"{maximum} = {high}"]
