"""Certificates of small problems, altered ones, and the truth by trying every alignment."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations
from random import Random
from typing import Any

import numpy as np

from gammacp import Combined, Continuum, Unit, align
from gammacp.alignment.align import to_alignment
from gammacp.alignment.certificate import certificate
from gammacp.alignment.duals.nested import relaxations
from gammacp.alignment.duals.semidefinite import Semidefinite
from gammacp.alignment.problem import Proof, Status
from gammacp.verify import Check, RefusedError
from tests.alignment.continua import DISSIMILARITIES, random_continuum
from tests.boxes import random_boxes

# Largest relative error of the cost with which a claim is still worth reporting.
MOST_ERROR = Fraction(1, 10**6)
# Some openings for these are no whole multiples of Δ in double precision.
DELTAS = (0.3, 0.7, 1.0, 1.2, 2.5)


def bases() -> Iterator[dict[str, Any]]:
    """Yield certificates of every kind: dissimilarities, covers, fragments, boxes, gaps and
    matrices.
    """
    for seed in range(24):
        n = 2 + seed % 4
        continuum = random_continuum(seed, n, 8)
        dissimilarity = DISSIMILARITIES[seed % len(DISSIMILARITIES)]
        yield certificate(align(continuum, dissimilarity, cover=seed % 5 == 4))
        if seed % 3 == 0:
            yield certificate(by_matrix(continuum, Combined()))
    yield certificate(align(random_continuum(31, 3, 8), Combined(alpha=0, beta=1)))
    yield certificate(align(random_continuum(32, 4, 8), method="greedy"))
    yield certificate(align(fragments()))
    for seed, name in enumerate(("sporadic", "iou", "giou")):
        yield certificate(align(random_boxes(seed, 2, 3, 3), Combined(positional=name)))
    for seed, delta in enumerate(DELTAS):
        continuum = random_continuum(50 + seed, 3 + seed % 2, 7)
        yield certificate(align(continuum, Combined(delta=delta), cover=True))
    for apart in (0.0, 1e-3, 1e-7):
        yield certificate(align(near_agreement(4, apart)))
        yield certificate(align(near_agreement(4, apart), Combined(delta=0.7)))
    yield certificate(align(spot(3, 3)))


def near_agreement(pairs: int, apart: float, *, distance: float = 10.0) -> Continuum:
    """Return two annotators whose units hardly differ."""
    units = []
    for i in range(pairs):
        start = i * distance
        units.append(Unit("A", start, start + 5, "x"))
        units.append(Unit("B", start + apart * i, start + 5, "x"))
    return Continuum.from_units(units)


def spot(annotators: int, units: int) -> Continuum:
    """Return units nearly all at one place, so many that only pooled categories prove an
    alignment.
    """
    rng = Random(0)
    return Continuum.from_units(
        [
            Unit(f"w{who}", rng.random() * 1e-4, 10 + rng.random() * 1e-4, rng.choice("xyz"))
            for who in range(annotators)
            for _ in range(units)
        ]
    )


def fragments() -> Continuum:
    spans = [((0, 4), (6, 9)), ((0, 9),), ((1, 4), (6, 8)), ((20, 24),), ((21, 23), (25, 26))]
    return Continuum.from_units(
        [
            Unit(who, s[0][0], s[-1][1], "x", fragments=s if len(s) > 1 else ())
            for who, s in zip("AABBC", spans, strict=True)
        ]
    )


def by_matrix(continuum: Continuum, dissimilarity: Any) -> Any:
    """Return the best alignment with the bound of a relaxation of all or some annotators."""
    from gammacp.alignment import build_problem
    from gammacp.alignment.align import BestGroups
    from gammacp.alignment.costs import disorder_scale
    from gammacp.dissimilarity import bind

    best = align(continuum, dissimilarity)
    bound = bind(dissimilarity, continuum)
    problem = build_problem(continuum, bound)
    cost = best.disorder / disorder_scale(continuum.n_annotators, continuum.mean_units)
    steps = relaxations(problem, cost, np.inf, Semidefinite(first=4))
    *_, found = (one for one, _ in zip(steps, range(12), strict=False))
    proof = Proof(problem.opening - found.share, found.matrix)
    low = (
        found.bound * disorder_scale(continuum.n_annotators, continuum.mean_units)
        if found.matrix is not None
        else 0.0
    )
    groups = BestGroups(best.disorder, low, Status.FEASIBLE, best.groups, proof=proof)
    return to_alignment(continuum, bound, groups, "crowd", cover=False)


def text_of(data: dict[str, Any]) -> str:
    return json.dumps(data)


def hashed(data: dict[str, Any]) -> dict[str, Any]:
    told = json.dumps(data["units"], separators=(",", ":"))
    return {**data, "hash": "sha256:" + hashlib.sha256(told.encode()).hexdigest()}


def _near(rng: Random, value: float) -> float:
    """Return another number: next to it, a little off, or far off."""
    return rng.choice(
        [
            value * (1 + rng.choice((-1, 1)) * 10.0 ** -rng.randrange(1, 9)),
            value + rng.choice((-1, 1)) * 10.0 ** -rng.randrange(0, 9),
            value * rng.choice((0, -1, 0.5, 2)),
        ]
    )


def mutant(base: dict[str, Any], rng: Random) -> dict[str, Any]:
    """Return the certificate with one to three plausible changes."""
    data = copy.deepcopy(base)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        rng.choice(_CHANGES)(data, rng)
    return data


def _claim(data: dict[str, Any], rng: Random) -> None:
    claim = data["claim"]
    key = rng.choice(("cost", "bound", "error", "status", "both"))
    if key == "status":
        claim["status"] = rng.choice(("optimal", "feasible", "by CP-SAT, unchecked"))
    elif key == "both":
        claim["cost"] = claim["bound"] = _near(rng, claim["cost"])
    else:
        claim[key] = _near(rng, claim[key])


def _groups(data: dict[str, Any], rng: Random) -> None:
    """Move a unit to another group or to its own, and perhaps correct the cost."""
    groups = data["groups"]
    if not groups:
        return
    here = rng.randrange(len(groups))
    unit = groups[here].pop(rng.randrange(len(groups[here])))
    if rng.random() < 0.6:
        groups[rng.randrange(len(groups))].append(unit)
    elif rng.random() < 0.8:
        groups.append([unit])
    data["groups"] = [sorted(g) for g in groups if g]
    if rng.random() < 0.7:
        cost = cost_of(data)
        if cost is not None:
            data["claim"]["cost"] = float(cost)
            data["claim"]["bound"] = min(data["claim"]["bound"], float(cost))
            if rng.random() < 0.5:
                data["claim"]["bound"] = float(cost)


def _units(data: dict[str, Any], rng: Random) -> None:
    """Move or relabel a unit, with the old hash or the right one."""
    row = rng.choice(data["units"])
    if rng.random() < 0.3:
        row[3] = rng.choice([None, *range(len(data["categories"]))])
    else:
        place = rng.choice((1, 2))
        row[place] = row[place] + rng.choice((-1, 1, 0.5, 1e-7, -3))
    if rng.random() < 0.7:
        data["hash"] = hashed(data)["hash"]
    if rng.random() < 0.3:
        cost = cost_of(data)
        data["claim"]["cost"] = data["claim"]["bound"] = float(cost or 0)


def _proof(data: dict[str, Any], rng: Random) -> None:
    proof = data["proof"]
    if proof["kind"] == "shares":
        shares = proof["shares"]
        u, v = rng.randrange(len(shares)), rng.randrange(len(shares))
        step = rng.choice((1, -1)) * rng.randrange(1 << rng.randrange(1, 44))
        shares[u] += step
        if rng.random() < 0.5:
            shares[v] -= step
    elif proof["kind"] == "matrix":
        row = rng.choice(proof["factor"])
        row[rng.randrange(len(row))] += rng.choice((1, -1)) << rng.randrange(1, 40)
        for key in ("rows", "triangles"):
            if proof[key] and rng.random() < 0.5:
                entry = rng.choice(proof[key])
                entry[-1] = rng.choice((0, entry[-1] * 2, entry[-1] >> 1, -entry[-1]))
                if rng.random() < 0.3:
                    proof[key].remove(entry)


def _instance(data: dict[str, Any], rng: Random) -> None:
    keys = "opening", "cover", "annotators", "name", "delta", "factor", "categorial", "proof"
    key = rng.choice(keys)
    what = data["dissimilarity"]
    if key == "opening":
        data["opening"] = _near(rng, data["opening"])
    elif key == "cover":
        data["cover"] = not data["cover"]
    elif key == "annotators":
        data["annotators"] = [*data["annotators"], "another"]
        if rng.random() < 0.5:
            _state_opening(data, rng)
    elif key == "name":
        names = data[rng.choice(("annotators", "categories"))]
        if names:
            names[rng.randrange(len(names))] = rng.choice([None, 1, "", *names])
    elif key == "proof":
        proof = data["proof"]
        proof[rng.choice(("pooled", "delta"))] = rng.choice(
            [True, False, what["delta"], what["delta"] / 2, what["delta"] / 1024, 2 * what["delta"]]
        )
    elif key == "delta":
        what["delta"] = _near(rng, what["delta"])
        if rng.random() < 0.5:
            _state_opening(data, rng)
    elif key in what and isinstance(what[key], float):
        what[key] = _near(rng, what[key])


def _state_opening(data: dict[str, Any], rng: Random) -> None:
    """Set the opening to that of Δ and the annotators, and perhaps correct the cost."""
    data["opening"] = float(_opening(data))
    cost = cost_of(data)
    if cost is not None and rng.random() < 0.5:
        data["claim"]["cost"] = data["claim"]["bound"] = float(cost)


_CHANGES: tuple[Callable[[dict[str, Any], Random], None], ...] = (
    _claim,
    _claim,
    _groups,
    _groups,
    _units,
    _proof,
    _proof,
    _instance,
)


def accepted(data: dict[str, Any]) -> bool:
    """Return whether the checker calls the whole claim proven."""
    try:
        return Check(text_of(data)).claim()[0]
    except RefusedError:
        return False


def is_true(data: dict[str, Any]) -> bool:
    """Return whether the claim is true, by the exact cost of every alignment."""
    claim = data["claim"]
    for names in (data["annotators"], data["categories"]):
        if len(set(names)) < len(names) or not all(isinstance(name, str) for name in names):
            return False
    opening = _opening(data)
    if opening < 0 or abs(Fraction(data["opening"]) - opening) > opening / 10**12:
        return False
    error = min(Fraction(claim["error"]), MOST_ERROR * Fraction(claim["cost"]))
    cost = cost_of(data)
    if error < 0 or cost is None or abs(cost - Fraction(claim["cost"])) > error:
        return False
    least = Fraction(claim["bound"])
    if claim["status"] == "optimal":
        least = max(least, Fraction(claim["cost"]))
    return least_cost(data) >= least - error


def cost_of(data: dict[str, Any]) -> Fraction | None:
    """Return the cost of the alignment of a certificate, or None if it is no alignment."""
    times = [0] * len(data["units"])
    for group in data["groups"]:
        for u in group:
            times[u] += 1
    if 0 in times or (max(times) > 1 and not data["cover"]):
        return None
    costs = [_group_cost(data, tuple(sorted(g))) for g in data["groups"]]
    return None if None in costs else sum(c for c in costs if c is not None)  # type: ignore[return-value]


def least_cost(data: dict[str, Any]) -> Fraction:
    """Return the least cost of any alignment of a certificate's units."""
    kept = {
        key: data[key]
        for key in ("units", "annotators", "dissimilarity", "cover", "pairs")
        if key in data
    }
    return _least(json.dumps(kept))


