"""Files dropped on the page: stored in the folder of the campaign, or refused."""

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from filecmp import cmp
from pathlib import Path
from shutil import copyfileobj
from tempfile import NamedTemporaryFile
from typing import Annotated
from unicodedata import normalize

from pydantic import Field
from starlette.concurrency import run_in_threadpool

from gammacp.base.files import atomic_write, content_of, in_words, is_inside
from gammacp.base.validation import Row, WrittenTable
from gammacp.errors import DataError
from gammacp.formats.archive import entries_of, is_archive, members, unpack, without_gz
from gammacp.formats.campaign_file import NAME
from gammacp.formats.finding import DECISIONS, has_ending
from gammacp.formats.layout import file_name
from gammacp.report.images import ENDINGS
from gammacp.studio.choice import parse
from gammacp.studio.places import seen_from
from gammacp.studio.sound import TYPES

_MB = 1 << 20
_LONGEST = 200  # bytes of a file name; file systems allow 255
_LARGEST_CAMPAIGN = 1 << 20  # bytes; the page shows the whole file
_SMALL = 1 << 16  # bytes
_LARGEST_LIST = 1 << 20  # bytes, of names and sizes
_BESIDE = (".txt", ".ac", ".toml")  # annotated texts, dissimilarities


@dataclass(frozen=True, kw_only=True)
class UploadLimits:
    """Limits on the size of dropped files, in bytes.

    Attributes
    ----------
    file, unpacked, together
        Size of one file, unpacked size of an archive, and total size of files since the start.
    files
        Number of files since the start, and of files in an archive.
    rows
        Lines or entries of one file, or of all files in an archive: each takes up to a thousand
        bytes of memory when it is read.
    """

    file: int = 256 * _MB
    unpacked: int = 1024 * _MB
    together: int = 2048 * _MB
    files: int = 20_000
    rows: int = 5_000_000

    def in_words(self) -> str:
        """Return the limits as a sentence."""
        return (
            f"Limits: {self.file // _MB} MB for a file, {self.unpacked // _MB} MB for an unpacked "
            f"archive, {self.files:,} files, {self.rows:,} lines or entries in each."
        )


class Announced(WrittenTable):
    """First line of an upload: names and sizes in bytes, in the order of the contents."""

    files: list[Row[tuple[str, Annotated[int, Field(ge=0)]]]]


