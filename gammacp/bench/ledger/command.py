"""Command `gammacp reproduce`: run experiments, hold them against the claims, print both."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

from gammacp.base.record_tables import Column, Record, Table, count, word
from gammacp.bench.ledger.claims import (
    KINDS,
    Checked,
    Claim,
    Ledger,
    load_ledgers,
    refuse_unknown_experiments,
)
from gammacp.bench.ledger.claims import check as checked_claim
from gammacp.bench.ledger.mutants import CHANGES, try_changes
from gammacp.bench.ledger.preregistration import Changed, changed_since, registered
from gammacp.bench.ledger.running import experiment_file, find, import_folder, load, run
from gammacp.bench.ledger.template import begin
from gammacp.cli.output import message, print_json, show
from gammacp.errors import GammacpError, UsageError
from gammacp.pools.opening import shared_pool

Verdicts = list[tuple[Ledger, list[Checked]]]

_LEADS = {"holds": "  holds  ", "open": "  open   ", "fails": "  FAILS  "}
_INDENT = " " * 9


@dataclass(frozen=True, kw_only=True)
class ReproduceOptions:
    """Options of `gammacp reproduce`; its help says what each of them is."""

    experiments: Path
    results: Path | None = None
    data: Path | None = None
    paper: str | None = None
    check: bool = False
    quick: bool = False
    mutants: bool = False
    failed: bool = False
    json: bool = False

    @property
    def target(self) -> Path:
        """Return the folder of results."""
        if self.results is not None:
            return self.results
        if self.quick:
            return Path("results-quick")
        return Path("results")


def start(name: str, folder: Path) -> None:
    """Write a new experiment with its claims into a folder, and say what to do next.

    Raises
    ------
    UsageError
        The name cannot be an experiment's, or is taken.
    """
    experiment, claims = begin(name, folder)
    message(f"wrote {experiment} and {claims}")
    message(f"next: change both, then gammacp reproduce {name} --experiments {folder}")


def reproduce(names: Sequence[str], options: ReproduceOptions) -> None:
    """Run experiments, or none of them, and check the claims about them.

    Raises
    ------
    GammacpError
        A claim fails without a reason written down, or says why it fails and holds; with mutants,
        a claim cannot fail.
    """
    folder = options.experiments
    import_folder(folder)
    experiments = list(find(folder))
    every = not names or "all" in names
    chosen = experiments
    if not every:
        chosen = [experiment_file(n, folder).stem for n in dict.fromkeys(names)]
    if not names and not (options.check or options.mutants):
        _list(experiments, folder, json=options.json)
        return
    if not chosen:
        raise UsageError(
            f"{folder} has no experiments; begin one with gammacp reproduce --new NAME"
        )
    ledgers = _ledgers(folder / "claims", options.paper)
    if not ledgers and (options.check or options.mutants):
        raise UsageError(f"there are no claims in {folder / 'claims'}")
    refuse_unknown_experiments(ledgers, experiments)
    if options.mutants:
        _try_mutants(chosen, ledgers, options)
        return
    ran = chosen
    if not options.check:
        with shared_pool():
            ran = _run(chosen, ledgers, options)
    _tell(ran, ledgers, options)


def _list(experiments: Sequence[str], folder: Path, *, json: bool) -> None:
    """Print the names of the experiments with their summaries."""
    rows = [{"name": n, "summary": _summary_of(n, folder)} for n in experiments]
    if json:
        print_json({"experiments": rows})
        return
    if not rows:
        message(f"{folder} has no experiments; begin one with gammacp reproduce --new NAME")
    columns = Column("name", "experiment"), Column("summary", "what it reproduces")
    show(Table(columns, rows))


def _summary_of(name: str, folder: Path) -> str:
    """Return what an experiment reproduces, or why it cannot run."""
    try:
        return load(name, folder).summary
    except UsageError as error:
        return f"cannot run: {error}"


def _ledgers(folder: Path, paper: str | None) -> list[Ledger]:
    """Return the ledgers; none where there are no files of claims."""
    if paper is None and not any(folder.glob("*.toml")):
        message(f"there are no claims to check: {folder} has no .toml file")
        return []
    ledgers = load_ledgers(folder)
    chosen = [one for one in ledgers if paper is None or paper in one.name]
    if not chosen:
        listed = ", ".join(one.name for one in ledgers)
        raise UsageError(f"no ledger is called {paper!r}; there are: {listed}")
    return chosen


def _run(names: Sequence[str], ledgers: Sequence[Ledger], options: ReproduceOptions) -> list[str]:
    """Run them one by one; those that need data that were not given are left out and named."""
    ran = []
    loaded = [load(name, options.experiments) for name in names]
    for experiment in sorted(loaded, key=lambda e: bool(e.reads)):
        name = experiment.name
        if experiment.needs_data and options.data is None and len(names) > 1:
            message(f"{name}: left out, it needs files that do not ship (--data DIR)")
            continue
        begun = time.perf_counter()
        with registered(name, experiment.path, ledgers, options.target):
            target = run(experiment, options.target, quick=options.quick, data=options.data)
        message(f"{name}: {time.perf_counter() - begun:.1f} s, {target}")
        ran.append(name)
    return ran


def _claims_about(names: Sequence[str], ledger: Ledger) -> list[Claim]:
    """Return the claims that need no other results than those of these experiments."""
    return [c for c in ledger.claims if {p.experiment for p in c.tests} <= set(names)]


def _tell(names: Sequence[str], ledgers: Sequence[Ledger], options: ReproduceOptions) -> None:
    """Check the claims that results can tell of, and print the verdicts."""
    checked_by_ledger: Verdicts = []
    coarse = 0
    for ledger in ledgers:
        claims = _claims_about(names, ledger)
        if options.quick:
            coarse += sum(c.full_scale for c in claims)
            claims = [c for c in claims if not c.full_scale]
        checked_by_ledger.append((ledger, [checked_claim(c, options.target) for c in claims]))
    entries = [(ledger, c) for ledger, checked in checked_by_ledger for c in checked]
    claimed = {p.experiment for _, c in entries for p in c.claim.tests}
    files = {n: p for n, p in find(options.experiments).items() if n in claimed}
    changed = changed_since(files, ledgers, options.target)
    counts = [_counts(*pair) for pair in checked_by_ledger]
    if options.json:
        shown = [_entry(ledger, c) for ledger, c in entries if not (options.failed and c.holds)]
        print_json(
            {
                "claims": shown,
                "counts": counts,
                "not_checked": coarse,
                "changed_since_run": {n: asdict(changes) for n, changes in changed.items()},
            }
        )
    else:
        _print(checked_by_ledger, failed=options.failed)
        _summary(counts)
        if coarse:
            print(f"claims that are too fine for a coarse run, not checked: {coarse}")
        _tell_changes(changed)
    # A coarse run cannot show that an explanation is not needed.
    defects = [c for _, c in entries if c.defect and not (options.quick and c.holds)]
    if defects:
        raise GammacpError(
            f"claims whose explanation is missing, or not needed any more: {len(defects)}; "
            f"the first: {defects[0].claim.words!r} {defects[0].defect}"
        )


def _tell_changes(changed: Mapping[str, Changed]) -> None:
    """Print which claims and experiments were changed after the run began."""
    claims = [name for name, changes in changed.items() if changes.claims]
    if claims:
        print(f"claims were changed after the run began: {', '.join(claims)}")
    code = [name for name, changes in changed.items() if changes.experiment]
    if code:
        print(f"experiments were changed after the run began: {', '.join(code)}")


def _try_mutants(
    names: Sequence[str], ledgers: Sequence[Ledger], options: ReproduceOptions
) -> None:
    """Change what each claim reads, and list the claims that hold whatever was measured."""
    trials = [
        one
        for ledger in ledgers
        for one in try_changes(ledger, _claims_about(names, ledger), options.target)
    ]
    idle = [one for one in trials if not one.can_fail]
    if options.json:
        print_json({"changes": list(CHANGES), "claims": [one.as_dict() for one in trials]})
    else:
        rows = [_change_record(name, trials) for name in CHANGES]
        show(
            Table(
                (
                    Column("change", "change"),
                    Column("tried", "claims", count),
                    Column("false", "false of", count),
                ),
                rows,
            )
        )
        for one in idle:
            print(f"cannot fail: {one.claim.place}: {one.claim.words}")
    if idle:
        raise GammacpError(
            f"{len(idle)} of {len(trials)} claims hold whatever was measured; the first: "
            f"{idle[0].claim.words!r}"
        )
    message(f"each of {len(trials)} claims is false after some change of what it reads")


def _change_record(name: str, tried: Sequence[Any]) -> dict[str, object]:
    """Return how many claims a change was tried on, and how many it made false."""
    made_false = sum(name in one.false_after for one in tried)
    withstood = sum(name in one.withstands for one in tried)
    return {"change": name, "tried": made_false + withstood, "false": made_false}


def _entry(ledger: Ledger, checked: Checked) -> dict[str, object]:
    claim = checked.claim
    explanation = claim.fails_because
    if checked.holds:
        explanation = None
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
        "why": explanation,
    }


def _counts(ledger: Ledger, checked: Sequence[Checked]) -> dict[str, Any]:
    """Count the claims of each kind that hold in one ledger."""
    kinds: dict[str, Counter[str]] = {}
    for c in checked:
        kind = c.claim.kind
        if c.claim.fitted:
            kind = "fitted"
        kinds.setdefault(kind, Counter()).update([c.outcome])
    return {
        "paper": ledger.name,
        "kinds": {k: {o: c[o] for o in ("holds", "open", "fails")} for k, c in kinds.items()},
        "not_encoded": len(ledger.left_out),
    }


def _print(verdicts: Verdicts, *, failed: bool) -> None:
    """Print a claim in a line or two of the terminal's width, with the reason where it fails."""
    width = max(40, get_terminal_size((100, 24)).columns)
    for ledger, checked in verdicts:
        shown = [c for c in checked if not (failed and c.holds)]
        if shown:
            print(f"\n{ledger.title}")
        for c in shown:
            text = f"{c.claim.place} ({c.claim.kind}) {c.claim.words}: {c.measured}"
            lead = _LEADS[c.outcome]
            print(fill(text, width, initial_indent=lead, subsequent_indent=_INDENT))
            explanation = c.defect
            if explanation is None and c.outcome == "fails":
                explanation = c.claim.fails_because
            if explanation:
                print(fill(explanation, width, initial_indent=_INDENT, subsequent_indent=_INDENT))


