"""Write an alignment and the proof of its cost to a file that `gammacp verify` checks.

docs/certificates.md describes every key. All values are exact. Positions and costs have enough
digits to restore the same double. Shares are integers, in units (*grains*) of 2⁻⁴⁰, for costs that
are scaled such that Δ is between 1 and 2.
"""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from gammacp.alignment.align import align
from gammacp.alignment.alignment import Alignment
from gammacp.alignment.batch import DIFFUSED_UNITS
from gammacp.alignment.candidates import MOST_PAIRS, build_problem, pairs_within
from gammacp.alignment.costs import (
    alignment_cost,
    pair_count,
    reuse_price,
    tolerance_at,
)
from gammacp.alignment.duals.definite import least_shift
from gammacp.alignment.duals.nested import prices_beside
from gammacp.alignment.problem import Proof, RelaxedMatrix, Status
from gammacp.base.arrays import Floats
from gammacp.base.files import atomic_write
from gammacp.continuum import Continuum
from gammacp.dissimilarity.base import NOWHERE, BoundDissimilarity, to_unit
from gammacp.dissimilarity.positional import SPORADIC

VERSION = 2
_GRAINS = 2.0**40
# Additional binary digits of the matrix below a grain; its factor has half as many of them.
_SHIFT = 32
# Upper limit of the error that a claim allows, relative to the cost.
_MOST_ERROR = 1e-6
# Largest number of candidate pairs for the matchings that complement a matrix.
_BESIDE = 32_000_000


def certificate(alignment: Alignment) -> dict[str, Any]:
    """Return the claim of an alignment, and its proof, as a JSON object.

    Parameters
    ----------
    alignment
        An alignment made by `align` or taken from a score of γ, proven or not.
    """
    continuum = alignment.continuum
    measured = alignment.dissimilarity
    n = continuum.n_annotators
    scale = pair_count(n) * continuum.mean_units
    units = _units(continuum)
    cost = alignment_cost(continuum, alignment.groups, measured, alignment.reuse)
    error = min(tolerance_at(measured.delta, n) * scale, _MOST_ERROR * cost)
    document: dict[str, Any] = {
        "version": VERSION,
        "hash": "sha256:" + hashlib.sha256(_dump(units).encode()).hexdigest(),
        "annotators": list(continuum.annotators),
        "categories": list(continuum.categories),
        "units": units,
        "dissimilarity": _description(continuum, measured),
        "opening": measured.delta * pair_count(n),
        "cover": alignment.cover,
        **({"reuse": reuse_price(alignment.reuse, n, measured.delta)} if alignment.reuse else {}),
        "groups": [sorted(u for u in g if u >= 0) for g in alignment.groups.tolist()],
        "claim": {
            "cost": cost,
            "bound": min(alignment.bound * scale, cost),
            "error": error,
            "status": str(alignment.status),
        },
        "proof": _proof(alignment),
    }
    if alignment.constraints:
        document["constraints"] = [str(each) for each in alignment.constraints]
    if document["dissimilarity"]["positional"] == "listed":
        largest_cost = (n - 1) * measured.delta + document["opening"]
        first, second, costs = pairs_within(
            continuum, measured, largest_cost, most_pairs=MOST_PAIRS
        )
        rows = zip(first.tolist(), second.tolist(), costs.tolist(), strict=True)
        document["pairs"] = [list(row) for row in rows]
    return document


def write_certificate(alignment: Alignment, path: Path) -> str:
    """Write an alignment's certificate, one key per line, and return the kind of its proof.

    Parameters
    ----------
    alignment
        As for `certificate`.
    path
        JSON file to write; an existing file is replaced.
    """
    document = certificate(alignment)
    rows = (f"{json.dumps(key)}: {_dump(value)}" for key, value in document.items())
    with atomic_write(path) as temporary:
        temporary.write_text("{" + ",\n".join(rows) + "}\n", encoding="utf-8")
    return str(document["proof"]["kind"])


def why_no_proof(alignment: Alignment) -> str:
    """Return why the certificate of an alignment has no proof.

    Parameters
    ----------
    alignment
        One whose certificate has the proof `none`.
    """
    if alignment.constraints:
        return "a checker cannot check yet that no better alignment keeps the constraints"
    if alignment.method == "auto":
        return "the search ended before there was one"
    return f"the method {alignment.method} leaves none that can be checked; auto does"


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _units(continuum: Continuum) -> list[list[Any]]:
    """Return annotator, start, end and category of each unit."""
    codes = continuum.category_codes.tolist()
    rows = zip(
        continuum.annotator_codes.tolist(),
        continuum.starts.tolist(),
        continuum.ends.tolist(),
        codes,
        strict=True,
    )
    return [[a, s, e, None if c < 0 else c] for a, s, e, c in rows]


