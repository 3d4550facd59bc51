"""COCO's JSON with several people's annotations of each image, read and written.

After "COCO data format" (cocodataset.org): `images`, `categories` and `annotations` with `bbox`
[x, y, width, height] and `segmentation`. The annotator is given by a key of each annotation
(`rater`, `annotator`, …, or the one that the option names), or else by the path. The `rater_list`
of an image names everybody who saw it.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gammacp.base.files import write_text
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.continuum.outlines import geometries, shapely
from gammacp.continuum.shapes import SIZE
from gammacp.errors import DataError
from gammacp.formats.parts import continua_of
from gammacp.formats.registry import registered, sniff_ending_and_keys
from gammacp.formats.source import Record, Source, name
from gammacp.formats.spans import Documents, with_shapes
from gammacp.shapes.formats.run_lengths import check_sizes, mask_size, rings_of_mask

PIXELS = "pixels"
_RATERS = ("rater", "rater_id", "annotator", "annotator_id", "worker_id", "created_by")
_EMPTY = "covers no pixel"


def read(source: Source, *, rater: str | None = None, shapes: str = "keep") -> Corpus:
    """Return the objects of every annotated image.

    Parameters
    ----------
    rater
        The key of an annotation that names its annotator; by default the first of rater, rater_id,
        annotator, annotator_id, worker_id and created_by, or else the path.
    shapes
        "keep": objects with polygons are polygons, others boxes; "box": all are boxes; "no": their
        extents from left to right alone.

    Raises
    ------
    DataError
        An annotation refers to an image or category that the file does not have, lacks a box or an
        annotator, or has an odd number of coordinates; or its category has no name. A run of a mask
        is negative, the runs do not add up to the number of pixels, or masks of one image differ
        in size.

    Notes
    -----
    Positions
        pixels (from the left, from the top)
    Annotators
        a key of the annotation (`--option rater=KEY`), or the name of the folder; an image's
        `rater_list` says who saw it
    Category
        name of the category
    Spans
        every object is a unit: a polygon if it has one, else a box (`--option shapes=box`: always a
        box; `no`: no shapes). A mask (run lengths, as a list or compressed) is the polygon around
        its pixels; keypoints are left out
    """
    root = Record.of(source.json(), source)
    images = {image.get("id"): image for image in root.objects("images")}
    labels = {c.get("id"): c.name("name") for c in root.objects("categories", missing_ok=True)}
    documents = Documents(source, PIXELS)
    sizes: dict[Any, dict[tuple[int, int], str]] = {}
    for image in images.values():
        raters = image.get("rater_list")
        for who in raters if isinstance(raters, list) else ():
            documents.of(_title(image)).declare(name(who) or "")
    for entry in root.objects("annotations"):
        place = f"annotation {entry.get('id')}"
        for key, ids in (("image_id", images), ("category_id", {None: None, **labels})):
            if _key(entry, key) not in ids:
                raise entry.error(f"{place} belongs to no {key[:-3]} of the file")
        who = _annotator(entry, rater, source, place)
        spans = documents.of(_title(images[entry["image_id"]]))
        label = _label(entry, labels, place)
        outline = entry.get("segmentation")
        if "keypoints" in entry:
            spans.leave_out("keypoints", "are no outline")
        if shapes == "keep" and isinstance(outline, list) and outline:
            rings = [_points(entry, ring, place) for ring in outline]
            spans.add_shape(who, label, "polygon", rings, what=place)
            continue
        if shapes == "keep" and isinstance(outline, dict):
            image = images[entry["image_id"]]
            with source.place_errors(entry.line, place):
                rings = _masked(outline, image, sizes.setdefault(entry["image_id"], {}), place)
            spans.facts[SIZE] = "{} × {}".format(*next(iter(sizes[entry["image_id"]])))
            if rings:
                spans.add_shape(who, label, "polygon", rings, what=place)
            else:
                spans.leave_out("mask", _EMPTY)
            continue
        spans.add_shape(who, label, "box", _box(entry, place), what=place)
    return with_shapes(documents.corpus(), shapes, source.place)


def _annotator(entry: Record, rater: str | None, source: Source, what: str) -> str:
    """Return the annotator that an annotation or the path names; DataError if neither does."""
    who = entry.name(*((rater,) if rater else _RATERS)) or source.annotator
    if not who:
        raise entry.error(
            f"{what} does not say who made it",
            hint="Give the key with `read(rater=KEY)`, or put each annotator's file into a "
            "folder with the annotator's name",
        )
    return who


def _label(entry: Record, labels: Mapping[Any, str | None], what: str) -> str | None:
    """Return the category of an annotation, None without one; DataError if it has no name."""
    label = labels.get(entry.get("category_id"))
    if label is None and entry.get("category_id") is not None:
        raise entry.error(
            f"{what} is of category {entry['category_id']}, which has no name",
            hint='Give each of the "categories" a "name"',
        )
    return label


def _box(entry: Record, what: str) -> list[tuple[float, float]]:
    """Return the extents of an annotation's box along both axes."""
    try:
        x, y, width, height = map(float, entry["bbox"])
    except (KeyError, TypeError, ValueError):
        raise entry.error(f'{what} has no "bbox" of four numbers') from None
    # The sum has a rounding error; fifteen digits restore the position that was meant.
    far = (float(f"{low + size:.15g}") for low, size in ((x, width), (y, height)))
    return [*zip((x, y), far, strict=True)]


