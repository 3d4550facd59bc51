"""Coverage of intervals of γ where annotators work in fixed teams.

    python benchmarks/teams.py [--runs 1000]

Each document is annotated by one team of three. The disorder of a pair is a product of effects of
the document, the team, the annotator and the pair itself, so that γ of all teams on all documents
is known. Printed is how often the 95 % interval over both contains it, with annotators taken for
independent, and by team. In the processes marked *, made after the rule was fixed, teams are alike,
documents are heavy or have Pareto lengths, or a team may be bad.

With --plan, pilots plan campaigns of as many and of twice as many teams (`gammacp plan --team`):
printed is how often a pilot says what such a campaign would know, and how often γ of a new campaign
is then within it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.campaign.plan.teams import team_spread
from gammacp.inference.part_tests import interval_over_documents
from gammacp.inference.populations import PairSums, intervals_over

MEMBERS = 3
PAIRS = [*combinations(range(MEMBERS), 2)]


def lognormal(rng: np.random.Generator, spread: float, n: int) -> Floats:
    """Return effects of mean 1 whose logarithms have this standard deviation."""
    return np.exp(spread * rng.standard_normal(n) - spread**2 / 2)


@dataclass(frozen=True)
class Process:
    """Teams, documents and what they move the disorder by.

    Attributes
    ----------
    team, person, document, pair
        Spread of their effects, in logarithms.
    bad
        Share of the teams that err three times as much.
    load
        Spread of the number of documents per team, in logarithms; 0: equal.
    lengths
        Spread of the documents' lengths in logarithms; negative: of a Pareto law of this index.
    """

    team: float = 0.3
    person: float = 0.15
    document: float = 0.4
    pair: float = 0.3
    bad: float = 0.0
    load: float = 0.0
    lengths: float = 0.3

    def draw(self, rng: np.random.Generator, teams: int, documents: int) -> PairSums:
        """Return the costs of pairs in documents dealt to teams."""
        whose = self._dealt(rng, teams, documents)
        if self.lengths < 0:
            lengths = 1 + rng.pareto(-self.lengths, documents)
        else:
            lengths = np.exp(self.lengths * rng.standard_normal(documents))
        errs = lognormal(rng, self.team, teams)
        errs *= np.where(rng.random(teams) < self.bad, 3.0, 1.0) / (1 + 2 * self.bad)
        level = 0.4 * lognormal(rng, self.document, documents) * errs[whose]
        people = lognormal(rng, self.person, teams * MEMBERS)
        where, who, cost = [], [], []
        for i, j in PAIRS:
            pair = np.stack((whose * MEMBERS + i, whose * MEMBERS + j), axis=1)
            both = (people[pair[:, 0]] + people[pair[:, 1]]) / 2
            where.append(np.arange(documents))
            who.append(pair)
            cost.append(lengths * level * both * lognormal(rng, self.pair, documents))
        return PairSums.of_pairs(
            np.concatenate(where), np.concatenate(who), np.concatenate(cost), np.tile(lengths, 3)
        )

    def _dealt(self, rng: np.random.Generator, teams: int, documents: int) -> Indices:
        if not self.load:
            return np.arange(documents) % teams
        share = np.exp(self.load * rng.standard_normal(teams))
        each = np.maximum(1, np.round(documents * share / share.sum())).astype(np.int64)
        whose = np.repeat(np.arange(teams), each)[:documents]
        return np.concatenate((whose, rng.integers(teams, size=documents - len(whose))))


PROCESSES = {
    "teams differ": Process(),
    "teams differ much": Process(team=0.6),
    "teams differ, unequal loads": Process(load=0.7),
    "members differ, too": Process(person=0.5),
    "* teams alike": Process(team=0.0),
    "* heavy documents": Process(document=0.9),
    "* Pareto lengths, unequal loads": Process(lengths=-3.0, load=0.5),
    "* one bad in five": Process(team=0.0, bad=0.2),
}


def coverage(process: Process, teams: int, documents: int, runs: int) -> tuple[float, float]:
    """Return how often the interval over both contains γ, by annotator and by team."""
    rng = np.random.default_rng([58, teams, documents])
    hits = np.zeros(2)
    whose = np.repeat(np.arange(teams), MEMBERS)
    for _ in range(runs):
        sums = process.draw(rng, teams, documents)
        parts = (np.bincount(sums.document, x) for x in (sums.observed, sums.expected))
        ends = tuple(float(end) for end in interval_over_documents(*parts))
        for k, named in enumerate((None, whose)):
            both = intervals_over(sums, (ends[0], ends[1]), teams=named).both
            hits[k] += both is not None and both[0] <= 0.6 <= both[1]
    return float(hits[0] / runs), float(hits[1] / runs)


def planned(process: Process, teams: int, documents: int, runs: int) -> tuple[float, Floats]:
    """Return how often pilots tell of teams, and how often γ is then within what they tell.

    The second is for campaigns of five times the documents, by as many and by twice as many teams.
    """
    rng = np.random.default_rng([58, 1, teams, documents])
    whose = np.repeat(np.arange(teams), MEMBERS)
    pilots = 0
    within = np.zeros(2)
    for _ in range(runs):
        sums = process.draw(rng, teams, documents).by_team(whose)
        spread_of_teams = team_spread(sums)
        if spread_of_teams is None or not spread_of_teams.shown:
            continue
        pilots += 1
        theta = sums.observed.sum() / sums.expected.sum()
        residuals = (sums.observed - theta * sums.expected) / sums.expected.mean()
        spread = float(residuals.std(ddof=1))
        for k, times in enumerate((1, 2)):
            other = process.draw(rng, times * teams, 5 * documents)
            error = abs(other.observed.sum() / other.expected.sum() - 0.4)
            within[k] += error <= spread_of_teams.half_width(spread, 5 * documents, times * teams)
    return pilots / runs, within / max(1, pilots)


def planned_rows(runs: int) -> Iterator[str]:
    """Yield a row per process and pilot."""
    for name, process in PROCESSES.items():
        for teams, each in ((5, 4), (5, 20), (8, 5), (8, 20), (12, 4), (12, 10)):
            share, (same, twice) = planned(process, teams, teams * each, runs)
            yield (f"{name:34} {teams:5} {teams * each:9} {share:14.3f} {same:8.3f} {twice:8.3f}")


def rows(runs: int) -> Iterator[str]:
    """Yield a row per process and design."""
    for name, process in PROCESSES.items():
        for teams, each in ((5, 4), (5, 20), (8, 5), (8, 20), (12, 4), (12, 10)):
            alone, by_team = coverage(process, teams, teams * each, runs)
            yield f"{name:34} {teams:5} {teams * each:9} {alone:14.3f} {by_team:8.3f}"


def main() -> None:
    """Print a row per process and design."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--plan", action="store_true")
    options = parser.parse_args()
    if options.plan:
        print(f"{'':34} teams documents {'pilots that tell':>14} {'as many':>8} {'twice':>8}")
        lines = planned_rows(options.runs)
    else:
        print(f"{'':34} teams documents {'as independent':>14} {'by team':>8}")
        lines = rows(options.runs)
    for row in lines:
        print(row, flush=True)


if __name__ == "__main__":
    main()
