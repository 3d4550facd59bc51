"""Files of Potato: instances with spans, a person's state, and the export, by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from gammacp import read_corpus
from gammacp.errors import DataError

TEXT = "Zoé met 😊 Bob"
ZOE = {"start": 0, "end": 3, "span": "Zoé", "annotation": "PER"}
BOB = {"start": 10, "end": 13, "span": "Bob", "annotation": "PER"}
MARK = {"schema": "ner", "name": "PER", "title": "", "start": 0, "end": 3, "id": "s1"}


def instance(spans: Any, key: str = "i1", **more: Any) -> dict[str, Any]:
    """Return a line of annotated_instances.jsonl."""
    return {
        "id": key,
        "displayed_text": TEXT,
        "label_annotations": {},
        "span_annotations": spans,
        "behavioral_data": {},
    } | more


def state(spans: Any, **more: Any) -> dict[str, Any]:
    """Return the state of a person with three assigned instances."""
    return {
        "user_id": "Ann",
        "instance_id_ordering": ["i1", "i2", "i3"],
        "current_instance_index": 1,
        "instance_id_to_label_to_value": {"i2": [[{"schema": "sure", "name": "yes"}, "true"]]},
        "instance_id_to_span_to_value": spans,
    } | more


def written(folder: Path, who: str, name: str, *found: dict[str, Any]) -> Path:
    """Write a person's file, an object a line, and return its path."""
    path = folder / who / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in found))
    return path


def rows(folder: Path, **options: Any) -> list[tuple[str, str, str | None, float, float]]:
    """Return the units with their documents."""
    found = read_corpus(folder, **options)
    return [(k, u.annotator, u.category, u.start, u.end) for k, c in found.items() for u in c]


def test_a_folder_for_each_person(tmp_path: Path) -> None:
    """A person with an empty object of spans took part and marked nothing."""
    labels = {"sure": {"yes": "true"}}
    written(tmp_path, "Ann", "annotated_instances.jsonl", instance([ZOE, BOB]))
    written(tmp_path, "Bob", "annotated_instances.jsonl", instance({}, label_annotations=labels))
    assert rows(tmp_path) == [("i1", "Ann", "PER", 0, 3), ("i1", "Ann", "PER", 10, 13)]
    found = read_corpus(tmp_path)
    assert found["i1"].annotators == ("Ann", "Bob")
    assert found["i1"].text == TEXT
    assert [(x.kind, x.count) for x in found.left_out] == [("label", 1)]


@pytest.mark.parametrize(
    "spans",
    [
        {"i1": [[MARK, "true"]]},
        {"i1": [MARK]},
        {"i1": {"ner": [{"start": 0, "end": 3, "label": "PER", "text": "Zoé"}]}},
        {"i1": {"ner": {"s1": MARK}}},
        {"i1": {"s1": MARK}},
    ],
)
def test_states_of_persons(tmp_path: Path, spans: dict[str, Any]) -> None:
    """Ann marked i1, labelled i2, and answered nothing on i3, which was assigned to her."""
    path = written(tmp_path, "x", "user_state.json", state(spans))
    assert rows(path) == [("i1", "Ann", "PER", 0, 3)]
    found = read_corpus(path)
    assert list(found) == ["i1", "i2"]
    assert {(x.kind, str(x.state), x.count) for x in found.left_out} == {
        ("answer", "unfinished", 1),
        ("label", "", 1),
    }
    assert list(read_corpus(path, include="unfinished")) == ["i1", "i2", "i3"]


def test_the_export_in_lines(tmp_path: Path) -> None:
    made = {"instance_id": "i1", "labels": {"sure": {"yes": "true"}}, "links": {}}
    lines = [made | {"user_id": who, "spans": {"ner": [MARK]}} for who in ("Ann", "Bob")]
    path = written(tmp_path, "exports", "annotations.jsonl", *lines)
    assert rows(path) == [("i1", "Ann", "PER", 0, 3), ("i1", "Bob", "PER", 0, 3)]


