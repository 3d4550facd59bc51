"""Search for copied annotations: pairs who share all of their rare units in whole documents.

Two people who annotate the same text share most units because these are right, and others because
both make the same mistake. Only units tell something that nobody but one of the two, or both, has
marked (same places and label): the pair's own units. Independent annotators share some of these,
here and there. If one copied from the other, all are shared in some documents and few elsewhere.
What counts is the number of own units in the documents where the two share all of them: a document
with three says more than one with a single unit. p is the probability of so many units if those of
a document were shared by a beta-binomial law, as documents differ in what is easily seen. Its mean
is estimated from the documents that are not wholly shared (a binomial law cut off below its largest
value), and is at least the share among other pairs; its spread between documents is that of the
other pairs, by moments. Two such documents with three own units are needed, and p ≤ .05 after
Bonferroni's correction for the pairs.

Copies of single units cannot be distinguished from common habits. Copies among three people are not
found at all, as each unit is then marked by a third person. How often independent annotators are
named, and copies found, is in docs/compare.md (`benchmarks/copies.py`).
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

LEAST_DOCUMENTS = 2
LEAST_UNITS = 3
"""Least number of documents in which a pair shares all own units, and of own units in them."""
FEWEST_PEOPLE = 3
LEVEL = 0.05
MOST_UNITS = 500_000
"""Number of units above which a corpus is not searched for copies."""
MOST_COUNTED = 2000
"""Number of shared units from which more of them do not make p smaller."""
MOST_SPREAD = 0.9
"""Largest correlation between units of one document that is estimated."""

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
        Names of documents in which they share all units that nobody else marks.
    of
        Number of documents in which the two have own units.
    units
        Number of own units that they share in these documents.
    share
        Share of their own units that they share in the other documents.
    p
        Probability of so many such documents by chance, times the number of pairs.
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
            elsewhere = f"; of such units in other documents they share {self.share:.0%}"
        else:
            elsewhere = ""
        return (
            f"{one} and {other} share every unit that nobody else marks in "
            f"{len(self.documents)} of {self.of} documents ({first_names(self.documents, 3)}: "
            f"{self.units} units{elsewhere}; {p}, corrected for all pairs). The units cannot show "
            "why. If one copied from the other, γ and the probabilities stated for a gold standard "
            "are too high."
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

    def headline(self) -> list[str]:
        """Return the sentence on the first pair, if there is one."""
        return self.in_words()[:1]

    def as_dict(self) -> dict[str, Any]:
        """Return the pairs as JSON has them."""
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
        reason = f"copies are searched for in at most {MOST_UNITS:,} units"
        return CopiesFound(reason=reason)
    counts: dict[Pair, dict[str, tuple[int, int]]] = defaultdict(dict)
    for name, continuum in named.items():
        for pair, both in _own_units(continuum):
            counts[pair][name] = both
    tested = {
        pair: documents for pair, documents in counts.items() if len(documents) >= LEAST_DOCUMENTS
    }
    moments = {pair: _moments(documents.values()) for pair, documents in tested.items()}
    all_shared = sum(both[0] for documents in counts.values() for both in documents.values())
    all_units = sum(both[1] for documents in counts.values() for both in documents.values())
    named_pairs = []
    for pair, documents in tested.items():
        whole = tuple(name for name, (shared, units) in documents.items() if shared == units)
        units_shared = sum(documents[name][0] for name in whole)
        if len(whole) < LEAST_DOCUMENTS or units_shared < LEAST_UNITS:
            continue
        shared_and_all = [sum(both[k] for both in counts[pair].values()) for k in (0, 1)]
        if all_units > shared_and_all[1]:
            others = (all_shared - shared_and_all[0]) / (all_units - shared_and_all[1])
        else:
            others = 0.0
        rest = [both for name, both in documents.items() if name not in whole]
        chance = max(others, _share_of_cut(rest))
        sizes = [units for _, units in documents.values()]
        wholly = _wholly_shared(max(sizes), chance, _spread(moments, pair))
        p = len(tested) * _probability_of_overlap(units_shared, sizes, wholly)
        if p <= LEVEL:
            elsewhere = [sum(both[k] for both in rest) for k in (0, 1)]
            named_pairs.append(
                Copies(
                    annotators=pair,
                    documents=whole,
                    of=len(documents),
                    units=units_shared,
                    share=elsewhere[0] / elsewhere[1] if elsewhere[1] else math.nan,
                    p=p,
                )
            )
    return CopiesFound(pairs=tuple(named_pairs), tested=len(tested))


def count_once(
    continua: Mapping[str, Continuum], copies: CopiesFound
) -> tuple[dict[str, Continuum], dict[str, tuple[str, ...]]]:
    """Leave out the second of two annotators where the two are named and have the same units.

    Parameters
    ----------
    continua
        Continua by name.
    copies
        The pairs that are named.

    Returns
    -------
    tuple
        The continua, and by document who is left out.
    """
    changed = dict(continua)
    left_out = defaultdict[str, list[str]](list)
    for named in copies.pairs:
        pair = named.annotators
        for name in named.documents:
            continuum = changed[name]
            if {*pair} <= {*continuum.annotators} and _same(continuum, pair):
                left_out[name].append(pair[1])
                rest = [a for a in continuum.annotators if a != pair[1]]
                changed[name] = keep_annotators(continuum, rest)
    return changed, {name: tuple(people) for name, people in left_out.items()}


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
    annotators_by_place: Places = defaultdict(list)
    for *place, annotator in rows:
        annotators_by_place[tuple(place)].append(annotator)
    return annotators_by_place


def _own_units(continuum: Continuum) -> Iterator[tuple[Pair, tuple[int, int]]]:
    """Yield each pair with the number of own units that they share, and of all their own units."""
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
    """Return the share of units that are shared, from documents that are not wholly shared.

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
        if expected < shared:
            low = q
        else:
            high = q
    return high


