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
from gammacp.formats.registry import holding, registered
from gammacp.formats.source import Source, name
from gammacp.formats.spans import CHARACTERS, SECONDS, Documents
from gammacp.formats.times import in_seconds

# A task has one of these; a record without any is of something else.
_INPUTS = frozenset({"text", "tokens", "audio", "video", "image", "html", "options"})
_CONTENTS = _INPUTS | {"spans", "audio_spans", "accept", "label"}
_ANSWERS = ("accept", "reject", "ignore")


def read(source: Source, *, offsets: str = "check") -> Corpus:
    """One document per input, of the tasks that were accepted.

    Parameters
    ----------
    offsets
        "check": the text of a span, if it has one, says how offsets count; "trust": they are code
        points, whatever it says.

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
        and categories of a whole text are left out
    """
    documents = Documents(source, CHARACTERS)
    seen: dict[tuple[str, str], object] = {}
    quoted: dict[str, Quoted] = {}
    added: list[tuple[str, str, str | None, Quote]] = []
    for number, task in enumerate(records(source), 1):
        if not task.keys() & _CONTENTS:
            raise task.error("is no task of Prodigy: it has neither a text nor spans")
        answer = task.get("answer", "accept")
        if answer not in _ANSWERS:
            raise task.error(f"answer {answer!r} is unknown")
        if answer != "accept":
            documents.leave_out("task", f"answer {answer}")
            continue
        key = document_of(task) or task.name("_input_hash") or str(number)
        annotator = task.name("_annotator_id", "_session_id") or source.annotator
        timed = "audio_spans" in task
        listed = task.objects("audio_spans" if timed else "spans", missing_ok=True)
        text, unit = (None, SECONDS) if timed else (task.text("text"), None)
        spans = documents.of(key, text, offset_unit=unit, line=task.line)
        if (key, annotator) in seen:
            # The same task is sometimes served twice; two different answers are another matter.
            if seen[key, annotator] == listed:
                spans.leave_out("task", "repeats an answer")
                continue
            what = f"input {key} has two different answers by {annotator}"
            raise task.error(what, hint="Keep one of them")
        seen[key, annotator] = listed
        spans.declare(annotator)
        spans.leave_out("relation", "is not a unit", task.size("relations"))
        chosen = task.size("accept") + (task.name("label") is not None)
        spans.leave_out("label", "of the whole task, is not a unit", chosen)
        about: Any = {"line": task.line, "what": f"input {key}"}
        for span in listed:
            label, start, end = name(span.get("label")), span.get("start"), span.get("end")
            if isinstance(start, int) and isinstance(end, int) and text is not None:
                quote = Quote(((start, end),), span.text("text"), about["what"], task.line)
                quoted.setdefault(key, Quoted([text])).quotes.append(quote)
                added.append((key, annotator, label, quote))
            else:
                spans.add(annotator, label, start, end, **about)
    settled = dict(zip(quoted, settle(source, [*quoted.values()], offsets=offsets), strict=True))
    for key, document in settled.items():
        document.tell(documents.of(key))
    for key, annotator, label, quote in added:
        ((start, end),) = settled[key].places(quote)
        documents.of(key).add(annotator, label, start, end, line=quote.line, what=quote.what)
    return documents.corpus()


def write(document: Continuum | Corpus, path: Path) -> None:
    """Write a task per document and annotator, which `prodigy db-in` takes.

    Seconds and milliseconds become `audio_spans`; everything else needs a text.
    """
    lines = []
    for c in map(in_seconds, continua_of(document)):
        timed, title = c.offset_unit == SECONDS, c.name or "document"
        task = {"audio": title} if timed else {"text": annotated_text(c, "Prodigy")}
        for annotator, units in by_annotator(c):
            spans: list[dict[str, object]] = []
            for u in units:
                start, end = (u.start, u.end) if timed else whole(u)
                label = {"label": u.category} if u.category else {}
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
    holding(".jsonl .json", (b'"_input_hash"', b'"spans"', b'"audio_spans"'), first_line=True),
    read,
    layout="{annotator}",
    write=write,
    many=True,
    by_name=True,
    text=True,
)
