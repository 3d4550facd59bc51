"""Hypothesis strategies for units of several fragments."""

from dataclasses import replace
from itertools import accumulate

from hypothesis import strategies as st

from gammacp import Continuum, Unit
from gammacp.testing import units


def broken_units(**options: object) -> st.SearchStrategy[Unit]:
    """Draw units of one to four fragments; gaps and further fragments have length 1 to 4."""

    def broken(unit: Unit, steps: list[int]) -> Unit:
        more = steps[: len(steps) // 2 * 2] if unit.length else []
        edges = [unit.start, *accumulate(more, initial=unit.end)]
        fragments = tuple(zip(edges[::2], edges[1::2], strict=True)) if more else ()
        return replace(unit, end=edges[-1], fragments=fragments)

    steps = st.lists(st.integers(1, 4), max_size=6)
    return st.builds(broken, units(**options), steps)  # type: ignore[arg-type]


def broken_continua(most: int = 4) -> st.SearchStrategy[Continuum]:
    """Draw continua of two to `most` annotators and up to nine units."""
    names = ["A", "B", "C", "D"][:most]
    several = st.lists(broken_units(annotators=names), min_size=1, max_size=9)
    return several.map(lambda rows: Continuum.from_units(rows, annotators=names))
