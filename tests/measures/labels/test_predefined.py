from itertools import combinations

import krippendorff
import numpy as np
import pytest
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score

from gammacp import Continuum, DataError, Unit, UsageError
from gammacp.inference.bootstrap import bootstrap_interval
from gammacp.measures.labels.predefined import alpha, gwet_ac, kappa
from gammacp.measures.unitizing.krippendorff import cu_alpha


def labelled(values: np.ndarray) -> Continuum:
    """Return units of varying length with gaps; 0 is a missing label."""
    return Continuum.from_units(
        Unit(f"a{a}", i * 10, i * 10 + 2 + i % 5, str(v) if v else None)
        for a, row in enumerate(values)
        for i, v in enumerate(row)
    )


def draws(seed: int, cases: int, lowest: int = 1):
    rng = np.random.default_rng(seed)
    for case in range(cases):
        yield rng.integers(lowest, 5, size=(2 + case % 4, 7))


@pytest.mark.parametrize("metric", ["nominal", "interval", "ratio"])
def test_alpha_with_missing_labels(metric: str) -> None:
    for values in draws(1, 150, lowest=0):
        known = np.where(values, values, np.nan).astype(float)
        if len(set(values.ravel())) < 3:
            continue
        expected = krippendorff.alpha(known, level_of_measurement=metric)
        assert alpha(labelled(values), metric=metric).value == pytest.approx(expected, nan_ok=True)


def test_kappas() -> None:
    for values in draws(2, 40):
        c = labelled(values)
        rows = [(str(a), str(i), v) for a, row in enumerate(values) for i, v in enumerate(row)]
        task = AnnotationTask(rows)
        cohen = np.mean([cohen_kappa_score(a, b) for a, b in combinations(values, 2)])
        assert kappa(c).value == pytest.approx(task.pi())
        assert kappa(c, coefficient="conger").value == pytest.approx(task.multi_kappa())
        assert kappa(c, coefficient="cohen").value == pytest.approx(cohen)
        assert kappa(c, coefficient="alpha").value == pytest.approx(alpha(c).value)


# Ratings by unit (rows) and annotator, with 0 for missing; AC1 and AC2 with quadratic weights are
# from irrCAC.
IRR_CAC = [
    ([[1, 0], [2, 3], [3, 0], [2, 3], [1, 3], [3, 0]], -0.398058252427184, -0.161290322580645),
    (
        [[0, 1, 0], [2, 1, 3], [3, 3, 0], [2, 3, 0], [1, 2, 3], [2, 3, 1]],
        -0.187628865979381,
        -0.008,
    ),
    ([[1, 1], [2, 2], [3, 4], [4, 3], [1, 4]], 0.20353982300885, 0.149484536082474),
]


@pytest.mark.parametrize(("ratings", "ac1", "ac2"), IRR_CAC)
def test_ac_is_that_of_irr_cac(ratings: list[list[int]], ac1: float, ac2: float) -> None:
    c = labelled(np.array(ratings).T)
    assert gwet_ac(c).value == pytest.approx(ac1, abs=1e-12)
    assert gwet_ac(c, metric="interval").value == pytest.approx(ac2, abs=1e-12)


def test_ac_of_a_prevailing_label() -> None:
    """AC is high although κ is about 0 where 18 of 20 units are alike, the paradox it was
    made for.
    """
    values = np.ones((2, 20), dtype=int)
    values[0, 0] = values[1, 1] = 2
    # By hand, P_a = .9 and π = (.95, .05), so P_e = 2(.95)(.05) = .095.
    assert gwet_ac(labelled(values)).value == pytest.approx((0.9 - 0.095) / (1 - 0.095))
    assert kappa(labelled(values)).value < 0
    constant = gwet_ac(labelled(np.ones((2, 4), dtype=int)))
    assert np.isnan(constant.value)
    assert "two categories" in str(constant.reason)
    assert gwet_ac(labelled(np.array([[1, 0], [0, 2]]))).reason == (
        "no unit is labelled by two annotators"
    )


def test_example_of_krippendorff_2011() -> None:
    # Krippendorff (2011), "Computing Krippendorff's alpha-reliability", A: binary, two observers.
    values = [[int(x) + 1 for x in row] for row in ("0100000000", "1110010010")]
    assert round(alpha(labelled(np.array(values))).value, 3) == 0.095


def test_equal_units_give_cu_alpha() -> None:
    for values in draws(3, 20):
        c = Continuum.from_units(
            Unit(f"a{a}", i * 10, i * 10 + 4, str(v))
            for a, row in enumerate(values)
            for i, v in enumerate(row)
        )
        assert cu_alpha(c).value == pytest.approx(alpha(c).value)


def test_user_matrix_and_bootstrap() -> None:
    values = np.array([[1, 2, 3, 4, 1, 2], [1, 2, 3, 3, 2, 2]])
    c = labelled(values)
    squared = [[(i - j) ** 2 for j in range(4)] for i in range(4)]
    score = alpha(c, metric=squared, bootstrap=500)
    assert score.value == pytest.approx(alpha(c, metric="interval").value)
    assert score.bootstrap is not None
    assert score.bootstrap[0] <= score.value <= score.bootstrap[1]


def test_bootstrap_draws_as_many_pairs_as_there_are() -> None:
    """A unit labelled by three annotators has three pairs, one labelled by two has one pair."""
    score = alpha(labelled(np.array([[1, 2, 1, 2], [1, 2, 2, 2], [1, 1, 1, 0]])), bootstrap=300)
    assert score.expected is not None
    observed = score.observed_coincidences
    for pairs, same in ((10, True), (9, False), (13, False)):
        found = bootstrap_interval(
            observed, 1 - np.eye(2), score.expected, pairs=pairs, resamples=300, seed=0
        )
        assert (found == score.bootstrap) == same


def test_bad_input() -> None:
    elsewhere = Continuum.from_units([Unit("A", 0, 4, "a"), Unit("B", 0, 5, "a")])
    twice = Continuum.from_units([Unit(n, 0, 4, x) for n in "AB" for x in "ab"])
    unlabelled = Continuum.from_units([Unit("A", 0, 4, None), Unit("B", 0, 4, "a")])
    for function in (alpha, kappa, gwet_ac):
        with pytest.raises(DataError, match="A and B have units at different places"):
            function(elsewhere)
        with pytest.raises(DataError, match="0-4 is marked twice"):
            function(twice)
    with pytest.raises(DataError, match="unit 0-4 of A has no category"):
        kappa(unlabelled)
    assert alpha(unlabelled).reason == "no unit is labelled by two annotators"
    with pytest.raises(UsageError, match="coefficient 'scott' is unknown"):
        kappa(elsewhere, coefficient="scott")


def test_a_single_label_is_undefined() -> None:
    c = labelled(np.ones((2, 4), dtype=int))
    for score in (alpha(c), kappa(c), kappa(c, coefficient="cohen")):
        assert np.isnan(score.value)
        assert score.reason
