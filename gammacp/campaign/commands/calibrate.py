"""`gammacp calibrate`: what a γ means, in errors that would give the same value."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammacp.base.record_tables import number
from gammacp.cli.options.groups import option
from gammacp.cli.options.loading import load
from gammacp.cli.options.reading import Files, Reading
from gammacp.cli.options.settings import ComputingFlags, FailUnder, GammaFlags, check_threshold
from gammacp.cli.output import (
    AsJson,
    check_figure_path,
    message,
    outputs,
    print_json,
    say,
    show,
    tell_signatures,
    write_figure,
)
from gammacp.errors import UsageError

if TYPE_CHECKING:
    from gammacp.campaign.calibrate import Calibration
    from gammacp.campaign.calibrate.magnitudes import Magnitudes
    from gammacp.cli.options.loading import Loaded
    from gammacp.measures.agreement import Agreement


class By(StrEnum):
    """Partitions by which magnitudes can be given."""

    ANNOTATOR = "annotator"


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
    figure: Path | None = option("Draw the curves, with γ on them (.svg, .png, .pdf).", "FILE"),
    curves: Path | None = option("Write the curves (CSV)."),
    by: By | None = option(
        "Instead: how much of each mistake every annotator makes. Takes three annotators."
    ),
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
    from shuffling import parse_errors

    options = settings.options()
    for name in error or ():
        parse_errors(name)
    check_figure_path(figure)
    paths = outputs(curves=curves, figure=figure)
    loaded = load(
        files,
        reading,
        settings.weighing.features,
        writes=paths,
        by_default_chance="chance" not in options,
    )
    if by is not None:
        _check_by_annotator(error, curves, figure)
        _by_annotator(loaded, settings, computing, fail_under, json=json)
        return
    errors = tuple(dict.fromkeys(error or ERROR_TYPES))
    with computing.pool("magnitudes", pays=True) as (executor, progress_line):
        calibration = compute(
            loaded.corpus(),
            errors=errors,
            sets=sets,
            executor=executor,
            progress=progress_line,
            **options,
        )
    if curves is not None:
        result_tables.curves(calibration).write_csv(curves)
    drawn = _draw(calibration, figure)
    if json:
        print_json({**calibration.as_dict(), **drawn, **loaded.json})
    else:
        _print(calibration)
        if curves is not None:
            message(f"wrote {curves}")
        tell_signatures(calibration.signature, seed=settings.sampling.seed)
    settings.solving.check_proven(calibration.score.status)
    check_threshold(calibration.score.value, fail_under)


def _check_by_annotator(error: list[str] | None, curves: Path | None, figure: Path | None) -> None:
    """Refuse options about magnitudes of which `--by annotator` simulates none."""
    if error or curves or figure:
        raise UsageError(
            "--by annotator reads all magnitudes at once: it takes no --error, --curves or --figure"
        )


def _draw(calibration: Calibration, path: Path | None) -> dict[str, Any]:
    """Draw the curves if a file is given; return the JSON of the figure, or nothing."""
    if path is None:
        return {}
    from gammacp.campaign.calibrate.figure import picture_of

    return {"figure": write_figure(partial(picture_of, calibration), path)}


def _by_annotator(
    loaded: Loaded,
    settings: GammaFlags,
    computing: ComputingFlags,
    fail_under: float | None,
    *,
    json: bool,
) -> None:
    """Print what every annotator does differently, and how often."""
    from gammacp.campaign.calibrate.magnitudes import magnitudes_of, refuse_pieces
    from gammacp.measures.agreement import agreement

    options = settings.options()
    refuse_pieces(loaded.corpus().continua.values())
    with computing.pool("magnitudes", pays=loaded.takes_long) as (executor, _):
        overall = agreement(loaded.corpus(), executor=executor, **options)
        magnitudes = magnitudes_of(loaded.corpus().continua, found=overall)
    if json:
        print_json({**overall.score.as_dict(), "magnitudes": magnitudes.as_dict(), **loaded.json})
    else:
        _print_magnitudes(magnitudes, overall)
        tell_signatures(magnitudes.signature, seed=settings.sampling.seed)
    settings.solving.check_proven(overall.score.status)
    check_threshold(overall.value, fail_under)


def _print_magnitudes(estimates: Magnitudes, overall: Agreement) -> None:
    from gammacp.campaign.result_tables import magnitudes

    if estimates.documents:
        say(f"γ = {number(overall.value)}. What each annotator does differently from the others:")
        show(magnitudes(estimates))
        if estimates.documents == 1:
            documents = "document"
        else:
            documents = "documents"
        if estimates.has_intervals:
            around = f", with {estimates.confidence:.0%} intervals"
        else:
            around = ""
        say(
            f"Shares of the units, from {estimates.documents} {documents}{around}; shifts are "
            "shares of a unit's length."
        )
    else:
        say(f"γ = {number(overall.value)}. Who differs from the others cannot be said.")
    for note in estimates.notes():
        message(note)
    reasons = {one.reason for one in estimates.people if one.amount is None and one.reason}
    for reason in sorted(reasons):
        names = [one.annotator for one in estimates.people if one.reason == reason]
        message(f"{', '.join(dict.fromkeys(names))}: {reason}")


def _print(calibration: Calibration) -> None:
    from gammacp.campaign.result_tables import equivalents

    say(f"γ = {number(calibration.score.value)} would come from any one of these errors alone:")
    show(equivalents(calibration).without("reason"))
    say(calibration.in_words())
    for note in calibration.notes():
        message(note)
    for e in calibration.equivalents:
        if e.reason:
            message(f"{e.error}: {e.reason}")
