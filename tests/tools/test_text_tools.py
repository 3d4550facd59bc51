"""Formats of text annotation tools, on fixtures made by each tool's documentation."""

import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from gammacp import Continuum, DataError, Unit, UsageError, read, read_corpus
from gammacp.formats import collect
from tests.tools.story import FIXTURES, TEXT, TOKENS, UNITS


@pytest.mark.parametrize(
    ("path", "format"),
    [
        ("brat", "brat"),
        ("webanno", "webanno"),
        ("cas", "cas"),
        ("doccano", "doccano"),
        ("prodigy.jsonl", "prodigy"),
        ("label-studio.json", "label-studio"),
        ("web-annotation.jsonld", "web-annotation"),
    ],
)
def test_the_same_story_in_every_text_format(path: str, format: str) -> None:
    found = collect([FIXTURES / path])
    assert found.failures == ()
    assert set(found.formats.values()) == {format}
    for continuum in found.continua.values():
        assert [replace(u, id="") for u in continuum] == UNITS
        assert continuum.offset_unit == "characters"
        assert continuum.text == (None if format == "web-annotation" else TEXT)


def test_label_studio_offsets_are_recognised_by_their_quotes() -> None:
    # Task 1 counts code points, task 2 UTF-16 units.
    assert list(read_corpus(FIXTURES / "label-studio.json")) == ["1", "2"]


def test_conll_counts_tokens() -> None:
    c = read(FIXTURES / "conll")
    assert list(c) == TOKENS
    assert c.offset_unit == "tokens"
    assert (c.text or "").split() == TEXT.split()


def test_conll_tokens_that_look_like_comments(tmp_path: Path) -> None:
    file = tmp_path / "ann" / "a.iob"
    file.parent.mkdir()
    file.write_text("# text = a # b\na B-X\n# I-X\nb O\n", encoding="utf-8")
    assert list(read(file)) == [Unit("ann", 0, 2, "X")]


def test_glozz() -> None:
    c = read(FIXTURES / "story.aa")
    assert list(c) == [*UNITS[:-1], Unit("bob", 28, 32, "PRO")]
    assert c.text == TEXT.replace("\n", " ")
    sure = read(FIXTURES / "story.aa", feature="Sure")
    assert [u.category for u in sure] == ["yes", *[None] * 5]


def test_brat_attribute_as_category() -> None:
    found = read(FIXTURES / "brat" / "ann" / "story.ann", feature="Confidence")
    assert [u.category for u in found] == ["high", None, "low"]
    with pytest.raises(DataError, match=r"attribute 'Size' does not occur\. There are: Confidence"):
        read(FIXTURES / "brat" / "ann" / "story.ann", feature="Size")


