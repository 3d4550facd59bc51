"""`gammacp convert`: from one file format to another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from gammacp.cli.options.groups import option
from gammacp.cli.options.reading import Reading, load
from gammacp.cli.output import message


def convert(
    reading: Reading,
    inputs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="IN… OUT", help="Files, folders or globs, and the file to write."),
    ] = None,
    to: str | None = option("Format to write; by default the ending of OUT says it.", "NAME"),
    offset_unit: str | None = option("What positions count (s, ms, characters, …).", "UNIT"),
) -> None:
    """Read annotations in any format and write them in another."""
    from gammacp.continuum import Corpus
    from gammacp.errors import UsageError
    from gammacp.formats import write
    from gammacp.formats.registry import format_for_writing
    from gammacp.formats.writing import losses

    if not inputs:
        raise UsageError("give what to read and the file to write: gammacp convert IN OUT")
    *files, out = inputs
    chosen = format_for_writing(out, to)
    loaded = load(files, reading)
    named = loaded.named()
    if offset_unit is not None:
        named = {name: replace(c, offset_unit=offset_unit) for name, c in named.items()}
    continua = list(named.values())
    document = continua[0] if len(continua) == 1 else Corpus.from_continua(named)
    write(document, out, format=chosen.name)
    for loss in losses(document, chosen):
        message(f"gammacp: {out}: {loss}")
    units = sum(c.n_units for c in continua)
    noun = "continuum" if len(continua) == 1 else "continua"
    message(f"{out}: {units} units, {len(continua)} {noun}, as {chosen.title}")
