"""`gammacp syntax`: α over trees, with accuracies, who disagrees with whom, and where."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gammacp.cli.options.groups import flatten
from gammacp.cli.output import AsJson, message, print_json, show


class TreePreset(StrEnum):
    """What a paper printed."""

    SKJAERHOLT_2014 = "skjaerholt-2014"


@dataclass(frozen=True)
class Reading:
    """How files are read and sentences paired."""

    trees: Annotated[
        str | None,
        typer.Option(help="dependency or phrase; by default from the first file."),
    ] = None
    pattern: Annotated[
        str | None,
        typer.Option(
            help="Regular expression over paths with groups (?P<annotator>…) and, for several "
            "documents, (?P<document>…)."
        ),
    ] = None
    folders: Annotated[
        str, typer.Option(help="What folders are: auto, annotators or documents.")
    ] = "auto"
    pairing: Annotated[
        str,
        typer.Option(
            help="Sentences belong together by their words (auto), by order, or by id (sent_id)."
        ),
    ] = "auto"
    leaves: Annotated[
        str, typer.Option(help="Bare symbols of brackets are words or labels, or auto.")
    ] = "auto"
    size: Annotated[str, typer.Option(help="|x| of phrase structure counts leaves or nodes.")] = (
        "leaves"
    )
    labels: Annotated[
        str,
        typer.Option(
            help="universal: relations without subtypes, and scores of Universal Dependencies; "
            "categories: of Penn trees without function tags and indices."
        ),
    ] = "all"
    ignore: Annotated[
        str, typer.Option(help="punct: tokens that are punctuation; traces: of Penn trees.")
    ] = ""
    encoding: Annotated[str, typer.Option(help="Encoding of the files.")] = "utf-8"
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Stop at the first sentence that is left out, or defect."),
    ] = False


@dataclass(frozen=True)
class Computing:
    """How much is computed."""

    preset: Annotated[
        TreePreset | None,
        typer.Option(help="The published form alone, without values beyond length-matched chance."),
    ] = None
    sample_pairs: Annotated[
        int, typer.Option(help="Estimate the published chance from N pairs; 0: all pairs.")
    ] = 0
    bootstrap: Annotated[
        int, typer.Option(help="Draws over sentences for the published values; 0: no interval.")
    ] = 0
    by_annotator: Annotated[
        bool, typer.Option("--by-annotator", help="Each pair of annotators; all but one.")
    ] = False
    sentences: Annotated[
        int, typer.Option(help="Show the N sentences with the largest share of disagreement.")
    ] = 0
    seed: Annotated[int, typer.Option(help="Seed of sampled pairs and bootstrap.", min=0)] = 0
    workers: Annotated[int, typer.Option(help="Threads; 0: one per core.")] = 0
    consensus: Annotated[
        Path | None,
        typer.Option(
            help="Write the trees that most votes for arcs are for, as CoNLL-U with the votes."
        ),
    ] = None
    fail_under: Annotated[
        float | None,
        typer.Option(help="Exit with 5 if the published α plain is smaller, or undefined."),
    ] = None


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("syntax")(flatten(_syntax))


def _syntax(
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="A file or a folder per annotator, or one folder of either.", show_default=False
        ),
    ],
    reading: Reading,
    computing: Computing,
    as_json: AsJson = False,
) -> None:
    """α over trees (Skjærholt 2014): agreement on dependency or phrase structure."""
    import os

    from gammacp.errors import BelowThresholdError
    from gammacp.syntax.consensus import consensus_trees
    from gammacp.syntax.report import syntax_report
    from gammacp.syntax.tables import in_words, tables
    from gammacp.syntax.treebank import read_treebank
    from gammacp.tables import number

    options = asdict(reading)
    strict = options.pop("strict")
    read = read_treebank(paths, kind=options.pop("trees"), **options)
    for line in read.messages:
        message(line)
    if strict:
        read.require_complete()
    if computing.sample_pairs or computing.bootstrap or computing.preset is None:
        message(f"seed {computing.seed}")
    options = asdict(computing)
    fail_under, consensus = options.pop("fail_under"), options.pop("consensus")
    if options.pop("preset"):
        options["chance"] = None
    options["workers"] = computing.workers or os.cpu_count() or 1
    report = syntax_report(read, universal=reading.labels == "universal", **options)
    document = report.as_dict()
    if consensus is not None:
        found = consensus_trees(read.treebank)
        found.write(consensus)
        document["consensus"] = {"file": str(consensus), **found.as_dict()}
        message(found.in_words(str(consensus)))
    if as_json:
        print_json(document)
    else:
        for table in tables(report):
            show(table)
        for line in in_words(report):
            message(line)
    value = report.agreement.total.alpha["plain"]
    if fail_under is not None and not value >= fail_under:
        raise BelowThresholdError(f"α plain {number(value)} is below {fail_under:g}")
