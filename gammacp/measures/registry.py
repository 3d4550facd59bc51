"""The measures by name, what each needs, and how several are computed on one continuum."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from gammacp.continuum import Continuum
from gammacp.errors import DataError, UsageError
from gammacp.measures.score import Score, undefined
from gammacp.registry import Registry


class Need(StrEnum):
    """What a measure requires of a continuum; what is not met is a reason to skip it."""

    CATEGORIES = "categories"  # every unit is labelled
    NO_OVERLAP = "no overlap"  # units of one annotator do not overlap
    INTEGERS = "integers"  # positions are whole numbers
    FULL_COVERING = "full covering"  # every annotator's units tile the bounds without gaps
    PREDEFINED = "predefined units"  # all annotators have units at the same places
    TWO_ANNOTATORS = "two annotators"


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A registered measure.

    `function(continuum, **options) -> Score`: keyword-only options with defaults; `measure` hands
    each function the options that it declares. A function that declares `shared` gets one dict
    per call of `measure`, in which measures of a family leave what the others can use (γ, γ_cat
    and γ_k their alignments). `range` is that of the value, as text; `applies_to` is "continuum"
    or "trees".
    """

    name: str
    summary: str
    reference: str
    function: Callable[..., Score]
    needs: frozenset[Need] = frozenset()
    range: str = "(−∞, 1]"
    chance_corrected: bool = True
    per_category: bool = False
    applies_to: str = "continuum"

    @property
    def options(self) -> frozenset[str]:
        """Names of the options that the function declares."""
        parameters = inspect.signature(self.function).parameters.values()
        return frozenset(
            p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "shared"
        )

    @property
    def shares(self) -> bool:
        """Whether the function leaves intermediate results to the others of its family."""
        return "shared" in inspect.signature(self.function).parameters


MEASURES: Registry[Measure] = Registry("measure", modules=())


def register(measure: Measure) -> Measure:
    """Add a measure under its name."""
    return MEASURES.register(measure.name, measure)


def unmet_need(continuum: Continuum, needs: Iterable[Need]) -> str | None:
    """Why a measure with these needs does not apply to the continuum; None if it does."""
    for need in sorted(needs):
        reason = _CHECKS[need](continuum)
        if reason is not None:
            return reason
    return None


def _unlabelled(c: Continuum) -> str | None:
    rows = np.flatnonzero(c.category_codes < 0)
    return f"{_unit(c, rows[0])} has no category" if len(rows) else None


def _overlap(c: Continuum) -> str | None:
    for a in range(c.n_annotators):
        lo, hi = c.offsets[a], c.offsets[a + 1]
        reached = np.maximum.accumulate(c.ends[lo:hi])
        rows = np.flatnonzero(c.starts[lo + 1 : hi] < reached[:-1])
        if len(rows):
            i = int(lo + rows[0] + 1)
            return f"{_unit(c, i)} overlaps an earlier unit of the same annotator"
    return None


def _fractional(c: Continuum) -> str | None:
    rows = np.flatnonzero((c.starts % 1 != 0) | (c.ends % 1 != 0))
    return f"{_unit(c, rows[0])} has a position that is not a whole number" if len(rows) else None


def _uncovered(c: Continuum) -> str | None:
    lo, hi = c.bounds
    for a, name in enumerate(c.annotators):
        starts = c.starts[c.offsets[a] : c.offsets[a + 1]]
        ends = c.ends[c.offsets[a] : c.offsets[a + 1]]
        if not len(starts):
            return f"{name} has no units, so nothing is covered"
        edges = np.concatenate(([lo], ends)), np.concatenate((starts, [hi]))
        rows = np.flatnonzero(edges[0] != edges[1])
        if len(rows):
            end, start = edges[0][rows[0]], edges[1][rows[0]]
            what = "gap" if end < start else "overlap"
            return f"{what} between {end:g} and {start:g} in the units of {name}"
    return None


def _not_predefined(c: Continuum) -> str | None:
    first = slice(int(c.offsets[0]), int(c.offsets[1]))
    for a in range(1, c.n_annotators):
        other = slice(int(c.offsets[a]), int(c.offsets[a + 1]))
        if not (
            np.array_equal(c.starts[first], c.starts[other])
            and np.array_equal(c.ends[first], c.ends[other])
        ):
            return f"{c.annotators[0]} and {c.annotators[a]} have units at different places"
    return None


def _not_two(c: Continuum) -> str | None:
    return None if c.n_annotators == 2 else f"{c.n_annotators} annotators, where two are needed"


def _unit(c: Continuum, row: int) -> str:
    u = c.unit(row)
    return f"unit {u.start:g}-{u.end:g} of {u.annotator}"


_CHECKS: dict[Need, Callable[[Continuum], str | None]] = {
    Need.CATEGORIES: _unlabelled,
    Need.NO_OVERLAP: _overlap,
    Need.INTEGERS: _fractional,
    Need.FULL_COVERING: _uncovered,
    Need.PREDEFINED: _not_predefined,
    Need.TWO_ANNOTATORS: _not_two,
}


def measure(continuum: Continuum, names: Iterable[str], **options: object) -> dict[str, Score]:
    """Several measures of one continuum.

    A measure that does not apply, or whose data are bad for it, is an undefined Score with the
    reason; the others go on. An option that none of the measures has is a UsageError.
    """
    chosen = {name: MEASURES[name] for name in names}
    known = frozenset[str]().union(*(m.options for m in chosen.values()))
    for option in options.keys() - known:
        raise UsageError(f"option {option!r} belongs to none of: {', '.join(chosen)}")
    shared: dict[object, object] = {}
    return {name: _evaluate(m, continuum, options, shared) for name, m in chosen.items()}


def _evaluate(
    m: Measure, continuum: Continuum, options: dict[str, object], shared: dict[object, object]
) -> Score:
    reason = unmet_need(continuum, m.needs)
    if reason is not None:
        return undefined(reason)
    mine = {key: value for key, value in options.items() if key in m.options}
    if m.shares:
        mine["shared"] = shared
    try:
        score = m.function(continuum, **mine)
    except DataError as error:
        return undefined(str(error))
    if math.isnan(score.value) and score.reason is None and not m.per_category:
        raise AssertionError(f"{m.name} returned NaN without a reason")
    return score
