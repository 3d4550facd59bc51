"""`gammacp unnamed`: groups and γ of readers without names."""

from __future__ import annotations

from gammacp.cli.options.groups import option
from gammacp.cli.options.reading import Files, Reading, load
from gammacp.cli.options.settings import Weighing
from gammacp.cli.output import AsJson, message, print_json, show, tell_signatures
from gammacp.errors import UsageError


def unnamed(
    reading: Reading,
    weighing: Weighing,
    files: Files = None,
    readers: int | None = option(
        "How many read each document; any unit may be anybody's. Left out where the files say it.",
        "K",
        min=2,
    ),
    blocks: bool = option(
        "With --readers: what one name drew in a document is one reader's there.", default=False
    ),
    same: float | None = option(
        "No reader drew two units that differ by this or less.  [default: as a missing unit]",
        "COST",
        min=0,
    ),
    json: AsJson = False,
) -> None:
    """Groups of what readers drew whose names nobody knows, and γ over every way to name them.

    Names in the files are dropped with --readers. γ is an interval that holds the value of each
    naming, for chance across documents.

    Example: gammacp unnamed boxes.csv --readers 4 --positional iou

    Most used: --readers, --same and --positional.
    """
    from gammacp.continuum import Corpus
    from gammacp.measures.score_tables import interval_table, sizes_table
    from gammacp.measures.unnamed import unnamed_gamma

    if blocks and readers is None:
        raise UsageError("--blocks goes with --readers: say how many readers there are")
    loaded = load(files, reading, weighing.features)
    continua = {
        name: c if readers is None or c.unnamed else c.without_names(readers, blocks=blocks)
        for name, c in loaded.continua.items()
    }
    found = unnamed_gamma(
        Corpus.from_continua(continua),
        readers,
        dissimilarity=weighing.dissimilarity(),
        same=same,
    )
    if json:
        print_json({**found.as_dict(), **loaded.json})
        return
    show(sizes_table(found))
    show(interval_table(found))
    for note in found.notes:
        message(note)
    tell_signatures(found.signature)
