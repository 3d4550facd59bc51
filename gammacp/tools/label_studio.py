"""Label Studio's JSON export.

After "Label Studio JSON format of annotated tasks" (labelstud.io/guide/task_format) and
"Export results" (labelstud.io/guide/export). A file is a list of tasks; a task is a document with
`annotations`, each by one person (`completed_by`), whose `result` lists regions.

A region of a text, an HTML page, a dialogue, a recording, a time series or an image is a unit. On
images, rectangles, polygons and keypoints are shapes, in pixels. The layer of a region is the
control tag that made it (`from_name`). A region with several labels becomes one unit for each
label. Positions of HTML and dialogue regions are their `globalOffsets`. Offsets of older versions
count UTF-16 units, those of newer ones code points; which of them is inferred from the quoted texts
(`gammacp.formats.evidence`). Relations between regions are links. They join the units of the first
labels, where regions have several.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gammacp.base.arguments import one_of
from gammacp.base.files import write_text
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.continuum.links import CHAIN, DIRECTED, UNDIRECTED
from gammacp.formats.evidence import Quote, Quoted, Settled, settle
from gammacp.formats.layers import Layer, Layers
from gammacp.formats.offsets import CODE_POINTS, IN_UTF_16
from gammacp.formats.parts import Notes, annotated_text, by_annotator, continua_of, links_of, whole
from gammacp.formats.records import DOCUMENT, document_of, records
from gammacp.formats.registry import registered, sniff_ending_and_keys
from gammacp.formats.source import Record, Source
from gammacp.formats.spans import CHARACTERS, SECONDS, Documents, with_shapes
from gammacp.formats.states import State, Wanted
from gammacp.formats.times import in_seconds
from gammacp.formats.works import Work, choose_works

_LISTS = (b'"annotations"', b'"completions"')
_IMAGE_TYPES = ("rectanglelabels", "polygonlabels", "keypointlabels")
_SPAN_TYPES = (
    *("labels", "hypertextlabels", "paragraphlabels", "timeserieslabels"),
    *_IMAGE_TYPES,
)


def layers(source: Source) -> Layers:
    """Return the control tags that made regions."""
    return {
        str(region.get("from_name")): Layer()
        for task in records(source)
        for annotation in task.objects(_key(task)) or _predictions(task)
        for region in annotation.objects("result")
        if region.get("type") in _SPAN_TYPES
    }


def read(
    source: Source,
    *,
    layer: str | None = None,
    predictions: str = "no",
    labels: str = "split",
    features: Sequence[str] = (),
    shapes: str = "keep",
    offsets: str = "check",
    include: str | Sequence[str] = (),
    repeated: str = "",
) -> Corpus:
    """Return one document per annotated task.

    Parameters
    ----------
    layer
        The control tag whose regions are the units; None: all.
    predictions
        "yes": a model is an annotator, too, whose units are its predictions.
    labels
        "split": a region with several labels becomes one unit per label; "join": one unit with the
        set of labels, `a+b`.
    features
        Control tags (of choices, taxonomies, ratings or numbers per region) that are features in
        addition to the category. Several choices become a set `a+b`, places in a taxonomy paths
        `a/b`.
    shapes
        Treatment of shapes on images: "keep", "box" (the box around each) or "no" (from left to
        right alone).
    offsets
        "check": the unit in which offsets count is inferred from the texts of regions; "trust":
        offsets are code points, whatever these texts are.
    include
        What is read in addition to submitted annotations: "unfinished" (drafts), "reference"
        (annotations marked as ground truth).
    repeated
        Which of two annotations of a task by one person counts: "first", "last" or "session". By
        default the task is left out.

    Raises
    ------
    DataError
        A task has no id, or the texts of regions fit the task's text under no convention.

    Notes
    -----
    Positions
        characters (code points; older exports' UTF-16 and other conventions that all quotes fit are
        converted, and `--option offsets=trust` goes by the offsets alone), seconds for recordings,
        pixels for images
    Annotators
        `completed_by` (e-mail, user name or number). Cancelled annotations are skipped work, drafts
        unfinished work, and ground truths references: they are left out (`--include
        unfinished,reference`). So are predictions (`--option predictions=yes`: each `model_version`
        is an annotator), and tasks that one person annotated twice (`--repeated last`)
    Category
        label; a region without one is unlabelled. The layer is the control tag (`--layer`).
        Choices, taxonomies, ratings and numbers of a region with `[features.NAME]`
    Spans
        every region is a unit: overlapping and zero-length ones are kept. A region with several
        labels gives one unit per label (`--option labels=join`: one unit with the set `a+b`). On
        images, rectangles are boxes (rotated ones polygons), polygons stay polygons and keypoints
        are points (`--option shapes=box`: the box around each; `no`: no shapes); ellipses and
        brushes are left out
    """
    one_of("predictions", predictions, ("yes", "no"))
    one_of("labels", labels, ("split", "join"))
    wanted = Wanted.of(include, repeated)
    documents = Documents(source, CHARACTERS)
    tasks: dict[str, Record] = {}
    works: dict[str, list[Work[Record]]] = {}
    for key, task in _named_tasks(source):
        tasks[key] = task
        works[key] = _works(documents, key, task, predictions=predictions == "yes")
    chosen = choose_works(works, wanted, ("annotation", "task"), source, documents.leave_out)
    asked = _Asked(layer, labels, features)
    annotated = [_Task.of(key, tasks[key], listed, asked) for key, listed in chosen.items()]
    quoted = [task.quoted for task in annotated]
    settled_texts = settle(source, quoted, own=(CODE_POINTS, IN_UTF_16), offsets=offsets)
    for one, settled in zip(annotated, settled_texts, strict=True):
        _add_task(documents, one, settled, labels)
    return with_shapes(documents.corpus(), shapes, source.place)


def _named_tasks(source: Source) -> Iterator[tuple[str, Record]]:
    """Yield the name of each task's document with the task; raise an error for two of a name."""
    names: set[str] = set()
    for number, task in enumerate(records(source), 1):
        key = document_of(task) or task.name("id" if "id" in task else "inner_id")
        if key is None:
            raise source.error(f"task number {number} has no id")
        if key in names:
            raise source.error(f"task {key} occurs twice")
        names.add(key)
        yield key, task


