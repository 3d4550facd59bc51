"""Check proofs of alignments and of gamma: python verify.py FILE... [--file DATA]

A certificate claims that no alignment of its units costs less; gamma.proof.json claims a gamma and
names the certificates beside it that gamma rests on. With --file, units are compared with a table.

This file needs nothing but Python, and shares no code with the program that found the alignment.
It counts costs in whole grains of about 2^-40 of Delta, rounded down where they may only be too
low and up where they may only be too high. docs/certificates.md describes the format.

A group has at most one unit of each annotator. It costs opening - sum of w over its pairs, where
w = Delta - d and opening = Delta n (n - 1) / 2 for n annotators, so that no group costs less than
0. An alignment is a set of groups that has each unit once (in a cover: at least once, where each
further group with a unit may have a price, `reuse`).

1. Costs. Every d is computed anew from positions and categories. Two units are passed over if
   opening + w(u, v) + (n - 2) Delta < 0: a group with both is cheaper without one of them.
2. The alignment. Its units are counted, and the costs of its groups added up, in grains that are
   2^100 times finer. Where all units of all groups are equal, it costs exactly 0.
3. Shares. Let each unit have a share, such that no group costs less than its units' shares: then no
   alignment costs less than all shares. They need not be right. For each root, the first unit of a
   group, the group is sought that they exceed most; the root's share is lowered by that.
4. The gap. What a group costs beyond its shares it loses. An alignment that costs less than the one
   here has only groups that lose less than the gap between its cost and all shares; they are
   listed. Those that lose least fall into components, and each one's least loss is found by trying
   everything. A group that was left out can stay out if it loses no less than the components that
   it touches lose together; otherwise it is taken in, and joins them.
5. Matrix. For crowds no group can be sought. Let S = L L', so that z'Sz >= 0 for every z, with
   S[0, 0] <= opening, and rows r(u, a) >= 0, triangles t(u, v, x) >= 0. If for each pair
   w(u, v) + 2 S[u, v] <= r(u, a(v)) + r(v, a(u)) + t(u, v, .) + t(v, u, .) - t(., u, v), then the
   share of u can be -2 S[0, u] - S[u, u] - r(u, .) - t(u, ., .), because a group has at most one
   unit of a, and with u and v, u and x also v and x. What a pair has beyond that is paid, too.

A bound may be proven for a smaller Delta, in finer grains, or without looking at positions: both
only make alignments cheaper, so that it holds for the costs of the file as well.

Gamma is 1 - observed / expected. The disorder of an alignment is its cost divided by the pairs of
annotators and by x, the mean number of units of an annotator; the expected disorder is the mean of
random sets. Of several documents both are added up, with the x of each as its weight.

6. Sums. Gamma and its interval are computed anew from the costs and bounds of all certificates.
7. Turns. Each annotator of a random set must have the units of the same annotator in the data, all
   moved on by one angle on a circle. Then chance keeps what annotators do, and lets nobody meet.
   That the angles were drawn at random, and no set was left out, no file can show.
"""

import csv
import gzip
import hashlib
import io
import json
import math
import os
import re
import stat
import sys
import zlib
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from statistics import NormalDist
from typing import Any

NODES = 3_000_000  # steps of each search, in all; what is left then counts with its bound
MOST_ERROR = Fraction(1, 10**6)  # of the cost that is claimed: a larger error counts as this
FINE = 2**100  # parts of a grain in which the costs of the alignment are added up
REAL, ROWS = (int, float), list  # types of numbers, which true is none of, and of lists
Group = tuple[int, tuple[int, ...]]  # what it loses, and its units
Row = list[tuple[int, int]]  # candidates of one annotator, with twice what each one adds
Unit = tuple[str, str | None, float, float]  # annotator, category, start, end
Documents = dict[str, list[Unit]]  # units of each document, by name
Units = list[tuple[float, float, str | None]]  # start, length, category of one annotator's units
People = dict[str, Units]  # units of each annotator, by name
Layout = list[tuple[tuple[str, bool, str], float, float]]  # units in an order of their own
MOST_STRATA = 500  # more documents are cut into as many stretches of alike ones
MOST_RATIO = 1e9  # of two documents' weights: the lighter one would count for nothing
Turned = tuple[float, float, tuple[float, float] | None]  # circle, span, declared bounds
SUM_ERROR = 1e-9  # of gamma and disorders, which are sums of doubles
MOST_TEXT = 1 << 30  # bytes of a file that is packed with gzip, when it is unpacked
MOST_SHOWN = 20  # weights of documents that are printed
NEAR = 2.0**-46  # of a circle: places that rounding tells apart
SHORT = 2.0**-10  # of the shortest unit: as far as rounding may move places
# Why random sets are not shown to be turns: a mark in the name of the chance model, and in words.
EXEMPT = {
    "model": ("", "it does not turn each annotator's units of one document"),
    "completed": ("(completed=", "it completes units at the ends of a text"),
    "grid": ("(grid=", "it turns units by whole places of a grid"),
    "pauses": ("(markable=", "it turns units outside pauses"),
    "read until": ("cut", "it turns units on a circle for each annotator"),
}


class RefusedError(Exception):
    """The file is neither a certificate nor a proof of gamma: where, and why."""


class Place:
    """A value of the file, and where it stands there."""

    def __init__(self, value: Any, outer: "Place | None" = None, step: str | int = "") -> None:
        self.value, self.outer, self.step = value, outer, step

    def no(self, why: str) -> RefusedError:
        return RefusedError(f"{self.name() or 'the file'}: {why}")

    def name(self) -> str:
        if self.outer is None:
            return str(self.step)
        last_step = f"[{self.step}]" if isinstance(self.step, int) else f".{self.step}"
        return (self.outer.name() + last_step).lstrip(".")

    def __getitem__(self, key: str) -> "Place":
        if not isinstance(self.value, dict) or key not in self.value:
            raise self.no(f"{key!r} is missing")
        return Place(self.value[key], self, key)

    def get(self, key: str, default: Any) -> "Place":
        if isinstance(self.value, dict) and key not in self.value:
            return Place(default)
        return self[key]

    def list(self, size: int | None = None) -> list["Place"]:
        if not isinstance(self.value, list) or size not in (None, len(self.value)):
            raise self.no("not a list, or not of the right length")
        return [Place(v, self, i) for i, v in enumerate(self.value)]

    def names(self) -> Sequence[str]:
        names = [place.value for place in self.list()]
        if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
            raise self.no("a name is no text, or there twice")
        return names

    def number(self, least: Any = -1e300, most: float = 1e300, kind: Any = int | float) -> Any:
        v = self.value
        if isinstance(v, bool) or not isinstance(v, kind) or not least <= v <= most:
            raise self.no(f"{str(v)[:40]!r} is not a number that can be here")
        return v if kind is int else Fraction(v)

    def whole(self, least: int, most: int, size: int | None = None) -> Sequence[int]:
        v = self.value
        right = type(v) is ROWS and size in (None, len(v))
        if right and all(type(x) is int and least <= x <= most for x in v):
            return v  # type: ignore[no-any-return]
        return [place.number(least, most, int) for place in self.list(size)]  # says what is wrong

    def groups(self, size: int) -> Sequence[Sequence[int]]:
        groups = self.value
        lists = type(groups) is ROWS and all(type(group) is ROWS and group for group in groups)
        if not lists or not all(type(u) is int and 0 <= u < size for g in groups for u in g):
            for place in self.list():  # says what is wrong
                if not place.whole(0, size - 1):
                    raise place.no("empty")
        return groups  # type: ignore[no-any-return]

    def units(self, annotators: int, kinds: int) -> Any:
        for place in self.list():
            if not is_unit(place.value, annotators, kinds):
                who, start, end, kind = place.list(4)
                who.below(annotators)
                if kind.value is not None:
                    kind.below(kinds)
                end.number(start.number())
                raise place.no("not a unit, or at a place that is no double")
        return self.value

    def below(self, most: int) -> int:
        return int(self.number(0, most - 1, int))

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.no("not a text")
        return self.value

    def one_of(self, *values: Any) -> Any:
        if not any(self.value == v and type(self.value) is type(v) for v in values):
            raise self.no(f"{str(self.value)[:40]!r} is not one of {', '.join(map(repr, values))}")
        return self.value


