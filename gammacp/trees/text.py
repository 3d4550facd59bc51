"""Reading a text file whose encoding may be wrong."""

from pathlib import Path

from gammacp.base.files import content_of
from gammacp.base.text import lines_of
from gammacp.errors import UsageError
from gammacp.formats.source import Source


def read_lines(path: Path, *, encoding: str = "utf-8") -> list[str]:
    """Return the lines of a file; a byte-order mark overrides `encoding`.

    Lines end as of `lines_of` (a form may be any other separator of Unicode). A byte that does not
    fit the encoding raises DataError with file and line.
    """
    try:
        "".encode(encoding)
    except LookupError:
        raise UsageError(f"encoding {encoding!r} is unknown") from None
    hint = "Convert the file to UTF-8, or name its encoding with `encoding=`."
    text = Source(path, "", "", content_of(path)).text(encoding, hint)
    return lines_of(text)
