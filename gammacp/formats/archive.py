"""Zip archives: exports of several files in one, such as INCEpTION projects; files in gzip."""

import gzip
import io
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import IO

from gammacp.errors import DataError

_MAGIC = b"PK\x03\x04"
_LARGEST = 1 << 30
_MOST = 1_000_000
_ROWS = 50_000_000
_DEPTH = 2
_PIECE = 1 << 20


@dataclass
class _Room:
    """How many bytes, files and entries may be unpacked, archives inside included."""

    largest: int
    most: int
    most_rows: int
    unpacked: int = 0
    files: int = 0
    rows: int = 0

    def read(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, place: str) -> bytes:
        """A member's bytes; what its header says of its size is not believed."""
        self._take(1, 0, 0, place)
        with archive.open(info) as stream:
            return self.all_of(stream, place)

    def all_of(self, stream: IO[bytes] | gzip.GzipFile, place: str) -> bytes:
        """What is left in a stream."""
        pieces: list[bytes] = []
        while piece := stream.read(_PIECE):
            self._take(0, len(piece), entries_of(piece), place)
            pieces.append(piece)
        return b"".join(pieces)

    def count(self, workbook: bytes, place: str) -> None:
        """What a workbook unpacks to: no more than it says itself, since `zipfile` ends there."""
        with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(workbook)) as archive:
            inside = archive.infolist()
            self._take(len(inside), sum(info.file_size for info in inside), 0, place)

    def _take(self, files: int, size: int, rows: int, place: str) -> None:
        self.files += files
        self.unpacked += size
        self.rows += rows
        what = f"{self.most} files" if self.files > self.most else None
        if self.rows > self.most_rows:
            what = f"{self.most_rows} lines or entries"
        if self.unpacked > self.largest:
            what = f"{self.largest >> 20} MB unpacked"
        if what is not None:
            raise DataError(
                f"archive holds more than {what}, archives inside included",
                file=place,
                hint="Unpack it and give the files that you need",
            )


def entries_of(content: bytes) -> int:
    """How many lines, or lists or objects of JSON, begin here: each takes a reader's memory.

    Parameters
    ----------
    content
        Of a file, or a part of it.
    """
    return max(map(content.count, (b"\n", b"[", b"{")))


def without_gz(path: Path) -> Path:
    """The path of what is packed in a .gz; that of another file as it is."""
    return path.with_suffix("") if path.suffix.lower() == ".gz" else path


def unpack(content: bytes, place: str, *, largest: int = _LARGEST, rows: int = _ROWS) -> bytes:
    """The content of a .gz.

    Parameters
    ----------
    content
        Its bytes.
    place
        Its name for messages.
    largest, rows
        Bytes and `entries_of` that it may unpack to.

    Raises
    ------
    DataError
        It is damaged, or unpacks to more.
    """
    room = _Room(largest, 1, rows)
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            return room.all_of(stream, place)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"gzip is damaged: {error}", file=place, hint="Pack it again") from None


def is_archive(content: bytes, name: str = "") -> bool:
    """Whether the bytes begin like a zip archive, and the name is not that of a workbook."""
    return content.startswith(_MAGIC) and not name.lower().endswith(".xlsx")


def is_project(names: Iterable[str]) -> bool:
    """Whether these are the paths inside an INCEpTION or WebAnno project, zipped or unpacked."""
    return any(fnmatchcase(name, "exportedproject*.json") for name in names)


def why_not_annotators(names: Iterable[str]) -> dict[str, str]:
    """Each path inside a folder or an archive: why it is nobody's work, or "" if it can be.

    An INCEpTION project also has the sources, the curation and an `INITIAL_CAS` of each document:
    of a project only the folder `annotation` counts. What a curator made is read when it is named
    outright.
    """
    listed = list(names)
    project = is_project(listed)
    return {name: _why_not(PurePosixPath(name), project) for name in listed}


def _why_not(path: PurePosixPath, project: bool) -> str:
    if any(part.startswith(".") for part in path.parts):
        return "hidden file"
    if path.with_suffix("").suffix == ".links":
        return "links, which are read with their units"
    if path.name.startswith("INITIAL_CAS"):
        return "the document before anybody annotated it"
    if path.name.startswith("CURATION_USER"):
        return "the curator's work, read only if you name the file"
    if project and path.parts[0] != "annotation":
        return "outside the project's folder 'annotation'"
    return ""


def members(
    content: bytes, place: str, *, largest: int = _LARGEST, most: int = _MOST, rows: int = _ROWS
) -> Iterator[tuple[PurePosixPath, bytes]]:
    """(path, content) of every file in an archive; archives inside are opened too.

    A file in an archive inside has the path of that archive, with its own ending: INCEpTION packs
    each annotator's XMI with its type system as `annotation/DOCUMENT/ANNOTATOR.zip`. Where several
    have that ending, each has its own name in a folder that is called like the archive.

    Parameters
    ----------
    content
        The bytes of the archive.
    place
        Its name for messages.
    largest, most, rows
        Bytes that it may unpack to, files and `entries_of` it may hold, archives inside included.

    Raises
    ------
    DataError
        The archive is damaged or encrypted, or unpacks to more.
    """
    yield from _members(content, place, 0, _Room(largest, most, rows))


def _renamed(
    path: PurePosixPath, inside: Iterable[tuple[PurePosixPath, bytes]]
) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield the files of an archive inside under the names that `members` gives them."""
    files = list(inside)
    endings = Counter(file.suffix for file, _ in files)
    for file, data in files:
        alone = endings[file.suffix] == 1
        yield (
            path.with_name(path.stem + file.suffix) if alone else path.with_suffix("") / file,
            data,
        )


def _members(
    content: bytes, place: str, depth: int, room: _Room
) -> Iterator[tuple[PurePosixPath, bytes]]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            # The end of an archive that is cut off may be that of an archive inside.
            if min((info.header_offset for info in archive.infolist()), default=0) != 0:
                raise zipfile.BadZipFile("its beginning is missing or not its own")
            for info in archive.infolist():
                if info.is_dir():
                    continue
                path = PurePosixPath(info.filename)
                data = room.read(archive, info, place)
                if path.suffix.lower() == ".xlsx":
                    room.count(data, place)
                if not is_archive(data, path.name):
                    yield path, data
                elif depth < _DEPTH:
                    yield from _renamed(path, _members(data, f"{place}!{path}", depth + 1, room))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise DataError(
            f"zip is damaged or encrypted: {error}", file=place, hint="Export it again"
        ) from None
    except (OSError, ValueError, UnicodeError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"zip is damaged: {error}", file=place) from None
