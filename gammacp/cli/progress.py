"""Progress of long computations on stderr: a live line, or occasional lines in a log."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Timer
from typing import TYPE_CHECKING

from gammacp.base.text import visible
from gammacp.cli import output

if TYPE_CHECKING:
    from rich.progress import Progress

SECONDS_BEFORE_SHOWN = 1.0
# Seconds between lines in a log, by verbosity: with --quiet, by default, with --verbose.
LOG_EVERY = {-1: math.inf, 0: 30.0, 1: 1.0}
# Seconds over which the rate is averaged. Compilation slows the start, and items differ in time.
_WINDOW = 60.0


class ProgressLine:
    """Line that shows progress towards a total, and the bounds of the current alignment."""

    def __init__(self, label: str) -> None:
        """Set up a line; `label` names the activity, or the things that are counted."""
        self.label = label
        self.terminal = sys.stderr.isatty() and output.verbosity >= 0
        if output.verbosity > 0:
            self.delay = 0.0
        else:
            self.delay = SECONDS_BEFORE_SHOWN
        self.start = time.monotonic()
        self.last_printed = self.start
        self._bar: Progress | None = None
        self._bar_lock = Lock()
        # `bar` is made when the timer runs out, since importing rich takes time.
        self.timer = Timer(self.delay, lambda: self.bar.start())
        self.timer.daemon = True
        if self.terminal:
            self.timer.start()

    @property
    def bar(self) -> Progress:
        """Live line on a terminal; elsewhere it only estimates the rate.

        The timer's thread and the caller get the same one.
        """
        with self._bar_lock:
            if self._bar is None:
                self._bar = self.make_bar()
            return self._bar

    def make_bar(self) -> Progress:
        """Make the bar with its one task."""
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            TimeElapsedColumn(),
            console=Console(file=sys.stderr),
            transient=True,
            speed_estimate_period=_WINDOW,
            get_time=time.monotonic,
            disable=not self.terminal,
        )
        bar.add_task(self.label, total=None)
        return bar

    def __call__(self, done: int, total: int) -> None:
        """Report that `done` of `total` are finished."""
        if time.monotonic() - self.start < self.delay:
            return
        task = self.bar.tasks[0]
        self.bar.update(task.id, completed=done, total=total)
        remaining = task.time_remaining
        if task.speed:
            rate = f", {task.speed:.1f}/s"
        else:
            rate = ""
        if remaining is not None and done < total:
            remaining_time = f", {_duration(remaining)} left"
        else:
            remaining_time = ""
        self._show(f"{done} of {total} {self.label}{rate}{remaining_time}")

    def tell_bounds(self, objective: float, bound: float) -> None:
        """Report the disorder `objective` of the current alignment and its lower `bound`.

        `gammacp.alignment.reporting` calls it.
        """
        took = time.monotonic() - self.start
        if took >= self.delay:
            if objective > 0:
                share = max(bound / objective, 0.0)
            else:
                share = 1.0
            gap = f"the bound is {share:.2%} of the disorder found, gap {1 - share:.2%}"
            self._show(f"aligning, {_duration(took)}: {gap}")

    def tell(self, activity: str) -> None:
        """Show the current activity, once the command takes longer than a moment."""
        if time.monotonic() - self.start >= self.delay:
            self._show(activity)

    def tell_compiling(self) -> None:
        """Report that code is being compiled, also within the first second."""
        self._show("compiling for this machine, the first time only: up to 20 s of processor time")

    def _show(self, line: str) -> None:
        line = visible(line)
        now = time.monotonic()
        if self.terminal:
            self.bar.update(self.bar.tasks[0].id, description=line)
        elif now - self.last_printed >= LOG_EVERY[output.verbosity]:
            self.last_printed = now
            print(line, file=sys.stderr)

    def close(self) -> None:
        """Stop the live line and clear it."""
        # The timer has an identifier if it was started.
        if self.timer.ident is not None:
            self.timer.cancel()
            self.timer.join()
            self.bar.stop()


@contextmanager
def progress(label: str) -> Iterator[ProgressLine]:
    """Yield a progress line, which also reports long alignments; clear it at the end."""
    from gammacp.alignment.reporting import listening
    from gammacp.base.stopping import compile_listeners

    line = ProgressLine(label)
    compile_listeners.append(line.tell_compiling)
    try:
        with listening(line.tell_bounds):
            yield line
    finally:
        line.close()
        # It is gone if code was compiled.
        with suppress(ValueError):
            compile_listeners.remove(line.tell_compiling)


def _duration(seconds: float) -> str:
    """Return seconds as hours, minutes and seconds.

    >>> _duration(3725)
    '1:02:05'
    >>> _duration(65)
    '1:05'
    """
    full_seconds = round(seconds)
    hours = full_seconds // 3600
    minutes = full_seconds // 60 % 60
    if hours:
        return f"{hours}:{minutes:02}:{full_seconds % 60:02}"
    return f"{minutes}:{full_seconds % 60:02}"
