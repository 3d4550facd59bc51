"""`gammacp verify`: check certificates and proofs of γ, in exact arithmetic."""

from __future__ import annotations

from inspect import Parameter
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from gammacp.cli.options.groups import argument, option
from gammacp.cli.output import AsJson, message, print_json, say
from gammacp.errors import DataError, UsageError

if TYPE_CHECKING:
    from gammacp.verify import Gamma


def verify(
    files: list[Path] = argument(
        "Certificates, or gamma.proof.json of a folder.", "FILES", default=Parameter.empty
    ),
    file: Path | None = option(
        "Compare the units with this data file (CSV or JSON of gammacp).", "DATA"
    ),
    redraw: bool = option(
        "Also draw the random sets of a γ again from its seed; this trusts the sampler.",
        default=False,
    ),
    json: AsJson = False,
) -> None:
    """Check certificates of align and gamma, and proofs of γ.

    The check is one file of plain Python that shares no code with the solver. It recomputes all
    costs in whole numbers. Exit 0: every claim is proven; 1: some are not; 3: a file is neither a
    certificate nor a proof.

    Example: gammacp verify proof/gamma.proof.json
    """
    from gammacp.verify import RefusedError, check, printable

    code = 0
    records = []
    for path in files:
        try:
            proven, statements, proof = check(str(path), None if file is None else str(file))
            if redraw:
                statements.append(_redrawn(path, proof))
        except (RefusedError, DataError, OSError, OverflowError, UnicodeDecodeError) as error:
            fault = str(error) if isinstance(error, DataError) else f"{path}: {error}"
            message(f"gammacp: {fault}", error=True)
            records.append({"file": str(path), "verified": False, "said": [], "error": str(error)})
            code = 3
            continue
        record = {"file": str(path), "verified": proven, "said": statements}
        records.append(record | _facts(proof, redrawn=redraw))
        code = max(code, 0 if proven else 1)
        for line in () if json else statements:
            # The text comes from a foreign file; `printable` keeps it on one line.
            say(f"{path}: {printable(line)}")
    if json:
        print_json({"results": records})
    if code:
        raise typer.Exit(code)


def _redrawn(path: Path, proof: Gamma | None) -> str:
    """Draw the random sets of a proof again, and return a sentence on the result."""
    if proof is None:
        raise UsageError(f"--redraw is for proofs of γ; {path} is the certificate of an alignment")
    from gammacp.measures.gamma_proof.redraw import redraw_sets

    return redraw_sets(path)


def _facts(proof: Gamma | None, *, redrawn: bool) -> dict[str, Any]:
    """Return the JSON fields of a proof of γ; empty for a certificate."""
    if proof is None:
        return {}
    return {
        "gamma": proof.value,
        "interval": [bound if isfinite(bound) else None for bound in proof.interval],
        "known": [bound if isfinite(bound) else None for bound in proof.gamma_range],
        "not_best": {"documents": proof.loose_documents, "sets": proof.loose_sets},
        "weights": proof.weights,
        "strata": proof.strata,
        "certificates": len(proof.names),
        "sets": proof.sets,
        "turned": bool(proof.turns) and not proof.exempt,
        "exempt": proof.exempt,
        "redrawn": redrawn,
        "not_shown": proof.not_shown(),
    }
