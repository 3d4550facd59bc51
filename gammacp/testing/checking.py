"""Checks for measures and chance models of users, as part of `gammacp.testing`.

Each check computes values on small continua, changes the continua (by moving, scaling, renaming
annotators or reordering rows), and compares. A failure is an AssertionError with the values and the
units.
"""

import math
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product

import numpy as np

from gammacp.chance.registry import CHANCE_MODELS, ChanceModel
from gammacp.chance.sampling import Sampler
from gammacp.continuum import Continuum, Unit
from gammacp.continuum.fragments import column
from gammacp.continuum.needs import unmet_need
from gammacp.errors import DataError
from gammacp.measures.registry import MEASURES, Measure
from gammacp.measures.score import Score

_CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def check_measure(
    measure: Measure | str,
    *,
    continua: Sequence[Continuum] = (),
    invariant: Sequence[str] = ("moving", "annotators", "rows"),
    perfect: bool = True,
    **options: object,
) -> None:
    """Raise an AssertionError that names the first promise a measure breaks.

    A measure must return a Score whose value is at most 1, or NaN with a reason. It must return the
    same value twice, and 1 or NaN where all annotators agree in everything. The value must not
    change if all units are moved, if annotators swap names, or if rows are reordered. Continua that
    the measure cannot be computed on are left out.

    Parameters
    ----------
    measure
        A `Measure`, or the name of a registered one.
    continua
        Continua to try it on; default: some with gaps, overlaps, duplicates and empty annotators.
    invariant
        Invariances that the measure claims, out of the default ones.
    perfect
        Whether identical annotators give 1.
    options
        Options for the function of the measure.
    """
    if isinstance(measure, str):
        m = MEASURES[measure]
    else:
        m = measure
    suitable = [c for c in continua or sample_continua() if unmet_need(c, m.needs) is None]
    require(bool(suitable), m.name, "was not checked: none of the continua has what it needs")
    for continuum in suitable:
        first_values = _values(m, continuum, options)
        _require_same(
            m.name, "the second time", continuum, first_values, _values(m, continuum, options)
        )
        for kind in invariant:
            changed_values = _values(m, CHANGES[kind](continuum), options)
            _require_same(m.name, f"after changing {kind}", continuum, first_values, changed_values)
        same = _identical(continuum)
        if perfect and unmet_need(same, m.needs) is None:
            for value in _values(m, same, options):
                require(
                    math.isnan(value) or math.isclose(value, 1),
                    m.name,
                    f"is {value:.17g}, not 1, for identical annotators: {units_in_words(same)}",
                )


def _values(m: Measure, continuum: Continuum, options: dict[str, object]) -> list[float]:
    """Return the value, or the values by category, after checking each."""
    try:
        score = m.function(continuum, **options)
    except DataError:
        return [math.nan]
    where = f"for {units_in_words(continuum)}"
    require(isinstance(score, Score), m.name, f"returned {score!r}, not a Score, {where}")
    if m.per_category:
        values = sorted(score.by_category.values())
    else:
        values = [score.value]
    for value in values:
        require(not value > 1 + 1e-9, m.name, f"is {value:.17g} > 1 {where}")
    if math.isnan(score.value) and not m.per_category:
        require(bool(score.reason), m.name, f"is NaN without a reason {where}")
    return [float(v) for v in values]


def _require_same(
    name: str, when: str, continuum: Continuum, before: list[float], after: list[float]
) -> None:
    same = len(before) == len(after) and np.allclose(before, after, equal_nan=True, **_CLOSE)
    require(same, name, f"is {before}, and {when} {after}, for {units_in_words(continuum)}")


def check_chance_model(
    model: ChanceModel | str,
    *,
    continua: Sequence[Continuum] = (),
    draws: int = 5,
    invariant: Sequence[str] = ("moving", "scaling", "annotators"),
) -> None:
    """Raise an AssertionError that names the first promise a chance model breaks.

    The model's sampler must have a signature, be picklable for other processes, and draw the same
    set from equal generators. Sets must have the requested number of annotators, the categories of
    the continua, and finite positions. Their best disorder must not change if all units are moved
    or scaled, or if annotators swap names. Units of several fragments must keep their fragments or
    raise a DataError.

    Parameters
    ----------
    model
        A `ChanceModel`, or the name of a registered one.
    continua
        Continua that chance is modelled on, with common categories; default: four documents.
    draws
        Number of random sets that are checked.
    invariant
        Invariances that the model claims. A model that draws whole positions cannot claim
        "scaling".
    """
    if isinstance(model, str):
        m = CHANCE_MODELS[model]
    else:
        m = model
    observed = list(continua) or _documents()
    if not m.built_from_all:
        observed = observed[:1]
    n = observed[0].n_annotators
    sampler = m.prepare(observed, n)
    where = f"for {units_in_words(observed[0])}"
    require(bool(sampler.signature), m.name, f"has no signature {where}")
    sent = pickle.loads(pickle.dumps(sampler))
    for index in range(draws):
        random = _draw(sampler, index)
        require(random == _draw(sampler, index), m.name, f"draws another set again {where}")
        require(random == _draw(sent, index), m.name, f"draws another set once sent {where}")
        require(
            random.n_annotators == n, m.name, f"draws {random.n_annotators} annotators, not {n}"
        )
        require(
            random.categories == observed[0].categories,
            m.name,
            f"draws categories {random.categories}, not {observed[0].categories}",
        )
    disorders = [_disorder(observed[0], _draw(sampler, i)) for i in range(draws)]
    for kind in invariant:
        changed = [CHANGES[kind](c) for c in observed]
        other = m.prepare(changed, n)
        second_disorders = [_disorder(changed[0], _draw(other, i)) for i in range(draws)]
        _require_same(m.name, f"after changing {kind}", observed[0], disorders, second_disorders)
    with suppress(DataError):
        thirds = [column((x / 3, 2 * x / 3)[: 2 * (x > 0)] for x in c.lengths) for c in observed]
        broken = m.prepare([replace(c, breaks=b) for c, b in zip(observed, thirds, strict=True)], n)
        for random in (_draw(broken, i) for i in range(draws)):
            fragmented = random.n_broken == np.count_nonzero(random.lengths)
            require(fragmented, m.name, f"makes one piece of units of several fragments {where}")


