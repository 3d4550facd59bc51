"""Reading of paths into continua: files, folders and globs, documents × annotators."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from gammacp.base.left_out import LeftOut, Tally, gather
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.document_table import DocumentTable, table_of_several
from gammacp.errors import DataError, UsageError
from gammacp.formats.archive import without_gz
from gammacp.formats.collection import (
    Collection,
    ReaderSettings,
    conventions_of,
    note_options,
)
from gammacp.formats.finding import PathLike, Unread, find
from gammacp.formats.layers import Layer, chosen_feature, chosen_layer, union
from gammacp.formats.merging import categories_of
from gammacp.formats.registry import FORMATS, Format
from gammacp.formats.source import Source

if TYPE_CHECKING:
    from gammacp.formats.conventions import ConventionNote
    from gammacp.formats.understood import Remark

T = TypeVar("T")
Reader: TypeAlias = Callable[..., Continuum | Corpus]
"""`reader(source, **options)`, as a format has it."""
_Document: TypeAlias = tuple[Source, Format, Continuum | Corpus]


def read(path: PathLike, *, format: str | None = None, **options: object) -> Continuum:
    """Return the continuum of one file (or of a folder whose files make one document).

    Parameters
    ----------
    path
        A file, or a folder with one file per annotator.
    format
        Name of the format; by default it is recognised by content.
    options
        Options of the format's reader (`gammacp formats`).

    Raises
    ------
    DataError
        The file cannot be read, or holds several continua (then use `read_corpus`).
    UsageError
        No such format or option.
    """
    collection = collect([path], format=format, **options)
    for _, error in collection.failures:
        raise error
    if len(collection.continua) != 1:
        raise DataError(
            f"{len(collection.continua)} continua instead of one", file=path, hint="Use read_corpus"
        )
    return next(iter(collection.continua.values())).with_about(left_out=collection.left_out)


def read_corpus(
    paths: PathLike | Iterable[PathLike], *, format: str | None = None, **options: object
) -> Corpus:
    """Return all continua of files, folders and globs as one corpus; raise the first failure.

    Files that hold one annotator's part of a document are merged by document. Continua have the
    name of their document, or their path where that is not unique. Arguments and errors as for
    `read`; `collect` goes on after failures.

    Parameters
    ----------
    paths, format, options
        As for `collect`.
    """
    if isinstance(paths, str | os.PathLike):
        listed = [paths]
    else:
        listed = list(paths)
    collection = collect(listed, format=format, **options)
    for _, error in collection.failures:
        raise error
    return Corpus.from_continua(
        by_document(collection.continua),
        categories=categories_of(collection.continua.values()),
        left_out=collection.left_out,
    )


def by_document(continua: Mapping[str, Continuum]) -> Mapping[str, Continuum]:
    """Return continua by the name of their document; those that share a name keep their key."""
    if isinstance(continua, DocumentTable):
        return continua
    names = Counter(c.name for c in continua.values())
    return {c.name if names[c.name] == 1 else key: c for key, c in continua.items()}


def collect(
    paths: Iterable[PathLike],
    *,
    format: str | None = None,
    instead: Any = None,  # Mapping[str, Reader] | None, beside options of any type
    finding: Any = None,  # Finding | None, likewise
    **options: object,
) -> Collection:
    """Return every continuum of files, folders and globs, and list what could not be read.

    Parameters
    ----------
    paths
        Files, folders, globs and zip archives.
    format
        Name of the format; by default each file's is recognised.
    instead
        Readers by format that replace the usual ones, for commands that need other data than units.
    finding
        Result of `find` for these paths, format and layout; by default it is called.
    options
        Options of the formats, as for `read`, and `layout`; `features`, names of what is a feature
        beside the category, for those that have some; `align_texts` aligns the texts of one
        document where they differ between annotators (`gammacp.formats.differing_texts`);
        `positions` moves those of an annotator, as in `{"Ann": "end+1"}`
        (`gammacp.formats.position_maps`); `include`, states of work that count beside finished work
        ("unfinished", "reference"), and `repeated`, which of several answers of one person on one
        document counts ("first", "last", "session"), for formats that have these.

    Raises
    ------
    DataError
        There is nothing to be read at all.
    """
    chosen = None if format is None else FORMATS[format]
    chosen_options: dict[str, Any] = {k: value for k, value in options.items() if value is not None}
    layout: str | None = chosen_options.pop("layout", None)
    align_texts = bool(chosen_options.pop("align_texts", False))
    positions = chosen_options.pop("positions", None)
    _check_known(chosen_options, chosen)
    asked = list(paths)
    finding = finding or find(asked, chosen, layout)
    sources, passed = _by_state(
        finding.sources, chosen_options.get("include"), chosen_options.get("repeated")
    )
    by_format = _group_by_key(sources, lambda source: source[1].name)
    if by_format:
        _check_options(chosen_options, [FORMATS[name] for name in by_format], ", ".join(by_format))
    settings = {name: _settings(group, chosen_options) for name, group in by_format.items()}
    documents, failed = _read_each(sources, settings, instead or {})
    unread = [*finding.unread, *failed]
    left_out = [finding.left_out, passed, *(document.left_out for *_, document in documents)]
    notes = conventions_of([document for *_, document in documents if _table_of(document) is None])
    remarks = _remarks(finding.sources, documents, notes)
    asked_for = {"format": format, **options}
    if not (unread or layout or positions):
        whole = _of_whole_tables(documents, asked_for)
        if whole is not None:
            return replace(whole, left_out=gather(left_out), remarks=remarks)
    collection = _merged(
        documents, unread, settings, asked_for, layout, positions, align_texts=align_texts
    )
    left_out.append(collection.left_out)
    collection = replace(collection, left_out=gather(left_out), conventions=notes, remarks=remarks)
    if not collection.continua and not collection.failures:
        raise _nothing(asked, collection.left_out)
    return collection


def _merged(
    documents: Sequence[_Document],
    unread: Sequence[Unread],
    settings: ReaderSettings,
    asked_for: Mapping[str, object],
    layout: str | None,
    positions: Any,
    *,
    align_texts: bool,
) -> Collection:
    """Return the documents that the parts in the files make together."""
    # Imported here, because whole tables of documents have no parts.
    from gammacp.formats.document_parts import move_parts, parts_of, put_together

    parts = [part for document in documents for part in parts_of(*document, layout)]
    if positions:
        parts = move_parts(parts, positions)
    return put_together(parts, unread, settings, layout, align_texts, asked_for)


def _check_known(options: Mapping[str, Any], chosen: Format | None) -> None:
    """Refuse options unknown to the chosen format; if none is chosen, those unknown to all."""
    if not options:
        return
    if chosen is not None:
        _check_options(options, [chosen], f"format {chosen.name!r}")
    else:
        # This check imports all formats.
        _check_options(options, [entry for _, entry in FORMATS.items()], "any format")


def _read_each(
    sources: Iterable[tuple[Source, Format]],
    settings: ReaderSettings,
    instead: Mapping[str, Reader],
) -> tuple[list[_Document], list[Unread]]:
    """Read each file, and list those that cannot be read with the error.

    Parameters
    ----------
    sources, settings
        Files with their formats, and options by format.
    instead
        Readers that take the place of a format's own.
    """
    documents: list[_Document] = []
    unread: list[Unread] = []
    for source, entry in sources:
        read = instead.get(entry.name, entry.reader.read)
        try:
            documents.append((source, entry, read(source, **settings[entry.name])))
        except DataError as error:
            path = without_gz(source.path) / source.member
            unread.append(Unread(source.place, error.at(source.place), path, entry))
    return documents, unread


def _of_whole_tables(
    documents: Sequence[_Document], asked_for: Mapping[str, object]
) -> Collection | None:
    """Return the collection if all files are tables of whole documents; otherwise None.

    Such tables need no merging of parts, so no continuum has to be made from them.
    """
    tables = [table for *_, document in documents if (table := _table_of(document)) is not None]
    if len(tables) < len(documents):
        return None
    whole = table_of_several(tables)
    if whole is None:
        return None
    first, entry, _ = documents[0]
    files: Mapping[str, str] = _Alike(whole, first.place)
    if len(tables) > 1:
        places = [source.place for source, *_ in documents]
        files = {name: place for t, place in zip(tables, places, strict=True) for name in t.names}
    continua = note_options(whole, entry, asked_for)
    return Collection(continua, (), _Alike(whole, entry.name), files=files)


def _by_state(
    sources: Sequence[tuple[Source, Format]], include: Any, repeated: Any
) -> tuple[list[tuple[Source, Format]], tuple[LeftOut, ...]]:
    """Return the files whose state of work counts, and a tally of those that are left out."""
    # Imported here, like everything about states: most data have none.
    from gammacp.formats.states import Wanted, why_left_out

    wanted = Wanted.of(include, repeated)
    selected: list[tuple[Source, Format]] = []
    tallies: dict[str, Tally] = {}
    for source, entry in sources:
        origin = source.origin
        if origin is None or origin.state is None or wanted.takes(origin.state):
            selected.append((source, entry))
        else:
            reason = why_left_out(origin.state, origin.wording)
            where = str(source.path)
            tallies.setdefault(where, Tally(where)).add("file", reason, state=origin.state)
    return selected, tuple(entry for tally in tallies.values() for entry in tally.entries())


def _remarks(
    sources: Sequence[tuple[Source, Format]],
    documents: Sequence[_Document],
    conventions: Sequence[ConventionNote],
) -> tuple[Remark, ...]:
    """Return the remarks of readers on their files, with the annotators of each file."""
    from gammacp.formats.understood import Remark
    from gammacp.formats.works import note_state

    remarks: list[Remark] = []
    for source, _, document in documents:
        if _table_of(document) is None:
            continua = document.values() if isinstance(document, Corpus) else [document]
            people = Counter(name for c in continua for name in c.annotators)
        else:
            people = Counter(document.annotators)
        remarks += [Remark(source.place, "people", name, n) for name, n in people.items()]
    for source, _ in sources:
        if source.origin is not None:
            note_state(source, source.origin.state, source.origin.wording)
        remarks += source.remarks
    remarks += [Remark(note.file, "conventions", note.convention) for note in conventions]
    return tuple(remarks)


class _Alike(Mapping[str, str]):
    """A mapping from every document of a table to one value, the same for all."""

    def __init__(self, table: DocumentTable, name: str) -> None:
        self._table = table
        self._name = name

    def __getitem__(self, document: str) -> str:
        self._table.number_by_name[document]
        return self._name

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)


def _table_of(document: Continuum | Corpus) -> DocumentTable | None:
    if isinstance(document, Corpus):
        continua = document.continua
    else:
        continua = None
    if isinstance(continua, DocumentTable):
        return continua
    return None


def _nothing(paths: list[PathLike], left_out: tuple[LeftOut, ...]) -> DataError:
    passed = "; ".join(map(str, left_out))
    if passed:
        hint = f"Skipped: {passed}"
    else:
        hint = None
    by_state = any(entry.state for entry in left_out)
    if by_state:
        what = "nothing is finished work"
    else:
        what = "no file of a known format"
    return DataError(what, file=", ".join(map(str, paths)), hint=hint)


def _group_by_key(entries: Iterable[T], key: Callable[[T], str]) -> dict[str, list[T]]:
    """Group entries by key, in the order in which the keys first occur."""
    groups: dict[str, list[T]] = {}
    for entry in entries:
        groups.setdefault(key(entry), []).append(entry)
    return groups


def _settings(group: list[tuple[Source, Format]], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options for one format's reader; layer and feature are chosen over all files."""
    entry = group[0][1]
    mine = {name: value for name, value in options.items() if name in entry.reader.options}
    together = layers_of(group)
    try:
        if together and "layer" in entry.reader.options:
            mine["layer"] = chosen_layer(together, options.get("layer"))
        if together and "feature" in entry.reader.options:
            mine["feature"] = chosen_feature(together, mine.get("layer"), options.get("feature"))
    except DataError as error:
        raise (error.at(group[0][0].place) if len(group) == 1 else error) from None
    return mine


