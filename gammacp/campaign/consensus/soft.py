"""Compute soft labels: shares of annotators by position, to train models on disagreement."""

from typing import Any

import numpy as np

from gammacp.continuum import Continuum


def soft_labels(continuum: Continuum) -> list[dict[str, Any]]:
    """Return the share of annotators who chose each category, for each stretch of a continuum.

    The continuum is cut at all starts and ends of units, so that no annotation changes within a
    stretch.

    Parameters
    ----------
    continuum
        The continuum. Annotators without units count as having marked nothing.

    Returns
    -------
    list of dict
        For each stretch, in order: `start`, `end`, `marked` (share of annotators who marked
        anything there) and `shares` by category ("" is unlabelled). An annotator whose units
        overlap counts once for each category. Stretches that nobody marked are left out, and units
        without length are stretches of their own.

    >>> from gammacp import Unit
    >>> c = Continuum.from_units([Unit("A", 0, 4, "x"), Unit("B", 2, 4, "y")])
    >>> [(s["start"], s["end"], s["shares"]) for s in soft_labels(c)]
    [(0.0, 2.0, {'x': 0.5}), (2.0, 4.0, {'x': 0.5, 'y': 0.5})]
    """
    continuum = continuum.atoms()
    starts = continuum.starts
    ends = continuum.ends
    n = continuum.n_annotators
    names = [*continuum.categories, ""]
    edges = np.unique(np.concatenate([starts, ends]))
    points = np.unique(starts[starts == ends])
    # All stretches between cuts, and the points, each before the stretch that begins there.
    stretches = sorted(
        {
            *zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True),
            *((p, p) for p in points.tolist()),
        }
    )
    records = []
    for start, end in stretches:
        if end > start:
            covers = (starts <= start) & (ends >= end)
        else:
            covers = (starts == start) & (ends == end)
        rows = np.flatnonzero(covers)
        if not len(rows):
            continue
        who = continuum.annotator_codes[rows]
        codes = continuum.category_codes[rows]
        choices = set(zip(who.tolist(), codes.tolist(), strict=True))
        counts = np.bincount([c % len(names) for _, c in choices], minlength=len(names))
        shares = {names[i]: float(counts[i] / n) for i in np.flatnonzero(counts)}
        marked = len(set(who.tolist())) / n
        records.append({"start": start, "end": end, "marked": marked, "shares": shares})
    return records