def _masked(
    outline: dict[str, Any], image: Record, sizes: dict[tuple[int, int], str], what: str
) -> list[Any]:
    """Return the outlines of a mask, whose size must be that of the image and of other masks."""
    height = image.get("height")
    width = image.get("width")
    if isinstance(height, int) and isinstance(width, int):
        sizes.setdefault((height, width), "the image")
    sizes.setdefault(mask_size(outline), what)
    check_sizes(sizes, _title(image))
    return rings_of_mask(outline)


def _key(entry: Record, key: str) -> Any:
    """Return an id of the entry, whatever its type."""
    value = entry.get(key)
    if isinstance(value, str | int):
        return value
    return None


def _title(image: Record) -> str:
    title = image.name("file_name", "id")
    if title is None:
        raise image.error("image has no id")
    return title


def _points(entry: Record, ring: Any, what: str) -> list[tuple[Any, Any]]:
    """Return the points of a polygon's part, which COCO writes as x, y, x, y and so on."""
    if not isinstance(ring, list):
        raise entry.error(f"{what} has a polygon that is not a list of coordinates")
    if len(ring) % 2:
        raise entry.error(
            f"{what} has a polygon of {len(ring)} coordinates, an odd number",
            hint="Give each point x and y",
        )
    return list(zip(ring[::2], ring[1::2], strict=True))


def write(document: Continuum | Corpus, path: Path) -> None:
    """Write images, categories and annotations with `rater`; bounds and features are not kept.

    Every annotation has the keys that pycocotools looks up: `area`, `iscrowd` (0) and
    `category_id`, which is null where there is no category. Widths and heights of images are
    unknown. They must be added before pycocotools can paint masks (`annToMask`).

    Raises
    ------
    DataError
        Units are neither boxes nor polygons in the plane.
    UsageError
        There are polygons, whose areas shapely computes, and it is not installed.
    """
    continua = continua_of(document)
    categories = {label: i for i, label in enumerate(document.categories, 1)}
    images: list[dict[str, Any]] = []
    entries: list[dict[str, Any]] = []
    for number, c in enumerate(continua, 1):
        if c.n_units and not (c.axes == 2 and c.kinds <= {"box", "polygon"}):
            raise DataError("COCO holds boxes and polygons in the plane", hint="Write JSON or CSV")
        about = {"id": number, "file_name": c.name or "document"}
        images.append({**about, "rater_list": list(c.annotators)})
        for u in c:
            if u.category is None:
                label = None
            else:
                label = categories[u.category]
            about = {"id": len(entries) + 1, "image_id": number, "category_id": label}
            entries.append({**about, "rater": u.annotator, **_outline(u)})
    named = [{"id": i, "name": label} for label, i in categories.items()]
    content = {"info": {}, "images": images, "categories": named, "annotations": entries}
    write_text(path, json.dumps(content, ensure_ascii=False) + "\n")


def _outline(unit: Unit) -> dict[str, Any]:
    """Return the keys of an annotation that describe its shape and place."""
    assert unit.shape is not None
    low, high = unit.shape.extents[0]
    width = unit.end - unit.start
    height = high - low
    keys = {"bbox": [unit.start, low, width, height], "area": width * height, "iscrowd": 0}
    if unit.shape.rings:
        rings = [[x for point in ring for x in point] for ring in unit.shape.rings]
        covered = geometries([(unit.start, unit.end, unit.shape)])
        keys |= {"area": float(shapely().area(covered)[0]), "segmentation": rings}
    return keys


registered(
    "coco",
    "COCO JSON",
    (".json",),
    sniff_ending_and_keys(".json", b'"images"', b'"annotations"', (b'"image_id"', b'"file_name"')),
    read,
    write=write,
    several_continua=True,
    only_if_named=True,
    shapes=True,
    data_kind="shapes",
    layout="{annotator}/{document}",
)
