"""Repeated sessions of the same person: values by hand, and names by column, pattern and folder."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gammacp.campaign.compare import Comparison, compare
from gammacp.campaign.compare.sessions import Sessions, WithOneself, people_of
from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError, UsageError
from tests.conftest import Run

PATTERN = "{annotator}-{session}"
# Shift of each session; units are 10 long and 40 apart, so that d = (difference / 10)².
SHIFTS = {"Ann-1": 0, "Ann-2": 1, "Bob-1": 3, "Bob-2": 4}


def document(shifts: dict[str, float]) -> Continuum:
    return Continuum.from_units(
        [Unit(a, 40 * k + s, 40 * k + s + 10) for a, s in shifts.items() for k in range(8)],
        bounds=(0, 330),
    )


def comparison(continua: dict[str, Continuum], **options: object) -> Comparison:
    return compare(continua, samples=25, chance="cut", draws=0, session=PATTERN, **options)


def test_the_two_factors_are_exact() -> None:
    """By hand, D_intra is .1² for both people, and D_inter the mean of .3², .4², .2², .3²."""
    full_comparison = comparison({"d": document(SHIFTS), "e": document(SHIFTS)})
    assert full_comparison.sessions is not None
    a = full_comparison.sessions.all
    assert a.disorder_ratio == pytest.approx(np.mean([0.09, 0.16, 0.04, 0.09]) / 0.01)
    assert 1 - a.inter == pytest.approx((1 - a.intra) * (1 - a.between))
    assert 1 - a.between == pytest.approx(a.disorder_ratio / a.expected_ratio)
    # all mark alike, so only the error of chance is left
    assert a.expected_ratio == pytest.approx(1, abs=0.15)
    assert [p.person for p in full_comparison.sessions.people] == ["Ann", "Bob"]


def test_all_other_values_are_of_the_first_sessions() -> None:
    continua = {"d": document(SHIFTS), "e": document({"Ann-2": 0, "Bob-1": 3})}
    full_comparison = comparison(continua)
    alone = compare(
        {"d": document({"Ann": 0, "Bob": 3}), "e": document({"Ann": 0, "Bob": 3})},
        samples=25, chance="cut", draws=0,
    )  # fmt: skip
    assert full_comparison.pairs.annotators == ("Ann", "Bob")
    assert full_comparison.overall.value == pytest.approx(alone.overall.value)
    assert "sessions=first" in full_comparison.overall.score.signature
    assert full_comparison.sessions is not None
    assert full_comparison.sessions.all.documents == 1


@pytest.mark.slow
def test_inconsistent_people_are_named_as_the_cause() -> None:
    """No test finds people different if their own sessions differ as much as people do."""
    rng = np.random.default_rng(3)
    continua = {f"d{i}": document({a: float(rng.uniform(0, 6)) for a in SHIFTS}) for i in range(12)}
    sessions = comparison(continua).sessions
    assert sessions is not None
    assert sessions.all.p > 0.05
    assert "each person's own inconsistency" in sessions.in_words()


@pytest.mark.slow
def test_people_who_all_changed_their_ways_are_found() -> None:
    """A two-sided test finds people who are nearer to others than to themselves.

    In the second session everybody marks later.
    """
    rng = np.random.default_rng(3)
    later = {"Ann-1": 0, "Bob-1": 0, "Ann-2": 5, "Bob-2": 5}
    continua = {
        f"d{i}": document({a: s + float(rng.uniform(0, 0.5)) for a, s in later.items()})
        for i in range(12)
    }
    sessions = comparison(continua).sessions
    assert sessions is not None
    assert sessions.all.p < 0.01
    assert sessions.all.between > 0
    assert "They agree with themselves worse than with others" in sessions.in_words()


@pytest.mark.slow
def test_consistent_people_who_differ_are_found() -> None:
    rng = np.random.default_rng(3)
    continua = {
        f"d{i}": document({a: s + float(rng.uniform(0, 0.5)) for a, s in SHIFTS.items()})
        for i in range(12)
    }
    sessions = comparison(continua).sessions
    assert sessions is not None
    assert sessions.all.p < 0.01
    assert all(p.p <= p.p_holm < 0.05 for p in sessions.people)
    assert "better than with others (p" in sessions.in_words()


def test_names_are_people_and_sessions() -> None:
    assert people_of(["Ann-1", "x-y-2", "Bob"], PATTERN) == {
        "Ann-1": ("Ann", "1"), "x-y-2": ("x-y", "2"), "Bob": ("Bob", "")
    }  # fmt: skip
    for wrong in (
        "{annotator}",
        "{session}",
        "{person}-{session}",
        "{annotator}{annotator}-{session}",
    ):
        with pytest.raises(UsageError):
            people_of(["Ann"], wrong)
    with pytest.raises(DataError, match="nobody annotated a document twice"):
        comparison({"d": document({"Ann": 0, "Bob": 3})})


def rows(shifts: dict[str, float], *, column: bool) -> str:
    lines = ["annotator,category,start,end" + ",when" * column]
    for name, s in shifts.items():
        who, when = name.split("-")
        prefix = f"{who},x," if column else f"{name},x,"
        lines += [f"{prefix}{40 * k + s},{40 * k + s + 10}" + f",{when}" * column for k in range(8)]
    return "\n".join(lines) + "\n"


def test_a_column_a_pattern_and_a_folder_give_the_same(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text(rows(SHIFTS, column=True))
    (tmp_path / "two.csv").write_text(rows(SHIFTS, column=False))
    for name, shift in SHIFTS.items():
        who, when = name.split("-")
        folder = tmp_path / "folders" / when / who
        folder.mkdir(parents=True)
        starts = [40 * k + shift for k in range(8)]
        (folder / "one.ann").write_text(
            "".join(f"T{k}\tx {s} {s + 10}\t-\n" for k, s in enumerate(starts))
        )
    sources = (
        ("one.csv", "--session", "when"),
        ("two.csv", "--session", PATTERN),
        ("folders", "--layout", "{session}/{annotator}/{document}", "--session", PATTERN),
    )
    quick = ("--samples", 5, "--no-interval", "--chance", "cut", "--json")
    records = [
        json.loads(run("compare", tmp_path / name, *how, *quick).out)["sessions"]["all"]
        for name, *how in sources
    ]
    assert records[0] == records[1] == records[2]
    assert records[0]["disorder_ratio"] == pytest.approx(9.5)
    shown = run("compare", tmp_path / "one.csv", *sources[0][1:], *quick[:-1])
    assert "γ with oneself" in shown.out
    page = tmp_path / "page.html"
    asked = ("report", tmp_path / "one.csv", *sources[0][1:], "--samples", 5, "-o", page)
    assert run(*asked).code == 0
    assert "The same people twice" in page.read_text(encoding="utf-8")


def test_wrong_sessions(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "u.csv"
    path.write_text(rows(SHIFTS, column=True))
    assert run("compare", path, "--session", "{annotator}").code == 2
    assert run("compare", path, "--session", "nothing").code == 3


def test_undefined_values_have_their_reason_in_words() -> None:
    nothing = dict.fromkeys(("inter", "between", "disorder_ratio", "expected_ratio"), np.nan)
    alone = WithOneself(person="", documents=6, intra=0.5, **nothing)
    assert "γ = 0.500; with others there is no γ." in Sessions(all=alone, people=()).in_words()
    none = Sessions(all=replace(alone, documents=0, intra=np.nan), people=()).in_words()
    assert none.startswith("γ of people with themselves is undefined")
    assert "nan" not in none
