"""`gammacp convert`: from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gammacp.cli.options.groups import argument, option
from gammacp.cli.options.loading import load
from gammacp.cli.options.reading import WRITE_OPTION, Reading, split_names, write_options
from gammacp.cli.output import message
from gammacp.cli.sparing import spare_files

if TYPE_CHECKING:
    from gammacp.continuum import Continuum


def convert(
    reading: Reading,
    inputs: list[Path] | None = argument(
        "Files, folders or globs, and the file to write.", "IN… OUT"
    ),
    target: Path | None = option(
        "File to write, if it is not the last argument.", "OUT", names=("--out", "-o")
    ),
    to: str | None = option("Format to write.  [default: by the ending of OUT]", "NAME"),
    write_option: list[str] | None = WRITE_OPTION,
    texts: Path | None = option(
        "Folder of the annotated texts (NAME.txt for each document), or the text of a single one.",
        "FOLDER",
    ),
    beside: list[str] | None = option(
        "Also read these features besides the category, in formats that read them only on request "
        "(A,B; repeatable).",
        "NAMES",
    ),
    offset_unit: str | None = option("Unit of the positions (s, ms, characters, …).", "UNIT"),
) -> None:
    """Read annotations in one format and write them in another.

    Example: gammacp convert interview.eaf interview.csv

    Most used: --to, --tier and --layer.
    """
    from gammacp.errors import UsageError
    from gammacp.formats import write
    from gammacp.formats.registry import format_for_writing
    from gammacp.formats.writing import check_folder, document_of, losses

    if not inputs:
        raise UsageError("give the files to read, then the file to write: gammacp convert IN OUT")
    files, out = ([*inputs], target) if target is not None else (inputs[:-1], inputs[-1])
    options = write_options(write_option)
    chosen = format_for_writing(out, to)
    check_folder(out)
    about: dict[str, Any] = {"writes": [out], "endings": chosen.extensions, "links": True}
    loaded = load(files, reading, beside=split_names(beside, "--beside"), **about)
    spare_files([out], filter(None, (texts,)))
    named = loaded.by_name()
    if offset_unit is not None:
        named = {name: c.with_about(offset_unit=offset_unit) for name, c in named.items()}
    if texts is not None:
        named = {name: _with_text(c, texts, alone=len(named) == 1) for name, c in named.items()}
    continua = list(named.values())
    document = document_of(named)
    write(document, out, format=chosen.name, **options)
    for loss in losses(document, chosen):
        message(f"gammacp: {out}: {loss}")
    units = sum(c.n_units for c in continua)
    if len(continua) == 1:
        noun = "continuum"
    else:
        noun = "continua"
    message(f"{out}: {units} units, {len(continua)} {noun}, as {chosen.title}")


def _with_text(continuum: Continuum, texts: Path, *, alone: bool) -> Continuum:
    """Return the continuum with its text; without a text it is returned unchanged."""
    from gammacp.base.files import content_of
    from gammacp.formats.source import Source
    from gammacp.formats.spans import CHARACTERS

    name = continuum.name.removesuffix(".txt")
    if alone and not texts.is_dir():
        file = texts
    else:
        file = texts / f"{name}.txt"
    if not alone and not file.is_file():
        message(f"gammacp: {file}: file does not exist, so this document gets no text")
        return continuum
    text = Source(file, "", "", content_of(file)).text()
    return continuum.with_about(text=text, offset_unit=continuum.offset_unit or CHARACTERS)
