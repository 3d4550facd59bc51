"""Find the number of documents and annotators that a goal takes: `gammacp plan`.

The goal is a width of the interval of γ, a difference in γ to detect, or a verdict of `replace`.
For each number of annotators, the spread of γ between documents is taken from the pilot or
simulated (`spread`). The contributions of the pilot's documents are scaled to this spread, and the
least number of documents that meets the goal is searched by resampling them (`resampled`). Without
a pilot, documents are simulated from a model of the references.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Unpack

from gammacp.base.arguments import instance, number, whole
from gammacp.base.signature import describe, fingerprint, quote_part, shortest, signature
from gammacp.campaign.compare.scoring import annotators_of, documents_with, with_annotators
from gammacp.campaign.plan.advice import Design, Goal, Plan, Prices
from gammacp.campaign.plan.resampled import FEW, Material, documents_for
from gammacp.campaign.plan.spread import Pilot, Simulation, StepProgress, pilot_of, spread_of
from gammacp.campaign.replace.replacement import replace as replacement
from gammacp.campaign.replace.scores import SCORES, Aligning, Instance, mean
from gammacp.campaign.replace.verdict import enough_documents, power
from gammacp.campaign.replace.wins import Wins, wins_of
from gammacp.continuum import Continuum
from gammacp.errors import UsageError
from gammacp.inference.detecting import FOUND
from gammacp.measures.agreement import Agreement, agreement
from gammacp.measures.random_sets import Basis, Continua, named_continua
from gammacp.measures.settings import GammaOptions, Settings, spelled_out
from shuffling import ReferenceModel, fit, model_text
from shuffling.shuffle import resolve_errors

ERROR = "position+category+false-negative"
_SIZES = (10, 20, 30, 50, 80, 120, 200, 300, 500, 800, 1200, 2000)
_LEAST = 30
_NO_TEAMS = (
    "teams are those of a pilot's annotators, for the goals half_width and difference: a model has "
    "no annotators, and a verdict is about documents"
)


@spelled_out
def plan(
    continua: Continua | None = None,
    *,
    goal: Goal | None = None,
    model: ReferenceModel | None = None,
    gamma: float | None = None,
    annotators: Collection[int] = (),
    candidate: str | None = None,
    prices: Prices | None = None,
    error: str = ERROR,
    teams: Mapping[str, str] | None = None,
    executor: Executor | None = None,
    progress: StepProgress | None = None,
    **options: Unpack[GammaOptions],
) -> Plan:
    """Find how many documents and annotators a goal takes.

    Parameters
    ----------
    continua
        A pilot of at least five documents; None to plan from a model.
    goal
        Goal to be reached; default: γ ± .05.
    model, gamma
        Only without a pilot: a model of the references, and the expected γ in (0, 1).
    annotators
        Numbers of annotators of each document to consider; default: from 2 to one more than in the
        pilot, or to 5 without a pilot.
    candidate
        Only for a verdict: the annotator of the pilot who is the candidate; None to simulate one
        who errs as the people do.
    prices
        Prices of a document, and of its annotation by one person.
    error
        Errors of the Corpus Shuffling Tool that the simulated annotators make.
    teams
        Team of each annotator of the pilot, if annotators work in fixed teams. Statements on other
        annotators are then about other teams.
    executor, progress
        Pool of processes, and a function that is called with the numbers of done and of all steps.
    options
        Options of `GammaOptions`.

    Raises
    ------
    DataError
        Fewer than five documents have a γ; the candidate is not an annotator; an annotator has no
        team; or a document has annotators of two teams.
    UsageError
        There is neither a pilot nor a model with γ, or a value is outside its range.
    """
    goal = goal or Goal()
    prices = prices or Prices()
    instance("goal", goal, Goal, "a Goal")
    instance("prices", prices, Prices, "an object of Prices")
    instance("annotators", annotators, Collection, "a list of numbers")
    settings = Settings.of(**options)
    choices = {whole("annotators", m, 2) for m in annotators}
    named = _checked_pilot(continua, goal, model, gamma, candidate, error, teams)
    if model is None:
        basis = _from_pilot(named, candidate, teams, settings, executor)
    else:
        basis = _from_model(model, gamma, min(choices, default=3), settings)
    numbers = basis.numbers(choices)
    count_step = _steps(progress, 7 + len(numbers))
    search = _Search.of(goal, prices, basis, error, executor, count_step)
    designs, curve = search.designs_of(numbers, count_step)
    line = search.signature(named, numbers, gamma=gamma, candidate=candidate, teams=teams)
    return search.plan(designs, curve, line)


def _checked_pilot(
    continua: Continua | None,
    goal: Goal,
    model: ReferenceModel | None,
    gamma: float | None,
    candidate: str | None,
    error: str,
    teams: Mapping[str, str] | None,
) -> Mapping[str, Continuum]:
    """Return the pilot's documents by name, none without a pilot; refuse conflicting arguments."""
    resolve_errors(error)
    if (continua is None) == (model is None) or (model is None) != (gamma is None):
        raise UsageError("a plan starts from a pilot, or from a model together with its γ")
    if candidate is not None and (continua is None or goal.verdict is None):
        raise UsageError("a candidate needs a pilot, and a verdict as the goal")
    named: Mapping[str, Continuum] = {}
    if continua is not None:
        named = named_continua(continua)
    if goal.verdict is not None and any(c.cluster or c.weight != 1.0 for c in named.values()):
        raise UsageError(
            "a verdict can be planned only for independent documents of equal weight: leave out "
            "clusters and weights"
        )
    if teams is not None and (continua is None or goal.verdict is not None):
        raise UsageError(_NO_TEAMS)
    return named


