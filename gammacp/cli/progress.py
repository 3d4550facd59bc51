"""Progress on stderr, for anything over a second; a log gets a line now and then."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from gammacp.cli.counting import counting


@contextmanager
def progress(what: str, *, after: float = 1.0) -> Iterator[None]:
    """Show that something goes on once it has taken longer than `after` seconds."""
    from gammacp.alignment.reporting import listening

    if not sys.stderr.isatty():
        with counting(what):
            yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=Console(file=sys.stderr),
        transient=True,
    )
    task = bar.add_task(what, total=None)

    def told(objective: float, bound: float) -> None:
        gap = 1 - bound / objective if objective > 0 else 0.0
        bar.update(task, description=f"{what}, gap {gap:.2%}")

    timer = Timer(after, bar.start)
    timer.daemon = True
    timer.start()
    try:
        with listening(told):
            yield
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
