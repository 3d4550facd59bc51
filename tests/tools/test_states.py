"""States of annotators' work, in exports whose people and documents are counted in the raw
files.
"""

import io
import json
import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gammacp import gamma, read_corpus
from gammacp.errors import DataError
from gammacp.formats.reading import collect
from tests.conftest import Run
from tests.tools.story import FIXTURES

XMI = (FIXTURES / "cas" / "story" / "ann.xmi").read_bytes()
UNITS_EACH = 3
CURATOR = "CURATION_USER"


def inner(name: str) -> bytes:
    """Return the archive of one person's document, as INCEpTION packs it."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"{name}.xmi", XMI)
        archive.writestr("TypeSystem.xml", "<typeSystemDescription/>")
    return packed.getvalue()


def project(
    states: Mapping[tuple[str, str], str], root: str = "", curated: tuple[str, ...] = ("d1",)
) -> dict[str, bytes]:
    """Return the files of a project with states by document and user, and random archive names."""
    entries = [{"name": d, "user": u, "state": s} for (d, u), s in states.items()]
    description = {"name": "p", "annotation_documents": entries}
    files = {f"{root}exportedproject42.json": json.dumps(description).encode()}
    for number, (document, user) in enumerate(states):
        files[f"{root}annotation/{document}/webanno{7 * number}export.zip"] = inner(user)
        files[f"{root}annotation/{document}/INITIAL_CAS.zip"] = inner("INITIAL_CAS")
        files[f"__MACOSX/{root}annotation/{document}/._x{number}.zip"] = b"\0\5\x16\7"
    for number, document in enumerate(curated):
        files[f"{root}curation/{document}/webanno9{number}export.zip"] = inner(CURATOR)
    return files


STATES = {
    ("d1", "ann"): "FINISHED",
    ("d1", "bob"): "FINISHED",
    ("d1", "zoe"): "IN_PROGRESS",
    ("d2", "ann"): "FINISHED",
    ("d2", "bob"): "FINISHED",
    ("d2", "zoe"): "FINISHED",
    ("d3", "ann"): "FINISHED",
    ("d3", "bob"): "IGNORE",
    ("d3", "zoe"): "FINISHED",
}
FINISHED = {(document, user) for (document, user), state in STATES.items() if state == "FINISHED"}


def stored(folder: Path, files: Mapping[str, bytes], kind: str) -> Path:
    """Return where files are stored: in an archive, unpacked, or below a folder of that."""
    if kind == "archive":
        with zipfile.ZipFile(folder / "p.zip", "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return folder / "p.zip"
    for name, content in files.items():
        path = folder / "p" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder / "p"


def cells(corpus: Mapping[str, Any]) -> set[tuple[str, str]]:
    return {(name, person) for name, c in corpus.items() for person in c.annotators}


@pytest.mark.parametrize("kind", ["archive", "folder"])
@pytest.mark.parametrize("root", ["", "My+Project_2021/", "a/b/"])
def test_people_of_a_project_are_those_inside_its_archives(
    tmp_path: Path, root: str, kind: str
) -> None:
    path = stored(tmp_path, project(STATES, root), kind)
    corpus = read_corpus(path)
    assert cells(corpus) == FINISHED
    assert sum(c.n_units for c in corpus.values()) == UNITS_EACH * len(FINISHED)
    by_state = Counter({e.state: 0 for e in corpus.left_out if e.state})
    for entry in corpus.left_out:
        if entry.state:
            by_state[entry.state] += entry.count
    assert by_state == {"unfinished": 1, "skipped": 1, "reference": 1}


@pytest.mark.parametrize("kind", ["archive", "folder"])
def test_unfinished_work_can_be_included(tmp_path: Path, kind: str) -> None:
    path = stored(tmp_path, project(STATES, "x/"), kind)
    more = FINISHED | {("d1", "zoe")}
    assert cells(read_corpus(path, include="unfinished")) == more
    both = read_corpus(path, include=["unfinished", "reference"])
    assert cells(both) == more | {("d1", CURATOR)}
    assert "include=unfinished%2Creference" in both["d1"].selection


def test_a_part_of_an_unpacked_project_has_its_states(tmp_path: Path) -> None:
    path = stored(tmp_path, project(STATES), "folder")
    assert cells(read_corpus(path / "annotation")) == FINISHED
    assert cells(read_corpus(path / "annotation" / "d1")) == {("d1", "ann"), ("d1", "bob")}
    with pytest.raises(DataError, match=r"nothing is finished work.*`include=reference`"):
        read_corpus(path / "curation")
    named = next((path / "curation").rglob("*.zip"))
    assert cells(read_corpus(named)) == {("d1", CURATOR)}


def test_inner_archives_with_the_same_name_are_kept_apart(tmp_path: Path) -> None:
    files = {f"annotation/d1/{who}.zip": inner("document") for who in ("ann", "bob")}
    for kind in ("archive", "folder"):
        corpus = read_corpus(stored(tmp_path, files, kind))
        assert cells(corpus) == {("d1", "ann"), ("d1", "bob")}


def test_an_unknown_state_of_a_project_is_reported(tmp_path: Path, run: Run) -> None:
    path = stored(tmp_path, project({**STATES, ("d1", "zoe"): "MULLED_OVER"}), "archive")
    found = run("inspect", path, "--json")
    assert "state 'MULLED_OVER' is unknown: read as finished work" in found.err
    document = json.loads(found.out)
    [d1] = [r for r in document["results"] if r["file"] == "d1"]
    assert set(d1["annotators"]) == {"ann", "bob", "zoe"}
    [remark] = document["remarks"]
    assert "MULLED_OVER" in remark["note"]


def test_a_damaged_description_is_reported(tmp_path: Path, run: Run) -> None:
    files = project(STATES) | {"exportedproject42.json": b'{"annotation_documents": ['}
    found = run("inspect", stored(tmp_path, files, "archive"))
    assert "the project's description is not read" in found.err


def test_work_that_is_left_out_is_no_failure(tmp_path: Path, run: Run) -> None:
    path = stored(tmp_path, project(STATES), "archive")
    found = run("gamma", path, "--samples", "10", "--json")
    assert found.code == 0
    document = json.loads(found.out)
    assert document["failures"] == []
    [entry] = [e for e in document["left_out"] if e.get("state") == "unfinished"]
    assert entry["count"] == 1
    assert entry["reason"] == "unfinished (IN_PROGRESS), read with --include unfinished"
    assert [e for e in document["left_out"] if "state" not in e]


def test_a_named_reference_is_read(tmp_path: Path, run: Run) -> None:
    path = stored(tmp_path, project(STATES, curated=("d1", "d2")), "archive")
    options = ("--samples", "10", "--no-interval", "--no-leave-one-out", "--json")
    found = run("compare", path, "--reference", CURATOR, *options)
    assert found.code == 0
    document = json.loads(found.out)
    assert document["reference"]["name"] == CURATOR
    assert not [e for e in document["left_out"] if e.get("state") == "reference"]


def test_one_unfinished_annotator_moves_gamma(tmp_path: Path) -> None:
    """A third annotator with one of three annotations lowers γ from 1, if included."""
    states = {("d1", who): "FINISHED" for who in ("ann", "bob")} | {("d1", "zoe"): "IN_PROGRESS"}
    files = project(states, curated=())
    begun = io.BytesIO()
    with zipfile.ZipFile(begun, "w") as archive:
        archive.writestr("zoe.xmi", XMI.replace(b'members="2 3 4 5 10 11 12"', b'members="2 10"'))
    files["annotation/d1/webanno14export.zip"] = begun.getvalue()
    path = stored(tmp_path, files, "archive")
    assert gamma(read_corpus(path)["d1"], samples=20).value == 1
    assert gamma(read_corpus(path, include="unfinished")["d1"], samples=20).value < 0.9


REGION = {"id": "r", "from_name": "label", "to_name": "text", "type": "labels"}


def annotation(who: int | str, start: int, **more: Any) -> dict[str, Any]:
    value = {"start": start, "end": start + 1, "labels": ["A"]}
    return {"completed_by": who, "result": [{**REGION, "value": value}], **more}


TASKS = [
    {
        "id": 1,
        "data": {"text": "abcdefgh"},
        "annotations": [
            annotation(1, 0),
            annotation(2, 1, was_cancelled=True),
            annotation(3, 2, ground_truth=True),
        ],
        "drafts": [annotation(2, 3) | {"user": "two@x.org"}, {"id": 5, "annotation": 9}],
    },
    {
        "id": 2,
        "data": {"text": "abcdefgh"},
        "annotations": [annotation(1, 0), annotation(2, 1), annotation(1, 4)],
    },
    {"id": 3, "data": {"text": "abcdefgh"}, "annotations": [annotation(2, 0, was_cancelled=True)]},
]


def raw(tasks: list[dict[str, Any]], *flags: str) -> set[tuple[str, str]]:
    """Return (task, person) of the annotations with exactly the given flags."""
    return {
        (str(task["id"]), str(entry["completed_by"]))
        for task in tasks
        for entry in task["annotations"]
        if [f for f in ("was_cancelled", "ground_truth") if entry.get(f)] == list(flags)
    }


def written(folder: Path, tasks: list[dict[str, Any]]) -> Path:
    path = folder / "export.json"
    path.write_text(json.dumps(tasks))
    return path


def test_states_of_label_studio(tmp_path: Path) -> None:
    path = written(tmp_path, TASKS)
    corpus = read_corpus(path, repeated="last")
    assert cells(corpus) == raw(TASKS)
    states = {e.state: e.count for e in corpus.left_out if e.state}
    assert states == {
        "skipped": len(raw(TASKS, "was_cancelled")),
        "reference": len(raw(TASKS, "ground_truth")),
        "unfinished": 1,
    }
    both = read_corpus(path, repeated="last", include="unfinished,reference")
    assert cells(both) == raw(TASKS) | raw(TASKS, "ground_truth") | {("1", "two@x.org")}


@pytest.mark.parametrize(
    ("repeated", "starts"),
    [("", None), ("first", {"1": 0, "2": 1}), ("last", {"1": 4, "2": 1}),
     ("session", {"1-1": 0, "1-2": 4, "2": 1})],
)  # fmt: skip
def test_a_repeated_answer_in_label_studio(
    tmp_path: Path, repeated: str, starts: dict[str, int] | None
) -> None:
    corpus = read_corpus(written(tmp_path, TASKS), repeated=repeated or None)
    assert ("2" in corpus) == (starts is not None)
    if starts is not None:
        assert {u.annotator: u.start for u in corpus["2"]} == starts
    else:
        [entry] = [e for e in corpus.left_out if e.kind == "task" and "answered" in e.reason]
        assert entry.count == 1


def test_drafts_without_regions_are_counted(tmp_path: Path) -> None:
    tasks = [{**TASKS[0], "drafts": [17, {"id": 18, "user": 3}]}]
    corpus = read_corpus(written(tmp_path, tasks), include="unfinished")
    [entry] = [e for e in corpus.left_out if e.state == "unfinished"]
    assert entry.count == 2
    assert entry.kind == "draft"


def prodigy(folder: Path, rows: list[tuple[str, str, str, int, float]]) -> Path:
    lines = [
        {
            "text": "abcdefgh",
            "_input_hash": key,
            "_annotator_id": who,
            "answer": answer,
            "_timestamp": time,
            "spans": [{"start": start, "end": start + 1, "label": "A"}],
        }
        for key, who, answer, start, time in rows
    ]
    path = folder / "p.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


PRODIGY = [
    ("x", "ann", "accept", 5, 200.0),
    ("x", "ann", "accept", 0, 100.0),
    ("x", "bob", "accept", 0, 100.0),
    ("y", "ann", "accept", 1, 100.0),
    ("y", "bob", "ignore", 1, 100.0),
    ("z", "ann", "reject", 1, 100.0),
]


def test_answers_of_prodigy(tmp_path: Path) -> None:
    path = prodigy(tmp_path, PRODIGY)
    corpus = read_corpus(path)
    assert cells(corpus) == {("y", "ann")}
    assert {(e.kind, e.state): e.count for e in corpus.left_out if e.state} == {
        ("task", "skipped"): 1
    } or sum(e.count for e in corpus.left_out if e.state == "skipped") == 2
    assert [e.count for e in corpus.left_out if e.kind == "input"] == [1]
    for repeated, start in (("first", 0), ("last", 5)):
        chosen = read_corpus(path, repeated=repeated)
        assert cells(chosen) == {("x", "ann"), ("x", "bob"), ("y", "ann")}
        assert [u.start for u in chosen["x"] if u.annotator == "ann"] == [start]
    sessions = read_corpus(path, repeated="session")
    assert cells(sessions) == {("x", "ann-1"), ("x", "ann-2"), ("x", "bob"), ("y", "ann-1")}


def test_an_unknown_answer_of_prodigy_is_read_and_reported(tmp_path: Path, run: Run) -> None:
    path = prodigy(tmp_path, [*PRODIGY[2:4], ("y", "bob", "later", 1, 100.0)])
    found = run("inspect", path)
    assert found.code == 0
    assert "state 'later' is unknown: read as finished work" in found.err + found.out
    assert ("y", "bob") in cells(read_corpus(path))


def test_unknown_states_of_examples_and_references_are_reported(tmp_path: Path, run: Run) -> None:
    example = {"id": 1, "text": "abcdefgh", "label": [[0, 3, "A"]], "is_confirmed": "perhaps"}
    path = tmp_path / "ann.jsonl"
    path.write_text(json.dumps(example) + "\n")
    assert set(read_corpus(path)) == {"1"}
    found = run("inspect", path)
    assert "state 'perhaps' is unknown: read as finished work" in found.err + found.out
    annotation = {"completed_by": 1, "result": [], "ground_truth": "perhaps"}
    task = {"id": 1, "data": {"text": "abcdefgh"}, "annotations": [annotation]}
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([task]))
    found = run("inspect", path)
    assert "state 'ground_truth: perhaps' is unknown" in found.err + found.out


@pytest.mark.parametrize(
    ("key", "values", "read"),
    [
        ("annotation_approver", ["boss", None, "boss"], {"1", "3"}),
        ("annotation_approver", [None, None, None], {"1", "2", "3"}),
        ("is_confirmed", [False, True, False], {"2"}),
        ("is_confirmed", [False, False, False], {"1", "2", "3"}),
    ],
)
def test_confirmation_of_doccano(
    tmp_path: Path, key: str, values: list[object], read: set[str]
) -> None:
    path = tmp_path / "ann.jsonl"
    examples = [
        {"id": n, "text": "abcdefgh", "label": [[0, 3, "A"]], key: value}
        for n, value in enumerate(values, 1)
    ]
    path.write_text("".join(json.dumps(e) + "\n" for e in examples))
    corpus = read_corpus(path)
    assert set(corpus) == read
    left = sum(e.count for e in corpus.left_out if e.state == "unfinished")
    assert left == len(values) - len(read)
    assert set(read_corpus(path, include="unfinished")) == {"1", "2", "3"}


def test_the_format_of_each_file_is_shown(tmp_path: Path, run: Run) -> None:
    path = written(tmp_path, TASKS)
    found = run("-v", "inspect", path, "--repeated", "last")
    assert "understood as" in found.out
    people = {who for _, who in raw(TASKS)}
    document = json.loads(run("inspect", path, "--repeated", "last", "--json").out)
    [file] = document["understood"]
    assert {entry["name"] for entry in file["people"]} == people
    assert {entry["name"]: entry["count"] for entry in file["states"]} == {
        "finished (submitted)": 4,
        "skipped (was_cancelled)": 2,
        "reference (ground_truth)": 1,
        "unfinished (draft)": 1,
    }


def test_similar_names_in_different_documents(tmp_path: Path, run: Run) -> None:
    rows = [("d1", "Zoë"), ("d1", "bob"), ("d2", "zoe"), ("d2", "Bob "), ("d3", "eva")]
    lines = ["document,annotator,category,start,end"]
    lines += [f"{d},{who},a,0,4" for d, who in rows]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    document = json.loads(run("inspect", tmp_path / "a.csv", "--json").out)
    warned = {
        r["file"]: [w for w in r["warnings"] if "differ only" in w] for r in document["results"]
    }
    assert warned["d3"] == []
    assert len(warned["d1"]) == 2
    assert warned["d1"] == warned["d2"]


def test_options_are_refused_for_formats_without_states(tmp_path: Path, run: Run) -> None:
    (tmp_path / "a.csv").write_text("Ann,a,0,4\nBob,a,0,4\n")
    for option in ("--include=unfinished", "--repeated=last"):
        assert run("gamma", tmp_path / "a.csv", option).code == 2
    path = written(tmp_path, TASKS)
    assert "has no answer to read" in run("gamma", path, "--include", "skipped").err


def test_states_in_a_campaign(tmp_path: Path, run: Run) -> None:
    written(tmp_path, TASKS)
    (tmp_path / "campaign.toml").write_text(
        'paths = ["export.json"]\ninclude = ["reference"]\nrepeated = "first"\n'
    )
    document = json.loads(run("inspect", tmp_path / "campaign.toml", "--json").out)
    people = {(r["file"], who) for r in document["results"] for who in r["annotators"]}
    assert people == raw(TASKS) | raw(TASKS, "ground_truth")


def test_damaged_curation_is_ignored(tmp_path: Path) -> None:
    files = project(STATES)
    files["curation/d1/webanno90export.zip"] = b"PK\3\4 broken"
    found = collect([stored(tmp_path, files, "folder")])
    assert cells(found.continua) == FINISHED


def test_doccano_projects_on_intents_and_slots(tmp_path: Path) -> None:
    """Entities are rows in such projects, and labels of whole texts are counted."""
    rows = [
        {
            "id": 1,
            "text": "ask Ann now",
            "cats": ["ask"],
            "entities": [[4, 7, "who"], [8, 11, "t"]],
        },
        {"id": 2, "text": "nothing", "cats": [], "entities": []},
    ]
    path = tmp_path / "bob.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    corpus = read_corpus(path)
    assert [(u.start, u.end, u.category) for u in corpus["1"]] == [(4, 7, "who"), (8, 11, "t")]
    assert corpus["2"].annotators == ("bob",)
    (entry,) = corpus.left_out
    assert (entry.kind, entry.count) == ("label", 1)
