"""Helpers of the experiments after Fournier & Inkpen 2012: windows, table, curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gammacp.segmentation import Segmentation, window_diff, window_size

# Table 2: chapter → π*, κ*, bias, mean and sd of 1−WD, coders, boundaries, mass.
TABLE_2: Mapping[str, tuple[float, ...]] = {
    "ch1": (0.7452, 0.7463, 0.0039, 0.6641, 0.1307, 4, 13, 13),
    "ch2": (0.8839, 0.8840, 0.0009, 0.7619, 0.1743, 6, 20, 15),
    "ch3": (0.8338, 0.8340, 0.0013, 0.6732, 0.1559, 4, 23, 38),
    "ch4": (0.8414, 0.8417, 0.0019, 0.6019, 0.2245, 4, 25, 46),
    "ch5": (0.8773, 0.8774, 0.0003, 0.6965, 0.1106, 6, 34, 42),
    "ch7": (0.8132, 0.8133, 0.0002, 0.6945, 0.1822, 6, 20, 15),
    "ch8": (0.8495, 0.8496, 0.0006, 0.7505, 0.0911, 6, 48, 39),
    "ch9": (0.8104, 0.8105, 0.0009, 0.6502, 0.1319, 6, 35, 33),
    "ch10": (0.9077, 0.9078, 0.0002, 0.7729, 0.0770, 6, 56, 83),
    "ch11": (0.8130, 0.8135, 0.0022, 0.6189, 0.1294, 4, 73, 111),
    "ch12": (0.9178, 0.9178, 0.0001, 0.6504, 0.1277, 6, 40, 102),
    "ch13": (0.9354, 0.9354, 0.0002, 0.5660, 0.2187, 6, 21, 58),
    "ch14": (0.9367, 0.9367, 0.0001, 0.7128, 0.1744, 6, 35, 70),
    "ch15": (0.9344, 0.9344, 0.0001, 0.7291, 0.0856, 6, 40, 97),
    "ch16": (0.9356, 0.9356, 0.0000, 0.8016, 0.0648, 6, 41, 69),
    "ch17": (0.9447, 0.9447, 0.0002, 0.6717, 0.2044, 5, 23, 70),
    "ch18": (0.8921, 0.8922, 0.0005, 0.5998, 0.1614, 5, 28, 59),
    "ch19": (0.9021, 0.9022, 0.0009, 0.4796, 0.2666, 5, 15, 36),
    "ch20": (0.8590, 0.8591, 0.0003, 0.6657, 0.1221, 6, 21, 21),
    "ch21": (0.9286, 0.9286, 0.0004, 0.6255, 0.2003, 5, 17, 60),
}


def published_window_diff(reference: Segmentation, hypothesis: Segmentation) -> float:
    """Return WindowDiff as computed in the paper: windows of k base units span k − 1 places."""
    return window_diff(reference, hypothesis, k=window_size(reference) - 1)


def even(segments: int, mass: int) -> Segmentation:
    """Divide a mass into nearly equal segments of whole base units; halves are rounded up."""
    places = [(2 * i * mass + segments) // (2 * segments) for i in range(1, segments)]
    return Segmentation.from_positions(places, mass=mass)


def curves(axes: Any, rows: Sequence[Mapping[str, Any]], x: str, lines: Mapping[str, str]) -> None:
    """Plot columns of tidy rows as lines over `x`, with their labels."""
    from gammacp.base.plots import COLOURS, DASHES

    for i, (column, label) in enumerate(lines.items()):
        axes.plot(
            [row[x] for row in rows],
            [row[column] for row in rows],
            label=label,
            color=COLOURS[i % len(COLOURS)],
            linestyle=DASHES[i % len(DASHES)],
        )
    axes.legend()
