"""BORIS: projects (.boris), and their tabular and aggregated event exports (CSV, TSV).

After BORIS's user guide, "Export events", and its source (olivierfriard/BORIS: config.py,
export_observation.py, export_events.py). A project has observations. Each is taken to be by one
observer, as in BORIS's own reliability plugins. An event is [time, subject, behavior, modifiers,
comment, …]. The events of a state behavior are alternately its starts and its stops.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

from gammacp.continuum import Corpus
from gammacp.errors import UsageError
from gammacp.formats.records import table
from gammacp.formats.registry import registered
from gammacp.formats.source import Record, Source, in_utf8
from gammacp.formats.spans import SECONDS, Documents, Spans

_PARTS = ("behavior", "subject", "modifiers")
_ALL = "all media"
_MARK = b'\xef\xbb\xbf" \r\n'


@dataclass(frozen=True)
class _Event:
    """A behavior with its time; `turn` is its kind of event, `end` the end of a whole state."""

    what: tuple[str, str, str]
    turn: str
    time: float
    end: float
    line: int | None = None


def read(source: Source, *, category: str = "behavior", annotator: str = "observation") -> Corpus:
    """Return one document per recording.

    Parameters
    ----------
    category
        Field that is the category: behavior, subject, modifiers, or several of them joined by "+".
    annotator
        "observation", or the independent variable that holds the observer's name.

    Raises
    ------
    DataError
        The file is not from BORIS, or an event lacks a time, a behavior or an observer.

    Notes
    -----
    Positions
        seconds
    Annotators
        the observation, or an independent variable (`--option annotator=observer`). The document is
        the media file; files with the same name keep as much of their path as tells them apart. All
        live observations are one document
    Category
        behavior; subject and modifiers with `--option category=subject+behavior`
    Spans
        a state event is a unit from its start to its stop, a point event a zero-length unit; a
        start without a stop is left out
    """
    parts = category.split("+")
    if not set(parts) <= set(_PARTS):
        raise UsageError(f"category {category!r} is not made of {', '.join(_PARTS)}, joined by +")
    if _is_early(source.content):
        raise source.error(
            "table comes from an early version of BORIS: the observation stands above the events",
            hint="Open the project in BORIS 8 and export the events again, or give the .boris file",
        )
    documents = Documents(source, SECONDS)
    is_project = in_utf8(source.content).lstrip(_MARK)[:1] == b"{"
    if is_project:
        read_events = _project
    else:
        read_events = _tables
    for name, observer, events in read_events(source, annotator):
        spans = documents.of(name)
        if observer in spans.annotators:
            raise source.error(
                f"{observer} has two observations of {name}",
                hint="Give the variable that names the observer: `read(annotator=NAME)`",
            )
        spans.declare(observer)
        for other in (part for part in _PARTS if part not in parts):
            count = sum(bool(e.what[_PARTS.index(other)]) for e in events)
            spans.leave_out("value", f"{other} is not the category", count)
        _add(spans, observer, [_PARTS.index(p) for p in parts], events)
    return documents.corpus()


def _add(spans: Spans, observer: str, parts: list[int], events: list[_Event]) -> None:
    begun: dict[tuple[str, str, str], _Event] = {}
    for e in _in_turn(events):
        label = ": ".join(e.what[p] for p in parts if e.what[p])
        first = begun.pop(e.what, None)
        if e.turn in ("STATE", "POINT"):
            spans.add(observer, label, e.time, e.end, line=e.line, what=label)
        elif e.turn == "START" or (e.turn == "TURN" and first is None):
            begun[e.what] = e
            spans.leave_out("event", "start without a stop", first is not None)
        elif first is None:
            spans.leave_out("event", "stop without a start")
        else:
            spans.add(observer, label, first.time, e.time, line=e.line, what=label)
    spans.leave_out("event", "start without a stop", len(begun))


def _in_turn(events: Iterable[_Event]) -> Iterator[_Event]:
    """Yield events by time; of a start and a stop at the same time, first the one that is due."""
    queue = sorted(events, key=lambda e: e.time)
    running: set[tuple[str, str, str]] = set()
    for i, e in enumerate(queue):
        if e.turn in ("START", "STOP") and (e.turn == "START") == (e.what in running):
            tied = range(i + 1, bisect_right(queue, e.time, key=lambda q: q.time))
            fits = (j for j in tied if queue[j].what == e.what and queue[j].turn != e.turn)
            j = next(fits, i)
            queue[i], queue[j] = queue[j], queue[i]
        e = queue[i]
        (running.add if e.turn == "START" else running.discard)(e.what)
        yield e


def _short(paths: Iterable[str]) -> dict[str, str]:
    """Return for each path its shortest end that no other path ends with.

    A relative path (`cam.mp4`) counts as the same file as the only longer path that ends with it
    (`/day1/cam.mp4`).
    """
    parts = {path: PureWindowsPath(path).parts for path in paths}
    everything = set(parts.values())
    whole = [p for p in everything if not any(o != p == o[-len(p) :] for o in everything)]
    short = {}
    for path, own_parts in parts.items():
        ending = [o for o in whole if o[-len(own_parts) :] == own_parts]
        if len(ending) == 1:
            own_parts = ending[0]
        alone = (
            k for k in range(1, len(own_parts)) if sum(o[-k:] == own_parts[-k:] for o in whole) == 1
        )
        short[path] = (
            PureWindowsPath(*own_parts[-next(alone, len(own_parts)) :]).as_posix()
            if own_parts
            else ""
        )
    return short


def _media(observation: Record) -> list[str]:
    """Return the media of the first player that has any; others show other views of the same."""
    lists = (files for _, files in sorted(observation.inner("file").items()))
    return next(
        ([str(f) for f in files] for files in lists if files and isinstance(files, list)), []
    )


_Found = Iterator[tuple[str, str, list[_Event]]]


def _project(source: Source, annotator: str) -> _Found:
    root = Record.of(source.json(), source)
    if not isinstance(root.get("observations"), dict):
        raise source.error('file has no "observations"', hint="Save the project in BORIS")
    listed = Record.of({"all": [*root.inner("behaviors_conf").values()]}, source).objects("all")
    ethogram = {str(b.get("code")): str(b.get("type")) for b in listed}
    observations = {k: Record.of(v, source) for k, v in root["observations"].items()}
    short = _short(f for observation in observations.values() for f in _media(observation))
    for key, observation in observations.items():
        rows = observation.get("events")
        if not isinstance(rows, list):
            raise source.error(f"observation {key!r} has no list of events")
        names = [short[f] for f in _media(observation)]
        values = observation.inner("independent_variables")
        if annotator == "observation":
            observer = key
        else:
            observer = values.get(annotator)
        if not isinstance(observer, str) or not observer:
            raise source.error(f"observation {key!r} has no name in its variable {annotator!r}")
        events = []
        for row in rows:
            if not isinstance(row, list) or len(row) < 4 or str(row[2]) not in ethogram:
                raise source.error(f"observation {key!r}: {row!r} has no known behavior")
            if type(row[0]) not in (int, float):
                raise source.error(f"observation {key!r}: {row[0]!r} is not a time")
            if ethogram[str(row[2])].startswith("State"):
                turn = "TURN"
            else:
                turn = "POINT"
            what = (str(row[2]), str(row[1]), str(row[3]))
            events.append(_Event(what, turn, row[0], row[0]))
        yield "+".join(names) or _ALL, observer, events


def _tables(source: Source, annotator: str) -> _Found:
    if annotator == "observation":
        column = "Observation id"
    else:
        column = annotator
    events_by_reader: dict[tuple[str, str], list[_Event]] = {}
    needed = ("Observation id", "Subject", "Behavior", "Behavior type", column)
    for row in table(source, needed):
        turn = row["Behavior type"].strip().upper()
        whole = "Start (s)" in row
        if turn not in (("STATE", "POINT") if whole else ("START", "STOP", "POINT")):
            raise row.error(f"behavior type {turn!r} is unknown")
        media = next((row[c] for c in ("Media file name", "Media file") if row.get(c)), "")
        modifiers = "|".join(v for k, v in row.items() if k.startswith("Modifier") and v)
        subject = row["Subject"].strip().removeprefix("No focal subject")
        times = ("Start (s)", "Stop (s)") if whole else ("Time",)
        at = [row.position(c, c) for c in times]
        event = _Event((row["Behavior"].strip(), subject, modifiers), turn, at[0], at[-1], row.line)
        media = re.sub(r"(^|[/\\])NA$", "", media.strip())
        events_by_reader.setdefault((media, row[column].strip()), []).append(event)
    short = _short(media for media, _ in events_by_reader)
    for (media, observer), events in events_by_reader.items():
        yield short[media] or _ALL, observer, events


def _is_early(head: bytes) -> bool:
    """Return whether lines that describe the observation precede the table of events."""
    first_lines = head.lstrip(_MARK)
    return (
        re.match(rb'Observation id.*\n(?:.*\n){0,20}?"?Observation date', first_lines) is not None
    )


def _sniff(head: bytes, path: Path) -> bool:
    first = head.lstrip(_MARK).split(b"\n", 1)[0]
    is_table = first.startswith(b"Observation id") and b"Behavior" in first
    return is_table or _is_early(head) or path.suffix.lower() == ".boris"


registered("boris", "BORIS", (".boris", ".tsv", ".csv"), _sniff, read)
