"""2015, Figure 11: best, intermediate and worst disorder."""

from __future__ import annotations

from pathlib import Path

from experiments._common import MATHET_2015, Span, continuum, write_csv
from experiments._figures import examples_page, said
from gammacp.measures.gamma import gamma


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """γ of three annotators who agree, half agree, and avoid each other."""
    del data
    base: list[Span] = [(20 * i, 20 * i + 6, "ab"[i % 2]) for i in range(6)]
    cases = {
        "best": continuum(120, A=base, B=base, C=base),
        "intermediate": continuum(
            120, A=base, B=[(s + 2, e + 2, k) for s, e, k in base], C=base[:4]
        ),
        # Nobody's units touch anybody else's.
        "worst": continuum(
            120,
            A=base,
            B=[(s + 6.67, e + 6.67, k) for s, e, k in base],
            C=[(s + 13.34, e + 13.34, k) for s, e, k in base],
        ),
    }
    rows = []
    for name, c in cases.items():
        score = gamma(c, samples=60 if quick else 1000, **MATHET_2015)
        groups = score.alignment.groups
        rows.append(
            {
                "case": name,
                "disorder": score.observed,
                "gamma": score.value,
                "low": score.interval[0] if score.interval else None,
                "high": score.interval[1] if score.interval else None,
                "unitary_alignments": len(groups),
                "empty": int((groups < 0).sum()),
            }
        )
    write_csv(out / "disorders.csv", rows)
    titles = {str(r["case"]): said(str(r["case"]), {"gamma": float(str(r["gamma"]))}) for r in rows}
    examples_page(out / "disorders", {titles[n]: c for n, c in cases.items()}, columns=1)
