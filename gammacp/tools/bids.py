"""Events of the Brain Imaging Data Structure: `…_events.tsv`.

After "Task events" of the BIDS specification (bids-specification.readthedocs.io): tab-separated,
`onset` and `duration` in seconds, `trial_type` and any other columns; `n/a` is no value.
"""

import re
from pathlib import Path

from gammacp.continuum import Continuum
from gammacp.formats.records import table
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import SECONDS, Spans


def read(source: Source, *, feature: str = "trial_type") -> Continuum:
    """Return one annotator's events.

    Parameters
    ----------
    feature
        The column that is the category.

    Raises
    ------
    DataError
        A column is missing, or a row's onset or duration is not a number.

    Notes
    -----
    Positions
        seconds
    Annotators
        name of the folder
    Category
        `trial_type`, or another column (`--feature`); `n/a` is unlabelled
    Spans
        every row is a unit, with a duration of 0 a zero-length one; rows without an onset or a
        duration are left out
    """
    spans = Spans.of(source, SECONDS)
    needed = ("onset", "duration", feature) if feature != "trial_type" else ("onset", "duration")
    others: dict[str, None] = {}
    for row in table(source, needed, quoted=False):
        others |= dict.fromkeys(row.keys() - {"onset", "duration", feature})
        if "n/a" in (row["onset"].strip(), row["duration"].strip()):
            spans.leave_out("event", "without an onset or a duration")
            continue
        onset, duration = (row.position(c, "position") for c in ("onset", "duration"))
        label = row.get(feature, "n/a").strip()
        end = onset + duration
        spans.add(source.annotator, None if label == "n/a" else label, onset, end, line=row.line)
    for name in sorted(others):
        spans.leave_out("column", f"{name} is not the category")
    return spans.continuum()


# Columns of tables with units of several annotators, which are not in this format.
_OF_OTHERS = {b"annotator", b"rater", b"coder", b"observer", b"start", b"end"}


def _sniff(head: bytes, path: Path) -> bool:
    line = re.split(rb"[\r\n]", head.lstrip(), maxsplit=1)[0]
    columns = [c.strip().lower() for c in line.split(b"\t")]
    is_events = columns[:2] == [b"onset", b"duration"]
    return is_events and not _OF_OTHERS & set(columns) and bool(path.name)


registered("bids", "BIDS events", (".tsv",), _sniff, read, layout="{annotator}/{document}")
