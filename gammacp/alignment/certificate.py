"""An alignment and the proof of its cost as a file that `gammacp verify` checks.

docs/certificates.md describes every key. What it holds is exact: positions and costs in the digits
that make the same double again, shares in whole grains of 2⁻⁴⁰ of a Δ between 1 and 2.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from gammacp.alignment.align import cost_of
from gammacp.alignment.alignment import Alignment
from gammacp.alignment.candidates import MOST_PAIRS, pair_count, pairs_within
from gammacp.alignment.problem import Proof
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import NOWHERE, BoundDissimilarity, to_unit
from gammacp.dissimilarity.positional import SPORADIC
from gammacp.files import atomic_write

VERSION = 1
_GRAINS = 2.0**40


def certificate(alignment: Alignment) -> dict[str, Any]:
    """What an alignment claims, and what proves it, as JSON has it.

    Parameters
    ----------
    alignment
        From `align` or from a score of γ, proven or not.
    """
    continuum, measured = alignment.continuum, alignment.dissimilarity
    n = continuum.n_annotators
    scale = pair_count(n) * continuum.mean_units
    units = _units(continuum)
    error = max(1e-8, 1e-10 * n) * measured.delta * scale
    cost = cost_of(continuum, alignment.groups, measured)
    found: dict[str, Any] = {
        "version": VERSION,
        "hash": "sha256:" + hashlib.sha256(_dump(units).encode()).hexdigest(),
        "annotators": list(continuum.annotators),
        "categories": list(continuum.categories),
        "units": units,
        "dissimilarity": _described(measured),
        "opening": measured.delta * pair_count(n),
        "cover": alignment.cover,
        "groups": [sorted(u for u in g if u >= 0) for g in alignment.groups.tolist()],
        "claim": {
            "cost": cost,
            "bound": min(alignment.bound * scale, cost),
            "error": error,
            "status": str(alignment.status),
        },
        "proof": _proof(alignment),
    }
    if found["dissimilarity"]["positional"] == "listed":
        most = (n - 1) * measured.delta + found["opening"]
        first, second, costs = pairs_within(continuum, measured, most, most_pairs=MOST_PAIRS)
        rows = zip(first.tolist(), second.tolist(), costs.tolist(), strict=True)
        found["pairs"] = [list(row) for row in rows]
    return found


def write_certificate(alignment: Alignment, path: Path) -> None:
    """Write an alignment's certificate, a key in each line.

    Parameters
    ----------
    alignment
        As for `certificate`.
    path
        A JSON file; one that is there is replaced.
    """
    rows = (f"{json.dumps(key)}: {_dump(value)}" for key, value in certificate(alignment).items())
    with atomic_write(path) as temporary:
        temporary.write_text("{" + ",\n".join(rows) + "}\n", encoding="utf-8")


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _units(continuum: Continuum) -> list[list[Any]]:
    """Annotator, start, end, category of each unit, and its fragments if they are several."""
    codes = continuum.category_codes.tolist()
    places = continuum.annotator_codes.tolist(), continuum.starts.tolist(), continuum.ends.tolist()
    rows = zip(*places, codes, strict=True)
    units: list[list[Any]] = [[a, s, e, None if c < 0 else c] for a, s, e, c in rows]
    if continuum.breaks is not None:
        for row, unit in zip(units, continuum, strict=True):
            row += [[list(f) for f in unit.fragments]] if unit.fragments else []
    return units


def _described(measured: BoundDissimilarity) -> dict[str, Any]:
    """The dissimilarity by what `verify` computes it from, where it can."""
    table, (number, factor) = measured.category_costs, measured.formula
    found: dict[str, Any] = {"name": measured.signature, "delta": measured.delta}
    if table is None or number not in (NOWHERE, SPORADIC):
        return {**found, "positional": "listed", "categorial": None}
    apart = float(table[0, -1])
    label: Any = apart
    if (table != apart * (1 - np.eye(len(table)))).any():
        label = [[c if np.isfinite(c) else None for c in row] for row in table.tolist()]
    place = "sporadic" if number == SPORADIC else "none"
    return {**found, "positional": place, "factor": factor, "categorial": label}


def _proof(alignment: Alignment) -> dict[str, Any]:
    proof, n = alignment.proof, alignment.continuum.n_annotators
    if proof is None:
        return {"kind": "none"}
    measured = to_unit(alignment.dissimilarity, alignment.dissimilarity.delta)
    return _shares(proof, measured.delta * pair_count(n), n)


def _shares(proof: Proof, opening: float, n: int) -> dict[str, Any]:
    """Rounded down, and as much lower as the checker may round up what pairs earn."""
    grains = np.floor((opening - proof.price) * _GRAINS).astype(np.int64) - n
    return {"kind": "shares", "shares": grains.tolist()}
