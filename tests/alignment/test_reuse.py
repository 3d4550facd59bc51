"""Soft γ with a price for reuse, against all covers: p = 1 is γ and p = 0 is soft γ."""

import json
import random
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from gammacp import (
    Combined,
    Continuum,
    DataError,
    Unit,
    UsageError,
    align,
    certificate,
    gamma,
    soft_gamma,
)
from gammacp.alignment import align_each
from gammacp.alignment.problem import Status
from gammacp.base.arrays import Floats
from gammacp.dissimilarity import bind, unit_columns
from gammacp.dissimilarity.base import BoundDissimilarity
from gammacp.measures.explaining.explanation import explanation_of
from gammacp.verify import Check, RefusedError
from tests.alignment.continua import DISSIMILARITIES, random_continuum
from tests.conftest import Run

SHARES = (0.0, 0.1, 0.25, 0.5, 1.0)
EXACT = ("auto", "enumeration", "generation", "cpsat", "milp", "brute")


def cost_table(continuum: Continuum, measured: BoundDissimilarity) -> Floats:
    units = unit_columns(continuum)
    rows = np.arange(continuum.n_units)
    first, second = (x.ravel() for x in np.meshgrid(rows, rows, indexing="ij"))
    costs = measured.pairwise(units[first], units[second])
    return np.asarray(costs).reshape(len(rows), len(rows))


def least_disorder(continuum: Continuum, measured: BoundDissimilarity, share: float) -> float:
    """Return the cost of the cheapest cover, by dynamic programming over sets of covered units."""
    n = continuum.n_annotators
    size = continuum.n_units
    d = cost_table(continuum, measured)
    pairs = n * (n - 1) // 2
    rows = [np.flatnonzero(continuum.annotator_codes == a).tolist() for a in range(n)]
    groups = []
    for chosen in product(*([None, *row] for row in rows)):
        units = [u for u in chosen if u is not None]
        own = list(combinations(units, 2))
        cost = (pairs - len(own)) * measured.delta + sum(d[u, v] for u, v in own)
        if units and np.isfinite(cost):
            groups.append((sum(1 << u for u in units), cost))
    price = share * (n - 1) * measured.delta
    best = np.full(1 << size, np.inf)
    best[0] = 0.0
    for covered in range((1 << size) - 1):
        first = (~covered & (covered + 1)).bit_length() - 1
        for units, cost in groups:
            if units >> first & 1:
                total = best[covered] + cost + price * (units & covered).bit_count()
                best[covered | units] = min(best[covered | units], total)
    return float(best[-1]) / pairs / (size / n)