@dataclass(frozen=True)
class _PlanBasis:
    """Basis of a plan: a pilot, or a model of the references with an expected γ.

    Attributes
    ----------
    start
        The pilot, or the assumptions that stand in for one.
    model
        Model of the references.
    settings
        Settings of γ, with the chance model decided.
    material
        Contributions of the documents of the pilot; None without a pilot.
    wins
        Wins of the candidate in the pilot; None to simulate a candidate who errs as people do.
    """

    start: Pilot
    model: ReferenceModel
    settings: Settings
    material: Material | None = None
    wins: Wins | None = None

    def numbers(self, requested: Collection[int]) -> Sequence[int]:
        """Return the numbers of annotators to consider: those requested, or the default."""
        if requested:
            return sorted(requested)
        if self.wins is not None:
            # The wins of a real candidate are known only for the pilot's number of annotators.
            return [self.start.annotators]
        if self.material is None:
            most = 5
        else:
            most = self.start.annotators + 1
        return range(2, most + 1)


def _simulated(
    simulation: Simulation, start: Pilot, count_step: Callable[[], None], *, piloted: bool
) -> tuple[Pilot, float, Agreement]:
    """Simulate documents with the γ and the numbers of annotators of the pilot.

    Returns
    -------
    start
        The pilot, completed with the magnitude of errors that gives its γ. If it is a real pilot
        (`piloted`), its difficulty is added; otherwise the spread of the simulated documents.
    spread, agreement
        Spread of γ between the simulated documents, and their agreement.
    """
    start = replace(start, magnitude=simulation.magnitude(start.gamma, start.mix, count_step))
    count_step()
    measured = simulation.agreement(start.magnitude, start.mix)
    simulated = spread_of(measured)
    if piloted:
        difficulty = math.sqrt(max(0.0, start.spread**2 - simulated**2))
        start = replace(start, difficulty=difficulty)
    else:
        start = replace(start, spread=simulated)
    return start, simulated, measured


