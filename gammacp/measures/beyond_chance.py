"""Any measure beyond chance: 1 − D_o/E[D], the expectation taken over random data.

D is what a measure counts before any correction of its own: the error of SER, WindowDiff, P_k and
GHD, 1 − value of S, B, F₁, LAS, 1 − P_o of κ_d and κ, D_o of the α family, the disorder of γ. Each
registered measure declares it (`Measure.disagreement`); γ and its family, whose value is
1 − D_o/E[D] already, are handed on as they are.

The random data come from a chance model, the same for all measures, drawn once; their number
follows the rule of Mathet, Widlöcher & Métivier (2015, §5.3).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.base.signature import signature
from gammacp.chance.annotation import ROUNDING
from gammacp.chance.beyond import NOT_OBSERVED, BeyondChance, against_chance
from gammacp.chance.cut import circle_of
from gammacp.chance.registry import CHANCE_MODELS
from gammacp.continuum import Continuum
from gammacp.continuum.fragments import Breaks, column
from gammacp.continuum.needs import Need
from gammacp.errors import DataError
from gammacp.measures.evaluation import evaluate, measure_each
from gammacp.measures.gamma_notes import few_units
from gammacp.measures.pooling import PooledCounts
from gammacp.measures.registry import MEASURES, Measure, expand_names
from gammacp.measures.score import Score
from gammacp.measures.settings import Settings
from gammacp.registry import Registry

if TYPE_CHECKING:
    from gammacp.measures.matching.label_matching import LabelMatching

OTHER_DATA: Registry[Any] = Registry("beyond chance")
"""How data other than continua are compared with chance, by their kind (`applies_to`).

`(data, names, seed=…)` -> BeyondChance by name of the measure.
"""
CHANCE_OPTIONS = frozenset({"chance", "precision", "confidence", "samples", "seed"})
_NO_DISAGREEMENT = "{} defines no disagreement to compare with chance"
_BY_CATEGORY = "{} has values only per category{}"
_EXACT = "f1-exact"
_NO_GRID = (
    "f1-exact beyond chance has no p: the positions may lie on a grid (words, frames) that random "
    "units miss; give it with `grid=`"
)
NOT_MATCHED = "{} has random sets of its own, whose labels are not matched"
_ELSEWHERE = "chance model {} moves units, but these are predefined: use fixed-positions"


@dataclass(frozen=True)
class MeasuredDisagreements:
    """Disagreements of several measures on one random continuum; NaN where one has no value."""

    names: tuple[str, ...]
    options: Mapping[str, object]
    whole: bool
    """Whether the data have whole positions, to which random units are then moved."""
    declared: bool
    """Whether somebody declared the data's bounds; otherwise they are those of the units."""
    matching: LabelMatching | None = None
    """The way in which labels are matched, where those of the data were."""

    def __call__(self, continuum: Continuum) -> dict[str, float]:
        """D by measure."""
        continuum = on_the_grid(continuum, whole=self.whole, declared=self.declared)
        if self.matching is not None:
            continuum = self.matching.match({"": continuum}).documents[""]
        shared: dict[object, object] = {}
        disagreements = {}
        for name in self.names:
            m = MEASURES[name]
            if can_observe(m):
                disagreements[name] = pooled_disagreement(m, {"": continuum}, self.options)
                continue
            value = m.disagreement_of(evaluate(m, continuum, self.options, shared))
            disagreements[name] = math.nan if value is None else value
        return disagreements


def can_observe(m: Measure) -> bool:
    """Return whether a measure that draws random sets can compute its D without them.

    Parameters
    ----------
    m
        The measure.
    """
    return m.counting is not None and m.counting.observe is not None


def pooled_disagreement(
    m: Measure, documents: Mapping[str, Continuum], options: Mapping[str, object]
) -> float:
    """Return D of documents together, without the random sets that the measure would draw.

    Parameters
    ----------
    m
        A measure whose counting can `observe`.
    documents
        Data or random sets; those in which nothing can be observed are left out.
    options
        Options of measures.
    """
    assert m.counting is not None
    assert m.counting.observe is not None
    own_options = {k: v for k, v in options.items() if k in m.options}
    counts = []
    weights = []
    for continuum in documents.values():
        try:
            counts.append(m.counting.observe(continuum, **own_options))
        except DataError:
            continue
        weights.append(continuum.weight)
    if not counts:
        return math.nan
    pool = PooledCounts.of(counts, weights, m.counting.pooling_of(**own_options))
    return float(m.counting.rates(pool.total).disagreement[0])


