"""The measures by name, what each needs, and how several are computed on one continuum."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gammacp.arguments import instance, several
from gammacp.continuum import Continuum
from gammacp.errors import DataError, UsageError
from gammacp.measures.score import Score, undefined
from gammacp.needs import Need, unmet_need
from gammacp.registry import Registry

if TYPE_CHECKING:
    from gammacp.syntax.annotations import Treebank


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
        """Names of the options that the function declares: its keywords but for how to compute."""
        parameters = inspect.signature(self.function).parameters.values()
        return frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY) - _NOT_OPTIONS

    @property
    def shares(self) -> bool:
        """Whether the function leaves intermediate results to the others of its family."""
        return "shared" in inspect.signature(self.function).parameters


# Keyword arguments that say how to compute, not what.
_NOT_OPTIONS = {"shared", "executor", "progress"}

MEASURES: Registry[Measure] = Registry(
    "measure",
    modules=(
        "gammacp.measures.gamma",
        "gammacp.measures.gamma_cat",
        "gammacp.measures.krippendorff",
        "gammacp.measures.krippendorff_2013",
        "gammacp.measures.discretised",
        "gammacp.measures.slot_error_rate",
        "gammacp.measures.segmentation",
        "gammacp.measures.segmentation_similarity",
        "gammacp.measures.trees",
        "gammacp.measures.f1",
        "gammacp.measures.predefined",
    ),
)


def register(measure: Measure) -> Measure:
    """Add a measure under its name."""
    return MEASURES.register(measure.name, measure)


def measure(
    continuum: Continuum | Treebank, names: Iterable[str], **options: object
) -> dict[str, Score]:
    """Several measures of one continuum, or of one treebank.

    A measure that does not apply, or whose data are bad for it, is an undefined Score with the
    reason; the others go on. An option that none of the measures has is a UsageError.
    """
    return dict(measure_each(continuum, names, **options))


def measure_each(
    continuum: Continuum | Treebank, names: Iterable[str], **options: object
) -> Iterator[tuple[str, Score]]:
    """What `measure` returns, one measure at a time, so that a caller can time each of them.

    Of a family, the first bears the cost of what is shared. After Ctrl-C (`interruptible`) those
    that are left are undefined.
    """
    chosen = {name: MEASURES[name] for name in several("names", names)}
    if not isinstance(continuum, Continuum):
        from gammacp.syntax.annotations import Treebank

        instance("continuum", continuum, Treebank, "a Continuum or a Treebank")
    known = frozenset[str]().union(*(m.options for m in chosen.values()))
    for option in options.keys() - known:
        raise UsageError(f"option {option!r} belongs to none of: {', '.join(chosen)}")
    from gammacp.stopping import due

    shared: dict[object, object] = {}
    for name, m in chosen.items():
        if due():
            yield name, undefined("interrupted before it was measured")
        else:
            yield name, _evaluate(m, continuum, options, shared)


def _evaluate(
    m: Measure,
    continuum: Continuum | Treebank,
    options: dict[str, object],
    shared: dict[object, object],
) -> Score:
    if isinstance(continuum, Continuum):
        if m.applies_to == "trees":
            return undefined(f"{m.name} compares trees, not units: see `gammacp syntax`")
        reason = unmet_need(continuum, m.needs)
    else:
        reason = None if m.applies_to == "trees" else f"{m.name} compares units, not trees"
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
