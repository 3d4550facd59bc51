"""Dependency annotations from CoNLL-U, CoNLL-X and their dialects.

Columns are separated by tabs (by blanks where a file has no tab), sentences by empty lines; lines
that start with `#` are comments. Multiword ranges (`1-2`) and empty nodes (`1.1`) of CoNLL-U are
skipped, enhanced dependencies and features are not read. A `# global.columns` line (CoNLL-U Plus)
names the columns; lines of 14 or more columns are CoNLL-2009.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gammacp.errors import DataError
from gammacp.left_out import Tally
from gammacp.syntax.annotations import Dependencies
from gammacp.syntax.text import read_lines

_NAME = re.compile(r"#\s*sent_id\s*=\s*(.*\S)")
_COLUMNS = re.compile(r"#\s*global\.columns\s*=\s*(.*\S)")
_SKIPPED_ID = re.compile(r"\d+[-.]\d+")
_SKIPPED = {
    True: ("multiword range", "its tokens are compared"),
    False: ("empty node", "enhanced dependencies are not read"),
}


@dataclass(frozen=True)
class Layout:
    """Which column holds what, counted from 0; `form` may be missing."""

    identifier: int
    form: int | None
    head: int
    relation: int

    @property
    def width(self) -> int:
        """The smallest number of columns."""
        return max(self.identifier, self.head, self.relation) + 1


CONLL_X = Layout(0, 1, 6, 7)
CONLL_2009 = Layout(0, 1, 8, 10)
_CONLL_2009_COLUMNS = 14


def read_conll(
    path: Path, *, encoding: str = "utf-8", tally: Tally | None = None
) -> list[Dependencies]:
    """The sentences of a file, in its order.

    Parameters
    ----------
    path, encoding
        The file.
    tally
        Counts the multiword ranges and empty nodes that are skipped.

    Raises
    ------
    DataError
        A line cannot be a token, a sentence has none, or there is no sentence. Cycles, heads out of
        range and several roots are left for `gammacp.syntax.defects` to report.
    """
    tally = tally or Tally(str(path))
    lines = read_lines(path, encoding=encoding)
    tabs = any("\t" in line for line in lines if not line.startswith("#"))
    layout: Layout | None = None
    sentences = []
    for block in _blocks(lines):
        name, rows = None, []
        for number, line in block:
            if line.startswith("#"):
                if match := _NAME.match(line):
                    name = match[1]
                elif match := _COLUMNS.match(line):
                    layout = _named_layout(match[1].split(), path, number)
            else:
                rows.append((number, line.split("\t") if tabs else line.split()))
        if rows:
            sentences.append(_sentence(rows, layout, path, name, tally))
    if not sentences:
        raise DataError("no sentence found", file=path, hint="Is this a CoNLL file?")
    return sentences


def _blocks(lines: list[str]) -> Iterator[list[tuple[int, str]]]:
    block: list[tuple[int, str]] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _named_layout(names: list[str], path: Path, line: int) -> Layout:
    upper = [name.upper() for name in names]
    missing = [name for name in ("ID", "HEAD", "DEPREL") if name not in upper]
    if missing:
        raise DataError(f"global.columns has no {' and no '.join(missing)}", file=path, line=line)
    form = upper.index("FORM") if "FORM" in upper else None
    return Layout(upper.index("ID"), form, upper.index("HEAD"), upper.index("DEPREL"))


def _sentence(
    rows: list[tuple[int, list[str]]],
    layout: Layout | None,
    path: Path,
    name: str | None,
    tally: Tally,
) -> Dependencies:
    heads: list[int] = []
    relations: list[str] = []
    forms: list[str] = []
    numbers: list[int] = []
    for number, fields in rows:
        here = layout or (CONLL_2009 if len(fields) >= _CONLL_2009_COLUMNS else CONLL_X)
        if len(fields) < here.width:
            raise DataError(
                f"{len(fields)} column{'s' * (len(fields) != 1)} where at least {here.width} "
                "are needed",
                file=path,
                line=number,
                hint="Columns are separated by tabs: ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL.",
            )
        identifier, head = fields[here.identifier], fields[here.head]
        if _SKIPPED_ID.fullmatch(identifier):
            tally.add(*_SKIPPED["-" in identifier])
            continue
        if identifier != str(len(heads) + 1):
            raise DataError(
                f"token id {identifier!r} where {len(heads) + 1} was expected",
                file=path,
                line=number,
                hint="Tokens are numbered from 1, and an empty line ends a sentence.",
            )
        if not re.fullmatch(r"-?\d+", head):
            raise DataError(
                f"head {head!r} is not a token number",
                file=path,
                line=number,
                hint="A head is the id of a token, or 0 for the root.",
            )
        heads.append(int(head))
        relations.append(fields[here.relation])
        if here.form is not None:
            forms.append(fields[here.form])
        numbers.append(number)
    if not heads:
        raise DataError(
            "sentence without a token",
            file=path,
            line=rows[0][0],
            hint="It has multiword ranges or empty nodes only: take it out.",
        )
    return Dependencies(
        tuple(heads), tuple(relations), tuple(forms), str(path), tuple(numbers), name
    )
