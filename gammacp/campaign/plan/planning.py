"""How many documents and annotators, for an interval, a difference, or a verdict of `replace`."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from statistics import NormalDist
from typing import Any, Unpack

from gammacp.arguments import number, whole
from gammacp.campaign.compare.scoring import documents_with
from gammacp.campaign.plan.spread import Pilot, Simulation, Told, pilot_of, spread_of
from gammacp.campaign.replace.replacement import replace as replacement
from gammacp.campaign.replace.scores import SCORES, Aligning, Instance
from gammacp.campaign.replace.verdict import POWER, enough_documents, power
from gammacp.campaign.replace.wins import Wins, wins_of
from gammacp.continuum import Continuum
from gammacp.errors import DataError, UsageError
from gammacp.measures.agreement import Continua, agreement_of, named_continua
from gammacp.measures.resampling import FEWEST_PARTS
from gammacp.measures.settings import GammaOptions, Settings, spelled_out
from gammacp.signature import described, signature
from shuffling import ReferenceModel, fit

ERROR = "position+category+false-negative"
_SIZES = (10, 20, 30, 50, 80, 120, 200, 300, 500, 800, 1200, 2000)
_LEAST = 30
_FEW = 50


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What the campaign is for; one of these, by default γ ± .05.

    Attributes
    ----------
    half_width
        γ known to ± this with 95 %.
    difference
        A difference of γ between two rounds of so many documents each, to be seen with 80 %.
    verdict
        ε: a stand-in as good as the people passes `gammacp replace` with 80 %.
    """

    half_width: float | None = None
    difference: float | None = None
    verdict: float | None = None

    def __post_init__(self) -> None:
        """Exactly one, and it can be meant."""
        given = {k: v for k, v in vars(self).items() if v is not None}
        if len(given) > 1:
            raise UsageError(f"a plan has one goal, and {' and '.join(given)} are given")
        if not given:
            object.__setattr__(self, "half_width", 0.05)
        for name, value in given.items():
            if not 0 < number(name, value) < 1:
                raise UsageError(f"{name} {value:g} is not between 0 and 1")

    def in_short(self) -> str:
        """As signatures have it: `half-width=0.05`."""
        found = {k.replace("_", "-"): v for k, v in vars(self).items() if v is not None}
        return ",".join(f"{k}={v:g}" for k, v in found.items())

    def in_words(self, gamma: float) -> str:
        """What is reached.

        Parameters
        ----------
        gamma
            γ of the pilot.
        """
        if self.half_width is not None:
            return f"γ ({gamma:.2f} so far) is known to ±{self.half_width:g}"
        if self.difference is not None:
            return f"a difference of {self.difference:g} between two such rounds is seen with 80 %"
        return f"a stand-in as good as the people passes with 80 % (ε = {self.verdict:g})"


@dataclass(frozen=True, kw_only=True)
class Prices:
    """What a document costs to prepare, and to have annotated by one person."""

    annotation: float = 1.0
    document: float = 0.0
    given: bool = False

    def of(self, documents: float, annotators: int) -> float:
        """The cost of so many documents by so many annotators each."""
        return documents * (self.document + annotators * self.annotation)


