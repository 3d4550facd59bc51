"""Reading a text file whose encoding may be wrong."""

from __future__ import annotations

import codecs
from pathlib import Path

from gammacp.errors import DataError, UsageError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_lines(path: Path, *, encoding: str = "utf-8") -> list[str]:
    """The lines of a file; a byte-order mark overrides `encoding`.

    Only line feeds end a line (a form may be any other separator of Unicode). A byte that does not
    fit the encoding raises DataError with file and line.
    """
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise UsageError(f"encoding {encoding!r} is unknown") from None
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"file cannot be read: {error.strerror}", file=path) from None
    marked = next((name for mark, name in _MARKS if content.startswith(mark)), encoding)
    try:
        return [line.removesuffix("\r") for line in content.decode(marked).split("\n")]
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"byte 0x{content[error.start]:02x} is not {marked}",
            file=path,
            line=line,
            hint="Convert the file to UTF-8, or name its encoding with --encoding.",
        ) from None
