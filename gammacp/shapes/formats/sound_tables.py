"""Boxes on spectrograms: Raven's selection tables, and Audacity's labels with frequencies.

In folders, files called NAME.selections.txt (Raven's default) and NAME.labels.txt are found. Files
with other names must be given by name.

After the Raven Pro 1.6 user's manual, "Selection tables", and Audacity's manual, "Importing and
exporting labels". A label is a line START END LABEL. For a spectral selection, a second line, which
begins with a backslash, has the lower and upper frequency. Neither format names the annotator; the
name of the folder does.
"""

import re
from typing import Any

from gammacp.base.arguments import one_of
from gammacp.continuum import Continuum
from gammacp.errors import UsageError
from gammacp.formats.records import table
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import SECONDS, Spans, with_shapes

_RAVEN = ("Selection", "Begin Time (s)", "End Time (s)", "Low Freq (Hz)", "High Freq (Hz)")
_LABELS = ("Annotation", "Species", "Label", "Call Type", "Tag")
_FIRST = re.compile(rb"-?[\d.]+\t-?[\d.]+(\t|\r?\n)")
_LAYOUT = "{annotator}/{document}"


def read_raven(source: Source, *, label: str | None = None, shapes: str = "keep") -> Continuum:
    """Return the selections of a table.

    Parameters
    ----------
    label
        The column of the category; by default the first of Annotation, Species, Label, Call Type
        and Tag.
    shapes
        "keep": boxes in time and frequency; "no": in time alone.

    Raises
    ------
    DataError
        A column is missing, or a value that must be a number is not one.

    Notes
    -----
    Positions
        seconds (the second axis: Hz)
    Annotators
        name of the folder
    Category
        a column (`--option label=COLUMN`)
    Spans
        every selection is a box in time and frequency (`--option shapes=no`: a unit in time alone);
        only the first view of a selection is read
    """
    spans = Spans.of(source, SECONDS)
    selections = set[str]()
    for row in table(source, _RAVEN, quoted=False):
        if row["Selection"] in selections:
            spans.leave_out("row", "is another view of a selection")
            continue
        selections.add(row["Selection"])
        if label is not None and label not in row:
            raise UsageError(f"label {label!r} is not a column; there are: {', '.join(row)}")
        category = row.get(label or next((x for x in _LABELS if x in row), ""), "").strip()
        edges = [row.position(x, x) for x in _RAVEN[1:]]
        place = f"selection {row['Selection']}"
        rows = (edges[:2], edges[2:])
        spans.add_shape(source.annotator, category, "box", rows, line=row.line, what=place)
    return with_shapes(spans.continuum(), shapes, source.place)


def read_audacity(source: Source, *, shapes: str = "keep") -> Continuum:
    """Return the labels of a track.

    Parameters
    ----------
    shapes
        "keep": labels with frequencies are boxes; either all or none must have frequencies. "no":
        units in time alone.

    Raises
    ------
    DataError
        A line lacks a start or an end, a value is not a number, or only some labels have
        frequencies.

    Notes
    -----
    Positions
        seconds (the second axis: Hz)
    Annotators
        name of the folder
    Category
        label
    Spans
        every label is a unit, with frequencies a box (`--option shapes=no`: a unit in time alone),
        without length a point in time
    """
    one_of("shapes", shapes, ("keep", "no"))
    spans = Spans.of(source, SECONDS)
    lines = [*enumerate(source.lines(), 1)]
    for (number, line), (_, after) in zip(lines, [*lines[1:], (0, "")], strict=True):
        if line.startswith("\\") or not line.strip():
            continue
        start, end, label = [*line.split("\t", 2), "", ""][:3]
        edges = [source.position(x, "time", line=number) for x in (start, end)]
        about: dict[str, Any] = {"line": number, "what": f"label {label!r}"}
        if after.startswith("\\") and shapes == "keep":
            heights = after.split("\t")[1:3]
            high = [source.position(x, "frequency", line=number + 1) for x in heights]
            spans.add_shape(source.annotator, label, "box", (edges, high), **about)
        else:
            spans.add(source.annotator, label, *edges, **about)
    return spans.continuum()


registered(
    "raven", "Raven selection table", (".selections.txt",),
    lambda head, _: head.startswith(b"Selection\t") and b"Begin Time (s)" in head,
    read_raven, layout=_LAYOUT,
)  # fmt: skip
registered(
    "audacity", "Audacity labels", (".labels.txt",),
    lambda head, path: path.suffix.lower() == ".txt" and _FIRST.match(head) is not None,
    read_audacity, layout=_LAYOUT,
)  # fmt: skip
