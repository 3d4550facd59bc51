"""Corrections of one annotator's positions: factors, shifts, and ends that are off by one.

They are written as `Ann: end+1`, `Ann: x1000`, `Ann: x1/25`, `Ann: +250`, `Ann: +250 from 1200`,
and `DOCUMENT/Ann: …` for one document alone; several, joined by commas, apply one after the other.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.continuum import Bounds, Continuum, Unit
from gammacp.continuum.columns import check_known
from gammacp.errors import DataError, UsageError
from gammacp.formats.positions import as_text

# Digits to which products and sums are rounded, so that they equal the decimals that are meant.
_DECIMALS = 9
# Largest whole number up to which positions are exact as floats.
_LARGEST = 2**53
_NUMBER = r"\d+(?:\.\d+)?"
_FORM = re.compile(
    rf"(?P<times>[x×])\s*(?P<over>{_NUMBER})(?:\s*/\s*(?P<under>{_NUMBER}))?"
    rf"|(?P<side>start|end|)\s*(?P<sign>[+-])\s*(?P<by>{_NUMBER})"
    rf"(?:\s+from\s+(?P<since>-?{_NUMBER}))?"
)
FORM = "ANNOTATOR: end+1, ANNOTATOR: x1000 or ANNOTATOR: +250"


@dataclass(frozen=True)
class PositionMap:
    """One change of positions: a factor, or an addition to starts, to ends or to both.

    Attributes
    ----------
    factor
        Factor by which positions are multiplied.
    start, end
        Numbers that are added to starts and to ends.
    since
        Units that start here or later are changed; None: all units.
    """

    factor: Fraction = Fraction(1)
    start: float = 0.0
    end: float = 0.0
    since: float | None = None

    def __str__(self) -> str:
        """Return the map in the form in which it is written."""
        if self.factor != 1:
            return f"x{self.factor}"
        if self.start == self.end:
            side = ""
        elif self.start:
            side = "start"
        else:
            side = "end"
        by = self.start or self.end
        if self.since is None:
            since = ""
        else:
            since = f" from {as_text(self.since)}"
        return f"{side}{'-' if by < 0 else '+'}{as_text(abs(by))}{since}"

    def inverse(self) -> "PositionMap":
        """Return the map that undoes this one."""
        if self.since is None:
            since = None
        else:
            since = self.since + self.start
        return PositionMap(1 / self.factor, -self.start or 0.0, -self.end or 0.0, since)

    def of(self, starts: Floats, ends: Floats) -> tuple[Floats, Floats]:
        """Return the starts and ends of units as they are after this map.

        Parameters
        ----------
        starts, ends
            One entry per unit.
        """
        if self.factor != 1:
            over = self.factor.numerator
            under = self.factor.denominator
            return _rounded(starts * over / under), _rounded(ends * over / under)
        if self.since is None:
            here = np.full(len(starts), True)
        else:
            here = starts >= self.since
        moved = np.where(here, _rounded(starts + self.start), starts)
        return moved, np.where(here, _rounded(ends + self.end), ends)


def _rounded(values: Floats) -> Floats:
    return np.round(values, _DECIMALS)


def position_maps(text: str) -> tuple[PositionMap, ...]:
    """Parse the maps that a text describes, in the order in which they apply.

    Parameters
    ----------
    text
        Text such as `end+1` or `x1000, +250`.

    Raises
    ------
    UsageError
        The text is not in this form.

    >>> [str(m) for m in position_maps("x1/25, +250 from 1200")]
    ['x1/25', '+250 from 1200']
    """
    maps: list[PositionMap] = []
    for part in text.split(","):
        match = _FORM.fullmatch(part.strip())
        if match is None:
            raise UsageError(f"`positions=` {text!r} is not {FORM}")
        maps.append(_map_of(match, text))
    return tuple(maps)


def _map_of(match: re.Match[str], text: str) -> PositionMap:
    if match["times"]:
        over = Fraction(match["over"])
        under = Fraction(match["under"] or 1)
        if not under or not over:
            raise UsageError(f"`positions=` {text!r} has a factor that is not > 0")
        factor = over / under
        if max(factor.numerator, factor.denominator) > _LARGEST:
            raise UsageError(f"`positions=` {text!r} has a factor that is too large or too small")
        return PositionMap(factor)
    by = float(match["sign"] + match["by"])
    if match["since"] is None:
        since = None
    else:
        since = float(match["since"])
    start = by * (match["side"] != "end")
    end = by * (match["side"] != "start")
    return PositionMap(start=start, end=end, since=since)


def written_positions(entries: Iterable[str]) -> dict[str, str]:
    """Sort entries such as `Ann: end+1` by annotator.

    Parameters
    ----------
    entries
        Entries; those of one annotator apply one after the other.

    Raises
    ------
    UsageError
        An entry has no annotator.

    >>> written_positions(["Ann: x1000", "Ann: +250"])
    {'Ann': 'x1000, +250'}
    """
    maps_by_annotator: dict[str, str] = {}
    for entry in entries:
        annotator, colon, maps = entry.rpartition(":")
        if not (colon and annotator.strip() and maps.strip()):
            raise UsageError(f"`positions=` {entry!r} is not {FORM}")
        name = annotator.strip()
        maps_by_annotator[name] = (
            f"{maps_by_annotator[name]}, {maps.strip()}"
            if name in maps_by_annotator
            else maps.strip()
        )
    return maps_by_annotator


def move_positions(
    continua: Sequence[Continuum], positions: Mapping[str, str] | Iterable[str]
) -> list[Continuum]:
    """Return the continua with the positions of some annotators moved.

    Parameters
    ----------
    continua
        Continua with their names.
    positions
        Maps by annotator, or by DOCUMENT/ANNOTATOR; or entries such as `Ann: end+1`.

    Raises
    ------
    UsageError
        An entry is no map.
    DataError
        An annotator does not occur, or a moved unit lies outside of its text.
    """
    entries = [positions] if isinstance(positions, str) else positions
    written = dict(entries) if isinstance(entries, Mapping) else written_positions(entries)
    maps = {name: position_maps(text) for name, text in written.items()}
    annotator_of_name = {f"{c.name}/{a}": a for c in continua for a in c.annotators}
    people = tuple(sorted(set(annotator_of_name.values())))
    check_known({annotator_of_name.get(name, name) for name in maps}, people, "annotator")
    return [_moved(c, maps, written) for c in continua]


def _moved(
    c: Continuum, maps: Mapping[str, tuple[PositionMap, ...]], written: Mapping[str, str]
) -> Continuum:
    keys = {a: next((k for k in (f"{c.name}/{a}", a) if k in maps), None) for a in c.annotators}
    chosen = {a: key for a, key in keys.items() if key is not None}
    if not chosen:
        return c
    if c.axes > 1:
        raise DataError(f"`positions=` does not apply to shapes ({c.name})")
    if c.markable:
        raise DataError(
            f"`positions=` does not move stretches that can be marked ({c.name})",
            hint="Give the stretches with `markable=`, in the positions that result",
        )
    units = [_unit(u, maps[chosen[u.annotator]]) if u.annotator in chosen else u for u in c]
    until = dict(c.read_until)
    for annotator in chosen.keys() & until.keys():
        until[annotator] = _place(until[annotator], maps[chosen[annotator]])
    _check_inside(c, units)
    moved = Continuum.from_units(
        units,
        annotators=c.annotators,
        categories=c.categories,
        bounds=_bounds(c, units),
        name=c.name,
        offset_unit=c.offset_unit,
        text=c.text,
        links=c.links,
        grid=c.grid,
        read_until=until,
    )
    moved = replace(moved, about=replace(c.about, read_until=moved.about.read_until))
    for annotator, key in chosen.items():
        moved = moved.noting("positions", f"{annotator}: {written[key]}")
    return moved


def _unit(unit: Unit, maps: Sequence[PositionMap]) -> Unit:
    parts = unit.fragments or ((unit.start, unit.end),)
    starts, ends = (np.array(side, np.float64) for side in zip(*parts, strict=True))
    for step in maps:
        # A unit is moved with all its fragments or not at all.
        if step.since is None or starts[0] >= step.since:
            starts, ends = replace(step, since=None).of(starts, ends)
    if (ends < starts).any():
        place = f"{unit.annotator} at {unit.start:g}"
        raise DataError(f"a unit by {place} would end before it starts with `positions=`")
    pairs = tuple(zip(starts.tolist(), ends.tolist(), strict=True))
    return replace(
        unit, start=pairs[0][0], end=pairs[-1][1], fragments=pairs if unit.fragments else ()
    )


def _place(place: float, maps: Sequence[PositionMap]) -> float:
    one = np.array([place])
    for step in maps:
        one = step.of(one, one)[0]
    return float(one[0])


def _bounds(c: Continuum, units: Sequence[Unit]) -> Bounds | None:
    """Return the declared bounds, widened to hold moved units; None if none were declared."""
    unit_bounds = (min((u.start for u in c), default=0.0), max((u.end for u in c), default=0.0))
    if c.bounds == unit_bounds or not units:
        if units:
            return None
        return c.bounds
    low, high = c.bounds
    return min(low, *(u.start for u in units)), max(high, *(u.end for u in units))


def _check_inside(c: Continuum, units: Sequence[Unit]) -> None:
    for u in units if c.text is not None else ():
        if not 0 <= u.start <= u.end <= len(c.text or "") and c.offset_unit == "characters":
            raise DataError(
                f"a unit by {u.annotator} would lie at {u.start:g}-{u.end:g}, "
                f"outside of the text of {len(c.text or '')} characters, with `positions=`",
                hint="Give the map that fits the text",
            )
