"""Conventions in which annotators of one document seem to differ: factors, shifts, ends, case.

Two annotators who saw the same things in two conventions have almost no unit alike, and very many
after one change of all positions of one of them. `suspected` looks for such a change, or for two of
them one after the other, and reports it; nothing is changed. Chance, habits and repeated patterns
must not look like that:

- the share of identical units rises by at least .3 to at least .5;
- a convention has no exceptions, so hardly a unit that was identical before is lost;
- a shift, which is itself chosen to fit, must fit far better than the best one of the same units
  with their gaps, lengths and categories in random order;
- where there is a text, one character more at each end is a convention only if the ends cut words
  without it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, islice

import numpy as np

from gammacp.base.arrays import Bools, Floats
from gammacp.continuum import Continuum
from gammacp.formats.conventions import ConventionNote
from gammacp.formats.position_maps import PositionMap

RAISED = 0.3
REACHED = 0.5
# Of the units that become identical: with more lost, it is a habit with exceptions.
_EXCEPTIONS = 0.1
_LEAST = 4
_LEAST_SHIFTED = 5
# A second map must raise the share by as much again.
_WORTH = 0.1
_NULLS = 10
_BEYOND_CHANCE = 0.2
_CUT = 0.3
_PLACES = 6
# What is looked at is enough evidence, whatever the size of the corpus.
_UNITS = 1000
_PAIRS = 120
_LOOKED_AT = 1000
_DOCUMENTS = 60
_WITHIN_GROUP = 500
_NEAR = 1.6
# Per second, or of one tool's units per unit of another one.
_RATES = (1000, 100, 60, 50, 48000, 44100, 22050, 16000, 8000, 30, 25, 24, 10)
_RATES_IN_MS = tuple(Fraction(1000, rate) for rate in (50, 30, 25, 24))
_FILM = (Fraction(30000, 1001), Fraction(24000, 1001), Fraction(1001, 30), Fraction(1001, 24))
_FACTORS = (*map(Fraction, _RATES), *_RATES_IN_MS, *_FILM)
FACTORS = tuple(dict.fromkeys((*_FACTORS, *(1 / factor for factor in _FACTORS))))


@dataclass(frozen=True)
class _Units:
    """Units of one annotator, in the order of documents and positions."""

    documents: Sequence[int]
    starts: Floats
    ends: Floats
    labels: Sequence[str]

    def __len__(self) -> int:
        return len(self.labels)

    def after(self, maps: Sequence[PositionMap]) -> "_Units":
        """Return the units with their positions moved."""
        starts, ends = self.starts, self.ends
        for step in maps:
            starts, ends = step.of(starts, ends)
        return replace(self, starts=starts, ends=ends)

    def folded(self) -> "_Units":
        """Return the units with labels without case."""
        return replace(self, labels=[_fold(label) for label in self.labels])

    def keys(self) -> list[tuple[int, float, float, str]]:
        """Return what units have to share to be identical."""
        places = (np.round(side, _PLACES).tolist() for side in (self.starts, self.ends))
        return [*zip(self.documents, *places, self.labels, strict=True)]


@dataclass(frozen=True)
class _Change:
    """Maps of one annotator's units, and the share of identical units with and without them."""

    maps: tuple[PositionMap, ...]
    folded: bool
    before: float
    after: float
    rounded: bool = False

    @property
    def size(self) -> int:
        """How many changes they are; rounding counts as one, for it hides small shifts."""
        return len(self.maps) + self.folded + self.rounded


@dataclass(frozen=True)
class _Suspicion:
    """A change that one annotator's units need to be like those of another one."""

    annotator: str
    other: str
    change: _Change
    document: str = ""

    def reversed(self) -> "_Suspicion":
        """Return the change that the other annotator's units would need instead."""
        maps = tuple(step.inverse() for step in self.change.maps[::-1])
        return replace(
            self,
            annotator=self.other,
            other=self.annotator,
            change=replace(self.change, maps=maps),
        )


def suspected(
    continua: Mapping[str, Continuum], written: Mapping[str, str] | None = None
) -> list[ConventionNote]:
    """Conventions in which annotators seem to differ, with the option that applies each.

    Parameters
    ----------
    continua
        By display name.
    written
        What files call annotators who were renamed.
    """
    several = {
        name: c
        for name, c in islice(continua.items(), _LOOKED_AT)
        if c.n_annotators > 1 and c.axes == 1
    }
    found: list[_Suspicion] = []
    for one, other in _pairs(several):
        shared = {n: c for n, c in several.items() if {one, other} <= {*c.annotators}}
        found += _between(shared, one, other)
    return [_note(each, several, written or {}) for each in _explained(found)]


