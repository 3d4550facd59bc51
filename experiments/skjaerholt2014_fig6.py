"""Skjærholt 2014, Figure 6: α against LAS of the corpora, and the orders that they give.

The corpora at hand with values of our own, the others as printed in Table 2.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments._common import write_csv
from experiments._treebanks import CORPORA, MEASURES, PUBLISHED, corpus
from gammacp.base.plots import COLOURS, MARKERS, can_plot, figure
from gammacp.trees.measures.agreement import syntax_agreement

WITHOUT_LAS = "PCEDT"  # its LAS compares tokens that are not the same (§4.2)


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Values, orders and the correlation of each α with LAS, with and without the PCEDT."""
    del quick
    values = {name: dict(zip(MEASURES, row, strict=True)) for name, row in PUBLISHED.items()}
    for name in CORPORA:
        total = syntax_agreement(corpus(name, data).treebank, breakdown=False).total
        values[name] = {m: 100 * v for m, v in {**total.alpha, **total.scores}.items()}
    rows = [
        {
            "corpus": name,
            "source": "computed" if name in CORPORA else "published",
            "measure": m,
            "percent": row[m],
        }
        for name, row in values.items()
        for m in MEASURES
    ]
    write_csv(out / "values.csv", rows)
    write_csv(out / "orders.csv", [{"measure": m, "order": _order(values, m)} for m in MEASURES])
    write_csv(out / "correlations.csv", _correlations(values))
    if can_plot():
        with figure(out / "alpha-las", width=5.0) as axes:
            for k, m in enumerate(MEASURES[:-1]):
                x, y = ([row[c] for row in values.values()] for c in ("las", m))
                axes.plot(x, y, MARKERS[k], color=COLOURS[k], label=f"α$_{{{m}}}$")
            axes.set(xlabel="LAS (percent)", ylabel="α (percent)")
            axes.legend()


def _order(values: dict[str, dict[str, float]], measure: str) -> str:
    return " > ".join(sorted(CORPORA, key=lambda name: values[name][measure], reverse=True))


def _correlations(values: dict[str, dict[str, float]]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for corpora, names in (
        ("all", list(values)),
        ("without PCEDT", [n for n in values if n != WITHOUT_LAS]),
    ):
        for m in MEASURES[:-1]:
            r = np.corrcoef([values[n][m] for n in names], [values[n]["las"] for n in names])[0, 1]
            rows.append({"corpora": corpora, "measure": m, "correlation": float(r)})
    return rows
