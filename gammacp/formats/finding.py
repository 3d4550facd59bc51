"""Search for files of a known format: folders walked, globs expanded, archives opened."""

from __future__ import annotations

import glob
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import filter as fitting
from functools import cached_property, partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from gammacp.base.files import check_inside, content_of, paths_below
from gammacp.base.left_out import LeftOut, Tally
from gammacp.base.subjects import advice
from gammacp.errors import DataError
from gammacp.formats.archive import (
    CURATOR,
    is_archive,
    is_curated,
    is_project,
    members,
    only_file,
    unpack,
    why_not_annotators,
    without_gz,
)
from gammacp.formats.boundary import error_of
from gammacp.formats.layout import names_from_path
from gammacp.formats.registry import FORMATS, HEAD_BYTES, Format, recognise
from gammacp.formats.source import TYPE_SYSTEMS, Source

if TYPE_CHECKING:
    from gammacp.formats.states import Origin

PathLike = str | os.PathLike[str]
Found = tuple[Source, Format]
DECISIONS = "gammacp-review.sqlite"
"""What the studio writes beside the exports (SQLite adds files of its own): no export."""
_JSON = {".json", ".jsonl", ".jsonld", ".jams"}
_UNREADABLE_PROJECT = (
    "is an INCEpTION or WebAnno project that holds its annotations only in the tool's own "
    "binary format (annotation_ser)"
)
_OPEN = "Check its permissions"
_FETCH = "Fetch the file (as with git annex get), or remove the link"
_EXPORT = (
    "Export it again and choose UIMA CAS JSON, UIMA CAS XMI or WebAnno TSV v3 under "
    "Secondary Format"
)


class Unread(NamedTuple):
    """A source that could not be read, with the error; `path` is without the ending .gz.

    The format is None where it is not known.
    """

    place: str
    error: DataError
    path: Path
    format: Format | None = None


