"""Output of `gammacp bench`: tables and JSON on stdout, progress and notes on stderr."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gammacp.base.record_tables import Column, Table, general, number, record_of
from gammacp.cli.output import message, show

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gammacp.bench.baseline import BaselineComparison
    from gammacp.bench.changes import PointChange
    from gammacp.bench.commands.checks import Checks
    from gammacp.bench.curves import Point
    from gammacp.bench.runner import Outcome, TaskFailure
    from gammacp.bench.sweep import Sweep

# Measures side by side in a table.
_COLUMNS = 8
# Failures that are reported one by one.
_MOST_FAILURES = 10
_DIFFERENCES = (
    Column("error", "error"),
    Column("measure", "measure"),
    Column("magnitude", "magnitude", general),
    Column("what", "what"),
    Column("baseline", "baseline", number),
    Column("now", "now", number),
    Column("p", "p", lambda p, _: "–" if p != p else f"{p:.1g}"),
)


def tell(sweep: Sweep, outcome: Outcome) -> None:
    """Print a summary of a run on stderr."""
    message(f"{outcome.computed} cells computed, {outcome.reused} reused; seed {sweep.seed}")
    if sweep.beyond_chance:
        message("values are 1 − D/E[D]: each measure's disagreement against chance")
    for note in outcome.notes:
        message(note)
    if outcome.limited:
        message(f"{outcome.limited} cells are from a solver that stopped at a limit (feasible)")
    if outcome.failures:
        message(
            f"{len(outcome.failures)} annotation sets could not be computed; run the sweep again "
            "to retry them"
        )


class Failures:
    """Reporter of the first tasks that cannot be computed, while the sweep goes on."""

    count = 0

    def __call__(self, failure: TaskFailure) -> None:
        """Print a line for each of the first ten failures; only the first has its trace."""
        self.count += 1
        if self.count > _MOST_FAILURES:
            return
        task = failure.task
        place = f"{task.error}, magnitude {task.magnitude:g}, set {task.set_number}"
        if self.count == 1:
            reason = failure.why
        else:
            reason = failure.why.splitlines()[0]
        message(f"not computed: {place}: {reason}")


def document(
    sweep: Sweep,
    points: Sequence[Point],
    outcome: Outcome,
    folder: Path,
    checks: Checks | None = None,
) -> dict[str, Any]:
    """Return the JSON: points of each error, the run's counts, and the results of `--check`."""
    return _check_document(checks) | {
        "errors": {e: [asdict(p) for p in points if p.error == e] for e in sweep.errors},
        "folder": str(folder),
        **record_of(outcome, "computed reused limited"),
        "fewer": outcome.notes,
        "failures": [{**asdict(f.task), "why": f.why} for f in outcome.failures],
        "seed": sweep.seed,
    }


def _check_document(checks: Checks | None) -> dict[str, Any]:
    """Return the comparisons with the baseline, and which properties of units were tried."""
    if checks is None or checks.reference is None:
        return {}
    if checks.everything is None:
        everything = None
    else:
        everything = asdict(checks.everything)
    further = {"everything": everything, "tried": checks.properties, "not_tried": checks.not_tried}
    return {"check": asdict(checks.reference) | further}


def print_points(points: Sequence[Point]) -> None:
    """Print the means: a table per error, with a row per magnitude and a column per measure."""
    from gammacp.bench.curves import by_error, by_measure

    for error, group in by_error(points).items():
        curves = by_measure(group)
        means = {(p.measure, p.magnitude): p.mean for p in group}
        magnitudes = sorted({p.magnitude for p in group})
        names = [n for n, curve in curves.items() if any(p.mean == p.mean for p in curve)]
        for first in range(0, len(names), _COLUMNS):
            shown = names[first : first + _COLUMNS]
            columns = (
                Column("magnitude", f"{error}: magnitude", general, left=True),
                *(Column(name, name, number) for name in shown),
            )
            rows = [{"magnitude": m, **{n: means.get((n, m)) for n in shown}} for m in magnitudes]
            show(Table(columns, rows), digits=3)


def tell_comparison(comparison: BaselineComparison, baseline: Path, level: float) -> None:
    """Print the findings of `--check` on stderr."""
    if comparison.only_baseline or comparison.only_now:
        message(
            f"not compared: {comparison.only_baseline} points that only {baseline} has, "
            f"{comparison.only_now} that only this sweep has"
        )
    if comparison.untested:
        message(
            f"not tested: {comparison.untested} points with one set here or there; give more --sets"
        )
    for each in comparison.detectable:
        message(
            f"{each.error}: a curve of {each.measure} that moved by {each.difference:.3f} in its "
            "mean would have been found with probability .9"
        )
    if not comparison.moved:
        if comparison.paired:
            result_in_words = "all equal, set by set"
        else:
            result_in_words = "none moved beyond noise"
        message(f"{comparison.compared} points compared with {baseline}: {result_in_words}")
        return
    summary = f"{len(comparison.moved)} of {comparison.compared} points moved"
    if not comparison.paired:
        message(f"{summary} beyond noise, against {baseline} (adjusted p < {level:g})")
        return
    summary += f", against {baseline}, which has the same seed and so the same sets"
    if (at := comparison.largest) is not None:
        sides = f"{at.baseline:.6g} there and {at.now:.6g} here"
        summary += f"; most: {at.measure} at {at.magnitude:g}, {sides}"
    message(summary)


def print_differences(moved: Sequence[PointChange]) -> None:
    """Print the points that moved, in the order given."""
    if moved:
        show(Table(_DIFFERENCES, [asdict(d) for d in moved]))
