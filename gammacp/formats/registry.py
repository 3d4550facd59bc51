"""The file formats by name: what each reads and writes, and how it is recognised."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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

# A text may stand before the keys that tell one tool's JSON from another's.
HEAD_BYTES = 1 << 22

_NOTES = {
    "offset_unit": "Positions",
    "annotators": "Annotators",
    "category": "Category",
    "policy": "Spans",
}
_NOTE = re.compile(r"^(Positions|Annotators|Category|Spans)\n((?: {4}.+(?:\n|\Z))+)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Conventions:
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

    def completed_by(self, read: Callable[..., object]) -> Conventions:
        """Return these conventions, with the gaps filled from a reader's docstring.

        Parameters
        ----------
        read
            A reader whose notes may have Positions, Annotators, Category and Spans.
        """
        notes = dict(_NOTE.findall(inspect.getdoc(read) or ""))
        written = {name: " ".join(notes.get(title, "").split()) for name, title in _NOTES.items()}
        return Conventions(**{name: getattr(self, name) or written[name] for name in _NOTES})


@dataclass(frozen=True, kw_only=True)
class FormatReader:
    """The functions that recognise and read the files of a format.

    Attributes
    ----------
    sniff
        `sniff(head, path)`: whether a file that begins with these bytes (at most `HEAD_BYTES`) is
        of this format. Formats are asked in the order of registration; the first yes wins.
    read
        `read(source, **options)` with keyword-only options that have defaults. It returns a
        Continuum when the file is one continuum, a Corpus when the file itself names its continua;
        everything in the file that does not become a unit is counted in its `left_out` (`Spans` and
        `Documents` have `leave_out` for it). Whatever is wrong with the file is a DataError with
        its line.
    layers
        `layers(source)`: the layers with spans in a file and the features of each, for formats
        with `layer` and `feature`; these two are then chosen over all files that are read.
    first_rows
        `first_rows(source)`: by document and annotator the place of their first row in a file that
        was read, for messages.
    head
        `head(source)`: the first rows of a table as texts, names of columns first, for people who
        say which column is what.
    origin
        `origin(source, place)`: the state of the work that a file holds as its project says, for
        formats of one annotator's part of a document a file; None where nothing says so. `place` is
        the path that names annotator and document.
    """

    sniff: Callable[[bytes, Path], bool]
    read: Callable[..., Continuum | Corpus]
    layers: Callable[[Source], Layers] | None = None
    first_rows: Callable[[Source], Mapping[tuple[str, ...], str]] | None = None
    head: Callable[[Source], Sequence[Sequence[str]]] | None = None
    origin: Callable[[Source, Path], Origin | None] | None = None

    def __post_init__(self) -> None:
        """Turn unexpected exceptions of the functions into errors of the file."""
        for name in ("sniff", "read", "layers", "first_rows", "head", "origin"):
            if function := getattr(self, name):
                object.__setattr__(self, name, guard(function))

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options that the reader takes, in the order of its signature."""
        return _keywords(self.read)


@dataclass(frozen=True, kw_only=True)
class FormatWriter:
    """The function that writes a format, and the files that it makes.

    Attributes
    ----------
    write
        `write(document, path, **options)`.
    per_annotator
        Whether it makes a file for each annotator, placed by the format's `layout`.
    by_name
        Whether the format is written only if it is named, since its ending is another format's.
    milliseconds
        Whether it rounds seconds to milliseconds.
    """

    write: Callable[..., None]
    per_annotator: bool = False
    by_name: bool = False
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
        Whether types of chains are kept, too.
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
        Usual file name endings with the dot, upper and lower case alike; the first is written by
        default.
    reader
        The functions that recognise and read its files.
    writer
        The function that writes it; None when the format is only read.
    kept
        Parts of a document beside the units that survive writing and reading.
    conventions
        Meaning of positions, annotators, categories and spans.
    by_content
        Endings that files of other kinds have, too. In a folder, a file with one is passed over
        unless it is recognised.
    layout
        Layout that names come from when a file holds one annotator's part of a document:
        "{annotator}/{document}" or "{document}/{annotator}". Files of the same document are then
        merged. None when the file names its annotators itself.
    holds
        "units"; "shapes" for a format of nothing but shapes; "segmentations" where units say only
        a part, and a subject reads the whole.
    many
        Whether a file that is written holds a corpus.
    extra
        The optional dependency group that reading needs, if any.
    """

    name: str
    title: str
    extensions: tuple[str, ...]
    reader: FormatReader
    writer: FormatWriter | None = None
    kept: KeptData = KeptData()
    conventions: Conventions = Conventions()
    by_content: tuple[str, ...] = ()
    layout: str | None = None
    holds: Literal["units", "segmentations", "shapes"] = "units"
    many: bool = False
    extra: str | None = None

    @cached_property
    def endings(self) -> tuple[str, ...]:
        """All endings of this format's files, in lower case."""
        return tuple(ending.lower() for ending in (*self.extensions, *self.by_content))

    def has_ending(self, path: Path) -> bool:
        """Return whether a file has an ending of this format.

        Parameters
        ----------
        path
            Path of the file; its last ending counts, or its last two.
        """
        return bool(path.suffix) and path.name.lower().endswith(self.endings)


def _keywords(function: Callable[..., object]) -> tuple[str, ...]:
    parameters = inspect.signature(function).parameters.values()
    return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)


