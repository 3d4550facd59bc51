"""`gammacp solvers`: the back-ends that `--method` chooses from."""

from __future__ import annotations

import typer

from gammacp.cli.output import AsJson, print_json, print_table


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("solvers")(solvers)


def solvers(json: AsJson = False) -> None:
    """The solvers of the alignment problem."""
    from gammacp.alignment import SOLVERS

    rows = [(s.name, s.summary, "yes" if s.exact else "no") for _, s in SOLVERS.items()]
    if json:
        print_json(
            {"solvers": [{"name": n, "summary": t, "exact": e == "yes"} for n, t, e in rows]}
        )
    else:
        print_table(("solver", "what it does", "exact"), rows)
