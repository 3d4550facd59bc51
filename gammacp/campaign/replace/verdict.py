"""State the verdict on a candidate that may replace a human annotator.

The alternative annotator test (Calderon, Reichart & Dror 2025) gives ω, the share of people against
whom the candidate holds its own. The candidate passes if ω ≥ ½. `Candidacy` is the result for one
candidate, and puts it into words. `enough_documents` and `least_epsilon` find the number of
documents and the ε that would change the verdict.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.campaign.replace.wins import Wins

POWER = 0.8
# Of `enough_documents`: largest number of documents that is considered, least number of documents
# that are resampled, and number of draws for each number of documents.
_MOST = 2000
_FEWEST = 5
_DRAWS = 200

TESTED = ("p", "p_exact", "p_equivalence", "beaten", "equivalent")
"""Fields of `AgainstPerson` that are None where a person has too few instances to be tested."""


@dataclass(frozen=True)
class AgainstPerson:
    """Comparison of the candidate with one person.

    Attributes
    ----------
    annotator
        Name of the person.
    documents
        Number of instances that the candidate, the person and at least one other annotated.
    rho_candidate, rho_annotator
        Share of these instances on which the candidate (or the person) agrees with the others at
        least as well as the person (or the candidate) does.
    p
        p of H₀: ρ_candidate ≤ ρ_annotator − ε, as published: that of the t test from 30 instances
        on, and that of the exact test below. None if the person has too few instances to be tested.
    p_exact
        p of the same hypothesis by the exact test. None if the person is not tested, and if
        instances are in clusters or weighted.
    p_equivalence
        p of H₀: the two ρ differ by at least ε (TOST, with the larger p of both tests). None if the
        person is not tested.
    beaten, equivalent
        Whether the hypothesis of `p` (or of `p_equivalence`) is rejected by both tests, after
        correction for all people (Benjamini & Yekutieli, 5 %). None if the person is not tested.
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
        """Return a dictionary for JSON."""
        return {k: v for k, v in vars(self).items() if k != "annotator"}


@dataclass(frozen=True)
class ByScore:
    """Verdict by another score.

    Attributes
    ----------
    score
        Name of the score.
    passes
        Whether ω ≥ ½ by both tests; None if nobody is tested.
    confirmed_rate
        ω by both tests; NaN if nobody is tested.
    rho
        Share of comparisons that the candidate wins.
    """

    score: str
    passes: bool | None
    confirmed_rate: float
    rho: float


@dataclass(frozen=True, kw_only=True)
class Candidacy:
    """Result for one candidate: whether it passes the test, and what would change the verdict.

    Attributes
    ----------
    name
        Name of the candidate.
    passes
        Whether ω ≥ ½ by both tests; None if nobody has enough documents to be tested.
    winning_rate
        ω as published: by the t test, or by the exact test below 30 instances; NaN if nobody is
        tested.
    confirmed_rate
        ω by both tests; NaN if nobody is tested.
    advantage_probability
        Mean ρ of the candidate over the tested people, or over all people if nobody is tested.
    interval
        Bootstrap interval of ρ over instances, or the interval of Clopper & Pearson if all
        instances are alike (which a note says). None for too few instances.
    epsilon
        ε of the test.
    least_epsilon
        Smallest ε, in hundredths, with which the candidate passes on these documents; None if no ε
        below 1 suffices, or nobody is tested.
    min_documents
        Least number of instances for a person to be tested.
    enough_documents
        Number of documents like these with which the candidate would pass in 80 % of cases. None if
        even 2,000 are not enough. NaN if it cannot be estimated: with fewer than five documents, or
        if they are all alike, in clusters, or weighted.
    people
        Comparison with each person.
    instances
        Number of instances that are compared.
    left_out
        Number of instances without the candidate, or without two people.
    alone
        Number of compared instances with only one other person to agree with.
    present
        Number of instances of each annotator, including those left out.
    expert
        Name of the single expert; None without one.
    of
        Word for the instances, in the plural.
    notes
        Notes on limits of the result.
    clusters
        Number of clusters of instances; 0 if instances are independent.
    weighted
        Whether instances have unequal weights.
    p
        p of the hypothesis that the candidate holds its own against fewer than half of the tested
        people. It is that of a partial conjunction (Benjamini & Heller 2008): for m people, the rth
        smallest p by both tests, times m − r + 1, with r = ⌈m/2⌉. NaN if nobody is tested.
    p_holm
        p after Holm's correction for all candidates; NaN if nobody is tested, or for a single
        candidate.
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
        """Return a dictionary for JSON."""
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
        """Return the verdict in a few sentences."""
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
                f"which is little evidence. {self._sentence_on_more()}"
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
        more = f"{other} {self._sentence_on_more()}{self._by_other_scores()}"
        return f"The test does not show that {self.name} {failed}: {against} {more}"

    def _by_other_scores(self) -> str:
        """Return a sentence on the verdicts by other scores; "" without any."""
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

    def _sentence_on_more(self) -> str:
        """Return a sentence on whether more documents would change the verdict."""
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
                grouping = "in clusters"
            else:
                grouping = "weighted"
            return f"How many {self.of} would be enough is unknown if they are {grouping}."
        if math.isnan(self.enough_documents):
            few = self.instances < _FEWEST
            if few:
                reason = f"There are too few {self.of}"
            else:
                reason = f"The {self.of} are too much alike"
            return f"{reason} to say how many would be enough."
        return (
            f"With {self.enough_documents:.0f} {self.of} like these it would pass in four of five "
            "cases."
        )


def power(wins: Wins, documents: int, epsilon: float, least: int, *, seed: int = 0) -> float:
    """Return how often a candidate passes with `documents` instances, drawn with replacement."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0x9087, documents)))
    size = len(wins.instances)
    weights = rng.multinomial(documents, np.full(size, 1 / size), size=_DRAWS).astype(np.float64)
    return float((wins.winning_rate(epsilon, least, weights, both=True) >= 0.5).mean())


def enough_documents(wins: Wins, epsilon: float, least: int, *, seed: int = 0) -> float | None:
    """Return the least number of documents with which the candidate passes in 80 % of draws.

    A series of numbers up to 2,000 is tried; the result is None if even 2,000 are not enough. It is
    NaN if fewer than five documents can be drawn from, if the differences of each person are the
    same on all documents, or if documents are in clusters or weighted.
    """
    alike = all(len(set(d[t])) == 1 for d, t in zip(wins.differences, wins.annotated, strict=True))
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
    # ω never falls when ε grows, so use bisection over hundredths: `high` passes, `low` does not.
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