@cache
def _least(text: str) -> Fraction:
    data = json.loads(text)
    size = len(data["units"])
    groups: dict[int, list[tuple[int, Fraction]]] = {u: [] for u in range(size)}
    for k in range(1, size + 1):
        for members in combinations(range(size), k):
            cost = _group_cost(data, members)
            if cost is not None:
                for u in members if data["cover"] else members[:1]:
                    groups[u].append((sum(1 << m for m in members), cost))

    @cache
    def best(left: int) -> Fraction:
        if not left:
            return Fraction(0)
        first = (left & -left).bit_length() - 1
        ways = (
            cost + best(left & ~mask)
            for mask, cost in groups[first]
            if data["cover"] or mask & left == mask
        )
        return min(ways)

    return best((1 << size) - 1)


def _opening(data: dict[str, Any]) -> Fraction:
    """Return Δ times the number of pairs of annotators."""
    n = len(data["annotators"])
    return Fraction(data["dissimilarity"]["delta"]) * (n * (n - 1) // 2)


def _group_cost(data: dict[str, Any], members: tuple[int, ...]) -> Fraction | None:
    """Return the opening minus the gain of all pairs, exactly.

    None if two units cannot be in one group.
    """
    what, delta = data["dissimilarity"], Fraction(data["dissimilarity"]["delta"])
    total = _opening(data)
    for u, v in combinations(members, 2):
        d = _distance(data, what, u, v)
        if d is None:
            return None
        total -= delta - d
    return total


def _distance(data: dict[str, Any], what: dict[str, Any], u: int, v: int) -> Fraction | None:
    a, b = data["units"][u], data["units"][v]
    if a[0] == b[0]:
        return None
    if what["positional"] == "listed":
        known = {(p[0], p[1]): p[2] for p in data["pairs"]}
        return None if (u, v) not in known else Fraction(known[u, v])
    if isinstance(what["categorial"], list):
        entry = what["categorial"][-1 if a[3] is None else a[3]][-1 if b[3] is None else b[3]]
        if entry is None:
            return None
        label = Fraction(entry)
    else:
        label = Fraction(what["categorial"]) * (a[3] != b[3])
    if what["positional"] == "none":
        return label
    start, end, first, last = (Fraction(x) for x in (*a[1:3], *b[1:3]))
    apart, lengths = abs(start - first) + abs(end - last), end - start + last - first
    if not apart or not what["factor"]:
        return label
    return label + Fraction(what["factor"]) * (apart / lengths) ** 2 if lengths else None
