"""Time limits for code under test."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooLongError(BaseException):
    """Error of a reader that takes too much time; as a BaseException, nothing in the reader catches
    it.
    """


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise `TooLongError` if the block takes more processor time, or waits 60 times as long."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise TooLongError(f"more than {seconds:g} s")

    kinds = {signal.ITIMER_PROF: signal.SIGPROF, signal.ITIMER_REAL: signal.SIGALRM}
    before = {number: signal.signal(number, end) for number in kinds.values()}
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 60 * seconds)
    try:
        yield
    finally:
        for timer in kinds:
            signal.setitimer(timer, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
