"""Count wins for the alternative annotator test: who agrees with the others at least as well."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gammacp.base.arrays import Bools, Floats, Indices
from gammacp.campaign.replace.inference import (
    FEW,
    benjamini_yekutieli,
    exact_test,
    score_statistic,
    t_test,
)
from gammacp.campaign.replace.scores import Instance, Rest
from gammacp.inference.contributions import CLUSTERS, DOCUMENTS, Contributions
from gammacp.inference.part_tests import FEWEST_PARTS, independent_parts

_TIE = 1e-9  # Relative difference of agreement that counts as a tie: sums have rounding errors.
_LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class Wins:
    """A candidate's wins against each person; shape (people, instances).

    Attributes
    ----------
    people, instances
        Names of people and instances. Each person shares at least one instance with the candidate
        and another annotator.
    annotated
        Whether each person annotated each instance.
    candidate, person
        W^f and W^h: whether the candidate (or the person) agrees with the others at least as well
        as the person (or the candidate). Both are True on a tie.
    left_out
        Number of instances without the candidate, or without two people.
    present
        Number of instances of each annotator, including those left out.
    alone
        Number of instances with only two people: the one who is compared, and a single other.
    clusters
        Cluster of each instance; instances of a cluster are not independent. Empty without
        clusters.
    weights
        Weight of each instance; empty if all have the weight 1.
    """

    people: tuple[str, ...]
    instances: tuple[str, ...]
    annotated: Bools
    candidate: Bools
    person: Bools
    left_out: int = 0
    present: Mapping[str, int] = field(default_factory=dict)
    alone: int = 0
    clusters: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()

    @property
    def alike(self) -> bool:
        """Return whether instances are independent of each other and have equal weights."""
        return not (self.clusters or self.weights)

    @cached_property
    def stands_for(self) -> Floats:
        """Return the weight of each instance, shape (instances,)."""
        return np.array(self.weights or [1.0] * len(self.instances))

    @cached_property
    def parts(self) -> Indices:
        """Return the number of each instance's cluster, which may contain it alone."""
        names = [c or f"\0{i}" for i, c in enumerate(self.clusters or [""] * len(self.instances))]
        return np.asarray(np.unique(names, return_inverse=True)[1])

    @cached_property
    def differences(self) -> Floats:
        """Return W^h − W^f, or 0 if a person is absent, shape (people, instances)."""
        return np.where(self.annotated, self.person.astype(np.float64) - self.candidate, 0.0)

    def p_values(
        self, epsilon: float, least: int, weights: Floats | None = None, *, both: bool = False
    ) -> Floats:
        """Return p of each person, shape (…, people), where each instance counts `weights` times.

        p is NaN for people with fewer than `least` instances. It is that of the exact test below
        `FEW` instances and that of the t test from `FEW` on, or with `both` the larger of the two.
        If `weights` are given (thousands of resampled sets), the normal approximation of Tango's
        statistic replaces the exact test from `FEW` on.

        If there are clusters, or instances have unequal weights of their own, p is that of
        `p_of_parts`, and `weights` is ignored.
        """
        from scipy.special import ndtr

        if not self.alike:
            people = range(len(self.annotated))
            return np.array([self.p_of_parts(j, epsilon, least) for j in people])
        if weights is None:
            w = np.ones(len(self.instances))
        else:
            w = weights
        # All numbers are whole, so the matrix products are exact on every processor.
        n, total, squares = (
            w @ x.T for x in (self.annotated, self.differences, self.differences**2)
        )
        won = (squares + total) / 2
        lost = (squares - total) / 2
        tested = n >= max(least, 1)
        p = t_test(n, total, squares, epsilon)
        if both and weights is not None:
            p = np.maximum(p, ndtr(score_statistic(np.maximum(n, 1), won, lost, epsilon)))
        exact = tested & ((n < FEW) | (both and weights is None))
        for index in zip(*np.nonzero(exact), strict=True):
            exact_p = exact_test(*(round(x[index]) for x in (n, won, lost)), epsilon)
            p[index] = exact_p if n[index] < FEW else max(p[index], exact_p)
        return np.where(tested, p, np.nan)

    def p_of_parts(self, j: int, epsilon: float, least: int, *, reverse: bool = False) -> float:
        """Return p of one person: the larger p of a t test over clusters and of an exact test.

        The exact test is needed because t is unreliable if hardly anything varies. It treats each
        cluster as one instance, with the overall shares of wins and losses. With weights, the
        number of instances is the effective sample size (Kish 1965, §8.2).

        Parameters
        ----------
        j
            The person's row.
        epsilon, least
            As for `p_values`.
        reverse
            Whether the person is tested against the candidate, for equivalence.
        """
        from scipy.special import stdtr

        is_compared = self.annotated[j]
        differences = self.differences[j] * (-1 if reverse else 1)
        sums = [np.bincount(self.parts, x * self.stands_for) for x in (is_compared, differences)]
        n, d = (x[sums[0] > 0].astype(np.float64) for x in sums)
        if is_compared.sum() < least or len(n) < FEWEST_PARTS:
            return math.nan
        parts = independent_parts(d, n)
        won, lost = (float((differences == k) @ self.stands_for / n.sum()) for k in (1, -1))
        if self.weights:
            size = int(n.sum() ** 2 / (n**2).sum() + 1e-9)
        else:
            size = len(n)
        exact = exact_test(size, round(won * size), round(lost * size), epsilon)
        if not parts.variance > 0:
            return exact
        return max(exact, float(stdtr(parts.df, (parts.ratio - epsilon) / parts.variance**0.5)))

    def rate(self, side: Bools, j: int) -> float:
        """Return ρ, the share of a person's instances that a side wins.

        Parameters
        ----------
        side
            `candidate` or `person`.
        j
            The person's row.
        """
        return float(side[j] @ self.stands_for / (self.annotated[j] @ self.stands_for))

    def winning_rate(
        self, epsilon: float, least: int, weights: Floats | None = None, *, both: bool = False
    ) -> Floats:
        """Return ω, the share of tested people whose hypothesis is rejected; NaN without any."""
        p = self.p_values(epsilon, least, weights, both=both)
        tested = np.isfinite(p).sum(axis=-1)
        empty = np.full(tested.shape, np.nan)
        beaten = benjamini_yekutieli(p, _LEVEL).sum(axis=-1)
        rates: Floats = np.divide(beaten, tested, out=empty, where=tested > 0)
        return rates

    def contributions(self, tested: Bools) -> Contributions:
        """Return contributions of instances or clusters to the candidate's mean ρ over people.

        ρ is 1 − Σ observed / Σ expected contributions.

        Parameters
        ----------
        tested
            Whether to include each person.
        """
        weights = self.annotated[tested] * self.stands_for
        share = weights / weights.sum(axis=1, keepdims=True) / tested.sum()
        lost = share * ~self.candidate[tested]
        observed = lost.sum(axis=0)
        expected = share.sum(axis=0)
        if self.clusters:
            sums = [np.bincount(self.parts, side).astype(float) for side in (observed, expected)]
            return Contributions(sums[0], sums[1], CLUSTERS)
        return Contributions(observed, expected, DOCUMENTS)


