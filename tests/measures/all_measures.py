"""Print every measure of some continua, number by number, in hexadecimal."""

from __future__ import annotations

import gammacp as gc
from gammacp import Continuum
from gammacp.measures.registry import MEASURES
from shuffling import Layout, ReferenceModel, shuffled_sets

OPTIONS = {"samples": 3, "bootstrap": 50}


def continua() -> list[Continuum]:
    found: list[Continuum] = []
    for layout in (Layout.APART, Layout.COVERING, Layout.FIXED):
        model = ReferenceModel(n_units=15).laid_out(layout)
        error = "category" if layout is Layout.FIXED else "position+category"
        found += shuffled_sets(model, error, 0.4, 3, sets=2, seed=1)
    return found


def text(number: float | None) -> str:
    return "None" if number is None else float(number).hex()


def main() -> None:
    names = [n for n, m in MEASURES.items() if m.applies_to == "continuum"]
    for i, continuum in enumerate(continua()):
        for name, score in gc.measure(continuum, names, **OPTIONS).items():
            ends = (*(score.interval or ()), *(score.bootstrap or ()))
            numbers = [score.value, score.observed, score.expected, *ends]
            print(i, name, *map(text, [*numbers, *score.by_category.values()]))


if __name__ == "__main__":
    main()