def holding(
    endings: str,
    *keys: bytes | tuple[bytes, ...],
    none_of: tuple[bytes, ...] = (),
    first_line: bool = False,
) -> Callable[[bytes, Path], bool]:
    """Return a `sniff` that asks for one of the endings and for all `keys` in the beginning.

    The beginning may be restricted to the first line. Of a tuple of keys, one is enough; no key of
    `none_of` may occur.
    """

    def sniff(head: bytes, path: Path) -> bool:
        if first_line:
            text = head.split(b"\n", 1)[0]
        else:
            text = head
        return (
            path.suffix.lower() in endings.split()
            and all(any(k in text for k in ([x] if isinstance(x, bytes) else x)) for x in keys)
            and not any(k in text for k in none_of)
        )

    return sniff


def ending_or(endings: str, *keys: bytes) -> Callable[[bytes, Path], bool]:
    """Return a `sniff` that asks for one of the endings, or for all `keys` in the beginning."""
    return lambda head, path: path.suffix.lower() in endings.split() or all(k in head for k in keys)


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
    head: Callable[[Source], Sequence[Sequence[str]]] | None = None,
    origin: Callable[[Source, Path], Origin | None] | None = None,
    write: Callable[..., None] | None = None,
    many: bool = False,
    per_annotator: bool = False,
    by_name: bool = False,
    milliseconds: bool = False,
    by_content: tuple[str, ...] = (),
    layout: str | None = None,
    holds: Literal["units", "segmentations", "shapes"] = "units",
    extra: str | None = None,
    offset_unit: str = "",
    annotators: str = "",
    category: str = "",
    policy: str = "",
    **kept: Unpack[KeptDataOptions],
) -> Format:
    """Make a format and add it under its name.

    Parameters
    ----------
    name, title, extensions, by_content, layout, holds, many, extra
        The attributes of `Format`.
    sniff, read, layers, first_rows, head, origin
        The attributes of `FormatReader`.
    write, per_annotator, by_name, milliseconds
        The attributes of `FormatWriter`.
    offset_unit, annotators, category, policy
        The attributes of `Conventions`; by default what the notes of the reader's docstring say
        under Positions, Annotators, Category and Spans.
    kept
        The attributes of `KeptData`.
    """
    writer = None
    if write is not None:
        writer = FormatWriter(
            write=write, per_annotator=per_annotator, by_name=by_name, milliseconds=milliseconds
        )
    conventions = Conventions(
        offset_unit=offset_unit, annotators=annotators, category=category, policy=policy
    )
    reader = FormatReader(
        sniff=sniff, read=read, layers=layers, first_rows=first_rows, head=head, origin=origin
    )
    entry = Format(
        name=name,
        title=title,
        extensions=extensions,
        reader=reader,
        writer=writer,
        kept=KeptData(**kept),
        conventions=conventions.completed_by(read),
        by_content=by_content,
        layout=layout,
        holds=holds,
        many=many,
        extra=extra,
    )
    return FORMATS.register(name, entry)


def recognise(head: bytes, path: Path, *, by_ending: bool = False) -> Format | None:
    """Return the format of a file that begins with `head`; None if no format claims it.

    Formats that an extension registered are asked before those that come with gammacp.

    Parameters
    ----------
    head, path
        The beginning of the file, and its name.
    by_ending
        Whether only formats with the file's ending are asked, as in folders: a text beside
        annotations may look like a table.
    """
    head = in_utf8(head)
    candidates = (f for f in _candidates(head, path) if not by_ending or f.has_ending(path))
    return next((f for f in candidates if f.reader.sniff(head, path)), None)


def _candidates(head: bytes, path: Path) -> Iterator[Format]:
    """Yield formats that the file may have, those of extensions first.

    The modules of gammacp are imported one by one; those in an `[asked]` table only if the file has
    one of the endings or words listed there.
    """
    yield from FORMATS.unlisted()
    words = table("asked")
    folded = head.lower()
    for module, listed in table("format").items():
        if module not in words or may_be_of(words[module], folded, path):
            for name in listed.split():
                yield FORMATS[name]


def may_be_of(words: Iterable[str], folded: bytes, path: Path) -> bool:
    """Return whether a file has one of the endings, or its beginning one of the words.

    Parameters
    ----------
    words
        Endings, which begin with a dot, and words in lower case.
    folded
        The beginning of the file in lower case.
    path
        Path, of which only the name is looked at.
    """
    ending = path.suffix.lower()
    return any(ending == word if word[0] == "." else word.encode() in folded for word in words)


def format_for_writing(path: Path, name: str | None) -> Format:
    """Return the format called `name`, or whose ending `path` has; it must have a writer."""
    if name is None:
        entries = [f for _, f in FORMATS.items() if f.writer and f.has_ending(path)]
        unambiguous = [f for f in entries if f.writer and not f.writer.by_name]
        if not unambiguous:
            raise UsageError(
                f"{path}: the ending {path.suffix or '(none)'!r} does not say which format to "
                f"write; give `write(format=)` (in Python, format=) with one of: "
                f"{', '.join(f.name for f in entries) or _writable()}"
            )
        return unambiguous[0]
    chosen = FORMATS[name]
    if chosen.writer is None:
        raise UsageError(f"format {name!r} is only read; formats with a writer: {_writable()}")
    return chosen


def _writable() -> str:
    return ", ".join(n for n, f in FORMATS.items() if f.writer)
