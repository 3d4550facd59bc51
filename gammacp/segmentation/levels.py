"""Agreement on hierarchies of segments: on each level, and on all levels at once (T)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gammacp.base.arguments import several
from gammacp.base.record_tables import record_of
from gammacp.base.signature import extend, quote_part
from gammacp.chance.beyond import BeyondChance, against_chance, signed_chance
from gammacp.chance.expected import SampleRule
from gammacp.errors import DataError
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.hierarchy import Ordered, check_levels, nest_levels, t_measures
from gammacp.segmentation.measures.comparison import Criterion
from gammacp.segmentation.measures.rows import Rows
from gammacp.segmentation.measures.turned import CHANCE, TurnedSegments
from gammacp.segmentation.measures.value import Segmentation
from gammacp.segmentation.pairwise import PairwiseRow, pairwise
from gammacp.segmentation.statistics import Spread, spread

LEVEL = ("s", "b", "windowdiff", "f")


@dataclass(frozen=True, kw_only=True)
class LevelPair:
    """Comparison of two codings of an item: columns of each level, coarsest first, and T."""

    levels: tuple[PairwiseRow, ...]
    t: Ordered

    @property
    def coarsest(self) -> PairwiseRow:
        """Return the columns of the coarsest level, with the names of item and coders."""
        return self.levels[0]

    def as_dict(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the pair as JSON."""
        levels = {
            name: {column: row.values[column] for column in LEVEL}
            for name, row in zip(names, self.levels, strict=True)
        }
        return {**self.coarsest.names, "levels": levels, "t": self.t._asdict()}


