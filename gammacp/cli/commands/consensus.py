"""`gammacp consensus`: the gold standard that the best alignment suggests."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gammacp.cli.options.groups import flatten
from gammacp.cli.options.reading import Files, Loaded, Reading, load
from gammacp.cli.options.settings import Seed, Solving, Weighing
from gammacp.cli.output import AsJson, message, number, print_json, print_table
from gammacp.cli.progress import progress

if TYPE_CHECKING:
    from gammacp.alignment import Alignment
    from gammacp.campaign.consensus import Consensus, ConsensusUnit
    from gammacp.continuum import Continuum


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("consensus")(flatten(consensus))


def consensus(
    reading: Reading,
    weighing: Weighing,
    solving: Solving,
    files: Files = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the gold standard here; the ending says how."),
    ] = None,
    to: Annotated[
        str | None, typer.Option(help="Format to write, whatever the ending.", metavar="FORMAT")
    ] = None,
    support: Annotated[
        str | None,
        typer.Option(
            help="Annotators a unit needs: a number (2) or a share (0.6, 60%).  [default: more "
            "than half]",
            metavar="N|SHARE",
        ),
    ] = None,
    boundaries: Annotated[
        str, typer.Option(help="Start and end: majority, median or mean.")
    ] = "median",
    tolerance: Annotated[
        float,
        typer.Option(
            help="How far apart boundaries may be, as a share of the units' length, before the "
            "unit is on the review list."
        ),
    ] = 0.25,
    annotator: Annotated[str, typer.Option(help="Name of the gold standard.")] = "consensus",
    units: Annotated[
        Path | None, typer.Option(help="Write all units with support and confidence (CSV).")
    ] = None,
    review: Annotated[
        Path | None, typer.Option(help="Write the review list, worst first (CSV).")
    ] = None,
    worst: Annotated[int, typer.Option(help="Rows of the review list to print.", min=0)] = 10,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """A gold standard from the best alignment, and what a person should look at, worst first."""
    from gammacp.campaign.consensus import consensus as consensus_of

    loaded = load(files, reading)
    _check_target(out, to)
    with progress("aligning"):
        aligned = _aligned(loaded, weighing, solving, seed)
    found = {
        name: consensus_of(
            alignment,
            support=support,
            boundaries=boundaries,
            tolerance=tolerance,
            annotator=annotator,
        )
        for name, alignment in aligned.items()
    }
    if out is not None:
        _write_gold({n: c.continuum for n, c in found.items()}, out, to)
    if units is not None:
        _write_rows(units, ((n, u) for n, c in found.items() for u in c.units), len(found) > 1)
    if review is not None:
        _write_rows(review, _worst_first(found), len(found) > 1)
    if json:
        print_json({"results": [_result(n, c) for n, c in found.items()]})
        return
    _print(found, worst)
    for path in (out, units, review):
        if path is not None:
            message(f"wrote {path}")


def _aligned(
    loaded: Loaded, weighing: Weighing, solving: Solving, seed: int
) -> dict[str, Alignment]:
    """Best alignments; documents that have none are told on stderr, unless no other is left."""
    from gammacp.alignment import align
    from gammacp.dissimilarity import bind
    from gammacp.errors import DataError

    corpus = loaded.corpus()
    bound = bind(weighing.dissimilarity(), corpus)
    aligned: dict[str, Alignment] = {}
    failures: list[DataError] = []
    for name, continuum in corpus.items():
        try:
            aligned[name] = align(
                continuum,
                bound,
                method=solving.method,
                gap=solving.gap,
                time_limit=solving.time_limit,
                seed=seed,
            )
        except DataError as error:
            failures.append(error.at(name))
            continue
        solving.check_proven(aligned[name].status)
    if not aligned:
        raise failures[0]
    for failure in failures:
        message(f"gammacp: {failure}")
    return aligned


def _check_target(out: Path | None, to: str | None) -> None:
    """A format that cannot be written is refused before anything is computed."""
    from gammacp.errors import UsageError
    from gammacp.formats.registry import format_for_writing

    if out is not None:
        format_for_writing(out, to)
    elif to is not None:
        raise UsageError("--to needs --out FILE")


def _write_gold(gold: dict[str, Continuum], out: Path, to: str | None) -> None:
    from gammacp.continuum import Corpus
    from gammacp.formats import write

    document = next(iter(gold.values())) if len(gold) == 1 else Corpus.from_continua(gold)
    write(document, out, format=to)


def _worst_first(found: dict[str, Consensus]) -> list[tuple[str, ConsensusUnit]]:
    rows = [(n, u) for n, c in found.items() for u in c.review]
    return sorted(rows, key=lambda row: -row[1].disorder)


_COLUMNS = (
    "start",
    "end",
    "category",
    "kept",
    "support",
    "confidence",
    "disorder",
    "votes",
    "tied",
    "reasons",
    "text",
)


def _write_rows(path: Path, rows: Iterable[tuple[str, ConsensusUnit]], several: bool) -> None:
    from gammacp.files import atomic_write

    with (
        atomic_write(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as stream,
    ):
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["continuum"] * several + list(_COLUMNS))
        for name, unit in rows:
            writer.writerow([name] * several + _fields(unit))


def _fields(unit: ConsensusUnit) -> list[str]:
    votes = "; ".join(f"{_label(c)}: {n}" for c, n in unit.vote.votes.items())
    return [
        _position(unit.start),
        _position(unit.end),
        unit.category or "",
        "yes" if unit.kept else "no",
        str(unit.support),
        f"{unit.confidence:.4f}",
        f"{unit.disorder:.6g}",
        votes,
        "; ".join(_label(c) for c in unit.vote.tied),
        "; ".join(unit.reasons),
        unit.text or "",
    ]


def _label(category: str | None) -> str:
    return "(unlabelled)" if category is None else category


def _position(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def _shown(value: float) -> str:
    """A position for the table: three decimals tell milliseconds of seconds."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _result(name: str, found: Consensus) -> dict[str, Any]:
    return {
        "file": name,
        "needed": found.needed,
        "units": [_unit(u) for u in found.units],
        "review": [found.units.index(u) for u in found.review],
    }


