"""Readers without names: groups of at most k units, and γ over every way to name the readers.

Some exports do not name the readers: k readers saw each document, and each unit was drawn by one of
them. A *naming* assigns a reader to each unit; units of one block (a reading session) get the same
reader. Each naming has its own γ = 1 − D_o/D_e. So bounds of D_o and D_e over all namings give an
interval that contains γ of every naming:

- Lower bound of D_o: the cost of the best groups of at most k units, no two of one block. The
  alignment under any naming consists of such groups. Where every unit is its own block, some naming
  has exactly this cost.
- Upper bound of D_o: the cost of the best groups of units that are pairwise nearer than `same`,
  assuming that no reader draws one thing twice. Two units with d ≤ `same` are then by different
  readers under every naming, so that these groups are possible under every naming. Where no naming
  is possible (more than k such units at one place), the units count as groups of one, which is
  always allowed.
- D_e is the expected disorder by chance across documents: a random set takes one reader from each
  of k different documents. Its upper bound is the disorder of units that are all alone, k·Δ. Its
  lower bound limits what grouping can save. A pair of units of different documents saves at most
  s = (opening + Δ − d)⁺, and a group at most the sum over its pairs. As each unit has one reader,
  the mean saving of random sets is at most ½ Σ s over the other document's units, for any naming.
  In addition, a unit is grouped with at most one unit of each other reader.

The bounds need not be reached: the interval may be wider than the range of γ over all namings.
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
    """Groups of units by readers without names, and the interval of γ over all namings.

    Attributes
    ----------
    readers
        Number k of readers of each document.
    interval
        Interval that contains γ of every naming. Its lower end is −∞ if there is no lower bound;
        both ends are NaN without `expected`.
    observed, expected
        Bounds of D_o and D_e over all namings; `expected` is None with fewer documents than k.
    groups
        Units of each group in the best alignment over all namings, by document.
    units
        Number of units.
    unexplained
        Number of units at places where more than `readers` units are nearer than `same`, so that no
        naming can give each of them its own reader.
    same
        The largest dissimilarity at which two units must be by different readers.
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
        counts = Counter(len(g) for groups in self.groups.values() for g in groups)
        return {size: counts[size] for size in range(1, self.readers + 1)}

    @property
    def notes(self) -> tuple[str, ...]:
        """Return sentences on the assumptions behind the interval, and on what it leaves open."""
        sentences = [
            f"γ lies in this interval, whichever of the {self.readers} readers drew which unit, if "
            f"none drew two units that differ by {self.same:g} or less; γ need not reach its ends"
        ]
        if self.reason:
            sentences = [self.reason]
        if self.unexplained:
            sentences.append(
                f"{self.unexplained} units lie in clusters of more than {self.readers}: a reader "
                "drew something twice, or there were more; the lower end aligns them with nothing"
            )
        if self.status is not Status.OPTIMAL:
            sentences.append("the groups are not proven optimal")
        return tuple(sentences)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON object; −∞ and NaN are null."""
        record = asdict(replace(self, groups={}))
        gamma = [x if math.isfinite(x) else None for x in self.interval]
        documents = [
            {"file": name, "groups": [[u.json for u in group] for group in groups]}
            for name, groups in self.groups.items()
        ]
        record |= {"gamma": gamma, "marked_by": dict(self.sizes), "results": documents}
        return {k: v for k, v in record.items() if k not in ("groups", "interval")}


def unnamed_gamma(
    corpus: Corpus | Continuum,
    readers: int | None = None,
    *,
    dissimilarity: Bindable | None = None,
    same: float | None = None,
) -> UnnamedGamma:
    """Find the best groups of units by readers without names, and bounds of γ over all namings.

    Parameters
    ----------
    corpus
        Documents whose annotators are blocks, each by one reader (`Continuum.without_names`).
    readers
        Number k of readers of each document; by default the number that the documents state.
    dissimilarity
        Default: `Combined()`.
    same
        Largest dissimilarity at which two units are assumed to be by different readers; default Δ,
        the cost of a missing unit.

    Raises
    ------
    DataError
        Documents have named annotators, or another number of readers.

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
    near = bound.delta if same is None else number("same", same, 0.0)
    units = sum(c.n_units for c in blocks.values())
    if not units:
        raise DataError("there is no unit at all, so there is nothing to agree on")
    scale = k * (k - 1) / 2 * units / k
    observed_groups = _observed(blocks, bound, k, near)
    observed = observed_groups.low / scale, observed_groups.high / scale
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
        groups=observed_groups.groups,
        units=units,
        unexplained=observed_groups.unexplained,
        same=near,
        status=Status.OPTIMAL if observed_groups.proven else Status.FEASIBLE,
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
        Best groups by document, and whether all of them are proven to be the best.
    low, high
        Least and greatest disorder, summed over pairs of readers, under any naming.
    unexplained
        Number of units in blocks that no naming can assign to `readers` readers.
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
        named, lost = _explained_part(continuum, bound, readers, near)
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


