"""`gammacp compare`: who agrees with whom, about what, and where."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gammacp.cli.comparison_tables import PRINTERS, print_against
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
    from gammacp.campaign.compare import BootstrapInterval, Comparison, PermutationTest
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
        print_json(_document(found, test))
    else:
        for table in by or list(By):
            PRINTERS[table](found)
        if comparing.reference is not None:
            PRINTERS["reference"](found)
        if test is not None:
            print_against(*test)
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


def _document(found: Comparison, test: tuple[Score, PermutationTest] | None) -> dict[str, Any]:
    return {
        "overall": {**_score(found.overall.score), "bootstrap": _bootstrap(found.bootstrap)},
        "documents": [{"file": n, **_score(s)} for n, s in found.overall.documents.items()],
        "annotators": [
            {
                "annotator": a.name,
                "units": a.units,
                "documents": a.documents,
                "mean_length": a.mean_length,
                "mean_pair": a.mean_pair,
                "without": a.without,
                "gain": a.gain,
                "alone": a.alone,
                "outvoted": a.outvoted,
            }
            for a in found.annotators
        ],
        "pairs": [
            {"annotators": list(pair), "documents": len(a.documents), **_score(a.score)}
            for pair, a in found.pairs.agreements.items()
        ],
        "categories": [
            {
                "category": c.name,
                "gamma_k": c.value,
                "units": c.units,
                "documents": c.documents,
                "share_equal": c.share_equal,
                "share_matched": c.share_matched,
                "reason": c.reason,
            }
            for c in found.categories
        ],
        "confusion": _confusion(found.confusion),
        "reference": None if found.reference is None else _reference(found.reference),
        "against": None if test is None else _against(*test),
    }


def _score(score: Score) -> dict[str, Any]:
    return {
        "gamma": score.value,
        "interval": score.interval,
        "observed_disorder": score.observed,
        "expected_disorder": score.expected,
        "status": getattr(score, "status", None),
        "reason": score.reason,
        "signature": score.signature,
    }


def _bootstrap(interval: BootstrapInterval | None) -> dict[str, Any] | None:
    if interval is None:
        return None
    return {
        "interval": interval.interval,
        "parts": interval.parts,
        "kind": interval.kind,
        "block": interval.block,
        "draws": interval.draws,
        "confidence": interval.confidence,
        "reason": interval.reason,
    }


def _confusion(table: Any) -> dict[str, Any]:
    return {
        "rows": list(table.rows),
        "columns": list(table.columns),
        "counts": table.counts.tolist(),
    }


def _reference(found: Any) -> dict[str, Any]:
    return {
        "name": found.name,
        "mean": found.mean,
        "with_everybody": _score(found.everybody.score),
        "annotators": [
            {
                "annotator": a.annotator,
                **_score(a.agreement.score),
                "with_others": a.with_others,
                "aligned": a.aligned,
                "equal": a.equal,
                "missed": a.missed,
                "added": a.added,
            }
            for a in found.annotators
        ],
        "confusion": _confusion(found.confusion),
    }


def _against(score: Score, test: PermutationTest) -> dict[str, Any]:
    return {
        **_score(score),
        "difference": test.difference,
        "p_value": test.p_value,
        "deals": test.deals,
        "exact": test.exact,
        "paired": test.paired,
        "parts": list(test.parts),
        "kind": test.kind,
    }
