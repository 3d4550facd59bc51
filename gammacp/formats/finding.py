"""From paths to files of a known format: folders walked, globs expanded, archives opened."""

import glob
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import filter as fitting
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

from gammacp.base.files import check_inside, content_of
from gammacp.base.left_out import LeftOut, Tally
from gammacp.base.subjects import advice
from gammacp.errors import DataError
from gammacp.formats.archive import (
    is_archive,
    is_project,
    members,
    unpack,
    why_not_annotators,
    without_gz,
)
from gammacp.formats.boundary import error_of
from gammacp.formats.layout import names_from_path
from gammacp.formats.registry import FORMATS, HEAD_BYTES, Format, recognise
from gammacp.formats.source import TYPE_SYSTEMS, Source

PathLike = str | os.PathLike[str]
Found = tuple[Source, Format]
DECISIONS = "gammacp-review.sqlite"
"""What the studio writes beside the exports (SQLite adds files of its own): no export."""
_JSON = {".json", ".jsonl", ".jsonld", ".jams"}
_UNREADABLE_PROJECT = (
    "is an INCEpTION or WebAnno project that holds its annotations only in the tool's own "
    "binary format (annotation_ser)"
)
_EXPORT = (
    "Export it again and choose UIMA CAS JSON, UIMA CAS XMI or WebAnno TSV v3 under "
    "Secondary Format"
)


class Unread(NamedTuple):
    """What could not be read, and why; `path` is that of what is packed.

    The format is None where it is not known.
    """

    place: str
    error: DataError
    path: Path
    format: Format | None = None


@dataclass
class Finding:
    """What paths mean: files with the format of each, and what could not be opened or recognised.

    `passed` has every file that was passed over, where it was found, and why.
    """

    chosen: Format | None
    layout: str | None
    found: list[Found] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    passed: list[tuple[Path, Path, str]] = field(default_factory=list)

    def fail(self, path: Path, error: DataError, place: str = "") -> None:
        """Note what could not be read.

        Parameters
        ----------
        path, error, place
            As of `Unread`; by default its place is the path.
        """
        self.unread.append(Unread(str(path), error.at(place or path), without_gz(path)))

    @cached_property
    def endings(self) -> tuple[str, ...]:
        """Endings of files that are read in a folder: an archive may have thousands of members."""
        return _endings(self.chosen)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What was passed over, without the files that belong to one that is read."""
        places = [(place_of(source), source) for source, _ in self.found]
        own = {place for place, _ in places}
        # Texts have their document's name, or lie in the folder of a project's texts.
        read = {place.with_suffix("") for place, _ in places}
        read |= {place.with_name(source.document) for place, source in places if source.document}
        texts = {place.with_name("Sources") for place, _ in places if place.suffix == ".qde"}
        tallies: dict[Path, Tally] = {}
        for file, where, reason in self.passed:
            stem = file.with_suffix("")
            beside = {stem, stem.with_suffix("")} & read or file.parent in texts
            known = beside and file not in own
            if not known and file.name not in (*TYPE_SYSTEMS, "annotation.conf"):
                tallies.setdefault(where, Tally(str(where))).add("file", reason)
        return tuple(entry for tally in tallies.values() for entry in tally.entries())


def find(
    paths: Iterable[PathLike], chosen: Format | None = None, layout: str | None = None
) -> Finding:
    """The files that paths mean, with the format of each.

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
        Where names come from (`names_from_path`); by default as each format says.

    Raises
    ------
    DataError
        A glob fits no file. What is wrong with a single file is among the failures.
    """
    search = Finding(chosen, layout)
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
        for source, place in sources:
            _recognise(search, source, place, path if source.member else folder)
    return search


def open_packed(path: Path, *, named: bool) -> tuple[Path, bytes]:
    """The path of a file as if it were not packed, and its content, unpacked.

    Parameters
    ----------
    path
        Of the file; one that ends in .gz is unpacked.
    named
        Whether somebody named the file itself: it may be a pipe then.

    Raises
    ------
    DataError
        The file cannot be read or unpacked.
    """
    content, place = content_of(path, pipes=named), without_gz(path)
    return place, content if place == path else unpack(content, str(path))


def _recognise(search: Finding, source: Source, place: Path, inside: Path | None) -> None:
    """Add a file under its format; `inside` is the folder or archive it was found in."""
    try:
        with error_of(source.place):
            entry = search.chosen or _format_of(source, place, named=inside is None)
        if entry is not None:
            search.found.append((_name_source(source, place, search.layout or entry.layout), entry))
        elif inside is not None:
            kind = place.suffix.lstrip(".").upper()
            search.passed.append((place, inside, f"{kind} file of an unknown format"))
    except DataError as error:
        search.fail(place, error, source.place)


def place_of(source: Source) -> Path:
    """The path that says names: that of a file, or of a member in an archive's place."""
    return source.path.with_suffix("") / source.member if source.member else source.path


