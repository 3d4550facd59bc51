"""Progress of a solver: the cost of its alignment and its bound, told to whoever listens."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeAlias

from gammacp.base.stopping import current_work

Listener: TypeAlias = Callable[[float, float], None]


class TracePoint(NamedTuple):
    """Steps so far, and disorder and bound that they have come to."""

    work: int
    best: float
    bound: float


_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_trace: ContextVar[list[TracePoint] | None] = ContextVar("trace", default=None)
_unit: ContextVar[float] = ContextVar("unit", default=1.0)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell a listener objective and bound of the alignment at hand, now and then, until it ends.

    Parameters
    ----------
    listener
        Called with the cost of the best alignment so far and the bound that is proven, in the
        unit of `Solution.objective`. It should return soon. Worker processes tell it nothing.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def tracing() -> Iterator[list[TracePoint]]:
    """Yield a list to which the anytime curve of alignments within is added, point by point."""
    points: list[TracePoint] = []
    token = _trace.set(points)
    try:
        yield points
    finally:
        _trace.reset(token)


@contextmanager
def disorder_unit(unit: float) -> Iterator[None]:
    """Say what disorder a cost of 1 is within, for whoever traces."""
    token = _unit.set(unit)
    try:
        yield
    finally:
        _unit.reset(token)


def tell(objective: float, bound: float) -> None:
    """Tell whoever listens; nothing otherwise."""
    listener = _listener.get()
    if listener is not None:
        listener(objective, bound)
    trace = _trace.get()
    if trace is not None:
        unit = _unit.get()
        bound = min(max(bound, 0.0), objective)
        trace.append(TracePoint(current_work().steps, objective * unit, bound * unit))
