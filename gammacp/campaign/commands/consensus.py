"""`gammacp consensus`: the gold standard that the best alignment suggests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from json import dumps
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from gammacp.campaign.commands.deciding import Deciding
from gammacp.cli.alignment_table import tell_open
from gammacp.cli.options.groups import option
from gammacp.cli.options.loading import load
from gammacp.cli.options.reading import WRITE_OPTION, Files, Reading, write_options
from gammacp.cli.options.settings import ComputingFlags, Seed, SolvingFlags, Weighing
from gammacp.cli.output import (
    AsJson,
    check_figure_path,
    message,
    messages,
    outputs,
    print_json,
    say,
    show,
    write_figure,
)
from gammacp.errors import DataError, UsageError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from gammacp.base.record_tables import Record
    from gammacp.campaign.consensus import CorpusConsensus, Reliability
    from gammacp.continuum import Continuum
    from gammacp.formats.registry import Format

_REVIEW_LISTS = (".csv", ".xlsx")


@dataclass(frozen=True)
class Target:
    """Options for where the gold standard is written."""

    out: Path | None = option(
        "Write the gold standard to this file; its ending gives the format.", names=("--out", "-o")
    )
    to: str | None = option("Format to write, whatever the ending is.", "FORMAT")
    write_option: list[str] | None = WRITE_OPTION
    annotator: str = option("Name of the gold standard.", default="consensus")

    def endings(self) -> Sequence[str]:
        """Return the endings of the files; refuse at once what cannot be written."""
        from gammacp.formats.registry import format_for_writing
        from gammacp.formats.writing import check_folder

        if self.out is not None:
            extensions = format_for_writing(self.out, self.to).extensions
            check_folder(self.out)
            return extensions
        if self.to is not None:
            raise UsageError("--to needs --out FILE")
        return ()


@dataclass(frozen=True)
class Lists:
    """Lists to write beside it."""

    units: Path | None = option("All units with support and confidence (CSV).")
    review: Path | None = option(
        "The review list, worst first (CSV, or .xlsx with a column for decisions, read back)."
    )
    soft: Path | None = option("The share of annotators at each position (JSON).")
    figure: Path | None = option(
        "Draw the gold standard under the annotators' lanes; of several documents, bars (.svg, "
        ".png, .pdf).",
        "FILE",
    )

    def __post_init__(self) -> None:
        """Refuse a review list of another format at once."""
        if self.review is not None and self.review.suffix.lower() not in _REVIEW_LISTS:
            raise UsageError(
                f"--review writes CSV or an Excel workbook, and {self.review.name} does not end in "
                f"{' or '.join(_REVIEW_LISTS)}"
            )

    @property
    def any(self) -> bool:
        """Return whether a target was asked for."""
        return any(path is not None for path in (self.units, self.review, self.soft))

    def write(self, each: CorpusConsensus, named: Mapping[str, Continuum]) -> None:
        """Write what was asked for; `named` are the gold standards by name."""
        from gammacp.base.files import write_text
        from gammacp.campaign.consensus import gold_tables, soft_labels

        if self.soft is not None:
            shares = {n: soft_labels(a.continuum) for n, a in each.alignments.items()}
            text = dumps({"documents": shares}, ensure_ascii=False, indent=1)
            write_text(self.soft, text + "\n")
        if self.units is not None:
            gold_tables.write_units(each, self.units)
        if self.review is not None and self.review.suffix.lower() == ".xlsx":
            from gammacp.campaign.review_list import write_review

            rows = gold_tables.review_workbook(
                dict(zip(named, each.documents.values(), strict=True))
            )
            write_review(self.review, rows, named)
        elif self.review is not None:
            gold_tables.write_units(each, self.review, review=True)


def consensus(
    reading: Reading,
    weighing: Weighing,
    solving: SolvingFlags,
    target: Target,
    deciding: Deciding,
    lists: Lists,
    computing: ComputingFlags,
    files: Files = None,
    worst: int = option(
        "Rows to print of the review list, of documents and of annotators.", default=10, min=0
    ),
    splits: int | None = option(
        "How often the annotators are split into random halves, to see how reliable the consensus "
        "is; 0 for never.  [default: 2 to 20, by size]",
        min=0,
    ),
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Make a gold standard, and list what a person should review.

    It comes from the best alignments.

    Example: gammacp consensus exports/ -o gold.csv --review review.csv

    Most used: --out, --review and --support.
    """
    from gammacp.campaign.consensus import consensus_of_each

    endings = target.endings()
    check_figure_path(lists.figure)
    paths = outputs(
        out=target.out,
        units=lists.units,
        review=lists.review,
        soft=lists.soft,
        figure=lists.figure,
    )
    about: dict[str, Any] = {"writes": paths, "endings": endings, "links": True}
    loaded = load(files, reading, weighing.features, **about)
    written = write_options(target.write_option)
    with computing.pool("aligning") as (pool, _):
        each = consensus_of_each(
            loaded.corpus(),
            dissimilarity=weighing.chosen_dissimilarity(),
            annotator=target.annotator,
            **vars(deciding),
            **solving.options(),
            seed=seed,
            executor=pool,
        )
        rated, unrated = _reliability(each, splits, seed, pool)
    _tell(each)
    solving.check_proven(each.status)
    if target.out is not None or lists.any:
        _write(each, loaded.naming(each.continua), target, lists, written)
    drawn = _draw(each, lists.figure)
    if json:
        document = {**_document(each), **drawn, "reliability": rated and rated.as_dict()}
        print_json({**document, **loaded.json})
        return
    _print(each, worst)
    if rated or unrated:
        say(f"\n{rated.in_words() if rated else unrated}")
    for path in paths:
        if path != lists.figure:
            message(f"wrote {path}")


