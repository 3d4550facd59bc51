"""`gammacp segmentation`: S or B, π, κ, bias and WindowDiff per item, per group and overall."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammacp.cli.options.groups import argument, option
from gammacp.cli.options.reading import left_out_json, left_out_lines, pair
from gammacp.cli.output import AsJson, message, print_json, show
from gammacp.errors import DataError, UsageError

if TYPE_CHECKING:
    from gammacp.chance.expected import SampleRule
    from gammacp.segmentation import Codings, Comparison
    from gammacp.segmentation.gold import GoldReport
    from gammacp.segmentation.levels import HierarchyReport
    from gammacp.segmentation.report import SegmentationReport
    from gammacp.tables import Table

    Report = GoldReport | SegmentationReport | HierarchyReport


@dataclass(frozen=True)
class Comparing:
    """How two segmentations are compared."""

    mode: str = option(
        "equations: as the 2012 paper defines the coefficients; published: as the values "
        "of its Table 2 were computed.",
        default="equations",
    )
    similarity: str = option(
        "s: segmentation similarity (2012); b: boundary similarity (2013).", default="s"
    )
    edit: str = option(
        "Near misses of S and B: the published search, or the best edits.", default="published"
    )
    n: int = option("Places a near miss may span; 2: next to each other.", default=2)
    windowdiff: str = option(
        "Which WindowDiff: 2002 (Pevzner & Hearst), lamprier (2007, padded), nltk, segeval or "
        "segeval-lamprier.",
        default="2002",
    )
    w_sub: float = option("Cost of a full miss, 0 to 1.", default=1.0)
    w_trp: float = option("Weight of a near miss, 0 to 1.", default=1.0)
    te: bool = option("Weight near misses of S by te(n, b).", default=True, names=("--te/--no-te",))
    categorial: str = option(
        "With --similarity b and several boundary types, what one for another costs: nominal, "
        "ordinal=A<B<C, or a CSV file with a matrix of distances, whose row and column without a "
        "name are those of no boundary.",
        "NAME[=…]|MATRIX.csv",
        default="nominal",
    )

    def comparison(self) -> Comparison:
        """What the options stand for."""
        from gammacp.segmentation import Basis, Comparison, EditCosts, EditSearch, Mode

        return Comparison(
            basis=Basis(self.similarity),
            n=self.n,
            costs=EditCosts(substitution=self.w_sub, transposition=self.w_trp, te=self.te),
            search=EditSearch(self.edit),
            mode=Mode(self.mode),
            windows=self.windowdiff,
            categorial=self.categorial,
        )


@dataclass(frozen=True)
class Chance:
    """How much agreement is beyond chance."""

    beyond_chance: bool = option(
        "Also 1 − D/E[D] of every measure: what it counts, against the mean over random "
        "codings (each coder's segments in random order), and the share p of these that agree "
        "at least as well.",
        default=False,
    )
    precision: float = option("Relative error of the expected disagreement.", default=0.02)
    confidence: float = option("Confidence of that error.", default=0.95)
    samples: int | None = option("A fixed number of random codings instead of a precision.")

    def rule(self) -> SampleRule | None:
        """How many random codings; None where chance is not asked for."""
        from gammacp.chance.expected import SampleRule

        asked = SampleRule(self.precision, self.confidence, self.samples)
        if not self.beyond_chance and asked != SampleRule():
            raise UsageError("--precision, --confidence and --samples go with --beyond-chance")
        return asked if self.beyond_chance else None


@dataclass(frozen=True)
class Coded:
    """Which codings there are, and whose."""

    format: str | None = option("Format of the files; by default it is recognised.", "NAME")
    layer: str | None = option("Layer whose spans are the segments (see formats).", "NAME")
    tier: str | None = option("Tiers to read, as a pattern (see formats).", "PATTERN")
    unit: float | None = option(
        "Length of a base unit in the positions of files that hold units, which may be real then: "
        "boundaries are rounded to it.",
        "LENGTH",
    )
    typed: bool = option(
        "Of files that hold units: a boundary is of the category of the unit that ends there.",
        default=False,
    )
    dataset: str | None = option("moonstone or hearst1997, which ship with gammacp.", "NAME")
    item: list[str] | None = option("Rename an item; two may become one (repeatable).", "OLD=NEW")
    groups: Path | None = option(
        "JSON [[item, …], …]: which items one group of coders worked on; default: as the "
        "files declare, or items with the same coders.",
        "FILE",
    )
    anonymous_coders: bool = option(
        "Equal coder names in different groups are different people.", default=False
    )

    def codings(self, files: Sequence[Path]) -> Codings:
        """The codings of the files or of the dataset, items renamed."""
        from gammacp.segmentation import load_codings

        if bool(files) == (self.dataset is not None):
            raise UsageError("give files, or a dataset with --dataset NAME (one of the two)")
        units = (self.format, self.unit, self.layer, self.tier, self.typed or None)
        if self.dataset is not None and any(value is not None for value in units):
            what = "--format, --unit, --typed, --layer and --tier"
            raise UsageError(f"{what} go with files, not --dataset")
        read = self.read(files) if self.dataset is None else load_codings(self.dataset)
        names = dict(pair("--item", entry, "OLD=NEW") for entry in self.item or ())
        return read.renamed(names) if names else read

    def read(self, files: Iterable[Path]) -> Codings:
        """The codings of files, read as the options say, or a campaign.toml where they do not."""
        from gammacp.formats.campaign_file import paths_and
        from gammacp.segmentation import read_codings

        given = {"format": self.format, "layer": self.layer, "tier": self.tier}
        with paths_and(list(files), ("format", "layer", "tier")) as (paths, said):
            how: dict[str, Any] = said | {k: v for k, v in given.items() if v is not None}
            return read_codings(paths, unit=self.unit, typed=self.typed, **how)

    def places(self, near: float | None) -> int | None:
        """Base units of a distance, in base units or, with a unit, in the files' positions."""
        if near is None:
            return None
        if self.unit is not None:
            return int(near / self.unit + 1e-9)
        if near != int(near):
            raise UsageError(f"--near {near:g} is no number of places (it may be one with --unit)")
        return int(near)

    def grouped(self, codings: Codings) -> Codings:
        """The codings with the groups of their coders."""
        from gammacp.segmentation import read_groups

        groups = None if self.groups is None else read_groups(self.groups)
        return codings.grouped(groups, anonymous=self.anonymous_coders or None)


