"""Output of commands: JSON and tables on stdout, messages and progress on stderr."""

from __future__ import annotations

import codecs
import json
import math
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from gammacp.base.text import group_by_text, visible
from gammacp.errors import UsageError

if TYPE_CHECKING:
    from gammacp.base.pictures import Picture
    from gammacp.base.record_tables import Column, Table
    from gammacp.measures.explaining.pair_rows import PairRows

verbosity = 0
"""−1: results and errors only (`--quiet`); 1: more progress, and all skipped content."""
platform: str | None = None
"""The platform of continuous integration that shows errors beside files (`--ci`)."""

# Lists in JSON with more entries than this are written with one line per entry.
_MANY = 1000
# A number and its percent sign stay on one line.
_PERCENT = "\N{NO-BREAK SPACE}%"
MOST_ROWS = 12
"""Number of rows of a long table on a terminal; one of up to `_FEW_MORE` rows is shown whole."""
_FEW_MORE = 16
PIPED = 100
"""Width of very wide tables, in characters, if stdout is not a terminal."""
# Least width of a column with sentences on a narrow terminal.
_NARROWEST = 24

# Sentences to print above the first result on stdout.
_announced: list[str] = []

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
FrameFile = Annotated[
    Path | None,
    typer.Option(
        "--frame",
        help="Write a row per unitary alignment and pair of annotators (CSV), for models of your "
        "own.",
        metavar="FILE.csv",
        show_default=False,
    ),
]


