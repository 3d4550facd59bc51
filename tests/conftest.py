"""Fixtures and settings of all tests."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
import typer
from hypothesis import settings

from gammacp.base.subjects import commands, missing_subject, subjects
from gammacp.cli import main
from gammacp.cli.app import SECTIONS, build_one

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# A shell ignores SIGINT for background processes, and children inherit that. Tests of Ctrl-C, in
# this process or in one that it starts, would then mean nothing.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# If the environment forbids bytecode, every process compiles every module again: the tests, whose
# asserts pytest rewrites, and the commands they start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


# Hypothesis draws the same examples in every run, so that a run fails only if the code is at fault
# or has changed. `pytest --hypothesis-profile explore` draws new ones.
settings.register_profile("same", derandomize=True)
settings.register_profile("explore", derandomize=False, print_blob=True)
settings.load_profile("same")

# A new clone has no compiled kernels. The first test compiles them in one worker, while the other
# runs tests that need none, many of them in a browser; else both would wait for the same kernels.
# From `tests/formats/` on, modules that take long follow, so that none of them is left for one
# worker at the end. The last part that fits counts.
FIRST = (
    "cli/test_warm_up", "tests/tools/", "tests/studio/", "report/test_browser", "tests/shuffling/",
    "tests/formats/", "docs/test_blocks", "tests/bench/", "tools/test_real_files",
    "tools/test_states", "tools/test_layout_advice", "studio/test_one_gold",
)  # fmt: skip


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep imported modules out of garbage collection, which takes a fifth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(1_000_000)  # the value that any command in a test would set
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def turn(item: pytest.Item) -> int:
        return max((i for i, part in enumerate(FIRST) if part in item.nodeid), default=len(FIRST))

    items.sort(key=turn)
    for item in items:
        for mark in item.iter_markers("needs"):
            if deleted := set(mark.args) - set(subjects()):
                item.add_marker(pytest.mark.skip(f"without the subject {', '.join(deleted)}"))


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]
_built: dict[str, Callable[..., object]] = {}


def _build_once(name: str) -> Callable[..., object] | None:
    """Return a command of gammacp; building it takes longer than most tests of it.

    Help is filled with the names registered at its first printing, so it needs a new command.
    """
    ours = name in commands() or any(name in names for names in SECTIONS.values())
    if not ours or {"-h", "--help"} & set(sys.argv):
        return build_one(name)
    if name not in _built:
        application = build_one(name)
        assert application is not None
        _built[name] = typer.main.get_command(application)
    return _built[name]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `gammacp ARGS…` in this process; skip the test if the command's subject was deleted."""

    def run_command(*args: object) -> Outcome:
        command = next((word for word in map(str, args) if not word.startswith("-")), "")
        if deleted := missing_subject("command", command):
            pytest.skip(f"without the subject {deleted}")
        # The real function ends the process without unwinding; here the exit code is enough.
        monkeypatch.setattr("gammacp.cli.leave_at_once", lambda: None)
        monkeypatch.setattr("gammacp.cli.app.build_one", _build_once)
        monkeypatch.setattr(sys, "argv", ["gammacp", *map(str, args)])
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        code = stop.value.code
        assert isinstance(code, int)
        return Outcome(code, captured.out, captured.err)

    return run_command


@pytest.fixture(autouse=True, scope="session")
def _one_core() -> Iterator[None]:
    """Make commands in this process believe in one core.

    Pytest's own workers take the cores, and starting processes takes longer than computing a test's
    data. `--jobs` still starts workers.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gammacp.pools.cores.available_cores", lambda: 1)
        yield


@pytest.fixture(autouse=True)
def _without_toys(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hide the toy measures of tests of sweeps from other tests, as one of them always fails."""
    from gammacp.measures.registry import MEASURES

    if "bench" in request.path.parts or "sweep_toys" not in sys.modules:
        yield
        return
    hidden = {name: entry for name, entry in MEASURES.items() if name.startswith("toy-")}
    for name in hidden:
        MEASURES.unregister(name)
    try:
        yield
    finally:
        for name, entry in hidden.items():
            MEASURES.register(name, entry)


@pytest.fixture
def little_is_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make calibration quick for tests that do not depend on its precision."""
    if "campaign" not in subjects():
        return
    monkeypatch.setattr("gammacp.campaign.calibrate.sweep.REPLICATES", 2)
    monkeypatch.setattr("gammacp.campaign.calibrate.sweep.SAMPLES", 6)


BROWSER_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Yield Debian's Chromium, or the browser that GAMMACP_BROWSER names; skip without one.

    From then on an event loop of playwright runs in this thread. Tests that call `asyncio.run` do
    so in another thread.
    """
    path = os.environ.get("GAMMACP_BROWSER") or shutil.which("chromium")
    if path is None:
        pytest.skip("no chromium: install it, or name a browser in GAMMACP_BROWSER")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=path, args=BROWSER_FLAGS)
        yield launched
        launched.close()
