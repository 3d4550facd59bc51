"""Soft labels: the share of annotators per position, for models that learn from disagreement."""

from typing import Any

import numpy as np

from gammacp.continuum import Continuum


def soft_labels(continuum: Continuum) -> list[dict[str, Any]]:
    """Stretches of a continuum on which every annotator says one thing, and the shares.

    Parameters
    ----------
    continuum
        Continuum; its annotators without units count: they say that nothing is there.

    Returns
    -------
    list of dict
        In order: `start`, `end`, `marked` (share of annotators who marked anything there) and
        `shares` by category ("" is unlabelled). An annotator whose units overlap counts once per
        category. Stretches that nobody marked are left out; units without length are stretches
        of their own.

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
    # Cuts of the stretches and, before the stretch that begins there, of the points.
    stretches = sorted(
        {
            *zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True),
            *((p, p) for p in points.tolist()),
        }
    )
    found = []
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
        said = set(zip(who.tolist(), codes.tolist(), strict=True))
        counts = np.bincount([c % len(names) for _, c in said], minlength=len(names))
        shares = {names[i]: float(counts[i] / n) for i in np.flatnonzero(counts)}
        marked = len(set(who.tolist())) / n
        found.append({"start": start, "end": end, "marked": marked, "shares": shares})
    return found
