"""Numbers of ELAN, BORIS and GSEQ: by hand, by BORIS itself, and by iterative fitting."""

from __future__ import annotations

import math
import random
from itertools import product
from typing import Any

import numpy as np
import pytest

import gammacp as gc
from gammacp.observers.measures import staccato
from gammacp.testing import check_measure

NAMES = (
    "easydiag-kappa",
    "overlap-ratio",
    "time-unit-kappa",
    "event-alignment-kappa",
    "nw-identity",
    "boundaries",
)


def continuum(*rows: tuple[str, float, float, str | None]) -> gc.Continuum:
    return gc.Continuum.from_units([gc.Unit(a, s, e, c) for a, s, e, c in rows])


def value(name: str, units: gc.Continuum, **options: Any) -> float:
    return gc.measure(units, [name], **options)[name].value


def sequence(annotator: str, codes: str) -> list[tuple[str, float, float, str]]:
    return [(annotator, k, k + 0.5, code) for k, code in enumerate(codes)]


@pytest.mark.parametrize("name", NAMES)
def test_measures_pass_their_checker(name: str) -> None:
    check_measure(name)


# Staccato 1.0.0 with 20,000 random sets or more: nominations, number of them in nuclei, degree.
STACCATO = [
    ("A 0 3000, A 4000 7000, A 7000 10000, B 0 100", 2, 0.03729),
    ("A 0 1000, B 0 3000, B 4000 7000, B 7000 10000", 2, -0.1119),
    ("A 0 1000, A 1900 3000, B 900 2000", 0, -1.0),
    ("A 0 700, A 700 900, A 800 850, B 750 850, B 700 800", 0, -1.0),
]


@pytest.mark.parametrize(("nominations", "inside", "degree"), STACCATO)
def test_staccato_is_that_of_elan(nominations: str, inside: int, degree: float) -> None:
    rows = [line.split() for line in nominations.split(", ")]
    units = continuum(*((a, float(s), float(e), None) for a, s, e in rows))
    score = gc.measure(units, ["staccato"])["staccato"]
    assert score.observed is not None
    assert score.observed * len(rows) == pytest.approx(inside)
    assert score.value == pytest.approx(degree, abs=0.03)
    assert score.interval is not None
    assert score.interval[0] - 0.02 <= degree <= score.interval[1] + 0.02


def test_staccato_without_room_and_of_seconds() -> None:
    alike = [("A", 0.0, 10.0, "a"), ("B", 0.0, 10.0, "b")]
    whole = gc.measure(continuum(*alike), ["staccato"])["staccato"]
    assert math.isnan(whole.value)
    assert "always lie in nuclei, or never" in str(whole.reason)
    units = continuum(("A", 0, 1000, None), ("A", 5000, 6000, None), ("B", 0, 1000, None))
    scaled = gc.Continuum.from_units(
        [gc.Unit(u.annotator, u.start / 1000, u.end / 1000, None) for u in units], offset_unit="s"
    )
    assert value("staccato", units) == value("staccato", scaled)
    assert value("staccato", units, samples=7) != value("staccato", units)
    with pytest.raises(gc.UsageError, match="samples 0 < 1"):
        staccato(units, samples=0)


def test_staccato_begins_where_the_recording_does() -> None:
    """Random units lie between the lower bound (0 if undeclared) and the last end.

    Moving the units together with the bound changes nothing. Moving the units alone gives random
    units more room, so that fewer of them lie in nuclei.
    """
    units = [gc.Unit("A", 5, 9), gc.Unit("A", 12, 15), gc.Unit("B", 5, 8), gc.Unit("B", 20, 26)]
    late = [gc.Unit(u.annotator, u.start + 512, u.end + 512) for u in units]
    from_bound, moved_with_bound, moved_alone = (
        value("staccato", gc.Continuum.from_units(rows, bounds=(low, 600)))
        for rows, low in ((units, 0), (late, 512), (late, 0))
    )
    assert from_bound == moved_with_bound == value("staccato", gc.Continuum.from_units(units))
    assert moved_alone == value("staccato", gc.Continuum.from_units(late)) > from_bound


LINKED = continuum(
    ("A", 0, 10, "a"), ("A", 20, 30, "b"), ("A", 40, 50, "a"), ("B", 0, 9, "a"), ("B", 20, 30, "a")
)


def test_easydiag_by_hand() -> None:
    score = gc.measure(LINKED, ["easydiag-kappa"])["easydiag-kappa"]
    assert (score.observed, score.expected) == pytest.approx((2 / 5, 0.48))
    assert score.value == pytest.approx(-0.08 / 0.52)
    # Without unlinked units, a–a and b–a are left: P_o = 1/2 = P_e.
    assert value("easydiag-kappa", LINKED, unlinked=False) == pytest.approx(0)
    # If 95 % must be in common, the first two units are not linked either, and nothing agrees.
    strict = gc.measure(LINKED, ["easydiag-kappa"], overlap=0.95)["easydiag-kappa"]
    assert strict.observed == 0


