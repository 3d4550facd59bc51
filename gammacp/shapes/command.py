"""`gammacp unnamed`: groups and γ of readers without names."""

from __future__ import annotations

from gammacp.cli.options.groups import option
from gammacp.cli.options.loading import load
from gammacp.cli.options.reading import Files, Reading
from gammacp.cli.options.settings import Weighing
from gammacp.cli.output import AsJson, message, print_json, show, tell_signatures
from gammacp.errors import UsageError


def unnamed(
    reading: Reading,
    weighing: Weighing,
    files: Files = None,
    readers: int | None = option(
        "How many people read each document; each unit may be anybody's. Not needed if the files "
        "say so.",
        "K",
        min=2,
    ),
    blocks: bool = option(
        "With --readers: in each document, units under one name are from one reader.", default=False
    ),
    same: float | None = option(
        "Two units that differ by at most this are not by the same reader.  [default: the cost of "
        "a missing unit]",
        "COST",
        min=0,
    ),
    json: AsJson = False,
) -> None:
    """γ of units whose readers nobody knows.

    gammacp groups units that may mark the same thing. It prints an interval that contains γ for
    every way to assign names, with chance across documents. --readers drops the names in files.

    Example: gammacp unnamed boxes.csv --readers 4 --positional iou

    Most used: --readers, --same and --positional.
    """
    from gammacp.continuum import Corpus
    from gammacp.continuum.anonymous import hide_names, unnamed_readers
    from gammacp.shapes.unnamed import unnamed_gamma
    from gammacp.shapes.unnamed_tables import interval_table, sizes_table

    if blocks and readers is None:
        raise UsageError("--blocks needs --readers K, the number of readers")
    loaded = load(files, reading, weighing.features)
    continua = {
        name: c if readers is None or unnamed_readers(c) else hide_names(c, readers, blocks=blocks)
        for name, c in loaded.continua.items()
    }
    bounds = unnamed_gamma(
        Corpus.from_continua(continua),
        readers,
        dissimilarity=weighing.dissimilarity(),
        same=same,
    )
    if json:
        print_json({**bounds.as_dict(), **loaded.json})
        return
    show(sizes_table(bounds))
    show(interval_table(bounds))
    for note in bounds.notes:
        message(note)
    tell_signatures(bounds.signature)
