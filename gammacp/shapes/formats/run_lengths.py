"""Masks as run lengths, as COCO writes them: numbers of pixels outside and inside, in turn.

After `maskApi.c` of pycocotools. Pixels are counted down each column, columns from the left; the
first run is outside the mask. In the compressed form, each run is written in groups of five bits.
Each group has a further bit that says whether another group follows; 48 is added, and the sum is
written as a character. From the fourth run on, the difference to the run two before is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from gammacp.base.text import counted
from gammacp.continuum.outlines import rings_of_boxes
from gammacp.errors import DataError

Ring = list[tuple[float, float]]
_FIRST = 48
# Longest side of an image. Without a limit, a short mask could claim an enormous size, and reading
# it would take hours.
_LARGEST = 2**17


def mask_size(segmentation: Any) -> tuple[int, int]:
    """Return height and width of a mask.

    Parameters
    ----------
    segmentation
        COCO's object with `size` and `counts`.

    Raises
    ------
    DataError
        `size` is not a pair of positive whole numbers.
    """
    size = segmentation.get("size")
    whole = isinstance(size, list) and len(size) == 2
    if not whole or not all(type(n) is int and 0 < n < _LARGEST for n in size):
        raise DataError(
            'mask has no "size" of height and width',
            hint=f"Give both as whole numbers of pixels, from 1 to {_LARGEST - 1}",
        )
    return size[0], size[1]


def runs_of(counts: Any) -> list[int]:
    """Return the lengths of the runs from a list or a compressed string.

    Parameters
    ----------
    counts
        A list of numbers, or a compressed string.

    Raises
    ------
    DataError
        It is neither, or a run is negative.

    >>> runs_of("1212")
    [1, 2, 1, 4]
    """
    if isinstance(counts, str):
        runs = _decompressed(counts)
    elif isinstance(counts, list) and all(type(n) is int for n in counts):
        runs = counts
    else:
        raise DataError(
            'mask has no "counts"', hint="Give run lengths as a list of numbers or as a string"
        )
    if wrong := next((n for n in runs if n < 0), None):
        raise DataError(f"mask has a run of {wrong} pixels", hint="Export it again")
    return runs


def _decompressed(numbers: str) -> list[int]:
    """Return the runs of a compressed string."""
    runs: list[int] = []
    value = bits = 0
    for place, character in enumerate(numbers):
        group = ord(character) - _FIRST
        if not 0 <= group < 64:
            raise DataError(
                f"character {place + 1} of the mask's counts is {character!r}, which "
                "compressed run lengths do not have",
                hint="Export it again, or give the counts as a list of numbers",
            )
        value |= (group & 31) << bits
        bits += 5
        if group & 32:
            continue
        if group & 16:
            value -= 1 << bits
        if len(runs) > 2:
            value += runs[-2]
        runs.append(value)
        value = bits = 0
    if bits:
        raise DataError(
            "the mask's counts break off inside a run", hint="The string was cut: export it again"
        )
    return runs


def rings_of_mask(segmentation: Any) -> list[Ring]:
    """Return the exact outlines of the area that a mask covers; none if it covers nothing.

    A pixel covers the square from its column and row to the next ones. An area around a hole is
    cut into parts without holes.

    Parameters
    ----------
    segmentation
        COCO's object with `size` and `counts`.

    Raises
    ------
    DataError
        It has no size or counts, a run is negative, or the runs are not as many pixels as the image
        has.
    """
    height, width = mask_size(segmentation)
    runs = runs_of(segmentation.get("counts"))
    if sum(runs) != height * width:
        raise DataError(
            f"runs of the mask are {sum(runs)} pixels, but an image of {height} × {width} has "
            f"{height * width}",
            hint="`size` is height, width: check it, or export the mask again",
        )
    boxes = _boxes(runs, height)
    return rings_of_boxes(boxes) if boxes else []


def _boxes(runs: Sequence[int], height: int) -> list[tuple[int, int, int, int]]:
    """Return left, top, right and bottom of disjoint boxes that together cover the mask."""
    columns: dict[int, list[tuple[int, int]]] = {}
    ends = list(accumulate(runs))
    for start, end in zip(ends[::2], ends[1::2], strict=False):
        while start < end:
            column, top = divmod(start, height)
            bottom = min(height, top + end - start)
            columns.setdefault(column, []).append((top, bottom))
            start += bottom - top
    boxes: list[tuple[int, int, int, int]] = []
    # Join equal runs of rows in neighbouring columns to one box.
    open_boxes: dict[tuple[int, int], int] = {}
    for column in sorted({*columns, *(c + 1 for c in columns)}):
        here = set(columns.get(column, ()))
        for stretch in [s for s in open_boxes if s not in here]:
            boxes.append((open_boxes.pop(stretch), stretch[0], column, stretch[1]))
        for stretch in here:
            open_boxes.setdefault(stretch, column)
    return sorted(boxes)


def check_sizes(sizes: dict[tuple[int, int], str], image: str) -> None:
    """Check that all masks of an image are of one size.

    Parameters
    ----------
    sizes
        Heights and widths, each with the name of an annotation whose mask has this size.
    image
        Name of the image.

    Raises
    ------
    DataError
        The masks have different sizes.
    """
    if len(sizes) > 1:
        sizes_in_words = "; ".join(
            f"{mask_name}: {height} × {width}" for (height, width), mask_name in sizes.items()
        )
        raise DataError(
            f"{counted(len(sizes), 'size')} of image {image} ({sizes_in_words}), height × width",
            hint="Masks can be compared only on the same image: export all at one size",
        )
