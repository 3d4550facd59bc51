"""Check that no alignment of these units costs less: python verify.py CERTIFICATE...

This file needs nothing but Python, and shares no code with the program that found the alignment.
It counts costs in whole grains of about 2^-40 of Delta, rounded down where they may only be too
low and up where they may only be too high. docs/certificates.md describes the format.

A group has at most one unit of each annotator. It costs opening - sum of w over its pairs, where
w = Delta - d. An alignment is a set of groups that has each unit once (in a cover: at least once).

1. Costs. Every d is computed anew from positions and categories. Two units are passed over if
   opening + w(u, v) + (n - 2) Delta < 0: a group with both is cheaper without one of them.
2. The alignment. Its units are counted, and the costs of its groups added up.
3. Shares. Let each unit have a share, such that no group costs less than its units' shares: then no
   alignment costs less than all shares. They need not be right. For each root, the first unit of a
   group, the group is sought that exceeds its cost most; the root's share is lowered by that.
4. The gap. What a group costs beyond its shares it loses. An alignment that costs less than the one
   here has only groups that lose less than the gap between its cost and all shares. They are
   listed. Those that lose least fall into components, and each one's least loss is found by trying
   everything. A group that was left out can stay out if it loses no less than the components that
   it touches lose together; otherwise it is taken in, and joins them.
5. Matrix. For crowds no group can be sought. Let S = L L', so that z'Sz >= 0 for every z, with
   S[0, 0] <= opening, and rows r(u, a) >= 0, triangles t(u, v, x) >= 0. If for each pair
   w(u, v) + 2 S[u, v] <= r(u, a(v)) + r(v, a(u)) + t(u, v, .) + t(v, u, .) - t(., u, v), then the
   share of u can be -2 S[0, u] - S[u, u] - r(u, .) - t(u, ., .), because a group has at most one
   unit of a, and with u and v, u and x also v and x. What a pair has beyond that is paid, too.
"""

import hashlib
import json
import math
import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

NODES = 3_000_000  # of each search, in all; what is left then counts with its bound
MOST_ERROR = Fraction(1, 10**6)  # of the opening, for each unit: a larger error claims nothing
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

    def list(self, *sizes: int) -> list["Place"]:
        if not isinstance(self.value, list) or (sizes and len(self.value) not in sizes):
            raise self.no(f"not a list{f' of {sizes[0]}' if sizes else ''}")
        return [Place(v, f"{self.name}[{i}]") for i, v in enumerate(self.value)]

    def number(self, least: float = -1e300, most: float = 1e300, kind: Any = int | float) -> Any:
        v = self.value
        if isinstance(v, bool) or not isinstance(v, kind) or not least <= v <= most:
            raise self.no(
                f"{str(v)[:40]!r} is no {'whole ' * (kind is int)}number that can be here"
            )
        return v if kind is int else Fraction(v)

    def below(self, most: int) -> int:
        return int(self.number(0, most - 1, int))

    def one_of(self, *values: Any) -> Any:
        if not any(self.value == v and type(self.value) is type(v) for v in values):
            raise self.no(f"{str(self.value)[:40]!r} is none of {', '.join(map(repr, values))}")
        return self.value


def parse(text: str) -> Place:
    """The file's content, if it is of the version and for the units that it says."""
    try:
        file = Place(json.loads(text))
    except json.JSONDecodeError as e:
        where = f"line {e.lineno}, column {e.colno}"
        raise RefusedError(f"{where}: {e.msg}; the file is cut off, or no JSON") from None
    except (RecursionError, ValueError) as e:
        raise RefusedError(f"the file: {e}") from None
    file["version"].one_of(1)
    told = json.dumps(file["units"].value, separators=(",", ":"))
    own = "sha256:" + hashlib.sha256(told.encode()).hexdigest()
    if file["hash"].value != own:
        raise file["hash"].no(f"made for other units; that of the units here is {own}")
    return file


