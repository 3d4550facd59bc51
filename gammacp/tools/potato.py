"""Potato's annotations of spans (JSON lines, JSON).

After Potato's source (davidjurgens/potato: user_state_management.py, export/tabular_exporter.py,
export/cli.py; before version 2 flask_server.py). `annotated_instances.jsonl`, in a folder for each
person, has a line for each instance with `displayed_text` and `span_annotations` of `start`, `end`,
`span` (the text) and `annotation`. Since version 2 `user_state.json` has `user_id` and, by
instance, pairs of a span (`schema`, `name`, `start`, `end`) and a value, or spans by schema; the
export in JSON lines has `instance_id`, `user_id` and `spans` by schema.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gammacp.continuum import Corpus
from gammacp.formats.evidence import Quote, Quoted, settle
from gammacp.formats.offsets import CODE_POINTS, IN_UTF_16
from gammacp.formats.records import records
from gammacp.formats.registry import registered
from gammacp.formats.source import Record, Source
from gammacp.formats.spans import CHARACTERS, Documents
from gammacp.formats.states import State, Wanted
from gammacp.formats.works import Work, choose_works

_SPANS = "instance_id_to_span_to_value"
_LABELS = "instance_id_to_label_to_value"
_ORDER = "instance_id_ordering"
_UNMARKED = "assigned without an answer"


@dataclass
class _Answer:
    """One person's spans in one instance, with the text of the instance if the file has it."""

    record: Record
    text: str | None
    spans: list[Record]
    labels: int = 0


def read(
    source: Source,
    *,
    schema: str = "",
    field: str = "",
    discontinuous: str = "keep",
    include: str | Sequence[str] = (),
    repeated: str = "",
    offsets: str = "check",
) -> Corpus:
    """Read a document for each instance.

    Parameters
    ----------
    schema
        The annotation scheme to read, if several have spans.
    field
        The field whose spans are read, if several have spans.
    discontinuous
        "keep": a span with additional parts is a unit of several fragments; "cover": a unit from
        its first start to its last end; "split": a unit for each part.
    include
        "unfinished": instances that were assigned to a person who did not answer are read, too.
    repeated
        Which of several answers of one person to one instance counts: "first", "last" or "session".
        By default the instance is left out.
    offsets
        "check": the unit in which offsets count is inferred from the texts of spans, where they
        have one; "trust": offsets are code points, whatever these texts are.

    Raises
    ------
    DataError
        A record is not one of Potato's, spans are of several schemes or fields, or a span does not
        fit its text.

    Notes
    -----
    Positions
        characters (code points; UTF-16 and other conventions that all quoted texts fit are
        converted, and `--option offsets=trust` goes by the offsets alone)
    Annotators
        `user_id`, else the folder
    Category
        `annotation`, `name` or `label` of the span
    Spans
        every span is a unit, one with additional parts a unit of several fragments; of several
        schemes, or fields, one is chosen (`--option schema=ner`). Instances that were assigned to
        somebody without an answer are unfinished work and left out (`--include unfinished`);
        labels of whole instances and links are left out
    """
    wanted = Wanted.of(include, repeated)
    documents = Documents(source, CHARACTERS)
    works = _works(source, documents)
    everything = [span for listed in works.values() for w in listed for span in w.content.spans]
    asked = {
        "schema": _chosen(everything, "schema", schema, source),
        "target_field": _chosen(everything, "target_field", field, source),
    }
    chosen = choose_works(works, wanted, ("answer", "instance"), source, documents.leave_out)
    quoted, spans = _quoted(documents, chosen, asked)
    in_order = settle(source, [*quoted.values()], own=(CODE_POINTS, IN_UTF_16), offsets=offsets)
    settled = dict(zip(quoted, in_order, strict=True))
    for key, document in settled.items():
        document.tell(documents.of(key))
    for key, annotator, label, quote in spans:
        places = settled[key].places(quote)
        about_it: dict[str, Any] = {"line": quote.line, "what": quote.what}
        documents.of(key).add_parts(annotator, label, places, discontinuous, **about_it)
    return documents.corpus()


