"""From paths to files of a known format: folders walked, globs expanded, archives opened."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from gammacp.errors import DataError
from gammacp.formats.archive import is_archive, members, what_annotators_made
from gammacp.formats.layout import names_from_path
from gammacp.formats.registry import FORMATS, HEAD_BYTES, Format, recognise
from gammacp.formats.source import Source
from gammacp.formats.xmltree import parse

PathLike = str | os.PathLike[str]
Found = tuple[Source, Format]


@dataclass(frozen=True)
class Failure:
    """A file that could not be opened or recognised."""

    place: Path
    error: DataError


def find(
    paths: Iterable[PathLike], chosen: Format | None = None, layout: str | None = None
) -> tuple[list[Found], list[Failure]]:
    """The files that paths mean with the format of each, and what could not be opened.

    A file that is named outright must be of a known format. In folders and archives only files
    with the ending of a known format are looked at; a whole JSON or XML file of another kind is
    passed over.
    """
    found: list[Found] = []
    failures: list[Failure] = []
    for path, named in expand(paths, chosen):
        try:
            content = _content(path)
            if is_archive(content):
                sources = _archived(path, content, chosen)
            else:
                sources = [(_source(path, path, content), path)]
        except DataError as error:
            failures.append(Failure(path, error.at(path)))
            continue
        for source, place in sources:
            try:
                entry = chosen or _recognised(source, place, named=named and place == path)
                if entry is not None:
                    found.append((_named(source, place, layout or entry.layout), entry))
            except DataError as error:
                failures.append(Failure(place, error.at(source.place)))
    return found, failures


def _recognised(source: Source, place: Path, *, named: bool) -> Format | None:
    """The format of a file; None if it is a whole file of another kind that nobody named."""
    entry = recognise(source.content[:HEAD_BYTES], place)
    if entry is None and (named or not _is_of_another_kind(source, place)):
        known = ", ".join(FORMATS)
        empty = not source.content.strip()
        raise source.error(
            "file is empty" if empty else "format is not recognised",
            hint=f"Name it with --format: {known}",
        )
    return entry


def _is_of_another_kind(source: Source, place: Path) -> bool:
    # A damaged file would otherwise be missing in silence, with all that its annotator did.
    try:
        if place.suffix.lower() == ".json":
            source.json()
        elif place.suffix.lower() == ".xml":
            parse(source)
        else:
            return False
    except DataError:
        return False
    return True


def expand(paths: Iterable[PathLike], chosen: Format | None = None) -> list[tuple[Path, bool]]:
    """(file, whether it was named outright) of files, folders and globs; each file once, sorted."""
    files: dict[Path, bool] = {}
    for given in paths:
        path = Path(given)
        if path.is_dir():
            inside = {f.relative_to(path).as_posix(): f for f in sorted(path.rglob("*"))}
            for name in what_annotators_made(inside):
                if inside[name].is_file() and _has_ending(inside[name], chosen):
                    files.setdefault(inside[name], False)
        elif not path.exists() and glob.has_magic(str(given)):
            # Path.glob does not take absolute patterns.
            matches = sorted(glob.glob(str(given), recursive=True))  # noqa: PTH207
            if not matches:
                raise DataError("no file matches", file=str(given))
            for file, named in expand(matches, chosen):
                files.setdefault(file, named and len(matches) == 1)
        else:
            files[path] = True
    return list(files.items())


def _has_ending(path: Path, chosen: Format | None) -> bool:
    offered = [chosen] if chosen else [f for _, f in FORMATS.items()]
    return path.suffix.lower() == ".zip" or any(f.has_ending(path) for f in offered)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise DataError("file does not exist", file=path, hint="Check the path") from None
    except (OSError, ValueError) as error:
        raise DataError(f"file cannot be read: {error}", file=path) from None


def _source(path: Path, place: Path, content: bytes) -> Source:
    return Source(path, names_from_path(place, None).document, "", content)


def _named(source: Source, place: Path, layout: str | None) -> Source:
    names = names_from_path(place, layout)
    return replace(source, document=names.document, annotator=names.annotator)


def _archived(path: Path, content: bytes, chosen: Format | None) -> list[tuple[Source, Path]]:
    everything = {str(member): data for member, data in members(content, str(path))}
    names = [n for n in what_annotators_made(everything) if _has_ending(Path(n), chosen)]
    places = {name: path.with_suffix("") / name for name in names}
    data = [n for n in names if recognise(everything[n][:HEAD_BYTES], places[n]) is not None]
    if len(data) == 1 and "/" not in data[0]:
        # One annotator's document with its type system: the archive has the annotator's name.
        places = {data[0]: path.with_suffix(Path(data[0]).suffix)}
    return [
        (replace(_source(path, place, everything[name]), member=name, neighbours=everything), place)
        for name, place in places.items()
    ]
