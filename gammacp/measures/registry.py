"""The measures by name, what each needs, and how several are computed on one continuum."""

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from gammacp.base.arguments import instance, several
from gammacp.base.subjects import advice
from gammacp.continuum import Continuum
from gammacp.continuum.needs import Need, in_pieces, unmet_need
from gammacp.errors import DataError, UsageError
from gammacp.measures.score import Score, undefined
from gammacp.registry import Registry

F = TypeVar("F", bound=Callable[..., Score])


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A registered measure.

    `function(continuum, **options) -> Score`: keyword-only options with defaults; `measure` hands
    each function the options that it declares. A function that declares `shared` gets one dict
    per call of `measure`, in which measures of a family leave what the others can use (γ, γ_cat
    and γ_k their alignments). `disagreement(score)` is the measure's D before any correction for
    chance (`gammacp.measures.beyond_chance`); a measure that is not chance-corrected need not
    declare it: it is 1 − value. `range` is that of the value, as text; `applies_to` is "continuum"
    (the units), "links" (the links between units), or what other data say of themselves.
    `fragments` says what it makes of units of several fragments: nothing ("refused"), one unit
    ("whole"), or a unit of each ("atoms").
    """

    name: str
    summary: str
    reference: str
    function: Callable[..., Score]
    needs: frozenset[Need] = frozenset()
    range: str = "(−∞, 1]"
    chance_corrected: bool = True
    per_category: bool = False
    disagreement: Callable[[Score], float | None] | None = None
    applies_to: str = "continuum"
    fragments: Literal["refused", "whole", "atoms"] = "refused"

    @property
    def options(self) -> frozenset[str]:
        """Names of the options that the function declares: its keywords but for how to compute."""
        parameters = inspect.signature(self.function).parameters.values()
        return frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY) - _NOT_OPTIONS

    def disagreement_of(self, score: Score) -> float | None:
        """D of a score of this measure; None where it has none."""
        if self.disagreement is not None:
            found = self.disagreement(score)
        else:
            found = None if self.chance_corrected else 1 - score.value
        return None if found is None or math.isnan(found) else found

    @property
    def counts(self) -> bool:
        """Whether the measure has a D at all."""
        return self.disagreement is not None or not self.chance_corrected

    @property
    def shares(self) -> bool:
        """Whether the function leaves intermediate results to the others of its family."""
        return "shared" in inspect.signature(self.function).parameters


def observed_disagreement(score: Score) -> float | None:
    """D of measures whose `observed` is what they count.

    Parameters
    ----------
    score
        Of a measure whose `observed` is a disagreement.
    """
    return score.observed


def unobserved_agreement(score: Score) -> float | None:
    """D of coefficients whose `observed` is an agreement P_o: 1 − P_o.

    Parameters
    ----------
    score
        Of a coefficient.
    """
    return None if score.observed is None else 1 - score.observed


# Keyword arguments that say how to compute, not what.
_NOT_OPTIONS = {"shared", "executor", "progress"}

MEASURES: Registry[Measure] = Registry("measure")
UNITS = frozenset({"continuum", "links"})
"""The values of `Measure.applies_to` that stand for a continuum: its units, or links of units."""
PAPER_MEASURES = ("gamma", "u-alpha-2013", "cu-alpha", "kappa-d", "ser")


def register(measure: Measure) -> Measure:
    """Add a measure under its name."""
    return MEASURES.register(measure.name, measure)


def registered(
    name: str, summary: str, reference: str, *, needs: Iterable[Need] = (), **facts: Any
) -> Callable[[F], F]:
    """Register the decorated function as a measure, and leave it as it is.

    Parameters
    ----------
    name, summary, reference, needs, facts
        The attributes of `Measure`.
    """

    def add(function: F) -> F:
        named = {"name": name, "summary": summary, "reference": reference}
        register(Measure(function=function, needs=frozenset(needs), **facts | named))
        return function

    return add


def measure(
    continuum: Any,
    names: Iterable[str],
    *,
    beyond_chance: bool = False,
    **options: Any,
) -> dict[str, Score]:
    """Several measures of one continuum, or of one treebank.

    With `beyond_chance`, each score also has the measure's disagreement against chance
    (`gammacp.measures.beyond_chance`, and the entries of `[beyond chance]`); `chance`,
    `precision`, `confidence`, `samples` and `seed` then are options of every measure of a
    continuum, `seed` of those of trees.

    A measure that does not apply, or whose data are bad for it, is an undefined Score with the
    reason; the others go on.

    Parameters
    ----------
    continuum
        A continuum, or a treebank for measures of trees.
    names
        Of registered measures; `all` stands for every one of a continuum.
    options
        Of the measures, each handed to those that declare it.

    Raises
    ------
    UsageError
        Unknown measure, an option of none of them, or a value outside its range.
    """
    if not beyond_chance:
        return dict(measure_each(continuum, names, **options))
    from gammacp.measures.beyond_chance import measured_beyond_chance

    return measured_beyond_chance(continuum, names, options)


def expand_names(names: Iterable[str]) -> list[str]:
    """The names without repetition; `all` stands for every measure of a continuum."""
    everything = [n for n, m in MEASURES.items() if m.applies_to == "continuum"]
    found = [
        n for name in several("names", names) for n in (everything if name == "all" else [name])
    ]
    return list(dict.fromkeys(found))


def measure_each(
    continuum: Any, names: Iterable[str], **options: object
) -> Iterator[tuple[str, Score]]:
    """What `measure` returns, one measure at a time, so that a caller can time each of them.

    `continuum`, `names`, `options` and UsageError as for `measure`.

    Of a family, the first bears the cost of what is shared. After Ctrl-C (`interruptible`) those
    that are left are undefined.

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
    known = frozenset[str]().union(*(m.options for m in chosen.values()))
    for option in options.keys() - known:
        raise UsageError(f"{option} is an option of none of: {', '.join(chosen)}")
    from gammacp.base.stopping import due

    # Keeping what nobody else asks for costs time: random sets would be told apart in ties.
    sharing = sum(m.shares for m in chosen.values()) > 1
    shared: dict[object, object] | None = {} if sharing else None
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
    """One measure with those of the options that are its own; undefined where data are bad.

    Parameters
    ----------
    m
        The measure.
    continuum
        What is measured.
    options
        By name; those of other measures are passed over.
    shared
        What measures of one family keep for each other.
    """
    notes: tuple[str, ...] = ()
    if isinstance(continuum, Continuum):
        if m.applies_to not in UNITS:
            text = f"{m.name} compares {m.applies_to}, not units"
            more = advice(f"measures of {m.applies_to}")
            return undefined(f"{text}: {more}" if more else text)
        from gammacp.dissimilarity.base import features_of

        rich = "metric" in m.options and bool(features_of(options.get("metric")))
        if not rich and "dissimilarity" not in m.options:
            if continuum.features:
                notes = (f"compares only categories, without {', '.join(continuum.features)}",)
            continuum = continuum.with_features()
        if continuum.breaks is not None and (
            m.fragments == "refused" or (continuum.axes > 1 and m.fragments == "atoms")
        ):
            return undefined(in_pieces(continuum))
        if continuum.breaks is not None and m.fragments == "atoms":
            notes += (f"counts each fragment of {continuum.n_broken} units as a unit",)
            continuum = continuum.atoms()
        reason = unmet_need(continuum, m.needs)
    else:
        kind = continuum.applies_to
        reason = None if m.applies_to == kind else f"{m.name} compares units, not {kind}"
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
    return replace(score, notes=(*score.notes, *notes)) if notes else score