def make_streams_usable() -> None:
    """Make stdout and stderr accept any text.

    A character that the encoding lacks is printed as an escape, and the line of a table as "-". If
    a stream is closed (`>&-`), its output is discarded.
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
    """Return a cell as stdout prints it, since escapes change its width."""
    if cell.isascii() or _takes_all():
        return cell
    return cell.encode(sys.stdout.encoding, "gammacp").decode(sys.stdout.encoding)


def _takes_all() -> bool:
    return (getattr(sys.stdout, "encoding", None) or "utf").lower().startswith("utf")


def print_json(document: Mapping[str, object], *, lines: bool = False) -> None:
    """Print a JSON document on stdout; undefined numbers become null.

    With `lines` the document takes a single line. Otherwise a list or iterator of more than a
    thousand entries takes one line per entry, and entries are written as they are produced.
    """
    some = {k: list(islice(v, _MANY + 1)) for k, v in document.items() if isinstance(v, Iterator)}
    whole: dict[str, Any] = {**document, **some}
    long = [k for k, v in whole.items() if isinstance(v, list) and len(v) > _MANY]
    if lines or not long:
        sys.stdout.write(_json_text(whole, None if lines else 2) + "\n")
        return
    before = "{"
    for key, value in whole.items():
        sys.stdout.write(f"{before}\n  {_json_text(key)}: ")
        before = ","
        if key not in long:
            sys.stdout.write(_json_text(value, 2).replace("\n", "\n  "))
            continue
        if key in some:
            rest: Any = document[key]
        else:
            rest = ()
        for number, entry in enumerate(chain(value, rest)):
            sys.stdout.write(f"{',' if number else '['}\n    {_json_text(entry)}")
        sys.stdout.write("\n  ]")
    sys.stdout.write("\n}\n")


def _json_text(value: object, indent: int | None = None) -> str:
    text = _dumped(plain := _plain(value), indent)
    if "`" in text:  # it may name parameters of the library
        from gammacp.cli.wording import options_in_texts

        text = _dumped(options_in_texts(plain), indent)
    if text.isascii() and text.isprintable():
        return text
    return re.sub(r"[^\n -~]", _escape, text)


def _dumped(plain: object, indent: int | None) -> str:
    return json.dumps(plain, allow_nan=False, ensure_ascii=not _takes_all(), indent=indent)


def _escape(match: re.Match[str]) -> str:
    """Return a character as a JSON escape if a terminal would interpret it as a command."""
    character = match[0]
    if visible(character) == character:
        return character
    return json.dumps(character)[1:-1]


_AS_IT_IS = frozenset((str, int, bool, NoneType))


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind in _AS_IT_IS:  # the most frequent case
        return value
    if kind is dict:
        return {
            k if type(k) is str else str(k): v if type(v) in _AS_IT_IS else _plain(v)
            for k, v in value.items()
        }
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return None
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    # a NumPy scalar
    if hasattr(value, "item"):
        return _plain(value.item())
    return value


def show(table: Table, *, title: str = "", digits: int = 4, piped: int = sys.maxsize) -> None:
    """Print a table on stdout; numeric columns are right-aligned.

    On a narrow terminal, headers and sentences are wrapped and the gaps between columns shrink.
    Then columns are dropped by rank, with a message. If that is not enough, each record is printed
    with one line per column. Numbers and names are never shortened. Of a long table, a terminal
    shows the rows of its excerpt, and how many others there are; `--verbose` shows all. The
    meanings of the columns are a message below the table.

    `title` is printed above the table, `digits` is the number of decimals, and `piped` is the width
    if stdout is not a terminal.
    """
    _say_announcements()
    if title:
        say(f"\n{visible(title)}")
    rows_left_out = ""
    if sys.stdout.isatty():
        width = _columns(sys.stdout)
        table, rows_left_out = _shortened(table)
    else:
        width = piped
    columns = table.columns
    cells = [_cells_with_options(columns, row) for row in table.cells(digits)]
    rows = [[_encodable(cell) for cell in row] for row in (table.headers, *cells)]
    for gap in (3, 2):
        widths = _widths(columns, rows, width, gap)
        if _total(widths, gap) <= width:
            break
    shown_columns = [i for i, _ in enumerate(columns)]
    for i in sorted((i for i in shown_columns if columns[i].rank), key=lambda i: -columns[i].rank):
        if _total([widths[k] for k in shown_columns], gap) > width:
            shown_columns.remove(i)
    if _total([widths[k] for k in shown_columns], gap) > width:
        sys.stdout.writelines(_stack(rows, width))
        _explain(rows_left_out, columns)
        return
    right = [columns[i].numeric for i in shown_columns]
    shown = [[row[i] for i in shown_columns] for row in rows]
    # Widen columns with sentences by the space of the dropped columns.
    for gap in (3, 2):
        widths = _widths([columns[i] for i in shown_columns], shown, width, gap)
        if _total(widths, gap) <= width:
            break
    sys.stdout.writelines(_lines(shown, widths, right, gap))
    if gone := [head for i, head in enumerate(table.headers) if i not in shown_columns]:
        if sys.stdout.isatty():
            elsewhere = "a wider terminal or --json"
        else:
            elsewhere = "--json"
        message(f"gammacp: too narrow for {', '.join(gone)}: {elsewhere} shows them")
    _explain(rows_left_out, [columns[i] for i in shown_columns])


def fits(table: Table) -> bool:
    """Return whether a table with all its columns fits into the terminal; a file has any width.

    Parameters
    ----------
    table
        Table that would be shown.
    """
    if not sys.stdout.isatty():
        return True
    rows = [[_encodable(cell) for cell in row] for row in (table.headers, *table.cells())]
    width = _columns(sys.stdout)
    return _total(_widths(table.columns, rows, width, 2), 2) <= width


def _shortened(table: Table) -> tuple[Table, str]:
    """Return the excerpt of a long table, with a sentence on the rows that are left out."""
    n_rows = len(table.records) - table.total
    if table.excerpt is None or verbosity > 0 or n_rows <= _FEW_MORE:
        return table, ""
    excerpt = table.shortened(MOST_ROWS)
    n_shown = len(excerpt.records) - excerpt.total
    words = (
        f"{n_rows - n_shown} more rows are not shown; these {n_shown} are those "
        f"{table.excerpt.words}. --verbose or --json shows all."
    )
    return excerpt, words


def _explain(rows_left_out: str, columns: Sequence[Column]) -> None:
    """Print how many rows are left out, and the legend of the columns."""
    if rows_left_out:
        say(rows_left_out)
    for column in columns:
        if column.meaning:
            message(column.meaning)


def _cells_with_options(columns: Sequence[Column], cells: Sequence[str]) -> list[str]:
    """Return the cells of a row; in columns with texts of the library, replace parameters."""
    if not any("`" in cell for cell in cells):
        return list(cells)
    from gammacp.cli.wording import TEXT_KEYS

    return [
        with_options(cell) if column.key in TEXT_KEYS else cell
        for column, cell in zip(columns, cells, strict=True)
    ]


def with_options(text: str) -> str:
    """Return a text in which marked parameters of the library are replaced by options."""
    if "`" not in text:
        return text
    from gammacp.cli.wording import options_for_parameters

    return options_for_parameters(text)


def _total(widths: Sequence[int], gap: int) -> int:
    return sum(widths) + gap * (len(widths) - 1) + 2


def _widths(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int, gap: int
) -> list[int]:
    """Return the width of each column; headers and sentences are wrapped if space is short."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    if _total(widths, gap) <= width:
        return widths
    for i, column in enumerate(columns):
        head, *cells = (row[i] for row in rows)
        if column.wrapped:
            head, cells = "", [" " * _NARROWEST, head, *cells]
            cells = [word for cell in cells for word in cell.split() or [cell]]
        widths[i] = min(widths[i], max(map(cell_len, [*head.split(), *cells]), default=0))
    texts = [i for i, column in enumerate(columns) if column.wrapped]
    needs = {i: max(cell_len(row[i]) for row in rows) - widths[i] for i in texts}
    for n_done, i in enumerate(sorted(texts, key=needs.__getitem__)):
        spare = max(0, width - _total(widths, gap)) // (len(texts) - n_done)
        widths[i] += min(needs[i], spare)
    return widths


