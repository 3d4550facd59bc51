"""Dependency annotations from CoNLL-U, CoNLL-X and their dialects.

Columns are separated by tabs (by blanks where a file has no tab), sentences by empty lines; lines
that start with `#` are comments. Multiword ranges (`1-2`) of CoNLL-U only serve to align words,
empty nodes (`1.1`) are nodes of the enhanced graph alone. A `# global.columns` line (CoNLL-U Plus)
names the columns; lines of 14 or more columns are CoNLL-2009.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from gammacp.base.left_out import Tally
from gammacp.base.text import counted
from gammacp.errors import DataError
from gammacp.formats.boundary import guard
from gammacp.trees.defects import UNSOUND, Defect, Kind
from gammacp.trees.measures.annotations import Dependencies, Edge
from gammacp.trees.text import read_lines

_NAME = re.compile(r"#\s*+sent_id\s*+=\s*+(.*\S)")
_COLUMNS = re.compile(r"#\s*+global\.columns\s*+=\s*+(.*\S)")
_SKIPPED_ID = re.compile(r"(\d{1,9})([-.])(\d{1,9})")
_SKIPPED = {
    "-": ("multiword range", "its tokens are compared"),
    ".": ("empty node", "it occurs in enhanced dependencies only"),
}


# Index of each column by name, counted from 0.
Layout: TypeAlias = Mapping[str, int]
_NEEDED = ("ID", "HEAD", "DEPREL")
_CONLL_X = {"ID": 0, "FORM": 1, "LEMMA": 2, "UPOS": 3, "FEATS": 5, "HEAD": 6, "DEPREL": 7}
_CONLL_X |= {"XPOS": 4, "DEPS": 8}
_CONLL_2009 = {"ID": 0, "FORM": 1, "LEMMA": 2, "UPOS": 4, "FEATS": 6, "HEAD": 8, "DEPREL": 10}
_CONLL_2009_COLUMNS = 14
MISSING = "_"
NOT_YET = "a head or a relation is missing (_): not annotated"


@guard
def read_conll(
    path: Path,
    *,
    encoding: str = "utf-8",
    tally: Tally | None = None,
    defects: list[Defect] | None = None,
) -> list[Dependencies]:
    """Return the sentences of a file, in order.

    Parameters
    ----------
    path, encoding
        The file.
    tally
        Counts the multiword ranges and empty nodes that are skipped.
    defects
        List to which defects of single sentences are added. These sentences keep their place as
        `missing`. By default the first defect is an error.

    Raises
    ------
    DataError
        A line cannot be a token, a sentence has none, or there is no sentence. Cycles, heads out of
        range and several roots are left for `gammacp.trees.defects` to report.
    """
    tally = tally or Tally(str(path))
    lines = read_lines(path, encoding=encoding)
    tabs = any("\t" in line for line in lines if not line.startswith("#"))
    layout: Layout | None = None
    sentences = list[Dependencies]()
    wrong = list[tuple[Kind, DataError]]()
    loose: list[Defect] = []
    for block in _blocks(lines):
        name: str | None = None
        for number, line in block:
            if match := _NAME.match(line):
                name = match[1]
            elif match := _COLUMNS.match(line):
                layout = _named_layout(match[1].split(), path, number)
        rows = [(i, line.split("\t" if tabs else None)) for i, line in block if line[0] != "#"]
        if not rows:
            continue
        try:
            sentences.append(_sentence(rows, layout, path, name, tally, loose))
        except DataError as fault:
            error = fault.at(path, rows[0][0])
            ids = [f[0] for _, f in rows if f[0].isdigit()]
            whole = ids[:1] == ["1"] and ids.count("1") == 1
            wrong.append((Kind.SENTENCE if whole else Kind.LIMITS, error))
            sentences.append(_unsound(rows, path, name))
    if not sentences:
        raise DataError("no sentence found", file=path, hint="Is this a CoNLL file?")
    if wrong and (defects is None or len(wrong) == len(sentences)):
        raise wrong[0][1]
    if defects is not None:
        defects += [Defect(k, str(path), e.line, f"{e.message}; left out") for k, e in wrong]
        defects += loose
    return _not_yet(sentences)


def _not_yet(sentences: list[Dependencies]) -> list[Dependencies]:
    """Return the sentences, and mark as `missing` those in which a label is missing.

    If no sentence has labels, all of them are kept as unlabelled trees.
    """
    if all(relation == MISSING for s in sentences for relation in s.relations):
        return sentences
    return [
        replace(s, missing=s.missing or (NOT_YET if MISSING in s.relations else ""))
        for s in sentences
    ]


def _unsound(rows: Sequence[tuple[int, list[str]]], path: Path, name: str | None) -> Dependencies:
    """Return a placeholder for a faulty sentence, with its place and its words only."""
    word_rows = [(k, f) for k, f in rows if f[0].isdigit()] or rows
    forms = tuple(f[1] if len(f) > 1 else MISSING for _, f in word_rows)
    heads = (0,) * len(word_rows)
    labels = (MISSING,) * len(word_rows)
    lines = tuple(k for k, _ in word_rows)
    return Dependencies(heads, labels, forms, str(path), lines, name, missing=UNSOUND)


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
    columns = {name.upper(): place for place, name in enumerate(names)}
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise DataError(f"global.columns has no {' and no '.join(missing)}", file=path, line=line)
    return columns


def _sentence(
    rows: list[tuple[int, list[str]]],
    layout: Layout | None,
    path: Path,
    name: str | None,
    tally: Tally,
    defects: list[Defect],
) -> Dependencies:
    tokens: list[dict[str, str]] = []
    numbers: list[int] = []
    multiword: list[tuple[int, int, str]] = []
    cells: dict[str, tuple[str, int]] = {}
    for number, fields in rows:
        columns = layout or (_CONLL_2009 if len(fields) >= _CONLL_2009_COLUMNS else _CONLL_X)
        try:
            token = _token(fields, columns, len(tokens) + 1)
        except DataError as error:
            raise error.at(path, number) from None
        skipped = _SKIPPED_ID.fullmatch(token["ID"])
        if skipped:
            tally.add(*_SKIPPED[skipped[2]])
        if skipped and skipped[2] == "-":
            multiword.append((int(skipped[1]), int(skipped[3]), token.get("FORM", MISSING)))
            continue
        cells[token["ID"]] = token.get("DEPS", MISSING), number
        if not skipped:
            tokens.append(token)
            numbers.append(number)
    if not tokens:
        hint = "It has multiword ranges or empty nodes only: take it out."
        raise DataError("sentence without a token", hint=hint)
    for first, last, _ in multiword:
        if last > len(tokens):
            raise DataError(f"range {first}-{last} in a sentence of {len(tokens)} tokens")

    def column(key: str) -> tuple[str, ...]:
        if any(key in t for t in tokens):
            return tuple(t.get(key, MISSING) for t in tokens)
        return ()

    heads = column("HEAD")
    return Dependencies(
        tuple(0 if head == MISSING else int(head) for head in heads),
        column("DEPREL"),
        column("FORM"),
        str(path),
        tuple(numbers),
        name,
        column("LEMMA"),
        column("UPOS"),
        column("FEATS"),
        tuple(multiword),
        _edges(cells, path, defects),
        NOT_YET if MISSING in heads else "",
        column("XPOS"),
    )


def _edges(
    cells: Mapping[str, tuple[str, int]], path: Path, defects: list[Defect]
) -> tuple[Edge, ...]:
    """Return the enhanced graph; empty if a head is missing.

    A cell with a number alone is not DEPS but PHEAD, a column of another dialect.
    """
    edges: list[Edge] = []
    for dependent, (cell, line) in cells.items():
        for part in cell.split("|") if ":" in cell else ():
            head, _, label = part.partition(":")
            if not label or (head != "0" and head not in cells):
                message = f"{part!r} has no head in the sentence, or no label; DEPS is not compared"
                defects.append(Defect(Kind.ENHANCED, str(path), line, message))
                return ()
            edges.append((head, label, dependent))
    return tuple(dict.fromkeys(edges))


def _token(fields: list[str], layout: Layout, place: int) -> dict[str, str]:
    """Return the available columns of a line; raise DataError if an id or a head is invalid."""
    needed = max(layout[name] for name in _NEEDED) + 1
    if len(fields) < needed:
        raise DataError(
            f"{counted(len(fields), 'column')} where at least {needed} are needed",
            hint="Columns are separated by tabs: ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL.",
        )
    token = {name: fields[place] for name, place in layout.items() if place < len(fields)}
    if skipped := _SKIPPED_ID.fullmatch(token["ID"]):
        if skipped[2] == "-" and not 1 <= int(skipped[1]) <= int(skipped[3]):
            raise DataError(f"range {token['ID']} goes backwards")
        return token
    if token["ID"] != str(place):
        raise DataError(
            f"token id {token['ID']!r:.80} where {place} was expected",
            hint="Tokens are numbered from 1, and an empty line ends a sentence.",
        )
    if token["HEAD"] != MISSING and not re.fullmatch(r"-?\d{1,9}", token["HEAD"]):
        raise DataError(
            f"head {token['HEAD']!r:.80} is not a token number",
            hint="A head is the id of a token, 0 for the root, or _ where there is none yet.",
        )
    return token
