import numpy as np
import pytest

from gammacp import Continuum, DataError, Unit
from gammacp.continuum.declaring import declare_annotators
from gammacp.measures.matching.slot_error_rate import slot_error_rate
from tests.measures import oracles


@pytest.mark.parametrize("draw", [oracles.disjoint, oracles.overlapping])
def test_the_cost_is_the_least_of_all_alignments(draw) -> None:
    rng = np.random.default_rng(1)
    for case in range(300):
        c = draw(rng, annotators=2 + case % 2, categories=2)
        if not c.n_units:
            continue
        score = slot_error_rate(c)
        assert len(score.pairs) == c.n_annotators * (c.n_annotators - 1)
        rates = []
        for p in score.pairs:
            cost, units = oracles.slot_error_counts(c, p.reference, p.hypothesis)
            t, b, tb = p.type_errors, p.boundary_errors, p.both_errors
            assert t / 2 + b / 2 + tb + p.insertions + p.deletions == cost, list(c)
            assert p.correct + t + b + tb + p.deletions == units
            assert len(p.aligned) == p.correct + t + b + tb
            assert len(set(p.aligned[:, 0].tolist())) == len(p.aligned)
            assert len(set(p.aligned[:, 1].tolist())) == len(p.aligned)
            rates.append(cost / units if units else (0 if not cost else np.nan))
        assert score.value == pytest.approx(1 - np.mean(rates), nan_ok=True)
        assert np.isnan(score.value) == (score.reason is not None)


def test_of_equally_cheap_alignments_the_one_with_more_overlap_is_taken() -> None:
    c = Continuum.from_units(
        [Unit("A", 0, 10, "a"), Unit("B", 0, 3, "a"), Unit("B", 3, 9, "a"), Unit("B", 9, 12, "a")]
    )
    assert slot_error_rate(c).pairs[0].aligned.tolist() == [[0, 2]]


def test_identical_annotators() -> None:
    units = [Unit(n, s, s + 5, None) for n in "ABC" for s in (0, 5, 3)]
    score = slot_error_rate(Continuum.from_units(units))
    assert (score.value, score.observed) == (1, 0)


def test_point_units_are_aligned_only_at_the_same_place() -> None:
    here = Continuum.from_units([Unit("A", 4, 4, "a"), Unit("B", 4, 4, "a")])
    assert slot_error_rate(here).value == 1
    inside = Continuum.from_units([Unit("A", 4, 4, "a"), Unit("B", 2, 6, "a")])
    assert slot_error_rate(inside).observed == 2


def test_an_empty_reference_is_undefined_and_two_empty_annotators_agree() -> None:
    c = Continuum.from_units([Unit("A", 0, 4, "a")], annotators=["A", "B"])
    score = slot_error_rate(c)
    assert np.isnan(score.value)
    assert score.reason == "B has no unit, so it cannot be a reference for A"
    assert score.pairs[0].rate == 1
    three = slot_error_rate(declare_annotators(c, ["C"]))
    assert next(p.rate for p in three.pairs if (p.reference, p.hypothesis) == ("B", "C")) == 0


def test_nothing_to_compare() -> None:
    with pytest.raises(DataError, match="needs two"):
        slot_error_rate(Continuum.from_units([Unit("A", 1, 9, "a")]))
