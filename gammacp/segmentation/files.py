"""Segmentation files as formats: segeval's JSON, and tables of masses, labels or boundaries.

`gammacp.segmentation.reading` describes what they hold. Commands over segmentations read them as
codings; all others as units: segments are unlabelled units that cover the item from 0 on.
"""

import re
from collections.abc import Callable, Mapping
from itertools import accumulate, pairwise
from pathlib import Path

from gammacp.base.text import lines_of
from gammacp.continuum import Corpus
from gammacp.errors import DataError
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import Documents
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.json_reading import codings_from_json
from gammacp.segmentation.table_reading import codings_from_table, table_shape

_OFFSET_UNIT = "parts"
# Begin of a JSON file of segmentations: an item, one of its coders, and masses or boundaries.
_START = re.compile(
    rb'(?:\A\s*\{|"items"\s*:\s*\{)\s*"[^"]*"\s*:\s*\{\s*"[^"]*"\s*:\s*'
    rb'(?:\[\s*\d|"[01]*"|\{\s*"(?:mass|boundaries)")'
)


_READERS: Mapping[str, Callable[[Source], Codings]] = {
    "segeval": lambda source: codings_from_json(source.text()),
    "segmentation-table": lambda source: codings_from_table(source.text(), item=source.document),
}
CODED = tuple(_READERS)
"""Formats of segmentation files; other commands read their segments as units."""


def codings_in(source: Source, format: str) -> Codings:
    """Read the codings of a file of one of `CODED`; a DataError names the file and line."""
    try:
        return _READERS[format](source)
    except DataError as error:
        raise error.at(source.place) from None


def read_json(source: Source) -> Corpus:
    """Return the segments of JSON as units, a document per item.

    Notes
    -----
    Positions
        smallest parts (sentences, paragraphs)
    Annotators
        coder's key
    Category
        none: segments are unlabelled
    Spans
        segments cover the item without gaps; boundaries of several types are not units
    """
    return _read_one_type(source, "segeval")


def read_table(source: Source) -> Corpus:
    """Return the segments of a table as units, a document per item.

    Notes
    -----
    Positions
        smallest parts (sentences, paragraphs)
    Annotators
        the column Coder, or a column each
    Category
        none: segments are unlabelled
    Spans
        with the columns Coder and Masses, Positions, or Mass and Boundaries, a row is one coder's
        segmentation; with Unit or After, a row is a base unit of all coders. Segments cover the
        item without gaps
    """
    return _read_one_type(source, "segmentation-table")


def _read_one_type(source: Source, format: str) -> Corpus:
    codings = codings_in(source, format)
    if len(codings.types) > 1:
        raise source.error(
            f"boundaries of {len(codings.types)} types cannot be ends of units",
            hint="gammacp segmentation compares boundaries of several types",
        )
    return units_of(source, codings)


def units_of(source: Source, codings: Codings) -> Corpus:
    """Return the segments between all boundaries, whatever their types, a document per item.

    Parameters
    ----------
    source
        The file.
    codings
        Codings that become units.
    """
    documents = Documents(source, _OFFSET_UNIT)
    for passed in codings.left_out:
        documents.leave_out(passed.kind, passed.reason, passed.count)
    for item, coders in codings.items():
        spans = documents.of(item)
        for coder, segmentation in coders.items():
            spans.declare(coder)
            for start, end in pairwise(accumulate(segmentation.masses, initial=0)):
                spans.add(coder, None, start, end, what=f"item {item!r}")
    return documents.corpus()


def _sniff_json(head: bytes, path: Path) -> bool:
    keys = (b'"segmentation_type"', b'"boundary_types"', b'"anonymous_coders"')
    named = any(key in head for key in keys)
    return path.suffix.lower() == ".json" and (named or _START.search(head) is not None)


def _sniff_table(head: bytes, _path: Path) -> bool:
    for line in lines_of(head[:4096].decode("utf-8", "ignore").lstrip("\ufeff")):
        if line.strip() and line[0] != "#":
            cells = [cell.strip().lower() for cell in re.split("[\t,]", line)]
            return table_shape(cells) is not None
    return False


registered(
    "segeval",
    "segeval JSON",
    (".json",),
    _sniff_json,
    read_json,
    data_kind="segmentations",
    several_continua=True,
)
registered(
    "segmentation-table",
    "Table of segmentations",
    (".tsv", ".csv"),
    _sniff_table,
    read_table,
    data_kind="segmentations",
    several_continua=True,
)
