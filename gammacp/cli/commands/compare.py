"""`gammacp compare`: who agrees with whom, about what, and where."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from gammacp.campaign.compare import Comparison, PermutationTest
    from gammacp.continuum import Continuum
    from gammacp.measures.score import Score
    from gammacp.measures.settings import GammaOptions


class By(StrEnum):
    """Tables of the comparison."""

    DOCUMENT = "document"
    ANNOTATOR = "annotator"
    PAIR = "pair"
    CATEGORY = "category"


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compare")(flatten(compare))


def compare(
    reading: Reading,
    weighing: Weighing,
    sampling: Sampling,
    solving: Solving,
    comparing: Comparing,
    files: Files = None,
    by: Annotated[
        list[By] | None,
        typer.Option(help="Print these tables only (repeatable).  [default: all]"),
    ] = None,
    fail_under: FailUnder = None,
    json: AsJson = False,
) -> None:
    """Who agrees with whom: per document, annotator, pair of annotators and category."""
    from gammacp.campaign.compare import compare as compare_all
    from gammacp.campaign.tables import comparison_document
    from gammacp.cli.comparison_tables import PRINTERS, print_against

    options = gamma_options(weighing, sampling, solving)
    loaded = load(files, reading)
    other = comparing.other_round(reading)
    with comparing.workers(loaded, "comparing") as executor:
        found = compare_all(
            loaded.corpus().continua,
            reference=comparing.reference,
            draws=comparing.bootstrap,
            leave_one_out=comparing.leave_one_out and (not by or By.ANNOTATOR in by or json),
            executor=executor,
            **options,
        )
        test = None if other is None else _rounds(found, other, options, comparing.permutations)
    if json:
        print_json(comparison_document(found, test))
    else:
        for table in by or list(By):
            PRINTERS[table](found)
        if comparing.reference is not None:
            PRINTERS["reference"](found)
        if test is not None:
            print_against(found.overall.score, *test)
        message(f"seed {sampling.seed}; {found.overall.score.signature}")
    score = found.overall.score
    solving.check_proven(str(getattr(score, "status", "feasible")))
    check_threshold(score.value, fail_under, "γ")


def _rounds(
    found: Comparison, other: Mapping[str, Continuum], options: GammaOptions, deals: int
) -> tuple[Score, PermutationTest]:
    from gammacp.campaign.compare import agreement, compare_rounds

    second = agreement(other, options)
    test = compare_rounds(found.overall, second, deals=deals, seed=options["seed"])
    return second.score, test
