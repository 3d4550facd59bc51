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
from gammacp.cli.options.reading import WRITE_OPTION, Files, Reading, load, write_options
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
    from gammacp.base.record_tables import Record
    from gammacp.campaign.consensus import CorpusConsensus
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
        """Return the endings of the files; refuse a format that cannot be written at once."""
        from gammacp.formats.registry import format_for_writing

        if self.out is not None:
            return format_for_writing(self.out, self.to).extensions
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
    from gammacp.campaign.consensus import consensus_of_each, gold_tables, reliability
    from gammacp.campaign.consensus.records import consensus_document
    from gammacp.formats import write
    from gammacp.formats.registry import format_for_writing
    from gammacp.formats.writing import check_folder, document_of, lost_links

    endings = target.endings()
    if target.out is not None:
        check_folder(target.out)
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
        rated = None
        unrated = ""
        try:
            if splits != 0:
                rated = reliability(each, splits=splits, seed=seed, executor=pool)
        except DataError as error:
            unrated = f"The reliability of the consensus cannot be estimated: {error.message}."
    messages((f.message_and_place for f in each.failures), before="gammacp: ", error=True)
    names = [*each.documents]
    aligned = each.cells.aligned
    tell_open({names[k]: aligned[k] for k in aligned.with_notes.tolist()}, len(aligned))
    for note in each.belief.notes:
        message(f"gammacp: {note}")
    solving.check_proven(each.status)
    found = each.documents
    if target.out is not None or lists.any:
        named = loaded.naming(each.continua)
        formats: dict[Path | None, Format | None] = {lists.units: None, lists.review: None}
        if target.out is not None:
            formats[target.out] = to = format_for_writing(target.out, target.to)
            doubtful = zip(named, found.values(), strict=True)
            notes = None
            if to.writer and "notes" in to.writer.keywords:
                notes = gold_tables.unit_notes(doubtful)
            write(document_of(named), target.out, format=target.to, notes=notes, **written)
        for path, chosen in formats.items():
            for loss in lost_links(document_of(named), chosen) if path is not None else ():
                message(f"gammacp: {path}: {loss}")
        lists.write(each, named)
    drawn = {}
    if lists.figure is not None:
        from gammacp.campaign.consensus.figure import picture_of_all

        drawn = {"figure": write_figure(partial(picture_of_all, each), lists.figure)}
    if json:
        results = (consensus_document(n, c, each.alignments[n]) for n, c in found.items())
        document = {"results": results, **each.belief.as_dict(), **drawn}
        print_json({**document, "reliability": rated and rated.as_dict(), **loaded.json})
        return
    _print(each, worst)
    if rated or unrated:
        say(f"\n{rated.in_words() if rated else unrated}")
    for path in paths:
        if path != lists.figure:
            message(f"wrote {path}")


def _print(each: CorpusConsensus, worst: int) -> None:
    from gammacp.campaign.consensus import gold_tables

    found = each.documents
    belief = each.belief
    summary = gold_tables.consensus_summary(found)
    ranked = sorted(summary.records, key=lambda record: -(record["entropy"] or 0.0))
    if belief.fit is None:
        show(replace(summary, records=ranked))
    else:
        rows = ranked[:worst]
        if len(rows) < len(found):
            shown = f" ({len(rows)} of {len(found)})"
        else:
            shown = ""
        show(
            replace(summary, records=rows),
            title=f"Documents, worst first{shown}:" if len(found) > 1 else "",
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
    tables = [("To review, worst first", gold_tables.to_review(found, worst))]
    number = [sum(record["to_review"] for record in ranked)]
    if any(c.links for c in each.cells.continua.beside):
        tables.append(("Links to review", gold_tables.links_to_review(found)))
        number.append(len(tables[-1][1].records))
    for (title, table), count in zip(tables, number, strict=True):
        if first := [_cut(record) for record in table.records[:worst]]:
            show(replace(table, records=first), title=f"{title} ({len(first)} of {count}):")


def _cut(record: Record) -> Record:
    text = record.get("text")
    if text:
        return {**record, "text": shorten(text, 40, placeholder="…")}
    return record