def test_easydiag_links_the_closest_pair() -> None:
    units = continuum(("A", 0, 10, "a"), ("B", 0, 8, "b"), ("B", 1, 10, "a"))
    # Overlap is 90 % with the second unit and 80 % with the first.
    assert gc.measure(units, ["easydiag-kappa"])["easydiag-kappa"].observed == pytest.approx(2 / 3)


# Two tiers; ELAN's value of the first compared with the second, and of the reverse (None: equal).
RATIOS = [
    ("0 10 20 30", "5 10 18 30 40 50", (5 / 10 + 10 / 12) / 3, None),
    ("0 10", "0 4 5 10", (5 / 10) / 2, (4 / 10) / 2),
    # 0–10 overlaps both units of the other tier, and is linked to 0–6, with which it shares more.
    # The reverse begins with 0–6 and gives the same links.
    ("0 10 10 20", "0 6 6 20", (6 / 10 + 10 / 14) / 2, None),
    ("0 10", "2 4 4 12", (6 / 12) / 2, (2 / 10) / 2),
]


@pytest.mark.parametrize(("first", "second", "forward", "backward"), RATIOS)
def test_overlap_ratio(first: str, second: str, forward: float, backward: float | None) -> None:
    rows = []
    for annotator, tier in (("A", first), ("B", second)):
        ends = [float(x) for x in tier.split()]
        pairs = zip(ends[::2], ends[1::2], strict=True)
        rows += [(annotator, s, e, None) for s, e in pairs]
    expected = forward if backward is None else (forward + backward) / 2
    assert value("overlap-ratio", continuum(*rows)) == pytest.approx(expected)


def expected_by_fitting(table: np.ndarray[Any, Any]) -> float:
    """Return P_e by iterative proportional fitting, as Holle & Rein do.

    The fit begins with ones, and 0 for (∅, ∅).
    """
    fit = np.ones(table.shape)
    fit[-1, -1] = 0
    with np.errstate(invalid="ignore"):
        for _ in range(3000):
            fit *= np.nan_to_num(table.sum(axis=1) / fit.sum(axis=1))[:, None]
            fit *= np.nan_to_num(table.sum(axis=0) / fit.sum(axis=0))
    return float(np.trace(fit[:-1, :-1]) / table.sum())


