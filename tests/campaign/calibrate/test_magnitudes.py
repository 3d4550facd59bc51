"""Magnitudes of single annotators: closed forms, hand-made slots and planted errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from gammacp.alignment import align
from gammacp.campaign.calibrate.latent import Patterns, rates_of, variances, wrong_labels
from gammacp.campaign.calibrate.magnitudes import (
    ERRORS,
    Magnitudes,
    magnitudes_in,
    magnitudes_of,
)
from gammacp.campaign.calibrate.slots import slots_of
from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError
from shuffling import ReferenceModel, reference_set, shuffle

Places = Sequence[tuple[float, float]]


def continuum(**places: Places) -> Continuum:
    """Return units of one category at the places of each annotator."""
    return Continuum.from_units(
        [Unit(who, s, e, "x") for who, units in places.items() for s, e in units],
        annotators=list(places),
    )


def row(n: int, start: float = 0.0) -> list[tuple[float, float]]:
    """Return units of length 10 with gaps of 2."""
    return [(start + 12 * k, start + 12 * k + 10) for k in range(n)]


def read(*documents: Continuum) -> Magnitudes:
    return magnitudes_in([align(c) for c in documents])


def amounts(found: Magnitudes, who: str) -> dict[str, float | None]:
    return {e: found.of(who, e).amount for e in ERRORS}


def patterns(counts: dict[str, float]) -> Patterns:
    """Return slots by pattern: "110" is a slot of the first two of three annotators."""
    rows = [[c == "1" for c in key] for key in counts for _ in range(round(counts[key]))]
    present = np.array(rows)
    everybody = np.ones_like(present)
    return Patterns.of(present, everybody, np.zeros(len(rows), np.int32), 1)


def test_rates_of_three_have_a_closed_form() -> None:
    """The rate of one of three annotators is its share of the slots that both others have.

    A slot that two annotators have is real; the remaining formulas follow by hand.
    """
    counts = {"111": 400, "011": 100, "101": 50, "110": 20, "100": 30, "010": 25, "001": 40}
    rates = rates_of(patterns(counts), np.ones(1))
    have = 1 - np.array([100 / 500, 50 / 450, 20 / 420])
    assert rates.failing == pytest.approx(1 - have, abs=1e-6)
    # The expected number of slots that all have is the product of the three rates.
    real = 400 / have.prod()
    lone = [have[k] * np.delete(1 - have, k).prod() * real for k in range(3)]
    added = (np.array([30, 25, 40]) - lone) / real
    assert rates.adding == pytest.approx(added, abs=1e-6)
    assert rates.real == pytest.approx([real] * 3, rel=1e-6)


def test_rates_of_four_are_the_most_likely() -> None:
    """No rates nearby have a greater likelihood, which is computed here independently."""
    rng = np.random.default_rng(5)
    counts = {format(k, "04b"): int(rng.integers(3, 60)) for k in range(1, 16)}
    counts["1111"] = 500
    rates = rates_of(patterns(counts), np.ones(1))

    def likelihood(failing: np.ndarray, adding: np.ndarray) -> float:
        chances = {}
        for key in counts:
            has = np.array([c == "1" for c in key])
            chances[key] = float(np.where(has, 1 - failing, failing).prod())
            if has.sum() == 1:
                chances[key] += float(adding[has.argmax()])
        whole = sum(chances.values())
        return sum(n * math.log(chances[key] / whole) for key, n in counts.items())

    best = likelihood(rates.failing, rates.adding)
    for which in range(8):
        for step in (-0.002, 0.002):
            failing, adding = rates.failing.copy(), rates.adding.copy()
            (failing if which < 4 else adding)[which % 4] += step
            if (adding >= 0).all():
                assert likelihood(failing, adding) < best


def test_variances_of_three_have_a_closed_form() -> None:
    mean = np.array([[0, 5.0, 6.0], [5.0, 0, 3.0], [6.0, 3.0, 0]])
    counts = np.array([[0, 10, 40], [10, 0, 20], [40, 20, 0]])
    estimates = variances(mean * counts, counts)
    assert estimates == pytest.approx([(5 + 6 - 3) / 2, (5 + 3 - 6) / 2, (6 + 3 - 5) / 2])
    two = variances(np.array([[0, 4.0], [4.0, 0]]), np.array([[0, 2], [2, 0]]))
    assert np.isnan(two).all()


def test_wrong_labels_of_one_among_three_annotators() -> None:
    """Two annotators who always agree reveal the share of wrong labels of the third: 300
    of 2000.
    """
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 4, 2000)
    labels = np.stack([truth, truth, truth], axis=1).astype(np.int32)
    labels[:300, 2] = (labels[:300, 2] + 1 + rng.integers(0, 3, 300)) % 4
    shares = wrong_labels(labels, 4, np.ones(2000))
    assert shares == pytest.approx([0, 0, 0.15], abs=0.002)


def test_joins_are_charged_to_the_one_who_joins() -> None:
    """Max joins three of nine boundaries of ten units: .3 per unit, counted by hand."""
    joined = [(0, 22), (24, 58), *row(10)[5:]]
    c = continuum(Ann=row(10), Bob=row(10), Max=joined)
    slots = slots_of(c, align(c).groups)
    assert sorted(map(tuple, slots.boundaries.tolist())) == [(1, 1, 0)] * 3 + [(1, 1, 1)] * 6
    estimates = read(c)
    assert amounts(estimates, "Max")["merge"] == pytest.approx(0.3, abs=1e-6)
    for who in ("Ann", "Bob"):
        amounts_of_one = [v for v in amounts(estimates, who).values() if v is not None]
        assert amounts_of_one == pytest.approx([0] * 5, abs=1e-6)
    for error in ERRORS[1:]:
        if error != "category":
            assert estimates.of("Max", error).amount == pytest.approx(0, abs=1e-6)


def test_splits_misses_and_additions_are_charged_to_their_author() -> None:
    halves = [(0, 4), (4, 10), (12, 15), (15, 22), *row(10)[2:]]
    cut = read(continuum(Ann=row(10), Bob=halves, Max=row(10)))
    assert amounts(cut, "Bob")["split"] == pytest.approx(0.2, abs=1e-6)
    missed = read(continuum(Ann=row(10)[2:], Bob=row(10), Max=row(10)))
    assert amounts(missed, "Ann")["false-negative"] == pytest.approx(0.2, abs=1e-6)
    more = [*row(10), (200, 210), (230, 240)]
    added = read(continuum(Ann=row(10), Bob=row(10), Max=more))
    assert amounts(added, "Max")["false-positive"] == pytest.approx(0.2, abs=1e-6)
    for estimates, guilty, error in (
        (cut, "Bob", "split"),
        (missed, "Ann", "false-negative"),
        (added, "Max", "false-positive"),
    ):
        for one in estimates.people:
            if (one.annotator, one.error) != (guilty, error) and one.amount is not None:
                assert one.amount == pytest.approx(0, abs=1e-6)


def test_two_who_split_the_same_unit_do_not_make_the_third_a_joiner() -> None:
    units = row(4)
    one = [*units[:2], (24, 26), (26, 34), units[3]]
    other = [*units[:2], (24, 32), (32, 34), units[3]]
    estimates = read(continuum(Ann=one, Bob=other, Max=units))
    assert estimates.of("Max", "merge").amount == pytest.approx(0, abs=0.01)
    assert (estimates.of("Ann", "split").amount or 0) > 0.1
    assert (estimates.of("Bob", "split").amount or 0) > 0.1


def test_two_additions_side_by_side_do_not_confirm_each_other() -> None:
    """Two additions that the best alignment joins, but that share two of ten positions, stay
    additions.
    """
    ann, bob = [*row(10), (200, 210)], [*row(10), (208, 218)]
    estimates = read(continuum(Ann=ann, Bob=bob, Max=row(10)))
    assert estimates.of("Ann", "false-positive").amount == pytest.approx(0.1, abs=1e-6)
    assert estimates.of("Max", "false-negative").amount == pytest.approx(0, abs=1e-6)


@pytest.fixture(scope="module")
def planted() -> list[Continuum]:
    """Return five documents in which Ann joins, Bob splits and Max misses .12 of 25 units each."""
    model = ReferenceModel()
    documents = []
    for number in range(5):
        reference = reference_set(model, index=number, seed=3)
        units: list[Unit] = []
        mistakes = (("Ann", "merge", 0.12), ("Bob", "split", 0.06), ("Max", "false-negative", 0.12))
        for k, (who, error, magnitude) in enumerate(mistakes):
            seed = np.random.SeedSequence([7, number, k])
            shuffled = shuffle(reference, error, magnitude, 1, model=model, seed=seed)
            units += [replace(u, annotator=who) for u in shuffled]
        documents.append(Continuum.from_units(units, annotators=["Ann", "Bob", "Max"]))
    return documents


def test_intervals_hold_the_planted_magnitudes(planted: list[Continuum]) -> None:
    estimates = read(*planted)
    guilty = {("Ann", "merge"), ("Bob", "split"), ("Max", "false-negative")}
    for one in estimates.people:
        if one.error == "position":
            continue
        amount = 0.12 if (one.annotator, one.error) in guilty else 0.0
        assert one.interval is not None
        assert one.interval[0] <= amount + 1e-9
        assert amount <= one.interval[1]
        assert (one.interval[0] > 0.02) == bool(amount)


def test_mirrored_and_renamed_campaigns_have_the_same_magnitudes(
    planted: list[Continuum],
) -> None:
    names = {"Ann": "Zoe", "Bob": "Yan", "Max": "Abe"}
    mirrored = [
        Continuum.from_units(
            [Unit(names[u.annotator], 5000 - u.end, 5000 - u.start, u.category) for u in c],
            annotators=sorted(names.values()),
        )
        for c in planted
    ]
    estimates, other = read(*planted), read(*mirrored)
    for one in estimates.people:
        same = other.of(names[one.annotator], one.error)
        assert same.amount == pytest.approx(one.amount, abs=1e-6)
        assert same.interval == pytest.approx(one.interval, abs=1e-5)


def test_too_few_documents_or_annotators_are_reported() -> None:
    three = continuum(Ann=row(10), Bob=row(10), Max=row(9))
    two = continuum(Ann=row(10), Bob=row(9))
    estimates = read(three, three, two)
    assert estimates.documents == 2
    assert estimates.left_out == 1
    assert all(one.interval is None and one.reason for one in estimates.people)
    assert any("fewer than 3 annotators" in note for note in estimates.notes())
    assert any("no interval" in note for note in estimates.notes())
    alone = read(two)
    assert all(one.amount is None and one.reason for one in alone.people)
    assert alone.as_dict()["people"][0]["amount"] is None


def test_one_annotator_is_refused_with_the_way_to_more() -> None:
    alone = Continuum.from_units([Unit("Ann", 0, 4, "x")])
    with pytest.raises(DataError, match=r"only Ann.*Read the other annotators' files"):
        magnitudes_of({"one": alone, "two": alone})


def test_units_in_pieces_are_refused_with_their_number() -> None:
    units = [Unit(who, 0, 9, "x", ((0, 3), (5, 9))) for who in ("Ann", "Bob", "Max")]
    with pytest.raises(DataError, match="3 units have several fragments"):
        magnitudes_of(Continuum.from_units(units))
