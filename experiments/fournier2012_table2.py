"""2012, Table 2: agreement on The Moonstone, as published and as the equations say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments._common import write_csv
from experiments._fournier import TABLE_2
from gammacp.base.plots import COLOURS, can_plot, figure
from gammacp.segmentation import (
    CodingAgreement,
    Codings,
    Criterion,
    Mode,
    coding_agreement,
    load_codings,
    read_codings,
)

# The five groups of people who segmented the chapters (Kazantseva & Szpakowicz 2012). Each counts
# its coders from 1, so that equal names are different people.
GROUPS = (
    ("ch1", "ch3", "ch4", "ch11"),
    ("ch2", "ch5", "ch8", "ch10"),
    ("ch7", "ch9", "ch12", "ch13"),
    ("ch14", "ch15", "ch16", "ch20"),
    ("ch17", "ch18", "ch19", "ch21"),
)
_COLUMNS = ("pi", "kappa", "bias", "wd_mean", "wd_sd", "coders", "boundaries", "mass")


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write a row per chapter and mode beside the printed values; the groups and the corpus.

    `--data` may hold a moonstone.json with more chapters than the eight that ship.
    """
    del quick
    codings = _codings(data)
    groups = [[item for item in group if item in codings] for group in GROUPS]
    codings = codings.with_groups(groups, anonymous=True)
    agreement_by_mode = {m: coding_agreement(codings, comparison=Criterion(mode=m)) for m in Mode}
    rows = [
        row for mode, agreement in agreement_by_mode.items() for row in _chapters(mode, agreement)
    ]
    write_csv(out / "table2.csv", rows)
    pooled = [
        row for mode, agreement in agreement_by_mode.items() for row in _groups(mode, agreement)
    ]
    write_csv(out / "groups.csv", pooled)
    printed = [{"chapter": c, **dict(zip(_COLUMNS, v, strict=True))} for c, v in TABLE_2.items()]
    write_csv(out / "published.csv", printed)
    if can_plot():
        _plot(out / "table2", rows)


def _codings(data: Path | None) -> Codings:
    for path in () if data is None else (data / "segmentation/moonstone.json",):
        if path.exists():
            return read_codings(path)
    return load_codings("moonstone")


def _chapters(mode: Mode, agreement: CodingAgreement) -> list[dict[str, Any]]:
    rows = []
    for item, a in agreement.items.items():
        c = a.coefficients
        counts = (len(a.group.coders), a.boundaries, a.mass)
        values = dict(
            zip(_COLUMNS, (c.pi, c.kappa, c.bias, *a.windowdiff[:2], *counts), strict=True)
        )
        printed = dict(zip(_COLUMNS, TABLE_2[item], strict=True))
        row: dict[str, Any] = {"mode": mode.value, "chapter": item, **values}
        row |= {"full": a.full, "near": a.near}
        row |= {f"printed_{name}": value for name, value in printed.items()}
        row["cells_that_differ"] = sum(round(values[n], 4) != printed[n] for n in _COLUMNS)
        rows.append(row)
    return rows


def _groups(mode: Mode, agreement: CodingAgreement) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {
            "mode": mode.value,
            "group": " ".join(g.group.items),
            "pi": g.coefficients.pi,
            "kappa": g.coefficients.kappa,
            "bias": g.coefficients.bias,
            "full": g.full,
            "near": g.near,
        }
        for g in agreement.groups
    ]
    for name, i in (("mean of groups", 0), ("sd of groups", 1)):
        rows.append(
            {
                "mode": mode.value,
                "group": name,
                "pi": agreement.over_groups("pi")[i],
                "kappa": agreement.over_groups("kappa")[i],
                "bias": agreement.over_groups("bias")[i],
                "full": agreement.corpus.full if i == 0 else None,
                "near": agreement.corpus.near if i == 0 else None,
            }
        )
    return rows


def _plot(stem: Path, rows: list[dict[str, Any]]) -> None:
    published = [row for row in rows if row["mode"] == Mode.PUBLISHED]
    equations = [row for row in rows if row["mode"] == Mode.EQUATIONS]
    at = range(len(published))
    with figure(stem, width=6.4) as axes:
        axes.plot(at, [r["pi"] for r in published], "o", color=COLOURS[0], label="π*, published")
        axes.plot(at, [r["pi"] for r in equations], "x", color=COLOURS[0], label="π*, equations")
        axes.errorbar(
            at,
            [row["wd_mean"] for row in published],
            yerr=[row["wd_sd"] for row in published],
            fmt="s",
            color=COLOURS[1],
            label="1 − WD, published",
        )
        axes.set(ylabel="agreement", xticks=at)
        axes.set_xticklabels([row["chapter"] for row in published])
        axes.legend()
