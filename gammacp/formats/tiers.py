"""Annotators from the names of tiers, by a pattern."""

import re
from collections.abc import Iterable

from gammacp.errors import DataError, UsageError
from gammacp.formats.layout import fit
from gammacp.formats.source import Source

ANNOTATOR = "{annotator}"


def annotator_of(tier: str, pattern: str) -> str | None:
    """The annotator that a tier's name holds by `pattern`; None if the tier does not fit.

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
    return values[parts.index(ANNOTATOR) // 2] if ANNOTATOR in parts else ""


def no_tier(source: Source, pattern: str | None, there: Iterable[str]) -> DataError:
    """What is wrong when no tier fits."""
    names = ", ".join(dict.fromkeys(there)) or "none"
    what = "there is no tier" if pattern is None else f"no tier fits {pattern!r}"
    return source.error(what, hint=f"There are: {names}")


def lanes(
    spans: Iterable[tuple[float, float, str | None]],
) -> list[list[tuple[float, float, str | None]]]:
    """Spans sorted and spread over as few lanes as needed so that none overlaps in its lane."""
    found: list[list[tuple[float, float, str | None]]] = []
    for span in sorted(spans, key=lambda s: (s[0], s[1])):
        lane = next((x for x in found if x[-1][1] <= span[0]), None)
        if lane is None:
            found.append(lane := [])
        lane.append(span)
    return found
