"""The options by which commands make a gold standard."""

from __future__ import annotations

from dataclasses import dataclass

from gammacp.cli.options.groups import option


@dataclass(frozen=True)
class Deciding:
    """Options for how the gold standard is decided."""

    weights: str = option(
        "How votes are weighed: vote, dawid-skene, one-coin, mace, or auto (dawid-skene where the "
        "data suffice, otherwise vote).",
        "NAME",
        default="auto",
    )
    support: str | None = option(
        "How many annotators must have a unit of the gold standard: a number (2) or a share (0.6, "
        "60%).  [default: more than half; with weights 1]",
        "N|SHARE",
    )
    boundaries: str = option(
        "How start and end are decided: majority, median or mean.", default="majority"
    )
    tolerance: float = option(
        "A unit goes on the review list if its boundaries are further apart than this share of its "
        "length.",
        default=0.25,
    )
