"""Check that no alignment of these units costs less: python verify.py CERTIFICATE...

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
"""

import hashlib
import json
import math
import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import Any

NODES = 3_000_000  # steps of each search, in all; what is left then counts with its bound
MOST_ERROR = Fraction(1, 10**6)  # of the cost that is claimed: a larger error counts as this
FINE = 2**100  # parts of a grain in which the costs of the alignment are added up
Group = tuple[int, tuple[int, ...]]  # what it loses, and its units
Row = list[tuple[int, int]]  # candidates of one annotator, with twice what each one adds


class RefusedError(Exception):
    """The file is no certificate: where, and why."""


class Place:
    """A value of the file, and where it stands there."""

    def __init__(self, value: Any, name: str = "") -> None:
        self.value, self.name = value, name

    def no(self, why: str) -> RefusedError:
        return RefusedError(f"{self.name or 'the file'}: {why}")

    def __getitem__(self, key: str) -> "Place":
        if not isinstance(self.value, dict) or key not in self.value:
            raise self.no(f"{key!r} is missing")
        return Place(self.value[key], f"{self.name}.{key}".lstrip("."))

    def get(self, key: str, default: Any) -> "Place":
        return self[key] if key in self.value else Place(default)

    def list(self, size: int | None = None) -> list["Place"]:
        if not isinstance(self.value, list) or size not in (None, len(self.value)):
            raise self.no("not a list, or not of the right length")
        return [Place(v, f"{self.name}[{i}]") for i, v in enumerate(self.value)]

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

    def below(self, most: int) -> int:
        return int(self.number(0, most - 1, int))

    def one_of(self, *values: Any) -> Any:
        if not any(self.value == v and type(self.value) is type(v) for v in values):
            raise self.no(f"{str(self.value)[:40]!r} is not one of {', '.join(map(repr, values))}")
        return self.value


