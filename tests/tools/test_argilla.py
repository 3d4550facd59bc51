"""Records of Argilla: four ways to write responses, states and questions, by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from gammacp import read_corpus
from gammacp.errors import DataError
from gammacp.formats.source import Source
from gammacp.tools.argilla import read

TEXT = "Zoé met 😊 Bob"
ZOE = {"start": 0, "end": 3, "label": "PER"}
BOB = {"start": 10, "end": 13, "label": "PER"}
SPANS = [("a", "PER", 0, 3), ("a", "PER", 10, 13), ("b", "PER", 0, 3)]


def written(folder: Path, *found: dict[str, Any]) -> Path:
    """Write a file of records, one a line, and return its path."""
    path = folder / "records.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in found))
    return path


def nested(**answers: Any) -> dict[str, Any]:
    """Return a record as the SDK exports it."""
    return {
        "id": "r1",
        "fields": {"text": TEXT},
        "metadata": {},
        "suggestions": {"ner": {"value": [BOB], "score": None, "agent": "model"}},
        "responses": answers,
    }


def given(user: str, value: Any, status: str | None = None) -> dict[str, Any]:
    """Return an answer to a question."""
    return {"value": value, "user_id": user} | ({"status": status} if status else {})


FLAT = {
    "id": "r1",
    "text": TEXT,
    "_server_id": "5d0f",
    "ner.responses": [[ZOE, BOB], [ZOE]],
    "ner.responses.users": ["a", "b"],
    "ner.responses.status": ["submitted", "submitted"],
    "ner.suggestion": [BOB],
    "ner.suggestion.agent": "model",
    "ner.suggestion.score": None,
}
API = {
    "id": "5d0f",
    "external_id": "r1",
    "fields": {"text": TEXT},
    "responses": [
        {"user_id": "a", "status": "submitted", "values": {"ner": {"value": [ZOE, BOB]}}},
        {"user_id": "b", "status": "submitted", "values": {"ner": {"value": [ZOE]}}},
    ],
    "suggestions": [{"question_name": "ner", "value": [BOB], "agent": "model"}],
}
NESTED = nested(ner=[given("a", [ZOE, BOB]), given("b", [ZOE])])


@pytest.mark.parametrize("record", [NESTED, FLAT, API, {"items": [API], "total": 1}])
def test_each_way_to_write_a_record_is_read(tmp_path: Path, record: dict[str, Any]) -> None:
    path = written(tmp_path, record)
    found = read_corpus(path)
    assert list(found) == ["r1"]
    assert [(u.annotator, u.category, u.start, u.end) for u in found["r1"]] == SPANS
    assert found["r1"].text == TEXT
    assert [(x.kind, x.count) for x in found.left_out] == [("suggestion", 1)]
    suggested = read_corpus(path, predictions="yes")
    assert suggested["r1"].annotators == ("a", "b", "model")
    assert suggested.left_out == ()


def test_responses_without_a_status_are_noted(tmp_path: Path) -> None:
    path = written(tmp_path, NESTED)
    source = Source(path, "records", "", path.read_bytes())
    read(source)
    assert [(x.kind, x.count) for x in source.remarks] == [("states", 2)]


def test_a_flat_record_with_its_state(tmp_path: Path) -> None:
    """A record's status and metadata are beside its fields."""
    renamed = {("review" if name == "text" else name): value for name, value in FLAT.items()}
    assert read_corpus(written(tmp_path, renamed | {"status": "pending"}))["r1"].text == TEXT


def test_states_of_responses(tmp_path: Path) -> None:
    """An annotator who submits no span found nothing; an unknown status counts as finished."""
    answers = [
        given("a", [ZOE], "submitted"),
        given("b", [], "submitted"),
        given("c", [BOB], "draft"),
        given("d", [BOB], "discarded"),
        given("e", [BOB], "archived"),
    ]
    path = written(tmp_path, nested(ner=answers))
    found = read_corpus(path)
    assert found["r1"].annotators == ("a", "b", "e")
    assert {(x.kind, str(x.state), x.count) for x in found.left_out} == {
        ("suggestion", "", 1),
        ("response", "unfinished", 1),
        ("response", "skipped", 1),
    }
    assert read_corpus(path, include="unfinished")["r1"].annotators == ("a", "b", "c", "e")


