"""What commands print: JSON and tables on stdout, messages and progress on stderr."""

from __future__ import annotations

import codecs
import json
import math
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gammacp.errors import UsageError
from gammacp.text import visible

if TYPE_CHECKING:
    from gammacp.record_tables import Table

verbosity = 0
"""−1: results and errors only (`--quiet`); 1: more progress, and everything left out."""

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def make_streams_usable() -> None:
    """Let stdout and stderr take whatever is printed.

    A character that their encoding does not have becomes an escape, a line of a table "-". What is
    closed (`>&-`), Python has no stream for: nothing is shown then.
    """
    codecs.register_error("gammacp", _in_ascii)
    for name in ("stderr", "stdout"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
            message("stdout is closed: results are not shown")
        elif getattr(stream, "errors", None) == "strict":
            stream.reconfigure(errors="gammacp")


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    part = error.object[error.start : error.end].replace("─", "-")
    return part.encode("ascii", "backslashreplace").decode(), error.end


def _encodable(cell: str) -> str:
    """A cell as stdout writes it: escapes are longer than what they stand for."""
    if cell.isascii() or _takes_all():
        return cell
    return cell.encode(sys.stdout.encoding, "gammacp").decode(sys.stdout.encoding)


def _takes_all() -> bool:
    return (getattr(sys.stdout, "encoding", None) or "utf").lower().startswith("utf")


def print_json(document: Mapping[str, object], *, lines: bool = False) -> None:
    """One JSON document on stdout (of `lines` one); undefined numbers are null."""
    ascii_only = not _takes_all()
    text = json.dumps(_plain(document), ensure_ascii=ascii_only, indent=None if lines else 2)
    sys.stdout.write(re.sub(r"[^\n -~]", _escape, text) + "\n")


def _escape(found: re.Match[str]) -> str:
    """A character that a terminal would obey as an escape of JSON, which says the same."""
    character = found[0]
    return character if visible(character) == character else json.dumps(character)[1:-1]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if hasattr(value, "item"):  # a NumPy scalar
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def show(table: Table, *, title: str = "", digits: int = 4) -> None:
    """A table on stdout; numeric columns are right-aligned.

    Only a terminal has a width that cells are wrapped to; thousands of rows are quickly written to
    a pipe or a file.
    """
    if title:
        print(f"\n{visible(title)}")
    cells, right = table.cells(digits), [column.numeric for column in table.columns]
    if not sys.stdout.isatty():
        sys.stdout.writelines(_lines([*table.headers], cells, right))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as Drawn

    drawn = Drawn(box=SIMPLE_HEAD, pad_edge=False)
    for header, numeric in zip(table.headers, right, strict=True):
        drawn.add_column(header, justify="right" if numeric else "left", no_wrap=numeric)
    for row in cells:
        drawn.add_row(*row)
    Console(file=sys.stdout, highlight=False, markup=False).print(drawn)


def _lines(heads: list[str], cells: list[list[str]], right: list[bool]) -> Iterator[str]:
    """The table as a terminal of any width shows it."""
    from rich.cells import cell_len

    rows = [[_encodable(cell) for cell in row] for row in (heads, *cells)]
    lengths = [[cell_len(cell) for cell in row] for row in rows]
    widths = [max(column) for column in zip(*lengths, strict=True)]
    blank = " " * (sum(widths) + 3 * len(widths) - 1) + "\n"
    yield blank
    for i, row in enumerate(rows):
        padding = [" " * (w - n) for w, n in zip(widths, lengths[i], strict=True)]
        parts = [p + c if r else c + p for p, c, r in zip(padding, row, right, strict=True)]
        yield f" {'   '.join(parts)} \n"
        if i == 0:
            yield f" {'─' * (len(blank) - 3)} \n"
    yield blank


def group_by_text(entries: Iterable[tuple[str, str]], most: int = 5) -> Iterator[tuple[str, str]]:
    """Each text once, with the names that it is about; only the first ones of many."""
    names: dict[str, list[str]] = {}
    for text, name in entries:
        names.setdefault(text, []).append(name)
    for text, listed in names.items():
        more = len(listed) - most
        yield text, ", ".join(listed[:most]) + (f" and {more} more" if more > 0 else "")


def outputs(**named: Path | None) -> list[Path]:
    """The files that options ask to write; UsageError where two options name the same one."""
    paths = [path for path in named.values() if path is not None]
    if len({os.path.realpath(path) for path in paths}) < len(paths):
        raise UsageError(", ".join(f"--{name}" for name in named) + " need a file each")
    return paths


def message(text: str, *, error: bool = False) -> None:
    """A message to the person, on stderr; with `--quiet` only what went wrong."""
    if error or verbosity >= 0:
        print(visible(text, keep="\n"), file=sys.stderr)


def messages(entries: Iterable[tuple[str, str]], *, before: str = "", error: bool = False) -> None:
    """What is said of each of many (text, name): each text once, with the first of its names."""
    for text, names in group_by_text(entries):
        message(f"{before}{names}: {text}", error=error)
