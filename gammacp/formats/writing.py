"""From continua to files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError
from gammacp.formats.layout import file_name
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
        What to write.
    path
        The file. For brat, and for a corpus in a format whose files hold one continuum, the
        folder; each continuum then is a file of its name.
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
    if not chosen.features and document.features:
        document = (
            document.with_features()
            if isinstance(document, Continuum)
            else Corpus.from_continua({n: c.with_features() for n, c in document.items()})
        )
    if isinstance(document, Continuum) or chosen.many:
        chosen.write(document, target, **options)
    elif len(document) == 1:
        chosen.write(next(iter(document.values())), target, **options)
    elif target.suffix:
        raise DataError(
            f"{len(document)} continua do not fit into one {chosen.title} file",
            file=target,
            hint=f"Name a folder and --to {chosen.name}, or write CSV or JSON",
        )
    else:
        names = {name: file_name(name, "continuum") for name in document}
        for name, continuum in document.items():
            chosen.write(continuum, target / (names[name] + chosen.extensions[0]), **options)


def losses(document: Continuum | Corpus, format: Format) -> Iterator[str]:
    """What the format does not keep of the document, one clause each; units are always kept."""
    continua = [document] if isinstance(document, Continuum) else list(document.values())
    if any(c.text is not None for c in continua) and not format.text:
        yield "the text is not kept"
    if document.features and not format.features:
        yield f"features are not kept: {', '.join(document.features)}"
    if not format.bounds:
        for c in continua:
            extent = (c.starts.min(), c.ends.max()) if c.n_units else c.bounds
            if extent != c.bounds:
                lo, hi = c.bounds
                yield f"bounds {lo:.15g}:{hi:.15g} are not kept; read it with --bounds"
                break
