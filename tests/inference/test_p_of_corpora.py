"""The p-value of a corpus, within and over its documents, by hand from the random sets."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.measures import within
from gammacp.measures.gamma import gamma
from gammacp.measures.gamma_corpus import CorpusGamma, gamma_on
from gammacp.measures.random_sets import Basis
from gammacp.measures.settings import Settings


def document(seed: int, shared: float, units: int = 6) -> Continuum:
    """Return two annotators who share a part of their units."""
    rng = np.random.default_rng(seed)
    rows = []
    places = np.sort(rng.uniform(0, 200, units))
    for a in "AB":
        own = np.where(rng.random(units) < shared, places, rng.uniform(0, 200, units))
        rows += [Unit(a, float(s), float(s) + 8, "xy"[int(s) % 2]) for s in own]
    return Continuum.from_units(rows, bounds=(0, 210))


def measured(
    n: int, shared: float, chance: str, samples: int = 30, units: int = 6
) -> tuple[CorpusGamma, Basis]:
    continua = {f"d{k}": document(k, shared, units) for k in range(n)}
    basis = Basis(Corpus.from_continua(continua), Settings.of(chance=chance, samples=samples))
    found = gamma_on(Corpus.from_continua(continua), basis)
    return found, basis


def sums(basis: Basis) -> tuple[list[float], list[np.ndarray]]:  # type: ignore[type-arg]
    own = [
        c.mean_units * a.disorder
        for c, a in zip(basis.continua, basis.align(basis.continua), strict=True)
    ]
    sets = [c.mean_units * basis.chance(c).expected.disorders for c in basis.continua]
    return own, sets


def test_p_within_documents_counts_all_exchanges() -> None:
    found, basis = measured(3, 0.4, "cut", samples=6)
    own, sets = sums(basis)
    totals = [sum(v) for v in product(*([o, *s] for o, s in zip(own, sets, strict=True)))]
    assert found.p == pytest.approx(np.mean([t <= sum(own) + 1e-9 for t in totals]))
    assert found.least_p == pytest.approx(1 / 7**3)
    assert found.as_dict()["p"] == found.p
    assert found.as_dict()["least_p"] == found.least_p
    assert any("Agreement above 0: p = " in s for s in found.in_words())


def test_one_document_cannot_go_below_one_in_thirty_one() -> None:
    found = gamma(document(1, 1.0), samples=30)
    assert found.p == found.least_p == pytest.approx(1 / 31)


def test_p_over_documents_is_a_t_test_of_documents_and_sets() -> None:
    found, basis = measured(9, 0.0, "documents", samples=40, units=8)
    weights = np.array([c.mean_units for c in basis.continua])
    disorders = np.array([a.disorder for a in basis.align(basis.continua)])
    chance = basis.chance(basis.continua[0]).expected
    sets = chance.disorders
    # With equal weights, g = (o − mean)/(n − 1).
    assert len(set(weights)) == 1
    assert chance.weights is None or len(set(chance.weights)) == 1
    e = sets.mean()
    v, w = 9 * disorders.var() / 8**2 / e**2, 40 * sets.var() / 39**2 / e**2
    ratio = disorders.mean() / e
    plain = math.sqrt(v + w)
    logs = math.sqrt(v / ratio**2 + w) * (ratio - 1) / math.log(ratio)
    dfs = [(x + y) ** 2 / (x**2 / 8 + y**2 / 39) for x, y in ((v, w), (v / ratio**2, w))]
    expected = stats.t.sf((1 - ratio) / max(plain, logs), min(dfs))
    assert found.p == pytest.approx(expected)
    assert found.least_p is None


def test_four_documents_have_no_p_over_documents() -> None:
    found, _ = measured(4, 0.5, "documents")
    assert found.p is None
    assert not any("Agreement above 0" in s for s in found.in_words())


def test_p_within_is_exact_and_p_between_is_not_significant() -> None:
    found, basis = measured(6, 0.7, "documents", samples=30)
    assert found.within is not None
    assert found.between is not None
    drawn = basis.chance_within(basis.continua).expected
    order = sorted(range(6), key=lambda i: basis.continua[i].n_units)
    sets = [drawn.disorders[drawn.strata == order.index(i)] for i in range(6)]
    assert {len(s) for s in sets} == {drawn.samples // 6}
    own = [a.disorder for a in basis.align(basis.continua)]
    rng = np.random.default_rng(0)
    totals = sum(rng.choice([o, *s], 20000) for o, s in zip(own, sets, strict=True))
    assert found.within.p == pytest.approx(np.mean(totals <= sum(own) + 1e-9), abs=0.01)
    assert found.within.least_p == pytest.approx(max(1e-4, 1 / (len(sets[0]) + 1) ** 6))
    # All documents hold as many units of the same kinds, so the documents do not differ.
    assert (found.between.p or 0) > 0.05
    assert "not shown to be above 0" in " ".join(found.in_words())


def test_only_annotators_who_read_get_a_small_p() -> None:
    apart, together = (measured(12, s, "cut", samples=10)[0].p for s in (0.0, 0.8))
    assert (together or 1) <= 0.001
    assert (apart or 0) > 0.05


def test_strata_of_several_documents_have_no_p(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(within, "MOST_STRATA", 5)
    found, _ = measured(6, 0.7, "documents")
    assert found.within is not None
    assert (found.within.p, found.within.least_p) == (None, None)
