"""The commands compare, calibrate, consensus and report."""

import csv
import json
from pathlib import Path

import pytest

import gammacp as gc
from tests.conftest import Run

ROWS = """Ann,a,0,10
Ann,b,20,30
Ann,a,40,50
Bob,a,0,10
Bob,b,21,30
Bob,b,40,50
Cid,a,1,10
Cid,b,20,29
Cid,c,70,80
"""
FAST = ("--samples", 10)
pytestmark = pytest.mark.usefixtures("little_is_simulated")


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.csv"
    path.write_text(ROWS)
    return path


@pytest.fixture
def lonely(tmp_path: Path) -> Path:
    path = tmp_path / "lonely.csv"
    path.write_text("Ann,a,0,10\nAnn,b,20,30\n")
    return path


def test_compare_as_json(run: Run, good: Path) -> None:
    result = run("compare", good, *FAST, "--json", "--jobs", 1)
    assert result.code == 0
    document = json.loads(result.out)
    assert set(document) == {
        "overall", "documents", "annotators", "pairs", "pairs_left_out",
        "categories", "confusion", "reference",
        "against", "groups", "sessions", "over_time", "left_out", "failures", "copies", "kinds",
        "tables_left_out",
    }  # fmt: skip
    assert document["overall"]["gamma"] == gc.gamma(gc.read(good), samples=10).value
    assert [p["annotators"] for p in document["pairs"]] == [
        ["Ann", "Bob"], ["Ann", "Cid"], ["Bob", "Cid"],
    ]  # fmt: skip
    assert {c["category"]: c["units"] for c in document["categories"]} == {"a": 4, "b": 4, "c": 1}
    assert document["reference"] is None
    boot = document["overall"]["bootstrap"]
    assert boot["interval"] is None
    assert "too few" in boot["reason"]


@pytest.mark.slow
def test_worker_processes_give_the_same_bytes(run: Run, good: Path, tmp_path: Path) -> None:
    (tmp_path / "better.csv").write_text(ROWS.replace("Cid,c,70,80", "Cid,b,40,50"))
    files = (good, tmp_path / "better.csv")
    replacing = ("replace", "--candidate", "Bob", "--score", "disorder", "--min-documents", 2)
    for asked in (("compare", *FAST), replacing):
        in_one, in_two = (run(*asked, *files, "--json", "--jobs", jobs) for jobs in (1, 2))
        assert in_one.code == 0, in_one.err
        assert in_two == in_one


def test_compare_prints_only_requested_tables(run: Run, good: Path) -> None:
    everything = run("compare", good, *FAST).out
    for title in ("By document", "By annotator", "By pair of annotators", "By category"):
        assert title in everything
    some = run("compare", good, *FAST, "--by", "category").out
    assert "By category" in some
    assert "By annotator" not in some
    assert run("compare", good, "--by", "colour").code == 2


def test_compare_with_a_reference_and_another_round(run: Run, good: Path, tmp_path: Path) -> None:
    later = tmp_path / "later.csv"
    later.write_text(ROWS.replace("Cid,c,70,80", "Cid,a,40,50"))
    result = run("compare", good, *FAST, "--reference", "Cid", "--against", later, "--json")
    document = json.loads(result.out)
    assert [a["annotator"] for a in document["reference"]["annotators"]] == ["Ann", "Bob"]
    assert document["against"]["p_value"] is None
    assert "at least 30 unitary alignments of each text" in document["against"]["untested"]
    text = run("compare", good, *FAST, "--reference", "Cid", "--against", later).out
    assert "Cid against the annotators" in text
    assert "not tested: " in text
    chosen = run("compare", good, *FAST, "--reference", "Cid", "--by", "pair").out
    assert "Cid against the annotators" in chosen
    assert "By document" not in chosen


@pytest.mark.parametrize("command", ["consensus", "convert"])
def test_an_unknown_ending_names_the_option_that_helps(
    run: Run, good: Path, tmp_path: Path, command: str
) -> None:
    target = (tmp_path / "gold.xyz",) if command == "convert" else ("-o", tmp_path / "gold.xyz")
    result = run(command, good, *target)
    assert result.code == 2
    assert "give --to" in result.err


@pytest.mark.parametrize("command", ["compare", "calibrate", "consensus", "report"])
def test_bad_data_is_one_line_and_exit_three(
    run: Run, lonely: Path, tmp_path: Path, command: str
) -> None:
    out = ("--out", tmp_path / "x.html") if command == "report" else ()
    empty = tmp_path / "empty.csv"
    empty.write_text("")
    for path in (lonely, empty, tmp_path / "missing.csv"):
        result = run(command, path, *out)
        assert result.code == 3, (command, path)
        assert result.err.count("\n") == 1
        assert result.out == ""
    assert not (tmp_path / "x.html").exists()
    assert run(command).code == 2


