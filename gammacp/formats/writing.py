"""From continua to files."""

from __future__ import annotations

import os
from pathlib import Path

from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError
from gammacp.formats.registry import format_for_writing


def write(
    document: Continuum | Corpus,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    **options: object,
) -> None:
    """Write a continuum or a corpus; the file is complete or not there.

    Parameters
    ----------
    document
        What to write. A format whose files hold one continuum takes a corpus of one.
    path
        The file (for formats of several files, the folder).
    format
        Name of the format; by default the ending of `path` says it.
    options
        What the format's writer takes.

    Raises
    ------
    DataError
        The format cannot hold the document (what, and which format can).
    UsageError
        The format is unknown or only read.
    """
    target = Path(path)
    chosen = format_for_writing(target, format)
    assert chosen.write is not None
    if isinstance(document, Corpus) and not chosen.many:
        if len(document) != 1:
            raise DataError(
                f"{len(document)} continua do not fit into one {chosen.title} file",
                file=target,
                hint="Write one file each, or CSV or JSON",
            )
        document = next(iter(document.values()))
    chosen.write(document, target, **options)
