"""Decisions of reviewers, and the resulting gold standards, counted by hand."""

import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

import gammacp as gc
from gammacp.base.validation import validated
from gammacp.campaign.consensus import Consensus, consensus
from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError
from gammacp.formats import FORMATS
from gammacp.studio.export_page import gold_standard
from gammacp.studio.journal import Decision, Journal
from gammacp.studio.places import without_options
from gammacp.studio.review import (
    DecisionRequest,
    decision_of,
    gold,
    gold_file,
    item_keys,
    queue,
    workbook,
)

TEXT = "The cat sat. The dog ran; nobody saw."
UNITS = (
    Unit("Ann", 4, 7, "animal"), Unit("Bob", 4, 7, "animal"), Unit("Cid", 4, 7, "animal"),
    Unit("Ann", 17, 20, "animal"), Unit("Bob", 17, 20, "thing"),
    Unit("Cid", 26, 32, "person"),
)  # fmt: skip


def found(*units: Unit) -> dict[str, Consensus]:
    c = Continuum.from_units(
        units or UNITS, bounds=(0, len(TEXT)), name="d", text=TEXT, offset_unit="characters"
    )
    return {"d": consensus(gc.align(c))}


def spans(continuum: Continuum) -> list[tuple[float, float, str | None]]:
    return [(u.start, u.end, u.category) for u in continuum]


def ask(item: str, action: str, **given: object) -> DecisionRequest:
    request = {"request": "r", "reviewer": "Ann", "document": "d", "item": item, "action": action}
    return validated(DecisionRequest, request | given)


def keys(of: Mapping[str, Consensus]) -> dict[float, str]:
    return {u.start: k for u, k in zip(of["d"].units, item_keys(of["d"]), strict=True)}


def test_the_queue_includes_left_out_units() -> None:
    assert [(i["start"], i["kept"], i["open"]) for i in queue(found())] == [
        (17, True, True), (26, False, False),
    ]  # fmt: skip


def test_keys_of_units_do_not_depend_on_other_units() -> None:
    before = keys(found())
    after = keys(found(*UNITS[:3], Unit("Bob", 9, 11, "new"), *UNITS[3:]))
    assert before.items() <= after.items()
    changed = keys(found(*UNITS[:4], replace(UNITS[4], category="animal"), UNITS[5]))
    assert changed[17] != before[17]
    assert changed[26] == before[26]


def test_equal_units_have_different_keys() -> None:
    twice = found(Unit("Ann", 1, 2, "a"), Unit("Ann", 1, 2, "a"), Unit("Bob", 30, 34, "b"))
    assert len(set(item_keys(twice["d"]))) == 3


@pytest.mark.parametrize(
    ("action", "given", "left"),
    [
        ("take", {"annotator": "Ann"}, [(4, 7, "animal"), (17, 20, "animal")]),
        ("take", {"annotator": "Bob"}, [(4, 7, "animal"), (17, 20, "thing")]),
        ("take", {"annotator": "Cid"}, [(4, 7, "animal")]),
        ("drop", {}, [(4, 7, "animal")]),
        (
            "edit",
            {"start": 13, "end": 20, "category": "pet"},
            [(4, 7, "animal"), (13, 20, "pet")],
        ),
        ("edit", {"start": 0, "end": 37, "category": " "}, [(0, 37, None), (4, 7, "animal")]),
    ],
)
def test_each_decision_leaves_the_expected_units(
    action: str, given: dict[str, object], left: list[tuple[float, float, str | None]]
) -> None:
    f = found()
    decision = decision_of(f, ask(keys(f)[17], action, **given))
    gold_standard = gold(f, {("d", decision.item): decision})
    assert spans(gold_standard.continua["d"]) == left
    assert (gold_standard.decided, gold_standard.undecided, gold_standard.stale) == (1, 1, 0)


def test_merge_takes_the_consensus() -> None:
    f = found()
    decision = decision_of(f, ask(keys(f)[26], "merge"))
    assert (decision.start, decision.end, decision.category) == (26, 32, "person")
    with pytest.raises(DataError, match="tied"):
        decision_of(f, ask(keys(f)[17], "merge"))


@pytest.mark.parametrize(
    "given",
    [{"start": 5, "end": 4}, {"start": -1, "end": 4}, {"start": 1, "end": 38},
     {"start": 1.5, "end": 4}, {"start": 1}, {"start": 1, "end": float("inf")},
     {"start": True, "end": 4}, {"start": "1", "end": 4}, {"start": 1, "end": 10**400}],
)  # fmt: skip
def test_an_impossible_unit_is_refused(given: dict[str, float]) -> None:
    f = found()
    with pytest.raises(DataError, match=r"start|end"):
        decision_of(f, ask(keys(f)[17], "edit", **given))


def test_an_unknown_unit_or_annotator_is_refused() -> None:
    f = found()
    with pytest.raises(DataError, match="no such unit"):
        decision_of(f, ask("0" * 16, "drop"))
    with pytest.raises(DataError, match="not an annotator"):
        decision_of(f, ask(keys(f)[17], "take", annotator="Eve"))


def test_undecided_units_can_be_left_out() -> None:
    gold_of_all = gold(found(), {}, with_undecided=False)
    assert spans(gold_of_all.continua["d"]) == [(4, 7, "animal")]
    assert gold_of_all.tied == 0
    gold_of_all = gold(found(), {})
    assert spans(gold_of_all.continua["d"]) == [(4, 7, "animal"), (17, 20, None)]
    assert gold_of_all.tied == 1
    assert "1 unit not yet reviewed: the category is tied" in gold_standard(
        gold_of_all, with_undecided=True
    )


