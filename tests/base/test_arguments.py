"""Errors of the public API on unknown keywords and wrong types."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest

import gammacp as gc
from gammacp import Continuum, DataError, Unit, UsageError
from gammacp.continuum.selecting import keep_annotators, keep_categories
from gammacp.dissimilarity import bind
from gammacp.measures.agreement import agreement
from gammacp.measures.registry import MEASURES
from gammacp.measures.settings import Settings
from tests.arguments import (
    CORPUS,
    C,
    Call,
    check_options_spelled_out,
    check_unknown_keywords,
    check_wrong_values,
)

CALLS: dict[str, Call] = {
    "gamma": (gc.gamma, (C,)),
    "soft_gamma": (gc.soft_gamma, (C,)),
    "gamma_corpus": (gc.gamma_corpus, (CORPUS,)),
    "agreement": (agreement, (CORPUS,)),
    "align": (gc.align, (C,)),
    "best_disorder": (gc.best_disorder, (C, bind(gc.Combined(), C))),
    "measure": (gc.measure, (C, ["gamma", "cu-alpha"])),
    "from_units": (Continuum.from_units, (list(C),)),
    "read": (gc.read, ("nowhere.csv",)),
    "read_corpus": (gc.read_corpus, ("nowhere.csv",)),
    "write": (gc.write, (C, "nowhere.csv")),
    **{
        f"measure {name}": (m.function, (C,))
        for name, m in MEASURES.items()
        if m.applies_to == "continuum"
    },
}
FAMILY = [name for name in CALLS if name.split()[-1] in {
    "gamma", "soft_gamma", "soft-gamma", "gamma-cat", "gamma-k", "gamma_corpus", "agreement",
}]  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_an_unknown_keyword_never_returns_a_number(name: str) -> None:
    check_unknown_keywords(CALLS[name])


def test_every_public_function_with_options_is_checked() -> None:
    """Every public function that takes arbitrary keywords is listed in CALLS."""
    for name in gc.__all__:
        thing = getattr(gc, name)
        if not inspect.isfunction(thing):
            continue
        swallows = any(
            p.kind is p.VAR_KEYWORD for p in inspect.signature(thing).parameters.values()
        )
        assert name in CALLS or not swallows, name


@pytest.mark.parametrize("name", FAMILY)
def test_the_gamma_family_spells_its_options_out(name: str) -> None:
    check_options_spelled_out(CALLS[name])


@pytest.mark.parametrize("name", FAMILY)
def test_an_impossible_value_is_named(name: str) -> None:
    check_wrong_values(CALLS[name])


def test_weights_are_options() -> None:
    combined = gc.gamma(C, dissimilarity=gc.Combined(alpha=3), samples=4)
    assert gc.gamma(C, alpha=3, samples=4).signature == combined.signature
    assert gc.gamma(C, alpha=3, samples=4).value == combined.value
    assert gc.gamma(C, alpha=3, samples=4).value != gc.gamma(C, samples=4).value
    with pytest.raises(UsageError, match=r"alpha beside a dissimilarity.*Combined\(alpha=2"):
        gc.gamma(C, dissimilarity=gc.Combined(beta=0), alpha=2)
    with pytest.raises(UsageError, match="'sead' is unknown; did you mean 'seed'"):
        Settings.of(sead=3)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: gc.measure(C, "gamma"), "names 'gamma'"),
        (lambda: gc.measure("c.csv", ["gamma"]), "continuum is str"),
        (lambda: gc.measure(C, [3]), "names 3"),
        (lambda: gc.measure(C, ["cu-alpha"], bootstrap="9"), "bootstrap '9'"),
        (lambda: gc.measure(C, ["cu-alpha"], bootstrap=-1), "bootstrap -1 < 0"),
        (lambda: gc.measure(C, ["u-alpha"], atom="1"), "atom '1'"),
        (lambda: gc.measure(C, ["kappa-d"], coefficient=3), "coefficient 3"),
        (lambda: gc.gamma_corpus(C), "corpus is Continuum"),
        (lambda: agreement([C]), "continua is list"),
        (lambda: Continuum.from_units("abc"), "units"),
        (lambda: Continuum.from_units([("A", 1, 2)]), "units"),
        (lambda: Continuum.from_units([Unit(3, 1, 2)]), "annotator 3"),
        (lambda: Continuum.from_units([Unit("A", 1, 2, 5)]), "category 5"),
        (lambda: Continuum.from_units([Unit("A", "x", 2)]), "position"),
        (lambda: keep_annotators(C, "AB"), "annotators 'AB'"),
        (lambda: keep_categories(C, "xy"), "categories 'xy'"),
    ],
)
def test_wrong_types_are_named(call: Callable[[], object], named: str) -> None:
    with pytest.raises((UsageError, DataError), match=named):
        call()
