"""CoNLL column files with IOB, IOB2, BIOES or BILOU tags, one token per line.

After "Language-Independent Named Entity Recognition" (CoNLL-2003 shared task) and its scorer
conlleval: a chunk begins at B, at S or U, and at an I or E that follows no chunk of its category.
Columns are separated by tabs, else by blanks; an empty line ends a sentence; `-DOCSTART-` begins a
document; `# global.columns = ID FORM …` (CoNLL-U Plus) says which column is the token. A first line
may name the columns, as in HIPE-2022 (TOKEN, NE-COARSE-LIT, …, MISC), where several hold tags.
Positions count tokens from the beginning of the document.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from gammacp.base.text import lines_of
from gammacp.continuum import Continuum, Corpus
from gammacp.formats.conventions import FACT, ConventionNote, fact_of
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import TOKENS, Documents, Spans

_TAG = re.compile(r"(?:[BIESLUM]-.*|O|[BIESLUM])", re.DOTALL)
_DOCUMENT = "-DOCSTART-"
# Marks by tokenisers of a subword that continues a word, or of one that begins a word.
_GOES_ON = re.compile(r"##.")
_BEGINS = re.compile("[\u2581\u0120]")
_UNFINISHED = "@@"
# HIPE's columns of entities; the first holds the coarse types in their literal sense.
_HIPE = "NE-"
_NO_TAG = "_"
_NAMED = re.compile(r"# ?(?:[\w-]+:)?document_id\s*=\s*(.+)")
_COLUMNS = re.compile(r"# ?global\.columns\s*=\s*(.*)")


@dataclass
class _Tokens:
    """Tokens and tags of a document while it is read."""

    words: list[str] = field(default_factory=list)
    lines: list[tuple[list[str], int, int]] = field(default_factory=list)
    """Cells, number and sentence of each token's line."""
    rows: list[tuple[str, int, int]] = field(default_factory=list)
    """Tag, line and sentence of each token."""
    names: list[str] = field(default_factory=list)
    """The columns' names, where a header has them."""
    title: str = ""
    """The document's name, where a comment declares it."""
    comments: int = 0
    without: int = 0
    """Tokens with `_` in place of a tag."""


def read(source: Source, *, feature: str | None = None) -> Continuum | Corpus:
    """Return one annotator's units.

    Parameters
    ----------
    feature
        The column of the tags: its number, from 2 on, or its name in the header. By default it is
        the last column; with a header, the last one that holds tags, and in HIPE's files the first
        (NE-COARSE-LIT).

    Raises
    ------
    DataError
        A line has another number of columns than the first, or no tag in the column.

    Notes
    -----
    Positions
        tokens (with `--align-texts`, where those of annotators differ, characters of the common
        text)
    Annotators
        name of the folder
    Documents
        `-DOCSTART-` and a comment `document_id = NAME` (HIPE) begin one
    Category
        what follows B-, I-, E-, S- (or L-, U-); a bare tag is unlabelled
    Spans
        every chunk is a unit; chunks cannot overlap and end with their sentence. An I or E that
        continues no chunk of its category begins one. Subwords that begin a chunk inside of a word
        (`##ing B-PER`) are units, too, and a note counts them
    """
    token_documents = list(_documents(source))
    column = _chosen(source, token_documents, feature)
    others = [c for c in _columns_of_tags(token_documents) if c != column]
    documents = Documents(source, TOKENS)
    titles = [tokens.title for tokens in token_documents]
    for number, tokens in enumerate(token_documents, 1):
        _take_tags(source, tokens, column)
        # If two documents had the same name, they would become one.
        if tokens.title and titles.count(tokens.title) == 1:
            name = tokens.title
        else:
            if len(token_documents) > 1:
                name = f"{source.document}-{number}"
            else:
                name = source.document
        spans = documents.of(name, _text(tokens))
        _add(spans, source.annotator, tokens)
        for other in others:
            read_one, unread = (_name(tokens, c) for c in (column, other))
            reason = f"has tags, but {read_one} was read (`feature={unread}` reads {unread})"
            spans.leave_out("column", reason)
        further = len(tokens.lines[0][0]) - 2 - len(others)
        spans.leave_out("column", "neither the token nor the tag", further)
    return documents.one_or_all()


def _name(tokens: _Tokens, column: int) -> str:
    if tokens.names:
        return tokens.names[column]
    return str(column + 1)