def _readers(corpus: Corpus, argument: int | None) -> int:
    """Return the number of readers from the argument or from the documents."""
    named = sum(not unnamed_readers(c) for c in corpus.values())
    if named:
        raise DataError(
            f"{named} of {len(corpus)} documents name their annotators",
            hint="Drop the names: `readers=K` (in Python: c.without_names(k))",
        )
    numbers = {*map(unnamed_readers, corpus.values())} | ({argument} if argument else set())
    if len(numbers) > 1:
        both = " and ".join(map(str, sorted(numbers)))
        raise DataError(
            f"documents have different numbers of readers: {both}",
            hint="Analyse documents with the same number of readers together",
        )
    return numbers.pop()


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
    """Find the best groups of at most k units of different blocks, with all d ≤ `most`."""
    n = c.n_annotators
    if n < 2 or not c.n_units:
        alone = c.n_units * k * (k - 1) / 2 * bound.delta
        return _Groups([[row] for row in range(c.n_units)], alone, alone, proven=True)
    # Opening a group costs as much as with k annotators, whatever the number of blocks.
    rate = bound.delta * (1 - k * (k - 1) / (n * (n - 1)))
    problem = build_problem(c, bound, rate=rate, most=most)
    solution = solve_listed(problem, all_columns(problem, k), Limits())
    rows = [sorted(u for u in g if u >= 0) for g in solution.groups.tolist()]
    return _Groups(rows, solution.objective, solution.bound, solution.status is Status.OPTIMAL)


def _explained_part(
    c: Continuum, bound: BoundDissimilarity, k: int, near: float
) -> tuple[Continuum, int]:
    """Return the continuum without blocks that k readers cannot explain, and their unit count.

    Blocks with units nearer than `near` must be by different readers. So a naming is a colouring of
    the graph of such blocks with k colours. Components for which the greedy colouring (DSATUR)
    needs more than k colours are left out.
    """
    import networkx as nx

    if c.n_annotators < 2:
        return c, 0
    first, second, _ = pairs_within(c, bound, near, most_pairs=MOST_PAIRS)
    graph: nx.Graph[int] = nx.Graph(zip(*c.annotator_codes[[first, second]].tolist(), strict=True))
    crowded: set[int] = set()
    for part in nx.connected_components(graph):
        colours = nx.greedy_color(graph.subgraph(part), "DSATUR")
        if max(colours.values()) >= k:
            crowded |= part
    if not crowded:
        return c, 0
    explained = keep_annotators(c, (a for i, a in enumerate(c.annotators) if i not in crowded))
    return explained, c.n_units - explained.n_units


def _savings(continua: Sequence[Continuum], bound: BoundDissimilarity, k: int) -> float:
    """Return a bound of the mean saving of random sets by grouping, times the documents."""
    whole = [_units_of_one_reader(c) for c in continua]
    sampler = prepare_documents(whole, 1)
    names = tuple(map(str, range(len(whole))))
    together = annotation_set(sampler.annotations, sampler.categories, names)
    most = bound.delta * (k * (k - 1) / 2 + 1)
    first, second, cost = pairs_within(together, bound, most, most_pairs=_TOGETHER)
    document = together.annotator_codes.astype(np.int64)
    forward = document[first] < document[second]
    before, after = (np.where(w, first, second).astype(np.int64) for w in (forward, ~forward))
    one = _savings_by_document(before, after, most - cost, document, k)
    other = _savings_by_document(after, before, most - cost, document, k)
    return float(np.minimum(one, other.T).sum() / (len(whole) - 1))


def _units_of_one_reader(c: Continuum) -> Continuum:
    codes = np.zeros(c.n_units, np.int32)
    return Continuum.from_codes(
        ("all",), c.categories, c.starts, c.ends, codes, c.category_codes,
        inside=c.inside, bounds=c.bounds, about=About(offset_unit=c.offset_unit),
    )  # fmt: skip


def _savings_by_document(
    units: Indices, others: Indices, saved: Floats, document: Indices, k: int
) -> Floats:
    """Return bounds of what documents' units save with others', shape (documents, documents)."""
    n = int(document.max()) + 1
    keys, place = np.unique(units * n + document[others], return_inverse=True)
    every = np.bincount(place, saved, len(keys))
    best = np.zeros(len(keys))
    np.maximum.at(best, place, saved)
    savings = np.zeros((n, n))
    np.add.at(savings, (document[keys // n], keys % n), np.minimum(every, (k - 1) * best))
    return savings
