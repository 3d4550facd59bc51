"""Segments and units, and the warning about differences from pygamma-agreement."""

from __future__ import annotations

import tomllib
import warnings
from dataclasses import dataclass
from functools import cache, total_ordering
from pathlib import Path
from typing import Any

__all__ = ["PygammaDifference", "Segment", "Unit", "place", "tell"]

try:
    from pyannote.core import Segment
except ImportError:

    @dataclass(frozen=True, order=True)
    class Segment:  # type: ignore[no-redef]
        """Stand-in for `pyannote.core.Segment` where that is not installed."""

        start: float = 0.0
        end: float = 0.0


class PygammaDifference(UserWarning):
    """Warning that a result here differs from that of pygamma-agreement."""


@cache
def tell(difference: str) -> None:
    """Warn once per process of `difference`, a key of `differences.toml`."""
    text = Path(__file__).with_name("differences.toml").read_text(encoding="utf-8")
    warnings.warn(tomllib.loads(text)[difference], PygammaDifference, stacklevel=4)


@total_ordering
@dataclass(frozen=True)
class Unit:
    """A segment with its category, which is None for an unlabelled unit; those are sorted first."""

    segment: Any
    annotation: str | None = None

    def __lt__(self, other: Unit) -> bool:
        """Compare by start, end and category."""
        return place(self) < place(other)


def place(unit: Unit) -> tuple[float, float, bool, str]:
    """Return the key by which units are sorted."""
    label = unit.annotation
    return unit.segment.start, unit.segment.end, label is not None, "" if label is None else label