def is_unit(row: Any, annotators: int, kinds: int) -> bool:
    """Return whether a row is annotator, start, end, and category or none."""
    if not isinstance(row, list) or len(row) != 4:
        return False
    who, start, end, kind = row
    if type(who) is not int or type(start) not in REAL or type(end) not in REAL:
        return False
    if kind is not None and (type(kind) is not int or not 0 <= kind < kinds):
        return False
    if not (0 <= who < annotators and -1e300 <= start <= end <= 1e300):
        return False
    # Units are compared as doubles, which larger whole numbers may not be.
    return bool(float(start) == start and float(end) == end)


def read(text: str) -> Place:
    """Return a JSON file."""
    try:
        return Place(json.loads(text, object_pairs_hook=_once))
    except (RecursionError, ValueError) as error:
        raise RefusedError(f"cut off, or not JSON: {error}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; programs differ in which of two equal keys they take."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise RefusedError(f"the key {twice!r} is there twice")
    return entries


class Check:
    """One certificate, in grains."""

    def __init__(self, text: str) -> None:
        """Read it, count the units in groups, and add up what these cost: steps 1 and 2."""
        self.file = file = read(text)
        file["version"].one_of(1, 2)
        units_text = json.dumps(file["units"].value, separators=(",", ":"))
        actual_hash = "sha256:" + hashlib.sha256(units_text.encode()).hexdigest()
        if file["hash"].value != actual_hash:
            raise file["hash"].no(f"made for other units; that of the units here is {actual_hash}")
        self.annotators, categories = file["annotators"].names(), file["categories"].names()
        self.n, self.cover = len(self.annotators), file["cover"].one_of(False, True)
        every_pair = self.n * (self.n - 1) // 2
        # Larger and smaller ones would leave no room for what is computed in doubles.
        delta = file["dissimilarity"]["delta"].number(1e-100, 1e100)
        if abs(file["opening"].number() - delta * every_pair) > delta * every_pair / 2**40:
            raise file["opening"].no("not Delta for each pair of the annotators")
        proof = file["proof"]
        proof["kind"].one_of("shares", "matrix", "none")
        # The Delta of the proof, which is the file's unless a smaller one is there.
        smaller = proof.get("delta", file["dissimilarity"]["delta"].value).number(1e-300, delta)
        self.grain = Fraction(2) ** (math.frexp(float(smaller))[1] - 41)
        self.delta, self.opening = smaller / self.grain, smaller / self.grain * every_pair
        self.reuse = file.get("reuse", 0).number(0) / self.grain
        kinds = len(categories)
        rows = file["units"].units(self.n, kinds)
        self.size, self.annotator = len(rows), [row[0] for row in rows]
        self.kind = [kinds if row[3] is None else row[3] for row in rows]
        # Doubles are whole numbers over powers of two, of which the largest serves all.
        starts = [row[1].as_integer_ratio() for row in rows]
        ends = [row[2].as_integer_ratio() for row in rows]
        parts = {f for _, f in starts} | {f for _, f in ends}
        times = {f: max(parts) // f for f in parts}
        places = zip(starts, ends, strict=True)
        self.place = [(s * times[f], e * times[g]) for (s, f), (e, g) in places]
        self._read_costs(kinds)
        constraints = [place.text() for place in file.get("constraints", []).list()]
        if constraints:
            self.assumptions.append(f"not shown: that groups keep {', '.join(constraints)}")
        if self.reuse:
            self.about += f"; {file['reuse'].value} for a unit in each further group"
        self._add_groups(delta / self.grain, every_pair)

    def _add_groups(self, delta: Fraction, every_pair: int) -> None:
        """Count the units in groups, and add up what these cost: step 2."""
        groups, pairs, times = self.file["groups"].groups(self.size), 0, [0] * self.size
        labels, low, rounded = Counter[Fraction | int](), 0, 0
        for number, units in enumerate(groups):
            pairs += len(units) * (len(units) - 1) // 2
            for i, u in enumerate(units):
                times[u] += 1
                for v in units[:i]:
                    parts = self.parts(u, v)
                    if parts is None:
                        place = self.file["groups"].list()[number]
                        raise place.no("units that cannot be together")
                    label, over, under = parts
                    labels[label] += 1
                    if over:
                        whole, rest = divmod(over * FINE, under)
                        low += whole
                        rounded += rest > 0
        for u, k in enumerate(times):
            if k == 0 or (k > 1 and not self.cover):
                raise self.file["groups"].no(f"unit {u} is in {k} of them")
        exact = delta * (every_pair * len(groups) - pairs) + (sum(times) - self.size) * self.reuse
        exact += sum(label * count for label, count in labels.items())
        self.low = exact + Fraction(low, FINE)
        self.high = self.low + Fraction(rounded, FINE)
        self.total = math.ceil(self.high)
        self.cost_label = f"{len(groups)} groups of {self.size} units cost "

    def _read_costs(self, kinds: int) -> None:
        """Read the dissimilarity, and describe what it was read from."""

        def grains(place: Place) -> Fraction | int | None:
            if place.value is None:
                return None
            cost = place.number(0) / self.grain
            return int(cost) if cost.denominator == 1 else cost  # whole numbers are quicker

        what, self.assumptions = self.file["dissimilarity"], list[str]()
        self.factor, self.ratio = Fraction(0), (0, 1)
        label, self.pair_costs = what["categorial"], dict[tuple[int, int], Fraction | int | None]()
        self.formula = what["positional"].one_of("sporadic", "none", "listed")
        costs = "positions do not count"
        if self.formula == "sporadic":
            self.factor = what["factor"].number(0) / self.grain
            self.ratio = self.factor.as_integer_ratio()
            costs = f"sporadic * {what['factor'].value}"
        if self.formula == "listed":
            costs = f"pairs as listed for {what.get('name', '').value!r}"
            self.assumptions.append("taken as given: what pairs of units cost")
            for u, v, d in (row.list(3) for row in self.file["pairs"].list()):
                pair = u.below(self.size), v.below(self.size)
                if (min(pair), max(pair)) in self.pair_costs:
                    raise u.no("a pair that is there twice")
                self.pair_costs[min(pair), max(pair)] = grains(d)
        elif isinstance(label.value, list):
            costs += ", categories by a table"
            self.assumptions.append("taken as given: the table of what pairs of categories cost")
            self.table = [[grains(c) for c in r.list(kinds + 1)] for r in label.list(kinds + 1)]
            if self.table != [list(column) for column in zip(*self.table, strict=True)]:
                raise label.no("not symmetric")
        else:
            one = grains(label)
            costs += f", different categories {'never' if one is None else label.value}"
            self.table = [[one] * i + [0] + [one] * (kinds - i) for i in range(kinds + 1)]
        names = ", ".join(map(repr, self.annotators))
        self.about = f"annotators {names}; dissimilarity: Delta {what['delta'].value}, {costs}"

    def parts(self, u: int, v: int) -> tuple[Fraction | int, int, int] | None:
        """Return what categories add to d, and a numerator and denominator for positions.

        All is in grains; None if the two units can never be together.
        """
        if self.annotator[u] == self.annotator[v]:
            return None
        if self.formula == "listed":
            label = self.pair_costs.get((min(u, v), max(u, v)))
        else:
            label = self.table[self.kind[u]][self.kind[v]]
        if label is None:
            return None
        (start, end), (first, last) = self.place[u], self.place[v]
        apart, (over, under) = abs(start - first) + abs(end - last), self.ratio
        if not apart or not over:
            return label, 0, 1
        lengths = end - start + last - first
        return (label, over * apart * apart, under * lengths * lengths) if lengths else None

    def cost(self, u: int, v: int) -> int | None:
        """Return d of two units, at most two grains too low; None if they can never be together."""
        parts = self.parts(u, v)
        if parts is None:
            return None
        label, over, under = parts
        return math.floor(label) + over // under

    def near(self, units: Sequence[int]) -> list[dict[int, int]]:
        """For each of these units, by number: whom it may be with, and what they earn at most."""
        most, delta = math.ceil(self.opening + (self.n - 1) * self.delta), math.ceil(self.delta)
        near: list[dict[int, int]] = [{} for _ in units]
        # d >= f ((start - start) / lengths)^2: windows, for units of about the same length
        f, classes = self.factor, defaultdict[int, list[tuple[int, int]]](list)
        reach = math.isqrt(max(most + 1, 0) * f.denominator * 4**20 // f.numerator) + 1 if f else 0
        owner, rank = [self.annotator[u] for u in units], dict[int, int]()
        place = [self.place[u] if f else (0, 0) for u in units]
        for i, (start, end) in enumerate(place):
            classes[(end - start).bit_length()].append((start, i))
        sizes = sorted(classes)
        for size in sizes:
            classes[size].sort()
            rank |= {i: k for k, (_, i) in enumerate(classes[size])}
        starts = {size: [start for start, _ in some] for size, some in classes.items()}
        for i, (start, end) in enumerate(place):
            length, unit, mine, earned = end - start, units[i], owner[i], near[i]
            size = length.bit_length()
            for other in sizes:
                # Each pair once: from the longer one, or of one class from the later one.
                if other > size:
                    break
                far = (reach * (length + (1 << other)) >> 20) + 1
                first = bisect_left(starts[other], start - far)
                last = rank[i] if other == size else bisect_left(starts[other], start + far + 1)
                for _, j in classes[other][first:last]:
                    if owner[j] != mine:
                        d = self.cost(unit, units[j])
                        if d is not None and d <= most:
                            earned[j] = near[j][i] = delta - d
        return near

    def by_shares(self, proof: Place) -> tuple[int, str]:
        """Return a lower bound on every alignment's cost, and its derivation: steps 3 and 4."""
        shares = proof["shares"].whole(-(1 << 400), 1 << 400, self.size)
        if proof.get("pooled", False).one_of(False, True):
            self.factor, self.ratio = Fraction(0), (0, 1)
        same = defaultdict[Any, list[int]](list)
        for u, place in sorted(enumerate(self.place), key=lambda up: up[1]):
            where = u if self.formula == "listed" else place if self.factor else None
            same[self.annotator[u], where, self.kind[u]].append(u)
        units = [some[0] for some in same.values()]
        self.counts = [len(some) for some in same.values()]
        self.owner = [self.annotator[u] for u in units]
        share = [sum(shares[u] for u in some) // len(some) for some in same.values()]
        # Who may use a unit again for `reuse` can be given that much, and no more, for doing so.
        self.least_share = -math.floor(self.reuse)
        self.share = [max(s, self.least_share) for s in share] if self.cover else share
        self.close, self.left, self.listed = self.near(units), NODES, list[Group]()
        self.best, self.base = True, math.floor(self.opening)
        floor = max(self.total, 0) // max(self.size, 1) >> 34
        over = [self._begin(root, floor) for root in range(len(units))]
        if self.cover:  # where a unit may be in several groups, no share may be below that
            over = [min(s - self.least_share, max(over)) for s in self.share]
        self.share = [s - x for s, x in zip(self.share, over, strict=True)]
        bound = sum(map(mul, self.share, self.counts))
        how = f"cost shares of {len(units)} distinct units, all groups of each searched"
        if self.left < 0 or self.total - bound <= min(self.total >> 30, self.error):
            return bound, how + ", not all to the end" * (self.left < 0)
        self.best = False
        for root in range(len(units)):
            self._begin(root, bound - self.total)
        if self.left < 0:
            return bound, how + "; too many lose less than the gap"
        groups, self.left = sorted(g for g in self.listed if len(g[1]) > 1), NODES
        bound += self._pack(groups, self.total - bound)
        how += f", {len(groups)} that lose less than the gap packed"
        return bound, how + ", not all to the end" * (self.left < 0)

    def _begin(self, root: int, floor: int) -> int:
        """Return the largest excess of shares over a cost, at least `floor`; or list all above."""
        rows, share = defaultdict[int, Row](list), self.share
        for v, w in self.close[root].items():
            if v > root:
                rows[self.owner[v]].append((v, 2 * (share[v] + w)))
        self.floor = 2 * floor
        self._grow((root,), 2 * (share[root] - self.base), list(rows.values()))
        return -(-self.floor // 2)

    def _pairs(self, v: int, own: Row, rows: list[Row]) -> int:
        earned = self.close[v].get
        return sum(max(0, *[earned(u, 0) for u, _ in r]) for r in rows if r is not own)

    def _grow(self, members: tuple[int, ...], value: int, rows: list[Row]) -> None:
        """All ways to add one unit, or none, of each row to the members."""
        # Groups of two need no search.
        if self.best and len(rows) < 2 and self.left > 0:
            self.left -= 1
            self.floor = max(self.floor, value, *[value + x for row in rows for _, x in row])
            return
        size = -1
        while size != sum(map(len, rows)):
            size = sum(map(len, rows))
            # With v a group has no more than half of v's best pairs, and the others' likewise.
            reach = [[x + self._pairs(v, row, rows) for v, x in row] for row in rows]
            best = [max(0, *r) for r in reach]
            bound = value + sum(best)
            if bound <= self.floor:
                return
            least = [self.floor - bound + b for b in best]
            bounds = zip(rows, reach, least, strict=True)
            rows = [[c for c, up in zip(row, r, strict=True) if up > b] for row, r, b in bounds]
            rows = [row for row in rows if row]
        self.left -= 1 + size * size // 16
        if self.left < 0:
            self.floor = bound
        elif rows:
            row = min(rows, key=len)
            others = [r for r in rows if r is not row]
            for v, x in sorted(row, key=lambda c: -c[1]):
                w = self.close[v]
                narrowed = [[(u, y + 2 * w[u]) for u, y in r if u in w] for r in others]
                self._grow((*members, v), value + x, [r for r in narrowed if r])
            self._grow(members, value, others)
        elif self.best:
            self.floor = value
        else:
            self.listed.append((max(-value // 2, 0), members))

    def _pack(self, waiting: list[Group], gap: int) -> int:
        """No alignment of these groups and of units alone loses less, if that is below the gap."""
        alone = [self.base - s for s in self.share]
        part = list(range(len(alone)))
        units, active = {u: [u] for u in part}, {u: list[Group]() for u in part}
        lost, step = {u: min(gap, alone[u] * self.counts[u]) for u in part}, gap // 256
        fresh = [g for g in waiting if g[0] <= step]
        while True:
            waiting = sorted({*waiting} - {*fresh})
            changed: set[int] = set()
            for g in fresh:
                first, *others = {part[u] for u in g[1]}
                for r in others:
                    units[first] += units.pop(r)
                    active[first] += active.pop(r)
                    del lost[r]
                for u in units[first]:
                    part[u] = first
                active[first].append(g)
                changed = (changed - {*others}) | {first}
            lost |= {r: self._component(sorted(units[r]), active[r], gap) for r in changed}
            fresh = [g for g in waiting if g[0] < sum(lost[r] for r in {part[u] for u in g[1]})]
            if not fresh:
                return int(min(gap, sum(lost.values())))
            most = 4 * max(min(fresh)[0], step)
            fresh = [g for g in fresh if g[0] <= most]

    def _component(self, units: list[int], groups: list[Group], gap: int) -> int:
        """Return the least that these units lose, or the gap if less; 0 if it is too hard."""
        shift, owner, whole = dict[int, int](), list[int](), 0
        options: dict[int, list[Group]] = {u: [(self.base - self.share[u], (u,))] for u in units}
        for g in groups:
            for u in g[1]:
                options[u].append(g)
        for u in units:
            shift[u], whole = len(owner), whole + (self.counts[u] << len(owner))
            owner += [u] * self.counts[u].bit_length()
            options[u].sort()
        fair = {u: min(loss // len(them) for loss, them in options[u]) for u in units}
        best, losses = gap, dict[int, int]()

        def go(rest: int, lost: int, ahead: int) -> None:
            nonlocal best
            self.left -= 1
            best = best if rest else lost
            for loss, members in options[owner[(rest & -rest).bit_length() - 1]] if rest else ():
                after, total, to_go = rest, lost + loss, ahead
                for v in members:
                    if (after >> shift[v]) & ((1 << self.counts[v].bit_length()) - 1):
                        after, to_go = after - (1 << shift[v]), to_go - fair[v]
                    elif not self.cover:
                        break
                    else:
                        total += self.share[v] - self.least_share
                else:
                    if total + to_go < best and total < losses.get(after, best) and self.left > 0:
                        losses[after] = total
                        go(after, total, to_go)

        go(whole, 0, sum(fair[u] * self.counts[u] for u in units))
        return best if self.left > 0 else 0

    def by_matrix(self, proof: Place) -> tuple[int, str]:
        """Return a lower bound on the cost of every alignment, and its derivation: step 5."""
        shift, most, bound = proof["shift"].below(1000), defaultdict[tuple[int, int], int](int), 0
        inside = [u.below(self.size) for u in proof["units"].list()]
        if len(set(inside)) < len(inside):
            raise proof["units"].no("a unit is there twice")
        rows, limit = proof["factor"].list(len(inside) + 1), 1 << 400
        factor = [[x.number(-limit, limit, int) for x in r.list(i + 1)] for i, r in enumerate(rows)]
        owner, place = self.annotator, dict(zip(inside, factor[1:], strict=True))
        for u, a, x in (triple.list(3) for triple in proof["rows"].list()):
            most[u.below(self.size), -1 - a.below(self.n)] += x.below(limit)
            bound -= x.value << shift
        for row in proof["triangles"].list():
            i, j, k = (c.below(self.size) for c in row.list(4)[:3])
            if len({owner[c] for c in (i, j, k)}) < 3:
                raise row.no("not three units of three annotators")
            paid = row.list()[3].below(limit)
            for pair, sign in (((i, j), 1), ((i, k), 1), ((j, k), -1)):
                most[min(pair), max(pair)] += sign * paid
            bound -= paid << shift
        if factor[0][0] ** 2 > math.floor(self.opening) << shift:
            raise proof["factor"].no("its first entry squared is above the opening")
        bound -= sum(2 * factor[0][0] * row[0] + sum(map(mul, row, row)) for row in factor[1:])
        for i, earned in enumerate(self.near(range(self.size))):
            for j, w in ((j, w) for j, w in earned.items() if i < j):
                paid = most[i, j] + most[i, -1 - owner[j]] + most[j, -1 - owner[i]]
                both = sum(map(mul, place.get(i, ()), place.get(j, ())))
                bound -= max((w - paid << shift) + 2 * both, 0)
        return bound >> shift, f"by a matrix of {len(inside)} units"

    def claim(self) -> tuple[bool, list[str]]:
        """Return whether all claims are proven, and the proven and unproven ones in words."""
        claim, proof = self.file["claim"], self.file["proof"]
        cost, bound, error = (
            claim[key].number(0) / self.grain for key in ("cost", "bound", "error")
        )
        status = claim["status"].one_of("optimal", "feasible", "by CP-SAT, unchecked")
        self.error = min(error, MOST_ERROR * cost)
        right = cost - self.error <= self.low and self.high <= cost + self.error
        label = "NOT the cost that is claimed: " * (not right) + self.cost_label
        lines = [self.about, *self.assumptions, f"{label}{float(self.high * self.grain):.12g}"]
        self.least: Fraction | int = 0  # what no alignment costs less than, in grains
        self.best_known = False
        nothing = False, [*lines, "NOT checked: whether an alignment costs less; no proof is here"]
        kind = proof["kind"].value
        try:
            if self.high == 0:
                lower, how = 0, "no group costs less than 0"
            elif kind == "none" or (kind == "matrix" and self.cover):
                return nothing
            else:
                lower, how = (self.by_matrix if kind == "matrix" else self.by_shares)(proof)
        except RecursionError:  # hundreds of annotators, or of units that cannot be told apart
            return nothing
        lower = max(lower, 0)
        least = max(bound, cost if status == "optimal" else bound)
        proven = lower >= least - self.error
        self.least = min(bound if proven else lower, self.high)
        verdict = "bound verified: " if proven else "NOT what is claimed, only this bound: "
        self.best_known = right and proven and (status == "optimal" or lower >= cost - self.error)
        if right and proven and status == "optimal":
            verdict, shown = "", cost
            most = max(cost - lower, cost - self.low, self.high - cost)
            remark = f" (error {float(most * self.grain):.2g})"
        else:
            shown, remark = lower, f", gap {float((self.high - lower) * self.grain):.3g}"
        verdict += f"no alignment costs less than {float(shown * self.grain):.12g}{remark}"
        return right and proven, [*lines, verdict, how]


class Disorder:
    """Disorder of one certificate's alignment, no more than its bound less, and its error."""

    def __init__(self, check: Check | None = None) -> None:
        """Divide cost by pairs of annotators and by x; a set without units has none."""
        self.x, self.value, self.least, self.error = 0.0, 0.0, 0.0, 0.0
        if check is not None:
            self.x = check.size / check.n
            unit = check.grain / (check.n * (check.n - 1) // 2) / Fraction(check.size, check.n)
            self.value, self.least = float(check.high * unit), float(check.least * unit)
            self.error = float(check.error * unit)


def standard_error(values: list[float], weights: list[float], strata: list[int]) -> float:
    """Return the standard error of a weighted mean, within strata if each has several values."""
    mean, free = math.fsum(weights) / len(weights), len(values) - 1
    if not mean:
        return 0.0
    middle = math.fsum(map(mul, values, weights)) / math.fsum(weights)
    apart = [w * (v - middle) for v, w in zip(values, weights, strict=True)]
    counts = Counter(strata)
    if min(counts.values()) > 1:
        sums = defaultdict[int, float](float)
        for stratum, x in zip(strata, apart, strict=True):
            sums[stratum] += x
        apart = [x - sums[s] / counts[s] for s, x in zip(strata, apart, strict=True)]
        free = len(values) - len(counts)
    # Squares of small numbers would be 0: hypot has none.
    return math.hypot(*apart) / math.sqrt(free * len(values)) / mean


def rows_of(check: Check) -> list[Unit]:
    """Return annotator, category, start and end of each unit."""
    categories = [*check.file["categories"].names(), None]
    return [
        (who, categories[-1 if code is None else code], float(start), float(end))
        for number, start, end, code in check.file["units"].value
        for who in (check.annotators[number],)
    ]


def units_of(check: Check) -> People:
    """Return start, length and category of the units of each annotator."""
    units_by_annotator: dict[str, Units] = {name: [] for name in check.annotators}
    for annotator, category, start, end in rows_of(check):
        units_by_annotator[annotator].append((start, end - start, category))
    return units_by_annotator


class Around:
    """Places of one annotator's units on a circle, from one of them on, with the units there."""

    def __init__(self, units: Units, circle: float) -> None:
        """Put units together whose places are the same but for rounding."""
        self.circle, self.near = circle, circle * NEAR
        rows = list[tuple[float, tuple[bool, str], float]]()
        for start, length, category in units:
            place = (start - units[0][0]) % circle if circle else 0.0
            rows.append((place, (category is None, category or ""), length))
        rows.sort()
        # Units of one place may lie on both sides of 0: begin behind a gap.
        behind = (i for i in range(1, len(rows)) if rows[i][0] - rows[i - 1][0] > self.near)
        first = next(behind, 0)
        rows = rows[first:] + [(place + circle, kind, x) for place, kind, x in rows[:first]]
        self.places, self.units_at = list[float](), list[list[tuple[Any, float]]]()
        last = -math.inf
        for place, kind, length in rows:
            if place - last > self.near:
                self.places.append(place - rows[0][0])
                self.units_at.append([])
                last = place
            self.units_at[-1].append((kind, length))
        for some in self.units_at:
            some.sort()

    def is_turned(self, other: "Around") -> bool:
        """Return whether the others are these units, all moved on by one angle."""
        size = len(self.places)
        if size == 0 or len(other.places) != size:
            return size == len(other.places)
        kind, length = self.units_at[0][0]
        return any(
            self._is_turned_to(other, first)
            for first, some in enumerate(other.units_at)
            if some[0][0] == kind and abs(some[0][1] - length) <= self.near
        )

    def _is_turned_to(self, other: "Around", first: int) -> bool:
        size, begin = len(self.places), other.places[first]
        for i, place in enumerate(self.places):
            laps, k = divmod(first + i, size)
            if abs(other.places[k] + laps * self.circle - begin - place) > self.near:
                return False
            units, other_units = self.units_at[i], other.units_at[k]
            if [kind for kind, _ in units] != [kind for kind, _ in other_units]:
                return False
            for (_, x), (_, y) in zip(units, other_units, strict=True):
                if abs(x - y) > self.near or (x == 0) != (y == 0):
                    return False
        return True


def bounds_of(row: Place) -> tuple[float, float] | None:
    """Return the bounds that were declared for a document."""
    if row.get("bounds", None).value is None:
        return None
    low, high = (float(bound.number()) for bound in row["bounds"].list(2))
    if low > high:
        raise row["bounds"].no("the first is beyond the second")
    return low, high


def before_the_first(check: Check, span: float) -> float:
    """Return what lies before all annotators' first units in the mean, by their mean gaps."""
    some = [units for units in units_of(check).values() if units]
    gaps = [(span - math.fsum(length for _, length, _ in u)) / len(u) for u in some]
    return 1 / math.fsum(1 / gap for gap in gaps) if min(gaps) > 0 else 0.0


def touch(units: Units, circle: float) -> bool:
    """Return whether some unit begins where one ends, so that an annotator can be cut there."""
    apart = ((start - other - length) % circle for start, *_ in units for other, length, _ in units)
    return any(min(x, circle - x) <= NEAR * circle for x in apart)


def layout(people: People, any_name: bool) -> Layout:
    """Return all units in an order of their own, of annotators by name or in any order."""
    rows = [
        sorted(
            ((name * (not any_name), kind is None, kind or ""), start, length)
            for start, length, kind in units
        )
        for name, units in people.items()
    ]
    return [unit for units in sorted(rows) for unit in units]


def is_same(one: Any, other: Any, near: float) -> bool:
    """Return whether two layouts have the same units at the same places but for rounding."""
    return len(one) == len(other) and all(
        kind == label and abs(start - place) <= near and abs(length - extent) <= near
        for (kind, start, length), (label, place, extent) in zip(one, other, strict=True)
    )


class Gamma:
    """A proof of gamma: its manifest, and the certificates beside it, one after the other."""

    def __init__(self, text: str, folder: str) -> None:
        """Check every certificate, and add up what they cost: steps 6 and 7."""
        self.file, self.folder = read(text), folder
        self.file["version"].one_of(1)
        self.names, self.failed, self.assumptions = set[str](), list[str](), dict[str, None]()
        self.problem: Any = None
        self.about, self.people = "", Counter[tuple[str, ...]]()
        self.units: Documents = {}
        self.sets, self.equal, self.empty, self.documents = 0, 0, 0, 0
        self.loose_sets = self.loose_documents = self.strata = 0  # not proven best; strata
        self.weights, self.gamma_range = dict[str, float](), list[float]()
        self.turns, self.exempt = list[Turned](), list[str]()
        self.weight = self.observed = self.lowest = 0.0
        self.expected = self.proven = self.error = 0.0
        self.chances = dict[str, None]()
        self.errors = list[float]()  # standard errors of the expected disorders of all parts
        self.value, self.interval, self.confidence = math.nan, list[float](), 0.95
        parts = self.file.get("parts", None)
        if isinstance(parts.value, list) and {"documents", "sets"} & {*self.file.value}:
            raise parts.no("beside documents or sets, which they have of their own")
        for part in [self.file] if parts.value is None else parts.list():
            self._add_part(part)

    def _certificate(self, row: Place) -> Check:
        """Return a certificate that the manifest names, of the same problem as the others."""
        name = row["file"].text()
        path = os.path.join(self.folder, name)
        if not re.fullmatch(r"[^/\\:\0]+\.json", name):
            raise row["file"].no(f"{name!r} is not the plain name of a .json file")
        if name.casefold() in self.names:
            raise row["file"].no(f"{name!r} is named twice")
        if os.path.islink(path) or not os.path.isfile(path):
            raise row["file"].no(f"{name!r} is missing, or no file of this folder itself")
        self.names.add(name.casefold())
        with open(path, "rb") as stream:
            content = stream.read()
        if row["hash"].text() != "sha256:" + hashlib.sha256(content).hexdigest():
            raise row["hash"].no(f"{name!r} was changed, or is another file")
        try:
            certificate = Check(content.decode())
            proven, lines = certificate.claim()
        except (RefusedError, OverflowError, UnicodeDecodeError) as error:
            raise RefusedError(f"{name}: {error}") from None
        problem = certificate.file["dissimilarity"].value
        if isinstance(problem["categorial"], list):
            problem = problem | {"categories": certificate.file["categories"].value}
        self.problem, self.about = self.problem or problem, self.about or certificate.about
        if problem != self.problem:
            raise row["file"].no(f"{name!r} has another dissimilarity than the others")
        if certificate.cover or certificate.n < 2 or not certificate.size:
            raise row["file"].no(f"{name!r} is a cover, of one annotator, or without units")
        self.assumptions |= dict.fromkeys(certificate.assumptions)
        if not proven:
            self.failed += [f"{name}: {line}" for line in lines if "NOT" in line]
        return certificate

    def _add_part(self, part: Place) -> None:
        """Add documents, and the random sets that they are compared with."""
        self.chances[part["chance"].text()] = None
        checks = [self._certificate(row) for row in part["documents"].list()]
        if len({certificate.n for certificate in checks}) != 1:
            raise part["documents"].no("empty, or with different numbers of annotators")
        weight = 0.0
        for row, certificate in zip(part["documents"].list(), checks, strict=True):
            observed, heavy = Disorder(certificate), float(row["weight"].number(1e-100, 1e100))
            weight += heavy * observed.x
            name = row["name"].text()
            if name in self.weights:
                raise row["name"].no(f"{name!r} is there twice")
            self.weights[name] = heavy
            bounds_of(row)
            self.people[tuple(certificate.annotators)] += 1
            self.loose_documents += not certificate.best_known
            self.observed += heavy * observed.x * observed.value
            self.lowest += heavy * observed.x * observed.least
            self.error += heavy * observed.x * observed.error
            self.units[name] = rows_of(certificate)
        self.documents += len(checks)
        sets, strata = self._random_sets(part, checks)
        by_size = part["mean"].one_of("sets", "ratio") == "ratio"
        weights = [one.x if by_size else 1.0 for one in sets]
        values = [one.value for one in sets]
        if len({one.x for one in sets}) > 1:
            how = "by their units" if by_size else "alike, however many units they have"
            self.assumptions[f"taken as given: random sets weigh {how}"] = None
        if not sum(weights):
            raise part["sets"].no("none has units")

        def mean(column: list[float]) -> float:
            return math.fsum(map(mul, column, weights)) / math.fsum(weights)

        self.weight += weight
        self.expected += weight * mean(values)
        self.proven += weight * mean([one.least for one in sets])
        self.error += weight * mean([one.error for one in sets])
        self.errors.append(weight * standard_error(values, weights, strata))

    def _random_sets(self, part: Place, checks: list[Check]) -> tuple[list[Disorder], list[int]]:
        """Return the disorder and the stratum of each set; they are turns unless exempt."""
        circle = self._circle(part, checks)
        any_name, observed_units = part["chance"].text().startswith("shift"), units_of(checks[0])
        data = {name: Around(units, circle or 0.0) for name, units in observed_units.items()}
        earlier = list[tuple[Any, str]]()
        disorders, strata = list[Disorder](), list[int]()
        rows, rounds = part["sets"].list(), self._rounds(part, len(checks))
        if len(rows) < 2:
            raise part["sets"].no("fewer than two")
        if len(rows) % rounds:
            raise part["sets"].no(f"not as many of each of the {rounds} strata")
        for k, row in enumerate(rows):
            if row["k"].number(0, kind=int) != k:
                raise row["k"].no(f"not {k}: a set is missing, repeated or not in its place")
            strata.append(row.get("stratum", 0).number(0, kind=int))
            if rounds == 1 and "stratum" in row.value:
                raise row["stratum"].no(f"chance {part['chance'].value!r} has no strata")
            if strata[k] != k % rounds:
                raise row.no(f"not of stratum {k % rounds}: {rounds} are drawn from in turn")
            # Shift can draw nothing but annotators without units.
            bare = circle is None or (any_name and not all(observed_units.values()))
            if row["file"].value is None and bare:
                self.empty += 1
                disorders.append(Disorder())
                continue
            drawn = self._certificate(row)
            if drawn.n != checks[0].n:
                raise row["file"].no("another number of annotators than in the data")
            people = units_of(drawn)
            if circle is not None:
                self._check_turn(row, data, people, circle, any_name)
            units = layout(people, any_name)
            near = 4 * NEAR * (circle or 0.0)
            twin = next((name for other, name in earlier if is_same(units, other, near)), None)
            if twin is not None:
                self.equal += 1
                # Annotators that are cut between two units that touch can be cut there again.
                if circle and not all(touch(one, circle) for one in observed_units.values() if one):
                    raise row["file"].no(f"{row['file'].value!r} has the units of {twin!r}")
            earlier.append((units, row["file"].value))
            disorders.append(Disorder(drawn))
            self.loose_sets += not drawn.best_known
        self.sets += len(rows)
        return disorders, strata

    def _rounds(self, part: Place, documents: int) -> int:
        """Return how many strata there are: documents from which sets are drawn in turn, or 1."""
        over = re.search(r"\(over=([0-9]{1,9})\)", part["chance"].text())
        if over is None:
            return 1
        if int(over[1]) < documents:
            raise part["chance"].no(f"over fewer than the {documents} documents that are here")
        rounds = min(int(over[1]), MOST_STRATA)
        self.strata += rounds if rounds > 1 else 0
        return rounds

    def _circle(self, part: Place, checks: list[Check]) -> float | None:
        """Return the length of the circle on which units are turned; None if they are not."""
        chance, why = part["chance"].text(), part["exempt"].one_of(None, *EXEMPT)
        turned = chance.split("(")[0] in ("cut", "shift") and "(over=" not in chance
        if why is not None:
            mark, words = EXEMPT[why]
            if mark not in chance or (why == "model" and turned):
                raise part["exempt"].no(f"{why!r} is not so of chance {chance!r}")
            part["circle"].one_of(None)
            self.exempt.append(f"chance is {chance}, and {words}")
            return None
        circle = float(part["circle"]["length"].number(0))
        rows = rows_of(checks[0])
        if not turned or len(checks) > 1:
            raise part["exempt"].no(f"chance {chance!r} is no turn of one document's units")
        span = max(float(row[3]) for row in rows) - min(float(row[2]) for row in rows)
        if span > circle * (1 + NEAR):
            raise part["circle"].no("shorter than what the units span")
        bounds = bounds_of(part["documents"].list()[0])
        if bounds is not None:
            most = max(span, bounds[1] - bounds[0])
        elif chance.startswith("shift"):
            most = span
        else:
            most = span + 2 * before_the_first(checks[0], span)
        if abs(circle - most) > most * SUM_ERROR:
            long = "longer" if circle > most else "shorter"
            raise part["circle"].no(f"{long} than {most:.12g}, which bounds or gaps give")
        lengths = [row[3] - row[2] for row in rows if row[3] > row[2]]
        if lengths and NEAR * circle > SHORT * min(lengths):
            raise part["circle"].no("so long that rounding moves its shortest unit")
        self.turns.append((circle, span, bounds))
        return circle

    def _check_turn(
        self,
        row: Place,
        data: dict[str, Around],
        people: People,
        circle: float,
        any_name: bool,
    ) -> None:
        """Refuse a set that has other units than those of the data, turned."""
        for name, units in people.items():
            owners = [*data] if any_name else [name] * (name in data)
            turned = Around(units, circle)
            if not any(data[owner].is_turned(turned) for owner in owners):
                why = f"{row['file'].value!r}: the units of {name!r} are not turned on the circle"
                raise row["file"].no(why)
            if not all(-NEAR * circle <= u[0] <= (1 + NEAR) * circle for u in units):
                why = f"{row['file'].value!r}: the units of {name!r} begin beyond the circle"
                raise row["file"].no(why)

    def _add_up(self) -> None:
        """Compute gamma, its interval, and the error of gamma."""
        self.confidence = float(self.file["confidence"].number(1e-300, 1 - 2**-52))
        if self.expected <= 0:
            raise self.file["expected"].no("gamma is undefined: random sets cost nothing")
        half = NormalDist().inv_cdf((1 + self.confidence) / 2) * math.hypot(*self.errors)
        low, high = max(0.0, self.proven - half), self.expected + half
        self.value = 1 - self.observed / self.expected
        least = 1 - self.observed / low if low else -math.inf
        self.interval = [least, 1 - self.lowest / high] if self.observed else [1.0, 1.0]
        # What gamma can be if better alignments than those here are found.
        self.gamma_range = [1.0, 1.0]
        if self.observed:
            worst = 1 - self.observed / self.proven if self.proven else -math.inf
            self.gamma_range = [worst, 1 - self.lowest / self.expected]
        if max(self.weights.values()) > MOST_RATIO * min(self.weights.values()):
            raise RefusedError("weight: a document counts for nothing beside the others")

    def claim(self) -> tuple[bool, list[str]]:
        """Return whether gamma is proven, and what is and what is not shown, in words."""
        self._add_up()
        file, error = self.file, SUM_ERROR + self.error / self.expected
        means = [total / self.weight for total in (self.observed, self.expected)]

        def agrees(claim: Place, x: float, unit: float = 1.0) -> bool:
            if claim.value is None or not math.isfinite(x):
                return claim.value is None and x == -math.inf
            # Costs have errors of their own, beside which those of sums are small.
            return abs(float(claim.number()) - x) <= error * (2 * unit + abs(x))

        sums = [agrees(file["value"], self.value)]
        for key, x in zip(("observed", "expected"), means, strict=True):
            sums.append(agrees(file[key], x, means[1]))
        ends = zip(file["interval"].list(2), self.interval, strict=True)
        inside = [agrees(claim, x) for claim, x in ends]
        (low, high), wrong = self.interval, "NOT what is claimed: "
        remark = "" if self.proven >= self.expected * (1 - SUM_ERROR) else ", of proven bounds"
        lines = [self.about, *self._others(), *self.assumptions, *self.failed]
        loose = self.loose_sets + self.loose_documents
        status = file.get("status", "optimal").one_of("optimal", "feasible")
        best = not loose or status != "optimal"
        mark = wrong if not all(sums) else "NOT proven to be best: " if not best else ""
        lines.append(
            f"{mark}gamma = 1 - {means[0]:.12g} / {means[1]:.12g} = "
            f"{self.value:.12g} (error {error * (2 + abs(self.value)):.2g}), from "
            f"{len(self.names)} certificates{self._known() if loose else ''}"
        )
        lines.append(
            f"{wrong * (not all(inside))}interval {low:.12g} to {high:.12g}: {self.sets} random "
            f"sets at a confidence of {self.confidence:.12g}{remark}"
        )
        signed = [f"{wrong}{line}" for line in self._differences()]
        lines += [*signed, *self._taken()]
        if self.turns:
            more = f" (and {len(self.turns) - 1} other documents)" if self.turns[1:] else ""
            where = f"a circle of length {self.turns[0][0]:.12g}, span {self.turns[0][1]:.12g}"
            lines.append(f"random sets have each annotator's units turned on {where}{more}")
            lines += self._circles()
        proven = all([*sums, *inside, best]) and not (self.failed or signed)
        return proven, [*lines, *self.not_shown()]

    def _differences(self) -> list[str]:
        """Return where the signature says other settings than the proof has."""
        fields = [field.partition(":") for field in self.file["signature"].text().split("|")[1:]]
        claims, seed = {key: text for key, _, text in fields}, self.file["seed"].number(kind=int)
        confidence = repr(float(self.file["confidence"].number())).removesuffix(".0")
        facts = {"chance": ",".join(self.chances), "samples": str(self.sets), "seed": str(seed)}
        return [
            f"the signature says {key}:{claims.get(key, '')}, and the proof is of {key}:{value}"
            for key, value in (facts | {"c": confidence}).items()
            # Models of several documents are there in any order.
            if sorted(claims.get(key, "").split(",")) != sorted(value.split(","))
        ]

    def _others(self) -> list[str]:
        """Return the annotators of documents that have others than the first."""
        others = list(self.people.items())[1:]
        shown = [f"{', '.join(map(repr, names))} ({k})" for names, k in others[:MOST_SHOWN]]
        more = f"; and {len(others) - MOST_SHOWN} more" if others[MOST_SHOWN:] else ""
        sentence = f"annotators of other documents (how many): {'; '.join(shown)}{more}"
        return [sentence] if others else []

    def _known(self) -> str:
        """Return how many alignments are not proven to be best, and what gamma of those can be."""
        return (
            f"; alignments of {self.loose_sets} of {self.sets} random sets and of "
            f"{self.loose_documents} of {self.documents} documents are not proven to be best, and "
            f"gamma of the best is only known to lie in {self.gamma_range[0]:.12g} to "
            f"{self.gamma_range[1]:.12g} by proven bounds"
        )

    def _circles(self) -> list[str]:
        """Describe the assumptions behind the lengths of circles."""
        lines, declared = [], [turn for turn in self.turns if turn[2] is not None]
        if declared:
            # The widest beside its units: in it units meet least.
            widest = max(declared, key=lambda turn: turn[0] / (turn[1] or 1e-300))
            low, high = widest[2] or (0.0, 0.0)
            more = f" (and narrower ones of {len(declared) - 1} other documents)"
            more *= len(declared) > 1
            lines.append(f"taken as given: bounds {low:.12g} to {high:.12g} were declared{more}")
        if len(declared) < len(self.turns):
            lines.append(
                "the circle is no longer than the span of the units and what the gaps between them "
                "give on both sides"
            )
        return lines

    def _taken(self) -> list[str]:
        """Describe the weights and strata that the manifest states without proof."""
        heavy = sorted(self.weights.items(), key=lambda item: -item[1])
        lines, weights = [], [f"{name!r} {x:.12g}" for name, x in heavy]
        if {*self.weights.values()} != {1.0}:
            more = f" and {len(weights) - MOST_SHOWN} lighter ones" if weights[MOST_SHOWN:] else ""
            shown = ", ".join(weights[:MOST_SHOWN])
            lines.append(f"taken as given: weights of documents: {shown}{more}")
        if self.strata:
            lines.append(
                f"taken as given: {self.strata} strata that random sets are drawn from in turn; "
                "the interval counts the spread within them"
            )
        return lines

    def not_shown(self) -> list[str]:
        """Describe the claims that no file can prove, and those that this one does not."""
        lines = [
            f"not shown: that sets are turned units: {why}" for why in dict.fromkeys(self.exempt)
        ]
        if self.empty:
            lines.append(f"not shown: {self.empty} random sets without units; their disorder is 0")
        if self.equal:
            lines.append(f"not shown: why {self.equal} random sets have the units of another")
        drawn = "the turns were random" if self.turns else "the sets were random"
        lines.append(f"not shown: that {drawn}, and that nobody chose among them")
        signature = self.file["signature"].text()
        lines.append(f"not shown: that data, settings and seed are those of {signature}")
        return lines


def refuse_devices(path: str) -> None:
    """Raise an error for a device: it may never end."""
    mode = os.stat(path).st_mode
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise RefusedError("is a device, not a file")


def units_in(path: str) -> tuple[Documents, str]:
    """Return the units of a file in our JSON or CSV by document, and what was not looked at."""
    refuse_devices(path)
    with open(path, encoding="utf-8-sig", newline="") as stream:
        text = stream.read()
    if text.lstrip()[:1] == "{":
        whole = read(text)
        whole["gammacp"].one_of(1)
        several = whole.get("corpus", None)
        continua = [whole["continuum"]] if several.value is None else several["continua"].list()
        of_json: Documents = {}
        for number, c in enumerate(continua):
            name = c.get("name", "").value if several.value is not None else ""
            rows = [_unit(row.list()) for row in c["units"].list()]
            of_json.setdefault(name if isinstance(name, str) else str(number), []).extend(rows)
        return of_json, ""
    columns = ["annotator", "category", "start", "end"]
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith("#")]
    mark = max(",;\t|", key="".join(lines[:1]).count)
    table = [row for row in csv.reader(lines, delimiter=mark) if any(row)]
    if table and {*columns} <= {*table[0]}:
        header = table.pop(0)
    else:
        header = columns
    documents: Documents = {}
    place = [header.index(name) for name in columns]
    column = header.index("document") if "document" in header else None
    for number, row in enumerate(table, 1):
        if len(row) != len(header):
            raise RefusedError(f"row {number} has not the columns {', '.join(header)}")
        cells = [row[i].strip() for i in place]
        if cells[2] or cells[3]:  # other rows declare annotators without units
            names = [Place(cell or None, None, f"row {number}") for cell in cells[:2]]
            unit = _unit([*names, *(_position(c, number) for c in cells[2:])])
            documents.setdefault("" if column is None else row[column].strip(), []).append(unit)
    return documents, ", ".join(name for name in header if name not in (*columns, "document"))


def _position(cell: str, number: int) -> Place:
    try:
        return Place(float(cell), None, f"row {number}")
    except ValueError:
        raise RefusedError(f"row {number}: {cell!r} is not a plain number") from None


def _unit(row: Sequence[Place]) -> Unit:
    """Return a unit of a data file; features are a part of its label."""
    if len(row) < 4:
        raise RefusedError("a unit with fewer than four values")
    annotator, label = row[0].text(), row[1].value
    if row[4:] and isinstance(row[4].value, dict) and "box" not in row[4].value:
        inside = ", ".join(f"{name}={value}" for name, value in sorted(row[4].value.items()))
        label = " ".join(filter(None, (label, f"[{inside}]")))
    if label is not None and not isinstance(label, str):
        raise row[1].no("a category that is no text")
    return annotator, label, float(row[2].number()), float(row[3].number())


def compare(documents: Documents, path: str) -> tuple[bool, str]:
    """Return whether a file has these units, each document its own, and that in words."""
    try:
        others, ignored = units_in(path)
    except (RefusedError, csv.Error, UnicodeDecodeError) as error:
        hint = "gammacp convert FILE units.json makes a file to compare with of any format"
        raise RefusedError(f"--file {path}: {error}; {hint}") from None
    these_units, other_units = (_pooled(units) for units in (documents, others))
    lost, more = these_units - other_units, other_units - these_units
    beside = f" (not compared: {ignored})" if ignored else ""
    if lost or more:
        example = ", ".join(f"{unit!r}" for unit in sorted([*lost, *more], key=repr)[:2])
        return False, (
            f"NOT the units of {path}: {lost.total()} are not there, {more.total()} of it are not "
            f"here, such as {example}; selections change units{beside}"
        )
    size = these_units.total()
    others = {name: units for name, units in others.items() if units}
    if max(len(documents), len(others)) < 2:
        return True, f"the {size} units are those of {path}{beside}"
    if {*others} == {""}:
        text = f"the {size} units are those of {path}, which does not say of which document{beside}"
        return True, text
    sets, other_sets = (
        Counter(frozenset(Counter(units).items()) for units in some.values())
        for some in (documents, others)
    )
    names = {*documents} == {*others}
    moved = [n for n in documents if names and Counter(documents[n]) != Counter(others[n])]
    if sets != other_sets or moved:
        some = [n for n, u in documents.items() if frozenset(Counter(u).items()) not in other_sets]
        example = ", ".join(map(repr, (some or moved)[:2]))
        return False, f"NOT the documents of {path}: other units, or names, of {example}{beside}"
    other = "" if names else ", whatever they are called"
    count = len(documents)
    return True, f"the {size} units of {count} documents are those of {path}{other}{beside}"


def _pooled(documents: Documents) -> Counter[Unit]:
    return Counter(unit for units in documents.values() for unit in units)


def text_of(path: str) -> str:
    """Return the text of a file, unpacked if it is packed with gzip."""
    with open(path, "rb") as stream:
        content = stream.read()
    if content[:2] == b"\x1f\x8b":
        try:
            with gzip.open(path) as packed:
                content = packed.read(MOST_TEXT + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise RefusedError(f"cannot be unpacked: {error}") from None
        if len(content) > MOST_TEXT:
            raise RefusedError(f"has more than {MOST_TEXT:,} bytes when it is unpacked")
    return content.decode()


def check(path: str, data: str | None = None) -> tuple[bool, list[str], Gamma | None]:
    """Return whether a file proves its claims, what to say, and the gamma that it is a proof of."""
    refuse_devices(path)
    text = text_of(path)
    proof: Gamma | None = None
    if '"signature"' in text and "signature" in (read(text).value or ()):
        proof = Gamma(text, os.path.dirname(path))
        (proven, lines), units = proof.claim(), proof.units
    else:
        certificate = Check(text)
        (proven, lines), units = certificate.claim(), {"": rows_of(certificate)}
    if data is not None:
        same, sentence = compare(units, data)
        proven, lines = proven and same, [*lines, sentence]
    return proven, lines, proof


def main(arguments: Sequence[str]) -> int:
    """Print what files prove; 0 if that is all they claim, 1 if it is less, 3 for what is none."""
    for stream in (sys.stdout, sys.stderr):
        # Names may have letters that a terminal has not.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        return _told(arguments)
    except KeyboardInterrupt:
        print("interrupted: nothing is shown of the files that are left", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"the result cannot be written: {error.strerror}", file=sys.stderr)
        # Otherwise Python would try again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 3


def _told(arguments: Sequence[str]) -> int:
    """Check the files and print the results; return the exit code."""
    paths, data = [*arguments], None
    if "--file" in paths[:-1]:
        place = paths.index("--file")
        data = paths[place + 1]
        del paths[place : place + 2]
    if not paths or "--file" in paths:
        print("python verify.py FILE... [--file DATA]", file=sys.stderr)
        return 2
    code = 0
    for path in paths:
        try:
            proven, lines, _ = check(path, data)
        except (RefusedError, OSError, OverflowError, UnicodeDecodeError) as error:
            print(printable(f"{path}: {error}"), file=sys.stderr)
            code = 3
            continue
        for line in lines:
            print(printable(f"{path}: {line}"))
        code = max(code, 0 if proven else 1)
    sys.stdout.flush()
    return code


def printable(line: str) -> str:
    """Return a line with control characters of terminals escaped."""
    shown = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    return "".join(shown)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
