from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_ind, ttest_rel

from gammacp.bench.baseline import compare, compare_paired, extent_of, read_curves
from gammacp.bench.curves import Point, point_of, write_curves
from gammacp.errors import DataError, UsageError


def point(values: Sequence[float], magnitude: float = 0.5, measure: str = "gamma") -> Point:
    return point_of("split", measure, magnitude, list(values))


def test_a_single_point_is_welchs_test() -> None:
    rng = np.random.default_rng(1)
    one, two = rng.normal(0.5, 0.1, 12), rng.normal(0.6, 0.3, 20)
    comparison = compare([point(one)], [point(two)], level=1.1)
    (moved,) = comparison.moved
    compared = comparison.compared
    assert moved.p == pytest.approx(ttest_ind(one, two, equal_var=False).pvalue, rel=1e-12)
    assert (moved.what, moved.magnitude, compared) == ("mean", 0.5, 1)
    assert (moved.baseline, moved.now) == (one.mean(), two.mean())


def test_false_alarms_are_as_rare_as_the_level() -> None:
    """At most 5 % of comparisons of equal distributions raise an alarm, within three standard
    errors.
    """
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(300):
        before, now = ([point(rng.beta(3, 2, 10), m / 20) for m in range(21)] for _ in range(2))
        alarms += bool(compare(before, now, level=0.05).moved)
    assert alarms <= 15 + 3 * math.sqrt(15)


def test_a_move_beyond_noise_is_found_where_it_is() -> None:
    rng = np.random.default_rng(3)
    before = [point(rng.normal(0.5, 0.05, 40), m / 20) for m in range(21)]
    now = [point(rng.normal(0.55 if m == 7 else 0.5, 0.05, 40), m / 20) for m in range(21)]
    (moved,) = compare(before, now).moved
    assert moved.magnitude == 0.35


def test_points_without_spread_must_agree() -> None:
    same, moved = point([1, 1, 1]), point([0.999, 0.999, 0.999])
    assert compare([same], [same]).moved == ()
    assert [d.p for d in compare([same], [moved]).moved] == [0]
    rounded = point([1 - 1e-12] * 3)
    assert compare([same], [rounded]).moved == ()


def test_one_value_says_nothing_about_noise() -> None:
    comparison = compare([point([0.1])], [point([0.9, 0.8, 0.7])])
    assert (comparison.moved, comparison.compared, comparison.untested) == ((), 1, 1)
    comparison = compare([point([0.1]), point([1], 0)], [point([0.9]), point([1], 0)])
    assert (comparison.moved, comparison.compared, comparison.untested) == ((), 2, 2)


def test_one_value_is_compared_with_a_point_without_spread() -> None:
    comparison = compare([point([1, 1, 1])], [point([0.9])])
    assert ([d.p for d in comparison.moved], comparison.untested) == ([0], 0)


def test_level_0_finds_nothing_and_reports_numbers() -> None:
    rng = np.random.default_rng(5)
    before, now = ([point(rng.beta(3, 2, 10), m / 4) for m in range(5)] for _ in range(2))
    assert len(compare(before, now, level=0.01).detectable) == 1
    assert compare(before, now, level=0).detectable == ()


def test_undefined_sets_are_compared_by_their_number() -> None:
    nan = math.nan
    mostly = point([0.5, 0.6, *[nan] * 18])
    never = point([0.5, 0.6] * 10)
    (moved,) = compare([mostly], [never]).moved
    assert (moved.what, moved.baseline, moved.now) == ("undefined", 18, 0)
    gone = point([nan] * 20)
    assert [d.what for d in compare([never], [gone]).moved] == ["undefined"]
    assert compare([gone], [gone]).moved == ()


def test_points_that_only_one_has_are_counted() -> None:
    before = [point([1, 1], m) for m in (0.0, 0.5, 1.0)]
    now = [point([1, 1], m) for m in (0.5, 0.75)]
    for comparison in (compare(before, now), compare_paired(before, now, None, {})):
        assert (comparison.compared, comparison.only_baseline, comparison.only_now) == (1, 2, 1)


def test_curves_without_common_points_are_an_error() -> None:
    with pytest.raises(UsageError, match="share no point"):
        compare([point([1, 1])], [point([1, 1], 0.25)])


