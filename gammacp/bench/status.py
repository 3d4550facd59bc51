"""Overview of the contents of a store."""

import json
from dataclasses import asdict
from typing import Any

from gammacp.bench.store import Store

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


_HELD = (
    *("error", "measure", "cells", "magnitudes", "fewest_sets", "most_sets"),
    *("undefined", "limited", "seconds"),
)


def status(store: Store) -> list[dict[str, Any]]:
    """Every experiment with what there is of it, as JSON has it.

    Its `holdings` have an entry per error and measure, its `runs` one per run.
    """
    return [
        {
            "experiment": e.name,
            "configuration": json.loads(e.configuration),
            "hash": e.hash,
            "holdings": [dict(zip(_HELD, row, strict=True)) for row in store.rows(_QUERY, e.id)],
            "runs": [asdict(run) for run in store.runs(e)],
        }
        for e in store.experiments()
    ]
