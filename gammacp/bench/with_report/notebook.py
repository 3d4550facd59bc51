"""Rankings of measures in notebooks."""

from gammacp.base.display import VIEWS
from gammacp.bench.rank_tables import notes_on, ranks, title_of
from gammacp.bench.ranking import ErrorRanks, Ranking
from gammacp.report.notebook import plain_view


def ranking(result: Ranking) -> str:
    """Say which measures see each error best, above the table of all."""
    words = " ".join(map(_best, result.errors))
    notes = (title_of(result), *notes_on(result))
    return plain_view("Ranks of measures", words, ranks(result), notes)


def _best(ranks: ErrorRanks) -> str:
    """Return which measures may be the first under an error."""
    first = [m.measure for m in ranks.measures if m.rank is not None and m.rank[0] == 1]
    if not first:
        return f"{ranks.error}: no measure can be ranked."
    if len(first) == 1:
        return f"{ranks.error}: {first[0]} tells magnitudes apart best."
    return f"{ranks.error}: {', '.join(first)} tell magnitudes apart best; their order is open."


VIEWS.register("ranking", ranking)
