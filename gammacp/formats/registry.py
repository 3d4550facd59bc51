"""Registry of file formats, and recognition of the format of a file."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from gammacp.base.subjects import table
from gammacp.continuum import Continuum, Corpus
from gammacp.errors import UsageError
from gammacp.formats.boundary import guard
from gammacp.formats.layers import Layers
from gammacp.formats.source import Source, in_utf8
from gammacp.registry import Registry

if TYPE_CHECKING:
    from gammacp.formats.states import Origin

# Beginning of a file that `sniff` gets. It is long, as in JSON a text may precede the keys by which
# a tool's files are recognised.
HEAD_BYTES = 1 << 22

# Titles of the notes in a reader's docstring, by the attributes of `FormatConventions`.
_NOTE_TITLES = {
    "offset_unit": "Positions",
    "annotators": "Annotators",
    "category": "Category",
    "policy": "Spans",
}
_NOTE = re.compile(r"^(Positions|Annotators|Category|Spans)\n((?: {4}.+(?:\n|\Z))+)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class FormatConventions:
    """Conventions of a format, as text for the table of formats.

    Attributes
    ----------
    offset_unit
        Unit of positions.
    annotators
        Way in which annotators are found.
    category
        Part of a unit that is its category.
    policy
        Treatment of overlapping, discontinuous, zero-length and unlabelled spans.
    """

    offset_unit: str = ""
    annotators: str = ""
    category: str = ""
    policy: str = ""

    def with_defaults_from(self, read: Callable[..., object]) -> FormatConventions:
        """Return these conventions; empty ones are taken from a reader's docstring.

        Parameters
        ----------
        read
            A reader whose notes may have Positions, Annotators, Category and Spans.
        """
        notes = dict(_NOTE.findall(inspect.getdoc(read) or ""))
        texts = {
            name: getattr(self, name) or " ".join(notes.get(title, "").split())
            for name, title in _NOTE_TITLES.items()
        }
        return FormatConventions(**texts)


@dataclass(frozen=True, kw_only=True)
class FormatReader:
    """Functions that recognise and read the files of a format.

    Attributes
    ----------
    sniff
        `sniff(head, path)`: return whether a file that begins with the bytes `head` (at most
        `HEAD_BYTES`) is of this format. Formats are asked in the order of registration; the first
        yes wins.
    read
        `read(source, **options)`: return a Continuum when the file is one continuum, a Corpus when
        the file itself names its continua. Options are keyword-only and have defaults. Everything
        in the file that does not become a unit is counted in `left_out` of the result (see
        `leave_out` of `Spans` and `Documents`). Errors in the file raise DataError with the line.
    layers
        `layers(source)`: return the layers with spans in a file and the features of each, for
        formats with the options `layer` and `feature`; these two are then chosen over all files
        that are read.
    first_rows
        `first_rows(source)`: return the location of the first row of each (document, annotator),
        for error messages.
    preview
        `preview(source)`: return the first rows of a table as texts, names of columns first, for
        people who assign the columns.
    origin
        `origin(source, path)`: return the state of the work that the tool's project records for
        this file, None if it records none; for formats with one file for each annotator and
        document. `path` names the annotator and the document.
    """

    sniff: Callable[[bytes, Path], bool]
    read: Callable[..., Continuum | Corpus]
    layers: Callable[[Source], Layers] | None = None
    first_rows: Callable[[Source], Mapping[tuple[str, ...], str]] | None = None
    preview: Callable[[Source], Sequence[Sequence[str]]] | None = None
    origin: Callable[[Source, Path], Origin | None] | None = None

    def __post_init__(self) -> None:
        """Turn unexpected exceptions of the functions into errors of the file."""
        for field in fields(self):
            if function := getattr(self, field.name):
                object.__setattr__(self, field.name, guard(function))

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options that the reader takes, in the order of its signature."""
        return _keywords(self.read)