def _documents(source: Source) -> Iterator[_Tokens]:
    """Yield each document with the cells of its lines."""
    tokens = _Tokens()
    sentence = 0
    width = 0
    form = 0
    names: list[str] = []
    for number, line in enumerate(source.lines(), 1):
        if not line.strip():
            sentence += 1
            continue
        if "\t" in line:
            cells = line.split("\t")
        else:
            cells = line.split()
        if line.startswith(("# ", "#\t")) and not _is_token(cells, width):
            if declared := _NAMED.match(line):
                if tokens.words:
                    yield tokens
                    tokens = _Tokens(names=names)
                tokens.title = declared[1].strip()
            tokens.comments += 1
            form = _form_column(line, form)
            continue
        if not width and not tokens.words and _is_header(cells):
            tokens.comments += 1
            names = [cell.strip() for cell in cells]
            tokens.names = names
            continue
        if cells[min(form, len(cells) - 1)] == _DOCUMENT:
            if tokens.words:
                yield tokens
            tokens = _Tokens(names=names)
            continue
        width = width or len(names) or len(cells)
        if len(cells) != width or len(cells) < 2:
            raise source.error(
                f"line has {len(cells)} columns instead of {max(width, 2)}",
                line=number,
                hint="Each line has a token, any further columns, and a tag",
            )
        if form >= width:
            raise source.error(f"column {form + 1} does not exist", line=number)
        # In the text, tokens are separated by blanks, so that they can be counted there.
        tokens.words.append(cells[form].replace(" ", "\u00a0"))
        tokens.lines.append((cells, number, sentence))
    if not tokens.words:
        raise source.error("file has no tokens")
    yield tokens


def _is_token(cells: list[str], width: int) -> bool:
    """Return whether a line that begins with # is a token: "# O" is one, "# text = …" is not."""
    if not width:
        return _TAG.fullmatch(cells[-1]) is not None
    return len(cells) == width and any(map(_TAG.fullmatch, cells[1:]))


def _columns_of_tags(documents: list[_Tokens]) -> list[int]:
    """Return the columns with a tag in every line, where some have a category or all are O.

    Where a header names the columns, `_` is allowed in place of a tag.
    """
    if documents[0].names:
        no_tag = {_NO_TAG}
    else:
        no_tag = set()
    columns = []
    for column in range(1, len(documents[0].lines[0][0])):
        cells = {cells[column] for tokens in documents for cells, _, _ in tokens.lines} - no_tag
        if cells and all(map(_TAG.fullmatch, cells)) and any(len(c) > 1 or c == "O" for c in cells):
            columns.append(column)
    return columns


def _chosen(source: Source, documents: list[_Tokens], feature: str | None) -> int:
    """Return the column whose tags are read.

    By default, it is the first of HIPE's columns; else, with a header, the last one that holds
    tags; and else the last column.
    """
    names = documents[0].names
    width = len(documents[0].lines[0][0])
    if feature is None:
        if not names:
            return width - 1
        columns = _columns_of_tags(documents)
        if not columns:
            raise source.error(f"none of the columns {', '.join(names[1:])} holds tags")
        first = [c for c in columns if names[c].upper().startswith(_HIPE)]
        if first:
            return first[0]
        return columns[-1]
    named = [i for i, name in enumerate(names) if i and name.casefold() == feature.casefold()]
    if named:
        return named[0]
    if not feature.isdigit() or int(feature) < 2:
        if names:
            alternatives = f" nor one of the columns {', '.join(names[1:])}"
        else:
            alternatives = ""
        raise source.error(
            f"feature {feature!r} is not a column number of at least 2{alternatives}"
        )
    if int(feature) > width:
        line = documents[0].lines[0][1]
        raise source.error(f"column {feature} does not exist", line=line)
    return int(feature) - 1


def _take_tags(source: Source, tokens: _Tokens, column: int) -> None:
    """Set the rows of a document from a column of its lines.

    Raises
    ------
    DataError
        A cell of the column is no tag.
    """
    for cells, number, sentence in tokens.lines:
        tag = cells[column]
        if tag == _NO_TAG and tokens.names:
            tokens.without += 1
            tag = "O"
        if not _TAG.fullmatch(tag):
            raise source.error(
                f"tag {tag!r} is not IOB, BIOES or BILOU",
                line=number,
                hint="Give the number of the column with the tags as `feature=NUMBER`, or its name "
                "in the header. For trees, use `gammacp syntax`",
            )
        tokens.rows.append((tag, number, sentence))


