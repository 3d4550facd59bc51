"""Zip archives: exports of several files in one, such as INCEpTION projects; files in gzip."""

import gzip
import io
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePath, PurePosixPath
from typing import IO

from gammacp.errors import DataError
from gammacp.formats.source import TYPE_SYSTEMS

_MAGIC = b"PK\x03\x04"
_LARGEST = 1 << 30
_MOST = 1_000_000
_ROWS = 50_000_000
_DEPTH = 2
_PIECE = 1 << 20


@dataclass
class _Room:
    """Limits on the bytes, files and entries to unpack, nested archives included."""

    largest: int
    most: int
    most_rows: int
    unpacked: int = 0
    files: int = 0
    rows: int = 0

    def read(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, place: str) -> bytes:
        """Return a member's bytes, without relying on the size that its header states."""
        self._take(1, 0, 0, place)
        with archive.open(info) as stream:
            return self.all_of(stream, place)

    def all_of(self, stream: IO[bytes] | gzip.GzipFile, place: str) -> bytes:
        """Read the rest of a stream."""
        pieces: list[bytes] = []
        while piece := stream.read(_PIECE):
            self._take(0, len(piece), entries_of(piece), place)
            pieces.append(piece)
        return b"".join(pieces)

    def count(self, workbook: bytes, place: str) -> None:
        """Count the stated unpacked size of a workbook; `zipfile` reads no more than that."""
        with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(workbook)) as archive:
            inside = archive.infolist()
            self._take(len(inside), sum(info.file_size for info in inside), 0, place)

    def _take(self, files: int, size: int, rows: int, place: str) -> None:
        self.files += files
        self.unpacked += size
        self.rows += rows
        if self.files > self.most:
            what = f"{self.most} files"
        else:
            what = None
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
    """Count the lines, or lists and objects of JSON: each takes a reader's memory.

    Parameters
    ----------
    content
        Bytes of a file, or of a part of it.
    """
    return max(map(content.count, (b"\n", b"[", b"{")))


def without_gz(path: Path) -> Path:
    """Return the path without its ending .gz; other paths are returned unchanged."""
    if path.suffix.lower() == ".gz":
        return path.with_suffix("")
    return path


def unpack(content: bytes, place: str, *, largest: int = _LARGEST, rows: int = _ROWS) -> bytes:
    """Return the unpacked content of a .gz file.

    Parameters
    ----------
    content
        Bytes of the file.
    place
        Name of the file for messages.
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
    """Return whether the bytes begin like a zip archive and the name is not that of a workbook."""
    return content.startswith(_MAGIC) and not name.lower().endswith(".xlsx")


CURATOR = "the curator's work, read only if you name the file"
"""Reason to pass over a file, unless references are included."""
_INITIAL = "INITIAL_CAS"
_CURATED = "CURATION_USER"
_FOLDERS = {"annotation": "", "curation": CURATOR}
# Names that tools give to the only file of an archive, whoever the annotator is.
_ANYBODY = frozenset({"all", "annotations", "data", "export", "project", "unknown"})


def is_project(names: Iterable[str]) -> bool:
    """Return whether these are the paths inside an INCEpTION or WebAnno project.

    Parameters
    ----------
    names
        Paths inside an archive or a folder, in which the project may lie in a folder of its own.
    """
    return bool(_roots(names))


def _roots(names: Iterable[str]) -> list[tuple[str, ...]]:
    """Return the folders that hold a project, as parts of paths, the innermost first."""
    paths = [PurePosixPath(name) for name in names if "exportedproject" in name]
    roots = {
        path.parent.parts
        for path in paths
        if fnmatchcase(path.name, "exportedproject*.json") and not _is_hidden(path)
    }
    return sorted(roots, key=len, reverse=True)


def why_not_annotators(names: Iterable[str]) -> dict[str, str]:
    """Return for each path why it cannot be an annotator's work; "" if it can.

    An INCEpTION project also has the sources, the curation and an `INITIAL_CAS` of each document:
    of a project only the folder `annotation` counts, and `curation` for references (`CURATOR`).

    Parameters
    ----------
    names
        Paths inside a folder or an archive; the project may lie in a folder of its own.
    """
    listed = list(names)
    roots = _roots(listed)
    return {name: _why_not(PurePosixPath(name), roots) for name in listed}


def is_curated(path: PurePath) -> bool:
    """Return whether a file has the name that INCEpTION gives to the curator's work.

    Parameters
    ----------
    path
        Path of the file.
    """
    return path.name.startswith(_CURATED)


def _is_hidden(path: PurePath) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _why_not(path: PurePosixPath, roots: list[tuple[str, ...]]) -> str:
    if _is_hidden(path):
        return "hidden file"
    if path.with_suffix("").suffix == ".links":
        return "links of units that are not read"
    if path.name.startswith(_INITIAL):
        return "the document before anybody annotated it"
    if is_curated(path):
        return CURATOR
    for root in roots:
        if path.parts[: len(root)] == root:
            if len(path.parts) > len(root):
                folder = path.parts[len(root) :][0]
            else:
                folder = ""
            return _FOLDERS.get(folder, "outside the project's folder 'annotation'")
    return ""


def members(
    content: bytes, place: str, *, largest: int = _LARGEST, most: int = _MOST, rows: int = _ROWS
) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield (path, content) of every file in an archive, and of those in nested archives.

    A file that is alone in an archive inside takes that archive's place: INCEpTION packs each
    annotator's XMI with its type system as `annotation/DOCUMENT/webanno123export.zip`. The name of
    the file itself says whose it is, and the type system is called like it; the archive's name
    counts where several archives of a folder hold files of one name, or where an archive holds
    several files. Where several files have one ending, the archive is a folder, and they lie in it
    under their own names.

    Parameters
    ----------
    content
        The bytes of the archive.
    place
        Name of the archive for messages.
    largest, most, rows
        Bytes that it may unpack to, files and `entries_of` it may hold, archives inside included.

    Raises
    ------
    DataError
        The archive is damaged or encrypted, or unpacks to more.
    """
    yield from _members(content, place, 0, _Room(largest, most, rows))


