"""Counting of work in tests, where its time would depend on the machine."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls(work: Callable[[], object]) -> int:
    """Return the number of functions called by Python code, including compiled ones."""
    number = 0

    def count(frame: FrameType, event: str, _: Any) -> None:  # noqa: ARG001
        nonlocal number
        number += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return number


class LookedAtClock:
    """A clock that advances by one step at each reading, to replace `time.monotonic`.

    A time limit then allows a fixed number of readings.
    """

    def __init__(self, step: float) -> None:
        self.step, self.looks = step, 0
        self._lock = threading.Lock()

    def __call__(self) -> float:
        with self._lock:
            self.looks += 1
            return self.looks * self.step
