"""Estimate the spread of γ between documents for other numbers of annotators than the pilot's.

γ is a ratio of sums over documents. Its standard error with n documents is therefore s/√n, where s
is the standard deviation of the documents' residuals (o − (1 − γ)·e) / ē (the linearisation behind
the interval of `gammacp.inference.resampling`). For m annotators per document instead of the
pilot's m₀, s is not observed. Its change with m is simulated by the Corpus Shuffling Tool, which is
fitted to the pilot's units and γ: s²(m) = s²_sim(m) + (s² − s²_sim(m₀)). The last term is the
variance between documents beyond the errors of the annotators (difficulty), which more annotators
do not reduce. If the pilot has less spread than its simulation, the simulated spread is scaled down
instead. If the pilot's documents have unequal numbers of annotators, the simulation uses the same
mix of numbers as m₀.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from gammacp.campaign.plan.teams import TeamSpread, team_spread
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.needs import too_few_annotators
from gammacp.errors import DataError
from gammacp.inference.populations import PopulationIntervals
from gammacp.measures.agreement import Agreement, agreement
from gammacp.measures.explaining.variance_components import VarianceComponents
from gammacp.measures.random_sets import Basis
from gammacp.measures.settings import Settings
from shuffling import ReferenceModel, shuffled_set

StepProgress = Callable[[int, int], None]

# Relative precision that is enough for the expected disorder of simulated corpora.
_PRECISION = 0.05
STEPS = 6  # bisections of the magnitude: to 1/64
# A simulated corpus has about this many units, as far as the limits of its documents allow.
_CORPUS_UNITS = 6000
FEWEST_DOCUMENTS = 20
MOST_DOCUMENTS = 200


@dataclass(frozen=True, kw_only=True)
class Pilot:
    """Results of a pilot, or of a simulation in its place, from which a campaign is planned.

    Attributes
    ----------
    documents, mix
        Number of documents that have a γ, in all and by number of annotators.
    clusters
        Number of clusters of the documents (`--cluster`); 0 if they are independent.
    people
        Number of different annotators.
    gamma
        γ of the pilot, or of the simulated corpus where there is no pilot.
    spread
        Standard deviation s between documents; the standard error of γ is s/√documents.
    difficulty
        The part of `spread` that more annotators do not reduce; 0 without a pilot.
    over
        The pilot's intervals over documents, annotators and both; None without a pilot.
    components
        Variance components of the disorder of the pilot's pairs; None without a pilot, if they
        cannot be separated, or if annotators work in teams.
    teams
        Variance between teams, if annotators work in teams and it can be estimated.
    chance_error
        Half-width of γ's Monte-Carlo interval, the uncertainty due to random sets.
    marked
        Share of the documents in which anybody marked anything.
    magnitude
        Magnitude of errors at which the simulation has this γ.
    """

    documents: int = 0
    mix: Mapping[int, int]
    clusters: int = 0
    people: int = 0
    gamma: float
    spread: float = math.nan
    difficulty: float = 0.0
    over: PopulationIntervals | None = None
    components: VarianceComponents | None = None
    teams: TeamSpread | None = None
    chance_error: float = 0.0
    marked: float = 1.0
    magnitude: float = math.nan

    @property
    def annotators(self) -> int:
        """Return the most frequent number of annotators of a document."""
        return max(sorted(self.mix), key=self.mix.__getitem__)

    def as_dict(self) -> dict[str, Any]:
        """Return the pilot as JSON has it."""
        values = asdict(self)
        if self.teams is None:
            del values["teams"]
        return {
            "documents": values.pop("documents"),
            "annotators": self.annotators,
            **values,
        }


@dataclass(frozen=True)
class Simulation:
    """Corpora of annotators who err alike, on references of one model."""

    model: ReferenceModel
    error: str
    settings: Settings
    seed: int
    executor: Executor | None = None

    def corpus(self, magnitude: float, mix: Mapping[int, int]) -> Corpus:
        """Return shuffled documents with some thousand units, with this mix of annotators."""
        numbers, weights = (np.array(x) for x in (list(mix), list(mix.values())))
        mean = float(np.average(numbers, weights=weights))
        units_per_document = self.model.n_units * mean
        n = min(MOST_DOCUMENTS, max(FEWEST_DOCUMENTS, round(_CORPUS_UNITS / units_per_document)))
        # Document i has the number of annotators at quantile (i + ½)/n of the mix.
        quantiles = (np.arange(n) + 0.5) / n * weights.sum()
        annotators_by_document = numbers[np.searchsorted(np.cumsum(weights), quantiles)].tolist()
        sets = (
            shuffled_set(self.model, self.error, magnitude, m, index=i, seed=self.seed)
            for i, m in enumerate(annotators_by_document)
        )
        return Corpus.from_continua({f"{i}": c for i, c in enumerate(sets)})

    def agreement(self, magnitude: float, mix: Mapping[int, int]) -> Agreement:
        """Compute γ of such a corpus, with an expected disorder as precise as a plan needs."""
        rule = self.settings.rule
        rough = replace(rule, precision=max(rule.precision, _PRECISION))
        settings = replace(self.settings, rule=rough)
        return agreement(Basis(self.corpus(magnitude, mix), settings, executor=self.executor))

    def magnitude(
        self, gamma: float, mix: Mapping[int, int], count_step: Callable[[], None]
    ) -> float:
        """Return the magnitude of errors at which γ has this value, to 1/64; at most 1."""
        low = 0.0
        high = 1.0
        for _ in range(STEPS):
            middle = (low + high) / 2
            count_step()
            # γ falls when the magnitude rises.
            if self.agreement(middle, mix).value > gamma:
                low = middle
            else:
                high = middle
        return (low + high) / 2


def spread_of(overall: Agreement) -> float:
    """Return s from the contributions of documents; for clusters, rescaled to single documents."""
    parts = overall.contributions()
    residuals = parts.observed - (1 - parts.gamma) * parts.expected
    # s/√documents is the standard error, which is that of the residuals over √clusters.
    scale = math.sqrt(len(overall.rated) / len(parts))
    return float(residuals.std(ddof=1) / parts.expected.mean()) * scale


def pilot_of(
    continua: Mapping[str, Continuum],
    overall: Agreement,
    teams: Mapping[str, str] | None = None,
) -> Pilot:
    """Return the results of a pilot, still without the simulated difficulty and magnitude.

    Parameters
    ----------
    continua
        The pilot.
    overall
        Agreement in the pilot.
    teams
        The team of each annotator; None if they are independent of each other.

    Raises
    ------
    DataError
        Fewer than five documents have a γ, or they are in fewer than five clusters.
    """
    documents = [s.alignment.continuum for s in overall.rated.values()]
    if not documents and all(c.n_annotators < 2 for c in continua.values()):
        raise too_few_annotators(continua.values(), who="one for each document of the pilot")
    if not documents:
        raise DataError(f"no document of the pilot has a γ: {overall.score.reason}")
    if len(documents) < 5:
        raise DataError(
            f"documents of the pilot with a γ: {len(documents)}, too few to tell how much "
            "documents differ",
            hint="Give five or more, or no files and a reference model (`model=`, `gamma=`)",
        )
    parts = len(overall.contributions())
    if parts < 5:
        raise DataError(
            f"the pilot has {parts} clusters of documents, too few to tell how they differ",
            hint="Give documents of five clusters or more (`cluster=`)",
        )
    numbers = Counter(c.n_annotators for c in documents)
    interval = overall.score.interval or (math.nan, math.nan)
    unmarked = sum(not c.n_units for c in continua.values())
    components = None
    between_teams = None
    if teams is None:
        components = overall.components(categories=False)
    else:
        clusters = [overall.clusters.get(n) or n for n in overall.rated]
        index_of = {name: i for i, name in enumerate(dict.fromkeys(clusters))}
        between_teams = team_spread(
            overall.pair_sums.by_team(overall.numbers_of_teams(teams)),
            [index_of[name] for name in clusters],
        )
    return Pilot(
        documents=len(documents),
        clusters=parts if overall.clusters else 0,
        mix=dict(sorted(numbers.items())),
        people=len({a for c in documents for a in c.annotators}),
        gamma=overall.value,
        spread=spread_of(overall),
        over=overall.over(teams=teams),
        components=components,
        teams=between_teams,
        chance_error=(interval[1] - interval[0]) / 2,
        marked=len(documents) / (len(documents) + unmarked),
    )
