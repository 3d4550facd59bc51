"""Make Ctrl-C end a command within a second, whatever it is doing.

Python's own handler runs between two bytecodes of the main thread, so it would have to wait for a
running solver. Here a second thread learns of the signal at once and ends the process if the
command has not finished within a second. Commands that treat the first Ctrl-C as a request to stop
(`gammacp.base.stopping.interruptible`, sweeps) are ended in this way only by the second one.
"""

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

from gammacp.cli.output import message

_GRACE = 1.0
EXIT_CODE = 130


@contextmanager
def ended_by_interrupts() -> Iterator[None]:
    """End the process on Ctrl-C with code 130 and one line, at the latest after a second.

    Does nothing outside the main thread, where signals cannot be watched.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reading, writing = socket.socketpair()
    writing.setblocking(False)
    unwound = threading.Event()
    watcher = threading.Thread(target=_watch, args=(reading, unwound), daemon=True)
    before = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    hook, sys.unraisablehook = sys.unraisablehook, _quietly(sys.unraisablehook)
    watcher.start()
    try:
        yield
    finally:
        unwound.set()
        sys.unraisablehook = hook
        signal.set_wakeup_fd(before)
        writing.close()
        watcher.join()
        reading.close()


def _quietly(tell: Callable[[Any], object]) -> Callable[[Any], object]:
    """Return `tell` without its report of a KeyboardInterrupt lost in a callback."""

    def hook(unraisable: Any) -> None:
        if not isinstance(unraisable.exc_value, KeyboardInterrupt):
            tell(unraisable)

    return hook


def _watch(reading: socket.socket, unwound: threading.Event) -> None:
    wishes = 0
    while number := reading.recv(1):
        if number[0] != signal.SIGINT:
            continue
        asked = signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        wishes += 1
        if asked and wishes == 1:
            continue
        if not unwound.wait(_GRACE):
            _end()


def _end() -> None:
    if sys.stderr.isatty():
        show_cursor = "\x1b[?25h"
    else:
        show_cursor = ""
    os.write(2, f"{show_cursor}gammacp: interrupted\n".encode())
    os._exit(EXIT_CODE)


def end_if_interrupted(interrupted: threading.Event, what: str) -> None:
    """After Ctrl-C, print that the results shown are `what`, and exit with code 130."""
    if interrupted.is_set():
        message(f"interrupted: {what}")
        raise typer.Exit(EXIT_CODE)
