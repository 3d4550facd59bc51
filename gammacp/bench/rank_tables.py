"""A ranking of measures as a table and in words."""

from collections.abc import Iterator
from typing import Any

from gammacp.base.record_tables import Column, Record, Table, general, number, percent, word
from gammacp.base.text import counted
from gammacp.bench.ranking import PUBLISHED_SETS, Ranking


def _ranks(record: Record) -> str | None:
    rank = record["rank"]
    if rank is None:
        return None
    best, worst = rank
    if best == worst:
        return str(best)
    return f"{best}–{worst}"


def _three_digits(value: Any, digits: int) -> str:
    return number(value, min(digits, 3))


_COLUMNS = (
    Column("error", "error"),
    Column("measure", "measure"),
    Column("told", "told", _three_digits),
    Column("rank", "rank", word, value=_ranks),
    Column("step", "step", general),
    Column("step_at", "hardest at", general),
    Column("ends", "ends", general),
    Column("used", "range used", _three_digits),
    Column("noise", "noise", _three_digits),
    Column("wrong", "wrong", _three_digits),
    Column("undefined", "undefined", percent),
)


def _nuisance(record: Record) -> str:
    nuisance = record.get("nuisance") or {}
    if nuisance.get("magnitude") is None:
        return "–"
    if nuisance["beyond"]:
        least = "≥ "
    else:
        least = ""
    return f"{least}{nuisance['magnitude']:.3f}"


_NUISANCE = Column("nuisance", "nuisance", word, value=_nuisance)


def ranks(ranking: Ranking, *, with_nuisance: bool = False) -> Table:
    """Return a row per error and measure, best first.

    Parameters
    ----------
    ranking
        The ranks.
    with_nuisance
        Whether there is a column of what a nuisance does.
    """
    columns: tuple[Column, ...] = _COLUMNS
    if with_nuisance:
        columns = (*_COLUMNS, _NUISANCE)
    rows = [{"error": e.error, **m.as_dict()} for e in ranking.errors for m in e.measures]
    return Table(columns, rows)


def title_of(ranking: Ranking) -> str:
    """Return the phrase that says how errors were told apart."""
    return (
        f"told apart by Welch's {ranking.level:.2g} test between corpora of "
        f"D = {ranking.documents} annotation sets, from {ranking.sets} sets"
    )


def notes_on(ranking: Ranking) -> Iterator[str]:
    """Yield what the table does not say.

    Parameters
    ----------
    ranking
        The ranks, and what they leave out.
    """
    if ranking.sets < PUBLISHED_SETS:
        yield f"{ranking.sets} sets show an order; ranks for publication need {PUBLISHED_SETS}"
    if ranking.left_out:
        yield f"left out, as not every curve has values: {counted(ranking.left_out, 'set')}"
    for each in ranking.errors:
        if each.dropped:
            dropped = ", ".join(f"{m:g}" for m in each.dropped)
            yield (
                f"{each.error}: magnitudes left out, which not every measure was computed at or "
                f"none has values for: {dropped}"
            )
        unranked = [m.measure for m in each.measures if m.rank is None]
        if unranked:
            yield f"{each.error}: not ranked, too few values: {', '.join(unranked)}"
    for documents in sorted({c.documents for c in ranking.changes}):
        changes = [c for c in ranking.changes if c.documents == documents]
        for error in dict.fromkeys(c.error for c in changes):
            moved = ", ".join(
                f"{c.measure} {c.rank} → {c.other_rank}" for c in changes if c.error == error
            )
            yield f"{error}: ranks that change with D = {documents}: {moved}"