def _break_lines(cell: str, width: int, hang: str = "") -> list[str]:
    """Return a text as lines, broken between words.

    Further lines are indented like the first one, and by `hang`.
    """
    from rich.cells import cell_len

    if cell_len(cell) <= width:
        return [cell]
    far_in = cell[: len(cell) - len(cell.lstrip(" "))] + hang
    lines = textwrap.wrap(
        cell.replace(" %", _PERCENT),
        width,
        subsequent_indent=far_in,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_PERCENT, " %") for line in lines]


def _lines(
    rows: Sequence[Sequence[str]], widths: Sequence[int], right: Sequence[bool], gap: int
) -> Iterator[str]:
    """Yield the lines of a table; a row may take several."""
    from rich.cells import cell_len

    blank = " " * _total(widths, gap) + "\n"
    yield blank
    for i, row in enumerate(rows):
        broken = [_break_lines(cell, w) for cell, w in zip(row, widths, strict=True)]
        for cells in zip_longest(*broken, fillvalue=""):
            padding = [" " * (w - cell_len(c)) for c, w in zip(cells, widths, strict=True)]
            parts = [p + c if r else c + p for p, c, r in zip(padding, cells, right, strict=True)]
            yield f" {(' ' * gap).join(parts)} \n"
        if i == 0:
            yield f" {'─' * (len(blank) - 3)} \n"
    yield blank


