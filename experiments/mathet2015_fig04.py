"""2015, Figure 4: the four distortions of discretised κ, as probes."""

from __future__ import annotations

import math
from pathlib import Path

from experiments._common import MATHET_2015, Span, continuum, write_csv
from experiments._figures import examples_page, said
from gammacp.continuum import Continuum
from gammacp.measures.measuring import measure

MEASURES = ("gamma", "kappa-d")


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Each probe against its counterpart, κ_d beside γ."""
    del data
    samples = 30 if quick else 400
    rows = []
    for probe, c in _probes().items():
        for name, score in measure(c, MEASURES, samples=samples, **MATHET_2015).items():
            value = score.value if score.defined else math.nan
            rows.append(
                {
                    "probe": probe,
                    "measure": name,
                    "value": value,
                    "observed": score.observed,
                    "reason": score.reason,
                }
            )
    write_csv(out / "distortions.csv", rows)
    values = {(r["probe"], r["measure"]): float(str(r["value"])) for r in rows}
    titles = {p: said(p, {m: values[p, m] for m in MEASURES}) for p in _probes()}
    examples_page(out / "distortions", {titles[p]: c for p, c in _probes().items()})


def _probes() -> dict[str, Continuum]:
    common: list[Span] = [(40, 44, "red"), (60, 66, "blue"), (80, 84, "red")]
    base = [(10, 14, "red"), *common]
    missing = [(10, 14, "red"), (20, 21, "blue"), *common]
    return {
        "identical": continuum(100, A=base, B=base),
        "two contiguous units against one": continuum(
            100, A=base, B=[(10, 12, "red"), (12, 14, "red"), *common]
        ),
        "a false positive of one atom": continuum(100, A=missing, B=base),
        "a boundary off by one atom": continuum(100, A=[(10, 15, "red"), *common], B=base),
        "disagreement, short gaps": continuum(90, A=base, B=[(12, 16, "red"), *common]),
        "disagreement, long gaps": continuum(900, A=base, B=[(12, 16, "red"), *common]),
        "embedded units": continuum(100, A=[*base, (61, 63, "red")], B=[*base, (61, 63, "red")]),
    }
