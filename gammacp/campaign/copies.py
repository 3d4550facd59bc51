"""Pairs of annotators who share whole documents: all that is not shared by somebody else, too.

Two people who annotate the same text share most units because these are right, and others because
both make the same mistake. What no third person marks is their own: units with the same places and
label. Honest people share some of it here and there; where one has the other's annotation, all of
it is shared in some documents and little elsewhere. A document counts where the two have at least
`LEAST_UNITS` units of their own and share all. p is the probability of so many such documents if
each unit were shared with the same probability, which is estimated from the documents that are
not wholly shared (a binomial law cut off below its largest value); it is at least the share among
other pairs. Two documents are needed, and p ≤ .05 after Bonferroni's correction for the pairs.

Copies of single units cannot be told from schools, and those of three people not at all, as each
unit then has a third. How often honest people are named, and copies found, is in docs/compare.md
(`benchmarks/copies.py`).
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.base.text import first_names, visible
from gammacp.continuum import Continuum
from gammacp.continuum.selecting import keep_annotators
from gammacp.measures.random_sets import Continua, named_continua

LEAST_UNITS = 2
LEAST_DOCUMENTS = 2
"""Units of their own that two people share, and documents in which they share all."""
FEWEST_PEOPLE = 3
LEVEL = 0.05
MOST_UNITS = 500_000
"""Units of a corpus above which copies are not looked for."""

Pair: TypeAlias = tuple[str, str]
Places: TypeAlias = dict[tuple[Any, ...], list[str]]


@dataclass(frozen=True, kw_only=True)
class Copies:
    """Two annotators who share all of their own units in several documents.

    Attributes
    ----------
    annotators
        The two.
    documents
        Names of documents in which they share all that nobody else marks.
    of
        How many documents there are in which the two have enough units of their own.
    units
        How many units of their own they share in these documents.
    share
        How much of their own units they share in the other documents.
    p
        Of so many documents by chance, times the number of pairs.
    """

    annotators: Pair
    documents: tuple[str, ...]
    of: int
    units: int
    share: float
    p: float

    def in_words(self) -> str:
        """Return a sentence that names no cause."""
        one, other = (visible(name) for name in self.annotators)
        if self.p >= 1e-4:
            p = f"p = {self.p:.2g}"
        else:
            p = "p < .0001"
        if math.isfinite(self.share):
            elsewhere = f"{self.share:.0%} of it elsewhere; "
        else:
            elsewhere = ""
        return (
            f"{one} and {other} share all that nobody else marks in {len(self.documents)} of "
            f"{self.of} documents ({first_names(self.documents, 3)}; {self.units} units; "
            f"{elsewhere}{p}, for all pairs together). The units do not tell why. If one copied "
            "from the other, γ and the posteriors of a gold standard are too high."
        )


@dataclass(frozen=True, kw_only=True)
class CopiesFound:
    """All pairs that are named, how many were tested, and why none were."""

    pairs: tuple[Copies, ...] = ()
    tested: int = 0
    reason: str | None = None

    def in_words(self) -> list[str]:
        """Return a sentence per pair."""
        return [pair.in_words() for pair in self.pairs]

    def as_dict(self) -> dict[str, Any]:
        """The pairs as JSON has them."""
        pairs = [asdict(pair) for pair in self.pairs]
        return {"tested": self.tested, "pairs": pairs, "reason": self.reason}


def copies(continua: Continua) -> CopiesFound:
    """Name pairs of annotators who share whole documents.

    Parameters
    ----------
    continua
        A corpus, or continua by name; documents of at least three annotators count.

    Raises
    ------
    DataError
        There is no document.
    """
    named = named_continua(continua)
    if sum(c.n_units for c in named.values()) > MOST_UNITS:
        reason = f"copies are looked for among {MOST_UNITS:,} units at most"
        return CopiesFound(reason=reason)
    counts: dict[Pair, dict[str, tuple[int, int]]] = defaultdict(dict)
    for name, continuum in named.items():
        for pair, both in _own_units(continuum):
            counts[pair][name] = both
    enough = {
        pair: {name: both for name, both in own.items() if both[1] >= LEAST_UNITS}
        for pair, own in counts.items()
    }
    tested = {pair: own for pair, own in enough.items() if len(own) >= LEAST_DOCUMENTS}
    all_shared = sum(both[0] for own in counts.values() for both in own.values())
    all_units = sum(both[1] for own in counts.values() for both in own.values())
    found = []
    for pair, own in tested.items():
        whole = tuple(name for name, (shared, units) in own.items() if shared == units)
        if len(whole) < LEAST_DOCUMENTS:
            continue
        mine = [sum(both[k] for both in counts[pair].values()) for k in (0, 1)]
        if all_units > mine[1]:
            others = (all_shared - mine[0]) / (all_units - mine[1])
        else:
            others = 0.0
        rest = [both for name, both in own.items() if name not in whole]
        chance = max(others, _share_of_cut(rest))
        p = len(tested) * _at_least(len(whole), [chance**units for _, units in own.values()])
        if p <= LEVEL:
            left = [sum(both[k] for both in rest) for k in (0, 1)]
            found.append(
                Copies(
                    annotators=pair,
                    documents=whole,
                    of=len(own),
                    units=sum(own[name][0] for name in whole),
                    share=left[0] / left[1] if left[1] else math.nan,
                    p=p,
                )
            )
    return CopiesFound(pairs=tuple(found), tested=len(tested))


def count_once(
    continua: Mapping[str, Continuum], found: CopiesFound
) -> tuple[dict[str, Continuum], dict[str, tuple[str, ...]]]:
    """Leave out the second of two annotators where the two are named and have the same units.

    Parameters
    ----------
    continua
        By name.
    found
        The pairs that are named.

    Returns
    -------
    tuple
        The continua, and by document who is left out.
    """
    changed = dict(continua)
    gone = defaultdict[str, list[str]](list)
    for named in found.pairs:
        pair = named.annotators
        for name in named.documents:
            continuum = changed[name]
            if {*pair} <= {*continuum.annotators} and _same(continuum, pair):
                gone[name].append(pair[1])
                rest = [a for a in continuum.annotators if a != pair[1]]
                changed[name] = keep_annotators(continuum, rest)
    return changed, {name: tuple(people) for name, people in gone.items()}


def _places(continuum: Continuum) -> Places:
    """Return who marks each unit: its start, end, label and fragments."""
    people = continuum.annotators
    whose = (people[code] for code in continuum.annotator_codes.tolist())
    inside = continuum.inside
    if inside is None:
        shapes: Iterable[Any] = [None] * continuum.n_units
    else:
        shapes = map(repr, inside)
    rows = zip(
        continuum.starts.tolist(),
        continuum.ends.tolist(),
        continuum.category_codes.tolist(),
        shapes,
        whose,
        strict=True,
    )
    marked: Places = defaultdict(list)
    for *place, annotator in rows:
        marked[tuple(place)].append(annotator)
    return marked


def _own_units(continuum: Continuum) -> Iterator[tuple[Pair, tuple[int, int]]]:
    """Yield of each two annotators how many units that nobody else marks they share, and have."""
    people = sorted(continuum.annotators)
    if len(people) < FEWEST_PEOPLE:
        return
    shared: dict[Pair, int] = defaultdict(int)
    alone: dict[str, int] = defaultdict(int)
    for annotators in _places(continuum).values():
        names = sorted({*annotators})
        if len(names) == 1:
            alone[names[0]] += 1
        elif len(names) == 2:
            shared[names[0], names[1]] += 1
    for one, other in combinations(people, 2):
        both = shared.get((one, other), 0)
        units = both + alone.get(one, 0) + alone.get(other, 0)
        if units:
            yield (one, other), (both, units)


def _same(continuum: Continuum, pair: Pair) -> bool:
    """Return whether the two have the same units, each as often."""
    every = _places(continuum).values()
    return all(people.count(pair[0]) == people.count(pair[1]) for people in every)


def _share_of_cut(counts: list[tuple[int, int]]) -> float:
    """Return the share of units that are shared, from documents of which not all are.

    The likelihood is that of binomial numbers that are less than their largest value; one shared
    unit more is on the safe side.
    """
    if not counts:
        return 0.0
    shared = 1 + sum(s for s, _ in counts)
    sizes = np.array([n for _, n in counts], np.float64)
    low = 0.0
    high = 1.0
    for _ in range(40):
        q = (low + high) / 2
        expected = float((sizes * (q - q**sizes) / (1 - q**sizes)).sum())
        low, high = (q, high) if expected < shared else (low, q)
    return high


def _at_least(number: int, chances: list[float]) -> float:
    """Return the probability that at least so many of independent events happen."""
    law: Floats = np.zeros(len(chances) + 1)
    law[0] = 1.0
    for chance in chances:
        law[1:] = law[1:] * (1 - chance) + law[:-1] * chance
        law[0] *= 1 - chance
    return float(law[number:].sum())
