"""The coder groups of the Moonstone corpus (Kazantseva & Szpakowicz 2012).

27 people in five groups segmented 20 chapters; each group counts its coders from 1, so that names
do not tell them apart. Masses and numbers of coders are those of Fournier & Inkpen 2012, Table 2.
"""

from __future__ import annotations

import re

# Per group of coders: how many, and the mass of each chapter they segmented.
_GROUPS: tuple[tuple[int, dict[int, int]], ...] = (
    (4, {1: 13, 3: 38, 4: 46, 11: 111}),
    (6, {2: 15, 5: 42, 8: 39, 10: 83}),
    (6, {7: 15, 9: 33, 12: 102, 13: 58}),
    (6, {14: 70, 15: 97, 16: 69, 20: 21}),
    (5, {17: 70, 18: 59, 19: 36, 21: 60}),
)
_NAME = re.compile(r"(?:ch(?:apter)?)?[ ._-]*0*(\d+)", re.IGNORECASE)


def chapter_group(item: str, coders: int, mass: int) -> int | None:
    """Index of the group that coded a chapter; None if the item is not one of the corpus."""
    number = _NAME.fullmatch(item)
    if number is None:
        return None
    for index, (size, masses) in enumerate(_GROUPS):
        if coders == size and masses.get(int(number.group(1))) == mass:
            return index
    return None
