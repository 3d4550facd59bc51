"""Segments and units as in pygamma-agreement, and warnings where results differ from it."""

from __future__ import annotations

import inspect
import tomllib
import warnings
from dataclasses import dataclass
from functools import cache, total_ordering
from pathlib import Path
from typing import Any

__all__ = ["PygammaDifference", "Segment", "Unit", "sort_key", "warn_of_difference"]

_FOLDER = Path(__file__).parent

try:
    from pyannote.core import Segment
except ImportError:

    @dataclass(frozen=True, order=True)
    class Segment:  # type: ignore[no-redef]
        """Stand-in for `pyannote.core.Segment` without its methods, if that is not installed."""

        start: float = 0.0
        end: float = 0.0


class PygammaDifference(UserWarning):
    """Warning that a result here differs from that of pygamma-agreement."""


# The cache makes each warning appear once in a process.
@cache
def warn_of_difference(key: str) -> None:
    """Warn once of a difference, at the user's line that called this package.

    Parameters
    ----------
    key
        Key of the text in `differences.toml`.
    """
    texts = tomllib.loads((_FOLDER / "differences.toml").read_text(encoding="utf-8"))
    warnings.warn(texts[key], PygammaDifference, stacklevel=_stacklevel_of_user())


def _stacklevel_of_user() -> int:
    """Return the `stacklevel` of the first frame outside this package, for `warnings.warn`."""
    frame = inspect.currentframe()
    level = 0  # of this function; its caller, which warns, has level 1
    while frame is not None and Path(frame.f_code.co_filename).parent == _FOLDER:
        level += 1
        frame = frame.f_back
    return level


@total_ordering
@dataclass(frozen=True)
class Unit:
    """A segment with its category, as in pygamma-agreement; not a `gammacp.Unit`.

    Units are sorted by start, end and category; unlabelled ones come first.

    Attributes
    ----------
    segment
        A pyannote `Segment`, or anything with `start` and `end`.
    annotation
        The category; None if the unit is unlabelled.
    """

    segment: Any
    annotation: str | None = None

    def __lt__(self, other: Unit) -> bool:
        """Compare by start, end and category."""
        return sort_key(self) < sort_key(other)


def sort_key(unit: Unit) -> tuple[float, float, bool, Any]:
    """Return the key by which units are sorted; labels need not be strings."""
    is_labelled = unit.annotation is not None
    label = unit.annotation if is_labelled else ""
    return unit.segment.start, unit.segment.end, is_labelled, label
