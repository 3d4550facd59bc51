"""Spread of γ between fixed teams of annotators, and what it means for a plan.

The disorder z = o/e of a document is that of its team plus the document's own. Both variances are
those of an unbalanced one-way analysis of variance with random teams, documents weighted by e
(Searle, Casella & McCulloch 1992, Variance Components, section 3.6). The interval is exact where
teams have equal loads (Searle et al., section 3.5) and documents equal lengths.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gammacp.inference.populations import PairSums


@dataclass(frozen=True, kw_only=True)
class TeamSpread:
    """Variance of the relative disorder between teams.

    Attributes
    ----------
    teams
        Number of teams in the pilot.
    variance
        The estimate; below 0 where teams differ less than their documents would let them.
    interval
        95 %, from 0 on.
    """

    teams: int
    variance: float
    interval: tuple[float, float]

    @property
    def shown(self) -> bool:
        """Return whether the pilot shows that teams differ."""
        return self.interval[0] > 0

    def half_width(self, spread: float, documents: float, teams: int) -> float:
        """Return half the width of a 95 % interval of γ over teams and documents.

        Parameters
        ----------
        spread
            Standard deviation of γ between documents, with what teams differ by.
        documents
            Number of documents that are planned.
        teams
            Number of teams that share them equally.
        """
        from scipy.special import stdtrit

        between = max(0.0, self.variance)
        variance = between / teams + max(0.0, spread**2 - between) / documents
        return float(stdtrit(teams - 1, 0.975)) * math.sqrt(variance)


def team_spread(sums: PairSums, clusters: Sequence[int] = ()) -> TeamSpread | None:
    """Return the variance between teams; None where teams and documents cannot be told apart.

    Parameters
    ----------
    sums
        Costs by document and team (`PairSums.by_team`): one row per document.
    clusters
        The cluster of each document, by its number; none: each is one by itself.

    >>> from gammacp.inference.populations import PairSums
    >>> rows = range(6), [0, 0, 1, 1, 2, 2], [1.0, 3.0, 5.0, 7.0, 3.0, 5.0], [8.0] * 6
    >>> found = team_spread(PairSums(*(np.array(column) for column in rows)))
    >>> found.teams, found.variance
    (3, 0.046875)
    """
    from scipy.special import fdtri

    parts = sums.document
    if len(clusters):
        parts = np.asarray(clusters, np.int64)[sums.document]
    # Documents of one cluster by one team are one observation.
    cells = np.unique(np.column_stack((parts, sums.annotator)), axis=0, return_inverse=True)
    team = np.unique(cells[0][:, 1], return_inverse=True)[1]
    observed, expected = (np.bincount(cells[1].ravel(), x) for x in (sums.observed, sums.expected))
    kept = expected > 0
    team, weight = team[kept], expected[kept] / expected[kept].mean()
    z = observed[kept] / expected[kept]
    loads = np.bincount(team, weight)
    loads = loads[loads > 0]
    degrees = len(loads) - 1, len(z) - len(loads)
    if min(degrees) < 1:
        return None
    sizes = np.bincount(team, weight)
    means = np.bincount(team, weight * z) / np.where(sizes > 0, sizes, 1.0)
    mean = float(weight @ z) / float(weight.sum())
    between = float(weight @ (means[team] - mean) ** 2) / degrees[0]
    within = float(weight @ (z - means[team]) ** 2) / degrees[1]
    load = float(loads.sum() - (loads**2).sum() / loads.sum()) / degrees[0]
    # The interval is that of the ratio of both variances, times the variance within teams.
    low, high = (between / float(fdtri(*degrees, p)) for p in (0.975, 0.025))
    return TeamSpread(
        teams=len(loads),
        variance=(between - within) / load,
        interval=(max(0.0, low - within) / load, max(0.0, high - within) / load),
    )
