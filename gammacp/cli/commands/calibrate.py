"""`gammacp calibrate`: what a γ means, in errors that would give the same value."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gammacp.cli.counting import Counter
from gammacp.cli.options.groups import flatten
from gammacp.cli.options.parallel import Jobs, workers
from gammacp.cli.options.reading import Files, Reading, load
from gammacp.cli.options.settings import (
    FailUnder,
    Sampling,
    Solving,
    Weighing,
    check_threshold,
    gamma_options,
)
from gammacp.cli.output import AsJson, message, number, print_json, print_table

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
    from gammacp.campaign.calibrate import calibrate as compute
    from gammacp.campaign.calibrate.calibration import ERROR_TYPES

    options = gamma_options(weighing, sampling, solving)
    loaded = load(files, reading)
    errors = tuple(dict.fromkeys(error)) if error else ERROR_TYPES
    counter = Counter("magnitudes")
    with workers(jobs) as executor:
        try:
            found = compute(
                loaded.corpus(),
                errors=errors,
                sets=sets,
                executor=executor,
                progress=counter,
                **options,
            )
        finally:
            counter.close()
    if curves is not None:
        _write_curves(found, curves)
    if figure is not None:
        from gammacp.campaign.calibrate.figure import draw

        draw(found, figure)
    if json:
        print_json(found.as_dict())
    else:
        _print(found)
        for path in (curves, figure):
            if path is not None:
                message(f"wrote {path}")
        message(f"seed {sampling.seed}; {found.score.signature}")
    solving.check_proven(str(getattr(found.score, "status", "feasible")))
    check_threshold(found.score.value, fail_under, "γ")


def _print(found: Calibration) -> None:
    from gammacp.campaign.calibrate.meaning import unit_of_amount

    rows = [
        [
            e.error,
            _share(e.amount),
            f"{_share(e.low)} to {_share(e.high)}",
            unit_of_amount(e.error),
            _share(e.magnitude.value) if e.magnitude else "–",
        ]
        for e in found.equivalents
    ]
    print(f"γ = {number(found.score.value)} is reached by, one kind of error at a time:")
    print_table(
        ("error", "amount", "interval", "of", "magnitude"),
        rows,
        numeric=("amount", "interval", "magnitude"),
    )
    print(found.in_words())
    for e in found.equivalents:
        if e.reason:
            message(f"{e.error}: {e.reason}")


def _share(value: float) -> str:
    if value == float("inf"):
        return "beyond"
    return number(value, 3)


def _write_curves(found: Calibration, path: Path) -> None:
    from gammacp.files import atomic_write

    with (
        atomic_write(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as stream,
    ):
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["error", "magnitude", "mean", "sd", "smooth", "sets"])
        for e in found.equivalents:
            for point in e.curve.as_dict():
                writer.writerow([e.error, *(point[k] for k in _POINT)])


_POINT = ("magnitude", "mean", "sd", "smooth", "sets")
