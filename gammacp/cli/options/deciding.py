"""The options by which commands make a gold standard."""

from __future__ import annotations

from dataclasses import dataclass

from gammacp.cli.options.groups import option


@dataclass(frozen=True)
class Deciding:
    """How the gold standard is decided."""

    weights: str = option(
        "Whom to believe: vote, dawid-skene, one-coin, mace, or auto: dawid-skene where weights "
        "can be told.",
        "NAME",
        default="auto",
    )
    support: str | None = option(
        "Annotators a unit of the gold standard needs: a number (2) or a share (0.6, 60%).  "
        "[default: more than half; with weights 1]",
        "N|SHARE",
    )
    boundaries: str = option(
        "Start and end of the gold standard's units: majority, median or mean.", default="majority"
    )
    tolerance: float = option(
        "How far apart boundaries may be, as a share of the units' length, before the "
        "unit is on the review list.",
        default=0.25,
    )