def _works(
    documents: Documents, key: str, task: Record, *, predictions: bool
) -> list[Work[Record]]:
    """Return the annotations of a task, drafts that nobody submitted, and perhaps predictions."""
    works = [*_annotations(key, task), *_drafts(documents, task)]
    if predictions:
        works += [_prediction(key, entry) for entry in _predictions(task)]
    else:
        documents.leave_out("prediction", "nobody submitted it", task.size("predictions"))
    if not any(work.state != State.SKIPPED for work in works):
        documents.leave_out("task", "nobody annotated it")
    return works


def _annotations(key: str, task: Record) -> list[Work[Record]]:
    """Return the annotations of a task with their states."""
    works = []
    for annotation in task.objects(_key(task)):
        cancelled = annotation.get("was_cancelled")
        if cancelled not in (True, False, None):
            raise task.source.error('"was_cancelled" is neither true nor false')
        reason = ""
        state: State | None
        if cancelled:
            state = State.SKIPPED
            wording = "was_cancelled"
            reason = "cancelled"
        else:
            state, wording = _submitted(annotation.get("ground_truth"))
        if not cancelled:
            who = _annotator(key, annotation)
        else:
            who = ""
        works.append(_work(who, annotation, state, wording, reason))
    return works


def _drafts(documents: Documents, task: Record) -> list[Work[Record]]:
    """Return the drafts of a task that nobody submitted, and that have regions."""
    works = []
    drafts = task.get("drafts")
    for draft in drafts if isinstance(drafts, list) else []:
        entry = Record.of(draft, task.source, task.line)
        drafter = _drafter(entry)
        if entry.get("annotation"):
            documents.leave_out("draft", "changes an annotation that was submitted")
        elif drafter is None or not isinstance(entry.get("result"), list):
            reason = "nobody submitted it, and it is given without its regions"
            documents.leave_out("draft", reason, state=State.UNFINISHED)
        else:
            works.append(_work(drafter, entry, State.UNFINISHED, "draft"))
    return works


def _submitted(ground_truth: object) -> tuple[State | None, str]:
    """Return the state of a submitted annotation, and the word for it."""
    if ground_truth is True:
        return State.REFERENCE, "ground_truth"
    if ground_truth in (False, None):
        return State.FINISHED, "submitted"
    return None, f"ground_truth: {ground_truth}"