def _reliability(
    each: CorpusConsensus, splits: int | None, seed: int, pool: Executor | None
) -> tuple[Reliability | None, str]:
    """Return the reliability, None for 0 splits; or a sentence why it cannot be estimated."""
    from gammacp.campaign.consensus import reliability

    if splits == 0:
        return None, ""
    try:
        return reliability(each, splits=splits, seed=seed, executor=pool), ""
    except DataError as error:
        return None, f"The reliability of the consensus cannot be estimated: {error.message}."


def _tell(each: CorpusConsensus) -> None:
    """Say on stderr which documents failed, which alignments are open, and what else to know."""
    messages((f.message_and_place for f in each.failures), before="gammacp: ", error=True)
    names = [*each.documents]
    aligned = each.cells.aligned
    tell_open({names[k]: aligned[k] for k in aligned.with_notes.tolist()}, len(aligned))
    for note in each.belief.notes:
        message(f"gammacp: {note}")


def _draw(each: CorpusConsensus, path: Path | None) -> dict[str, Any]:
    """Draw the gold standards if a file is given; return the JSON of the figure, or nothing."""
    if path is None:
        return {}
    from gammacp.campaign.consensus.figure import picture_of_all

    return {"figure": write_figure(partial(picture_of_all, each), path)}


def _write(
    each: CorpusConsensus,
    named: Mapping[str, Continuum],
    target: Target,
    lists: Lists,
    options: Mapping[str, Any],
) -> None:
    """Write the gold standard and the lists that were asked for, and say which links are lost.

    Parameters
    ----------
    each, named
        The gold standards, and their continua by the names of the files.
    target, lists
        Where they are written.
    options
        Options of the format of `target`.
    """
    from gammacp.campaign.consensus import gold_tables
    from gammacp.formats import write
    from gammacp.formats.registry import format_for_writing
    from gammacp.formats.writing import document_of, lost_links

    formats: dict[Path | None, Format | None] = {lists.units: None, lists.review: None}
    if target.out is not None:
        formats[target.out] = to = format_for_writing(target.out, target.to)
        notes = None
        if to.writer and "notes" in to.writer.keywords:
            notes = gold_tables.unit_notes(zip(named, each.documents.values(), strict=True))
        write(document_of(named), target.out, format=target.to, notes=notes, **options)
    for path, chosen in formats.items():
        if path is None:
            continue
        for loss in lost_links(document_of(named), chosen):
            message(f"gammacp: {path}: {loss}")
    lists.write(each, named)


def _document(each: CorpusConsensus) -> dict[str, Any]:
    """Return the gold standards as `--json` has them; the results are made as they are printed."""
    from gammacp.campaign.consensus.records import consensus_document

    results = (
        consensus_document(name, consensus, each.alignments[name])
        for name, consensus in each.documents.items()
    )
    return {"results": results, **each.belief.as_dict()}


def _print(each: CorpusConsensus, worst: int) -> None:
    from gammacp.campaign.consensus import gold_tables

    documents = each.documents
    belief = each.belief
    summary = gold_tables.consensus_summary(documents)
    ranked = sorted(summary.records, key=lambda record: -(record["entropy"] or 0.0))
    if belief.fit is None:
        show(replace(summary, records=ranked))
    else:
        rows = ranked[:worst]
        if len(rows) < len(documents):
            shown = f" ({len(rows)} of {len(documents)})"
        else:
            shown = ""
        show(
            replace(summary, records=rows),
            title=f"Documents, worst first{shown}:" if len(documents) > 1 else "",
        )
        qualities = gold_tables.annotator_qualities(belief.annotators)
        most = qualities.records[:worst]
        show(
            replace(qualities, records=most),
            title=f"Annotators by {belief.weights} ({len(most)} of {len(qualities.records)}); "
            f"a unit is kept if its posterior is at least {belief.threshold:.2f}:",
        )
    if not worst:
        return
    tables = [("To review, worst first", gold_tables.to_review(documents, worst))]
    number = [sum(record["to_review"] for record in ranked)]
    if any(c.links for c in each.cells.continua.structured):
        tables.append(("Links to review", gold_tables.links_to_review(documents)))
        number.append(len(tables[-1][1].records))
    for (title, table), count in zip(tables, number, strict=True):
        if first := [_cut(record) for record in table.records[:worst]]:
            show(replace(table, records=first), title=f"{title} ({len(first)} of {count}):")


def _cut(record: Record) -> Record:
    text = record.get("text")
    if text:
        return {**record, "text": shorten(text, 40, placeholder="…")}
    return record
