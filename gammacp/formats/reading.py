"""Reading of paths into continua: files, folders and globs, documents × annotators."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from gammacp.base.failures import Failure
from gammacp.base.left_out import LeftOut, Tally, gather
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.document_table import DocumentTable, table_of_several
from gammacp.continuum.needs import OTHERS
from gammacp.errors import DataError, UsageError
from gammacp.formats.archive import without_gz
from gammacp.formats.finding import PathLike, Unread, find
from gammacp.formats.joining import DocumentPart, Joining, joinings
from gammacp.formats.layers import Layer, chosen_feature, chosen_layer, union
from gammacp.formats.layout import names_from_path
from gammacp.formats.merging import categories_of, merge_parts
from gammacp.formats.registry import FORMATS, Format
from gammacp.formats.source import Source

if TYPE_CHECKING:
    from gammacp.formats.conventions import ConventionNote
    from gammacp.formats.understood import Remark

T = TypeVar("T")
Noting = TypeVar("Noting", Continuum, DocumentTable)
Reader: TypeAlias = Callable[..., Continuum | Corpus]
"""`reader(source, **options)`, as a format has it."""
_Document: TypeAlias = tuple[Source, Format, Continuum | Corpus]
_Settings: TypeAlias = Mapping[str, Mapping[str, Any]]
# Result of `FormatReader.first_rows` by file. It is computed only if a message has to name a row.
_FirstRows: TypeAlias = dict[str, Mapping[tuple[str, ...], str]]


@dataclass(frozen=True)
class Collection:
    """Content of a set of paths: continua by name, and files that could not be read.

    Attributes
    ----------
    continua
        Continua by name: the path of a file that is one continuum, the document's name where files
        name their documents or several files make one.
    failures
        (path or document, error) of everything that could not be read.
    formats
        Format by continuum.
    left_out
        Items that were passed over in all that was read: files in folders and archives, and
        whatever in a file does not become a unit.
    joinings
        Layouts with which files of one annotator each would be parts of the same documents.
    apart
        The continua whose files hold one annotator each.
    missing
        Names of the documents that are left out because of a failure, by its path or document; none
        if only the file could have named them.
    conventions
        Conventions of files that were read otherwise than their format says.
    remarks
        Remarks on how each file was understood: its people, states of work, conventions and
        columns.
    files
        First file that has a part of each continuum.
    """

    continua: Mapping[str, Continuum]
    failures: tuple[tuple[str, DataError], ...]
    formats: Mapping[str, str]
    left_out: tuple[LeftOut, ...] = ()
    joinings: tuple[Joining, ...] = ()
    apart: frozenset[str] = frozenset()
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    conventions: tuple[ConventionNote, ...] = ()
    remarks: tuple[Remark, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def unread(self) -> tuple[Failure, ...]:
        """The failures, each with the documents that are missing because of it."""
        return tuple(Failure(error, self.missing.get(name, ())) for name, error in self.failures)

    def doubt(self, declared: Iterable[str], kept: Iterable[str]) -> str | None:
        """Return a doubt about annotators who are declared but would have a file, or None.

        Parameters
        ----------
        declared
            Names of annotators who are said to have found nothing.
        kept
            Names of the continua that count.
        """
        names = dict.fromkeys(declared)
        if not names:
            return None
        lacking = {
            name: [a for a in names if a not in self.continua[name].annotators]
            for name in kept
            if name in self.apart
        }
        gone = [a for a in names if any(a in each for each in lacking.values())]
        if not gone:
            return None
        documents = [name for name, each in lacking.items() if each]
        if len(documents) == 1:
            where = documents[0]
        else:
            where = f"{len(documents)} documents"
        advice = next(
            (a for name in documents if (a := self.continua[name].about.fact(OTHERS))), ""
        )
        return (
            f"{', '.join(gone)}: declared, but without a file in {where}. Each file there has one "
            "annotator's work, and a declared annotator counts as having found nothing. "
            f"{advice or 'If a file is missing, add it'}"
        )


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
    if format is None:
        chosen = None
    else:
        chosen = FORMATS[format]
    chosen_options: dict[str, Any] = {k: value for k, value in options.items() if value is not None}
    layout: str | None = chosen_options.pop("layout", None)
    align_texts = bool(chosen_options.pop("align_texts", False))
    positions = chosen_options.pop("positions", None)
    _check_known(chosen_options, chosen)
    asked = list(paths)
    finding = finding or find(asked, chosen, layout)
    sources, passed = _by_state(
        finding.found, chosen_options.get("include"), chosen_options.get("repeated")
    )
    by_format = _group_by_key(sources, lambda source: source[1].name)
    if by_format:
        _check_options(chosen_options, [FORMATS[name] for name in by_format], ", ".join(by_format))
    settings = {name: _settings(group, chosen_options) for name, group in by_format.items()}
    documents, failed = _read_each(sources, settings, instead or {})
    unread = [*finding.unread, *failed]
    left_out = [finding.left_out, passed, *(document.left_out for *_, document in documents)]
    notes = _conventions([document for *_, document in documents if _table_of(document) is None])
    remarks = _remarks(finding.found, documents, notes)
    asked_for = {"format": format, **options}
    if not (unread or layout or positions):
        whole = _of_whole_tables(documents, asked_for)
        if whole is not None:
            return replace(whole, left_out=gather(left_out), remarks=remarks)
    parts = [part for document in documents for part in _parts_of(*document, layout)]
    if positions:
        parts = _moved(parts, positions)
    collection = _put_together(parts, unread, settings, layout, align_texts, asked_for)
    left_out.append(collection.left_out)
    collection = replace(collection, left_out=gather(left_out), conventions=notes, remarks=remarks)
    if not collection.continua and not collection.failures:
        raise _nothing(asked, collection.left_out)
    return collection


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
    sources: Iterable[tuple[Source, Format]], settings: _Settings, instead: Mapping[str, Reader]
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
    continua = _noting(whole, entry, asked_for)
    return Collection(continua, (), _Alike(whole, entry.name), files=files)


def _by_state(
    found: Sequence[tuple[Source, Format]], include: Any, repeated: Any
) -> tuple[list[tuple[Source, Format]], tuple[LeftOut, ...]]:
    """Return the files whose state of work counts, and a tally of those that are left out."""
    # Imported here, like everything about states: most data have none.
    from gammacp.formats.states import Wanted, why_left_out

    wanted = Wanted.of(include, repeated)
    selected: list[tuple[Source, Format]] = []
    tallies: dict[str, Tally] = {}
    for source, entry in found:
        origin = source.origin
        if origin is None or origin.state is None or wanted.takes(origin.state):
            selected.append((source, entry))
        else:
            reason = why_left_out(origin.state, origin.said)
            where = str(source.path)
            tallies.setdefault(where, Tally(where)).add("file", reason, state=origin.state)
    return selected, tuple(entry for tally in tallies.values() for entry in tally.entries())


def _remarks(
    found: Sequence[tuple[Source, Format]],
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
    for source, _ in found:
        if source.origin is not None:
            note_state(source, source.origin.state, source.origin.said)
        remarks += source.remarks
    remarks += [Remark(note.file, "conventions", note.convention) for note in conventions]
    return tuple(remarks)


def _parts_of(
    source: Source, entry: Format, document: Continuum | Corpus, layout: str | None
) -> Iterator[DocumentPart]:
    """Yield the parts in a file: one for each document that it names, or one in all."""
    listed = isinstance(document, Corpus)
    shared = listed or (layout or entry.layout) is not None
    for c in document.values() if isinstance(document, Corpus) else [document]:
        yield DocumentPart(c.name if shared else source.place, c, entry, source, shared, listed)


def _moved(parts: Sequence[DocumentPart], positions: Any) -> list[DocumentPart]:
    """Return the parts, with the positions of some annotators moved as the option asks."""
    # Imported only with this option, which few files need.
    from gammacp.formats.position_maps import move_positions

    moved = move_positions([part.continuum for part in parts], positions)
    return [replace(part, continuum=c) for part, c in zip(parts, moved, strict=True)]


def _conventions(documents: Iterable[Continuum | Corpus]) -> tuple[ConventionNote, ...]:
    """Return the readers' notes on the conventions of their files."""
    stated = [
        document
        for document in documents
        if any(
            c.about.facts
            for c in (document.values() if isinstance(document, Corpus) else [document])
        )
    ]
    if not stated:
        return ()
    from gammacp.formats.conventions import notes_of

    return tuple(note for document in stated for note in notes_of(document))


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


