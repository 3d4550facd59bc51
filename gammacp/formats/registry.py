"""The file formats by name: what each reads and writes, and how it is recognised."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gammacp.base.subjects import table
from gammacp.continuum import Continuum, Corpus
from gammacp.errors import UsageError
from gammacp.formats.boundary import guard
from gammacp.formats.layers import Layers
from gammacp.formats.source import Source, in_utf8
from gammacp.registry import Registry

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
class Format:
    """A registered file format.

    Attributes
    ----------
    name, title
        What `--format` takes, and what people call it.
    extensions
        Usual file name endings with the dot, upper and lower case alike; the first is written by
        default.
    sniff
        `sniff(head, path)`: whether a file that begins with these bytes (at most `HEAD_BYTES`) is
        of this format. Formats are asked in the order of registration; the first yes wins.
    read
        `read(source, **options)` with keyword-only options that have defaults. It returns a
        Continuum when the file is one continuum, a Corpus when the file itself names its continua;
        everything in the file that does not become a unit is counted in its `left_out` (`Spans` and
        `Documents` have `leave_out` for it). Whatever is wrong with the file is a DataError with
        its line.
    write
        `write(document, path, **options)`, or None when the format is only read.
    offset_unit, annotators, category, policy
        What positions count, how annotators are found, what the category is, and what happens
        with overlapping, discontinuous, zero-length and unlabelled spans. Text for the table of
        formats; by default what the notes of the reader's docstring say under Positions,
        Annotators, Category and Spans.
    layers
        `layers(source)`: the layers with spans in a file and the features of each, for formats
        with `layer` and `feature`; these two are then chosen over all files that are read.
    first_rows
        `first_rows(source)`: by document and annotator the place of their first row in a file that
        was read, for messages.
    layout
        Where names come from when a file holds one annotator's part of a document:
        "{annotator}/{document}" or "{document}/{annotator}". Files of the same document are then
        merged. None when the file names its annotators itself.
    segmentations
        Whether it holds segmentations, of which units say a part.
    many
        Whether the writer takes a corpus.
    per_annotator
        Whether it makes a file for each annotator, where `layout` says.
    by_name
        Whether it is written only when it is named, for its ending is another format's.
    milliseconds
        Whether it rounds seconds to milliseconds.
    bounds, text, features, fragments, shapes
        Whether the writer keeps them and the reader gives them back. Units of several fragments,
        and with shapes, are refused by other writers.
    links
        The kinds of links that the writer keeps.
    chain_types
        Whether it keeps the types of chains, too.
    only_shapes
        Whether it holds nothing but shapes.
    extra
        The optional dependency group that reading needs, if any.
    """

    name: str
    title: str
    extensions: tuple[str, ...]
    sniff: Callable[[bytes, Path], bool]
    read: Callable[..., Continuum | Corpus]
    write: Callable[..., None] | None = None
    offset_unit: str = ""
    annotators: str = ""
    category: str = ""
    policy: str = ""
    layers: Callable[[Source], Layers] | None = None
    first_rows: Callable[[Source], Mapping[tuple[str, ...], str]] | None = None
    layout: str | None = None
    segmentations: bool = False
    many: bool = False
    per_annotator: bool = False
    by_name: bool = False
    milliseconds: bool = False
    bounds: bool = False
    text: bool = False
    features: bool = False
    fragments: bool = False
    shapes: bool = False
    links: tuple[str, ...] = ()
    chain_types: bool = True
    only_shapes: bool = False
    extra: str | None = None

    def __post_init__(self) -> None:
        """Take from the reader's docstring what is not given; keep strangers' files in bounds."""
        noted = dict(_NOTE.findall(inspect.getdoc(self.read) or ""))
        for name, title in _NOTES.items():
            if not getattr(self, name):
                object.__setattr__(self, name, " ".join(noted.get(title, "").split()))
        for name in ("sniff", "read", "layers", "first_rows"):
            if function := getattr(self, name):
                object.__setattr__(self, name, guard(function))

    def has_ending(self, path: Path) -> bool:
        """Whether a file name ends as this format's do.

        Parameters
        ----------
        path
            Its last ending counts, or its last two.
        """
        endings = tuple(ending.lower() for ending in self.extensions)
        return bool(path.suffix) and path.name.lower().endswith(endings)

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options that the reader takes, in the order of its signature."""
        return _keywords(self.read)

    @property
    def write_options(self) -> tuple[str, ...]:
        """Names of the options that the writer takes, without the notes on units."""
        return tuple(name for name in self.write_keywords if name != "notes")

    @property
    def write_keywords(self) -> tuple[str, ...]:
        """All that the writer can be told."""
        return _keywords(self.write) if self.write else ()


def _keywords(function: Callable[..., object]) -> tuple[str, ...]:
    parameters = inspect.signature(function).parameters.values()
    return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)


def holding(
    endings: str,
    *keys: bytes | tuple[bytes, ...],
    none_of: tuple[bytes, ...] = (),
    first_line: bool = False,
) -> Callable[[bytes, Path], bool]:
    """A `sniff`: one of the endings, and a beginning, or a first line, that holds all `keys`.

    Of a tuple of keys one will do; of `none_of` there may be none.
    """

    def sniff(head: bytes, path: Path) -> bool:
        text = head.split(b"\n", 1)[0] if first_line else head
        return (
            path.suffix.lower() in endings.split()
            and all(any(k in text for k in ([x] if isinstance(x, bytes) else x)) for x in keys)
            and not any(k in text for k in none_of)
        )

    return sniff


def ending_or(endings: str, *keys: bytes) -> Callable[[bytes, Path], bool]:
    """A `sniff`: the file's name has one of the endings, or its beginning holds all `keys`."""
    return lambda head, path: path.suffix.lower() in endings.split() or all(k in head for k in keys)


FORMATS: Registry[Format] = Registry("format")


def registered(
    name: str,
    title: str,
    extensions: tuple[str, ...],
    sniff: Callable[[bytes, Path], bool],
    read: Callable[..., Continuum | Corpus],
    **facts: Any,
) -> Format:
    """Make a format and add it under its name.

    Parameters
    ----------
    name, title, extensions, sniff, read, facts
        The attributes of `Format`.
    """
    made = Format(name=name, title=title, extensions=extensions, sniff=sniff, read=read, **facts)
    return FORMATS.register(name, made)


def recognise(head: bytes, path: Path) -> Format | None:
    """The format of a file that begins with `head`; None if no format claims it.

    Formats that an extension registered are asked before those that come with gammacp.
    """
    head = in_utf8(head)
    # The sort is stable: within each kind the order of registration stays.
    own = table("format")
    entries = sorted((f for _, f in FORMATS.items()), key=lambda f: f.read.__module__ in own)
    return next((f for f in entries if f.sniff(head, path)), None)


def format_for_writing(path: Path, name: str | None) -> Format:
    """The format called `name`, or the one whose ending `path` has; it must have a writer."""
    if name is None:
        found = [f for _, f in FORMATS.items() if f.write and f.has_ending(path)]
        alone = [f for f in found if not f.by_name]
        if not alone:
            raise UsageError(
                f"{path}: the ending {path.suffix or '(none)'!r} does not say which format to "
                f"write; give `write(format=)` (in Python, format=) with one of: "
                f"{', '.join(f.name for f in found) or _writable()}"
            )
        return alone[0]
    chosen = FORMATS[name]
    if chosen.write is None:
        raise UsageError(f"format {name!r} is only read; formats with a writer: {_writable()}")
    return chosen


def _writable() -> str:
    return ", ".join(n for n, f in FORMATS.items() if f.write)