@dataclass(frozen=True, kw_only=True)
class FormatWriter:
    """Function that writes a format, and the files that it makes.

    Attributes
    ----------
    write
        `write(document, path, **options)`: write a Continuum or a Corpus to a file.
    per_annotator
        Whether it makes a file for each annotator, with a path by the format's `layout`.
    only_if_named
        Whether users must name the format, since the ending alone means another format.
    milliseconds
        Whether it rounds seconds to milliseconds.
    """

    write: Callable[..., None]
    per_annotator: bool = False
    only_if_named: bool = False
    milliseconds: bool = False

    @property
    def keywords(self) -> tuple[str, ...]:
        """Names of all keyword arguments of the writer."""
        return _keywords(self.write)

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options that the writer takes, without the notes on units."""
        return tuple(name for name in self.keywords if name != "notes")


@dataclass(frozen=True, kw_only=True)
class KeptData:
    """Parts of a document that a format's writer keeps and its reader gives back.

    Attributes
    ----------
    bounds, text, features
        Declared bounds, the annotated text, and features of units beside the category.
    fragments, shapes
        Units of several fragments, and with shapes; other writers refuse such units.
    links
        The kinds of links that are kept.
    chain_types
        Whether types of chains are kept, too. It only matters if chains are kept (see `links`).
    """

    bounds: bool = False
    text: bool = False
    features: bool = False
    fragments: bool = False
    shapes: bool = False
    links: tuple[str, ...] = ()
    chain_types: bool = True


class KeptDataOptions(TypedDict, total=False):
    """The attributes of `KeptData` as keyword arguments."""

    bounds: bool
    text: bool
    features: bool
    fragments: bool
    shapes: bool
    links: tuple[str, ...]
    chain_types: bool


@dataclass(frozen=True, kw_only=True)
class Format:
    """A registered file format.

    Attributes
    ----------
    name, title
        Name for `--format`, and the name that people use.
    extensions
        Usual endings of file names, with the dot; the case does not matter. The first is written by
        default.
    reader
        Functions that recognise and read files.
    writer
        Function that writes files; None if the format is only read.
    keeps
        Parts of a document beside the units that survive writing and reading.
    conventions
        Meaning of positions, annotators, categories and spans.
    shared_extensions
        Endings that files of other kinds have, too. A file in a folder that has such an ending is
        skipped unless it is recognised.
    layout
        Layout that names come from when a file holds one annotator's part of a document:
        "{annotator}/{document}" or "{document}/{annotator}". Files of the same document are then
        merged. None when the file names its annotators itself.
    data_kind
        "units"; "shapes" if all units have shapes; "segmentations" if files describe segmentations,
        of which units represent only a part (a subject reads them completely).
    several_continua
        Whether the writer can put several continua into one file.
    extra
        Optional dependency group that reading needs, if any.
    """

    name: str
    title: str
    extensions: tuple[str, ...]
    reader: FormatReader
    writer: FormatWriter | None = None
    keeps: KeptData = KeptData()
    conventions: FormatConventions = FormatConventions()
    shared_extensions: tuple[str, ...] = ()
    layout: str | None = None
    data_kind: Literal["units", "segmentations", "shapes"] = "units"
    several_continua: bool = False
    extra: str | None = None

    @cached_property
    def endings(self) -> tuple[str, ...]:
        """All endings of files of this format, in lower case."""
        return tuple(ending.lower() for ending in (*self.extensions, *self.shared_extensions))

    def has_ending(self, path: Path) -> bool:
        """Return whether a file has an ending of this format.

        Parameters
        ----------
        path
            Path of the file. Endings with two dots are compared, too.
        """
        return bool(path.suffix) and path.name.lower().endswith(self.endings)


@cache
def _keywords(function: Callable[..., object]) -> tuple[str, ...]:
    parameters = inspect.signature(function).parameters.values()
    return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)


def sniff_ending_and_keys(
    endings: str,
    *keys: bytes | tuple[bytes, ...],
    none_of: tuple[bytes, ...] = (),
    first_line: bool = False,
) -> Callable[[bytes, Path], bool]:
    """Return a `sniff` that requires one of the endings, and all keys in the beginning of the file.

    Parameters
    ----------
    endings
        Endings in lower case, separated by spaces.
    keys
        Keys of which each must occur; of a tuple of keys, one is enough.
    none_of
        Keys that must not occur.
    first_line
        Whether keys are searched in the first line only.
    """

    def sniff(head: bytes, path: Path) -> bool:
        if path.suffix.lower() not in endings.split():
            return False
        text = head
        if first_line:
            text = head.split(b"\n", 1)[0]
        has_keys = all(_has_any(text, key) for key in keys)
        return has_keys and not _has_any(text, none_of)

    return sniff


def _has_any(text: bytes, keys: bytes | tuple[bytes, ...]) -> bool:
    if isinstance(keys, bytes):
        return keys in text
    return any(key in text for key in keys)


def sniff_ending_or_keys(endings: str, *keys: bytes) -> Callable[[bytes, Path], bool]:
    """Return a `sniff` that requires one of the endings, or all keys in the beginning of the file.

    Parameters
    ----------
    endings
        Endings in lower case, separated by spaces.
    keys
        Keys that must occur.
    """

    def sniff(head: bytes, path: Path) -> bool:
        return path.suffix.lower() in endings.split() or all(key in head for key in keys)

    return sniff


FORMATS: Registry[Format] = Registry("format")


def registered(
    name: str,
    title: str,
    extensions: tuple[str, ...],
    sniff: Callable[[bytes, Path], bool],
    read: Callable[..., Continuum | Corpus],
    *,
    layers: Callable[[Source], Layers] | None = None,
    first_rows: Callable[[Source], Mapping[tuple[str, ...], str]] | None = None,
    preview: Callable[[Source], Sequence[Sequence[str]]] | None = None,
    origin: Callable[[Source, Path], Origin | None] | None = None,
    write: Callable[..., None] | None = None,
    several_continua: bool = False,
    per_annotator: bool = False,
    only_if_named: bool = False,
    milliseconds: bool = False,
    shared_extensions: tuple[str, ...] = (),
    layout: str | None = None,
    data_kind: Literal["units", "segmentations", "shapes"] = "units",
    extra: str | None = None,
    offset_unit: str = "",
    annotators: str = "",
    category: str = "",
    policy: str = "",
    **keeps: Unpack[KeptDataOptions],
) -> Format:
    """Register a format under its name, and return it.

    Parameters
    ----------
    name, title, extensions, shared_extensions, layout, data_kind, several_continua, extra
        The attributes of `Format`.
    sniff, read, layers, first_rows, preview, origin
        The attributes of `FormatReader`.
    write, per_annotator, only_if_named, milliseconds
        The attributes of `FormatWriter`.
    offset_unit, annotators, category, policy
        The attributes of `FormatConventions`. The default texts are read from the docstring of
        `read`: its notes under Positions, Annotators, Category and Spans.
    keeps
        The attributes of `KeptData`.
    """
    writer = None
    if write is not None:
        writer = FormatWriter(
            write=write,
            per_annotator=per_annotator,
            only_if_named=only_if_named,
            milliseconds=milliseconds,
        )
    conventions = FormatConventions(
        offset_unit=offset_unit, annotators=annotators, category=category, policy=policy
    )
    reader = FormatReader(
        sniff=sniff,
        read=read,
        layers=layers,
        first_rows=first_rows,
        preview=preview,
        origin=origin,
    )
    entry = Format(
        name=name,
        title=title,
        extensions=extensions,
        reader=reader,
        writer=writer,
        keeps=KeptData(**keeps),
        conventions=conventions.with_defaults_from(read),
        shared_extensions=shared_extensions,
        layout=layout,
        data_kind=data_kind,
        several_continua=several_continua,
        extra=extra,
    )
    return FORMATS.register(name, entry)


def recognise(head: bytes, path: Path, *, with_ending: bool = False) -> Format | None:
    """Return the format of a file that begins with `head`; None if no format claims it.

    Formats of plug-ins are asked before those that come with gammacp.

    Parameters
    ----------
    head, path
        Beginning of the file, and its path.
    with_ending
        Whether only formats with the file's ending are asked, as in folders: a text beside
        annotations may look like a table.
    """
    head = in_utf8(head)
    for candidate in _candidates(head, path):
        if with_ending and not candidate.has_ending(path):
            continue
        if candidate.reader.sniff(head, path):
            return candidate
    return None


def _candidates(head: bytes, path: Path) -> Iterator[Format]:
    """Yield formats that the file may have, those of plug-ins first.

    The modules of gammacp are imported one by one; those in a `[clue]` table only if the file has
    one of the endings or words listed there.
    """
    yield from FORMATS.unlisted()
    clues_of_module = table("clue")
    lowered_head = head.lower()
    for module, names in table("format").items():
        clues = clues_of_module.get(module)
        if clues is None or has_clue(clues, lowered_head, path):
            for name in names.split():
                yield FORMATS[name]


def has_clue(clues: Iterable[str], lowered_head: bytes, path: Path) -> bool:
    """Return whether a file has one of the endings, or its beginning one of the words.

    Parameters
    ----------
    clues
        Endings, which begin with a dot, and words, all in lower case.
    lowered_head
        Beginning of the file in lower case.
    path
        Path of the file; only its ending matters.
    """
    ending = path.suffix.lower()
    for clue in clues:
        is_there = clue == ending if clue.startswith(".") else clue.encode() in lowered_head
        if is_there:
            return True
    return False


def format_for_writing(path: Path, name: str | None) -> Format:
    """Return the format that users named, or else the one that the ending of the file means.

    Some formats with the ending are written only if they are named; of the others, the first in the
    registry is returned.

    Parameters
    ----------
    path
        Path of the file to write.
    name
        Name of the format, if given.
    """
    if name is None:
        return _format_by_ending(path)
    chosen = FORMATS[name]
    if chosen.writer is None:
        raise UsageError(f"format {name!r} is only read; formats with a writer: {_writable()}")
    return chosen


def _format_by_ending(path: Path) -> Format:
    names = []
    for name, candidate in FORMATS.items():
        if candidate.writer is None or not candidate.has_ending(path):
            continue
        if not candidate.writer.only_if_named:
            return candidate
        names.append(name)
    raise UsageError(
        f"{path}: the ending {path.suffix or '(none)'!r} does not say which format to write; "
        f"give `write(format=)` with one of: {', '.join(names) or _writable()}"
    )


def _writable() -> str:
    """Return the names of all formats with a writer, separated by commas."""
    return ", ".join(name for name, entry in FORMATS.items() if entry.writer is not None)
