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
    """Statement of one annotator about two of his or her units.

    `source` and `target` are ids of units. Of an "undirected" link the two may change places; links
    of kind "chain" say that their units are of one chain, whichever of its units they join.
    """

    annotator: str
    type: str
    source: str
    target: str
    kind: str = DIRECTED

    def __post_init__(self) -> None:
        """UsageError for a kind that there is not."""
        one_of("kind", self.kind, KINDS)


@dataclass(frozen=True)
class Linked:
    """The links whose units are there, by rows of the units; sorted, whatever order they came in.

    Attributes
    ----------
    types, kinds
        The different pairs of type and kind; `codes` count them.
    sources, targets
        Rows, shape (links,); of undirected and chain links the lower row is the source.
    loose
        Links at a unit that is not there.
    """

    types: tuple[str, ...]
    kinds: tuple[str, ...]
    codes: Codes
    sources: Indices
    targets: Indices
    loose: int = 0

    @property
    def rows(self) -> list[tuple[str, str, int, int]]:
        """Type, kind and rows of each link."""
        ends = zip(self.codes.tolist(), self.sources.tolist(), self.targets.tolist(), strict=True)
        return [(self.types[k], self.kinds[k], source, target) for k, source, target in ends]

    def only(self, *, chains: bool, type: str | None = None) -> Linked:
        """Return the links of chain types, or all others.

        Parameters
        ----------
        chains
            Whether to keep chains, or else the other links.
        type
            The only type; None: all.
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
    """Links by rows.

    Parameters
    ----------
    links
        Links of all annotators.
    annotators, codes, ids
        Names, and of each unit the annotator's code and the id.
    """
    place = {(annotators[codes[i]], name): i for i, name in enumerate([] if ids is None else ids)}
    named = sorted({(x.type, x.kind) for x in links})
    code = {name: k for k, name in enumerate(named)}
    rows = []
    for link in links:
        ends = [place.get((link.annotator, end), -1) for end in (link.source, link.target)]
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
    """Return the links of an annotator whose first units have gone behind the others.

    A link that was torn goes over the place where the text's ends meet now: from as many units
    before that place as its one end was before the cut, to as many units after it. The unit that
    gets it gives a link of its own, of the same length as before, to the unit that had it. So a
    unit near an end of the text links as units near an end do, and who links every unit once goes
    on to do so. A link stays torn where there are not so many units, or where the unit has only
    links that are torn, too; so do links of chains, which have no length. Of who links a unit more
    than once two links may come to join the same units.

    Parameters
    ----------
    links
        Links of one annotator.
    ids
        Ids of the units, as they were ordered; "" for none.
    first
        Number of units that have gone behind the others.

    >>> links = [Link("A", "r", *ends) for ends in ("cd", "dc", "ae", "gf")]
    >>> [x.source + x.target for x in links_over_joint(links, "abcdefg", 3)]
    ['ga', 'dc', 'eb', 'cb']
    """
    place = {name: k for k, name in enumerate(ids) if name}
    count = len(ids)
    ends = [(place.get(x.source, -1), place.get(x.target, -1)) for x in links]
    ends = [(min(e), max(e)) if links[k].kind == UNDIRECTED else e for k, e in enumerate(ends)]
    # By their units, so that it is the same in whatever order and way round they were written.
    rank = sorted(range(len(links)), key=lambda k: (ends[k], links[k].type, links[k].kind))
    able = [k for k in rank if links[k].kind != CHAIN and min(ends[k]) >= 0]
    # Links are exchanged by the end of which units have about one: premises, not their claims.
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
            given = to_give[to].pop()
            lay(given, end, (ends[given][1 - side] + first) % count)
    return tuple(joined)


def whole_links(links: Iterable[Link], units: Container[tuple[str, str]]) -> tuple[Link, ...]:
    """Return the links both of whose units are there.

    Parameters
    ----------
    links
        Links of all annotators.
    units
        Annotator and id of each.
    """
    return tuple(
        x for x in links if (x.annotator, x.source) in units and (x.annotator, x.target) in units
    )


def check_links(
    links: Iterable[Link], annotator: Sequence[str], ids: Ids | None
) -> tuple[Link, ...]:
    """Return the links, if each joins two units of its annotator and no id is anybody's twice.

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
