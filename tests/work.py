"""Work that is counted, where the time that it takes would depend on the machine."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls(work: Callable[[], object]) -> int:
    """How many functions, compiled ones too, are called by Python code."""
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
    """A clock that goes on by one step each time somebody looks: in place of `time.monotonic`.

    So many looks fit into a time limit; those that come after it are what was too late.
    """

    def __init__(self, step: float) -> None:
        self.step, self.looks = step, 0
        self._lock = threading.Lock()

    def __call__(self) -> float:
        with self._lock:
            self.looks += 1
            return self.looks * self.step