def _draw(sampler: Sampler[Continuum], index: int) -> Continuum:
    return sampler.draw(np.random.default_rng(index))


def _disorder(observed: Continuum, random: Continuum) -> float:
    from gammacp.alignment import best_disorder
    from gammacp.dissimilarity import Combined, bind

    if random.n_units:
        return best_disorder(random, bind(Combined(), observed)).disorder
    return 0.0


def units_in_words(continuum: Continuum) -> str:
    """Return the first dozen units of a continuum as text for a message."""
    units = [f"{u.annotator} {u.start:g}-{u.end:g} {u.category or '–'}" for u in continuum]
    if len(units) > 12:
        more = f" … ({len(units)} units)"
    else:
        more = ""
    return "; ".join(units[:12]) + more


def require(condition: bool, name: str, broken: str) -> None:
    """Raise an AssertionError unless the condition holds.

    Parameters
    ----------
    condition
        Condition that must hold.
    name
        Name of the measure or chance model.
    broken
        Predicate of the message, which follows the name.
    """
    if not condition:
        raise AssertionError(f"{name} {broken}")


def sample_continua() -> Iterator[Continuum]:
    """Yield small continua of all kinds: scattered, overlapping, tiling, predefined, uneven."""
    texts = (
        "A 0 5 a, A 9 14 b, B 1 5 a, B 8 14 c, C 9 13 b",
        "A 0 9 a, A 3 5 b, A 3 5 b, B 2 9 a, B 3 6 b",
        "A 0 6 a, A 6 12 b, B 0 5 a, B 5 12 b",
        "A 0 4 a, A 6 9 b, B 0 4 a, B 6 9 a",
        "A 0 4 a, B 20 24 b, C 40 41 a, C 50 59 a",
    )
    for text in texts:
        rows = [row.split() for row in text.split(", ")]
        yield Continuum.from_units([Unit(a, float(s), float(e), c) for a, s, e, c in rows])
    yield Continuum.from_units([Unit("A", 2, 4, "a")], annotators=["A", "B"], bounds=(0, 9))


def _documents() -> list[Continuum]:
    """Return four documents with three annotators at the same places."""
    return [
        Continuum.from_units(
            [
                Unit(annotator, 20 * k + 3 * d, 20 * k + 3 * d + 9, "ab"[(i + k * d) % 2])
                for (i, annotator), k in product(enumerate("ABC"), range(3 + d))
            ],
            categories=("a", "b"),
            bounds=(0, 100 + 20 * d),
        )
        for d in range(4)
    ]


def _with(continuum: Continuum, units: Iterable[Unit]) -> Continuum:
    """Return a continuum with the same bounds and other units."""
    return Continuum.from_units(
        units,
        annotators=continuum.annotators,
        categories=continuum.categories,
        bounds=continuum.bounds,
    )


def _identical(continuum: Continuum) -> Continuum:
    """Return a continuum in which everybody has the units of the first annotator with units."""
    units = list(continuum)
    units_of_one = [u for u in units if u.annotator == units[0].annotator]
    return _with(
        continuum, (replace(u, annotator=a) for a in continuum.annotators for u in units_of_one)
    )


def move(continuum: Continuum, factor: float, shift: float) -> Continuum:
    """Return the continuum with every position multiplied by `factor`, plus `shift`."""
    low, high = continuum.bounds
    breaks = continuum.breaks
    shapes = continuum.shapes
    if breaks is not None:
        breaks = column(tuple(x * factor for x in places) for places in breaks)
    if shapes is not None:
        shapes = column(shape.times(factor) for shape in shapes)
    return replace(
        continuum,
        starts=continuum.starts * factor + shift,
        ends=continuum.ends * factor + shift,
        breaks=breaks,
        shapes=shapes,
        bounds=(low * factor + shift, high * factor + shift),
    )


def _swap_names(continuum: Continuum) -> Continuum:
    """Return the continuum with the annotators' names in reverse order."""
    names = dict(zip(continuum.annotators, continuum.annotators[::-1], strict=True))
    return _with(continuum, (replace(u, annotator=names[u.annotator]) for u in continuum))


CHANGES: dict[str, Callable[[Continuum], Continuum]] = {
    "moving": lambda c: move(c, 1.0, 512.0),
    "scaling": lambda c: move(c, 4.0, 0.0),
    "annotators": _swap_names,
    "rows": lambda c: _with(c, reversed(list(c))),
}
