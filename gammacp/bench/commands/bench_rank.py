"""`gammacp bench rank`: which measure sees which error."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gammacp.base.text import first_names
from gammacp.bench.commands.bench_store import DEFAULT_OUT, store_path
from gammacp.cli.options.groups import option
from gammacp.cli.output import AsJson, message, print_json, say, show

if TYPE_CHECKING:
    from gammacp.bench.rank_stores import SweptValues
    from gammacp.bench.ranking import Ranking


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
    from gammacp.bench.rank_tables import notes_on, ranks, title_of
    from gammacp.bench.ranking import rank as ranks_of

    swept = read_values(stores or [store_path(DEFAULT_OUT)], experiment)
    if nuisance is None:
        changed = None
    else:
        changed = read_values([nuisance], experiment)
    ranking = ranks_of(
        swept.values,
        documents,
        level,
        nuisance=None if changed is None else changed.values,
    )
    for path in write_ranking(ranking, swept, out, figures=figures):
        message(f"wrote {path}")
    for note in notes_on(ranking):
        message(note)
    if changed is not None:
        _tell_nuisance(ranking, changed, str(nuisance))
    if json:
        print_json(ranking.as_dict())
        return
    say(title_of(ranking))
    show(ranks(ranking, with_nuisance=nuisance is not None))


def _tell_nuisance(ranking: Ranking, changed: SweptValues, store: str) -> None:
    """Print on stderr which curves the store of the nuisance does not have."""
    with_nuisance = {(error, measure) for error, measure, _ in changed.values}
    curves = [(ranks.error, m.measure) for ranks in ranking.errors for m in ranks.measures]
    missing = [
        f"{measure} ({error})" for error, measure in curves if (error, measure) not in with_nuisance
    ]
    if missing:
        message(f"not compared, as {store} has no such curve: {first_names(missing, 3)}")
