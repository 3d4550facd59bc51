"""`gammacp calibrate`: what a γ means, in errors that would give the same value."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gammacp.base.record_tables import number
from gammacp.cli.options.groups import option
from gammacp.cli.options.reading import Files, Reading, load
from gammacp.cli.options.settings import ComputingFlags, FailUnder, GammaFlags, check_threshold
from gammacp.cli.output import AsJson, message, outputs, print_json, say, show, tell_signatures

if TYPE_CHECKING:
    from gammacp.campaign.calibrate import Calibration


def calibrate(
    reading: Reading,
    settings: GammaFlags,
    computing: ComputingFlags,
    files: Files = None,
    error: list[str] | None = option(
        "Error types (repeatable), such as split:factor=2.  [default: position, "
        "category, false-negative, false-positive, split]",
        "NAME",
    ),
    sets: int = option("Shuffled sets per magnitude.", default=10, min=3),
    figure: Path | None = option("Draw the curves, with γ on them (.svg, .png, .pdf)."),
    curves: Path | None = option("Write the curves (CSV)."),
    fail_under: FailUnder = None,
    json: AsJson = False,
) -> None:
    """Find the errors that would give the same γ.

    Annotators who make one kind of error are simulated on data like yours.

    Example: gammacp calibrate interview.eaf

    Most used: --sets, --only and --json.
    """
    from gammacp.campaign import result_tables
    from gammacp.campaign.calibrate import calibrate as compute
    from gammacp.campaign.calibrate.calibration import ERROR_TYPES

    options, paths = settings.options(), outputs(curves=curves, figure=figure)
    loaded = load(
        files,
        reading,
        settings.weighing.features,
        writes=paths,
        by_default_chance="chance" not in options,
    )
    errors = tuple(dict.fromkeys(error)) if error else ERROR_TYPES
    with computing.pool("magnitudes", pays=True) as (executor, counter):
        found = compute(
            loaded.corpus(),
            errors=errors,
            sets=sets,
            executor=executor,
            progress=counter,
            **options,
        )
    if curves is not None:
        result_tables.curves(found).write_csv(curves)
    if figure is not None:
        from gammacp.campaign.calibrate.figure import draw

        draw(found, figure)
    if json:
        print_json({**found.as_dict(), **loaded.json})
    else:
        _print(found)
        for path in paths:
            message(f"wrote {path}")
        tell_signatures(found.signature, seed=settings.sampling.seed)
    settings.solving.check_proven(found.score.status)
    check_threshold(found.score.value, fail_under)


def _print(found: Calibration) -> None:
    from gammacp.campaign.result_tables import equivalents

    say(f"γ = {number(found.score.value)} would come from any one of these errors alone:")
    show(equivalents(found).without("reason"))
    say(found.in_words())
    for note in found.notes():
        message(note)
    for e in found.equivalents:
        if e.reason:
            message(f"{e.error}: {e.reason}")
