"""Prodigy's JSONL export (`prodigy db-out`).

After "Annotation task formats" and "Multi-user sessions" of Prodigy's documentation
(prodi.gy/docs/api-interfaces, prodi.gy/docs/api-web-app): one task per line with `text`, `spans`
of `start`, `end` (code points) and `label`, or `audio_spans` in seconds, an `answer`, the
`_input_hash` that is the same for one input whoever annotates it, and `_annotator_id` or
`_session_id`.
"""

from pathlib import Path
from typing import Any
from zlib import crc32

from gammacp.base.files import write_text
from gammacp.continuum import Continuum, Corpus
from gammacp.formats.evidence import Quote, Quoted, settle
from gammacp.formats.parts import annotated_text, by_annotator, continua_of, whole
from gammacp.formats.records import DOCUMENT, document_of, json_line, records
from gammacp.formats.registry import registered, sniff_ending_and_keys
from gammacp.formats.source import Record, Source, name
from gammacp.formats.spans import CHARACTERS, SECONDS, Documents
from gammacp.formats.states import State, Wanted
from gammacp.formats.times import in_seconds
from gammacp.formats.works import Work, choose_works

# A task has at least one of these keys; a record with none is not a task.
_INPUTS = frozenset({"text", "tokens", "audio", "video", "image", "html", "options"})
_CONTENTS = _INPUTS | {"spans", "audio_spans", "accept", "label"}
_ANSWERS = {"accept": State.FINISHED, "reject": State.SKIPPED, "ignore": State.SKIPPED}


def read(source: Source, *, repeated: str = "", offsets: str = "check") -> Corpus:
    """Return one document per input, with the spans of accepted tasks.

    Parameters
    ----------
    offsets
        "check": the unit in which offsets count is inferred from the texts of spans, where they
        have one; "trust": offsets are code points, whatever these texts are.
    repeated
        Which of two different answers of one person to one input counts: "first", "last" or
        "session". By default the input is left out.

    Notes
    -----
    Positions
        characters (code points; other conventions that all quotes fit are converted, and
        `--option offsets=trust` goes by the offsets alone), seconds for `audio_spans`
    Annotators
        `_annotator_id`, else `_session_id`, else the file's name
    Category
        label of the span; a span without one is unlabelled
    Spans
        every span is a unit: overlapping and repeated ones are kept. Tasks that were not accepted
        are skipped work; these, categories of a whole text, and inputs that one person answered
        differently are left out (`--repeated last`)
    """
    wanted = Wanted.of((), repeated)
    documents = Documents(source, CHARACTERS)
    works: dict[str, list[Work[Record]]] = {}
    for number, task in enumerate(records(source), 1):
        if not task.keys() & _CONTENTS:
            raise task.error("is no task of Prodigy: it has neither a text nor spans")
        key = document_of(task) or task.name("_input_hash") or str(number)
        works.setdefault(key, []).append(_work(task))
    chosen = choose_works(works, wanted, ("task", "input"), source, documents.leave_out)
    added = [
        span
        for key, listed in chosen.items()
        for work in listed
        for span in _read_task(documents, key, work)
    ]
    quoted: dict[str, Quoted] = {}
    for key, _, _, quote in added:
        text = documents.of(key).text
        quoted.setdefault(key, Quoted([] if text is None else [text])).quotes.append(quote)
    settled = dict(zip(quoted, settle(source, [*quoted.values()], offsets=offsets), strict=True))
    for key, document in settled.items():
        document.tell(documents.of(key))
    for key, annotator, label, quote in added:
        ((start, end),) = settled[key].places(quote)
        documents.of(key).add(annotator, label, start, end, line=quote.line, what=quote.what)
    return documents.corpus()


def _work(task: Record) -> Work[Record]:
    """Return a task with its state, which depends on its answer."""
    answer = task.get("answer", "accept")
    if not isinstance(answer, str):
        raise task.error(f"answer {answer!r} is no text")
    annotator = task.name("_annotator_id", "_session_id") or task.source.annotator
    state = _ANSWERS.get(answer)
    time = task.get("_timestamp")
    if isinstance(time, int | float) and not isinstance(time, bool):
        timed = time
    else:
        timed = None
    listed = task.objects(_spans_of(task), missing_ok=True)
    if answer == "accept":
        reason = ""
    else:
        reason = f"answer {answer}"
    return Work(annotator, task, state, answer, reason, timed, listed)


def _spans_of(task: Record) -> str:
    if "audio_spans" in task:
        return "audio_spans"
    return "spans"


def _read_task(
    documents: Documents, key: str, work: Work[Record]
) -> list[tuple[str, str, str | None, Quote]]:
    """Add a task, and return its text spans, whose offsets are still to be settled."""
    task = work.content
    annotator = work.annotator
    text, unit = (None, SECONDS) if "audio_spans" in task else (task.text("text"), None)
    spans = documents.of(key, text, offset_unit=unit, line=task.line)
    spans.declare(annotator)
    spans.leave_out("relation", "is not a unit", task.size("relations"))
    chosen = task.size("accept") + (task.name("label") is not None)
    spans.leave_out("label", "of the whole task, is not a unit", chosen)
    about: Any = {"line": task.line, "what": f"input {key}"}
    entries: list[tuple[str, str, str | None, Quote]] = []
    for span in task.objects(_spans_of(task), missing_ok=True):
        label = name(span.get("label"))
        start = span.get("start")
        end = span.get("end")
        if isinstance(start, int) and isinstance(end, int) and text is not None:
            quote = Quote(((start, end),), span.text("text"), about["what"], task.line)
            entries.append((key, annotator, label, quote))
        else:
            spans.add(annotator, label, start, end, **about)
    return entries


def write(document: Continuum | Corpus, path: Path) -> None:
    """Write a task per document and annotator, for import by `prodigy db-in`.

    Seconds and milliseconds become `audio_spans`; everything else needs a text.
    """
    lines = []
    for c in map(in_seconds, continua_of(document)):
        timed = c.offset_unit == SECONDS
        title = c.name or "document"
        if timed:
            task = {"audio": title}
        else:
            task = {"text": annotated_text(c, "Prodigy")}
        for annotator, units in by_annotator(c):
            spans: list[dict[str, object]] = []
            for u in units:
                start, end = (u.start, u.end) if timed else whole(u)
                if u.category:
                    label = {"label": u.category}
                else:
                    label = {}
                spans.append({"start": start, "end": end, **label})
            listed = {"audio_spans" if timed else "spans": spans}
            hashes = {
                "_input_hash": crc32(json_line([title, task]).encode("utf-8", "replace")),
                "_task_hash": crc32(
                    json_line([title, spans, annotator]).encode("utf-8", "replace")
                ),
            }
            who = {"_annotator_id": annotator, "_session_id": annotator}
            meta = {"meta": {DOCUMENT: title}, "answer": "accept"}
            lines.append(json_line({**task, **listed, **hashes, **who, **meta}))
    write_text(path, "".join(lines))


registered(
    "prodigy",
    "Prodigy JSONL",
    (".jsonl", ".json"),
    sniff_ending_and_keys(
        ".jsonl .json", (b'"_input_hash"', b'"spans"', b'"audio_spans"'), first_line=True
    ),
    read,
    layout="{annotator}",
    write=write,
    several_continua=True,
    only_if_named=True,
    text=True,
)
