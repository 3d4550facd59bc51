"""Errors of the functions for campaigns on unknown keywords and wrong types."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import gammacp as gc
from gammacp import DataError, UsageError
from gammacp.campaign.calibrate import calibrate
from gammacp.campaign.compare import compare
from gammacp.campaign.consensus import consensus
from gammacp.campaign.plan import plan
from tests.arguments import (
    CORPUS,
    C,
    Call,
    check_options_spelled_out,
    check_unknown_keywords,
    check_wrong_values,
)

CALLS: dict[str, Call] = {
    "compare": (compare, (CORPUS,)),
    "calibrate": (calibrate, (C,)),
    "consensus": (consensus, (gc.align(C),)),
}
FAMILY = ["compare", "calibrate"]


@pytest.mark.parametrize("name", CALLS)
def test_an_unknown_keyword_never_returns_a_number(name: str) -> None:
    check_unknown_keywords(CALLS[name])


@pytest.mark.parametrize("name", FAMILY)
def test_the_campaign_functions_spell_their_options_out(name: str) -> None:
    check_options_spelled_out(CALLS[name])


@pytest.mark.parametrize("name", FAMILY)
def test_an_impossible_value_of_a_campaign_function_is_named(name: str) -> None:
    check_wrong_values(CALLS[name])


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: compare({"a": 3}), r"continua\['a'\] is int"),
        (lambda: calibrate(C, errors="split"), "errors 'split'"),
        (lambda: calibrate(C, sets=2), "sets 2 < 3"),
        (lambda: compare(CORPUS, draws=-1), "draws -1 < 0"),
        (lambda: compare(CORPUS, draws=10**30), "draws 10{30} > 1,000,000,000"),
        (lambda: compare(CORPUS, samples=10**30), "samples 10{30} > 1,000,000,000"),
        (lambda: calibrate(C, sets=10**30), "sets 10{30} > 1,000,000,000"),
        (lambda: compare(CORPUS, session=3), "session 3 is not text"),  # type: ignore[arg-type]
        (lambda: compare(CORPUS, teams=3), "teams is int"),  # type: ignore[arg-type]
        (lambda: compare(CORPUS, executor="serial"), "executor 'serial' is no Executor"),  # type: ignore[arg-type]
        (lambda: plan(CORPUS, goal=0.05), "goal is float, where a Goal is needed"),  # type: ignore[arg-type]
        (lambda: plan(CORPUS, prices=3), "prices is int, where an object of Prices is needed"),  # type: ignore[arg-type]
        (lambda: plan(CORPUS, annotators=3), "annotators is int"),  # type: ignore[arg-type]
        (lambda: plan(CORPUS, error=3), "errors 3 are neither names nor error types"),  # type: ignore[arg-type]
        (lambda: gc.align(C, gap="x"), "gap 'x', time limit None: "),  # type: ignore[arg-type]
        (lambda: gc.align(C, time_limit="x"), "time limit 'x': "),  # type: ignore[arg-type]
        (lambda: gc.align(C, constraints=3), "constraints 3 is not a list"),  # type: ignore[arg-type]
        (lambda: compare({1: C, "1": C}), "two names are the same text"),  # type: ignore[dict-item]
        (lambda: consensus(C, annotator=3), "annotator 3 is not text"),  # type: ignore[arg-type]
        (lambda: gc.align(CORPUS), "continuum is Corpus, where a Continuum is needed"),  # type: ignore[arg-type]
        (lambda: gc.alignments("x.csv"), "continuum is str, where a Continuum"),  # type: ignore[arg-type]
        (lambda: consensus(3), "continua is int"),
        (lambda: consensus(gc.align(C), weights="vote"), "weights=` is for continua"),
        (lambda: consensus(gc.align(C), tolerance="x"), "tolerance 'x'"),
    ],
)
def test_wrong_types_are_named(call: Callable[[], object], named: str) -> None:
    with pytest.raises((UsageError, DataError), match=named):
        call()


def test_documents_named_by_numbers_are_named_by_their_digits() -> None:
    comparison = compare({1: C, 2.0: C}, samples=2, draws=0, leave_one_out=False)  # type: ignore[dict-item]
    assert list(comparison.overall.rated) == ["1", "2"]
    assert "<" in comparison._repr_html_()


def test_constraints_may_be_none() -> None:
    assert gc.align(C, constraints=None).constraints == ()  # type: ignore[arg-type]
