"""BORIS: projects (.boris), and their tabular and aggregated event exports (CSV, TSV).

After BORIS's user guide, "Export events", and its source (olivierfriard/BORIS: config.py,
export_observation.py, export_events.py). A project has observations, each by one observer, as
BORIS's own reliability plugins take them; an event is [time, subject, behavior, modifiers,
comment, …]. The events of a state behavior are its starts and stops by turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

from gammacp.continuum import Corpus
from gammacp.errors import UsageError
from gammacp.formats.records import objects, table
from gammacp.formats.registry import Format, register
from gammacp.formats.source import Source
from gammacp.formats.spans import SECONDS, Documents, Spans

_PARTS = ("behavior", "subject", "modifiers")
_ALL = "all media"


@dataclass(frozen=True)
class _Event:
    """What was seen when; `turn` is START, STOP or POINT, `end` that of a whole state."""

    what: tuple[str, str, str]
    turn: str
    time: object
    end: object = None
    line: int | None = None


def read(source: Source, *, category: str = "behavior", annotator: str = "observation") -> Corpus:
    """One document per recording.

    Parameters
    ----------
    category
        What is the category: behavior, subject, modifiers, or several of them joined by "+".
    annotator
        "observation", or the independent variable that holds the observer's name.

    Raises
    ------
    DataError
        It is no such file, or an event has no time, behavior or observer.

    Notes
    -----
    Positions
        seconds
    Annotators
        the observation, or an independent variable (`--option annotator=observer`); the document
        is the media file, in live observations one for all
    Category
        behavior; with `--option category=subject+behavior` others of subject, modifiers
    Spans
        state events are units from start to stop, point events units of zero length; a start
        without a stop is left out
    """
    parts = category.split("+")
    if not set(parts) <= set(_PARTS):
        raise UsageError(f"category {category!r} is not made of {', '.join(_PARTS)}, joined by +")
    documents = Documents(source, SECONDS)
    is_project = source.content.lstrip(b"\xef\xbb\xbf \r\n")[:1] == b"{"
    found = _project if is_project else _tables
    for name, observer, events in found(source, annotator):
        spans = documents.of(name)
        if observer in spans.annotators:
            raise source.error(
                f"{observer} has two observations of {name}",
                hint="Name the observer by an independent variable: --option annotator=NAME",
            )
        spans.declare(observer)
        for other in set(_PARTS) - set(parts):
            count = sum(bool(e.what[_PARTS.index(other)]) for e in events)
            spans.leave_out("value", f"{other} is not the category", count)
        _add(spans, observer, [_PARTS.index(p) for p in parts], events)
    return documents.corpus()


def _add(spans: Spans, observer: str, parts: list[int], events: list[_Event]) -> None:
    begun: dict[tuple[str, str, str], _Event] = {}
    for e in events:
        label = ": ".join(e.what[p] for p in parts if e.what[p])
        first = begun.pop(e.what, None)
        if e.turn == "STATE":
            spans.add(observer, label, e.time, e.end, line=e.line, what=label)
        elif e.turn == "POINT":
            spans.add(observer, label, e.time, e.time, line=e.line, what=label)
        elif e.turn == "START" or (e.turn == "TURN" and first is None):
            begun[e.what] = e
            spans.leave_out("event", "start without a stop", first is not None)
        elif first is None:
            spans.leave_out("event", "stop without a start")
        else:
            spans.add(observer, label, first.time, e.time, line=e.line, what=label)
    spans.leave_out("event", "start without a stop", len(begun))


_Found = Iterator[tuple[str, str, list[_Event]]]


def _project(source: Source, annotator: str) -> _Found:
    root = source.json()
    if not isinstance(root, dict) or not isinstance(root.get("observations"), dict):
        raise source.error('file has no "observations"', hint="Save the project in BORIS")
    behaviors = root.get("behaviors_conf")
    listed = {"all": list(behaviors.values()) if isinstance(behaviors, dict) else None}
    ethogram = {
        b.get("code"): str(b.get("type")) for b in objects(source, listed, "all", line=None)
    }
    for key, observation in root["observations"].items():
        if not isinstance(observation, dict) or not isinstance(observation.get("events"), list):
            raise source.error(f"observation {key!r} has no list of events")
        media = observation.get("file")
        files = media.get("1") if isinstance(media, dict) else None
        names = [PurePath(f).name for f in files or () if isinstance(f, str)]
        values = observation.get("independent_variables")
        observer = key if annotator == "observation" else (values or {}).get(annotator)
        if not isinstance(observer, str) or not observer:
            raise source.error(f"observation {key!r} has no variable {annotator!r} with a name")
        events = []
        for row in observation["events"]:
            if not isinstance(row, list) or len(row) < 3 or row[2] not in ethogram:
                raise source.error(f"observation {key!r}: {row!r} is no event of a behavior")
            if not isinstance(row[0], int | float) or isinstance(row[0], bool):
                raise source.error(f"observation {key!r}: {row[0]!r} is not a time")
            subject, modifiers = str(row[1]), str(row[3]) if len(row) > 3 else ""
            turn = "TURN" if ethogram[row[2]].startswith("State") else "POINT"
            events.append(_Event((row[2], subject, modifiers), turn, row[0]))
        events.sort(key=lambda e: e.time)  # type: ignore[arg-type, return-value]
        yield "+".join(names) or _ALL, observer, events


def _tables(source: Source, annotator: str) -> _Found:
    column = "Observation id" if annotator == "observation" else annotator
    found: dict[tuple[str, str], list[_Event]] = {}
    needed = ("Observation id", "Subject", "Behavior", "Behavior type", column)
    for row, line in table(source, needed):
        turn = row["Behavior type"].strip().upper()
        whole = "Start (s)" in row
        if turn not in (("STATE", "POINT") if whole else ("START", "STOP", "POINT")):
            raise source.error(f"behavior type {turn!r} is unknown", line=line)
        media = next((row[c] for c in ("Media file name", "Media file") if row.get(c)), "")
        modifiers = "|".join(v for k, v in row.items() if k.startswith("Modifier") and v)
        subject = row["Subject"].strip().removeprefix("No focal subject")
        at = [
            source.position(row.get(c, ""), c, line=line)
            for c in (("Start (s)", "Stop (s)") if whole else ("Time",))
        ]
        event = _Event((row["Behavior"].strip(), subject, modifiers), turn, at[0], at[-1], line)
        name = PurePath(media.strip()).name.removesuffix("NA") or _ALL
        found.setdefault((name, row[column].strip()), []).append(event)
    for (name, observer), events in found.items():
        yield name, observer, sorted(events, key=lambda e: e.time)  # type: ignore[arg-type, return-value]


def _sniff(head: bytes, path: Path) -> bool:
    return path.suffix.lower() == ".boris" or head.lstrip(b'\xef\xbb\xbf"').startswith(
        b"Observation id"
    )


FORMAT = register(
    Format(
        name="boris",
        title="BORIS",
        extensions=(".boris", ".tsv", ".csv"),
        sniff=_sniff,
        read=read,
    )
)
