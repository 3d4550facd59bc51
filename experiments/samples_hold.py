"""Beyond the papers: stratified samples, sessions, campaigns over time, alarms over all looks.

Every process has a γ that is known (`experiments._parts`), none was tuned on. Levels are shares of
runs with their upper 95 % limit, as in `tests_hold`; what holds is in docs/sampling.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from experiments import _parts as process
from experiments._campaigns import Campaign, sessions
from experiments._common import write_csv
from experiments.tests_hold import EPSILON, INTERVALS, LEVEL, Row, generator, level, tables
from gammacp.base.arrays import Floats, Indices
from gammacp.base.files import write_text
from gammacp.campaign.alarm import evidence
from gammacp.campaign.compare.over_time import ChangeOverTime, OverTime, changes
from gammacp.campaign.replace.wins import Wins
from gammacp.inference.contributions import CLUSTERS, DOCUMENTS, Contributions
from gammacp.inference.part_tests import (
    below_the_rest,
    difference,
    holm,
    independent_parts,
    paired_difference,
)
from gammacp.inference.resampling import interval_of_gamma

RUNS, FEWER, FEWEST = 4000, 1000, 500
OFTEN = 9.0
"""A stratum is drawn nine times as often as the other, and is a tenth of the population."""
SAMPLES = ((10, 10), (20, 20), (40, 40), (6, 24))
LOOKS = (10, 30, 100, 300)
PEOPLE = ((3, 8), (3, 30), (5, 8), (5, 30))
LINKED: dict[str, Callable[[int], process.Process]] = {
    "lengths lognormal 1, long ones much better": lambda n: process.skewed(
        n, process.lognormal(0.3), 1.0, -0.6
    ),
    "lengths lognormal 1, long ones much worse": lambda n: process.skewed(
        n, process.lognormal(0.3), 1.0, 0.6
    ),
}
STRATA = {
    "alike": (0.4, 0.4),
    "the rare are worse": (0.8, 0.35),
    "the rare are better": (0.1, 0.45),
}
CAMPAIGNS = {
    "4 people": Campaign(),
    "4 people, lognormal 1": Campaign(law="lognormal 1"),
    "4 people, few bad": Campaign(law="few bad"),
    "3 unlike people": Campaign(people=3, unlike=0.6),
    "6 unlike people": Campaign(people=6, unlike=0.4),
    "3 of 6": Campaign(people=6, each=3),
    "3 of 6 unlike": Campaign(people=6, each=3, unlike=0.6),
    "1 of 4 comes late": Campaign(late=1),
    "2 of 4 unlike come late": Campaign(late=2, unlike=0.6),
    "clusters of 3": Campaign(cluster=3),
    "1 of 4 comes late, adds 3 times as much": Campaign(late=1, careless=3.0),
    "all get harder, by a factor": Campaign(harder="factor", unlike=0.6),
    "all get harder, by a sum": Campaign(harder="sum", unlike=0.6),
    "neighbours alike (.7)": Campaign(neighbours=0.7),
}
MOVING = ("2 of 4 unlike come late", "1 of 4 comes late, adds 3 times as much",
          "all get harder, by a factor", "all get harder, by a sum")  # fmt: skip
"""γ of all does change."""
IN_ORDER = (8, 12, 30, 100)
DRIFT = 1.6
TWICE = ("gamma", "pareto", "lognormal 1", "few bad", "unlike", "second worse", "few units",
         "long ones worse", "one twice")  # fmt: skip


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """`levels.csv` and `tables.md`, which docs/sampling.md shows."""
    del data
    runs, fewer = (60, 20) if quick else (RUNS, FEWER)
    rows = [*alarms(runs), *weights(runs, fewer), *verdicts(fewer), *pairs(runs)]
    rows += [*twice(runs), *over_time(20 if quick else FEWEST)]
    write_csv(out / "levels.csv", rows)
    write_text(out / "tables.md", tables(rows, []))


def alarms(runs: int) -> Iterator[Row]:
    """Yield rates of any alarm while documents come one by one; γ equals the requirement."""
    for name, make in (INTERVALS | LINKED).items():
        whole = make(400)(generator("alarm, truth", name), 2500, 1.0)
        # The disorder of a document is never negative.
        true = float(np.maximum(whole[0], 0).sum() / whole[1].sum())
        for n in LOOKS:
            hits = []
            for factor in (1.0, 1.5):
                o, e = make(n)(generator("alarm", name, n), runs, factor)
                ever = evidence(np.maximum(o, 0), e, 1 - true).max(axis=-1)
                hits.append(np.asarray(ever >= 1 / LEVEL))
            yield level("alarm, ever", f"{name}, {n} documents", hits[0], "disorder × 1.5", hits[1])


def _sample(
    g: np.random.Generator, runs: int, sizes: tuple[int, int], theta: tuple[float, float],
    factor: float, clusters: int,
) -> tuple[Floats, Floats, Floats, Indices]:  # fmt: skip
    """Draw o, e, weights and clusters of documents of a rare and a common stratum.

    Clusters lie within a stratum. They cause half of the variance of a document's disorder.
    """
    n = sum(sizes)
    rare = np.arange(n) < sizes[0]
    which = np.arange(n) // clusters
    e = np.exp(0.5 * g.standard_normal((runs, n)))
    own_factors, shared = (g.gamma(4, 0.25, (runs, k)) for k in (n, n // clusters + 1))
    o = factor * np.where(rare, *theta) * e * own_factors * shared[:, which]
    return o, e, np.where(rare, 1.0, OFTEN), which


def weights(runs: int, fewer: int) -> Iterator[Row]:
    """Yield levels of the test between two weighted samples, then of the interval of one."""
    for strata, theta in STRATA.items():
        true = (theta[0] + OFTEN * theta[1]) / (1 + OFTEN)
        for sizes in SAMPLES:
            for clusters in (1, 2):
                name = f"{strata}, {sizes[0]} and {sizes[1]} documents"
                name += ", clusters of 2" if clusters > 1 else ""
                hits, held = [], []
                for factor in (1.0, 1.5):
                    g, sides = generator("weights", name), []
                    for k in (factor, 1.0):
                        o, e, w, which = _sample(g, runs, sizes, theta, k, clusters)
                        rows = np.eye(which.max() + 1)[which]
                        sides.append(((o * w) @ rows, (e * w) @ rows))
                    parts = [independent_parts(*side) for side in sides]
                    hits.append(np.asarray(difference(parts[0], parts[1]).p <= LEVEL))
                yield level("two weighted samples", name, hits[0], "disorder × 1.5", hits[1])
                kind = CLUSTERS if clusters > 1 else DOCUMENTS
                for i in range(min(fewer, runs)):
                    parts_of = Contributions(sides[1][0][i], sides[1][1][i], kind)
                    interval = interval_of_gamma(parts_of)
                    held.append(not interval.low <= 1 - true <= interval.high)
                yield level("γ outside its weighted interval", name, np.array(held), "", None)


def verdicts(runs: int) -> Iterator[Row]:
    """Yield a candidate worse by exactly ε in the population, and in one stratum much worse."""
    for n, size in ((40, 1), (100, 1), (40, 4), (100, 4)):
        for apart in (0.0, 0.3):
            hits = []
            for worse in (EPSILON, 0.0):
                g = generator("verdict", n, size, apart, worse)
                p = [_p_of_wins(g, n, size, worse, apart) for _ in range(runs)]
                hits.append(np.array(p) <= LEVEL)
            name = f"{n} documents, " + (f"clusters of {size}, " if size > 1 else "")
            name += f"strata {apart:g} apart"
            yield level("replace, weighted", name, hits[0], "no worse", hits[1])


def _p_of_wins(g: np.random.Generator, n: int, size: int, worse: float, apart: float) -> float:
    """Return p of one person against the candidate; half of the documents are rare."""
    rare, which = np.arange(n) < n // 2, np.arange(n) // size
    by = worse + np.where(rare, apart * OFTEN, -apart) / (1 + OFTEN)
    u = np.where(g.random(n) < 0.7, g.random(n)[which], g.random(n)) if size > 1 else g.random(n)
    lost, won = u < (0.5 + by) / 2, u > 1 - (0.5 - by) / 2
    wins = Wins(
        people=("person",),
        instances=tuple(map(str, range(n))),
        annotated=np.ones((1, n), np.bool_),
        candidate=~lost[None],
        person=~won[None],
        clusters=tuple(map(str, which)) if size > 1 else (),
        weights=tuple(np.where(rare, 1.0, OFTEN).tolist()),
    )
    return float(wins.p_values(EPSILON, 1, both=True)[0])


def pairs(runs: int) -> Iterator[Row]:
    """Yield levels of naming any pair after Holm's correction, and power where one is worse.

    A pair's disorder depends on the document, on each annotator in the document, and on the pair.
    """
    for people, n in PEOPLE:
        i, j = np.triu_indices(people, 1)
        for law in ("gamma", "few bad"):
            hits = []
            for factor in (1.0, 2.0):
                g = generator("pairs", people, n, law)
                e = np.exp(0.5 * g.standard_normal((runs, 1, n))) * np.ones((1, len(i), 1))
                shape = (runs, people, n)
                who = g.gamma(3, 1 / 3, shape) if law == "gamma" else process.few_bad(g, shape)  # type: ignore[arg-type]
                o = e * g.gamma(4, 0.25, (runs, 1, n)) * (who[:, i] + who[:, j]) / 2
                o = o * g.gamma(4, 0.25, o.shape)
                o[:, 0] *= factor
                named = np.asarray(holm(below_the_rest(o, e).p) <= LEVEL)
                hits.append(named[:, 0] if factor > 1 else np.asarray(named.any(axis=1)))
            name = f"{people} annotators, {n} documents, {law}"
            yield level("a pair among alike ones", name, hits[0], "disorder × 2", hits[1])


def twice(runs: int) -> Iterator[Row]:
    """Yield rows of people who annotated twice, with equal or larger disorder between people."""
    for kind in TWICE:
        for people in (2, 5):
            for n in (5, *IN_ORDER):
                hits = []
                for factor in (1.0, 1.5):
                    g = generator("twice", kind, people, n, factor)
                    o, e, other, chance = sessions(kind, people, n, runs, factor, g)
                    sides = independent_parts(o, e), independent_parts(other, chance)
                    comparison = paired_difference(*sides)
                    hits.append(
                        np.asarray(
                            (comparison.p <= LEVEL) & ((comparison.value > 0) | (factor == 1))
                        )
                    )
                name = f"{kind}, {people} people, {n} documents"
                yield level("sessions", name, hits[0], "disorder with others × 1.5", hits[1])


def over_time(runs: int) -> Iterator[Row]:
    """γ of all and of each annotator over time: levels and power, then intervals.

    Power is of documents that get three times as hard, and of the first annotator, who adds from .2
    to 1.8 times as much; whose true change is known where pairs cost the same otherwise.
    """
    rows: dict[str, list[Row]] = {"all": [], "one": [], "else": [], "out": []}
    for name, campaign in CAMPAIGNS.items():
        for n in sorted({max(n, 5 * campaign.cluster) for n in IN_ORDER}):
            cell = f"{name}, {n} documents"
            still = _in_order(cell, campaign, n, runs)
            drifts = _in_order(cell, campaign, n, runs, drift=DRIFT)
            harder = _in_order(cell, replace(campaign, harder="factor"), n, runs)
            p_all = [
                np.array([f.all.p for f, _ in comparisons]) <= LEVEL
                for comparisons in (still, harder)
            ]
            if name not in MOVING:
                other = "from .5 to 1.5 times as hard"
                rows["all"].append(level("order, γ of all", cell, p_all[0], other, p_all[1]))
            named = [
                np.array([_named(f) for f, _ in comparisons]) for comparisons in (still, drifts)
            ]
            other = "one adds from .2 to 1.8 times as much"
            rows["one"].append(level("order, anybody", cell, named[0] >= 0, other, named[1] == 0))
            rows["else"].append(
                level("order, another than who changes", cell, named[1] > 0, "", None)
            )
            if not campaign.harder:
                true = [-process.THETA * DRIFT * adds[0] / 2 for _, adds in drifts]
                missed = [
                    _misses(f.annotators[0], t) for (f, _), t in zip(drifts, true, strict=True)
                ]
                rows["out"].append(
                    level("order, change outside its interval", cell, np.array(missed), "", None)
                )
    for comparisons in rows.values():
        yield from comparisons


def _in_order(
    cell: str, campaign: Campaign, n: int, runs: int, drift: float = 0.0
) -> list[tuple[OverTime, Floats]]:
    """Each run's changes, and what its annotators add."""
    g, comparisons = generator("order", cell, drift, campaign.harder), []
    names = [str(k) for k in range(campaign.people)]
    for _ in range(runs):
        sums, which, adds = campaign.draw(n, g, drift)
        comparisons.append((changes(names, sums, which), adds))
    return comparisons


def _named(over_time: OverTime) -> int:
    """Return the number of the annotator whom the sentence names, -1 for nobody."""
    tested = [c for c in over_time.annotators if np.isfinite(c.p)]
    surest = min(tested, key=lambda c: c.p, default=ChangeOverTime(annotator="", documents=0))
    return int(surest.annotator) if surest.p_holm <= LEVEL else -1


def _misses(change: ChangeOverTime, true: float) -> bool:
    low, high = change.interval or (-np.inf, np.inf)
    return not low <= true <= high
