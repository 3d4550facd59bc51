"""Extensions of every kind, as a user would write them: `gammacp --import own.py …`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from gammacp.alignment import SOLVERS
from gammacp.alignment import register as register_solver
from gammacp.alignment.constraints import Constraint, registered_constraint
from gammacp.chance.registry import CHANCE_MODELS, registered
from gammacp.continuum import Continuum, Unit
from gammacp.dissimilarity import CATEGORIAL, DISSIMILARITIES, POSITIONAL
from gammacp.formats.registry import registered as registered_format
from gammacp.measures.registry import Measure
from gammacp.measures.registry import register as register_measure
from gammacp.measures.score import Score
from shuffling.registry import register as register_error
from shuffling.setting import Units


class Starts:
    """Positional dissimilarity |start_u − start_v| / 10."""

    signature = "own-starts"

    def pairwise(self, u: Any, v: Any) -> Any:
        return np.abs(u.start - v.start) / 10


@dataclass(frozen=True)
class Initials:
    """Categorial dissimilarity of 0 for the same first letter, else 1."""

    signature: str = "own-initials"

    def distances(self, categories: tuple[str, ...]) -> Any:
        first = np.array([c[:1] for c in categories])
        return (first[:, None] != first).astype(float)


@dataclass(frozen=True)
class Ends:
    """Whole dissimilarity |end_u − end_v| / 10."""

    signature: str = "own-ends"

    def pairwise(self, u: Any, v: Any) -> Any:
        return np.abs(u.end - v.end) / 10


def share_of_first(continuum: Continuum) -> Score:
    """Return the share of the units that the first annotator has."""
    first = sum(u.annotator == continuum.annotators[0] for u in continuum)
    return Score(value=first / continuum.n_units, signature="own-share")


@dataclass(frozen=True)
class Renamed:
    sampler: Any
    signature: str = "own-shift"

    def draw(self, rng: np.random.Generator) -> Continuum:
        drawn: Continuum = self.sampler.draw(rng)
        return drawn


def prepare(continua: Sequence[Continuum], n_annotators: int) -> Renamed:
    return Renamed(CHANCE_MODELS["shift"].prepare(continua, n_annotators))


@register_error
@dataclass(frozen=True)
class Late:
    """Error that makes every unit start later, by a share of its length."""

    name: ClassVar[str] = "own-late"
    summary: ClassVar[str] = "starts are late"
    source: ClassVar[str] = "a test"
    share: float = 0.5

    def apply(self, units: Any, magnitude: float, setting: Any, rng: Any) -> Any:  # noqa: ARG002
        return Units.sort(
            units.starts + magnitude * self.share * units.lengths, units.ends, units.codes
        )


def sniff(head: bytes, _path: Path) -> bool:
    return head.startswith(b"OWN\n")


def read(source: Any) -> Continuum:
    lines = source.content.decode().splitlines()[1:]
    rows = [line.split() for line in lines]
    return Continuum.from_units(Unit(a, float(s), float(e), c) for a, c, s, e in rows)


@registered_constraint("own-within")
@dataclass(frozen=True)
class Within(Constraint):
    """Constraint that units of a group start at most `most` apart."""

    most: float

    def allows_pairs(self, c: Continuum, first: Any, second: Any) -> Any:
        """Return the pairs that start near enough."""
        return np.abs(c.starts[first] - c.starts[second]) <= self.most


POSITIONAL.register("own-starts", Starts())  # type: ignore[arg-type]
CATEGORIAL.register("own-initials", Initials())
DISSIMILARITIES.register("own-ends", Ends())
register_measure(
    Measure(name="own-share", summary="a test", reference="none", function=share_of_first)
)
registered("own-shift", "a test", "none", built_from_all=False)(prepare)
register_solver(replace(SOLVERS["auto"], name="own-solver"))
registered_format("own-format", "a test", (".own",), sniff, read)
