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
from typing import Any

from gammacp.errors import DataError
from gammacp.toml_files import read_toml, toml_key, toml_value
from shuffling.distribution import Distribution, Empirical, Uniform
from shuffling.placement import Layout
from shuffling.reference import CategoryModel, ReferenceModel

_TOP = ("units", "layout", "integer", "length", "gaps", "categories", "unlabelled")
_RANGE_OR_VALUES = {
    "gaps": ("minimum", "maximum", "values"),
    "lengths": ("minimum-length", "maximum-length", "lengths"),
}


def read_model(path: str | PathLike[str]) -> ReferenceModel:
    """The model in a TOML file.

    Raises DataError that names the file and the key: no such file, not TOML, a key that is unknown
    or missing, a value of the wrong type, a model that contradicts itself.

    Parameters
    ----------
    path
        Of the TOML file.
    """
    document, _ = read_toml(path)
    try:
        return model_from(document)
    except DataError as error:
        raise error.at(path) from None


def model_from(document: Mapping[str, Any]) -> ReferenceModel:
    """The model in a parsed document; errors as `read_model`, without the file."""
    _check_keys(document, _TOP, "")
    given: dict[str, Any] = {}
    if "units" in document:
        given["n_units"] = _typed(document, "units", int, "a whole number")
    if "layout" in document:
        given["layout"] = _layout(document["layout"])
    if "integer" in document:
        given["integer"] = _typed(document, "integer", bool, "true or false")
    if "length" in document:
        given["length"] = _number(document, "length")
    if "gaps" in document:
        gaps = _typed(document, "gaps", dict, "a table")
        _check_keys(gaps, _RANGE_OR_VALUES["gaps"], "gaps.")
        given["gaps"] = _distribution(gaps, _RANGE_OR_VALUES["gaps"], "gaps.")
    if "categories" in document or "unlabelled" in document:
        given["categories"] = _categories(document)
    return ReferenceModel(**given)


def _layout(value: object) -> Layout:
    try:
        return Layout(str(value))
    except ValueError:
        known = ", ".join(Layout)
        raise DataError(f"layout = {value!r} is unknown", hint=f"There are: {known}") from None


def _categories(document: Mapping[str, Any]) -> tuple[CategoryModel, ...]:
    tables: list[tuple[str | None, str, object]] = []
    if "categories" in document:
        named = _typed(document, "categories", dict, "a table")
        tables += [(name, f"categories.{name}", table) for name, table in named.items()]
    if "unlabelled" in document:
        tables.append((None, "unlabelled", document["unlabelled"]))
    return tuple(_category(name, key, table) for name, key, table in tables)


def _category(name: str | None, key: str, table: object) -> CategoryModel:
    if not isinstance(table, dict):
        raise DataError(f"{key} is not a table")
    keys = _RANGE_OR_VALUES["lengths"]
    _check_keys(table, ("prevalence", *keys), f"{key}.")
    if "prevalence" not in table:
        raise DataError(f"{key}.prevalence is missing")
    return CategoryModel(
        name=name,
        prevalence=_number(table, "prevalence", f"{key}."),
        lengths=_distribution(table, keys, f"{key}."),
    )


def _distribution(table: Mapping[str, Any], keys: tuple[str, ...], prefix: str) -> Distribution:
    minimum, maximum, values = keys
    if values in table:
        if minimum in table or maximum in table:
            raise DataError(f"{prefix}{values} and a minimum or maximum are both given")
        listed = _typed(table, values, list, "a list of numbers", prefix)
        numbers = tuple(_number({values: v}, values, prefix) for v in listed)
        return _named(lambda: Empirical(numbers), f"{prefix}{values}")
    for key in (minimum, maximum):
        if key not in table:
            raise DataError(
                f"{prefix}{key} is missing",
                hint=f"Give {minimum} and {maximum}, or {values} = [observed values]",
            )
    low, high = (_number(table, key, prefix) for key in (minimum, maximum))
    return _named(lambda: Uniform(low, high), f"{prefix}{minimum}")


def _named(build: Any, key: str) -> Distribution:
    try:
        distribution: Distribution = build()
    except DataError as error:
        raise error.within(key) from None
    return distribution


def _check_keys(table: Mapping[str, Any], known: tuple[str, ...], prefix: str) -> None:
    for key in table:
        if key not in known:
            raise DataError(f"key {prefix}{key} is unknown", hint=f"There are: {', '.join(known)}")


def _typed(
    table: Mapping[str, Any], key: str, kind: type | tuple[type, ...], what: str, prefix: str = ""
) -> Any:
    value = table[key]
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise DataError(f"{prefix}{key} = {value!r} is not {what}")
    return value


def _number(table: Mapping[str, Any], key: str, prefix: str = "") -> float:
    return float(_typed(table, key, (int, float), "a number", prefix))


def model_text(model: ReferenceModel) -> str:
    """The TOML text that `read_model` reads back.

    Parameters
    ----------
    model
        What is written down.
    """
    plain = {"units": model.n_units, "layout": str(model.layout), "integer": model.integer}
    plain |= {} if model.length is None else {"length": model.length}
    lines = [f"{key} = {toml_value(value)}" for key, value in plain.items()]
    lines += ["", "[gaps]", *_range_or_values(model.gaps, _RANGE_OR_VALUES["gaps"])]
    for category in model.categories:
        quoted = "unlabelled" if category.name is None else f"categories.{toml_key(category.name)}"
        lines += ["", f"[{quoted}]", f"prevalence = {category.prevalence!r}"]
        lines += _range_or_values(category.lengths, _RANGE_OR_VALUES["lengths"])
    return "\n".join(lines) + "\n"


def _range_or_values(distribution: Distribution, keys: tuple[str, ...]) -> list[str]:
    minimum, maximum, values = keys
    if isinstance(distribution, Empirical):
        return [f"{values} = {toml_value(distribution.values)}"]
    low, high = map(toml_value, (distribution.minimum, distribution.maximum))
    return [f"{minimum} = {low}", f"{maximum} = {high}"]
