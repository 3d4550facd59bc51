import numpy as np
import pytest

from gammacp.campaign.consensus import consensus_of_each, reliability, soft_labels
from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError
from tests.campaign.consensus.test_weights import planted


def crowd(noise: float, people: int = 8) -> Continuum:
    """Return forty units that each annotator marks rightly, or anywhere with probability
    `noise`.
    """
    rng = np.random.default_rng(11)
    units = []
    for j in range(people):
        for i in range(40):
            start = 20.0 * i
            if rng.random() < noise:
                start = float(rng.integers(0, 790))
            units.append(Unit(f"p{j}", start, start + 8, "xyz"[i % 3]))
    return Continuum.from_units(units, bounds=(0, 800))


@pytest.mark.parametrize("weights", ["vote", "dawid-skene"])
def test_reliability_is_high_for_halves_that_agree_and_low_for_others(weights: str) -> None:
    perfect, good, bad = (
        reliability(consensus_of_each(crowd(noise), weights=weights), splits=3)
        for noise in (0.0, 0.3, 0.9)
    )
    assert perfect.value == 1
    assert perfect.people == (4, 4)
    assert 1 > good.value > bad.value
    assert "no formula says" in good.in_words()
    assert good.as_dict()["extrapolated"] is None


def test_the_consensus_of_many_is_more_reliable_than_that_of_a_few() -> None:
    few, many = (
        reliability(consensus_of_each(crowd(0.4, people), weights="vote"), splits=3).value
        for people in (4, 12)
    )
    assert many > few


def test_three_annotators_cannot_be_halved() -> None:
    with pytest.raises(DataError, match="no document has four annotators"):
        reliability(consensus_of_each(planted(3)[0]))


def test_soft_labels_by_hand() -> None:
    c = Continuum.from_units(
        [Unit("A", 0, 4, "x"), Unit("A", 2, 3, "x"), Unit("B", 2, 6), Unit("C", 5, 5, "y")],
        annotators=["A", "B", "C", "D"],
    )
    assert soft_labels(c) == [
        {"start": 0, "end": 2, "marked": 1 / 4, "shares": {"x": 1 / 4}},
        {"start": 2, "end": 3, "marked": 2 / 4, "shares": {"x": 1 / 4, "": 1 / 4}},
        {"start": 3, "end": 4, "marked": 2 / 4, "shares": {"x": 1 / 4, "": 1 / 4}},
        {"start": 4, "end": 5, "marked": 1 / 4, "shares": {"": 1 / 4}},
        {"start": 5, "end": 5, "marked": 1 / 4, "shares": {"y": 1 / 4}},
        {"start": 5, "end": 6, "marked": 1 / 4, "shares": {"": 1 / 4}},
    ]