def test_schemes_and_fields(tmp_path: Path) -> None:
    other = MARK | {"schema": "tone", "name": "warm", "start": 4, "end": 7}
    path = written(tmp_path, "x", "user_state.json", state({"i1": [MARK, other]}))
    with pytest.raises(DataError, match="spans are of several schemas: ner, tone"):
        read_corpus(path)
    assert rows(path, schema="tone") == [("i1", "Ann", "warm", 4, 7)]
    assert ("span", 1) in [(x.kind, x.count) for x in read_corpus(path, schema="ner").left_out]
    with pytest.raises(DataError, match=r"no span has the schema 'x'\. There are: ner, tone"):
        read_corpus(path, schema="x")
    fields = [MARK | {"target_field": name} for name in ("premise", "claim")]
    path = written(tmp_path, "x", "user_state.json", state({"i1": fields}))
    with pytest.raises(DataError, match="spans are of several fields: premise, claim"):
        read_corpus(path)
    assert rows(path, field="claim") == [("i1", "Ann", "PER", 0, 3)]


def test_additional_parts(tmp_path: Path) -> None:
    part = {"start": 10, "end": 13, "text": "Bob"}
    linked = ZOE | {"additional_parts": [part], "kb_id": "Q1"}
    path = written(tmp_path, "Ann", "annotated_instances.jsonl", instance([linked]))
    (unit,) = read_corpus(path)["i1"]
    assert (unit.start, unit.end, unit.fragments) == (0, 13, ((0, 3), (10, 13)))
    assert [(x.kind, x.count) for x in read_corpus(path).left_out] == [("entity", 1)]
    assert [r[3:] for r in rows(path, discontinuous="split")] == [(0, 3), (10, 13)]


def test_quotes_in_utf_16(tmp_path: Path) -> None:
    """The emoji counts as two for browsers, so that Bob is at 11 there."""
    far = BOB | {"start": 11, "end": 14}
    path = written(tmp_path, "Ann", "annotated_instances.jsonl", instance([ZOE, far]))
    assert [r[3:] for r in rows(path)] == [(0, 3), (10, 13)]


def test_two_answers_of_one_person(tmp_path: Path) -> None:
    lines = [instance([ZOE]), instance([BOB]), instance([], "i2")]
    path = written(tmp_path, "Ann", "annotated_instances.jsonl", *lines)
    assert list(read_corpus(path)) == ["i2"]
    assert rows(path, repeated="last") == [("i1", "Ann", "PER", 10, 13)]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (instance([BOB | {"span": "Bobby"}], "i2"), ":2: span 1 of Ann in i2: 'Bobby' is not what"),
        (instance([{"start": 0}], "i2"), ":2: span 1 of Ann in i2 has no start and end"),
        (instance([{"start": 3, "end": 1}], "i2"), ":2: span 1 of Ann in i2: end 1 < start 3"),
        (instance([{"start": 3, "end": 99}], "i2"), ":2: span 1 of Ann in i2: end 99 lies beyond"),
        (instance("PER", "i2"), ":2: spans of instance i2 are neither a list nor an object"),
        (instance([3], "i2"), ":2: span of instance i2 is no object: '3'"),
        ({"id": "i2", "text": TEXT}, ":2: record has neither span_annotations nor spans"),
        (instance([], displayed_text="No"), "document 'i1' occurs with another text"),
    ],
)
def test_bad_files(tmp_path: Path, record: dict[str, Any], message: str) -> None:
    lines = [instance([ZOE]), record]
    path = written(tmp_path, "Ann", "annotated_instances.jsonl", *lines)
    with pytest.raises(DataError, match=message):
        read_corpus(path, repeated="session")


def test_an_invalid_order_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "x", "user_state.json", state({}, instance_id_ordering=3))
    with pytest.raises(DataError, match='"instance_id_ordering" is no list of names'):
        read_corpus(path)