def _summary(counts: Sequence[dict[str, Any]]) -> None:
    """Print counts by kind and ledger; what sweeps and code show, of what was tested."""
    verdicts = Counter[str]()
    for one in counts:
        if one["paper"] == "findings":
            continue
        for kind in ("code", "sweep"):
            verdicts.update(one["kinds"].get(kind, {}))
    columns = (
        Column("paper", "ledger"),
        *(Column(k, k, word, value=partial(_cell, k)) for k in (*KINDS, "fitted")),
        Column("not_encoded", "not encoded", count),
    )
    show(Table(columns, counts))
    if verdicts and verdicts["open"] == verdicts.total():
        print(
            f"reproduced: too few sets to decide on any of {verdicts.total()} claims about code "
            "and sweeps"
        )
        return
    print(
        f"reproduced: {verdicts['holds']} of {verdicts.total()} claims about code and sweeps, "
        f"{verdicts['open']} open\n"
        "(arithmetic, definitions, running times and what was fitted are not counted)"
    )


def _cell(kind: str, record: Record) -> str:
    """Return `3 of 5, 1 open`; `too few sets to decide` where every claim is open."""
    outcomes = record["kinds"].get(kind, {})
    if not outcomes:
        return ""
    total = sum(outcomes.values())
    if outcomes["open"] == total:
        return f"too few sets to decide ({total})"
    still = ""
    if outcomes["open"]:
        still = f", {outcomes['open']} open"
    return f"{outcomes['holds']} of {total}{still}"