def on_the_grid(continuum: Continuum, *, whole: bool, declared: bool) -> Continuum:
    """Return random units at positions that measures over positions can use.

    If positions are whole numbers, starts are rounded and lengths kept. A unit that an end of the
    text has cut is rounded at both ends, and left out if nothing remains. For other positions,
    units and fragments that touched before they were moved are made to touch again, because the
    rounding of sums may have separated them. If nobody declared bounds, they are those of the
    units, as in the data: measures that count positions would take the rest for agreement.
    """
    starts = continuum.starts
    ends = continuum.ends
    breaks = continuum.inside
    annotators = continuum.annotator_codes
    labels = continuum.category_codes
    low, high = continuum.bounds
    if whole:
        lengths = np.round(continuum.lengths)
        torn = np.abs(continuum.lengths - lengths) > ROUNDING * continuum.length
        starts, ends = np.round(starts), np.where(torn, np.round(ends), np.round(starts) + lengths)
        if breaks is None:
            is_kept = ~torn | (starts < ends)
            starts = starts[is_kept]
            ends = ends[is_kept]
            annotators = annotators[is_kept]
            labels = labels[is_kept]
        low = float(np.round(low))
        high = float(np.round(high))
    else:
        ends = starts + continuum.lengths
    if not whole and breaks is not None and continuum.n_broken:
        starts, ends, breaks = _touching(continuum, starts, ends, breaks)
    if not whole and len(ends):
        near = np.abs(starts[1:] - ends[:-1]) < ROUNDING * continuum.length
        near &= annotators[1:] == annotators[:-1]
        ends[:-1][near] = starts[1:][near]
        ends[np.abs(ends - high) < ROUNDING * continuum.length] = high
    return Continuum.from_codes(
        continuum.annotators,
        continuum.categories,
        starts,
        ends,
        annotators,
        labels,
        inside=breaks,
        ids=continuum.ids,
        links=continuum.links,
        bounds=(low, max(high, float(ends.max(initial=low)))) if declared else None,
    )


def _touching(
    continuum: Continuum, starts: Floats, ends: Floats, breaks: Breaks
) -> tuple[Floats, Floats, Breaks | None]:
    """Return starts, ends and breaks after merging boundaries that nearly coincide.

    Only boundaries of the same annotator are merged. Places are rounded to fifteen digits, as
    `fragments_of` rounds the breaks within a unit.
    """
    n = len(starts)
    rows = np.repeat(np.arange(len(starts)), [len(b) for b in breaks])
    places = np.concatenate((starts, ends, starts[rows] + np.concatenate([*breaks])))
    codes = continuum.annotator_codes
    who = np.concatenate((codes, codes, codes[rows]))
    order = np.lexsort((places, who))
    apart = np.diff(places[order], prepend=-np.inf) >= ROUNDING * continuum.length
    apart |= np.diff(who[order], prepend=-1) != 0
    one = np.array([float(f"{place:.15g}") for place in places[order][apart]])
    places[order] = one[np.cumsum(apart) - 1]
    starts, ends, inside = np.split(places, [n, 2 * n])
    cuts = np.cumsum([len(b) for b in breaks])[:-1]
    each = np.split(inside - starts[rows], cuts)
    return starts, ends, column(tuple(b.tolist()) for b in each)


def _own(score: Score) -> BeyondChance | None:
    """Return the `BeyondChance` of a score that is against chance already; None for others."""
    if not score.chance:
        return None
    names = (
        "value", "interval", "observed", "expected", "chance", "samples", "p", "least_p", "reason",
        "signature",
    )  # fmt: skip
    return BeyondChance(**{name: getattr(score, name) for name in names})


def against_own_chance(score: Score) -> Score:
    """Return a score of γ's family with itself as its value beyond chance.

    Parameters
    ----------
    score
        Score of one continuum.
    """
    return replace(score, beyond_chance=_own(score) or _without(score.reason or "", ""))


def unsuited(m: Measure, model: str) -> str | None:
    """Return the reason why the chance model cannot serve the measure, or None.

    Parameters
    ----------
    m
        The measure.
    model
        Name of a chance model.
    """
    if m.per_category:
        return _BY_CATEGORY.format(m.name, "" if m.counts else ", which are 1 − D/E[D] already")
    if m.needs & {Need.PREDEFINED, Need.PLACES} and not CHANCE_MODELS[model].keeps_places:
        return _ELSEWHERE.format(model)
    if m.counts:
        return None
    return _NO_DISAGREEMENT.format(m.name)


def _without(reason: str, model: str) -> BeyondChance:
    return BeyondChance(value=math.nan, chance=model, reason=reason)


