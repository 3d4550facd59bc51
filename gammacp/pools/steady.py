"""Work that goes on when a worker dies: tasks in order, few of them under way at a time."""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from gammacp.base.stopping import due
from gammacp.pools.opening import Pool, PoolError

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
RETRIES = 2
"""How often a task whose worker died is tried again."""
_WAKE = 0.2
_WAITING = 2  # tasks per worker: one that ends a task finds the next one there


@dataclass
class _Underway:
    """A task that was handed out; its future is None where it is computed here."""

    call: Callable[[], list[Any]]
    future: Future[list[Any]] | None = None
    deaths: int = 0


class Steady(Executor):
    """An executor whose `map` outlives its workers, and a cluster that goes away.

    A task whose worker died is tried again twice. What a lost cluster has not answered is computed
    in this process, and a warning says so. At Ctrl-C (`gammacp.base.stopping.interruptible`) `map`
    ends with what is done.

    Parameters
    ----------
    pool
        Pool that runs the tasks.
    """

    def __init__(self, pool: Pool) -> None:
        """Wrap a pool; no task is handed out yet."""
        self._pool: Pool | None = pool
        self._executor = pool.executor

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Hand out one task, as the pool's own executor does; nothing tries it again."""
        return self._executor.submit(fn, *args, **kwargs)

    def map(
        self, fn: Callable[..., T], *iterables: Iterable[Any], chunksize: int = 1, **_: Any
    ) -> Iterator[T]:
        """`fn` of each, in order; so many of them are a task.

        Raises
        ------
        PoolError
            Workers died at a task three times.
        """
        calls = zip(*iterables, strict=False)
        underway: deque[_Underway] = deque()
        while not due():
            while len(underway) < _WAITING * self._width():
                chunk = list(islice(calls, chunksize))
                if not chunk:
                    break
                underway.append(_Underway(partial(_each, fn, chunk)))
                self._hand_out(underway[-1])
            if not underway:
                return
            first = underway[0]
            if first.future is not None and not wait([first.future], timeout=_WAKE).done:
                if self._pool is None:
                    first.future = None
                continue
            found = self._answer(first)
            if found is not None:
                underway.popleft()
                yield from found
        for task in underway:
            if task.future is not None:
                task.future.cancel()

    def _width(self) -> int:
        """Return how many tasks run at once; give up a pool that is lost."""
        if self._pool is None:
            return 1
        try:
            return max(1, self._pool.width())
        except PoolError as error:
            _LOG.warning("%s: what is left is computed in this process", error.message)
            self._pool = None
            return 1

    def _hand_out(self, task: _Underway) -> None:
        task.future = None
        if self._pool is not None:
            task.future = self._executor.submit(task.call)

    def _answer(self, task: _Underway) -> list[Any] | None:
        """Return the results of a task that ended; None if it was handed out again."""
        if task.future is None:
            return task.call()
        try:
            return task.future.result()
        except (BrokenExecutor, CancelledError) as error:
            # A scheduler that is gone cancels what it had: the next look at the pool tells.
            lost = isinstance(error, CancelledError) and self._width() and self._pool is None
            if lost:
                task.deaths += 0
            else:
                task.deaths += 1
            if task.deaths > RETRIES:
                raise PoolError(
                    f"workers died {task.deaths} times at the same documents ({error}); give them "
                    "more memory, or leave those documents out"
                ) from None
            self._hand_out(task)
            return None
        except Exception as error:
            if self._pool is not None and self._pool.gave_up(error):
                raise PoolError(
                    f"workers died again and again at the same documents ({error})"
                ) from None
            raise


def _each(fn: Callable[..., T], calls: Iterable[tuple[Any, ...]]) -> list[T]:
    """Call a function on a worker with each of several arguments."""
    return [fn(*arguments) for arguments in calls]