class Instance:
    """Steps 1 and 2: the units, what they cost together, and the alignment; all in grains."""

    def __init__(self, file: Place) -> None:
        self.trusted: list[str] = []
        what, kinds = file["dissimilarity"], len(file["categories"].list())
        self.n, self.cover = len(file["annotators"].list()), file["cover"].one_of(False, True)
        delta, opening = what["delta"].number(1e-300), file["opening"].number()
        self.grain = Fraction(2) ** (math.frexp(float(delta))[1] - 41)
        self.delta, self.opening = delta / self.grain, opening / self.grain
        rows = [row.list(4, 5) for row in file["units"].list()]
        self.annotator = [row[0].below(self.n) for row in rows]
        self.kind = [kinds if r[3].value is None else r[3].below(kinds) for r in rows]
        spans = [edges(row) for row in rows]
        fine = math.lcm(*(x.denominator for span in spans for x in span))
        self.span = [tuple(int(x * fine) for x in span) for span in spans]
        if self.annotator != sorted(self.annotator):
            raise file["units"].no("not in the order of their annotators")
        self.cost = self._costs(file, what, kinds)
        self.groups = [[u.below(len(rows)) for u in g.list()] for g in file["groups"].list()]
        times = [0] * len(rows)
        for place, group in zip(file["groups"].list(), self.groups, strict=True):
            if len({self.annotator[u] for u in group}) != max(len(group), 1):
                raise place.no("empty, or two units of one annotator")
            for u in group:
                times[u] += 1
        for u, k in enumerate(times):
            if k == 0 or (k > 1 and not self.cover):
                raise file["groups"].no(f"unit {u} is in {k} of them")

    def _costs(self, file: Place, what: Place, kinds: int) -> Callable[[int, int], int | None]:
        """d of two units, at most two grains too low; None if they are never aligned."""
        span, kind, label = self.span, self.kind, what["categorial"]
        self.factor = Fraction(0)
        if what["positional"].one_of("sporadic", "none", "listed") == "listed":
            self.trusted.append("what pairs of units cost is given, not computed")
            known = {}
            for row in file["pairs"].list():
                u, v, d = row.list(3)
                pair = u.below(len(span)), v.below(len(span))
                known[min(pair), max(pair)] = math.floor(d.number(0) / self.grain)
            return lambda u, v: known.get((min(u, v), max(u, v)))
        if what["positional"].value == "sporadic":
            self.factor = what["factor"].number(0) / self.grain
        if isinstance(label.value, list):
            self.trusted.append("what pairs of categories cost is given, as a table")
            table: list[list[int | None]] = [
                [None if c.value is None else math.floor(c.number(0) / self.grain) for c in row]
                for row in (r.list(kinds + 1) for r in label.list(kinds + 1))
            ]
        else:
            one = math.floor(label.number(0) / self.grain)
            table = [[one] * i + [0] + [one] * (kinds - i) for i in range(kinds + 1)]
        over, under = self.factor.numerator, self.factor.denominator

        def cost(u: int, v: int) -> int | None:
            a, b, d = span[u], span[v], table[kind[u]][kind[v]]
            far, lengths = apart(a, b), length(a) + length(b)
            if not over or not far or d is None or not lengths:
                return None if over and far and not lengths else d
            return d + over * far * far // (under * lengths * lengths)

        return cost

    def total(self) -> int:
        """What the alignment costs at most."""
        total: int = len(self.groups) * math.ceil(self.opening)
        for u, v in ((u, v) for g in self.groups for i, u in enumerate(g) for v in g[:i]):
            d = self.cost(u, v)
            if d is None:
                raise RefusedError(f"groups: units {v} and {u} are never aligned")
            total += d + 2 - math.floor(self.delta)
        return total

    def near(self, units: Sequence[int]) -> list[dict[int, int]]:
        """For each of these units, by number: whom it may be with, and what they earn at most."""
        most, delta = math.ceil(self.opening + (self.n - 1) * self.delta), math.ceil(self.delta)
        near: list[dict[int, int]] = [{} for _ in units]
        for i, j in self._close(units, most):
            u, v = units[i], units[j]
            d = None if self.annotator[u] == self.annotator[v] else self.cost(u, v)
            if d is not None and d <= most:
                near[i][j] = near[j][i] = delta - d
        return near

    def _close(self, units: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
        """Pairs i < j of the units: all, or those that are close enough to cost no more."""
        span, f = self.span, self.factor
        if f == 0 or any(len(span[u]) > 2 for u in units):
            yield from ((i, j) for j in range(len(units)) for i in range(j))
            return
        # d >= f ((start - start) / lengths)^2, in windows for units of about the same length
        reach = math.isqrt(max(most + 1, 0) * f.denominator * 4**20 // f.numerator) + 1
        classes: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for i, u in enumerate(units):
            classes[length(span[u]).bit_length()].append((span[u][0], i))
        for size, members in classes.items():
            members.sort()
            for i, u in enumerate(units):
                start, far = span[u][0], reach * (length(span[u]) + (1 << size)) // 2**20 + 1
                low, high = bisect_left(members, (start - far, -1)), (start + far + 1, -1)
                yield from ((i, j) for _, j in members[low : bisect_left(members, high)] if i < j)


def edges(row: list[Place]) -> list[Fraction]:
    """Where a unit starts and ends, or each of its fragments does."""
    whole = [row[1].number(), row[2].number()]
    found = [e.number() for f in row[4].list() for e in f.list(2)] if len(row) > 4 else whole
    if found != sorted(found) or [*found[:1], *found[-1:]] != whole:
        raise row[2].no("an end before its start")
    return found


def length(span: Sequence[int]) -> int:
    """Of all fragments."""
    return sum(span[1::2]) - sum(span[::2])


def apart(a: Sequence[int], b: Sequence[int]) -> int:
    """|start - start| + |end - end|; of fragments what one alone covers + twice the distance."""
    if len(a) == len(b) == 2:
        return abs(a[0] - b[0]) + abs(a[1] - b[1])
    both = [(i, j) for i in range(0, len(a), 2) for j in range(0, len(b), 2)]
    common = [min(a[i + 1], b[j + 1]) - max(a[i], b[j]) for i, j in both]
    shared, distance = sum(max(c, 0) for c in common), min(max(-c, 0) for c in common)
    return length(a) + length(b) - 2 * shared + 2 * distance


class Search:
    """Steps 3 and 4: the groups of each root, by branch and bound."""

    def __init__(self, near: list[dict[int, int]], annotator: Sequence[int], opening: int) -> None:
        self.near, self.annotator, self.opening, self.left = near, annotator, opening, NODES
        self.share: list[int] = []
        self.listed: list[Group] | None = None

    def begin(self, root: int, floor: int) -> int:
        """What the root's groups exceed their costs by at most, `floor` at least.

        With a list, all groups above the floor are put there.
        """
        rows: dict[int, Row] = defaultdict(list)
        for v, w in self.near[root].items():
            if v > root:
                rows[self.annotator[v]].append((v, 2 * (self.share[v] + w)))
        self.floor = 2 * floor
        self._grow((root,), 2 * (self.share[root] - self.opening), list(rows.values()))
        return -(-self.floor // 2)

    def _grow(self, members: tuple[int, ...], value: int, rows: list[Row]) -> None:
        """All ways to add one unit, or none, of each row to the members; values count twice."""
        while True:
            # With v a group has no more than half of v's best pairs, and the others' likewise.
            reach = [[x + self._pairs(v, row, rows) for v, x in row] for row in rows]
            best = [max(0, *r) for r in reach]
            bound, size = value + sum(best), sum(map(len, rows))
            if bound <= self.floor:
                return
            kept = (
                [c for c, up in zip(row, r, strict=True) if bound - b + up > self.floor]
                for row, r, b in zip(rows, reach, best, strict=True)
            )
            rows = [row for row in kept if row]
            if sum(map(len, rows)) == size:
                break
        self.left -= 1
        if self.left < 0 and self.listed is not None:
            raise TimeoutError
        if self.left < 0:
            self.floor = bound
        elif rows:
            row = min(rows, key=len)
            others = [r for r in rows if r is not row]
            for v, x in sorted(row, key=lambda c: -c[1]):
                w = self.near[v]
                narrowed = [[(u, y + 2 * w[u]) for u, y in r if u in w] for r in others]
                self._grow((*members, v), value + x, [r for r in narrowed if r])
            self._grow(members, value, others)
        elif self.listed is None:
            self.floor = value
        else:
            self.listed.append((max(-value // 2, 0), members))

    def _pairs(self, v: int, own: Row, rows: list[Row]) -> int:
        earned = self.near[v].get
        return sum(max(0, *[earned(u, 0) for u, _ in r]) for r in rows if r is not own)


class Packing:
    """Step 4: the least that an alignment of listed groups loses."""

    def __init__(
        self, alone: list[int], counts: list[int], over: list[int] | None, order: list[int]
    ) -> None:
        """What units lose alone, how many there are, what more coverings cost; their places."""
        self.alone, self.counts, self.over, self.left = alone, counts, over, NODES
        self.place = {u: k for k, u in enumerate(order)}

    def least(self, waiting: list[Group], gap: int) -> int:
        """No alignment of these groups and of units alone loses less, if that is below the gap."""
        part = list(range(len(self.alone)))
        units, active = {u: [u] for u in part}, {u: list[Group]() for u in part}
        lost, step = {u: min(gap, self.alone[u] * self.counts[u]) for u in part}, gap // 256
        fresh = [g for g in waiting if g[0] <= step]
        while fresh:
            waiting = [g for g in waiting if g not in set(fresh)]
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
            for r in changed:
                lost[r] = self._search(units[r], active[r], gap)
            fresh = [g for g in waiting if g[0] < sum(lost[r] for r in {part[u] for u in g[1]})]
            most = 4 * max(min(fresh, default=(0,))[0], step)
            fresh = [g for g in fresh if g[0] <= most]
        return min(gap, sum(lost.values()))

    def _search(self, units: list[int], groups: list[Group], gap: int) -> int:
        """The least loss of one component, or the gap if that is less; 0 if it is too hard."""
        shift, bits, rest, fair = {}, list[int](), 0, dict[int, int]()
        options: dict[int, list[Group]] = {u: [(self.alone[u], (u,))] for u in units}
        for g in groups:
            for u in g[1]:
                options[u].append(g)
        for u in sorted(units, key=self.place.__getitem__):
            shift[u], size = len(bits), self.counts[u].bit_length()
            rest += self.counts[u] << len(bits)
            bits += [u] * size
            options[u].sort()
            fair[u] = min(loss // len(members) for loss, members in options[u])
        best, seen = gap, dict[int, int]()

        def go(rest: int, lost: int, ahead: int) -> None:
            nonlocal best
            self.left -= 1
            if not rest:
                best = lost
            if not rest or self.left < 0:
                return
            for loss, members in options[bits[(rest & -rest).bit_length() - 1]]:
                after, total, left = rest, lost + loss, ahead
                for v in members:
                    if (after >> shift[v]) & ((1 << self.counts[v].bit_length()) - 1):
                        after, left = after - (1 << shift[v]), left - fair[v]
                    elif self.over is None:
                        break
                    else:
                        total += self.over[v]
                else:
                    if total + left < best and total < seen.get(after, best):
                        seen[after] = total
                        go(after, total, left)

        go(rest, 0, sum(fair[u] * self.counts[u] for u in units))
        return best if self.left >= 0 else 0


def by_shares(it: Instance, proof: Place, total: int) -> tuple[int, str]:
    """What no alignment costs less than, and how that was found: steps 3 and 4."""
    told = [p.number(-(1 << 400), 1 << 400, int) for p in proof["shares"].list(len(it.span))]
    same: dict[Any, list[int]] = defaultdict(list)
    for u, span in enumerate(it.span):
        same[it.annotator[u], span if it.factor else u, it.kind[u]].append(u)
    units, counts = [some[0] for some in same.values()], [len(some) for some in same.values()]
    share = [sum(told[u] for u in some) // len(some) for some in same.values()]
    opening = math.floor(it.opening)
    search = Search(it.near(units), [it.annotator[u] for u in units], opening)
    search.share = [max(s, 0) for s in share] if it.cover else share
    floor = max(total, 0) // len(it.span) >> 34
    over = [search.begin(root, floor) for root in range(len(units))]
    if it.cover:  # where units may be in several groups, no share may be below 0
        share = [max(s - max(over), 0) for s in search.share]
    else:
        share = [s - x for s, x in zip(share, over, strict=True)]
    bound, search.share, search.listed = sum(map(mul, share, counts)), share, []
    how = f"shares of {len(units)} distinct units, each one's groups searched"
    if search.left < 0:
        return bound, how + ", not all to the end"
    try:
        for root in range(len(units) if total > bound else 0):
            search.begin(root, bound - total)
    except TimeoutError:
        return bound, how + "; too many lose less than the gap"
    groups = sorted(g for g in search.listed if len(g[1]) > 1)
    order = sorted(range(len(units)), key=lambda i: it.span[units[i]])
    packing = Packing([opening - s for s in share], counts, share if it.cover else None, order)
    bound += packing.least(groups, total - bound) if total > bound else 0
    how += f", {len(search.listed)} that lose less than the gap packed"
    return bound, how + ", not all to the end" * (packing.left < 0)


def by_matrix(it: Instance, proof: Place) -> tuple[int, str]:
    """What no alignment costs less than, and how that was found: step 5."""
    size, shift = len(it.span), proof["shift"].below(1000)
    inside = [u.below(size) for u in proof["units"].list()]
    rows = proof["factor"].list(len(set(inside)) + 1)
    factor = [
        [x.number(-(1 << 400), 1 << 400, int) for x in r.list(i + 1)] for i, r in enumerate(rows)
    ]
    place = dict(zip(inside, factor[1:], strict=True))
    most: dict[tuple[int, int], int] = defaultdict(int)
    bound = 0
    for row in proof["rows"].list():
        unit, other, paid = row.list(3)
        most[unit.below(size), -1 - other.below(it.n)] += paid.below(1 << 400)
        bound -= paid.value << shift
    for row in proof["triangles"].list():
        u, v, w = corners = [c.below(size) for c in row.list(4)[:3]]
        x = row.list()[3].below(1 << 400)
        if len({it.annotator[c] for c in corners}) < 3:
            raise row.no("not three units of three annotators")
        for i, j, sign in ((u, v, 1), (u, w, 1), (v, w, -1)):
            most[min(i, j), max(i, j)] += sign * x
        bound -= x << shift
    if factor[0][0] ** 2 > math.floor(it.opening) << shift:
        raise proof["factor"].no("its first entry squared is above the opening")
    bound -= sum(2 * factor[0][0] * row[0] + sum(map(mul, row, row)) for row in factor[1:])
    for u, earned in enumerate(it.near(range(size))):
        for v, w in earned.items():
            if u < v:
                rest = most[u, v] + most[u, -1 - it.annotator[v]] + most[v, -1 - it.annotator[u]]
                both = sum(map(mul, place.get(u, ()), place.get(v, ())))
                bound -= max((w - rest << shift) + 2 * both, 0)
    return bound >> shift, f"a matrix of {len(inside)} units"


def verify(text: str) -> tuple[bool, list[str]]:
    """Whether the whole claim of a certificate is proven; what is, and what is not, in words."""
    file = parse(text)
    it, claim, kind = Instance(file), file["claim"], file["proof"]["kind"]
    cost, bound, error = (claim[key].number() / it.grain for key in ("cost", "bound", "error"))
    optimal = claim["status"].one_of("optimal", "feasible", "by CP-SAT, unchecked") == "optimal"
    if not 0 <= error <= MOST_ERROR * max(abs(it.opening), it.delta) * len(it.span):
        raise claim["error"].no("below 0, or so large that nothing is claimed")
    total, lines = it.total(), [f"taken as given: {what}" for what in it.trusted]
    right = abs(total - cost) <= error
    told = f"{len(it.groups)} groups of {len(it.span)} units cost {float(total * it.grain):.12g}"
    lines.append(told if right else f"NOT the cost that is claimed: {told}")
    whole = it.opening >= it.delta * it.n * (it.n - 1) / 2  # then no group costs less than nothing
    if kind.one_of("shares", "matrix", "none") == "none" or (
        it.cover and not (whole and kind.value == "shares")
    ):
        return False, [*lines, "NOT checked: whether an alignment costs less; no proof is here"]
    if kind.value == "shares":
        found, how = by_shares(it, file["proof"], total)
    else:
        found, how = by_matrix(it, file["proof"])
    found = max(found, 0) if whole else found
    proven = found >= max(bound, cost if optimal else bound) - error
    least, left = float(found * it.grain), float((total - found) * it.grain)
    if proven and optimal:
        lines.append(
            f"no alignment costs less than {float(cost * it.grain):.12g} (error {left:.2g})"
        )
    else:
        lines.append(
            f"{'bound verified' if proven else 'NOT what is claimed, only this bound'}: "
            f"no alignment costs less than {least:.12g}, gap {left:.3g}"
        )
    return right and proven, [*lines, f"by {how}"]


def main(paths: Sequence[str]) -> int:
    """Print what files prove; 0 if that is all they claim, 1 if it is less, 3 for what is none."""
    code = 0 if paths else 2
    sys.setrecursionlimit(20_000)
    for path in paths:
        try:
            with open(path, encoding="utf-8") as stream:  # noqa: PTH123
                proven, lines = verify(stream.read())
        except (RefusedError, OSError, UnicodeDecodeError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            code = 3
            continue
        print("\n".join(f"{path}: {line}" for line in lines))
        code = max(code, 0 if proven else 1)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
