"""What a store holds, at a glance."""

import json
from dataclasses import dataclass

from gammacp.bench.store import Run, Store

# One pass over the key's order: a group's rows are neighbours.
_QUERY = """
SELECT e.text, m.text, n, magnitudes, first_set, last_set, undefined, limited, seconds
FROM (
    SELECT error, measure, sum(n) AS n, count(*) AS magnitudes, min(n) AS first_set,
           max(n) AS last_set, sum(undefined) AS undefined, sum(limited) AS limited,
           sum(seconds) AS seconds
    FROM (
        SELECT error, measure, magnitude, count(*) AS n, sum(value IS NULL) AS undefined,
               coalesce(sum(status = (SELECT id FROM texts WHERE text = 'feasible')), 0) AS limited,
               sum(seconds) AS seconds
        FROM cells WHERE experiment = ? GROUP BY error, magnitude, measure
    )
    GROUP BY error, measure
)
JOIN texts e ON e.id = error JOIN texts m ON m.id = measure
ORDER BY e.text, m.text
"""


@dataclass(frozen=True, slots=True)
class Holding:
    """What there is of one error and one measure.

    Attributes
    ----------
    cells, magnitudes
        Counts.
    fewest_sets, most_sets
        Over the magnitudes.
    undefined
        Cells without a value.
    limited
        Cells whose solver stopped at a limit (status `feasible`).
    seconds
        Processor time.
    """

    error: str
    measure: str
    cells: int
    magnitudes: int
    fewest_sets: int
    most_sets: int
    undefined: int
    limited: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Status:
    """An experiment of a store."""

    experiment: str
    configuration: dict[str, object]
    hash: str
    holdings: tuple[Holding, ...]
    runs: tuple[Run, ...]


def status(store: Store) -> tuple[Status, ...]:
    """Every experiment with what there is of it."""
    found = []
    for experiment in store.experiments():
        holdings = tuple(Holding(*row) for row in store.rows(_QUERY, experiment.id))
        runs = store.runs(experiment)
        configuration = json.loads(experiment.configuration)
        found.append(Status(experiment.name, configuration, experiment.hash, holdings, runs))
    return tuple(found)
