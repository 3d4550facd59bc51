"""2012, Figure 5: responses of 1−WD and S to full misses, near misses and mass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments._common import write_csv
from experiments._fournier import curves, even, published_window_diff
from gammacp.base.plots import can_plot, figure
from gammacp.segmentation import (
    EditCosts,
    Segmentation,
    boundary_similarity,
    segmentation_similarity,
    window_size,
)

Row = dict[str, Any]
masses = Segmentation.from_masses


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Three panels, each a CSV."""
    del quick, data
    panels = {"5a": full_misses(), "5b": near_misses(), "5c": mass_scale()}
    for name, rows in panels.items():
        write_csv(out / f"{name}.csv", rows)
    if not can_plot():
        return
    both = {"s": "S", "one_minus_wd": "1 − WD", "b": "B"}
    with figure(out / "fig05", width=9.6, columns=3) as axes:
        curves(axes[0], panels["5a"], "false_positives", both)
        axes[0].set(title="a  full misses", xlabel="false positives", ylabel="agreement")
        near = {
            "s_2": "S, n = 2",
            "s_5": "S, n = 5",
            "s_5_flat": "S, n = 5, no te",
            "s_5_forgiven": "S, n = 5, w$_{trp}$ = 0",
            "one_minus_wd": "1 − WD",
        }
        curves(axes[1], panels["5b"], "distance", near)
        axes[1].set(title="b  near misses", xlabel="places apart")
        curves(axes[2], panels["5c"], "mass", {**both, "k_over_mass": "k/m"})
        axes[2].set(title="c  mass", xlabel="mass m")


def full_misses() -> list[Row]:
    """5a: mass 100; both have the first boundary, the hypothesis 0 to 98 more, evenly spread."""
    rows = []
    for extra in range(99):
        hypothesis = even(extra + 2, 100)
        reference = Segmentation.from_positions([int(hypothesis.positions[0])], mass=100)
        rows.append(
            {
                "false_positives": extra,
                "s": segmentation_similarity(reference, hypothesis).value,
                "one_minus_wd": 1 - published_window_diff(reference, hypothesis),
                "b": boundary_similarity(reference, hypothesis).value,
                "k": window_size(reference),
            }
        )
    return rows


def near_misses() -> list[Row]:
    """5b: mass 25; the boundary after 10 base units against one 0 to 10 places later.

    Where the boundary stands is not published: WD depends on it, S does not.
    """
    reference = masses([10, 15])
    weighings = {
        "s_2": (2, EditCosts()),
        "s_5": (5, EditCosts()),
        "s_5_flat": (5, EditCosts(te=False)),
        "s_5_forgiven": (5, EditCosts(transposition=0)),
    }
    rows = []
    for distance in range(11):
        hypothesis = masses([10 + distance, 15 - distance])
        row: Row = {"distance": distance}
        for name, (n, costs) in weighings.items():
            row[name] = segmentation_similarity(reference, hypothesis, n=n, costs=costs).value
        row["one_minus_wd"] = 1 - published_window_diff(reference, hypothesis)
        rows.append(row)
    return rows


def mass_scale() -> list[Row]:
    """5c: one match and one full miss (Figure 10), mass 4 to 100."""
    rows = []
    for mass in range(4, 101, 4):
        quarter = mass // 4
        reference = masses([quarter, mass - quarter])
        hypothesis = masses([quarter, quarter, mass - 2 * quarter])
        rows.append(
            {
                "mass": mass,
                "s": segmentation_similarity(reference, hypothesis).value,
                "one_minus_wd": 1 - published_window_diff(reference, hypothesis),
                "b": boundary_similarity(reference, hypothesis).value,
                "k_over_mass": window_size(reference) / mass,
            }
        )
    return rows
