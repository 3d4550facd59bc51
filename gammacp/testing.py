"""For tests: does a dissimilarity keep its promises, and random continua to try things on.

`check_dissimilarity` and `check_format` need nothing but NumPy; the strategies need Hypothesis
(imported when they are called).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gammacp.arrays import Floats
from gammacp.checking import check_chance_model as check_chance_model
from gammacp.checking import check_measure as check_measure
from gammacp.continuum import Continuum, Unit
from gammacp.dissimilarity.base import BoundDissimilarity, UnitColumns, bind, columns
from gammacp.formats.checking import check_format as check_format

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Invariance = Literal["moving", "scaling"]

_POSITIONS = (0.0, 1.0, 2.0, 3.5, 7.0, 10.0, 10.25, 40.0, 1000.0)


def check_dissimilarity(
    dissimilarity: Any,
    *,
    categories: Sequence[str] = ("1", "2", "3", "5"),
    invariant: Sequence[Invariance] = ("moving", "scaling"),
    seed: int = 0,
) -> None:
    """AssertionError that names the first promise a dissimilarity breaks.

    It must broadcast, be ≥ 0 and symmetric, be 0 for equal units and only for them, have a sound
    `reach`, and not change when everything is moved or scaled. A dissimilarity that cannot tell
    some units apart says so in `blind_to`, a set out of "start", "end", "category" (Hamming
    ignores starts: its "0 iff equal" holds on tilings only). It is bound anew to each continuum.

    Parameters
    ----------
    categories
        Names to try it with; unlabelled units are tried too.
    invariant
        What it claims; leave out what it does not.
    """
    source = _varied_continuum(tuple(categories), seed)
    bound, units = bind(dissimilarity, source), columns(source)
    distances = _broadcast(bound, units)
    name = type(dissimilarity).__name__
    _require(not np.isnan(distances).any() and bool((distances >= 0).all()), name, "is not >= 0")
    _require(np.array_equal(distances, distances.T), name, "is not symmetric")
    _check_zeros(name, units, distances, frozenset(getattr(dissimilarity, "blind_to", ())))
    _check_reach(name, bound, units, distances)
    for kind in invariant:
        changed = _changed(source, kind)
        again = _broadcast(bind(dissimilarity, changed), columns(changed))
        _require(np.allclose(again, distances, rtol=1e-9, atol=1e-12), name, f"changes with {kind}")


def _require(condition: bool, name: str, broken: str) -> None:
    if not condition:
        raise AssertionError(f"{name} {broken}")


def _varied_continuum(categories: tuple[str, ...], seed: int) -> Continuum:
    generator = np.random.default_rng(seed)
    labels = [*categories, None]
    rows = [
        Unit(annotator, start, start + length, labels[generator.integers(len(labels))])
        for annotator in ("A", "B")
        for start in _POSITIONS
        for length in (0.0, 1.0, 3.0, 10.0)
    ]
    rows += [Unit("A", 5.0, 8.0, label) for label in labels]
    return Continuum.from_units(rows, categories=categories)


def _broadcast(bound: BoundDissimilarity, units: UnitColumns) -> Floats:
    table = np.asarray(bound.pairwise(units[:, None], units[None, :]))
    size = len(units.start)
    _require(table.shape == (size, size), type(bound).__name__, "does not broadcast")
    rows = np.asarray(bound.pairwise(units, units[::-1]))
    straight = table[np.arange(size), np.arange(size)[::-1]]
    _require(np.array_equal(rows, straight), type(bound).__name__, "depends on the columns' shape")
    return table


def _check_zeros(
    name: str, units: UnitColumns, distances: Floats, blind_to: frozenset[str]
) -> None:
    equal = np.ones(distances.shape, np.bool_)
    indistinct = np.ones(distances.shape, np.bool_)
    for part in ("start", "end", "category"):
        column = getattr(units, part)
        same = column[:, None] == column[None, :]
        equal &= same
        if part not in blind_to:
            indistinct &= same
    _require(bool((distances[equal] == 0).all()), name, "is not 0 for equal units")
    _require(bool((distances[~indistinct] > 0).all()), name, "is 0 for different units")


def _check_reach(
    name: str, bound: BoundDissimilarity, units: UnitColumns, distances: Floats
) -> None:
    apart = np.abs(units.start[:, None] - units.start[None, :])
    lengths = units.length[:, None] + units.length[None, :]
    for most in (0.0, 0.01, 0.3, 1.0, 4.0, 30.0):
        absolute, relative = bound.reach(most)
        beyond = apart > absolute + relative * lengths
        _require(
            bool((distances[beyond] > most).all()), name, f"comes to {most:g} beyond its reach"
        )


def _changed(source: Continuum, kind: Invariance) -> Continuum:
    shift, factor = (512.0, 1.0) if kind == "moving" else (0.0, 4.0)
    return Continuum.from_codes(
        source.annotators,
        source.categories,
        source.starts * factor + shift,
        source.ends * factor + shift,
        source.annotator_codes,
        source.category_codes,
    )


def units(
    *,
    annotators: Sequence[str] = ("A", "B", "C"),
    categories: Sequence[str | None] = ("a", "b", None),
    last: int = 20,
) -> SearchStrategy[Unit]:
    """Hypothesis strategy: units on whole positions 0 … `last`, of length 0 … 8."""
    from hypothesis import strategies as st

    return st.builds(
        lambda annotator, start, length, category: Unit(annotator, start, start + length, category),
        st.sampled_from(annotators),
        st.integers(0, last),
        st.integers(0, 8),
        st.sampled_from(categories),
    )


def continua(
    *,
    n_annotators: int | tuple[int, int] = (2, 4),
    n_units: tuple[int, int] = (1, 10),
    categories: Sequence[str | None] = ("a", "b", None),
    last: int = 20,
) -> SearchStrategy[Continuum]:
    """Hypothesis strategy: continua with empty annotators, overlaps and duplicates.

    `n_annotators` and `n_units` (of all annotators together) are (least, most).
    """
    from hypothesis import strategies as st

    least, most = (n_annotators, n_annotators) if isinstance(n_annotators, int) else n_annotators
    names = [f"A{i}" for i in range(most)]
    labels = [c for c in categories if c is not None]
    return st.integers(least, most).flatmap(
        lambda n: st.lists(
            units(annotators=names[:n], categories=categories, last=last),
            min_size=n_units[0],
            max_size=n_units[1],
        ).map(lambda rows: Continuum.from_units(rows, annotators=names[:n], categories=labels))
    )
