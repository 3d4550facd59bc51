"""View of rankings in notebooks: a sentence per error, and the table of ranks."""

from gammacp.base.display import VIEWS
from gammacp.bench.rank_tables import notes_on, title_of
from gammacp.bench.rank_tables import ranks as rank_table
from gammacp.bench.ranking import ErrorRanks, Ranking
from gammacp.report.notebook import plain_view


def ranking_view(result: Ranking) -> str:
    """Return the HTML of a ranking: a sentence per error, and the table of ranks.

    Parameters
    ----------
    result
        The ranking.
    """
    sentences = " ".join(map(_best_sentence, result.errors))
    notes = (title_of(result), *notes_on(result))
    return plain_view("Ranks of measures", sentences, rank_table(result), notes)


def _best_sentence(error_ranks: ErrorRanks) -> str:
    """Return a sentence that names the measures whose interval of ranks begins at 1."""
    first = [m.measure for m in error_ranks.measures if m.rank is not None and m.rank[0] == 1]
    if not first:
        return f"{error_ranks.error}: no measure can be ranked."
    if len(first) == 1:
        return f"{error_ranks.error}: {first[0]} tells magnitudes apart best."
    return (
        f"{error_ranks.error}: {', '.join(first)} tell magnitudes apart best; their order is open."
    )


VIEWS.register("ranking", ranking_view)
