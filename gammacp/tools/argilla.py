"""Argilla's records with answers to span questions (JSON, JSON lines).

After Argilla's SDK and server (argilla-io/argilla: records/_io/_generic.py, records/_resource.py,
schemas of the API). A record has `fields`, and by the name of a question `responses`, each with a
`user_id`, and one `suggestion`. The SDK writes them by question, flattened (`ner.responses` with
the users in `ner.responses.users`) for Hugging Face datasets, and the API by user with the `values`
of all questions and a `status`. The value of a span question is a list of `start`, `end` and
`label`; older versions quote the `text`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from gammacp.base.arguments import one_of
from gammacp.continuum import Corpus
from gammacp.formats.evidence import Quote, Quoted, Settled, settle
from gammacp.formats.offsets import CODE_POINTS, IN_UTF_16
from gammacp.formats.records import records
from gammacp.formats.registry import registered
from gammacp.formats.source import Record, Source
from gammacp.formats.spans import CHARACTERS, Documents
from gammacp.formats.states import State, Wanted
from gammacp.formats.works import Work, choose_works

_STATES = {
    "submitted": State.FINISHED,
    "draft": State.UNFINISHED,
    "pending": State.UNFINISHED,
    "discarded": State.SKIPPED,
}
_FLAT = ".responses"
_TEXT = "text"
_NO_FIELDS = ("id", "external_id", "_server_id", "status")
_HINT = "Export the records again"


@dataclass
class _Response:
    """The answers of one person to a record, by question."""

    user: str
    record: Record
    status: str | None = None
    values: dict[str, object] = field(default_factory=dict)


@dataclass
class _Item:
    """A record with its responses, and by question the suggestion with its agent."""

    key: str
    record: Record
    responses: list[_Response] = field(default_factory=list)
    suggestions: dict[str, tuple[str, object]] = field(default_factory=dict)


def read(
    source: Source,
    *,
    question: str = "",
    field: str = "",
    predictions: str = "no",
    include: str | Sequence[str] = (),
    repeated: str = "",
    offsets: str = "check",
) -> Corpus:
    """Read a document for each record that somebody answered.

    Parameters
    ----------
    question
        The span question to read, if there are several.
    field
        The field that the spans refer to, if a record has several texts.
    predictions
        "yes": the agent of suggestions is an annotator, too.
    include
        "unfinished": drafts are read, too.
    repeated
        Which of two different responses of one person to one record counts: "first", "last" or
        "session". By default the record is left out.
    offsets
        "check": the unit in which offsets count is inferred from the texts of spans, where they
        have one; "trust": offsets are code points, whatever these texts are.

    Raises
    ------
    DataError
        A record is not one of Argilla's, no question or more than one has spans, or a span does not
        fit its text.

    Notes
    -----
    Positions
        characters (code points; UTF-16 and other conventions that all quoted texts fit are
        converted, and `--option offsets=trust` goes by the offsets alone)
    Annotators
        the user's id (`--option predictions=yes`: also the agent of suggestions)
    Category
        label of the span
    Spans
        every span is a unit, overlapping ones are kept; of several span questions one is chosen
        (`--option question=ner`). Drafts are unfinished work and left out
        (`--include unfinished`), discarded responses are skipped; suggestions, answers to other
        questions and records without responses are left out
    """
    one_of("predictions", predictions, ("no", "yes"))
    wanted = Wanted.of(include, repeated)
    documents = Documents(source, CHARACTERS)
    items = _items(source)
    asked = _question([*items.values()], question, source)
    works = _works(items, asked, predictions == "yes", documents)
    chosen = choose_works(works, wanted, ("response", "record"), source, documents.leave_out)
    marked: list[_Marked] = []
    for key, responses in chosen.items():
        for work in responses:
            others = [name for name in work.content.values if name != asked]
            documents.leave_out("answer", "to another question", len(others))
        record = items[key].record
        marked.append(_Marked.of(key, record, responses, asked, field))
    conventions = (CODE_POINTS, IN_UTF_16)
    settled = settle(source, [one.quoted for one in marked], own=conventions, offsets=offsets)
    for one, offsets_of_one in zip(marked, settled, strict=True):
        _add_document(documents, one, offsets_of_one)
    return documents.corpus()


@dataclass(frozen=True)
class _Marked:
    """Spans of one record.

    Attributes
    ----------
    key, line
        Name of the record, and its line in the file.
    annotators
        Everybody who answered.
    labels
        Annotator and category of each span, in the order of the quotes.
    quoted
        The record's text, and the quote of each span.
    """

    key: str
    line: int | None
    annotators: tuple[str, ...]
    labels: tuple[tuple[str, str | None], ...]
    quoted: Quoted

    @classmethod
    def of(
        cls,
        key: str,
        record: Record,
        responses: Sequence[Work[_Response]],
        question: str,
        field: str,
    ) -> Self:
        """Collect the spans of a record's responses to the question `question`."""
        quoted = Quoted([], has="record")
        labels = []
        for work in responses:
            for label, quote in _spans(work.content, question, key):
                quoted.quotes.append(quote)
                labels.append((work.annotator, label))
        quoted.texts = _texts(record, field, quoted)
        annotators = tuple(work.annotator for work in responses)
        return cls(key, record.line, annotators, tuple(labels), quoted)