def _pairs(continua: Mapping[str, Continuum]) -> list[tuple[str, str]]:
    """The pairs of annotators with units in the same documents, those with the most first."""
    shared: Counter[tuple[str, str]] = Counter()
    for c in continua.values():
        counts = {a: int(n) for a, n in zip(c.annotators, c.counts, strict=True) if n}
        for one, other in combinations(sorted(counts)[:_PAIRS], 2):
            shared[one, other] += min(counts[one], counts[other])
    return [pair for pair, count in shared.most_common(_PAIRS) if count >= _LEAST]


def _between(continua: Mapping[str, Continuum], one: str, other: str) -> Iterator[_Suspicion]:
    """Yield what one annotator's units need to be like the other's, in all documents or in some."""
    a, b = _units(continua, one), _units(continua, other)
    change = _change(a, b, _texts(continua))
    if change is not None:
        yield _Suspicion(one, other, change)
    if len(continua) < 2 or (change is not None and change.size > 1):
        return
    for name, c in list(continua.items())[:_DOCUMENTS]:
        a, b = _units({name: c}, one), _units({name: c}, other)
        if min(len(a), len(b)) < _LEAST_SHIFTED:
            continue
        if change is None:
            own = _change(a, b, _texts({name: c}))
        else:
            own = _shift_of_document(a, b, change)
        if own is not None:
            yield _Suspicion(one, other, own, name)


def _units(continua: Mapping[str, Continuum], annotator: str) -> _Units:
    documents: list[int] = []
    starts: list[Floats] = []
    ends: list[Floats] = []
    labels: list[str] = []
    for number, c in enumerate(continua.values()):
        rows = c.rows_of(annotator)
        count = min(rows.stop - rows.start, _UNITS - len(labels))
        rows = slice(rows.start, rows.start + count)
        documents += [number] * count
        starts.append(c.starts[rows])
        ends.append(c.ends[rows])
        labels += [c.categories[k] if k >= 0 else "" for k in c.category_codes[rows].tolist()]
        if len(labels) >= _UNITS:
            break
    return _Units(documents, np.concatenate(starts), np.concatenate(ends), labels)


def _texts(continua: Mapping[str, Continuum]) -> list[str | None]:
    return [c.text if c.offset_unit == "characters" else None for c in continua.values()]


def _fold(label: str) -> str:
    return " ".join(label.casefold().split())


def _change(a: _Units, b: _Units, texts: Sequence[str | None]) -> _Change | None:
    """The change of `a` that makes its units like `b`; None if nothing is beyond doubt."""
    if min(len(a), len(b)) < _LEAST:
        return None
    before = _identical(a, b)
    if _share(a, b, int(before.sum())) > 1 - RAISED:
        return None
    found: list[_Change] = []
    for maps, folded in _bases(a, b, texts):
        one, two = (a.folded(), b.folded()) if folded else (a, b)
        if folded or maps:
            found += _tested(a, b, before, maps, folded=folded)
        if len(maps) + folded < 2:
            for shift in _shifts(one.after(maps), two, before):
                found += _tested(a, b, before, (*maps, shift), folded=folded)
    return _simplest(found)


def _simplest(found: Sequence[_Change]) -> _Change | None:
    """The best change, or a simpler one that is hardly worse."""
    best = max((change.after for change in found), default=0.0)
    good = [change for change in found if change.after >= best - _WORTH]
    order = [(change.size, change.rounded, -change.after) for change in good]
    return good[order.index(min(order))] if good else None


def _shift_of_document(a: _Units, b: _Units, known: _Change) -> _Change | None:
    """The shift that units of one document need, beside what those of all documents need."""
    one, two = (a.folded(), b.folded()) if known.folded else (a, b)
    one = one.after(known.maps)
    before = _identical(one, two)
    if _share(a, b, int(before.sum())) > 1 - RAISED:
        return None
    found = [
        replace(change, maps=(*known.maps, *change.maps), folded=known.folded)
        for shift in _shifts(one, two, before)
        for change in _tested(one, two, before, (shift,))
    ]
    return _simplest(found)


def _bases(
    a: _Units, b: _Units, texts: Sequence[str | None]
) -> Iterator[tuple[tuple[PositionMap, ...], bool]]:
    """Yield the changes without a free parameter: factors, ends and case, at most two together."""
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
    a: _Units, b: _Units, before: Bools, maps: tuple[PositionMap, ...], *, folded: bool = False
) -> Iterator[_Change]:
    """Yield the change if it makes units identical, and loses hardly one that was."""
    moved = a.after(maps)
    one, two = (moved.folded(), b.folded()) if folded else (moved, b)
    scaled = any(step.factor != 1 for step in maps)
    tolerance = _tolerance(a, b, maps) if scaled else 0.0
    after = _identical(one, two)
    near = _near(one, two, tolerance) if tolerance else after
    rounded = _share(a, b, int(near.sum() - after.sum())) > _WORTH
    after = near if rounded else after
    gained, lost = int((after & ~before).sum()), int((before & ~after).sum())
    shares = [_share(a, b, int(flags.sum())) for flags in (before, after)]
    # Shares of few units are as exact as their decimals.
    raised = round(shares[1] - shares[0], _PLACES) >= RAISED and shares[1] >= REACHED
    least = _LEAST_SHIFTED if _has_shift(maps) else _LEAST
    if raised and lost <= _EXCEPTIONS * gained and int(after.sum()) >= least:
        yield _Change(maps, folded, shares[0], shares[1], rounded)


