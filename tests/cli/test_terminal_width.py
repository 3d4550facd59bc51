"""Tables in a narrow terminal: no number or name is shortened, and omitted columns are named."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import gammacp
from gammacp.base.record_tables import Column, Excerpt, Table, count, interval, number
from gammacp.cli import output
from gammacp.cli.output import message, say, show
from gammacp.measures.score_tables import gamma_table
from tests.conftest import Run

fcntl = pytest.importorskip("fcntl")  # not on Windows
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
GAMMACP = (sys.executable, "-m", "gammacp")
RECORD = {"gamma": 0.5, "interval": (0.25, 0.75), "samples": 30, "units": 372, "why": "–"}


def in_terminal(width: int, stream: str, folder: Path, *arguments: str) -> tuple[int, str]:
    """Return the exit code of a command and what it prints to one stream that is a real
    terminal.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    given = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    streams: dict[str, int] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        stream: theirs,
    }
    with subprocess.Popen([*GAMMACP, *arguments], env=given, cwd=folder, **streams) as process:
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(ours, 1 << 16):
                seen += part
        except OSError:  # how Linux reports that the other end is closed
            pass
        code = process.wait()
    os.close(ours)
    return code, seen.decode()


@pytest.fixture
def printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[Table, int], tuple[list[str], str]]:
    """Return a function that prints a table in a terminal of given width, with the notes
    beside it.
    """

    def lines(table: Table, columns: int) -> tuple[list[str], str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        show(table)
        out, err = capsys.readouterr()
        return out.splitlines(), err

    return lines


def test_a_table_that_fits_is_shown_whole(
    printed: Callable[[Table, int], tuple[list[str], str]],
) -> None:
    lines, said = printed(Table(COLUMNS, [{**RECORD, "file": "a"}]), 80)
    assert said == ""
    assert [line.split() for line in lines[1:4:2]] == [
        ["file", "γ", "Monte-Carlo", "interval", "samples", "units", "why"],
        ["a", "0.5000", "0.2500", "to", "0.7500", "30", "372", "–"],
    ]


def people(number_of_people: int) -> Table:
    """Return a table of people, each with fewer documents than the next one, and of them all."""
    records = [{"name": f"p{k}", "documents": k + 1} for k in range(number_of_people)]
    columns = (
        Column("name", "name"),
        Column("documents", "documents", count, meaning="documents: how many they annotated"),
        Column("note", "a very long header without blanks".replace(" ", "-"), rank=1, meaning="x"),
    )
    by_documents = Excerpt("with most documents", lambda r: r["documents"])
    return Table(columns, [*records, {"name": "all", "documents": 99}], 1, by_documents)


def test_a_terminal_shows_the_rows_that_matter_and_counts_the_others(
    printed: Callable[[Table, int], tuple[list[str], str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, said = printed(people(40), 80)
    names = [line.split()[0] for line in lines[3:16]]
    assert names == [*(f"p{k}" for k in range(39, 27, -1)), "all"]
    told = " ".join(lines[17:])
    assert "28 more rows are not shown; these 12 are those with most documents." in told
    assert "--verbose or --json" in told
    assert said == "documents: how many they annotated\nx\n"
    # Nothing is left out if only a few rows would be, or if everything was asked for.
    for number_of_people, verbosity in ((16, 0), (40, 1)):
        monkeypatch.setattr(output, "verbosity", verbosity)
        lines, _ = printed(people(number_of_people), 80)
        assert sum(line.lstrip().startswith("p") for line in lines) == number_of_people
        assert "more rows" not in " ".join(lines)


def test_a_file_has_all_rows(capsys: pytest.CaptureFixture[str]) -> None:
    show(people(40))
    out = capsys.readouterr().out
    assert all(f" p{k} " in out for k in range(40))
    assert "more rows" not in out


def test_the_legend_explains_only_columns_that_are_shown(
    printed: Callable[[Table, int], tuple[list[str], str]],
) -> None:
    _, said = printed(people(3), 30)
    assert "documents: how many they annotated\n" in said
    assert "\nx" not in said


def test_a_long_table_of_documents_has_the_lowest_and_the_highest_gamma(
    printed: Callable[[Table, int], tuple[list[str], str]],
) -> None:
    rows = [{**RECORD, "file": f"d{k}", "gamma": (7 * k % 30) / 30} for k in range(30)]
    rows += [{**RECORD, "file": "empty", "gamma": float("nan")}, {**RECORD, "file": "corpus"}]
    rows = [{**row, "observed_disorder": 1.0, "expected_disorder": 2.0} for row in rows]
    lines, _ = printed(gamma_table(rows, total=1), 120)
    shown = [line.split()[:2] for line in lines if line.strip().startswith(("d", "c", "empty"))]
    values = [float(value) for _, value in shown[:-1]]
    assert values == pytest.approx([k / 30 for k in (*range(6), *range(24, 30))], abs=1e-4)
    assert shown[-1][0] == "corpus"
    assert "19 more rows are not shown" in " ".join(lines)


def test_headers_are_broken_before_a_column_is_dropped(
    printed: Callable[[Table, int], tuple[list[str], str]],
) -> None:
    lines, said = printed(Table(COLUMNS, [{**RECORD, "file": "a"}]), 60)
    assert said == ""
    assert max(map(len, lines)) <= 60
    assert [line.split() for line in lines[1:3]] == [
        ["file", "γ", "Monte-Carlo", "samples", "units", "why"],
        ["interval"],
    ]


def test_columns_are_dropped_by_rank_and_named(
    printed: Callable[[Table, int], tuple[list[str], str]],
) -> None:
    lines, said = printed(Table(COLUMNS, [{**RECORD, "file": "a" * 12}]), 60)
    assert max(map(len, lines)) <= 60
    (row,) = (line.split() for line in lines if "a" * 12 in line)
    assert "30" not in row and "372" in row
    assert said == ("gammacp: too narrow for samples: a wider terminal or --json shows them\n")


def test_gamma_its_interval_and_its_status_stay_at_80_columns(
    printed: Callable[[Table, int], tuple[list[str], str]],
) -> None:
    record = {
        "file": "annotations/interview-01.csv",
        "gamma": -2.679,
        "interval": (-3.5931, -2.0683),
        "bootstrap": (-4.1, -1.1),
        "observed_disorder": 1.7,
        "expected_disorder": 0.4,
        "samples": 30,
        "status": "optimal",
        "annotators": 3,
        "units": 218,
    }
    lines, said = printed(gamma_table([record]), 80)
    assert max(map(len, lines)) <= 80
    assert lines[-2].split()[1:6] == ["-2.6790", "-3.5931", "to", "-2.0683", "optimal"]
    assert said.startswith("gammacp: too narrow for bootstrap, observed, expected, samples, annot")


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
    assert said == ""  # no column has to be dropped then
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
    message(f"  {SENTENCE}")
    lines = capsys.readouterr().err.splitlines()
    assert " ".join(line.removeprefix("  ") for line in lines) == SENTENCE
    assert all(line.startswith("  ") for line in lines)
    assert max(map(len, lines)) <= 40


def test_gamma_in_a_real_terminal(tmp_path: Path) -> None:
    width = 60
    rows = ["annotator,category,start,end", "A,x,0,5", "A,y,8,12", "B,x,1,5", "B,y,8,13"]
    file = tmp_path / "interview-with-the-mayor.csv"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    code, seen = in_terminal(width, "stdout", tmp_path, "-q", "gamma", file.name, "--samples", "2")
    lines = seen.splitlines()
    assert code == 0
    assert max(map(len, lines)) <= width
    assert file.name in " ".join(lines).split()
    assert "…" not in seen


def test_an_error_in_a_real_terminal_breaks_between_words(tmp_path: Path) -> None:
    """Errors break at the width of stderr, also where stdout goes to a file."""
    wrong = ("align", "a.csv", "--method", "magic")
    piped = subprocess.run(
        [*GAMMACP, *wrong], capture_output=True, text=True, encoding="utf-8", cwd=tmp_path
    )
    code, seen = in_terminal(60, "stderr", tmp_path, *wrong)
    assert code == 2
    lines = seen.splitlines()
    assert len(lines) > 1
    assert max(map(len, lines)) <= 60
    assert piped.stderr == f"{' '.join(lines)}\n"


def test_a_path_in_an_error_is_never_broken(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    file = "-".join([LONG, LONG])
    seen = run("gamma", f"{file}.csv").err
    assert len(seen.splitlines()) > 1
    assert f"{file}.csv:" in seen.split()


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


@pytest.mark.parametrize("width", [60, 120])
def test_the_description_of_a_command_is_never_shortened(tmp_path: Path, width: int) -> None:
    code, shown = in_terminal(width, "stdout", tmp_path, "--help")
    assert code == 0
    _, _, commands = shown.partition("Measure:")
    assert "..." not in commands
    assert "how far it is proven." in " ".join(commands.split())
    assert max(map(len, commands.splitlines())) <= width


def test_sentences_of_a_result_break_between_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    say(SENTENCE)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 40
    assert " ".join(lines) == SENTENCE


def test_commands_print_through_one_module() -> None:
    """Only `gammacp.cli.output` breaks lines for narrow terminals, so commands must not
    use print.
    """
    door = {"cli/output.py", "studio/command.py"}  # an address is one word, and flushed
    door |= {"cli/app.py", "cli/commands/shuffle.py"}  # the version, and the content of a file
    root = Path(gammacp.__file__).parent
    texts = {
        path.relative_to(root): path.read_text(encoding="utf-8")
        for part in ("cli", "segmentation", "trees", "studio", "campaign")
        for path in (root / part).rglob("*.py")
        if str(path.relative_to(root)) not in door
    }
    found = [
        f"{path}:{node.lineno}"
        for path, text in texts.items()
        if re.search(r"\b(print|echo)\b", text)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", getattr(node.func, "attr", "")) in ("print", "echo")
        and not any(k.arg == "file" for k in node.keywords)
    ]
    assert found == []


@pytest.mark.slow
def test_a_signature_is_whole_on_its_own_line(tmp_path: Path) -> None:
    """A signature is one word to be copied, so it is not broken like all other lines."""
    width = 60
    rows = ["A b,x,0,5", "A b,y,8,12", "B,x,1,5", "B,y,8,13", "C d,x,0,1"]
    (tmp_path / "a.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    command = ("gamma", "a.csv", "--samples", "2", "--exclude", "C d")
    code, seen = in_terminal(width, "stderr", tmp_path, *command)
    assert code == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen)
    lines = [line for line in plain.splitlines() if line.strip()]
    before, (signature,) = lines[:-1], lines[-1:]
    assert before[-1] == "seed 0; cite the numbers with their signature:"
    assert signature.startswith("gamma|")
    assert "C d" in signature
    assert max(map(len, before)) <= width < len(signature)


@pytest.mark.parametrize("command", [("formats", "csv"), ("cite",), ("datasets",)])
def test_text_is_as_wide_as_the_terminal(
    run: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    _, seen = in_terminal(60, "stdout", tmp_path, *command)
    lines = seen.splitlines()
    assert max(map(len, lines)) <= 60
    # In a pipe nothing is broken.
    assert [
        word for line in run(*command).out.splitlines() for word in line.split()
    ] == seen.split()
    assert max(map(len, run(*command).out.splitlines())) > 100


@pytest.mark.parametrize("columns", [60])
def test_titles_of_tables_break_between_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    show(Table(COLUMNS[:2], [{**RECORD, "file": "a"}]), title=SENTENCE)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    assert " ".join(lines[1:3]) == SENTENCE
