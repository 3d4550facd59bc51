"""The lines of a WebAnno TSV file, whose cells `gammacp.tools.webanno` interprets.

After "WebAnno TSV 3.3 File format" in INCEpTION's user guide. A line is a token or, with a number
like 1-3.2, a part of a token. Its columns are the features of the span layers that the header
declares as `#T_SP=layer|feature|…`.
"""

import re
from dataclasses import dataclass

from gammacp.formats.source import Source

_NUMBER = re.compile(r"(\d{1,15})-(\d{1,15})(\.\d{1,15})?")
_OFFSETS = re.compile(r"(\d{1,15})-(\d{1,15})")
_ESCAPED = re.compile(r"\\(->|.)", re.DOTALL)
# Matches after an even number of backslashes; after an odd number, the bracket is escaped.
_IDENTIFIER = re.compile(r"(?<!\\)((?:\\\\)*+)\[(\d+)\]\Z")
_CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}
_KINDS = ("SP=", "CH=", "RL=")
VERSION_3 = "#FORMAT=WebAnno TSV 3"


@dataclass(frozen=True)
class RowLayer:
    """A layer and its columns; `kind` is SP (spans), CH (chains) or RL (relations)."""

    kind: str
    name: str
    features: tuple[str, ...]
    first: int


@dataclass(frozen=True)
class TokenRow:
    """A token or a part of one."""

    line: int
    place: str
    start: int
    end: int
    token: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class WebannoRows:
    """A parsed file with layers of all kinds; sentences are (offset of the first token, text)."""

    layers: tuple[RowLayer, ...]
    rows: tuple[TokenRow, ...]
    sentences: tuple[tuple[int, str], ...]


def unescape(text: str) -> str:
    """Return the text with the file's escaping by backslashes removed."""
    return _ESCAPED.sub(lambda m: _CONTROL.get(m[1], m[1]), text)


def pieces(cell: str, mark: str) -> list[str]:
    r"""Return the pieces of a cell, cut wherever `mark` is not escaped by a backslash.

    >>> pieces(r"a\|b|c\\|d", "|")
    ['a\\|b', 'c\\\\', 'd']
    """
    parts = []
    begin = 0
    for m in re.finditer(rf"\\.|\{mark}", cell, re.DOTALL):
        if m[0] == mark:
            parts.append(cell[begin : m.start()])
            begin = m.end()
    return [*parts, cell[begin:]]


def annotations_in_cell(cell: str) -> list[tuple[str, str]]:
    r"""Return value (as written) and identifier (or "") of each annotation in a cell.

    >>> annotations_in_cell(r"PER|a\[1]|LOC[2]|b\\[3]")
    [('PER', ''), ('a\\[1]', ''), ('LOC', '2'), ('b\\\\', '3')]
    """
    matches = ((piece, _IDENTIFIER.search(piece)) for piece in pieces(cell, "|"))
    return [(piece[: m.end(1)], m[2]) if m else (piece, "") for piece, m in matches]


def rows_of(source: Source) -> WebannoRows:
    """Return the lines of a file; DataError if it has another version or is invalid."""
    lines = source.lines()
    if not lines[0].startswith(VERSION_3):
        raise source.error(
            "file is WebAnno TSV of version 1 or 2, or does not begin with #FORMAT=WebAnno TSV 3",
            line=1,
            hint="Import it into INCEpTION and export it as WebAnno TSV v3.3 or UIMA CAS",
        )
    layers: list[RowLayer] = []
    rows: list[TokenRow] = []
    sentences: list[tuple[int, str]] = []
    pending: list[str] = []
    width = 0
    for number, line in enumerate(lines, 1):
        if line.startswith("#T_") and line[3:6] in _KINDS and not rows and not pending:
            name, *features = line[6:].split("|")
            layers.append(RowLayer(line[3:5], name, tuple(features), width))
            # The base type of a relation is listed among its features, and has a column, too.
            width += max(1, len(features))
        elif line.startswith("#T_"):
            if line[3:6] in _KINDS:
                kind = "after the first sentence"
            else:
                kind = "of an unknown kind"
            raise source.error(f"layer {line[1:]} is declared {kind}", line=number)
        elif line.startswith("#Text="):
            pending.append(unescape(line[6:]))
        elif line.strip() and not line.startswith("#"):
            row = _row(source, number, line, width)
            if rows and not _follows(row, rows[-1]):
                raise source.error(
                    f"token {line.split()[0]} does not follow {rows[-1].place}",
                    line=number,
                    hint="Check whether the file is complete",
                )
            if pending:
                sentences.append((row.start, "\n".join(pending)))
                pending = []
            rows.append(row)
    if pending or not rows or _ends_early(rows, sentences[-1:]):
        raise source.error(
            "file ends before its text", line=len(lines), hint="Check whether the file is complete"
        )
    return WebannoRows(tuple(layers), tuple(rows), tuple(sentences))


def _ends_early(rows: list[TokenRow], sentences: list[tuple[int, str]]) -> bool:
    """Return whether the last sentence has words after its last token: the file is cut off.

    The last row may be a part of a token that ends before the token. Offsets may count UTF-16 units
    or code points.
    """
    reached = max((row.end for row in rows), default=0)
    return any(
        any(map(str.isalnum, _rest_in_utf16(text, reached - start)))
        and any(map(str.isalnum, text[reached - start :]))
        for start, text in sentences
    )


def _rest_in_utf16(text: str, offset: int) -> str:
    return text.encode("utf-16-le", "surrogatepass")[2 * offset :].decode("utf-16-le", "replace")


def _row(source: Source, number: int, line: str, width: int) -> TokenRow:
    cells = line.split("\t")
    place = _NUMBER.fullmatch(cells[0])
    if len(cells) > 1:
        offsets = _OFFSETS.fullmatch(cells[1])
    else:
        offsets = None
    # Every column ends with a tab, except that a last token may lack it.
    if cells[-1] == "":
        values = cells[3:-1]
    else:
        values = cells[3:]
    if place is None or offsets is None or len(cells) < 3 or len(values) != width:
        raise source.error(
            f"line is not a token with {width} feature columns",
            line=number,
            hint="Check whether the file is complete and was exported as WebAnno TSV 3",
        )
    start = int(offsets[1])
    end = int(offsets[2])
    token = unescape(cells[2])
    return TokenRow(number, cells[0], start, end, token, tuple(values))


def _follows(row: TokenRow, last: TokenRow) -> bool:
    """Return whether a row's number follows the last: the next part, token or sentence."""
    sentence, token, part = _numbers(row)
    last_sentence, last_token, last_part = _numbers(last)
    if part:
        return (sentence, token, part) == (last_sentence, last_token, last_part + 1)
    if sentence == last_sentence:
        return token == last_token + 1
    return (sentence, token) == (last_sentence + 1, 1)


def _numbers(row: TokenRow) -> tuple[int, int, int]:
    sentence, token, part = _NUMBER.fullmatch(row.place).groups()  # type: ignore[union-attr]
    return int(sentence), int(token), int((part or ".0")[1:])
