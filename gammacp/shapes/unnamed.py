"""Readers without names: groups of at most k units, and γ over every way to name the readers.

Some exports do not say who drew what: k readers saw each document, and a unit is some reader's. A
*naming* gives each unit a reader; units of one block (a reading session) get the same one. γ is
1 − D_o/D_e of a naming, so that it is an interval over all of them:

- D_o is not below the cost of the best groups of at most k units, no two of one block: whatever the
  naming, its alignment is made of such groups. Where every unit is its own block, some naming has
  exactly this cost.
- D_o is not above the best groups of units that are pairwise nearer than `same`, if no reader draws
  one thing twice: two units with d ≤ `same` are then by different readers under every naming, and
  these groups can be made under each. What no naming explains (more than k such units at one place)
  counts as units alone, which is always possible.
- D_e is that of chance across documents: k different ones, of each a reader. It is not above that
  of units alone, k·Δ. Two units of different documents save at most s = (opening + Δ − d)⁺ by being
  grouped, a group no more than its pairs together. Each unit is one reader's, so that what random
  sets save is in the mean not above ½ Σ s over the other document's units, whoever drew them; nor
  is a unit grouped with more than one unit of each other reader.

The ends need not be reached: the interval holds γ of every naming and may be wider than they are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from gammacp.alignment import Status, build_problem
from gammacp.alignment.candidates import MOST_PAIRS, pairs_within
from gammacp.alignment.columns import all_columns
from gammacp.alignment.limits import Limits
from gammacp.alignment.solvers.enumeration import solve_listed
from gammacp.base.arguments import instance, number
from gammacp.base.arrays import Floats, Indices
from gammacp.base.signature import signature
from gammacp.chance.annotation import annotation_set
from gammacp.chance.documents import prepare_documents
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.continuum.about import About
from gammacp.continuum.anonymous import declare_unnamed_readers, unnamed_readers
from gammacp.continuum.selecting import keep_annotators
from gammacp.dissimilarity import Combined, bind
from gammacp.dissimilarity.base import Bindable, BoundDissimilarity
from gammacp.errors import DataError

_TOGETHER = 20 * MOST_PAIRS


@dataclass(frozen=True, kw_only=True)
class UnnamedGamma:
    """Groups of what readers without names drew, and γ over every way to name them.

    Attributes
    ----------
    readers
        k, how many read each document.
    interval
        γ of every naming lies in it; its lower end is −∞ where nothing is known of it, and both are
        NaN without `expected`.
    observed, expected
        Bounds of D_o and D_e over all namings; `expected` is None with fewer documents than k.
    groups
        Units of each unitary alignment that is best of all namings, by document.
    units
        Number of units.
    unexplained
        Units at places where no naming gives each that is nearer than `same` a reader of its own.
    same
        The dissimilarity up to which two units are not one reader's.
    status
        Whether the groups are proven to be the best.
    reason
        Reason why there is no interval.
    signature
        Signature of the result.
    """

    readers: int
    interval: tuple[float, float]
    observed: tuple[float, float]
    expected: tuple[float, float] | None
    groups: Mapping[str, tuple[tuple[Unit, ...], ...]]
    units: int
    unexplained: int
    same: float
    status: Status
    reason: str | None
    signature: str

    @property
    def sizes(self) -> Mapping[int, int]:
        """Count the groups of 1 … k units."""
        found = Counter(len(g) for groups in self.groups.values() for g in groups)
        return {size: found[size] for size in range(1, self.readers + 1)}

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what the interval rests on, and what it leaves open, a sentence each."""
        said = [
            f"γ lies in this interval, whichever of the {self.readers} readers drew which unit, if "
            f"none drew two units that differ by {self.same:g} or less; γ need not reach its ends"
        ]
        if self.reason:
            said = [self.reason]
        if self.unexplained:
            said.append(
                f"{self.unexplained} units lie in clusters of more than {self.readers}: a reader "
                "drew something twice, or there were more; the lower end aligns them with nothing"
            )
        if self.status is not Status.OPTIMAL:
            said.append("the groups are not proven optimal")
        return tuple(said)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON object; −∞ and NaN are null."""
        kept = asdict(replace(self, groups={}))
        known = [x if math.isfinite(x) else None for x in self.interval]
        documents = [
            {"file": name, "groups": [[u.json for u in group] for group in groups]}
            for name, groups in self.groups.items()
        ]
        kept |= {"gamma": known, "marked_by": dict(self.sizes), "results": documents}
        return {k: v for k, v in kept.items() if k not in ("groups", "interval")}


def unnamed_gamma(
    corpus: Corpus | Continuum,
    readers: int | None = None,
    *,
    dissimilarity: Bindable | None = None,
    same: float | None = None,
) -> UnnamedGamma:
    """Find groups of what readers without names drew, and γ's range over every way to name them.

    Parameters
    ----------
    corpus
        Documents whose annotators are blocks, each one reader's (`Continuum.without_names`).
    readers
        k, how many read each document; where a document says it, that.
    dissimilarity
        Default: `Combined()`.
    same
        No reader has two units with d ≤ this; default Δ, what a missing unit costs.

    Raises
    ------
    DataError
        Documents are by named annotators, or by another number of readers.

    Examples
    --------
    >>> rows = [Unit.box(x, (0, 9), (0, y)) for x, y in zip("123", (9, 9, 8))]
    >>> one = Continuum.from_units(rows).without_names(3)
    >>> found = unnamed_gamma(one, dissimilarity=Combined(positional="iou"))
    >>> found.sizes, [round(x, 4) for x in found.observed]
    ({1: 0, 2: 0, 3: 1}, [0.1481, 0.1481])
    """
    if isinstance(corpus, Continuum):
        corpus = Corpus.from_continua({corpus.name: corpus})
    instance("corpus", corpus, Corpus, "a Corpus")
    k = _readers(corpus, readers)
    blocks = {name: declare_unnamed_readers(c, 0) for name, c in corpus.items()}
    bound = bind(dissimilarity or Combined(), Corpus.from_continua(blocks))
    if same is None:
        near = bound.delta
    else:
        near = number("same", same, 0.0)
    units = sum(c.n_units for c in blocks.values())
    if not units:
        raise DataError("there is no unit at all, so there is nothing to agree on")
    scale = k * (k - 1) / 2 * units / k
    found = _observed(blocks, bound, k, near)
    observed = found.low / scale, found.high / scale
    expected = None
    interval = (math.nan, math.nan)
    reason = None
    if len(blocks) < k:
        reason = f"chance across documents needs {k} for {k} readers, and there are {len(blocks)}"
    else:
        expected = _expected(list(blocks.values()), bound, k, scale)
        interval = _value(observed, expected)
    return UnnamedGamma(
        readers=k,
        interval=interval,
        observed=observed,
        expected=expected,
        groups=found.groups,
        units=units,
        unexplained=found.unexplained,
        same=near,
        status=Status.OPTIMAL if found.proven else Status.FEASIBLE,
        reason=reason,
        signature=_signature(corpus, bound, readers=k, same=near),
    )


def _signature(corpus: Corpus, bound: BoundDissimilarity, *, readers: int, same: float) -> str:
    """Return the signature of the γ of these documents."""
    return signature(
        "unnamed-gamma",
        selection=dict.fromkeys(e for c in corpus.values() for e in c.selection),
        continua=len(corpus),
        readers=readers,
        d=bound.signature,
        same=same,
    )


@dataclass(frozen=True)
class _Observed:
    """Groups of units of all documents, and the disorder between the readers.

    Attributes
    ----------
    groups, proven
        Best groups by document, and whether all are proven.
    low, high
        Least and greatest disorder, summed over pairs of readers, under any naming.
    unexplained
        Number of units of blocks that cannot all be given to a reader.
    """

    groups: Mapping[str, tuple[tuple[Unit, ...], ...]]
    proven: bool
    low: float
    high: float
    unexplained: int


def _observed(
    blocks: Mapping[str, Continuum], bound: BoundDissimilarity, readers: int, near: float
) -> _Observed:
    """Find the best groups of each document, and the range of the disorder over all namings."""
    pairs = readers * (readers - 1) / 2
    low = 0.0
    high = 0.0
    unexplained = 0
    proven = True
    groups: dict[str, tuple[tuple[Unit, ...], ...]] = {}
    for name, continuum in blocks.items():
        best = _groups(continuum, bound, readers)
        groups[name] = tuple(tuple(continuum.unit(row) for row in rows) for rows in best.rows)
        proven &= best.proven
        named, lost = _with_a_naming(continuum, bound, readers, near)
        unexplained += lost
        low += best.bound
        high += _groups(named, bound, readers, most=near).cost + lost * pairs * bound.delta
    return _Observed(groups, proven, low, high, unexplained)


def _expected(
    continua: Sequence[Continuum], bound: BoundDissimilarity, readers: int, scale: float
) -> tuple[float, float]:
    """Return the least and the greatest expected disorder per unit, under any naming."""
    most = readers * bound.delta
    saved = _savings(continua, bound, readers) / scale
    return max(0.0, most - saved), most


def _value(observed: tuple[float, float], expected: tuple[float, float]) -> tuple[float, float]:
    """Return the least and the greatest γ, 1 − observed / expected."""
    least = -math.inf
    if expected[0] > 0:
        least = 1 - observed[1] / expected[0]
    return least, 1 - observed[0] / expected[1]


def _readers(corpus: Corpus, said: int | None) -> int:
    """k, of the argument or the documents."""
    named = sum(not unnamed_readers(c) for c in corpus.values())
    if named:
        raise DataError(
            f"{named} of {len(corpus)} documents name their annotators",
            hint="Drop the names: `readers=K` (in Python: c.without_names(k))",
        )
    known = {*map(unnamed_readers, corpus.values())} | ({said} if said else set())
    if len(known) > 1:
        both = " and ".join(map(str, sorted(known)))
        raise DataError(
            f"documents have different numbers of readers: {both}",
            hint="Analyse documents with the same number of readers together",
        )
    return known.pop()


@dataclass(frozen=True)
class _Groups:
    """Rows of each group, their total cost, its lower bound, and whether the cost is proven."""

    rows: Sequence[Sequence[int]]
    cost: float
    bound: float
    proven: bool


def _groups(
    c: Continuum, bound: BoundDissimilarity, k: int, *, most: float | None = None
) -> _Groups:
    """Find the best groups of at most k units of different blocks, of pairs with d ≤ `most`."""
    n = c.n_annotators
    if n < 2 or not c.n_units:
        alone = c.n_units * k * (k - 1) / 2 * bound.delta
        return _Groups([[row] for row in range(c.n_units)], alone, alone, proven=True)
    # A group opens as among k annotators, however many blocks there are.
    rate = bound.delta * (1 - k * (k - 1) / (n * (n - 1)))
    problem = build_problem(c, bound, rate=rate, most=most)
    found = solve_listed(problem, all_columns(problem, k), Limits())
    rows = [sorted(u for u in g if u >= 0) for g in found.groups.tolist()]
    return _Groups(rows, found.objective, found.bound, found.status is Status.OPTIMAL)


def _with_a_naming(
    c: Continuum, bound: BoundDissimilarity, k: int, near: float
) -> tuple[Continuum, int]:
    """Without the blocks that cannot all be given one of k readers, and how many units these have.

    Blocks with units nearer than `near` are by different readers: a colouring. Where the greedy one
    (DSATUR) takes more than k colours, the component is left out.
    """
    import networkx as nx

    if c.n_annotators < 2:
        return c, 0
    first, second, _ = pairs_within(c, bound, near, most_pairs=MOST_PAIRS)
    graph: nx.Graph[int] = nx.Graph(zip(*c.annotator_codes[[first, second]].tolist(), strict=True))
    left: set[int] = set()
    for part in nx.connected_components(graph):
        colours = nx.greedy_color(graph.subgraph(part), "DSATUR")
        if max(colours.values()) >= k:
            left |= part
    if not left:
        return c, 0
    kept = keep_annotators(c, (a for i, a in enumerate(c.annotators) if i not in left))
    return kept, c.n_units - kept.n_units


def _savings(continua: Sequence[Continuum], bound: BoundDissimilarity, k: int) -> float:
    """Return the most random sets save by grouping in the mean, times the number of documents."""
    whole = [_of_one_reader(c) for c in continua]
    sampler = prepare_documents(whole, 1)
    names = tuple(map(str, range(len(whole))))
    together = annotation_set(sampler.annotations, sampler.categories, names)
    most = bound.delta * (k * (k - 1) / 2 + 1)
    first, second, cost = pairs_within(together, bound, most, most_pairs=_TOGETHER)
    document = together.annotator_codes.astype(np.int64)
    forward = document[first] < document[second]
    before, after = (np.where(w, first, second).astype(np.int64) for w in (forward, ~forward))
    one = _by_documents(before, after, most - cost, document, k)
    other = _by_documents(after, before, most - cost, document, k)
    return float(np.minimum(one, other.T).sum() / (len(whole) - 1))


def _of_one_reader(c: Continuum) -> Continuum:
    codes = np.zeros(c.n_units, np.int32)
    return Continuum.from_codes(
        ("all",), c.categories, c.starts, c.ends, codes, c.category_codes,
        inside=c.inside, bounds=c.bounds, about=About(offset_unit=c.offset_unit),
    )  # fmt: skip


def _by_documents(
    units: Indices, others: Indices, saved: Floats, document: Indices, k: int
) -> Floats:
    """Return savings of documents' units with others' readers, shape (documents, documents)."""
    n = int(document.max()) + 1
    keys, place = np.unique(units * n + document[others], return_inverse=True)
    every = np.bincount(place, saved, len(keys))
    best = np.zeros(len(keys))
    np.maximum.at(best, place, saved)
    found = np.zeros((n, n))
    np.add.at(found, (document[keys // n], keys % n), np.minimum(every, (k - 1) * best))
    return found
