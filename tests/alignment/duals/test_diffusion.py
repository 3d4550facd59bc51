"""Prices by diffusion: they pay for every group and sum to little more than the least possible."""

import numpy as np
import pytest

from gammacp import Combined, Continuum
from gammacp.alignment import build_problem
from gammacp.alignment.columns import all_columns
from gammacp.alignment.duals.diffusion import PriceTuning, diffusion, prices
from gammacp.alignment.duals.lp import relax
from gammacp.alignment.kernels.diffusion import diffuse
from gammacp.alignment.kernels.records import Columns
from gammacp.dissimilarity import bind
from tests.alignment.continua import DISSIMILARITIES, random_continuum


def listed(continuum: Continuum, dissimilarity: Combined) -> tuple[int, Columns, float]:
    problem = build_problem(continuum, bind(dissimilarity, continuum))
    columns = all_columns(problem)
    ranked = columns.renumber(problem.ranks)
    return problem.n_units, ranked, problem.opening


def noisy_copies(units: int, seed: int) -> Continuum:
    """Return three annotators who mark a unit every 10 positions, each a little displaced."""
    rng = np.random.default_rng(seed)
    starts = np.tile(10.0 * np.arange(units), 3) + rng.normal(0, 2.5, 3 * units)
    ends = starts + np.tile(rng.uniform(4, 9, units), 3)
    codes = np.repeat(np.arange(3), units)
    return Continuum.from_codes(
        ("A", "B", "C"), ("a", "b"), starts, ends, codes, rng.integers(0, 2, 3 * units)
    )


@pytest.mark.parametrize("seed", range(40))
def test_prices_pay_every_group_and_are_least_or_little_more(seed: int) -> None:
    dissimilarity = DISSIMILARITIES[seed % len(DISSIMILARITIES)]
    n_units, columns, opening = listed(
        random_continuum(seed, 3 + seed % 2, 12 + seed), dissimilarity
    )
    if not columns.number:
        pytest.skip("nobody meets anybody")
    price = prices(n_units, columns, opening)
    least = relax(n_units, columns).price.sum()
    assert price.min() >= 0
    assert columns.losses(price).min() >= -1e-8 * opening
    assert least - 1e-6 * opening <= price.sum() <= least + 0.5 * opening


def test_diffusion_alone_comes_close_where_annotators_moved_the_same_units() -> None:
    n_units, columns, opening = listed(noisy_copies(100, 1), Combined())
    price = diffusion(n_units, columns, opening)[0]
    least = relax(n_units, columns).price.sum()
    assert columns.losses(price).min() >= -1e-8 * opening
    assert least - 1e-6 * opening <= price.sum() <= least + 0.2 * opening


def test_blocks_are_priced_anew_with_the_others_held_fixed() -> None:
    tuning = PriceTuning(block=40, falling=0.0, rounds=1)
    n_units, columns, opening = listed(noisy_copies(100, 2), Combined())
    rough = diffusion(n_units, columns, opening, tuning=tuning)[0]
    price = prices(n_units, columns, opening, tuning=tuning)
    assert columns.losses(price).min() >= -1e-8 * opening
    assert price.sum() < rough.sum() - 0.1 * opening
    assert price.sum() <= relax(n_units, columns).price.sum() + 0.5 * opening


def test_three_units_that_gain_most_in_pairs_share_the_price() -> None:
    # max x12 + x13 + x23 with each unit in at most one pair: each x is ½, and so is each price.
    columns = Columns(
        np.array([0, 2, 4, 6], np.int64),
        np.array([0, 1, 0, 2, 1, 2], np.int32),
        np.array([1.0, 1.0, 1.0]),
    )
    np.testing.assert_allclose(prices(3, columns, 1.0), 0.5, atol=1e-6)


def test_a_chain_is_priced_as_its_best_matching() -> None:
    # 0–1 gains 3, 1–2 gains 4, 2–3 gains 3: the two outer pairs gain 6 together, the middle one 4.
    columns = Columns(
        np.array([0, 2, 4, 6], np.int64),
        np.array([0, 1, 1, 2, 2, 3], np.int32),
        np.array([3.0, 4.0, 3.0]),
    )
    assert prices(4, columns, 1.0).sum() == pytest.approx(6.0)


def pass_by_pass(n_units: int, columns: Columns, order: list[int], passes: int) -> list[float]:
    """Return the prices after several passes over all columns, each step straight from its
    definition.
    """
    begin, members, gain = (a.tolist() for a in columns)
    share = [gain[c] / (begin[c + 1] - begin[c]) for c in range(len(gain))]
    shares = {c: dict.fromkeys(members[begin[c] : begin[c + 1]], share[c]) for c in order}

    def best_but(u: int, column: int) -> float:
        return max([0.0, *(own[u] for c, own in shares.items() if u in own and c != column)])

    for done in range(passes):
        for c in order if done % 2 == 0 else order[::-1]:
            others = {u: best_but(u, c) for u in shares[c]}
            rest = gain[c]
            for other in others.values():
                rest -= other
            rest /= len(others)
            shares[c] = {u: other + rest for u, other in others.items()}
    return [best_but(u, -1) for u in range(n_units)]


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow), *range(2, 8)])
def test_component_by_component_changes_no_bit(seed: int) -> None:
    n_units, columns, _ = listed(random_continuum(seed, 3, 20), Combined())
    share = np.repeat(columns.gain / columns.sizes, columns.sizes)
    order = np.arange(0, columns.number, 1 + seed % 3, dtype=np.int32)
    for passes in (1, 2, 9):
        price = diffuse(n_units, columns, order, share.copy(), passes)
        assert price.tolist() == pass_by_pass(n_units, columns, order.tolist(), passes)