@dataclass(frozen=True)
class _Search:
    """Search for the least number of documents that meets the goal, for each design.

    Attributes
    ----------
    goal, prices
        Goal of the campaign, and prices.
    simulation
        Simulated corpora.
    start
        The pilot, or the assumptions that stand in for one.
    material
        Contributions of the documents of the pilot, or of simulated ones.
    wins
        Wins of the candidate in the pilot; None to simulate a candidate who errs as people do.
    simulated
        Spread of γ between simulated documents with the pilot's numbers of annotators.
    piloted
        Whether there is a pilot.
    """

    goal: Goal
    prices: Prices
    simulation: Simulation
    start: Pilot
    material: Material
    wins: Wins | None
    simulated: float
    piloted: bool

    @classmethod
    def of(
        cls,
        goal: Goal,
        prices: Prices,
        basis: _PlanBasis,
        error: str,
        executor: Executor | None,
        count_step: Callable[[], None],
    ) -> "_Search":
        """Simulate corpora like the pilot, or like the assumptions, and return the search."""
        settings = basis.settings
        simulation = Simulation(basis.model, error, settings, settings.seed, executor)
        piloted = basis.material is not None
        start, simulated, measured = _simulated(
            simulation, basis.start, count_step, piloted=piloted
        )
        material = basis.material
        if material is None:
            material = Material.of(measured.contributions(), len(measured.rated))
        return cls(goal, prices, simulation, start, material, basis.wins, simulated, piloted)

    def plan(
        self,
        designs: tuple[Design, ...],
        curve: tuple[Mapping[str, float | None], ...],
        signature: str,
    ) -> Plan:
        """Return the plan with these designs."""
        return Plan(
            pilot=self.start,
            goal=self.goal,
            prices=self.prices,
            designs=designs,
            curve=curve,
            piloted=self.piloted,
            power_known=self.material.tells_power,
            signature=signature,
        )

    def designs_of(
        self, numbers: Iterable[int], count_step: Callable[[], None]
    ) -> tuple[tuple[Design, ...], tuple[Mapping[str, float | None], ...]]:
        """Return a design for each number of annotators, and the points of all curves."""
        designs = []
        curve = []
        for annotators in numbers:
            count_step()
            design, points = self.design_of(annotators)
            designs.append(design)
            curve += points
        return tuple(designs), tuple(curve)

    def signature(
        self,
        named: Mapping[str, Continuum],
        numbers: Iterable[int],
        *,
        gamma: float | None,
        candidate: str | None,
        teams: Mapping[str, str] | None,
    ) -> str:
        """Return the signature of the plan, which has a fingerprint of the teams."""
        model = None
        if not self.piloted:
            model = fingerprint(model_text(self.simulation.model))
        team_list = None
        if teams is not None:
            team_list = fingerprint(*(part for entry in sorted(teams.items()) for part in entry))
        settings = self.simulation.settings
        return signature(
            "plan",
            goal=self.goal.in_short(),
            model=model,
            gamma=gamma,
            annotators=",".join(map(str, numbers)),
            candidate=None if candidate is None else quote_part(candidate),
            teams=team_list,
            prices=f"{shortest(self.prices.annotation)},{shortest(self.prices.document)}",
            error=self.simulation.error,
            magnitude=self.start.magnitude,
            d=describe(settings.dissimilarity),
            chance=settings.chance,
            selection=tuple(dict.fromkeys(s for c in named.values() for s in c.selection)),
            **settings.signature_parts(),
        )

    def design_of(self, annotators: int) -> tuple[Design, list[Mapping[str, float | None]]]:
        """Return the design for this number of annotators, and the points of its curve."""
        start = self.start
        seed = self.simulation.seed
        spread = _spread(self.simulation, start, self.simulated, annotators)
        wins = self.wins
        if wins is None and self.goal.verdict is not None:
            wins = _peers(self.simulation, start, annotators)
        factor = 1.0
        if start.spread > 0:
            factor = spread / start.spread
        scaled = self.material.spread_by(factor)
        n = _documents(self.goal, scaled, wins, seed)
        documents = _whole(n / start.marked)
        documents_range = None
        cost_range = None
        if self.piloted and len(self.material.observed) < FEW and math.isfinite(n):
            documents_range = _between(scaled.range_of(n), start)
            fewest, most = documents_range
            cost_range = (self.prices.of(fewest, annotators), self.prices.of(most, annotators))
        design = Design(
            annotators=annotators,
            spread=spread,
            documents=documents,
            documents_range=documents_range,
            cost=self.prices.of(documents, annotators),
            cost_range=cost_range,
        )
        return design, _curve(self.goal, scaled, wins, annotators, start, seed)


def _steps(progress: StepProgress | None, steps: int) -> Callable[[], None]:
    """Return a function that reports one more step as done at each call."""
    done = count(1)
    return lambda: None if progress is None else progress(next(done), steps)


def _from_pilot(
    named: Mapping[str, Continuum],
    candidate: str | None,
    teams: Mapping[str, str] | None,
    settings: Settings,
    executor: Executor | None,
) -> _PlanBasis:
    """Measure a pilot; the candidate, if there is one, takes part in the wins only."""
    wins = None
    if candidate is not None:
        wins = _wins_in(named, candidate, settings)
        people = (a for a in annotators_of(named) if a != candidate)
        named = with_annotators(named, people, least=1)
    settings = settings.deciding([tuple(named.values())])
    measured = agreement(Basis(named, settings, executor=executor))
    pilot = pilot_of(named, measured, teams)
    material = Material.of(measured.contributions(), len(measured.rated))
    return _PlanBasis(pilot, fit(list(named.values())), settings, material, wins)


