"""RTTM: Rich Transcription Time Marked files, read and written.

After NIST, "KWS15 Evaluation Plan" v05, appendix, and "RTTM format specification" v1.3. A line has
ten fields separated by blanks: type, file, channel, onset, duration, orthography, speaker type,
name, confidence, look-ahead. An empty field is written `<NA>`. Lines that begin with ";;" are
comments. Times are in seconds.

SPEAKER lines are the units. Their name field is the category, their file field the document; the
annotator comes from the path. With `file_is="annotator"`, the file field is the annotator, and the
file is one document. The writer uses that form, so that one file can hold several annotators, and
declares it in a comment.
"""

import decimal
from decimal import Decimal
from pathlib import Path
from urllib.parse import quote, unquote

from gammacp.base.arguments import one_of
from gammacp.base.files import write_text
from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import SECONDS, Documents, Spans
from gammacp.formats.times import in_seconds

_OURS = ";; gammacp: the file field is the annotator, names are percent-encoded"
_DECLARED = ";; annotator: "
_NOTHING = "<NA>"
_LINE_TYPES = (
    "SEGMENT NOSCORE NO_RT_METADATA LEXEME NON-LEX NON-SPEECH FILLER EDIT SU IP CB A/P SPEAKER",
    "SPKR-INFO",
)
_TYPES = frozenset(" ".join(_LINE_TYPES).split())
_EXACT = decimal.Context(prec=1100)


def read(
    source: Source, *, layer: str = "SPEAKER", file_is: str | None = None
) -> Continuum | Corpus:
    """Return the units of an RTTM file.

    Parameters
    ----------
    layer
        The type of the lines that are units.
    file_is
        What the file field names: "document" or "annotator". By default it is the annotator in
        files written by gammacp, the document in all others.

    Raises
    ------
    DataError
        A line does not have ten fields, is of an unknown type, or has times that are not numbers;
        or no line is of the layer.

    Notes
    -----
    Positions
        seconds
    Annotators
        name of the folder; with `--option file_is=annotator`, and in files that gammacp wrote, the
        file field
    Category
        name field of SPEAKER lines (of other lines with `--layer`); `<NA>` is unlabelled
    Spans
        every line is a unit: overlapping, repeated and zero-length ones are kept
    """
    if file_is is not None:
        one_of("file_is", file_is, ("document", "annotator"))
    lines = source.lines()
    ours = lines[0] == _OURS
    if lines[0].startswith(";; gammacp") and not ours:
        raise source.error("first line names gammacp, but is not one that it writes", line=1)
    decode = unquote if ours else str
    by_annotator = file_is == "annotator" or (ours and file_is is None)
    documents = Documents(source, SECONDS)
    whole = Spans(source, source.document, SECONDS)
    passed = whole if by_annotator else documents
    for number, line in enumerate(lines, 1):
        if line.startswith(_DECLARED) and ours:
            whole.declare(decode(line.removeprefix(_DECLARED).strip()))
        fields = line.split()
        if not fields or line.startswith(";;"):
            if fields and not ours:
                passed.leave_out("line", "comment")
            continue
        _check(source, number, fields)
        if fields[0] != layer:
            passed.leave_out("line", f"{fields[0]} lines were not chosen")
            continue
        start, end = _times(source, number, fields[3], fields[4])
        if fields[7] == _NOTHING:
            name = None
        else:
            name = decode(fields[7])
        if by_annotator:
            whole.add(decode(fields[1]), name, start, end, line=number)
        else:
            documents.of(fields[1]).add(source.annotator, name, start, end, line=number)
    if by_annotator:
        return whole.continuum()
    if not documents.spans_by_name:
        raise source.error(f"file has no {layer} line")
    return documents.corpus()


def _check(source: Source, line: int, fields: list[str]) -> None:
    hint = "Write: type file channel onset duration <NA> <NA> name <NA> <NA>"
    if len(fields) not in (9, 10):
        raise source.error(f"line has {len(fields)} fields instead of 10", line=line, hint=hint)
    if fields[0] not in _TYPES:
        raise source.error(f"line type {fields[0]!r} is unknown", line=line, hint=hint)
    if fields[0] == "SPEAKER" and fields[5] != _NOTHING:
        raise source.error(f"field 6 of a speaker is {fields[5]!r}, not <NA>", line=line, hint=hint)


def _times(source: Source, line: int, onset: str, duration: str) -> tuple[float, float]:
    start, length = (
        source.position(text, "onset or duration", line=line) for text in (onset, duration)
    )
    if length < 0:
        raise source.error(f"duration {duration} is negative", line=line)
    # Add decimal numbers exactly: 1.1 + 2.2 is 3.3, not 3.3000000000000003.
    return start, float(_EXACT.add(Decimal(onset), Decimal(duration)))


def write(document: Continuum, path: Path) -> None:
    """Write SPEAKER lines with the annotator in the file field; onset and duration are exact.

    Milliseconds become seconds; positions in any other unit stay as they are.
    """
    lines = [_OURS, *(_DECLARED + _field(a) for a in document.annotators)]
    for unit in in_seconds(document):
        start = Decimal(repr(unit.start))
        end = Decimal(repr(unit.end))
        length = _EXACT.subtract(end, start)
        if unit.category is None:
            name = _NOTHING
        else:
            name = _field(unit.category)
        lines.append(
            f"SPEAKER {_field(unit.annotator)} 1 {start} {length} <NA> <NA> {name} <NA> <NA>"
        )
    write_text(path, "\n".join(lines) + "\n")


def _field(name: str) -> str:
    """Return a name with blanks replaced; letters of any script stay readable."""
    if not name:
        raise DataError("an annotator or category has an empty name", hint="Write JSON instead")
    try:
        return "".join(c if c.isalnum() or c in "_-.:@/+" else quote(c, safe="") for c in name)
    except UnicodeEncodeError:
        raise DataError(f"{name!r} has a character that UTF-8 does not have") from None


def _sniff(head: bytes, path: Path) -> bool:
    first = head.split(b"\n")[0]
    return path.suffix.lower() == ".rttm" or (
        first.startswith(b"SPEAKER ") and len(first.split()) in (9, 10)
    )


registered("rttm", "RTTM", (".rttm",), _sniff, read, write=write, layout="{annotator}/{document}")
