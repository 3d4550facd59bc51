"""Calibration of continua with known errors, made by the shuffling tool."""

import math
from dataclasses import replace

import numpy as np
import pytest

from gammacp.campaign.calibrate import calibrate
from gammacp.campaign.calibrate.meaning import amount, phrase
from gammacp.continuum import Continuum, Unit
from gammacp.continuum.declaring import declare_read_until
from gammacp.continuum.selecting import keep_annotators
from gammacp.errors import DataError, UsageError
from shuffling import ReferenceModel, shuffle, shuffled_set

FAST = {"samples": 10, "sets": 3}
MODEL = ReferenceModel(n_units=20)


def test_a_planted_omission_is_recovered() -> None:
    continuum = shuffled_set(MODEL, "false-negative", 0.2, 2, seed=5)
    (equivalent,) = calibrate(continuum, errors=["false-negative"], **FAST).equivalents
    assert equivalent.low <= 0.2 <= equivalent.high
    assert equivalent.words.startswith("each annotator missed ")


@pytest.mark.parametrize(
    ("error", "planted"),
    [
        pytest.param("false-negative", 0.3, marks=pytest.mark.slow),
        pytest.param("split", 0.2, marks=pytest.mark.slow),
        pytest.param("false-positive", 0.3, marks=pytest.mark.slow),
    ],
)
def test_a_planted_error_is_recovered_although_it_distorts_the_learnt_model(
    error: str, planted: float
) -> None:
    """The planted magnitude lies in the interval, although the model is learnt from erroneous
    units.

    Lengths are log-normal. A model learnt as if there were no errors reads .34 for .20 splits.
    """
    rng = np.random.default_rng(8)
    documents = {}
    for d in range(4):
        lengths, gaps = np.round(3 + rng.lognormal(3, 0.6, 25)), np.round(rng.exponential(20, 25))
        starts = np.cumsum(lengths + gaps) - lengths
        labels = rng.choice(list("xyz"), 25)
        reference = Continuum.from_columns(["r"] * 25, labels, starts, starts + lengths)
        documents[f"d{d}"] = shuffle(reference, error, planted, 3, seed=d)
    (equivalent,) = calibrate(documents, errors=[error], samples=20).equivalents
    assert equivalent.magnitude is not None
    assert equivalent.magnitude.value == pytest.approx(planted, abs=0.07)
    assert equivalent.magnitude.low <= planted <= equivalent.magnitude.high
    assert equivalent.misfit < 0.05


@pytest.mark.slow
def test_less_than_one_error_per_annotator_may_be_none() -> None:
    """Half of the annotators split one of twenty units, so an interval includes no error.

    The shuffling tool rounds, so that no simulated annotator makes half an error.
    """
    rng, documents = np.random.default_rng(4), {}
    for d in range(4):
        starts = np.cumsum(rng.integers(10, 20, 20) + 5) - 15
        units = [Unit(a, s, s + 10, "xy"[i % 2]) for a in "ABC" for i, s in enumerate(starts)]
        for a in rng.choice(3, rng.integers(1, 3), replace=False):
            whole = units.pop(20 * int(a) + int(rng.integers(10)))
            cut = whole.start + 4
            for ends in ((whole.start, cut), (cut, whole.end)):
                units.append(Unit(whole.annotator, *ends, whole.category))
            units.sort(key=lambda u: u.annotator)
        documents[f"d{d}"] = Continuum.from_units(units)
    calibration = calibrate(documents, errors=["split"], samples=20)
    (split,) = calibration.equivalents
    assert split.least == pytest.approx(1 / 20, rel=0.05)
    assert split.low == 0.0
    assert split.least <= split.high < 1.5 * split.least
    assert 0 < split.amount < split.least
    assert "(0.0–" in split.words or "(less than " in split.words
    assert any("less than one error per annotator and document" in n for n in calibration.notes())


@pytest.mark.usefixtures("little_is_simulated")
def test_notes_name_the_annotators_who_did_not_read_to_the_end() -> None:
    units = [Unit(a, 10 * i, 10 * i + 8, "x") for a in "AB" for i in range(20 if a == "A" else 9)]
    half = declare_read_until(Continuum.from_units(units, bounds=(0, 200)), {"B": 90})
    calibration = calibrate(half, errors=["false-negative"], **FAST)
    assert calibration.unfinished == ("B",)
    assert any(n.startswith("B did not read to the end") for n in calibration.as_dict()["notes"])


@pytest.mark.usefixtures("little_is_simulated")
def test_a_flat_curve_gives_only_a_least_amount() -> None:
    documents = {f"d{i}": shuffled_set(MODEL, "split", 0.8, 3, index=i, seed=5) for i in range(3)}
    calibration = calibrate(documents, errors=["split"], **FAST)
    (split,) = calibration.equivalents
    assert math.isinf(split.high)
    assert 0.2 < split.low < 1.6
    assert "% (at least " in calibration.in_words()


@pytest.mark.usefixtures("little_is_simulated")
def test_an_error_that_cannot_explain_the_annotations_is_named() -> None:
    # Units are missing; split units would touch, and these never do.
    rng = np.random.default_rng(2)
    units = [
        Unit(a, 10 * i, 10 * i + 9, "x") for a in "ABC" for i in range(30) if rng.random() < 0.7
    ]
    continuum = Continuum.from_units(units, bounds=(0, 300))
    calibration = calibrate(continuum, errors=["split"], **FAST)
    (split,) = calibration.equivalents
    assert split.misfit > 0.1
    assert [
        n for n in calibration.notes() if n.startswith("split: annotators who make only this error")
    ]


