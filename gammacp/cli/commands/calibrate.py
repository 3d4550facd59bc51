"""`gammacp calibrate`: what a γ means, in errors that would give the same value."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gammacp.cli.counting import counting
from gammacp.cli.options.groups import flatten
from gammacp.cli.options.parallel import Jobs
from gammacp.cli.options.reading import Files, Reading, load
from gammacp.cli.options.settings import (
    FailUnder,
    Sampling,
    Solving,
    Weighing,
    check_threshold,
    gamma_options,
)
from gammacp.cli.output import AsJson, message, print_json, show
from gammacp.tables import number

if TYPE_CHECKING:
    from gammacp.campaign.calibrate import Calibration


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("calibrate")(flatten(calibrate))


def calibrate(
    reading: Reading,
    weighing: Weighing,
    sampling: Sampling,
    solving: Solving,
    files: Files = None,
    error: Annotated[
        list[str] | None,
        typer.Option(
            help="Error types (repeatable), such as split:factor=2.  [default: position, "
            "category, false-negative, false-positive, split]",
            metavar="NAME",
        ),
    ] = None,
    sets: Annotated[int, typer.Option(help="Shuffled sets per magnitude.", min=3)] = 6,
    figure: Annotated[
        Path | None, typer.Option(help="Draw the curves with γ on them (.svg, .png, .pdf).")
    ] = None,
    curves: Annotated[Path | None, typer.Option(help="Write the curves (CSV).")] = None,
    jobs: Jobs = None,
    fail_under: FailUnder = None,
    json: AsJson = False,
) -> None:
    """What this γ means: the error magnitudes that give the same value on data like these."""
    from gammacp.campaign import tables
    from gammacp.campaign.calibrate import calibrate as compute
    from gammacp.campaign.calibrate.calibration import ERROR_TYPES
    from gammacp.pools import workers

    options = gamma_options(weighing, sampling, solving)
    loaded = load(files, reading)
    errors = tuple(dict.fromkeys(error)) if error else ERROR_TYPES
    with workers(jobs) as executor, counting("magnitudes") as progress:
        found = compute(
            loaded.corpus(),
            errors=errors,
            sets=sets,
            executor=executor,
            progress=progress,
            **options,
        )
    if curves is not None:
        tables.curves(found).write_csv(curves)
    if figure is not None:
        from gammacp.campaign.calibrate.figure import draw

        draw(found, figure)
    if json:
        print_json({**found.as_dict(), **loaded.json})
    else:
        _print(found)
        for path in (curves, figure):
            if path is not None:
                message(f"wrote {path}")
        message(f"seed {sampling.seed}; {found.score.signature}")
    solving.check_proven(str(getattr(found.score, "status", "feasible")))
    check_threshold(found.score.value, fail_under, "γ")


def _print(found: Calibration) -> None:
    from gammacp.campaign.tables import equivalents

    print(f"γ = {number(found.score.value)} is reached by, one kind of error at a time:")
    show(equivalents(found).without("reason"))
    print(found.in_words())
    for e in found.equivalents:
        if e.reason:
            message(f"{e.error}: {e.reason}")
