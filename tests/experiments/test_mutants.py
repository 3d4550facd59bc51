"""Claims of the ledger: their form, and their failure on mutants that contradict them.

A mutant is the curve of a claim, changed so that the claim is false: flat, bent, raised, lowered,
swapped with the other curve or reversed. The mutants of a check follow from its description, not
from its code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gammacp.bench.ledger.checks import CHECKS
from gammacp.bench.ledger.claims import Claim, Predicate, load_ledgers
from gammacp.bench.ledger.running import find, load, run
from gammacp.bench.ledger.series import Series

ROOT = Path(__file__).resolve().parents[2]
LEDGERS = load_ledgers(ROOT / "experiments" / "claims")
SHARE = 0.95

Pair = tuple[Series, Series | None]
Mutant = Callable[[Series, Series | None, Mapping[str, Any]], Pair]


def _with(series: Series, y: Any) -> Series:
    y = np.broadcast_to(np.asarray(y, float), series.y.shape).copy()
    values = None if series.values is None else series.values - series.y + y
    return replace(series, y=y, text=tuple(map(str, y)), values=values)


def flat(s: Series, other: Series | None, _: Mapping[str, Any]) -> Pair:
    return _with(s, np.nanmean(s.y)), other


def half_flat(s: Series, other: Series | None, _: Mapping[str, Any]) -> Pair:
    half = len(s.y) // 2
    return _with(s, np.where(np.arange(len(s.y)) < half, s.y, s.y[half])), other


def reversed_(s: Series, other: Series | None, _: Mapping[str, Any]) -> Pair:
    return _with(s, s.y[::-1]), other


def swapped_points(s: Series, other: Series | None, _: Mapping[str, Any]) -> Pair:
    y = s.y.copy()
    a, b = len(y) // 4, len(y) // 2
    y[[a, b]] = y[[b, a]]
    return _with(s, y), other


def monotone(s: Series, other: Series | None, _: Mapping[str, Any]) -> Pair:
    return _with(s, np.linspace(1, 0, len(s.y))), other


def bent(s: Series, other: Series | None, _: Mapping[str, Any]) -> Pair:
    return _with(s, np.linspace(1, 0, len(s.y)) ** 6), other


def above(s: Series, other: Series | None, p: Mapping[str, Any]) -> Pair:
    """Raise the whole curve above its stated limit."""
    limit = p.get("high", p.get("value"))
    if "low" in p and "value" in p:  # a crossing
        limit = p["value"]
    return _with(s, s.y - np.nanmin(s.y) + limit + 0.2), other


def below(s: Series, other: Series | None, p: Mapping[str, Any]) -> Pair:
    limit = p["value"] if "value" in p else p["low"]
    return _with(s, s.y - np.nanmax(s.y) + limit - 0.2), other


def shifted(s: Series, other: Series | None, p: Mapping[str, Any]) -> Pair:
    """Move the crossing outside of the stated range."""
    place = p["high"] + 0.5 * (s.x[-1] - p["high"]) if p["high"] < s.x[-1] else p["low"] / 2
    return _with(s, p["value"] + (place - s.x)), other


def apart(s: Series, other: Series | None, p: Mapping[str, Any]) -> Pair:
    return _with(s, s.y + 5 * p["tolerance"]), other


def swapped(s: Series, other: Series | None, _: Mapping[str, Any]) -> Pair:
    assert other is not None
    return other, s


def over(s: Series, other: Series | None, _: Mapping[str, Any]) -> Pair:
    assert other is not None
    return _with(s, np.nanmax(other.y) + 0.1), other


def known(s: Series, other: Series | None, _: Mapping[str, Any]) -> Pair:
    return _with(s, 0.5), other


def worded(s: Series, other: Series | None, _: Mapping[str, Any]) -> Pair:
    return replace(s, text=tuple("otherwise" for _ in s.text)), other


def beyond(s: Series, other: Series | None, p: Mapping[str, Any]) -> Pair:
    """Move the value away by more than the tolerance."""
    return _with(s, p["value"] + 0.2 + 3 * p.get("tolerance", 0)), other


def middling(s: Series, other: Series | None, _: Mapping[str, Any]) -> Pair:
    """Move the curve to the middle of those from which it should differ."""
    assert other is not None
    y = other.y.copy()
    y[[np.flatnonzero(y == v)[0] for v in s.y]] = np.nanmean(y)
    return _with(s, np.nanmean(other.y)), replace(other, y=y)


CONTRADICTING: dict[str, tuple[Mutant, ...]] = {
    "equals": (above, below, beyond),
    "increasing": (flat, reversed_),
    "least": (middling,),
    "greatest": (middling,),
    "undefined": (known,),
    "between": (above, below),
    "all-below": (above,),
    "all-above": (below,),
    "some-below": (above,),
    "some-above": (below,),
    "decreasing": (flat, half_flat, reversed_, swapped_points),
    "not-decreasing": (monotone,),
    "linear": (bent, flat),
    "crosses": (above, below, flat, shifted),
    "close-to": (apart,),
    "less-than": (swapped, over),
    "spans": (flat, above, below),
}


def mutants_of(predicate: Predicate) -> tuple[Mutant, ...]:
    """Return the mutants that contradict a predicate; for words, other words."""
    if isinstance(predicate.parameters.get("value"), str):
        return (worded,)
    return CONTRADICTING[predicate.check]


def sweep_predicates() -> Iterator[tuple[Claim, Predicate]]:
    for ledger in LEDGERS:
        for claim in ledger.claims:
            if claim.kind == "sweep":
                yield from ((claim, predicate) for predicate in claim.tests)


@pytest.mark.slow
def test_sweep_claims_fail_where_they_are_contradicted() -> None:
    told, survivors = 0, []
    for claim, predicate in sweep_predicates():
        series, other = predicate.series(ROOT / "results")
        for mutant in mutants_of(predicate):
            if len(series.y) < 3 and mutant in (flat, half_flat, reversed_, swapped_points):
                continue
            first, second = mutant(series, other, predicate.parameters)
            told += 1
            if CHECKS[predicate.check].call(first, second, predicate.parameters).holds:
                survivors.append(f"{claim.place}: {claim.words}: {mutant.__name__}")
    assert told > 150
    assert len(survivors) <= (1 - SHARE) * told, survivors


def test_every_claim_is_false_for_some_data() -> None:
    """A claim that nothing contradicts would count as reproduced whatever was measured."""
    idle = []
    for claim in (c for one in LEDGERS for c in one.claims):
        verdicts = []
        for predicate in claim.tests:
            series, other = predicate.series(ROOT / "results")
            for mutant in mutants_of(predicate):
                first, second = mutant(series, other, predicate.parameters)
                check = CHECKS[predicate.check]
                verdicts.append(check.call(first, second, predicate.parameters).holds)
        if all(verdicts):
            idle.append(f"{claim.place}: {claim.words}")
    assert idle == []


def test_every_experiment_of_the_ledger_exists() -> None:
    there = find(ROOT / "experiments")
    named = {p.experiment for one in LEDGERS for c in one.claims for p in c.tests}
    assert named <= there.keys()


@pytest.mark.parametrize("ledger", LEDGERS, ids=lambda one: one.name)
def test_a_claim_occurs_once(ledger: Any) -> None:
    """Two claims with exactly the same predicates are one claim."""
    seen = [repr(claim.tests) for claim in ledger.claims]
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize(
    "name", ["mathet2015_examples", "mathet2015_fig05", "mathet2015_fig10", "mathet2011_table3"]
)
def test_results_are_reproduced_to_the_last_digit(name: str, tmp_path: Path) -> None:
    """The committed tables equal those that the code writes."""
    written = run(load(name, ROOT / "experiments"), tmp_path, quick=False, data=None)
    committed = sorted((ROOT / "results" / name).glob("*.csv"))
    assert committed
    for path in committed:
        assert (written / path.name).read_bytes() == path.read_bytes()
