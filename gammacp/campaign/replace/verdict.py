"""Verdict on a candidate that may replace a human annotator, and its wording.

The alternative annotator test (Calderon, Reichart & Dror 2025) gives ω, the share of people against
whom the candidate holds its own; it passes with ω ≥ ½. `Candidacy` holds the result for one
candidate and says it in words, `enough_documents` and `least_epsilon` find what would change it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.campaign.replace.wins import Wins

POWER = 0.8
# Most documents that `enough_documents` considers, fewest that it draws from, draws per number.
_MOST = 2000
_FEWEST = 5
_DRAWS = 200

TESTED = ("p", "p_exact", "p_equivalence", "beaten", "equivalent")
"""Fields of `AgainstPerson` that are None where a person has too few instances to be tested."""


@dataclass(frozen=True)
class AgainstPerson:
    """The candidate against one person.

    Attributes
    ----------
    documents
        Instances that both have, with somebody else.
    rho_candidate, rho_annotator
        Share of them on which the candidate (the person) agrees with the others at least as well.
    p
        p of H₀: ρ_candidate ≤ ρ_annotator − ε, as published: the t test's, from 30 instances on;
        the exact one below. None with fewer instances than the test takes.
    p_exact
        p of the same by the exact test; None likewise.
    p_equivalence
        p of H₀: the two ρ differ by ε or more (TOST, the larger p of both tests); None likewise.
    beaten, equivalent
        Whether these are rejected among all people by both tests (Benjamini & Yekutieli, 5 %);
        None for people who are not tested.
    """

    annotator: str
    documents: int
    rho_candidate: float
    rho_annotator: float
    p: float | None
    p_exact: float | None
    p_equivalence: float | None
    beaten: bool | None
    equivalent: bool | None

    def as_dict(self) -> dict[str, Any]:
        """One person as JSON has it."""
        return {k: v for k, v in vars(self).items() if k != "annotator"}


@dataclass(frozen=True)
class ByScore:
    """The verdict by another score: it passes with ω ≥ ½ by both tests.

    `passes` is None and `confirmed_rate`, ω, NaN if nobody is tested; `rho` is the share of
    comparisons that the candidate wins.
    """

    score: str
    passes: bool | None
    confirmed_rate: float
    rho: float


@dataclass(frozen=True, kw_only=True)
class Candidacy:
    """Knowledge of one candidate: whether it passes, and what would change that.

    Attributes
    ----------
    passes
        ω ≥ ½ by both tests; None if nobody has enough documents to be tested.
    winning_rate, confirmed_rate
        ω as published, by the t test, and by both tests; NaN if nobody is tested.
    advantage_probability
        ρ, the mean over the people tested, or over all if nobody is.
    interval
        Bootstrap interval of ρ over instances, or Clopper & Pearson's where all are alike, which a
        note says; None with too few.
    least_epsilon
        The smallest ε, in hundredths, with which it passes on these documents; None if none below
        1 does, or nobody is tested.
    enough_documents
        Number of documents like these with which it would pass in 80 % of the cases; None if not
        even 2,000 would do, NaN with fewer than five to draw from, if all are alike, in clusters,
        or weighted.
    instances, left_out, alone
        Number of instances that are compared, that lack the candidate or two people, and that are
        compared though there is only one other to agree with.
    present
        Instances that each annotator has, of `instances` and `left_out` together.
    clusters, weighted
        Number of clusters of the instances, 0 if they are independent; and whether they have
        unequal weights.
    p, p_holm
        p of the candidate not holding its own against half of the people tested (partial
        conjunction, Benjamini & Heller 2008: of m people the rth smallest p by both tests, times m
        − r + 1 for r = ⌈m/2⌉); and after Holm's correction for all candidates. NaN if nobody is
        tested, the second also of a single candidate.
    expert
        The single expert, if there is one.
    of
        Name of an instance.
    notes
        Other facts that a reader must know.
    by_score
        Verdicts by other scores.
    """

    name: str
    passes: bool | None
    winning_rate: float
    confirmed_rate: float
    advantage_probability: float
    interval: tuple[float, float] | None
    epsilon: float
    least_epsilon: float | None
    min_documents: int
    enough_documents: float | None
    people: tuple[AgainstPerson, ...]
    instances: int
    left_out: int
    alone: int
    present: Mapping[str, int]
    expert: str | None
    of: str
    notes: tuple[str, ...]
    clusters: int = 0
    weighted: bool = False
    p: float = math.nan
    p_holm: float = math.nan
    by_score: tuple[ByScore, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the candidate as JSON has it."""
        elsewhere = ("name", "people", "instances", "left_out", "alone", "present", "expert", "of")
        return {
            **{key: value for key, value in vars(self).items() if key not in elsewhere},
            "by_score": {
                b.score: {k: v for k, v in vars(b).items() if k != "score"} for b in self.by_score
            },
            "documents": self.instances,
            "documents_left_out": self.left_out,
            "documents_of": dict(self.present),
            "verdict": self.in_words(),
            "annotators": {p.annotator: p.as_dict() for p in self.people},
        }

    def in_words(self) -> str:
        """Return the verdict in two or three sentences; no claim beyond what was tested."""
        rho = f"on {self.advantage_probability:.0%} of the {self.of}"
        if self.interval is not None:
            rho += f" ({self.interval[0]:.0%} to {self.interval[1]:.0%})"
        if self.expert is None:
            agreed = f"it agreed with the others at least as well as the person left out {rho}"
            passed = failed = "may stand in for a person"
        else:
            agreed = f"it was at least as close to {self.expert} as the other person {rho}"
            failed = f"is as close to {self.expert} as other people are"
            passed = f"{failed}, or nearly"
        if self.alone:
            where = f"{self.alone} of {self.instances}"
            if self.alone == self.instances:
                where = f"all {self.instances}"
            agreed += f"; on {where} {self.of} there was only one other person to compare with"
        if self.passes is None:
            return (
                f"No verdict on {self.name}: the test needs people with {self.min_documents} "
                f"{self.of}, and nobody has more than {self._most_documents}. So far {agreed}, "
                f"which is little evidence. {self._more()}"
            )
        rate = f"ω = {self.confirmed_rate:.2f} {'≥' if self.passes else '<'} .50"
        if self.winning_rate != self.confirmed_rate:
            rate += f"; {self.winning_rate:.2f} by the t test alone, as published"
        beaten = [p.beaten for p in self.people if p.beaten is not None]
        against = f"{sum(beaten)} of {len(beaten)} {'person' if len(beaten) == 1 else 'people'}"
        against = f"it holds its own against {against} at ε = {self.epsilon:g} ({rate}); {agreed}."
        if self.passes:
            least = self.least_epsilon or 0
            if least:
                limit = f"not pass with ε = {least - 0.01:g}"
            else:
                limit = "also pass with ε = 0"
            return f"{self.name} {passed}: {against} It would {limit}.{self._by_other_scores()}"
        if self.least_epsilon is not None:
            other = f"It would pass from ε = {self.least_epsilon:g} on."
        else:
            other = "No ε would change that."
        more = f"{other} {self._more()}{self._by_other_scores()}"
        return f"The test does not show that {self.name} {failed}: {against} {more}"

    def _by_other_scores(self) -> str:
        """Return a sentence where other scores say something else."""
        tested = [b for b in self.by_score if b.passes is not None]
        shown = " and ".join(
            f"by {b.score} it {'passes' if b.passes else 'does not pass'} "
            f"(ω = {b.confirmed_rate:.2f})"
            for b in tested
        )
        if not tested:
            return ""
        if all(b.passes == self.passes for b in tested):
            if self.passes:
                also = "also passes"
            else:
                also = "does not pass either"
            names = " and ".join(f"by {b.score} (ω = {b.confirmed_rate:.2f})" for b in tested)
            return f" {names[0].upper()}{names[1:]} it {also}."
        return f" But the verdict depends on the score: {shown}."

    @property
    def _most_documents(self) -> int:
        return max(p.documents for p in self.people)

    def _more(self) -> str:
        """Return what more documents would do."""
        is_number = self.enough_documents is not None and math.isfinite(self.enough_documents)
        if not is_number and self._most_documents * _MOST < self.min_documents * self.instances:
            return (
                f"Even with {_MOST:,} {self.of} like these nobody would have "
                f"{self.min_documents}: have fewer people do more each."
            )
        if self.enough_documents is None:
            return f"More {self.of} like these would not change this."
        if math.isnan(self.enough_documents) and (self.clusters or self.weighted):
            if self.clusters:
                how = "in clusters"
            else:
                how = "weighted"
            return f"How many {self.of} would be enough is unknown if they are {how}."
        if math.isnan(self.enough_documents):
            few = self.instances < _FEWEST
            if few:
                why = f"There are too few {self.of}"
            else:
                why = f"The {self.of} are too much alike"
            return f"{why} to say how many would be enough."
        return (
            f"With {self.enough_documents:.0f} {self.of} like these it would pass in four of five "
            "cases."
        )


