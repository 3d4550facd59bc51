"""Files that are dropped on the page: kept in the campaign's folder by their names, or refused."""

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
_LONGEST = 200  # bytes of a file name; 255 is what file systems take
_LARGEST_CAMPAIGN = 1 << 20  # bytes: it is shown whole
_SMALL = 1 << 16  # bytes
_LARGEST_LIST = 1 << 20  # bytes, of names and sizes
_BESIDE = (".txt", ".ac", ".toml")  # annotated texts, dissimilarities


@dataclass(frozen=True, kw_only=True)
class UploadLimits:
    """Limits on the size of dropped files, in bytes.

    Attributes
    ----------
    file, unpacked, together
        Bytes of one file, of what an archive unpacks to, and of all files since the start.
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
    """The first line of what is sent: names and sizes in bytes, in the order of the contents."""

    files: list[Row[tuple[str, Annotated[int, Field(ge=0)]]]]


@dataclass
class Intake:
    """Files that came in since the start.

    Parameters
    ----------
    folder
        Folder that files go into.
    limits
        Limits of what may come.
    campaign
        A campaign.toml that was dropped: what it says is done only when somebody has agreed.
    """

    folder: Path
    limits: UploadLimits
    files: int = 0
    size: int = 0
    campaign: bytes | None = None

    async def receive_all(self, body: AsyncIterator[bytes]) -> list[dict[str, str]]:
        """Keep files that are sent together; the name or the problem of each.

        Parameters
        ----------
        body
            A line of JSON (`Announced`), then the contents one after the other.

        Raises
        ------
        DataError
            There is no such line, or less content than it says.
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
                async for _ in content:  # of one that is refused
                    pass
        return told

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
            It is too large, one too many, has no possible name or an ending that nobody reads, is
            an archive that is refused, or another file of that name is there.
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
                    self.size += len(chunk)  # at once: others come in meanwhile
                    self._check_size(name, place, size, rows)
                    kept.write(chunk)
                kept.flush()
                if size > _SMALL:
                    await run_in_threadpool(self._take, name, Path(kept.name), place)
                else:  # in less time than a thread needs to begin
                    self._take(name, Path(kept.name), place)
                    await asyncio.sleep(0)  # others may be answered
        except BaseException:
            self.size -= size
            raise
        return place

    def _take(self, name: str, kept: Path, place: str) -> None:
        self._check_archive(name, kept)
        if place != NAME:
            self._keep(kept, place)
        elif not self._is_there(kept, self.folder / NAME):
            self.campaign = kept.read_bytes()

    def keep_campaign(self) -> None:
        """Put the campaign.toml that was dropped into the folder; errors as of `receive`."""
        if self.campaign is not None:
            with NamedTemporaryFile() as kept:
                kept.write(self.campaign)
                kept.flush()
                self._keep(Path(kept.name), NAME)
            self.campaign = None

    def _keep(self, kept: Path, place: str) -> None:
        """Copy a file to its place, which is inside the folder and free, or has the same."""
        target = self.folder / place
        if not is_inside(target.parent, self.folder):
            raise DataError(
                "a link in the folder leads this file out of it",
                file=place,
                hint="Rename what was dropped, or take the link out of the folder",
            )
        if not os.path.lexists(target):
            # `copyfile` would say of a full disk that it is the one that is read.
            with (
                atomic_write(target) as temporary,
                kept.open("rb") as source,
                temporary.open("wb") as out,
            ):
                copyfileobj(source, out)
        elif not self._is_there(kept, target):
            raise DataError(
                "another file of this name is in the folder",
                file=place,
                hint="Rename the new one, or take the old one out of the folder",
            )

    def _is_there(self, kept: Path, target: Path) -> bool:
        return target.is_file() and cmp(kept, target, shallow=False)

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
        """Read an archive through once; it stays packed, as it is read."""
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
        Chunks as they come.
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
        """Return the next so many bytes."""
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
        Name with / between folders and the file.

    Raises
    ------
    DataError
        A part of it could lead elsewhere, or is hidden; nobody reads files that end so.
    """
    parts = name.split("/")
    for part in parts:
        file_name(part, "file")
        # macOS and Windows take names in another case, or without the dot at the end, for the same.
        own = part.startswith(".") or _fold(part).startswith(_fold(DECISIONS))
        if own or part.endswith((".", " ")) or len(part.encode()) > _LONGEST:
            raise DataError(
                f"file {part!r} is hidden, the studio's own, ends in a dot or a blank, or has too "
                "long a name",
                hint="Rename it",
            )
    ending = Path(name).suffix.lower()
    if not has_ending(Path(name), None) and ending not in (*TYPES, *ENDINGS, *_BESIDE):
        if ending:
            what = f"a file that ends in {ending}"
        else:
            what = "a file without an ending"
        raise DataError(f"gammacp cannot read or play {what}", file=name, hint="It was left out")
    if _fold(name) == NAME:
        return NAME
    return "/".join(parts)


def _fold(name: str) -> str:
    return normalize("NFKC", normalize("NFKC", name).casefold())
