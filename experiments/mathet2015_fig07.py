"""2015, Figures 7–9: alignment is holistic, and needs no intersection."""

from __future__ import annotations

from pathlib import Path

from experiments._common import Span, continuum, write_csv
from experiments._figures import examples_page
from gammacp.alignment import align
from gammacp.continuum import Continuum, Unit

A5: Span = (100, 130, None)
B4: Span = (84, 113, None)
B5: Span = (112, 141, None)


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Align A5, alone and in two surroundings; and Figure 9's named entity."""
    del quick, data
    alone = continuum(A=[A5], B=[B4, B5])
    # (a) A's next unit claims B5; (b) A's previous unit claims B4.
    after = continuum(A=[A5, (114, 143, None)], B=[B4, B5])
    before = continuum(A=[(82, 111, None), A5], B=[B4, B5])
    write_csv(
        out / "holistic.csv",
        [
            {"surroundings": name, "partner": _partner(c)}
            for name, c in (("none", alone), ("8a", after), ("8b", before))
        ],
    )
    name = continuum(one=[(0, 20, "NE")], two=[(0, 9, "NE")], three=[(11, 20, "NE")])
    together = align(name).unitary_alignments
    write_csv(
        out / "no_intersection.csv",
        [
            {
                "unitary_alignments": len(together),
                "units": sum(u is not None for u in together[0].units.values()),
                "disorder_together": together[0].disorder,
            }
        ],
    )
    shown = {"7: A5 with B5": alone, "8a: A5 with B4": after, "8b: A5 with B5": before}
    examples_page(out / "holistic", {**shown, "9: all three together": name})


def _partner(c: Continuum) -> str:
    names = {Unit("B", *B4): "B4", Unit("B", *B5): "B5", None: "nobody"}
    unit = Unit("A", *A5)
    unitary = next(u for u in align(c).unitary_alignments if u.units["A"] == unit)
    return names[unitary.units["B"]]