def _works(source: Source, documents: Documents) -> dict[str, list[Work[_Answer]]]:
    """Return all answers to each instance."""
    works: dict[str, list[Work[_Answer]]] = {}
    for number, record in enumerate(records(source), 1):
        for key, work in _answers(record, number, documents):
            works.setdefault(key, []).append(work)
    return works


def _quoted(
    documents: Documents, chosen: Mapping[str, Sequence[Work[_Answer]]], choices: dict[str, str]
) -> tuple[dict[str, Quoted], list[tuple[str, str, str | None, Quote]]]:
    """Return quotes by document, and key, annotator, label and quote of each span."""
    quoted: dict[str, Quoted] = {}
    spans: list[tuple[str, str, str | None, Quote]] = []
    for key, listed in chosen.items():
        texts = dict.fromkeys(w.content.text for w in listed if w.content.text is not None)
        quoted[key] = Quoted([*texts])
        for work in listed:
            for label, quote in _spans(documents, key, work, choices):
                quoted[key].quotes.append(quote)
                spans.append((key, work.annotator, label, quote))
    return quoted, spans


def _spans(
    documents: Documents, key: str, work: Work[_Answer], choices: Mapping[str, str]
) -> Iterator[tuple[str | None, Quote]]:
    """Yield the category and the place of each span of an answer to an instance.

    Spans of another scheme or field than `choices`, and content that is not a unit, are left out.
    """
    spans = documents.of(key, work.content.text, line=work.content.record.line)
    spans.declare(work.annotator)
    spans.leave_out("label", "of the whole instance, is not a unit", work.content.labels)
    for number, span in enumerate(work.content.spans, 1):
        if any(value and _named(span, name) != value for name, value in choices.items()):
            spans.leave_out("span", "of another scheme or field")
            continue
        spans.leave_out("entity", "linked, is not the category", int("kb_id" in span))
        yield _label(span), _quote(span, f"span {number} of {work.annotator} in {key}")


def _answers(
    record: Record, number: int, documents: Documents
) -> Iterator[tuple[str, Work[_Answer]]]:
    """Yield the instances in a record, each with the person's answer."""
    if _SPANS in record or _ORDER in record:
        yield from _of_state(record, documents)
        return
    if "span_annotations" in record:
        key = record.name("id")
        listed = record.get("span_annotations")
        labels = record.size("label_annotations")
    elif "instance_id" in record and "spans" in record:
        key = record.name("instance_id")
        listed = record.get("spans")
        labels = record.size("labels")
        documents.leave_out("link", "is not a unit", record.size("links"))
    else:
        raise record.error("record has neither span_annotations nor spans, as Potato has them")
    key = key or str(number)
    spans = _listed(record, listed, f"instance {key}")
    answer = _Answer(record, record.text("displayed_text"), spans, labels)
    yield key, Work(record.name("user_id") or record.source.annotator, answer)


def _of_state(record: Record, documents: Documents) -> Iterator[tuple[str, Work[_Answer]]]:
    """Yield the instances in a user's state file; those without an answer are unfinished."""
    user = record.name("user_id") or record.source.annotator
    marked = record.inner(_SPANS)
    labelled = record.inner(_LABELS)
    links = record.inner("instance_id_to_link_to_value")
    documents.leave_out("link", "is not a unit", sum(links.size(key) for key in links))
    order = record.get(_ORDER) or []
    if not isinstance(order, list) or not all(isinstance(key, str | int) for key in order):
        raise record.error(f'"{_ORDER}" is no list of names')
    for key in dict.fromkeys([*map(str, order), *marked, *labelled]):
        spans = _listed(record, marked.get(key), f"instance {key}")
        answer = _Answer(record, None, spans, labelled.size(key))
        if spans or answer.labels:
            yield key, Work(user, answer)
        else:
            yield key, Work(user, answer, State.UNFINISHED, _UNMARKED)


