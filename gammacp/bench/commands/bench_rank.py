"""`gammacp bench rank`: which measure sees which error."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gammacp.base.record_tables import Column, Record, Table, general, number, percent, word
from gammacp.base.text import first_names
from gammacp.bench.commands.bench_store import DEFAULT_OUT, store_path
from gammacp.cli.options.groups import option
from gammacp.cli.output import AsJson, message, print_json, say, show

if TYPE_CHECKING:
    from gammacp.bench.rank_stores import SweptValues
    from gammacp.bench.ranking import Ranking


def _ranks(record: Record) -> str | None:
    rank = record["rank"]
    if rank is None:
        return None
    best, worst = rank
    if best == worst:
        return str(best)
    return f"{best}–{worst}"


def _told(value: Any, digits: int) -> str:
    return number(value, min(digits, 3))


_COLUMNS = (
    Column("error", "error"),
    Column("measure", "measure"),
    Column("told", "told", _told),
    Column("rank", "rank", word, value=_ranks),
    Column("step", "step", general),
    Column("step_at", "hardest at", general),
    Column("ends", "ends", general),
    Column("used", "range used", _told),
    Column("noise", "noise", _told),
    Column("wrong", "wrong", _told),
    Column("undefined", "undefined", percent),
)
_NUISANCE = Column("nuisance", "nuisance", word, value=lambda record: _nuisance(record))


def _nuisance(record: Record) -> str:
    found = record.get("nuisance") or {}
    if found.get("magnitude") is None:
        return "–"
    if found["beyond"]:
        least = "≥ "
    else:
        least = ""
    return f"{least}{found['magnitude']:.3f}"


def rank(
    stores: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Stores of sweeps of one configuration.  [default: bench-out/bench.sqlite]"
        ),
    ] = None,
    documents: int = option(
        "D: annotation sets of each of the two corpora that Welch's test compares.", default=10
    ),
    level: float = option("Level of the test and of the intervals of ranks.", default=0.05),
    nuisance: Path | None = option(
        "Store of the same errors under a change that should not matter (gaps, units, "
        "annotators): what it does is given as a magnitude.",
        "STORE",
    ),
    experiment: str | None = option("Use only this sweep of each store.  [default: all]", "NAME"),
    out: Path = option("Folder for the table and the figure.", default=DEFAULT_OUT),
    figures: bool = option("Draw the figure.", default=True),
    json: AsJson = False,
) -> None:
    """Rank measures by what they see of each error.

    `told` is the mean power, over pairs of magnitudes, of Welch's test between two corpora of D
    annotation sets, in the right direction. Intervals of ranks hold together.

    Example: gammacp bench rank bench-out/bench.sqlite --documents 10
    """
    from gammacp.bench.rank_results import write_ranking
    from gammacp.bench.rank_stores import read_values
    from gammacp.bench.ranking import rank as ranks_of

    found = read_values(stores or [store_path(DEFAULT_OUT)], experiment)
    if nuisance is None:
        changed = None
    else:
        changed = read_values([nuisance], experiment)
    ranking = ranks_of(
        found.values,
        documents,
        level,
        nuisance=None if changed is None else changed.values,
    )
    for path in write_ranking(ranking, found, out, figures=figures):
        message(f"wrote {path}")
    _tell(ranking)
    if changed is not None:
        _tell_nuisance(ranking, changed, str(nuisance))
    if json:
        print_json(ranking.as_dict())
        return
    say(_title(ranking))
    columns = _COLUMNS if nuisance is None else (*_COLUMNS, _NUISANCE)
    rows = [{"error": e.error, **m.as_dict()} for e in ranking.errors for m in e.measures]
    show(Table(columns, rows))


def _title(ranking: Ranking) -> str:
    return (
        f"told apart by Welch's {ranking.level:.2g} test between corpora of "
        f"D = {ranking.documents} annotation sets, from {ranking.sets} sets"
    )


def _tell_nuisance(ranking: Ranking, changed: SweptValues, store: str) -> None:
    """Print on stderr which curves the store of the nuisance does not have."""
    there = {(error, measure) for error, measure, _ in changed.values}
    curves = [(ranks.error, m.measure) for ranks in ranking.errors for m in ranks.measures]
    missing = [f"{measure} ({error})" for error, measure in curves if (error, measure) not in there]
    if missing:
        message(f"not compared, as {store} has no such curve: {first_names(missing, 3)}")


def _tell(ranking: Ranking) -> None:
    """Print on stderr what the table does not say."""
    from gammacp.bench.ranking import PUBLISHED_SETS

    if ranking.sets < PUBLISHED_SETS:
        message(f"{ranking.sets} sets show an order; ranks for publication need {PUBLISHED_SETS}")
    if ranking.left_out:
        message(f"{ranking.left_out} sets left out: not every curve has them")
    for each in ranking.errors:
        if each.dropped:
            dropped = ", ".join(f"{m:g}" for m in each.dropped)
            message(
                f"{each.error}: magnitudes left out, which not every measure was computed at or "
                f"none has values for: {dropped}"
            )
        unranked = [m.measure for m in each.measures if m.rank is None]
        if unranked:
            message(f"{each.error}: not ranked, too few values: {', '.join(unranked)}")
    for documents in sorted({c.documents for c in ranking.changes}):
        changes = [c for c in ranking.changes if c.documents == documents]
        for error in dict.fromkeys(c.error for c in changes):
            moved = ", ".join(
                f"{c.measure} {c.rank} → {c.there}" for c in changes if c.error == error
            )
            message(f"{error}: ranks that change with D = {documents}: {moved}")
