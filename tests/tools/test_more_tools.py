"""BORIS, REFI-QDA, CATMA, factgenie, MQM, JAMS, BIDS and Mu-SHROOM, and flat folders."""

import json
import re
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gammacp import DataError, Unit, UsageError, read, read_corpus
from gammacp.formats import collect
from tests.tools.story import FIXTURES, TEXT, UNITS

CATMA = "catma/collections/C_ann/annotations/ann_0.json"
WALK = [("ann", 1.5, 4.25, "dog: walk"), ("ann", 2, 2, "jump"), ("bob", 1.25, 2.5, "dog: walk")]


@pytest.mark.parametrize("name", ["story.boris", "boris-tabular.tsv"])
def test_boris_by_observer_and_subject(name: str) -> None:
    c = read(FIXTURES / name, annotator="observer", category="subject+behavior")
    assert [(u.annotator, u.start, u.end, u.category) for u in c] == WALK
    assert (c.name, c.offset_unit) == ("dog.mp4", "s")
    assert list(read(FIXTURES / name, category="modifiers"))[-1].category == "slow"


def test_boris_aggregated_events(tmp_path: Path) -> None:
    head = "Observation id,Media file,Subject,Behavior,Behavior type,Start (s),Stop (s)\n"
    rows = 'a,"x,1.mp4",No focal subject,s,STATE,1.8,8.125\nb,"x,1.mp4",dog,p,POINT,3,3\n'
    (tmp_path / "a.csv").write_text(head + rows)
    c = read(tmp_path / "a.csv")
    assert list(c) == [Unit("a", 1.8, 8.125, "s"), Unit("b", 3, 3, "p")]
    assert c.name == "x,1.mp4"


def test_a_qdpx_is_an_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "project.qdpx", "w") as archive:
        for file in ("project.qde", "Sources/t1.txt"):
            archive.write(FIXTURES / "refi-qda" / file, file)
    c = read(tmp_path)
    assert (c.name, c.text, c.n_units) == ("story", TEXT, 6)
    assert {e.kind for e in c.left_out} == {"selection", "source"}


def test_qualitative_projects_without_users_have_the_annotator_of_their_file(
    tmp_path: Path,
) -> None:
    qde = (FIXTURES / "refi-qda" / "project.qde").read_text(encoding="utf-8")
    bare = qde.replace('<User guid="u-ann" name="ann"/><User guid="u-bob" name="bob"/>', "")
    with pytest.raises(DataError, match="several made its codings"):
        read_text(tmp_path / "cid.qde", bare)
    inside = bare.replace("u-bob", "u-ann").replace(
        ' plainTextPath="internal://t1.txt">', f"><PlainTextContent>{TEXT}</PlainTextContent>"
    )
    for who in ("cid", "dan"):
        (tmp_path / f"{who}.qde").write_text(inside, encoding="utf-8")
    c = read(tmp_path)
    assert c.annotators == ("cid", "dan")
    assert c.text == TEXT


def test_codings_without_a_user_are_counted_if_others_have_one(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "refi-qda", tmp_path / "p")
    file = tmp_path / "p" / "project.qde"
    whole = read(file)
    qde = file.read_text(encoding="utf-8")
    file.write_text(qde.replace(' creatingUser="u-bob"', ""), encoding="utf-8")
    c = read(file)
    assert c.annotators == ("ann",)
    of_bob = sum(u.annotator == "bob" for u in whole)
    assert of_bob > 0
    assert c.n_units == whole.n_units - of_bob
    reason = "without a user (creatingUser) in a project that lists users"
    assert [e.count for e in c.left_out if e.reason == reason] == [of_bob]


def read_text(path: Path, text: str, **options: Any) -> Any:
    path.write_text(text, encoding="utf-8")
    return read_corpus(path, **options)


