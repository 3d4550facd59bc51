"""ELAN annotation files (.eaf), read and written.

After the schema of the EAF format, version 3.0 (Max Planck Institute for Psycholinguistics,
"ELAN Annotation Format"). Times are whole milliseconds.

A tier is an annotator, named by its TIER_ID. A pattern with {annotator} chooses tiers and finds
the name in the TIER_ID; with a pattern without it, the ANNOTATOR attribute is the annotator.
Tiers that depend on another one are left out unless a pattern chooses them. Their symbolic
annotations divide the time of the annotation they refer to evenly among themselves. Time slots
without a time are spread evenly between their neighbours.

In ELAN, the annotations of a tier cannot overlap. `write` puts overlapping units into further tiers
and marks these by their linguistic type, so that `read` assigns them to the same annotator.
"""

from bisect import bisect_left
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

from gammacp.base.files import write_text
from gammacp.continuum import Continuum
from gammacp.errors import DataError
from gammacp.formats.conventions import FACT, ConventionNote, fact_of
from gammacp.formats.registry import registered, sniff_ending_or_keys
from gammacp.formats.source import Source
from gammacp.formats.spans import MILLISECONDS, SECONDS, Spans
from gammacp.formats.tiers import ANNOTATOR, annotator_of, check_chosen, lanes
from gammacp.formats.xmltree import Element, legal, parse, xml_text

_AUTHOR = "gammacp"
_TYPE = "default-lt"
_FURTHER = "gammacp-further-tier"
_MILLISECONDS = "milliseconds"
_UNITS = {_MILLISECONDS: 1.0, "PAL-frames": 1000 / 25, "NTSC-frames": 1001 / 30}
_ENDS = ("TIME_SLOT_REF1", "TIME_SLOT_REF2")
Times = dict[int, tuple[float, float]]
"""Start and end of annotations by the identity of their elements."""


def read(source: Source, *, tier: str | None = None) -> Continuum:
    """Return the units of the tiers of an .eaf file.

    Parameters
    ----------
    tier
        A pattern that tiers must fit (`gammacp.formats.tiers`); by default all tiers that do not
        depend on another.

    Raises
    ------
    DataError
        The file is not an EAF file, a time slot or a parent is missing, or no tier fits.

    Notes
    -----
    Positions
        milliseconds (of the first medium; its TIME_ORIGIN is added, and TIME_UNITS that are frames
        are converted)
    Annotators
        each tier that depends on no other is an annotator, even an empty one (but not `default`).
        `--tier` chooses tiers and says where the annotator's name is, as in `gesture@{annotator}`;
        if the pattern has no `{annotator}`, the name is the ANNOTATOR attribute
    Category
        annotation value; empty is unlabelled
    Spans
        every annotation is a unit. A symbolic annotation takes the time of the one it refers to;
        time slots without a time are spread evenly between their neighbours. On writing,
        overlapping units go to further tiers (`Ann (2)` beside `Ann`) with the linguistic type
        `gammacp-further-tier`, which are read as Ann's
    """
    root = parse(source)
    if root.tag != "ANNOTATION_DOCUMENT":
        raise root.error(f"root element <{root.tag}> is not ANNOTATION_DOCUMENT")
    length = _milliseconds_per_unit(root)
    spans = Spans(source, source.document, MILLISECONDS)
    chosen = _tiers_to_read(spans, root, tier)
    times, repeated = _times(root)
    origin = _origin(root)
    if noted := _conventions(source.place, length, origin):
        spans.facts[FACT] = fact_of(noted)
    spans.leave_out("id", "repeated: all annotations with it are read", repeated)
    if source.annotator:
        spans.declare(source.annotator)
    for annotator, element in chosen:
        spans.declare(annotator)
        element.refuse_others("ANNOTATION")
        for annotation in element.all("ANNOTATION"):
            for inner in annotation.children:
                key = inner.attribute("ANNOTATION_ID")
                value = inner.find("ANNOTATION_VALUE")
                if value is None:
                    raise inner.error(f"annotation {key} has no value")
                if id(inner) not in times:
                    raise inner.error(f"<{inner.tag}> is not an annotation")
                start, end = (time * length for time in times[id(inner)])
                spans.add(
                    annotator,
                    value.text,
                    start + origin,
                    end + origin,
                    line=inner.line,
                    what=f"annotation {key}",
                )
    return spans.continuum()


