"""Safe reading of files (never of devices), and writing of files complete or not at all."""

import codecs
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from errno import EISDIR
from pathlib import Path, PurePath
from select import select
from shutil import copyfileobj
from tempfile import gettempdir, mkstemp

from gammacp.errors import DataError

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    # UTF-32 first: its little-endian mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks, and the encodings that they say."""
_ANYWHERE = Path()
_INSIDE: ContextVar[Path | None] = ContextVar("folder that is read", default=None)
"""Where all that is read has to lie; `_ANYWHERE` where the user lets files lead elsewhere."""


@contextmanager
def confine(folder: str | os.PathLike[str], *, always: bool = False) -> Iterator[None]:
    """Refuse, within the block, to read files outside a folder, whatever path or link leads there.

    Parameters
    ----------
    folder
        Folder of a file that names others.
    always
        Whether also within `lift_confinement`.
    """
    free = _INSIDE.get() is _ANYWHERE and not always
    with _reading(_ANYWHERE if free else Path(os.path.realpath(folder))):
        yield


@contextmanager
def lift_confinement() -> Iterator[None]:
    """Allow, within the block, files to name others anywhere, as the user asked."""
    with _reading(_ANYWHERE):
        yield


@contextmanager
def _reading(inside: Path) -> Iterator[None]:
    token = _INSIDE.set(inside)
    try:
        yield
    finally:
        _INSIDE.reset(token)