def test_users_and_codes_of_one_name_are_distinguished(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "refi-qda", tmp_path / "p")
    file = tmp_path / "p" / "project.qde"
    qde = file.read_text(encoding="utf-8")
    (c,) = read_text(file, qde.replace('name="bob"', 'name="ann"')).values()
    assert c.annotators == ("ann", "ann (2)")
    assert sum(u.annotator == "ann (2)" for u in c) == 3
    (c,) = read_text(file, qde.replace('name="PRO"', 'name="PER"')).values()
    assert {u.category for u in c} == {"NAME/PER", "LOC", "PER"}
    (c,) = read_text(file, qde.replace('creatingUser="u-ann"', 'creatingUser="U-ANN"')).values()
    assert c.annotators == ("ann", "bob")
    with pytest.raises(DataError, match="to a user that the project does not have") as caught:
        read_text(file, qde.replace('<User guid="u-bob" name="bob"/>', ""))
    assert caught.value.line == 20


BORIS = "Observation id,Media file name,Subject,Behavior,Behavior type,Time\n"


def test_boris_recordings_of_one_name_and_events_at_one_time(tmp_path: Path) -> None:
    rows = [f"o,{day}/cam.mp4,,p,POINT,{k}" for k, day in enumerate(("/x/day1", "/x/day2"))]
    apart = read_text(tmp_path / "a.csv", BORIS + "\n".join(rows))
    assert list(apart) == ["day1/cam.mp4", "day2/cam.mp4"]
    windows = read_text(tmp_path / "w.csv", BORIS + r"o,C:\day1\cam.mp4,,p,POINT,1")
    assert list(windows) == ["cam.mp4"]
    project = json.loads((FIXTURES / "story.boris").read_text(encoding="utf-8"))
    for key, observation in project["observations"].items():
        observation["file"]["1"] = [f"/{key}/cam.mp4"]
    found = read_text(tmp_path / "p.boris", json.dumps(project))
    assert list(found) == [f"{key}/cam.mp4" for key in project["observations"]]
    for key, observation in project["observations"].items():
        observation["file"] = {"1": [], "2": [f"/{key}/side.mp4"]}
    found = read_text(tmp_path / "q.boris", json.dumps(project))
    assert list(found) == [f"{key}/side.mp4" for key in project["observations"]]
    turns = [("START", 0), ("START", 5), ("STOP", 5), ("STOP", 9), ("START", 11), ("STOP", 11)]
    table = BORIS + "".join(f"o,a.mp4,,s,{turn},{time}\n" for turn, time in turns)
    (c,) = read_text(tmp_path / "t.csv", table).values()
    assert [(u.start, u.end) for u in c] == [(0, 5), (5, 9), (11, 11)]
    assert c.left_out == ()


STUDIO = {"completed_by": 1, "result": [
    {"type": "labels", "from_name": "l", "to_name": "t",
     "value": {"start": 0, "end": 2, "text": "se", "labels": ["X"]}}]}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("a.tsv", "onset\tduration\tannotator\tcategory\tstart\tend\n0\t1\tA\tx\t0\t3\n", "csv"),
        ("a.csv", "Observation id,annotator,category,start,end\n1,A,x,0,3\n", "csv"),
        ("a.json", {"text": "see https://www.catma.de/tag"}, "label-studio"),
        ("b.json", {"text": "see", "namespace": "q", "annotation_metadata": 1}, "label-studio"),
        ("a.jsonl", '{"id":1,"text":"see","hard_labels":[[0,1]],"label":[[0,2,"X"]]}\n', "doccano"),
    ],
)
def test_similar_files_of_other_formats_are_not_taken(
    tmp_path: Path, name: str, text: Any, format: str
) -> None:
    data = [{"id": 1, "data": text, "annotations": [STUDIO]}]
    content = text if isinstance(text, str) else json.dumps(data)
    (tmp_path / name).write_text(content, encoding="utf-8")
    collected = collect([tmp_path / name])
    assert set(collected.formats.values()) == {format}
    assert [u.category for c in collected.continua.values() for u in c] in (["x"], ["X"])


def test_raters_of_events_are_not_merged_silently(tmp_path: Path) -> None:
    rows = "onset\tduration\ttrial_type\trater\n0\t1\tgo\tA\n0\t1\tgo\tB\n"
    with pytest.raises(DataError):
        read_text(tmp_path / "a.tsv", rows)


