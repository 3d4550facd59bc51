"""Checks that a function refuses wrong keywords and values, and the calls to check."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Any

import pytest

import gammacp as gc
from gammacp import Continuum, Corpus, Unit, UsageError
from gammacp.measures.settings import GammaOptions

Call = tuple[Callable[..., Any], tuple[Any, ...]]

C = Continuum.from_units(
    [Unit("A", 0, 5, "x"), Unit("A", 9, 14, "y"), Unit("B", 1, 5, "x"), Unit("B", 9, 13, "y")]
)
CORPUS = Corpus.from_continua({"c": C, "d": C})

WRONG: list[dict[str, Any]] = [
    {"seed": "1"}, {"seed": -1}, {"seed": 1.5}, {"samples": "30"}, {"samples": 1},
    {"precision": "fine"}, {"precision": 0}, {"confidence": 2}, {"gap": -1}, {"gap": None},
    {"time_limit": "1"}, {"chance": 3}, {"chance": "shif"}, {"method": None},
    {"dissimilarity": 3}, {"dissimilarity": "combined"}, {"alpha": "1"}, {"alpha": -1},
    {"dissimilarity": gc.Combined(), "alpha": 2},
]  # fmt: skip


def check_unknown_keywords(call: Call) -> None:
    """Check that a misspelt keyword is named, never swallowed."""
    function, arguments = call
    for unknown in ("sead", "Alpha", "continum"):
        with pytest.raises((TypeError, UsageError), match=unknown):
            function(*arguments, **{unknown: 3})


def check_options_spelled_out(call: Call) -> None:
    """Check that a function of the γ family lists its options and documents them."""
    function, _ = call
    parameters = inspect.signature(function).parameters
    assert set(typing.get_type_hints(GammaOptions)) <= set(parameters)
    assert all(p.kind is not p.VAR_KEYWORD for p in parameters.values())
    assert parameters["precision"].default == 0.02
    docstring = inspect.getdoc(function) or ""
    assert "\nprecision, confidence, samples\n    Sample-size rule" in docstring


def check_wrong_values(call: Call) -> None:
    """Check that the error on an impossible value names the parameter."""
    function, arguments = call
    for wrong in WRONG:
        with pytest.raises(UsageError, match=list(wrong)[-1]):
            function(*arguments, **wrong)