def power(wins: Wins, documents: int, epsilon: float, least: int, *, seed: int = 0) -> float:
    """Return how often a candidate passes with so many documents, drawn with replacement."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0x9087, documents)))
    size = len(wins.instances)
    weights = rng.multinomial(documents, np.full(size, 1 / size), size=_DRAWS).astype(np.float64)
    return float((wins.winning_rate(epsilon, least, weights, both=True) >= 0.5).mean())


def enough_documents(wins: Wins, epsilon: float, least: int, *, seed: int = 0) -> float | None:
    """Return the fewest documents of a series with which the candidate passes in 80 % of draws.

    None if that is never so up to 2,000, NaN with fewer than five documents to draw from, or if
    those of each person are all alike, and where they are in clusters or weighted.
    """
    alike = all(len(set(d[t])) == 1 for d, t in zip(wins.differences, wins.there, strict=True))
    if len(wins.instances) < _FEWEST or alike or not wins.alike:
        return math.nan
    sizes = [max(least, 2)]
    while sizes[-1] < _MOST:
        sizes.append(min(_MOST, math.ceil(sizes[-1] * 1.25 / 5) * 5))
    if power(wins, sizes[-1], epsilon, least, seed=seed) < POWER:
        return None
    reached = (n for n in sizes if power(wins, n, epsilon, least, seed=seed) >= POWER)
    return float(next(reached))


def least_epsilon(wins: Wins, least: int) -> float | None:
    """Return the smallest ε, in hundredths, with which ω ≥ ½; None if there is none below 1."""
    # Bisection over hundredths, as ω never falls when ε grows: `high` passes, `low` does not.
    low = -1
    high = 100
    while high - low > 1:
        middle = (low + high) // 2
        passed = bool(wins.winning_rate(middle / 100, least, both=True) >= 0.5)
        if passed:
            high = middle
        else:
            low = middle
    if high == 100:
        return None
    return high / 100