@dataclass
class Finding:
    """Result of a search: files with their formats, and those that were not opened or recognised.

    `passed` has every file that was passed over, where it was found, and why; `curated` the files
    that hold a curator's work, which is a reference.
    """

    chosen: Format | None
    layout: str | None
    sources: list[Found] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    passed: list[tuple[Path, Path, str]] = field(default_factory=list)
    curated: set[Path] = field(default_factory=set)

    def fail(self, path: Path, error: DataError, place: str = "") -> None:
        """Record a file that could not be read.

        Parameters
        ----------
        path, error, place
            Fields of `Unread`; by default its place is the path.
        """
        self.unread.append(Unread(str(path), error.at(place or path), without_gz(path)))

    @cached_property
    def endings(self) -> tuple[str, ...]:
        """Endings of files that are read in folders; cached, as archives may have many members."""
        return _endings(self.chosen)

    @cached_property
    def own_endings(self) -> tuple[str, ...]:
        """Endings of the registered formats, including those that need recognition by content."""
        extensions = (ending for _, entry in FORMATS.items() for ending in entry.extensions)
        return (*dict.fromkeys(ending.lower() for ending in extensions), ".zip")

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Files that were passed over, except companions of files that were read."""
        places = [(place_of(source), source) for source, _ in self.sources]
        read_files = {place for place, _ in places}
        # The text of a document has the document's name, or lies in the project's folder `sources`.
        read = {place.with_suffix("") for place, _ in places}
        read |= {place.with_name(source.document) for place, source in places if source.document}
        projects = {place.parent for place, _ in places if place.suffix == ".qde"}
        tallies: dict[Path, Tally] = {}
        for file, where, reason in self.passed:
            stem = file.with_suffix("")
            of_project = file.parent.name.lower() == "sources" and file.parent.parent in projects
            beside = {stem, stem.with_suffix("")} & read or of_project
            is_beside = beside and file not in read_files
            if not is_beside and file.name not in (*TYPE_SYSTEMS, "annotation.conf"):
                tallies.setdefault(where, Tally(str(where))).add("file", reason)
        return tuple(entry for tally in tallies.values() for entry in tally.entries())


def find(
    paths: Iterable[PathLike], chosen: Format | None = None, layout: str | None = None
) -> Finding:
    """Return the files that the paths refer to, with the format of each.

    A file that is named outright must be of a known format. In folders and archives only files
    with the ending of a known format are looked at; a whole JSON or XML file of another kind is
    passed over. What is passed over is counted, but for the texts and type systems that lie beside
    a file that is read.

    Parameters
    ----------
    paths
        Files, folders, globs and zip archives.
    chosen
        The format of all of them; by default each file's is recognised by content.
    layout
        Layout that names come from (`names_from_path`); by default as each format says.

    Raises
    ------
    DataError
        A glob fits no file. What is wrong with a single file is among the failures.
    """
    search = Finding(chosen, layout)
    opened: list[_Opened] = []
    for path, folder in _expand(paths, search):
        try:
            with error_of(path):
                place, content = open_packed(path, named=folder is None)
                if is_archive(content, place.name) or place.suffix.lower() == ".zip":
                    sources = _members_to_read(path, content, search)
                else:
                    sources = [(Source(path, "", "", content), place)]
        except DataError as error:
            search.fail(path, error)
            continue
        named = folder is None and len(sources) == 1
        for source, place in sources:
            opened.append(_Opened(source, place, path if source.member else folder, named))
    for each in _with_places(opened):
        _recognise(search, each)
    return search


class _Opened(NamedTuple):
    """A file that was opened.

    Attributes
    ----------
    source, place
        The file, and the path from which names are taken.
    inside
        The folder or archive it was found in; None for a file that was named.
    named
        Whether it, or the archive that holds nothing else, was named.
    """

    source: Source
    place: Path
    inside: Path | None
    named: bool


def _with_places(opened: list[_Opened]) -> Iterator[_Opened]:
    """Yield the files; those from archives whose places collide are named after their archive."""
    places = Counter(each.place for each in opened)
    for each in opened:
        path = each.source.path
        if places[each.place] > 1 and each.source.member and each.place.parent == path.parent:
            yield each._replace(place=path.with_suffix(each.place.suffix))
        else:
            yield each


def open_packed(path: Path, *, named: bool) -> tuple[Path, bytes]:
    """Return the path of a file without .gz, and its unpacked content.

    Parameters
    ----------
    path
        Path of the file; one that ends in .gz is unpacked.
    named
        Whether somebody named the file itself: it may be a pipe then.

    Raises
    ------
    DataError
        The file cannot be read or unpacked.
    """
    content = content_of(path, pipes=named)
    place = without_gz(path)
    return place, content if place == path else unpack(content, str(path))


def _recognise(search: Finding, opened: _Opened) -> None:
    """Recognise the format of a file, and add the file to what was found or passed over."""
    source, place, inside, named = opened
    curated = bool({place, source.path} & search.curated) or is_curated(place)
    try:
        with error_of(source.place):
            entry = search.chosen or _format_of(source, place, named=inside is None)
        if entry is not None:
            source = _name_source(source, place, search.layout or entry.layout)
            if curated and not named:
                source = replace(source, origin=_reference(source))
            elif entry.reader.origin is not None:
                source = replace(source, origin=entry.reader.origin(source, place))
            search.sources.append((replace(source, taken_for=entry.title), entry))
        elif inside is not None:
            kind = place.suffix.lstrip(".").upper()
            search.passed.append((place, inside, f"{kind} file of an unknown format"))
    except DataError as error:
        if curated and inside is not None:
            search.passed.append((place, inside, CURATOR))
        else:
            search.fail(place, error, source.place)


def _reference(source: Source) -> Origin:
    """Return the origin that marks a file as a reference made by a curator."""
    # Imported here: few files are a curator's.
    from gammacp.formats.states import Origin, State

    return Origin(State.REFERENCE, source.annotator or "curation")


def place_of(source: Source) -> Path:
    """Return the path from which names are taken; a member counts as in a folder of the archive."""
    if source.member:
        return source.path.with_suffix("") / source.member
    return source.path


def _format_of(source: Source, place: Path, *, named: bool) -> Format | None:
    """Return the format of a file; None for an intact file of another kind, unless it was named."""
    entry = recognise(source.content[:HEAD_BYTES], place, with_ending=not named)
    if entry is None and (named or not _is_of_another_kind(source, place)):
        raise _unknown(source, place)
    return entry


def _unknown(source: Source, place: Path) -> DataError:
    """Return the error of a file that no format recognises."""
    from gammacp.formats.unknown import candidates, looks_like  # for messages on such files alone

    content = source.content.lstrip()
    syntax = content.startswith((b"(", b"# ::"))
    if syntax:
        elsewhere = advice("bracketed files")
    else:
        elsewhere = ""
    guess = looks_like(source)
    hint = f"{candidates(place)}{f'. {elsewhere}' if elsewhere else ''}"
    return source.error(
        f"format is not recognised{f': {guess}' if guess else ''}" if content else "file is empty",
        hint=hint if content else "Export it again",
    )


def _is_of_another_kind(source: Source, place: Path) -> bool:
    from gammacp.formats.xmltree import parse  # for unknown files alone

    # A damaged file would otherwise be missing in silence, with all that its annotator did.
    root: object = None
    shared = {ending for _, entry in FORMATS.items() for ending in entry.shared_extensions}
    if place.suffix.lower() in shared:
        return True
    try:
        if place.suffix.lower() == ".json":
            root = source.json()
        elif place.suffix.lower() == ".xml":
            parse(source)
        else:
            return False
    except DataError:
        return False
    # So would a file that only lacks its usual ending, or has other blanks or line breaks.
    plain = json.dumps(root, ensure_ascii=False).encode("utf-8", "surrogatepass")
    for name, entry in FORMATS.items():
        endings = _JSON & {*entry.extensions}
        if any(entry.reader.sniff(plain, place.with_suffix(ending)) for ending in endings):
            raise source.error(
                f"JSON has the keys of {entry.title}, but not the layout that this tool writes",
                hint=f"Read it with `format={name}`, or move it away if it holds no annotations",
            )
    return True


def matches(pattern: PathLike) -> list[Path]:
    """Return the files and folders that fit a glob, sorted; `**` follows no link to a folder.

    Parameters
    ----------
    pattern
        A path whose parts may have `*`, `?` and `[…]`, or be `**` for any number of folders.

    Raises
    ------
    DataError
        It leads out of the folder of `confine`.
    """
    whole = Path(pattern)
    paths = {Path(whole.anchor)}
    for part in whole.parts[bool(whole.anchor) :]:
        if part == "**":
            for folder in paths:  # a link that `*` found may lead elsewhere
                check_inside(folder)
            paths |= {p for folder in paths for p in _folders_below(folder)}
        elif glob.has_magic(part):
            paths = {p for folder in paths for p in _in(folder, part)}
        else:
            paths = {path for folder in paths if (path := folder / part).exists()}
    return sorted(paths)


def _folders_below(folder: Path) -> list[Path]:
    below, closed = paths_below(folder) if folder.is_dir() else ([], [])
    for path in closed:
        raise DataError("folder cannot be opened", file=path, hint=_OPEN)
    return [path for path in below if path.is_dir() and not path.is_symlink()]


def globbed(path: Path) -> list[Path]:
    """Return the files and folders that a path means: itself, or else what fits it as a glob.

    Parameters
    ----------
    path
        Path as it was given.

    Raises
    ------
    DataError
        Nothing fits.
    """
    # A name may be longer than the system takes: then it is no file's.
    if os.path.exists(path) or not glob.has_magic(str(path)):  # noqa: PTH110
        return [path]
    if not (fits := matches(path)):
        raise DataError("no file matches", file=path)
    return fits


def _in(folder: Path, part: str) -> Iterator[Path]:
    """Yield the fitting entries of a folder; hidden files only if they are asked for."""
    check_inside(folder)
    try:
        names = os.listdir(folder)  # noqa: PTH208 (names are all that is needed)
    except PermissionError:
        raise DataError("folder cannot be opened", file=folder, hint=_OPEN) from None
    except OSError:  # no folder: nothing fits
        return
    for name in fitting(names, part):
        if part.startswith(".") or not name.startswith("."):
            yield folder / name


def expand(paths: Iterable[PathLike], chosen: Format | None = None) -> list[tuple[Path, bool]]:
    """Return (file, whether it was named outright) for all paths; each file once, sorted."""
    return [(file, folder is None) for file, folder in _expand(paths, Finding(chosen, None))]


def _expand(paths: Iterable[PathLike], search: Finding) -> list[tuple[Path, Path | None]]:
    """Return (file, folder it was found in) for all paths; the folder is None if it was named."""
    files: dict[Path, Path | None] = {}
    for entry in paths:
        path = Path(entry)
        # A name may be longer than the system takes: then it is no file's.
        if os.path.isdir(path):  # noqa: PTH112
            check_inside(path)
            for file in _in_folder(path, search):
                files.setdefault(file, path)
        elif (fits := globbed(path)) != [path]:
            for file, folder in _expand(fits, search):
                files.setdefault(file, folder or (None if len(fits) == 1 else file.parent))
        else:
            files[path] = None
    return list(files.items())


def _in_folder(folder: Path, search: Finding) -> list[Path]:
    below, closed = paths_below(folder)
    for path in closed:
        search.fail(path, DataError("folder cannot be opened", hint=_OPEN))
    listed = (f for f in below if not f.name.startswith(DECISIONS))
    inside = {f.relative_to(folder).as_posix(): f for f in listed}
    files: list[Path] = []
    others: dict[Path, str] = {}
    for name, reason in why_not_annotators(inside).items():
        file = inside[name]
        if file.is_dir():
            if file.is_symlink():
                why = "a link to a folder, not followed; give that folder as well"
                search.passed.append((file, folder, why))
            continue
        if reason == CURATOR:
            search.curated.add(file)
            reason = ""
        why = reason or _why_no_format(file, partial(_head_of, file), search)
        if not why and file.is_symlink() and not file.exists():
            search.fail(file, DataError("is a link to a file that is not there", hint=_FETCH))
            continue
        if not file.is_file():
            why = "a device, a pipe or a broken link"
        if not why:
            files.append(file)
        elif reason or not file.is_file() or file.name in TYPE_SYSTEMS:
            search.passed.append((file, folder, why))
        else:
            others[file] = why
    heads = {file: partial(_head_of, file) for file in others}
    despite = _read_despite_ending(heads, search.chosen, alone=not files)
    search.passed += [(file, folder, why) for file, why in others.items() if file not in despite]
    files = sorted((*files, *despite))
    if is_project(inside) and not set(files) - search.curated:
        search.fail(folder, DataError(_UNREADABLE_PROJECT, hint=_EXPORT))
    return files


def _why_no_format(path: Path, head: Callable[[], bytes], search: Finding) -> str:
    """Return why a file in a folder or an archive is not read; "" if it is read.

    Some formats read files with an ending that most files of other kinds have, such as `.txt`, by
    their content. Such a file counts as theirs only if its beginning says so.
    """
    if path.name in TYPE_SYSTEMS:
        return "the type system of annotations"
    if _ends_in(path, search.endings):
        settled = search.chosen is not None or path.suffix.lower() == ".gz"
        if settled or _ends_in(path, search.own_endings):
            return ""
        if recognise(head(), path, with_ending=True) is not None:
            return ""
        return f"{path.suffix.lstrip('.').upper()} file of an unknown format"
    if search.chosen is not None and path.suffix:
        return f"not recognised as {search.chosen.title}"
    if path.suffix:
        return f"no format has the ending {path.suffix}"
    return "its name has no ending"


def _head_of(file: Path) -> bytes:
    """Return the beginning of a file; no bytes if it cannot be read."""
    with suppress(DataError, OSError):
        check_inside(file)
        with file.open("rb") as stream:
            return stream.read(HEAD_BYTES)
    return b""


def _read_despite_ending(
    heads: Mapping[Path, Callable[[], bytes]], chosen: Format | None, *, alone: bool
) -> list[Path]:
    """Return files with foreign endings that the format chosen by name reads all the same.

    Parameters
    ----------
    heads
        Functions that return the beginning of each file.
    chosen
        The format that was named, if any.
    alone
        Whether no other file has an ending of the format. Then, if the format recognises none of
        the files by content, all are returned.
    """
    if chosen is None:
        return []
    recognised = [file for file, head in heads.items() if chosen.reader.sniff(head(), file)]
    if alone and not recognised:
        return list(heads)
    return recognised


def has_ending(path: Path, chosen: Format | None) -> bool:
    """Return whether a file with this name is read if it is found in a folder."""
    return _ends_in(path, _endings(chosen))


def _endings(chosen: Format | None) -> tuple[str, ...]:
    """Return the endings of all files that are read in a folder, in lower case."""
    if chosen:
        offered = [chosen]
    else:
        offered = [entry for _, entry in FORMATS.items()]
    return (*dict.fromkeys(ending for entry in offered for ending in entry.endings), ".zip")


def _ends_in(path: Path, endings: tuple[str, ...]) -> bool:
    path = without_gz(path)
    return bool(path.suffix) and path.name.lower().endswith(endings)


def _name_source(source: Source, place: Path, layout: str | None) -> Source:
    names = names_from_path(place, layout)
    return replace(source, document=names.document, annotator=names.annotator)


def _head_of_member(content: bytes) -> bytes:
    return content[:HEAD_BYTES]


def _by_name(path: Path, content: bytes, search: Finding) -> dict[str, bytes]:
    """Return the files in an archive by name; a name is left out if files with it differ."""
    contents_by_name: dict[str, list[bytes]] = {}
    for member, data in members(content, str(path)):
        contents_by_name.setdefault(str(member), []).append(data)
    reasons = why_not_annotators(contents_by_name)
    inside = path.with_suffix("")
    for name, (first, *others) in [*contents_by_name.items()]:
        if all(other == first for other in others):
            why = reasons[name] or "a copy of another file of this name in the archive"
            search.passed += [(inside / name, path, why)] * len(others)
        elif reasons[name] in ("", CURATOR):
            del contents_by_name[name]
            search.fail(
                inside / name,
                DataError(
                    f"archive holds {1 + len(others)} different files of this name",
                    file=f"{path}!{name}",
                    hint="Unpack it and give the file that is right",
                ),
                f"{path}!{name}",
            )
    return {name: contents[-1] for name, contents in contents_by_name.items()}


def _members_to_read(path: Path, content: bytes, search: Finding) -> list[tuple[Source, Path]]:
    inside = path.with_suffix("")
    everything = _by_name(path, content, search)
    names: list[str] = []
    others: dict[str, str] = {}
    for name, reason in why_not_annotators(everything).items():
        if reason == CURATOR:
            search.curated.add(inside / name)
            reason = ""
        head = partial(_head_of_member, everything[name])
        why = reason or _why_no_format(inside / name, head, search)
        if not why:
            names.append(name)
        elif reason or Path(name).name in TYPE_SYSTEMS:
            search.passed.append((inside / name, path, why))
        else:
            others[name] = why
    heads = {inside / name: partial(_head_of_member, everything[name]) for name in others}
    despite = _read_despite_ending(heads, search.chosen, alone=not names)
    for name, why in others.items():
        if inside / name in despite:
            names.append(name)
        else:
            search.passed.append((inside / name, path, why))
    places = {name: inside / name for name in names}
    begins = {name: everything[name][:HEAD_BYTES] for name in names}
    data = [n for n in names if recognise(begins[n], places[n], with_ending=True) is not None]
    if is_project(everything) and not {places[name] for name in data} - search.curated:
        raise DataError(_UNREADABLE_PROJECT, file=path, hint=_EXPORT)
    if len(data) == 1 and "/" not in data[0]:
        # One annotator's document with its type system takes the place of the archive.
        only = only_file(path, map(PurePosixPath, everything))
        if only is not None:
            stem = only.stem
        else:
            stem = path.stem
        places = {data[0]: path.with_name(stem + Path(data[0]).suffix)}
    return [
        (Source(path, "", "", everything[name], name, everything), place)
        for name, place in places.items()
    ]
