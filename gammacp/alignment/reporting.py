"""How far a solver is: what its alignment costs at most and at least, told to whoever listens."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Listener: TypeAlias = Callable[[float, float], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Within, the listener is told objective and bound of the alignment at hand, now and then.

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


def tell(objective: float, bound: float) -> None:
    """Tell whoever listens; nothing otherwise."""
    listener = _listener.get()
    if listener is not None:
        listener(objective, bound)
