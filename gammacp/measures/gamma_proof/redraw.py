"""Random sets of a proof of γ, drawn again from its seed and compared with its certificates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.base.signature import parse, shortest
from gammacp.chance.sampling import Sampler
from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError, UsageError
from gammacp.measures.random_sets import Basis, Continua
from gammacp.measures.settings import Settings

# Largest difference between places, as a share of a set's length, that rounding on another machine
# may cause.
_ROUNDING = 1e-9


def redraw_sets(path: Path) -> str:
    """Draw all random sets of a proof again and compare them with those that it has.

    Parameters
    ----------
    path
        The manifest of a proof that `gammacp.verify` has accepted: nothing of it is checked again.

    Returns
    -------
    str
        What this shows, as a sentence.

    Raises
    ------
    DataError
        A set has other units than those that the seed gives, the signature or the chance model says
        something else than what is drawn, or the certificates do not hold all that random sets are
        drawn from.
    """
    try:
        return _redrawn(path)
    except UsageError as error:
        raise DataError(f"random sets cannot be drawn again: {error}", file=path) from error


def _redrawn(path: Path) -> str:
    manifest = json.loads(path.read_text(encoding="utf-8"))
    parts = manifest.get("parts", [manifest])
    rows = [row for part in parts for row in part["documents"]]
    incomplete = [str(row.get("name")) for row in rows if row.get("complete") is not True]
    if incomplete:
        raise DataError(
            f"the random sets of {incomplete[0]} cannot be drawn again: certificates hold no grid, "
            "pauses, reading ends, fragments or documents without γ, which they are drawn from",
            file=path,
            hint="Compute γ again from the data",
        )
    _check_signature(manifest, parts, path)
    continua = {str(row["name"]): _continuum(path, row) for row in rows}
    settings = Settings.of(chance=_model(parts, path), seed=manifest["seed"])
    basis = Basis(_source(continua, several="parts" in manifest or len(rows) > 1), settings)
    continuum_by_name = dict(zip(continua, basis.continua, strict=True))
    count = 0
    for part in parts:
        first = continuum_by_name[str(part["documents"][0]["name"])]
        draws = basis.draws(first)
        _check_model(part, draws.sampler, first, basis, path)
        sets = part["sets"]
        for row, drawn in zip(sets, draws.take(range(len(sets))), strict=True):
            if not _is_same(row, drawn, path):
                raise DataError(
                    f"{row['file']} is not the set {row['k']} that seed {manifest['seed']} gives: "
                    "its units were turned or drawn otherwise",
                    file=path,
                )
        count += len(sets)
    return (
        f"seed {manifest['seed']} gives these {count} random sets again; this trusts the sampler "
        "of gammacp, and that nobody chose the seed"
    )


def _check_signature(
    manifest: Mapping[str, Any], parts: Sequence[Mapping[str, Any]], path: Path
) -> None:
    """Raise a DataError if the signature names other settings than those used for drawing."""
    claims = parse(manifest["signature"]).parts
    models = ",".join(dict.fromkeys(str(part["chance"]) for part in parts))
    drawn = {
        "chance": models,
        "samples": str(sum(len(part["sets"]) for part in parts)),
        "seed": str(manifest["seed"]),
        "c": shortest(manifest["confidence"]),
    }
    for key, value in drawn.items():
        claim = claims.get(key, "")
        # The models of several documents may be listed in any order.
        if sorted(claim.split(",")) != sorted(value.split(",")):
            raise DataError(
                f"the signature says {key}:{claim}, and the proof is of {key}:{value}", file=path
            )


def _check_model(
    part: Mapping[str, Any],
    sampler: Sampler[Continuum],
    continuum: Continuum,
    basis: Basis,
    path: Path,
) -> None:
    """Raise a DataError if the documents lead to another chance model, circle or mean."""
    if basis.weighs_sets_by_units:
        mean = "ratio"
    else:
        mean = "sets"
    claims: dict[str, tuple[Any, Any]] = {
        "chance": (part["chance"], sampler.signature),
        "mean": (part["mean"], mean),
    }
    if part["circle"] is not None:
        length = getattr(sampler, "circle", continuum.length)
        claimed_length = part["circle"]["length"]
        if abs(claimed_length - length) > _ROUNDING * length:
            claims["circle"] = (claimed_length, length)
    for key, (claimed, actual) in claims.items():
        if claimed != actual:
            raise DataError(f"the documents give {key} {actual!r}, not {claimed!r}", file=path)


def _source(continua: Mapping[str, Continuum], *, several: bool) -> Continua:
    if several:
        return Corpus.from_continua(continua)
    return next(iter(continua.values()))


def _model(parts: Sequence[Mapping[str, Any]], path: Path) -> str:
    """Return the chance model that all parts have."""
    models = {str(part["chance"]).partition("(")[0] for part in parts}
    if len(models) > 1:
        raise DataError(f"several chance models: {', '.join(sorted(models))}", file=path)
    return models.pop()


def _continuum(path: Path, row: Mapping[str, Any]) -> Continuum:
    """Return the units of a document's certificate as a continuum with its bounds."""
    content = json.loads((path.parent / row["file"]).read_text(encoding="utf-8"))
    units = content["units"]
    bounds = row.get("bounds")
    return Continuum.from_columns(
        [content["annotators"][unit[0]] for unit in units],
        [None if unit[3] is None else content["categories"][unit[3]] for unit in units],
        [unit[1] for unit in units],
        [unit[2] for unit in units],
        annotators=content["annotators"],
        categories=content["categories"],
        name=str(row["name"]),
        bounds=None if bounds is None else (bounds[0], bounds[1]),
    )


def _is_same(row: Mapping[str, Any], drawn: Continuum, path: Path) -> bool:
    """Return whether a certificate has the units of a random set, apart from rounding."""
    if row["file"] is None:
        return drawn.n_units == 0
    content = json.loads((path.parent / row["file"]).read_text(encoding="utf-8"))
    names = content["annotators"]
    categories = [*content["categories"], None]
    units = [
        (names[who], categories[-1 if code is None else code], start, end)
        for who, start, end, code in content["units"]
    ]
    others = [(unit.annotator, unit.category, unit.start, unit.end) for unit in drawn]
    if sorted(names) != sorted(drawn.annotators) or len(units) != len(others):
        return False
    labels, places = _sorted(units)
    other_labels, other_places = _sorted(others)
    near = _ROUNDING * max(drawn.bounds[1] - drawn.bounds[0], 1e-300)
    return labels == other_labels and bool((np.abs(places - other_places) <= near).all())


def _sorted(units: list[tuple[str, str | None, float, float]]) -> tuple[list[Any], Floats]:
    """Return labels and places of units, sorted by annotator and category, then by place."""
    order = sorted(units, key=lambda unit: (unit[0], unit[1] is None, unit[1] or "", unit[2:]))
    return [unit[:2] for unit in order], np.array([unit[2:] for unit in order], np.float64)
