"""Protect input: commands do not overwrite what they read, nor add files to input folders."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path

from gammacp.errors import UsageError


def spare_files(written: Iterable[Path], read: Iterable[Path]) -> None:
    """Raise a UsageError if a file to write is among the files and folders to read.

    `written` are the files to write, `read` the files and folders to read.
    """
    read_files = {_identity(f) for path in read for f in _files(path)} - {None}
    for path in written:
        if path.is_file() and _identity(path) in read_files:
            raise UsageError(f"{path} is one of the files to read; write to another place")


def spare(
    written: Iterable[Path],
    given: Iterable[Path],
    *,
    format: str | None = None,
    endings: Collection[str] = (),
) -> None:
    """Raise a UsageError if writing annotations would disturb what is read.

    Other than `spare_files`, this covers folders to write into, and new files that the next run
    would read as annotations.

    Parameters
    ----------
    written
        Files and folders to write, or paths with {document} and {annotator}.
    given
        Files, folders and globs that are read.
    format
        Format of the files to read; None for any format.
    endings
        Endings of files to be written into folders.
    """
    from gammacp.formats.finding import expand, has_ending
    from gammacp.formats.registry import FORMATS

    targets = list(written)
    if not targets:
        return
    given = list(given)
    allowed_endings = {ending.lower() for ending in endings}
    if format is None:
        chosen = None
    else:
        chosen = FORMATS[format]
    files = [file for file, _ in expand(given, chosen)]
    spare_files(targets, files)
    folders = [path for path in given if path.is_dir()]
    # A named format also reads files with other endings, so the next run would read new files with
    # those endings.
    despite = {file.suffix.lower() for file in files if not has_ending(file, chosen)} - {""}

    def is_read(file: Path) -> bool:
        return has_ending(file, chosen) or file.suffix.lower() in despite

    for path in targets:
        into = _folder_of(path)
        if into is not None and any(
            _within(file, into) and (not allowed_endings or file.suffix.lower() in allowed_endings)
            for file in files
        ):
            raise UsageError(f"{path} holds files to read; write to another place")
        if into is None:
            places_to_write = [path]
        else:
            places_to_write = [into / f"x{ending}" for ending in endings]
        if any(is_read(f) and _within(f, folder) for f in places_to_write for folder in folders):
            raise UsageError(
                f"{path} is in a folder to read, and would be read as annotations from then on; "
                "write to another place"
            )


def _folder_of(target: Path) -> Path | None:
    """Return the folder of a target that consists of several files; None for a single file."""
    before, brace, _ = str(target).partition("{")
    if brace:
        # The name follows the last separator: the folder of "out/talk-{annotator}.csv" is out.
        return Path(f"{before}x").parent
    if target.is_dir() or not target.suffix:
        return target
    return None


def _files(path: Path) -> Iterable[Path]:
    if path.is_dir():
        return path.rglob("*")
    return (path,)


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the device and inode of a file, equal under all its names; None if it is missing."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _within(file: Path, folder: Path) -> bool:
    place = os.path.realpath(file)
    top = os.path.realpath(folder)
    return place == top or place.startswith(top.rstrip(os.sep) + os.sep)
