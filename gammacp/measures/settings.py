"""Settings of γ, γ_cat, γ_k and soft γ: options with their defaults, checked once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from inspect import cleandoc, getdoc
from typing import Any, TypeAlias, TypedDict, TypeVar, get_type_hints

from gammacp.alignment import SOLVERS, Solving
from gammacp.alignment.align import check_reuse
from gammacp.alignment.limits import CROWD
from gammacp.base.arguments import MOST_DRAWS, number, one_of, text, whole
from gammacp.base.signature import describe
from gammacp.chance.expected import SampleRule
from gammacp.chance.registry import CHANCE_MODELS, DEFAULT_CHANCE, default_chance
from gammacp.continuum import Continuum
from gammacp.dissimilarity import Combined, Pairwise
from gammacp.dissimilarity.base import Bindable
from gammacp.errors import UsageError

# Gap of the alignments of random sets, as a share of the precision e of the expected disorder: so
# small that it is not noticed; and a larger one if e is at least `_SMALL_SHARE`, as it is only for
# continua that are a small share of all (a crowd among thousands of documents).
_UNNOTICED = 0.25
_HARDLY_NOTICED = 0.5
_SMALL_SHARE = 0.2

F = TypeVar("F", bound=Callable[..., Any])
Progress: TypeAlias = Callable[[int, int], None]
Memory: TypeAlias = dict[object, object]


class GammaOptions(TypedDict, total=False):
    """Options of γ and its family, each a keyword of its own.

    Keys
    ----
    dissimilarity
        Default `Combined()`: α = β = Δ = 1, sporadic positions, nominal categories.
    alpha, beta, delta
        Weights ≥ 0 of positions and categories, and Δ > 0, of that default; with a dissimilarity
        of your own they are set there.
    chance
        Chance model by name: "cut", "documents", "shift" (2015, §5.2.1), "corpus", "statistical",
        "statistical-normal", "fixed-positions", …; or one for a continuum and one for a corpus, as
        the default "cut/documents" (`gammacp.chance.registry.default_chance`).
    precision, confidence, samples
        Sample-size rule of §5.3: relative error of the expected disorder (default 0.02, in (0, 1))
        and its confidence (0.95); or a fixed number of samples (≥ 2).
    seed
        Of the random sets (default 0), ≥ 0.
    method, gap, time_limit
        Solver ("auto"), relative gap at which to stop (0), seconds for each alignment (no limit).
    constraints
        What alignments must keep, those of random sets, too: `[NonCrossing()]`, … of
        `gammacp.alignment.constraints`; not such as name units.
    """

    dissimilarity: Any
    alpha: float | None
    beta: float | None
    delta: float | None
    chance: str
    precision: float
    confidence: float
    samples: int | None
    seed: int
    method: str
    gap: float
    time_limit: float | None
    constraints: Sequence[Any]


class Computing(TypedDict, total=False):
    """Resources of a computation of γ and its family; they change no bit of the result.

    Keys
    ----
    executor
        Where random sets are aligned; default: here.
    progress
        Told how many random sets are done, of how many.
    shared
        Keeps alignments and random sets for the other measures of the family, and for whatever else
        rests on the same continua with the same settings.
    """

    executor: Executor | None
    progress: Progress | None
    shared: Memory | None


class FamilyOptions(GammaOptions, Computing, total=False):
    """Keys of `GammaOptions` and of `Computing`."""


_DEFAULTS: Mapping[str, Any] = {
    **dict.fromkeys(GammaOptions.__annotations__),
    "chance": DEFAULT_CHANCE,
    "precision": 0.02,
    "confidence": 0.95,
    "seed": 0,
    "method": "auto",
    "gap": 0.0,
    "constraints": (),
}

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "mathet-2015": {"chance": "shift/corpus"},
    "mathet-2011": {"positional": "sporadic-2011", "delta": 4.0, "chance": "statistical"},
    "pygamma": {"chance": "statistical-normal", "precision": 0.05},
}
"""Settings of a paper or a peer, where they differ from the defaults; `positional` is the
dissimilarity's."""


def spelled_out_with_computing(function: F) -> F:
    """`spelled_out` for functions with `**options: Unpack[FamilyOptions]`."""
    return spelled_out(function, FamilyOptions)


def spelled_out(function: F, kind: type[GammaOptions] = GammaOptions) -> F:
    """Give a function with `**options: Unpack[GammaOptions]` a parameter per option.

    `help`, notebooks and the registry of measures then see them with their defaults, and `help`
    says what each is; the options themselves are checked by `Settings.of`.
    """
    signature = inspect.signature(function)
    parameters = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    keyword = inspect.Parameter.KEYWORD_ONLY
    options = [
        inspect.Parameter(name, keyword, default=_DEFAULTS.get(name), annotation=annotation)
        for name, annotation in get_type_hints(kind).items()
    ]
    places = [p for p in parameters if p.kind is not keyword]
    mine = [p for p in parameters if p.kind is keyword]
    kinds = (GammaOptions, Computing) if kind is FamilyOptions else (kind,)
    keys = "\n".join((getdoc(k) or "").partition("Keys\n----\n")[2] for k in kinds)
    if function.__doc__:
        head = "Other Parameters\n----------------"
        function.__doc__ = f"{cleandoc(function.__doc__)}\n\n{head}\n{keys}"
    function.__signature__ = signature.replace(parameters=[*places, *options, *mine])  # type: ignore[attr-defined]
    return function


