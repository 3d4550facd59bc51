"""Beyond the papers: which verdicts on Figures 26–30 change if shifted units keep their order?

2015 says of shifted units that they do not overlap, and nothing of their order. Here no unit passes
another (`position:order=true`), with the random numbers of Figures 26–30. Curves of errors without
shifts stay as they are, and so does Figure 24: the boundaries of a segmentation keep their order
anyway. Every sentence of the ledger that reads a curve of units kept apart is held against the
curves of both.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import copy

from experiments import mathet2015_fig26
from experiments._common import write_csv
from experiments._figures import curves_page
from experiments._sweep import sweep_into
from experiments.mathet2015_fig26 import ABOUT, APART
from gammacp.bench.baseline import read_curves
from gammacp.bench.ledger.claims import Claim, check, load_ledgers
from gammacp.bench.ledger.series import read_rows
from gammacp.bench.source import Shuffled
from shuffling import Category, ErrorType, FalsePositive, Position

READS = ("mathet2015_fig26",)
LEDGER = "mathet2015"
SHIFT = Position(order=True)
ERRORS: dict[str, tuple[ErrorType, ...]] = {
    "position": (SHIFT,),
    "position+category": (SHIFT, Category()),
    APART: (SHIFT, FalsePositive(overlap=False)),
}
OVERLAPS = "overlaps.csv"
"""Table of Figure 30: overlapping units beside those that are kept apart."""

OUTCOMES = ("holds", "open", "fails")


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write the curves, the verdicts on both, and how many change from which to which."""
    del data
    free = out.parent.parent / READS[0]
    sweep = replace(
        mathet2015_fig26.sweep_of(quick),
        source=Shuffled(named=ERRORS),
        errors=tuple(ERRORS),
        experiment="kept_order",
    )
    rows = sweep_into(out, sweep)
    overlapping = [row for row in read_rows(free / OVERLAPS) if row["overlap"] == "yes"]
    apart = [{"overlap": "no", **row} for row in rows if row["error"] == APART]
    write_csv(out / OVERLAPS, [*overlapping, *apart])
    panels = {"26a: position": "position", "26b: position + category": "position+category"}
    shown = {title: read_curves(out / f"{error}.csv") for title, error in panels.items()}
    curves_page(out / "kept_order", shown, about=f"order kept,\n{ABOUT}")
    changed = {f"{READS[0]}/{path.name}" for path in out.glob("*.csv")}
    claims = [claim for claim in sentences(changed) if not (quick and claim.full_scale)]
    verdicts = [*verdict_rows(free, out, claims)]
    write_csv(out / "verdicts.csv", verdicts)
    write_csv(out / "changes.csv", change_rows(verdicts))


def verdict_rows(free: Path, kept: Path, claims: Sequence[Claim]) -> Iterator[dict[str, object]]:
    """Yield a row per sentence, with its verdict on the curves of each folder.

    Parameters
    ----------
    free
        Results of Figures 26–30, whose units may change places.
    kept
        The files among them of units that keep their order.
    claims
        Sentences on Figures 26–30.
    """
    with tempfile.TemporaryDirectory() as scratch:
        mixed = Path(scratch) / READS[0]
        mixed.mkdir()
        for path in (*free.glob("*.csv"), *kept.glob("*.csv")):
            copy(path, mixed)
        for claim in claims:
            before = check(claim, free.parent)
            after = check(claim, mixed.parent)
            yield {
                "place": claim.place,
                "words": claim.words,
                "free": before.outcome,
                "in_order": after.outcome,
                "measured_free": before.measured,
                "measured_in_order": after.measured,
            }


def sentences(changed: set[str]) -> list[Claim]:
    """Return the sentences on Figures 26–30 that read any of these files."""
    ledgers = load_ledgers(Path(__file__).parent / "claims")
    (ledger,) = (one for one in ledgers if one.name == LEDGER)
    found = []
    for claim in ledger.claims:
        files = {test.csv for test in claim.tests}
        if files & changed and all(test.experiment == READS[0] for test in claim.tests):
            found.append(claim)
    return found


def change_rows(verdicts: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """Return how many sentences have each pair of outcomes, without and with the order kept."""
    return [
        {
            "free": free,
            "in_order": kept,
            "changes": str(free != kept).lower(),
            "sentences": sum((v["free"], v["in_order"]) == (free, kept) for v in verdicts),
        }
        for free in OUTCOMES
        for kept in OUTCOMES
    ]