def test_one_bad_document_does_not_stop_the_others(
    run: Run, good: Path, lonely: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.csv"
    broken.write_text("Ann,a,9,1\nBob,a,1,2\n")
    for command in ("compare", "consensus", "report"):
        options = {"compare": FAST, "report": (*FAST, "--out", tmp_path / "x.html")}
        result = run(command, good, broken, *options.get(command, ()))
        assert result.code == 3, result.err
        assert "broken.csv:1: end 1 < start 9" in result.err
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert "left out: " in page
    result = run("consensus", good, lonely, "--json")
    assert [Path(r["file"]).name for r in json.loads(result.out)["results"]] == ["good.csv"]
    assert "lonely.csv" in result.err
    result = run("compare", good, lonely, *FAST, "--json")
    reasons = {Path(d["file"]).name: d["reason"] for d in json.loads(result.out)["documents"]}
    assert reasons["good.csv"] is None
    assert "two annotators" in reasons["lonely.csv"]


def test_an_unknown_reference_lists_the_annotators(run: Run, good: Path) -> None:
    result = run("compare", good, "--reference", "Zoe")
    assert result.code == 3
    assert "Ann, Bob, Cid" in result.err


NOTES = (
    "few units per annotator (2): below 5",
    "agreement above 0 is not shown: p = ",
    "some alignments are not proven",
)


@pytest.mark.parametrize("command", ["gamma", "compare", "calibrate", "report"])
def test_open_points_of_gamma_are_shown_by_every_command(
    run: Run, tmp_path: Path, command: str
) -> None:
    few, page = tmp_path / "few.csv", tmp_path / "page.html"
    few.write_text("Ann,a,0,10\nAnn,b,20,30\nBob,a,5,18\nBob,b,50,60\n")
    more = {"calibrate": ("--sets", 3, "--error", "split"), "report": ("-o", page)}
    options = (few, *more.get(command, ()), "--samples", 20, "--method", "greedy")
    messages = run(command, *options).err
    if command == "report":
        messages = page.read_text(encoding="utf-8")
    # The table of γ has the status.
    for note in NOTES[: 2 if command == "gamma" else 3]:
        assert note[1:] in messages
    if command != "report":
        assert NOTES[0] in run(command, *options, "--json").out


def test_compare_begins_with_the_sentence_of_gamma(run: Run, good: Path) -> None:
    sentences = [run(command, good, *FAST).out.splitlines()[0] for command in ("gamma", "compare")]
    assert sentences[0] == sentences[1]
    assert "γ" in sentences[0]


def test_fail_under(run: Run, good: Path) -> None:
    assert run("compare", good, *FAST, "--fail-under", 0.99).code == 5
    assert run("compare", good, *FAST, "--fail-under", 0).code == 0
    few = run("compare", good, *FAST, "--fail-under-lower", 0.1)
    assert few.code == 5
    assert "is undefined: " in few.err and "too few" in few.err


def test_units_of_several_documents_say_which(run: Run, good: Path, tmp_path: Path) -> None:
    other, units = tmp_path / "other.csv", tmp_path / "units.csv"
    other.write_text(good.read_text(encoding="utf-8"), encoding="utf-8")
    assert run("consensus", good, other, "--units", units, "--splits", 0).code == 0
    with units.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert {r["document"] for r in rows} == {str(good), str(other)}


def test_consensus_writes_the_announced_files(run: Run, good: Path, tmp_path: Path) -> None:
    gold, units, review = (tmp_path / n for n in ("gold.csv", "units.csv", "review.csv"))
    result = run("consensus", good, "-o", gold, "--units", units, "--review", review)
    assert result.code == 0
    written = gc.read(gold)
    assert [(u.start, u.end, u.category) for u in written] == [
        (0, 10, "a"), (20, 30, "b"), (40, 50, None),
    ]  # fmt: skip
    with units.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [r["kept"] for r in rows] == ["yes", "yes", "yes", "no"]
    with review.open(encoding="utf-8") as stream:
        worst = list(csv.DictReader(stream))
    assert {r["start"] for r in worst} == {"40", "70"}
    assert next(r["tied"] for r in worst if r["start"] == "40") == "a; b"
    assert "category tied: a (1) = b (1)" in result.out


def test_a_gold_standard_of_whole_milliseconds(run: Run, good: Path, tmp_path: Path) -> None:
    timed, gold, units, review = (
        tmp_path / n for n in ("good.eaf", "gold.eaf", "units.csv", "review.csv")
    )
    gc.write(gc.read(good).with_about(offset_unit="ms"), timed)
    assert run("consensus", timed, "-o", gold, "--units", units, "--review", review).code == 0
    with review.open(encoding="utf-8") as stream:
        assert {r["start"] for r in csv.DictReader(stream)} == {"40", "70"}


def test_unproven_alignments_are_reported(run: Run, good: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text(ROWS.replace("70,80", "45,80"))
    one = run("consensus", good, "--method", "greedy", "--json")
    (result,) = json.loads(one.out)["results"]
    assert result["alignment"]["status"] == "feasible"
    assert result["alignment"]["bound"] < result["alignment"]["disorder"]
    assert "1 of 1 alignments not proven to be the best; the largest gap is" in one.err
    for arguments in (("consensus",), ("gamma", "--alignment", *FAST)):
        both = run(*arguments, good, other, "--method", "greedy")
        assert "2 of 2 alignments not proven to be the best" in both.err
        assert "not proven" not in run(*arguments, good, other).err


READ = "is one of the files to read"
WITHIN = "holds files to read"
NEXT = "would be read as annotations from then on"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("consensus good.csv --out good.csv", READ),
        ("consensus good.csv --units good.csv", READ),
        ("consensus g*.csv --out good.csv", READ),
        ("consensus . --review good.csv", READ),
        ("consensus campaign.toml --out good.csv", READ),
        ("consensus campaign.toml --units campaign.toml", READ),
        ("consensus good.csv --out linked.csv", READ),
        ("consensus good.csv --out hard.csv", READ),
        ("consensus . --out gold.csv", NEXT),
        ("consensus . --review list.xlsx", NEXT),
        ("consensus . --out new --to csv", WITHIN),
        ("convert good.csv good.csv", READ),
        ("convert good.csv two.csv {document}.csv", WITHIN),
        ("convert good.csv two.csv . --to csv", WITHIN),
        ("convert campaign.toml good.csv", READ),
        ("convert two.csv good.csv --texts good.csv", READ),
        ("calibrate good.csv --curves good.csv", READ),
        ("plan good.csv --assign good.csv", READ),
        ("report good.csv -o good.csv", READ),
        ("report good.csv --against two.csv -o two.csv", READ),
        ("shuffle --reference good.csv --out good.csv --error split --magnitude 0.1", READ),
        ("shuffle --learn good.csv --out good.csv --error split --magnitude 0.1", READ),
    ],
)
def test_input_files_are_never_overwritten(
    run: Run, good: Path, line: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(good.parent)
    Path("campaign.toml").write_text('paths = ["g*.csv"]\n', encoding="utf-8")
    Path("two.csv").write_text(ROWS)
    if "linked" in line or "hard" in line:
        Path("linked.csv").symlink_to("good.csv")
        Path("hard.csv").hardlink_to("good.csv")
    if "--out new" in line:
        Path("new").mkdir()
        Path("new/a.csv").write_text(ROWS)
    result = run(*line.split())
    assert result.code == 2
    assert why in result.err
    assert good.read_text() == ROWS


@pytest.mark.parametrize(
    "line",
    [
        "consensus good.csv --out gold.csv --units units.csv",
        "consensus . --format csv --review list.xlsx --soft soft.json",
        "convert good.csv good.json",
        "report . --samples 10 -o page.htm",
    ],
)
def test_other_files_may_be_overwritten(
    run: Run, good: Path, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (good.parent / "in").mkdir()
    (good.parent / "in" / "good.csv").write_text(ROWS)
    monkeypatch.chdir(good.parent / "in")
    for _ in range(2):
        result = run(*line.split())
        assert result.code == 0, result.err


def test_file_endings_are_compared_without_case(
    run: Run, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(good.parent)
    for name in ("a.TextGrid", "b.textgrid"):
        assert run("convert", good, name, "--to", "textgrid").code == 0
    before = Path("a.TextGrid").read_bytes()
    result = run("convert", "a.TextGrid", "b.textgrid", ".", "--to", "textgrid", "--map", "a=Z")
    assert result.code == 2
    assert WITHIN in result.err
    assert Path("a.TextGrid").read_bytes() == before


def test_a_link_in_a_circle_is_a_missing_file(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop.csv").symlink_to("loop.csv")
    assert run("gamma", "loop.csv").code == 3
    assert run("consensus", "loop.csv", "--out", "loop.csv").code == 3


def test_calibrate_draws_no_figure_over_its_curves(run: Run, good: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    result = run("calibrate", good, "--figure", path, "--curves", path)
    assert result.code == 2
    assert "different files" in result.err
    assert not path.exists()


def test_consensus_writes_no_list_over_its_gold_standard(
    run: Run, good: Path, tmp_path: Path
) -> None:
    result = run(
        "consensus", good, "-o", tmp_path / "x.csv", "--units", tmp_path / "y" / ".." / "x.csv"
    )
    assert result.code == 2
    assert "different files" in result.err
    assert not (tmp_path / "x.csv").exists()


def test_consensus_as_json(run: Run, good: Path) -> None:
    (one,) = json.loads(run("consensus", good, "--support", 1, "--json").out)["results"]
    assert one["needed"] == 1
    assert [u["kept"] for u in one["units"]] == [True] * 4
    assert one["units"][one["review"][0]]["reasons"]


def test_a_vote_too_describes_each_annotator_against_the_gold_standard(
    run: Run, tmp_path: Path
) -> None:
    """Recall, precision, confusion and bias are counted by hand.

    The gold standard has a at 0, a at 10 and b at 20.
    """
    rows = ["Ann,a,0,4", "Bob,a,0,4", "Bob,a,10,14", "Cid,a,10,14", "Cid,a,20,24", "Bob,b,20,24",
            "Ann,b,21,24", "Ann,a,30,34"]  # fmt: skip
    (tmp_path / "x.csv").write_text("\n".join(rows))
    document = json.loads(run("consensus", tmp_path / "x.csv", "--json").out)
    assert document["weights"] == "vote"
    ann, bob, cid = (document["annotators"][name] for name in ("Ann", "Bob", "Cid"))
    assert [a["recall"] for a in (ann, bob, cid)] == pytest.approx([2 / 3, 1, 1 / 3])
    assert [a["precision"] for a in (ann, bob, cid)] == pytest.approx([2 / 3, 1, 1 / 2])
    assert ann["confusion"]["a"] == {"a": 0.5, "b": 0, "∅": 0.5}
    assert cid["confusion"]["b"] == {"a": 1, "b": 0, "∅": 0}
    assert ann["boundary_bias"] == {"start": 0.5, "end": 0}
    assert set(ann) >= {"recall", "precision", "confusion", "boundary_bias", "boundary_sd"}


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--support", "many"), "support"),
        (("--support", "9"), "support"),
        (("--boundaries", "middle"), "majority, median, mean"),
        (("--out", "gold.xyz"), "does not say which format to write"),
        (("--to", "csv"), "--to needs --out"),
    ],
)
def test_impossible_options_of_consensus_are_refused(
    run: Run, good: Path, options: tuple[str, ...], complaint: str
) -> None:
    result = run("consensus", good, *options)
    assert result.code == 2
    assert complaint in result.err


def test_calibrate(run: Run, good: Path, tmp_path: Path) -> None:
    curves, figure = tmp_path / "curves.csv", tmp_path / "figure.svg"
    result = run(
        "calibrate", good, *FAST, "--error", "false-negative", "--error", "split:factor=1",
        "--sets", 3, "--jobs", 1, "--curves", curves, "--figure", figure,
    )  # fmt: skip
    assert result.code == 0, result.err
    assert "is what data like these would give if" in result.out
    assert figure.read_bytes().startswith(b"<?xml")
    with curves.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert {r["error"] for r in rows} == {"false-negative", "split:factor=1"}
    assert all(float(r["mean"]) == 1 for r in rows if r["magnitude"] == "0.0")


def test_impossible_options_of_calibrate_are_refused(run: Run, good: Path) -> None:
    assert run("calibrate", good, "--error", "typo").code == 2
    assert "one at a time" in run("calibrate", good, "--error", "split+position").err
    assert run("calibrate", good, "--sets", 2).code == 2
    result = run("calibrate", good, *FAST, "--error", "category", "--jobs", 1, "--figure", "x.docx")
    assert result.code == 2
    assert ".docx" in result.err or "endings" in result.err


def test_report(run: Run, good: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run("report", good, *FAST, "-o", page, "--title", "<Round 1>", "--json")
    assert result.code == 0
    assert json.loads(result.out)["report"] == str(page)
    assert "<h1>&lt;Round 1&gt;</h1>" in page.read_text(encoding="utf-8")


def test_the_former_bootstrap_option_gives_the_interval(run: Run, good: Path) -> None:
    """`--bootstrap N` gives the output of `--interval`, with a warning on stderr."""
    for command, without, instead in (
        ("gamma", (), "leave it out"),
        ("compare", ("--no-interval",), "give --no-interval"),
    ):
        quick = (command, good, "--samples", 5, "--json")
        new, none = run(*quick, "--interval"), run(*quick, *without)
        for number, same, message_part in (
            (1, new, "give --interval"),
            (2000, new, "give --interval"),
            (0, none, instead),
        ):
            old = run(*quick, "--bootstrap", number)
            assert (old.code, old.out) == (0, same.out)
            assert f"the next release will not know: {message_part}" in old.err.replace("\n", " ")
        assert "--bootstrap" not in new.err + run(command, "--help").out
