"""Changes of positions and labels that make one annotator's units identical to another's.

A change is believed only if it is beyond chance and habit; `gammacp.formats.between_annotators`
says how, and what for.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

import numpy as np

from gammacp.base.arrays import Bools, Floats
from gammacp.formats.position_maps import PositionMap

RAISED = 0.3
REACHED = 0.5
LEAST = 4
"""Units that must become identical, and that annotators must have."""
LEAST_SHIFTED = 5
"""The same for a shift, which is chosen to fit."""
# Largest number of units that stop being identical, as a share of those that become identical.
# A change that loses more is a habit with exceptions, not a convention.
_EXCEPTIONS = 0.1
# Least rise of the share of identical units that justifies a second map.
_WORTH = 0.1
# Number of random orders of one annotator's units, and the share of units by which a shift must fit
# more than the best shift in any of these orders.
_NULLS = 10
_BEYOND_CHANCE = 0.2
# Least decrease of the share of ends inside words that is evidence for a change of ends.
_CUT = 0.3
_PLACES = 6
# Largest number of units of one label and length in a document for which all pairs are compared.
_WITHIN_GROUP = 500
# Largest ratio between a factor and the ratio of the typical lengths.
_NEAR = 1.6
_FAR = 3
# Factors to look for: positions per second, or one tool's units per unit of another tool.
_RATES = (1000, 100, 60, 50, 48000, 44100, 22050, 16000, 8000, 30, 25, 24, 10)
_RATES_IN_MS = tuple(Fraction(1000, rate) for rate in (50, 30, 25, 24))
_FILM = (Fraction(30000, 1001), Fraction(24000, 1001), Fraction(1001, 30), Fraction(1001, 24))
_FACTORS = (*map(Fraction, _RATES), *_RATES_IN_MS, *_FILM)
FACTORS = tuple(dict.fromkeys((*_FACTORS, *(1 / factor for factor in _FACTORS))))


@dataclass(frozen=True)
class AnnotatorUnits:
    """Units of one annotator, in the order of documents and positions."""

    documents: Sequence[int]
    starts: Floats
    ends: Floats
    labels: Sequence[str]

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self.labels)

    def after(self, maps: Sequence[PositionMap]) -> "AnnotatorUnits":
        """Return the units with their positions moved."""
        starts = self.starts
        ends = self.ends
        for step in maps:
            starts, ends = step.of(starts, ends)
        return replace(self, starts=starts, ends=ends)

    def folded(self) -> "AnnotatorUnits":
        """Return the units with labels without case."""
        return replace(self, labels=[fold_label(label) for label in self.labels])

    def keys(self) -> list[tuple[int, float, float, str]]:
        """Return a key per unit; units with equal keys are identical."""
        places = (np.round(side, _PLACES).tolist() for side in (self.starts, self.ends))
        return [*zip(self.documents, *places, self.labels, strict=True)]


@dataclass(frozen=True)
class UnitChange:
    """Maps of one annotator's units, and the share of identical units with and without them."""

    maps: tuple[PositionMap, ...]
    folded: bool
    before: float
    after: float
    rounded: bool = False

    @property
    def size(self) -> int:
        """Number of changes; rounding counts as one, since it can hide a small shift."""
        return len(self.maps) + self.folded + self.rounded


def fold_label(label: str) -> str:
    """Return a label without case, with repeated blanks reduced to one.

    Parameters
    ----------
    label
        Label in the file.
    """
    return " ".join(label.casefold().split())


def change_between(
    a: AnnotatorUnits, b: AnnotatorUnits, texts: Sequence[str | None]
) -> UnitChange | None:
    """Return the change that makes the units of `a` identical to `b`; None if none is certain.

    Parameters
    ----------
    a, b
        Units of two annotators in the same documents.
    texts
        Texts of these documents, None for those without one.
    """
    if min(len(a), len(b)) < LEAST:
        return None
    before = _identical(a, b)
    if _share(a, b, int(before.sum())) > 1 - RAISED:
        return None
    changes: list[UnitChange] = []
    for maps, folded in _bases(a, b, texts):
        one, two = (a.folded(), b.folded()) if folded else (a, b)
        if folded or maps:
            changes += _tested(a, b, before, maps, folded=folded)
        if len(maps) + folded < 2:
            for shift in _shifts(one.after(maps), two, before):
                changes += _tested(a, b, before, (*maps, shift), folded=folded)
    return _simplest(changes)


