"""Registered measures evaluated on one continuum, one after the other."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from gammacp.base.arguments import instance
from gammacp.base.stopping import due
from gammacp.base.subjects import advice
from gammacp.continuum import Continuum
from gammacp.continuum.needs import in_pieces, unmet_need
from gammacp.dissimilarity.base import features_of
from gammacp.errors import DataError, UsageError
from gammacp.measures.registry import MEASURES, UNITS, Measure, expand_names
from gammacp.measures.score import Score, undefined


def measure_each(
    continuum: Any, names: Iterable[str], **options: object
) -> Iterator[tuple[str, Score]]:
    """Yield what `measure` returns, one measure at a time, so that a caller can time each of them.

    The first measure of a family takes the time for what the family shares. After Ctrl-C
    (`interruptible`) the measures that are left are undefined.

    Parameters
    ----------
    continuum, names, options
        As for `measure`.

    Raises
    ------
    UsageError
        A measure is unknown, or an option belongs to none of them.
    """
    chosen = {name: MEASURES[name] for name in expand_names(names)}
    if not hasattr(continuum, "applies_to"):
        instance("continuum", continuum, Continuum, "a Continuum or a Treebank")
    known_options = frozenset[str]().union(*(m.options for m in chosen.values()))
    for option in options.keys() - known_options:
        raise UsageError(f"{option} is an option of none of: {', '.join(chosen)}")
    # Keep results only if another measure uses them: with kept random sets, ties must be broken.
    sharing = sum(m.shares for m in chosen.values()) > 1
    if sharing:
        shared: dict[object, object] | None = {}
    else:
        shared = None
    for name, m in chosen.items():
        if due():
            yield name, undefined("interrupted before it was measured")
        else:
            yield name, evaluate(m, continuum, options, shared)


def evaluate(
    m: Measure,
    continuum: Any,
    options: Mapping[str, object],
    shared: dict[object, object] | None,
) -> Score:
    """Evaluate one measure with its own options; the score is undefined where data are bad.

    Parameters
    ----------
    m
        The measure.
    continuum
        Data to be measured.
    options
        Options by name; those of other measures are passed over.
    shared
        Results that measures of one family keep for each other.
    """
    notes: tuple[str, ...] = ()
    if isinstance(continuum, Continuum):
        if m.applies_to not in UNITS:
            text = f"{m.name} compares {m.applies_to}, not units"
            more = advice(f"measures of {m.applies_to}")
            return undefined(f"{text}: {more}" if more else text)
        rich = "metric" in m.options and bool(features_of(options.get("metric")))
        if not rich and "dissimilarity" not in m.options:
            if continuum.features:
                notes = (f"compares only categories, without {', '.join(continuum.features)}",)
            continuum = continuum.with_features()
        if continuum.inside is not None and (
            m.fragments == "refused" or (continuum.axes > 1 and m.fragments == "atoms")
        ):
            return undefined(in_pieces(continuum))
        if continuum.inside is not None and m.fragments == "atoms":
            notes += (f"counts each fragment of {continuum.n_broken} units as a unit",)
            continuum = continuum.atoms()
        reason = unmet_need(continuum, m.needs)
    else:
        kind = continuum.applies_to
        if m.applies_to == kind:
            reason = None
        else:
            reason = f"{m.name} compares units, not {kind}"
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
    if notes:
        return replace(score, notes=(*score.notes, *notes))
    return score
