"""Skjærholt 2014, Figure 5: α and LAS with heads alone in error."""

from __future__ import annotations

from pathlib import Path

from experiments._treebanks import perturbation_figure


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write the curves on samples of the Danish and the English treebank."""
    perturbation_figure("attach", out, quick=quick, data=data)
