"""A line on stderr that counts: done, rate, time left."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

_TERMINAL_EVERY = 0.2  # seconds between updates of a terminal's line
_LOG_EVERY = 30.0  # seconds between lines in a log
_WINDOW = 60.0  # seconds over which the rate is taken: the start is slow, sets differ


class Counter:
    """Counts towards a total; a line that is rewritten on a terminal, now and then one in a log.

    Nothing is printed in the first second.
    """

    def __init__(self, what: str) -> None:
        """`what` is counted ("cells")."""
        self.what = what
        self.terminal = sys.stderr.isatty()
        self.began = time.monotonic()
        self.printed = 0.0 if self.terminal else self.began
        self.width = 0
        self.past: deque[tuple[float, int]] = deque()

    def __call__(self, done: int, total: int) -> None:
        """`done` of `total`."""
        now = time.monotonic()
        self.past.append((now, done))
        while now - self.past[0][0] > _WINDOW and len(self.past) > 2:
            self.past.popleft()
        every = _TERMINAL_EVERY if self.terminal else _LOG_EVERY
        if now - self.began < 1 or now - self.printed < every:
            return
        self.printed = now
        then, before = self.past[0]
        rate = (done - before) / (now - then) if now > then else 0.0
        left = _duration((total - done) / rate) if rate > 0 else "?"
        self._show(f"{done} of {total} {self.what}, {rate:.1f}/s, {left} left")

    def told(self, objective: float, bound: float) -> None:
        """How far the alignment at hand is (`gammacp.alignment.reporting`)."""
        now = time.monotonic()
        every = _TERMINAL_EVERY if self.terminal else _LOG_EVERY
        if now - self.began < 1 or now - self.printed < every:
            return
        self.printed = now
        share = bound / objective if objective > 0 else 1.0
        gap = f"the bound is {share:.2%} of the disorder found"
        self._show(f"aligning, {_duration(now - self.began)}: {gap}, gap {1 - share:.2%}")

    def _show(self, line: str) -> None:
        if self.terminal:
            sys.stderr.write("\r" + line.ljust(self.width))
            sys.stderr.flush()
            self.width = len(line)
        else:
            print(line, file=sys.stderr)

    def close(self) -> None:
        """Clear the line."""
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()
            self.width = 0


@contextmanager
def counting(what: str) -> Iterator[Counter]:
    """A counter whose line is cleared in the end; it is told of alignments that take long."""
    from gammacp.alignment.reporting import listening

    counter = Counter(what)
    try:
        with listening(counter.told):
            yield counter
    finally:
        counter.close()


def _duration(seconds: float) -> str:
    """
    >>> _duration(3725)
    '1:02:05'
    >>> _duration(65)
    '1:05'
    """
    whole = round(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
