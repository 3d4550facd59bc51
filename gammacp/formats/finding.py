"""From paths to files of a known format: folders walked, globs expanded, archives opened."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from gammacp.errors import DataError
from gammacp.formats.archive import is_archive, members
from gammacp.formats.layout import names_from_path
from gammacp.formats.registry import FORMATS, HEAD_BYTES, Format, recognise
from gammacp.formats.source import Source

PathLike = str | os.PathLike[str]
Found = tuple[Source, Format]
Failure = tuple[str, DataError]


def find(
    paths: Iterable[PathLike], chosen: Format | None = None, layout: str | None = None
) -> tuple[list[Found], list[Failure]]:
    """The files that paths mean with the format of each, and what could not be opened.

    A file that is named outright must be of a known format; in folders and archives only files
    with the ending of a known format are looked at, and those of none are passed over.
    """
    found: list[Found] = []
    failures: list[Failure] = []
    for path, named in expand(paths, chosen):
        try:
            content = _content(path)
            if is_archive(content):
                found += _archived(path, content, chosen, layout)
                continue
            source = _source(path, path, content)
            entry = chosen or recognise(content[:HEAD_BYTES], path)
            if entry is not None:
                found.append((_named(source, path, layout or entry.layout), entry))
            elif named:
                known = ", ".join(FORMATS)
                raise source.error(
                    "file is empty" if not content.strip() else "format is not recognised",
                    hint=f"Name it with --format: {known}",
                )
        except DataError as error:
            failures.append((str(path), error.at(path)))
    return found, failures


def expand(paths: Iterable[PathLike], chosen: Format | None = None) -> list[tuple[Path, bool]]:
    """(file, whether it was named outright) of files, folders and globs; each file once, sorted."""
    files: dict[Path, bool] = {}
    for given in paths:
        path = Path(given)
        if path.is_dir():
            for file in sorted(path.rglob("*")):
                if _belongs(file, path, chosen):
                    files.setdefault(file, False)
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


def _belongs(path: Path, root: Path, chosen: Format | None) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
    return not hidden and path.is_file() and _has_ending(path, chosen)


def _has_ending(path: Path, chosen: Format | None) -> bool:
    offered = [chosen] if chosen else [f for _, f in FORMATS.items()]
    return any(path.suffix.lower() in f.extensions for f in offered)


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


def _archived(
    path: Path, content: bytes, chosen: Format | None, layout: str | None
) -> Iterator[Found]:
    everything = {str(member): data for member, data in members(content, str(path))}
    for name, data in everything.items():
        member = PurePosixPath(name)
        place = path.with_suffix("") / member
        if not _has_ending(place, chosen) or member.name.startswith((".", "INITIAL_CAS")):
            continue
        entry = chosen or recognise(data[:HEAD_BYTES], place)
        if entry is not None:
            source = replace(_source(path, place, data), member=name, neighbours=everything)
            yield _named(source, place, layout or entry.layout), entry
