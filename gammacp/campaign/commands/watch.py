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
from gammacp.cli.options.reading import (
    File,
    Reading,
    left_out_json,
    left_out_lines,
    requested_campaign,
    selected,
)
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
    """γ of a folder while people annotate, with everybody's drift.

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
        _alarm(None, alarm_below, false_alarms)  # refuses nonsense before the first look
    kept = History(history or folder.resolve().with_name(f"{folder.resolve().name}.watch"))
    measuring = Measuring.of(**settings.options())
    features = settings.weighing.features
    before: object = None
    told: object = None
    while True:
        try:
            campaign = requested_campaign(folder, reading, features=features)
            state = _state(campaign, folder)
            if state != before:
                seen, unread = _look(campaign, features, kept, measuring, computing)
                # What could not be read is tried again, changed or not, but told of once.
                if seen["failures"]:
                    before = None
                else:
                    before = state
                if seen["measured"] or seen["gone"] or told != seen["failures"]:
                    told = seen["failures"]
                    alarm = None
                    if alarm_below is not None:
                        alarm = _alarm(kept, alarm_below, false_alarms)
                    sentence = incomplete_in_words(seen["documents"], unread)
                    # A look that is followed by others is no answer yet.
                    allowed = reading.allow_unread or not once
                    note_unread(unread, sentence, allowed=allowed)
                    _tell({**seen, "alarm": alarm and alarm.as_dict()}, json=json)
                    _check(seen, settings, alarm, once=once)
        except DataError as error:
            if once:
                raise
            message(f"gammacp: {error}; next look in {every:g} s")
        if once:
            return
        time.sleep(every)


def _state(campaign: Campaign, folder: Path) -> object:
    """Return what changes when a file does."""
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

    found = campaign.collect()
    if found.continua:
        found = selected(campaign, found, features)
    continua = by_document(found.continua)
    failures = [each.as_dict() for each in found.unread]
    with computing.pool("measuring") as (executor, _):
        seen = look(continua, failures, history, measuring, executor)
    return {**seen, "left_out": found.left_out}, found.unread


def _tell(seen: dict[str, Any], *, json: bool) -> None:
    if json:
        print_json({**seen, "left_out": left_out_json(seen["left_out"])}, lines=True)
    else:
        _print(seen)
        for line in left_out_lines(seen["left_out"]):
            message(f"gammacp: {line}")
    for failure in seen["failures"]:
        place = ":".join(str(failure[key]) for key in ("file", "line") if failure[key])
        text = f"{place}: {failure['message']}"
        message(f"gammacp: {text}; will be tried again at the next look", error=True)
    sys.stdout.flush()


def _print(seen: dict[str, Any]) -> None:
    value = "no γ yet"
    if seen["gamma"] is not None:
        value = f"γ {number(seen['gamma'])} ({' to '.join(map(number, seen['interval']))})"
    n = seen["documents"]
    changed = first_names([*seen["measured"]], 5)
    when = f"{datetime.fromisoformat(seen['time']).astimezone():%Y-%m-%d %H:%M:%S}"
    line = (
        f"{when}  {value}  {counted(n, 'document')}, {seen['units']} units; "
        f"changed: {changed or 'nothing'}"
        f"{'; gone: ' * bool(seen['gone'])}{', '.join(seen['gone'])}"
    )
    say(line)
    if seen["annotators"]:
        show(Table(_COLUMNS, [{"annotator": n, **a} for n, a in seen["annotators"].items()]))
    for note in seen["notes"]:
        message(note)
    tell_signatures(seen["signature"] or "")
    messages(((why, n) for n, why in seen["waiting"].items()), before="gammacp: no γ yet of ")


def _alarm(history: History | None, below: float, rate: float) -> Alarm:
    import numpy as np

    from gammacp.campaign.alarm import alarm_of

    sums = np.array([*(history.tested_sums() if history else {}).values()], float).reshape(-1, 2)
    return alarm_of(sums[:, 0], sums[:, 1], below, rate)


def _check(last: dict[str, Any], settings: GammaFlags, alarm: Alarm | None, *, once: bool) -> None:
    """The alarm, and with `once` the exit codes."""
    if last["gamma"] is None and once:
        raise DataError("no document has a γ yet")
    if once:
        settings.solving.check_proven(last["status"])
    if alarm is None:
        said = ""
    else:
        said = alarm.in_words(last["gamma"] or 0.0)
    if not (alarm and said):
        return
    if not alarm.raised:
        message(f"gammacp: {said}")
    elif once:
        raise BelowThresholdError(said)
    else:
        message(f"gammacp: ALARM: {said}", error=True)