def _listed(record: Record, value: object, what: str) -> list[Record]:
    """Return spans from a list, from pairs with a value, or from objects by schema or id."""
    entries: list[tuple[str, object]] = []
    if isinstance(value, dict):
        for name, inner in value.items():
            group = [*inner.values()] if _is_group(inner) else inner
            if isinstance(group, list):
                entries += [(name, entry) for entry in group]
            else:
                entries.append(("", group))
    elif isinstance(value, list):
        entries = [("", entry) for entry in value]
    elif value is not None:
        raise record.error(f"spans of {what} are neither a list nor an object")
    spans: list[Record] = []
    for name, entry_value in entries:
        if isinstance(entry_value, list) and len(entry_value) == 2:
            entry = entry_value[0]
        else:
            entry = entry_value
        if not isinstance(entry, dict):
            raise record.error(f"span of {what} is no object: {str(entry)[:40]!r}")
        span = Record.of(dict(entry), record.source, record.line)
        if name and span.name("schema") is None:
            span["schema"] = name
        spans.append(span)
    return spans


def _is_group(value: object) -> bool:
    """Return whether an object holds spans by their ids, and is not a span itself."""
    return isinstance(value, dict) and not {"start", "end"} & value.keys()


def _named(span: Record, key: str) -> str:
    return span.name(key) or ""


def _chosen(spans: list[Record], key: str, wanted: str, source: Source) -> str:
    """Return the scheme or field to read; "" if there is only one."""
    if key == "schema":
        option = "schema"
    else:
        option = "field"
    distinct_names = list(dict.fromkeys(_named(span, key) for span in spans))
    names = ", ".join(name or "(none)" for name in distinct_names) or "none"
    if wanted:
        if wanted not in distinct_names:
            raise source.error(f"no span has the {option} {wanted!r}", hint=f"There are: {names}")
        return wanted
    if len(distinct_names) > 1:
        hints = {
            "schema": "Choose one with `read(schema=)`",
            "field": "Choose one with `read(field=)`",
        }
        raise source.error(f"spans are of several {option}s: {names}", hint=hints[option])
    return ""


def _label(span: Record) -> str | None:
    return span.name("annotation", "name", "label")


def _quote(span: Record, what: str) -> Quote:
    """Return the place of a span, and the text that it quotes, if all its parts have one."""
    pieces = [span, *span.objects("additional_parts", missing_ok=True)]
    parts: list[tuple[int, int | None]] = []
    quotes: list[tuple[int, str]] = []
    for piece in pieces:
        start = piece.get("start")
        end = piece.get("end")
        if type(start) is not int or type(end) is not int:
            raise span.error(f"{what} has no start and end that are whole numbers")
        parts.append((start, end))
        text = piece.text("span" if "span" in piece else "text")
        if text is not None:
            quotes.append((start, text))
    if len(quotes) == len(parts):
        whole = " ".join(text for _, text in sorted(quotes))
    else:
        whole = None
    return Quote(tuple(sorted(parts)), whole, what, span.line)


def _sniff(head: bytes, path: Path) -> bool:
    if path.suffix.lower() not in (".json", ".jsonl"):
        return False
    first = head.split(b"\n", 1)[0]
    return (
        all(key in first for key in (b'"span_annotations"', b'"label_annotations"'))
        or all(key in first for key in (b'"instance_id"', b'"user_id"', b'"spans"', b'"links"'))
        or all(key in head for key in (b'"instance_id_ordering"', b'"current_instance_index"'))
    )


registered(
    "potato",
    "Potato",
    (".jsonl", ".json"),
    _sniff,
    read,
    layout="{annotator}/{document}",
    several_continua=True,
)
