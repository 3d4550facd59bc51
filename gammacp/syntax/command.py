"""`gammacp syntax`: α over trees, with accuracies, who disagrees with whom, and where."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammacp.cli.options.groups import argument, option
from gammacp.cli.output import AsJson, message, print_json, show
from gammacp.cli.sparing import spare_files

if TYPE_CHECKING:
    from gammacp.syntax.treebank import ReadTreebank


class TreePreset(StrEnum):
    """What a paper printed."""

    SKJAERHOLT_2014 = "skjaerholt-2014"


@dataclass(frozen=True)
class Reading:
    """How files are read and sentences paired."""

    trees: str | None = option(
        "dependency, phrase or graph, by default from the first file; or enhanced: the graphs of "
        "enhanced Universal Dependencies."
    )
    pattern: str | None = option(
        "Regular expression over paths with groups (?P<annotator>…) and, for several "
        "documents, (?P<document>…)."
    )
    folders: str = option("What folders are: auto, annotators or documents.", default="auto")
    pairing: str = option(
        "Sentences belong together by their words (auto), by order, or by id (sent_id).",
        default="auto",
    )
    leaves: str = option("Bare symbols of brackets are words or labels, or auto.", default="auto")
    size: str = option("|x| of phrase structure counts leaves or nodes.", default="leaves")
    labels: str = option(
        "universal: relations without subtypes, and scores of Universal Dependencies; "
        "categories: of Penn trees without function tags and indices.",
        default="all",
    )
    ignore: str = option("punct: tokens that are punctuation; traces: of Penn trees.", default="")
    encoding: str = option("Encoding of the files.", default="utf-8")
    strict: bool = option("Stop at the first sentence that is left out, or defect.", default=False)


@dataclass(frozen=True)
class Computing:
    """How much is computed."""

    preset: TreePreset | None = option(
        "The published form alone, without values beyond length-matched chance."
    )
    sample_pairs: int = option(
        "Estimate the published chance from N pairs; 0: all pairs. Of graphs: about as many pairs "
        "for chance beyond the sentence; 0: 500.",
        default=0,
    )
    bootstrap: int = option(
        "Draws over sentences for the published values; 0: no interval.", default=0
    )
    by_annotator: bool = option("Each pair of annotators; all but one.", default=False)
    breakdown: bool = option(
        "By relation (what is confused, coefficients of label and head), by length of the "
        "sentence, distance of the head, part of speech.",
        default=False,
    )
    sentences: int = option(
        "Show the N sentences with the largest share of disagreement.", default=0
    )
    seed: int = option("Seed of sampled pairs and bootstrap.", default=0, min=0)
    consensus: Path | None = option(
        "Write the trees that most votes for arcs are for, as CoNLL-U with the votes."
    )
    method: str | None = option("How graphs are matched: auto, relaxed, milp or cpsat.  [auto]")
    time_limit: float | None = option("Seconds for each pair of graphs.  [10]")
    fail_under: float | None = option(
        "Exit with 5 if α plain beyond chance (of graphs, Smatch F₁ beyond chance; with --preset, "
        "α plain as published) is smaller, or undefined."
    )


def syntax(
    reading: Reading,
    computing: Computing,
    paths: list[Path] = argument(
        "A file or a folder per annotator, or one folder of either.", default=Parameter.empty
    ),
    as_json: AsJson = False,
) -> None:
    """α over trees (Skjærholt 2014), Smatch of semantic graphs: agreement on syntax and AMR."""
    from gammacp.errors import BelowThresholdError
    from gammacp.formats.campaign_file import paths_and
    from gammacp.syntax.consensus import consensus_trees
    from gammacp.syntax.report import report_on
    from gammacp.syntax.tables import in_words, tables
    from gammacp.syntax.treebank import read_treebank
    from gammacp.tables import number

    output = computing.consensus
    options = asdict(reading)
    strict = options.pop("strict")
    with paths_and(paths) as (files, _):
        if output is not None:
            spare_files([output], files)
        read = read_treebank(files, kind=options.pop("trees"), **options)
    for line in read.messages:
        message(line)
    if strict:
        read.require_complete()
    if computing.sample_pairs or computing.bootstrap or computing.preset is None:
        message(f"seed {computing.seed}")
    report = report_on(read, **_options(read, reading, computing))
    document = report.as_dict()
    if output is not None:
        found = consensus_trees(read.treebank)
        found.write(output)
        document["consensus"] = {"file": str(output), **found.as_dict()}
        message(found.in_words(str(output)))
    if as_json:
        print_json(document)
    else:
        for table in tables(report):
            show(table)
        for line in in_words(report):
            message(line)
    (measure, value), least = report.value, computing.fail_under
    if least is not None and not value >= least:
        raise BelowThresholdError(f"{measure} {number(value)} is below {least:g}")


def _options(read: ReadTreebank, reading: Reading, computing: Computing) -> dict[str, Any]:
    """What `report_on` is asked; a UsageError for what only the other kind has."""
    from gammacp.errors import UsageError

    options = asdict(computing)
    of_trees = ("preset", "bootstrap", "breakdown", "consensus")
    graphs = read.treebank.of_graphs
    wrong = of_trees if graphs else ("method", "time_limit")
    if given := [f"--{name.replace('_', '-')}" for name in wrong if options[name]]:
        kinds = ("trees", "graphs") if graphs else ("graphs", "trees")
        raise UsageError(f"{' and '.join(given)} are for {kinds[0]}, and these are {kinds[1]}")
    del options["fail_under"], options["consensus"]
    if options.pop("preset"):
        options["chance"] = None
    if graphs:
        del options["bootstrap"], options["breakdown"]
        return options
    return {**options, "universal": reading.labels == "universal"}