@dataclass(frozen=True, kw_only=True)
class Design:
    """Every document by so many annotators: how many documents reach the goal, at what cost.

    `documents` is ∞ where no number up to 2,000 does.
    """

    annotators: int
    spread: float
    documents: float
    cost: float


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Designs that reach the goal, and the curve that they are read off."""

    pilot: Pilot
    goal: Goal
    prices: Prices
    designs: tuple[Design, ...]
    curve: tuple[Mapping[str, float | None], ...]
    piloted: bool
    signature: str

    @property
    def best(self) -> Design:
        """The cheapest design that reaches the goal."""
        return min(self.designs, key=lambda d: (d.cost, d.annotators))

    def as_dict(self) -> dict[str, Any]:
        """The JSON of `gammacp plan`."""
        return {
            "pilot": asdict(self.pilot) if self.piloted else None,
            "model": None if self.piloted else asdict(self.pilot),
            "goal": {k: v for k, v in vars(self.goal).items() if v is not None},
            "designs": [asdict(d) for d in self.designs],
            "curve": [dict(point) for point in self.curve],
            "advice": self.advice(),
            "signature": self.signature,
        }

    def advice(self) -> str:
        """What to do, and what it rests on."""
        best, pilot, goal = self.best, self.pilot, self.goal.in_words(self.pilot.gamma)
        if not math.isfinite(best.documents):
            return f"No design with up to 2,000 documents does it: {goal}."
        said = [self._first(best, goal)]
        others = (d for d in self.designs if d.annotators == best.annotators + 1)
        if (more := next(others, None)) is not None and math.isfinite(more.documents):
            said.append(
                f"With {_counted(more.annotators, 'annotator')} each it would take "
                f"{more.documents:.0f} documents and {self._cost(more)}."
            )
        people = max(pilot.people, best.annotators)
        if people > best.annotators and self.piloted:
            pairs = best.annotators * (best.annotators - 1) / people / (people - 1)
            said.append(
                f"Rotated among {people} people, each two share some {best.documents * pairs:.0f}; "
                "other documents need one annotator."
            )
        if math.isfinite(pilot.annotator_error):
            by = f"±{1.96 * pilot.annotator_error:.2f}"
            said.append(
                f"Other annotators of this kind would move γ by about {by}, however many documents "
                "there are."
            )
        if self.piloted and pilot.documents < _FEW:
            share = 1 / math.sqrt(2 * (pilot.documents - 1))
            of = _counted(pilot.documents, "document")
            said.append(f"A pilot of {of} tells how they differ only to ±{share:.0%}.")
        if pilot.chance_error > (self.goal.half_width or 1) / 4:
            said.append(f"Random sets leave ±{pilot.chance_error:.3f} open: lower --precision.")
        return " ".join(said)

    def _first(self, best: Design, goal: str) -> str:
        m, pilot = best.annotators, self.pilot
        by = f"by {_counted(m, 'annotator')} each ({self._cost(best)})"
        if not self.piloted:
            return f"{best.documents:.0f} documents {by}: {goal}."
        more = best.documents - pilot.documents / pilot.marked
        if m == pilot.annotators and more <= 0:
            return f"The pilot is enough: {goal} with {best.documents:.0f} documents {by}."
        if m == pilot.annotators:
            few = f"{more:.0f} more documents, not {_ordinal(m + 1)} annotator"
            return f"{few}: {goal} with {best.documents:.0f} documents {by}."
        other = "more" if m > pilot.annotators else "fewer"
        return (
            f"{best.documents:.0f} documents {by}, {other} annotators than the pilot's "
            f"{pilot.annotators}: {goal}."
        )

    def _cost(self, design: Design) -> str:
        """In prices where they are given, otherwise in annotations."""
        return f"{'cost' if self.prices.given else 'annotations'} {design.cost:,.0f}"


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
    executor: Executor | None = None,
    progress: Told | None = None,
    **options: Unpack[GammaOptions],
) -> Plan:
    """How many documents and annotators a goal takes.

    Parameters
    ----------
    continua
        A pilot of at least five documents; None to plan from a model.
    goal
        What is to be reached; γ ± .05 if not given.
    model, gamma
        Without a pilot: a model of the references, and the γ in (0, 1) that is expected.
    annotators
        Numbers of annotators per document to choose among; by default 2 to one more than the
        pilot's (to 5 without one).
    candidate
        For a verdict: the pilot's annotator who is the candidate; otherwise one who errs as the
        people do is simulated.
    prices
        Of a document, and of its annotation by one person.
    error
        Errors of the Corpus Shuffling Tool that the simulated annotators make.
    executor, progress
        Where it is computed; is told (steps done, steps).
    options
        Those of `GammaOptions`.

    Raises
    ------
    DataError
        Fewer than five documents have a γ; no such candidate.
    UsageError
        Neither a pilot nor a model with γ; an argument cannot be meant.
    """
    goal, prices = goal or Goal(), prices or Prices()
    settings = Settings.of(**options)
    if (continua is None) == (model is None) or (model is None) != (gamma is None):
        raise UsageError("a plan starts from a pilot, or from a model together with its γ")
    if candidate is not None and (continua is None or goal.verdict is None):
        raise UsageError("a candidate goes with a pilot and a verdict as the goal")
    wins = None
    selection: tuple[str, ...] = ()
    if continua is not None:
        named = dict(named_continua(continua))
        selection = tuple(dict.fromkeys(s for c in named.values() for s in c.selection))
        if candidate is not None:
            wins = _wins_in(named, candidate, settings)
            named = _without(named, candidate)
        settings = settings.deciding([tuple(named.values())])
        start, model = _measured(named, settings, executor), fit(list(named.values()))
    else:
        settings = replace(settings, chance=settings.chance.rpartition("/")[2])
        start = _expected(gamma, min(annotators, default=3))
    assert model is not None
    numbers = _numbers(annotators, start, wins is not None, piloted=continua is not None)
    steps, done = 7 + len(numbers), 0

    def told() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, steps)

    simulation = Simulation(model, error, settings, settings.seed, executor)
    start = replace(start, magnitude=simulation.magnitude(start.gamma, start.annotators, told))
    told()
    simulated = spread_of(simulation.agreement(start.magnitude, start.annotators))
    if continua is None:
        start = replace(start, spread=simulated)
    else:
        difficulty = math.sqrt(max(0.0, start.spread**2 - simulated**2))
        start = replace(start, difficulty=difficulty)
    designs, curve = [], []
    for m in numbers:
        told()
        s = _spread(simulation, start, simulated, m)
        mine = wins if wins is not None or goal.verdict is None else _peers(simulation, start, m)
        n = _documents(goal, s, mine, start, settings.seed) / start.marked
        rounded = math.ceil(n - 1e-9) if math.isfinite(n) else n
        designs.append(
            Design(annotators=m, spread=s, documents=rounded, cost=prices.of(rounded, m))
        )
        curve += _curve(goal, s, mine, m, start, settings.seed)
    return Plan(
        pilot=start,
        goal=goal,
        prices=prices,
        designs=tuple(designs),
        curve=tuple(curve),
        piloted=continua is not None,
        signature=signature(
            "plan",
            goal=goal.in_short(),
            candidate=candidate,
            error=error,
            magnitude=start.magnitude,
            d=described(settings.dissimilarity),
            chance=settings.chance,
            selection=selection,
            **settings.signature_parts(),
        ),
    )


def _measured(named: dict[str, Continuum], settings: Settings, executor: Executor | None) -> Pilot:
    """What the documents of a pilot tell."""
    found = agreement_of(named, settings, executor=executor)
    if not found.computed:
        raise DataError(f"no document of the pilot has a γ: {found.score.reason}")
    return pilot_of(named, found)


def _expected(gamma: float | None, annotators: int) -> Pilot:
    """In place of a pilot: the γ that is expected, nothing else being known."""
    if gamma is None or not 0 < number("gamma", gamma) < 1:
        raise UsageError(f"gamma {gamma!r} is not between 0 and 1")
    nan = math.nan
    return Pilot(
        documents=0, annotators=annotators, people=0, gamma=gamma, spread=nan,
        difficulty=0.0, annotator_error=nan, chance_error=0.0, marked=1.0, magnitude=nan,
    )  # fmt: skip


def _numbers(
    given: Collection[int], start: Pilot, candidate: bool, *, piloted: bool
) -> Sequence[int]:
    if given:
        return sorted({whole("annotators", m, 2) for m in given})
    if candidate:  # how it does among fewer or more people, the pilot does not tell
        return [start.annotators]
    return range(2, (start.annotators + 1 if piloted else 5) + 1)


def _without(named: Mapping[str, Continuum], name: str) -> dict[str, Continuum]:
    return {
        d: c.only_annotators([a for a in c.annotators if a != name])
        for d, c in named.items()
        if any(a != name for a in c.annotators)
    }


def _wins_in(named: Mapping[str, Continuum], candidate: str, settings: Settings) -> Wins:
    """The candidate's wins in the pilot, as `replace` counts them."""
    replacement(named, [candidate], score="overlap", draws=1)  # what it refuses is refused here
    scoring, aligning = SCORES["disorder"], _aligning(settings)
    mine = documents_with(named, candidate)
    return wins_of(candidate, scoring.instances(mine, aligning), scoring.rest)