def test_brat_discontinuous(tmp_path: Path) -> None:
    (tmp_path / "a.ann").write_text("T1\tX 0 3;8 11\tAnn Bob\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    assert [(u.start, u.end) for u in read(tmp_path / "a.ann")] == [(0, 11)]
    split = read(tmp_path / "a.ann", discontinuous="split")
    assert [(u.start, u.end) for u in split] == [(0, 3), (8, 11)]


def test_brat_offsets_of_a_front_end_in_utf16(tmp_path: Path) -> None:
    (tmp_path / "a.ann").write_text("T1\tLOC 18 26\tNew York\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    assert [(u.start, u.end) for u in read(tmp_path / "a.ann")] == [(17, 25)]


def test_inception_project_archive(tmp_path: Path) -> None:
    inner = tmp_path / "ann.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        archive.write(FIXTURES / "cas" / "story" / "ann.xmi", "ann.xmi")
        archive.writestr("TypeSystem.xml", "<typeSystemDescription/>")
    with zipfile.ZipFile(tmp_path / "project.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("exportedproject.json", '{"name": "p"}')
        archive.write(inner, "annotation/story/ann.zip")
        archive.write(inner, "annotation/story/INITIAL_CAS.zip")
        archive.write(inner, "curation/story/CURATION_USER.zip")
        archive.write(FIXTURES / "webanno" / "story" / "ann.tsv", "source/story.tsv")
        archive.write(FIXTURES / "cas" / "story" / "bob.json", "annotation/story/bob.json")
    assert list(read(tmp_path / "project.zip")) == UNITS
    with zipfile.ZipFile(tmp_path / "project.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    assert list(read(tmp_path / "unpacked")) == UNITS
    curated = tmp_path / "unpacked" / "curation" / "story" / "CURATION_USER.zip"
    with_gold = read_corpus([tmp_path / "unpacked", curated])["story"]
    assert with_gold.annotators == ("CURATION_USER", "ann", "bob")


@pytest.mark.parametrize("folder", ["webanno", "cas"])
def test_layers_are_chosen_over_all_files(folder: str) -> None:
    path = FIXTURES / folder
    assert list(read(path, layer="NamedEntity")) == UNITS
    with pytest.raises(DataError, match=r"layer 'Pos' does not occur\. There are: .*NamedEntity"):
        read(path, layer="Pos")
    with pytest.raises(
        DataError, match=r"feature 'x' of layer .* does not occur\. There are: .*val"
    ):
        read(path, feature="x")


def test_an_annotator_without_the_layer_has_no_units(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "webanno" / "story", tmp_path / "story")
    empty = "#FORMAT=WebAnno TSV 3.3\n\n\n#Text=Ann met Bob 😊 in New York .\n"
    tokens = [t[:3] for t in _token_rows(FIXTURES / "webanno" / "story" / "ann.tsv")]
    first = "".join("\t".join(t) + "\t\n" for t in tokens if t[0].startswith("1-"))
    second = "".join("\t".join(t) + "\t\n" for t in tokens if t[0].startswith("2-"))
    file = tmp_path / "story" / "cid.tsv"
    file.write_text(f"{empty}{first}\n#Text=They left .\n{second}", encoding="utf-8")
    c = read(tmp_path / "story")
    assert dict(zip(c.annotators, c.counts.tolist(), strict=True)) == {"ann": 3, "bob": 3, "cid": 0}


def _token_rows(file: Path) -> list[list[str]]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [x.split("\t") for x in lines if x and not x.startswith("#")]


def test_webanno_stacked_and_parts_of_tokens(tmp_path: Path) -> None:
    file = tmp_path / "doc" / "ann.tsv"
    file.parent.mkdir()
    file.write_text(
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|kind\n\n\n#Text=unhappy \\[cat\\]\n"
        "1-1\t0-7\tunhappy\ta[1]|b\\|c[2]\t\n1-1.1\t0-2\tun\tneg\t\n1-2\t8-13\t\\[cat\\]\ta[1]\t\n",
        encoding="utf-8",
    )
    c = read(file)
    assert c.text == "unhappy [cat]"
    assert [(u.start, u.end, u.category) for u in c] == [
        (0, 2, "neg"),
        (0, 7, "b|c"),
        (0, 13, "a"),
    ]


def copy_of(folder: str, tmp_path: Path) -> Path:
    shutil.copytree(FIXTURES / folder, tmp_path / folder)
    return tmp_path / folder


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize(
    ("folder", "file", "old", "new", "message"),
    [
        ("brat", "bob/story.ann", "17 20\tNew", "17 20\tOld", r"story\.ann:2: T2: 'Old' is not"),
        (
            "brat",
            "bob/story.ann",
            "28 32",
            "28 99",
            r"story\.ann:3: T3: end 99 lies beyond the text",
        ),
        ("brat", "bob/story.ann", "28 32", "28-32", r"story\.ann:3: T3 is not T1<tab>"),
        ("brat", "bob/story.ann", "28 32", "32 28", r"story\.ann:3: T3: end 28 < start 32"),
        (
            "brat",
            "bob/story.txt",
            "left",
            "LEFT",
            "text differs between ann and bob from character 33",
        ),
        ("webanno", "story/ann.tsv", "3-3", "x", "#FORMAT"),
        (
            "webanno",
            "story/ann.tsv",
            "0-3\tAnn",
            "0-3\tAnm",
            r"ann\.tsv:6: token 1-1: 'Anm' is not what",
        ),
        (
            "webanno",
            "story/ann.tsv",
            "1-2\t",
            "1-3\t",
            r"ann\.tsv:7: token 1-3 does not follow 1-1",
        ),
        (
            "webanno",
            "story/ann.tsv",
            "\t*\tPER",
            "\tPER",
            r"ann\.tsv:6: line is not a token with 2",
        ),
        ("cas", "story/ann.xmi", 'end="26"', 'end="77"', r"ann\.xmi:10: .* beyond the text of 39"),
        (
            "cas",
            "story/ann.xmi",
            'end="26"',
            'end="x"',
            r"ann\.xmi:10: <NamedEntity>: 'x' is not a whole number",
        ),
        (
            "cas",
            "story/ann.xmi",
            'end="26"',
            "",
            r"ann\.xmi:10: <NamedEntity> has no attribute 'end'",
        ),
        (
            "cas",
            "story/ann.xmi",
            "</xmi:XMI>",
            "",
            r"ann\.xmi:15: XML is broken: no element found",
        ),
        (
            "cas",
            "story/ann.xmi",
            "<xmi:XMI",
            "<!DOCTYPE x><xmi:XMI",
            r"ann\.xmi:2: .*document type",
        ),
        ("cas", "story/bob.json", '"begin": 18', '"begin": "18"', "begin or end is missing or of"),
        ("cas", "story/bob.json", '"end": 21', '"end": 13', "position None is not a number"),
        ("conll", "bob/story.conll", "S-PER", "PER", r"story\.conll:3: tag 'PER' is not IOB"),
        (
            "conll",
            "bob/story.conll",
            "met X O",
            "met O",
            r"story\.conll:4: line has 2 columns instead",
        ),
        (
            "doccano",
            "bob.jsonl",
            '"end_offset": 20',
            '"end_offset": 15',
            r"bob\.jsonl:1: .* end 15 <",
        ),
        ("doccano", "bob.jsonl", '"id": 7', '"id": 7}', r"bob\.jsonl:?1?: JSON is broken"),
    ],
)
def test_errors_in_files_of_text_tools_have_a_place_and_a_cause(
    tmp_path: Path, folder: str, file: str, old: str, new: str, message: str
) -> None:
    path = copy_of(folder, tmp_path)
    if old != "3-3":
        edit(path / file, old, new)
    else:
        edit(path / file, "#FORMAT=WebAnno TSV 3.3", "#FORMAT=CoNLL")
        message = r"ann\.tsv:"
    with pytest.raises(DataError, match=message):
        read(path)


def test_label_studio_json_min_is_named(tmp_path: Path) -> None:
    """Label Studio's JSON-MIN has labels without their control tags, and is not read."""
    path = tmp_path / "min.json"
    path.write_text(
        '[{"id": 1, "text": "Paris is nice.", "annotator": 1, "annotation_id": 1,'
        ' "label": [{"start": 0, "end": 5, "text": "Paris", "labels": ["LOC"]}]}]',
        encoding="utf-8",
    )
    with pytest.raises(DataError, match="JSON-MIN, which is not read"):
        read(path)


def test_a_document_without_one_of_its_annotators_is_left_out(tmp_path: Path) -> None:
    path = copy_of("brat", tmp_path)
    for who in ("ann", "bob"):
        (path / who / "other.ann").write_text("", encoding="utf-8")
    edit(path / "bob" / "story.ann", "28 32", "28-32")
    found = collect([path])
    assert list(found.continua) == ["other"]
    assert len(found.failures) == 1


def test_a_damaged_json_file_is_an_error(tmp_path: Path) -> None:
    path = copy_of("doccano", tmp_path)
    (path / "bob.jsonl").write_text('{"id"', encoding="utf-8")
    found = collect([path])
    assert not found.continua
    assert "bob.jsonl: format is not recognised" in str(found.failures[0][1])


def edited_json(tmp_path: Path, name: str, path: list[object], value: object) -> Path:
    document = json.loads((FIXTURES / name).read_text(encoding="utf-8"))
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    file = tmp_path / name
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


REGION = [0, "annotations", 0, "result", 2, "value"]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ([*REGION, "end"], 24, "task 1: 'New York' is not what the task has at 17-24"),
        ([*REGION, "labels"], "LOC", "labels of a region are not a list"),
        ([0, "annotations", 1, "completed_by"], None, 'has no "completed_by"'),
        ([1, "id"], 1, "task 1 occurs twice"),
        ([*REGION, "startOffset"], 3, "only an XPath"),
    ],
)
def test_bad_label_studio_exports(
    tmp_path: Path, path: list[object], value: object, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_corpus(edited_json(tmp_path, "label-studio.json", path, value))


def test_label_studio_layers(tmp_path: Path) -> None:
    file = edited_json(tmp_path, "label-studio.json", [*REGION[:-1], "from_name"], "places")
    with pytest.raises(DataError, match="several layers: label, places"):
        read_corpus(file)
    assert [c.n_units for c in read_corpus(file, layer="places").values()] == [1, 0]


def test_web_annotation_of_a_recording(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    entry = {"type": "Annotation", "creator": "ann", "bodyValue": "x"}
    places = [
        "http://e.org/a.mp4#t=1.5,3",
        {
            "source": "http://e.org/a.mp4",
            "selector": {"type": "FragmentSelector", "value": "t=npt:4,6.25"},
        },
    ]
    file.write_text(
        "\n".join(json.dumps({**entry, "target": t}) for t in (*places, places)), encoding="utf-8"
    )
    c = read(file, format="web-annotation")
    assert (c.name, c.offset_unit) == ("http://e.org/a.mp4", "s")
    assert [(u.start, u.end) for u in c] == [(1.5, 3), (1.5, 6.25), (4, 6.25)]


def test_a_custom_layout(tmp_path: Path) -> None:
    for who in ("ann", "bob"):
        (tmp_path / who / "round-1").mkdir(parents=True)
        for ending in ("ann", "txt"):
            shutil.copy(FIXTURES / "brat" / who / f"story.{ending}", tmp_path / who / "round-1")
    c = read(tmp_path, layout="{annotator}/*/{document}")
    assert [replace(u, id="") for u in c] == UNITS
    with pytest.raises(UsageError, match="layout"):
        read(tmp_path, layout="{who}/{document}")


def test_segments_cover_their_item(tmp_path: Path) -> None:
    c = read(FIXTURES / "segeval.json")
    assert [(u.annotator, u.start, u.end) for u in c] == [
        ("ann", 0, 2),
        ("ann", 2, 5),
        ("ann", 5, 6),
        ("bob", 0, 5),
        ("bob", 5, 6),
    ]
    file = tmp_path / "a.json"
    file.write_text('{"talk": {"ann": [2, 3], "bob": [6]}}', encoding="utf-8")
    with pytest.raises(DataError, match="has mass 5 for ann and 6 for bob"):
        read(file)


def test_wrong_tool() -> None:
    with pytest.raises(DataError, match=r"root element .* is not ANNOTATION_DOCUMENT"):
        read(FIXTURES / "story.aa", format="elan")
    with pytest.raises(DataError, match=r'JSON has no key "gammacp"\. Leave out `format=json`'):
        read(FIXTURES / "segeval.json", format="json")
    assert isinstance(read(FIXTURES / "segeval.json"), Continuum)


def test_labels_of_a_whole_prodigy_task_are_counted(tmp_path: Path) -> None:
    task = {"text": "abc", "_input_hash": 1, "answer": "accept", "spans": [{"start": 0, "end": 2}]}
    rows = (
        {**task, "_annotator_id": "A", "accept": ["POS", "NEG"]},
        {**task, "_annotator_id": "B", "label": "POS"},
        {**task, "_annotator_id": "C"},
    )
    file = tmp_path / "p.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = read(file)
    assert [(e.kind, e.count) for e in found.left_out] == [("label", 3)]
    assert found.n_units == 3
