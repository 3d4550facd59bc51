"""An executor that continues when a worker dies: it keeps tasks in order, few of them under way."""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from gammacp.base.stopping import due
from gammacp.pools.opening import PoolError, WorkerPool

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
RETRIES = 2
"""How often a task whose worker died is tried again."""
_WAKE = 0.2
_WAITING = 2  # tasks per worker, so that the next one is there when a task ends


@dataclass
class _Underway:
    """A task that was handed out; its future is None if it is computed in this process."""

    call: Callable[[], list[Any]]
    future: Future[list[Any]] | None = None
    deaths: int = 0


class Steady(Executor):
    """Executor whose `map` survives the death of workers and the loss of a cluster.

    A task whose worker died is tried twice more. If a cluster is lost, its unanswered tasks are
    computed in this process, and a warning says so. At Ctrl-C
    (`gammacp.base.stopping.interruptible`) `map` ends after the results so far.

    Parameters
    ----------
    pool
        Pool that runs the tasks.
    """

    def __init__(self, pool: WorkerPool) -> None:
        """Wrap a pool; no task is handed out yet."""
        self._pool: WorkerPool | None = pool
        self._executor = pool.executor

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Submit one task to the pool's own executor; it is not tried again."""
        return self._executor.submit(fn, *args, **kwargs)

    def map(
        self, fn: Callable[..., T], *iterables: Iterable[Any], chunksize: int = 1, **_: Any
    ) -> Iterator[T]:
        """Yield the results of `fn` in order; `chunksize` calls are one task.

        Raises
        ------
        PoolError
            Workers died three times while they ran the same task.
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
            answer = self._answer(first)
            if answer is not None:
                underway.popleft()
                yield from answer
        for task in underway:
            if task.future is not None:
                task.future.cancel()

    def _width(self) -> int:
        """Return how many tasks run at once; if the pool is lost, drop it and warn."""
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
        """Return the results of a task that ended, or None if it was handed out again."""
        if task.future is None:
            return task.call()
        try:
            return task.future.result()
        except (BrokenExecutor, CancelledError) as error:
            # A lost scheduler cancels its tasks. Asking for the width tells whether the pool is
            # lost.
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
    """Call a function on a worker, once for each tuple of arguments."""
    return [fn(*arguments) for arguments in calls]