def test_an_unknown_amount_is_not_printed() -> None:
    """One unit by each annotator allows any amount of position errors.

    Wrong labels are impossible, as there is one category.
    """
    continuum = Continuum.from_units([Unit("A", 0, 5, "x"), Unit("B", 1, 6, "x")])
    calibration = calibrate(continuum, errors=["category", "position"], **FAST)
    category, position = calibration.equivalents
    assert math.isinf(category.amount)
    assert category.words == ""
    assert "any amount, even 0 %" in position.words
    assert "beyond" not in calibration.in_words()


@pytest.mark.usefixtures("little_is_simulated")
def test_the_signature_names_the_simulated_errors() -> None:
    continuum = shuffled_set(replace(MODEL, n_units=6), "false-negative", 0.2, 2, seed=4)
    signatures = [
        calibrate(continuum, errors=errors, samples=5, sets=sets).signature
        for errors, sets in ((["category"], 3), (["category:overlap=true"], 3), (["category"], 4))
    ]
    assert len(set(signatures)) == 3
    assert "|calibrated:category|sets:3|" in str(signatures[0])


@pytest.mark.usefixtures("little_is_simulated")
def test_identical_annotators_need_no_error() -> None:
    continuum = shuffled_set(MODEL, "position", 0, 2, seed=1)
    calibration = calibrate(continuum, errors=["position"], **FAST)
    (position,) = calibration.equivalents
    assert (position.amount, position.low) == (0, 0)
    assert position.high > 0  # small shifts of whole positions leave no trace
    assert "agree perfectly" in calibration.in_words()


@pytest.mark.parametrize("same", [True, False])
def test_splits_of_units_of_one_token_have_no_amount(same: bool) -> None:
    """Units of one token cannot be split further, so the amount is undefined, with the reason."""
    units = [
        Unit(a, 3 * i, 3 * i + 1, "xyzx"[(i + (a == "B" and i == 1 and not same)) % 4])
        for a in "ABC"
        for i in range(30)
    ]
    (split,) = calibrate(Continuum.from_units(units), errors=["split"], **FAST).equivalents
    assert split.magnitude is None
    assert math.isnan(split.high)
    assert split.reason is not None
    assert "cannot be made: no unit left that can be cut" in split.reason


@pytest.mark.slow
def test_amounts_that_round_to_the_same_number_are_not_distinguished() -> None:
    """The interval holds all amounts from .083 to .117, which round to three errors of thirty."""
    documents = {
        f"d{i}": shuffle(
            shuffled_set(replace(MODEL, n_units=30), "position", 0, 1, index=i, seed=2),
            "false-positive",
            0.1,
            3,
            seed=i,
        )
        for i in range(4)
    }
    (added,) = calibrate(documents, errors=["false-positive"], **FAST).equivalents
    assert added.low <= 2.6 / 30
    assert added.high >= 3.4 / 30


@pytest.mark.usefixtures("little_is_simulated")
def test_annotations_that_one_error_cannot_explain_are_reported() -> None:
    # Wrong categories alone leave the positions in agreement.
    rng = np.random.default_rng(1)
    units = [
        Unit(a, s, s + 10, str(rng.choice(["x", "y"])))
        for a in "AB"
        for s in np.sort(rng.choice(2000, 15, replace=False)).tolist()
    ]
    calibration = calibrate(Continuum.from_units(units), errors=["category"], **FAST)
    (category,) = calibration.equivalents
    assert math.isinf(category.amount)
    assert category.reason is not None
    assert "even at magnitude 1" in category.reason
    assert "lower than any single kind of error" in calibration.in_words()


@pytest.mark.usefixtures("little_is_simulated")
def test_an_error_that_cannot_be_made_does_not_stop_the_others() -> None:
    # fixed-positions needs units at the same places, which omissions break.
    units = [
        Unit(a, 10 * i, 10 * i + 8, "xyzx"[(i + (a == "B" and i == 1)) % 4])
        for a in "AB"
        for i in range(12)
    ]
    calibration = calibrate(
        Continuum.from_units(units),
        errors=["category", "false-negative"],
        chance="fixed-positions",
        **FAST,
    )
    category, missed = calibration.equivalents
    assert category.reason is None
    assert missed.reason is not None
    assert "category" in calibration.in_words()


@pytest.mark.usefixtures("little_is_simulated")
def test_the_number_of_workers_changes_nothing() -> None:
    from concurrent.futures import ThreadPoolExecutor

    continuum = shuffled_set(replace(MODEL, n_units=10), "split", 0.1, 2, seed=2)
    here = calibrate(continuum, errors=["split"], **FAST)
    with ThreadPoolExecutor(2) as pool:
        calibration = calibrate(continuum, errors=["split"], executor=pool, **FAST)
    assert here.equivalents[0].magnitude == calibration.equivalents[0].magnitude


def test_amounts_in_the_users_terms() -> None:
    # M(m)_cc = 1 − m² + m²·p_c, so m²·(1 − Σp²) of the units change, with p = .4 .3 .2 .1.
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
        calibrate(keep_annotators(continuum, ["annotator-1"]))
