"""Small proofs of γ, altered ones, and the truth of a folder by brute force."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from statistics import NormalDist, stdev
from typing import Any

from gammacp import Continuum, Unit
from gammacp.measures.agreement import agreement
from gammacp.measures.gamma_proof.writing import MANIFEST, write_gamma_proof
from gammacp.verify import RefusedError, check
from tests.certificates import cost_of, hashed, least_cost
from tests.certificates import is_true as certificate_is_true

_NEAR = 1e-6


def small_continuum(seed: int, annotators: int = 3, units: int = 2) -> Continuum:
    """Return a few units of each annotator, some of which touch, overlap or coincide."""
    rng = Random(seed)
    rows = []
    for who in "ABCD"[:annotators]:
        for _ in range(units):
            start = rng.choice((rng.randrange(12), rng.random() * 12))
            rows.append(Unit(who, start, start + rng.choice((1, 2, 2.5)), rng.choice("xy")))
    return Continuum.from_units(rows)


def write_base(
    folder: Path, seed: int = 0, *, samples: int = 4, chance: str = "cut", annotators: int = 3
) -> Path:
    """Write a proof of a small continuum and return its manifest."""
    continuum = small_continuum(seed, annotators)
    options: Any = {"samples": samples, "chance": chance, "seed": seed}
    found = agreement(continuum, **options)
    return write_gamma_proof(found, continuum, folder, options).path


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def hash_of(path: Path) -> str:
    return "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()


def accepted(path: Path) -> bool:
    """Return whether the checker calls the whole claim proven."""
    try:
        return check(str(path))[0]
    except (RefusedError, OverflowError):
        return False


def is_true(path: Path) -> bool:
    """Return whether a manifest's claims hold, and whether random sets are rotations if it
    says so.
    """
    manifest = read(path)
    certificates = _certificates(manifest, path.parent)
    if certificates is None:
        return False
    data, *sets = certificates
    problems = [[c["dissimilarity"], len(c["annotators"])] for c in certificates]
    if problems.count(problems[0]) < len(problems) or len(sets) < 2:
        return False
    disorders = [_disorder(c, cost_of(c)) for c in certificates]
    bounds = [_disorder(c, least_cost(c)) for c in certificates]
    expected = math.fsum(disorders[1:]) / len(sets)
    confidence = manifest["confidence"]
    half = NormalDist().inv_cdf((1 + confidence) / 2) * stdev(disorders[1:]) / len(sets) ** 0.5
    low = max(0.0, math.fsum(bounds[1:]) / len(sets) - half)
    # The claimed interval may be wider, as its bounds may be below the least costs.
    wanted = [
        1 - disorders[0] / low if low else -math.inf,
        1 - bounds[0] / (expected + half),
    ]
    if disorders[0] == 0:
        wanted = [1.0, 1.0]
    least, most = manifest["interval"]
    if most is None or not (least is None or _is_near(min(least - wanted[0], 0.0), 0.0)):
        return False
    numbers = [1 - disorders[0] / expected, disorders[0], expected]
    claims = [manifest[key] for key in ("value", "observed", "expected")]
    if not all(map(_is_near, claims, numbers)) or not _is_near(max(wanted[1] - most, 0.0), 0.0):
        return False
    if manifest["status"] == "optimal" and not all(map(_is_near, disorders, bounds)):
        return False
    if manifest["exempt"] is None and _has_copies(data, sets):
        return False
    if any("stratum" in row for row in manifest["sets"]):
        return False
    if manifest["exempt"] is not None:
        return _may_be_exempt(manifest["exempt"], manifest["chance"])
    length = Fraction(manifest["circle"]["length"])
    model = manifest["chance"].partition("(")[0]
    return model in ("cut", "shift") and all(
        _is_turned(data, drawn, length, named=model == "cut") for drawn in sets
    )


def _is_near(claim: float, number: float) -> bool:
    return abs(claim - number) <= _NEAR * (2 + abs(number))


def _has_copies(data: Any, sets: list[Any]) -> bool:
    """Return whether two sets have the same units.

    If units touch, they may be cut there again, so such data count as having no copies.
    """
    ends = {(row[0], row[2]) for row in data["units"]}
    if any((row[0], row[1]) in ends for row in data["units"]):
        return False
    whole = [
        sorted((name, *unit) for name in drawn["annotators"] for unit in _units(drawn, name))
        for drawn in sets
    ]
    return any(one in whole[:k] for k, one in enumerate(whole))


def _may_be_exempt(reason: str, chance: str) -> bool:
    marks = {"completed": "(completed=", "grid": "(grid=", "pauses": "(markable="}
    if reason == "model":
        return chance.partition("(")[0] not in ("cut", "shift")
    return marks.get(reason, "cut") in chance


def _certificates(manifest: Any, folder: Path) -> list[Any] | None:
    """Return the certificates, those of the data first, or None if they are not sound."""
    rows = [*manifest["documents"], *manifest["sets"]]
    names = [row["file"] for row in rows]
    inside = all((folder / name).parent == folder and (folder / name).is_file() for name in names)
    if not inside or len(set(names)) < len(names) or len(manifest["documents"]) != 1:
        return None
    if [row["k"] for row in manifest["sets"]] != list(range(len(manifest["sets"]))):
        return None
    if any(hash_of(folder / row["file"]) != row["hash"] for row in rows):
        return None
    found = [read(folder / name) for name in names]
    if any(
        c["hash"] != hashed(c)["hash"] or c["cover"] or not certificate_is_true(c) for c in found
    ):
        return None
    return found


def _disorder(data: Any, cost: Fraction | None) -> float:
    n = len(data["annotators"])
    pairs = Fraction(n * (n - 1), 2)
    return float((cost or 0) / pairs / Fraction(len(data["units"]), n))


def _units(data: Any, name: str) -> list[tuple[Fraction, Fraction, str | None]]:
    categories = [*data["categories"], None]
    return [
        (Fraction(s), Fraction(e), categories[-1 if c is None else c])
        for a, s, e, c in data["units"]
        if data["annotators"][a] == name
    ]


def _is_turned(data: Any, drawn: Any, length: Fraction, *, named: bool) -> bool:
    """Return whether some rotation turns each annotator's units into those of the random set."""
    if named and sorted(data["annotators"]) != sorted(drawn["annotators"]):
        return False
    span = max(row[2] for row in data["units"]) - min(row[1] for row in data["units"])
    # The stretch before the first unit is shorter than the mean gap of any annotator.
    return span <= float(length) * (1 + 1e-9) <= 3.1 * span and all(
        any(
            _has_angle(_units(data, owner), _units(drawn, name), length)
            for owner in ([name] if named else data["annotators"])
        )
        for name in drawn["annotators"]
    )