@dataclass(frozen=True)
class Settings:
    """`GammaOptions` with their defaults; hashable, so that a family can share results.

    `chance` "a/b" is undecided (see `deciding`); `cover` is soft γ: each unit in at least one
    unitary alignment. `reuse` is what each further one costs a unit, as a share of (n − 1)·Δ.
    """

    dissimilarity: Any = field(hash=False)
    chance: str
    rule: SampleRule
    seed: int
    method: str
    gap: float
    time_limit: float | None
    cover: bool = False
    constraints: tuple[Any, ...] = ()
    reuse: float = 0.0

    @classmethod
    def of(cls, *, cover: bool = False, reuse: float | None = None, **options: object) -> Settings:
        """Return these options, the others at their defaults.

        Raises
        ------
        UsageError
            Unknown option, or a value outside its range.
        """
        for name in options:
            one_of("option", name, _DEFAULTS)
        if reuse is not None and not cover:
            one_of("option", "reuse", _DEFAULTS)
        all_options: dict[str, Any] = {**_DEFAULTS, **options}
        limit = all_options["time_limit"]
        samples = all_options["samples"]
        return cls(
            _dissimilarity(all_options),
            text("chance", all_options["chance"]),
            SampleRule(
                number("precision", all_options["precision"]),
                number("confidence", all_options["confidence"]),
                None if samples is None else whole("samples", samples, 0, MOST_DRAWS),
            ),
            whole("seed", all_options["seed"], 0),
            text("method", all_options["method"]),
            number("gap", all_options["gap"], 0.0),
            None if limit is None else number("time_limit", limit, 0.0),
            cover,
            _constraints(all_options["constraints"]),
            0.0 if reuse is None else check_reuse(reuse, cover=cover),
        )

    @classmethod
    def and_computing(
        cls, options: Mapping[str, Any], *, keeping: bool = False
    ) -> tuple[Settings, Computing]:
        """`FamilyOptions` as settings, and how to compute; UsageError as for `of`.

        With `keeping`, random sets are kept also where nothing is shared.
        """
        how: Any = {name: options[name] for name in Computing.__annotations__ if name in options}
        chosen = {name: value for name, value in options.items() if name not in how}
        if keeping and how.get("shared") is None:
            how["shared"] = {}
        return cls.of(**chosen), how

    def deciding(self, compared: Iterable[Collection[Continuum]]) -> Settings:
        """Return the settings with a chance model that suits all; see `default_chance`."""
        if "/" not in self.chance:
            return self
        return replace(self, chance=default_chance(compared, self.chance))

    def check_names(self) -> None:
        """Raise a UsageError for a name that is no chance model, solver or dissimilarity.

        Meant for work that runs later, when whoever chose the names no longer sees an error.
        Elsewhere the first look-up raises the same error.
        """
        for chance in self.chance.split("/"):
            _ = CHANCE_MODELS[chance]
        _ = SOLVERS[self.method], describe(self.dissimilarity)

    @property
    def solving(self) -> Solving:
        """Return the options of the solver."""
        return {
            "method": self.method,
            "gap": self.gap,
            "time_limit": self.time_limit,
            "seed": self.seed,
            "cover": self.cover,
            "constraints": self.constraints,
            "reuse": self.reuse,
        }

    def solving_random(self, n_annotators: int) -> Solving:
        """Return the options of the solver for random sets with this number of annotators.

        With many annotators, the alignments of random sets need not be proven optimal. The expected
        disorder is only known with precision e, so a gap of a quarter of e makes no noticeable
        difference. The interval of the expected disorder includes it.
        """
        if n_annotators < CROWD:
            return self.solving
        e = self.rule.precision
        if e < _SMALL_SHARE:
            share = _UNNOTICED
        else:
            share = _HARDLY_NOTICED
        return {**self.solving, "gap": max(self.gap, share * e)}

    def signature_parts(self) -> dict[str, object]:
        """Return the signature's entries for these settings, without chance, samples and method."""
        return {
            **self.rule.signature_parts(),
            "seed": self.seed,
            "gap": self.gap or None,
            "limit": self.time_limit,
            "constraints": "+".join(map(str, self.constraints)) or None,
            "reuse": self.reuse or None,
        }


def _constraints(entries: Any) -> tuple[Any, ...]:
    """Return constraints that random sets can have, too; a UsageError for others."""
    if entries is None or (isinstance(entries, list | tuple) and not entries):
        return ()
    # Imported here: most alignments have no constraints.
    from gammacp.alignment.constraints.base import check_structural, checked

    constraints = checked(entries)
    check_structural(constraints, "γ")
    return constraints


def _dissimilarity(options: dict[str, Any]) -> Any:
    weights: dict[str, Any] = {
        k: options[k] for k in ("alpha", "beta", "delta") if options[k] is not None
    }
    dissimilarity = options["dissimilarity"]
    weights = {k: number(k, v) for k, v in weights.items()}
    if dissimilarity is None:
        return Combined(**weights)
    if weights:
        shown = ", ".join(f"{k}={v}" for k, v in weights.items())
        raise UsageError(
            f"{' and '.join(weights)} beside a dissimilarity: set them there, such as "
            f"dissimilarity=Combined({shown}, …)"
        )
    if not isinstance(dissimilarity, Pairwise | Bindable):
        raise UsageError(
            f"dissimilarity {dissimilarity!r} has neither pairwise(u, v) nor bind(source); "
            "give an object, such as Combined()"
        )
    return dissimilarity