def _has_shift(maps: Sequence[PositionMap]) -> bool:
    return any(step.start for step in maps)


def _identical(a: _Units, b: _Units) -> Bools:
    """Which units of `a` are units of `b`, each of which counts once."""
    left = Counter(b.keys())
    flags = np.zeros(len(a), bool)
    for i, key in enumerate(a.keys()):
        if left[key] > 0:
            left[key] -= 1
            flags[i] = True
    return flags


def _near(a: _Units, b: _Units, tolerance: float) -> Bools:
    """Which units of `a` are less than a tolerance from one of `b`, each of which counts once."""
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


def _share(a: _Units, b: _Units, count: int) -> float:
    return 2 * count / (len(a) + len(b))


def _factors(a: _Units, b: _Units) -> list[Fraction]:
    """The factors that bring lengths, or without lengths the extent, of `a` near those of `b`."""
    extents = [np.median(u.ends - u.starts) or np.ptp(u.starts) for u in (a, b)]
    if not extents[0] or not extents[1]:
        return []
    ratio = float(extents[1] / extents[0])
    return [f for f in FACTORS if f / _NEAR <= ratio <= f * _NEAR]


def _tolerance(a: _Units, b: _Units, maps: Sequence[PositionMap]) -> float:
    """Return the coarser of two resolutions if they are unequal: one side was rounded to it."""
    factor = float(np.prod([float(step.factor) for step in maps]))
    fine, coarse = sorted((_resolution(a) * factor, _resolution(b)))
    return 0.0 if coarse < fine * (1 + 1e-6) else coarse * (1 - 1e-6)


def _resolution(units: _Units) -> float:
    """Return the power of ten of which all positions are multiples, at most 1."""
    values = np.concatenate((units.starts, units.ends))
    for digits in range(_PLACES):
        if np.allclose(values, np.round(values, digits), rtol=0, atol=10**-_PLACES / 2):
            return float(10.0**-digits)
    return float(10.0**-_PLACES)


def _whole(units: _Units) -> bool:
    return bool((units.starts % 1 == 0).all() and (units.ends % 1 == 0).all())


def _differ_in_case(a: _Units, b: _Units) -> bool:
    """Whether labels differ between, but never within annotators, by case or blanks alone."""
    labels = [{*u.labels} for u in (a, b)]
    folds = [{_fold(label) for label in own} for own in labels]
    either = labels[0] | labels[1]
    return all(len(fold) == len(own) for fold, own in zip(folds, labels, strict=True)) and len(
        {_fold(label) for label in either}
    ) < len(either)


def _cuts(a: _Units, b: _Units, by: float, texts: Sequence[str | None]) -> bool:
    """Whether ends that lie too early cut words, so that another end is more than a habit."""
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
    # Without blanks between words every end is inside of one, before and after.
    return bool(cut - cut_after >= _CUT or cut_after > 1 - _CUT)


def _inside_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()


def _shifts(a: _Units, b: _Units, before: Bools) -> list[PositionMap]:
    """The shift of `a`, and the one from a place on, that fit far more units than by chance."""
    votes = _votes(a, b)
    votes.pop(0.0, None)
    if not votes:
        return []
    shift, count = max(votes.items(), key=lambda vote: vote[1])
    half = (len(a) + len(b)) / 2
    if count < max(_LEAST_SHIFTED, RAISED * half):
        return []
    chance = _by_chance(a, b)
    whole = PositionMap(start=shift, end=shift)
    found = [whole] if count - chance >= _BEYOND_CHANCE * half else []
    since = _place_of_shift(a, b, shift) if before.any() and len({*a.documents}) == 1 else None
    if since is not None and since[1] - chance >= _BEYOND_CHANCE * half:
        found.append(replace(whole, since=since[0]))
    return found


