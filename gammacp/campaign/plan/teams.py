"""Estimate the variance of γ between fixed teams of annotators, and its effect on a plan.

The relative disorder z = o/e of a document is modelled as the sum of a random effect of its team
and a random effect of the document. The two variances are estimated by an unbalanced one-way
analysis of variance with random teams, where documents are weighted by e (Searle, Casella &
McCulloch 1992, Variance Components, section 3.6). The interval is exact if teams have equal loads
(Searle et al., section 3.5) and documents have equal lengths.
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
        Estimated variance. It is below 0 if teams differ less than expected from the variance
        between their documents.
    interval
        95 % confidence interval of the variance; its ends are not below 0.
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
            Standard deviation between documents, including the variance between teams.
        documents
            Planned number of documents.
        teams
            Number of teams, which share the documents equally.
        """
        from scipy.special import stdtrit

        between = max(0.0, self.variance)
        variance = between / teams + max(0.0, spread**2 - between) / documents
        return float(stdtrit(teams - 1, 0.975)) * math.sqrt(variance)


def team_spread(sums: PairSums, clusters: Sequence[int] = ()) -> TeamSpread | None:
    """Estimate the variance between teams; None if it cannot be separated from the documents.

    Parameters
    ----------
    sums
        Costs by document and team (`PairSums.by_team`): one row per document.
    clusters
        Number of each document's cluster. An empty sequence means that documents are independent.

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
    # The documents of a cluster that are annotated by the same team form one observation.
    cells = np.unique(np.column_stack((parts, sums.annotator)), axis=0, return_inverse=True)
    team = np.unique(cells[0][:, 1], return_inverse=True)[1]
    observed, expected = (np.bincount(cells[1].ravel(), x) for x in (sums.observed, sums.expected))
    has_chance = expected > 0
    team, weight = team[has_chance], expected[has_chance] / expected[has_chance].mean()
    z = observed[has_chance] / expected[has_chance]
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
    # Interval of the ratio of the two variances, multiplied by the variance within teams.
    low, high = (between / float(fdtri(*degrees, p)) for p in (0.975, 0.025))
    return TeamSpread(
        teams=len(loads),
        variance=(between - within) / load,
        interval=(max(0.0, low - within) / load, max(0.0, high - within) / load),
    )
