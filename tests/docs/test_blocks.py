"""Runs of every code block of README and docs, compared with the output shown."""

from __future__ import annotations

import doctest
import io
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from gammacp.base.files import write_text
from gammacp.base.subjects import table
from gammacp.cli import main
from gammacp.cli.app import build
from gammacp.registry import REGISTRIES

sys.path.append(str(Path(__file__).parent))

from blocks import PAGES, ROOT, Block, blocks, commands, matches, session, words
from pages import prepare

DATA = ROOT.parent / "shared" / "data"
SLOW = pytest.mark.slow
# Raise this only with a reason: what is not run is not known to be true.
NOT_RUN_AT_MOST = 20


def _noted(kind: str) -> list[Block]:
    """Return the blocks with a note; pages without such a note are not parsed."""
    note = re.compile(rf"<!--\s*{kind}\b")
    pages = [page for page in PAGES if note.search((ROOT / page).read_text(encoding="utf-8"))]
    return [block for page in pages for block in blocks(page) if block.note(kind) is not None]


def _names(cases: list[Block]) -> list[str]:
    return [case.location for case in cases]


@pytest.fixture(autouse=True)
def registries() -> Iterator[None]:
    """Remove the entries that a page registers, after the test."""
    before = {registry: set(registry) for registry in list(REGISTRIES.values())}
    yield
    for registry in list(REGISTRIES.values()):
        # A page may be the first to import a registry.
        listed = set(" ".join(table(registry.kind).values()).split())
        for name in set(registry) - before.get(registry, listed):
            registry.unregister(name)