def _has_angle(own: Any, drawn: Any, length: Fraction) -> bool:
    near = length / 10**12
    if len(own) != len(drawn) or any(not -near <= u[0] <= length + near for u in drawn):
        return False
    if not own:
        return True
    return any(
        _matches([(s + angle, e - s, c) for s, e, c in own], drawn, length, near)
        for angle in (one[0] - other[0] for one, other in product(drawn, own))
    )


def _matches(turned: Any, drawn: Any, length: Fraction, near: Fraction) -> bool:
    """Return whether each turned unit has its own drawn one, by greedy assignment."""
    left = list(drawn)
    for start, extent, category in turned:
        for unit in left:
            apart = (unit[0] - start) % length if length else Fraction(0)
            close = min(apart, length - apart) <= near and abs(unit[1] - unit[0] - extent) <= near
            if close and unit[2] == category:
                left.remove(unit)
                break
        else:
            return False
    return True


def mutant(base: Path, folder: Path, rng: Random) -> Path:
    """Copy a proof with one or two plausible changes."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(base.parent, folder)
    path = folder / MANIFEST
    manifest = read(path)
    for _ in range(rng.choice((1, 1, 2))):
        rng.choice(_CHANGES)(manifest, folder, rng)
    if rng.random() < 0.5:
        _claim_sums(manifest, folder)
    path.write_text(json.dumps(manifest), encoding="utf-8")
    return path


def _claim_sums(manifest: Any, folder: Path) -> None:
    """Claim the sums of the current certificates, so that only other parts can be wrong."""
    try:
        found = [read(folder / r["file"]) for r in (*manifest["documents"], *manifest["sets"])]
        disorders = [_disorder(c, Fraction(c["claim"]["cost"])) for c in found]
        size = len(disorders) - 1
        expected = sum(disorders[1:]) / size
        quantile = NormalDist().inv_cdf((1 + manifest["confidence"]) / 2)
        half = quantile * stdev(disorders[1:]) / size**0.5
    except (OSError, KeyError, TypeError, ValueError, ZeroDivisionError):
        return
    if expected > half > 0:
        manifest |= {"value": 1 - disorders[0] / expected, "observed": disorders[0]}
        manifest["expected"] = expected
        manifest["interval"] = [1 - disorders[0] / (expected - half), 0.0]
        manifest["interval"][1] = 1 - disorders[0] / (expected + half)


def _change_number(manifest: Any, folder: Path, rng: Random) -> None:  # noqa: ARG001
    key = rng.choice(("value", "observed", "expected", "confidence", "low", "high", "end"))
    if key == "end":
        manifest["interval"][rng.randrange(2)] = rng.choice((None, 0.999, -1e300))
        return
    step = rng.choice((1, -1)) * 10.0 ** -rng.randrange(1, 9)
    if key in ("low", "high"):
        place = ("low", "high").index(key)
        manifest["interval"][place] = (manifest["interval"][place] or 0.0) + step
    else:
        manifest[key] += step


def _change_sets(manifest: Any, folder: Path, rng: Random) -> None:
    """Leave out or repeat a set, name another set's file, or change the order of sets."""
    sets = manifest["sets"]
    row = rng.choice(sets)
    ways = ("drop", "repeat", "copy", "swap", "number", "missing", "reorder", "strata", "unaligned")
    way = rng.choice(ways)
    if way == "drop" and len(sets) > 1:
        sets.remove(row)
    elif way == "repeat":
        sets.append(dict(row))
    elif way == "copy":
        shutil.copy(folder / row["file"], folder / "copied.json")
        sets.append({**row, "file": "copied.json"})
    elif way == "swap":
        rng.shuffle(sets)
    elif way == "reorder":
        _reorder(row, rng.choice([other for other in sets if other is not row]), folder)
    elif way == "strata":
        for k, entry in enumerate(sets):
            entry["stratum"] = k // 2
    elif way == "unaligned":
        for entry in sets:
            unalign(entry, folder)
        manifest["interval"][0] = rng.choice((None, 0.5))
        manifest["status"] = rng.choice(("optimal", "feasible"))
    elif way == "number":
        row["k"] += rng.choice((1, -1))
    else:
        row["file"] = rng.choice(("nowhere.json", f"../{folder.name}/{row['file']}", MANIFEST))
    if way != "number" and rng.random() < 0.8:
        for k, entry in enumerate(sets):
            entry["k"] = k