@dataclass(frozen=True)
class Asked:
    """What is compared with what."""

    candidate: list[str] | None = option(
        "A coder that is an automatic segmenter: how far agreement drops with it "
        "(repeatable: a ranking).",
        "NAME",
    )
    reference: list[str] | None = option(
        "A coder who is right, or a file with one coding of each item: everybody else (or "
        "each --candidate) is a system, compared with it, and so are baselines.",
        "NAME|FILE",
    )
    levels: str | None = option(
        "Boundary types that are levels of a hierarchy, coarsest first: each level, and the "
        "T-measures of all; with --reference, of each system.",
        "A,B,…",
    )
    t_window: int | None = option(
        "With --levels: units that far apart at most are compared; default: all.", min=1
    )
    t_full: bool = option(
        "With --levels: also pairs of units more than one level apart (full T-measures).",
        default=False,
    )
    plot: Path | None = option(
        "Draw agreement by item and coder, and boundaries along the items (two files, .svg and "
        ".png).",
        "STEM",
    )
    near: float | None = option(
        "With --reference: places within which a boundary counts as found; with --unit a distance "
        "in the files' positions.  [default: n − 1]",
        min=0,
    )
    pairs: bool = option(
        "Also every document (with --reference), or every two coders, each in turn the "
        "reference: S, B, windows, GHD, precision, recall and F₁, with means.",
        default=False,
    )
    bootstrap: int = option(
        "Draws of items for 95 % intervals; 0: none, with --reference 1000.", default=0, min=0
    )


def segmentation(
    comparing: Comparing,
    chance: Chance,
    coded: Coded,
    asked: Asked,
    files: list[Path] | None = argument(
        "segeval JSON, TSV, or any continuum without gaps; files, folders or globs."
    ),
    seed: int = option("Seed of the draws and of random codings.", default=0, min=0),
    json: AsJson = False,
) -> None:
    """How far coders agree on segment boundaries: per item, per group of coders, overall."""
    _refuse(coded, asked, comparing, chance.rule())
    read = coded.codings(files or [])
    codings, references = _beside_gold(read, coded, asked)
    for line in left_out_lines(codings.left_out):
        message(f"gammacp: {line}")
    if asked.plot is not None:
        from gammacp.segmentation.plotting import plot_codings

        for note in plot_codings(read, asked.plot, comparison=comparing.comparison()):
            message(note)
    report, shown, words = _report(codings, references, coded, asked, comparing, chance, seed)
    drawn = bool(asked.reference or asked.bootstrap or asked.candidate) and asked.levels is None
    if json:
        print_json({**report.as_dict(), "left_out": left_out_json(codings.left_out)})
    else:
        for table in shown:
            show(table)
        if words:
            print(words)
        if drawn or chance.beyond_chance:
            message(f"seed {seed}")
    for note in report.notes:
        message(note)