def _simplest(changes: Sequence[UnitChange]) -> UnitChange | None:
    """Return the best change, or a simpler one that is almost as good."""
    best = max((change.after for change in changes), default=0.0)
    good = [change for change in changes if change.after >= best - _WORTH]
    order = [(change.size, change.rounded, -change.after) for change in good]
    if good:
        return good[order.index(min(order))]
    return None


def shift_of_document(a: AnnotatorUnits, b: AnnotatorUnits, known: UnitChange) -> UnitChange | None:
    """Return the shift that one document needs in addition to the change of all documents.

    Parameters
    ----------
    a, b
        Units of two annotators in one document.
    known
        The change of `a` in all documents.
    """
    one, two = (a.folded(), b.folded()) if known.folded else (a, b)
    one = one.after(known.maps)
    before = _identical(one, two)
    if _share(a, b, int(before.sum())) > 1 - RAISED:
        return None
    changes = [
        replace(change, maps=(*known.maps, *change.maps), folded=known.folded)
        for shift in _shifts(one, two, before)
        for change in _tested(one, two, before, (shift,))
    ]
    return _simplest(changes)


def _bases(
    a: AnnotatorUnits, b: AnnotatorUnits, texts: Sequence[str | None]
) -> Iterator[tuple[tuple[PositionMap, ...], bool]]:
    """Yield changes without a free parameter (factors, ends, case), at most two combined."""
    singles: list[PositionMap] = [PositionMap(factor=f) for f in _factors(a, b)]
    if _whole(a) and _whole(b):
        singles += [PositionMap(end=by) for by in (1.0, -1.0) if _cuts(a, b, by, texts)]
    folds = (False, True) if _differ_in_case(a, b) else (False,)
    for folded in folds:
        yield (), folded
        for one in singles:
            yield (one,), folded
    for one, other in combinations(singles, 2):
        if (one.factor == 1) != (other.factor == 1):
            yield (one, other), False


def _tested(
    a: AnnotatorUnits,
    b: AnnotatorUnits,
    before: Bools,
    maps: tuple[PositionMap, ...],
    *,
    folded: bool = False,
) -> Iterator[UnitChange]:
    """Yield the change if it makes units identical and almost none stops being so."""
    moved = a.after(maps)
    one, two = (moved.folded(), b.folded()) if folded else (moved, b)
    scaled = any(step.factor != 1 for step in maps)
    if scaled:
        tolerance = _tolerance(a, b, maps)
    else:
        tolerance = 0.0
    after = _identical(one, two)
    if tolerance:
        near = _near(one, two, tolerance)
    else:
        near = after
    rounded = _share(a, b, int(near.sum() - after.sum())) > _WORTH
    if rounded:
        after = near
    gained = int((after & ~before).sum())
    lost = int((before & ~after).sum())
    shares = [_share(a, b, int(flags.sum())) for flags in (before, after)]
    # Round, so that equal shares of few units compare as equal.
    raised = round(shares[1] - shares[0], _PLACES) >= RAISED and shares[1] >= REACHED
    if _has_shift(maps):
        least = LEAST_SHIFTED
    else:
        least = LEAST
    if raised and lost <= _EXCEPTIONS * gained and int(after.sum()) >= least:
        yield UnitChange(maps, folded, shares[0], shares[1], rounded)


def _has_shift(maps: Sequence[PositionMap]) -> bool:
    return any(step.start for step in maps)


