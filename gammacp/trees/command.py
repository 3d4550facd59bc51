"""`gammacp syntax`: α over trees, with accuracies, who disagrees with whom, and where."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammacp.cli.incomplete import unread_json
from gammacp.cli.options.groups import option
from gammacp.cli.options.reading import Files, Reading
from gammacp.cli.options.settings import Seed, Thresholds
from gammacp.cli.output import PIPED, AsJson, message, print_json, show
from gammacp.trees.options import Treebanks

if TYPE_CHECKING:
    from gammacp.cli.judging import Judged
    from gammacp.trees.treebank import ReadTreebank


class TreePreset(StrEnum):
    """Presets named after the papers whose values they print."""

    SKJAERHOLT_2014 = "skjaerholt-2014"


@dataclass(frozen=True)
class TreeComputing:
    """Options that choose what is computed."""

    preset: TreePreset | None = option(
        "The published form alone, without values beyond length-matched chance."
    )
    sample_pairs: int = option(
        "Estimate the published chance from N pairs; 0 takes all. For graphs, about as many pairs "
        "for chance beyond the sentence; 0 takes 500.",
        default=0,
    )
    bootstrap: int = option(
        "Bootstrap draws over sentences, for intervals of the published values; 0 for none.",
        default=0,
    )
    by_annotator: bool = option("Also each pair of annotators, and all but one.", default=False)
    breakdown: bool = option(
        "Break agreement down by relation (confusions, coefficients of label and head), length of "
        "the sentence, distance of the head, and part of speech.",
        default=False,
    )
    sentences: int = option("Show the N sentences with most disagreement.", default=0)
    seed: Seed = 0
    consensus: Path | None = option(
        "Write consensus trees by votes on arcs, as CoNLL-U with the votes."
    )
    time_limit: float | None = option("Seconds for each pair of graphs.  [default: 10]")


def syntax(
    reading: Reading,
    treebanks: Treebanks,
    computing: TreeComputing,
    thresholds: Thresholds,
    files: Files = None,
    json: AsJson = False,
) -> None:
    """Agreement on trees (α) and on semantic graphs (Smatch).

    Give a file or folder per annotator, or one folder of them. --fail-under tests α plain beyond
    chance (graphs: Smatch F₁ beyond chance; with --preset: α plain as published), and
    --fail-under-lower the lower end of its interval over sentences. α is that of Skjærholt (2014).

    Example: gammacp syntax treebank/ --breakdown

    Most used: --trees, --by-annotator and --breakdown.
    """
    from gammacp.trees.consensus import consensus_trees
    from gammacp.trees.report import report_on
    from gammacp.trees.report_tables import in_words, tables

    output = computing.consensus
    read = treebanks.read(files or (), reading, writes=filter(None, [output]))
    if computing.sample_pairs or computing.bootstrap or computing.preset is None:
        message(f"seed {computing.seed}")
    report = report_on(read, **_options(read, treebanks, computing))
    document = report.as_dict()
    if output is not None:
        consensus = consensus_trees(read.treebank)
        consensus.write(output)
        document["consensus"] = {"file": str(output), **consensus.as_dict()}
        message(consensus.in_words(str(output)))
    if json:
        print_json({**document, "failures": unread_json()})
    else:
        for table in tables(report):
            show(table, piped=PIPED)
        for line in in_words(report):
            message(line)
    measure, value = report.value

    def judged() -> Judged:
        from gammacp.cli.judging import Judged

        interval = f"{measure}'s interval"
        return Judged(what=measure, value=value, interval_of=interval, lower=report.lower)

    thresholds.check(judged)


def _options(read: ReadTreebank, treebanks: Treebanks, computing: TreeComputing) -> dict[str, Any]:
    """Return the arguments of `report_on`; UsageError for options of the other kind of trees."""
    from gammacp.errors import UsageError

    options = asdict(computing)
    of_trees = ("preset", "bootstrap", "breakdown", "consensus")
    graphs = read.treebank.of_graphs
    wrong = of_trees if graphs else ("time_limit",)
    if wrong_options := [f"--{name.replace('_', '-')}" for name in wrong if options[name]]:
        if graphs:
            kinds = ("trees", "graphs")
        else:
            kinds = ("graphs", "trees")
        raise UsageError(
            f"{' and '.join(wrong_options)}: only for {kinds[0]}, and these are {kinds[1]}"
        )
    del options["consensus"]
    if options.pop("preset"):
        options["chance"] = None
    if graphs:
        del options["bootstrap"], options["breakdown"]
        return options
    del options["time_limit"]
    return {**options, "universal": treebanks.labels == "universal"}
