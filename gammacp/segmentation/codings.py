"""Items × coders: who segmented what, and which coders worked as a group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gammacp.errors import DataError
from gammacp.segmentation.moonstone import chapter_group
from gammacp.segmentation.value import Segmentation


@dataclass(frozen=True)
class Group:
    """Coders who segmented the same items.

    `corpus_group` is the number of their group where names alone do not tell people apart.
    """

    items: tuple[str, ...]
    coders: tuple[str, ...]
    corpus_group: int | None = None

    def person(self, coder: str) -> str:
        """A name that is nobody else's in the corpus."""
        return coder if self.corpus_group is None else f"{coder} of group {self.corpus_group}"


@dataclass(frozen=True)
class Codings(Mapping[str, Mapping[str, Segmentation]]):
    """Segmentations by item and coder; immutable. Codings may be missing.

    Build it with `of`, which checks that all coders of an item segmented the same base units and
    gives every segmentation the boundary types of all.
    """

    by_item: Mapping[str, Mapping[str, Segmentation]]
    types: tuple[str, ...]

    @classmethod
    def of(
        cls,
        items: Mapping[str, Mapping[str, Segmentation]],
        *,
        types: Sequence[str] | None = None,
    ) -> Codings:
        """Codings of these items; types in declared order, or as the segmentations have them."""
        used = (name for coders in items.values() for s in coders.values() for name in s.types)
        known = tuple(dict.fromkeys(used)) if types is None else tuple(types)
        checked: dict[str, dict[str, Segmentation]] = {}
        for item, coders in items.items():
            _check_masses(item, coders)
            try:
                checked[item] = {c: s.with_types(known) for c, s in coders.items()}
            except DataError as error:
                raise DataError(f"item {item!r}: {error.message}", hint=error.hint) from None
        return cls(checked, known)

    def __getitem__(self, item: str) -> Mapping[str, Segmentation]:
        """Segmentations of an item by coder."""
        return self.by_item[item]

    def __iter__(self) -> Iterator[str]:
        """Items in order."""
        return iter(self.by_item)

    def __len__(self) -> int:
        """Number of items."""
        return len(self.by_item)

    @property
    def coders(self) -> tuple[str, ...]:
        """Everybody who coded an item, in order of appearance."""
        return tuple(dict.fromkeys(c for coders in self.by_item.values() for c in coders))

    def without(self, coders: Iterable[str]) -> Codings:
        """The codings of everybody else; items that nobody else coded are left out."""
        gone = set(coders)
        left = {
            item: {c: s for c, s in by_coder.items() if c not in gone}
            for item, by_coder in self.by_item.items()
        }
        return Codings({item: by_coder for item, by_coder in left.items() if by_coder}, self.types)

    def only(self, items: Iterable[str]) -> Codings:
        """The codings of these items."""
        return Codings({item: self.by_item[item] for item in items}, self.types)

    def groups(self) -> tuple[Group, ...]:
        """Items by the set of coders that coded them, in order of appearance.

        Names are people, with one exception: in the Moonstone corpus every group counts its coders
        from 1, so equal names are different people there; its chapters are recognised by their
        number, mass and number of coders (2012, Table 2) and grouped as they were.
        """
        moonstone = {
            item: chapter_group(item, len(coders), _mass(coders))
            for item, coders in self.by_item.items()
        }
        known = None not in moonstone.values()
        found: dict[tuple[frozenset[str], int | None], list[str]] = {}
        for item, by_coder in self.by_item.items():
            key = (frozenset(by_coder), moonstone[item] if known else None)
            found.setdefault(key, []).append(item)
        return tuple(
            Group(tuple(items), tuple(self.by_item[items[0]]), number)
            for (_, number), items in found.items()
        )


def merged(parts: Iterable[Codings]) -> Codings:
    """Codings of several files as one; the same coding twice is a DataError."""
    items: dict[str, dict[str, Segmentation]] = {}
    types: list[str] = []
    for part in parts:
        types += part.types
        for item, by_coder in part.items():
            row = items.setdefault(item, {})
            for coder, segmentation in by_coder.items():
                if coder in row:
                    raise DataError(f"coder {coder!r} has two segmentations of item {item!r}")
                row[coder] = segmentation
    return Codings.of(items, types=tuple(dict.fromkeys(types)))


def _mass(coders: Mapping[str, Segmentation]) -> int:
    return next(iter(coders.values())).mass if coders else 0


def _check_masses(item: str, coders: Mapping[str, Segmentation]) -> None:
    if not coders:
        raise DataError(f"item {item!r} has no coder")
    first, mass = next(iter(coders)), _mass(coders)
    for coder, segmentation in coders.items():
        if segmentation.mass != mass:
            raise DataError(
                f"item {item!r} has mass {mass} for {first} and {segmentation.mass} for {coder}",
                hint="All coders of an item must cover the same base units",
            )