def _work(
    annotator: str, entry: Record, state: State | None, wording: str = "", reason: str = ""
) -> Work[Record]:
    return Work(annotator, entry, state, wording, reason, entry.text("created_at"))


def _prediction(key: str, entry: Record) -> Work[Record]:
    return Work(_annotator(key, entry), entry)


def _drafter(draft: Record) -> str | None:
    """Return the author of a draft, whose `user` is an object, a name or a number."""
    if draft.size("user"):
        who = draft.inner("user").name("email", "username", "id")
    else:
        who = None
    return who or draft.name("user", "created_username")


def _predictions(task: Record) -> list[Record]:
    entries = task.get("predictions")
    if isinstance(entries, list) and any(type(entry) is int for entry in entries):
        hint = "Export a snapshot that includes predictions"
        raise task.source.error("predictions are given only as numbers", hint=hint)
    return task.objects("predictions", missing_ok=True)


def _key(task: Record) -> str:
    if "completions" in task and "annotations" not in task:
        return "completions"
    return "annotations"


@dataclass(frozen=True)
class _Asked:
    """Options of the reader."""

    layer: str | None
    labels: str
    features: Sequence[str]


_FeaturesByRegion = dict[str, dict[str, str | None]]
"""By region what the control tags of features say of it."""
_Relation = tuple[str, str, str, str]
"""Type, source, target and kind of a link."""


@dataclass(frozen=True)
class _Annotation:
    """One person's work on a task."""

    annotator: str
    regions: list[Record]
    features_by_region: _FeaturesByRegion
    """By region what the control tags of features say of it."""
    passed: list[tuple[str, str]]
    """Kind and reason of what is left out."""
    relations: list[_Relation]


@dataclass(frozen=True)
class _Task:
    """A task with its annotations, and the texts that they quote."""

    key: str
    annotations: list[_Annotation]
    quoted: Quoted
    counted: str | None
    """What positions count, where it is not characters."""

    @classmethod
    def of(cls, key: str, task: Record, works: list[Work[Record]], choices: _Asked) -> _Task:
        """Return a task with the annotations that count."""
        annotations = [_Annotation(w.annotator, *_regions(w.content, choices)) for w in works]
        regions = [region for each in annotations for region in each.regions]
        timed = any(map(_is_timed, regions))
        drawn = any(region.get("type") in _IMAGE_TYPES for region in regions)
        if timed or drawn:
            quoted = Quoted([])
        else:
            quoted = _quoted(key, task, regions)
        return cls(key, annotations, quoted, "pixels" if drawn else SECONDS if timed else None)


def _add_task(documents: Documents, task: _Task, settled: Settled, joining: str) -> None:
    spans = documents.of(task.key, settled.text, offset_unit=task.counted)
    settled.tell(spans)
    for annotation in task.annotations:
        annotator = annotation.annotator
        spans.declare(annotator)
        for kind, reason in annotation.passed:
            spans.leave_out(kind, reason)
        for region in annotation.regions:
            if region.get("type") in _IMAGE_TYPES:
                shape = _outline(region)
            else:
                shape = None
            start, end = (None, None) if shape else _offsets(region)
            if isinstance(start, int) and isinstance(end, int):
                start, end = settled.counted.span(start, end)
            labels: list[str | None] = [*_labels(region)]
            if joining == "join" and len(labels) > 1:
                labels = [_join(region, _labels(region), "+")]
            name = str(region.get("id") or "")
            for i, label in enumerate(labels or [None]):
                about: Any = {"what": f"task {task.key}, region {region.get('id')}"}
                about |= {
                    "features": annotation.features_by_region.get(name),
                    "key": "" if i else name,
                }
                if shape:
                    spans.add_shape(annotator, label, *shape, **about)
                else:
                    spans.add(annotator, label, start, end, **about)
        for link in annotation.relations:
            spans.link(annotator, *link)


