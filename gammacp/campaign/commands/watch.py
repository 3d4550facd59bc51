"""`gammacp watch`: γ of a folder or campaign while people annotate."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammacp.base.failures import Failure, incomplete_in_words
from gammacp.base.record_tables import Column, Table, number, signed_number, word
from gammacp.base.text import counted, first_names
from gammacp.cli.incomplete import note_unread
from gammacp.cli.options.groups import option
from gammacp.cli.options.loading import left_out_json, left_out_lines, requested_campaign, selected
from gammacp.cli.options.reading import File, Reading
from gammacp.cli.options.settings import ComputingFlags, GammaFlags
from gammacp.cli.output import AsJson, message, messages, print_json, say, show, tell_signatures
from gammacp.errors import BelowThresholdError, DataError, UsageError

if TYPE_CHECKING:
    from gammacp.campaign.alarm import Alarm
    from gammacp.campaign.watch import History
    from gammacp.formats.campaign_file import Campaign
    from gammacp.measures.settings import Settings as Measuring

_COLUMNS = (
    Column("annotator", "annotator"),
    Column("documents", "documents", word),
    Column("units", "units", word),
    Column("gamma", "γ", number),
    Column("changed", "γ of changed", number),
    Column("drift", "drift", signed_number),
)


def watch(
    reading: Reading,
    settings: GammaFlags,
    computing: ComputingFlags,
    folder: File = None,
    every: float = option("Seconds between looks.", default=30.0, min=0.1),
    once: bool = option("Look once and stop: for cron and tests.", default=False),
    alarm_below: float | None = option(
        "Raise an alarm if γ is shown to be below this; with --once, exit with 5."
    ),
    false_alarms: float = option(
        "Share of campaigns that ever get a false alarm, over all looks.", default=0.05
    ),
    history: Path | None = option(
        "File of all looks (JSON lines).  [default: NAME.watch beside the folder]"
    ),
    json: AsJson = False,
) -> None:
    """Monitor γ of a folder during annotation, with drifts.

    It is the γ of gammacp gamma on the same files. A half-written file is tried again at the next
    look.

    Example: gammacp watch exports/

    Most used: --once, --every and --json.
    """
    from gammacp.campaign.watch import History
    from gammacp.measures.settings import Settings as Measuring

    if folder is None:
        raise UsageError("give a folder or a campaign.toml to watch")
    if alarm_below is not None:
        # Computed from no look at all, so that invalid values are refused at once.
        _alarm(None, alarm_below, false_alarms)
    looks = History(history or folder.resolve().with_name(f"{folder.resolve().name}.watch"))
    measuring = Measuring.of(**settings.options())
    features = settings.weighing.features
    last_state: object = None
    last_failures: object = None
    while True:
        try:
            campaign = requested_campaign(folder, reading, features=features)
            state = _state(campaign, folder)
            if state != last_state:
                result, unread = _look(campaign, features, looks, measuring, computing)
                # Unread files are tried again even if unchanged, but reported only once.
                if result["failures"]:
                    last_state = None
                else:
                    last_state = state
                if result["measured"] or result["gone"] or last_failures != result["failures"]:
                    last_failures = result["failures"]
                    alarm = None
                    if alarm_below is not None:
                        alarm = _alarm(looks, alarm_below, false_alarms)
                    sentence = incomplete_in_words(result["documents"], unread)
                    # Without --once more looks follow, so that the result is not final.
                    allowed = reading.allow_unread or not once
                    note_unread(unread, sentence, allowed=allowed)
                    _tell({**result, "alarm": alarm and alarm.as_dict()}, json=json)
                    _check(result, settings, alarm, once=once)
        except DataError as error:
            if once:
                raise
            message(f"gammacp: {error}; next look in {every:g} s")
        if once:
            return
        time.sleep(every)


def _state(campaign: Campaign, folder: Path) -> object:
    """Return modification times and sizes by path, to notice that a file changed."""
    from gammacp.formats.finding import expand

    with campaign.confine():
        paths = [folder, *(path for path, _ in expand(campaign.paths))]
    stats = {str(path): path.stat() for path in paths if path.exists()}
    return {name: (s.st_mtime_ns, s.st_size) for name, s in stats.items()}


def _look(
    campaign: Campaign,
    features: Sequence[str],
    history: History,
    measuring: Measuring,
    computing: ComputingFlags,
) -> tuple[dict[str, Any], tuple[Failure, ...]]:
    """Look once; also return what could not be read."""
    from gammacp.campaign.watch import look
    from gammacp.formats.reading import by_document

    reading = campaign.collect()
    if reading.continua:
        reading = selected(campaign, reading, features)
    continua = by_document(reading.continua)
    failures = [each.as_dict() for each in reading.unread]
    with computing.pool("measuring") as (executor, _):
        result = look(continua, failures, history, measuring, executor)
    return {**result, "left_out": reading.left_out}, reading.unread


def _tell(result: dict[str, Any], *, json: bool) -> None:
    if json:
        print_json({**result, "left_out": left_out_json(result["left_out"])}, lines=True)
    else:
        _print(result)
        for line in left_out_lines(result["left_out"]):
            message(f"gammacp: {line}")
    for failure in result["failures"]:
        location = ":".join(str(failure[key]) for key in ("file", "line") if failure[key])
        text = f"{location}: {failure['message']}"
        message(f"gammacp: {text}; will be tried again at the next look", error=True)
    sys.stdout.flush()


def _print(result: dict[str, Any]) -> None:
    value = "no γ yet"
    if result["gamma"] is not None:
        value = f"γ {number(result['gamma'])} ({' to '.join(map(number, result['interval']))})"
    n = result["documents"]
    changed = first_names([*result["measured"]], 5)
    when = f"{datetime.fromisoformat(result['time']).astimezone():%Y-%m-%d %H:%M:%S}"
    line = (
        f"{when}  {value}  {counted(n, 'document')}, {result['units']} units; "
        f"changed: {changed or 'nothing'}"
    )
    if result["gone"]:
        line += f"; gone: {', '.join(result['gone'])}"
    say(line)
    if result["annotators"]:
        show(Table(_COLUMNS, [{"annotator": n, **a} for n, a in result["annotators"].items()]))
    for note in result["notes"]:
        message(note)
    tell_signatures(result["signature"] or "")
    messages(
        ((reason, n) for n, reason in result["waiting"].items()), before="gammacp: no γ yet of "
    )


def _alarm(history: History | None, below: float, rate: float) -> Alarm:
    import numpy as np

    from gammacp.campaign.alarm import alarm_of

    sums = np.array([*(history.tested_sums() if history else {}).values()], float).reshape(-1, 2)
    return alarm_of(sums[:, 0], sums[:, 1], below, rate)


def _check(
    result: dict[str, Any], settings: GammaFlags, alarm: Alarm | None, *, once: bool
) -> None:
    """Report the alarm; with `once`, raise the errors behind the exit codes."""
    if result["gamma"] is None and once:
        raise DataError("no document has a γ yet")
    if once:
        settings.solving.check_proven(result["status"])
    if alarm is None:
        sentence = ""
    else:
        sentence = alarm.in_words(result["gamma"] or 0.0)
    if not (alarm and sentence):
        return
    if not alarm.raised:
        message(f"gammacp: {sentence}")
    elif once:
        raise BelowThresholdError(sentence)
    else:
        message(f"gammacp: ALARM: {sentence}", error=True)