def _milliseconds_per_unit(root: Element) -> float:
    """Return the length of a unit of the file's times, which may also be frames of video."""
    header = root.find("HEADER")
    if header is None:
        units = _MILLISECONDS
    else:
        units = header.attributes.get("TIME_UNITS", _MILLISECONDS)
    if header is not None and units not in _UNITS:
        raise header.error(
            f"TIME_UNITS are {units!r}", hint="Save the file with ELAN, which writes milliseconds"
        )
    return _UNITS[units]


def _origin(root: Element) -> int:
    """Return the time in the first medium at which the time of the file begins."""
    medium = root.find("HEADER", "MEDIA_DESCRIPTOR")
    if medium is None or "TIME_ORIGIN" not in medium.attributes:
        return 0
    return medium.whole_number("TIME_ORIGIN")


def _conventions(place: str, length: float, origin: int) -> list[ConventionNote]:
    """Return notes on unusual conventions for times that the header declares."""
    notes: list[ConventionNote] = []
    if length != 1:
        what = f"TIME_UNITS are frames of video, read as {length:.6g} ms each"
        notes.append(ConventionNote(place, f"x{length:.6g}", what, applied=True))
    if origin:
        what = f"TIME_ORIGIN of the first medium is {origin} ms, which is added to all times"
        notes.append(ConventionNote(place, f"{origin:+d}", what, applied=True, usual=True))
    return notes


def _tiers_to_read(spans: Spans, root: Element, pattern: str | None) -> list[tuple[str, Element]]:
    """Return annotator and element of the tiers to read; count the other tiers."""
    source = spans.source
    tiers = root.all("TIER")
    names = [_name(tier) for tier in tiers]
    ours = root.attributes.get("AUTHOR") == _AUTHOR
    tier_by_number: dict[int, tuple[str, Element]] = {}
    for number, (name, element) in enumerate(zip(names, tiers, strict=True)):
        annotator, why_not = _annotator_of(element, name, pattern, ours=ours)
        if why_not:
            _leave_out(spans, element, why_not)
        else:
            tier_by_number[number] = annotator, element
    if tier_by_number or pattern is not None or not source.annotator:
        tier_names = [names[number] for number in tier_by_number]
        check_chosen(source, pattern, names, tier_names if pattern is None else tier_names[:1])
    return [*tier_by_number.values()]


def _name(tier: Element) -> str:
    """Return the name of a tier; further tiers have the name of the first."""
    identifier = tier.attribute("TIER_ID")
    further = tier.attributes.get("LINGUISTIC_TYPE_REF") == _FURTHER
    if further:
        return tier.attributes.get("ANNOTATOR", identifier)
    return identifier


def _annotator_of(tier: Element, name: str, pattern: str | None, *, ours: bool) -> tuple[str, str]:
    """Return the annotator of a tier, and the reason for not reading it, if there is one."""
    owner = tier.source.annotator
    # ELAN makes a tier called "default" with every file.
    if pattern is None and name == "default" and not tier.children:
        return "", "empty, made by ELAN in every file"
    if pattern is None and not owner:
        if "PARENT_REF" in tier.attributes:
            return "", f"tier {name} depends on another"
        return (tier.attributes.get("ANNOTATOR") if ours else "") or name, ""
    annotator = annotator_of(name, pattern or "*")
    if annotator is None:
        return "", f"tier {name} was not chosen"
    if pattern is None and not tier.children:
        return "", "empty"
    if pattern is None or ANNOTATOR not in pattern:
        annotator = owner or _attribute_annotator(tier)
    return annotator, ""


def _leave_out(spans: Spans, tier: Element, reason: str) -> None:
    annotations = len(tier.all("ANNOTATION"))
    spans.leave_out("annotation" if annotations else "tier", reason, annotations or 1)


