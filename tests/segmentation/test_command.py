"""The command `gammacp segmentation`: its table, its JSON and bad input."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest

from gammacp.segmentation import Criterion, Mode, load_codings, segmentation_report
from gammacp.segmentation.reading import DATASETS
from gammacp.segmentation.report_tables import tables
from tests.conftest import Run
from tests.segmentation.test_files import RECORDING

ITEM_KEYS = {
    "pi_s",
    "kappa_s",
    "bias",
    "windowdiff",
    "coders",
    "boundaries",
    "mass",
    "full",
    "near",
}


GOLD = ("--dataset", "moonstone", "--reference", 1)


def test_table_2() -> None:
    how = Criterion(mode=Mode.PUBLISHED)
    report = segmentation_report(load_codings("moonstone"), comparison=how)
    row = next(cells for cells in tables(report)[0].cells() if cells[0] == "ch1")
    assert " ".join(row) == "ch1 0.7452 0.7463 0.0039 0.6641 0.1307 4 13 13 13 4"


def test_json(run: Run) -> None:
    outcome = run(
        "segmentation", "--dataset", "moonstone", "--bootstrap", 50, "--seed", 3, "--json"
    )
    document = json.loads(outcome.out)
    assert set(document["items"]["ch1"]) == ITEM_KEYS
    assert document["items"]["ch1"]["pi_s"] == pytest.approx(0.7553, abs=5e-5)
    assert set(document["items"]["ch1"]["windowdiff"]) == {"mean", "sd", "undefined"}
    assert [len(g["items"]) for g in document["groups"]] == [4, 4]
    assert document["corpus"]["full"] == 420
    assert document["corpus"]["pi_s"].keys() == {"mean", "sd", "undefined"}
    lo, hi = document["corpus"]["bootstrap"]["pi_s"]
    assert lo < document["corpus"]["pooled"]["pi_s"] < hi
    assert "seed:3" in document["signature"]


def test_candidates(run: Run) -> None:
    outcome = run(
        "segmentation", "--dataset", "hearst1997", "--item", "stargazer_hypotheses=stargazer",
        "--candidate", "h2", "--candidate", "h1", "--json",
    )  # fmt: skip
    document = json.loads(outcome.out)
    assert document["items"]["stargazer"]["coders"] == 7
    names = [c["candidate"] for c in document["candidates"]]
    assert names[:2] == ["h1", "h2"]
    assert sorted(names[2:]) == ["(all)", "(even)", "(none)", "(shuffled)"]
    assert document["candidates"][1]["drop"]["pi_s"] > 0
    assert document["candidates"][0]["interval"]["b"] is None  # there is only one item


def test_pairs(run: Run) -> None:
    document = json.loads(run("segmentation", "--dataset", "moonstone", "--pairs", "--json").out)
    assert len(document["pairs"]) == 4 * 4 * 3 + 4 * 6 * 5
    ch1 = document["means"]["items"]["ch1"]["windowdiff"]
    assert ch1 == document["items"]["ch1"]["windowdiff"]
    assert document["means"]["corpus"]["b"].keys() == {"mean", "sd", "undefined"}
    table = run("segmentation", "--dataset", "moonstone", "--pairs").out
    assert "all pairs" in table


def test_beyond_chance(run: Run) -> None:
    options = ("segmentation", "--dataset", "moonstone", "--beyond-chance", "--samples", 40)
    corpus = json.loads(run(*options, "--json").out)["corpus"]
    b = corpus["measures"]["b"]
    beyond = b["beyond_chance"]
    assert (beyond["chance"], beyond["samples"]) == ("turned", 40)
    assert beyond["interval"][0] < beyond["value"] < beyond["interval"][1] < b["value"]
    shown = run(*options)
    assert f"{beyond['value']:.4f}" in shown.out
    assert "seed 0" in shown.err


def test_against_a_reference(run: Run, tmp_path: Path) -> None:
    options = ("segmentation", "--dataset", "moonstone", "--reference", "an1")
    document = json.loads(run(*options, "--candidate", "an2", "--near", 2, "--json").out)
    names = [s["system"] for s in document["systems"]]
    assert names == ["an2", "(shuffled)", "(even)", "(all)", "(none)"]
    assert document["systems"][0]["by_document"].keys() == document_items("moonstone")
    outcome = run(*options, "--pairs")
    assert outcome.code == 0
    assert f"{document['systems'][0]['micro']['b']:.4f}" in outcome.out
    gold, other = tmp_path / "gold.json", tmp_path / "system.json"
    gold.write_text('{"x": {"editor": [2, 3]}, "y": {"editor": [4]}}')
    other.write_text('{"x": {"tiler": [3, 2]}, "z": {"tiler": [4]}}')
    outcome = run("segmentation", other, "--reference", gold)
    assert "tiler: 2 documents that it or the reference did not code are left out: " in outcome.err
    assert " tiler " in outcome.out


def document_items(name: str) -> set[str]:
    text = resources.files("gammacp.datasets").joinpath(f"{name}.json").read_text()
    return set(json.loads(text)["items"])


def test_bad_references(run: Run, tmp_path: Path) -> None:
    gold, other = tmp_path / "gold.json", tmp_path / "system.json"
    gold.write_text('{"x": {"editor": [2, 3]}}')
    other.write_text('{"x": {"tiler": [3, 3]}}')
    outcome = run("segmentation", other, "--reference", gold)
    assert outcome.code == 3
    assert "gold.json: item 'x' has mass 5 for reference and 6 for tiler (+1)" in outcome.err
    other.write_text('{"y": {"tiler": [3, 3]}}')
    outcome = run("segmentation", other, "--reference", gold)
    assert outcome.code == 3
    assert "no item of 'reference' is coded by a system" in outcome.err
    for options, message in (
        (("--reference", "x"), "reference 'x' is neither a file nor a coder; coders are: an1"),
        (("--reference", "an1", "--candidate", "x"), "system 'x' coded no item"),
        (("--reference", "an1", "--beyond-chance"), "cannot be combined with"),
        (("--near", 2), "--near needs --reference"),
        (("--reference", "an1", "--reference", "an2"), "give --reference once"),
    ):
        outcome = run("segmentation", "--dataset", "moonstone", *options)
        assert outcome.code == 2
        assert message in outcome.err


def test_groups(run: Run, tmp_path: Path) -> None:
    path, groups = tmp_path / "in.json", tmp_path / "groups.json"
    path.write_text('{"s": {"1": [2, 1], "2": [3]}, "t": {"1": [3], "2": [1, 2]}}')
    groups.write_text('[["s"], ["t"]]')
    outcome = run("segmentation", path, "--groups", groups)
    assert "mean of groups" in outcome.out
    assert outcome.err == (
        "1, 2: each name is in several groups of items and counts as one person; if it is not, use "
        "--anonymous-coders or --groups\n"
    )
    outcome = run("segmentation", path, "--groups", groups, "--anonymous-coders", "--json")
    document = json.loads(outcome.out)
    assert [g["items"] for g in document["groups"]] == [["s"], ["t"]]
    assert document["corpus"]["coders"] == 4
    assert "|people:anonymous|sel:group=s;group=t|" in document["signature"]
    assert outcome.err == ""
    groups.write_text('[["s"], ["x"]]')
    assert run("segmentation", path, "--groups", groups).code == 3


def test_one_more_item_leaves_declared_groups_alone(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "more.json"
    shipped = json.loads(resources.files("gammacp.datasets").joinpath("moonstone.json").read_text())
    shipped["items"]["epilogue"] = {"an1": [3, 4], "an2": [7]}
    path.write_text(json.dumps(shipped))
    document = json.loads(run("segmentation", path, "--json").out)
    assert [len(g["items"]) for g in document["groups"]] == [4, 4, 1]


def test_undefined_values_are_counted(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "in.json"
    path.write_text('{"s": {"a": [4, 4], "b": [8], "c": [4, 4]}, "t": {"a": [1], "b": [1]}}')
    outcome = run("segmentation", path, "--pairs", "--json")
    means = json.loads(outcome.out)["means"]["corpus"]
    # b has no boundary: F₁ is 0 in four ordered pairs and 1 in two; t has nothing to find.
    assert means["f"] == {"mean": pytest.approx(1 / 3), "sd": pytest.approx(0.4714, abs=1e-4),
                          "undefined": 2}  # fmt: skip
    assert means["precision"]["undefined"] == 2 + 2
    assert "1 − WD is undefined for 2 pairs of codings" in outcome.err
    assert "precision 4, recall 4, f 2" in outcome.err


def test_a_note_on_published_edits_that_are_not_the_cheapest(run: Run) -> None:
    outcome = run("segmentation", "--dataset", "moonstone", "--n", 5)
    assert "the published search missed the cheapest edits; items (pairs" in outcome.err
    assert "ch3 (1)" in outcome.err
    assert run("segmentation", "--dataset", "moonstone", "--n", 5, "--edit", "optimal").err == ""


def test_items_of_one_person_are_left_out_and_counted(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "in.json"
    path.write_text(
        '{"t": {"a": [4, 4], "b": [8], "h": [8]}, "u": {"a": [5]}, "v": {"a": [2], "h": [2]}}'
    )
    outcome = run("segmentation", path, "--candidate", "h", "--json")
    assert "2 items that fewer than two people coded are left out: u, v" in outcome.err
    document = json.loads(outcome.out)
    assert document["skipped"] == ["u", "v"]
    assert list(document["items"]) == ["t"]


def test_undefined_is_null_with_a_reason(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "full.json"
    path.write_text('{"t": {"a": [1, 1, 1], "b": [1, 1, 1]}}')
    outcome = run("segmentation", path, "--json")
    document = json.loads(outcome.out)
    assert outcome.code == 0
    assert document["items"]["t"]["pi_s"] is None
    assert "chance agreement is 1" in document["undefined"]["t"]
    assert "undefined" in run("segmentation", path).err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"t": {"a": [2, 1], "b": [4]}}', "bad.json: item 't' has mass 3 for a and 4 for b"),
        ('{"t": {\n"a": [2, 0], "b": [2]}}', "bad.json:2: item 't', coder 'a': mass 0"),
        ('{"t": {"a": [2]}, "u": {"b": [3]}}', "no item is coded by two people: t by a, u by b"),
        ('{"t": {"a": [2], "b": [', "bad.json:1: JSON is broken"),
    ],
)
def test_bad_data(run: Run, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    outcome = run("segmentation", path)
    assert outcome.code == 3
    assert message in outcome.err
    assert outcome.out == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "give files, or a dataset"),
        (("--dataset", "x"), "dataset 'x' is unknown"),
        (("--dataset", "moonstone", "--edit", "x"), "edit 'x' is unknown"),
        (("--dataset", "moonstone", "--similarity", "x"), "similarity 'x' is unknown"),
        (("--dataset", "moonstone", "--n", 0), "n 0 < 1"),
        (("--dataset", "moonstone", "--min-length", 2), "--min-length does not apply here"),
        (("--dataset", "moonstone", "--candidate", "x"), "candidate 'x' coded no item"),
        (("--dataset", "moonstone", "--item", "x"), "--item 'x' is not OLD=NEW"),
        (("--dataset", "moonstone", "--item", "x=y"), "item 'x' does not occur"),
        (("--dataset", "moonstone", "--samples", 40), "need --beyond-chance"),
        (("--dataset", "moonstone", "--t-full"), "--t-full and --t-window need --levels"),
        (("--dataset", "moonstone", "--t-window", 3), "--t-full and --t-window need --levels"),
        ((*GOLD, "--similarity", "b"), "shows both S and B"),
        ((*GOLD, "--reference", 2), "give --reference once"),
    ],
)
def test_wrong_usage(run: Run, options: tuple[object, ...], message: str) -> None:
    outcome = run("segmentation", *options)
    assert outcome.code == 2
    assert message in outcome.err


def test_boundaries_of_a_recording_within_seconds(run: Run, tmp_path: Path) -> None:
    """Hit rates are those of mir_eval's `segment.detection` with trim: one-to-one within a
    window.
    """
    path = tmp_path / "song.csv"
    path.write_text(RECORDING, encoding="utf-8")
    options = ("segmentation", path, "--reference", "gold", "--unit", "0.01", "--json")
    for near, hits in ((0.5, 1), (3, 1), (3.1, 2)):
        document = json.loads(run(*options, "--near", near).out)
        (micro,) = (s["micro"] for s in document["systems"] if s["system"] == "sys")
        assert micro["over"] == pytest.approx(1 - hits / 3)
        assert micro["under"] == pytest.approx(1 - hits / 2)
    outcome = run("segmentation", path, "--reference", "gold", "--near", "0.5", "--format", "csv")
    assert (outcome.code, "say --unit" in outcome.err) == (3, True)
    outcome = run("segmentation", "--dataset", "moonstone", "--reference", "an1", "--near", "0.5")
    assert (outcome.code, "not a whole number of places" in outcome.err) == (2, True)


def test_types_come_from_categories_and_have_costs(run: Run, tmp_path: Path) -> None:
    """Intonation units end with a comma or a period; one for the other costs a quarter."""
    rows = [("ann", "0 3 comma,3 7 period,7 9 comma"), ("bob", "0 3 comma,3 7 comma,7 9 period")]
    units, costs = tmp_path / "units.csv", tmp_path / "costs.csv"
    cells = [f"{a},{','.join(unit.split())}" for a, text in rows for unit in text.split(",")]
    units.write_text("\n".join(["annotator,start,end,category", *cells]) + "\n")
    costs.write_text(",comma,period\ncomma,0,0.25\nperiod,0.25,0\n")
    typed = ("segmentation", units, "--typed", "--similarity", "b", "--pairs", "--json")
    for options, value in ((), 1 / 2), (("--categorial", costs), 1 - 0.25 / 2):
        outcome = run(*typed, *options)
        assert json.loads(outcome.out)["means"]["corpus"]["b"]["mean"] == pytest.approx(value)
    refused = run("segmentation", units, "--similarity", "b", "--categorial", costs)
    assert (refused.code, "boundary types, but there is only one" in refused.err) == (2, True)
    refused = run("segmentation", units, "--typed", "--categorial", costs)
    assert (refused.code, "categorial compares boundary types" in refused.err) == (2, True)
    costs.write_text(",comma\ncomma,0\n")
    refused = run(*typed, "--categorial", costs)
    assert (refused.code, "'period' is missing" in refused.err) == (3, True)


@pytest.mark.parametrize("extra", [(), ("--reference", "a")])
def test_left_out_parts_are_in_the_json(run: Run, tmp_path: Path, extra: tuple[str, ...]) -> None:
    (tmp_path / "x.csv").write_text(
        "annotator,start,end,category,mood\n"
        + "".join(f"{who},0,{k},,x\n{who},{k},6,,y\n" for k, who in enumerate("abc", 2))
    )
    outcome = run("segmentation", tmp_path / "x.csv", *extra, "--json")
    (lost,) = json.loads(outcome.out)["left_out"]
    assert (lost["kind"], lost["count"]) == ("column", 1)
    assert "left out: 1 column: mood is not used" in outcome.err
    gold = tmp_path / "gold.csv"
    gold.write_text("annotator,start,end,category,mood\ng,0,2,,x\ng,2,6,,x\n")
    if not extra:
        against = run("segmentation", tmp_path / "x.csv", "--item", "x=gold",
                      "--reference", gold, "--json")  # fmt: skip
        assert len(json.loads(against.out)["left_out"]) == 2


PEOPLE = '{"x": {"a": [2, 3, 4], "b": [5, 4], "c": [2, 7]}, "y": {"a": [3, 3], "b": [2, 4]}}'


def test_the_command_takes_options_of_reading(run: Run, tmp_path: Path) -> None:
    """Options work as for units, for codings and continua in one run."""
    people, units = tmp_path / "people.json", tmp_path / "z.csv"
    people.write_text(PEOPLE)
    units.write_text("annotator,start,end,category\na,0,3,\na,3,8,\nb,0,8,\n")
    chosen = ("segmentation", people, units, "--json")
    document = json.loads(run(*chosen).out)
    assert [*document["items"]] == ["x", "y", "z"]
    options = ("--exclude", "c", "--rename", "b=Bob", "--document", "x,z")
    outcome = run(*chosen, *options, "--pairs")
    document = json.loads(outcome.out)
    assert {p["reference"] for p in document["pairs"]} == {"a", "Bob"}
    assert {p["item"] for p in document["pairs"]} == {"x", "z"}
    for entry in ("rename=b,Bob", "exclude=c", "document=x%2Cz"):
        assert entry in document["signature"]
    campaign = tmp_path / "campaign.toml"
    campaign.write_text(
        'paths = ["people.json", "z.csv"]\nexclude = ["c"]\nrename = {b = "Bob"}\n'
        '[rounds]\nfirst = ["x", "z"]\n'
    )
    same = json.loads(run("segmentation", campaign, "--round", "first", "--json", "--pairs").out)
    assert same["items"] == document["items"]
    assert same["pairs"] == document["pairs"]
    for option, value, code, complaint in (
        ("--exclude", "nobody", 3, "annotator 'nobody' does not occur"),
        ("--document", "nothing", 3, "document 'nothing' does not occur"),
        ("--only", "x", 3, "category 'x' does not occur"),
        ("--bounds", "0:20", 3, "bounds are 0 to 20, but the item is coded from 0 to 9"),
        ("--annotators", "Zoe", 3, "Zoe is declared but has no coding"),
        ("--layer", "x", 2, "option 'layer' is not one of"),
    ):
        refused = run("segmentation", people, option, value)
        assert (refused.code, refused.out) == (code, ""), option
        assert complaint in refused.err
    campaign.write_text('paths = ["people.json"]\nmin_length = 2\n')
    refused = run("segmentation", campaign)
    assert (refused.code, "campaign.toml:2: min_length does not apply" in refused.err) == (3, True)


def test_a_bad_file_does_not_stop_the_others(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(PEOPLE)
    alone = json.loads(run("segmentation", tmp_path / "a.json", "--json").out)
    (tmp_path / "b.json").write_text('{"z": {"a": [2], "b": [3]}}')
    (tmp_path / "c.csv").write_text("annotator,start,end,category\na,0,3,\na,4,8,\nb,0,8,\n")
    (tmp_path / "d.csv").write_text("annotator,start,end,category\na,0,three,\n")
    outcome = run("segmentation", tmp_path, "--json")
    assert outcome.code == 3
    assert json.loads(outcome.out)["items"] == alone["items"]
    assert len(json.loads(outcome.out)["failures"]) == 3
    for complaint in ("item 'z' has mass 2 for a and 3", "gap between 3 and 4", "'three' is not a"):
        assert complaint in outcome.err
    (tmp_path / "e.json").write_text('{"items": 3}')
    outcome = run("segmentation", tmp_path / "a.json", tmp_path / "e.json")
    assert "e.json: items is not a JSON object" in outcome.err, "as where the file is alone"


@pytest.mark.parametrize("options", [(), ("--n", 4), ("--n", 4, "--edit", "optimal")], ids=str)
def test_measure_gives_the_same_numbers(run: Run, options: tuple[object, ...]) -> None:
    """The numbers are equal to the last bit, for the same files and choices."""
    shown = run("segmentation", "--dataset", "moonstone", "--pairs", *options, "--json")
    document = json.loads(shown.out)
    # `measure -m b` has only the published search.
    names = ["s", "b", "windowdiff", "pk"] if "optimal" not in options else ["s"]
    listed = ",".join([*names, "multi-pi-s", "multi-kappa-s"])
    measured = run("measure", "--dataset", "moonstone", "-m", listed, *options, "--json")
    measures_by_file = {r["file"]: r["measures"] for r in json.loads(measured.out)["results"]}
    assert [*measures_by_file] == [*document["items"]]
    for item, scores in measures_by_file.items():
        want = {n: document["means"]["items"][item][n]["mean"] for n in names}
        want |= {f"multi-{n}-s": document["items"][item][f"{n}_s"] for n in ("pi", "kappa")}
        assert {n: s["value"] for n, s in scores.items()} == want, item


def test_shipped_segmentations_are_listed(run: Run) -> None:
    listed = [line.split(":")[0] for line in run("datasets").out.splitlines()]
    assert set(DATASETS) <= set(listed)