@dataclass(frozen=True, kw_only=True)
class HierarchyReport:
    """Pairs of hierarchies, and their means.

    Attributes
    ----------
    levels
        Boundary types, coarsest first.
    reference
        Name of the reference; None if every coder is the reference in turn.
    pairs
        Compared pairs, item by item.
    notes, signature
        Notes on undefined values and omitted data; signature of the report.
    beyond_chance
        T precision, recall and F of each system beyond random hierarchies; None unless requested.
    """

    levels: tuple[str, ...]
    reference: str | None
    pairs: tuple[LevelPair, ...]
    notes: tuple[str, ...]
    signature: str
    beyond_chance: Mapping[str, Mapping[str, BeyondChance]] | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON."""
        systems = _group_by_system(self.pairs, self.reference)
        return {
            **record_of(self, "levels reference"),
            "means": {name: self._means(name, pairs) for name, pairs in systems.items()},
            "pairs": [pair.as_dict(self.levels) for pair in self.pairs],
            **record_of(self, "notes signature"),
        }

    def _means(self, system: str, pairs: Sequence[LevelPair]) -> dict[str, Any]:
        def of(values: Iterable[float]) -> dict[str, float]:
            return spread(values)._asdict()

        by_level = {
            name: {c: of(pair.levels[n].values[c] for pair in pairs) for c in LEVEL}
            for n, name in enumerate(self.levels)
        }
        t = {key: of(getattr(pair.t, key) for pair in pairs) for key in Ordered._fields}
        means = {"pairs": len(pairs), "levels": by_level, "t": t}
        if self.beyond_chance is None:
            return means
        beyond = self.beyond_chance[system]
        return {**means, "beyond_chance": {key: b.as_dict() for key, b in beyond.items()}}


def hierarchy_report(
    codings: Codings,
    levels: Sequence[str],
    *,
    reference: str | None = None,
    comparison: Criterion | None = None,
    transitive: bool = False,
    window: int | None = None,
    beyond_chance: SampleRule | None = None,
    seed: int = 0,
) -> HierarchyReport:
    """Report the agreement of coders on hierarchies of segments.

    Parameters
    ----------
    codings
        Codings with a boundary type per level.
    levels
        At least two boundary types, coarsest first. A boundary also belongs to all finer levels.
    reference
        Coder to use as the reference; by default every coder in turn.
    comparison
        Criterion with the edits of S and B, and the variant of WindowDiff.
    transitive, window
        As for `t_measures`.
    beyond_chance
        Rule for the number of random hierarchies to compare T with. They are each coder's own
        hierarchy, turned, with boundaries keeping their levels. None omits the comparison.
    seed
        Seed of the random hierarchies.

    Raises
    ------
    UsageError
        A level is not a boundary type, or the reference coded no item.
    DataError
        No item is coded by two.
    """
    comparison = comparison or Criterion()
    chosen = tuple(several("levels", levels))
    check_levels(codings.types, chosen)
    if reference is not None:
        codings.require("reference", reference)
    t_options: dict[str, Any] = {"transitive": transitive, "window": window}
    nests = {i: {c: nest_levels(s, chosen) for c, s in by.items()} for i, by in codings.items()}
    pairs = _pairs(nests, len(chosen), comparison, reference, t_options)
    signature = comparison.signature_of(
        "segmentation",
        levels=",".join(map(quote_part, chosen)),
        reference=None if reference is None else quote_part(reference),
        t="full" if transitive else "reduced",
        window=window,
    )
    beyond = None
    if beyond_chance is not None:
        systems = _group_by_system(pairs, reference)
        beyond = _beyond_chance(codings, chosen, systems, t_options, beyond_chance, seed, signature)
        signature = extend(signature, **signed_chance(CHANCE, beyond_chance, seed))
    return HierarchyReport(
        levels=chosen,
        reference=reference,
        pairs=pairs,
        notes=tuple(_notes(codings, chosen, pairs, beyond is not None)),
        beyond_chance=beyond,
        signature=signature,
    )


def _sides(
    nests: Mapping[str, Mapping[str, Sequence[Segmentation]]], pair: PairwiseRow
) -> tuple[Sequence[Segmentation], Sequence[Segmentation]]:
    return nests[pair.item][pair.reference], nests[pair.item][pair.hypothesis]


def _group_by_system(
    pairs: Iterable[LevelPair], reference: str | None
) -> dict[str, list[LevelPair]]:
    """Return the pairs by system if there is a reference, otherwise all under "all pairs"."""
    pairs_by_system: dict[str, list[LevelPair]] = {}
    for pair in pairs:
        if reference is None:
            name = "all pairs"
        else:
            name = pair.coarsest.hypothesis
        pairs_by_system.setdefault(name, []).append(pair)
    return pairs_by_system


def _keep_levels(segmentation: Segmentation, levels: Sequence[str]) -> Segmentation:
    """Return the segmentation without boundaries that belong to no level."""
    positions = {name: segmentation.of_type(name).tolist() for name in levels}
    return Segmentation.from_typed(positions, mass=segmentation.mass, types=levels)


def _pairs(
    nests: Mapping[str, Mapping[str, Sequence[Segmentation]]],
    levels: int,
    comparison: Criterion,
    reference: str | None,
    how: Mapping[str, Any],
) -> tuple[LevelPair, ...]:
    """Compare every two coders, or every coder with the reference, on each level.

    Parameters
    ----------
    nests, levels
        Segmentations of each item by coder, one per level, and the number of levels.
    comparison, reference
        As for `hierarchy_report`.
    how
        Options of `t_measures`.

    Raises
    ------
    DataError
        No item is coded by two.
    """
    by_level = [
        pairwise(
            Codings.of({i: {c: n[k] for c, n in by.items()} for i, by in nests.items()}),
            comparison=comparison,
        )
        for k in range(levels)
    ]
    pairs = tuple(
        LevelPair(levels=rows, t=t_measures(*_sides(nests, rows[0]), **how))
        for rows in zip(*by_level, strict=True)
        if reference in (None, rows[0].reference)
    )
    if not pairs:
        whose = ""
        if reference is not None:
            whose = f" of {reference!r}"
        raise DataError(f"no item{whose} has two coders")
    return pairs


def _beyond_chance(
    codings: Codings,
    levels: tuple[str, ...],
    systems: Mapping[str, Sequence[LevelPair]],
    how: Mapping[str, Any],
    rule: SampleRule,
    seed: int,
    signature: str,
) -> dict[str, dict[str, BeyondChance]]:
    """Return 1 − D/E[D], where D is 1 minus the mean of the defined T over pairs of a system.

    Parameters
    ----------
    codings, levels
        As for `hierarchy_report`.
    systems
        Compared pairs by system.
    how
        Options of `t_measures`.
    rule, seed
        Rule for the number of random hierarchies, and their seed.
    signature
        Signature of the report.
    """
    hierarchies = {
        i: {c: _keep_levels(s, levels) for c, s in by.items()} for i, by in codings.items()
    }
    items = tuple(hierarchies)
    rows = Rows.of(hierarchies, levels)
    turned = TurnedSegments.of(rows, codings.row_people())

    def count(t: Mapping[str, Iterable[Ordered]]) -> dict[str, float]:
        return {
            f"{name}.{key}": 1 - spread(column).mean
            for name, triples in t.items()
            for key, column in zip(Ordered._fields, zip(*triples, strict=True), strict=True)
        }

    def observe(drawn: Rows) -> dict[str, float]:
        nests: defaultdict[str, dict[str, Sequence[Segmentation]]] = defaultdict(dict)
        for k, (i, coder) in enumerate(zip(rows.item, rows.coder, strict=True)):
            nests[items[i]][coder] = nest_levels(drawn.segmentation(k), rows.types)
        return count(
            {
                name: [t_measures(*_sides(nests, p.coarsest), **how) for p in pairs]
                for name, pairs in systems.items()
            }
        )

    observed = count({name: [p.t for p in pairs] for name, pairs in systems.items()})
    beyond_by_name = against_chance(
        observed,
        observe,
        turned,
        rule,
        seed,
        signed=dict.fromkeys(observed, signature),
        missing="T is undefined for every pair",
    )
    return {
        name: {key: beyond_by_name[f"{name}.{key}"] for key in Ordered._fields} for name in systems
    }


def _notes(
    codings: Codings, levels: Sequence[str], pairs: Sequence[LevelPair], beyond: bool
) -> list[str]:
    used = {pair.coarsest.item for pair in pairs}
    left_out = [item for item in codings if item not in used]
    others = [name for name in codings.types if name not in levels]
    lost: Spread = spread(pair.t.f for pair in pairs)
    if beyond:
        notes = []
    else:
        notes = ["T is not corrected for chance (see `beyond_chance=`)"]
    if others:
        notes.append(f"boundaries of {', '.join(others)} are left out: they are not a level")
    if left_out:
        notes.append(
            f"{len(left_out)} items without a pair of coders are left out: {', '.join(left_out)}"
        )
    if lost.undefined:
        notes.append(
            f"T is undefined for {lost.undefined} of {len(pairs)} pairs, because one hierarchy "
            "orders no triple; the means leave these pairs out"
        )
    return notes