def _put_together(
    parts: Sequence[DocumentPart],
    unread: Sequence[Unread],
    settings: _Settings,
    layout: str | None,
    align_texts: bool,
    asked_for: Mapping[str, object],
) -> Collection:
    """Merge parts into documents; omit those that may lack a part because of an unread file."""
    failures = [(each.place, each.error) for each in unread]
    missing = {each.place: _documents_of(each, layout) for each in unread}
    continua: dict[str, Continuum] = {}
    formats: dict[str, str] = {}
    files: dict[str, str] = {}
    losses: list[tuple[LeftOut, ...]] = []
    rows: _FirstRows = {}
    for name, group in _group_by_key(parts, lambda part: part.name).items():
        entry = group[0].format
        try:
            joined = len({part.source.place for part in group}) > 1
            suspects = [
                place for part in group for place in _suspects(part, unread, layout, joined=joined)
            ]
            for place in dict.fromkeys(suspects):
                missing[place] = tuple(dict.fromkeys((*missing[place], name)))
            if not suspects:
                whole, aligned = _together(group, align_texts)
                losses.append(aligned)
                continua[name] = _noting(whole, entry, asked_for)
                formats[name] = entry.name
                files[name] = group[0].source.place
        except DataError as error:
            if layout:
                explained = error
            else:
                explained = _with_layout(error, group, settings, rows)
            failures.append((name, explained.at(name)))
            missing[name] = (name,)
    alone = {name for name, c in continua.items() if c.n_annotators == 1}
    ways = () if layout else _joinings([part for part in parts if part.name in alone], settings)
    apart = {name for name in continua if layout or FORMATS[formats[name]].layout}
    if ways:
        apart |= alone
        advice = f"If these files hold an annotator each of the same document, {_advice(ways)}"
        for name in alone:
            c = continua[name]
            continua[name] = replace(c, about=c.about.with_fact(OTHERS, advice))
    return Collection(
        continua,
        tuple(failures),
        formats,
        gather(losses),
        ways,
        frozenset(apart),
        missing,
        files=files,
    )


