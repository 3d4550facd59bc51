"""`gammacp report`: one self-contained page with numbers, alignment view and disagreements."""

from __future__ import annotations

from pathlib import Path

from gammacp.cli.options.comparing import Comparing
from gammacp.cli.options.groups import option
from gammacp.cli.options.reading import Files, Reading, load
from gammacp.cli.options.settings import FailUnder, Settings
from gammacp.cli.output import AsJson, message, print_json


def report(
    reading: Reading,
    settings: Settings,
    comparing: Comparing,
    files: Files = None,
    out: Path = option(
        "The page.",
        default=Path("report.html"),
        names=("--out", "-o"),
    ),
    title: str = option("Heading.  [default: names of the files]", default=""),
    calibrate: bool = option(
        "Also say which errors would give this γ (takes a while).", default=False
    ),
    support: str | None = option(
        "Annotators a unit of the consensus needs.  [default: more than half]", "N|SHARE"
    ),
    boundaries: str = option("Consensus boundaries: majority, median or mean.", default="median"),
    fail_under: FailUnder = None,
    json: AsJson = False,
) -> None:
    """One self-contained HTML page: numbers, alignment view, what to review."""
    from gammacp.report import report as build

    options = settings.options()
    loaded = load(files, reading, settings.weighing.features)
    other = comparing.other_round(files, reading, settings.weighing.features)
    with comparing.workers(loaded, "reporting", pays=calibrate) as executor:
        built = build(
            loaded.corpus(),
            title=title,
            reference=comparing.reference,
            against=other,
            deals=comparing.permutations,
            calibrate=calibrate,
            support=support,
            boundaries=boundaries,
            draws=comparing.bootstrap,
            leave_one_out=comparing.leave_one_out,
            executor=executor,
            failures=tuple(str(error) for _, error in loaded.failures),
            left_out=loaded.left_out,
            **options,
        )
    built.write(out)
    score = built.contents.comparison.overall.score
    if json:
        known = {"gamma": score.value, "interval": score.interval}
        print_json({"report": str(out), **known, **loaded.json})
    else:
        message(f"wrote {out}")
    settings.check(score, fail_under)
