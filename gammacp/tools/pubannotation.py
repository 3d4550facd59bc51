"""PubAnnotation's JSON: one document, or a list of documents.

The format is described at pubannotation.org/docs/annotation-format. A document has a `text` and
`denotations`. A denotation has an `id`, a category `obj`, and a `span` with `begin` and `end` in
code points, or a list of such spans if it is discontinuous. If several projects annotated the
text, `tracks` hold the denotations of each.
"""

from gammacp.continuum import Corpus
from gammacp.formats.records import records
from gammacp.formats.registry import registered, sniff_ending_and_keys
from gammacp.formats.source import Record, Source
from gammacp.formats.spans import CHARACTERS, Documents, Spans


def read(source: Source, *, discontinuous: str = "keep") -> Corpus:
    """Return a corpus with one document for each text.

    Parameters
    ----------
    discontinuous
        What a denotation with several spans becomes. "keep": one unit with several fragments;
        "cover": one unit from its first start to its last end; "split": one unit for each span.

    Raises
    ------
    DataError
        A document has no text, or a denotation has no span.

    Notes
    -----
    Positions
        characters (code points)
    Annotators
        the project of a track, else the file's name
    Category
        `obj`; a denotation without one is unlabelled
    Spans
        every denotation is a unit, one of several spans a unit of several fragments
        (`--option discontinuous=cover`: one unit from the first start to the last end; `split`: one
        unit per span). Relations, attributes and modifications are left out
    """
    documents = Documents(source, CHARACTERS)
    for number, record in enumerate(records(source), 1):
        parts = [record.name(key) for key in ("sourcedb", "sourceid", "divid")]
        key = "-".join(part for part in parts if part) or (
            source.document if number == 1 else str(number)
        )
        spans = documents.of(key, record.string("text"), line=record.line)
        tracks = record.objects("tracks", missing_ok=True)
        if not tracks or "denotations" in record:
            _add(spans, record, source.annotator, discontinuous)
        for place, track in enumerate(tracks, 1):
            project = track.name("project") or f"track {place}"
            _add(spans, track, project, discontinuous)
    return documents.corpus()


def _add(spans: Spans, record: Record, annotator: str, discontinuous: str) -> None:
    """Add the denotations of one document or track as units of one annotator."""
    spans.declare(annotator)
    for key in ("relations", "attributes", "modifications"):
        spans.leave_out(key.removesuffix("s"), "is not a unit", record.size(key))
    for number, entry in enumerate(record.objects("denotations", missing_ok=True), 1):
        what = f"denotation {entry.name('id') or number}"
        if isinstance(entry.get("span"), list):
            places = entry.objects("span")
        else:
            places = [entry.inner("span")]
        parts = [(place.get("begin"), place.get("end")) for place in places]
        if not parts:
            raise entry.error(f"{what} has no span")
        about = {"line": entry.line, "what": what}
        spans.add_parts(annotator, entry.name("obj"), parts, discontinuous, **about)


registered(
    "pubannotation",
    "PubAnnotation JSON",
    (".json", ".jsonl"),
    sniff_ending_and_keys(".json .jsonl", b'"text"', b'"denotations"', b'"span"'),
    read,
    layout="{annotator}",
    several_continua=True,
)
