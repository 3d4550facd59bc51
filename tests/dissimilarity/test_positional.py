import numpy as np
import pytest

from gammacp import Combined, Continuum, Corpus, DataError, Unit, UsageError
from gammacp.datasets import load
from gammacp.dissimilarity import bind, unit_columns
from gammacp.testing import check_dissimilarity


def distance(u: tuple[float, float], v: tuple[float, float], name: str, delta: float = 1) -> float:
    c = Continuum.from_units([Unit("A", *u, None), Unit("B", *v, None)])
    units = unit_columns(c)
    return float(bind(Combined(positional=name, delta=delta), c).pairwise(units[0], units[1]))


def test_figure_10() -> None:
    """Values of figure 10 (Mathet et al. 2015) are A1-C2 22.2, A1-B2 3.24, A1-C1 1 and
    A2-B2 .11.
    """
    c = load("figure10")
    d = bind(Combined(beta=0), c)
    units = unit_columns(c)
    row = {(u.annotator, u.start): i for i, u in enumerate(c)}
    a1, a2, b2 = row["Joe", 4], row["Joe", 20], row["Jack", 20]
    c1, c2 = row["William", 14], row["William", 40]

    def between(i: int, j: int) -> float:
        return float(d.pairwise(units[i], units[j]))

    assert between(a1, c2) == pytest.approx(22.2, abs=0.05)
    assert between(a1, b2) == pytest.approx(3.24)
    assert between(a1, c1) == pytest.approx(1)
    assert between(a2, b2) == pytest.approx(1 / 9)
    assert between(b2, c1) == pytest.approx(0.218, abs=0.0005)
    assert between(a1, b2) > between(a1, c1) + between(c1, b2)


@pytest.mark.parametrize("delta", [1, 2.5, 4])
def test_touching_units_of_equal_length_cost_delta(delta: float) -> None:
    assert distance((0, 10), (10, 20), "sporadic", delta) == pytest.approx(delta)


def test_the_2011_form_ignores_delta_and_costs_4_for_touching_units() -> None:
    assert distance((0, 10), (10, 20), "sporadic-2011") == pytest.approx(4)
    assert distance((0, 10), (10, 20), "sporadic-2011", delta=4) == pytest.approx(4)
    assert distance((0, 10), (1, 12), "sporadic-2011") == pytest.approx((3 / 10.5) ** 2)


def test_zero_length_units() -> None:
    assert distance((5, 5), (5, 5), "sporadic") == 0
    assert distance((5, 5), (6, 6), "sporadic") == np.inf
    assert distance((5, 5), (4, 6), "sporadic") == 1


def test_hamming_is_scaled_by_the_mean_length_of_the_source() -> None:
    """The formula is |end − end| / (k/2) (Mathet et al. 2011, eq. 2)."""
    c = Continuum.from_units([Unit("A", 0, 4, None), Unit("B", 0, 8, None)])
    units = unit_columns(c)
    d = Combined(positional="hamming")
    assert float(bind(d, c).pairwise(units[0], units[1])) == pytest.approx(4 / 3)
    longer = Continuum.from_units([Unit("A", 0, 24, None)])
    corpus = Corpus.from_continua({"c": c, "longer": longer})
    assert float(bind(d, corpus).pairwise(units[0], units[1])) == pytest.approx(4 / 6)


def test_hamming_of_points_has_no_scale() -> None:
    c = Continuum.from_units([Unit("A", 4, 4, None)])
    with pytest.raises(DataError, match="no scale"):
        bind(Combined(positional="hamming"), c)


@pytest.mark.parametrize("name", ["sporadic", "sporadic-2011", "hamming"])
@pytest.mark.parametrize("delta", [1.0, 3.0])
def test_promises(name: str, delta: float) -> None:
    check_dissimilarity(Combined(positional=name, delta=delta))
    check_dissimilarity(Combined(positional=name, delta=delta, beta=0))


def test_unknown_name() -> None:
    c = load("dalton")
    with pytest.raises(UsageError, match="did you mean 'sporadic'"):
        bind(Combined(positional="sporadik"), c)