def _aligning(settings: Settings) -> Aligning:
    return Aligning(settings.dissimilarity, None, settings.solving)


def _peers(simulation: Simulation, start: Pilot, m: int) -> Wins:
    """Wins of one who errs as m people do.

    Everybody is the candidate in turn, and people are counted from either side, so that no one is
    better than another by the luck of the simulated documents: the mean difference is exactly 0.
    """
    corpus = simulation.corpus(start.magnitude, m + 1)
    scoring = SCORES["disorder"]
    found = scoring.instances(corpus, _aligning(simulation.settings))
    return wins_of(corpus.annotators[-1], turned(found, corpus.annotators), scoring.rest)


def turned(found: Iterable[Instance], names: tuple[str, ...]) -> Iterator[Instance]:
    """Each instance with its annotators' names rotated, and in reverse."""
    for instance in found:
        for order in (names, names[::-1]):
            for k in range(len(names)):
                yield replace(instance, annotators=order[k:] + order[:k])


def _spread(simulation: Simulation, start: Pilot, simulated: float, m: int) -> float:
    if m == start.annotators:
        return start.spread
    other = spread_of(simulation.agreement(start.magnitude, m))
    if start.difficulty > 0:
        return math.hypot(other, start.difficulty)
    return other * start.spread / simulated