def is_inside(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> bool:
    """Return whether a path stays in a folder, links followed.

    Parameters
    ----------
    path, folder
        Paths, which need not exist.
    """
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def paths_below(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return all paths in a folder at any depth, and the folders that cannot be opened.

    Links to folders are listed but not followed. Hidden folders are never listed as unopened.

    Parameters
    ----------
    folder
        Folder to look in.
    """
    closed: list[Path] = []

    def note(error: OSError) -> None:
        path = Path(os.fspath(error.filename))
        if not any(part.startswith(".") for part in path.relative_to(folder).parts):
            closed.append(path)

    paths = [
        Path(top, name)
        for top, folders, files in os.walk(folder, onerror=note)
        for name in (*folders, *files)
    ]
    return sorted(paths), sorted(closed)


def named_as(
    names: Iterable[str], folder: Path, endings: Sequence[str], *, below: bool = True
) -> dict[str, Path]:
    """Return for each document the file in a folder with the name of the document or of its file.

    The document's name may include the ending. Among several files, the one whose path in the
    folder is the document's name is taken, then the one whose ending comes first. Files of the same
    name in different folders belong to no document, and neither does a file outside the folder to
    which a link leads.

    Parameters
    ----------
    names
        Names of documents.
    folder
        Folder to look in.
    endings
        Endings of files, in lower case, with the point.
    below
        Whether to look into its folders, too.
    """
    if below:
        candidates = folder.rglob("*")
    else:
        candidates = folder.glob("*")
    called: dict[str, list[Path]] = {}
    for path in sorted(p for p in candidates if p.suffix.lower() in endings and p.is_file()):
        if is_inside(path, folder):
            for key in {path.stem, path.name}:
                called.setdefault(key, []).append(path)
    path_by_name = {}
    for name in names:
        last = PurePath(name).name
        # Documents without a name of their own are called as their files.
        if (folder / name).is_file():
            stem = PurePath(name).stem
        else:
            stem = last
        listed = called.get(last) or called.get(stem) or []
        exact = [p for p in listed if p in (folder / name, folder / f"{name}{p.suffix}")]
        first = sorted(exact or listed, key=lambda p: endings.index(p.suffix.lower()))
        if len({p.parent for p in first}) == 1:
            path_by_name[name] = first[0]
    return path_by_name


def check_inside(path: str | os.PathLike[str]) -> None:
    """Raise a DataError for a path that leads out of the folder of `confine`.

    Parameters
    ----------
    path
        Path of a file or a folder, there or not.
    """
    folder = _INSIDE.get()
    if folder is None or folder is _ANYWHERE or is_inside(path, folder):
        return
    raise DataError(
        f"leads out of {folder}",
        file=path,
        hint="Put the file itself there, or give `lift_confinement()` "
        "(the studio reads only its own folder)",
    )


def in_words(error: OSError) -> str:
    """Describe an error of the system, with the file that it concerns.

    A full disk names no file by itself.

    Parameters
    ----------
    error
        Error of a file that is read or written; one without a name is a temporary one.
    """
    return f"{error.filename or gettempdir()}: {error.strerror or error}"


def content_of(path: str | os.PathLike[str], *, pipes: bool = False) -> bytes:
    """Return the bytes of a file; a link is followed, but only to a file.

    Parameters
    ----------
    path
        Path of the file.
    pipes
        Whether it may be a pipe. Then all its content is read, if a writer starts in time.

    Raises
    ------
    DataError
        There is no such file, it cannot be read, it is a folder, a device, a pipe or a socket,
        which may have no end, or it is outside the folder of `confine`.
    """
    try:
        check_inside(path)
        # A pipe that nobody writes into would hang an `open` for ever: look before.
        kind = os.stat(path).st_mode  # noqa: PTH116 (a PathLike may be a string)
        if pipes and stat.S_ISFIFO(kind):
            return _read_pipe(path)
        if not stat.S_ISREG(kind):
            name = next((n for is_one, n in _KINDS if is_one(kind)), "something else")
            raise DataError(f"is {name}, not a file", file=path, hint="Save it as a file first")
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise DataError("file does not exist", file=path, hint="Check the path") from None
    except DataError:
        raise
    except (OSError, ValueError) as error:
        what = getattr(error, "strerror", None) or error
        raise DataError(f"file cannot be read: {what}", file=path) from None


def text_of(path: str | os.PathLike[str]) -> str:
    """Return the text of a file in UTF-8, or with a byte order mark in UTF-16 or UTF-32.

    Parameters
    ----------
    path
        Path of the file.

    Raises
    ------
    DataError
        As for `content_of`, or it is in another encoding.
    """
    try:
        return decoded(content_of(path))
    except DataError as error:
        raise error.at(path) from None


def decoded(content: bytes, encoding: str = "utf-8", hint: str = "Save the file as UTF-8") -> str:
    """Decode the content of a file.

    Parameters
    ----------
    content
        Bytes of a file; a byte order mark says the encoding, and is no part of the text.
    encoding
        Encoding of a file without such a mark.
    hint
        Advice if the encoding is another one.

    Raises
    ------
    DataError
        It is not in that encoding; with the line.
    """
    for mark, marked in BOMS:
        if content.startswith(mark):
            content = content[len(mark) :]
            encoding = marked
            break
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{content[error.start]:02x} is not {encoding.upper()}"
        raise DataError(what, line=line, hint=hint) from None


def _read_pipe(path: str | os.PathLike[str]) -> bytes:
    # Opened without waiting, for nobody may ever open the other end.
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as pipe:  # noqa: PTH123
        if not select([pipe], [], [], PATIENCE)[0]:
            raise DataError(
                f"nothing came through the pipe in {PATIENCE} s",
                file=path,
                hint="Save it as a file first",
            )
        os.set_blocking(pipe.fileno(), True)
        return pipe.read()


def content_if_any(path: str | os.PathLike[str]) -> bytes | None:
    """Return the bytes of a file; None if it does not exist.

    Parameters
    ----------
    path
        Path of the file; no file can have a name that is too long, or that has a null in it.
    """
    return content_of(path) if os.path.isfile(path) else None  # noqa: PTH113


PATIENCE = 15
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside `path`, renamed to it when the block ends well, else removed.

    Folders on the way are made, and removed if it ends badly. A link is followed; a device or a
    pipe is written to. The file gets the permissions a plain `open` would give it. Errors of the
    system name `path`, not the temporary one.

    >>> with atomic_write("out.csv") as temporary:  # doctest: +SKIP
    ...     temporary.write_text("…", encoding="utf-8")
    """
    target = Path(path)
    folders = [folder for folder in target.parents if not folder.exists()]
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():
        raise IsADirectoryError(EISDIR, "is a folder", str(target))
    if target.is_symlink() and target.is_file():
        target = Path(os.path.realpath(target))
    special = target.exists() and not target.is_file()
    if special:
        beside = None
    else:
        beside = target.parent
    try:
        # The suffix stays last: libraries that choose an encoder by it must see it.
        handle, name = mkstemp(prefix=f".{target.stem}-", suffix=target.suffix, dir=beside)
    except OSError as error:
        error.filename = str(target)
        raise
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        if special:
            with temporary.open("rb") as source, target.open("wb") as out:
                copyfileobj(source, out)
            return
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(target)
    except OSError as error:
        # A full disk has no name at all.
        if error.filename is None or str(error.filename) == name:
            error.filename = str(target)
        raise
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()
        with suppress(OSError):  # they hold the file
            for folder in folders:
                folder.rmdir()


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text as it is, in UTF-8; the file is complete or not there.

    Parameters
    ----------
    path
        Path of the file.
    text
        Text with the line breaks that the file gets.

    Raises
    ------
    DataError
        It has a lone surrogate.
    """
    with atomic_write(path) as temporary:
        try:
            temporary.write_text(text, encoding="utf-8", newline="")
        except UnicodeEncodeError:
            raise DataError("a name has a character that UTF-8 cannot encode", file=path) from None
