"""`--jobs`: worker processes for commands that compute many γ."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Annotated

import typer

Jobs = Annotated[
    int | None,
    typer.Option(help="Worker processes.  [default: one per core where it pays]", min=1),
]


@contextmanager
def workers(jobs: int | None, *, pays: bool = True) -> Iterator[Executor | None]:
    """An executor with that many processes; None, which computes here, for one.

    The same results whatever the number. Without a number, one per core if `pays`, else here:
    starting processes costs seconds. They are ended with the block, at once when it ends early.
    """
    from gammacp.bench.executors import available_cores, open_pool

    number = jobs or (available_cores() if pays else 1)
    if number == 1:
        yield None
        return
    with open_pool("processes", number) as pool:
        yield pool.executor