def _description(continuum: Continuum, measured: BoundDissimilarity) -> dict[str, Any]:
    """Describe the dissimilarity such that `verify` can compute it, or as listed pairs."""
    table, (number, factor) = measured.category_costs, measured.formula
    description: dict[str, Any] = {"name": measured.signature, "delta": measured.delta}
    broken = continuum.inside is not None and number != NOWHERE
    if table is None or broken or number not in (NOWHERE, SPORADIC):
        return {**description, "positional": "listed", "categorial": None}
    cost_of_different_labels = float(table[0, -1])
    label_costs: Any = cost_of_different_labels
    if (table != cost_of_different_labels * (1 - np.eye(len(table)))).any():
        label_costs = [[c if np.isfinite(c) else None for c in row] for row in table.tolist()]
    if number == SPORADIC:
        positional = "sporadic"
    else:
        positional = "none"
    return {
        **description,
        "positional": positional,
        "factor": factor,
        "categorial": label_costs,
    }


def _proof(alignment: Alignment) -> dict[str, Any]:
    proof = alignment.proof
    continuum = alignment.continuum
    proven = alignment.status is Status.OPTIMAL and alignment.method == "auto"
    small = continuum.n_units <= DIFFUSED_UNITS
    if proof is None and proven and small and not alignment.constraints:
        # Small continua are solved together without keeping their proofs: solve this one again.
        proof = align(
            continuum, alignment.dissimilarity, cover=alignment.cover, reuse=alignment.reuse
        ).proof
    if proof is None:
        return {"kind": "none"}
    if proof.delta is None:
        delta = alignment.dissimilarity.delta
    else:
        delta = proof.delta
    proof_record = _proof_at(proof, continuum, to_unit(alignment.dissimilarity, delta))
    if proof.delta is None:
        return proof_record
    return {**proof_record, "delta": delta}


def _proof_at(proof: Proof, continuum: Continuum, measured: BoundDissimilarity) -> dict[str, Any]:
    """Return the proof in grains for the Δ of `measured`, which is scaled by `to_unit`."""
    opening = measured.delta * pair_count(continuum.n_annotators)
    if proof.matrix is None:
        return _shares(proof, opening, continuum.n_annotators)
    record = _matrix(proof.matrix, opening)
    inside = np.unique(continuum.annotator_codes[proof.matrix.units])
    if len(inside) < continuum.n_annotators:
        problem = build_problem(continuum, measured, most_pairs=_BESIDE)
        record["rows"] += _triples(np.ceil(prices_beside(problem, inside) * _GRAINS))
    return record


def _shares(proof: Proof, opening: float, n: int) -> dict[str, Any]:
    """Return the shares in grains, rounded down and reduced by n for the checker's rounding."""
    grains = np.floor((opening - proof.price) * _GRAINS).astype(np.int64) - n
    record: dict[str, Any] = {"kind": "shares", "shares": grains.tolist()}
    if proof.pooled:
        return {**record, "pooled": True}
    return record


def _matrix(relaxed: RelaxedMatrix, opening: float) -> dict[str, Any]:
    """Return an integer Cholesky factor of the matrix, and the multipliers in grains."""
    matrix = relaxed.matrix.copy()
    units = relaxed.units
    matrix += least_shift(matrix) * np.eye(len(matrix))
    factor = np.linalg.cholesky(matrix)
    integers = np.rint(factor * np.sqrt(opening * _GRAINS * 2.0**_SHIFT)).astype(np.int64)
    # The corner must be the opening, without what the shift has added to it.
    integers[0, 0] = math.isqrt(math.floor(opening * _GRAINS) << _SHIFT)
    multipliers = np.ceil(2 * opening * _GRAINS * relaxed.multiplier).astype(np.int64)
    used = multipliers > 0
    corners = units[relaxed.triangles[used]]
    rows = np.zeros((int(units.max()) + 1, relaxed.rows.shape[1]))
    rows[units] = np.ceil(2 * opening * _GRAINS * relaxed.rows)
    return {
        "kind": "matrix",
        "units": units.tolist(),
        "shift": _SHIFT,
        "factor": [row[: i + 1] for i, row in enumerate(integers.tolist())],
        "rows": _triples(rows),
        "triangles": [
            [*t, m] for t, m in zip(corners.tolist(), multipliers[used].tolist(), strict=True)
        ],
    }


def _triples(rows: Floats) -> list[list[int]]:
    """Return unit, annotator and value of each nonzero entry."""
    unit, annotator = np.nonzero(rows)
    values = rows[unit, annotator].astype(np.int64)
    return [list(t) for t in zip(unit.tolist(), annotator.tolist(), values.tolist(), strict=True)]