def _from_model(
    model: ReferenceModel, gamma: float | None, annotators: int, settings: Settings
) -> _PlanBasis:
    """Return the model with a substitute for a pilot of the expected γ and number of annotators."""
    if gamma is None or not 0 < number("gamma", gamma) < 1:
        raise UsageError(f"gamma {gamma!r} is not between 0 and 1")
    settings = replace(settings, chance=settings.chance.rpartition("/")[2])
    return _PlanBasis(Pilot(mix={annotators: 1}, gamma=gamma), model, settings)


def _wins_in(named: Mapping[str, Continuum], candidate: str, settings: Settings) -> Wins:
    """Return the candidate's wins in the pilot, as `replace` counts them."""
    # Called for its checks only: a pilot that `replace` refuses is refused here.
    replacement(named, [candidate], score="overlap", draws=1)
    instances = _instances(documents_with(named, candidate), settings)
    return wins_of(candidate, instances, mean)


def _instances(named: Mapping[str, Continuum], settings: Settings) -> Iterable[Instance]:
    """Return the instances that `replace` would compare with the score `disorder`."""
    solver_options = {name: value for name, value in settings.solving.items() if value}
    return SCORES["disorder"].instances(
        named, Aligning(settings.dissimilarity, None, solver_options)
    )


def _peers(simulation: Simulation, start: Pilot, m: int) -> Wins:
    """Simulate the wins of a candidate who errs like the people, of whom there are m.

    Each simulated annotator is the candidate in turn, in both directions of rotation (`turns_of`).
    Therefore no annotator is better than another by chance: the mean difference is exactly 0.
    """
    corpus = simulation.corpus(start.magnitude, {m + 1: 1})
    turns = turns_of(_instances(corpus, simulation.settings), corpus.annotators)
    return wins_of(corpus.annotators[-1], turns, mean)


def turns_of(instances: Iterable[Instance], names: tuple[str, ...]) -> Iterator[Instance]:
    """Yield each instance with its annotators' names rotated, in both directions."""
    for one in instances:
        for order in (names, names[::-1]):
            for k in range(len(names)):
                yield replace(one, annotators=order[k:] + order[:k])


def _spread(simulation: Simulation, start: Pilot, simulated: float, m: int) -> float:
    if start.mix.keys() == {m}:
        return start.spread
    other = spread_of(simulation.agreement(start.magnitude, {m: 1}))
    if start.difficulty > 0:
        return math.hypot(other, start.difficulty)
    return other * start.spread / simulated


def _whole(documents: float) -> float:
    if math.isfinite(documents):
        return math.ceil(documents - 1e-9)
    return documents


def _between(ends: tuple[float, float], start: Pilot) -> tuple[float, float]:
    """Convert the `ends` of a range of documents with units into those of all documents."""
    return _whole(ends[0] / start.marked), _whole(ends[1] / start.marked)


def _documents(goal: Goal, material: Material, wins: Wins | None, seed: int) -> float:
    """Return the least number of documents with units that meets the goal; ∞ if none does."""
    if goal.half_width is not None:
        return documents_for(material.half_widths, goal.half_width, falling=True)
    if goal.difference is not None:
        return documents_for(partial(material.powers, goal.difference), FOUND, falling=False)
    assert wins is not None
    fewest = enough_documents(wins, goal.verdict or 0.0, _LEAST, seed=seed)
    if fewest is None or math.isnan(fewest):
        return math.inf
    return fewest


def _curve(
    goal: Goal, material: Material, wins: Wins | None, m: int, start: Pilot, seed: int
) -> list[Mapping[str, float | None]]:
    """Return the points of a curve: half-width and power by number of documents."""
    marked = [max(1, round(n * start.marked)) for n in _SIZES]
    widths = material.half_widths(marked).tolist()
    powers: list[float | None] = [None] * len(_SIZES)
    if goal.difference is not None:
        powers = material.powers(goal.difference, marked).tolist()
    elif wins is not None:
        powers = [
            power(wins, n, goal.verdict or 0.0, _LEAST, seed=seed) if n >= _LEAST else None
            for n in _SIZES
        ]
    return [
        {"documents": n, "annotators": m, "half_width": width, "power": reached}
        for n, width, reached in zip(_SIZES, widths, powers, strict=True)
    ]