def _items(source: Source) -> dict[str, _Item]:
    """Return the records of the file by their names."""
    items: dict[str, _Item] = {}
    for number, record in enumerate(_records(source), 1):
        item = _item(record, number)
        if item.key in items:
            raise record.error(f"record {item.key} occurs twice", hint="Keep one of them")
        items[item.key] = item
    return items


def _works(
    items: dict[str, _Item], question: str, suggested: bool, documents: Documents
) -> dict[str, list[Work[_Response]]]:
    """Return the responses to each record, with suggestions if they are `suggested` annotators."""
    works: dict[str, list[Work[_Response]]] = {}
    unsaid = sum(r.status is None for item in items.values() for r in item.responses)
    if unsaid:
        text = "responses have no status, so that drafts cannot be told from submitted ones"
        documents.source.remark("states", text, unsaid)
    for key, item in items.items():
        listed = [_work(response) for response in item.responses]
        n_unused = len(item.suggestions)
        if suggested and question in item.suggestions:
            agent, value = item.suggestions[question]
            listed.append(Work(agent, _Response(agent, item.record, None, {question: value})))
            n_unused -= 1
        documents.leave_out("suggestion", "is no response", n_unused)
        if listed:
            works[key] = listed
        else:
            documents.leave_out("record", "nobody answered it")
    return works


def _records(source: Source) -> Iterator[Record]:
    """Yield the records of a file, which may be a reply of the API with a list `items`."""
    for record in records(source):
        if isinstance(record.get("items"), list) and "fields" not in record:
            yield from record.objects("items")
        else:
            yield record


def _item(record: Record, number: int) -> _Item:
    """Return a record with its responses and suggestions, whichever way they are stored."""
    key = record.name("external_id", "id", "_server_id") or str(number)
    item = _Item(key, record)
    by_user: dict[tuple[str, str | None], _Response] = {}
    responses = record.get("responses")
    if isinstance(responses, list):
        for entry in record.objects("responses"):
            item.responses.append(_of_user(entry, record))
    elif isinstance(responses, dict):
        listed = record.inner("responses")
        for name in listed:
            for entry in listed.objects(name, missing_ok=True):
                _gather(by_user, record, name, entry)
    elif not any(name.endswith(f"{_FLAT}.users") for name in record):
        raise record.error("record has no responses", hint=_HINT)
    for name in record:
        if name.endswith(_FLAT):
            for entry in _flat(record, name):
                _gather(by_user, record, name.removesuffix(_FLAT), entry)
    item.responses += by_user.values()
    item.suggestions = dict(_suggestions(record))
    return item


def _of_user(entry: Record, record: Record) -> _Response:
    """Return a response in the form of the API: one person's values for all questions."""
    user = entry.name("user_id")
    if user is None:
        raise entry.error("response has no user_id", hint=_HINT)
    values = entry.inner("values")
    answers = {name: values.inner(name).get("value") for name in values}
    return _Response(user, record, _status(entry), answers)


def _status(entry: Record) -> str | None:
    status = entry.get("status")
    if not isinstance(status, str | None):
        raise entry.error(f"status {status!r} is no text")
    return status


def _gather(
    by_user: dict[tuple[str, str | None], _Response], record: Record, name: str, entry: Record
) -> None:
    """Add an answer to its person's response; a repeated answer starts another response."""
    user = entry.name("user_id")
    status = _status(entry)
    if user is None:
        raise record.error(f"response to {name!r} has no user_id", hint=_HINT)
    turn = 0
    while True:
        # The number makes the key of a further response differ from the keys of all users.
        key = (user, f"{turn}") if turn else (user, None)
        response = by_user.setdefault(key, _Response(user, record, status))
        if name not in response.values:
            response.values[name] = entry.get("value")
            return
        turn += 1


def _flat(record: Record, name: str) -> Iterator[Record]:
    """Yield the answers of a flattened question: values, users and states are parallel lists."""
    columns = {"value": name, "user_id": f"{name}.users", "status": f"{name}.status"}
    lists = {key: record.get(column) for key, column in columns.items()}
    if lists["value"] is None and lists["user_id"] is None:
        return
    present = {key: value for key, value in lists.items() if value is not None}
    sizes = {len(value) if isinstance(value, list) else -1 for value in present.values()}
    if len(sizes) != 1 or -1 in sizes or "user_id" not in present or "value" not in present:
        raise record.error(f'"{name}" and its users are no lists of one length', hint=_HINT)
    for row in zip(*present.values(), strict=True):
        yield Record.of(dict(zip(present, row, strict=True)), record.source, record.line)


