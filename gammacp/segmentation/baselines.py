"""Segmenters without a text: what a candidate or a system has to be better than.

They know somebody's segmentation of each item: `none` and `all` boundaries, as many segments of
`even` length, and the same segments `shuffled`, in 20 orders of which means are taken.
"""

from collections.abc import Callable, Mapping

import numpy as np

from gammacp.arrays import Indices
from gammacp.measures.segmentations.rows import Rows

_SHUFFLES = 20


def _even(places: Indices, mass: int) -> list[int]:
    parts = len(places) + 1
    return [(2 * i * mass + parts) // (2 * parts) for i in range(1, parts)]


# Of the rows of one coding of each item the rows of the baseline, once or several times.
BASELINES: Mapping[str, Callable[[Rows, np.random.Generator], list[Rows]]] = {
    "(none)": lambda rows, _: [rows.placing(lambda _, __: ())],
    "(all)": lambda rows, _: [rows.placing(lambda _, mass: range(1, mass))],
    "(even)": lambda rows, _: [rows.placing(_even)],
    "(shuffled)": lambda rows, rng: [rows.shuffle(rng) for _ in range(_SHUFFLES)],
}
