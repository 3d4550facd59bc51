"""Files that are either complete or not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EISDIR
from pathlib import Path
from tempfile import mkstemp


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path`, renamed to it when the block ends well, else removed.

    Folders on the way are made. The file gets the permissions a plain `open` would give it. Errors
    of the system name `path`, not the temporary one.

    >>> with atomic_write("out.csv") as temporary:  # doctest: +SKIP
    ...     temporary.write_text("…", encoding="utf-8")
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():
        raise IsADirectoryError(EISDIR, "is a folder", str(target))
    try:
        # The suffix stays last: libraries that choose an encoder by it must see it.
        handle, name = mkstemp(prefix=f".{target.stem}-", suffix=target.suffix, dir=target.parent)
    except OSError as error:
        error.filename = str(target)
        raise
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
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