def _votes(a: _Units, b: _Units) -> dict[float, int]:
    """How many pairs of units of one document, label and length lie each distance apart."""
    groups: dict[tuple[int, str, float], tuple[list[float], list[float]]] = {}
    for side, units in enumerate((a, b)):
        lengths = np.round(units.ends - units.starts, _PLACES).tolist()
        rows = zip(units.documents, units.labels, lengths, units.starts.tolist(), strict=True)
        for document, label, length, start in rows:
            groups.setdefault((document, label, length), ([], []))[side].append(start)
    apart = [
        np.subtract.outer(others[:_WITHIN_GROUP], own[:_WITHIN_GROUP]).ravel()
        for own, others in groups.values()
        if own and others
    ]
    if not apart:
        return {}
    values, counts = np.unique(np.round(np.concatenate(apart), _PLACES), return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def _by_chance(a: _Units, b: _Units) -> int:
    """The most pairs that any shift fits with gaps, lengths and labels of `b` in random order."""
    draw = np.random.default_rng(0)
    most = 0
    for _ in range(_NULLS):
        votes = _votes(a, _in_random_order(b, draw))
        most = max(most, max(votes.values(), default=0))
    return most


def _in_random_order(units: _Units, draw: np.random.Generator) -> _Units:
    documents = np.array(units.documents)
    starts, ends = units.starts.copy(), units.ends.copy()
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


def _place_of_shift(a: _Units, b: _Units, shift: float) -> tuple[float, int] | None:
    """The start from which units are shifted, and how many fit; None for a shift of all."""
    here = _identical(a, b)
    moved = _identical(a.after([PositionMap(start=shift, end=shift)]), b)
    order = np.argsort(a.starts, kind="stable")
    ahead = np.concatenate(([0], np.cumsum(here[order])))
    behind = int(moved.sum()) - np.concatenate(([0], np.cumsum(moved[order])))
    cut = int((ahead + behind).argmax())
    if not 0 < cut < len(a) or not ahead[cut]:
        return None
    return float(a.starts[order][cut]), int(behind[cut])


def _explained(found: Sequence[_Suspicion]) -> list[_Suspicion]:
    """One suspicion per annotator: who differs from the most others is the one to change."""
    left, chosen = list(found), list[_Suspicion]()
    while left:
        counts = Counter((s.document, name) for s in left for name in (s.annotator, s.other))
        most = max(counts.values())
        odd = [key for key, count in counts.items() if count == most]
        document, name = odd[0]
        concerned = [s for s in left if s.document == document and name in (s.annotator, s.other)]
        turned = [s if s.annotator == name else s.reversed() for s in concerned]
        # Of two annotators either may be changed: the one whose numbers stay exact.
        alone = len(concerned) == 1 and (document, turned[0].other) in odd
        chosen.append(_preferred(turned[0]) if alone else turned[0])
        left = [s for s in left if s not in concerned]
    return chosen


def _preferred(suspicion: _Suspicion) -> _Suspicion:
    first = suspicion.change.maps[:1]
    for step in first:
        if step.factor < 1 or (step.factor == 1 and (step.end < 0 or step.start < 0)):
            return suspicion.reversed()
    return suspicion


def _note(
    suspicion: _Suspicion, continua: Mapping[str, Continuum], written: Mapping[str, str]
) -> ConventionNote:
    """What to say of a suspicion, with the options that apply it."""
    change, who = suspicion.change, written.get(suspicion.annotator, suspicion.annotator)
    maps = ", ".join(map(str, change.maps))
    document = continua[suspicion.document].name if suspicion.document else ""
    entry = f"{document}/{who}: {maps}" if document else f"{who}: {maps}"
    options = [f"`positions={entry!r}`"] if maps else []
    if change.folded:
        pairs = _case_pairs(continua, suspicion)
        options += [f"`map={old}={new}`" for old, new in pairs]
    changed = [f"positions of {who} change by {maps}"] if maps else []
    changed += ["the case of labels is ignored"] if change.folded else []
    rounded = ", up to rounding," if change.rounded else ""
    evidence = (
        f"{change.before:.0%} of the units of {suspicion.annotator} and {suspicion.other} are "
        f"identical, but {change.after:.0%}{rounded} would be if {' and '.join(changed)}; if the "
        f"two follow different conventions, give {' and '.join(options)}"
    )
    convention = " and ".join(filter(None, (entry if maps else "", "case" * change.folded)))
    file = suspicion.document or (
        next(iter(continua)) if len(continua) == 1 else f"{len(continua)} documents"
    )
    return ConventionNote(file, convention, evidence, applied=False)


def _case_pairs(continua: Mapping[str, Continuum], suspicion: _Suspicion) -> list[tuple[str, str]]:
    """Labels of the annotator as they are, and as the other one writes them."""
    own, others = (
        {label for c in continua.values() if name in c.annotators for label in _labels(c, name)}
        for name in (suspicion.annotator, suspicion.other)
    )
    written = {_fold(label): label for label in others}
    pairs = [(label, written.get(_fold(label), label)) for label in sorted(own)]
    return [(old, new) for old, new in pairs if old != new]


def _labels(c: Continuum, annotator: str) -> set[str]:
    codes = {*c.category_codes[c.rows_of(annotator)].tolist()} - {-1}
    return {c.categories[k] for k in codes}
