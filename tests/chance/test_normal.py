"""The chance model `statistical-normal`, against disorders of pygamma-agreement.

The continua are fixtures of dkpro-statistics for pygamma-agreement 0.5.9 (Apache-2.0;
dkpro-statistics-agreement/src/test/resources/pygamma), with the disorders of best alignments that
those files state.
"""

from dataclasses import replace

import numpy as np
import pytest

from gammacp import Combined, Continuum, DataError, Unit, align, gamma
from gammacp.chance.normal import NormalSampler, prepare_normal
from gammacp.continuum.declaring import declare_bounds
from gammacp.measures.settings import PRESETS

Rows = list[tuple[str, float, float, str]]


def rows(annotator: str, *units: tuple[float, float, str]) -> Rows:
    return [(annotator, *unit) for unit in units]


FIXTURES: dict[str, tuple[Rows, float]] = {
    "01": (
        rows("1", (1, 5, "a"), (6, 10, "b"), (11, 15, "a"))
        + rows("2", (2, 6, "a"), (7, 11, "b"), (12, 16, "a")),
        0.0625,
    ),
    "02": (
        rows("1", (1, 5, "a"), (6, 10, "b"), (20, 24, "a"), (30, 34, "b"))
        + rows("2", (2, 6, "a"), (31, 35, "b")),
        0.7083333134651184,
    ),
    "03": (
        [u for a in "12" for u in rows(a, (1, 5, "a"), (10, 15, "b"), (20, 25, "c"))],
        0.0,
    ),
    "04": (
        rows("1", (1, 5, "a"), (10, 14, "b"))
        + rows("2", (2, 6, "a"), (11, 15, "b"))
        + rows("3", (1, 4, "a"), (9, 14, "c")),
        0.40875643491744995,
    ),
    "05": (
        rows("1", *((1 + 10 * i, 6 + 10 * i, "abc"[i % 3]) for i in range(16)))
        + rows("2", *((2 + 10 * i, 8 + 10 * i, "abc"[(i + 1) % 3]) for i in range(16))),
        1.0743801593780518,
    ),
    "06": (
        rows("1", (1, 5, "a"), (6, 10, "b"), (11, 15, "c"))
        + rows("2", (2, 7, "a"), (8, 12, "b"), (11, 15, "a")),
        1.0277777910232544,
    ),
}
WEIGHTS = {"06": Combined(alpha=3, beta=2)}


def fixture(name: str, ahead: float = 0.0) -> Continuum:
    return Continuum.from_units(
        Unit(a, s + ahead, e + ahead, c) for a, s, e, c in FIXTURES[name][0]
    )


@pytest.mark.parametrize("name", FIXTURES)
def test_observed_disorders_to_single_precision(name: str) -> None:
    found = align(fixture(name), WEIGHTS.get(name)).disorder
    assert found == pytest.approx(FIXTURES[name][1], rel=2e-7, abs=1e-12)


# Mean of 4000 disorders of sets from the sampler of pygamma-agreement 0.5.9 (numpy.random.seed(1)),
# aligned by that package, with its standard error.
@pytest.mark.parametrize(
    ("name", "expected", "error"),
    [("02", 1.6034, 0.0086), ("04", 1.1458, 0.0073), ("06", 1.3580, 0.0104)],
)
def test_expected_disorders_of_the_preset(name: str, expected: float, error: float) -> None:
    """The expected disorder differs from pygamma-agreement's by at most four standard errors."""
    chance = PRESETS["pygamma"]["chance"]
    found = gamma(fixture(name), dissimilarity=WEIGHTS.get(name), chance=chance, samples=2000)
    assert found.expected == pytest.approx(expected, abs=4 * error * (1 + 2) ** 0.5)


def test_means_and_deviations_by_hand() -> None:
    """Fixture 02 has gaps 1, 10, 6 and 25, 1, and 2 from the beginning, and pygamma adds a 0."""
    made = prepare_normal([fixture("02")], 2)
    gaps = [0, 1, 10, 6, 25, 1, 2]
    assert made.number == (3, 1)
    assert made.gap == pytest.approx((np.mean(gaps), np.std(gaps)))
    assert made.length == (4, 0)
    assert (sorted(made.category_codes), made.sums) == ([0, 1], (0.5, 1))
    assert made.signature == "statistical-normal(from=0)"
    declared = prepare_normal([declare_bounds(fixture("02"), (1, 36))], 2)
    gaps = [0, 1, 10, 6, 25, 1]
    assert declared.gap == pytest.approx((np.mean(gaps), np.std(gaps)))
    assert declared.signature == "statistical-normal"


def test_a_late_beginning_is_a_gap_unless_bounds_are_declared() -> None:
    """A recording that begins late gets a better γ, as in pygamma-agreement, unless bounds are
    declared.
    """

    def value(ahead: float, *, declared: bool) -> float:
        c = fixture("04", ahead)
        c = declare_bounds(c, (ahead, ahead + 15)) if declared else c
        return gamma(c, chance="statistical-normal", samples=100).value

    assert value(1000, declared=False) > value(0, declared=False) + 0.1
    assert value(1024, declared=True) == pytest.approx(value(0, declared=True))


def test_at_least_one_annotator_has_a_unit() -> None:
    model = NormalSampler(("a",), 3, (0,), (1.0,), (0.0, 0.0), (1.0, 0.0), (2.0, 0.0))
    drawn = model.draw(np.random.default_rng(0))
    assert drawn.counts.tolist() == [1, 0, 0]
    assert [(u.start, u.end) for u in drawn] == [(1, 3)]
    before = replace(model, gap=(-5.0, 0.0)).draw(np.random.default_rng(0))
    assert before.bounds == (-5, 0)


def test_units_of_several_fragments_are_refused() -> None:
    broken = [Unit("A", 0, 9, "a", ((0, 2), (5, 9))), Unit("B", 0, 9, "a")]
    with pytest.raises(DataError, match=r"'statistical-normal' cannot be used.*several fragments"):
        prepare_normal([Continuum.from_units(broken)], 2)