def _reorder(row: Any, other: Any, folder: Path) -> None:
    """Give a set the units of another one, in reverse order."""
    path = folder / str(other["file"])
    if not path.is_file() or path.name == MANIFEST:
        return
    data = read(path)
    last = len(data["units"]) - 1
    data["units"].reverse()
    data["groups"] = [[last - unit for unit in group] for group in data["groups"]]
    if "shares" in data["proof"]:
        data["proof"]["shares"].reverse()
    own = folder / f"reordered-{other['file']}"
    own.write_text(json.dumps(hashed(data)), encoding="utf-8")
    row |= {"file": own.name, "hash": hash_of(own)}


def unalign(row: Any, folder: Path) -> None:
    """Leave each unit of a random set alone and claim no bound, which makes a sound certificate."""
    path = folder / str(row["file"])
    if not path.is_file() or path.name == MANIFEST:
        return
    data = read(path)
    size = len(data["units"])
    cost = data["opening"] * size
    data["groups"] = [[unit] for unit in range(size)]
    data["claim"] = {"cost": cost, "bound": 0.0, "error": 0.0, "status": "feasible"}
    data["proof"] = {"kind": "shares", "shares": [0] * size}
    path.write_text(json.dumps(data), encoding="utf-8")
    row["hash"] = hash_of(path)