@pytest.mark.parametrize("mark", ["\u2028", "\x85", "\x0b", "\x0c"])
def test_only_line_ends_separate_rows(tmp_path: Path, mark: str) -> None:
    head, row, *_ = (FIXTURES / "mqm.tsv").read_text(encoding="utf-8").split("\n")
    text = head + "\n" + row.replace("<v>", f"{mark}<v>", 1) + "\r\n"
    (c,) = read_text(tmp_path / "a.tsv", text).values()
    assert mark in (c.text or "")
    table = BORIS + f"o,a.mp4,,x{mark}y,POINT,1\n"
    (c,) = read_text(tmp_path / "b.csv", table).values()
    assert [u.category for u in c] == [f"x{mark}y"]


def test_catma_in_an_archive(tmp_path: Path) -> None:
    shutil.make_archive(str(tmp_path / "p"), "zip", FIXTURES, "catma")
    c = read(tmp_path / "p.zip")
    assert (c.name, c.text, c.n_units) == ("story", TEXT, 6)
    assert read(FIXTURES / "catma", discontinuous="split").n_units == 7


def test_a_later_page_of_catma_is_read_with_the_first_one() -> None:
    assert [e.count for e in read(FIXTURES / "catma").left_out if e.kind == "page"] == [1, 1]
    with pytest.raises(DataError, match=r"1 page: is read with the first page, ann_0\.json"):
        read(FIXTURES / CATMA.replace("ann_0", "ann_1"))


def test_a_table_of_an_early_boris_is_reported(tmp_path: Path) -> None:
    head = "Observation id\tobs1\nMedia file(s)\n\nPlayer #1\tv.mp4\n\nObservation date\t2015\n"
    for text in (head, head.replace("\t", ","), '"Observation id","o"\n"Observation date","x"\n'):
        with pytest.raises(DataError, match=r"early version of BORIS.*export the events again"):
            read_text(tmp_path / "e.csv", text + "\nTime,Subject,Behavior,Status\n1,A,b,START\n")


def test_json_of_no_format_is_described_by_its_keys(tmp_path: Path) -> None:
    lines = '{"id": 1, "prompt": "x"}\n{"id": 2, "prompt": "z"}\n'
    with pytest.raises(DataError, match="not recognised: JSON with the keys id, prompt"):
        read_text(tmp_path / "u.jsonl", lines)
    # commas make it look like a table
    many = '{"id": 1, "prompt": "x", "a": 1, "b": 2, "c": [1, 2]}\n'
    with pytest.raises(DataError, match="not recognised: JSON with the keys id, prompt, a"):
        read_text(tmp_path / "m.jsonl", many)
    with pytest.raises(DataError, match="not recognised: JSON with the keys run"):
        read_text(tmp_path / "u.json", '{"run": 1}')


def test_catma_tei_with_overlapping_annotations(tmp_path: Path) -> None:
    """CATMA writes an annotation that overlaps others as several stretches."""
    shutil.copytree(FIXTURES / "catma-tei", tmp_path / "p")
    file = tmp_path / "p/story/annotationcollections/ann.xml"
    lines = file.read_text(encoding="utf-8").replace("#char=0,3", "#char=0,2")
    seg = '<seg ana="#CATMA_ANN0 #CATMA_ANN1"><ptr target="x#char=2,3"/></seg>'
    file.write_text(lines.replace('<ab type="catma">', f'<ab type="catma">{seg}'), encoding="utf-8")
    c = read(tmp_path / "p")
    assert [(u.end, u.fragments) for u in c if u.annotator == "ann" and u.start == 0] == [(3, ())]
    assert [u.fragments for u in c if u.start == 2] == [((2, 3), (8, 11))]
    file.write_text(lines.replace('CATMA_ANN1" type', 'CATMA_ANN7" type'), encoding="utf-8")
    with pytest.raises(DataError, match="annotation CATMA_ANN7 has no tag or no place"):
        read(tmp_path / "p")
    empty = re.sub("<fs xml:id=.CATMA_ANN.*?</fs>|<seg.*?</seg>", "", lines, flags=re.DOTALL)
    file.write_text(empty, encoding="utf-8")
    shutil.make_archive(str(tmp_path / "q"), "zip", tmp_path / "p")
    c = read(tmp_path / "q.zip")
    assert (c.name, c.text, c.annotators, c.n_units) == ("story", TEXT, ("ann", "bob"), 3)


