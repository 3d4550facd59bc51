"""Campaigns whose change over time is known, and sessions of one person: costs of pairs.

Every annotator adds a certain disorder. The cost of a pair is the mean of what its two annotators
add, multiplied by the difficulty and the length of the document. Random factors with mean 1 vary
what each annotator adds in each document (gamma distribution of shape 3), and what each pair costs
there (shape 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from experiments._parts import THETA, few_bad, gamma, lognormal
from gammacp.base.arrays import Bools, Floats, Indices
from gammacp.inference.populations import PairSums


def pareto(g: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Draw from a Pareto distribution of mean 1 and index 2.2, whose variance is barely finite."""
    return np.asarray((1 + g.pareto(2.2, shape)) * 1.2 / 2.2)


LAWS = {"pareto": pareto, "lognormal 1": lognormal(1.0), "few bad": few_bad, "gamma": gamma(4)}


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """Assignment of annotators to documents, in order.

    Attributes
    ----------
    people, each
        Number of annotators, and number of annotators per document.
    law
        Law of the documents' difficulty.
    unlike
        Standard deviation of the logarithm of what annotators add.
    late, careless
        Number of people who join for the second half; factor of what the last person adds.
    harder
        Documents get three times as hard: with "factor", everybody's disorder grows by the same
        factor; with "sum", by the same amount.
    cluster, neighbours
        Number of documents per cluster, which accounts for half of the variance; correlation of
        neighbouring documents.
    """

    people: int = 4
    each: int = 0
    law: str = "pareto"
    unlike: float = 0.0
    late: int = 0
    careless: float = 1.0
    harder: str = ""
    cluster: int = 1
    neighbours: float = 0.0

    def draw(
        self, n: int, g: np.random.Generator, drift: float = 0.0
    ) -> tuple[PairSums, Indices, Floats]:
        """Draw costs, clusters, and what annotators add; the first adds more by `drift`."""
        place, which = np.arange(n) / (n - 1), np.arange(n) // self.cluster
        adds = np.exp(self.unlike * g.standard_normal(self.people) - self.unlike**2 / 2)
        adds[-1] *= self.careless
        e, level = np.exp(0.3 * g.standard_normal(n)), self._difficulty(g, which)
        rates = adds * g.gamma(3, 1 / 3, (n, self.people))
        rates[:, 0] *= 1 + drift * (place - 0.5)
        if self.harder == "factor":
            level = level * (0.5 + place)
        if self.harder == "sum":
            rates = rates + 1.5 * place[:, None]
        is_present = self._there(n, g)
        i, j = np.triu_indices(self.people, 1)
        both = is_present[:, i] & is_present[:, j]
        where, pair = np.nonzero(both)
        first, second = i[pair], j[pair]
        weight = e[where] / both.sum(axis=1)[where]
        cost = weight * level[where] * (rates[where, first] + rates[where, second]) / 2
        cost = THETA * cost * g.gamma(4, 0.25, len(where))
        return PairSums.of_pairs(where, np.stack((first, second), 1), cost, weight), which, adds

    def _there(self, n: int, g: np.random.Generator) -> Bools:
        is_present = np.ones((n, self.people), np.bool_)
        if self.each:
            is_present = (
                np.argsort(np.argsort(g.random((n, self.people)), axis=1), axis=1) < self.each
            )
        is_present[: n // 2, self.people - self.late :] = False
        return np.asarray(is_present)

    def _difficulty(self, g: np.random.Generator, which: Indices) -> Floats:
        n = len(which)
        if self.cluster == 1 and not self.neighbours:
            return np.asarray(LAWS[self.law](g, (1, n))[0])
        w = g.standard_normal(n)
        if self.cluster > 1:
            w = np.sqrt(0.5) * (w + g.standard_normal(n)[which])
        for t in range(1, n if self.neighbours else 0):
            w[t] = self.neighbours * w[t - 1] + np.sqrt(1 - self.neighbours**2) * w[t]
        return np.asarray(np.exp(w - 0.5))


def sessions(
    kind: str, people: int, n: int, runs: int, others: float, g: np.random.Generator
) -> tuple[Floats, Floats, Floats, Floats]:
    """Draw observed and expected disorder within and between people, each (runs, documents).

    Everybody annotates everything twice ("one twice": the first alone); pairs of different people
    cost `others` times as much as pairs of sessions.
    """
    law = LAWS.get(kind, LAWS["gamma"])
    level = law(g, (runs, n))
    e = level * g.gamma(2, 0.5, (runs, n)) if kind == "long ones worse" else np.ones((runs, n))
    adds = np.exp(0.5 * g.standard_normal((runs, 1, people)) - 0.125) if kind == "unlike" else 1.0
    twice = 1 if kind == "one twice" else people
    additions = [adds * g.gamma(3, 1 / 3, (runs, n, k)) for k in (people, twice)]
    if kind == "second worse":
        additions[1] = 1.5 * additions[1]
    if kind == "few units":
        additions = [m * (g.random(m.shape) < 0.3) for m in additions]
    every = [(p, m[..., p]) for m in additions for p in range(m.shape[-1])]
    sums, count = np.zeros((2, runs, n)), [0, 0]
    for (p, one), (q, other) in combinations(every, 2):
        if min(p, q) < twice:
            cost = (one + other) / 2 * g.gamma(4, 0.25, (runs, n))
            sums[int(p != q)] += cost if p == q else others * cost
            count[int(p != q)] += 1
    return THETA * e * level * sums[0], e * count[0], THETA * e * level * sums[1], e * count[1]
