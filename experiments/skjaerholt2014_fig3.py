"""Skjærholt 2014, Figure 3: α and LAS with labels and heads in error with the same probability."""

from __future__ import annotations

from pathlib import Path

from experiments._treebanks import perturbation_figure


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write the curves on samples of the Danish and the English treebank."""
    perturbation_figure("label+attach", out, quick=quick, data=data)
