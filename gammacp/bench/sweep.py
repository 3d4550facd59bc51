"""Sweeps: their configuration, their tasks and the tasks' cells.

A cell is (experiment, error, magnitude, set, measure) under one configuration. A task computes
the missing measures of one (error, magnitude, set), because they share the continuum.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from hashlib import sha256
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from gammacp.base.arguments import whole
from gammacp.base.version import __version__
from gammacp.bench.seeds import DRAWS, MAGNITUDE_DECIMALS
from gammacp.errors import UsageError
from gammacp.measures.registry import PAPER_MEASURES

# The measures of the figures of 2015 §6.3.


class AnnotationSource(Protocol):
    """Source of annotation sets; picklable."""

    def configuration(self) -> Mapping[str, object]:
        """Everything that decides the continua, to be compared and hashed."""
        ...

    def draw(
        self, error: str, magnitude: float, set_number: int, *, n_annotators: int, seed: int
    ) -> Any:
        """Annotation set number `set_number`, of units or of trees.

        The arguments decide it to the last bit, in any order and in any process.

        Parameters
        ----------
        error
            The errors that are made, as `split` or `position+category`.
        magnitude
            In [0, 1].
        set_number
            Number of the set, from 0.
        n_annotators
            Number of annotators.
        seed
            Seed of the sweep.
        """
        ...


@dataclass(frozen=True, slots=True, order=True)
class SweepTask:
    """The measures to compute of one annotation set."""

    error: str
    magnitude: float
    set_number: int
    measures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """One computed value, as the store keeps it.

    Attributes
    ----------
    value
        The agreement; NaN if undefined, then `reason` says why.
    status, bound
        For values that rest on an alignment: `optimal` or `feasible` (a limit stopped the
        solver), and the certified bound; None for the others.
    samples
        Random annotation sets that the value took; None for measures that need none.
    seconds
        Processor time of this measure. The continuum's making counts with the first measure.
    signature
        Signature of the value.
    """

    error: str
    magnitude: float
    set_number: int
    measure: str
    value: float
    reason: str | None = None
    status: str | None = None
    bound: float | None = None
    samples: int | None = None
    seconds: float = 0.0
    signature: str = ""


def magnitudes_by(step: float) -> tuple[float, ...]:
    """0, step, 2·step, … and 1.

    Parameters
    ----------
    step
        In (0, 1].

    Raises
    ------
    UsageError
        It is not.

    >>> magnitudes_by(0.25)
    (0.0, 0.25, 0.5, 0.75, 1.0)
    >>> magnitudes_by(0.4)
    (0.0, 0.4, 0.8, 1.0)
    """
    if not 0 < step <= 1:
        raise UsageError(f"step {step:g} is not in (0, 1]")
    below = range(math.ceil(round(1 / step, MAGNITUDE_DECIMALS)))
    return (*(round(i * step, MAGNITUDE_DECIMALS) for i in below), 1.0)


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """A sweep: errors × magnitudes × sets × measures of annotation sets from a source.

    Attributes
    ----------
    source
        Source of the annotation sets.
    errors
        Names, or combinations ("position+category").
    measures
        Names of registered measures.
    magnitudes
        In [0, 1], kept to nine decimals.
    sets, n_annotators
        Annotation sets per magnitude (paper: 40) and annotators of each (3).
    seed
        Entropy of all random streams.
    options
        Options of the measures (chance, precision, …): plain values, or objects with a signature.
        `seed` is not among them: every set has its own.
    beyond_chance
        Whether values are the measures' disagreements against chance, 1 − D_o/E[D], instead of the
        measures themselves.
    modules
        Modules to import before anything is computed, on every worker: those of the user's own
        measures, errors and dissimilarities.
    experiment
        The name under which a store keeps the sweep.
    """

    source: AnnotationSource
    errors: tuple[str, ...]
    measures: tuple[str, ...] = PAPER_MEASURES
    magnitudes: tuple[float, ...] = field(default_factory=lambda: magnitudes_by(0.05))
    sets: int = 40
    n_annotators: int = 3
    seed: int = 0
    options: Mapping[str, object] = field(default_factory=dict)
    beyond_chance: bool = False
    modules: tuple[str, ...] = ()
    experiment: str = "bench"

    def __post_init__(self) -> None:
        """Check ranges; round magnitudes to what a store keeps apart."""
        for name, least in (("sets", 1), ("n_annotators", 2), ("seed", 0)):
            whole(name, getattr(self, name), least)
        swept = {"error": self.errors, "measure": self.measures, "magnitude": self.magnitudes}
        for kind, entries in swept.items():
            if not entries:
                raise UsageError(f"a sweep needs at least one {kind}")
            twice = [name for name in entries if entries.count(name) > 1]
            if twice and kind != "magnitude":
                raise UsageError(f"{kind} {twice[0]!r} is named twice")
        if not self.experiment:
            raise UsageError("an experiment needs a name")
        for magnitude in self.magnitudes:
            if not 0 <= magnitude <= 1:
                raise UsageError(f"magnitude {magnitude:g} is not in [0, 1]")
        rounded = sorted({round(m, MAGNITUDE_DECIMALS) + 0.0 for m in self.magnitudes})
        object.__setattr__(self, "magnitudes", tuple(rounded))
        if "seed" in self.options:
            raise UsageError("option 'seed' is the sweep's own: give the sweep its seed")

    @property
    def configuration(self) -> dict[str, object]:
        """Return what decides a value besides error, magnitude, set and measure."""
        return {
            "source": dict(self.source.configuration()),
            "n_annotators": self.n_annotators,
            "seed": self.seed,
            "draws": DRAWS,
            "options": to_json(self.options),
            "gammacp": __version__,
            **({"beyond_chance": True} if self.beyond_chance else {}),
        }

    @property
    def n_cells(self) -> int:
        """Cells of the whole sweep, a measure per category counted once."""
        return len(self.errors) * len(self.magnitudes) * self.sets * len(self.measures)

    def tasks(self) -> Iterator[SweepTask]:
        """All tasks, set by set, so that a sweep that is stopped has even curves."""
        for set_number in range(self.sets):
            for error in self.errors:
                for magnitude in self.magnitudes:
                    yield SweepTask(error, magnitude, set_number, self.measures)


def canonical(configuration: Mapping[str, object]) -> str:
    """Return a configuration as JSON with sorted keys, by which configurations are compared."""
    return json.dumps(to_json(configuration), sort_keys=True, ensure_ascii=False)


def configuration_hash(configuration: Mapping[str, object]) -> str:
    """16 hexadecimal digits that stand for a configuration."""
    return sha256(canonical(configuration).encode()).hexdigest()[:16]


def to_json(value: object) -> object:
    """Return a value as JSON: an object (a dissimilarity, a reference model) by class and fields.

    Parameters
    ----------
    value
        A number, text, sequence or mapping, or an object with fields.

    Raises
    ------
    UsageError
        The object has nothing to be described by.
    """
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(k): to_json(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(v) for v in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, value))
    if isinstance(value, np.ndarray):
        return sha256(repr((value.shape, value.tolist())).encode()).hexdigest()[:16]
    if isinstance(value, (type, FunctionType)):
        return {"is": f"{value.__module__}:{value.__qualname__}"}
    kind = type(value)
    ours = kind.__module__.startswith(("gammacp.", "shuffling."))
    if ours:
        name = kind.__qualname__
    else:
        name = f"{kind.__module__}:{kind.__qualname__}"
    record: dict[str, object] = {"class": name}
    if is_dataclass(value):
        # A field that came later is left out at its default, so that old stores stay valid.
        later = {
            f.name for f in fields(value) if f.metadata and getattr(value, f.name) == f.default
        }
        names = [f.name for f in fields(value) if f.name not in later]
    elif hasattr(value, "__dict__"):
        names = list(vars(value))
    else:
        raise UsageError(f"{kind.__qualname__} cannot be described: give it fields")
    return record | {n: to_json(getattr(value, n)) for n in names}


def modules_in(described: object) -> Iterator[str]:
    """Modules of the user's own classes and functions in a description.

    Parameters
    ----------
    described
        Result of `to_json`.
    """
    if isinstance(described, dict):
        for key in ("class", "is"):
            module, colon, _ = str(described.get(key, "")).partition(":")
            if colon:
                yield module
        described = list(described.values())
    if isinstance(described, list):
        for part in described:
            yield from modules_in(part)
