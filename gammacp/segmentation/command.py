"""`gammacp segmentation`: S or B, π, κ, bias and WindowDiff per item, per group and overall."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gammacp.base.failures import Failure, incomplete_in_words
from gammacp.cli.incomplete import note_unread
from gammacp.cli.options.groups import option
from gammacp.cli.options.loading import load, reading_json
from gammacp.cli.options.names import plain_name
from gammacp.cli.options.reading import Files, Reading, pair
from gammacp.cli.options.settings import Seed, Thresholds
from gammacp.cli.output import AsJson, message, print_json, say, show
from gammacp.errors import DataError, UsageError
from gammacp.segmentation.options import EditFlags

if TYPE_CHECKING:
    from gammacp.base.record_tables import Table
    from gammacp.chance.expected import SampleRule
    from gammacp.cli.judging import Judged
    from gammacp.segmentation import Codings, Criterion
    from gammacp.segmentation.gold import GoldReport
    from gammacp.segmentation.levels import HierarchyReport
    from gammacp.segmentation.report import SegmentationReport

    Report = GoldReport | SegmentationReport | HierarchyReport

REFUSED = {
    "grid": "positions in segmentations are whole numbers already",
    "read_until": "the chance model of segmentations needs each item whole",
    "markable": "boundaries of segmentations lie all along an item",
    "min_length": "a segment that is left out leaves a gap",
    "cluster": "intervals of segmentations are drawn over items and ignore clusters",
    "dissimilarity": "segmentations are compared by their boundaries",
    "positions": "segmentations of one item have the same length",
}


@dataclass(frozen=True)
class SegmentationFlags(EditFlags):
    """Options for comparing two segmentations."""

    similarity: str = option(
        "s (segmentation similarity, 2012) or b (boundary similarity, 2013).", default="s"
    )
    windowdiff: str = option(
        "Which WindowDiff: 2002 (Pevzner & Hearst), lamprier (2007, padded), nltk, segeval or "
        "segeval-lamprier.",
        default="2002",
    )
    categorial: str = option(
        "With --similarity b, how far two boundary types are apart: nominal, ordinal (in declared "
        "order), or a CSV file of distances, whose row and column without a name mean no boundary.",
        "NAME|MATRIX.csv",
        default="nominal",
    )

    def comparison(self) -> Criterion:
        """Return the criterion that the options stand for."""
        from gammacp.segmentation import CorrectedSimilarity, Criterion, EditSearch

        edits = self.chosen_values()
        return Criterion(
            basis=CorrectedSimilarity(self.similarity),
            n=edits.get("n", 2),
            search=EditSearch(edits.get("edit", "published")),
            windows=self.windowdiff,
            categorial=plain_name("--categorial", self.categorial),
        )


@dataclass(frozen=True)
class ChanceFlags:
    """Options for agreement beyond chance."""

    beyond_chance: bool = option(
        "Also 1 − D/E[D] of every measure: its disagreement against the mean over random codings "
        "(each coder's own, turned to a random place), and the share p that agree as well.",
        default=False,
    )
    precision: float = option("Relative error of the expected disagreement.", default=0.02)
    confidence: float = option("Confidence of that error.", default=0.95)
    samples: int | None = option("Draw this many random codings instead of aiming at a precision.")

    def rule(self) -> SampleRule | None:
        """Return the rule for the number of random codings; None where chance is not asked for."""
        from gammacp.chance.expected import SampleRule

        rule = SampleRule(self.precision, self.confidence, self.samples)
        if not self.beyond_chance and rule != SampleRule():
            raise UsageError("--precision, --confidence and --samples need --beyond-chance")
        if self.beyond_chance:
            return rule
        return None


@dataclass(frozen=True)
class Coded:
    """Options for the codings and their coders."""

    unit: float | None = option(
        "In files of units: length of a base unit. Positions may then be any numbers; boundaries "
        "are rounded to it.",
        "LENGTH",
    )
    typed: bool = option(
        "In files of units: a boundary gets the category of the unit that ends there.",
        default=False,
    )
    item: list[str] | None = option(
        "Rename an item, or merge it with another (repeatable).", "OLD=NEW"
    )
    groups: Path | None = option(
        "JSON [[item, …], …]: the items that each group of coders worked on.  [default: as the "
        "files declare, or items with the same coders]",
        "FILE",
    )
    anonymous_coders: bool = option(
        "Treat equal names in different groups as different people.", default=False
    )

    def codings(self, files: Sequence[Path], reading: Reading) -> tuple[Codings, Mapping[str, str]]:
        """Return the codings of files or a dataset, and the file of each item; tell failures."""
        from gammacp.segmentation.reading import AsWritten, closer

        written = AsWritten()
        readers = written.readers(reading.format)
        loaded = load(files, reading, instead=readers, closer=closer, refused=REFUSED)
        codings, failures = written.codings(
            loaded.continua, renamed=loaded.renamed, unit=self.unit, typed=self.typed
        )
        for failure in failures:
            message(f"gammacp: {failure}", error=True)
        unread = [Failure(each, (str(each.file),)) for each in failures]
        sentence = incomplete_in_words(len(codings), unread)
        note_unread(unread, sentence, allowed=reading.allow_unread)
        places = {c.name: loaded.files.get(key, key) for key, c in loaded.continua.items()}
        names = dict(pair("--item", entry, "OLD=NEW") for entry in self.item or ())
        places = {names.get(name, name): place for name, place in places.items()}
        return replace(codings, left_out=loaded.left_out), places

    def renamed(self, codings: Codings) -> Codings:
        """Return the codings, items renamed."""
        names = dict(pair("--item", entry, "OLD=NEW") for entry in self.item or ())
        if names:
            return codings.renamed(names)
        return codings

    def places(self, near: float | None) -> int | None:
        """Return base units of a distance, in base units or in the files' positions."""
        if near is None:
            return None
        if self.unit is not None:
            return int(near / self.unit + 1e-9)
        if near != int(near):
            raise UsageError(f"--near {near:g} is not a whole number of places (--unit allows any)")
        return int(near)

    def with_groups(self, codings: Codings) -> Codings:
        """Return the codings with the groups of their coders."""
        from gammacp.segmentation import read_groups

        if self.groups is None:
            groups = None
        else:
            groups = read_groups(self.groups)
        return codings.with_groups(groups, anonymous=self.anonymous_coders or None)


