"""Validation of hand-written values against a model: one sentence for each mistake."""

import math
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

import gammacp
from gammacp.base.validation import Row, Text, Texts, WrittenTable, validated
from gammacp.errors import DataError

TOML = "a = 1\n[inner]\nx = 2\n"


class Inner(WrittenTable):
    x: float = 0
    names: Texts = Field(default=[])


class Model(WrittenTable):
    a: int = 0
    yes: bool = False
    name: Text = "n"
    pair: Row[tuple[float, float]] = (0, 1)
    either: list[Row[tuple[str, float]] | Row[tuple[str, float, Text]]] = Field(default=[])
    small: Annotated[float, Field(le=9)] = 0
    inner: Inner = Inner()
    by_name: dict[str, Inner] = Field({}, alias="by-name")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": True}, "line 1: a = true is not a whole number"),
        ({"a": 1.0}, r"a = 1\.0 is not a whole number"),
        ({"yes": 1}, "yes = 1 is not true or false"),
        ({"name": ""}, 'name = "" is not a text. Write it as "a"'),
        ({"pair": [1]}, r"pair\[1\] is missing"),
        ({"pair": [1, True]}, r"pair\[1\] = true is not a number"),
        ({"pair": 3}, "pair = 3 is not a list"),
        ({"small": math.nan}, "small = NaN is not a finite number"),
        ({"small": 10**400}, "small = 10{199} is not a number"),
        ({"small": 10}, "small = 10 is not a number <= 9"),
        ({"inner": 3}, r"line 2: inner = 3 is not a table\. Begin one: \[inner\]"),
        ({"inner": {"x": "2"}}, 'line 3: inner.x = "2" is not a number'),
        ({"inner": {"y": 2}}, r"line 2: key 'inner\.y' is unknown\. There are: x, names"),
        ({"by_name": {}}, "key 'by_name' is unknown. .* by-name"),
        ({"by-name": {"n": {"names": "a"}}}, r'by-name\.n\.names = "a" is not a list'),
        ({"either": [["a", 1, 2]]}, r"either\[0\]\[2\] = 2 is not a text"),
        (3, "what is written = 3 is not a table"),
    ],
)
def test_mistakes_say_where_what_and_what_to_do(value: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        validated(Model, value, text=TOML)


def test_valid_values_are_unchanged() -> None:
    found = validated(Model, {"pair": [1, 2.5], "small": 3, "inner": {"names": ["a"]}})
    assert (found.pair, found.small, found.inner.names, found.a) == ((1, 2.5), 3, ["a"], 0)
    with pytest.raises(DataError, match=r"x\.json: a = .* Load the page again"):
        validated(Model, {"a": "1"}, file="x.json", hint="Load the page again")


def test_only_one_module_reports_validation_errors() -> None:
    """No other module than `validation` catches pydantic's errors."""
    folder = Path(gammacp.__file__).parent
    calls = ("ValidationError", "model_validate")
    files = [f for f in folder.rglob("*.py") if any(c in f.read_text("utf-8") for c in calls)]
    assert [f.name for f in files] == ["validation.py"]
