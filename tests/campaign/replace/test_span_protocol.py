"""The span protocol: hand counts, the JSON of the single commands, and undefined values."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gammacp.campaign.replace.counts import counts_among, unit_counts
from gammacp.campaign.replace.span_protocol import span_protocol
from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError, UsageError
from tests.conftest import Run

FEW = ("--samples", "5")
TABLE = """document,annotator,category,start,end
d1,Ann,x,0,10
d1,Bea,x,0,10
d1,bot,x,5,10
d2,Ann,x,0,4
d2,Bea,y,0,4
d2,bot,y,0,4
d3,Ann,,,
d3,Bea,x,8,12
d3,bot,,,
d4,Ann,x,3,6
d4,Ann,y,7,9
d4,Bea,x,3,6
d4,bot,x,20,30
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "spans.csv"
    path.write_text(TABLE, "utf-8")
    return path


def document(**units: list[tuple[float, float, str | None]]) -> Continuum:
    """Return a continuum of the named annotators, including those without units."""
    rows = [Unit(a, s, e, c) for a, some in units.items() for s, e, c in some]
    return Continuum.from_units(rows, annotators=tuple(units))


def numbers(run: Run, *arguments: object) -> dict[str, Any]:
    result = run(*map(str, arguments), "--json")
    assert result.code == 0, result.err
    document: dict[str, Any] = json.loads(result.out)
    return document


def test_numbers_are_those_counted_by_hand(run: Run, file: Path) -> None:
    """The pairs of bot with Ann and with Bea are summed over four documents."""
    protocol = numbers(run, "replace", file, "--candidate", "bot", "--protocol", *FEW)["protocol"]
    bot = protocol["candidates"]["bot"]
    # The bot's 3 units count twice, and the people have 4 + 4. Two pairs match in d1, one in d2.
    assert protocol["f1"] == "f1-category"
    assert bot["f1-category"]["value"] == pytest.approx(2 * 3 / (6 + 8))
    # The same three pairs match, and the bot's unit in d1 is half as long as theirs, so soft counts
    # are ½.
    assert bot["soft-f1"]["recall"] == pytest.approx(3 / 6)
    assert bot["soft-f1"]["precision"] == pytest.approx(2 / 8)
    assert bot["soft-f1"]["value"] == pytest.approx(1 / 3)
    # Presence of any unit: bot and Ann always agree, bot and Bea except in d3. A pair weighs half a
    # document, so there are 8 values, 6.5 of them present: D_o = 1/8, D_e = 2·6.5·1.5/(8·7).
    assert bot["presence"]["value"] == pytest.approx(1 - (1 / 8) / (2 * 6.5 * 1.5 / 56))
    # The bot has 1, 1, 0, 1 units; the people have 1, 1, ½, 1½ in the mean.
    counts = bot["counts"]
    assert (counts["documents"], counts["own"], counts["others"]) == (4, 0.75, 1.0)
    assert (counts["own_marked"], counts["others_marked"]) == (0.75, 0.875)
    assert counts["r"] == pytest.approx(0.5 / math.sqrt(0.75 * 0.5))
    by_hand = [[1, 0, 0, 1, 0, 0, 1, 0], [1, 0, 0.5, 0.5, 0.5, 0, 1, 0.5]]
    assert counts["r_by_category"] == pytest.approx(np.corrcoef(by_hand)[0, 1])
    people = protocol["people"]
    # Ann and Bea have two matches of 4 and 4 units. Ann has units in all documents, Bea in three.
    assert people["f1-category"]["value"] == pytest.approx(0.5)
    assert people["presence"]["value"] == pytest.approx(0.0)
    assert people["counts"]["own"] == pytest.approx(1.0)
    assert people["counts"]["r"] is None
    assert people["counts"]["reason"] == "all documents have the same number of units"


def test_values_are_those_of_the_single_commands(run: Run, file: Path) -> None:
    table = file.read_text("utf-8") + "d1,other,x,0,9\nd2,other,y,0,4\n"
    file.write_text(table, "utf-8")
    named = ("--candidate", "bot", "--candidate", "other", "--min-documents", "2")
    printed = numbers(run, "replace", file, *named, "--protocol", *FEW)
    whole = numbers(run, "replace", file, *named)
    for name, absent in (("bot", "other"), ("other", "bot")):
        mine = printed["protocol"]["candidates"][name]
        assert mine["replace"] == whole["candidates"][name]
        options = ("--exclude", absent, "--reference", name, *FEW)
        gamma = numbers(run, "measure", file, "-m", "gamma", *options)["corpus"]["measures"][
            "gamma"
        ]
        assert mine["gamma"] == gamma
        f1 = ("-m", "soft-f1,f1-category", "--beyond-chance")
        single = numbers(run, "measure", file, *f1, *options)["corpus"]["measures"]
        assert {key: mine[key] for key in single} == single
    rest = {key for key in whole if key not in ("candidates", "score", "unproven", "signature")}
    assert {key: printed[key] for key in rest} == {key: whole[key] for key in rest}


