"""γ over Δ and the anchor, against other settings and brute force."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments._over_delta import crossing, gamma_over_delta
from gammacp import Combined, Continuum, Corpus, Unit, gamma
from gammacp.datasets import load
from gammacp.errors import UsageError

COSTS = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0, math.inf]), min_size=1, max_size=12)


def test_scaling_delta_equals_dividing_both_weights() -> None:
    text = load("alex-paul-suzan")
    found = gamma_over_delta(text, [0.5, 1.0, 2.0], samples=40, seed=3)
    for factor, score in found.scores.items():
        same = gamma(text, alpha=1 / factor, beta=1 / factor, samples=40, seed=3)
        assert score.value == pytest.approx(same.value, abs=1e-12)
        assert score.expected == pytest.approx(same.expected, abs=1e-12)


def test_weights_of_the_settings_count_too() -> None:
    text = load("alex-paul-suzan")
    found = gamma_over_delta(text, [4.0], alpha=2, beta=3, samples=40)
    assert found.scores[4.0].value == pytest.approx(
        gamma(text, alpha=0.5, beta=0.75, samples=40).value, abs=1e-12
    )


def test_a_custom_dissimilarity_is_scaled_too() -> None:
    class Halves:
        signature = "halves"

        def pairwise(self, u, v):  # type: ignore[no-untyped-def]
            return abs(u.start - v.start) / 4

    text = load("alex-paul-suzan")
    doubled = type("Doubled", (Halves,), {"pairwise": lambda _, u, v: abs(u.start - v.start) / 2})
    found = gamma_over_delta(text, [0.5], dissimilarity=Halves(), samples=40)
    assert found.scores[0.5].value == gamma(text, dissimilarity=doubled(), samples=40).value


@given(COSTS, COSTS)
def test_the_anchor_separates_the_shares_most(observed: list[float], random: list[float]) -> None:
    found = crossing(np.array(observed), np.array(random))
    gains = {
        x: sum(o <= x for o in observed) / len(observed) - sum(r <= x for r in random) / len(random)
        for x in {*observed, *random}
    }
    most = max(gains.values())
    assert found.cost == min(x for x, gain in gains.items() if gain > most - 1e-12)
    assert found.low <= found.cost <= found.high
    assert found.kept - found.by_chance == pytest.approx(most)


def test_the_anchor_of_two_documents_by_hand() -> None:
    """The anchor costs 4/3, by hand: in random sets, boxes of different documents meet."""
    boxes = {"park": [(0, 10), (5, 15)], "yard": [(40, 50), (40, 50)]}
    corpus = Corpus.from_continua(
        {
            name: Continuum.from_units(
                [Unit.box(a, x, (0, 10)) for a, x in zip("AB", two, strict=True)]
            )
            for name, two in boxes.items()
        }
    )
    iou = Combined(positional="iou")
    anchor = gamma_over_delta(corpus, [1.0], dissimilarity=iou, samples=30).anchor
    assert anchor is not None
    # Boxes with 5 of 15 in common have IoU 1/3 and cost 4/3, equal boxes cost nothing. So the
    # nearest costs in the texts are 0 and 4/3, and by chance boxes of different texts are apart.
    assert (anchor.cost, anchor.units, anchor.of) == (pytest.approx(4 / 3), 4, 4)
    assert anchor.kept == 1.0 and anchor.factor == pytest.approx(2 / 3)
    assert anchor.by_chance < 1


def test_nearest_units_are_those_of_other_annotators() -> None:
    units = [Unit(a, s, s + 4.0) for a, starts in {"A": (0, 1), "B": (8,)}.items() for s in starts]
    text = Continuum.from_units([*units, Unit("C", 30, 34)], bounds=(0, 40))
    anchor = gamma_over_delta(text, [1.0], samples=30).anchor
    assert anchor is not None
    cost = {
        u: min(((abs(u.start - v.start) + abs(u.end - v.end)) / 8) ** 2 for v in text
               if v.annotator != u.annotator) for u in text
    }  # fmt: skip
    near = sum(c <= anchor.cost + 1e-12 for c in cost.values()) / 4
    assert anchor.kept == near


def test_no_anchor_where_all_places_cost_the_same() -> None:
    found = gamma_over_delta(load("alex-paul-suzan"), [1.0], alpha=0, samples=30)
    assert found.anchor is None and "cost the same" in found.reason


@pytest.mark.parametrize("factors", [[], [0.0], [-1.0], [math.inf], [1.0, 1.0]])
def test_impossible_factors_are_refused(factors: list[float]) -> None:
    with pytest.raises(UsageError):
        gamma_over_delta(load("alex-paul-suzan"), factors)