def test_a_written_baseline_is_read_back(tmp_path: Path) -> None:
    written = [point([0.1, 0.7]), point([math.nan], 1.0, "gamma-k[a,b]"), point([0.5], 0.1)]
    write_curves(written, tmp_path / "split.csv")
    read = read_curves(tmp_path / "split.csv")
    assert [repr(p) for p in read] == [repr(p) for p in written]
    extent = extent_of(read)
    assert extent.measures == ("gamma", "gamma-k")
    assert (extent.errors, extent.magnitudes, extent.sets) == (("split",), (0.1, 0.5, 1.0), 2)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a,b\n1,2\n", r"b\.csv:1: there is no column 'error'; there are: a, b\. A baseline is"),
        ("error,magnitude,measure,mean,sd,sets,undefined\n", r"b\.csv: no rows"),
        ("error,magnitude,measure,mean,sd,sets,undefined\ns,x,g,1,0,2,0\n", r"b\.csv:2: .*'x'"),
        ("error,magnitude,measure,mean,sd,sets,undefined\ns,0,g,nan,0,2,0\n", r"2: .*'nan' is not"),
        ("\xe9", r"b\.csv:1: byte 0xe9 is not UTF-8"),
        ("error,magnitude,measure,mean,sd,sets,undefined\ns,0,g,1\n", r"b\.csv:2: "),
    ],
)
def test_bad_baselines_are_errors(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "b.csv").write_text(text, "latin-1")
    with pytest.raises(DataError, match=told):
        read_curves(tmp_path / "b.csv")


def values(**points: Sequence[float]) -> dict[tuple[str, str, float], dict[int, float]]:
    """Return values of single sets as a store gives them, by measure, at magnitude 0.5."""
    return {
        ("split", name, 0.5): dict(enumerate(points_of_one))
        for name, points_of_one in points.items()
    }


def test_the_same_sets_must_give_the_same_values() -> None:
    """A shift far below the noise between sets is found in 38 of 40 paired values.

    The p-value is that of scipy's paired t-test.
    """
    rng = np.random.default_rng(4)
    before = rng.normal(0.5, 0.2, 40)
    after = before + 0.01
    after[:2] = before[:2]
    assert compare([point(before)], [point(after)]).moved == ()
    (moved,) = compare_paired([point(before)], [point(after)], None, {}).moved
    assert (moved.what, moved.baseline, moved.now) == ("mean", before.mean(), after.mean())
    comparison = compare_paired(
        [point(before)], [point(after)], values(gamma=before), values(gamma=after)
    )
    assert comparison.moved[0].p == pytest.approx(ttest_rel(before, after).pvalue, rel=1e-9)
    assert comparison.largest == comparison.moved[0]
    curve, sets = [point(before)], values(gamma=before)
    same = compare_paired(curve, curve, sets, sets)
    assert (same.moved, same.compared, same.paired) == ((), 1, True)


def test_sets_that_move_without_their_mean_are_reported() -> None:
    before, after = [0.4, 0.6, 0.5], [0.6, 0.4, 0.5]
    curves = [point(before)], [point(after)]
    (moved,) = compare_paired(*curves, values(gamma=before), values(gamma=after)).moved
    assert (moved.what, moved.p) == ("sets", 1)
    # Mean and deviation are the same, so nothing moves if single sets are not given.
    assert compare_paired(*curves, None, {}).moved == ()


def test_the_same_sets_are_compared_where_both_stores_have_them() -> None:
    before, after = [0.4, 0.6, 0.5], [0.4, 0.6]
    with pytest.raises(UsageError, match=r"baseline of 3 sets, sweep of 2, .*`sets=` 3"):
        compare_paired([point(before)], [point(after)], None, {})
    comparison = compare_paired(
        [point(before)], [point(after)], values(gamma=before), values(gamma=after)
    )
    assert comparison.moved == ()
    gone = [0.4, math.nan]
    (moved,) = compare_paired(
        [point(before)], [point(gone)], values(gamma=before), values(gamma=gone)
    ).moved
    assert (moved.what, moved.baseline, moved.now) == ("undefined", 0, 1)


@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_curves_may_have_a_byte_order_mark(tmp_path: Path, coding: str) -> None:
    (tmp_path / "b.csv").write_text(
        "error,magnitude,measure,mean,sd,sets,undefined\ns,0,g,1,,2,0\n", coding
    )
    assert [p.mean for p in read_curves(tmp_path / "b.csv")] == [1]