def _stack(rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield each record as lines of header and cell."""
    from rich.cells import cell_len

    heads = rows[0]
    widest = max(map(cell_len, heads))
    for row in rows[1:]:
        yield "\n"
        for head, cell in zip(heads, row, strict=True):
            indent = " " * (widest + 4)
            for i, line in enumerate(_break_lines(cell, max(width - widest - 4, 1))):
                if i == 0:
                    start = f" {head}{' ' * (widest - cell_len(head))}   "
                else:
                    start = indent
                yield f"{start}{line}\n"
    yield "\n"


def outputs(**named: Path | None) -> list[Path]:
    """Return the files to write; raise a UsageError if two options name the same file."""
    paths = [path for path in named.values() if path is not None]
    if len({os.path.realpath(path) for path in paths}) < len(paths):
        raise UsageError(", ".join(f"--{name}" for name in named) + " need different files")
    return paths


def check_frame_path(path: Path | None) -> None:
    """Raise a UsageError if `--frame` names a file that is not CSV."""
    if path is not None and path.suffix.lower() != ".csv":
        raise UsageError(f"--frame writes CSV, and {path.name} does not end in .csv")


def check_figure_path(path: Path | None) -> None:
    """Raise a UsageError if `--figure` names a file that no figure can be written to."""
    if path is not None:
        from gammacp.base.plots import check_path

        check_path(path)


def write_figure(make: Callable[[float], Picture], path: Path) -> dict[str, str]:
    """Write the figure of `--figure`; return its file and its caption for JSON."""
    from gammacp.base.pictures import write

    caption = write(make, path)
    message(f"wrote {path}")
    return {"file": str(path), "caption": caption}


def write_frame(rows: PairRows, path: Path) -> None:
    """Write the rows of `--frame`, and print their number."""
    rows.write_csv(path)
    message(f"wrote {path} ({len(rows)} rows)")


def say(text: str, *, hang: str = "") -> None:
    """Print sentences that are a result on stdout, wrapped to the width of a terminal.

    Lines after a break are indented by `hang`.
    """
    _say_announcements()
    print(_in_width(with_options(text), sys.stdout, hang))


def announce(sentence: str) -> None:
    """Schedule a sentence to be printed above the first result, if results are text.

    Parameters
    ----------
    sentence
        Sentence that readers must see before any number.
    """
    _announced.append(sentence)


def withdraw_announcements() -> None:
    """Discard the sentences of `announce` that have not been printed."""
    _announced.clear()


def _say_announcements() -> None:
    """Print the sentences of `announce`, each once."""
    sentences = list(_announced)
    _announced.clear()
    for sentence in sentences:
        print(_in_width(with_options(sentence), sys.stdout))


def tell_signatures(*signatures: str, seed: int | None = None) -> None:
    """Print the seed, and each signature on a line of its own that can be copied."""
    listed = [signature for signature in signatures if signature]
    parts = [f"seed {seed}"] * (seed is not None)
    parts += ["cite the numbers with their signature:"] * bool(listed)
    if parts:
        message("; ".join(parts))
    for signature in listed if verbosity >= 0 else ():
        print(visible(signature), file=sys.stderr)


def message(text: str, *, before: str = "", error: bool = False) -> None:
    """Print a message on stderr; with `--quiet` only if it is an error.

    `before` is printed unchanged before the text. In the text, parameters of the library are
    replaced by options.
    """
    if error or verbosity >= 0:
        print(_in_width(before + with_options(text), sys.stderr), file=sys.stderr)


def _in_width(text: str, stream: TextIO, hang: str = "") -> str:
    """Return a text wrapped to the terminal of a stream, with control characters made visible."""
    lines = visible(text, keep="\n").split("\n")
    if stream.isatty():
        width = _columns(stream)
        lines = [part for line in lines for part in _break_lines(line, width, hang)]
    return "\n".join(lines)


def _columns(stream: TextIO) -> int:
    """Return the width of the terminal of a stream, even if another stream goes to a file."""
    try:
        behind = os.get_terminal_size(stream.fileno())
    except OSError:
        behind = os.terminal_size((80, 24))
    return shutil.get_terminal_size(behind).columns


def messages(entries: Iterable[tuple[str, str]], *, before: str = "", error: bool = False) -> None:
    """Print the texts of many (text, name) pairs, each text once with its first names."""
    for text, names in group_by_text(entries):
        message(text, before=f"{before}{names}: ", error=error)