@dataclass
class Intake:
    """Files received since the start.

    Parameters
    ----------
    folder
        Folder that receives the files.
    limits
        Limits of uploads.
    campaign
        A dropped campaign.toml, which is applied only after the user agrees.
    """

    folder: Path
    limits: UploadLimits
    files: int = 0
    size: int = 0
    campaign: bytes | None = None

    async def receive_all(self, body: AsyncIterator[bytes]) -> list[dict[str, str]]:
        """Store files sent together, and return the name or the problem of each.

        Parameters
        ----------
        body
            A line of JSON (`Announced`), followed by the contents of the files.

        Raises
        ------
        DataError
            The line is missing, or the content is shorter than announced.
        """
        sent = _Sent(body)
        files = parse(Announced, await sent.line()).files
        told = []
        for name, size in files:
            content = sent.take(size)
            try:
                told.append({"name": await self.receive(name, content)})
            except (DataError, UnicodeError) as error:
                told.append({"problem": str(error)})
            except OSError as error:
                told.append({"problem": seen_from(self.folder, in_words(error))})
            if len(told) < len(files):
                async for _ in content:  # skip the content of a refused file
                    pass
        return told

    async def receive(self, name: str, chunks: AsyncIterator[bytes]) -> str:
        """Store a file in the folder, and return its name there.

        Parameters
        ----------
        name
            Name given by the browser, including dropped folders.
        chunks
            Content of the file.

        Raises
        ------
        DataError
            The file is too large, exceeds the number of files, has an invalid name or an ending
            that no reader supports, is a refused archive, or differs from a file of that name.
        """
        place = path_inside(name)
        self.files += 1
        if self.files > self.limits.files:
            raise self._too_much(f"more than {self.limits.files} files were dropped", name)
        size = rows = 0
        try:
            with NamedTemporaryFile() as kept:
                async for chunk in chunks:
                    size += len(chunk)
                    rows += entries_of(chunk)
                    self.size += len(chunk)  # count at once, because other files arrive meanwhile
                    self._check_size(name, place, size, rows)
                    kept.write(chunk)
                kept.flush()
                if size > _SMALL:
                    await run_in_threadpool(self._take, name, Path(kept.name), place)
                else:  # faster than starting a thread
                    self._take(name, Path(kept.name), place)
                    await asyncio.sleep(0)  # let other requests proceed
        except BaseException:
            self.size -= size
            raise
        return place

    def _take(self, name: str, file: Path, place: str) -> None:
        self._check_archive(name, file)
        if place != NAME:
            self._keep(file, place)
        elif not self._is_there(file, self.folder / NAME):
            self.campaign = file.read_bytes()

    def keep_campaign(self) -> None:
        """Store the dropped campaign.toml in the folder; errors are those of `receive`."""
        if self.campaign is not None:
            with NamedTemporaryFile() as copy:
                copy.write(self.campaign)
                copy.flush()
                self._keep(Path(copy.name), NAME)
            self.campaign = None

    def _keep(self, file: Path, place: str) -> None:
        """Copy a file to a free place in the folder; an identical file may already be there."""
        target = self.folder / place
        if not is_inside(target.parent, self.folder):
            raise DataError(
                "a link in the folder leads this file out of it",
                file=place,
                hint="Rename what was dropped, or take the link out of the folder",
            )
        if not os.path.lexists(target):
            # On a full disk `copyfile` would name the source file in the error.
            with (
                atomic_write(target) as temporary,
                file.open("rb") as source,
                temporary.open("wb") as out,
            ):
                copyfileobj(source, out)
        elif not self._is_there(file, target):
            raise DataError(
                "another file of this name is in the folder",
                file=place,
                hint="Rename the new one, or take the old one out of the folder",
            )

    def _is_there(self, file: Path, target: Path) -> bool:
        return target.is_file() and cmp(file, target, shallow=False)

    def _check_size(self, name: str, place: str, size: int, rows: int) -> None:
        if rows > self.limits.rows:
            raise self._too_much(f"file has more than {self.limits.rows} lines or entries", name)
        if place == NAME and size > _LARGEST_CAMPAIGN:
            raise DataError(f"a {NAME} of more than {_LARGEST_CAMPAIGN >> 10} KB", file=name)
        if size > self.limits.file:
            raise self._too_much(f"file is larger than {self.limits.file // _MB} MB", name)
        if self.size > self.limits.together:
            raise self._too_much(f"more than {self.limits.together // _MB} MB were dropped", name)

    def _too_much(self, what: str, name: str) -> DataError:
        hint = "Put it into the campaign's folder yourself and read the folder again"
        return DataError(what, file=name, hint=hint)

    def _check_archive(self, name: str, path: Path) -> None:
        """Check an archive by reading it once; it is stored packed."""
        limits = self.limits
        packed = without_gz(Path(name)) != Path(name)
        with path.open("rb") as file:
            if not packed and not is_archive(file.read(4)):
                return
        content = content_of(path)
        if packed:
            content = unpack(content, name, largest=limits.unpacked, rows=limits.rows)
        if not is_archive(content):
            return
        for member, _ in members(
            content, name, largest=limits.unpacked, most=limits.files, rows=limits.rows
        ):
            if member.is_absolute() or ".." in member.parts or "\\" in str(member):
                raise DataError(
                    f"archive names a file outside itself: {member}",
                    file=name,
                    hint="Pack it again from its folder",
                )


class _Sent:
    """Content of a request, piece by piece.

    Parameters
    ----------
    chunks
        Chunks of the body as they arrive.
    """

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = b""

    async def line(self) -> bytes:
        """Return the first line."""
        async for chunk in self._chunks:
            before, ended, after = chunk.partition(b"\n")
            self._rest += before
            if len(self._rest) > _LARGEST_LIST:
                break
            if ended:
                found = self._rest
                self._rest = after
                return found
        raise DataError("no list of files was sent", hint="Load the page again")

    async def take(self, size: int) -> AsyncIterator[bytes]:
        """Yield the next bytes, as many as requested."""
        while size > 0:
            if not self._rest:
                self._rest = await anext(self._chunks, b"")
                if not self._rest:
                    raise DataError("less was sent than announced", hint="Drop the file again")
            piece = self._rest[:size]
            self._rest = self._rest[size:]
            size -= len(piece)
            yield piece


def path_inside(name: str) -> str:
    """Return a name from a browser as a path inside a folder.

    Parameters
    ----------
    name
        Name with "/" as separator.

    Raises
    ------
    DataError
        A part of the name could lead outside the folder or is hidden, or no reader supports the
        ending.
    """
    parts = name.split("/")
    for part in parts:
        file_name(part, "file")
        # macOS and Windows ignore case and a final dot when they compare names.
        is_reserved = part.startswith(".") or _fold(part).startswith(_fold(DECISIONS))
        if is_reserved or part.endswith((".", " ")) or len(part.encode()) > _LONGEST:
            raise DataError(
                f"file {part!r} is hidden, the studio's own, ends in a dot or a blank, or has too "
                "long a name",
                hint="Rename it",
            )
    ending = Path(name).suffix.lower()
    if not has_ending(Path(name), None) and ending not in (*TYPES, *ENDINGS, *_BESIDE):
        if ending:
            file_kind = f"a file that ends in {ending}"
        else:
            file_kind = "a file without an ending"
        raise DataError(
            f"gammacp cannot read or play {file_kind}", file=name, hint="It was left out"
        )
    if _fold(name) == NAME:
        return NAME
    return "/".join(parts)


def _fold(name: str) -> str:
    return normalize("NFKC", normalize("NFKC", name).casefold())
