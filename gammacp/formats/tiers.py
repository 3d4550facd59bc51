"""Annotators from the names of tiers, by a pattern."""

import re
from collections.abc import Collection, Iterable

from gammacp.errors import UsageError
from gammacp.formats.layout import fit
from gammacp.formats.source import Source

ANNOTATOR = "{annotator}"


def annotator_of(tier: str, pattern: str) -> str | None:
    """Return the annotator that a tier's name holds by `pattern`; None if the tier does not fit.

    A pattern is a tier's name with `{annotator}` where the annotator's name is and `*` for
    anything else. Without `{annotator}` the annotator is "".

    >>> annotator_of("gesture@Ann", "gesture@{annotator}")
    'Ann'
    >>> annotator_of("gesture@Ann", "speech@{annotator}") is None
    True
    """
    if pattern.count(ANNOTATOR) > 1:
        raise UsageError(f"tier pattern {pattern!r} has {ANNOTATOR} more than once")
    parts = re.split(r"(\{annotator\}|\*)", pattern)
    values = fit(parts, tier)
    if values is None:
        return None
    if ANNOTATOR in parts:
        return values[parts.index(ANNOTATOR) // 2]
    return ""


def check_chosen(
    source: Source, pattern: str | None, there: Iterable[str], taken: Collection[str]
) -> None:
    """Raise a DataError if no tier fits, or if several do although the path names the annotator.

    Parameters
    ----------
    source, pattern
        The file, and the pattern that tiers must fit.
    there, taken
        The names of all tiers, and of those that are read.
    """
    if not taken:
        if pattern is None:
            what = "there is no tier"
        else:
            what = f"no tier fits {pattern!r}"
        raise source.error(what, hint=f"There are: {', '.join(dict.fromkeys(there)) or 'none'}")
    if source.annotator and len({*taken}) > 1 and ANNOTATOR not in (pattern or ""):
        what = f"file of {source.annotator} has several tiers: {', '.join(taken)}"
        raise source.error(what, hint="Choose one with `tier=`")


def lanes(
    spans: Iterable[tuple[float, float, str | None]], *, points: bool = False
) -> list[list[tuple[float, float, str | None]]]:
    """Sort spans and spread them over as few lanes as needed to avoid overlap within a lane.

    Parameters
    ----------
    spans
        Start, end and label of each.
    points
        Whether spans have no length; then no two in a lane are at the same place.
    """
    rows: list[list[tuple[float, float, str | None]]] = []
    for span in sorted(spans, key=lambda s: (s[0], s[1], (s[2] or "") * points)):
        reached = ((x[-1][1], x) for x in rows)
        lane = next((x for r, x in reached if r < span[0] or (r == span[0] and not points)), None)
        if lane is None:
            rows.append(lane := [])
        lane.append(span)
    return rows