def test_a_single_person_leaves_everything_but_the_test(run: Run, file: Path) -> None:
    one = ("replace", str(file), "--candidate", "bot", "--exclude", "Bea", "--protocol", *FEW)
    result = run(*one, "--json")
    assert result.code == 0
    protocol = json.loads(result.out)["protocol"]
    bot = protocol["candidates"]["bot"]
    assert protocol["people"] is None
    assert bot["replace"] is None
    assert bot["reason"] == "there is one person only"
    assert bot["f1-category"]["value"] == pytest.approx(2 * 1 / (3 + 4))
    outcome = run(*one)
    assert "test of bot: there is one person only" in outcome.err
    assert "people cannot be compared among themselves" in outcome.err


def test_a_candidate_who_meets_nobody_is_reported_and_the_others_are_measured() -> None:
    units = [(0.0, 4.0, "x"), (6.0, 9.0, "x")]
    documents = {f"d{k}": document(Ann=units, Bea=units[:1], bot=units) for k in range(3)}
    documents["alone"] = document(Ann=units, lone=units)
    protocol = span_protocol(documents, ["bot", "lone"], min_documents=2, samples=20)
    bot, lone = protocol.candidates
    assert bot.test is not None
    assert bot.test.passes is not None
    assert lone.test is None
    assert lone.reason is not None
    assert lone.reason.startswith("lone shares no documents with two people")
    assert lone.counts.documents == 1
    assert lone.counts.reason == "fewer than 3 documents tell no correlation"
    assert lone.scores["f1-category"].value == 1.0


def test_units_without_labels_have_an_f1_of_places() -> None:
    documents = {
        f"d{k}": document(Ann=[(0, 4, None)], Bea=[(0, 5, None)], bot=[(1, 4, None)])
        for k in range(3)
    }
    protocol = span_protocol(documents, ["bot"], samples=20)
    (bot,) = protocol.candidates
    assert protocol.f1 == "f1-overlap"
    assert bot.scores["f1-overlap"].value == 1.0
    assert "soft-f1" in [name for _, name in bot.reasons]
    assert bot.counts.r_by_category != bot.counts.r_by_category  # NaN, as there is always one unit


def test_counts_of_people_compare_each_with_the_others() -> None:
    documents = {
        "d1": document(Ann=[(0, 1, "x")], Bea=[(0, 1, "x"), (2, 3, "x")], Cid=[]),
        "d2": document(Ann=[(0, 1, "x")] * 2, Bea=[(0, 1, "x")] * 4, Cid=[(0, 1, "x")]),
        "d3": document(Ann=[(0, 1, "x")] * 3, Bea=[(0, 1, "x")] * 3, Cid=[(0, 1, "x")] * 5),
        "d4": document(Ann=[(0, 1, "x")] * 9),
    }
    table = np.array([[1, 2, 0], [2, 4, 1], [3, 3, 5]], float)
    wanted = [
        np.corrcoef(table[:, k], np.delete(table, k, axis=1).mean(axis=1))[0, 1] for k in range(3)
    ]
    counts = counts_among(documents, ["Ann", "Bea", "Cid"])
    assert counts.documents == 3
    assert counts.r == pytest.approx(np.mean(wanted))
    assert counts.own == pytest.approx(table.mean())
    assert unit_counts(documents, "Cid", ["Ann"]).own_marked == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--protocol",), 2, "no candidate is named"),
        (("--protocol", "--candidate", "nobody"), 3, "candidate 'nobody' is not an annotator"),
        (
            ("--protocol", "--candidate", "bot", "--candidate", "Ann", "--candidate", "Bea"),
            3,
            "every annotator is a candidate",
        ),
        (("--protocol", "--candidate", "bot", "--require-optimal"), 2, "takes no --require"),
        (("--candidate", "bot", "--samples", "20"), 2, "which --protocol prints"),
        (("--protocol", "--candidate", "bot", "--epsilon", "two"), 2, "neither a number"),
    ],
)
def test_bad_input_is_reported(
    run: Run, file: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    result = run("replace", str(file), *arguments)
    assert result.code == code
    assert words in result.err


def test_errors_of_the_library() -> None:
    documents = {"d": document(Ann=[(0, 1, "x")], bot=[(0, 1, "x")])}
    with pytest.raises(UsageError, match="no candidate"):
        span_protocol(documents, [])
    with pytest.raises(DataError, match="every annotator"):
        span_protocol(documents, ["Ann", "bot"])