@pytest.mark.parametrize("page", PAGES)
def test_the_page_runs(
    page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _run(page, tmp_path, monkeypatch, slow=False)


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted({block.page for block in _noted("slow")}))
def test_the_page_runs_with_its_slow_blocks(
    page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _run(page, tmp_path, monkeypatch, slow=True)


@pytest.mark.parametrize("block", _noted("not run"), ids=_names(_noted("not run")))
def test_blocks_that_are_not_run_have_a_reason(block: Block) -> None:
    reason = block.note("not run")
    assert reason, f"{block.location}: say why it is not run"
    pytest.skip(f"{block.location}: {reason}")


@pytest.mark.parametrize("block", _noted("data"), ids=_names(_noted("data")))
def test_missing_data_are_skipped(block: Block) -> None:
    source, _ = _data(block)
    if not source.exists():
        pytest.skip(f"{block.location} needs {source.name}, which does not ship")


def test_few_blocks_are_not_run() -> None:
    assert len(_noted("not run")) <= NOT_RUN_AT_MOST


@pytest.mark.parametrize("page", [*PAGES, "CHANGELOG.md"])
def test_every_command_on_the_page_can_be_parsed(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    spoken = re.findall(r"`(gammacp [^`]*)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
    written = [
        line
        for block in blocks(page)
        if block.language != "python"
        for line in commands(block.text)
    ]
    for command in [words(" ".join(line.split())) for line in spoken] + written:
        _understand(command)


def test_the_first_block_of_the_readme_has_two_commands() -> None:
    # `.ci/run` takes the second command from here.
    first, second = blocks("README.md")[0].text.splitlines()
    assert first.endswith("gammacp gamma --dataset alex-paul-suzan --alignment")
    assert second.endswith(".venv/bin/pytest")


def test_help_has_an_example_and_the_most_needed_options() -> None:
    for name, command in _application().commands.items():
        options = {text for parameter in command.params for text in parameter.opts}
        if len(options) < 9:
            continue
        example = re.search(r"^Example: (gammacp .*)$", command.help, re.M)
        assert example is not None, name
        assert words(example[1])[1] == name
        _understand(words(example[1]))
        most = re.findall(r"--[\w-]+", re.search(r"^Most used: (.*)\.$", command.help, re.M)[1])
        assert len(most) == 3 and set(most) <= options, name


@cache
def _application() -> Any:
    return get_command(build())


def _understand(command: list[str]) -> None:
    """Parse a command's words as the command line does, without running the command."""
    told = " ".join(command)
    with suppress(_Exit):
        current, name, context, rest = _application(), "gammacp", None, command[1:]
        while True:
            try:
                context = current.make_context(name, list(rest), parent=context)
                rest = [*getattr(context, "_protected_args", ()), *context.args]
                if not getattr(current, "commands", None) or not rest:
                    return
                name, current, rest = current.resolve_command(context, rest)  # type: ignore[attr-defined]
            except _UsageError as error:
                # A page may mention a command without its files.
                if "Missing argument" in error.format_message():
                    return
                pytest.fail(f"{told}: {error.format_message()}")


def _run(
    page: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    slow: bool,
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("NO_COLOR", "1")
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    names = module.__dict__
    prepare(page, folder, names)
    command = _command_line(monkeypatch)
    for block in blocks(page):
        if block.language == "python" and not block.text.startswith(">>>"):
            compile(block.text, block.location, "exec")
        if not _wanted(block, slow):
            continue
        if (name := block.note("file")) is not None:
            write_text(folder / name, block.text)
        if (line := block.note("output")) is not None:
            _compare(block, block.text, _printed(command(words(line))))
        elif block.language == "python":
            _run_python(block, names)
        elif block.is_session:
            _run_session(block, command)


def _wanted(block: Block, slow: bool) -> bool:
    if block.note("not run") is not None or (block.note("slow") is not None and not slow):
        return False
    if block.note("data") is None:
        return True
    source, name = _data(block)
    if source.exists():
        shutil.copytree(source, name, dirs_exist_ok=True)
    return source.exists()


def _data(block: Block) -> tuple[Path, str]:
    source, _, name = (block.note("data") or "").partition(" as ")
    return DATA / source, name


def _run_python(block: Block, names: dict[str, Any]) -> None:
    if not block.text.startswith(">>>"):
        exec(compile(block.text, block.location, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(block.text, names, block.location, block.page, 0)
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=told.append, clear_globs=False)
    names.update(test.globs)
    assert not told, "".join(told)


@dataclass(frozen=True)
class Outcome:
    """Output of a command: on stdout, on stderr, and both as a terminal shows them."""

    out: str
    err: str
    both: str
    code: int


class _Stream(io.StringIO):
    """Stream that also writes to the terminal."""

    def __init__(self, terminal: io.StringIO) -> None:
        super().__init__()
        self._terminal = terminal

    def write(self, text: str) -> int:
        self._terminal.write(text)
        return super().write(text)


Command = Callable[[list[str]], Outcome]


def _run_session(block: Block, command: Command) -> None:
    code = 0
    for line, shown in session(block.text):
        if line.startswith("echo $?"):
            assert int(shown) == code, f"{block.location}: {line} gives {code}"
        elif line.startswith("gammacp "):
            outcome = command(words(line))
            code = outcome.code
            if shown.strip():
                quiet = re.search(r"\s>\s*/dev/null", line)
                _compare(block, shown, [outcome.err] if quiet else _printed(outcome))
            else:
                assert code == 0, f"{block.location}: {line}\n{outcome.err}"
        else:
            pytest.fail(f"{block.location}: {line}: not a gammacp command; mark it 'not run'")


def _printed(outcome: Outcome) -> list[str]:
    return [outcome.out, outcome.err, outcome.both]


def _compare(block: Block, shown: str, printed: list[str]) -> None:
    measured = block.note("measured") is not None
    if not any(matches(shown, text, measured=measured) for text in printed):
        pytest.fail(f"{block.location} is not what is printed:\n{printed[-1]}")


def _command_line(monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.setattr("gammacp.cli.leave_at_once", lambda: None)

    def run(line: list[str]) -> Outcome:
        both = io.StringIO()
        out, err = _Stream(both), _Stream(both)
        with monkeypatch.context() as streams:
            streams.setattr(sys, "argv", line)
            streams.setattr(sys, "stdout", out)
            streams.setattr(sys, "stderr", err)
            with pytest.raises(SystemExit) as stop:
                main()
        assert isinstance(stop.value.code, int)
        return Outcome(out.getvalue(), err.getvalue(), both.getvalue(), stop.value.code)

    return run


def _vendored(name: str) -> type[Exception]:
    """Return an exception of the click that typer uses, be it its own copy or the package."""
    for base in TyperGroup.__mro__:
        module = sys.modules[base.__module__]
        for holder in (module, getattr(module, "exceptions", None)):
            if holder is not None and hasattr(holder, name):
                found: type[Exception] = getattr(holder, name)
                return found
    raise AssertionError(name)


_Exit, _UsageError = _vendored("Exit"), _vendored("UsageError")
