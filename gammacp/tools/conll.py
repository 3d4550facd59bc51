"""CoNLL column files with IOB, IOB2, BIOES or BILOU tags, one token per line.

After "Language-Independent Named Entity Recognition" (CoNLL-2003 shared task) and its scorer
conlleval: a chunk begins at B, at S or U, and at an I or E that follows no chunk of its category.
Columns are separated by tabs, else by blanks; an empty line ends a sentence; `-DOCSTART-` begins a
document; `# global.columns = ID FORM …` (CoNLL-U Plus) says which column is the token. Positions
count tokens from the beginning of the document.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from gammacp.continuum import Continuum, Corpus
from gammacp.formats.conventions import FACT, ConventionNote, fact_of
from gammacp.formats.registry import registered
from gammacp.formats.source import Source
from gammacp.formats.spans import TOKENS, Documents, Spans

_TAG = re.compile(r"(?:[BIESLUM]-.*|O|[BIESLUM])", re.DOTALL)
_DOCUMENT = "-DOCSTART-"
# How tokenisers mark a piece that goes on, or one that begins a word where others do not.
_GOES_ON = re.compile(r"##.")
_BEGINS = re.compile("[\u2581\u0120]")
_UNFINISHED = "@@"
_COLUMNS = re.compile(r"# ?global\.columns\s*=\s*(.*)")


@dataclass
class _Tokens:
    """Tokens and tags of a document while it is read."""

    words: list[str] = field(default_factory=list)
    rows: list[tuple[str, int, int]] = field(default_factory=list)
    """Tag, line and sentence of each token."""
    comments: int = 0
    further: int = 0
    """Columns that are neither the token nor the tag."""


def read(source: Source, *, feature: str | None = None) -> Continuum | Corpus:
    """One annotator's units.

    Parameters
    ----------
    feature
        The number of the tags' column, from 2 on; by default the last.

    Raises
    ------
    DataError
        A line has another number of columns, or no tag in that column.

    Notes
    -----
    Positions
        tokens (with `--align-texts`, where those of annotators differ, characters of the common
        text)
    Annotators
        name of the folder
    Category
        what follows B-, I-, E-, S- (or L-, U-); a bare tag is unlabelled
    Spans
        every chunk is a unit; chunks cannot overlap and end with their sentence. An I or E that
        continues no chunk of its category begins one. Subwords that begin a chunk inside of a word
        (`##ing B-PER`) are units, too, and a note counts them
    """
    column = -1
    if feature is not None:
        if not feature.isdigit() or int(feature) < 2:
            raise source.error(f"feature {feature!r} is not a column number of at least 2")
        column = int(feature) - 1
    found = list(_documents(source, column))
    documents = Documents(source, TOKENS)
    for number, tokens in enumerate(found, 1):
        name = f"{source.document}-{number}" if len(found) > 1 else source.document
        _add(documents.of(name, _text(tokens)), source.annotator, tokens)
    return documents.one_or_all()


def _documents(source: Source, column: int) -> Iterator[_Tokens]:
    tokens, sentence, width = _Tokens(), 0, 0
    form = 0
    for number, line in enumerate(source.lines(), 1):
        if not line.strip():
            sentence += 1
            continue
        cells = line.split("\t") if "\t" in line else line.split()
        # "# O" is a token and its tag, "# text = …" is not.
        tagged = len(cells) == (width or len(cells)) and _TAG.fullmatch(cells[-1])
        if line.startswith(("# ", "#\t")) and not tagged:
            tokens.comments += 1
            form = _form_column(line, form)
            continue
        if not width and not tokens.words and _is_header(cells):
            tokens.comments += 1
            continue
        if cells[min(form, len(cells) - 1)] == _DOCUMENT:
            if tokens.words:
                yield tokens
            tokens = _Tokens()
            continue
        width = width or len(cells)
        tokens.further = max(0, width - 2)
        if len(cells) != width or len(cells) < 2:
            raise source.error(
                f"line has {len(cells)} columns instead of {max(width, 2)}",
                line=number,
                hint="Each line has a token, any further columns, and a tag",
            )
        if not -width <= column < width or form >= width:
            raise source.error(f"column {max(column, form) + 1} does not exist", line=number)
        if not _TAG.fullmatch(cells[column]):
            raise source.error(
                f"tag {cells[column]!r} is not IOB, BIOES or BILOU",
                line=number,
                hint="Give the number of the column with the tags as `feature=NUMBER`. For trees, "
                "use `gammacp syntax`",
            )
        # Tokens of the text are separated by blanks, so that they can be counted.
        tokens.words.append(cells[form].replace(" ", "\u00a0"))
        tokens.rows.append((cells[column], number, sentence))
    if not tokens.words:
        raise source.error("file has no tokens")
    yield tokens


def _form_column(comment: str, before: int) -> int:
    """Return the column of the token, which `# global.columns = ID FORM …` declares."""
    declared = _COLUMNS.match(comment)
    names = declared[1].upper().split() if declared else []
    return names.index("FORM") if "FORM" in names else before


def _is_header(cells: list[str]) -> bool:
    """Whether a first line names the columns."""
    names = {"token", "word", "text", "tag", "label", "ner", "ner_tag", "iob", "bio"}
    return len(cells) > 1 and {x.strip().lower().rstrip("s") for x in cells} <= names | {"#", "id"}


def _text(tokens: _Tokens) -> str:
    sentences: dict[int, list[str]] = {}
    for word, (_, _, sentence) in zip(tokens.words, tokens.rows, strict=True):
        sentences.setdefault(sentence, []).append(word)
    return "\n".join(" ".join(words) for words in sentences.values())


def _begun_inside(tokens: _Tokens) -> int:
    """Return how many pieces that go on with a word begin a chunk there as the last piece did."""
    pieces = any(_BEGINS.match(word) for word in tokens.words)
    count = 0
    for one, other in pairwise(range(len(tokens.words))):
        before, word = tokens.words[one], tokens.words[other]
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
    spans.leave_out("column", "neither the token nor the tag", tokens.further)
    begun: tuple[int, str | None, int] | None = None
    previous_sentence = -1
    for i, (tag, line, sentence) in enumerate(tokens.rows):
        prefix, category = tag[0], tag[2:] or None
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
    # The head of a long file ends inside a line.
    split = (line.decode("utf-8", "replace").split() for line in head.splitlines())
    rows = [row for row in split if row]
    whole = rows[:-1] if len(rows) > 3 else rows
    lines = [x for x in whole if not x[0].startswith("#") and not _is_header(x)]
    width = len(lines[0]) if lines else 0
    if width < 2 or any(len(x) != width and x[0] != _DOCUMENT for x in lines):
        return False
    columns = [[x[i] for x in lines if len(x) == width] for i in range(1, width)]
    tagged = [all(_TAG.fullmatch(t) for t in column) for column in columns]
    # Single letters are common in tables; tags with a category are not, nor is O at the end.
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
