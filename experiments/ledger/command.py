"""Command `gammacp reproduce`: run experiments, hold them against the claims, print both."""

import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

from experiments.ledger.claims import KINDS, Checked, Claim, Ledger, load_ledgers
from experiments.ledger.claims import check as checked_claim
from experiments.ledger.running import find, load, run, where
from gammacp.base.record_tables import Column, Record, Table, count, word
from gammacp.cli.output import message, print_json, show
from gammacp.errors import GammacpError, UsageError
from gammacp.pools.opening import shared_pool

Verdicts = list[tuple[Ledger, list[Checked]]]


def reproduce(
    names: Sequence[str],
    *,
    check: bool,
    quick: bool,
    failed: bool,
    paper: str | None,
    data: Path | None,
    results: Path | None,
    experiments: Path,
    json: bool,
) -> None:
    """Run `gammacp reproduce`; its help says what each option is.

    Raises
    ------
    GammacpError
        A claim fails without a reason written down, or says why it fails and holds.
    """
    known = list(find(experiments))
    target = results or Path("results-quick" if quick else "results")
    every = not names or "all" in names
    chosen = known if every else [where(n, experiments).stem for n in dict.fromkeys(names)]
    if not names and not check:
        rows = [{"name": n, "summary": load(n, experiments).summary} for n in known]
        if json:
            print_json({"experiments": rows})
        else:
            columns = Column("name", "experiment"), Column("summary", "what it reproduces")
            show(Table(columns, rows))
        return
    ledgers = _ledgers(experiments / "claims", paper)
    with shared_pool():
        ran = list(chosen) if check else _run(chosen, experiments, target, quick=quick, data=data)
    found = _check(ran, ledgers, target, quick=quick)
    entries = [(ledger, c) for ledger, checked in found for c in checked]
    coarse = quick and sum(c.full_scale for one in ledgers for c in _told_by(ran, one))
    counts = [_counts(*pair) for pair in found]
    if json:
        shown = [_entry(ledger, c) for ledger, c in entries if not (failed and c.holds)]
        print_json({"claims": shown, "counts": counts, "not_checked": int(coarse)})
    else:
        _print(found, failed=failed)
        _summary(counts, KINDS)
        if coarse:
            print(f"claims that are too fine for a coarse run, not checked: {coarse}")
    # A coarse run cannot show that an explanation is not needed.
    defects = [c for _, c in entries if c.defect and not (quick and c.holds)]
    if defects:
        raise GammacpError(
            f"{len(defects)} claims whose explanation is missing or not needed any more; "
            f"the first: {defects[0].claim.words!r} {defects[0].defect}"
        )


def _ledgers(folder: Path, paper: str | None) -> list[Ledger]:
    ledgers = load_ledgers(folder)
    chosen = [one for one in ledgers if paper is None or paper in one.name]
    if not chosen:
        there = ", ".join(one.name for one in ledgers)
        raise UsageError(f"no ledger is called {paper!r}; there are: {there}")
    return chosen


def _run(
    names: Sequence[str], folder: Path, results: Path, *, quick: bool, data: Path | None
) -> list[str]:
    """Run them one by one; those that need data that were not given are left out and named."""
    ran = []
    for experiment in sorted((load(name, folder) for name in names), key=lambda e: bool(e.reads)):
        name = experiment.name
        if experiment.needs_data and data is None and len(names) > 1:
            message(f"{name}: left out, it needs files that do not ship (--data DIR)")
            continue
        begun = time.perf_counter()
        target = run(experiment, results, quick=quick, data=data)
        message(f"{name}: {time.perf_counter() - begun:.1f} s, {target}")
        ran.append(name)
    return ran


def _check(
    names: Sequence[str], ledgers: Sequence[Ledger], results: Path, *, quick: bool
) -> Verdicts:
    """The claims that these experiments' results can tell of, ledger by ledger."""
    return [
        (
            one,
            [
                checked_claim(c, results)
                for c in _told_by(names, one)
                if not (quick and c.full_scale)
            ],
        )
        for one in ledgers
    ]


def _told_by(names: Sequence[str], ledger: Ledger) -> list[Claim]:
    """The claims that need no other results than those of the experiments of these names."""
    return [c for c in ledger.claims if {p.experiment for p in c.tests} <= set(names)]


def _entry(ledger: Ledger, checked: Checked) -> dict[str, object]:
    claim = checked.claim
    return {
        "paper": ledger.name,
        "experiment": claim.tests[0].experiment,
        "source": f"{ledger.title}, {claim.place}",
        "claim": claim.words,
        "kind": claim.kind,
        "fitted": claim.fitted,
        "measured": checked.measured,
        "holds": checked.holds,
        "verdict": checked.outcome,
        "why": None if checked.holds else claim.fails_because,
    }


def _counts(ledger: Ledger, checked: Sequence[Checked]) -> dict[str, Any]:
    """Count the claims of each kind that hold in one ledger."""
    kinds: dict[str, Counter[str]] = {}
    for c in checked:
        kind = "fitted" if c.claim.fitted else c.claim.kind
        kinds.setdefault(kind, Counter()).update([c.outcome])
    return {
        "paper": ledger.name,
        "kinds": {k: {o: c[o] for o in ("holds", "open", "fails")} for k, c in kinds.items()},
        "not_encoded": len(ledger.left_out),
    }


def _print(found: Verdicts, *, failed: bool) -> None:
    """A claim in a line or two of the terminal's width, with the reason where it fails."""
    width = max(40, get_terminal_size((100, 24)).columns)
    for ledger, checked in found:
        shown = [c for c in checked if not (failed and c.holds)]
        if shown:
            print(f"\n{ledger.title}")
        for c in shown:
            text = f"{c.claim.place} ({c.claim.kind}) {c.claim.words}: {c.measured}"
            lead = {"holds": "  holds  ", "open": "  open   ", "fails": "  FAILS  "}[c.outcome]
            print(fill(text, width, initial_indent=lead, subsequent_indent=" " * 9))
            if why := c.defect or (None if c.holds else c.claim.fails_because):
                print(fill(why, width, initial_indent=" " * 9, subsequent_indent=" " * 9))


def _summary(counts: Sequence[dict[str, Any]], kinds: Sequence[str]) -> None:
    """Counts by kind and ledger; what the papers' sweeps and our code show, of what was tested."""
    told = Counter[str]()
    for one in counts:
        for kind in () if one["paper"] == "findings" else ("code", "sweep"):
            told.update(one["kinds"].get(kind, {}))
    columns = (
        Column("paper", "ledger"),
        *(Column(k, k, word, value=partial(_cell, k)) for k in (*kinds, "fitted")),
        Column("not_encoded", "not encoded", count),
    )
    show(Table(columns, counts))
    if told and told["open"] == told.total():
        print(
            f"reproduced: too few sets to decide on any of {told.total()} sentences of the papers "
            "on code and sweeps"
        )
        return
    print(
        f"reproduced: {told['holds']} of {told.total()} sentences of the papers on code and sweeps,"
        f" {told['open']} open\n"
        "(arithmetic, definitions, running times and what was fitted are not counted)"
    )


def _cell(kind: str, record: Record) -> str:
    """`3 of 5, 1 open`; `too few sets to decide` where every claim is open."""
    found = record["kinds"].get(kind, {})
    if found and found["open"] == sum(found.values()):
        return f"too few sets to decide ({found['open']})"
    still = f", {found['open']} open" if found.get("open") else ""
    return f"{found['holds']} of {sum(found.values())}{still}" if found else ""