def _regions(
    annotation: Record, choices: _Asked
) -> tuple[list[Record], _FeaturesByRegion, list[tuple[str, str]], list[_Relation]]:
    """Return regions of the layer, features, (kind, reason) of all left out, and relations."""
    chosen: list[Record] = []
    features_by_region: _FeaturesByRegion = {}
    passed: list[tuple[str, str]] = []
    relations: list[_Relation] = []
    for region in annotation.objects("result"):
        kind = str(region.get("type"))
        tag = region.get("from_name")
        if kind in _SPAN_TYPES:
            if not isinstance(region.get("value"), dict):
                raise region.error('region has no "value"')
            if choices.layer is None or tag == choices.layer:
                chosen.append(region)
            else:
                passed.append(("region", f"layer {tag} was not chosen"))
        elif kind == "relation":
            relations += _relation(region)
        elif tag not in choices.features:
            passed.append(("region", f"{kind} is not a span"))
        if tag in choices.features and isinstance(region.get("value"), dict):
            entries = region["value"].get(kind)
            paths = [
                p if isinstance(p, list) else [p]
                for p in (entries if isinstance(entries, list) else [entries])
            ]
            values = [_join(region, [*map(str, path)], "/") for path in paths]
            features = features_by_region.setdefault(str(region.get("id")), {})
            features[str(tag)] = _join(region, values, "+")
    return chosen, features_by_region, passed, relations


def _relation(entry: Record) -> list[_Relation]:
    """Return a link for each label of a relation, or one without a type."""
    ends = [str(entry.get(key) or "") for key in ("from_id", "to_id")]
    way = entry.get("direction")
    labels = [str(x) for x in entry.get("labels") or ()] or [""]
    source, target = ends[::-1] if way == "left" else ends
    return [(x, source, target, UNDIRECTED if way == "bi" else DIRECTED) for x in labels]


def _join(region: Record, names: list[str], mark: str) -> str:
    if len(names) > 1 and any(mark in name for name in names):
        what = f"one of {', '.join(map(repr, names))} contains {mark!r}, which joins labels"
        raise region.error(what, hint="Rename it")
    return mark.join(names)


def _annotator(task: str, annotation: Record) -> str:
    if "completed_by" not in annotation and annotation.name("model_version"):
        return str(annotation["model_version"])
    who = annotation.inner("completed_by").name("email", "username", "id")
    annotator = who or annotation.name("completed_by")
    if annotator is None:
        raise annotation.error(f'task {task}: annotation has no "completed_by"')
    return annotator


def _is_timed(region: Record) -> bool:
    value = region["value"]
    return region.get("type") not in _IMAGE_TYPES and (
        region.get("type") == "timeserieslabels"
        or "original_length" in region
        or "channel" in value
        or any(isinstance(value.get(k), float) for k in ("start", "end"))
    )


def _offsets(region: Record) -> tuple[object, object]:
    value = region["value"]
    where = value.get("globalOffsets", value)
    if not isinstance(where, dict) or (where is value and "startOffset" in value):
        hint = "Export with a version of Label Studio that writes globalOffsets"
        raise region.error("region has only an XPath as its place", hint=hint)
    return where.get("start"), where.get("end")


def _outline(region: Record) -> tuple[str, list[Any]]:
    """Return an image region's kind, and its extents or points, from percentages to pixels."""
    value = region.inner("value")
    try:
        wide, high = (float(region[f"original_{side}"]) / 100 for side in ("width", "height"))
        if region["type"] == "polygonlabels":
            return "polygon", [[(float(x) * wide, float(y) * high) for x, y in value["points"]]]
        x = float(value["x"]) * wide
        y = float(value["y"]) * high
        if region["type"] == "keypointlabels":
            return "point", [[(x, y)]]
        w = float(value["width"]) * wide
        h = float(value["height"]) * high
        turn = math.radians(float(value.get("rotation") or 0))
    except (KeyError, TypeError, ValueError):
        raise region.error("region of an image lacks numbers for its place") from None
    if not turn:
        return "box", [(x, x + w), (y, y + h)]
    across = (math.cos(turn), math.sin(turn))
    down = (-math.sin(turn), math.cos(turn))
    corners = ((0, 0), (w, 0), (w, h), (0, h))
    rows = [(x + a * across[0] + b * down[0], y + a * across[1] + b * down[1]) for a, b in corners]
    return "polygon", [rows]