def wins_of(
    candidate: str, instances: Iterable[Instance], rest: Rest, *, expert: str | None = None
) -> Wins:
    """Return the wins of `candidate`; all other annotators of the instances are people.

    With an `expert`, agreement is only that with the expert instead of all others.
    """
    compared: list[tuple[str, dict[str, tuple[bool, bool]]]] = []
    clusters: list[str] = []
    weights: list[float] = []
    left_out = 0
    alone = 0
    present = Counter[str]()
    for instance in instances:
        names = instance.annotators
        present.update(names)
        wins_by_person: dict[str, tuple[bool, bool]] = {}
        if candidate in names:
            candidate_row = names.index(candidate)
            for j, name in enumerate(names):
                others = [
                    k
                    for k, other in enumerate(names)
                    if k not in (j, candidate_row) and (expert is None or other == expert)
                ]
                if name in (candidate, expert) or not others:
                    continue
                by_candidate = rest(instance.pairs[candidate_row, others])
                by_person = rest(instance.pairs[j, others])
                tie = math.isclose(by_candidate, by_person, rel_tol=_TIE)
                wins_by_person[name] = (
                    tie or by_candidate > by_person,
                    tie or by_person > by_candidate,
                )
        if wins_by_person:
            compared.append((instance.name, wins_by_person))
            clusters.append(instance.cluster)
            weights.append(instance.weight)
        left_out += not wins_by_person
        alone += bool(wins_by_person) and expert is None and len(names) == 3
    people = tuple(dict.fromkeys(name for _, wins_by_person in compared for name in wins_by_person))
    row = {name: i for i, name in enumerate(people)}
    is_compared, won, lost = np.zeros((3, len(people), len(compared)), np.bool_)
    for column, (_, wins_by_person) in enumerate(compared):
        for name, (by_candidate, by_person) in wins_by_person.items():
            is_compared[row[name], column] = True
            won[row[name], column] = by_candidate
            lost[row[name], column] = by_person
    kept_names = tuple(name for name, _ in compared)
    if any(clusters):
        together = tuple(clusters)
    else:
        together = ()
    if any(w != 1.0 for w in weights):
        stand_for = tuple(weights)
    else:
        stand_for = ()
    counted = left_out, present, alone
    return Wins(people, kept_names, is_compared, won, lost, *counted, together, stand_for)