@dataclass(frozen=True)
class ReferenceFlags:
    """Options for references and candidates."""

    candidate: list[str] | None = option(
        "An automatic segmenter: how far agreement drops with it (repeat it for a ranking).",
        "NAME",
    )
    reference: list[str] | None = option(
        "The gold standard: a coder, or a file with one coding of each item. Everybody else (or "
        "each --candidate) and some baselines are compared with it.",
        "NAME|FILE",
    )
    levels: str | None = option(
        "Boundary types that are levels of a hierarchy, coarsest first: shows each level, and the "
        "T-measures of all (with --reference, of each system).",
        "A,B,…",
    )
    t_window: int | None = option(
        "With --levels: compare units at most this far apart.  [default: all]", min=1
    )
    t_full: bool = option(
        "With --levels: also compare units more than one level apart (full T-measures).",
        default=False,
    )
    plot: Path | None = option(
        "Draw agreement by item and coder, and boundaries along the items, as .svg and .png.",
        "STEM",
    )
    near: float | None = option(
        "With --reference: within how many places a boundary counts as found (with --unit, a "
        "distance in the files' positions).  [default: n − 1]",
        min=0,
    )
    pairs: bool = option(
        "Also each pair of coders, each in turn as the reference (with --reference: each "
        "document): S, B, windows, GHD, precision, recall and F₁, with means.",
        default=False,
    )
    bootstrap: int = option(
        "Bootstrap draws of items for 95 % intervals; 0 for none (with --reference, 1000).",
        default=0,
        min=0,
    )


