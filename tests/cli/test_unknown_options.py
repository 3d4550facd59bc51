"""Errors on nonsense, for every option of every command of the application.

An option either takes free text (a title, a path to write, …) and is listed below, or refuses
nonsense with exit code 2 or 3 before anything is on stdout.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import typer

from gammacp.cli.app import build
from tests.conftest import Run

NONSENSE = "no-such-thing"

# These options take any text: names that people choose, and texts to be written.
FREE = {
    "--title", "--annotator", "--annotators", "--experiment", "--comment", "--name", "--prefix",
    "--offset-unit",
}  # fmt: skip
# These options name files and folders to write.
WRITTEN = {
    "--out",
    "--certificate",
    "--trace",
    "--store",
    "--units",
    "--review",
    "--soft",
    "--curves",
    "--figure",
    "--plot",
    "--write",
}
# Commands that read the data file.
INPUT = {"gamma", "align", "measure", "compare", "calibrate", "consensus", "report", "inspect"}


def commands(app: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command with its words on the command line."""
    for name, command in app.commands.items():
        words = (*path, name)
        if hasattr(command, "commands"):
            yield from commands(command, words)
            if not command.invoke_without_command:
                continue
        yield words, command


COMMANDS = dict(commands(typer.main.get_command(build())))


def options(words: tuple[str, ...]) -> list[str]:
    """Return the longest name of each option of a command that takes a value."""
    return [
        max(option.opts, key=len)
        for option in COMMANDS[words].params
        if option.opts[0].startswith("-") and not getattr(option, "is_flag", False)
    ]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a valid file, in a working directory of its own, and return its path."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "good.csv"
    path.write_text("A,x,0,5\nA,y,10,14\nB,x,1,5\nB,y,9,14\n")
    return path


def arguments(words: tuple[str, ...], data: Path) -> tuple[object, ...]:
    """Return the least arguments with which a command does its work."""
    if words[0] in INPUT:
        return (*words, data)
    if words == ("bench",):
        return (*words, "--error", "split", "--sets", 2, "--step", 1, "--executor", "serial")
    if words == ("convert",):
        return (*words, data, data.with_name("out.json"))
    if words == ("export",):
        return (*words, data, "--to", "lp")
    if words == ("segmentation",):
        return (*words, "--dataset", "hearst1997")
    return words


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_an_unknown_option_is_refused_by_every_command(
    run: Run, data: Path, words: tuple[str, ...]
) -> None:
    result = run(*arguments(words, data), "--sead", 7)
    assert (result.code, result.out) == (2, "")
    assert "--sead" in result.err


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_nonsense_is_refused_by_every_option(run: Run, data: Path, words: tuple[str, ...]) -> None:
    for option in set(options(words)) - FREE - WRITTEN:
        result = run(*arguments(words, data), option, NONSENSE)
        assert result.code in (1, 2, 3), f"{option}: {result.out}"
        assert result.out == "", option
        assert "Traceback" not in result.err, option


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_counts_are_whole_and_not_negative(run: Run, data: Path, words: tuple[str, ...]) -> None:
    counts = {"--seed", "--sets", "--bootstrap", "--jobs", "--draws"} & set(options(words))
    for option, value in product(counts, (-1, 1.5, "nan")):
        result = run(*arguments(words, data), option, value)
        assert (result.code, result.out) == (2, ""), f"{option} {value}"