def test_outdated_decisions_are_counted() -> None:
    f = found()
    decision = decision_of(f, ask(keys(f)[17], "drop"))
    gold_standard = gold(found(*UNITS[:4], UNITS[5]), {("d", decision.item): decision})
    assert (gold_standard.decided, gold_standard.stale) == (0, 1)


@pytest.mark.parametrize(
    "name", [n for n, f in FORMATS.items() if f.writer and f.data_kind != "shapes"]
)
@pytest.mark.parametrize("documents", [1, 2])
def test_every_format_gives_the_gold_standard_back(
    tmp_path: Path, name: str, documents: int
) -> None:
    f = found()
    decision = decision_of(f, ask(keys(f)[17], "take", annotator="Bob"))
    gold_standard = gold(f, {("d", decision.item): decision}).continua["d"]
    several = {f"d{i}": gold_standard.with_about(name=f"d{i}") for i in range(documents)}
    file, content = gold_file(several, name)
    (tmp_path / file).write_bytes(content)
    back = gc.read_corpus(tmp_path / file)
    assert len(back) == documents
    scale = 1000 if name in ("elan",) and spans(next(iter(back.values())))[0][0] == 4000 else 1
    for c in back.values():
        assert [(u.start / scale, u.end / scale, u.category) for u in c] == spans(gold_standard)


def test_a_zip_names_its_documents_and_the_original_format_comes_first() -> None:
    continuum = gold(found(), {}).continua["d"]
    several = {f"d{i}.txt": continuum.with_about(name=f"d{i}.txt") for i in range(3)}
    with zipfile.ZipFile(BytesIO(gold_file(several, "cas")[1])) as archive:
        names = set(archive.namelist())
    assert {n for n in names if n.endswith(".xmi")} == {f"d{i}.txt/d{i}.txt.xmi" for i in range(3)}
    page = gold_standard(gold(found(), {}), with_undecided=True, came_as=("cas",))
    assert page.index("Download cas") < page.index("Download json") < page.index("Download xlsx")
    assert " --" not in page


def test_no_zip_has_a_folder_named_gold() -> None:
    gold_standard = gold(found(), {}).continua["d"]
    several = {f"d{i}": gold_standard.with_about(name=f"d{i}") for i in range(3)}
    for name in ("brat", "textgrid", "cas", "coco"):
        with suppress(DataError):  # the format cannot hold them
            file, content = gold_file(several, name)
            if file.endswith(".zip"):
                assert file == f"gold-{name}.zip"
                with zipfile.ZipFile(BytesIO(content)) as archive:
                    assert not [n for n in archive.namelist() if n.startswith("gold/gold/")]
                    assert len(archive.namelist()) >= 3


def test_formats_that_cannot_hold_the_gold_standard_are_not_offered() -> None:
    """A recording has no text, which four formats need."""
    gold_of_all = gold(found(), {})
    heard = {"d": gold_of_all.continua["d"].with_about(text=None, offset_unit="ms")}
    page = gold_standard(
        replace(gold_of_all, continua=heard), with_undecided=True, came_as=("elan",)
    )
    offered = page.split("Download ")
    ways = {part.split('"')[0] for part in offered[1:]}
    assert {"elan", "csv", "xlsx"} <= ways
    assert not ways & {"cas", "webanno", "doccano", "brat"}
    for name in ("cas", "webanno", "doccano", "brat"):
        with pytest.raises(DataError):
            gold_file(heard, name)
    assert page.count("not possible") >= 4
    assert "needs the text" in page


def test_a_workbook_has_the_rows_of_csv(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    gold_standard = gold(found(Unit("Ann", 4, 7, "=1+1"), Unit("Bob", 4, 7, "=1+1")), {})
    (tmp_path / "gold.xlsx").write_bytes(workbook(gold_standard.continua))
    rows = list(openpyxl.load_workbook(tmp_path / "gold.xlsx")["gold"].values)
    head = ("document", "annotator", "category", "start", "end")
    assert rows == [head, ("d", "gold", "=1+1", 4, 7)]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Write XMI (--to cas)", "Write XMI"),
        ("bounds 0:3 are not kept; give --bounds when reading it", "bounds 0:3 are not kept"),
        ("a--b.csv is no file. Rename it", "a--b.csv is no file. Rename it"),
        ("Give a folder and --to brat, or write CSV or JSON", "Write CSV or JSON"),
        ("no text. Give --texts FOLDER, or write CSV", "no text. Write CSV"),
        ("x 1.5 is late. Give --tier and look", "x 1.5 is late"),
        ("only A. If A, B are one, give --layout '{x}' (d by A, B; 3 more)", "only A."),
    ],
)
def test_pages_name_no_options(text: str, left: str) -> None:
    assert without_options(text) == left


def test_a_decision_is_read_back_from_the_journal_unchanged(tmp_path: Path) -> None:
    f = found()
    decision = decision_of(f, ask(keys(f)[17], "take", annotator="Bob"))
    stored = Journal(tmp_path).add(decision)
    assert replace(stored, number=0, made="") == decision
    assert isinstance(stored, Decision)
    assert stored.evidence == '[["Ann", 17.0, 20.0, "animal"], ["Bob", 17.0, 20.0, "thing"]]'