class Check:
    """One certificate, in grains."""

    def __init__(self, text: str) -> None:
        """Read it, count the units in groups, and add up what these cost: steps 1 and 2."""
        try:
            self.file = file = Place(json.loads(text))
        except (RecursionError, ValueError) as error:
            raise RefusedError(f"cut off, or not JSON: {error}") from None
        file["version"].one_of(1, 2)
        told = json.dumps(file["units"].value, separators=(",", ":"))
        own = "sha256:" + hashlib.sha256(told.encode()).hexdigest()
        if file["hash"].value != own:
            raise file["hash"].no(f"made for other units; that of the units here is {own}")
        self.annotators, categories = file["annotators"].names(), file["categories"].names()
        self.n, self.cover = len(self.annotators), file["cover"].one_of(False, True)
        every_pair = self.n * (self.n - 1) // 2
        delta = file["dissimilarity"]["delta"].number(1e-300)
        if abs(file["opening"].number() - delta * every_pair) > delta * every_pair / 2**40:
            raise file["opening"].no("not Delta for each pair of the annotators")
        proof = file["proof"]
        proof["kind"].one_of("shares", "matrix", "none")
        # The Delta of the proof, which is the file's unless a smaller one is there.
        smaller = proof.get("delta", file["dissimilarity"]["delta"].value).number(1e-300, delta)
        self.grain = Fraction(2) ** (math.frexp(float(smaller))[1] - 41)
        self.delta, self.opening = smaller / self.grain, smaller / self.grain * every_pair
        self.reuse = file.get("reuse", 0).number(0) / self.grain
        rows = [row.list(4) for row in file["units"].list()]
        self.size, kinds = len(rows), len(categories)
        self.annotator = [row[0].below(self.n) for row in rows]
        self.kind = [kinds if row[3].value is None else row[3].below(kinds) for row in rows]
        places = [(row[1].number(), row[2].number(row[1].number())) for row in rows]
        fine = math.lcm(*(x.denominator for place in places for x in place))
        self.place = [(int(start * fine), int(end * fine)) for start, end in places]
        self._read_costs(kinds)
        if self.reuse:
            self.about += f"; {file['reuse'].value} for a unit in each further group"
        low, high, times = 0, 0, [0] * self.size
        groups = file["groups"].list()
        for place in groups:
            units = [u.below(self.size) for u in place.list()]
            pairs = [self.parts(u, v) for i, u in enumerate(units) for v in units[:i]]
            known = [pair for pair in pairs if pair is not None]
            if not units or len(known) < len(pairs):
                raise place.no("empty, or units that cannot be together")
            alone = (every_pair - len(pairs)) * delta / self.grain
            for label, over, under in ((alone, 0, 1), *known):
                low += math.floor(label * FINE) + over * FINE // under
                high += math.ceil(label * FINE) - -over * FINE // under
            for u in units:
                times[u] += 1
        for u, k in enumerate(times):
            if k == 0 or (k > 1 and not self.cover):
                raise file["groups"].no(f"unit {u} is in {k} of them")
        self.low, self.high = Fraction(low, FINE), Fraction(high, FINE)
        again = (sum(times) - self.size) * self.reuse
        self.low, self.high = self.low + again, self.high + again
        self.total = math.ceil(self.high)
        self.said = f"{len(groups)} groups of {self.size} units cost "

    def _read_costs(self, kinds: int) -> None:
        """Read the dissimilarity, and describe what it was read from."""

        def grains(place: Place) -> Fraction | None:
            return None if place.value is None else place.number(0) / self.grain

        what, self.given, self.factor = self.file["dissimilarity"], list[str](), Fraction(0)
        label, self.known = what["categorial"], dict[tuple[int, int], Fraction | None]()
        self.formula = what["positional"].one_of("sporadic", "none", "listed")
        costs = "positions do not count"
        if self.formula == "sporadic":
            self.factor = what["factor"].number(0) / self.grain
            costs = f"sporadic * {what['factor'].value}"
        if self.formula == "listed":
            costs = f"pairs as listed for {what.get('name', '').value!r}"
            self.given.append("taken as given: what pairs of units cost")
            for u, v, d in (row.list(3) for row in self.file["pairs"].list()):
                pair = u.below(self.size), v.below(self.size)
                self.known[min(pair), max(pair)] = grains(d)
        elif isinstance(label.value, list):
            costs += ", categories by a table"
            self.given.append("taken as given: the table of what pairs of categories cost")
            self.table = [[grains(c) for c in r.list(kinds + 1)] for r in label.list(kinds + 1)]
            if self.table != [list(column) for column in zip(*self.table, strict=True)]:
                raise label.no("not symmetric")
        else:
            one = grains(label)
            costs += f", different categories {'never' if one is None else label.value}"
            zero = Fraction(0)
            self.table = [[one] * i + [zero] + [one] * (kinds - i) for i in range(kinds + 1)]
        names = ", ".join(map(repr, self.annotators))
        self.about = f"annotators {names}; dissimilarity: Delta {what['delta'].value}, {costs}"

    def parts(self, u: int, v: int) -> tuple[Fraction, int, int] | None:
        """Return what categories add to d, and a numerator and denominator for positions.

        All is in grains; None if the two units can never be together.
        """
        if self.annotator[u] == self.annotator[v]:
            return None
        if self.formula == "listed":
            label = self.known.get((min(u, v), max(u, v)))
        else:
            label = self.table[self.kind[u]][self.kind[v]]
        (start, end), (first, last) = self.place[u], self.place[v]
        apart, lengths = abs(start - first) + abs(end - last), end - start + last - first
        if label is None:
            return None
        if not apart or not self.factor:
            return label, 0, 1
        square = self.factor.denominator * lengths * lengths
        return (label, self.factor.numerator * apart * apart, square) if square else None

    def cost(self, u: int, v: int) -> int | None:
        """d of two units, at most two grains too low; None if they can never be together."""
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
        f, classes = self.factor, defaultdict[int, Row](list)
        reach = math.isqrt(max(most + 1, 0) * f.denominator * 4**20 // f.numerator) + 1 if f else 0
        place = [self.place[u] if f else (0, 0) for u in units]
        for i, (start, end) in enumerate(place):
            classes[(end - start).bit_length()].append((start, i))
        for size, some in classes.items():
            some.sort()
            for i, (start, end) in enumerate(place):
                far = reach * (end - start + (1 << size)) // 2**20 + 1
                low, high = bisect_left(some, (start - far,)), bisect_left(some, (start + far + 1,))
                for _, j in some[low:high]:
                    d = self.cost(units[i], units[j]) if i < j else None
                    if d is not None and d <= most:
                        near[i][j] = near[j][i] = delta - d
        return near

    def by_shares(self, proof: Place) -> tuple[int, str]:
        """Return a lower bound on every alignment's cost, and its derivation: steps 3 and 4."""
        told = [p.number(-(1 << 400), 1 << 400, int) for p in proof["shares"].list(self.size)]
        if proof.get("pooled", False).one_of(False, True):
            self.factor = Fraction(0)
        same = defaultdict[Any, list[int]](list)
        for u, place in sorted(enumerate(self.place), key=lambda up: up[1]):
            where = u if self.formula == "listed" else place if self.factor else None
            same[self.annotator[u], where, self.kind[u]].append(u)
        units = [some[0] for some in same.values()]
        self.counts = [len(some) for some in same.values()]
        self.owner = [self.annotator[u] for u in units]
        share = [sum(told[u] for u in some) // len(some) for some in same.values()]
        # Who may use a unit again for `reuse` can be given that much, and no more, for doing so.
        self.least = -math.floor(self.reuse)
        self.share = [max(s, self.least) for s in share] if self.cover else share
        self.close, self.left, self.listed = self.near(units), NODES, list[Group]()
        self.best, self.base = True, math.floor(self.opening)
        floor = max(self.total, 0) // max(self.size, 1) >> 34
        over = [self._begin(root, floor) for root in range(len(units))]
        if self.cover:  # where a unit may be in several groups, no share may be below that
            over = [min(s - self.least, max(over)) for s in self.share]
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
        rows = defaultdict[int, Row](list)
        for v, w in self.close[root].items():
            if v > root:
                rows[self.owner[v]].append((v, 2 * (self.share[v] + w)))
        self.floor = 2 * floor
        self._grow((root,), 2 * (self.share[root] - self.base), list(rows.values()))
        return -(-self.floor // 2)

    def _pairs(self, v: int, own: Row, rows: list[Row]) -> int:
        earned = self.close[v].get
        return sum(max(0, *[earned(u, 0) for u, _ in r]) for r in rows if r is not own)

    def _grow(self, members: tuple[int, ...], value: int, rows: list[Row]) -> None:
        """All ways to add one unit, or none, of each row to the members."""
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
            kept = zip(rows, reach, least, strict=True)
            rows = [[c for c, up in zip(row, r, strict=True) if up > b] for row, r, b in kept]
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
        """The least that these units lose, or the gap if that is less; 0 if it is too hard."""
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
        best, seen = gap, dict[int, int]()

        def go(rest: int, lost: int, ahead: int) -> None:
            nonlocal best
            self.left -= 1
            best = best if rest else lost
            for loss, members in options[owner[(rest & -rest).bit_length() - 1]] if rest else ():
                after, total, left = rest, lost + loss, ahead
                for v in members:
                    if (after >> shift[v]) & ((1 << self.counts[v].bit_length()) - 1):
                        after, left = after - (1 << shift[v]), left - fair[v]
                    elif not self.cover:
                        break
                    else:
                        total += self.share[v] - self.least
                else:
                    if total + left < best and total < seen.get(after, best) and self.left > 0:
                        seen[after] = total
                        go(after, total, left)

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
        said = "NOT the cost that is claimed: " * (not right) + self.said
        lines = [self.about, *self.given, f"{said}{float(self.high * self.grain):.12g}"]
        nothing = False, [*lines, "NOT checked: whether an alignment costs less; no proof is here"]
        kind = proof["kind"].value
        try:
            if self.high == 0:
                found, how = 0, "no group costs less than 0"
            elif kind == "none" or (kind == "matrix" and self.cover):
                return nothing
            else:
                found, how = (self.by_matrix if kind == "matrix" else self.by_shares)(proof)
        except RecursionError:  # hundreds of annotators, or of units that cannot be told apart
            return nothing
        found = max(found, 0)
        least = max(bound, cost if status == "optimal" else bound)
        proven = found >= least - self.error
        told = "bound verified: " if proven else "NOT what is claimed, only this bound: "
        if right and proven and status == "optimal":
            told, shown = "", cost
            most = max(cost - found, cost - self.low, self.high - cost)
            left = f" (error {float(most * self.grain):.2g})"
        else:
            shown, left = found, f", gap {float((self.high - found) * self.grain):.3g}"
        told += f"no alignment costs less than {float(shown * self.grain):.12g}{left}"
        return right and proven, [*lines, told, how]


def main(paths: Sequence[str]) -> int:
    """Print what files prove; 0 if that is all they claim, 1 if it is less, 3 for what is none."""
    code = 0 if paths else 2
    for path in paths:
        try:
            with open(path, encoding="utf-8") as stream:  # noqa: PTH123
                proven, lines = Check(stream.read()).claim()
            for line in lines:
                print(_printable(f"{path}: {line}"))
            code = max(code, 0 if proven else 1)
        except (RefusedError, OSError, OverflowError, UnicodeDecodeError) as error:
            print(_printable(f"{path}: {error}"), file=sys.stderr)
            code = 3
    return code


def _printable(line: str) -> str:
    """Return a line with escapes in place of what a terminal would obey."""
    shown = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    return "".join(shown)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