def test_other_questions_and_records_without_responses(tmp_path: Path) -> None:
    record = nested(ner=[given("a", [ZOE])], clear=[given("a", "yes"), given("b", "no")])
    found = read_corpus(written(tmp_path, record, nested() | {"id": "r2"}))
    assert list(found) == ["r1"]
    assert found["r1"].annotators == ("a", "b")
    assert {(x.kind, x.count) for x in found.left_out} == {
        ("answer", 2),
        ("suggestion", 2),
        ("record", 1),
    }


def test_two_span_questions(tmp_path: Path) -> None:
    path = written(tmp_path, nested(ner=[given("a", [ZOE])], who=[given("a", [BOB])]))
    with pytest.raises(DataError, match="several questions have spans: ner, who"):
        read_corpus(path)
    assert [u.start for u in read_corpus(path, question="who")["r1"]] == [10]
    with pytest.raises(DataError, match=r"no question 'x' was answered\. There are: ner, who"):
        read_corpus(path, question="x")


def test_two_answers_of_one_person(tmp_path: Path) -> None:
    path = written(
        tmp_path, nested(ner=[given("a", [ZOE]), given("a", [BOB])]), API | {"external_id": "r2"}
    )
    assert list(read_corpus(path)) == ["r2"]
    assert [u.start for u in read_corpus(path, repeated="last")["r1"]] == [10]


def test_the_text_among_several_fields(tmp_path: Path) -> None:
    """Quotes show which field is the text; without quotes it must be named."""
    fields = {"fields": {"prompt": "Who met whom on Monday morning?", "reply": TEXT}}
    path = written(tmp_path, nested(ner=[given("a", [ZOE | {"text": "Zoé"}])]) | fields)
    assert read_corpus(path)["r1"].text == TEXT
    path = written(tmp_path, NESTED | fields)
    assert read_corpus(path)["r1"].text is None
    assert read_corpus(path, field="reply")["r1"].text == TEXT
    with pytest.raises(DataError, match=r":1: record has no text 'x'\. It has: prompt, reply"):
        read_corpus(path, field="x")


def test_quotes_in_utf_16(tmp_path: Path) -> None:
    """The emoji counts as two for browsers, so that Bob is at 11 there."""
    quoted = BOB | {"start": 11, "end": 14, "text": "Bob"}
    found = read_corpus(written(tmp_path, nested(ner=[given("a", [quoted])])))
    assert [(u.start, u.end) for u in found["r1"]] == [(10, 13)]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (nested(ner=[given("a", "PER")]), ":2: answer of a to 'ner' is no list of spans"),
        (nested(ner=[given("a", [{"start": 1}])]), ":2: span 1 of a in r2 has no start and end"),
        (nested(ner=[given("a", [ZOE | {"end": 99}])]), ":2: span 1 of a in r2: end 99 lies bey"),
        (nested(ner=[given("a", [BOB | {"end": 9}])]), ":2: span 1 of a in r2: end 9 < start 10"),
        (nested(ner=[given("a", [ZOE | {"text": "Bob!"}])]), ":2: .*'Bob!' is not what the rec"),
        (nested(ner=[{"value": [ZOE]}]), ":2: response to 'ner' has no user_id"),
        (nested(ner=[given("a", [ZOE]) | {"status": 1}]), ":2: status 1 is no text"),
        (FLAT | {"ner.responses.users": ["a"]}, ':2: "ner.responses" and its users are no lists'),
        (API | {"external_id": "r2", "responses": [{}]}, ":2: response has no user_id"),
        ({"fields": {"text": TEXT}}, ":2: record has no responses"),
    ],
)
def test_bad_records(tmp_path: Path, record: dict[str, Any], message: str) -> None:
    path = written(tmp_path, NESTED, record | {"id": "r2"})
    with pytest.raises(DataError, match=message):
        read_corpus(path)


def test_records_without_spans_and_repeated_records(tmp_path: Path) -> None:
    bare = nested(clear=[given("a", "yes")]) | {"suggestions": {}}
    with pytest.raises(DataError, match=r"no question has spans\. Answered were: clear"):
        read_corpus(written(tmp_path, bare))
    with pytest.raises(DataError, match=":2: record r1 occurs twice"):
        read_corpus(written(tmp_path, NESTED, NESTED))
