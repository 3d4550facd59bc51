"""Sentences on what stands out: who differs from the others, in which kind, and how often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from gammacp.base.text import counted

Record: TypeAlias = dict[str, Any]

MOST = 3
LEVEL = 0.05
"""Of the tests behind sentences."""

_ONE = {
    "position": "places units elsewhere than the others",
    "category": "labels units otherwise than the others",
    "split": "marks as several what others mark as one",
    "merged": "marks as one what others mark as several",
    "missing": "has no unit where most others have one",
    "extra": "has units that most others have not",
    "unmatched": "has units that the other one has not",
    "level": "differs in units inside or around those that all have",
}
_SUCH = {
    "position": "differences about places",
    "category": "differences about labels",
    "unmatched": "units that one of the two lacks",
    "level": "such differences",
}
_CLEAR = {
    "split": "with ends that fit",
    "merged": "with ends that fit",
    "missing": "where those who have it agree closely",
}
# Compared with the share of a person, as chance gives more of them than people who agree.
_SHARES = ("position", "category", "extra", "unmatched")


class Beside(NamedTuple):
    """Counts that stand beside one of `Kinds.people`.

    Attributes
    ----------
    even
        The count at an even share.
    clear, clear_by_chance
        Clear cases among those that are counted, and what random sets give of such.
    """

    even: float
    clear: float
    clear_by_chance: float


def sentences_of(
    people: Sequence[Record],
    pairs: Sequence[Record],
    beside: Mapping[tuple[str, str], Beside],
) -> tuple[str, ...]:
    """Return at most three sentences, about what costs most first.

    Parameters
    ----------
    people, pairs
        Records of `Kinds`.
    beside
        By annotator and kind.
    """
    return tuple(
        _sentence(r, people, pairs, beside[r["annotator"], r["kind"]]) for r in telling(people)
    )


def telling(people: Sequence[Record]) -> list[Record]:
    """Return the records that sentences are made of, in their order.

    Parameters
    ----------
    people
        Records of `Kinds`.
    """
    found = [r for r in people if r["p"] is not None and r["p"] <= LEVEL]
    found.sort(key=lambda r: (-(r["charged"] or 0.0), -r["count"], r["p"]))
    return found[:MOST]


def _sentence(
    record: Record, people: Sequence[Record], pairs: Sequence[Record], beside: Beside
) -> str:
    name, kind = record["annotator"], record["kind"]
    alike = ("split", "merged") if kind in ("split", "merged") else (kind,)
    total = sum(r["count"] for r in people if r["kind"] in alike)
    such = _SUCH.get(kind, "such cases")
    share = f"{_number(record['count'])} of the {_number(total)} {such} are {_owner(name)}"
    if kind in _SHARES:
        return f"{name} {_ONE[kind]}: {share} ({_number(beside.even)} at an even share)."
    about = ""
    if kind == "merged":
        about = _against(name, pairs, "one", "several")
    elif kind == "split":
        about = _against(name, pairs, "several", "one")
    by_chance = f"{_number(record['by_chance'])} by chance"
    clear = _CLEAR.get(kind)
    if clear is not None:
        clear_by_chance = f"{_number(beside.clear_by_chance)} by chance"
        by_chance += f"; {_number(beside.clear)} {clear}, {clear_by_chance}"
    return f"{name} {_ONE[kind]}: {about}{share} ({by_chance})."


def _owner(name: str) -> str:
    if name.endswith("s"):
        return f"{name}'"
    return f"{name}'s"


def _number(count: float) -> str:
    return f"{count:.0f}"


def _against(name: str, pairs: Sequence[Record], mine: str, other: str) -> str:
    """Return how many units are how many of the others."""
    found = [p for p in pairs if p[mine] == name]
    if not found:
        return ""
    if mine == "one":
        own = max(p["cases"] for p in found)
        listed = [(p[other], p["units"]) for p in found]
    else:
        own = max(p["units"] for p in found)
        listed = [(p[other], p["cases"]) for p in found]
    listed.sort(key=lambda item: -item[1])
    (first, number), *others = listed[:MOST]
    texts = [f"{first} has {number}", *(f"{who} {many}" for who, many in others)]
    if len(texts) == 1:
        joined = texts[0]
    else:
        joined = f"{', '.join(texts[:-1])} and {texts[-1]}"
    return f"{counted(own, 'unit')}, for which {joined}; "