def _attribute_annotator(tier: Element) -> str:
    name = tier.attributes.get("ANNOTATOR", "")
    if not name:
        raise tier.error(
            f"tier {tier.attributes['TIER_ID']!r} has no ANNOTATOR",
            hint="Write {annotator} into the `tier=` pattern where the name of the tier holds it "
            "(`tier='gesture@{annotator}'`), or take it from the file's name "
            "(`layout='{document}_{annotator}'`)",
        )
    return name


def _times(root: Element) -> tuple[Times, int]:
    """Return start and end of every annotation, and the number of repeated identifiers.

    Some tools give the same identifier to several annotations. That is an error only if an
    annotation refers to it.
    """
    slots: dict[str, float | None] = {}
    for slot in root.at("TIME_ORDER").all("TIME_SLOT"):
        unknown = slot.attributes.keys() - {"TIME_SLOT_ID", "TIME_VALUE"}
        if unknown:
            raise slot.error(f"<TIME_SLOT> has an attribute {min(unknown)!r}")
        has_time = "TIME_VALUE" in slot.attributes
        slots[slot.attribute("TIME_SLOT_ID")] = (
            slot.whole_number("TIME_VALUE") if has_time else None
        )
    times: Times = {}
    symbolic: list[Element] = []
    named: dict[str, list[Element]] = {}
    for tier in root.all("TIER"):
        inside = [a for x in tier.all("ANNOTATION") for a in x.children]
        aligned = [a for a in inside if a.tag == "ALIGNABLE_ANNOTATION"]
        filled = _interpolate(aligned, slots)
        for a in aligned:
            first, last = (filled[a.attribute(end)] for end in _ENDS)
            times[id(a)] = first, last
        parts = [a for a in inside if a.tag == "REF_ANNOTATION"]
        symbolic += parts
        for a in (*aligned, *parts):
            named.setdefault(a.attribute("ANNOTATION_ID"), []).append(a)
    _place_symbolic(root, symbolic, times, named)
    return times, sum(len(same) - 1 for same in named.values())


def _interpolate(aligned: list[Element], slots: Mapping[str, float | None]) -> dict[str, float]:
    """Return times of a tier's slots; spread slots without one evenly between neighbours."""
    sequence: list[str] = []
    for a in aligned:
        for end in _ENDS:
            slot = a.attribute(end)
            if slot not in slots:
                raise a.error(f"time slot {slot!r} does not exist")
            if not sequence or sequence[-1] != slot:
                sequence.append(slot)
    time_by_place = {
        i: time for i, slot in enumerate(sequence) if (time := slots[slot]) is not None
    }
    places = list(time_by_place)
    filled: dict[str, float] = {}
    for i, slot in enumerate(sequence):
        k = bisect_left(places, i)
        if i not in time_by_place and not 0 < k < len(places):
            raise aligned[0].source.error(
                f"time slot {slot!r} has no time, and no neighbours with one"
            )
        before, after = (i, i) if i in time_by_place else (places[k - 1], places[k])
        low = time_by_place[before]
        high = time_by_place[after]
        filled[slot] = low + (high - low) * (i - before) / (after - before or 1)
    return filled


def _place_symbolic(
    root: Element, symbolic: list[Element], times: Times, named: Mapping[str, list[Element]]
) -> None:
    """Set the times of annotations that refer to another: evenly divided, in document order."""
    children: dict[tuple[str, int], list[Element]] = {}
    for a in symbolic:
        parent = a.attribute("ANNOTATION_REF")
        if len(same := named.get(parent, [])) > 1:
            raise same[1].error(
                f"annotation {parent!r} occurs twice, and another one refers to it",
                hint="Save the file again in ELAN, which gives each an id of its own",
            )
        # Associations of several tiers with one parent share its time, they do not divide it.
        chained = "PREVIOUS_ANNOTATION" in a.attributes
        groups = [key for key in children if key[0] == parent]
        if chained and groups:
            key = groups[-1]
        else:
            key = (parent, len(groups))
        children.setdefault(key, []).append(a)
    waiting = dict(children)
    while waiting:
        ready = [key for key in waiting if any(id(a) in times for a in named.get(key[0], ()))]
        if not ready:
            parent = next(iter(waiting))[0]
            raise root.source.error(f"another annotation refers to {parent!r}, which has no time")
        for key in ready:
            start, end = times[id(named[key[0]][0])]
            parts = waiting.pop(key)
            step = (end - start) / len(parts)
            for i, part in enumerate(parts):
                if i + 1 == len(parts):
                    last = end
                else:
                    last = start + (i + 1) * step
                times[id(part)] = start + i * step, last


