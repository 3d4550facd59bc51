"""`gammacp segmentation`: S or B, π, κ, bias and WindowDiff per item, per group and overall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gammacp.cli.options.groups import option
from gammacp.cli.output import AsJson, message, print_json, show
from gammacp.errors import DataError, UsageError

if TYPE_CHECKING:
    from gammacp.chance.sampling import SampleRule
    from gammacp.segmentation import Codings, Comparison


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


@dataclass(frozen=True)
class Reading:
    """How files that hold units are read; each continuum must be covered without gaps."""

    format: str | None = option("Format of the files; by default it is recognised.", "NAME")
    layer: str | None = option("Layer whose spans are the segments (see formats).", "NAME")
    tier: str | None = option("Tiers to read, as a pattern (see formats).", "PATTERN")


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
        from gammacp.chance.sampling import SampleRule

        asked = SampleRule(self.precision, self.confidence, self.samples)
        if not self.beyond_chance and asked != SampleRule():
            raise UsageError("--precision, --confidence and --samples go with --beyond-chance")
        return asked if self.beyond_chance else None


def segmentation(
    reading: Reading,
    comparing: Comparing,
    chance: Chance,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="segeval JSON, TSV, or any continuum without gaps; files, folders or globs.",
            show_default=False,
        ),
    ] = None,
    dataset: str | None = option("moonstone or hearst1997, which ship with gammacp.", "NAME"),
    item: list[str] | None = option("Rename an item; two may become one (repeatable).", "OLD=NEW"),
    groups: Path | None = option(
        "JSON [[item, …], …]: which items one group of coders worked on; default: as the "
        "files declare, or items with the same coders.",
        "FILE",
    ),
    anonymous_coders: bool = option(
        "Equal coder names in different groups are different people.", default=False
    ),
    candidate: list[str] | None = option(
        "A coder that is an automatic segmenter: how far agreement drops with it "
        "(repeatable: a ranking).",
        "NAME",
    ),
    reference: str | None = option(
        "A coder who is right, or a file with one coding of each item: everybody else (or "
        "each --candidate) is a system, compared with it, and so are baselines.",
        "NAME|FILE",
    ),
    near: int | None = option(
        "With --reference: places within which a boundary counts as found.  [default: n − 1]", min=0
    ),
    pairs: bool = option(
        "Also every document (with --reference), or every two coders, each in turn the "
        "reference: S, B, windows, GHD, precision, recall, R_FN and R_FP, with means.",
        default=False,
    ),
    bootstrap: int = option(
        "Draws of items for 95 % intervals; 0: none, with --reference 1000.", default=0, min=0
    ),
    seed: int = option("Seed of the draws and of random codings.", default=0, min=0),
    json: AsJson = False,
) -> None:
    """How far coders agree on segment boundaries: per item, per group of coders, overall."""
    from gammacp.segmentation import read_groups, segmentation_report
    from gammacp.segmentation.tables import bootstrap_in_words, tables

    codings = _renamed(_read(files or [], dataset, reading), item or [])
    rule = chance.rule()
    if reference is not None:
        if rule is not None:
            raise UsageError("--reference does not go with --beyond-chance")
        if groups is not None or anonymous_coders:
            raise UsageError("--reference does not go with --groups and --anonymous-coders")
        options: dict[str, Any] = {"comparison": _comparison(comparing), "near": near, "seed": seed}
        options |= {"systems": candidate or (), "draws": bootstrap or 1000}
        _against_gold(codings, reference, options, documents=pairs, json=json)
        return
    if near is not None:
        raise UsageError("--near goes with --reference")
    report = segmentation_report(
        codings.grouped(
            None if groups is None else read_groups(groups), anonymous=anonymous_coders or None
        ),
        candidates=candidate or [],
        pairs=pairs,
        comparison=_comparison(comparing),
        bootstrap=bootstrap,
        seed=seed,
        beyond_chance=rule,
    )
    if json:
        print_json(report.as_dict())
    else:
        for table in tables(report):
            show(table)
        if drawn := bootstrap_in_words(report):
            print(drawn)
        if bootstrap or candidate or chance.beyond_chance:
            message(f"seed {seed}")
    for note in report.notes:
        message(note)


def _against_gold(
    codings: Codings, reference: str, options: dict[str, Any], *, documents: bool, json: bool
) -> None:
    """`--reference`: a coder's name, or a file."""
    from gammacp.segmentation import against, gold_report, read_codings
    from gammacp.segmentation.tables import gold_tables

    name = reference
    if reference not in codings.coders and Path(reference).exists():
        gold = read_codings(reference)
        name = "reference"
        try:
            codings = against(codings, gold, name=name)
        except DataError as error:
            raise error.at(Path(reference)) from None
    report = gold_report(codings, name, **options)
    if json:
        print_json(report.as_dict())
    else:
        for table in gold_tables(report, documents=documents):
            show(table)
        message(f"seed {options['seed']}")
    for note in report.notes:
        message(note)


def _comparison(comparing: Comparing) -> Comparison:
    from gammacp.segmentation import Basis, Comparison, EditCosts, EditSearch, Mode

    costs = EditCosts(substitution=comparing.w_sub, transposition=comparing.w_trp, te=comparing.te)
    return Comparison(
        basis=Basis(comparing.similarity),
        n=comparing.n,
        costs=costs,
        search=EditSearch(comparing.edit),
        mode=Mode(comparing.mode),
        windows=comparing.windowdiff,
    )


def _read(files: Sequence[Path], dataset: str | None, reading: Reading) -> Codings:
    from gammacp.segmentation import load_codings, read_codings

    if bool(files) == (dataset is not None):
        raise UsageError("give files, or a dataset with --dataset NAME (one of the two)")
    if dataset is not None:
        if reading != Reading():
            raise UsageError("--format, --layer and --tier go with files, not with --dataset")
        return load_codings(dataset)
    return read_codings(files, **asdict(reading))


def _renamed(codings: Codings, entries: Sequence[str]) -> Codings:
    names = {}
    for entry in entries:
        old, sign, new = entry.partition("=")
        if not (old and sign and new):
            raise UsageError(f"--item {entry!r} is not OLD=NEW")
        names[old] = new
    return codings.renamed(names) if names else codings
