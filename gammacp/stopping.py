"""When to stop: deadlines, and Ctrl-C as a wish to stop rather than an exception.

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
    """Whether to end with the best so far: past the deadline (monotonic seconds) or Ctrl-C."""
    return (_listening.is_set() and _interrupted.is_set()) or time.monotonic() > deadline


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
    """`watched` for a kernel that ends soon once the flag that it is handed is set.

    `quick` ones, of milliseconds, are left to end by themselves.
    """
    halted = np.zeros(1, np.bool_)
    if quick:
        return call(halted)
    return watched(lambda: call(halted), lambda: halted.fill(True), deadline)


def abandoned(call: Callable[[], T], deadline: float = np.inf) -> T | None:
    """What `call` returns; None once due, for a call that nothing halts: it is left to itself.

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
