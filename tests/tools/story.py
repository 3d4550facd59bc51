"""Contents of the fixtures of text formats: one text, two annotators, an emoji before a unit."""

from collections import Counter
from pathlib import Path

from gammacp import Continuum, Unit

FIXTURES = Path(__file__).parents[1] / "fixtures" / "formats"

TEXT = "Ann met Bob 😊 in New York .\nThey left ."

UNITS = [
    Unit("ann", 0, 3, "PER"),
    Unit("ann", 8, 11, "PER"),
    Unit("ann", 17, 25, "LOC"),
    Unit("bob", 0, 3, "PER"),
    Unit("bob", 17, 20, "LOC"),
    Unit("bob", 28, 32, None),
]

TOKENS = [
    Unit("ann", 0, 1, "PER"),
    Unit("ann", 2, 3, "PER"),
    Unit("ann", 5, 7, "LOC"),
    Unit("bob", 0, 1, "PER"),
    Unit("bob", 5, 6, "LOC"),
    Unit("bob", 8, 9, None),
]


def counted(c: Continuum) -> Counter[tuple[str, str]]:
    """Return the left out parts of all files, counted by kind and reason."""
    counts: Counter[tuple[str, str]] = Counter()
    for e in c.left_out:
        counts[e.kind, e.reason] += e.count
    return counts


def links_by_starts(c: Continuum) -> set[tuple[str, float, float, str]]:
    """Return the links as (type, start of source, start of target, kind)."""
    start = {u.id: u.start for u in c}
    links = [(x.type, start[x.source], start[x.target], x.kind) for x in c.links]
    assert len({*links}) == len(links)
    return {*links}
