"""JAMS: annotations of music by several annotators in one file.

After "JAMS structure" of its documentation (jams.readthedocs.io) and its schema. A file has
annotations, each of a namespace (`segment_open`, `chord`, …) by one annotator
(`annotation_metadata`), with observations of `time`, `duration` and `value` in seconds.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeGuard

from gammacp.continuum import Continuum
from gammacp.formats.layers import Layer, Layers
from gammacp.formats.positions import LARGEST
from gammacp.formats.registry import registered, sniff_ending_and_keys
from gammacp.formats.source import Record, Source, free_name, name
from gammacp.formats.spans import SECONDS, Spans


def layers(source: Source) -> Layers:
    """Return the namespaces that have at least one observation."""
    return {space: Layer() for space, _, data in _annotations(source) if data}


def read(source: Source, *, layer: str | None = None) -> Continuum:
    """Return the recording's units of a namespace.

    Parameters
    ----------
    layer
        The namespace.

    Raises
    ------
    DataError
        The file has no list of annotations, or an observation lacks a time or a duration.

    Notes
    -----
    Positions
        seconds
    Annotators
        `annotator` (name, email or id), else the curator, else the source of the annotation; a
        second annotation with the same name gets a number
    Category
        value, in one namespace (`--layer`); a value that is neither text nor number is unlabelled
    Spans
        every observation is a unit: overlapping, repeated and zero-length ones are kept
    """
    spans = Spans(source, source.document, SECONDS)
    for space, record, data in _annotations(source):
        if space != layer:
            spans.leave_out("observation", f"namespace {space} was not chosen", len(data))
            continue
        who = free_name(_annotator(record), spans.annotators)
        spans.declare(who)
        for time, duration, value in data:
            label = value if isinstance(value, str) else name(value)
            if label is None and isinstance(value, float):
                label = f"{value:.15g}"
            spans.leave_out("value", "neither text nor number", label is None and value is not None)
            if not _is_number(time) or not _is_number(duration):
                raise source.error(
                    f"{space}: observation lacks a time and a duration that are numbers up to 2^53"
                )
            spans.add(who, label, time, time + duration, what=f"{space} at {time:g}")
    return spans.continuum()


def _annotations(source: Source) -> Iterator[tuple[str, Record, list[tuple[object, ...]]]]:
    # The JAMS library writes NaN for a missing confidence.
    for record in Record.of(source.json(nan=True), source).objects("annotations"):
        data = record.get("data")
        space = record.get("namespace")
        if not isinstance(space, str):
            raise record.error('annotation has no "namespace"')
        keys = ("time", "duration", "value")
        if isinstance(data, dict):
            # Dense observations are stored as columns.
            columns: list[Any] = [data.get(key) for key in keys]
            if not all(isinstance(c, list) for c in columns):
                raise source.error(f"{space}: data lack the columns time, duration, value")
            if len({len(c) for c in columns}) > 1:
                lengths = ", ".join(str(len(c)) for c in columns)
                raise source.error(
                    f"{space}: columns time, duration, value have different lengths: {lengths}"
                )
            data = [dict(zip(keys, r, strict=True)) for r in zip(*columns, strict=True)]
        rows = Record.of({"data": data}, source).objects("data")
        yield space, record, [tuple(row.get(key) for key in keys) for row in rows]


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and -LARGEST <= value <= LARGEST


def _annotator(record: Record) -> str:
    about = record.inner("annotation_metadata")
    named = (about.inner(key).name("name", "email", "id") for key in ("annotator", "curator"))
    return next(filter(None, named), None) or about.name("data_source") or "annotation"


def _sniff(head: bytes, path: Path) -> bool:
    # A JAMS file is one object. Tasks of Label Studio may have the same keys in their data, but
    # their results have a key `from_name`.
    keys = sniff_ending_and_keys(".jams .json", b'"namespace":', b'"annotation_metadata":')
    whole = head.lstrip().startswith(b"{")
    return whole and keys(head, path) and b'"from_name":' not in head


registered("jams", "JAMS", (".jams", ".json"), _sniff, read, layers=layers)