def write(document: Continuum, path: Path) -> None:
    """Write one tier per annotator; units that overlap go to further tiers, marked as such.

    Positions become whole milliseconds: seconds are multiplied by 1000 and rounded, positions in
    any other unit must be whole numbers and stay as they are.
    """
    root = ElementTree.Element("ANNOTATION_DOCUMENT", _ROOT)
    child = ElementTree.SubElement
    child(root, "HEADER", MEDIA_FILE="", TIME_UNITS="milliseconds")
    slots = child(root, "TIME_ORDER")
    everything = list(document)
    for annotator in document.annotators:
        spread = lanes(
            (_milliseconds(document, u.start), _milliseconds(document, u.end), u.category)
            for u in everything[document.rows_of(annotator)]
        )
        for number, lane in enumerate(spread or [[]], 1):
            further = _free(f"{annotator} ({number})", document.annotators)
            if number == 1:
                name = annotator
            else:
                name = further
            names = {"ANNOTATOR": legal(annotator), "TIER_ID": legal(name)}
            if number == 1:
                kind = _TYPE
            else:
                kind = _FURTHER
            tier = child(root, "TIER", names, LINGUISTIC_TYPE_REF=kind)
            for *places, category in lane:
                at = [f"ts{len(slots) + 1}", f"ts{len(slots) + 2}"]
                for slot, time in zip(at, places, strict=True):
                    child(slots, "TIME_SLOT", TIME_SLOT_ID=slot, TIME_VALUE=f"{time:.0f}")
                attributes = {
                    "ANNOTATION_ID": f"a{len(slots) // 2}",
                    **dict(zip(_ENDS, at, strict=True)),
                }
                annotation = child(child(tier, "ANNOTATION"), "ALIGNABLE_ANNOTATION", attributes)
                child(annotation, "ANNOTATION_VALUE").text = legal(category or "")
    used = {tier.attrib["LINGUISTIC_TYPE_REF"] for tier in root.iter("TIER")}
    for name in sorted({_TYPE, *used}):
        child(root, "LINGUISTIC_TYPE", _ALIGNABLE, LINGUISTIC_TYPE_ID=name)
    write_text(path, xml_text(root, "    "))


def _milliseconds(document: Continuum, position: float) -> float:
    if document.offset_unit == SECONDS:
        return float(round(position * 1000))
    if position % 1:
        raise DataError(
            f"position {position:.15g} is not a whole number of milliseconds",
            hint="If positions are in seconds, give `offset_unit=s`",
        )
    return position


def _free(name: str, used_names: tuple[str, ...]) -> str:
    while name in used_names:
        name += "'"
    return name


_ROOT = {
    "AUTHOR": _AUTHOR,
    "DATE": "1970-01-01T00:00:00+00:00",
    "FORMAT": "3.0",
    "VERSION": "3.0",
    "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
    "xsi:noNamespaceSchemaLocation": "http://www.mpi.nl/tools/elan/EAFv3.0.xsd",
}
_ALIGNABLE = {"GRAPHIC_REFERENCES": "false", "TIME_ALIGNABLE": "true"}


registered(
    "elan",
    "ELAN",
    (".eaf",),
    sniff_ending_or_keys(".eaf", b"<ANNOTATION_DOCUMENT"),
    read,
    write=write,
    milliseconds=True,
)
