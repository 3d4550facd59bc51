"""The papers' sentences as predicates on what the experiments wrote (`experiments/claims.toml`).

[[claim]]
experiment = "split"                 # results/split/
source = "2015, §6.3.4, Figure 27"
text = "γ runs from 1 to 0.2, in an almost linear curve"
csv = "split.csv"
check = "linear"                     # a name in CHECKS, with its parameters beside it
where = { measure = "gamma" }
x = "magnitude"
y = "mean"
within = [0.0, 1.0]                  # of x; optional
other = { measure = "ser" }          # for checks that compare two series
value = 0.95
fails_because = "…"                  # set where a claim is known not to hold: the evidence
full_scale = true                    # too fine for a quick run
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from gammacp.errors import DataError
from gammacp.reproduce.checks import CHECKS, Verdict
from gammacp.reproduce.series import read_rows, select


@dataclass(frozen=True)
class Claim:
    """One sentence that can be checked; see the module for the fields."""

    experiment: str
    source: str
    text: str
    csv: str
    check: str
    y: str
    where: Mapping[str, Any] = field(default_factory=dict)
    x: str | None = None
    within: tuple[float, float] | None = None
    other: Mapping[str, Any] | None = None
    fails_because: str | None = None
    full_scale: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)


_KNOWN = {f.name for f in fields(Claim)} - {"parameters"}


@dataclass(frozen=True)
class Checked:
    """A claim with its verdict; `explained` if it fails for a reason that is written down."""

    claim: Claim
    verdict: Verdict

    @property
    def explained(self) -> bool:
        """Whether a failure comes with its reason."""
        return self.verdict.holds or self.claim.fails_because is not None


def load_claims(path: Path) -> list[Claim]:
    """All claims of the file, in order."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError("is not there", file=path) from None
    except tomllib.TOMLDecodeError as error:
        raise DataError(str(error), file=path) from None
    return [_claim(entry, i, path) for i, entry in enumerate(document.get("claim", []), 1)]


def _claim(entry: dict[str, Any], number: int, path: Path) -> Claim:
    missing = {"experiment", "source", "text", "csv", "check", "y"} - entry.keys()
    if missing:
        raise DataError(f"claim {number} has no {sorted(missing)[0]!r}", file=path)
    known = {k: v for k, v in entry.items() if k in _KNOWN}
    if "within" in known:
        known["within"] = tuple(known["within"])
    return Claim(**known, parameters={k: v for k, v in entry.items() if k not in _KNOWN})


def check(claim: Claim, results: Path) -> Checked:
    """Hold a claim against `results/EXPERIMENT/CSV`.

    Raises
    ------
    DataError
        The file or a column that the claim names is not there.
    UsageError
        The check is unknown.
    """
    path = results / claim.experiment / claim.csv
    rows = read_rows(path)
    series = select(rows, path, claim.where, claim.x, claim.y)
    other = (
        None
        if claim.other is None
        else select(rows, path, {**claim.where, **claim.other}, claim.x, claim.y)
    )
    if claim.within is not None:
        series = series.within(*claim.within)
        other = None if other is None else other.within(*claim.within)
        if not len(series.x):
            raise DataError(f"no point lies within {claim.within}", file=path)
    try:
        verdict = CHECKS[claim.check](series, other, claim.parameters)
    except KeyError as error:
        raise DataError(f"check {claim.check!r} of {claim.text!r} needs {error}") from None
    return Checked(claim, verdict)
