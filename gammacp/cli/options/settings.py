"""Options of commands that compute γ: costs of differences, chance, solver, and thresholds.

`--preset` sets the options that are not given:

mathet-2015  α = β = Δ = 1, sporadic positions, 2 % precision at 95 % (the defaults); chance
             `corpus` for several files where that is possible, else `shift`.
mathet-2011  positional form of 2011 with Δ = 4, categories never mixed; chance `statistical`.
pygamma      the γ of pygamma-agreement's command line, from proven alignments: α = β = Δ = 1,
             chance `statistical-normal`, 5 % precision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gammacp.cli import output
from gammacp.cli.options.groups import changed_option_names, option
from gammacp.cli.options.names import plain_name
from gammacp.cli.output import message
from gammacp.errors import UnprovenError, UsageError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from gammacp.cli.judging import Judged
    from gammacp.cli.progress import ProgressLine
    from gammacp.inference.resampling import BootstrapInterval
    from gammacp.measures.agreement import Agreement
    from gammacp.measures.settings import GammaOptions


class Preset(StrEnum):
    """Presets: settings of a paper or of another package."""

    MATHET_2015 = "mathet-2015"
    MATHET_2011 = "mathet-2011"
    PYGAMMA = "pygamma"


class FCat(StrEnum):
    """f_cat of eq. 4 and of footnote 2 (2015, §4.4.3)."""

    IDENTITY = "identity"
    STEEP = "steep"


Seed = Annotated[int, typer.Option(help="Seed of the random numbers.", min=0)]


@dataclass(frozen=True)
class Weighing:
    """Options for the cost of a difference between two units."""

    preset: Preset | None = option("Settings of a paper or of another tool; options override them.")
    alpha: float | None = option("Weight of positions.  [default: 1]")
    beta: float | None = option("Weight of categories.  [default: 1]")
    delta: float | None = option("Cost of an empty unit.  [default: 1]")
    positional: str | None = option(
        "How positions differ: {positionals}.  [default: sporadic]", "NAME"
    )
    categorial: str | None = option(
        "How categories differ: {categorials}, or a CSV file with a distance matrix.  "
        "[default: nominal]",
        "NAME|MATRIX.csv",
    )
    f_cat: FCat | None = option(
        "How the cost of categories grows with their distance; with `steep`, categories "
        "at distance 1 are never aligned.  [default: identity]"
    )
    own: str | None = option(
        "Use another dissimilarity: {dissimilarities}, a class of your own, or a TOML "
        "file, which can also define orders, trees and features.  [default: combined]",
        "NAME|FILE.toml|MODULE:CLASS",
        names=("--dissimilarity",),
    )

    def __post_init__(self) -> None:
        """Refuse unknown names before files are read."""
        if self.positional is not None:
            from gammacp.dissimilarity.positional import POSITIONAL

            _ = POSITIONAL[self.positional]

    def with_campaign_file(self, paths: Sequence[Path]) -> Weighing:
        """Return these options, or the dissimilarity of a campaign.toml if none of them is given.

        A campaign.toml is data: it can name a custom class only if `--import` loaded its module.
        """
        from gammacp.formats.campaign_file import campaign_of

        if not any(path.suffix == ".toml" for path in paths):
            return self
        campaign = campaign_of(paths)
        if (from_file := campaign.dissimilarity) is None:
            return self
        if self != Weighing():
            message(f"{campaign.file}: the command line replaces its dissimilarity {from_file}")
            return self
        from gammacp.dissimilarity import dissimilarity

        try:
            with campaign.confine():
                return replace(self, own=dissimilarity(from_file, importing=False))
        except UsageError as error:
            hint = "Give a TOML file, or a name from `gammacp gamma --help`"
            raise campaign.error(str(error), "dissimilarity", hint=hint) from None

    @property
    def features(self) -> tuple[str, ...]:
        """Return the names of the features beside the category that the dissimilarity uses."""
        from gammacp.dissimilarity.base import features_of

        return features_of(self.dissimilarity())

    @property
    def preset_values(self) -> Mapping[str, Any]:
        """Return the settings of the preset."""
        from gammacp.measures.settings import PRESETS

        if self.preset is None:
            return {}
        return PRESETS[self.preset.value]

    def chosen_dissimilarity(self) -> Any:
        """Return the dissimilarity; None if no option was given."""
        if self == Weighing():
            return None
        return self.dissimilarity()

    def dissimilarity(self) -> Any:
        """Return the dissimilarity: the combined one unless another is named."""
        from gammacp.dissimilarity import Combined

        choice: Any = self.own
        if not isinstance(choice, str | None):
            # Built by `with_campaign_file` from a campaign.toml.
            return choice
        if self.own not in (None, "combined"):
            if self != Weighing(own=self.own):
                raise UsageError(
                    "--dissimilarity replaces --alpha, --beta, … and --preset; write alpha = 1, "
                    "beta = 2, … into its TOML file"
                )
            from gammacp.dissimilarity import dissimilarity

            return dissimilarity(self.own)
        parameters = {
            name: getattr(self, name) for name in ("alpha", "beta", "delta", "positional")
        }
        if self.categorial is not None:
            parameters["categorial"] = plain_name("--categorial", self.categorial)
        parameters["f_cat"] = self.f_cat and self.f_cat.value
        preset = {k: v for k, v in self.preset_values.items() if k in parameters}
        return Combined(**preset | {k: v for k, v in parameters.items() if v is not None})


@dataclass(frozen=True)
class Sampling:
    """Options for how chance is modelled, and how precisely."""

    chance: str | None = option(
        "Chance model: {chances}. A/B means A for one file and B for several.  [default: "
        "cut/documents; cut if there are fewer documents than annotators]",
        "NAME",
    )
    precision: float | None = option("Relative error of the expected disorder.  [default: 0.02]")
    confidence: float = option("Confidence of that error.", default=0.95)
    samples: int | None = option("Draw this many random sets instead of aiming at a precision.")
    seed: Seed = 0

    def __post_init__(self) -> None:
        """Refuse unknown names and numbers out of range before files are read."""
        if not set(changed_option_names(self)) - {"seed"}:
            return
        from gammacp.chance.expected import SampleRule
        from gammacp.chance.registry import CHANCE_MODELS

        for name in (self.chance or "").split("/"):
            if name:
                _ = CHANCE_MODELS[name]
        precision = SampleRule.precision
        if self.precision is not None:
            precision = self.precision
        SampleRule(precision, self.confidence, self.samples)


@dataclass(frozen=True)
class SolvingFlags:
    """Options for solving alignments."""

    method: str = option("Solver: {solvers}.", "NAME", default="auto")
    gap: float | None = option(
        "Stop at this relative gap to the proven bound.  [default: 0]", min=0
    )
    time_limit: float | None = option(
        "Seconds per alignment; after that the best so far counts.", min=0
    )
    require_optimal: bool = option(
        "Exit with 4 unless every alignment is proven optimal.", default=False
    )

    def __post_init__(self) -> None:
        """Refuse an unknown solver before files are read."""
        if self.method != "auto":
            from gammacp.alignment import SOLVERS

            _ = SOLVERS[self.method]

    def options(self) -> dict[str, Any]:
        """Return the options in the form of `gammacp.align`."""
        return {"method": self.method, "gap": self.gap or 0.0, "time_limit": self.time_limit}

    def check_proven(self, *statuses: str | None) -> None:
        """Raise an UnprovenError if a required proof is missing; a status of None needs none."""
        if self.require_optimal and not {*statuses} <= {None, "optimal"}:
            raise UnprovenError("an alignment is not proven optimal, as --require-optimal asks")


@dataclass(frozen=True)
class Constraining:
    """Options for what alignments must keep."""

    constraint: list[str] | None = option(
        "Rule that the alignment must keep: {constraints}; or a TOML file of rules, which can name "
        "units (repeatable).",
        "NAME[=VALUE]|FILE.toml",
    )

    def options(self) -> dict[str, Any]:
        """Return the argument `constraints` of `gammacp.align`; empty if no option was given."""
        if not self.constraint:
            return {}
        # Imported here, because most alignments have no constraints.
        from gammacp.alignment.constraints.toml_file import constraints_of

        return {"constraints": constraints_of(self.constraint)}


@dataclass(frozen=True)
class ComputingFlags:
    """Options for where it is computed."""

    jobs: int | None = option(
        "Worker processes.  [default: one per available core where it pays]", min=1
    )
    executor: str | None = option(
        "Where to compute: serial, processes or dask://host:port.", "WHERE"
    )

    @contextmanager
    def pool(
        self, what: str, *, pays: bool = False
    ) -> Iterator[tuple[Executor | None, ProgressLine]]:
        """Open workers if requested or worthwhile (otherwise None), and a progress line for `what`.

        `pays` says whether the work is worth worker processes.
        """
        from gammacp.cli.progress import progress
        from gammacp.pools import workers

        with (
            workers(self.jobs, pays=pays, executor=self.executor) as executor,
            progress(what) as progress_line,
        ):
            yield executor, progress_line


def _check_bound(parameter: typer.CallbackParam, value: float | None) -> float | None:
    """Return a threshold; raise a UsageError early if no value could miss or reach it."""
    if value is None:
        return None
    from gammacp.cli.judging import check_bound

    return check_bound(parameter.opts[0], value)


FailUnder = Annotated[
    float | None,
    typer.Option(
        help="Exit with 5 if the value is below this, or undefined.", callback=_check_bound
    ),
]


class Platform(StrEnum):
    """Platforms of continuous integration."""

    GITHUB = "github"


def _set_platform(value: Platform | None) -> Platform | None:
    """Make errors from now on appear as annotations of the platform, too."""
    output.platform = value and value.value
    return value


def wants_interval(interval: bool, draws: int | None) -> bool:
    """Return whether an interval over documents is requested, by `--interval` or its old name.

    Parameters
    ----------
    interval
        Value of `--interval`.
    draws
        Number given with the old option `--bootstrap`, which prints a warning; None without it.
    """
    if draws is None:
        return interval
    if interval:
        instead = "give --no-interval"
    else:
        instead = "leave it out"
    if draws:
        instead = "give --interval"
    message(
        f"gammacp: --bootstrap is an old name, which the next release will not know: {instead}. "
        "Nothing is drawn, so all numbers above 0 give the same interval"
    )
    return draws > 0


@dataclass(frozen=True)
class Thresholds:
    """Options for how good the agreement has to be."""

    fail_under: FailUnder = None
    fail_under_lower: float | None = option(
        "Exit with 5 if the lower end of its interval over data is below this, or undefined.",
        callback=_check_bound,
    )
    ci: Platform | None = option(
        "Also print errors, and the documents below --fail-under, so that this platform shows "
        "them beside the files.",
        callback=_set_platform,
    )

    @property
    def is_set(self) -> bool:
        """Return whether any threshold is given."""
        return self.fail_under is not None or self.fail_under_lower is not None

    def require_interval(
        self,
        interval: bool,
        needs: str = "--fail-under-lower needs an interval over documents: give --interval",
    ) -> None:
        """Raise a UsageError if the lower end has a threshold but no interval is requested."""
        if self.fail_under_lower is not None and not interval:
            raise UsageError(needs)

    def check(self, judged: Callable[[], Judged]) -> None:
        """Raise a BelowThresholdError if a value or its lower end is undefined or too low.

        Parameters
        ----------
        judged
            Function that returns the value; called only if there is a threshold.
        """
        if not self.is_set:
            return
        # Imported here and below, because most commands have no threshold.
        from gammacp.cli.judging import judge

        judge(judged(), self.fail_under, self.fail_under_lower)

    def check_gamma(
        self, found: Agreement, over: BootstrapInterval | None, files: Mapping[str, str]
    ) -> None:
        """Raise BelowThresholdError if γ or its lower end is undefined or too low.

        Parameters
        ----------
        found, over, files
            As for `gammacp.cli.judging.judged_gamma`.
        """
        if not self.is_set:
            return
        from gammacp.cli.judging import judge, judged_gamma

        judge(judged_gamma(found, over, files), self.fail_under, self.fail_under_lower)


def check_threshold(value: float, fail_under: float | None, what: str = "γ") -> None:
    """Raise BelowThresholdError if the value is NaN or below the threshold."""
    if fail_under is None:
        return
    from gammacp.cli.judging import Judged, judge

    judge(Judged(what=what, value=value), fail_under)


@dataclass(frozen=True)
class GammaFlags:
    """All options that decide the value of γ."""

    weighing: Weighing
    sampling: Sampling
    solving: SolvingFlags

    def with_campaign_file(self, paths: Sequence[Path]) -> GammaFlags:
        """Return these options, with the dissimilarity of a campaign.toml (see `Weighing`)."""
        return replace(self, weighing=self.weighing.with_campaign_file(paths))

    def options(self) -> GammaOptions:
        """Return options of the γ family, without those not given, whose defaults apply."""
        sampling = self.sampling
        if sampling.samples is not None and sampling.precision is not None:
            raise UsageError("give --samples or --precision, not both")
        preset = {k: v for k, v in self.weighing.preset_values.items() if k in vars(sampling)}
        chosen = {k: v for k, v in vars(sampling).items() if v is not None}
        chosen_options: Any = {
            "dissimilarity": self.weighing.chosen_dissimilarity(),
            **preset,
            **chosen,
        }
        return chosen_options | self.solving.options()  # type: ignore[no-any-return]

    def changed_options(self) -> dict[str, str]:
        """Return options of γ that differ from their default, by name on the command line.

        The seed is left out, because it applies to every random computation and is always printed.
        """
        changed = dict.fromkeys(changed_option_names(self.weighing), "dissimilarity")
        if changed.pop("own", None) and isinstance(self.weighing.own, str):
            changed["dissimilarity"] = "dissimilarity"
        for name in (*changed_option_names(self.sampling), *changed_option_names(self.solving)):
            changed[name] = "method" if name == "require-optimal" else name.replace("-", "_")
        changed.pop("seed", None)
        return changed
