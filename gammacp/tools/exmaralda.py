"""EXMARaLDA basic transcriptions (.exb).

After Schmidt & Wörner (2014), "EXMARaLDA", in The Oxford Handbook of Corpus Phonology, and the
document type `basic-transcription.dtd`. Tiers share a timeline of points (`tli`) with times in
seconds; each event lies between two points. Points without a time are spread evenly between their
neighbours.
"""

from itertools import pairwise

from gammacp.continuum import Continuum
from gammacp.formats.registry import registered, sniff_ending_or_keys
from gammacp.formats.source import Source
from gammacp.formats.spans import SECONDS, Spans
from gammacp.formats.tiers import ANNOTATOR, annotator_of, check_chosen
from gammacp.formats.xmltree import Element, parse


def read(source: Source, *, tier: str | None = None) -> Continuum:
    """Return the events of the tiers of a transcription.

    Parameters
    ----------
    tier
        A pattern that the names of tiers must fit (`gammacp.formats.tiers`); by default all.

    Raises
    ------
    DataError
        The file is not a basic transcription, an event refers to a missing point or a point without
        a time, or no tier fits.

    Notes
    -----
    Positions
        seconds (points without a time are spread evenly between their neighbours)
    Annotators
        each tier is an annotator, by its display name (its id where that is not unique). `--tier`
        chooses tiers and says where the annotator's name is, as in `sup [{annotator}]`; if the
        pattern has no `{annotator}`, the name is that of the tier
    Category
        text of the event; empty is unlabelled
    Spans
        every event is a unit
    """
    root = parse(source, external_type=True)
    if root.tag != "basic-transcription":
        raise root.error(f"root element <{root.tag}> is not basic-transcription")
    spans = Spans(source, source.document, SECONDS)
    times = _times(root)
    tiers = root.at("basic-body").all("tier")
    names = _names(tiers)
    chosen_names = []
    for name, element in zip(names, tiers, strict=True):
        annotator = annotator_of(name, tier or "*")
        if annotator is None:
            spans.leave_out("event", f"tier {name} was not chosen", len(element.all("event")))
            continue
        if source.annotator and not element.children:
            spans.leave_out("tier", "empty")
            continue
        chosen_names.append(name)
        if ANNOTATOR not in (tier or ""):
            annotator = source.annotator or name
        spans.declare(annotator)
        for event in element.all("event"):
            start, end = (_time(event, times, edge) for edge in ("start", "end"))
            label = event.text.strip()
            spans.add(annotator, label, start, end, line=event.line, what=f"event {label!r}")
    check_chosen(source, tier, names, chosen_names)
    if source.annotator:
        spans.declare(source.annotator)
    return spans.continuum()


def _names(tiers: list[Element]) -> list[str]:
    """Return the display names of tiers; tiers with the same display name have their ids."""
    shown = [tier.attributes.get("display-name", "").strip() for tier in tiers]
    names = []
    for tier, name in zip(tiers, shown, strict=True):
        names.append(name if name and shown.count(name) == 1 else tier.attribute("id"))
    return names


def _time(event: Element, times: dict[str, float | None], edge: str) -> float:
    key = event.attribute(edge)
    if key not in times:
        raise event.error(f"point {key!r} of the timeline does not exist")
    time = times[key]
    if time is None:
        raise event.error(
            f"point {key!r} has no time, and no neighbours with one on both sides",
            hint="Align the transcription with its recording in EXMARaLDA",
        )
    return time


def _times(root: Element) -> dict[str, float | None]:
    """Return the time of each point; None before the first and after the last known time."""
    points = root.at("basic-body", "common-timeline").all("tli")
    timed: list[tuple[int, float]] = []
    for place, point in enumerate(points):
        text = point.attributes.get("time", "")
        if text.strip():
            timed.append((place, point.source.position(text, "time", line=point.line)))
    times: dict[str, float | None] = dict.fromkeys(p.attribute("id") for p in points)
    if len(times) != len(points):
        raise root.error("an id of the timeline occurs twice")
    for place, time in timed:
        times[points[place].attribute("id")] = time
    for (first, low), (last, high) in pairwise(timed):
        for place in range(first + 1, last):
            share = (place - first) / (last - first)
            times[points[place].attribute("id")] = low + (high - low) * share
    return times


registered(
    "exmaralda", "EXMARaLDA", (".exb",), sniff_ending_or_keys(".exb", b"<basic-transcription"), read
)