def _change_certificate(manifest: Any, folder: Path, rng: Random) -> None:
    """Turn, move or relabel units of a certificate, or change its claim; often correct the rest."""
    row = rng.choice([*manifest["sets"], *manifest["documents"]])
    path = folder / str(row["file"])
    if not path.is_file() or path.name == MANIFEST:
        return
    data = read(path)
    way = rng.choice(("turn", "turn", "move", "nudge", "label", "claim", "lap"))
    units = rng.choice(data["units"]) if way in ("move", "nudge", "label") else None
    if way == "claim":
        data["claim"]["cost"] += rng.choice((1, -1)) * 10.0 ** -rng.randrange(1, 6)
    elif units is not None and way == "move":
        units[2] += rng.choice((0.5, 1.0, 1e-4))
    elif units is not None and way == "nudge":
        # The change is larger than rounding and too small to affect any cost.
        by = rng.choice((1e-8, 1e-9, 1e-10))
        units[1], units[2] = units[1] + by * rng.randrange(2), units[2] + by
    elif units is not None:
        units[3] = rng.randrange(len(data["categories"]))
    else:
        _turn(data, manifest, rng, lap=way == "lap")
    data = hashed(data)
    if way != "claim" and rng.random() < 0.8:
        # The best alignment of the changed units and its cost make a sound certificate.
        data["claim"]["cost"] = data["claim"]["bound"] = float(least_cost(data))
        data |= _best(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    if rng.random() < 0.9:
        row["hash"] = hash_of(path)


def _turn(data: Any, manifest: Any, rng: Random, *, lap: bool) -> None:
    """Rotate one annotator's units on the circle, or by a whole lap beyond it."""
    length = (manifest["circle"] or {"length": 10.0})["length"]
    who = rng.randrange(len(data["annotators"]))
    by = rng.random() * length
    for unit in data["units"]:
        if unit[0] == who:
            start = unit[1] + length if lap else (unit[1] + by) % length
            unit[1], unit[2] = start, start + unit[2] - unit[1]


def _best(data: Any) -> dict[str, Any]:
    """Return groups and proof of the best alignment of a certificate's units."""
    from gammacp import Combined, align, certificate

    categories = [*data["categories"], None]
    rows = [
        Unit(data["annotators"][a], s, e, categories[-1 if c is None else c])
        for a, s, e, c in data["units"]
    ]
    continuum = Continuum.from_units(
        rows, annotators=data["annotators"], categories=data["categories"]
    )
    return certificate(align(continuum, Combined()))


def _change_frame(manifest: Any, folder: Path, rng: Random) -> None:  # noqa: ARG001
    """Change the circle, the model or the reason why sets are no rotations."""
    way = rng.choice(("circle", "no circle", "chance", "exempt", "documents"))
    if way == "circle":
        length = (manifest["circle"] or {"length": 10.0})["length"]
        manifest["circle"] = {"length": length * rng.choice((0.5, 0.99, 1.01, 2.0, 100.0, 1e13))}
    elif way == "no circle":
        manifest["circle"] = None
    elif way == "chance":
        manifest["chance"] = rng.choice(("cut", "cut(grid=words)", "statistical", "shift", ""))
    elif way == "exempt":
        manifest["exempt"] = rng.choice((None, "model", "grid", "completed", "faith"))
    else:
        manifest["documents"] = manifest["documents"] * rng.choice((0, 2))


_CHANGES: tuple[Callable[[Any, Path, Random], None], ...] = (
    _change_number,
    _change_sets,
    _change_certificate,
    _change_certificate,
    _change_frame,
)