def _nothing(asked: list[PathLike], left_out: tuple[LeftOut, ...]) -> DataError:
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
    return DataError(what, file=", ".join(map(str, asked)), hint=hint)


def _noting(continuum: Noting, entry: Format, given: Mapping[str, Any]) -> Noting:
    """Return the continuum or table with the reader's options noted in its `selection`."""
    for key, value in given.items():
        noted = {"format", "layout", "include", *entry.reader.options} - {"features"}
        if value is not None and key in noted and isinstance(value, Mapping):
            continuum = continuum.noting(key, *(f"{k}={v}" for k, v in value.items()))
        elif value is not None and key in noted:
            several = isinstance(value, list | tuple)
            if several:
                text = ",".join(map(str, value))
            else:
                text = str(value)
            continuum = continuum.noting(key, text)
    return continuum


def _group_by_key(entries: Iterable[T], key: Callable[[T], str]) -> dict[str, list[T]]:
    """Group entries by key, in the order in which the keys first occur."""
    groups: dict[str, list[T]] = {}
    for entry in entries:
        groups.setdefault(key(entry), []).append(entry)
    return groups


def _settings(group: list[tuple[Source, Format]], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options for one format's reader; layer and feature are chosen over all files."""
    entry = group[0][1]
    mine = {name: value for name, value in given.items() if name in entry.reader.options}
    together = layers_of(group)
    try:
        if together and "layer" in entry.reader.options:
            mine["layer"] = chosen_layer(together, given.get("layer"))
        if together and "feature" in entry.reader.options:
            mine["feature"] = chosen_feature(together, mine.get("layer"), given.get("feature"))
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


def _together(
    group: Sequence[DocumentPart], align_texts: bool
) -> tuple[Continuum, tuple[LeftOut, ...]]:
    """Merge the parts of a document; return it with tallies of differences between its texts."""
    parts: Sequence[Continuum] = [part.continuum for part in group]
    losses: tuple[LeftOut, ...] = ()
    if align_texts:
        # Imported only with this option: texts are seldom aligned.
        from gammacp.formats.differing_texts import on_one_line

        parts, losses = on_one_line(parts)
    whole = merge_parts(parts)
    if len(parts) > 1 and (notes := _conventions(parts)):
        from gammacp.formats.conventions import FACT, fact_of

        whole = replace(whole, about=whole.about.with_fact(FACT, fact_of(notes)))
    return whole.noting("align-texts", "yes") if losses else whole, losses


def _with_layout(
    error: DataError, group: Sequence[DocumentPart], settings: _Settings, rows: _FirstRows
) -> DataError:
    """Add to an error about a repeated annotator the files, and layouts that would avoid it."""
    people = [a for part in group for a in part.continuum.annotators]
    twice = next((a for i, a in enumerate(people) if a in people[:i]), None)
    if twice is None:
        return error
    parts_by_annotator = [part for part in group if twice in part.continuum.annotators]
    files = ", ".join(dict.fromkeys(_place_of(part, twice, rows) for part in parts_by_annotator))
    named = all(part.listed and not part.annotator for part in group)
    ways = () if named else _joinings(group, settings)
    hint = f"Keep one of the files{f', or {_advice(ways)}' if ways else ''}"
    return DataError(f"{error.message} ({files})", hint=hint)


def _place_of(part: DocumentPart, annotator: str, rows: _FirstRows) -> str:
    """Return the file, with the annotator's first row of the document in it if that is known."""
    place = part.source.place
    first_rows = part.format.reader.first_rows
    if first_rows and place not in rows:
        rows[place] = first_rows(part.source)
    row = rows.get(place, {}).get((part.continuum.name, annotator))
    if row:
        return f"{place}: {row}"
    return place


def _joinings(parts: Iterable[DocumentPart], settings: _Settings) -> tuple[Joining, ...]:
    """Return layouts by which files of one format hold one annotator each of a document."""
    part_by_place = {part.source.place: part for part in parts}
    formats = {part.format.name: part.format for part in part_by_place.values()}
    if len(part_by_place) < 2 or len(formats) > 1:
        return ()
    ((name, entry),) = formats.items()
    return joinings(
        [*part_by_place.values()], lambda source: entry.reader.read(source, **settings[name])
    )


def _advice(ways: tuple[Joining, ...]) -> str:
    layouts = [f"`layout='{way.layout}'` ({way.in_words()})" for way in ways[:2]]
    return f"give {' or '.join(layouts)}"


def _suspects(
    part: DocumentPart, unread: Iterable[Unread], layout: str | None, *, joined: bool
) -> list[str]:
    """Return the places of unread files that may have held another annotator of the document.

    A document that lacks an annotator would silently give another result. A document is `joined`
    if several files have a part of it; then any unread file may have a further part.
    """
    if not part.shared:
        return []
    suspects = [u for u in unread if layout or part.format.has_ending(u.path)]
    if part.listed:
        if part.annotator or joined:
            return [u.place for u in suspects]
        return []
    names = part.source.document, part.continuum.name
    places = []
    for each in suspects:
        with suppress(DataError):  # a path that does not fit the layout names no document
            if names_from_path(each.path, layout or part.format.layout).document in names:
                places.append(each.place)
    return places


def _documents_of(unread: Unread, layout: str | None) -> tuple[str, ...]:
    """Return the documents that an unread file would have held, as far as its path tells."""
    if unread.format is not None and not (layout or unread.format.layout):
        # If the format's writer puts one document into each file, the unread file held just one.
        alone = unread.format.writer is not None and not unread.format.many
        return (unread.place,) if alone else ()
    likely = [unread.format] if unread.format else [f for _, f in FORMATS.items()]
    layouts = {layout} if layout else {f.layout for f in likely if f.has_ending(unread.path)}
    pattern = layouts.pop() if len(layouts) == 1 else None
    if pattern is None or "{document}" not in pattern:
        return ()
    with suppress(DataError):  # a path that does not fit the layout tells nothing
        return (names_from_path(unread.path, pattern).document,)
    return ()


def _check_options(options: Mapping[str, object], formats: Iterable[Format], whose: str) -> None:
    """Raise a UsageError for an option that none of the formats has, as it would have no effect."""
    entries = list(formats)
    allowed = sorted({option for entry in entries for option in entry.reader.options})
    if "include" not in allowed and any(entry.reader.origin for entry in entries):
        allowed.append("include")  # For states of whole files, which are no option of a reader.
    if any(entry.kept.features for entry in entries) and "features" not in allowed:
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