@pytest.mark.parametrize("seed", range(5))
def test_easydiag_is_the_limit_of_fitting(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_categories = 3  # also the index of ∅, the missing partner of an unlinked unit
    rows = []
    slot = 0
    table = np.zeros((n_categories + 1, n_categories + 1))
    for i, j in product(range(n_categories + 1), repeat=2):
        if (i, j) == (n_categories, n_categories):
            continue
        for _ in range(int(rng.integers(1, 5))):
            for annotator, code in (("A", i), ("B", j)):
                if code < n_categories:
                    rows.append((annotator, 10 * slot, 10 * slot + 5, "xyz"[code]))
            # A link counts twice, an unlinked unit once.
            table[i, j] += 1 if n_categories in (i, j) else 2
            slot += 1
    score = gc.measure(continuum(*rows), ["easydiag-kappa"])["easydiag-kappa"]
    assert score.observed == pytest.approx(np.trace(table) / table.sum())
    assert score.expected == pytest.approx(expected_by_fitting(table), abs=1e-9)


def test_one_category_has_no_kappa() -> None:
    same = continuum(("A", 0, 1, "a"), ("B", 0, 1, "a"))
    for name in ("easydiag-kappa", "event-alignment-kappa"):
        score = gc.measure(same, [name])[name]
        assert math.isnan(score.value)
        assert "no disagreement can be expected" in str(score.reason)


def test_time_units_by_hand() -> None:
    units = continuum(("A", 0, 4, "x"), ("A", 5, 9, "y"), ("B", 0, 5, "x"), ("B", 6, 9, "y"))
    # 9 of 10 times are alike; .5·.6 + .5·.4 are so by chance.
    assert value("time-unit-kappa", units) == pytest.approx((0.9 - 0.5) / 0.5)
    assert value("time-unit-kappa", units, tolerance=1) == 1
    assert value("time-unit-kappa", units, tolerance=0.9) == pytest.approx(0.8)
    late = continuum(("A", 0, 4, "x"), ("B", 1, 4, "x"))
    assert value("time-unit-kappa", late) == pytest.approx(0)
    half = continuum(("A", 0, 0, "x"), ("A", 4, 4, "y"), ("B", 0.5, 0.5, "x"), ("B", 4, 4, "y"))
    # x–––y and xx––y, as a point counts within half a unit: .8 are alike, .36 by chance.
    assert value("time-unit-kappa", half, unit=1) == pytest.approx(0.44 / 0.64)


def test_time_units_of_milliseconds() -> None:
    rows = [gc.Unit("A", 0, 4000, "x"), gc.Unit("B", 1000, 4000, "x")]
    units = gc.Continuum.from_units(rows, offset_unit="ms")
    assert "unit:1000" in gc.measure(units, ["time-unit-kappa"])["time-unit-kappa"].signature


# Cohen's κ and the Needleman–Wunsch identity of BORIS 9 (boris/irr.py) for these events.
BORIS = [
    ("0 2.5 x, 4 9 y", "0 3 x, 4.5 9 y, 10 12 x", 1, 0.43, 64.28571428571429),
    ("0 2.5 x, 4 9 y", "0 3 x, 4.5 9 y, 10 12 x", 0.5, 0.582, 73.07692307692307),
    ("0 4 x, 3 6 y, 8 10 z", "1 4 x, 5 6 z, 8 10 z", 1, 0.402, 58.333333333333336),
]


def events(annotator: str, text: str) -> list[tuple[str, float, float, str]]:
    rows = [entry.split() for entry in text.split(", ")]
    return [(annotator, float(s), float(e), c) for s, e, c in rows]


@pytest.mark.parametrize(("first", "second", "unit", "kappa", "identity"), BORIS)
def test_values_are_those_of_boris(
    first: str, second: str, unit: float, kappa: float, identity: float
) -> None:
    units = continuum(*events("A", first), *events("B", second))
    assert value("time-unit-kappa", units, unit=unit) == pytest.approx(kappa, abs=6e-4)
    assert value("nw-identity", units, unit=unit) == pytest.approx(identity / 100)


def test_event_alignment_by_hand() -> None:
    units = continuum(*sequence("A", "xyz"), *[("B", 0, 1, "x"), ("B", 7, 9, "z")])
    assert value("event-alignment-kappa", units) == pytest.approx(4 / 7)


def best_score(a: str, b: str) -> int:
    """Return the score of the best alignment, by trying every one."""
    if not a or not b:
        return -len(a) - len(b)
    paired = best_score(a[1:], b[1:]) + (1 if a[0] == b[0] else -1)
    return max(paired, best_score(a[1:], b) - 1, best_score(a, b[1:]) - 1)


def test_sequences_are_aligned_optimally() -> None:
    from gammacp.observers.sequence_alignment import align_sequences

    rng = random.Random(7)
    for _ in range(40):
        a, b = ("".join(rng.choices("xyz", k=rng.randint(1, 6))) for _ in range(2))
        codes = [np.array(["xyz".index(c) for c in text], np.int32) for text in (a, b)]
        pairs = align_sequences(*codes)
        for side, text in zip(pairs.T, (a, b), strict=True):
            assert sorted(side[side >= 0].tolist()) == list(range(len(text)))
        scores = [1 if min(i, j) >= 0 and a[i] == b[j] else -1 for i, j in pairs.tolist()]
        assert sum(scores) == best_score(a, b)


def test_boundaries_by_hand() -> None:
    units = continuum(("A", 0, 10, "x"), ("A", 20, 30, "x"), ("B", 1, 10, "x"), ("B", 20, 33, "x"))
    score = gc.measure(units, ["boundaries"], tolerance=1)["boundaries"]
    assert score.value == 0.5
    assert (
        "onsets differ by +0.5 on average (sd 0.5; mean absolute difference 0.5; 2 aligned pairs, "
        "the annotator later in the list minus the earlier)" in score.notes
    )
    assert (
        "offsets differ by +1.5 on average (sd 1.5; mean absolute difference 1.5; 2 aligned pairs, "
        "the annotator later in the list minus the earlier)" in score.notes
    )
    apart = gc.measure(continuum(("A", 0, 1, "x"), ("B", 50, 51, "x")), ["boundaries"])
    assert apart["boundaries"].reason == "no two units are aligned"


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("easydiag-kappa", {"overlap": 0.0}, r"overlap 0 is outside \(0, 1\]"),
        ("time-unit-kappa", {"unit": 0.0}, "time unit 0 is too short for a length of 50"),
        ("time-unit-kappa", {"unit": 1e-9}, "is too short for a length of 50"),
        ("boundaries", {"tolerance": -1.0}, "tolerance -1"),
    ],
)
def test_impossible_options_are_refused(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(gc.UsageError, match=message):
        gc.measure(LINKED, [name], **options)


def test_a_sequence_that_is_too_long_has_a_reason_and_others_are_measured() -> None:
    day = continuum(("A", 0, 86_400_000, "x"), ("B", 5, 86_400_000, "x"), ("B", 9, 99, "y"))
    scores = gc.measure(day, ["time-unit-kappa", "nw-identity", "easydiag-kappa"])
    assert "time unit 1 is too short" in str(scores["time-unit-kappa"].reason)
    assert "`unit=`" in str(scores["nw-identity"].reason)
    assert not math.isnan(scores["easydiag-kappa"].value)
    fine = gc.measure(LINKED, ["nw-identity"], unit=0.001)["nw-identity"]
    assert "sequences of 50001 and 50001 are too long" in str(fine.reason)