def layers_of(group: Iterable[tuple[Source, Format]]) -> dict[str, Layer]:
    """Return the layers of all files whose format has any, with the features of each."""
    layer_lists = []
    for source, entry in group:
        # The error of a file that cannot be read is reported later, when the file is read.
        with suppress(DataError):
            list_layers = entry.reader.layers
            layer_lists.append(list_layers(source) if list_layers else {})
    return union(layer_lists)


def _check_options(options: Mapping[str, object], formats: Iterable[Format], whose: str) -> None:
    """Raise a UsageError for an option that none of the formats has, as it would have no effect."""
    entries = list(formats)
    allowed = sorted({option for entry in entries for option in entry.reader.options})
    if "include" not in allowed and any(entry.reader.origin for entry in entries):
        allowed.append("include")  # For states of whole files, which are no option of a reader.
    if any(entry.keeps.features for entry in entries) and "features" not in allowed:
        allowed.append("features")  # For features that are read without an option of the reader.
    for name in options:
        if name not in allowed and name == "features":
            raise UsageError(
                f"{whose} has no features besides the category that a dissimilarity could compare"
            )
        if name not in allowed:
            if name == "feature" and "features" in allowed:
                key = json.dumps(options[name], ensure_ascii=False)
                raise UsageError(
                    f"{whose} has one category. To compare a feature as well, write "
                    f"features.{key} = {{}} into FILE.toml and give `dissimilarity=FILE.toml`"
                )
            raise UsageError(
                f"option {name!r} is not one of {whose}; there are: {', '.join(allowed) or 'none'}"
            )
