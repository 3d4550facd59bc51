"""The options with which commands weigh differences, model chance and solve alignments.

`--preset` fills in what is not given:

mathet-2015  α = β = Δ = 1, sporadic positions, 2 % precision at 95 % (the defaults); chance
             `corpus` for several files where that is possible, else `shift`.
mathet-2011  positional form of 2011 with Δ = 4, categories never mixed; chance `statistical`.
pygamma      what the command line of pygamma-agreement does, but exactly: α = β = Δ = 1, chance
             `statistical`, 5 % precision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gammacp.errors import BelowThresholdError, UnprovenError, UsageError

if TYPE_CHECKING:
    from gammacp.measures.settings import GammaOptions


class Preset(StrEnum):
    """Settings of a paper or a peer."""

    MATHET_2015 = "mathet-2015"
    MATHET_2011 = "mathet-2011"
    PYGAMMA = "pygamma"


class FCat(StrEnum):
    """f_cat of eq. 4 and of footnote 2 (2015, §4.4.3)."""

    IDENTITY = "identity"
    STEEP = "steep"


Seed = Annotated[int, typer.Option(help="Seed of everything random.", min=0)]


@dataclass(frozen=True)
class Weighing:
    """What a difference between two units costs."""

    preset: Annotated[
        Preset | None, typer.Option(help="Settings of a paper or a peer; options override them.")
    ] = None
    alpha: Annotated[float | None, typer.Option(help="Weight of positions.  [default: 1]")] = None
    beta: Annotated[float | None, typer.Option(help="Weight of categories.  [default: 1]")] = None
    delta: Annotated[float | None, typer.Option(help="Cost of an empty unit.  [default: 1]")] = None
    positional: Annotated[
        str | None,
        typer.Option(
            help="How positions differ: {positionals}.  [default: sporadic]", metavar="NAME"
        ),
    ] = None
    categorial: Annotated[
        str | None,
        typer.Option(
            help="How categories differ: {categorials}, or a CSV file with a distance matrix.  "
            "[default: nominal]",
            metavar="NAME|MATRIX.csv",
        ),
    ] = None
    f_cat: Annotated[
        FCat | None,
        typer.Option(
            help="How the cost of categories grows with their distance; with `steep`, categories "
            "at distance 1 are never aligned.  [default: identity]"
        ),
    ] = None
    order: Annotated[
        str | None,
        typer.Option(help="Order of the categories for `ordinal`, lowest first.", metavar="A,B,C"),
    ] = None

    own: Annotated[
        str | None,
        typer.Option(
            "--dissimilarity",
            help="A whole dissimilarity instead of all these: {dissimilarities}, or a class of "
            "your own.  [default: combined]",
            metavar="NAME|MODULE:CLASS",
        ),
    ] = None

    def dissimilarity(self) -> Any:
        """The dissimilarity; the combined one unless another is named."""
        from gammacp.dissimilarity import Combined, Ordinal, dissimilarity

        if self.own not in (None, "combined"):
            if self != Weighing(own=self.own):
                raise UsageError(
                    "--dissimilarity takes the place of --alpha, --beta, … and --preset"
                )
            return dissimilarity(str(self.own))
        if self.order is not None and self.categorial != "ordinal":
            raise UsageError("--order goes with --categorial ordinal")
        order = None if self.order is None else tuple(c.strip() for c in self.order.split(","))

        given = {
            "alpha": self.alpha,
            "beta": self.beta,
            "delta": self.delta,
            "positional": self.positional,
            "categorial": self.categorial if order is None else Ordinal(order),
            "f_cat": None if self.f_cat is None else self.f_cat.value,
        }
        names = given.keys()
        preset = {k: v for k, v in preset_of(self.preset).items() if k in names}
        return Combined(**{**preset, **{k: v for k, v in given.items() if v is not None}})


@dataclass(frozen=True)
class Sampling:
    """How chance is modelled, and how precisely."""

    chance: Annotated[
        str | None,
        typer.Option(
            help="Chance model: {chances}; ONE/SEVERAL where it depends on the files.  [default: "
            "cut/documents: documents for several files where that is possible, else cut]",
            metavar="NAME",
        ),
    ] = None
    precision: Annotated[
        float | None,
        typer.Option(help="Relative error of the expected disorder.  [default: 0.02]"),
    ] = None
    confidence: Annotated[float, typer.Option(help="Confidence of that error.")] = 0.95
    samples: Annotated[
        int | None,
        typer.Option(help="A fixed number of random sets instead of a precision."),
    ] = None
    seed: Seed = 0


@dataclass(frozen=True)
class Solving:
    """How alignments are solved."""

    method: Annotated[str, typer.Option(help="Solver: {solvers}.", metavar="NAME")] = "auto"
    gap: Annotated[
        float, typer.Option(help="Relative gap to the proven bound at which to stop.", min=0)
    ] = 0.0
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds for each alignment; then the best so far.")
    ] = None
    require_optimal: Annotated[
        bool, typer.Option("--require-optimal", help="Exit 4 unless everything is proven optimal.")
    ] = False

    def check_proven(self, status: str) -> None:
        """UnprovenError if a proof was required and there is none."""
        if self.require_optimal and status != "optimal":
            raise UnprovenError("no proof of optimality, which --require-optimal asks for")


FailUnder = Annotated[
    float | None, typer.Option(help="Exit 5 if the agreement is lower than this or undefined.")
]


def check_threshold(value: float, fail_under: float | None, what: str) -> None:
    """BelowThresholdError if the value is below the threshold or NaN."""
    if fail_under is not None and not value >= fail_under:
        raise BelowThresholdError(f"{what} is {value:.4f}, below {fail_under:g}")


def preset_of(preset: Preset | None) -> Mapping[str, Any]:
    """What a preset sets."""
    from gammacp.measures.settings import PRESETS

    return {} if preset is None else PRESETS[preset.value]


def gamma_options(weighing: Weighing, sampling: Sampling, solving: Solving) -> GammaOptions:
    """Options of the γ family; what was not given is left out, so that defaults apply."""
    if sampling.samples is not None and sampling.precision is not None:
        raise UsageError("give --samples or --precision, not both")
    preset = preset_of(weighing.preset)
    options: GammaOptions = {
        "dissimilarity": weighing.dissimilarity(),
        "confidence": sampling.confidence,
        "samples": sampling.samples,
        "seed": sampling.seed,
        "method": solving.method,
        "gap": solving.gap,
        "time_limit": solving.time_limit,
    }
    chance = sampling.chance if sampling.chance is not None else preset.get("chance")
    precision = sampling.precision if sampling.precision is not None else preset.get("precision")
    if chance is not None:
        options["chance"] = chance
    if precision is not None:
        options["precision"] = precision
    return options


def given_options(weighing: Weighing, sampling: Sampling, solving: Solving) -> dict[str, str]:
    """What differs from its default, by its name on the command line: the option of γ it sets.

    The seed is left out: it has a meaning, and is printed, wherever something is random.
    """
    found: dict[str, str] = {}
    for group in (weighing, sampling, solving):
        for option in fields(group):
            if option.name == "seed" or getattr(group, option.name) == option.default:
                continue
            name = "dissimilarity" if option.name == "own" else option.name.replace("_", "-")
            found[name] = "dissimilarity" if group is weighing else option.name
    if "require-optimal" in found:
        found["require-optimal"] = "method"
    return found
