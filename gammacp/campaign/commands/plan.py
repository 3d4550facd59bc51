"""`gammacp plan`: number of documents and annotators for a goal."""

from functools import partial
from math import isfinite
from pathlib import Path

from gammacp.cli.options.groups import option
from gammacp.cli.options.reading import TEAM, Files, Reading, Sampled, load, teams_of
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


def plan(
    reading: Reading,
    settings: GammaFlags,
    sampled: Sampled,
    computing: ComputingFlags,
    files: Files = None,
    half_width: float | None = option("Goal: know γ to ± this.  [default: 0.05]"),
    difference: float | None = option(
        "Goal: find a difference of this size between two rounds in about three of four cases."
    ),
    verdict: float | None = option(
        "Goal: a stand-in passes gammacp replace at this ε with 80 % probability."
    ),
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
    from gammacp.campaign import result_tables
    from gammacp.campaign.plan import Goal, Prices
    from gammacp.campaign.plan import plan as compute
    from gammacp.campaign.plan.assignment import assignment
    from gammacp.errors import DataError, UsageError
    from shuffling import read_model

    if (model is not None) == bool(files or reading.dataset):
        raise UsageError("give a pilot's files, or --model FILE with --gamma (one of the two)")
    if assign is not None and model is not None:
        raise UsageError("--assign needs a pilot, because it names the pilot's annotators")
    goal = Goal(half_width=half_width, difference=difference, verdict=verdict)
    options = settings.options()
    features = settings.weighing.features
    check_figure_path(figure)
    paths = outputs(assign=assign, figure=figure)
    loaded = None
    if model is None:
        loaded = load(files, reading, features, writes=paths, about=sampled.values())
    elif about := sampled.values():
        raise UsageError(f"--{min(about)} describes the documents of a pilot, and there is none")
    if team is not None and loaded is None:
        raise UsageError("--team names teams of a pilot's annotators, and there is no pilot")
    teams = None
    if loaded is not None:
        teams = teams_of(team, loaded.corpus().continua)
    with computing.pool("steps") as (executor, counter):
        found = compute(
            None if loaded is None else loaded.corpus(),
            goal=goal,
            model=None if model is None else read_model(model),
            gamma=gamma,
            annotators=per_document or (),
            candidate=candidate,
            prices=Prices(
                annotation=1.0 if price is None else price,
                document=price_document or 0.0,
                given=price is not None or price_document is not None,
            ),
            error=error,
            teams=teams,
            executor=executor,
            progress=counter,
            **options,
        )
    if assign is not None and loaded is not None:
        if not isfinite(found.best.documents):
            raise DataError(found.advice())
        best = found.best
        pilot = loaded.corpus().continua
        assignment(pilot, best.documents, best.annotators, candidate, teams).write_csv(assign)
    drawn = {}
    if figure is not None:
        from gammacp.campaign.plan.figure import picture_of

        drawn = {"figure": write_figure(partial(picture_of, found), figure)}
    if json:
        print_json({**found.as_dict(), **drawn, **(loaded.json if loaded else {})})
        return
    show(result_tables.designs(found))
    say(f"\n{found.advice()}")
    tell_signatures(found.signature)