def _report(
    codings: Codings,
    references: Sequence[str],
    coded: Coded,
    asked: Asked,
    comparing: Comparing,
    chance: Chance,
    seed: int,
) -> tuple[Report, list[Table], str | None]:
    """What was asked for, its tables, and what is to be said in words."""
    from gammacp.segmentation import gold_report, segmentation_report, tables
    from gammacp.segmentation.levels import hierarchy_report

    rule, how = chance.rule(), comparing.comparison()
    systems, levels = asked.candidate or (), asked.levels
    if levels is not None:
        hierarchy = hierarchy_report(
            codings,
            [name.strip() for name in levels.split(",")],
            reference=references[0] if references else None,
            comparison=how,
            transitive=asked.t_full,
            window=asked.t_window,
            beyond_chance=rule,
            seed=seed,
        )
        return hierarchy, tables.level_tables(hierarchy, pairs=asked.pairs), None
    if references:
        gold = gold_report(
            codings,
            references[0],
            systems=systems,
            comparison=how,
            near=coded.places(asked.near),
            draws=asked.bootstrap or 1000,
            seed=seed,
        )
        return gold, tables.gold_tables(gold, documents=asked.pairs, unit=coded.unit), None
    report = segmentation_report(
        coded.grouped(codings),
        candidates=systems,
        pairs=asked.pairs,
        comparison=how,
        bootstrap=asked.bootstrap,
        seed=seed,
        beyond_chance=rule,
    )
    return report, tables.tables(report), tables.bootstrap_in_words(report)


def _refuse(coded: Coded, asked: Asked, comparing: Comparing, rule: SampleRule | None) -> None:
    """UsageError for options that do not go together."""
    of_levels, reference = asked.levels is not None, bool(asked.reference)
    what = "--levels" if of_levels else "--reference"
    if rule is not None and reference and not of_levels:
        raise UsageError(f"{what} does not go with --beyond-chance")
    if (of_levels or reference) and (coded.groups is not None or coded.anonymous_coders):
        raise UsageError(f"{what} does not go with --groups and --anonymous-coders")
    if len(asked.reference or ()) > 1:
        raise UsageError("--reference is given once: compare with one reference after the other")
    if of_levels and (asked.near is not None or asked.bootstrap or asked.candidate):
        raise UsageError("--levels does not go with --near, --bootstrap and --candidate")
    if asked.near is not None and not reference:
        raise UsageError("--near goes with --reference")
    if not of_levels and (asked.t_full or asked.t_window is not None):
        raise UsageError("--t-full and --t-window go with --levels")
    _refuse_comparing(comparing, asked)


def _refuse_comparing(comparing: Comparing, asked: Asked) -> None:
    """UsageError for what would change nothing in a report of this kind."""
    reference, levels = bool(asked.reference), asked.levels is not None
    given = {f.name for f in fields(comparing) if getattr(comparing, f.name) != f.default}
    # Types are weighed with B, and a figure shows one of them.
    needs_basis = "categorial" in given or asked.plot is not None
    if (reference or levels) and "similarity" in given and not needs_basis:
        what = "--levels" if levels else "--reference"
        raise UsageError(f"{what} shows both S and B: --similarity changes nothing there")


def _beside_gold(codings: Codings, coded: Coded, asked: Asked) -> tuple[Codings, Sequence[str]]:
    """The codings, and who is right: with the coding of a file where that is the one reference."""
    from gammacp.segmentation import against

    names = asked.reference or []
    if len(names) != 1 or asked.levels is not None or names[0] in codings.coders:
        return codings, names
    file = Path(names[0])
    if not file.exists():
        known = ", ".join(codings.coders)
        raise UsageError(f"reference {names[0]!r} is no file, and no coder; coders are: {known}")
    try:
        return against(codings, coded.read([file]), name="reference"), ["reference"]
    except DataError as error:
        raise error.at(file) from None
