"""Progress of long computations on stderr: a live line, or occasional lines in a log."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from threading import Timer
from typing import TYPE_CHECKING

from gammacp.base.text import visible
from gammacp.cli import output

if TYPE_CHECKING:
    from rich.progress import Progress

SILENT = 1.0  # seconds before anything is shown
LOG_EVERY = {-1: math.inf, 0: 30.0, 1: 1.0}  # seconds between lines in a log, by verbosity
_WINDOW = 60.0  # seconds over which the rate is averaged: the start is slow, and sets differ


class Counter:
    """Counter that shows progress towards a total, and the bounds of the current alignment."""

    def __init__(self, what: str) -> None:
        """Set up a counter; `what` names the activity or the things counted."""
        self.what = what
        self.terminal = sys.stderr.isatty() and output.verbosity >= 0
        if output.verbosity > 0:
            self.silent = 0.0
        else:
            self.silent = SILENT
        self.began = self.printed = time.monotonic()
        self.timer = Timer(self.silent, lambda: self.bar.start())
        self.timer.daemon = True
        if self.terminal:
            self.timer.start()

    @cached_property
    def bar(self) -> Progress:
        """Return the live line; without a terminal it only estimates the rate."""
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            TimeElapsedColumn(),
            console=Console(file=sys.stderr),
            transient=True,
            speed_estimate_period=_WINDOW,
            get_time=lambda: time.monotonic(),
            disable=not self.terminal,
        )
        bar.add_task(self.what, total=None)
        return bar

    def __call__(self, done: int, total: int) -> None:
        """Report that `done` of `total` are finished."""
        if time.monotonic() - self.began < self.silent:
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
        self._show(f"{done} of {total} {self.what}{rate}{remaining_time}")

    def tell_bounds(self, objective: float, bound: float) -> None:
        """Report the disorder `objective` of the current alignment and its lower `bound`.

        `gammacp.alignment.reporting` calls it.
        """
        took = time.monotonic() - self.began
        if took >= self.silent:
            if objective > 0:
                share = max(bound / objective, 0.0)
            else:
                share = 1.0
            gap = f"the bound is {share:.2%} of the disorder found, gap {1 - share:.2%}"
            self._show(f"aligning, {_duration(took)}: {gap}")

    def tell(self, what: str) -> None:
        """Show the current activity `what`, once the command takes longer than a moment."""
        if time.monotonic() - self.began >= self.silent:
            self._show(what)

    def tell_compiling(self) -> None:
        """Report that code is being compiled, which takes longer this time."""
        self._show("compiling for this machine, the first time only: up to 20 s of processor time")

    def _show(self, line: str) -> None:
        line = visible(line)
        now = time.monotonic()
        if self.terminal:
            self.bar.update(self.bar.tasks[0].id, description=line)
        elif now - self.printed >= LOG_EVERY[output.verbosity]:
            self.printed = now
            print(line, file=sys.stderr)

    def close(self) -> None:
        """Stop the live line and clear it."""
        if self.timer.ident is not None:
            self.timer.cancel()
            self.timer.join()
            self.bar.stop()


@contextmanager
def progress(what: str) -> Iterator[Counter]:
    """Yield a counter of `what`, which also reports long alignments; clear its line at the end."""
    from gammacp.alignment.reporting import listening
    from gammacp.base.stopping import told_of_compiling

    counter = Counter(what)
    told_of_compiling.append(counter.tell_compiling)
    try:
        with listening(counter.tell_bounds):
            yield counter
    finally:
        counter.close()
        told_of_compiling.clear()


def _duration(seconds: float) -> str:
    """Return seconds as hours, minutes and seconds.

    >>> _duration(3725)
    '1:02:05'
    >>> _duration(65)
    '1:05'
    """
    whole = round(seconds)
    hours = whole // 3600
    minutes = whole // 60 % 60
    if hours:
        return f"{hours}:{minutes:02}:{whole % 60:02}"
    return f"{minutes}:{whole % 60:02}"
