"""`gammacp reproduce`: run the papers' experiments and hold them against what the papers claim."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gammacp.cli.options.groups import option
from gammacp.cli.output import AsJson, message, print_json, print_table

if TYPE_CHECKING:
    from gammacp.reproduce.claims import Checked


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Experiments, or `all`.", metavar="[NAME]...", show_default=False),
    ] = None,
    check: bool = option(
        "Check the claims on the results that are there; run nothing.", default=False
    ),
    quick: bool = option("Coarse versions, into results-quick.", default=False),
    data: Path | None = option("Folder with the corpora that do not ship."),
    results: Path | None = option("Where results go.  [default: results]"),
    experiments: Path = option(
        "Folder of the experiments (from a checkout).", default=Path("experiments")
    ),
    json: AsJson = False,
) -> None:
    """Run experiments of the papers and check what the papers claim; bare: list them."""
    from gammacp.errors import GammacpError
    from gammacp.reproduce.experiments import find, load

    known = list(find(experiments))
    target = results or Path("results-quick" if quick else "results")
    chosen = known if not names or "all" in names else list(dict.fromkeys(names))
    if not names and not check:
        rows = [(name, load(name, experiments).summary) for name in known]
        if json:
            print_json({"experiments": [{"name": n, "summary": s} for n, s in rows]})
        else:
            print_table(("experiment", "what it reproduces"), rows)
        return
    ran = list(chosen) if check else _run(chosen, experiments, target, quick=quick, data=data)
    checked = _check(ran, experiments / "claims.toml", target, quick=quick)
    if json:
        print_json({"claims": [_entry(c) for c in checked]})
    else:
        _print(checked)
    unexplained = [c for c in checked if not c.explained]
    if unexplained:
        raise GammacpError(f"{len(unexplained)} claims fail without a reason written down")


def _run(
    names: Sequence[str], folder: Path, results: Path, *, quick: bool, data: Path | None
) -> list[str]:
    """Run them one by one; those that need data that were not given are left out and named."""
    from gammacp.reproduce.experiments import load, run

    ran = []
    for name in names:
        experiment = load(name, folder)
        if experiment.needs_data and data is None and len(names) > 1:
            message(f"{name}: left out, it needs files that do not ship (--data DIR)")
            continue
        begun = time.perf_counter()
        where = run(experiment, results, quick=quick, data=data)
        message(f"{name}: {time.perf_counter() - begun:.1f} s, {where}")
        ran.append(name)
    return ran


def _check(names: Sequence[str], path: Path, results: Path, *, quick: bool) -> list[Checked]:
    from gammacp.errors import DataError
    from gammacp.reproduce.claims import check, load_claims

    checked = []
    for claim in load_claims(path):
        if claim.experiment not in names or (quick and claim.full_scale):
            continue
        try:
            checked.append(check(claim, results))
        except DataError as error:
            raise DataError(f"claim {claim.text!r}: {error.message}", file=error.file) from None
    return checked


def _entry(checked: Checked) -> dict[str, object]:
    claim, verdict = checked.claim, checked.verdict
    return {
        "experiment": claim.experiment,
        "source": claim.source,
        "claim": claim.text,
        "measured": verdict.measured,
        "holds": verdict.holds,
        "why": None if verdict.holds else claim.fails_because,
    }


def _print(checked: Sequence[Checked]) -> None:
    rows = [
        (
            c.claim.source,
            c.claim.text,
            c.verdict.measured,
            "holds" if c.verdict.holds else "FAILS",
            "" if c.verdict.holds else c.claim.fails_because or "no reason written down",
        )
        for c in checked
    ]
    print_table(("paper", "claim", "measured", "verdict", "why"), rows)
    held = sum(c.verdict.holds for c in checked)
    print(f"{held} of {len(checked)} claims hold")
