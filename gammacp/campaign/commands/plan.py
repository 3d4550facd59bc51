"""`gammacp plan`: number of documents and annotators for a goal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from gammacp.cli.options.groups import option
from gammacp.cli.options.loading import Loaded, load, teams_of
from gammacp.cli.options.reading import TEAM, Files, Reading, Sampled
from gammacp.cli.options.settings import ComputingFlags, GammaFlags
from gammacp.cli.output import (
    AsJson,
    check_figure_path,
    outputs,
    print_json,
    say,
    show,
    tell_signatures,
    write_figure,
)
from gammacp.errors import DataError, UsageError

if TYPE_CHECKING:
    from gammacp.campaign.plan import Goal, Plan, Prices
    from gammacp.continuum import Continuum


@dataclass(frozen=True)
class Goals:
    """Options for what is to be reached."""

    heading: ClassVar[None] = None

    half_width: float | None = option("Goal: know γ to ± this.  [default: 0.05]")
    difference: float | None = option(
        "Goal: find a difference of this size between two rounds in about three of four cases."
    )
    verdict: float | None = option(
        "Goal: a stand-in passes gammacp replace at this ε with 80 % probability."
    )

    def goal(self) -> Goal:
        """Return the goal; `Goal` refuses two of them."""
        from gammacp.campaign.plan import Goal

        return Goal(half_width=self.half_width, difference=self.difference, verdict=self.verdict)


def plan(
    reading: Reading,
    settings: GammaFlags,
    sampled: Sampled,
    computing: ComputingFlags,
    goals: Goals,
    files: Files = None,
    candidate: str | None = option("The candidate in the pilot, for --verdict.", "NAME"),
    model: Path | None = option("Without a pilot: a reference model (TOML)."),
    gamma: float | None = option("Without a pilot: the γ you expect."),
    per_document: list[int] | None = option(
        "Numbers of annotators per document to try (repeatable).  [default: 2 to one more than the "
        "pilot has]"
    ),
    price: float | None = option("Price of one document by one annotator."),
    price_document: float | None = option("Price of a document itself, whoever annotates it."),
    error: str = option(
        "Errors that simulated annotators make.",
        "NAME+NAME",
        default="position+category+false-negative",
    ),
    team: Path | None = TEAM,
    assign: Path | None = option("Write who should annotate what (CSV)."),
    figure: Path | None = option("Draw the curve (.svg, .png, .pdf).", "FILE"),
    json: AsJson = False,
) -> None:
    """Plan how many documents and annotators you need.

    It answers from a pilot, or from a reference model.

    Example: gammacp plan pilot/ --half-width 0.05

    Most used: --half-width, --difference and --annotators.
    """
    from gammacp.campaign.plan import plan as compute
    from shuffling import read_model

    if (model is not None) == bool(files or reading.dataset):
        raise UsageError("give a pilot's files, or --model FILE with --gamma (one of the two)")
    _check_assign(assign, model)
    goal = goals.goal()
    options = settings.options()
    check_figure_path(figure)
    paths = outputs(assign=assign, figure=figure)
    loaded = None
    teams = None
    if model is None:
        features = settings.weighing.features
        loaded = load(files, reading, features, writes=paths, about=sampled.values())
        teams = teams_of(team, loaded.corpus().continua)
    else:
        _refuse_without_pilot(sampled, team)
    with computing.pool("steps") as (executor, progress_line):
        result = compute(
            None if loaded is None else loaded.corpus(),
            goal=goal,
            model=None if model is None else read_model(model),
            gamma=gamma,
            annotators=per_document or (),
            candidate=candidate,
            prices=_prices(price, price_document),
            error=error,
            teams=teams,
            executor=executor,
            progress=progress_line,
            **options,
        )
    if assign is not None and loaded is not None:
        _write_assignment(assign, result, loaded.corpus().continua, candidate, teams)
    _show(result, figure, loaded, json=json)


def _check_assign(assign: Path | None, model: Path | None) -> None:
    """Refuse to assign documents where no pilot names the annotators."""
    if assign is not None and model is not None:
        raise UsageError("--assign needs a pilot, because it names the pilot's annotators")


def _prices(annotation: float | None, document: float | None) -> Prices:
    """Return the prices; where none is given, every annotation costs 1."""
    from gammacp.campaign.plan import Prices

    return Prices(
        annotation=1.0 if annotation is None else annotation,
        document=document or 0.0,
        given=annotation is not None or document is not None,
    )


def _refuse_without_pilot(sampled: Sampled, team: Path | None) -> None:
    """Refuse options that describe the documents or annotators of a pilot."""
    if about := sampled.values():
        raise UsageError(f"--{min(about)} describes the documents of a pilot, and there is none")
    if team is not None:
        raise UsageError("--team names teams of a pilot's annotators, and there is no pilot")


def _write_assignment(
    path: Path,
    result: Plan,
    pilot: Mapping[str, Continuum],
    candidate: str | None,
    teams: Mapping[str, str] | None,
) -> None:
    """Write who should annotate what for the best design.

    Raises
    ------
    DataError
        No design reaches the goal.
    """
    from gammacp.campaign.plan.assignment import assignment

    best = result.best
    if not isfinite(best.documents):
        raise DataError(result.advice())
    assignment(pilot, best.documents, best.annotators, candidate, teams).write_csv(path)


def _show(result: Plan, figure: Path | None, loaded: Loaded | None, *, json: bool) -> None:
    """Draw the figure if it was asked for, and print the plan."""
    from gammacp.campaign import result_tables

    drawn = {}
    if figure is not None:
        from gammacp.campaign.plan.figure import picture_of

        drawn = {"figure": write_figure(partial(picture_of, result), figure)}
    if json:
        print_json({**result.as_dict(), **drawn, **(loaded.json if loaded else {})})
        return
    show(result_tables.designs(result))
    say(f"\n{result.advice()}")
    tell_signatures(result.signature)
