"""Beyond the papers: which number may be compared with 0, from the studies of zero."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from experiments._common import write_csv
from experiments._independent import NOT_STATIONARY
from experiments._zero import NORMAL
from gammacp.base.plots import COLOURS, MARKERS, figure
from gammacp.bench.figures import measure_title
from gammacp.bench.ledger.series import read_rows
from gammacp.bench.trends import Trend, TrendVerdict, every, near

READS = ("zero_continua", "zero_segmentations", "zero_trees")
# Cells with fewer units per annotator are small data, which the studies tell by themselves.
ENOUGH = 20
# The chance that γ has and that `--beyond-chance` models by default.
OWN = ("cut", "turned", "length-matched")
# As `gammacp measures` calls them; the others are measured without being registered.
NAMES = {"pi_s": "pi-s", "kappa_s": "kappa-s"}
LEFT_OUT = frozenset({"f", "precision", "recall", "equal lengths"})
# How near 0 a zero has to be shown to be: of γ, and of the others.
MARGIN, MARGIN_OF_OTHERS = 0.01, 0.02
SAID = {TrendVerdict.HOLDS: "shown", TrendVerdict.FAILS: "not", TrendVerdict.OPEN: "open"}

Cells = Sequence[tuple[float, float, int]]
"""Zero, half of its 95 % interval, and sets, of each process."""


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write a row per measure with the range of its zeros, and the figure."""
    del data
    results = out.parent.parent
    rows = [row for study in READS for row in _kept(read_rows(results / study / "zero.csv"), quick)]
    names = dict.fromkeys(NAMES.get(r["measure"], r["measure"]) for r in rows)
    plain, beyond = {}, {}
    for name in names:
        mine = [r for r in rows if NAMES.get(r["measure"], r["measure"]) == name]
        beyond[name] = _cells([r for r in mine if r["chance"] in OWN])
        # γ and γ_cat are beyond chance as they come.
        plain[name] = _cells([r for r in mine if not r["chance"]]) or beyond[name]
    write_csv(
        out / "zero.csv",
        [
            {
                "measure": name,
                **_told("", plain[name], margin_of(name)),
                **_told("beyond_", beyond[name], margin_of(name)),
            }
            for name in names
        ],
    )
    _draw(out, plain, beyond)


def _kept(rows: Sequence[Mapping[str, str]], quick: bool) -> list[Mapping[str, str]]:
    return [
        row
        for row in rows
        if row["measure"] not in LEFT_OUT
        and row.get("process") not in NOT_STATIONARY
        and row["zero"]
        and not row.get("apart")
        and (quick or (row["half_width"] and int(row.get("units") or ENOUGH) >= ENOUGH))
    ]


def margin_of(name: str) -> float:
    """Return the distance from 0 within which independent annotators have to be shown."""
    return MARGIN if name == "gamma" else MARGIN_OF_OTHERS


def _cells(rows: Sequence[Mapping[str, str]]) -> Cells:
    return [(float(r["zero"]), float(r["half_width"] or math.inf), int(r["sets"])) for r in rows]


def _told(key: str, cells: Cells, margin: float) -> dict[str, object]:
    """Return the range over the cells, and whether each is shown to be within the margin of 0."""
    zeros, halves = [z for z, _, _ in cells], [h for _, h, _ in cells]
    tests = [near_zero(*cell, margin) for cell in cells if math.isfinite(cell[1])]
    return {
        f"{key}cells": len(cells),
        f"{key}lowest": min(zeros, default=None),
        f"{key}highest": max(zeros, default=None),
        f"{key}half_width": max(halves, default=None),
        f"{key}shown": sum(t.verdict is TrendVerdict.HOLDS for t in tests),
        f"{key}zero": SAID[every(*tests).verdict] if tests else "open",
    }


def near_zero(zero: float, half: float, sets: int, margin: float) -> Trend:
    """Return the equivalence test of a cell, of which the mean and its interval are known.

    Values that have this mean and this spread stand for the sets, half of them on either side.
    """
    sets -= sets % 2
    spread = half / NORMAL * math.sqrt(sets - 1)
    return near((zero + spread * np.resize([-1.0, 1.0], sets))[:, None], 0.0, margin=margin)


def _draw(out: Path, plain: Mapping[str, Cells], beyond: Mapping[str, Cells]) -> None:
    """Draw a line per measure, a dot per cell."""
    names = list(plain)
    with figure(out / "zero", width=6.4, height=1.2 + 0.24 * len(names)) as axes:
        for k, (label, cells) in enumerate((("as it is", plain), ("beyond chance", beyond))):
            dots = [(max(z, -1.0), -i) for i, name in enumerate(names) for z, _, _ in cells[name]]
            axes.plot(
                [x for x, _ in dots],
                [y + 0.15 - 0.3 * k for _, y in dots],
                MARKERS[k],
                color=COLOURS[1 - k],
                label=label,
                alpha=0.7,
            )
        axes.axvline(0, color="black", linewidth=0.6)
        axes.set_yticks([-i for i in range(len(names))], [measure_title(n) for n in names])
        axes.set_xlim(-1.03, 1.03)
        axes.set_xlabel("what independent annotators get (−1: −1 or less); a dot is a process")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