def _form_column(comment: str, before: int) -> int:
    """Return the column of the token, which `# global.columns = ID FORM …` declares."""
    declared = _COLUMNS.match(comment)
    if declared:
        names = declared[1].upper().split()
    else:
        names = []
    if "FORM" in names:
        return names.index("FORM")
    return before


def _is_header(cells: list[str]) -> bool:
    """Return whether a first line is a header: the token's column comes first, no cell is a tag."""
    names = [cell.strip().casefold().rstrip("s") for cell in cells]
    tokens = {"token", "word", "form", "text", "#", "id"}
    return (
        len(names) > 1
        and names[0] in tokens
        and len({*names}) == len(names)
        and not any(map(_TAG.fullmatch, cells))
    )


def _text(tokens: _Tokens) -> str:
    sentences: dict[int, list[str]] = {}
    for word, (_, _, sentence) in zip(tokens.words, tokens.rows, strict=True):
        sentences.setdefault(sentence, []).append(word)
    return "\n".join(" ".join(words) for words in sentences.values())


def _begun_inside(tokens: _Tokens) -> int:
    """Return the number of subwords inside words that begin a chunk, like the subword before."""
    pieces = any(_BEGINS.match(word) for word in tokens.words)
    count = 0
    for one, other in pairwise(range(len(tokens.words))):
        before = tokens.words[one]
        word = tokens.words[other]
        goes_on = (
            _GOES_ON.match(word)
            or before.endswith(_UNFINISHED)
            or (pieces and word.isalpha() and not _BEGINS.match(word))
        )
        tags = {tokens.rows[one][0], tokens.rows[other][0]}
        count += bool(goes_on and len(tags) == 1 and tags.pop()[0] in "BSU")
    return count


def _add(spans: Spans, annotator: str, tokens: _Tokens) -> None:
    spans.declare(annotator)
    if count := _begun_inside(tokens):
        evidence = (
            f"{count} subwords have B- like the piece before, so that each piece of a word is a "
            "unit of its own; if words were annotated, write I- on all but the first piece"
        )
        note = ConventionNote(spans.source.place, "subwords", evidence, applied=False)
        spans.facts[FACT] = fact_of([note])
    spans.leave_out("line", "comment", tokens.comments)
    spans.leave_out("token", "has _ instead of a tag and counts as O", tokens.without)
    begun: tuple[int, str | None, int] | None = None
    previous_sentence = -1
    for i, (tag, line, sentence) in enumerate(tokens.rows):
        prefix = tag[0]
        category = tag[2:] or None
        goes_on = (
            begun is not None
            and prefix in "IELM"
            and begun[1] == category
            and sentence == previous_sentence
        )
        if begun is not None and not goes_on:
            spans.add(annotator, begun[1], begun[0], i, line=begun[2])
            begun = None
        if prefix != "O" and begun is None:
            begun = i, category, line
        if begun is not None and prefix in "ESLU":
            spans.add(annotator, begun[1], begun[0], i + 1, line=begun[2])
            begun = None
        previous_sentence = sentence
    if begun is not None:
        spans.add(annotator, begun[1], begun[0], len(tokens.rows), line=begun[2])


def _sniff(head: bytes, path: Path) -> bool:
    if path.suffix.lower() in (".conll", ".iob", ".bio", ".iob2", ".bioes"):
        return True
    # Only the head of a long file is looked at, so that its last line may be cut off.
    split = (line.split() for line in lines_of(head.decode("utf-8", "replace")))
    rows = [row for row in split if row]
    if len(rows) > 3:
        whole = rows[:-1]
    else:
        whole = rows
    lines = [x for x in whole if not x[0].startswith("#") and not _is_header(x)]
    if lines:
        width = len(lines[0])
    else:
        width = 0
    if width < 2 or any(len(x) != width and x[0] != _DOCUMENT for x in lines):
        return False
    columns = [[x[i] for x in lines if len(x) == width] for i in range(1, width)]
    tagged = [all(_TAG.fullmatch(t) for t in column) for column in columns]
    # Columns of single letters are common in other tables, too. Only tags with a category, or an O
    # in the last column, are evidence.
    return any(
        yes and any("-" in tag or (tag == "O" and column is columns[-1]) for tag in column)
        for yes, column in zip(tagged, columns, strict=True)
    )


registered(
    "conll",
    "CoNLL IOB, BIOES",
    (".conll", ".iob", ".iob2", ".bio", ".bioes"),
    _sniff,
    read,
    layout="{annotator}/{document}",
)