def segmentation(
    comparing: SegmentationFlags,
    chance: ChanceFlags,
    reading: Reading,
    coded: Coded,
    options: ReferenceFlags,
    thresholds: Thresholds,
    files: Files = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Agreement on segment boundaries: S, B, π, κ, WindowDiff.

    It is shown per item, per group of coders and overall. Files are segeval JSON, TSV, or hold
    units without gaps. --fail-under tests π* of all items pooled (with --reference: B of the only
    system), and --fail-under-lower the lower end of its interval (--bootstrap).

    Example: gammacp segmentation codings.json --beyond-chance

    Most used: --similarity, --beyond-chance and --reference.
    """
    _refuse(coded, options, comparing, chance.rule())
    _check_thresholds(thresholds, options)
    comparing.comparison()  # A wrong value is refused before files are read.
    read, files_of = coded.codings(files or [], reading)
    read = coded.renamed(read)
    codings, reference = _with_gold(read, coded, options, reading)
    if options.plot is not None:
        from gammacp.segmentation.plotting import plot_codings

        for note in plot_codings(read, options.plot, comparison=comparing.comparison()):
            message(note)
    report, shown, words = _report(codings, reference, coded, options, comparing, chance, seed)
    judged = None
    if thresholds.is_set:
        judged = _judged(report, comparing.similarity, files_of)
    drawn = bool(reference or options.bootstrap or options.candidate) and options.levels is None
    if json:
        print_json({**report.as_dict(), **reading_json(codings.left_out)})
    else:
        for table in shown:
            show(table)
        if words:
            say(words)
        if drawn or chance.beyond_chance:
            message(f"seed {seed}")
    for note in report.notes:
        message(note)
    if judged is not None:
        thresholds.check(lambda: judged)


def _check_thresholds(thresholds: Thresholds, options: ReferenceFlags) -> None:
    """UsageError for thresholds of what is not computed."""
    if thresholds.is_set and options.levels is not None:
        raise UsageError(
            "--fail-under is for one value, but --levels compares several levels; leave one out"
        )
    if options.reference:
        needs = (
            "--fail-under-lower needs an interval, but with --reference there is none of a system "
            "alone; give --fail-under"
        )
        thresholds.require_interval(False, needs)
    thresholds.require_interval(
        options.bootstrap > 0, "--fail-under-lower needs an interval over items: give --bootstrap N"
    )


def _judged(report: Report, similarity: str, files: Mapping[str, str]) -> Judged:
    """Return π* of all items, or B of the only system, to be judged."""
    from gammacp.cli.judging import Judged
    from gammacp.segmentation.gold import GoldReport
    from gammacp.segmentation.report import SegmentationReport

    if isinstance(report, GoldReport):
        systems = [system for system in report.systems if not system.baseline]
        if len(systems) != 1:
            names = ", ".join(system.name for system in systems)
            raise UsageError(
                f"--fail-under is for one system, but there are {len(systems)}: {names}; choose "
                "one with --candidate"
            )
        (system,) = systems
        by_document = zip(system.documents, system.values("b").tolist(), strict=True)
        return Judged(
            what=f"B of {system.name} against {report.reference}",
            measure="B",
            value=system.micro("b"),
            documents=dict(by_document),
            files=files,
        )
    assert isinstance(report, SegmentationReport)
    agreement = report.agreement
    lower = math.nan
    if agreement.intervals is not None and agreement.intervals.pi is not None:
        lower, _ = agreement.intervals.pi
    name = f"π* by {similarity.upper()}"
    return Judged(
        what=f"{name} of all items",
        measure=name,
        value=agreement.pooled.pi,
        reason=agreement.pooled.reason,
        interval_of=f"the interval of {name} over items",
        lower=lower,
        no_interval="; ".join(note for note in report.notes if "interval" in note) or None,
        documents={item: part.coefficients.pi for item, part in agreement.items.items()},
        reasons=agreement.reasons,
        files=files,
    )


def _report(
    codings: Codings,
    reference: str | None,
    coded: Coded,
    options: ReferenceFlags,
    comparing: SegmentationFlags,
    chance: ChanceFlags,
    seed: int,
) -> tuple[Report, list[Table], str | None]:
    """Return the report that was asked for, its tables, and a sentence on it."""
    from gammacp.segmentation import gold_report, report_tables, segmentation_report
    from gammacp.segmentation.levels import hierarchy_report

    rule = chance.rule()
    criterion = comparing.comparison()
    systems = options.candidate or ()
    if options.levels is not None:
        hierarchy = hierarchy_report(
            codings,
            [name.strip() for name in options.levels.split(",")],
            reference=reference,
            comparison=criterion,
            transitive=options.t_full,
            window=options.t_window,
            beyond_chance=rule,
            seed=seed,
        )
        return hierarchy, report_tables.level_tables(hierarchy, pairs=options.pairs), None
    if reference is not None:
        gold = gold_report(
            codings,
            reference,
            systems=systems,
            comparison=criterion,
            near=coded.places(options.near),
            draws=options.bootstrap or 1000,
            seed=seed,
        )
        return gold, report_tables.gold_tables(gold, documents=options.pairs, unit=coded.unit), None
    report = segmentation_report(
        coded.with_groups(codings),
        candidates=systems,
        pairs=options.pairs,
        comparison=criterion,
        bootstrap=options.bootstrap,
        seed=seed,
        beyond_chance=rule,
    )
    return report, report_tables.tables(report), report_tables.bootstrap_in_words(report)


def _refuse(
    coded: Coded, options: ReferenceFlags, comparing: SegmentationFlags, rule: SampleRule | None
) -> None:
    """UsageError for options that do not go together, or would change nothing."""
    levels = options.levels is not None
    gold = bool(options.reference)
    near = options.near is not None
    if levels:
        option_name = "--levels"
    else:
        option_name = "--reference"
    coders = coded.groups is not None or coded.anonymous_coders
    # Types are weighed with B, and a figure shows one of them.
    needs_basis = comparing.categorial != "nominal" or options.plot is not None
    wrong = {
        f"{option_name} cannot be combined with --beyond-chance": rule is not None
        and gold
        and not levels,
        f"{option_name} cannot be combined with --groups or --anonymous-coders": coders
        and (levels or gold),
        "give --reference once: compare with one reference at a time": len(options.reference or ())
        > 1,
        "--levels cannot be combined with --near, --bootstrap or --candidate": levels
        and (near or options.bootstrap or options.candidate),
        "--near needs --reference": near and not gold,
        "--t-full and --t-window need --levels": not levels
        and (options.t_full or options.t_window is not None),
        f"{option_name} shows both S and B: --similarity changes nothing there": (levels or gold)
        and comparing.similarity != "s"
        and not needs_basis,
    }
    for complaint, is_so in wrong.items():
        if is_so:
            raise UsageError(complaint)


def _with_gold(
    codings: Codings, coded: Coded, options: ReferenceFlags, reading: Reading
) -> tuple[Codings, str | None]:
    """Return the codings, and who is right: with the coding of a file if that is the reference."""
    from gammacp.segmentation import against

    name = next(iter(options.reference or ()), None)
    if name is None or options.levels is not None or name in codings.coders:
        return codings, name
    file = Path(name)
    if not file.exists():
        coders = ", ".join(codings.coders)
        raise UsageError(f"reference {name!r} is neither a file nor a coder; coders are: {coders}")
    try:
        gold, _ = coded.codings([file], reading.of_files())
        both = against(codings, gold, name="reference")
    except DataError as error:
        raise error.at(file) from None
    return both, "reference"
