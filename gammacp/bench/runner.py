"""Running of sweeps: an executor computes the cells missing in a store, and they are kept."""

import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from queue import Empty, SimpleQueue
from types import FrameType
from typing import TypeAlias

from gammacp.base.software import software
from gammacp.bench.store import Store, StoredSweep
from gammacp.bench.sweep import Cell, Sweep, SweepTask
from gammacp.bench.work import check, compute_on_worker, own_modules
from gammacp.errors import GammacpError, UsageError
from gammacp.pools import PoolError, WorkerPool

CHUNK_SECONDS = 1.0  # long against the executor's overhead, short against a person's patience
LARGEST_CHUNK = 500
RETRIES = 2
HOPELESS = 20  # failures without any success after which a sweep is given up
_WAKE = 0.2

Progress: TypeAlias = Callable[[int, int], None]  # cells done (also earlier), cells in all


class SweepError(GammacpError):
    """Error that ends a sweep; cells computed so far are kept."""


@dataclass(frozen=True, slots=True)
class TaskFailure:
    """A task that could not be computed, with the reason."""

    task: SweepTask
    why: str


@dataclass(slots=True)
class Outcome:
    """Outcome of a run.

    Attributes
    ----------
    reused, computed
        Cells that were there, and cells that were added (a measure per category counts once).
    limited
        Number of added cells whose solver stopped at a limit (status `feasible`).
    failures
        Tasks that could not be computed; running the sweep again tries them again.
    interrupted
        Whether a signal stopped the run.
    notes
        Errors that cannot be made as often as they are asked for, at the highest magnitude.
    """

    reused: int = 0
    computed: int = 0
    limited: int = 0
    failures: list[TaskFailure] = field(default_factory=list)
    interrupted: bool = False
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Chunk:
    tasks: tuple[SweepTask, ...]
    deaths: int = 0


def run(
    sweep: Sweep,
    store: Store,
    pool: WorkerPool,
    *,
    resume: bool = True,
    mixed: bool = False,
    progress: Progress | None = None,
    failed: Callable[[TaskFailure], None] | None = None,
) -> Outcome:
    """Compute what the store lacks of a sweep.

    Without `resume`, cells of the sweep in the store are dropped. With `mixed`, existing cells may
    come from other software, and the store records that.

    `progress` is told after every commit, `failed` of every task that could not be computed, as
    soon as that is known.

    Every finished chunk is committed at once. SIGINT and SIGTERM stop the run: chunks that are
    finished are kept, those in flight are given up.

    Parameters
    ----------
    sweep
        Sweep that is to be computed.
    store
        Open for writing; one process writes at a time.
    pool
        Pool of worker processes (`gammacp.pools.open_pool`); every pool gives the same bits.

    Raises
    ------
    UsageError
        The store has the experiment under another configuration, or from other software
        (`OtherSoftware`); a measure or option is unknown.
    SweepError
        The executor is broken for good, or nothing at all succeeds.
    PoolError
        A worker runs other software, or the cluster is gone.
    StoreError
        The store cannot be written.
    """
    notes = check(sweep)
    experiment = store.begin(sweep, resume=resume)
    run = _Run(sweep, store, experiment, pool, mixed, progress, failed)
    with _stopped_by_signals() as stopped:
        run.drive(stopped)
    run.outcome.notes = notes
    return run.outcome


