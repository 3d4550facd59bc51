"""2015, Figure 10: dissimilarities from 0 to 22.2·Δ, and the broken triangle."""

from __future__ import annotations

from pathlib import Path

from experiments._common import write_csv
from experiments._figures import examples_page
from gammacp.datasets import load
from gammacp.dissimilarity import Combined, bind, unit_columns


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """d_pos of all pairs of units of different annotators, in Δ."""
    del quick, data
    c = load("figure10")
    d = bind(Combined(beta=0), c)
    units = unit_columns(c)
    # The paper's A, B, C are the annotators in file order; units are numbered by position.
    letters = dict(zip(("Joe", "Jack", "William"), "ABC", strict=True))
    names = [
        f"{letters[c.annotators[a]]}{row - int(c.offsets[a]) + 1}"
        for row, a in enumerate(c.annotator_codes)
    ]
    matrix = d.pairwise(units[:, None], units[None, :])
    rows = [
        {"pair": "–".join(sorted((names[i], names[j]))), "dissimilarity": float(matrix[i, j])}
        for i in range(c.n_units)
        for j in range(i)
        if c.annotator_codes[i] != c.annotator_codes[j]
    ]
    write_csv(out / "dissimilarities.csv", sorted(rows, key=lambda r: str(r["pair"])))
    value = {str(r["pair"]): float(str(r["dissimilarity"])) for r in rows}
    detour = value["A1–C1"] + value["B2–C1"]
    write_csv(
        out / "triangle.csv",
        [{"path": "direct", "length": value["A1–B2"]}, {"path": "by C1", "length": detour}],
    )
    far = ", ".join(f"{pair} {value[pair]:.3g}" for pair in ("A1–C1", "A1–B2", "A1–C2"))
    examples_page(out / "dissimilarities", {f"d / Δ: {far}": c}, columns=1, width=4.5)