def measured_beyond_chance(
    continuum: Any,
    names: Iterable[str],
    options: Mapping[str, object],
    matching: LabelMatching | None = None,
) -> dict[str, Score]:
    """Measure a continuum beyond chance, for `gammacp.measure(…, beyond_chance=True)`.

    Parameters
    ----------
    continuum, names, options
        As for `gammacp.measure`.
    matching
        The way in which labels of the continuum were matched; those of random sets are, too.

    Raises
    ------
    UsageError
        An option belongs to none of the measures and not to chance.
    """
    names = expand_names(names)
    declared = frozenset[str]().union(*(MEASURES[name].options for name in names))
    if isinstance(continuum, Continuum):
        chance_options = CHANCE_OPTIONS
    else:
        chance_options = frozenset({"seed"})
    mine: dict[str, Any] = {
        k: v for k, v in options.items() if k in declared or k not in chance_options
    }
    scores = dict(measure_each(continuum, names, **mine))
    return beyond_chance_of(continuum, scores, options, matching)


def beyond_chance_of(
    data: Any,
    scores: Mapping[str, Score],
    options: Mapping[str, object],
    matching: LabelMatching | None = None,
) -> dict[str, Score]:
    """Return the scores of these data, each with its `beyond_chance`.

    Where there is no value, its `reason` says why: the measure defines no disagreement, the chance
    model does not serve these data, too many random sets have no value, or E[D] is 0.

    Parameters
    ----------
    data
        A continuum or a treebank.
    scores
        Scores by the measures' names.
    options
        Options that the measures were measured with, and those of chance: `CHANCE_OPTIONS` of a
        continuum (the default model is that of γ), `seed` of trees.
    matching
        As for `measured_beyond_chance`.
    """
    if isinstance(data, Continuum):
        return _of_units(data, scores, options, matching)
    valued = [name for name, score in scores.items() if not score.reason]
    seed: Any = options.get("seed", 0)
    drawn = OTHER_DATA[data.applies_to](data, valued, seed=seed)
    missing = {n: _without(s.reason or _NO_DISAGREEMENT.format(n), "") for n, s in scores.items()}
    beyond = missing | drawn
    return {name: replace(score, beyond_chance=beyond[name]) for name, score in scores.items()}


def _of_units(
    continuum: Continuum,
    scores: Mapping[str, Score],
    options: Mapping[str, object],
    matching: LabelMatching | None,
) -> dict[str, Score]:
    of_chance: dict[str, Any] = {k: v for k, v in options.items() if k in CHANCE_OPTIONS}
    rest = {k: v for k, v in options.items() if k not in CHANCE_OPTIONS}
    settings = Settings.of(**of_chance).deciding([[continuum]])
    beyond: dict[str, BeyondChance] = {}
    wanted: dict[str, float] = {}
    for name, score in scores.items():
        own_chance = _own(score)
        observed = MEASURES[name].disagreement_of(score)
        reason = unsuited(MEASURES[name], settings.chance)
        if own_chance is not None and matching is None:
            beyond[name] = own_chance
        elif own_chance is not None and can_observe(MEASURES[name]):
            # Labels of its own random sets are not matched.
            wanted[name] = pooled_disagreement(MEASURES[name], {"": continuum}, rest)
        elif own_chance is not None:
            beyond[name] = _without(NOT_MATCHED.format(name), settings.chance)
        elif reason or observed is None:
            beyond[name] = _without(score.reason or reason or NOT_OBSERVED, settings.chance)
        else:
            wanted[name] = observed
    try:
        if wanted:
            beyond |= _drawn(continuum, scores, wanted, settings, rest, matching)
    except DataError as error:
        beyond |= {name: _without(str(error), settings.chance) for name in wanted}
    few = {name: few_units(continuum, f"{name} beyond chance") for name in wanted}
    if _EXACT in wanted and not _meets_places(continuum, settings.chance):
        beyond[_EXACT] = replace(beyond[_EXACT], p=None, least_p=None)
        few[_EXACT] += (_NO_GRID,)
    return {
        name: replace(score, beyond_chance=beyond[name], notes=score.notes + few.get(name, ()))
        for name, score in scores.items()
    }


def _meets_places(continuum: Continuum, model: str) -> bool:
    """Return whether random units may have the boundaries that real ones have."""
    if CHANCE_MODELS[model].keeps_places:
        return True
    return model == "cut" and circle_of(continuum).grid is not None


def _drawn(
    continuum: Continuum,
    scores: Mapping[str, Score],
    names: Mapping[str, float],
    settings: Settings,
    options: Mapping[str, object],
    matching: LabelMatching | None,
) -> dict[str, BeyondChance]:
    """Draw random sets and return the values beyond chance of the measures in `names`."""
    sampler = CHANCE_MODELS[settings.chance].prepare([continuum], continuum.n_annotators)
    return against_chance(
        names,
        MeasuredDisagreements(tuple(names), options, continuum.whole, continuum.declared, matching),
        sampler,
        settings.rule,
        settings.seed,
        # Scores of user-defined measures may have no signature.
        signed={
            name: scores[name].signature or signature(name, selection=continuum.selection)
            for name in names
        },
    )
