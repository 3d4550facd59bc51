"""Best alignment of links: links of several annotators are joined, as units are.

The units are aligned first, so that each link connects two unitary alignments. Joining two links l
and m of different annotators costs

    d(l, m) = α·Δ·e(l, m) + β·Δ·d_type(l, m),

where e is the share of their two ends that are not in the same unitary alignment: 0 or ½, as links
without a common end are never joined. Ends of undirected links are compared in the better order. A
group of links has at most one of each annotator. Its cost is defined as for a group of units: the
mean over the C(n, 2) pairs of annotators, with Δ for a pair that lacks a link. The disorder of the
links is the cost of their cheapest partition, divided by the number of links per annotator.

If ends are compared by their places, e is the mean d_pos of the two pairs of ends, and every pair
of links may be joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from gammacp.alignment import Problem, Status, solve
from gammacp.alignment.limits import Limiting
from gammacp.base.arguments import one_of
from gammacp.base.arrays import Bools, Codes, Floats, Indices
from gammacp.continuum import Continuum
from gammacp.continuum.links import DIRECTED, Linked
from gammacp.dissimilarity import BoundDissimilarity, unit_columns
from gammacp.dissimilarity.categorial import categorial
from gammacp.errors import DataError, UsageError
from gammacp.measures.settings import Settings

ENDS = ("aligned", "places")
# Number of pairs of links that are compared by place at a time.
_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class LinkCosts:
    """Costs of pairs of links; the docstring of the module has the formula.

    Attributes
    ----------
    types, distances
        Names of the types, and d_type between every two of them, shape (types, types).
    ends, kinds
        Factors of the two summands: α·Δ for the ends, β·Δ for the types.
    delta
        Δ: cost of a pair in which one annotator lacks the link.
    place
        Dissimilarity of the units, whose positional part is α·d_pos, if ends are compared by their
        places; otherwise None.
    """

    types: tuple[str, ...]
    distances: Floats
    ends: float
    kinds: float
    delta: float
    place: BoundDissimilarity | None = None

    @classmethod
    def of(
        cls,
        continua: Sequence[Continuum],
        settings: Settings,
        bound: BoundDissimilarity,
        types: Any = "nominal",
        ends: str = "aligned",
    ) -> LinkCosts:
        """Return the costs of links of these continua, with α, β and Δ as for their units.

        Parameters
        ----------
        continua
            All continua that are measured together.
        settings, bound
            Settings of the measure, and dissimilarity of the units.
        types
            Distance of types: a name in CATEGORIAL, a matrix, or an object with `distances`.
        ends
            "aligned": compare ends by the unitary alignments they are in; "places": by position.

        Raises
        ------
        UsageError
            `ends` is neither, or the dissimilarity of the units has no positional part.
        """
        one_of("ends", ends, ENDS)
        names = tuple(sorted({link.type for c in continua for link in c.links}))
        alpha, beta = (getattr(settings.dissimilarity, x, 1.0) for x in ("alpha", "beta"))
        by_place = ends == "places"
        if by_place and bound.positional_part is None:
            raise UsageError("ends 'places' needs a dissimilarity with a positional part")
        return cls(
            names,
            categorial(types).distances(names),
            alpha * bound.delta,
            beta * bound.delta,
            bound.delta,
            bound if by_place else None,
        )


class Ends(NamedTuple):
    """Columns over links: the annotator, the type, and the rows and groups of both units."""

    annotators: Codes
    sources: Indices
    targets: Indices
    source_groups: Indices
    target_groups: Indices
    turning: Bools
    """Whether source and target may be swapped, as the link is undirected."""
    types: Codes


@dataclass(frozen=True)
class Joined:
    """The best alignment of links.

    Attributes
    ----------
    groups
        int32, shape (groups, annotators): numbers of links, −1 for none.
    cost, bound
        Sum of the disorders of the groups, and a lower bound on the least possible sum.
    size
        Number of links per annotator.
    status
        Whether the alignment is proven to be the best.
    """

    groups: Codes
    cost: float
    bound: float
    size: float
    status: Status


def groups_of(continuum: Continuum, groups: Codes) -> Indices:
    """Return the number of the unitary alignment that each unit is in.

    Parameters
    ----------
    continuum
        The units.
    groups
        Rows of units, shape (unitary alignments, annotators), −1 for none.
    """
    group_of_unit = np.full(continuum.n_units, -1, np.int64)
    number, _ = np.nonzero(groups >= 0)
    group_of_unit[groups[groups >= 0]] = number
    return group_of_unit


def ends_of(continuum: Continuum, linked: Linked, group: Indices, costs: LinkCosts) -> Ends:
    """Return the ends of the links.

    Parameters
    ----------
    continuum, linked
        Units, and the links that are to be joined.
    group
        Number of the unitary alignment of each unit.
    costs
        Costs of links; the order of their types defines the codes of types.
    """
    sources = linked.sources
    targets = linked.targets
    code = np.array([costs.types.index(name) for name in linked.types] or [0], np.int32)
    turning = np.array([kind != DIRECTED for kind in linked.kinds] or [False])
    return Ends(
        continuum.annotator_codes[sources],
        sources,
        targets,
        group[sources],
        group[targets],
        turning[linked.codes],
        code[linked.codes],
    )


def join_links(continuum: Continuum, ends: Ends, costs: LinkCosts, settings: Settings) -> Joined:
    """Return the cheapest partition of the links.

    Parameters
    ----------
    continuum
        The units.
    ends, costs
        Ends of the links, and costs of pairs of links.
    settings
        Solver, gap and time limit.
    """
    n = continuum.n_annotators
    count = len(ends.types)
    pairs = n * (n - 1) / 2
    if not count:
        return Joined(np.zeros((0, n), np.int32), 0.0, 0.0, 0.0, Status.OPTIMAL)
    first, second, cost = _candidates(continuum, ends, costs)
    problem = Problem(
        annotator=ends.annotators,
        n_annotators=n,
        first=first.astype(np.int32),
        second=second.astype(np.int32),
        weight=costs.delta - cost,
        opening=costs.delta * pairs,
        delta=costs.delta,
        rank=_ranks(ends),
    )
    how = settings.solving
    limited: Limiting = {"gap": how["gap"], "time_limit": how["time_limit"], "seed": how["seed"]}
    solution = solve(problem, method=settings.method, **limited)
    return Joined(
        solution.groups,
        solution.objective / pairs,
        solution.bound / pairs,
        count / n,
        solution.status,
    )


def parts_of_pairs(
    continuum: Continuum, ends: Ends, costs: LinkCosts, one: Indices, other: Indices
) -> tuple[Floats, Floats]:
    """Return the costs of ends and of types for pairs of links.

    The cost of the ends is ∞ for links that are never joined.

    Parameters
    ----------
    continuum, ends, costs
        As for `join_links`.
    one, other
        Numbers of the first and of the second link of each pair.
    """
    turning = ends.turning[one] | ends.turning[other]
    if costs.place is None:
        s = ends.source_groups
        t = ends.target_groups
        straight = ((s[one] != s[other]) * 0.5 + (t[one] != t[other]) * 0.5) * costs.ends
        crossed = ((s[one] != t[other]) * 0.5 + (t[one] != s[other]) * 0.5) * costs.ends
        joined = (
            (s[one] == s[other])
            | (t[one] == t[other])
            | (turning & ((s[one] == t[other]) | (t[one] == s[other])))
        )
    else:
        units = unit_columns(continuum)
        place = costs.place.positional_part
        assert place is not None
        u = units[ends.sources]
        v = units[ends.targets]
        straight = (place(u[one], u[other]) + place(v[one], v[other])) / 2
        crossed = (place(u[one], v[other]) + place(v[one], u[other])) / 2
        joined = np.ones(len(one), np.bool_)
    apart = np.where(turning, np.minimum(straight, crossed), straight)
    kinds = costs.distances[ends.types[one], ends.types[other]] * costs.kinds
    return np.where(joined, apart, np.inf), kinds


class PairCosts(NamedTuple):
    """Costs of two annotators' links in each group, by part.

    `absence` is Δ unless both have a link in the group. `both` and `either` tell whether both of
    them, or at least one of them, have a link there.
    """

    ends: Floats
    types: Floats
    absence: Floats
    both: Bools
    either: Bools


def costs_of_pairs(
    continuum: Continuum, ends: Ends, costs: LinkCosts, groups: Codes
) -> list[PairCosts]:
    """Return, for each pair of annotators, the costs of their links in each group.

    Parameters
    ----------
    continuum, ends, costs
        As for `join_links`.
    groups
        Numbers of links, shape (groups, annotators), −1 for none.

    Returns
    -------
    list
        Pairs in the order of `itertools.combinations`.
    """
    costs_by_annotators = []
    for a, b in combinations(range(continuum.n_annotators), 2):
        one, other = groups[:, [a, b]].T.astype(np.int64)
        both = (one >= 0) & (other >= 0)
        either = (one >= 0) | (other >= 0)
        parts = np.zeros((2, len(one)))
        parts[:, both] = parts_of_pairs(continuum, ends, costs, one[both], other[both])
        costs_by_annotators.append(
            PairCosts(parts[0], parts[1], np.where(both, 0.0, costs.delta), both, either)
        )
    return costs_by_annotators


def _candidates(
    continuum: Continuum, ends: Ends, costs: LinkCosts
) -> tuple[Indices, Indices, Floats]:
    """Return the pairs of links that may be worth joining, and the cost of each pair."""
    rows: list[tuple[Indices, Indices, Floats]] = []
    n = continuum.n_annotators
    most = costs.delta * (1 + n * (n - 1) / 2)  # Above this cost, leaving the two apart is cheaper.
    for one, other in _pairs_that_meet(ends) if costs.place is None else _all(ends):
        apart, kinds = parts_of_pairs(continuum, ends, costs, one, other)
        is_affordable = apart + kinds <= most
        rows.append((one[is_affordable], other[is_affordable], (apart + kinds)[is_affordable]))
    first, second, cost = (np.concatenate(column) for column in zip(*rows, strict=True))
    return first, second, cost


def _pairs_that_meet(ends: Ends) -> list[tuple[Indices, Indices]]:
    """Return the pairs of links of different annotators that have a common end."""
    count = len(ends.types)
    width = int(max(ends.source_groups.max(), ends.target_groups.max())) + 1
    turned = np.flatnonzero(ends.turning)
    links = np.concatenate([np.arange(count), np.arange(count), turned, turned])
    places = np.concatenate(
        [
            ends.source_groups,
            ends.target_groups + width,
            ends.source_groups[turned] + width,
            ends.target_groups[turned],
        ]
    )
    at = sparse.csr_array((np.ones(len(links), np.int32), (links, places)), (count, 2 * width))
    one, other = sparse.triu(at @ at.T, 1).nonzero()
    apart = ends.annotators[one] != ends.annotators[other]
    return [(one[apart], other[apart])]


def _all(ends: Ends) -> list[tuple[Indices, Indices]]:
    """Return all pairs of links of different annotators, in batches."""
    count = len(ends.types)
    step = max(1, _AT_ONCE // count)
    pairs = []
    for low in range(0, count, step):
        one, other = np.meshgrid(
            np.arange(low, min(low + step, count)), np.arange(count), indexing="ij"
        )
        apart = ends.annotators[one] < ends.annotators[other]
        pairs.append((one[apart], other[apart]))
    return pairs


def _ranks(ends: Ends) -> Codes:
    """Return the rank of each link when links are sorted by the groups of their ends."""
    ranks = np.empty(len(ends.types), np.int32)
    sides = np.sort(np.stack([ends.source_groups, ends.target_groups]), axis=0)
    ranks[np.lexsort((*sides[::-1],))] = np.arange(len(ranks), dtype=np.int32)
    return ranks


def links_to_join(continuum: Continuum, *, chains: bool) -> Linked:
    """Return the links of a continuum, or the bonds of its chains.

    Parameters
    ----------
    continuum
        Continuum that is measured.
    chains
        True to join the bonds of chains, False to join all other links.

    Raises
    ------
    DataError
        The continuum has none.
    """
    links = continuum.link_rows.only(chains=chains)
    if not len(links):
        what, other = ("chains", "links") if chains else ("links", "chains")
        if len(continuum.link_rows):
            also = f", only {other}"
        else:
            also = ""
        raise no_links(what, also)
    return links


def no_links(what: str = "links", also: str = "") -> DataError:
    """Return the error for a continuum that has no links, or no chains.

    Parameters
    ----------
    what, also
        "links" or "chains", and a remark on the other kind if the continuum has that.
    """
    hint = "Read them with the units: see docs/links.md"
    return DataError(f"there are no {what} between units{also}", hint=hint)
