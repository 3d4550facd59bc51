"""Independence of random sets from the unit and the origin of positions.

Units lie on a grid, so that they touch and share starts and ends, and sums and distances equal the
values with which a model compares. Counted in seconds, they do so only up to rounding.
"""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gammacp import Continuum, Corpus, Unit, gamma
from gammacp.chance.registry import CHANCE_MODELS
from gammacp.errors import DataError

# This model keeps whole positions whole, and so draws other places for fractions.
MODELS = sorted({*CHANCE_MODELS} - {"non-overlapping"})
# These draw as another model does, from other parameters.
VARIANTS = {"shift-pooled", "statistical-normal"}
ROUNDED: tuple[Callable[[float], float], ...] = (
    lambda ms: ms / 1000,
    lambda ms: ms / 1000 + 3600,
    lambda ms: ms * 0.7,
)
EXACT: tuple[Callable[[float], float], ...] = (lambda ms: ms / 64, lambda ms: ms + 2**20)

Annotated = list[list[tuple[int, int]]]
"""For each annotator the length of every unit, and how far after its end the next one starts."""
# Units mostly touch and are often alike; steps below 0 are overlaps.
UNITS = st.lists(
    st.tuples(st.sampled_from([100, 100, 200, 300, 700]), st.sampled_from([0, 0, 0, -100, 100])),
    max_size=6,
)
DOCUMENTS = st.lists(
    st.lists(UNITS, min_size=3, max_size=3).filter(lambda people: any(people)),
    min_size=3,
    max_size=3,
)
# Free are 0–100 of 0–400: exactly the quarter that suffices for cuts.
JUST_A_QUARTER: list[Annotated] = [[[(200, -100), (200, 0)], [], []]] * 3
# Cuts can be exactly the mean length, 200, apart.
GRID: list[Annotated] = [[[(100, 0), (200, 0), (300, 0)] * 3] * 3] * 3
# The other annotators' units are 300 long, exactly the distance from the first one's.
IN_A_ROW: list[Annotated] = [[[(length, 0)]] * 3 for length in (100, 300, 300)]


def document(
    people: Annotated, unit: Callable[[float], float], declared: int | None, number: int = 0
) -> Continuum:
    units, last = [], 0
    for name, row in zip("ABC", people, strict=True):
        at = 400 if number else 100
        for k, (length, step) in enumerate(row):
            units.append(Unit(name, unit(at), unit(at + length), "xy"[k % 2]))
            last = max(last, at + length)
            at = max(at + length + step, 0)
    bounds = None if declared is None else (unit(0), unit(last + declared))
    return Continuum.from_units(units, annotators=["A", "B", "C"], bounds=bounds)


def drawn(model: str, documents: list[Continuum]) -> list[Continuum]:
    """Return eight random sets of a corpus."""
    made = list(Corpus.from_continua({str(k): c for k, c in enumerate(documents)}).values())
    sampler = CHANCE_MODELS[model].prepare(made, 3)
    return [sampler.draw(np.random.default_rng(k)) for k in range(8)]


def places(c: Continuum) -> list[np.ndarray]:
    """Return the sorted starts and ends of each annotator, whatever the order of equal units."""
    rows = [c.rows_of(name) for name in c.annotators]
    return [np.sort(x[r]) for r in rows for x in (c.starts, c.ends)]


@pytest.mark.parametrize(
    "model",
    [pytest.param(m, marks=pytest.mark.slow) if m in VARIANTS else m for m in MODELS],
)
@settings(max_examples=12, deadline=None)
@given(DOCUMENTS, st.none() | st.sampled_from([0, 100, 500]))
@example(JUST_A_QUARTER, 0)
@example(GRID, None)
@example(IN_A_ROW, None)
def test_another_unit_or_origin_gives_the_same_sets(
    model: str, people: list[Annotated], declared: int | None
) -> None:
    chosen = people if CHANCE_MODELS[model].built_from_all else people[:1]

    def sets(unit: Callable[[float], float]) -> list[Continuum] | str:
        try:
            return drawn(model, [document(p, unit, declared, k) for k, p in enumerate(chosen)])
        except DataError as error:
            return str(error)

    known = sets(lambda ms: ms)
    # Without declared bounds, the gaps of this model count from 0, as in pygamma-agreement.
    from_zero = model == "statistical-normal" and declared is None
    for unit in (u for u in (*ROUNDED, *EXACT) if u(0) == 0 or not from_zero):
        again, scale = sets(unit), unit(1000) - unit(0)
        if isinstance(known, str) or isinstance(again, str):
            assert known == again
            continue
        for one, other in zip(known, again, strict=True):
            assert one.n_annotators == other.n_annotators
            for before, after in zip(places(one), places(other), strict=True):
                if unit in EXACT:
                    assert (before * (scale / 1000) == after).all()
                else:
                    assert after * (1000 / scale) == pytest.approx(before, abs=1e-6)


@settings(max_examples=10, deadline=None)
@given(DOCUMENTS)
def test_gamma_is_the_same_in_any_unit(people: list[Annotated]) -> None:
    def value(unit: Callable[[float], float]) -> float:
        return gamma(document(people[0], unit, None), chance="cut", samples=5).value

    known = value(lambda ms: ms)
    assert [value(unit) for unit in EXACT] == [pytest.approx(known, abs=0, nan_ok=True)] * 2
    assert [value(u) for u in ROUNDED] == [pytest.approx(known, abs=1e-9, nan_ok=True)] * 3
