"""Label Studio's JSON export.

After "Label Studio JSON format of annotated tasks" (labelstud.io/guide/task_format) and
"Export results" (labelstud.io/guide/export). A file is a list of tasks; a task is a document with
`annotations`, each by one person (`completed_by`), whose `result` lists regions.

A region of a text, an HTML page, a dialogue, a recording or a time series is a unit. Its layer is
the control tag that made it (`from_name`). A region with several labels is a unit for each. HTML
and dialogue regions count through `globalOffsets`. Offsets of older versions count UTF-16 units,
those of newer ones code points: the quoted text tells which.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gammacp.arguments import one_of
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.files import write_text
from gammacp.formats.layers import Layer, Layers
from gammacp.formats.offsets import ToCodePoints, counted_in, same
from gammacp.formats.parts import Notes, annotated_text, by_annotator, continua_of, whole
from gammacp.formats.records import DOCUMENT, Record, document_of, name, objects, records, size
from gammacp.formats.registry import holding, registered
from gammacp.formats.source import Source
from gammacp.formats.spans import CHARACTERS, SECONDS, Documents, Spans
from gammacp.formats.times import in_seconds

_SPAN_TYPES = ("labels", "hypertextlabels", "paragraphlabels", "timeserieslabels")


def layers(source: Source) -> Layers:
    """The control tags that made regions."""
    found: dict[str, Layer] = {}
    for task, _ in records(source):
        for annotation in [*_annotations(source, task)] or _predictions(source, task):
            for region, _ in _regions(source, annotation, None):
                found[str(region.get("from_name"))] = Layer()
    return found


def read(
    source: Source,
    *,
    layer: str | None = None,
    predictions: str = "no",
    labels: str = "split",
    features: Sequence[str] = (),
) -> Corpus:
    """One document per task that somebody annotated.

    Parameters
    ----------
    layer
        The control tag whose regions are the units; None: all.
    predictions
        "yes": a model's predictions are those of an annotator of that name.
    labels
        "split": a region of several labels is a unit for each; "join": one unit with the set of
        them, `a+b`.
    features
        Control tags of choices, taxonomies, ratings or numbers per region that are features beside
        the category; several choices are a set `a+b`, places in a taxonomy paths `a/b`.

    Raises
    ------
    DataError
        A task has no id or two annotations by one person, or a region is not what the text has in
        its place.

    Notes
    -----
    Positions
        characters (code points; older exports' UTF-16 is converted), seconds for recordings
    Annotators
        `completed_by` (e-mail, user name or number); cancelled annotations are left out, and
        predictions, unless `--option predictions=yes` has their `model_version` as an annotator
    Category
        label; the layer is the control tag (`--layer`); without a label unlabelled; choices,
        taxonomies, ratings and numbers of a region with `[features.NAME]`
    Spans
        every region is a unit, one per label if it has several (`--option labels=join`: one with
        the set of them, `a+b`); overlapping and zero-length ones are kept
    """
    one_of("predictions", predictions, ("yes", "no"))
    one_of("labels", labels, ("split", "join"))
    documents = Documents(source, CHARACTERS)
    for number, (task, _) in enumerate(records(source), 1):
        annotations = list(_annotations(source, task))
        every = len(objects(source, task, _key(task), line=None))
        documents.leave_out("annotation", "cancelled", every - len(annotations))
        if predictions == "yes":
            annotations += _predictions(source, task)
        key = document_of(task) or name(task.get("id", task.get("inner_id")))
        if key is None:
            raise source.error(f"task number {number} has no id")
        if key in documents.found:
            raise source.error(f"task {key} occurs twice")
        for kind in ("prediction", "draft")[predictions == "yes" :]:
            entries = task.get(f"{kind}s")
            documents.leave_out(kind, "nobody submitted it", size(entries))
        if annotations:
            _read_task(documents, key, task, annotations, _Asked(layer, labels, features))
        else:
            documents.leave_out("task", "nobody annotated it")
    return documents.corpus()


def _annotations(source: Source, task: Record) -> Iterator[Record]:
    """What people submitted, without what they cancelled."""
    for annotation in objects(source, task, _key(task), line=None):
        if annotation.get("was_cancelled") not in (True, False, None):
            raise source.error('"was_cancelled" is neither true nor false')
        if not annotation.get("was_cancelled"):
            yield annotation


def _predictions(source: Source, task: Record) -> list[Record]:
    entries = task.get("predictions")
    if isinstance(entries, list) and any(type(entry) is int for entry in entries):
        hint = "Export a snapshot that includes predictions"
        raise source.error("predictions are there by number only", hint=hint)
    return objects(source, task, "predictions", line=None, missing_ok=True)


def _key(task: Record) -> str:
    return "completions" if "completions" in task and "annotations" not in task else "annotations"


def _regions(
    source: Source, annotation: Record, layer: str | None
) -> Iterator[tuple[Record, Record]]:
    """(region, value) of the regions of a layer."""
    for region in objects(source, annotation, "result", line=None):
        if region.get("type") not in _SPAN_TYPES:
            continue
        value = region.get("value")
        if not isinstance(value, dict):
            raise source.error('region has no "value"')
        if layer is None or region.get("from_name") == layer:
            yield region, value


@dataclass(frozen=True)
class _Asked:
    """Options of the reader."""

    layer: str | None
    labels: str
    features: Sequence[str]


def _read_task(
    documents: Documents, key: str, task: Record, annotations: list[Record], asked: _Asked
) -> None:
    source, features = documents.source, asked.features
    found = [
        (_annotator(source, key, a), a, list(_regions(source, a, asked.layer))) for a in annotations
    ]
    regions = [pair for _, _, pairs in found for pair in pairs]
    timed = any(_is_timed(region, value) for region, value in regions)
    text, convert = (None, same) if timed else _text(source, key, task, regions)
    spans = documents.of(key, text, offset_unit=SECONDS if timed else None)
    for annotator, annotation, pairs in found:
        if annotator in spans.annotators:
            raise source.error(
                f"task {key} has two annotations by {annotator}",
                hint="Cancel or delete one of them and export again",
            )
        spans.declare(annotator)
        _leave_out(spans, annotation, asked)
        beside = _features(source, annotation, features)
        for region, value in pairs:
            start, end = _offsets(source, value)
            if isinstance(start, int) and isinstance(end, int):
                start, end = convert(start), convert(end)
            labels: list[str | None] = [*_labels(source, region, value)]
            if asked.labels == "join" and len(labels) > 1:
                labels = [_joined(source, _labels(source, region, value), "+")]
            for label in labels or [None]:
                what = f"task {key}, region {region.get('id')}"
                known = beside.get(str(region.get("id")))
                spans.add(annotator, label, start, end, what=what, features=known)


def _features(
    source: Source, annotation: Record, names: Sequence[str]
) -> dict[str, dict[str, str | None]]:
    """By region what the control tags of these names say of it."""
    found: dict[str, dict[str, str | None]] = {}
    for entry in objects(source, annotation, "result", line=None) if names else ():
        value = entry.get("value")
        if entry.get("from_name") not in names or not isinstance(value, dict):
            continue
        said = value.get(str(entry.get("type")))
        paths = [
            p if isinstance(p, list) else [p] for p in (said if isinstance(said, list) else [said])
        ]
        text = _joined(source, [_joined(source, [*map(str, p)], "/") for p in paths], "+")
        found.setdefault(str(entry.get("id")), {})[str(entry.get("from_name"))] = text
    return found


def _joined(source: Source, names: list[str], mark: str) -> str:
    if len(names) > 1 and any(mark in name for name in names):
        raise source.error(
            f"one of {', '.join(map(repr, names))} has a {mark!r} in it", hint="Rename it"
        )
    return mark.join(names)


def _leave_out(spans: Spans, annotation: Record, asked: _Asked) -> None:
    layer = asked.layer
    for region in objects(spans.source, annotation, "result", line=None):
        kind = str(region.get("type"))
        if kind == "relation":
            spans.leave_out("relation", "is not a unit")
        elif kind not in _SPAN_TYPES and region.get("from_name") not in asked.features:
            spans.leave_out("region", f"{kind} is no span")
        elif kind in _SPAN_TYPES and layer is not None and region.get("from_name") != layer:
            spans.leave_out("region", f"layer {region.get('from_name')} was not chosen")


def _annotator(source: Source, task: str, annotation: Record) -> str:
    if "completed_by" not in annotation and name(annotation.get("model_version")):
        return str(annotation["model_version"])
    who = annotation.get("completed_by")
    keys = ("email", "username", "id")
    names = [name(who.get(k)) for k in keys] if isinstance(who, dict) else [name(who)]
    found = next((n for n in names if n), None)
    if found is None:
        raise source.error(f'task {task}: annotation has no "completed_by"')
    return found


def _is_timed(region: Record, value: Record) -> bool:
    return (
        region.get("type") == "timeserieslabels"
        or "original_length" in region
        or "channel" in value
        or any(isinstance(value.get(k), float) for k in ("start", "end"))
    )


def _offsets(source: Source, value: Record) -> tuple[object, object]:
    where = value.get("globalOffsets", value)
    if not isinstance(where, dict) or (where is value and "startOffset" in value):
        raise source.error(
            "region is placed by XPath only", hint="Export with a version that has globalOffsets"
        )
    return where.get("start"), where.get("end")


def _labels(source: Source, region: Record, value: Record) -> list[str]:
    labels = value.get(str(region.get("type")), [])
    if not isinstance(labels, list) or not all(isinstance(x, str) for x in labels):
        raise source.error("labels of a region are not a list of strings")
    return labels


def _text(
    source: Source, key: str, task: Record, regions: list[tuple[Record, Record]]
) -> tuple[str | None, ToCodePoints]:
    """The text that was annotated, and how its offsets count."""
    data = task.get("data")
    fields = data if isinstance(data, dict) else {}
    texts = [v for k, v in fields.items() if isinstance(v, str) and v and k != "text"]
    usual = fields.get("text")
    texts = [usual, *texts] if isinstance(usual, str) else texts
    quotes: list[tuple[int, int, str]] = []
    for _, value in regions:
        start, end = _offsets(source, value)
        quote = value.get("text")
        if isinstance(start, int) and isinstance(end, int) and isinstance(quote, str):
            quotes.append((start, end, quote))
    if not quotes:
        return (usual if isinstance(usual, str) else None), same
    for text in texts:
        convert, misfit = counted_in(text, quotes, default=same)
        if misfit is None:
            return text, convert
    if not texts or any("globalOffsets" in value for _, value in regions):
        # The text of a page is not in the export, only its markup.
        return None, same
    start, end, quote = quotes[counted_in(texts[0], quotes, default=same)[1] or 0]
    raise source.error(f"task {key}: {quote[:40]!r} is not what the task has at {start}-{end}")


def write(
    document: Continuum | Corpus,
    path: Path,
    *,
    kind: str = "annotations",
    notes: Notes | None = None,
) -> None:
    """Write tasks; `kind` is "annotations" or "predictions", `notes` become those of regions.

    The control tag is `label`, that of the text `text`, of a recording `audio`. Label Studio takes
    annotations only by its members, by number or e-mail address; predictions by anybody.
    """
    one_of("kind", kind, ("annotations", "predictions"))
    continua = [in_seconds(c) for c in continua_of(document)]
    numbered = all(c.name.isdecimal() and c.name.isascii() for c in continua)
    tasks: list[dict[str, object]] = []
    for number, c in enumerate(continua, 1):
        timed = c.offset_unit == SECONDS
        text = None if timed else annotated_text(c, "Label Studio")
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
    found: list[dict[str, object]] = []
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
        found.append(region)
    return found


registered(
    "label-studio",
    "Label Studio JSON",
    (".json",),
    holding(".json", any_of=(b'"annotations"', b'"completed_by"', b'"completions"')),
    read,
    layers=layers,
    write=write,
    many=True,
    by_name=True,
    text=True,
)
