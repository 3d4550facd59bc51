"""Measures by name, and what each needs."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from gammacp.base.arguments import several
from gammacp.continuum.needs import Need
from gammacp.measures.score import Score
from gammacp.registry import Registry

if TYPE_CHECKING:
    from gammacp.measures.counting import Counting

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
    `counting` makes a value of documents together; without it a corpus has the mean of documents,
    and `unsummed` says why.
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
    counting: Counting | None = None
    unsummed: str = ""

    @property
    def options(self) -> frozenset[str]:
        """Names of the options that the function declares: its keywords but for how to compute."""
        return _keywords_of(self.function) - _NOT_OPTIONS

    @property
    def least(self) -> float:
        """The least value: the lower end of `range`, −∞ where it has none."""
        if not self.range.startswith("["):
            return -math.inf
        return float(self.range[1:].partition(",")[0].replace("−", "-"))

    def disagreement_of(self, score: Score) -> float | None:
        """Return D of a score of this measure; None if it has none."""
        if self.disagreement is not None:
            disagreement = self.disagreement(score)
        else:
            if self.chance_corrected:
                disagreement = None
            else:
                disagreement = 1 - score.value
        if disagreement is None or math.isnan(disagreement):
            return None
        return disagreement

    @property
    def counts(self) -> bool:
        """Return whether the measure has a D at all."""
        return self.disagreement is not None or not self.chance_corrected

    @property
    def shares(self) -> bool:
        """Return whether the function leaves intermediate results to the others of its family."""
        return "shared" in _keywords_of(self.function)


@cache
def _keywords_of(function: Callable[..., Score]) -> frozenset[str]:
    """Return the names of keyword-only parameters; cached, as random sets need them repeatedly."""
    parameters = inspect.signature(function).parameters.values()
    return frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)


def observed_disagreement(score: Score) -> float | None:
    """D of measures whose `observed` is what they count.

    Parameters
    ----------
    score
        Score of a measure whose `observed` is a disagreement.
    """
    return score.observed


def unobserved_agreement(score: Score) -> float | None:
    """D of coefficients whose `observed` is an agreement P_o: 1 − P_o.

    Parameters
    ----------
    score
        Score of a coefficient.
    """
    if score.observed is None:
        return None
    return 1 - score.observed


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


def expand_names(names: Iterable[str]) -> list[str]:
    """Return the names without repetition; `all` stands for every measure of a continuum."""
    everything = [n for n, m in MEASURES.items() if m.applies_to == "continuum"]
    all_names = [
        n for name in several("names", names) for n in (everything if name == "all" else [name])
    ]
    return list(dict.fromkeys(all_names))