def test_mqm_sides_categories_and_quotes(tmp_path: Path) -> None:
    file = FIXTURES / "mqm.tsv"
    assert [u.category for u in read(file, category="category+severity")][:2] == ["PER/Major"] * 2
    source = read(file, side="source")
    assert list(source) == [Unit("bob", 2, 6, "Omission")]
    assert source.text == "Quelle"
    head = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\n"
    rows = 's\td\t1\t1\tr\tx\t"Say ""<v>a</v>"" b"\tA\tMinor\n'
    (tmp_path / "a.tsv").write_text(head + rows)
    c = read(tmp_path / "a.tsv")
    assert (c.text, list(c)) == ('Say "a" b', [Unit("r", 5, 6, "A")])
    (tmp_path / "b.tsv").write_text(head + 's\td\t1\t1\tr\tx\t"Say <v>a</v>" "b\tA\tMinor\n')
    assert read(tmp_path / "b.tsv").text == '"Say a" "b'


def test_jams_with_several_namespaces_and_columns(tmp_path: Path) -> None:
    about = {"curator": {"name": "cid"}}
    columns: dict[str, list[object]] = {
        "time": [0, 1],
        "duration": [0.5, 0.5],
        "value": [{"x": 1}, 2],
        "confidence": [1, 1],
    }
    rows = [{"time": 0, "duration": 1, "value": "A", "confidence": None}]
    annotations = [
        {"namespace": "pitch", "annotation_metadata": about, "data": columns},
        {"namespace": "segment_open", "annotation_metadata": {}, "data": rows},
        {"namespace": "segment_open", "annotation_metadata": {}, "data": rows},
    ]
    (tmp_path / "a.jams").write_text(json.dumps({"annotations": annotations}))
    with pytest.raises(DataError, match="there are several layers: pitch, segment_open"):
        read(tmp_path / "a.jams")
    assert list(read(tmp_path / "a.jams", layer="pitch")) == [
        Unit("cid", 0, 0.5, None),
        Unit("cid", 1, 1.5, "2"),
    ]
    c = read(tmp_path / "a.jams", layer="segment_open")
    assert c.annotators == ("annotation", "annotation (2)")
    columns["value"].pop()
    (tmp_path / "a.jams").write_text(json.dumps({"annotations": annotations}))
    with pytest.raises(DataError, match="duration, value have different lengths: 2, 2, 1"):
        read(tmp_path / "a.jams", layer="pitch")


def test_bids_columns() -> None:
    c = read(FIXTURES / "bids", feature="response_time")
    assert not any(u.category for u in c)
    assert [round(u.start * 10) for u in c] == [round(u.start) for u in UNITS]


def test_mu_shroom_soft_labels_and_annotators(tmp_path: Path) -> None:
    c = read(FIXTURES / "mu-shroom", labels="soft", least="0.75")
    assert [u.start for u in c] == [8, 17, 17, 28]
    assert [(e.count, e.reason) for e in c.left_out][:2] == [
        (3, "hard label"),
        (1, "less probable than 0.75"),
    ]
    spans = {"hard_labels": [[0, 3]], "annotations": {"x": [[0, 3]], "y": []}}
    record = {"id": "1", "model_output_text": TEXT, **spans}
    (tmp_path / "a.jsonl").write_text(json.dumps(record))
    c = read(tmp_path / "a.jsonl")
    assert (c.annotators, c.n_units) == (("x", "y"), 1)


