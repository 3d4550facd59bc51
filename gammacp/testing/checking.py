"""Checks for measures and chance models that somebody adds, as part of `gammacp.testing`.

Each computes values on small continua, changes these (moved, scaled, annotators renamed, rows in
another order) and compares. A failure is an AssertionError with the values and the units.
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

    It must return a Score whose value is at most 1, or NaN with a reason; the same twice; 1 or
    undefined where all annotators did the same; and not change when everything is moved, when
    annotators swap names, or when rows come in another order. Continua that lack what it needs
    are left out.

    Parameters
    ----------
    measure
        A `Measure`, or the name of a registered one.
    continua
        Continua to try it on; default: some with gaps, overlaps, duplicates and empty annotators.
    invariant
        Invariances that it claims; leave out what it does not.
    perfect
        Whether identical annotators give 1.
    options
        For its function.
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
            again = _values(m, CHANGES[kind](continuum), options)
            _require_same(m.name, f"after changing {kind}", continuum, first_values, again)
        same = _identical(continuum)
        if perfect and unmet_need(same, m.needs) is None:
            for value in _values(m, same, options):
                require(
                    math.isnan(value) or math.isclose(value, 1),
                    m.name,
                    f"is {value:.17g}, not 1, for identical annotators: {units_in_words(same)}",
                )


def _values(m: Measure, continuum: Continuum, options: dict[str, object]) -> list[float]:
    """Return the value, or those of the categories, after checking each of them."""
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

    Its sampler must have a signature, be sent to other processes, give the same set for the same
    generator, and sets of as many annotators as were asked for, with the categories of the
    continua and finite positions; their best disorder must not change when everything is moved or
    scaled, or annotators swap names. Units of several fragments keep them, or are a DataError.

    Parameters
    ----------
    model
        A `ChanceModel`, or the name of a registered one.
    continua
        Continua that chance is modelled on, with common categories; default: four documents.
    draws
        Number of random sets to look at.
    invariant
        Invariances that it claims; a model that draws whole positions leaves out "scaling".
    """
    if isinstance(model, str):
        m = CHANCE_MODELS[model]
    else:
        m = model
    observed = list(continua) or _documents()
    if not m.pools:
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
        again = [_disorder(changed[0], _draw(other, i)) for i in range(draws)]
        _require_same(m.name, f"after changing {kind}", observed[0], disorders, again)
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
    """Return a continuum's units for a message; the first dozen."""
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
        The promise.
    name
        Measure or chance model.
    broken
        Predicate of the message, which follows the name.
    """
    if not condition:
        raise AssertionError(f"{name} {broken}")


def sample_continua() -> Iterator[Continuum]:
    """Small continua of all kinds: scattered, overlapping, tiling, predefined, uneven."""
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
    """Four documents with three annotators at the same places."""
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
    """Other units in the continuum's bounds."""
    return Continuum.from_units(
        units,
        annotators=continuum.annotators,
        categories=continuum.categories,
        bounds=continuum.bounds,
    )


def _identical(continuum: Continuum) -> Continuum:
    """Everybody marks what the first annotator with units does."""
    units = list(continuum)
    mine = [u for u in units if u.annotator == units[0].annotator]
    return _with(continuum, (replace(u, annotator=a) for a in continuum.annotators for u in mine))


def move(continuum: Continuum, factor: float, shift: float) -> Continuum:
    """Every position times `factor`, and `shift` added."""
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
    """Return the same with the annotators' names swapped, the first one's for the last one's."""
    names = dict(zip(continuum.annotators, continuum.annotators[::-1], strict=True))
    return _with(continuum, (replace(u, annotator=names[u.annotator]) for u in continuum))


CHANGES: dict[str, Callable[[Continuum], Continuum]] = {
    "moving": lambda c: move(c, 1.0, 512.0),
    "scaling": lambda c: move(c, 4.0, 0.0),
    "annotators": _swap_names,
    "rows": lambda c: _with(c, reversed(list(c))),
}
