"""Tables in a narrow terminal: no number and no name is shortened, and what leaves is said."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import gammacp
from gammacp.cli.output import message, say, show
from gammacp.record_tables import Column, Table, count, interval, number
from tests.conftest import Run

fcntl = pytest.importorskip("fcntl")  # no terminal of this kind elsewhere
import pty  # noqa: E402
import struct  # noqa: E402
import termios  # noqa: E402

LONG = "interview-with-the-mayor-of-a-small-town-second-part"
SENTENCE = "the annotator marked the same place twice and gave it two different labels"
COLUMNS = (
    Column("file", "file"),
    Column("gamma", "γ", number),
    Column("interval", "Monte-Carlo interval", interval),
    Column("samples", "samples", count, rank=2),
    Column("units", "units", count, rank=1),
    Column("why", "why", wrapped=True),
)
RECORD = {"gamma": 0.5, "interval": (0.25, 0.75), "samples": 30, "units": 372, "why": "–"}


@pytest.fixture
def printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[Table, int], tuple[list[str], str]]:
    """The lines of a table in a terminal of so many columns, and what is said beside it."""

    def lines(table: Table, columns: int) -> tuple[list[str], str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        show(table)
        out, err = capsys.readouterr()
        return out.splitlines(), err

    return lines


def test_what_fits_is_shown_whole(printed: Callable[[Table, int], tuple[list[str], str]]) -> None:
    lines, said = printed(Table(COLUMNS, [{**RECORD, "file": "a"}]), 80)
    assert said == ""
    assert [line.split() for line in lines[1:4:2]] == [
        ["file", "γ", "Monte-Carlo", "interval", "samples", "units", "why"],
        ["a", "0.5000", "0.2500", "to", "0.7500", "30", "372", "–"],
    ]


def test_headers_are_broken_before_a_column_leaves(
    printed: Callable[[Table, int], tuple[list[str], str]],
) -> None:
    lines, said = printed(Table(COLUMNS, [{**RECORD, "file": "a"}]), 60)
    assert said == ""
    assert max(map(len, lines)) <= 60
    assert [line.split() for line in lines[1:3]] == [
        ["file", "γ", "Monte-Carlo", "samples", "units", "why"],
        ["interval"],
    ]


def test_columns_leave_by_rank_and_are_named(
    printed: Callable[[Table, int], tuple[list[str], str]],
) -> None:
    lines, said = printed(Table(COLUMNS, [{**RECORD, "file": "a" * 12}]), 60)
    assert max(map(len, lines)) <= 60
    assert "30" not in lines[4].split() and "372" in lines[4].split()
    assert said == ("gammacp: too narrow for samples: a wider terminal or --json shows them\n")


@pytest.mark.parametrize("width", [80, 60, 44])
def test_numbers_and_names_are_never_shortened(
    printed: Callable[[Table, int], tuple[list[str], str]], width: int
) -> None:
    lines, _ = printed(Table(COLUMNS, [{**RECORD, "file": LONG, "why": SENTENCE}]), width)
    words = " ".join(lines).split()
    assert {LONG, "0.5000", "0.2500", "0.7500", *SENTENCE.split()} <= set(words)
    assert not any("…" in word for word in words)
    assert all(len(line) <= width for line in lines if LONG not in line)


def test_a_table_that_cannot_fit_has_a_line_for_each_value(
    printed: Callable[[Table, int], tuple[list[str], str]],
) -> None:
    lines, said = printed(Table(COLUMNS[:5], [{**RECORD, "file": LONG}]), 40)
    assert said == ""  # then nothing has to leave
    assert [line.split() for line in lines if line] == [
        ["file", LONG],
        ["γ", "0.5000"],
        ["Monte-Carlo", "interval", "0.2500", "to", "0.7500"],
        ["samples", "30"],
        ["units", "372"],
    ]


def test_messages_are_broken_between_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    message(SENTENCE)
    lines = capsys.readouterr().err.splitlines()
    assert " ".join(lines) == SENTENCE
    assert max(map(len, lines)) <= 40


@pytest.mark.parametrize("width", [80, 60])
def test_gamma_in_a_real_terminal(tmp_path: Path, width: int) -> None:
    rows = ["annotator,category,start,end", "A,x,0,5", "A,y,8,12", "B,x,1,5", "B,y,8,13"]
    file = tmp_path / "interview-with-the-mayor.csv"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "gammacp", "-q", "gamma", file.name, "--samples", "2"]
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    given = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    started = subprocess.Popen(
        command, stdout=theirs, stderr=subprocess.PIPE, env=given, cwd=tmp_path
    )
    with started as process:
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(ours, 1 << 16):
                seen += part
        except OSError:  # how Linux says that nobody writes there any more
            pass
        assert process.wait() == 0
    lines = seen.decode().splitlines()
    assert max(map(len, lines)) <= width
    assert file.name in " ".join(lines).split()
    assert "…" not in seen.decode()


@pytest.mark.parametrize("width", [60, 80])
def test_help_does_not_break_names_at_their_hyphen(
    run: Run, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = run("gamma", "--help").out
    assert "non-overlapping" in shown
    assert "fixed-positions" in shown
    assert all(c.isprintable() or c == "\n" for c in shown)
    assert max(map(len, shown.splitlines())) <= width


def test_sentences_of_a_result_break_between_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    say(SENTENCE)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 40
    assert " ".join(lines) == SENTENCE


def test_commands_print_through_one_door() -> None:
    """What goes past `gammacp.cli.output` to stdout is not broken where a terminal is narrow."""
    door = {"cli/output.py", "studio/command.py"}  # an address is one word, and flushed
    root = Path(gammacp.__file__).parent
    found = [
        f"{path.relative_to(root)}:{node.lineno}"
        for part in ("cli", "segmentation", "syntax", "studio", "campaign")
        for path in (root / part).rglob("*.py")
        if str(path.relative_to(root)) not in door
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "print"
        and not any(k.arg == "file" for k in node.keywords)
    ]
    assert found == []
