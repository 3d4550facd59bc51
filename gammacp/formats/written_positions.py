"""Positions as tables write them: plain numbers, decimal commas, times of a clock."""

import re
from fractions import Fraction

from gammacp.formats.positions import LARGEST, position

_COMMA = re.compile(r"[-+]?\d+,\d+$", re.ASCII)
_CLOCK = re.compile(r"(-?)(?:(\d{1,9}):)?(\d{1,9}):(\d\d)(?:[.,](\d{1,30}))?$", re.ASCII)
_POINTS = "decimal points"
_COMMAS = "decimal commas"
_CLOCKS = "hh:mm:ss"


class WrittenPositions:
    """The positions of one table, all written in one way.

    If `commas` are allowed, a comma in a number is a decimal comma. They are allowed if commas do
    not separate cells or group thousands. A time of a clock (`1:02:03.5`, `02:03.5`) is converted
    to seconds.

    Parameters
    ----------
    commas
        Whether numbers may have decimal commas.
    """

    def __init__(self, *, commas: bool) -> None:
        """Start without any position."""
        self._commas = commas
        self._first: dict[str, object] = {}

    @property
    def are_times(self) -> bool:
        """Return whether the positions so far are times of a clock, in seconds."""
        return _CLOCKS in self._first

    def number(self, text: str, place: object) -> float:
        """Return the number that a cell writes.

        Parameters
        ----------
        text
            The cell.
        place
            Place of the number, for messages about later numbers in another form.

        Raises
        ------
        ValueError
            It is no number, or is written in another way than one before.
        """
        if ":" in text:
            return _in_range(self._seconds(text, place), text)
        if self._commas and _COMMA.match(text):
            self._check_alike(_COMMAS, text, place)
            return position(text.replace(",", "."))
        value = position(text)
        if "." in text or _CLOCKS in self._first:
            self._check_alike(_POINTS, text, place)
        elif not self._first:
            self._first[""] = place  # A whole number excludes times of a clock from now on.
        return value

    def _seconds(self, text: str, place: object) -> Fraction:
        value = _clock(text)
        self._check_alike(_CLOCKS, text, place)
        return value

    def _check_alike(self, way: str, text: str, place: object) -> None:
        """Raise an error if an earlier position was written in an incompatible form."""
        whole = way != _CLOCKS and _CLOCKS not in self._first
        other = next((w for w in self._first if w != way and not (w == "" and whole)), None)
        if other is not None:
            raise ValueError(
                f"{text!r} is written otherwise than the positions of {self._first[other]}"
                f"{f', which have {other}' if other else ''}"
            )
        self._first.setdefault(way, place)


def _clock(text: str) -> Fraction:
    match = _CLOCK.match(text.strip())
    sign, hours, minutes, seconds, rest = match.groups() if match else ("", None, "", "", None)
    if match is None or int(seconds) > 59 or (hours is not None and int(minutes) > 59):
        raise ValueError(f"{text.strip()!r} is not a time hh:mm:ss")
    if hours is None and rest is None:
        raise ValueError(f"{text.strip()!r} may be hh:mm or mm:ss; write hh:mm:ss")
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    value = whole + Fraction(f"0.{rest or 0}")
    if sign:
        return -value
    return value


def _in_range(value: Fraction, text: str) -> float:
    if abs(value) > LARGEST:
        raise ValueError(f"{text.strip()} is beyond 2^53 seconds and cannot be kept exactly")
    return float(value)
