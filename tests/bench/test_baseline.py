from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_ind

from gammacp.bench.baseline import compare, extent_of, read_curves
from gammacp.bench.table import Point, point_of, write_curves
from gammacp.errors import DataError, UsageError


def point(values: Sequence[float], magnitude: float = 0.5, measure: str = "gamma") -> Point:
    return point_of("split", measure, magnitude, list(values))


def test_a_single_point_is_welchs_test() -> None:
    rng = np.random.default_rng(1)
    one, two = rng.normal(0.5, 0.1, 12), rng.normal(0.6, 0.3, 20)
    (moved,), compared = compare([point(one)], [point(two)], level=1.1)
    assert moved.p == pytest.approx(ttest_ind(one, two, equal_var=False).pvalue, rel=1e-12)
    assert (moved.what, moved.magnitude, compared) == ("mean", 0.5, 1)
    assert (moved.baseline, moved.now) == (one.mean(), two.mean())


def test_false_alarms_are_as_rare_as_the_level_says() -> None:
    """Curves of 21 points from the same distribution: at most 5 % ± noise raise an alarm."""
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(300):
        before, now = ([point(rng.beta(3, 2, 10), m / 20) for m in range(21)] for _ in range(2))
        moved, _ = compare(before, now, level=0.05)
        alarms += bool(moved)
    assert alarms <= 15 + 3 * math.sqrt(15)


def test_a_move_beyond_noise_is_found_where_it_is() -> None:
    rng = np.random.default_rng(3)
    before = [point(rng.normal(0.5, 0.05, 40), m / 20) for m in range(21)]
    now = [point(rng.normal(0.55 if m == 7 else 0.5, 0.05, 40), m / 20) for m in range(21)]
    (moved,), _ = compare(before, now)
    assert moved.magnitude == 0.35


def test_points_without_spread_must_agree() -> None:
    same, moved = point([1, 1, 1]), point([0.999, 0.999, 0.999])
    assert compare([same], [same])[0] == []
    assert [d.p for d in compare([same], [moved])[0]] == [0]
    rounded = point([1 - 1e-12] * 3)
    assert compare([same], [rounded])[0] == []


def test_one_value_says_nothing_about_noise() -> None:
    assert compare([point([0.1])], [point([0.9, 0.8, 0.7])])[0] == []


def test_undefined_sets_are_compared_by_their_number() -> None:
    nan = math.nan
    mostly = point([0.5, 0.6, *[nan] * 18])
    never = point([0.5, 0.6] * 10)
    (moved,), _ = compare([mostly], [never])
    assert (moved.what, moved.baseline, moved.now) == ("undefined", 18, 0)
    gone = point([nan] * 20)
    assert [d.what for d in compare([never], [gone])[0]] == ["undefined"]
    assert compare([gone], [gone])[0] == []


def test_nothing_in_common_is_an_error() -> None:
    with pytest.raises(UsageError, match="share no point"):
        compare([point([1, 1])], [point([1, 1], 0.25)])


def test_a_baseline_is_read_as_it_was_written(tmp_path: Path) -> None:
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
        ("a,b\n1,2\n", r"b\.csv: no column 'error'"),
        ("error,magnitude,measure,mean,sd,sets,undefined\n", r"b\.csv: no rows"),
        ("error,magnitude,measure,mean,sd,sets,undefined\ns,x,g,1,0,2,0\n", r"b\.csv:2: .*'x'"),
        ("error,magnitude,measure,mean,sd,sets,undefined\ns,0,g,1\n", r"b\.csv:2: "),
    ],
)
def test_bad_baselines_are_errors(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "b.csv").write_text(text)
    with pytest.raises(DataError, match=told):
        read_curves(tmp_path / "b.csv")
