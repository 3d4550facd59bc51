"""Links between units of one annotator: typed, directed or not, or the bonds of a chain.

A link names its units by their ids (`Unit.id`), which are an annotator's own within a continuum. So
links stay as they are when units are moved, sorted or renamed; a link at a unit that was left out
has no rows and is counted (`Linked.loose`). A chain is the set of units that links of one chain
type join, directly or through others.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gammacp.base.arguments import one_of
from gammacp.base.arrays import Codes, Indices, freeze
from gammacp.errors import DataError

Ids: TypeAlias = NDArray[Any]
"""The id of each unit, text, empty for a unit without one; shape (units,)."""
DIRECTED, UNDIRECTED, CHAIN = KINDS = ("directed", "undirected", "chain")


@dataclass(frozen=True, slots=True)
class Link:
    """A relation that one annotator states between two of his or her units.

    `source` and `target` are ids of units. They are interchangeable in an
    "undirected" link. Links of kind "chain" state that two units belong to the same chain; it does
    not matter which of its units they join.
    """

    annotator: str
    type: str
    source: str
    target: str
    kind: str = DIRECTED

    def __post_init__(self) -> None:
        """Raise a UsageError for an unknown kind."""
        one_of("kind", self.kind, KINDS)


@dataclass(frozen=True)
class Linked:
    """The links whose units exist, given by rows of the units and sorted.

    Attributes
    ----------
    types, kinds
        The distinct pairs of type and kind, which `codes` index.
    sources, targets
        Rows, shape (links,); of undirected and chain links the lower row is the source.
    loose
        Number of links at a unit that does not exist.
    """

    types: tuple[str, ...]
    kinds: tuple[str, ...]
    codes: Codes
    sources: Indices
    targets: Indices
    loose: int = 0

    @property
    def rows(self) -> list[tuple[str, str, int, int]]:
        """Yield the type, the kind and the rows of each link."""
        ends = zip(self.codes.tolist(), self.sources.tolist(), self.targets.tolist(), strict=True)
        return [(self.types[k], self.kinds[k], source, target) for k, source, target in ends]

    def only(self, *, chains: bool, type: str | None = None) -> Linked:
        """Return the chain links, or all other links.

        Parameters
        ----------
        chains
            Whether to keep chains, or else the other links.
        type
            Type to keep; None: all types.
        """
        named = zip(self.types, self.kinds, strict=True)
        wanted = np.array(
            [(kind == CHAIN) == chains and type in (None, name) for name, kind in named], np.bool_
        )
        if len(self.codes):
            rows = wanted[self.codes]
        else:
            rows = np.zeros(0, np.bool_)
        columns = (self.codes[rows], self.sources[rows], self.targets[rows])
        return Linked(self.types, self.kinds, *columns, self.loose)

    def __len__(self) -> int:
        """Return the number of links."""
        return len(self.codes)


def rows_of_links(
    links: Sequence[Link], annotators: Sequence[str], codes: Codes, ids: Ids | None
) -> Linked:
    """Return links with their units given by row.

    Parameters
    ----------
    links
        Links of all annotators.
    annotators, codes, ids
        Names of annotators, and for each unit the code of its annotator and its id.
    """
    row_of = {(annotators[codes[i]], name): i for i, name in enumerate([] if ids is None else ids)}
    named = sorted({(x.type, x.kind) for x in links})
    code = {name: k for k, name in enumerate(named)}
    rows = []
    for link in links:
        ends = [row_of.get((link.annotator, end), -1) for end in (link.source, link.target)]
        if min(ends) >= 0:
            if link.kind != DIRECTED:
                ends = sorted(ends)
            rows.append((*ends, code[link.type, link.kind]))
    table = np.array(sorted(rows), np.int64).reshape(-1, 3)
    types, kinds = zip(*named, strict=True) if named else ((), ())
    linked = Linked(
        types, kinds, table[:, 2].astype(np.int32), table[:, 0], table[:, 1], len(links) - len(rows)
    )
    for array in (linked.codes, linked.sources, linked.targets):
        freeze(array)
    return linked


def links_over_joint(links: Sequence[Link], ids: Sequence[str], first: int) -> tuple[Link, ...]:
    """Return the links of an annotator whose first units were moved behind the others.

    The cut tears links between the first units and the others. A torn link is moved to the joint,
    where the two ends of the text now meet: its ends are as many units before and after the joint
    as they were before and after the cut. The unit that receives the link gives one of its own, of
    unchanged length, to the unit that had the torn link. So units near an end of the text still
    link as units near an end do, and an annotator who links every unit once still does. A link
    stays torn if there are too few units, or if the receiving unit has only torn links; so do chain
    links, which have no length. If an annotator links a unit more than once, two links may end up
    between the same units.

    Parameters
    ----------
    links
        Links of one annotator.
    ids
        Ids of the units, as they were ordered; "" for none.
    first
        Number of units that were moved behind the others.

    >>> links = [Link("A", "r", *ends) for ends in ("cd", "dc", "ae", "gf")]
    >>> [x.source + x.target for x in links_over_joint(links, "abcdefg", 3)]
    ['ga', 'dc', 'eb', 'cb']
    """
    row_of = {name: k for k, name in enumerate(ids) if name}
    count = len(ids)
    ends = [(row_of.get(x.source, -1), row_of.get(x.target, -1)) for x in links]
    ends = [(min(e), max(e)) if links[k].kind == UNDIRECTED else e for k, e in enumerate(ends)]
    # Sort by units, so that the result does not depend on how the links were written.
    rank = sorted(range(len(links)), key=lambda k: (ends[k], links[k].type, links[k].kind))
    able = [k for k in rank if links[k].kind != CHAIN and min(ends[k]) >= 0]
    # Exchange links at the end where units have about one link each: at premises, not at claims.
    side = int(len({ends[k][1] for k in able}) > len({ends[k][0] for k in able}))
    torn = [k for k in able if min(ends[k]) < first <= max(ends[k])]
    to_give: dict[int, list[int]] = {}
    for k in reversed(able):
        if not min(ends[k]) < first <= max(ends[k]):
            to_give.setdefault(ends[k][side], []).append(k)
    busy = {ends[k][side] for k in torn} - to_give.keys()
    joined = list(links)

    def lay(k: int, end: int, other: int) -> bool:
        names = ids[end], ids[other]
        if all(names) and end != other:
            source, target = names[::-1] if side else names
            joined[k] = replace(links[k], source=source, target=target)
        return joined[k] is not links[k]

    for k in torn:
        end = ends[k][side]
        other = ends[k][1 - side]
        ahead = count - first
        behind = -first
        to, beyond = (end + ahead, other + behind) if end < first else (end + behind, other + ahead)
        if (to < first) == (end < first) or (beyond < first) == (other < first):
            continue
        if to in busy:
            continue
        if lay(k, to, beyond) and to_give.get(to):
            partner = to_give[to].pop()
            lay(partner, end, (ends[partner][1 - side] + first) % count)
    return tuple(joined)


def whole_links(links: Iterable[Link], units: Container[tuple[str, str]]) -> tuple[Link, ...]:
    """Return the links of which both units exist.

    Parameters
    ----------
    links
        Links of all annotators.
    units
        Annotator and id of each unit.
    """
    return tuple(
        x for x in links if (x.annotator, x.source) in units and (x.annotator, x.target) in units
    )


def check_links(
    links: Iterable[Link], annotator: Sequence[str], ids: Ids | None
) -> tuple[Link, ...]:
    """Return the links after a check: units exist, and ids are unique within an annotator.

    Parameters
    ----------
    links
        Links of all annotators.
    annotator, ids
        Annotator and id of each unit.

    Raises
    ------
    DataError
        An annotator has two units of one id, or a link names a unit that is not there.
    """
    units: set[tuple[str, str]] = set()
    for name, unit in zip(annotator, () if ids is None else ids, strict=False):
        if unit and (name, unit) in units:
            raise DataError(
                f"two units by {name} have the id {unit!r}", hint="Give each its own id"
            )
        units.add((name, unit))
    checked = tuple(links)
    for link in checked:
        for end in (link.source, link.target):
            if not end or (link.annotator, end) not in units:
                raise DataError(
                    f"a link {link.type!r} by {link.annotator} ends at {end!r}, but no unit of "
                    "that annotator has this id",
                    hint="Name units by their ids (column `unit`)",
                )
    return checked
