"""From continua to files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError
from gammacp.formats.registry import Format, format_for_writing


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


def losses(document: Continuum | Corpus, format: Format) -> Iterator[str]:
    """What the format does not keep of the document, one clause each; units are always kept."""
    continua = [document] if isinstance(document, Continuum) else list(document.values())
    if any(c.text is not None for c in continua) and not format.text:
        yield "the text is not kept"
    if not format.bounds:
        for c in continua:
            extent = (c.starts.min(), c.ends.max()) if c.n_units else c.bounds
            if extent != c.bounds:
                lo, hi = c.bounds
                yield f"bounds {lo:.15g}:{hi:.15g} are not kept; read it with --bounds"
                break