def _format_of(source: Source, place: Path, *, named: bool) -> Format | None:
    """The format of a file; None if it is a whole file of another kind that nobody named."""
    entry = recognise(source.content[:HEAD_BYTES], place)
    if entry is None and (named or not _is_of_another_kind(source, place)):
        known = ", ".join(FORMATS)
        start = source.content.strip()[:1]
        syntax = start == b"(" or source.content.lstrip().startswith(b"# ::")
        elsewhere = advice("bracketed files") if syntax else ""
        trees = f". {elsewhere}" if elsewhere else ""
        raise source.error(
            f"format is not recognised{_keys(source)}" if start else "file is empty",
            hint=f"Name it with `format=`: {known}{trees}" if start else "Export it again",
        )
    return entry


def _keys(source: Source) -> str:
    """Return the keys of the first object in JSON, which tell people what a file is."""
    from gammacp.formats.records import records  # for messages on unknown files alone

    with suppress(DataError):
        first = next(records(source), None)
        if first is not None:
            return f": JSON with the keys {', '.join([*first][:8]) or '(none)'}"
    return ""


def _is_of_another_kind(source: Source, place: Path) -> bool:
    from gammacp.formats.xmltree import parse  # for unknown files alone

    # A damaged file would otherwise be missing in silence, with all that its annotator did.
    root: object = None
    shared = {ending for _, entry in FORMATS.items() for ending in entry.by_content}
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
    # So would one whose ending, blanks or line breaks are not those that its format is known by.
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
    """The files and folders that fit a glob, sorted; `**` follows no link to a folder.

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
    found = {Path(whole.anchor)}
    for part in whole.parts[bool(whole.anchor) :]:
        if part == "**":
            for folder in found:  # a link that `*` found may lead elsewhere
                check_inside(folder)
            below = (p for folder in found for p in folder.rglob("*"))
            found |= {p for p in below if p.is_dir() and not p.is_symlink()}
        elif glob.has_magic(part):
            found = {p for folder in found for p in _in(folder, part)}
        else:
            found = {path for folder in found if (path := folder / part).exists()}
    return sorted(found)


def globbed(path: Path) -> list[Path]:
    """The files and folders that a path means: itself, or where none is so called, what fits it.

    Parameters
    ----------
    path
        As it was given.

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
    """What lies in a folder and fits; hidden files only if they are asked for."""
    check_inside(folder)
    with suppress(OSError):  # no folder, or a closed one: nothing fits
        for name in fitting([path.name for path in folder.iterdir()], part):
            if part.startswith(".") or not name.startswith("."):
                yield folder / name


def expand(paths: Iterable[PathLike], chosen: Format | None = None) -> list[tuple[Path, bool]]:
    """(file, whether it was named outright) of files, folders and globs; each file once, sorted."""
    return [(file, folder is None) for file, folder in _expand(paths, Finding(chosen, None))]