def _suggestions(record: Record) -> Iterator[tuple[str, tuple[str, object]]]:
    """Yield the question of each suggestion, with its agent and value."""
    suggestions = record.get("suggestions")
    if isinstance(suggestions, list):
        for entry in record.objects("suggestions"):
            name = entry.name("question_name", "question_id") or ""
            yield name, (entry.name("agent") or "suggestion", entry.get("value"))
    else:
        listed = record.inner("suggestions")
        for name in listed:
            entry = listed.inner(name)
            if entry:
                yield name, (entry.name("agent") or "suggestion", entry.get("value"))
    for name in record:
        if name.endswith(".suggestion") and record[name] is not None:
            agent = record.name(f"{name}.agent") or "suggestion"
            yield name.removesuffix(".suggestion"), (agent, record[name])


def _question(items: list[_Item], question: str, source: Source) -> str:
    """Return the question to read: the requested one, else the only one with spans."""
    answers = [
        *((n, v) for item in items for r in item.responses for n, v in r.values.items()),
        *((n, v) for item in items for n, (_, v) in item.suggestions.items()),
    ]
    questions = list(dict.fromkeys(name for name, _ in answers))
    if question:
        if question not in questions:
            raise source.error(
                f"no question {question!r} was answered",
                hint=f"There are: {', '.join(questions) or 'none'}",
            )
        return question
    with_spans = list(dict.fromkeys(name for name, value in answers if _is_spans(value)))
    if len(with_spans) == 1:
        return with_spans[0]
    if with_spans:
        raise source.error(
            f"several questions have spans: {', '.join(with_spans)}",
            hint="Choose one with `read(question=)`",
        )
    raise source.error(
        "no question has spans", hint=f"Answered were: {', '.join(questions) or 'none'}"
    )


def _is_spans(value: object) -> bool:
    return isinstance(value, list) and any(
        isinstance(span, dict) and "start" in span and "end" in span for span in value
    )


def _work(response: _Response) -> Work[_Response]:
    """Return a response with its state."""
    status = response.status
    state = State.FINISHED if status is None else _STATES.get(status.lower())
    answer = (sorted(response.values), [response.values[n] for n in sorted(response.values)])
    return Work(response.user, response, state, status or "", answer=answer)


def _spans(response: _Response, question: str, key: str) -> Iterator[tuple[str | None, Quote]]:
    """Yield the label and the place of each span of a response."""
    holder = response.record
    answered = {"spans": response.values.get(question)}
    listed = Record.of(answered, holder.source, holder.line)
    if not isinstance(answered["spans"], list | None):
        raise holder.error(f"answer of {response.user} to {question!r} is no list of spans")
    for number, span in enumerate(listed.objects("spans", missing_ok=True), 1):
        what = f"span {number} of {response.user} in {key}"
        place = span.get("start"), span.get("end")
        if not all(type(edge) is int for edge in place):
            raise span.error(f"{what} has no start and end that are whole numbers")
        quote = Quote((place,), span.text("text"), what, span.line)  # type: ignore[arg-type]
        yield span.name("label"), quote


def _texts(record: Record, field: str, about: Quoted) -> list[str]:
    """Return a record's texts that spans may refer to; several only if quotes can tell which."""
    if "fields" not in record:
        holder = record
    else:
        holder = record.inner("fields")
    text_by_field = {
        name: value
        for name, value in holder.items()
        if isinstance(value, str) and "." not in name and name not in _NO_FIELDS
    }
    if field:
        if field not in text_by_field:
            raise record.error(
                f"record has no text {field!r}", hint=f"It has: {', '.join(text_by_field)}"
            )
        return [text_by_field[field]]
    if _TEXT in text_by_field:
        return [text_by_field[_TEXT]]
    if len(text_by_field) == 1 or any(quote.text is not None for quote in about.quotes):
        return list(text_by_field.values())
    return []


def _sniff(head: bytes, path: Path) -> bool:
    if path.suffix.lower() not in (".json", ".jsonl"):
        return False
    nested = all(key in head for key in (b'"fields"', b'"responses"', b'"suggestions"'))
    return nested or b'.responses.users"' in head


def _add_document(documents: Documents, marked: _Marked, offsets: Settled) -> None:
    """Add the spans of a record, and everybody who answered it."""
    spans = documents.of(marked.key, offsets.text, line=marked.line)
    offsets.tell(spans)
    for annotator in marked.annotators:
        spans.declare(annotator)
    for (annotator, label), quote in zip(marked.labels, marked.quoted.quotes, strict=True):
        ((low, high),) = offsets.places(quote)
        spans.add(annotator, label, low, high, line=quote.line, what=quote.what)


registered("argilla", "Argilla", (".json", ".jsonl"), _sniff, read, several_continua=True)
