"""Calibration of continua whose errors are known, because the shuffling tool made them."""

import math

import numpy as np
import pytest

from gammacp.campaign.calibrate import calibrate
from gammacp.campaign.calibrate.meaning import amount, phrase
from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError, UsageError
from shuffling import ReferenceModel, shuffled_set

FAST = {"samples": 10, "sets": 3}
MODEL = ReferenceModel(n_units=20)


def test_a_known_omission_is_found_again() -> None:
    continuum = shuffled_set(MODEL, "false-negative", 0.2, 2, seed=4)
    (found,) = calibrate(continuum, errors=["false-negative"], **FAST).equivalents
    assert found.low <= 0.2 <= found.high
    assert found.words.startswith("each annotator missed ")


def test_identical_annotators_need_no_error() -> None:
    continuum = shuffled_set(MODEL, "position", 0, 2, seed=1)
    found = calibrate(continuum, errors=["position"], **FAST)
    assert found.equivalents[0].amount == 0
    assert "agree perfectly" in found.in_words()


def test_what_one_error_cannot_explain_is_said() -> None:
    # Wrong categories alone leave the positions in agreement.
    rng = np.random.default_rng(1)
    units = [
        Unit(a, s, s + 10, str(rng.choice(["x", "y"])))
        for a in "AB"
        for s in np.sort(rng.choice(2000, 15, replace=False)).tolist()
    ]
    found = calibrate(Continuum.from_units(units), errors=["category"], **FAST)
    (category,) = found.equivalents
    assert math.isinf(category.amount)
    assert category.reason is not None
    assert "even at magnitude 1" in category.reason
    assert "lower than any single kind of error" in found.in_words()


def test_an_error_that_cannot_be_made_does_not_stop_the_others() -> None:
    # fixed-positions needs everybody's units at the same places, which omissions break.
    units = [
        Unit(a, 10 * i, 10 * i + 8, "xyzx"[(i + (a == "B" and i == 1)) % 4])
        for a in "AB"
        for i in range(12)
    ]
    found = calibrate(
        Continuum.from_units(units),
        errors=["category", "false-negative"],
        chance="fixed-positions",
        **FAST,
    )
    category, missed = found.equivalents
    assert category.reason is None
    assert missed.reason is not None
    assert "category" in found.in_words()


def test_workers_do_not_change_anything() -> None:
    from concurrent.futures import ThreadPoolExecutor

    continuum = shuffled_set(MODEL, "position", 0.3, 2, seed=2)
    here = calibrate(continuum, errors=["position"], **FAST)
    with ThreadPoolExecutor(2) as pool:
        there = calibrate(continuum, errors=["position"], executor=pool, **FAST)
    assert here.equivalents[0].magnitude == there.equivalents[0].magnitude


def test_amounts_in_the_users_terms() -> None:
    # M(m)_cc = 1 − m² + m²·p_c, so m²·(1 − Σp²) of the units change: p = .4 .3 .2 .1.
    assert amount("category", 1.0, MODEL) == pytest.approx(1 - 0.3)
    assert amount("category", 0.5, MODEL) == pytest.approx(0.25 * 0.7)
    assert amount("false-negative", 0.3, MODEL) == 0.3
    assert amount("split:factor=2", 0.5, MODEL) == 1.0
    assert amount("false-positive", math.inf, MODEL) == math.inf
    assert phrase("position", "31 %") == (
        "each annotator's boundaries were off by up to ±31 % of the unit's length"
    )


def test_errors() -> None:
    continuum = shuffled_set(MODEL, "position", 0.3, 2, seed=2)
    with pytest.raises(UsageError, match="sets"):
        calibrate(continuum, sets=2)
    with pytest.raises(UsageError, match="unknown"):
        calibrate(continuum, errors=["typo"], samples=5)
    with pytest.raises(DataError, match="two annotators"):
        calibrate(continuum.only_annotators(["annotator-1"]))
