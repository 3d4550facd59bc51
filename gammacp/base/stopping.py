"""When to stop: deadlines, and Ctrl-C as a wish to stop rather than an exception.

Deadlines are moments of `clock`, which stands still while code is compiled or loaded: a limit is
for what is computed, and a first run gives what a later one gives.

Solvers ask `due` wherever they could end with what they have. Native calls that may take long (LP,
CP-SAT, pricing) run under `watched`, which tells them to halt as soon as it is due: Python's signal
handlers wait while native code runs in the main thread, so such a call runs beside it.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Thread
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

_POLL = 0.05


class _Clock:
    """Seconds as `read` has them, without those in which it was stopped."""

    def __init__(self, read: Callable[[], float]) -> None:
        self._read = read
        self._stops, self._since, self._lost = 0, 0.0, 0.0

    def __call__(self) -> float:
        return (self._since if self._stops else self._read()) - self._lost

    def stop(self) -> None:
        if not self._stops:
            self._since = self._read()
        self._stops += 1

    def resume(self) -> None:
        self._stops -= 1
        if not self._stops:
            self._lost += self._read() - self._since


# What they read is looked up at each call: a benchmark puts the clock of the CPU in its place.
clock = _Clock(lambda: time.monotonic())
cpu_clock = _Clock(lambda: time.process_time())
_stopping = threading.Lock()


@contextmanager
def standstill() -> Iterator[None]:
    """Within, in whatever thread, `clock` and `cpu_clock` stand still."""
    with _stopping:
        clock.stop()
        cpu_clock.stop()
    try:
        yield
    finally:
        with _stopping:
            clock.resume()
            cpu_clock.resume()


told_of_compiling: list[Callable[[], None]] = []
"""Called once each, before code is compiled: somebody may want to know what takes so long."""

_listening = threading.Event()
_interrupted = threading.Event()


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """Within, Ctrl-C makes everything `due`; a second one is a KeyboardInterrupt again.

    Yields the event that tells whether it came. ValueError outside the main thread.
    """

    def interrupt(number: int, frame: Any) -> None:  # noqa: ARG001
        if _interrupted.is_set():
            raise KeyboardInterrupt
        _interrupted.set()

    _interrupted.clear()
    before = signal.signal(signal.SIGINT, interrupt)
    _listening.set()
    try:
        yield _interrupted
    finally:
        signal.signal(signal.SIGINT, before)
        _listening.clear()


def due(deadline: float = np.inf) -> bool:
    """Whether to end with the best so far: past the deadline (of `clock`) or Ctrl-C."""
    return (_listening.is_set() and _interrupted.is_set()) or clock() > deadline


def watched(call: Callable[[], T], halt: Callable[[], object], deadline: float = np.inf) -> T:
    """What `call` returns; `halt`, which may be called repeatedly, makes it return once due."""
    if not _listening.is_set() and deadline == np.inf:
        return call()
    with ThreadPoolExecutor(1) as beside:
        running = beside.submit(call)
        try:
            while not wait([running], timeout=_POLL).done:
                if due(deadline):
                    halt()
        finally:
            if not running.done():
                halt()
        return running.result()


def halting(
    call: Callable[[NDArray[np.bool_]], T], deadline: float = np.inf, *, quick: bool = False
) -> T:
    """`watched` for a kernel that stops soon after the flag it gets is set.

    `quick` ones, of milliseconds, are left to end by themselves.
    """
    halted = np.zeros(1, np.bool_)
    if quick:
        return call(halted)
    return watched(lambda: call(halted), lambda: halted.fill(True), deadline)


def abandoned(call: Callable[[], T], deadline: float = np.inf) -> T | None:
    """What `call` returns, or None once due: a call that cannot be halted is left running.

    Only for calls that come to an end by themselves before long. Exceptions are passed on.
    """
    if not _listening.is_set() and deadline == np.inf:
        return call()
    running: Future[T] = Future()

    def run() -> None:
        try:
            running.set_result(call())
        except BaseException as error:  # whoever waits gets it
            running.set_exception(error)

    Thread(target=run, daemon=True).start()
    while not wait([running], timeout=_POLL).done:
        if due(deadline):
            return None
    return running.result()
