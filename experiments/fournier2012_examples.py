"""2012, Figures 3 and 6–10: S, B and WindowDiff of the worked examples."""

from __future__ import annotations

from pathlib import Path

from experiments._common import write_csv
from experiments._fournier import published_window_diff
from gammacp.segmentation import (
    Segmentation,
    boundary_similarity,
    ghd,
    pk,
    segmentation_similarity,
    window_diff,
)

EXAMPLES = {
    "3": ([1, 2, 2, 3, 3, 1, 2], [1, 2, 1, 2, 6, 2]),
    "6": ([14], [1] * 14),
    "7": ([1, 2, 2, 2, 4, 2, 1], [1, 2, 8, 2, 1]),
    "8": ([6, 8], [7, 7]),
    "9, m = 4": ([1, 2, 1], [1, 1, 1, 1]),
    "9, m = 100": ([25, 50, 25], [25, 25, 25, 25]),
    "10, m = 4": ([1, 3], [1, 1, 2]),
    "10, m = 100": ([25, 75], [25, 25, 50]),
}


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """One row per example, the first segmentation as the reference."""
    del quick, data
    rows: list[dict[str, object]] = []
    for figure, (first, second) in EXAMPLES.items():
        a, b = Segmentation.from_masses(first), Segmentation.from_masses(second)
        s = segmentation_similarity(a, b)
        rows.append(
            {
                "figure": figure,
                "s": s.value,
                "distance": s.distance,
                "places": s.potential_boundaries,
                "full": s.edits.full,
                "near": s.edits.near,
                "one_minus_wd": 1 - published_window_diff(a, b),
                "one_minus_wd_eq1": 1 - window_diff(a, b),
                "b": boundary_similarity(a, b).value,
                "one_minus_pk": 1 - pk(a, b),
                "ghd": ghd(a, b).agreement,
            }
        )
    write_csv(out / "examples.csv", rows)