def test_label_studio_images_and_choices_are_counted(tmp_path: Path) -> None:
    region = {"id": "1", "from_name": "b", "to_name": "i", "value": {"x": 1}}
    result = [{**region, "type": kind} for kind in ("brushlabels", "choices", "rating")]
    value = {"start": 0, "end": 3, "labels": ["A"]}
    named = {"id": "2", "from_name": "l", "type": "labels", "value": value}
    prediction = {"model_version": "m", "result": [named]}
    task = {"id": 1, "data": {"text": TEXT}, "annotations": [{"completed_by": 1, "result": result}]}
    file = tmp_path / "a.json"
    file.write_text(json.dumps([{**task, "predictions": [prediction]}]))
    c = read(file)
    assert c.n_units == 0
    assert {(e.kind, e.count) for e in c.left_out} == {("region", 1), ("prediction", 1)}
    assert {e.reason for e in c.left_out} >= {"choices is not a span", "brushlabels is not a span"}
    both = read(file, predictions="yes")
    assert (both.annotators, list(both)) == (("1", "m"), [Unit("m", 0, 3, "A")])
    with pytest.raises(UsageError, match="is unknown; there are: yes, no"):
        read(file, predictions="maybe")


def test_flat_folders(tmp_path: Path) -> None:
    for who in ("ann", "bob"):
        shutil.copy(FIXTURES / "brat" / who / "story.ann", tmp_path / f"story-{who}.ann")
    shutil.copy(FIXTURES / "brat" / "ann" / "story.txt", tmp_path / "story.txt")
    c = read(tmp_path, layout="{document}-{annotator}")
    assert ([replace(u, id="") for u in c], c.name, c.text) == (UNITS, "story", TEXT)
    assert not any(e.kind == "file" for e in c.left_out)
    with pytest.raises(DataError, match="name does not fit the layout"):
        read(tmp_path, layout="{annotator}+{document}")
    with pytest.raises(UsageError, match="each at most once"):
        read(tmp_path, layout="{annotator}/{annotator}")


