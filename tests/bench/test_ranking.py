"""Ranks of measures, on curves whose true order is known."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.stats import t

from gammacp.bench.rank_intervals import critical_value, rank_intervals, shown_better
from gammacp.bench.ranking import Ranking, rank
from gammacp.errors import UsageError

X = (0.0, 0.25, 0.5, 0.75, 1.0)
Values = dict[tuple[str, str, float], dict[int, float]]


def sweep(
    slopes: dict[str, float], *, sets: int = 12, noise: float = 0.1, seed: int = 0, error: str = "e"
) -> Values:
    """Return straight curves of the given slopes, with independent noise beyond magnitude 0."""
    rng = np.random.default_rng(seed)
    return {
        (error, name, x): {
            k: 1 - slope * x + (x > 0) * noise * float(rng.standard_normal()) for k in range(sets)
        }
        for name, slope in slopes.items()
        for x in X
    }


def by_name(ranking: Ranking) -> dict[str, tuple[int, int] | None]:
    return {m.measure: m.rank for m in ranking.errors[0].measures}


def test_a_steep_curve_is_ranked_before_a_flat_one() -> None:
    ranking = rank(sweep({"steep": 1.0, "flat": 0.0, "middle": 0.3}), documents=10)
    assert [m.measure for m in ranking.errors[0].measures] == ["steep", "middle", "flat"]
    assert by_name(ranking) == {"steep": (1, 1), "middle": (2, 2), "flat": (3, 3)}
    steep, _, flat = ranking.errors[0].measures
    assert steep.step == 0.25
    assert steep.ends == 1.0
    assert (flat.step, flat.step_at, flat.ends) == (None, None, 0.0)
    assert flat.power == pytest.approx(0.025, abs=0.1)
    assert steep.used == pytest.approx(1.0, abs=0.2)
    assert steep.noise == pytest.approx(0.1 * math.sqrt(0.8), abs=0.04)


def test_measures_that_do_not_differ_share_all_ranks() -> None:
    wrong = 0
    for seed in range(12):
        ranking = rank(sweep(dict.fromkeys("abcd", 0.5), seed=seed))
        wrong += any(interval != (1, 4) for interval in by_name(ranking).values())
    assert wrong <= 3  # .6 is expected at level .05; more than 3 has probability .002


def test_a_pair_alone_has_the_critical_value_of_students_t() -> None:
    rng = np.random.default_rng(3)
    for sets in (4, 12, 40):
        critical = critical_value([rng.standard_normal((sets, 2))], 0.05)
        assert critical == pytest.approx(t.ppf(0.975, sets - 1), rel=0.12)


def test_more_pairs_and_tables_raise_the_critical_value() -> None:
    rng = np.random.default_rng(4)
    tables = [rng.standard_normal((12, 5)) for _ in range(3)]
    one, two, three = (critical_value(tables[:k], 0.05) for k in (1, 2, 3))
    # The value lies below Bonferroni over 30 comparisons, and above that of one comparison.
    assert t.ppf(0.975, 11) < one < two < three < t.isf(0.05 / 60, 11) * 1.1
    # A table that is given twice adds nothing.
    assert critical_value([tables[0], tables[0]], 0.05) == pytest.approx(one, rel=0.1)


def test_rank_intervals_count_the_proven_differences() -> None:
    rng = np.random.default_rng(5)
    estimates = np.array([0.9, 0.5, 0.48, 0.1])
    pseudo = estimates + 0.05 * rng.standard_normal((20, 4))
    is_better = shown_better(estimates, pseudo, 3.0)
    assert is_better[0, 1:].all()
    assert is_better[1, 3]
    assert not is_better[1, 2]
    assert rank_intervals(estimates, pseudo, 3.0) == [(1, 1), (2, 3), (2, 3), (4, 4)]
    # Differences smaller than a tie have no order, however exactly they are known.
    assert not shown_better(np.array([0.5, 0.501]), np.full((5, 2), 0.5), 3.0).any()


def test_an_undefined_measure_is_not_ranked_and_its_share_is_reported() -> None:
    values = sweep({"a": 0.8, "b": 0.4})
    values |= {("e", "never", x): dict.fromkeys(range(12), math.nan) for x in X}
    values |= {
        ("e", "rarely", x): {k: 1 - x if k % 3 or x < 1 else math.nan for k in range(12)} for x in X
    }
    rank_by_measure = {m.measure: m for m in rank(values).errors[0].measures}
    assert rank_by_measure["never"].power is None
    assert rank_by_measure["never"].rank is None
    assert rank_by_measure["never"].undefined == 1
    assert rank_by_measure["rarely"].undefined == pytest.approx(4 / 12 / 5)
    assert rank_by_measure["rarely"].power == 1
    assert max(m.rank[1] for m in rank_by_measure.values() if m.rank) == 3


def test_magnitudes_without_any_value_are_left_out_and_named() -> None:
    values = sweep({"a": 0.8, "b": 0.4})
    values |= {("e", name, 1.0): dict.fromkeys(range(12), math.nan) for name in "ab"}
    del values["e", "b", 0.25]
    ranking = rank(values).errors[0]
    assert ranking.magnitudes == (0.0, 0.5, 0.75)
    assert ranking.dropped == (0.25, 1.0)


def test_only_common_sets_count_and_the_rest_is_counted() -> None:
    values = sweep({"a": 0.8, "b": 0.4}, sets=9)
    for number in (7, 8):
        del values["e", "a", 0.5][number]
    ranking = rank(values)
    assert (ranking.sets, ranking.left_out) == (7, 2)
    common = {key: {k: v[k] for k in range(7)} for key, v in values.items()}
    assert rank(common).errors == ranking.errors


@pytest.mark.parametrize(
    ("values", "documents", "level", "why"),
    [
        (sweep({"a": 1, "b": 0}, sets=3), 10, 0.05, "3 annotation sets"),
        (sweep({"a": 1}), 10, 0.05, "at least two measures"),
        (sweep({"a": 1, "b": 0}), 1, 0.05, "documents"),
        (sweep({"a": 1, "b": 0}), 10, 1.0, "level"),
        ({}, 10, 0.05, "no values"),
        (
            {k: v for k, v in sweep({"a": 1, "b": 0}).items() if k[2] == 0.5},
            10,
            0.05,
            "two magnitudes",
        ),
    ],
)
def test_values_that_cannot_be_ranked_are_refused(
    values: Values, documents: int, level: float, why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        rank(values, documents, level)


def test_ranks_that_change_with_the_number_of_documents_are_named() -> None:
    """The measure of small steps everywhere needs many documents, that of one large step few."""
    rng = np.random.default_rng(6)
    values: Values = {}
    for x in X:
        for k in range(20):
            cliff = (1.0 if x < 0.5 else 0.0) + 0.02 * float(rng.standard_normal())
            slope = 1 - 0.4 * x + 0.2 * float(rng.standard_normal())
            values.setdefault(("e", "cliff", x), {})[k] = cliff
            values.setdefault(("e", "slope", x), {})[k] = slope
    ranking = rank(values, documents=8)
    assert ranking.errors[0].measures[0].measure == "cliff"
    assert not [c for c in ranking.changes if c.documents == 4]
    many = rank(values, documents=100)
    assert many.errors[0].measures[0].measure == "slope"
    changes = rank(values, 32).as_dict()["changes"]
    assert {tuple(c) for c in changes} == {("error", "measure", "documents", "rank", "there")}
    few = {(c.measure, c.documents): (c.rank, c.other_rank) for c in rank(values, 32).changes}
    assert ("cliff", 64) in few or ("cliff", 16) in few


def test_a_nuisance_is_converted_by_each_measures_own_curve() -> None:
    exact = {
        ("e", name, x): {k: 1 - slope * x + 0.001 * (k % 3 - 1) * (x > 0) for k in range(9)}
        for name, slope in (("steep", 1.0), ("shallow", 0.5))
        for x in X
    }
    # Both curves lose .1: a magnitude of .1 for the steep curve, of .2 for the shallow one.
    changed = {key: {k: v - 0.1 for k, v in sets.items()} for key, sets in exact.items()}
    nuisance_by_measure = {
        m.measure: m.nuisance for m in rank(exact, nuisance=changed).errors[0].measures
    }
    steep, shallow = nuisance_by_measure["steep"], nuisance_by_measure["shallow"]
    assert steep is not None
    assert shallow is not None
    # At magnitude 1 the changed value lies beyond the curve, and its distance counts as 0.
    assert steep.magnitude == pytest.approx(0.1 * 4 / 5, abs=0.002)
    assert shallow.magnitude == pytest.approx(0.2 * 4 / 5, abs=0.002)
    assert (steep.points, steep.beyond) == (5, 1)


def test_json_has_the_promised_keys_and_no_nan() -> None:
    values = sweep({"a": 0.8, "b": 0.0})
    values |= {("e", "never", x): dict.fromkeys(range(12), math.nan) for x in X}
    document = json.loads(json.dumps(rank(values).as_dict(), allow_nan=False))
    assert set(document) >= {"documents", "level", "sets", "critical", "left_out", "errors"}
    error = document["errors"][0]
    assert set(error) >= {"error", "magnitudes", "measures"}
    assert set(error["measures"][0]) == {
        *("measure", "told", "step", "step_at", "ends", "used", "noise", "wrong", "undefined"),
        "rank",
    }


def test_the_map_shades_proven_differences_and_names_ranks() -> None:
    pytest.importorskip("matplotlib")
    ranking = rank(sweep({"steep": 1.0, "flat": 0.0}), documents=10)
    figure = ranking.plot()
    (image,) = figure.axes[0].images
    powers = [m.power for m in ranking.errors[0].measures]
    assert np.ravel(image.get_array()).tolist() == pytest.approx(powers)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["steep", "flat"]
    assert [text.get_text() for text in figure.axes[0].texts] == [".25;  1", "–;  2"]
    assert "D = 10 documents, 12 sets." in figure.caption