_Files = list[tuple[PurePosixPath, bytes]]


def _members(content: bytes, place: str, depth: int, room: _Room) -> _Files:
    """Yield (path, content) of the files in an archive and in nested archives."""
    files: _Files = []
    archives: dict[PurePosixPath, _Files] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            # In a truncated archive, the last end record may belong to a nested archive.
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
                    files.append((path, data))
                elif depth < _DEPTH:
                    inside = _members(data, f"{place}!{path}", depth + 1, room)
                    archives.setdefault(path, []).extend(inside)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise DataError(
            f"zip is damaged or encrypted: {error}", file=place, hint="Export it again"
        ) from None
    except (OSError, ValueError, UnicodeError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"zip is damaged: {error}", file=place) from None
    return [*files, *_in_places(archives)]


def _in_places(archives: Mapping[PurePosixPath, _Files]) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield the files of nested archives under their paths in the outermost archive."""
    alone = {path: only_file(path, [p for p, _ in files]) for path, files in archives.items()}
    name_counts = Counter((path.parent, only.stem) for path, only in alone.items() if only)
    for path, files in archives.items():
        only = alone[path]
        is_unambiguous = only is not None and name_counts[path.parent, only.stem] == 1
        if only is not None and is_unambiguous:
            stem = only.stem
        else:
            stem = path.stem
        endings = Counter(inner.suffix.lower() for inner, _ in files if not _is_hidden(inner))
        for inner, data in files:
            if _is_hidden(inner) or endings[inner.suffix.lower()] > 1:
                yield path.with_suffix("") / inner, data
            else:
                yield path.with_name(stem + inner.suffix), data


def only_file(archive: PurePath, inside: Iterable[PurePosixPath]) -> PurePosixPath | None:
    """Return the only data file of an archive, under the name that says whose work it is, or None.

    Parameters
    ----------
    archive
        Path of the archive. Its name replaces that of the file if the file has a name that any
        annotator's file could have, or if INCEpTION uses the archive's name for a curator's work.
    inside
        Files in the archive; type systems and hidden files do not count.
    """
    data = [p for p in inside if p.name not in TYPE_SYSTEMS and not _is_hidden(p)]
    if len(data) != 1 or len(data[0].parts) > 1:
        return None
    special = archive.name.startswith((_INITIAL, _CURATED)) or data[0].stem in _ANYBODY
    if special:
        return data[0].with_stem(PurePosixPath(archive.name).stem)
    return data[0]