@dataclass
class _Run:
    """One run's state: what is in flight, what failed, what a task costs."""

    sweep: Sweep
    store: Store
    experiment: StoredSweep
    pool: WorkerPool
    mixed: bool
    progress: Progress | None
    failed: Callable[[TaskFailure], None] | None
    again: deque[_Chunk] = field(default_factory=deque)
    in_flight: dict[Future[tuple[Cell, ...]], _Chunk] = field(default_factory=dict)
    finished: SimpleQueue[Future[tuple[Cell, ...]]] = field(default_factory=SimpleQueue)
    cost: float | None = None

    def __post_init__(self) -> None:
        self.pending: Iterator[SweepTask] = iter(())
        self.outcome = Outcome(reused=self.store.count(self.experiment, self.sweep))
        self.modules = own_modules(self.sweep)
        self.software = software(self.modules)
        executor = type(self.pool.executor).__name__
        self.number = self.store.begin_run(
            self.experiment, executor, self.software, mixed=self.mixed
        )
        self.began = time.monotonic()

    def drive(self, stopped: Callable[[], bool]) -> None:
        self._report()
        # In a large store it takes a while to find the first task that is left.
        self.pending = takewhile(lambda _: not stopped(), self._tasks_left())
        while not stopped():
            self._submit()
            if not self.in_flight:
                break
            self._keep(self._take_finished())
        self.outcome.interrupted = stopped()
        self._keep(_drain(self.finished))

    def _tasks_left(self) -> Iterator[SweepTask]:
        """Yield the tasks that are left, each with the measures that the store lacks."""
        if self.outcome.reused == self.sweep.n_cells:
            return
        for task in self.sweep.tasks():
            done = self.store.measures_done(self.experiment, task) if self.outcome.reused else ()
            yield replace(task, measures=tuple(m for m in task.measures if m not in done))

    def _submit(self) -> None:
        width = max(1, self.pool.width())
        # Keep twice as many chunks in flight as there are workers, so that the next one is waiting.
        while len(self.in_flight) < 2 * width:
            chunk = self._next(width)
            if chunk is None:
                return
            try:
                future = self.pool.executor.submit(
                    compute_on_worker, self.software, self.modules, self.sweep, chunk.tasks
                )
            except (BrokenExecutor, RuntimeError) as error:
                raise SweepError(f"executor is broken ({error}); cells so far are kept") from None
            self.in_flight[future] = chunk
            future.add_done_callback(self.finished.put)

    def _next(self, width: int) -> _Chunk | None:
        if self.again:
            return self.again.popleft()
        open_tasks = (task for task in self.pending if task.measures)
        tasks = tuple(islice(open_tasks, self._size(width)))
        if tasks:
            return _Chunk(tasks)
        return None

    def _size(self, width: int) -> int:
        if self.cost is None:
            return 1
        done = self.outcome.reused + self.outcome.computed
        open_cells = (self.sweep.n_cells - done) / len(self.sweep.measures)
        # Shrink chunks towards the end, so that all workers finish at about the same time.
        fair = open_cells / (3 * width)
        return int(max(1, min(CHUNK_SECONDS / max(self.cost, 1e-6), fair, LARGEST_CHUNK)))

    def _take_finished(self) -> list[Future[tuple[Cell, ...]]]:
        with suppress(Empty):
            return [self.finished.get(timeout=_WAKE), *_drain(self.finished)]
        return []

    def _keep(self, futures: Iterable[Future[tuple[Cell, ...]]]) -> None:
        cells: list[Cell] = []
        for future in futures:
            chunk = self.in_flight.pop(future)
            if future.cancelled():
                error = None
            else:
                error = future.exception()
            if future.cancelled():
                self._death(chunk, "the executor cancelled it")
            elif error is None:
                self._measure_cost(chunk, future.result())
                cells += future.result()
            else:
                self._sort_out(chunk, error)
        if cells:
            seconds = time.monotonic() - self.began
            self.store.add(self.experiment, cells, run=self.number, seconds=seconds)
            names = frozenset(self.sweep.measures)
            self.outcome.computed += sum(c.measure in names for c in cells)
            self.outcome.limited += sum(c.status == "feasible" for c in cells)
            self._report()
        self._check_hope()

    def _measure_cost(self, chunk: _Chunk, cells: tuple[Cell, ...]) -> None:
        cost = sum(c.seconds for c in cells) / len(chunk.tasks)
        # A worker's first task pays for imports and compilation: forget it quickly.
        if self.cost is None:
            self.cost = cost
        else:
            self.cost = 0.5 * self.cost + 0.5 * cost

    def _sort_out(self, chunk: _Chunk, error: BaseException) -> None:
        if isinstance(error, (UsageError, SweepError, PoolError)):
            raise error
        if isinstance(error, BrokenExecutor):
            self._death(chunk, str(error))
        elif len(chunk.tasks) > 1:
            self.again += (_Chunk((task,), chunk.deaths) for task in chunk.tasks)
        else:
            if self.pool.gave_up(error):
                reason = str(error)
            else:
                reason = f"{type(error).__name__}: {error}"
            self._give_up(chunk, reason)

    def _death(self, chunk: _Chunk, why: str) -> None:
        if chunk.deaths < RETRIES:
            # One by one, so that a deadly task does not take its neighbours along.
            self.again += (_Chunk((task,), chunk.deaths + 1) for task in chunk.tasks)
            return
        self._give_up(chunk, f"{why}; tried {RETRIES + 1} times")

    def _give_up(self, chunk: _Chunk, why: str) -> None:
        for task in chunk.tasks:
            self.outcome.failures.append(TaskFailure(task, why))
            if self.failed is not None:
                self.failed(self.outcome.failures[-1])

    def _check_hope(self) -> None:
        failures = self.outcome.failures
        # Tasks that failed in an earlier run come first, and say nothing about the others.
        succeeded = self.outcome.computed or self.outcome.reused
        if len(failures) >= HOPELESS and not succeeded:
            raise SweepError(f"the first {len(failures)} tasks all failed: {failures[0].why}")

    def _report(self) -> None:
        if self.progress is not None:
            self.progress(self.outcome.reused + self.outcome.computed, self.sweep.n_cells)


def _drain(queue: SimpleQueue[Future[tuple[Cell, ...]]]) -> list[Future[tuple[Cell, ...]]]:
    futures = []
    while not queue.empty():
        futures.append(queue.get())
    return futures


@contextmanager
def _stopped_by_signals() -> Iterator[Callable[[], bool]]:
    """Yield a function that tells whether SIGINT or SIGTERM came; a second one interrupts."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    came = threading.Event()
    before = {}

    def note(_number: int, _frame: FrameType | None) -> None:
        if came.is_set():
            raise KeyboardInterrupt
        came.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        before[number] = signal.signal(number, note)
    try:
        yield came.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