def _expand(paths: Iterable[PathLike], search: Finding) -> list[tuple[Path, Path | None]]:
    """(file, folder it was found in) of files, folders and globs; None if it was named."""
    files: dict[Path, Path | None] = {}
    for given in paths:
        path = Path(given)
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
    listed = (f for f in sorted(folder.rglob("*")) if not f.name.startswith(DECISIONS))
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
        why = reason or _why_no_format(file, search)
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
    if is_project(inside) and not files:
        search.fail(folder, DataError(_UNREADABLE_PROJECT, hint=_EXPORT))
    return files


def _why_no_format(path: Path, search: Finding) -> str:
    if path.name in TYPE_SYSTEMS:
        return "the type system of annotations"
    if _ends_in(path, search.endings):
        return ""
    if search.chosen is not None and path.suffix:
        return f"not recognised as {search.chosen.title}"
    return f"no format has the ending {path.suffix}" if path.suffix else "its name has no ending"


def _head_of(file: Path) -> bytes:
    """Return the beginning of a file; nothing of one that cannot be read."""
    with suppress(DataError, OSError):
        check_inside(file)
        with file.open("rb") as stream:
            return stream.read(HEAD_BYTES)
    return b""


def _read_despite_ending(
    heads: Mapping[Path, Callable[[], bytes]], chosen: Format | None, *, alone: bool
) -> list[Path]:
    """Return the files that a format read by name takes although their endings are not its own.

    Parameters
    ----------
    heads
        Functions that return the beginning of each file.
    chosen
        The format that was named, if any.
    alone
        Whether no other file has its ending: if it recognises none by content, all are meant.
    """
    if chosen is None:
        return []
    recognised = [file for file, head in heads.items() if chosen.reader.sniff(head(), file)]
    if alone and not recognised:
        return list(heads)
    return recognised


def has_ending(path: Path, chosen: Format | None) -> bool:
    """Whether a file of this name is read where it is found in a folder."""
    return _ends_in(path, _endings(chosen))


def _endings(chosen: Format | None) -> tuple[str, ...]:
    """Return the endings of all files that are read in a folder, in lower case."""
    offered = [chosen] if chosen else [entry for _, entry in FORMATS.items()]
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
    """Return the files in an archive; of a name that several have, none if they differ."""
    found: dict[str, list[bytes]] = {}
    for member, data in members(content, str(path)):
        found.setdefault(str(member), []).append(data)
    reasons, inside = why_not_annotators(found), path.with_suffix("")
    for name, (first, *others) in [*found.items()]:
        if all(other == first for other in others):
            why = reasons[name] or "a copy of another file of this name in the archive"
            search.passed += [(inside / name, path, why)] * len(others)
        elif not reasons[name]:
            del found[name]
            search.fail(
                inside / name,
                DataError(
                    f"archive holds {1 + len(others)} different files of this name",
                    file=f"{path}!{name}",
                    hint="Unpack it and give the file that is right",
                ),
                f"{path}!{name}",
            )
    return {name: contents[-1] for name, contents in found.items()}


def _members_to_read(path: Path, content: bytes, search: Finding) -> list[tuple[Source, Path]]:
    inside = path.with_suffix("")
    everything = _by_name(path, content, search)
    names: list[str] = []
    others: dict[str, str] = {}
    for name, reason in why_not_annotators(everything).items():
        why = reason or _why_no_format(Path(name), search)
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
    data = [n for n in names if recognise(everything[n][:HEAD_BYTES], places[n]) is not None]
    if is_project(everything) and not data:
        raise DataError(_UNREADABLE_PROJECT, file=path, hint=_EXPORT)
    if len(data) == 1 and "/" not in data[0]:
        # One annotator's document with its type system: the archive has the annotator's name.
        places = {data[0]: path.with_suffix(Path(data[0]).suffix)}
    return [
        (Source(path, "", "", everything[name], name, everything), place)
        for name, place in places.items()
    ]