def _unit(unit: ConsensusUnit) -> dict[str, Any]:
    return {
        "start": unit.start,
        "end": unit.end,
        "category": unit.category,
        "kept": unit.kept,
        "support": unit.support,
        "confidence": unit.confidence,
        "disorder": unit.disorder,
        "votes": [{"category": c, "votes": n} for c, n in unit.vote.votes.items()],
        "tied": list(unit.vote.tied),
        "reasons": list(unit.reasons),
        "text": unit.text,
        "units": {
            name: None if u is None else {"start": u.start, "end": u.end, "category": u.category}
            for name, u in unit.units.items()
        },
    }


def _print(found: dict[str, Consensus], worst: int) -> None:
    several = ("file",) if len(found) > 1 else ()
    rows: list[Sequence[str]] = []
    for name, c in found.items():
        tied = sum(1 for u in c.kept if u.vote.tied)
        confidence = [u.confidence for u in c.kept]
        rows.append(
            [
                *([name] if several else []),
                str(len(c.kept)),
                str(len(c.units) - len(c.kept)),
                str(c.needed),
                str(tied),
                number(sum(confidence) / len(confidence) if confidence else None),
                str(len(c.review)),
            ]
        )
    columns = (
        "units",
        "left out",
        "support needed",
        "category tied",
        "mean confidence",
        "to review",
    )
    print_table((*several, *columns), rows, numeric=columns)
    _print_review(_worst_first(found), worst, bool(several))


def _print_review(rows: list[tuple[str, ConsensusUnit]], worst: int, several: bool) -> None:
    if not rows or not worst:
        return
    print(f"\nTo review, worst first ({min(worst, len(rows))} of {len(rows)}):")
    quoted = any(u.text is not None for _, u in rows)
    columns = ("start", "end", *(["text"] if quoted else []), "category", "support", "confidence")
    print_table(
        (*(["file"] if several else []), *columns, "why"),
        [
            [
                *([name] if several else []),
                _shown(u.start),
                _shown(u.end),
                *([shorten(u.text or "", 40, placeholder="…")] if quoted else []),
                "?" if u.vote.tied else _label(u.category),
                str(u.support),
                number(u.confidence, 2),
                "; ".join(u.reasons),
            ]
            for name, u in rows[:worst]
        ],
        numeric=("start", "end", "support", "confidence"),
    )
