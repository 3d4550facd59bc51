"""Codings: the segmentations of items by coders, and groups of items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from gammacp.base.arguments import instance
from gammacp.base.left_out import LeftOut, gather
from gammacp.base.signature import entry
from gammacp.errors import DataError, UsageError
from gammacp.segmentation.measures.rows import Rows
from gammacp.segmentation.measures.value import Segmentation


@dataclass(frozen=True)
class Group:
    """Items that belong together, and all their coders, in order of appearance."""

    items: tuple[str, ...]
    coders: tuple[str, ...]


@dataclass(frozen=True)
class Codings(Mapping[str, Mapping[str, Segmentation]]):
    """Segmentations by item and coder; immutable. Codings may be missing.

    Build it with `of`, which checks that all coders of an item segmented the same base units and
    gives every segmentation the boundary types of all; declare groups with `with_groups`.

    Attributes
    ----------
    by_item
        Segmentations by item and coder.
    types
        All boundary types of the task.
    declared
        Declared groups of items. All other items are grouped by their coders.
    anonymous
        Whether equal coder names in different groups are different people.
    selection
        Selections and changes since the files were read, in the form of `Continuum.selection`.
    left_out
        Content of the files that the readers skipped.
    """

    by_item: Mapping[str, Mapping[str, Segmentation]]
    types: tuple[str, ...]
    declared: tuple[tuple[str, ...], ...] = ()
    anonymous: bool = False
    selection: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = field(default=(), compare=False)

    @classmethod
    def of(
        cls, items: Mapping[str, Mapping[str, Segmentation]], *, types: Sequence[str] | None = None
    ) -> Codings:
        """Build codings from segmentations by item and coder.

        Parameters
        ----------
        items
            Segmentations by item and coder.
        types
            Boundary types in the order to use; by default those of the segmentations.

        Raises
        ------
        DataError
            Segmentations of an item have different masses, or a type is not declared.
        """
        for item, coders in items.items():
            for coder, s in coders.items():
                instance(f"item {item!r}, coder {coder!r}", s, Segmentation, "a Segmentation")
            _check_masses(item, coders)
        used = (name for coders in items.values() for s in coders.values() for name in s.types)
        if types is None:
            all_types = tuple(dict.fromkeys(used))
        else:
            all_types = tuple(types)
        checked: dict[str, dict[str, Segmentation]] = {}
        for item, coders in items.items():
            try:
                checked[item] = {c: s.with_types(all_types) for c, s in coders.items()}
            except DataError as error:
                raise error.within(f"item {item!r}") from None
        return cls(checked, all_types)

    def __getitem__(self, item: str) -> Mapping[str, Segmentation]:
        """Return the segmentations of an item by coder."""
        return self.by_item[item]

    def __iter__(self) -> Iterator[str]:
        """Yield the items in order."""
        return iter(self.by_item)

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.by_item)

    @property
    def coders(self) -> tuple[str, ...]:
        """Return all coders, in order of appearance."""
        return tuple(dict.fromkeys(c for coders in self.by_item.values() for c in coders))

    def require(self, role: str, name: str) -> None:
        """Raise a UsageError unless the named coder coded an item.

        Parameters
        ----------
        role, name
            Role of the coder, for the message, and the name.
        """
        if name not in self.coders:
            raise UsageError(f"{role} {name!r} coded no item; coders are: {', '.join(self.coders)}")

    def without(self, coders: Iterable[str]) -> Codings:
        """Return the codings of all other coders; items that nobody else coded are left out.

        Parameters
        ----------
        coders
            Names to leave out.
        """
        excluded = set(coders)
        remaining = {
            item: {c: s for c, s in by_coder.items() if c not in excluded}
            for item, by_coder in self.by_item.items()
        }
        return self._with({item: by_coder for item, by_coder in remaining.items() if by_coder})

    def only(self, items: Iterable[str]) -> Codings:
        """Return the codings of these items."""
        return self._with({item: self.by_item[item] for item in items})

    def _with(self, by_item: Mapping[str, Mapping[str, Segmentation]]) -> Codings:
        groups = (tuple(i for i in group if i in by_item) for group in self.declared)
        return replace(self, by_item=by_item, declared=tuple(group for group in groups if group))

    def with_groups(
        self, groups: Iterable[Iterable[str]] | None = None, *, anonymous: bool | None = None
    ) -> Codings:
        """Return the same codings with other declared groups, or another meaning of coder names.

        Parameters
        ----------
        groups
            Groups of items, which replace those declared before. None keeps the groups.
        anonymous
            Whether equal coder names in different groups are different people. None keeps the
            setting.

        Raises
        ------
        DataError
            A group names an item that nobody coded, or an item is in two groups.

        >>> one = Segmentation.from_masses([3])
        >>> both = Codings.of({"x": {"1": one, "2": one}, "y": {"1": one, "2": one}})
        >>> [group.items for group in both.with_groups([["x"], ["y"]]).groups()]
        [('x',), ('y',)]
        """
        if groups is None:
            chosen = self.declared
        else:
            chosen = tuple(tuple(group) for group in groups)
        for item, times in Counter(chain.from_iterable(chosen)).items():
            if item not in self.by_item:
                raise DataError(
                    f"groups name an item {item!r} that nobody coded",
                    hint=f"Items are: {', '.join(self.by_item)}",
                )
            if times > 1:
                raise DataError(f"item {item!r} occurs {times} times in the groups")
        if anonymous is None:
            people = self.anonymous
        else:
            people = anonymous
        return replace(self, declared=tuple(filter(None, chosen)), anonymous=people)

    def renamed(self, names: Mapping[str, str]) -> Codings:
        """Return the same codings under other item names; two items may become one.

        Raises
        ------
        UsageError
            An item to rename does not occur.
        DataError
            Two items that become one have a coder in common, or belong to different groups.
        """
        for old in names:
            if old not in self.by_item:
                raise UsageError(
                    f"item {old!r} does not occur; items are: {', '.join(self.by_item)}"
                )
        groups = [tuple(dict.fromkeys(names.get(i, i) for i in group)) for group in self.declared]
        parts = [Codings({names.get(i, i): c}, self.types) for i, c in self.by_item.items()]
        merged = merge_codings(parts).with_groups(dict.fromkeys(groups), anonymous=self.anonymous)
        entries = (entry("item", old, new) for old, new in names.items())
        return replace(merged, selection=(*self.selection, *entries), left_out=self.left_out)

    def groups(self) -> tuple[Group, ...]:
        """Return declared groups, and groups of the other items that have the same coders.

        If coders are anonymous, equal names do not define groups, and every item without a declared
        group is a group of its own.
        """
        number = {item: k for k, group in enumerate(self.declared) for item in group}
        items_by_group: dict[object, list[str]] = {}
        for item, by_coder in self.by_item.items():
            alone = item if self.anonymous else frozenset(by_coder)
            items_by_group.setdefault(number.get(item, alone), []).append(item)
        return tuple(
            Group(tuple(items), tuple(dict.fromkeys(c for i in items for c in self.by_item[i])))
            for items in items_by_group.values()
        )

    def people(self) -> dict[str, dict[str, str]]:
        """Return by item and coder a name that identifies the person in the whole corpus."""
        if not self.anonymous:
            return {item: {c: c for c in coders} for item, coders in self.by_item.items()}
        return {
            item: {c: f"{c} of {', '.join(group.items)}" for c in self.by_item[item]}
            for group in self.groups()
            for item in group.items
        }

    def rows(self) -> Rows:
        """Return all codings as one array of boundaries."""
        return Rows.of(self, self.types)

    def row_people(self) -> list[str]:
        """Return the name in `people` of the coder of each row, item by item."""
        people = self.people()
        return [people[item][coder] for item, coders in self.by_item.items() for coder in coders]

    @property
    def shared_names(self) -> tuple[str, ...]:
        """Return coder names that occur in several groups and are assumed to be one person each."""
        if self.anonymous:
            return ()
        times = Counter(c for group in self.groups() for c in group.coders)
        return tuple(c for c in self.coders if times[c] > 1)


def against(codings: Codings, gold: Codings, *, name: str = "reference") -> Codings:
    """Add a gold standard to codings of systems, as a coder of the given name.

    Parameters
    ----------
    codings
        Codings of the systems.
    gold
        Gold standard with one coding of each item, by any coder.
    name
        Name of the reference.

    Raises
    ------
    DataError
        An item of the gold standard has several codings, or another mass than a system's.
    """
    for item, coders in gold.items():
        if len(coders) > 1:
            raise DataError(
                f"item {item!r} of the reference is coded by {', '.join(coders)}",
                hint="A reference needs one coding per item; pick one with `reference=NAME`",
            )
    renamed = {item: {name: next(iter(coders.values()))} for item, coders in gold.items()}
    return merge_codings([replace(Codings.of(renamed), left_out=gold.left_out), codings])


def merge_codings(parts: Iterable[Codings]) -> Codings:
    """Merge codings of several files, with all their groups; equal names are one coder.

    The coders of the result are anonymous if those of one of the parts are.

    Raises
    ------
    DataError
        The same coding, or an item among the groups, occurs twice; masses of an item differ.
    """
    items: dict[str, dict[str, Segmentation]] = {}
    listed = list(parts)
    for part in listed:
        for item, by_coder in part.items():
            row = items.setdefault(item, {})
            for coder, segmentation in by_coder.items():
                if coder in row:
                    raise DataError(f"coder {coder!r} has two segmentations of item {item!r}")
                row[coder] = segmentation
    merged = Codings.of(items, types=tuple(dict.fromkeys(t for part in listed for t in part.types)))
    groups = dict.fromkeys(group for part in listed for group in part.declared)
    together = merged.with_groups(groups, anonymous=any(part.anonymous for part in listed))
    return replace(together, left_out=gather(part.left_out for part in listed))


def _check_masses(item: str, coders: Mapping[str, Segmentation]) -> None:
    if not coders:
        raise DataError(f"item {item!r} has no coder")
    first = next(iter(coders))
    mass = coders[first].mass
    for coder, segmentation in coders.items():
        if segmentation.mass != mass:
            raise DataError(
                f"item {item!r} has mass {mass} for {first} and {segmentation.mass} for {coder} "
                f"({segmentation.mass - mass:+d})",
                hint="All coders of an item must cover the same base units",
            )