@pytest.mark.parametrize(("first", "cases"), [(0, 3), pytest.param(3, 150, marks=pytest.mark.slow)])
def test_every_back_end_finds_the_cheapest_cover(first: int, cases: int) -> None:
    for seed in range(first, first + cases):
        continuum = random_continuum(seed, 2 + seed % 3, 7)
        measured = bind(DISSIMILARITIES[seed // 3 % len(DISSIMILARITIES)], continuum)
        for share in SHARES:
            least = least_disorder(continuum, measured, share)
            for method in EXACT:
                found = align(continuum, measured, cover=True, reuse=share, method=method)
                assert found.status is Status.OPTIMAL
                assert found.disorder == pytest.approx(least, abs=1e-12), (seed, share, method)


def test_the_ends_are_gamma_and_soft_gamma() -> None:
    """Price 0 gives soft γ, price 1 gives γ, and the disorder never falls with the price.

    This holds for 20 continua of up to 29 units, to 1e-12.
    """
    for seed in range(20):
        continuum = random_continuum(seed, 2 + seed % 4, 10 + seed)
        found = [align(continuum, cover=True, reuse=p).disorder for p in SHARES]
        assert found[0] == align(continuum, cover=True).disorder
        assert found[-1] == pytest.approx(align(continuum).disorder, abs=1e-12)
        assert found == sorted(found)


def split() -> Continuum:
    """Return one unit of A against two halves of B: (10/30)²·Δ = 1/9 each, and one reuse."""
    return Continuum.from_units([Unit("A", 0, 20), Unit("B", 0, 10), Unit("B", 10, 20)])


@pytest.mark.parametrize(
    ("share", "cost"), [(0.0, 2 / 9), (0.5, 2 / 9 + 0.5), (0.88, 2 / 9 + 0.88), (0.9, 10 / 9)]
)
def test_a_split_by_hand(share: float, cost: float) -> None:
    """The disorder of a split unit is that computed by hand.

    For a price above 8/9, leaving one half alone at Δ is cheaper.
    """
    assert align(split(), cover=True, reuse=share).disorder == pytest.approx(cost / 1.5)


def test_continua_of_a_batch_are_covered_as_by_themselves() -> None:
    continua = [random_continuum(seed, 3, 12) for seed in range(20)]
    measured = bind(DISSIMILARITIES[0], continua[0])
    together = align_each(continua, measured, cover=True, reuse=0.05)
    alone = [align(c, measured, cover=True, reuse=0.05) for c in continua]
    assert [a.disorder for a in together] == pytest.approx([a.disorder for a in alone], abs=1e-13)
    assert {a.reuse for a in together} == {0.05}
    assert any((a.groups >= 0).sum() > a.continuum.n_units for a in together)


def test_certificates_are_verified_and_another_price_is_not() -> None:
    """A certificate verifies with its own price, and with another only where its cost is
    least too.
    """
    for seed in range(12):
        continuum = random_continuum(seed, 2 + seed % 3, 9)
        found = align(continuum, cover=True, reuse=0.5)
        made = certificate(found)
        proven, said = Check(json.dumps(made)).claim()
        assert proven, said
        assert f"; {made['reuse']} for a unit in each further group" in said[0]
        for other in (0.0, 0.25, 1.0):
            least = align(continuum, cover=True, reuse=other).disorder
            changed = {**made, "reuse": other * (continuum.n_annotators - 1)}
            assert Check(json.dumps(changed)).claim()[0] == (
                abs(least - found.disorder) < 1e-9
                and (other == 0.5 or (found.groups >= 0).sum() == continuum.n_units)
            ), (seed, other)


def mutant(rng: random.Random, made: dict[str, Any], n_annotators: int) -> dict[str, Any]:
    """Return the certificate with another price, group, share or claim."""
    data: dict[str, Any] = json.loads(json.dumps(made))
    what = rng.randrange(5)
    groups = data["groups"]
    if what in (0, 4):
        data["reuse"] = rng.choice([0.0, 0.02, 0.1, 0.3, 0.6, 1.0]) * (n_annotators - 1)
    if what in (1, 4) and rng.random() < 0.5 and len(groups) > 1:
        groups.pop(rng.randrange(len(groups)))
    elif what in (1, 4):
        groups.append(list(rng.choice(groups)))
    if what == 2:
        shares = data["proof"]["shares"]
        shares[rng.randrange(len(shares))] += rng.choice([-1, 1]) * 2 ** rng.randint(20, 42)
    if what == 3:
        data["claim"]["cost"] *= rng.choice([0.9, 1.1])
        data["claim"]["bound"] = data["claim"]["cost"]
    return data


@pytest.mark.parametrize(("cases", "each"), [(5, 12), pytest.param(60, 25, marks=pytest.mark.slow)])
def test_no_false_claim_is_accepted(cases: int, each: int) -> None:
    """Altered certificates that the checker accepts are true of their units and price.

    Dynamic programming over all covers gives the truth.
    """
    rng = random.Random(3)
    accepted = 0
    for seed in range(cases):
        continuum = random_continuum(seed, 2 + seed % 3, 7)
        measured = bind(Combined(), continuum)
        n = continuum.n_annotators
        share = rng.choice([0.05, 0.1, 0.25, 0.5, 0.75])
        made = certificate(align(continuum, measured, cover=True, reuse=share))
        for _ in range(each):
            data = mutant(rng, made, n)
            try:
                if not Check(json.dumps(data)).claim()[0]:
                    continue
            except RefusedError:
                continue
            accepted += 1
            least = least_disorder(continuum, measured, data["reuse"] / (n - 1))
            least *= n * (n - 1) / 2 * continuum.mean_units
            assert data["claim"]["bound"] == pytest.approx(least, abs=1e-6)
    assert accepted


def test_gamma_at_the_ends() -> None:
    continuum = random_continuum(4, 3, 30)
    options: dict[str, Any] = {"samples": 20, "chance": "shift"}
    hard = gamma(continuum, **options)
    assert soft_gamma(continuum, reuse=1.0, **options).value == pytest.approx(hard.value, abs=1e-12)
    soft = soft_gamma(continuum, **options)
    assert soft_gamma(continuum, reuse=0.0, **options) == soft
    between = soft_gamma(continuum, reuse=0.3, **options)
    assert "reuse" not in soft.signature
    assert "reuse" in between.signature
    assert between.observed is not None
    assert hard.observed is not None
    assert between.observed < hard.observed


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf"), "x", True])
def test_impossible_prices_are_refused(value: Any) -> None:
    with pytest.raises(UsageError, match="reuse"):
        soft_gamma(split(), reuse=value)
    with pytest.raises(UsageError, match="reuse"):
        align(split(), cover=True, reuse=value)


def test_covers_with_a_price_of_reuse_are_not_explained() -> None:
    with pytest.raises(DataError, match="cannot be taken apart"):
        explanation_of(split(), cover=True, reuse=0.5, samples=4)


def test_a_price_of_reuse_is_refused_without_covers() -> None:
    with pytest.raises(UsageError, match="reuse is a price of covers"):
        align(split(), reuse=0.5)
    with pytest.raises(UsageError, match="'reuse' is unknown"):
        gamma(split(), reuse=0.5)


def test_the_command_takes_a_price(run: Run) -> None:
    data = "--dataset", "alex-paul-suzan", "--samples", "10", "--json", "-m"

    def value_of(measure: str, *options: str) -> float:
        found = json.loads(run("measure", *data, measure, *options).out)
        value = found["results"][0]["measures"][measure]["value"]
        assert isinstance(value, float)
        return value

    values = [value_of("soft-gamma", "--reuse", p) for p in ("1", "0.3", "0")]
    assert values[0] == pytest.approx(value_of("gamma"), abs=1e-12)
    assert values[0] < values[1] < values[2]
    assert values[2] == value_of("soft-gamma")


@pytest.mark.parametrize("value", ["-1", "2", "nan"])
def test_the_command_refuses(run: Run, value: str) -> None:
    found = run("measure", "--dataset", "figure10", "-m", "soft-gamma", "--reuse", value)
    assert found.code == 2
    assert "reuse" in found.err
    found = run("measure", "--dataset", "figure10", "-m", "gamma", "--reuse", "0.5")
    assert found.code == 2
    assert "--reuse is an option of none of: gamma" in found.err
