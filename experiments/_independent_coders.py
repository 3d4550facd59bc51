"""Independent coders of segmentations, from processes that are none of the chance models.

Each coder's segments follow a random process that does not depend on the text. The text begins and
ends at any point of the process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.continuum import Continuum
from gammacp.segmentation import Codings, Segmentation

# As multiples of the average rate.
UNLIKE = (0.4, 0.8, 1.2, 2.0)

Law = Callable[[float, int, np.random.Generator], Floats]


def _two_states(mean: float, many: int, rng: np.random.Generator) -> Floats:
    """Draw lengths in runs of short segments and runs of long ones."""
    long = np.cumsum(rng.random(many) < 0.2) % 2 == int(rng.integers(2))
    lengths: Floats = rng.gamma(8.0, mean * np.where(long, 1.6, 0.4) / 8)
    return lengths


def _alternating(mean: float, many: int, rng: np.random.Generator) -> Floats:
    """Draw lengths that are alternately short and long."""
    long = (np.arange(many) + int(rng.integers(2))) % 2 == 1
    lengths: Floats = rng.normal(mean * np.where(long, 1.5, 0.5), 1)
    return lengths


def _slow(mean: float, many: int, rng: np.random.Generator) -> Floats:
    """Draw lengths that are each similar to the one before."""
    steps, logs = rng.normal(0, 0.3, many), np.empty(many)
    logs[0] = rng.normal(0, 0.5)
    for k in range(1, many):
        logs[k] = 0.8 * logs[k - 1] + steps[k]
    lengths: Floats = mean * np.exp(logs - 0.125)
    return lengths


LAWS: Mapping[str, Law] = {
    "gamma": lambda mean, n, rng: rng.gamma(2.0, mean / 2, n),
    "regular": lambda mean, n, rng: rng.normal(mean, mean / 10, n),
    "exact": lambda mean, n, _: np.full(n, mean),
    "pareto": lambda mean, n, rng: 0.6 * mean * (1 - rng.random(n)) ** (-1 / 2.5),
    "geometric": lambda mean, n, rng: rng.geometric(1 / mean, n).astype(np.float64),
    "lognormal": lambda mean, n, rng: mean * rng.lognormal(-0.5, 1.0, n),
    "uniform": lambda mean, n, rng: mean * rng.uniform(0.8, 1.2, n),
    "two lengths": lambda mean, n, rng: mean * rng.choice([0.25, 1.75], n),
    "two states": _two_states,
    "alternating": _alternating,
    "slow": _slow,
}


@dataclass(frozen=True)
class Process:
    """Independent coders.

    Attributes
    ----------
    laws
        Distribution of each coder's segments, or one for all coders.
    means
        Mean length of each coder's segments.
    masses
        Masses of the items.
    density
        Variation of segment lengths between items: "" for none, "item" by a factor of the item that
        all coders share, "own" by a factor of item and coder.
    levels
        Whether every third boundary of a coder belongs to a chapter, the others to sections.
    start
        Whether all coders begin to count at the start of the item, so that they agree there.
    shared
        Share of the boundaries of a common truth that each coder keeps, moved by at most two; all
        others are anywhere. Such coders are not independent. They show the power of a test.
    """

    laws: tuple[str, ...] = ("gamma",)
    means: tuple[float, ...] = (20.0,) * 4
    masses: tuple[int, ...] = (200,) * 5
    density: str = ""
    levels: bool = False
    start: bool = False
    shared: float = 0.0

    @property
    def apart(self) -> str:
        """Return the reason for listing this process separately in the documentation."""
        if self.laws == ("alternating",):
            return "alternating"
        return "start" if self.start else f"shared {self.shared}" if self.shared else ""


_REGULAR = Process(("regular",))
PROCESSES: Mapping[str, Process] = {
    "like .02": Process(means=(50.0,) * 4),
    "like .05": Process(),
    "like .1": Process(means=(10.0,) * 4),
    "like .3": Process(means=(10 / 3,) * 4),
    "unlike .1": Process(means=tuple(10 / rate for rate in UNLIKE)),
    "regular": _REGULAR,
    "regular, own lengths": Process(("regular",), (12.0, 16.0, 24.0, 32.0)),
    "exact": Process(("exact",)),
    "pareto": Process(("pareto",)),
    "two states": Process(("two states",)),
    "geometric": Process(("geometric",)),
    "lognormal": Process(("lognormal",)),
    "two lengths": Process(("two lengths",)),
    "uniform, own lengths": Process(("uniform",), (15.0, 18.0, 22.0, 27.0)),
    "regular, few": Process(("regular",), (80.0,) * 3, (200,) * 20),
    "gamma, few": Process(("gamma",), (80.0,) * 3, (200,) * 20),
    "density of items": Process(("regular",), (20.0,) * 3, (200,) * 6, "item"),
    "density of items and coders": Process(("regular",), (20.0,) * 3, (200,) * 6, "own"),
    "one item": Process(("regular",), (10.0, 10.0), (60,)),
    "slow": Process(("slow",)),
    "unlike kinds": Process(
        ("exact", "geometric", "two states", "regular"), (15.0, 20.0, 25.0, 30.0)
    ),
    "unlike items": Process(("regular", "slow"), (12.0, 25.0), (60, 90, 140, 220, 400)),
    "levels": Process(("uniform",), (12.0, 16.0, 20.0), levels=True),
    "alternating": Process(("alternating",)),
    "from the start": replace(_REGULAR, start=True),
    "shared .2 regular": replace(_REGULAR, shared=0.2),
    "shared .5 regular": replace(_REGULAR, shared=0.5),
    "shared .2 gamma": Process(shared=0.2),
    "shared .5 gamma": Process(shared=0.5),
}


def drawn(cell: str, rng: np.random.Generator) -> Continuum:
    """Draw the coders of a cell as units that cover all items, with item and type as category."""
    process = PROCESSES[cell]
    coders = len(process.means)
    names = [f"{i} {kind}".strip() for i in range(len(process.masses)) for kind in _types(process)]
    columns: list[tuple[Indices, int, Indices]] = []
    begin = 0
    for item, mass in enumerate(process.masses):
        factor = (0.5, 0.5, 1.0, 1.0, 2.0, 2.0)[item] if process.density == "item" else 1.0
        law = process.laws[0]
        truth = _places(law, process.means[0] * factor, mass, process.start, rng)
        for coder in range(coders):
            density = rng.lognormal(0, 0.5) if process.density == "own" else factor
            law = process.laws[coder % len(process.laws)]
            places = _places(law, process.means[coder] * density, mass, process.start, rng)
            if process.shared:
                places = _seen(truth, mass, process.shared, rng)
            kinds = np.zeros(len(places) + 1, np.int64)
            if process.levels:
                kinds = (np.arange(len(kinds)) + int(rng.integers(3))) % 3 // 2
            codes = item * len(_types(process)) + kinds
            columns.append((begin + np.concatenate([[0], places, [mass]]), coder, codes))
        begin += mass
    return Continuum.from_codes(
        tuple(f"C{k + 1}" for k in range(coders)),
        tuple(names),
        np.concatenate([edges[:-1] for edges, _, _ in columns]).astype(np.float64),
        np.concatenate([edges[1:] for edges, _, _ in columns]).astype(np.float64),
        np.concatenate([np.full(len(e) - 1, coder) for e, coder, _ in columns]).astype(np.int32),
        np.concatenate([codes for _, _, codes in columns]).astype(np.int32),
    )


def _types(process: Process) -> tuple[str, ...]:
    return ("section", "chapter") if process.levels else ("",)


def _places(law: str, mean: float, mass: int, start: bool, rng: np.random.Generator) -> Indices:
    """Draw the places after which a coder's segments end; those at the item's ends are cut."""
    many = int(6 * (mass / mean + 12)) + 60
    masses = np.maximum(1, np.round(LAWS[law](mean, many, rng))).astype(np.int64)
    places = np.cumsum(masses) - (0 if start else int(mean * rng.uniform(6, 12)))
    inside: Indices = places[(places > 0) & (places < mass)]
    return inside


def _seen(truth: Indices, mass: int, share: float, rng: np.random.Generator) -> Indices:
    near = truth + rng.integers(-2, 3, len(truth))
    anywhere = rng.integers(1, mass, len(truth))
    places = np.where(rng.random(len(truth)) < share, near, anywhere)
    distinct: Indices = np.unique(places[(places > 0) & (places < mass)])
    return distinct


def codings_of(c: Continuum) -> Codings:
    """Return the codings of a set, separated by item."""
    item, _, kind = np.array([(*name.partition(" "),) for name in c.categories]).T
    items: dict[str, dict[str, Segmentation]] = {}
    for name in dict.fromkeys(item.tolist()):
        row: dict[str, Segmentation] = items.setdefault(name, {})
        for coder, annotator in enumerate(c.annotators):
            mine = (item[c.category_codes] == name) & (c.annotator_codes == coder)
            ends = np.cumsum(c.lengths[mine]).astype(np.int64)
            kinds = kind[c.category_codes[mine]][:-1]
            types = tuple(dict.fromkeys(sorted(kind.tolist()))) if any(kind) else ("boundary",)
            placed = {
                t: ends[:-1][kinds == t].tolist() if any(kind) else ends[:-1].tolist()
                for t in types
            }
            row[annotator] = Segmentation.from_typed(placed, mass=int(ends[-1]), types=types)
    return Codings.of(items)
