"""Progress of a solver: listeners are told the cost of the best alignment so far and the bound."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeAlias

from gammacp.base.stopping import current_work

Listener: TypeAlias = Callable[[float, float], None]


class TracePoint(NamedTuple):
    """Number of steps so far, with the disorder and the bound that were reached."""

    work: int
    best: float
    bound: float


_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_trace: ContextVar[list[TracePoint] | None] = ContextVar("trace", default=None)
_unit: ContextVar[float] = ContextVar("unit", default=1.0)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call a listener from time to time while solvers run in this block.

    Parameters
    ----------
    listener
        Function of two numbers: the cost of the best alignment so far and the proven bound, in the
        unit of `Solution.objective`. It should return soon. It is not called from worker
        processes.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def tracing() -> Iterator[list[TracePoint]]:
    """Yield a list that collects a `TracePoint` for each progress report in this block."""
    points: list[TracePoint] = []
    token = _trace.set(points)
    try:
        yield points
    finally:
        _trace.reset(token)


@contextmanager
def disorder_unit(unit: float) -> Iterator[None]:
    """Set the disorder that a cost of 1 stands for in this block; traces are in disorder."""
    token = _unit.set(unit)
    try:
        yield
    finally:
        _unit.reset(token)


def report_bounds(objective: float, bound: float) -> None:
    """Report a cost (`objective`) and a bound to the listener and the trace, if there are any."""
    listener = _listener.get()
    if listener is not None:
        listener(objective, bound)
    trace = _trace.get()
    if trace is not None:
        unit = _unit.get()
        bound = min(max(bound, 0.0), objective)
        trace.append(TracePoint(current_work().steps, objective * unit, bound * unit))