def _identical(a: AnnotatorUnits, b: AnnotatorUnits) -> Bools:
    """Mark the units of `a` that are identical to one of `b`; each of `b` is used once."""
    remaining = Counter(b.keys())
    flags = np.zeros(len(a), bool)
    for i, key in enumerate(a.keys()):
        if remaining[key] > 0:
            remaining[key] -= 1
            flags[i] = True
    return flags


def _near(a: AnnotatorUnits, b: AnnotatorUnits, tolerance: float) -> Bools:
    """Mark the units of `a` within a tolerance of one of `b`; each of `b` is used once."""
    groups: dict[tuple[int, str], list[int]] = {}
    for i, key in enumerate(zip(b.documents, b.labels, strict=True)):
        groups.setdefault(key, []).append(i)
    flags = np.zeros(len(a), bool)
    used: set[int] = set()
    for i, key in enumerate(zip(a.documents, a.labels, strict=True)):
        rows = np.array([r for r in groups.get(key, ()) if r not in used], np.int64)
        apart = np.maximum(np.abs(b.starts[rows] - a.starts[i]), np.abs(b.ends[rows] - a.ends[i]))
        if len(rows) and apart.min() < tolerance:
            used.add(int(rows[apart.argmin()]))
            flags[i] = True
    return flags


def _share(a: AnnotatorUnits, b: AnnotatorUnits, count: int) -> float:
    return 2 * count / (len(a) + len(b))


def _factors(a: AnnotatorUnits, b: AnnotatorUnits) -> list[Fraction]:
    """Return factors that bring the lengths of `a` and its total extent near those of `b`."""
    spreads = [float(np.ptp(u.starts)) for u in (a, b)]
    extents = [
        float(np.median(u.ends - u.starts)) or s for u, s in zip((a, b), spreads, strict=True)
    ]
    if not (all(spreads) and all(extents)):
        return []
    ratio = extents[1] / extents[0]
    wide = spreads[1] / spreads[0]
    return [f for f in FACTORS if f / _NEAR <= ratio <= f * _NEAR and f / _FAR <= wide <= f * _FAR]


def _tolerance(a: AnnotatorUnits, b: AnnotatorUnits, maps: Sequence[PositionMap]) -> float:
    """Return the coarser of two resolutions, to which one side was rounded; 0 if they are equal."""
    factor = float(np.prod([float(step.factor) for step in maps]))
    fine, coarse = sorted((_resolution(a) * factor, _resolution(b)))
    if coarse < fine * (1 + 1e-6):
        return 0.0
    return coarse * (1 - 1e-6)


def _resolution(units: AnnotatorUnits) -> float:
    """Return the largest power of ten, at most 1, of which all positions are multiples."""
    values = np.concatenate((units.starts, units.ends))
    for digits in range(_PLACES):
        if np.allclose(values, np.round(values, digits), rtol=0, atol=10**-_PLACES / 2):
            return float(10.0**-digits)
    return float(10.0**-_PLACES)


def _whole(units: AnnotatorUnits) -> bool:
    return bool((units.starts % 1 == 0).all() and (units.ends % 1 == 0).all())


def _differ_in_case(a: AnnotatorUnits, b: AnnotatorUnits) -> bool:
    """Return whether labels differ in case or blanks alone, but never those of one annotator."""
    labels = [{*u.labels} for u in (a, b)]
    folds = [{fold_label(label) for label in own_labels} for own_labels in labels]
    either = labels[0] | labels[1]
    return all(
        len(fold) == len(own_labels) for fold, own_labels in zip(folds, labels, strict=True)
    ) and len({fold_label(label) for label in either}) < len(either)


def _cuts(a: AnnotatorUnits, b: AnnotatorUnits, by: float, texts: Sequence[str | None]) -> bool:
    """Return whether the earlier ends cut words, which shows an off-by-one end, not a habit."""
    short = a if by > 0 else b
    sure = [
        (text, int(end))
        for document, end in zip(short.documents, short.ends.tolist(), strict=True)
        if (text := texts[document]) is not None and end > 0
    ]
    if not sure:
        return True
    cut, cut_after = (
        np.mean([_inside_word(text, end + step) for text, end in sure]) for step in (0, 1)
    )
    # In a text without blanks between words, every end is inside a word, even after the change.
    return bool(cut - cut_after >= _CUT or cut_after > 1 - _CUT)