def _labels(region: Record) -> list[str]:
    labels = region["value"].get(region["type"], [])
    if not isinstance(labels, list) or not all(isinstance(x, str) for x in labels):
        raise region.error("labels of a region are not a list of strings")
    return labels


def _quoted(key: str, task: Record, regions: list[Record]) -> Quoted:
    """Return the texts that may have been annotated, with the quotes and places of regions."""
    data = task.inner("data")
    usual = data.text("text")
    others = [v for k, v in data.items() if isinstance(v, str) and v and k != "text"]
    quotes: list[Quote] = []
    for region in regions:
        start, end = _offsets(region)
        text = region["value"].get("text")
        if isinstance(start, int) and isinstance(end, int):
            if isinstance(text, str):
                quote = text
            else:
                quote = None
            quotes.append(Quote(((start, end),), quote, f"task {key}"))
    if usual is None:
        usually = []
    else:
        usually = [usual]
    if all(quote.text is None for quote in quotes):
        return Quoted(usually, quotes, "task")
    # The export has only the markup of a page, not its text.
    page = any("globalOffsets" in region["value"] for region in regions)
    return Quoted([*usually, *others], quotes, "task", optional=page)


def write(
    document: Continuum | Corpus,
    path: Path,
    *,
    kind: str = "annotations",
    notes: Notes | None = None,
) -> None:
    """Write tasks; `kind` is "annotations" or "predictions", `notes` become notes of regions.

    The control tag is called `label`, the object tag `text` for a text and `audio` for a recording.
    Label Studio accepts annotations only by its members, identified by number or e-mail address;
    it accepts predictions by anybody.
    """
    one_of("kind", kind, ("annotations", "predictions"))
    continua = [in_seconds(c) for c in continua_of(document)]
    numbered = all(c.name.isdecimal() and c.name.isascii() for c in continua)
    tasks: list[dict[str, object]] = []
    for number, c in enumerate(continua, 1):
        timed = c.offset_unit == SECONDS
        if timed:
            text = None
        else:
            text = annotated_text(c, "Label Studio")
        results = {a: _results(c, text, us, notes or {}) for a, us in by_annotator(c)}
        tasks.append(
            {
                "id": int(c.name) if numbered else number,
                "data": {"audio": c.name or "document"} if timed else {"text": text},
                "meta": {DOCUMENT: c.name or "document"},
                "annotations": [],
                kind: [{**_by(a, kind), "result": result} for a, result in results.items()],
            }
        )
    write_text(path, json.dumps(tasks, ensure_ascii=False, indent=1) + "\n")


def _by(annotator: str, kind: str) -> dict[str, object]:
    if kind == "predictions":
        return {"model_version": annotator}
    number = annotator.isdecimal() and annotator.isascii()
    who = int(annotator) if number else {"email": annotator}
    return {"completed_by": who, "was_cancelled": False, "ground_truth": False}


def _results(
    c: Continuum, text: str | None, units: Sequence[Unit], notes: Notes
) -> list[dict[str, object]]:
    records: list[dict[str, object]] = []
    for number, u in enumerate(units, 1):
        labels = {"labels": [u.category] if u.category else []}
        value: dict[str, object] = {"start": u.start, "end": u.end, "channel": 0, **labels}
        if text is not None:
            start, end = whole(u)
            value = {"start": start, "end": end, "text": text[start:end], **labels}
        names = {"from_name": "label", "to_name": "audio" if text is None else "text"}
        region: dict[str, object] = {"id": f"u{number}", **names, "type": "labels", "value": value}
        if (c.name, u) in notes:
            region["meta"] = {"text": [notes[c.name, u]]}
        records.append(region)
    for x, one, other in links_of(c, units):
        if x.kind != CHAIN:
            way = {"direction": "right" if x.kind == DIRECTED else "bi", "labels": [x.type]}
            ways = {"from_id": f"u{one + 1}", "to_id": f"u{other + 1}"}
            records.append({"type": "relation", **ways, **way})
    return records


registered(
    "label-studio",
    "Label Studio JSON",
    (".json",),
    sniff_ending_and_keys(".json", _LISTS, (b'"data"', b'"result"', b'"completed_by"')),
    read,
    layers=layers,
    write=write,
    several_continua=True,
    only_if_named=True,
    text=True,
    links=(DIRECTED, UNDIRECTED),
)
