from itertools import combinations, pairwise

import krippendorff
import numpy as np
import pytest
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score

from gammacp import Continuum, DataError, Unit, UsageError
from gammacp.measures.unitizing.discretised import kappa_d
from tests.measures import oracles


def varied(seed: int, cases: int):
    """Yield continua in which every pair of annotators uses several labels, with their atoms."""
    rng = np.random.default_rng(seed)
    for case in range(cases):
        c = oracles.disjoint(rng, annotators=2 + case % 3)
        atoms = oracles.atoms(c)
        if c.n_units and all(len({*a, *b}) > 1 for a, b in combinations(atoms, 2)):
            yield c, atoms


def task(atoms: list[list[str]]) -> AnnotationTask:
    return AnnotationTask(
        [(str(a), str(p), label) for a, row in enumerate(atoms) for p, label in enumerate(row)]
    )


def test_alpha_over_positions() -> None:
    for c, atoms in varied(1, 300):
        expected = krippendorff.alpha(np.array(atoms), level_of_measurement="nominal")
        assert kappa_d(c, coefficient="alpha").value == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
def test_mean_pairwise_cohen_over_positions() -> None:
    for c, atoms in varied(2, 300):
        kappas = [cohen_kappa_score(a, b) for a, b in combinations(atoms, 2)]
        assert kappa_d(c, coefficient="cohen").value == pytest.approx(np.mean(kappas), abs=1e-12)


def test_fleiss_and_conger_over_positions() -> None:
    for c, atoms in varied(3, 60):
        oracle = task(atoms)
        assert kappa_d(c).value == pytest.approx(oracle.pi(), abs=1e-12)
        conger = kappa_d(c, coefficient="conger").value
        assert conger == pytest.approx(oracle.multi_kappa(), abs=1e-12)


def test_positions_may_be_real_numbers() -> None:
    c = oracles.disjoint(np.random.default_rng(4))
    moved = Continuum.from_units(
        [Unit(u.annotator, u.start / 3 + 0.1, u.end / 3 + 0.1, u.category) for u in c],
        bounds=(c.bounds[0] / 3 + 0.1, c.bounds[1] / 3 + 0.1),
    )
    for coefficient in ("fleiss", "cohen", "conger"):
        value = kappa_d(c, coefficient=coefficient).value
        assert kappa_d(moved, coefficient=coefficient).value == pytest.approx(value, abs=1e-12)
    # With real positions, there is no finite number of them to correct for.
    assert kappa_d(moved, coefficient="alpha").value == pytest.approx(kappa_d(c).value)


def test_perfect_agreement_is_exactly_one() -> None:
    units = [Unit(n, s / 7, s / 7 + 1 / 9, "a") for n in "ABC" for s in range(9)]
    c = Continuum.from_units(units)
    for coefficient in ("fleiss", "cohen", "conger", "alpha"):
        assert kappa_d(c, coefficient=coefficient).value == 1


def test_undefined_has_a_reason() -> None:
    whole = Continuum.from_units([Unit(n, 0, 9, "a") for n in "AB"])
    for coefficient in ("fleiss", "conger", "alpha"):
        score = kappa_d(whole, coefficient=coefficient)
        assert np.isnan(score.value)
        assert "one label" in score.reason
    three = Continuum.from_units([*whole, Unit("C", 2, 4, "a")])
    assert kappa_d(three).defined
    cohen = kappa_d(three, coefficient="cohen")
    assert np.isnan(cohen.value)
    assert cohen.reason == "Cohen's κ of A and B is undefined: both use one label throughout"
    points = Continuum.from_units([Unit(n, 4, 4, "a") for n in "AB"])
    assert "no length" in kappa_d(points).reason


def test_bad_input() -> None:
    c = Continuum.from_units([Unit("A", 0, 9, "a"), Unit("A", 8, 12, "a"), Unit("B", 0, 9, "a")])
    with pytest.raises(DataError, match="unit 8-12 of A overlaps unit 0-9 of A"):
        kappa_d(c)
    with pytest.raises(UsageError, match="there are: fleiss, cohen, conger, alpha"):
        kappa_d(c, coefficient="scott")


def test_a_single_label_is_undefined_in_spite_of_rounding() -> None:
    """Shares of lengths may not add up to exactly 1, but nothing can differ."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        cuts = np.sort(np.append(rng.random(5), [0.0, 1.0])) / 3
        units = [Unit(n, float(s), float(e), "a") for n in "AB" for s, e in pairwise(cuts)]
        score = kappa_d(Continuum.from_units(units))
        assert np.isnan(score.value)
        assert "one label" in (score.reason or "")
