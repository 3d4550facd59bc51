"""`gammacp report`: one self-contained page with numbers, alignment view and disagreements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gammacp.cli.options.comparing import Comparing
from gammacp.cli.options.groups import flatten
from gammacp.cli.options.reading import Files, Reading, load
from gammacp.cli.options.settings import (
    FailUnder,
    Sampling,
    Solving,
    Weighing,
    check_threshold,
    gamma_options,
)
from gammacp.cli.output import AsJson, message, print_json


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(flatten(report))


def report(
    reading: Reading,
    weighing: Weighing,
    sampling: Sampling,
    solving: Solving,
    comparing: Comparing,
    files: Files = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The page.")] = Path("report.html"),
    title: Annotated[str, typer.Option(help="Heading.  [default: names of the files]")] = "",
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate", help="Also say which errors would give this γ (takes a while)."
        ),
    ] = False,
    support: Annotated[
        str | None,
        typer.Option(
            help="Annotators a unit of the consensus needs.  [default: more than half]",
            metavar="N|SHARE",
        ),
    ] = None,
    boundaries: Annotated[
        str, typer.Option(help="Consensus boundaries: majority, median or mean.")
    ] = "median",
    fail_under: FailUnder = None,
    json: AsJson = False,
) -> None:
    """One self-contained HTML page: numbers, alignment view, what to review."""
    from gammacp.report import report as build

    options = gamma_options(weighing, sampling, solving)
    loaded = load(files, reading)
    other = comparing.other_round(reading)
    with comparing.workers(loaded, "reporting", pays=calibrate) as executor:
        built = build(
            loaded.corpus(),
            title=title,
            reference=comparing.reference,
            against=other,
            deals=comparing.permutations,
            calibrate=calibrate,
            support=support,
            boundaries=boundaries,
            draws=comparing.bootstrap,
            leave_one_out=comparing.leave_one_out,
            executor=executor,
            failures=tuple(str(error) for _, error in loaded.failures),
            left_out=loaded.left_out,
            **options,
        )
    built.write(out)
    score = built.contents.comparison.overall.score
    if json:
        known = {"gamma": score.value, "interval": score.interval}
        print_json({"report": str(out), **known, **loaded.json})
    else:
        message(f"wrote {out}")
    solving.check_proven(str(getattr(score, "status", "feasible")))
    check_threshold(score.value, fail_under, "γ")
