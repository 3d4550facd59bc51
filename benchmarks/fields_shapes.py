"""Overlap of masks and boxes beside pycocotools (`fields_peers`)."""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

# For each pair of annotators the name of a score, the peer's value and ours.
Values: TypeAlias = Iterator[tuple[str, float, float]]


# Runs in the peer's environment: run lengths of masks, and the IoU of all pairs of shapes.
COCO = """
import json, sys
import numpy as np
from pycocotools import mask as api
made = []
for case in json.load(sys.stdin):
    sides = []
    for side in case:
        if side["kind"] == "box":
            sides.append(np.array(side["boxes"], np.float64).reshape(-1, 4))
            continue
        rows = [np.asfortranarray(np.array(rows, np.uint8)) for rows in side["pixels"]]
        sides.append([api.encode(row) for row in rows])
    left, right = sides
    found = api.iou(left, right, [0] * len(right))
    strings = [[one["counts"].decode() for one in side] if isinstance(side, list) else []
               for side in sides]
    made.append({"iou": np.asarray(found).tolist(), "strings": strings})
json.dump(made, sys.stdout)
"""


def random_masks(rng: random.Random, height: int, width: int) -> list[list[list[int]]]:
    """Return masks of boxes and noise, with holes."""
    masks = []
    for _ in range(rng.randrange(1, 4)):
        rows = [[0] * width for _ in range(height)]
        for _ in range(rng.randrange(1, 4)):
            x, y = rng.randrange(width), rng.randrange(height)
            filled = int(rng.random() < 0.8)
            for row in rows[y : y + rng.randrange(2, height)]:
                low, high = x, min(width, x + rng.randrange(3, width))
                row[low:high] = [filled] * (high - low)
        if rng.random() < 0.3:
            rows = [[cell ^ (rng.random() < 0.05) for cell in row] for row in rows]
        rows[rng.randrange(height)][rng.randrange(width)] = 1
        masks.append(rows)
    return masks


def box_cases(path: Path) -> list[list[dict[str, Any]]]:
    """Return the boxes of each image by its first two annotators, as x, y, width and height."""
    import gammacp as gc

    cases = []
    for document in gc.read_corpus(path).values():
        sides = []
        for annotator in document.annotators[:2]:
            units = [unit for unit in document if unit.annotator == annotator]
            boxes = [
                [u.start, low, u.end - u.start, high - low]
                for u in units
                if u.shape is not None
                for low, high in u.shape.extents
            ]
            sides.append({"kind": "box", "boxes": boxes})
        if len(sides) == 2 and all(side["boxes"] for side in sides):
            cases.append(sides)
    return cases


def coco_document(case: list[dict[str, Any]], strings: list[list[str]]) -> dict[str, Any]:
    """Return the JSON of one image with the shapes of two annotators."""
    annotations = []
    for who, side, masks in zip(("ann", "bob"), case, strings, strict=True):
        for box in side.get("boxes", []):
            annotations.append({"rater": who, "bbox": box})
        for counts in masks:
            size = [len(side["pixels"][0]), len(side["pixels"][0][0])]
            segmentation = {"size": size, "counts": counts}
            annotations.append({"rater": who, "bbox": [0, 0, 1, 1], "segmentation": segmentation})
    for number, one in enumerate(annotations):
        one |= {"id": number, "image_id": 1, "category_id": 1}
    return {
        "images": [{"id": 1, "file_name": "a.png"}],
        "categories": [{"id": 1, "name": "thing"}],
        "annotations": annotations,
    }


def matched_scores(iou: list[list[float]]) -> dict[str, float]:
    """Return F₁ at .5, mean IoU and mean Dice of the best matching, from the peer's IoU."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    table = np.array(iou)
    gains = np.where(table >= 0.5, table + min(table.shape), 0.0)
    overlaps = table[linear_sum_assignment(gains, maximize=True)]
    overlaps = overlaps[overlaps >= 0.5]
    return {
        "f1-iou": 2 * len(overlaps) / sum(table.shape),
        "mean-iou": float(overlaps.mean()) if len(overlaps) else math.nan,
        "mean-dice": float((2 * overlaps / (1 + overlaps)).mean()) if len(overlaps) else math.nan,
    }


def shape_values(arguments: argparse.Namespace, folder: Path) -> Values:
    """Yield F₁, mean IoU and mean Dice of boxes and masks beside pycocotools' IoU."""
    import gammacp as gc

    rng = random.Random(0)
    cases: list[list[dict[str, Any]]] = []
    for _ in range(100 * arguments.variants):
        size = rng.randrange(4, 30), rng.randrange(4, 30)
        cases.append([{"kind": "mask", "pixels": random_masks(rng, *size)} for _ in range(2)])
    for path in arguments.files:
        cases += box_cases(path)
    program = [str(arguments.scorer), "-c", COCO]
    process = subprocess.run(
        program, input=json.dumps(cases), capture_output=True, check=True, text=True
    )
    for number, (case, peer) in enumerate(zip(cases, json.loads(process.stdout), strict=True)):
        file = folder / f"{number}.json"
        file.write_text(json.dumps(coco_document(case, peer["strings"])), encoding="utf-8")
        (document,) = gc.read_corpus(file).values()
        ours = gc.measure(document, ["f1-iou", "mean-iou", "mean-dice"])
        for name, value in matched_scores(peer["iou"]).items():
            yield f"{name} of {case[0]['kind']}", value, ours[name].value