def _moments(counts: Iterable[tuple[int, int]]) -> tuple[float, float]:
    """Return the excess of a pair's squares over a binomial law, and what it is a multiple of."""
    shared, units = np.array([*counts], np.float64).T
    share = shared.sum() / units.sum()
    several = units > 1
    bernoulli = share * (1 - share)
    squares = (shared - units * share) ** 2 - units * bernoulli
    return float(squares[several].sum()), float((units * (units - 1) * bernoulli)[several].sum())


def _spread(moments: Mapping[Pair, tuple[float, float]], pair: Pair) -> float:
    """Return the correlation between units of one document, from all other pairs."""
    others = [both for other, both in moments.items() if other != pair]
    excess, whole = (math.fsum(both[k] for both in others) for k in (0, 1))
    if whole <= 0:
        return 0.0
    return min(MOST_SPREAD, max(0.0, excess / whole))


def _wholly_shared(most: int, share: float, spread: float) -> Floats:
    """Return the probability that all of so many units are shared, by their number.

    Parameters
    ----------
    most
        Largest number of units.
    share
        Probability that a unit is shared.
    spread
        Correlation between units of one document; 0: the binomial law.
    """
    before = np.arange(most)
    next_share = (share * (1 - spread) + before * spread) / (1 - spread + before * spread)
    return np.concatenate([[1.0], np.cumprod(next_share)])


def _probability_of_overlap(number: int, sizes: list[int], wholly: Floats) -> float:
    """Return the probability that documents that are wholly shared have so many units together.

    Parameters
    ----------
    number
        Of units; more than `MOST_COUNTED` count as that many, which is on the safe side.
    sizes
        Own units of each document.
    wholly
        Probability that a document of so many units is wholly shared, by their number.
    """
    least = min(number, MOST_COUNTED)
    law: Floats = np.zeros(least)
    law[0] = 1.0
    reached = 0.0
    for size in sizes:
        moved = wholly[size] * law
        overlap = max(0, least - size)
        reached += float(moved[overlap:].sum())
        law -= moved
        law[least - overlap :] += moved[:overlap]
    return reached
