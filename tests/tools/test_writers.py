"""Test files written for annotation tools against the tools' documentation and libraries."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gammacp import Continuum, Corpus, DataError, Unit, UsageError, read, read_corpus, write
from tests.tools.story import FIXTURES, TEXT, UNITS

Run = Callable[..., Any]
NER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
LABELLED = [Unit(u.annotator, u.start, u.end, u.category or "PRO") for u in UNITS]


def story(units: list[Unit] = UNITS, text: str | None = TEXT) -> Continuum:
    return Continuum.from_units(units, name="story", text=text, offset_unit="characters")


def test_webanno_tsv_is_written_as_in_the_user_guide(tmp_path: Path) -> None:
    stacked = [Unit("a", 0, 3, "A|_"), Unit("a", 0, 7, None), Unit("a", 12, 16, "x")]
    write(story(stacked), tmp_path / "a.tsv", format="webanno")
    assert (tmp_path / "a.tsv").read_text(encoding="utf-8").splitlines()[:9] == [
        "#FORMAT=WebAnno TSV 3.3",
        f"#T_SP={NER}|value",
        "",
        "",
        "#Text=Ann met Bob 😊 in New York .\\n",
        "1-1\t0-3\tAnn\tA\\|\\_[1]|*[2]\t",
        "1-2\t4-7\tmet\t*[2]\t",
        "1-3\t8-11\tBob\t_\t",
        # The emoji has two units of UTF-16; the unit also covers the blank before "in".
        "1-4\t12-14\t😊\tx[3]\t",
    ]
    assert list(read(tmp_path / "a.tsv")) == stacked


@pytest.mark.parametrize("layer", [NER, "webanno.custom.Frame"])
def test_dkpro_cassis_reads_the_written_xmi(tmp_path: Path, layer: str) -> None:
    cassis = pytest.importorskip("cassis")
    write(story(), tmp_path, format="cas", layer=layer, feature="label")
    folder = tmp_path / "story"
    types = cassis.load_typesystem(folder / "TypeSystem.xml")
    for who in ("ann", "bob"):
        cas = cassis.load_cas_from_xmi(folder / f"{who}.xmi", typesystem=types)
        assert cas.sofa_string == TEXT
        theirs = [(who, a.begin, a.end, a.label) for a in cas.select(layer)]
        assert theirs == [
            (u.annotator, u.start, u.end, u.category) for u in UNITS if u.annotator == who
        ]
    assert list(read(tmp_path, layer=layer.rpartition(".")[2])) == UNITS


def test_label_studio_tasks_hold_all_annotations(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    note = {("story", UNITS[0]): "look"}
    write(story(), file, format="label-studio", notes=note)
    (task,) = json.loads(file.read_text(encoding="utf-8"))
    assert task["data"] == {"text": TEXT}
    ann, bob = task["annotations"]
    assert (ann["completed_by"], bob["completed_by"]) == ({"email": "ann"}, {"email": "bob"})
    assert ann["result"][0] == {
        "id": "u1",
        "from_name": "label",
        "to_name": "text",
        "type": "labels",
        "value": {"start": 0, "end": 3, "text": "Ann", "labels": ["PER"]},
        "meta": {"text": ["look"]},
    }
    assert bob["result"][2]["value"]["labels"] == []
    write(story(), file, format="label-studio", kind="predictions")
    (task,) = json.loads(file.read_text(encoding="utf-8"))
    assert [p["model_version"] for p in task["predictions"]] == ["ann", "bob"]
    assert task["annotations"] == []
    assert list(read(file, predictions="yes")) == UNITS


def test_recordings_are_written_in_seconds(tmp_path: Path) -> None:
    units = [Unit("1", 500, 1250, "x"), Unit("2", 500, 1000, None)]
    c = Continuum.from_units(units, name="talk", offset_unit="ms")
    for name in ("label-studio", "prodigy"):
        file = tmp_path / f"{name}.json"
        write(c, file, format=name)
        back = read(file)
        assert [(u.annotator, u.start, u.end, u.category) for u in back] == [
            ("1", 0.5, 1.25, "x"),
            ("2", 0.5, 1.0, None),
        ]
        assert (back.name, back.offset_unit) == ("talk", "s")
    (task,) = json.loads((tmp_path / "label-studio.json").read_text(encoding="utf-8"))
    # Label Studio numbers the members of its organization.
    assert [a["completed_by"] for a in task["annotations"]] == [1, 2]


def test_doccano_and_prodigy_lines(tmp_path: Path) -> None:
    write(story(LABELLED), tmp_path, format="doccano")
    (line,) = (tmp_path / "ann.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line) == {
        "id": "story",
        "text": TEXT,
        "label": [[0, 3, "PER"], [8, 11, "PER"], [17, 25, "LOC"]],
    }
    write(story(), tmp_path / "p.jsonl", format="prodigy")
    ann, bob = map(json.loads, (tmp_path / "p.jsonl").read_text(encoding="utf-8").splitlines())
    assert ann["spans"][0] == {"start": 0, "end": 3, "label": "PER"}
    assert bob["spans"][2] == {"start": 28, "end": 32}
    assert (ann["text"], ann["answer"], ann["_annotator_id"]) == (TEXT, "accept", "ann")
    assert ann["_input_hash"] == bob["_input_hash"] != ann["_task_hash"] != bob["_task_hash"]


def test_brat_files_include_a_configuration_and_notes(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "annotation.conf").write_text("mine")
    for name in ("old", "new"):
        write(story(), tmp_path / name, format="brat", notes={("story", UNITS[3]): "why\nthis"})
    assert (tmp_path / "old" / "annotation.conf").read_text() == "mine"
    conf = (tmp_path / "new" / "annotation.conf").read_text(encoding="utf-8")
    assert conf.splitlines()[:4] == ["[entities]", "LOC", "PER", "_"]
    lines = (tmp_path / "new" / "bob" / "story.ann").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "T1\tPER 0 3\tAnn"
    assert lines[-1] == "#1\tAnnotatorNotes T1\twhy this"


@pytest.mark.parametrize("name", ["brat", "cas", "webanno", "doccano", "label-studio", "prodigy"])
def test_a_written_corpus_is_read_back_under_its_names(tmp_path: Path, name: str) -> None:
    corpus = Corpus.from_continua(
        {
            key: Continuum.from_units(
                [Unit("Ann", 0, n, "x")], text="abc\n def", annotators=["Bob"], name=key
            )
            for n, key in enumerate(("one", "7", "two.txt"), 1)
        }
    )
    path = tmp_path / "all.jsonl" if name in ("label-studio", "prodigy") else tmp_path
    if name == "label-studio":
        path = tmp_path / "all.json"
    write(corpus, path, format=name)
    back = read_corpus(path)
    assert {k: (list(c), set(c.annotators), c.text) for k, c in back.items()} == {
        k: (list(c), set(c.annotators), c.text) for k, c in corpus.items()
    }


@pytest.mark.parametrize(
    ("units", "text", "name", "message"),
    [
        (UNITS, None, "cas", "XMI needs the text, and 'story' has none. Give the texts to"),
        (UNITS, None, "doccano", "doccano needs the text"),
        (UNITS, TEXT[:20], "webanno", "lie beyond its text of 20 characters"),
        (UNITS, TEXT, "doccano", "unit 28-32 of bob has no category, which doccano refuses"),
        ([Unit("a", 2, 2, "x")], TEXT, "doccano", "has no length, which doccano refuses"),
        ([Unit("a", 2, 2, "x")], TEXT, "webanno", "covers no token of WebAnno TSV"),
        ([Unit("a", 0, 1.5, "x")], TEXT, "prodigy", "1.5 of unit 0-1.5 does not count"),
        ([Unit("a", 0, 1, "\x01")], TEXT, "cas", "has a character that XML does not have"),
        ([Unit("", 0, 1, "x")], TEXT, "prodigy", "an annotator has no name"),
        ([], "  ", "webanno", "has no word"),
    ],
)
def test_content_that_the_tool_cannot_hold_is_refused(
    tmp_path: Path, units: list[Unit], text: str | None, name: str, message: str
) -> None:
    c = Continuum.from_units(
        units,
        annotators=None if units else ["a"],
        name="story",
        text=text,
        offset_unit="characters",
    )
    with pytest.raises(DataError, match=message):
        write(c, tmp_path / "out", format=name)
    assert not any(p.is_file() for p in tmp_path.rglob("*"))


def test_path_patterns_decide_which_file_holds_what(tmp_path: Path) -> None:
    write(story(), tmp_path / "{annotator}" / "{document}.xmi")
    assert (tmp_path / "ann" / "story.xmi").is_file()
    assert list(read(tmp_path, layout="{annotator}/{document}")) == UNITS
    gold = story([u for u in UNITS if u.annotator == "ann"])
    write(gold, tmp_path / "gold.tsv", format="webanno")
    assert [u.category for u in read(tmp_path / "gold.tsv")] == ["PER", "PER", "LOC"]
    with pytest.raises(DataError, match="a file holds one annotator's part of one document"):
        write(story(), tmp_path / "both.xmi")
    with pytest.raises(DataError, match="a file holds one annotator's part"):
        write(story(), tmp_path / "{document}.xmi")
    assert not (tmp_path / "both.xmi").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layer": "Frame"}, "layer 'Frame' is not a full name"),
        ({"feature": "a b"}, "feature 'a b' cannot be the name"),
        ({"kind": "x"}, "writing cas has no option 'kind'; there are: layer, feature"),
    ],
)
def test_impossible_writer_options_are_refused(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        write(story(), tmp_path / "a", format="cas", **options)


def test_gold_standards_are_written_for_each_tool(run: Run, tmp_path: Path) -> None:
    gold, sheet = tmp_path / "gold", tmp_path / "gold.csv"
    gold.mkdir()
    arguments = ["consensus", FIXTURES / "brat", "--support", "1", "--splits", "0", "-o"]
    for name in ("cas", "webanno", "brat"):
        outcome = run(
            *arguments, gold / name, "--to", name,
            *(["--write-option", "layer=custom.X"] if name == "cas" else []),
        )  # fmt: skip
        assert outcome.code == 0, outcome.err
    run(*arguments, sheet)
    for name in ("cas", "webanno", "brat"):
        # Each file has ids of its own.
        there, here = ([replace(u, id="") for u in read(p)] for p in (gold / name, sheet))
        assert there == here
    notes = [
        x
        for x in (gold / "brat" / "consensus" / "story.ann").read_text().splitlines()
        if x[0] == "#"
    ]
    assert notes[0] == "#2\tAnnotatorNotes T2\tmarked by 1 of 2 (support 1, confidence 0.00)"
    assert (
        'xmlns:type="http:///custom.ecore"'
        in (gold / "cas" / "story" / "consensus.xmi").read_text()
    )


def test_convert_adds_given_texts_to_units_without_text(run: Run, tmp_path: Path) -> None:
    sheet = tmp_path / "story.csv"
    assert run("convert", FIXTURES / "brat", sheet).code == 0
    outcome = run("convert", sheet, tmp_path / "out", "--to", "cas")
    assert outcome.code == 3
    assert "--texts FOLDER" in outcome.err
    (tmp_path / "story.txt").write_text(TEXT, encoding="utf-8")
    for texts in (tmp_path, tmp_path / "story.txt"):
        outcome = run("convert", sheet, tmp_path / "out", "--to", "cas", "--texts", texts)
        assert outcome.code == 0, outcome.err
        back = read(tmp_path / "out")
        assert [replace(u, id="") for u in back] == UNITS
        assert len(back.links) == len(read(sheet).links) == 1
    outcome = run("convert", sheet, tmp_path / "x.jsonl")
    assert outcome.code == 2
    assert "give --to with one of: prodigy, doccano" in outcome.err


@pytest.mark.parametrize("who", [".hid", "CURATION_USER", "INITIAL_CAS"])
@pytest.mark.parametrize("form", ["webanno", "brat"])
def test_names_that_readers_skip_are_refused(tmp_path: Path, who: str, form: str) -> None:
    # In brat the file is named after the document, and its folder after the annotator.
    names = (who, "d") if form == "webanno" else ("ann", who)
    c = Continuum.from_units([Unit(names[0], 0, 2, "X")], name=names[1], text="ab")
    with pytest.raises(DataError, match="would not be read from a folder"):
        write(c, tmp_path / "gold", format=form)
    assert not (tmp_path / "gold").exists()


def test_a_brat_collection_leaves_nothing_out_and_refuses_a_mark(tmp_path: Path) -> None:
    c = Continuum.from_units([Unit("ann", 0, 2, "X")], name="d", text="ab")
    write(c, tmp_path / "gold", format="brat")
    assert (tmp_path / "gold" / "annotation.conf").exists()
    assert read_corpus(tmp_path / "gold").left_out == ()
    marked = Continuum.from_units([Unit("ann", 0, 2, "X")], name="d", text="\ufeffab")
    with pytest.raises(DataError, match=r"begins with U\+FEFF"):
        write(marked, tmp_path / "other", format="brat")


@pytest.mark.parametrize(
    "label", ["a\\", "a\\[1]", "a\\|b", "\\", "\\\\|", "->", "a;b\\;c", "*", "_"]
)
def test_webanno_labels_with_special_characters_are_read_back(tmp_path: Path, label: str) -> None:
    """A backslash escapes the character that follows it, which can itself be a backslash."""
    units = [Unit("A", 0, 3, label), Unit("A", 0, 7, label), Unit("A", 4, 7, "x")]
    c = Continuum.from_units(units, text="abc def", offset_unit="characters", name="d")
    write(c, tmp_path / "out", format="webanno")
    assert list(read(tmp_path / "out")) == list(c)


@pytest.mark.parametrize("format", ["brat", "webanno", "cas", "doccano"])
def test_positions_in_tokens_are_refused_by_formats_of_characters(
    tmp_path: Path, format: str
) -> None:
    c = Continuum.from_units([Unit("A", 0, 2, "x")], text="abc def", offset_unit="tokens", name="d")
    with pytest.raises(DataError, match=r"positions count tokens, but .*\. Write CSV or JSON"):
        write(c, tmp_path / "out", format=format)
    assert not (tmp_path / "out").exists()


def test_rounded_positions_are_reported(run: Run, tmp_path: Path) -> None:
    rows = "# offset unit: s\nA,x,0,1.0004\nB,x,0.25,1.2\n"
    (tmp_path / "a.csv").write_text(rows, encoding="utf-8")
    outcome = run("convert", tmp_path / "a.csv", tmp_path / "a.eaf")
    assert "1 position is rounded to milliseconds, by up to 0.4 ms" in outcome.err
    (tmp_path / "a.csv").write_text(rows.replace("1.0004", "1.1"), encoding="utf-8")
    outcome = run("convert", tmp_path / "a.csv", tmp_path / "a.eaf")
    assert "is rounded" not in outcome.err


def test_bounds_that_the_format_cannot_keep_are_reported(run: Run, tmp_path: Path) -> None:
    rows = "document,annotator,category,start,end\na,A,x,1,4\nb,A,x,2,5\nc,A,x,2,5\n"
    for bounds, said in (
        ("# bounds: 0 9 a\n", "bounds 0:9 are not kept; give --bounds when reading it"),
        (
            "# bounds: 0 9 a\n# bounds: 0 9 b\n",
            "bounds 0:9 of 2 documents are not kept; give --bounds when reading it",
        ),
        (
            "# bounds: 0 9 a\n# bounds: 0 9 b\n# bounds: 0 8 c\n",
            "bounds of 3 documents are not kept, the first 0:9; write CSV or JSON",
        ),
    ):
        (tmp_path / "a.csv").write_text(bounds + rows, encoding="utf-8")
        outcome = run("convert", tmp_path / "a.csv", tmp_path / "grids", "--to", "textgrid")
        assert f"gammacp: {tmp_path / 'grids'}: {said}\n" in outcome.err


def test_writing_makes_no_parent_folders(run: Run, tmp_path: Path) -> None:
    missing = tmp_path / "no" / "such"
    for target, format in (
        (missing / "a.json", None),
        (missing / "brat", "brat"),
        (missing / "gold" / "{document}.xmi", "cas"),
    ):
        with pytest.raises(FileNotFoundError, match=r"folder does not exist\. Make it"):
            write(story(), target, format=format)
    for command in ("convert", "consensus"):
        place = [missing / "a.csv"] if command == "convert" else ["-o", missing / "a.csv"]
        outcome = run(command, FIXTURES / "brat", *place)
        assert outcome.code == 1
        assert f"{missing}: folder does not exist. Make it, or correct the path" in outcome.err
    assert not (tmp_path / "no").exists()
    write(story(), tmp_path / "gold" / "{annotator}.xmi", format="cas")
    write(story(), tmp_path / "brat", format="brat")
    assert {p.name for p in tmp_path.iterdir()} == {"gold", "brat"}


def test_elan_refuses_units_with_shapes(tmp_path: Path) -> None:
    c = Continuum.from_units([Unit.box(who, (0, 4), (1, 3), category="x") for who in "AB"])
    with pytest.raises(DataError, match="2 units have shapes, which ELAN cannot hold"):
        write(c, tmp_path / "x.eaf")
