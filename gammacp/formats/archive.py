"""Zip archives: exports of several files in one, such as INCEpTION projects."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from gammacp.errors import DataError

_MAGIC = b"PK\x03\x04"
_LARGEST = 1 << 30
_DEPTH = 2


def is_archive(content: bytes) -> bool:
    """Whether the bytes begin like a zip archive."""
    return content.startswith(_MAGIC)


def what_annotators_made(names: Iterable[str]) -> list[str]:
    """The paths inside a folder or an archive that can be an annotator's work.

    Hidden files are left out. An INCEpTION project also has the sources, the curation and an
    `INITIAL_CAS` of each document: of a project only the folder `annotation` counts. What a
    curator made is read when it is named outright.
    """
    paths = [PurePosixPath(name) for name in names]
    project = any(p.match("exportedproject*.json") and len(p.parts) == 1 for p in paths)
    return [
        str(p)
        for p in paths
        if not any(part.startswith(".") for part in p.parts)
        and not p.name.startswith(("INITIAL_CAS", "CURATION_USER"))
        and (not project or p.parts[0] == "annotation")
    ]


def members(content: bytes, place: str, depth: int = 0) -> Iterator[tuple[PurePosixPath, bytes]]:
    """(path, content) of every file in an archive; archives inside are opened too.

    A file in an archive inside has the path of that archive, with its own ending: INCEpTION packs
    each annotator's XMI with its type system as `annotation/DOCUMENT/ANNOTATOR.zip`.

    Raises
    ------
    DataError
        The archive is damaged, encrypted, or larger than 1 GB unpacked.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(info.file_size for info in archive.infolist()) > _LARGEST:
                raise DataError("archive holds more than 1 GB", file=place)
            # The end of an archive that is cut off may be that of an archive inside.
            if min((info.header_offset for info in archive.infolist()), default=0) != 0:
                raise zipfile.BadZipFile("its beginning does not belong to its end")
            for info in archive.infolist():
                if info.is_dir():
                    continue
                path = PurePosixPath(info.filename)
                data = archive.read(info)
                if not is_archive(data):
                    yield path, data
                elif depth < _DEPTH:
                    for inner, inner_data in members(data, f"{place}!{path}", depth + 1):
                        yield path.with_name(path.stem + inner.suffix), inner_data
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise DataError(
            f"archive is damaged: {error}", file=place, hint="Export it again"
        ) from None
    except (OSError, ValueError, UnicodeError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"archive is damaged: {error}", file=place) from None