def _inside_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()


def _shifts(a: AnnotatorUnits, b: AnnotatorUnits, before: Bools) -> list[PositionMap]:
    """Return shifts of `a`, of all units or from a place on, that fit far better than chance."""
    votes = _votes(a, b)
    votes.pop(0.0, None)
    if not votes:
        return []
    shift, count = max(votes.items(), key=lambda vote: vote[1])
    half = (len(a) + len(b)) / 2
    if count < max(LEAST_SHIFTED, RAISED * half):
        return []
    chance = _by_chance(a, b)
    whole = PositionMap(start=shift, end=shift)
    if count - chance >= _BEYOND_CHANCE * half:
        shifts = [whole]
    else:
        shifts = []
    if before.any() and len({*a.documents}) == 1:
        since = _place_of_shift(a, b, shift)
    else:
        since = None
    if since is not None and since[1] - chance >= _BEYOND_CHANCE * half:
        shifts.append(replace(whole, since=since[0]))
    return shifts


def _votes(a: AnnotatorUnits, b: AnnotatorUnits) -> dict[float, int]:
    """Count pairs of units with the same document, label and length, by their distance."""
    groups: dict[tuple[int, str, float], tuple[list[float], list[float]]] = {}
    for side, units in enumerate((a, b)):
        lengths = np.round(units.ends - units.starts, _PLACES).tolist()
        rows = zip(units.documents, units.labels, lengths, units.starts.tolist(), strict=True)
        for document, label, length, start in rows:
            groups.setdefault((document, label, length), ([], []))[side].append(start)
    apart = [
        np.subtract.outer(others[:_WITHIN_GROUP], own_starts[:_WITHIN_GROUP]).ravel()
        for own_starts, others in groups.values()
        if own_starts and others
    ]
    if not apart:
        return {}
    values, counts = np.unique(np.round(np.concatenate(apart), _PLACES), return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def _by_chance(a: AnnotatorUnits, b: AnnotatorUnits) -> int:
    """Return the most pairs that a shift fits when gaps, lengths and labels of `b` are shuffled."""
    draw = np.random.default_rng(0)
    most = 0
    for _ in range(_NULLS):
        votes = _votes(a, _in_random_order(b, draw))
        most = max(most, max(votes.values(), default=0))
    return most


def _in_random_order(units: AnnotatorUnits, draw: np.random.Generator) -> AnnotatorUnits:
    documents = np.array(units.documents)
    starts = units.starts.copy()
    ends = units.ends.copy()
    labels = list(units.labels)
    for document in np.unique(documents).tolist():
        rows = np.flatnonzero(documents == document)
        gaps = np.diff(units.starts[rows])
        starts[rows[1:]] = units.starts[rows[0]] + np.cumsum(draw.permutation(gaps))
        others = draw.permutation(rows)
        ends[rows] = starts[rows] + (units.ends - units.starts)[others]
        for row, other in zip(rows.tolist(), others.tolist(), strict=True):
            labels[row] = units.labels[other]
    return replace(units, starts=starts, ends=ends, labels=labels)


def _place_of_shift(a: AnnotatorUnits, b: AnnotatorUnits, shift: float) -> tuple[float, int] | None:
    """Return the start from which units are shifted, and how many then fit; None if all are."""
    here = _identical(a, b)
    moved = _identical(a.after([PositionMap(start=shift, end=shift)]), b)
    order = np.argsort(a.starts, kind="stable")
    ahead = np.concatenate(([0], np.cumsum(here[order])))
    behind = int(moved.sum()) - np.concatenate(([0], np.cumsum(moved[order])))
    cut = int((ahead + behind).argmax())
    if not 0 < cut < len(a) or not ahead[cut]:
        return None
    return float(a.starts[order][cut]), int(behind[cut])
