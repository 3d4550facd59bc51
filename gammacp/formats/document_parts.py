"""Documents whose parts stand in several files: one for each annotator, or several in each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias

from gammacp.base.left_out import LeftOut, gather
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.needs import OTHERS
from gammacp.errors import DataError
from gammacp.formats.collection import Collection, ReaderSettings, conventions_of, note_options
from gammacp.formats.finding import Unread
from gammacp.formats.joining import DocumentPart, Joining, joinings
from gammacp.formats.layout import names_from_path
from gammacp.formats.merging import merge_parts
from gammacp.formats.registry import FORMATS, Format
from gammacp.formats.source import Source

# Result of `FormatReader.first_rows` by file. It is computed only if a message has to name a row.
_FirstRows: TypeAlias = dict[str, Mapping[tuple[str, ...], str]]


def parts_of(
    source: Source, entry: Format, document: Continuum | Corpus, layout: str | None
) -> Iterator[DocumentPart]:
    """Yield the parts in a file: one for each document that it names, or one in all."""
    listed = isinstance(document, Corpus)
    shared = listed or (layout or entry.layout) is not None
    for c in document.values() if isinstance(document, Corpus) else [document]:
        yield DocumentPart(c.name if shared else source.place, c, entry, source, shared, listed)


def move_parts(parts: Sequence[DocumentPart], positions: Any) -> list[DocumentPart]:
    """Return the parts, with the positions of some annotators moved as the option asks."""
    # Imported only with this option, which few files need.
    from gammacp.formats.position_maps import move_positions

    moved = move_positions([part.continuum for part in parts], positions)
    return [replace(part, continuum=c) for part, c in zip(parts, moved, strict=True)]


def put_together(
    parts: Sequence[DocumentPart],
    unread: Sequence[Unread],
    settings: ReaderSettings,
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
    groups: dict[str, list[DocumentPart]] = {}
    for part in parts:
        groups.setdefault(part.name, []).append(part)
    for name, group in groups.items():
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
                continua[name] = note_options(whole, entry, asked_for)
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
    if len(parts) > 1 and (notes := conventions_of(parts)):
        from gammacp.formats.conventions import FACT, fact_of

        whole = replace(whole, about=whole.about.with_fact(FACT, fact_of(notes)))
    return whole.noting("align-texts", "yes") if losses else whole, losses


def _with_layout(
    error: DataError, group: Sequence[DocumentPart], settings: ReaderSettings, rows: _FirstRows
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


def _joinings(parts: Iterable[DocumentPart], settings: ReaderSettings) -> tuple[Joining, ...]:
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
        alone = unread.format.writer is not None and not unread.format.several_continua
        return (unread.place,) if alone else ()
    likely = [unread.format] if unread.format else [f for _, f in FORMATS.items()]
    layouts = {layout} if layout else {f.layout for f in likely if f.has_ending(unread.path)}
    pattern = layouts.pop() if len(layouts) == 1 else None
    if pattern is None or "{document}" not in pattern:
        return ()
    with suppress(DataError):  # a path that does not fit the layout tells nothing
        return (names_from_path(unread.path, pattern).document,)
    return ()
