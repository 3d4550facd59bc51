"""The public API refuses what it cannot mean: unknown keywords, wrong types."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Any

import pytest

import gammacp as gc
from gammacp import Continuum, Corpus, DataError, Unit, UsageError
from gammacp.campaign.calibrate import calibrate
from gammacp.campaign.compare import compare
from gammacp.campaign.consensus import consensus
from gammacp.continuum.selecting import keep_annotators, keep_categories
from gammacp.dissimilarity import bind
from gammacp.measures.agreement import agreement
from gammacp.measures.registry import MEASURES
from gammacp.measures.settings import GammaOptions, Settings
from gammacp.report.building import report

C = Continuum.from_units(
    [Unit("A", 0, 5, "x"), Unit("A", 9, 14, "y"), Unit("B", 1, 5, "x"), Unit("B", 9, 13, "y")]
)
CORPUS = Corpus.from_continua({"c": C, "d": C})

CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "gamma": (gc.gamma, (C,)),
    "soft_gamma": (gc.soft_gamma, (C,)),
    "gamma_corpus": (gc.gamma_corpus, (CORPUS,)),
    "agreement": (agreement, (CORPUS,)),
    "compare": (compare, (CORPUS,)),
    "calibrate": (calibrate, (C,)),
    "report": (report, (C,)),
    "align": (gc.align, (C,)),
    "best_disorder": (gc.best_disorder, (C, bind(gc.Combined(), C))),
    "measure": (gc.measure, (C, ["gamma", "cu-alpha"])),
    "consensus": (consensus, (gc.align(C),)),
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
    "compare", "calibrate",
}]  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_an_unknown_keyword_never_returns_a_number(name: str) -> None:
    function, arguments = CALLS[name]
    for unknown in ("sead", "Alpha", "continum"):
        with pytest.raises((TypeError, UsageError), match=unknown):
            function(*arguments, **{unknown: 3})


def test_every_public_function_is_tried() -> None:
    """Whatever takes options is in CALLS, or has no keyword that it could swallow."""
    for name in gc.__all__:
        thing = getattr(gc, name)
        if not inspect.isfunction(thing):
            continue
        swallows = any(
            p.kind is p.VAR_KEYWORD for p in inspect.signature(thing).parameters.values()
        )
        assert name in CALLS or not swallows, name


@pytest.mark.parametrize("name", FAMILY)
def test_the_family_spells_its_options_out(name: str) -> None:
    parameters = inspect.signature(CALLS[name][0]).parameters
    assert set(typing.get_type_hints(GammaOptions)) <= set(parameters)
    assert all(p.kind is not p.VAR_KEYWORD for p in parameters.values())
    assert parameters["precision"].default == 0.02
    said = inspect.getdoc(CALLS[name][0]) or ""
    assert "\nprecision, confidence, samples\n    Sample-size rule" in said


WRONG: list[dict[str, Any]] = [
    {"seed": "1"}, {"seed": -1}, {"seed": 1.5}, {"samples": "30"}, {"samples": 1},
    {"precision": "fine"}, {"precision": 0}, {"confidence": 2}, {"gap": -1}, {"gap": None},
    {"time_limit": "1"}, {"chance": 3}, {"chance": "shif"}, {"method": None},
    {"dissimilarity": 3}, {"dissimilarity": "combined"}, {"alpha": "1"}, {"alpha": -1},
    {"dissimilarity": gc.Combined(), "alpha": 2},
]  # fmt: skip


@pytest.mark.parametrize("name", FAMILY)
def test_a_value_that_cannot_be_meant_is_named(name: str) -> None:
    function, arguments = CALLS[name]
    for wrong in WRONG:
        with pytest.raises(UsageError, match=list(wrong)[-1]):
            function(*arguments, **wrong)


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
        (lambda: gc.gamma(CORPUS), "continuum is Corpus"),
        (lambda: gc.gamma_corpus(C), "corpus is Continuum"),
        (lambda: agreement([C]), "continua is list"),
        (lambda: compare({"a": 3}), r"continua\['a'\] is int"),
        (lambda: calibrate(C, errors="split"), "errors 'split'"),
        (lambda: calibrate(C, sets=2), "sets 2 < 3"),
        (lambda: compare(CORPUS, draws=-1), "draws -1 < 0"),
        (lambda: consensus(C), "alignment is Continuum"),
        (lambda: consensus(gc.align(C), tolerance="x"), "tolerance 'x'"),
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
