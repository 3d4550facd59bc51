"""XML annotations of images: CVAT for images 1.1, and Pascal VOC with one file per image.

After "CVAT for images" (docs.cvat.ai, XML annotation format) and the VOC2012 development kit.
Neither format names the annotator; the name of the folder does. The jobs of a CVAT task have
states. The XML has them only if its segments contain `<state>` (or `<status>`) elements; a backup
of the task lists them in `task.json`.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import PurePosixPath
from typing import NamedTuple

from gammacp.continuum import Continuum, Corpus
from gammacp.formats.records import records
from gammacp.formats.registry import registered, sniff_ending_and_keys
from gammacp.formats.source import Source
from gammacp.formats.spans import Documents, Spans, with_shapes
from gammacp.formats.states import State, Wanted
from gammacp.formats.works import Work, choose_works
from gammacp.formats.xmltree import Element, parse
from gammacp.shapes.formats.coco import PIXELS

_OUTLINES = {"polygon": "polygon", "polyline": "polyline", "points": "point"}
_STATES = {
    "completed": State.FINISHED,
    "new": State.UNFINISHED,
    "in progress": State.UNFINISHED,
    "rejected": State.UNFINISHED,
    "annotation": State.UNFINISHED,
    "validation": State.UNFINISHED,
}
"""States of jobs by `state`, and by the older `status`."""


class _Job(NamedTuple):
    """A job: its task ("" if there is only one), its first and last image, and its state."""

    task: str
    first: int
    last: int
    state: State | None
    said: str


def read_cvat(source: Source, *, shapes: str = "keep", include: str | Sequence[str] = ()) -> Corpus:
    """Return the shapes of every image.

    Parameters
    ----------
    shapes
        "keep", "box" (the box around each) or "no" (the extent from left to right alone).
    include
        Kinds of jobs to read in addition to completed ones, where the states of jobs are known:
        "unfinished" (jobs that are not completed), "reference" (ground truth jobs).

    Raises
    ------
    DataError
        A value that must be a number is missing or is not one.

    Notes
    -----
    Positions
        pixels (from the left, from the top)
    Annotators
        name of the folder
    Category
        label; attributes are left out
    Spans
        every box, polygon, polyline and set of points is a unit with that shape (`--option
        shapes=box`: the box around each; `no`: no shapes); rotated boxes, ellipses, masks and tags
        are left out. So are images of jobs that are not completed, and ground truth, where the XML
        or a task.json beside it has the states of jobs (`--include unfinished,reference`)
    """
    documents = Documents(source, PIXELS)
    root = parse(source)
    jobs = _jobs(source, root)
    selection = Wanted.of(include)
    kinds = ("image", "image")
    # An image that occurs twice in the file is one document, not a repeated answer.
    works = {str(i): [_work(image, jobs)] for i, image in enumerate(root.below("image"))}
    chosen = choose_works(works, selection, kinds, source, documents.leave_out)
    _read_images(documents, [work.content for listed in chosen.values() for work in listed])
    return with_shapes(documents.corpus(), shapes, source.place)


def _work(image: Element, jobs: Sequence[_Job]) -> Work[Element]:
    """Return an image with the state of its job; an image without a job counts as completed."""
    number = image.attributes.get("id", "")
    task = image.attributes.get("task_id", "")
    state: State | None = State.FINISHED
    recorded = ""
    for job in jobs:
        inside = number.isdecimal() and job.first <= int(number) <= job.last
        if inside and (not task or not job.task or task == job.task):
            state = job.state
            recorded = job.said
            break
    return Work(image.source.annotator, image, state, recorded)


def _jobs(source: Source, root: Element) -> list[_Job]:
    """Return the jobs whose states the XML or a task.json beside it records."""
    jobs = list(_jobs_in_xml(root))
    if jobs:
        content = None
    else:
        content = source.neighbour("task.json")
    if content is None:
        return jobs
    task_file = Source(source.path.with_name("task.json"), "", "", content)
    for task in records(task_file):
        for job in task.objects("jobs", missing_ok=True):
            ends = job.get("start_frame"), job.get("stop_frame")
            recorded = job.name("state", "status")
            if recorded is not None and isinstance(ends[0], int) and isinstance(ends[1], int):
                jobs.append(_job("", ends[0], ends[1], recorded, job.name("type") or ""))
    return jobs


def _jobs_in_xml(root: Element) -> Iterator[_Job]:
    """Yield a job for each segment in the XML that has a state."""
    for task in root.below("task", "job"):
        number = next((e.text.strip() for e in task.all("id")), "")
        for segment in task.below("segment"):
            parts = {e.name: e.text.strip() for e in segment.children}
            recorded = parts.get("state") or parts.get("status")
            ends = parts.get("start", ""), parts.get("stop", "")
            if recorded and ends[0].isdecimal() and ends[1].isdecimal():
                kind = parts.get("type", "")
                yield _job(number, int(ends[0]), int(ends[1]), recorded, kind)


def _job(task: str, first: int, last: int, recorded: str, kind: str) -> _Job:
    if kind == "ground_truth":
        return _Job(task, first, last, State.REFERENCE, kind)
    return _Job(task, first, last, _STATES.get(recorded.lower().replace("_", " ")), recorded)


def _read_images(documents: Documents, images: Sequence[Element]) -> None:
    source = documents.source
    for image in images:
        spans = documents.of(image.attribute("name"))
        spans.declare(source.annotator)
        for e in image.children:
            place = f"<{e.name}> of {spans.name}"
            if e.name in ("box", *_OUTLINES):
                label = e.attribute("label")
            else:
                label = None
            turned = e.attributes.get("rotation", "0").strip("0.")
            if e.name == "box" and not turned:
                edges = [_number(e, e.attribute(key)) for key in ("xtl", "xbr", "ytl", "ybr")]
                rows = [*pairwise(edges)][::2]
                spans.add_shape(source.annotator, label, "box", rows, line=e.line, what=place)
            elif e.name in _OUTLINES:
                points = [_point(e, p) for p in e.attribute("points").split(";")]
                kind = _OUTLINES[e.name]
                if kind == "point":
                    rings = [[p] for p in points]
                else:
                    rings = [points]
                spans.add_shape(source.annotator, label, kind, rings, line=e.line, what=place)
            else:
                spans.leave_out(e.name, "turned" if turned else "not a box, polygon, line or point")
            spans.leave_out("attribute", "is not the category", len(e.all("attribute")))


def _point(e: Element, text: str) -> tuple[float, ...]:
    return tuple(_number(e, part) for part in text.split(","))


def _number(e: Element, text: str) -> float:
    return e.source.position(text.strip(), f"<{e.name}>:", line=e.line)


def read_voc(source: Source, *, shapes: str = "keep") -> Continuum:
    """Return the objects of an image.

    Parameters
    ----------
    shapes
        "keep" or "no" (the extent from left to right alone).

    Raises
    ------
    DataError
        An object lacks a box of four numbers.

    Notes
    -----
    Positions
        pixels (from the left, from the top)
    Annotators
        name of the folder
    Category
        name of the object
    Spans
        every object is a box (`--option shapes=no`: no shapes); its other properties are left out
    """
    root = parse(source)
    if root.name != "annotation":
        raise source.error(f"XML is not of Pascal VOC: its root is <{root.name}>")
    title = PurePosixPath(root.at("filename").text.strip() or source.document).stem
    spans = Spans(source, title, PIXELS)
    spans.declare(source.annotator)
    for e in root.children:
        if e.name != "object" and next(e.below("bndbox"), None) is not None:
            raise e.error(f"<{e.name}> has a box, but is no <object>")
    for e in root.all("object"):
        box = e.at("bndbox")
        place = f"object of {title}"
        edges = [_number(e, box.at(key).text) for key in ("xmin", "xmax", "ymin", "ymax")]
        label = e.at("name").text.strip()
        if not label:
            raise e.error(f"{place} has no name")
        rows = (edges[:2], edges[2:])
        spans.add_shape(source.annotator, label, "box", rows, line=e.line, what=place)
    return with_shapes(spans.continuum(), shapes, source.place)


registered(
    "cvat", "CVAT XML (images)", (".xml",),
    sniff_ending_and_keys(".xml", b"<image ", b"<annotations"), read_cvat,
    layout="{annotator}/{document}",
)  # fmt: skip
registered(
    "voc", "Pascal VOC XML", (".xml",), sniff_ending_and_keys(".xml", b"<bndbox>"), read_voc,
    layout="{annotator}/{document}",
)  # fmt: skip
