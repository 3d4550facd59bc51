"""Results of measures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from gammacp.base.lazy import Plotted
from gammacp.base.record_tables import record_of
from gammacp.chance.beyond import BeyondChance

if TYPE_CHECKING:
    from gammacp.alignment import Status
    from gammacp.base.pictures import Picture
    from gammacp.measures.counting import Counts


@dataclass(frozen=True, kw_only=True)
class ChanceBaseline:
    """Random annotation sets that a value is compared with.

    Attributes
    ----------
    model
        The chance model with what it decided by itself; "" for a value that is not against chance.
    samples
        Number of random sets.
    p
        Share of the random sets, the observed one among them, that agree at least as well.
    least_p
        The least p that the random sets can give.
    """

    model: str = ""
    samples: int = 0
    p: float | None = None
    least_p: float | None = None


@dataclass(frozen=True, kw_only=True)
class Score(Plotted):
    """An agreement: 1 is perfect; a fraction, never percent.

    Attributes
    ----------
    value
        The agreement; NaN where it is undefined (then `reason` says why) and for measures that
        have one value per category.
    observed, expected
        Quantities that the value is computed from, in the measure's own terms; None where it has
        none.
    interval
        95 % Monte-Carlo interval, widened by unproven bounds.
    bootstrap
        95 % bootstrap interval; a different thing, kept apart.
    by_category
        Value per category, for measures that have them.
    status
        `optimal` if the observed alignment and those of all random sets are proven, and no
        interruption cut them short; None where nothing was aligned.
    baseline
        The random sets of a value that is against chance already. Its parts can also be read as
        `chance` (the model), `samples`, `p` and `least_p` of the score.
    reason
        Reason why the value is undefined.
    notes
        Facts that a reader of the value must know; sentences without a full stop.
    signature
        Signature of the value.
    beyond_chance
        The measure's disagreement against a chance model, where that was asked for.
    counts
        Counts that the value is made of, for sums over documents; None of measures that do not add
        up.
    """

    value: float
    observed: float | None = None
    expected: float | None = None
    interval: tuple[float, float] | None = None
    bootstrap: tuple[float, float] | None = None
    by_category: Mapping[str, float] = field(default_factory=dict)
    status: Status | None = None
    baseline: ChanceBaseline = ChanceBaseline()
    reason: str | None = None
    notes: tuple[str, ...] = ()
    signature: str = ""
    beyond_chance: BeyondChance | None = None
    counts: Counts | None = None

    def __init_subclass__(cls) -> None:
        """Every score is compared and shown as this one: dataclasses trip over arrays and NaN."""
        cls.__eq__, cls.__hash__ = Score.__eq__, Score.__hash__  # type: ignore[method-assign]
        cls.__repr__ = Score.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Return the value and what a reader of it needs; `as_dict` has everything.

        >>> print(repr(Score(value=0.5, observed=0.25, interval=(0.4, 0.6), notes=("a tie",))))
        Score(0.5, interval=(0.4, 0.6), observed=0.25
              note: a tie)
        """
        attributes: dict[str, Any] = {
            "interval": self.interval,
            "bootstrap": self.bootstrap,
            "observed": self.observed,
        }
        attributes |= {"expected": self.expected, "status": self.status and str(self.status)}
        attributes |= {"by_category": dict(self.by_category) or None, "reason": self.reason}
        return described(self, attributes)

    def __eq__(self, other: object) -> bool:
        """Return whether all fields are equal, signature and numbers; NaN equals NaN."""
        if isinstance(other, Score):
            return _same(self, other)
        return NotImplemented

    def __hash__(self) -> int:
        """Consistent with `==`."""
        return hash((type(self), self.signature))

    def _repr_html_(self) -> str:
        from gammacp.base.display import as_html

        return as_html("score", self)

    def _picture(self, width: float) -> Picture:
        """Draw the value with its intervals and its parts.

        Parts are the alignment of γ of one text, the documents of a corpus, or categories.
        """
        from gammacp.measures.figure import picture_of

        return picture_of(self, width)

    @property
    def defined(self) -> bool:
        """Return whether there is a value."""
        return not math.isnan(self.value)

    @property
    def chance(self) -> str:
        """Chance model of the baseline; "" where the value is not against chance."""
        return self.baseline.model

    @property
    def samples(self) -> int:
        """Number of random sets in the baseline."""
        return self.baseline.samples

    @property
    def p(self) -> float | None:
        """Share of the random sets that agree at least as well; None where it is not computed."""
        return self.baseline.p

    @property
    def least_p(self) -> float | None:
        """The least p that the random sets can give; None where there is no p."""
        return self.baseline.least_p

    def as_dict(self) -> dict[str, Any]:
        """Return the score as JSON has it, in plain values; NaN stays, for the writer to make null.

        `beyond_chance` is there if it was asked for.
        """
        return {
            **record_of(self, "value observed expected interval bootstrap"),
            "by_category": dict(self.by_category) or None,
            **record_of(self, "status reason"),
            "notes": list(self.notes),
            **record_of(self, "signature beyond_chance" if self.beyond_chance else "signature"),
        }


class Scores(dict[str, Any]):
    """Scores by measure; notebooks show them as a table."""

    def _repr_html_(self) -> str:
        from gammacp.base.display import as_html

        return as_html("scores", self)


def described(score: Any, attributes: Mapping[str, Any]) -> str:
    """Return a score in a line, its notes below.

    Parameters
    ----------
    score
        A score with a value and notes.
    attributes
        Other parts of the line, by name; None is left out.
    """
    name = type(score).__name__
    parts = [f"{key}={_short(value)}" for key, value in attributes.items() if value is not None]
    lines = [f"{name}({', '.join([_short(score.value), *parts])}"]
    lines += [f"note: {note}" for note in score.notes]
    return f"\n{' ' * (len(name) + 1)}".join(lines) + ")"


def _short(value: Any) -> str:
    """Return a value with numbers as tables show them."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_short, value))})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_short(v)}' for key, v in value.items())}}}"
    return str(value)


def _same(one: Any, other: Any) -> bool:
    """Return whether two fields of scores are equal, to the last one inside them."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, float):
        return one == other or (math.isnan(one) and math.isnan(other))
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(_same, one, other))
    generated = getattr(getattr(one, "__dataclass_params__", None), "eq", False)
    if isinstance(one, Score) or generated:
        return all(_same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    return bool(one == other)


def undefined(reason: str, **known: Any) -> Score:
    """Return a Score without a value that says why.

    Parameters
    ----------
    reason
        Reason why there is no value.
    known
        Fields of `Score` that are known all the same: `observed`, `expected`, `signature`.
    """
    return Score(value=math.nan, reason=reason, **known)