def changed(name: str, old: str, new: str) -> str:
    text = (FIXTURES / name).read_text(encoding="utf-8")
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("name", "old", "new", "line", "message"),
    [
        ("story.boris", '"observations"', '"observation"', None, 'file has no "observations"'),
        ("story.boris", '"code": "walk"', '"code": "run"', None, "has no known behavior"),
        ("story.boris", "1.5,", '"1.5",', None, "'1.5' is not a time"),
        ("boris-tabular.tsv", "START", "BEGIN", 2, "behavior type 'BEGIN' is unknown"),
        ("boris-tabular.tsv", "1.500", "x", 2, "Time 'x' is not a number"),
        ("boris-tabular.tsv", "\tBehavior\t", "\tX\t", 1, "there is no column 'Behavior'"),
        ("boris-tabular.tsv", "\tfilms", "films", 2, "row has 14 cells, but the header has 15"),
        ("refi-qda/project.qde", "internal://t1", "internal://t2", 9, "is not in the project"),
        ("refi-qda/project.qde", 'endPosition="3"', 'endPosition="99"', 11, "lies beyond the text"),
        ("refi-qda/project.qde", 'targetGUID="k-PER"', 'targetGUID="k"', 11, "a code that the"),
        ("mqm.tsv", "</v>", "", 2, "are not in pairs"),
        ("mqm.tsv", "\tann\t", "\t\t", 2, "has no name"),
        ("bids/ann/sub-01_task-x_events.tsv", "0.8\t", "soon\t", 3, "'soon' is not a number"),
        ("story.jams", '"namespace"', '"name"', None, 'annotation has no "namespace"'),
        ("story.jams", '"duration": 0.375', '"duration": "x"', None, "lacks a time and a duration"),
        ("factgenie.jsonl", '"example_idx": 0', '"example_idx": null', 1, "lacks one of dataset"),
        ("factgenie.jsonl", '"text": "Ann"', '"text": "Bob"', 1, "'Bob' is not what"),
        ("factgenie.jsonl", 'tator_id": "bob"', 'tator_id": "ann"', 2, "d/test/m/0 twice"),
        ("mu-shroom/ann.jsonl", "[[0, 3]", "[[0, 99]", 1, "lies beyond the text of 39"),
        ("mu-shroom/ann.jsonl", "[[0, 3]", "[[0]", 1, "not a list of \\[start, end\\]"),
        (CATMA, '"tag": "tagsets', '"t": "', None, "has no tag"),
        (CATMA, '"start": 0', '"start": "0"', None, "not have its start and end"),
        (CATMA, '"D_1"', '"../../x"', None, "is not a file of a project"),
    ],
)  # fmt: skip
def test_bad_files_say_where(
    tmp_path: Path, name: str, old: str, new: str, line: int | None, message: str
) -> None:
    top = Path(name).parts[0]
    copy = shutil.copytree if (FIXTURES / top).is_dir() else shutil.copy
    copy(FIXTURES / top, tmp_path / top)
    file = tmp_path / name
    file.write_text(changed(name, old, new), encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        read_corpus(file)
    assert caught.value.line == line
    assert Path(name).name in str(caught.value)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("story.boris", {"category": "colour"}, "is not made of behavior, subject, modifiers"),
        ("mqm.tsv", {"side": "left"}, "side 'left' is unknown"),
        ("mqm.tsv", {"category": "colour"}, "is not category, severity, or both"),
        ("factgenie.jsonl", {"annotator": "x"}, "annotator 'x' is unknown; there are: id, group"),
        ("mu-shroom", {"labels": "x"}, "labels 'x' is unknown; there are: hard, soft"),
        ("mu-shroom", {"least": "x"}, "is not a probability"),
    ],
)
def test_options_of_readers(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_corpus(FIXTURES / name, **options)


def _factgenie(path: Path, *rows: tuple[int, str | None, int | None, str | None]) -> Path:
    """Write a record for each example, person, group and campaign; the first word is a span."""
    lines = []
    for example, person, group, campaign in rows:
        about = {"annotator_id": person, "annotator_group": group, "campaign_id": campaign}
        record = {
            "dataset": "d",
            "split": "s",
            "setup_id": "m",
            "example_idx": example,
            "metadata": {key: value for key, value in about.items() if value is not None},
            "annotations": [{"type": 0, "start": 0, "text": "Ann"}],
            "output": "Ann left",
        }
        lines.append(json.dumps(record))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_groups_of_factgenie_are_annotators_on_request(tmp_path: Path) -> None:
    """Each of two groups has every example once; three people share the work."""
    rows = [(0, "p", 0, "c"), (1, "q", 0, "c"), (0, "q", 1, "c"), (1, "r", 1, "c")]
    file = _factgenie(tmp_path / "c.jsonl", *rows)
    by_person = read_corpus(file)
    assert [sorted(c.annotators) for c in by_person.values()] == [["p", "q"], ["q", "r"]]
    assert [(e.count, e.kind, e.reason) for e in by_person.left_out] == [
        (2, "annotator group", "is not the annotator (`annotator=group` makes it one)")
    ]
    by_group = read_corpus(file, annotator="group")
    groups = ["c-anngroup-0", "c-anngroup-1"]
    assert [sorted(c.annotators) for c in by_group.values()] == [groups, groups]
    assert [(e.count, e.kind) for e in by_group.left_out] == [(3, "annotator id")]


def test_groups_of_factgenie_differ_between_campaigns(tmp_path: Path) -> None:
    _factgenie(tmp_path / "a.jsonl", (0, None, 0, "a"))
    _factgenie(tmp_path / "b.jsonl", (0, None, 0, "b"))
    (c,) = read_corpus(tmp_path).values()
    assert sorted(c.annotators) == ["a-anngroup-0", "b-anngroup-0"]
    assert not c.left_out
    nameless = _factgenie(tmp_path / "c.jsonl", (0, "p", None, "a"))
    with pytest.raises(DataError, match="no annotator_group"):
        read_corpus(nameless, annotator="group")
