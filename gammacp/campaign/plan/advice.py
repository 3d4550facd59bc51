"""Define the goals and prices of a plan, and put the plan into words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from gammacp.base.arguments import number
from gammacp.base.lazy import Plotted
from gammacp.campaign.plan.spread import Pilot
from gammacp.errors import UsageError
from gammacp.inference.populations import TOLD_FROM
from gammacp.measures.explaining.variance_components import ANNOTATOR

if TYPE_CHECKING:
    from gammacp.base.pictures import Picture
    from gammacp.campaign.plan.teams import TeamSpread

_FEW = 50


@dataclass(frozen=True, kw_only=True)
class Goal:
    """Goal of a campaign: exactly one of the following; default: a half-width of .05.

    Attributes
    ----------
    half_width
        Half-width of the 95 % interval of γ.
    difference
        Difference of γ between two rounds with the planned number of documents each, which a test
        is to detect in about three of four cases.
    verdict
        ε of `gammacp replace`, which a candidate as good as the people is to pass in 80 % of cases.
    """

    half_width: float | None = None
    difference: float | None = None
    verdict: float | None = None

    def __post_init__(self) -> None:
        """Check that there is exactly one goal, between 0 and 1."""
        goals = {k: v for k, v in vars(self).items() if v is not None}
        if len(goals) > 1:
            raise UsageError(f"a plan has one goal, but {' and '.join(goals)} are given")
        if not goals:
            object.__setattr__(self, "half_width", 0.05)
        for name, value in goals.items():
            if not 0 < number(name, value) < 1:
                raise UsageError(f"{name} {value:g} is not between 0 and 1")

    def in_short(self) -> str:
        """Return the goal in the form for signatures, such as `half-width=0.05`."""
        goals = {k.replace("_", "-"): v for k, v in vars(self).items() if v is not None}
        return ",".join(f"{k}={v:g}" for k, v in goals.items())

    def in_words(self, gamma: float) -> str:
        """Return the goal as a clause.

        Parameters
        ----------
        gamma
            γ of the pilot.
        """
        if self.half_width is not None:
            return f"γ ({gamma:.2f} so far) is known to ±{self.half_width:g}"
        if self.difference is not None:
            by = f"{self.difference:g}"
            return f"rounds that differ by {by} are told apart in about three of four cases"
        return f"a stand-in as good as the people passes in 80 % of cases (ε = {self.verdict:g})"


@dataclass(frozen=True, kw_only=True)
class Prices:
    """Prices of preparing a document, and of its annotation by one person.

    `given` tells whether the user gave prices; if not, costs are counted in annotations.
    """

    annotation: float = 1.0
    document: float = 0.0
    given: bool = False

    def __post_init__(self) -> None:
        """Check that no price is negative, and that not all prices are 0."""
        costs = [number(f"price of {k}", getattr(self, k), 0.0) for k in ("annotation", "document")]
        if not any(costs):
            raise UsageError("prices are all 0: no design is cheaper than another")

    def of(self, documents: float, annotators: int) -> float:
        """Return the cost of `documents` that have `annotators` each."""
        return documents * (self.document + annotators * self.annotation)


@dataclass(frozen=True, kw_only=True)
class Design:
    """Design: the number of documents that reaches the goal, for a number of annotators.

    Attributes
    ----------
    annotators
        Number of annotators of each document.
    spread
        Standard deviation of γ between documents with so many annotators.
    documents
        Least number of documents that reaches the goal; ∞ if no number up to 2,000 does.
    documents_range
        80 % interval of that number, if the pilot has fewer than 20 documents or clusters;
        otherwise None.
    cost
        Cost of the design.
    cost_range
        Costs at the ends of `documents_range`; None without a range.
    """

    annotators: int
    spread: float
    documents: float
    documents_range: tuple[float, float] | None = None
    cost: float
    cost_range: tuple[float, float] | None = None


@dataclass(frozen=True, kw_only=True)
class Plan(Plotted):
    """Designs that reach a goal, and the curves from which they follow.

    Attributes
    ----------
    pilot
        The pilot, or the assumptions that stand in for one.
    goal
        Goal of the campaign.
    prices
        Prices of documents and annotations.
    designs
        A design for each number of annotators.
    curve
        Half-width and power by number of documents and of annotators.
    piloted
        Whether there is a pilot.
    power_known
        Whether the documents are numerous and similar enough to estimate the power of a test.
    signature
        Signature of the plan.
    """

    pilot: Pilot
    goal: Goal
    prices: Prices
    designs: tuple[Design, ...]
    curve: tuple[Mapping[str, float | None], ...]
    piloted: bool
    power_known: bool = True
    signature: str

    def __repr__(self) -> str:
        """Return the advice; `as_dict` has the rest."""
        return f"Plan({self.advice()})"

    def _repr_html_(self) -> str:
        from gammacp.base.display import as_html

        return as_html("plan", self)

    @property
    def best(self) -> Design:
        """The cheapest design that reaches the goal."""
        return min(self.designs, key=lambda d: (d.cost, d.annotators))

    def _picture(self, width: float) -> Picture:
        """Draw the half-width or power against the number of documents, with the goal."""
        from gammacp.campaign.plan.figure import picture_of

        return picture_of(self, width)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON of `gammacp plan`."""
        return {
            "pilot": self.pilot.as_dict() if self.piloted else None,
            "model": None if self.piloted else self.pilot.as_dict(),
            "goal": {k: v for k, v in vars(self.goal).items() if v is not None},
            "designs": [asdict(d) for d in self.designs],
            "curve": [dict(point) for point in self.curve],
            "power_known": self.power_known,
            "advice": self.advice(),
            "signature": self.signature,
        }

    def advice(self) -> str:
        """Return sentences on the cheapest design, on its alternatives and on its limits."""
        best, pilot, goal = self.best, self.pilot, self.goal.in_words(self.pilot.gamma)
        if not math.isfinite(best.documents):
            return f"No design with up to 2,000 documents reaches the goal: {goal}."
        sentences = [self._first(best, goal)]
        others = (d for d in self.designs if d.annotators == best.annotators + 1)
        if (more := next(others, None)) is not None and math.isfinite(more.documents):
            sentences.append(
                f"With {_count_of(more.annotators, 'annotator')} each it would take "
                f"{number_of(more)} documents and {self._cost(more)}."
            )
        if len(pilot.mix) > 1:
            sentences.append(
                f"The pilot's documents have {min(pilot.mix)} to {max(pilot.mix)} annotators, "
                f"mostly {pilot.annotators}, and so has its simulation."
            )
        people = max(pilot.people, best.annotators)
        if self.in_teams:
            sentences.append("Each document is for one team, and each team takes as many of them.")
        elif people > best.annotators and self.piloted:
            pairs = best.annotators * (best.annotators - 1) / people / (people - 1)
            sentences.append(
                f"If {people} people take turns, each two of them share about "
                f"{best.documents * pairs:.0f} documents; all further ones need one annotator."
            )
        if self.goal.difference is not None and not self.power_known:
            sentences.append(
                "The documents are too few, too short or too unequal to know how often a "
                "difference is found: take the number for a guess."
            )
        if pilot.over is not None:
            sentences.append(pilot.over.in_words())
        enough = pilot.over is not None and pilot.over.annotators is not None
        if enough and pilot.teams is not None and pilot.teams.shown:
            sentences.append(self._sentence_on_teams(pilot.teams))
        if self._tells_of_others() and pilot.components is not None:
            from scipy.special import stdtrit

            m = best.annotators
            people = max(pilot.people, best.annotators)
            n = round(best.documents)
            # Student's t of so many people, as in the interval over annotators.
            now, then = (
                float(stdtrit(k * people - 1, 0.975)) * pilot.components.error(n, m, k * people)
                for k in (1, 2)
            )
            sentences.append(
                f"For a γ that also covers other annotators, {n} documents by {m} of {people} "
                f"annotators each give about ±{now:.2f}, by {m} of {2 * people} about ±{then:.2f}."
            )
        parts = pilot.clusters or pilot.documents
        if pilot.clusters:
            sentences.append(
                f"The pilot's {pilot.documents} documents come from {pilot.clusters} clusters; "
                "further ones must come from new clusters, about as many from each."
            )
        if self.piloted and parts < _FEW:
            share = 1 / math.sqrt(2 * (parts - 1))
            of = _count_of(parts, "cluster" if pilot.clusters else "document")
            sentences.append(
                f"A pilot of {of} shows how much they differ only to within ±{share:.0%}."
            )
        if pilot.chance_error > (self.goal.half_width or 1) / 4:
            sentences.append(f"Random sets add ±{pilot.chance_error:.3f}: lower `precision=`.")
        return " ".join(sentences)

    @property
    def in_teams(self) -> bool:
        """Return whether the pilot's annotators work in fixed teams."""
        return self.pilot.over is not None and self.pilot.over.n_teams is not None

    def _sentence_on_teams(self, teams: TeamSpread) -> str:
        """Return a sentence on intervals that cover other teams, for as many and twice as many."""
        best = self.best
        n = round(best.documents)
        now, then = (teams.half_width(best.spread, n, times * teams.teams) for times in (1, 2))
        words = (
            f"For a γ that also covers other teams, {n} documents by {teams.teams} teams give "
            f"about ±{now:.2f}, by {2 * teams.teams} about ±{then:.2f}"
        )
        if best.annotators != self.pilot.annotators:
            words += f", if teams of {best.annotators} differ as those of the pilot do"
        return f"{words}."

    def _tells_of_others(self) -> bool:
        """Return whether the pilot has enough annotators and shows that annotators differ."""
        pilot = self.pilot
        if pilot.components is None or pilot.over is None or pilot.over.annotators is None:
            return False
        if pilot.over.n_annotators < TOLD_FROM:
            return False
        people = pilot.components.parts.get(ANNOTATOR)
        return people is not None and people.interval[0] > 0

    def _first(self, best: Design, goal: str) -> str:
        m = best.annotators
        pilot = self.pilot
        by = f"by {_count_of(m, 'annotator')} each ({self._cost(best)})"
        if not self.piloted:
            return f"{number_of(best)} documents {by}: {goal}."
        done = sum(n for k, n in pilot.mix.items() if k >= m) / pilot.marked
        # The pilot is large enough only if it reaches the upper end of a range.
        more = (best.documents_range or (0.0, best.documents))[1] - done
        if m == pilot.annotators and more <= 0:
            return f"The pilot is enough: {goal} with {number_of(best)} documents {by}."
        if m == pilot.annotators:
            few = f"{number_of(best, done)} more documents, not {_ordinal(m + 1)} annotator"
            return f"{few}: {goal} with {number_of(best)} documents {by}."
        if m > pilot.annotators:
            other = "more"
        else:
            other = "fewer"
        return (
            f"{number_of(best)} documents {by}, {other} annotators than the pilot's "
            f"{pilot.annotators}: {goal}."
        )

    def _cost(self, design: Design) -> str:
        """Return the cost in the user's prices if there are any, otherwise in annotations."""
        cost = cost_of(design)
        if self.prices.given:
            return f"cost {cost}"
        return f"{cost} annotations"


def number_of(design: Design, done: float = 0.0) -> str:
    """Return the number of documents of a design in words, or a range if the pilot is small.

    Parameters
    ----------
    design
        A design of the plan.
    done
        Number of documents to subtract, such as those that are annotated already.
    """
    if design.documents_range is None:
        return f"{design.documents - done:.0f}"
    low, high = (max(0.0, end - done) for end in design.documents_range)
    return f"{low:.0f} to {high:.0f}"


def cost_of(design: Design) -> str:
    """Return the cost of a design in words, or a range if the pilot is small.

    Parameters
    ----------
    design
        A design of the plan.
    """
    if design.cost_range is None:
        return f"{design.cost:,.0f}"
    low, high = design.cost_range
    return f"{low:,.0f} to {high:,.0f}"


def _count_of(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _ordinal(n: int) -> str:
    words = {3: "a third", 4: "a fourth", 5: "a fifth", 6: "a sixth"}
    return words.get(n, f"a {n}th")
