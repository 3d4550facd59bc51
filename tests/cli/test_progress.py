"""Progress lines: the live line of a terminal, and announcements of compilation."""

import threading

import pytest

from gammacp.base.stopping import compile_listeners
from gammacp.cli.progress import ProgressLine, progress


def test_the_timer_and_the_caller_get_the_same_live_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making the line takes time, in which another thread must not make a second one."""
    made = []
    make = ProgressLine.make_bar

    def make_slowly(line: ProgressLine) -> object:
        made.append(line)
        threading.Event().wait(0.05)
        return make(line)

    monkeypatch.setattr(ProgressLine, "make_bar", make_slowly)
    line = ProgressLine("sets")
    threads = [threading.Thread(target=lambda: line.bar) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [line]


def test_an_inner_line_leaves_the_listener_of_the_outer_one() -> None:
    before = len(compile_listeners)
    with progress("outer") as outer:
        with progress("inner"):
            assert len(compile_listeners) == before + 2
        assert compile_listeners[before:] == [outer.tell_compiling]
    assert len(compile_listeners) == before


def test_code_that_was_compiled_has_removed_the_listener() -> None:
    """Whoever compiles removes the listener, as `gammacp.kernel` does."""
    before = len(compile_listeners)
    with progress("sets"):
        compile_listeners.pop()()
    assert len(compile_listeners) == before