def _documents(goal: Goal, s: float, wins: Wins | None, start: Pilot, seed: int) -> float:
    """The fewest documents; by formula but for a verdict, which is simulated."""
    if goal.half_width is not None:
        return max(FEWEST_PARTS, (start.quantile * s / goal.half_width) ** 2)
    if goal.difference is not None:
        both = start.quantile + NormalDist().inv_cdf(POWER)
        return max(FEWEST_PARTS, 2 * (both * s / goal.difference) ** 2)
    assert wins is not None
    found = enough_documents(wins, goal.verdict or 0.0, _LEAST, seed=seed)
    return math.inf if found is None or math.isnan(found) else found


def _curve(
    goal: Goal, s: float, wins: Wins | None, m: int, start: Pilot, seed: int
) -> list[Mapping[str, float | None]]:
    """Half-width and power by documents."""
    normal = NormalDist()
    points: list[Mapping[str, float | None]] = []
    for n in _SIZES:
        error, reached = s / math.sqrt(n * start.marked), None
        if goal.difference is not None:
            reached = normal.cdf(goal.difference / (error * math.sqrt(2)) - start.quantile)
        elif wins is not None and n >= _LEAST:
            reached = power(wins, n, goal.verdict or 0.0, _LEAST, seed=seed)
        points.append(
            {
                "documents": n,
                "annotators": m,
                "half_width": start.quantile * error,
                "power": reached,
            }
        )
    return points


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _ordinal(n: int) -> str:
    words = {3: "a third", 4: "a fourth", 5: "a fifth", 6: "a sixth"}
    return words.get(n, f"a {n}th")
