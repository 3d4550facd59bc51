"""Write plain sentences about annotators who differ from the others in one kind of difference.

The sentences are written from the records of `gammacp.kinds.kinds.Kinds` whose test is significant:
at most three, the most costly first. Each sentence states the annotator, the difference, how often
it occurs, how often it would if all annotators of a document had equal shares, p of the test, and
the share of the disorder.
The counts are those of the table of `gammacp.kinds.tables.people_tables`. The random sets serve the
tests only, so that all counts of a result are read against one number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from gammacp.base.text import counted, p_of_test

Record: TypeAlias = dict[str, Any]

MOST = 3
"""Largest number of sentences."""
LEVEL = 0.05
"""Significance level of the tests behind the sentences."""

_ONE = {
    "position": "places units differently from the others",
    "category": "labels units differently from the others",
    "split": "marks as several what others mark as one",
    "merged": "marks as one what others mark as several",
    "missing": "has no unit where most others have one",
    "extra": "has units that most others do not have",
    "unmatched": "has units that the other one does not have",
    "level": "differs in units inside or around those that all have",
}
_SUCH = {
    "position": "differences about places",
    "category": "differences about labels",
    "unmatched": "units that one of the two lacks",
    "level": "such differences",
}
_CLEAR = {
    "split": "with the same outer boundaries",
    "merged": "with the same outer boundaries",
    "missing": "where those who have the unit agree closely",
}


class SentenceCounts(NamedTuple):
    """Counts that a sentence needs in addition to a record of `Kinds.people`.

    Attributes
    ----------
    even
        Count if all annotators had equal shares.
    clear
        Number of clear cases among the differences.
    """

    even: float
    clear: float


def sentences_of(
    people: Sequence[Record],
    pairs: Sequence[Record],
    counts_by_case: Mapping[tuple[str, str], SentenceCounts],
    disorder: float,
) -> tuple[str, ...]:
    """Return at most three sentences, about the most costly differences first.

    Parameters
    ----------
    people, pairs
        Records of `Kinds`.
    counts_by_case
        Additional counts (`SentenceCounts`), by annotator and kind.
    disorder
        The observed disorder of all kinds together.
    """
    return tuple(
        f"{_sentence(r, people, pairs, counts_by_case)}{_cost(r, disorder)}"
        for r in telling(people)
    )


def telling(people: Sequence[Record]) -> list[Record]:
    """Return the significant records from which sentences are written, in their order.

    Parameters
    ----------
    people
        Records of `Kinds`.
    """
    significant = [r for r in people if r["p"] is not None and r["p"] <= LEVEL]
    significant.sort(key=lambda r: (-(r["charged"] or 0.0), -r["count"], r["p"]))
    return significant[:MOST]


def _sentence(
    record: Record,
    people: Sequence[Record],
    pairs: Sequence[Record],
    counts_by_case: Mapping[tuple[str, str], SentenceCounts],
) -> str:
    name, kind = record["annotator"], record["kind"]
    total = sum(r["count"] for r in people if r["kind"] == kind)
    extra = counts_by_case[name, kind]
    such = _SUCH.get(kind, "such differences between two annotators")
    about = ""
    if kind == "merged":
        about = _against(name, pairs, "one", "several")
    elif kind == "split":
        about = _against(name, pairs, "several", "one")
    share = f"{_number(record['count'])} of the {_number(total)} {such} are {_owner(name)}"
    clear = _CLEAR.get(kind)
    if clear is not None and extra.clear == record["count"]:
        share += f", all {clear}"
    elif clear is not None:
        share += f", {_number(extra.clear)} of them {clear}"
    return (
        f"{name} {_ONE[kind]}{about}: {share}. An even share would be {extra.even:.0f} "
        f"({p_of_test(record['p'])}: test of these counts)."
    )


def _cost(record: Record, disorder: float) -> str:
    """Return a sentence on the share of the disorder; "" where nobody is charged."""
    if not record["charged"] or not disorder:
        return ""
    share = record["charged"] / disorder
    if share < 0.01:
        return " They cost less than 1% of the disorder."
    return f" They cost {share:.0%} of the disorder."


def _owner(name: str) -> str:
    if name.endswith("s"):
        return f"{name}'"
    return f"{name}'s"


def _number(count: float) -> str:
    """Return a count as the table has it; halves come from ties."""
    return f"{count:.1f}".removesuffix(".0")


def _against(name: str, pairs: Sequence[Record], own_key: str, other_key: str) -> str:
    """Return a clause with an annotator's units and the other annotators' counterparts of these."""
    rows = [p for p in pairs if p[own_key] == name]
    if not rows:
        return ""
    if own_key == "one":
        n_units = max(p["cases"] for p in rows)
        counts = [(p[other_key], p["units"]) for p in rows]
    else:
        n_units = max(p["units"] for p in rows)
        counts = [(p[other_key], p["cases"]) for p in rows]
    counts.sort(key=lambda item: -item[1])
    (first, number), *others = counts[:MOST]
    phrases = [f"{first} has {number}", *(f"{who} {many}" for who, many in others)]
    if len(phrases) == 1:
        joined = phrases[0]
    else:
        joined = f"{', '.join(phrases[:-1])} and {phrases[-1]}"
    return f" (for {counted(n_units, 'unit')} of {name}, {joined})"
