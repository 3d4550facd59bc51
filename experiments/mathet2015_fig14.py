"""2015, Figures 14–22 (§6.1): γ against Krippendorff's uα and c|uα, example by example."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from experiments._common import MATHET_2015, Span, continuum, write_csv
from experiments._figures import examples_page, said
from gammacp.continuum import Continuum
from gammacp.measures.measuring import measure

# Chance of γ on the few units of these examples: what is compared is mostly observed.
CHANCE = {"seed": 0, **MATHET_2015}


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Every example with uα (2013), c|uα (interval metric), γ and γ_cat."""
    del data
    samples = 30 if quick else 1000
    rows: list[dict[str, object]] = []
    for figure, cases in _cases().items():
        for case, c in cases.items():
            for metric in ("nominal", "interval") if figure in ("14", "15") else ("nominal",):
                rows += _rows(figure, case, c, {"metric": metric, "samples": samples})
    write_csv(out / "comparisons.csv", rows)
    write_csv(out / "ratios.csv", _ratios(rows))
    examples_page(
        out / "examples",
        {
            said(f"{number} ({case})", _values(rows, number, case)): c
            for number, cases in _cases().items()
            for case, c in cases.items()
        },
    )


def _values(rows: list[dict[str, object]], number: str, case: str) -> dict[str, float]:
    """Measure an example; c|uα with the nominal metric."""
    mine = [r for r in rows if (r["figure"], r["case"]) == (number, case)]
    return {str(r["measure"]): float(str(r["value"])) for r in mine if r["metric"] != "interval"}


def _rows(
    figure: str, case: str, c: Continuum, options: Mapping[str, Any]
) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for name in ("u-alpha-2013", "cu-alpha", "gamma", "gamma-cat"):
        metric = options["metric"] if name == "cu-alpha" else "nominal"
        if options["metric"] == "interval" and name != "cu-alpha":
            continue
        mine: dict[str, Any] = {"metric": metric} if name == "cu-alpha" else {}
        if name.startswith("gamma"):
            mine = {"samples": options["samples"], **CHANCE}
        score = measure(c, [name], **mine)[name]
        rows.append(
            {
                "figure": figure,
                "case": case,
                "measure": name,
                "metric": metric if name == "cu-alpha" else "",
                "value": score.value,
                "observed": score.observed,
                "expected": score.expected,
                "reason": score.reason,
            }
        )
    return rows


def _ratios(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Observed disagreement of one case over another's."""
    observed = {
        (r["figure"], r["case"], r["measure"]): float(str(r["observed"]))
        for r in rows
        if r["observed"] is not None
    }
    wanted = (
        ("17", "one of 10", "two of 1", "u-alpha-2013"),
        ("17", "one of 10", "two of 1", "gamma"),
        ("20", "three times", "as it is", "u-alpha-2013"),
        ("20", "three times", "as it is", "gamma"),
    )
    # Fig. 17: γ's disorder is per unit; the paper compares the cost, so x̄ is taken out.
    mean_units = {"one of 10": 4.5, "two of 1": 5.0}
    return [
        {
            "figure": figure,
            "cases": f"{first} / {second}",
            "measure": name,
            "ratio": observed[figure, first, name]
            * (mean_units.get(first, 1.0) if name == "gamma" else 1)
            / observed[figure, second, name]
            / (mean_units.get(second, 1.0) if name == "gamma" else 1),
        }
        for figure, first, second, name in wanted
    ]


def equal_units(count: int, gap: float, margin: float, shift: float, first: int) -> list[Span]:
    """Units of length 100, `gap` apart, with categories first, first + 1, …"""
    starts = (margin + shift + i * (100 + gap) for i in range(count))
    return [(s, s + 100, str(first + i)) for i, s in enumerate(starts)]


def _cases() -> dict[str, dict[str, Continuum]]:
    same = equal_units(4, 60, 0, 0, 1)
    agreed: list[Span] = [(10 * i, 10 * i + 4, "a") for i in range(20, 24)]
    silence: list[Span] = []
    parts = {
        f"{n} part{'s' * (n > 1)}": continuum(
            100,
            A=[(lo, hi, "a") for lo, hi in pairwise(map(float, np.linspace(20, 80, n + 1)))],
            B=silence,
        )
        for n in (1, 2, 3, 4, 6)
    }
    near: list[Span] = [
        (0, 100, "2"),
        (160, 260, "6"),
        (320, 420, "8"),
        (480, 580, "4"),
    ]
    close: list[Span] = [
        (0, 100, "1"),
        (160, 260, "7"),
        (320, 420, "9"),
        (480, 580, "4"),
    ]
    embedded: list[Span] = [(0, 30, "a"), (10, 20, "b")]
    return {
        "14": {
            "example": continuum(
                76,
                A=[(5, 20, "4"), (30, 45, "1"), (59, 69, "2"), (71, 76, "4")],
                B=[(5, 20, "4"), (40, 53, "3"), (59, 64, "1"), (71, 76, "4")],
            )
        },
        "15": {
            "left": continuum(580, A=same, B=same),
            "right": continuum(580, A=same, B=equal_units(4, 60, 0, 0, 5)),
            "close categories": continuum(580, A=close, B=near),
        },
        "16": {
            "shifted": continuum(
                60,
                A=[(0, 18, "1"), (20, 38, "4"), (40, 58, "2")],
                B=[(0, 22, "1"), (22, 42, "4"), (42, 60, "2")],
            )
        },
        "17": {
            "one of 10": continuum(250, A=[*agreed, (10, 20, "a")], B=agreed),
            "two of 1": continuum(250, A=[*agreed, (10, 11, "a"), (30, 31, "a")], B=agreed),
        },
        "18": parts,
        "19": {
            "split": continuum(100, A=[(20, 80, "a")], B=[(20, 50, "a"), (50, 80, "a")]),
            "whole": continuum(100, A=[(20, 80, "a")], B=[(20, 80, "a")]),
        },
        "20": {
            "as it is": continuum(90, A=[(3, 9, "a")], B=[(5, 11, "a")]),
            "three times": continuum(90, A=[(9, 27, "a")], B=[(15, 33, "a")]),
        },
        "21": {
            "a": continuum(720, A=equal_units(4, 60, 60, 0, 1), B=equal_units(4, 60, 60, 20, 5)),
            "b": continuum(700, A=equal_units(4, 60, 60, 0, 1), B=equal_units(4, 60, 60, 0, 5)),
        },
        "22": {"embedded": continuum(30, A=embedded, B=embedded)},
    }
