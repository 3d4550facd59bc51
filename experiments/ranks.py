"""Beyond the papers: which of ten measures sees which of five errors (`gammacp bench rank`)."""

from __future__ import annotations

import json
from pathlib import Path

from experiments._sweep import swept
from gammacp.base.files import write_text
from gammacp.bench.rank_results import write_ranking
from gammacp.bench.rank_stores import SweptValues
from gammacp.bench.ranking import LEAST_SETS, rank
from gammacp.bench.source import Shuffled
from gammacp.bench.sweep import Sweep, magnitudes_by

ERRORS = ("position", "category", "split", "false-positive", "false-negative")
MEASURES = (
    *("gamma", "gamma-cat", "u-alpha", "u-alpha-2013", "cu-alpha", "kappa-d", "ser"),
    *("f1-exact", "f1-overlap", "f1-category"),
)
DOCUMENTS = 10
SETS = 40  # for publication; 12 show an order


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Sweep, rank, and write the table and the figure."""
    del data
    sweep = Sweep(
        source=Shuffled(),
        errors=ERRORS,
        measures=("gamma-cat", "cu-alpha", "ser") if quick else MEASURES,
        magnitudes=magnitudes_by(0.5 if quick else 0.1),
        sets=LEAST_SETS if quick else SETS,
        experiment="ranks",
    )
    with swept(out, sweep) as store:
        values = store.values(store.begin(sweep), sweep.sets)
        configuration = json.loads(store.begin(sweep).configuration)
    chosen = {key: dict(by_set) for key, by_set in values.items() if key[2] in sweep.magnitudes}
    swept_values = SweptValues(chosen, configuration)
    ranking = rank(chosen, DOCUMENTS)
    write_ranking(ranking, swept_values, out)
    write_text(out / "ranks.json", json.dumps(ranking.as_dict(), indent=1) + "\n")
