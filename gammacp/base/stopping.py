"""Stopping rules: deadlines, budgets of work, and Ctrl-C as a wish to stop, not an exception.

Deadlines are moments of `clock`, which stands still while code is compiled or loaded: a limit is
for what is computed, and a first run gives what a later one gives. They serve time limits alone.
Whatever else ends because it takes too long has a `budget` of steps. Steps are counted and not
timed, so a computation without a time limit ends at the same point on any machine, however busy.

Solvers ask `due` wherever they could end with what they have. Native calls that may take long (LP,
CP-SAT, pricing) run under `watched`, which tells them to halt as soon as it is due: Python's signal
handlers wait while native code runs in the main thread, so such a call runs beside it. Kernels run
under `halting`: they count their steps on a meter, and stop by themselves at the end of the budget.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Thread
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

_POLL = 0.05

# Cells of a meter, the array on which a kernel counts: whether it is halted from outside, the steps
# it has taken, those it may take at most, and the nodes of search trees it has looked at.
HALTED, STEPS, MOST, NODES = range(4)
Meter: TypeAlias = NDArray[np.int64]

# Steps that take very roughly a second of one core.
GIGA = 10**9
UNLIMITED = 2**62


class WorkRecord:
    """Steps taken so far, and what is worth telling about them.

    Attributes
    ----------
    steps
        Elementary operations, about as many as a core makes in a nanosecond each.
    nodes
        States of search trees that were looked at.
    rounds
        Number of times that prices, columns or a relaxation were found anew.
    most
        Number of steps at which the innermost budget ends.
    facts
        Facts that solvers `note` by name, the last word on each.
    """

    def __init__(self) -> None:
        """Start with no steps taken and no budget."""
        self.steps = 0
        self.nodes = 0
        self.rounds = 0
        self.most = UNLIMITED
        self.facts: dict[str, Any] = {}

    @property
    def steps_left(self) -> int:
        """Number of steps that the budget still has."""
        if self.most == UNLIMITED:
            return UNLIMITED
        return max(self.most - self.steps, 0)


_work: ContextVar[WorkRecord] = ContextVar("work")


def current_work() -> WorkRecord:
    """Return the `WorkRecord` that counts the steps of this thread."""
    try:
        return _work.get()
    except LookupError:
        work = WorkRecord()
        _work.set(work)
        return work


def spend(steps: float) -> None:
    """Count steps that were taken outside of kernels."""
    current_work().steps += int(steps)


def note(**facts: Any) -> None:
    """Record a fact about how a problem was solved."""
    current_work().facts.update(facts)


@contextmanager
def counting() -> Iterator[WorkRecord]:
    """Count the steps of this block separately; add them to the outer count when it ends."""
    outer = current_work()
    inner_work = WorkRecord()
    inner_work.most = outer.steps_left
    token = _work.set(inner_work)
    try:
        yield inner_work
    finally:
        _work.reset(token)
        outer.steps += inner_work.steps
        outer.nodes += inner_work.nodes
        outer.rounds += inner_work.rounds


@contextmanager
def budget(steps: float | None, *, beyond: bool = False) -> Iterator[WorkRecord]:
    """Make everything in this block `due` after so many more steps; None for no limit.

    A budget around this one counts as well, unless the steps may go `beyond` it.
    """
    work = current_work()
    outer = work.most
    if steps is not None:
        end = work.steps + int(steps)
        if beyond:
            work.most = end
        else:
            work.most = min(outer, end)
    try:
        yield work
    finally:
        work.most = outer


class _Clock:
    """A clock that shows the seconds of `read`, except those during which it was stopped."""

    def __init__(self, read: Callable[[], float]) -> None:
        self._read = read
        self._stops = 0
        self._since = 0.0
        self._lost = 0.0

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


# What it reads is looked up at each call: a benchmark puts the clock of the CPU in its place.
clock = _Clock(lambda: time.monotonic())
_stopping = threading.Lock()


@contextmanager
def standstill() -> Iterator[None]:
    """Stop `clock` during this block, in every thread."""
    with _stopping:
        clock.stop()
    try:
        yield
    finally:
        with _stopping:
            clock.resume()


compile_listeners: list[Callable[[], None]] = []
"""Functions to call once before code is compiled, to tell users what takes long."""

_listening = threading.Event()
_interrupted = threading.Event()


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """Let Ctrl-C make everything `due` in this block; a second one is a KeyboardInterrupt again.

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


def was_interrupted() -> bool:
    """Return whether Ctrl-C came in the block of `interruptible` that is running."""
    return _listening.is_set() and _interrupted.is_set()


def due(deadline: float = np.inf) -> bool:
    """Tell whether to end with the best so far: Ctrl-C, no budget left, or past the deadline.

    The deadline is one of `clock`, which is not even read where there is none.
    """
    if was_interrupted():
        return True
    work = current_work()
    return work.steps >= work.most or (deadline < np.inf and clock() > deadline)


def watched(call: Callable[[], T], halt: Callable[[], object], deadline: float = np.inf) -> T:
    """Return the result of `call`; `halt`, which may be called again, ends it once it is due."""
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


def new_meter(most: int = UNLIMITED) -> Meter:
    """Return a meter on which a kernel may count that many steps."""
    return np.array([0, 0, most, 0], np.int64)


def halting(call: Callable[[Meter], T], deadline: float = np.inf, *, quick: bool = False) -> T:
    """Run a kernel `watched`, with a meter that ends it when due or where the budget ends.

    `quick` ones, of milliseconds, are left to end by themselves. What the kernel has counted is
    added to the work of this thread.
    """
    work = current_work()
    meter = new_meter(work.steps_left)
    if quick:
        result = call(meter)
    else:
        result = watched(lambda: call(meter), lambda: meter.put(HALTED, 1), deadline)
    work.steps += int(meter[STEPS])
    work.nodes += int(meter[NODES])
    return result


def abandoned(call: Callable[[], T], deadline: float = np.inf) -> T | None:
    """Return the result of `call`, or None once it is due: a call that cannot be halted goes on.

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
