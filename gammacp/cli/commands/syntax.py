"""`gammacp syntax`: α over trees, with accuracies, who disagrees with whom, and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gammacp.cli.options.groups import flatten
from gammacp.cli.output import AsJson, message, number, print_json, print_table

if TYPE_CHECKING:
    from gammacp.syntax.agreement import SentenceShare, SyntaxAgreement, TreeAlpha
    from gammacp.syntax.annotations import Treebank
    from gammacp.syntax.defects import Defect
    from gammacp.syntax.treebank import ReadTreebank

_LISTED_DEFECTS = 20


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
        str, typer.Option(help="Sentences belong together by order, by id (sent_id), or auto.")
    ] = "auto"
    leaves: Annotated[
        str, typer.Option(help="Bare symbols of brackets are words or labels, or auto.")
    ] = "auto"
    size: Annotated[str, typer.Option(help="|x| of phrase structure counts leaves or nodes.")] = (
        "leaves"
    )
    encoding: Annotated[str, typer.Option(help="Encoding of the files.")] = "utf-8"
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first defect of the data.")
    ] = False


@dataclass(frozen=True)
class Computing:
    """How much is computed."""

    sample_pairs: Annotated[
        int, typer.Option(help="Estimate the expected disagreement from N pairs; 0: all pairs.")
    ] = 0
    bootstrap: Annotated[
        int, typer.Option(help="Draws of a bootstrap over sentences; 0: no interval.")
    ] = 0
    by_annotator: Annotated[
        bool, typer.Option("--by-annotator", help="Each pair of annotators; all but one.")
    ] = False
    sentences: Annotated[
        int, typer.Option(help="Show the N sentences with the largest share of disagreement.")
    ] = 0
    seed: Annotated[int, typer.Option(help="Seed of sampled pairs and bootstrap.", min=0)] = 0
    workers: Annotated[int, typer.Option(help="Threads; 0: one per core.")] = 0
    fail_under: Annotated[
        float | None, typer.Option(help="Exit with 5 if α plain is smaller, or undefined.")
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

    from gammacp.syntax.agreement import syntax_agreement
    from gammacp.syntax.defects import require_sound
    from gammacp.syntax.treebank import read_treebank

    read = read_treebank(
        paths,
        kind=reading.trees,
        pattern=reading.pattern,
        folders=reading.folders,
        pairing=reading.pairing,
        leaves=reading.leaves,
        size=reading.size,
        encoding=reading.encoding,
    )
    for note in read.notes:
        message(note)
    _list_defects(read.defects)
    if reading.strict:
        require_sound(read.defects)
    if computing.sample_pairs or computing.bootstrap:
        message(f"seed {computing.seed}")
    result = syntax_agreement(
        read.treebank,
        sample_pairs=computing.sample_pairs,
        bootstrap=computing.bootstrap,
        breakdown=computing.by_annotator,
        seed=computing.seed,
        workers=computing.workers or os.cpu_count() or 1,
    )
    if as_json:
        print_json(_document(read, result, computing))
    else:
        _print(read.treebank, result, computing)
    _check(result, computing.fail_under)


def _list_defects(defects: Sequence[Defect]) -> None:
    if not defects:
        return
    counts = Counter(str(d.kind) for d in defects)
    listed = ", ".join(f"{n} {k}" for k, n in counts.most_common())
    message(f"{len(defects)} defect{'s' * (len(defects) != 1)}: {listed}")
    # The rare kinds are the ones worth reading; several roots are legitimate in some schemes.
    order = sorted(defects, key=lambda d: counts[str(d.kind)])
    for defect in order[:_LISTED_DEFECTS]:
        message(f"  {defect}")
    if len(defects) > _LISTED_DEFECTS:
        message(f"  … and {len(defects) - _LISTED_DEFECTS} more (all of them with --json)")


def _check(result: SyntaxAgreement, fail_under: float | None) -> None:
    from gammacp.errors import BelowThresholdError

    value = result.total.alpha["plain"]
    if fail_under is not None and not value >= fail_under:
        raise BelowThresholdError(f"α plain {number(value)} is below {fail_under:g}")


def _document(
    read: ReadTreebank, result: SyntaxAgreement, computing: Computing
) -> dict[str, object]:
    total = result.total
    document: dict[str, object] = {
        "alpha": total.alpha,
        "observed": total.observed,
        "expected": total.expected,
        **{name: total.scores.get(name) for name in ("las", "uas", "jaccard")},
        "items": total.items,
        "tokens": result.tokens,
        "ignored": result.ignored,
        "defects": [
            {"kind": str(d.kind), "file": d.file, "line": d.line, "message": d.message}
            for d in read.defects
        ],
        "label": total.scores.get("label"),
        "f1": total.scores.get("f1"),
        "annotators": list(read.treebank.annotators),
        "reason": result.reason,
        "signature": result.signature,
    }
    if total.interval is not None:
        document["interval"] = total.interval
    if result.bootstrap is not None:
        document["bootstrap"] = result.bootstrap
    if computing.by_annotator:
        document["pairs"] = [_part(p) for p in result.pairs]
        document["without"] = [_part(p) for p in result.without]
    if computing.sentences:
        document["sentences"] = [
            _sentence(read.treebank, share) for share in result.sentences[: computing.sentences]
        ]
    return document


def _sentence(treebank: Treebank, share: SentenceShare) -> dict[str, object]:
    from gammacp.syntax.diagnosis import diagnose

    return {
        "document": share.item.document,
        "sentence": share.item.name,
        "share": share.share,
        "what": diagnose(treebank, share.item),
        "annotations": {
            a: {"file": x.file, "line": x.line, "tokens": x.n_tokens}
            for a, x in share.item.annotations.items()
        },
    }


def _part(part: TreeAlpha) -> dict[str, object]:
    return {
        "annotators": list(part.annotators),
        "items": part.items,
        "alpha": part.alpha,
        "observed": part.observed,
        "expected": part.expected,
        **part.scores,
    }


def _print(treebank: Treebank, result: SyntaxAgreement, computing: Computing) -> None:
    total = result.total
    names = ["α plain", "α diff", "α norm", *(_TITLES[n] for n in total.scores)]
    rows = [["agreement", *map(number, (*total.alpha.values(), *total.scores.values()))]]
    for title, intervals in (("95 % sampling", total.interval), ("bootstrap", result.bootstrap)):
        if intervals is not None:
            cells = [_range(intervals.get(k)) for k in (*total.alpha, *total.scores)]
            rows.append([title, *cells])
    for title, values in (("observed", total.observed), ("expected", total.expected)):
        rows.append([title, *map(number, values.values()), *("" for _ in total.scores)])
    print_table(["", *names], rows, numeric=names)
    ignored = f", {result.ignored} ignored in the accuracies" if result.ignored else ""
    message(f"{total.items} sentences, {result.tokens} tokens{ignored}")
    if result.reason:
        message(result.reason)
    if computing.by_annotator:
        parts = [(" – ".join(p.annotators), p) for p in result.pairs]
        parts += [
            (f"without {next(iter(set(total.annotators) - set(p.annotators)))}", p)
            for p in result.without
        ]
        print_table(
            ["annotators", "sentences", *names],
            [
                [title, str(p.items), *map(number, (*p.alpha.values(), *p.scores.values()))]
                for title, p in parts
            ],
            numeric=["sentences", *names],
        )
    if computing.sentences:
        _print_sentences(treebank, result, computing.sentences)


_TITLES = {"las": "LAS", "uas": "UAS", "label": "label", "jaccard": "Jaccard", "f1": "F₁"}


def _range(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f"{number(interval[0])} … {number(interval[1])}"


def _print_sentences(treebank: Treebank, result: SyntaxAgreement, count: int) -> None:
    from gammacp.syntax.diagnosis import diagnose

    rows = []
    for share in result.sentences[:count]:
        lines = " ".join(f"{a}:{s.line}" for a, s in share.item.annotations.items())
        name = f"{share.item.document} {share.item.name}".strip()
        shares = (f"{100 * x:.1f} %" for x in share.share.values())
        rows.append([name, *shares, lines, diagnose(treebank, share.item)])
    columns = ["of Dₒ plain", "diff", "norm"]
    print_table(["sentence", *columns, "lines", "what"], rows, numeric=columns)
