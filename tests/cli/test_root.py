"""Features common to all commands: sections of the help, completion, `--quiet` and `--verbose`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from gammacp.base.subjects import commands as brought_by_subjects
from gammacp.cli.app import GROUP, SECTIONS
from gammacp.datasets import names
from gammacp.registry import names as registered
from tests.conftest import Run


def test_every_command_is_in_one_section(run: Run) -> None:
    lines = run("--help").out.splitlines()
    for title, commands in SECTIONS.items():
        subjects = [n for n, entry in brought_by_subjects().items() if entry.section == title]
        listed = [*commands, *subjects]
        start = lines.index(f"{title}:") + 1
        shown = [line.split()[0] for line in lines[start : start + len(listed)]]
        assert shown == listed
    assert max(map(len, lines)) <= 80


def hello(name: str = "you", mode: str = "") -> None:
    """Greet, as a command of another package does."""
    print(f"hello {name}{mode}")


def test_installed_packages_can_add_commands(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken package is one line on stderr, and no package can replace a command of gammacp."""
    found = [
        EntryPoint("hello", f"{__name__}:hello", GROUP),
        EntryPoint("broken", "no_such_package:run", GROUP),
        EntryPoint("odd", "gammacp.errors:NOT_THERE", GROUP),
        EntryPoint("gamma", f"{__name__}:hello", GROUP),
    ]
    monkeypatch.setitem(sys.modules, __name__, sys.modules[hello.__module__])
    monkeypatch.setattr("gammacp.cli.app.entry_points", lambda **_: found)
    listed = run("--help")
    assert "Installed:\n  hello    " in listed.out
    assert "Greet, as a command of another package does." in listed.out
    first, second = listed.err.splitlines()
    assert first.startswith(
        "gammacp: command 'broken' of an installed package fails when imported: "
        "ModuleNotFoundError: No module named 'no_such_package'"
    )
    assert "command 'odd'" in second
    assert "has no attribute 'NOT_THERE'" in second
    assert run("hello", "--name", "Ann").out == "hello Ann\n"
    assert run("-q", "hello", "--mode", "!").out == "hello you!\n", (
        "no option of ours that has gone"
    )
    assert "best alignment" in run("gamma", "--help").out
    broken = run("broken")
    assert (broken.code, broken.out, broken.err.count("no_such_package")) == (2, "", 1)


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """Return an environment with its own home folder and with `gammacp` on the path."""
    program = tmp_path / "bin" / "gammacp"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gammacp "$@"\n')
    program.chmod(0o755)
    return {
        **os.environ,
        "HOME": str(tmp_path),
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
    }


def answer(environment: dict[str, str], *command: str) -> str:
    found = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    return found.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes_installed_commands(shell: dict[str, str]) -> None:
    answer(shell, "gammacp", "--install-completion", "bash")
    script = Path(shell["HOME"]) / ".bash_completions" / "gammacp.sh"
    assert str(script) in (Path(shell["HOME"]) / ".bashrc").read_text()

    def completed(*words: str) -> list[str]:
        typed = f"COMP_WORDS=({' '.join(words)} '') COMP_CWORD={len(words) - 1}"
        call = f". {script}; {typed}; _gammacp_completion gammacp; echo ${{COMPREPLY[*]}}"
        return answer(shell, "bash", "-c", call).split()

    assert sorted(completed("gammacp", "co")) == ["compare", "consensus", "convert"]
    methods = completed("gammacp", "align", "--method", "b")
    assert methods == [name for name in registered("solver") if name.startswith("b")]


@pytest.mark.parametrize("name", ["zsh", pytest.param("fish", marks=pytest.mark.slow)])
def test_users_of_other_shells_are_told_how_to_install_completion(
    shell: dict[str, str], name: str
) -> None:
    script = answer(shell, "gammacp", "--show-completion", name)
    if shutil.which(name):
        answer(shell, name, "-n", "-c", script)
    action = f"_GAMMACP_COMPLETE=complete_{name}"
    assert action in script
    asked = {
        "_TYPER_COMPLETE_ARGS": "gammacp gamma --chan",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    told = answer(shell | asked | dict([action.split("=")]), "gammacp")
    assert "--chance" in told
    assert registered("chance model")[0] in told
    assert "{" not in told


def test_quiet_and_verbose(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("A,x,0,4\nB,x,0,5\n")
    command = ("measure", file, "-m", "u-alpha-2013,f1-exact")
    plain = run(*command)
    for flag in ("-q", "--quiet"):
        quiet = (run(flag, *command), run(*command, flag))
        assert [(q.code, q.out, q.err) for q in quiet] == [(0, plain.out, "")] * 2
    assert "seed 0" in plain.err
    (tmp_path / "b.csv").write_text("A,x,0\n")
    assert "b.csv:1" in run("-q", "inspect", tmp_path).err
    assert "does not exist" in run("-q", "inspect", tmp_path / "none").err
    for i in range(15):
        (tmp_path / f"c.x{i}").write_text("")
    gamma = ("gamma", tmp_path, "--samples", 5)
    assert run(*gamma).err.count("left out: 1 file") == 12
    assert run("-v", *gamma).err.count("left out: 1 file") == 15
    quiet = run(*gamma, "-q").err
    assert "left out: 1 file" not in quiet
    assert "b.csv:1" in quiet, "a file that could not be read is said in any case"


def test_shipped_datasets_are_mentioned(run: Run) -> None:
    found = run("datasets").out
    listed = [line.split(":")[0] for line in found.splitlines() if not line.startswith(" ")]
    assert len(listed) == len(set(listed))
    assert set(names()) <= set(listed)
    assert found.count("MIT") + found.count("BSD-3-Clause") == len(listed)


def test_formats_fit_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert max(len(line.rstrip()) for line in run("formats").out.splitlines()) <= 80
    for name in registered("format"):
        assert max(len(line) for line in run("formats", name).out.splitlines()) <= 80


def test_a_note_on_many_files_is_printed_once(run: Run, tmp_path: Path) -> None:
    for i in range(9):
        (tmp_path / f"{i}.csv").write_text("A,x,0,4\nB,x,0,5\n" if i else "A,x,0,4\nB,x,0,five\n")
        (tmp_path / f"n{i}.json").write_text("{")
    found = run("measure", tmp_path, "-m", "cu-alpha,gamma", "--samples", 10, "--jobs", 1)
    start = f"gammacp: {tmp_path / 'n0.json'}, "
    json = [line for line in found.err.splitlines() if line.startswith(start)]
    assert len(json) == 1
    assert " and 4 more: " in json[0]
    few = [line for line in found.err.splitlines() if "gamma: " in line]
    # The corpus has the first note too, while the second is about single documents.
    assert [line.partition(": gamma: ")[0][-10:] for line in few] == ["and 4 more", "and 3 more"]
