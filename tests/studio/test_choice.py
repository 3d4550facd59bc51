"""Choices of the studio's page, computed without a server."""

import errno
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import gammacp as gc
from gammacp.base.files import content_of
from gammacp.dissimilarity.toml_file import read_dissimilarity
from gammacp.studio.choice import Choice, campaign_in
from gammacp.studio.first_page import live
from gammacp.studio.understanding import Understood, understand
from gammacp.studio.work import BackgroundComputation, Findings, Now, compute
from tests.studio.conftest import Running

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROWS = """annotator,category,start,end,severity
Ann,Style/Awkward,0,4,Major
Ann,Fluency/Grammar,6,9,Minor
Bob,Style/Wordy,0,4,Minor
Bob,Fluency/Grammar,6,9,Minor
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text(ROWS)
    definition = '[category]\ntype = "tree"\n[features.severity]\norder = ["Minor", "Major"]\n'
    (tmp_path / "in" / "mine.toml").write_text(definition)
    return tmp_path / "in"


@pytest.mark.parametrize("by_file", [False, True])
def test_a_dissimilarity_with_features(folder: Path, by_file: bool) -> None:
    choice = Choice(dissimilarity="mine.toml")
    if by_file:
        settings = 'paths = ["a.csv"]\ndissimilarity = "mine.toml"\n'
        (folder / "campaign.toml").write_text(settings)
        choice = Choice.of(campaign_in(folder))
    findings = compute(folder, choice, {"samples": 5}, folder.parent)
    c = gc.read(folder / "a.csv", features=["severity"])
    d = read_dissimilarity(folder / "mine.toml")
    value = gc.gamma(c, samples=5, dissimilarity=d).value
    assert f"{value:.3f}".replace("-", "−") in str(findings.headline)
    assert findings.understood is not None
    # The page offers categories without their features.
    assert set(findings.understood.categories) == {
        "Style/Awkward",
        "Style/Wordy",
        "Fluency/Grammar",
    }
    page = str(live(Now("done", findings, ""), choice, None))
    assert '<option value="mine.toml"' in page
    assert '<option value="campaign.toml"' not in page


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device"),
            "the folder for temporary files: No space left on device",
        ),
        (OSError(errno.EACCES, "Permission denied", "a.csv"), "a.csv: Permission denied"),
        (MemoryError(), "needs more memory than the"),
    ],
)
def test_a_lack_of_space_or_memory_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    def full(*_: object) -> None:
        raise error

    monkeypatch.setattr(tempfile, "tempdir", "gammacp-test")
    monkeypatch.setattr("gammacp.studio.work.understand", full)
    findings = compute(folder, Choice(), {"samples": 5}, folder.parent)
    assert told in (findings.problem or "")


def test_a_mailbox_is_removed_with_the_next_choice(folder: Path, tmp_path: Path) -> None:
    boxes = tmp_path / "boxes"
    boxes.mkdir()
    work = BackgroundComputation(boxes)
    for _ in range(3):
        work.start(folder, Choice(), {"samples": 5})
    assert [box.name for box in boxes.iterdir()] == ["3"]
    work.close()


def test_an_invalid_dissimilarity_is_named(folder: Path) -> None:
    findings = compute(folder, Choice(dissimilarity="none.toml"), {"samples": 5}, folder.parent)
    assert findings.understood is not None
    assert "none.toml" in str(findings.understood.problem)


@pytest.mark.parametrize(
    ("documents", "units", "many"),
    [(5000, 30, False), (5001, 1, True), (1, 150_000, False), (1, 150_001, True)],
)
def test_large_data_get_advice_to_use_the_command_line(
    documents: int, units: int, many: bool
) -> None:
    """Large data are not refused, and the page shows what was read as usual."""
    understood = Understood(documents=({"file": "a", "units": units},) * documents)
    page = str(live(Now("done", Findings(understood=understood), ""), Choice()))
    assert ("gammacp report FILES -o out.html" in page) == many
    assert f"{documents} document" in page


def test_files_of_one_annotator_each_raise_a_question(tmp_path: Path) -> None:
    folder = tmp_path / "in" / "talk"
    folder.mkdir(parents=True)
    for who in ("Ann", "Bob"):
        units = [gc.Unit(who, 0, 400, "x"), gc.Unit(who, 900, 1500, "y")]
        gc.write(gc.Continuum.from_units(units, offset_unit="ms"), folder / f"{who}.eaf")
    findings = compute(folder.parent, Choice(), {"samples": 5}, tmp_path)
    page = str(live(Now("done", findings, ""), Choice(), None))
    assert findings.page is None
    assert 'data-layout="{document}/{annotator}"' in page
    assert "Yes: talk by Ann, Bob" in page
    # The question is the next step, so there is no error above it.
    assert findings.problem is None
    assert findings.headline is None
    answered = Choice(layout="{document}/{annotator}")
    findings = compute(folder.parent, answered, {"samples": 5}, tmp_path)
    assert findings.page is not None
    assert "data-layout" not in str(live(Now("done", findings, ""), answered, None))
    declared = compute(folder.parent, Choice(annotators=("Zoe",)), {"samples": 5}, tmp_path)
    page = str(live(Now("done", declared, ""), Choice()))
    assert "Zoe: declared, but without a file" in page


@pytest.mark.slow
def test_the_answer_is_one_click(
    starting: Callable[..., Running], browser: "Browser", tmp_path: Path
) -> None:
    for who in ("Ann", "Bob"):
        units = [gc.Unit(who, 0, 400, "x"), gc.Unit(who, 900, 1500, "y")]
        (tmp_path / "in" / "talk").mkdir(parents=True, exist_ok=True)
        file = tmp_path / "in" / "talk" / f"{who}.eaf"
        gc.write(gc.Continuum.from_units(units, offset_unit="ms"), file)
    studio = starting(tmp_path / "in", "--samples", "5")
    page = browser.new_page()
    page.goto(studio.address)
    page.click("button[data-layout]", timeout=180_000)
    page.wait_for_selector(".headline", timeout=180_000)
    assert "1 document, 2 annotators, 4 units" in page.inner_text("#understood")
    assert page.locator("button[data-layout]").count() == 0
    colour = "e => getComputedStyle(e, '::placeholder').color"
    faint = page.locator("fieldset legend").first.evaluate("e => getComputedStyle(e).color")
    assert page.locator("input[placeholder]").first.evaluate(colour) == faint
    page.set_viewport_size({"width": 420, "height": 900})
    boxes = [box.bounding_box() for box in page.locator("fieldset .named input[placeholder]").all()]
    tops = sorted({(box["y"], box["height"]) for box in boxes if box})
    assert len(tops) > 2
    assert all(y + height + 2 < below for (y, height), (below, _) in pairwise(tops))
    page.close()


def test_the_files_of_a_folder_are_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def noted(path: Path, **options: bool) -> bytes:
        opened.append(path.name)
        return content_of(path, **options)

    monkeypatch.setattr("gammacp.formats.finding.content_of", noted)
    (folder / "b.csv").write_text(ROWS)
    understood, chosen, _ = understand(folder, Choice(), None)
    assert [*chosen] == ["a.csv", "b.csv"] == sorted(opened)
    assert understood.offers.options >= {"delimiter", "shapes"}


def test_columns_are_asked_for_above_the_first_rows(tmp_path: Path) -> None:
    """The question disappears with the answer, which stays in the form."""
    (tmp_path / "a.csv").write_text("wer,Kategorie,von,bis\nAnn,x,1,2\nBob,x,1,2\n")
    findings = compute(tmp_path, Choice(), {"samples": 5}, tmp_path)
    page = str(live(Now("done", findings, ""), Choice(), None))
    assert "Which column is what?" in page
    assert "<legend>Columns of a.csv</legend>" in page
    assert "<td>Ann</td><td>x</td><td>1</td><td>2</td>" in page
    assert page.index('name="columns-category"') < page.index('value="Kategorie" selected')
    choice = Choice(columns={"annotator": "wer", "start": "von", "end": "bis"})
    findings = compute(tmp_path, choice, {"samples": 5}, tmp_path)
    assert findings.understood is not None
    assert findings.understood.annotators == {"Ann": 1, "Bob": 1}
    page = str(live(Now("done", findings, ""), choice, None))
    assert "Which column is what?" not in page
    assert 'value="von" selected' in page


def test_excluding_a_person_may_change_the_chance_model(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    rows = [
        f"{document},{annotator},x,{10 * k + shift},{10 * k + 6}\n"
        for document in "ab"
        for shift, annotator in enumerate(("Ann", "Bob", "Cem"))
        for k in range(3)
    ]
    table = "document,annotator,category,start,end\n" + "".join(rows)
    (folder / "e.csv").write_text(table, encoding="utf-8")
    warning = "Without Cem the default chance model is documents instead of cut"
    is_warned = [
        any(warning in text for text, _ in understand(folder, choice, None, chance)[0].warnings)
        for choice in (Choice(), Choice(exclude=("Cem",)))
        for chance in (None, "cut")
    ]
    assert is_warned == [False, False, True, False]


def test_values_of_the_corpus_are_on_the_first_page(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    rows = ["document,annotator,category,start,end"]
    for d in range(6):
        for who in "AB":
            rows += [f"d{d},{who},{'xy'[k % 2]},{9 * k},{9 * k + 4 + d % 3}" for k in range(4)]
        rows[-1] += "9"
    (inside / "a.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    findings = compute(inside, Choice(measures=("f1-strict",)), {"samples": 5}, tmp_path)
    assert findings.problem is None
    scores = gc.measure(gc.read_corpus(inside / "a.csv"), ["f1-strict"])["f1-strict"]
    assert "f1-strict" in str(findings.headline)
    assert f"{scores.value:.3f}" in str(findings.headline)
    assert "6 of 6" in str(findings.headline)
    assert "Values to report" in findings.page
    wrong = compute(inside, Choice(measures=("f2",)), {"samples": 5}, tmp_path)
    assert "f2" in str(wrong.problem)
