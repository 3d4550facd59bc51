"""Files that are dropped on the page: kept in the campaign's folder by their names, or refused."""

import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from filecmp import cmp
from pathlib import Path
from shutil import copyfile
from tempfile import NamedTemporaryFile

from starlette.concurrency import run_in_threadpool

from gammacp.errors import DataError
from gammacp.files import atomic_write, content_of
from gammacp.formats.archive import is_archive, members
from gammacp.formats.layout import file_name

_MB = 1 << 20
_LONGEST = 200  # bytes of a file name; 255 is what file systems take


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much may be dropped.

    Attributes
    ----------
    file, unpacked, together
        Bytes of one file, of what an archive unpacks to, and of all files since the start.
    files
        Number of files since the start, and of files in an archive.
    """

    file: int = 256 * _MB
    unpacked: int = 1024 * _MB
    together: int = 2048 * _MB
    files: int = 20_000

    def in_words(self) -> str:
        """The limits as a sentence."""
        return (
            f"At most {self.file // _MB} MB for a file, {self.unpacked // _MB} MB for what an "
            f"archive unpacks to, {self.files} files."
        )


@dataclass
class Intake:
    """What came in since the start.

    Parameters
    ----------
    folder
        Where files go.
    limits
        How much may come.
    """

    folder: Path
    limits: Limits
    files: int = 0
    size: int = 0

    async def receive(self, name: str, chunks: AsyncIterator[bytes]) -> str:
        """Keep a file in the folder; what it is called there.

        Parameters
        ----------
        name
            As the browser tells it, with the folders that were dropped before it.
        chunks
            Its content.

        Raises
        ------
        DataError
            It is too large, one too many, has no possible name, is an archive that is refused, or
            another file of that name is there.
        """
        place = placed(name)
        self.files += 1
        if self.files > self.limits.files:
            raise self._too_much(f"more than {self.limits.files} files were dropped", name)
        size = 0
        try:
            with NamedTemporaryFile() as kept:
                async for chunk in chunks:
                    size += len(chunk)
                    self.size += len(chunk)  # at once: others come in meanwhile
                    self._check_size(name, size)
                    kept.write(chunk)
                kept.flush()
                await run_in_threadpool(self._check_archive, name, Path(kept.name))
                await run_in_threadpool(self._keep, Path(kept.name), place)
        except BaseException:
            self.size -= size
            raise
        return place

    def _keep(self, kept: Path, place: str) -> None:
        """Copy a file to its place, which is inside the folder and free, or has the same."""
        target = self.folder / place
        if not target.parent.resolve().is_relative_to(self.folder.resolve()):
            raise DataError(
                "a link in the folder leads this file out of it",
                file=place,
                hint="Rename what was dropped, or take the link out of the folder",
            )
        if not os.path.lexists(target):
            with atomic_write(target) as temporary:
                copyfile(kept, temporary)
        elif not target.is_file() or not cmp(kept, target, shallow=False):
            raise DataError(
                "another file of this name is in the folder",
                file=place,
                hint="Rename the new one, or take the old one out of the folder",
            )

    def _check_size(self, name: str, size: int) -> None:
        if size > self.limits.file:
            raise self._too_much(f"file is larger than {self.limits.file // _MB} MB", name)
        if self.size > self.limits.together:
            raise self._too_much(f"more than {self.limits.together // _MB} MB were dropped", name)

    def _too_much(self, what: str, name: str) -> DataError:
        hint = f"Put it into {self.folder} yourself and read the folder again"
        return DataError(what, file=name, hint=hint)

    def _check_archive(self, name: str, path: Path) -> None:
        """Read an archive through once; it stays packed, as it is read."""
        with path.open("rb") as file:
            if not is_archive(file.read(4)):
                return
        limits = self.limits
        for member, _ in members(
            content_of(path), name, largest=limits.unpacked, most=limits.files
        ):
            if member.is_absolute() or ".." in member.parts or "\\" in str(member):
                raise DataError(
                    f"archive names a file outside itself: {member}",
                    file=name,
                    hint="Pack it again from its folder",
                )


def placed(name: str) -> str:
    """A name from a browser as a path inside a folder.

    Parameters
    ----------
    name
        With / between folders and the file.

    Raises
    ------
    DataError
        A part of it could lead elsewhere, or is hidden.
    """
    parts = name.split("/")
    for part in parts:
        file_name(part, "file")
        if part.startswith((".", "gammacp-review.")) or len(part.encode()) > _LONGEST:
            raise DataError(
                f"file {part!r} is hidden, the studio's own or has too long a name",
                hint="Rename it",
            )
    return "/".join(parts)
