"""γ taken apart: how much disorder is due to position, category and missing units, and to whom.

The disorder δ(s) is the sum of the costs of all pairs in the unitary alignments, divided by C(n, 2)
and by x̄ (2015, §4.5, eq. 7). A pair of units costs α·d_pos + β·d_cat, and a pair with an empty unit
Δ. So the disorder is a sum of three components: *position*, *category* and *absence*. So is δ_e, as
a mean of such sums. Features beside the category are further components.

Costs are also divided among those who bear them. A pair of annotators bears the costs of its pairs
of units. Among annotators, categories and stretches, each of two units bears half of their cost. A
unit that faces an empty unit bears Δ alone. The units of a unitary alignment share equally what its
pairs of two empty units cost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, Unpack

import numpy as np

from gammacp.base.arguments import whole
from gammacp.base.arrays import Floats
from gammacp.base.record_tables import Table
from gammacp.base.text import UNLABELLED
from gammacp.chance.beyond import ratio
from gammacp.continuum import Continuum
from gammacp.continuum.label import plain
from gammacp.errors import DataError
from gammacp.measures.agreement import agreement
from gammacp.measures.explaining.cost_shares import ABSENCE, Borne, add_up, borne_in, components_of
from gammacp.measures.explaining.variance_components import VarianceComponents
from gammacp.measures.gamma import Gamma
from gammacp.measures.random_sets import Basis, Chance, Continua
from gammacp.measures.settings import FamilyOptions, Settings, spelled_out_with_computing
from gammacp.registry import Registry

Record: TypeAlias = dict[str, Any]
STRETCHES = 10


class FurtherExplanation(Protocol):
    """Another way in which γ is taken apart."""

    def as_dict(self) -> Record:
        """Return what JSON has under its name."""
        ...

    def tables(self) -> Iterator[tuple[str, Table]]:
        """Yield tables with their titles."""
        ...

    def in_words(self) -> list[str]:
        """Return what stands out, a sentence each."""
        ...


EXPLANATIONS: Registry[Callable[[Basis], FurtherExplanation]] = Registry("explanation")
"""Further ways to take γ apart, on a basis that keeps its random sets; the name is the JSON key."""
_WORDS = {
    "position": "about where units are",
    "category": "about categories",
    ABSENCE: "about units that others did not mark",
    "dissimilarity": "about units that are aligned",
}


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """The parts of γ's observed and expected disorder; each list sums to the whole.

    Attributes
    ----------
    gamma
        The γ that is taken apart.
    components
        A record per component: `observed` and `expected` disorder, `share` of the observed, and
        `gamma_if_perfect`: γ if that part of the observed disorder were 0, on the same alignment
        and against the same expected disorder, which is more than annotators without that error
        would reach.
    annotators, pairs, categories, documents, stretches
        A record each with `observed`, its `share` of all and its components (`observed_parts`),
        and `expected` with `expected_parts` where chance has them: of annotators and pairs if the
        random sets have their names, never of stretches. Annotators have `missed` too: what units
        of others cost that they have no unit for, which those others bear. `documents` is empty
        for one continuum, `stretches` (equal parts of its length, units at their centre) for
        several.
    variances
        Components that the disorder of pairs varies by; None for one continuum, and where nothing
        can be told apart.
    """

    gamma: Gamma
    components: tuple[Record, ...]
    annotators: tuple[Record, ...]
    pairs: tuple[Record, ...]
    categories: tuple[Record, ...]
    documents: tuple[Record, ...] = ()
    stretches: tuple[Record, ...] = ()
    variances: VarianceComponents | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the lists as JSON has them, and the variances."""
        names = ("components", "annotators", "pairs", "categories", "documents", "stretches")
        return {
            **{name: [dict(r) for r in getattr(self, name)] for name in names},
            "variances": None if self.variances is None else self.variances.as_dict(),
        }

    def in_words(self) -> list[str]:
        """Describe the largest components, a sentence each."""
        largest = sorted(self.components, key=lambda r: -r["observed"])
        if not largest or not largest[0]["observed"]:
            return ["There is no disorder: everybody agrees on everything."]
        first, *others = (
            (f"{r['share']:.0%}", _WORDS.get(r["component"], f"about {r['component']}"))
            for r in largest
        )
        rest = "".join(f", {share} {what}" for share, what in others)
        sentences = [f"{first[0]} of the disorder is {first[1]}{rest}."]
        most = max(self.annotators, key=lambda r: r["missed"])
        if largest[0]["component"] == ABSENCE and most["missed"]:
            absent = math.fsum(r["missed"] for r in self.annotators)
            sentences.append(
                f"Of the disorder {first[1]}, {most['missed'] / absent:.0%} is about units "
                f"that {most['annotator']} did not mark."
            )
        best = largest[0]["gamma_if_perfect"]
        if best is not None:
            sentences.append(
                f"Without the disorder {first[1]}, γ would be at most {best:.4f}, if alignment and "
                "chance stayed as they are."
            )
        if self.variances:
            return [*sentences, self.variances.in_words()]
        return sentences


def further_explanations(
    continua: Continua, **options: Unpack[FamilyOptions]
) -> tuple[dict[str, FurtherExplanation], list[tuple[str, str]]]:
    """Return what others take γ apart into, by name, and why some cannot.

    Parameters
    ----------
    continua, options
        As for `explanation_of`.
    """
    settings, how = Settings.and_computing(options, keeping=True)
    basis = Basis(continua, settings, **how)
    explanations: dict[str, FurtherExplanation] = {}
    refused: list[tuple[str, str]] = []
    for name, explain in EXPLANATIONS.items():
        try:
            explanations[name] = explain(basis)
        except DataError as error:
            refused.append((name, str(error)))
    return explanations, refused


@spelled_out_with_computing
def explanation_of(
    continua: Continua, *, stretches: int = STRETCHES, **options: Unpack[FamilyOptions]
) -> Explanation:
    """Decompose the disorder of one continuum, or of several as a corpus.

    Parameters
    ----------
    continua
        A continuum, a corpus, or continua by name.
    stretches
        Equal parts into which a single continuum is cut, ≥ 1.
    options
        Options of `FamilyOptions`, as for `gamma`; with the memory of an `agreement` on the same
        continua nothing is computed twice.

    Raises
    ------
    DataError
        Nothing has an alignment.
    UsageError
        Unknown option, or a value outside its range.
    """
    number = whole("stretches", stretches, 1)
    settings, how = Settings.and_computing(options, keeping=True)
    return explained_on(Basis(continua, settings, **how), stretches=number)


def explained_on(basis: Basis, *, stretches: int = STRETCHES) -> Explanation:
    """`explanation_of` on a basis that has a memory.

    Parameters
    ----------
    basis
        Alignments and random sets that γ rests on; using a unit again must have no price.
    stretches
        As for `explanation_of`.

    Raises
    ------
    DataError
        Nothing has an alignment.
    """
    if basis.settings.reuse:
        raise DataError("γ with a price for reuse cannot be taken apart: no pair of units bears it")
    pooled = agreement(basis)
    scores = pooled.computed
    if not scores:
        raise DataError(f"no continuum has an alignment to explain: {pooled.score.reason}")
    continua = [s.alignment.continuum for s in scores.values()]
    people = list(dict.fromkeys(name for c in continua for name in c.annotators))
    sizes = [pooled.size(name) for name in scores]
    total = math.fsum(sizes)
    shares = [size / total for size in sizes]
    per_unit = [pooled.weights.get(name, 1.0) / total for name in scores]
    aligned = [(s.alignment.continuum, s.alignment.groups) for s in scores.values()]
    labels = [*plain(continua[0].categories)[0], UNLABELLED]
    costs = borne_in(aligned, per_unit, people, len(labels) - 1, basis.dissimilarity)
    named_sets = basis.model.keeps_names
    by_chance = _by_chance(basis, continua, people if named_sets else None, len(labels) - 1, shares)
    chance, each = by_chance or (None, None)
    if chance and named_sets:
        by_person = chance.annotators
    else:
        by_person = None
    if chance and named_sets:
        by_pair = chance.pairs
    else:
        by_pair = None
    observed = costs.total
    several = len(continua) > 1 or len(pooled.documents) > 1
    make = _Records(components_of(basis.dissimilarity), float(observed.sum()))
    return Explanation(
        gamma=pooled.score,
        components=tuple(make.components(observed, chance.total if chance else None)),
        annotators=tuple(
            {**record, "missed": float(missed)}
            for record, missed in zip(
                make.each("annotator", people, costs.annotators, by_person),
                costs.missed,
                strict=True,
            )
        ),
        pairs=tuple(_of_pairs(make, costs, people, by_pair)),
        categories=tuple(
            record
            for record in make.each(
                "category", labels, costs.categories, chance.categories if chance else None
            )
            if record["observed"] or record["expected"]
        ),
        documents=tuple(
            make.each("document", list(scores), costs.items, each)
        ) if several else (),
        stretches=() if several else tuple(_stretches(make, costs, continua[0], stretches)),
        variances=pooled.components() if several else None,
    )  # fmt: skip


@dataclass(frozen=True)
class _Records:
    """Converter from rows of sums over components to records; `whole` is the whole disorder."""

    names: Sequence[str]
    whole: float

    def components(self, observed: Floats, expected: Floats | None) -> Iterator[Record]:
        if expected is None:
            chance = None
        else:
            chance = float(expected.sum())
        if expected is None:
            by_chance = [None] * len(observed)
        else:
            by_chance = expected.tolist()
        for name, cost, drawn in zip(self.names, observed.tolist(), by_chance, strict=True):
            yield {
                "component": name,
                "observed": cost,
                "expected": drawn,
                "share": self._share(cost),
                "gamma_if_perfect": ratio(self.whole - cost, chance, "")[0] if chance else None,
            }

    def each(
        self, key: str, names: Sequence[object], observed: Floats, expected: Floats | None
    ) -> Iterator[Record]:
        for k, name in enumerate(names):
            disorder = float(observed[k].sum())
            yield {
                key: name,
                "observed": disorder,
                "share": self._share(disorder),
                "observed_parts": self._parts(observed[k]),
                "expected": None if expected is None else float(expected[k].sum()),
                "expected_parts": None if expected is None else self._parts(expected[k]),
            }

    def _parts(self, row: Floats) -> Record:
        return dict(zip(self.names, row.tolist(), strict=True))

    def _share(self, part: float) -> float:
        if self.whole:
            return part / self.whole
        return 0.0


def _of_pairs(
    make: _Records, costs: Borne, people: Sequence[str], by_chance: Floats | None
) -> Iterator[Record]:
    i, j = np.triu_indices(len(people), 1)
    i, j = i[costs.met[i, j]], j[costs.met[i, j]]
    names = [[people[a], people[b]] for a, b in zip(i, j, strict=True)]
    return make.each(
        "annotators", names, costs.pairs[i, j], None if by_chance is None else by_chance[i, j]
    )


def _stretches(make: _Records, costs: Borne, continuum: Continuum, number: int) -> Iterator[Record]:
    low, high = continuum.bounds
    edges = np.linspace(low, high, number + 1)
    centres = (continuum.starts + continuum.ends) / 2
    place = np.clip(np.searchsorted(edges, centres, side="right") - 1, 0, number - 1)
    sums = add_up(place, costs.units, number)
    for k, record in enumerate(make.each("stretch", range(1, number + 1), sums, None)):
        yield {**record, "start": float(edges[k]), "end": float(edges[k + 1])}


def _by_chance(
    basis: Basis,
    continua: Sequence[Continuum],
    people: Sequence[str] | None,
    categories: int,
    shares: Sequence[float],
) -> tuple[Borne, Floats] | None:
    """Return the costs of random sets, weighted as in δ_e, and the components of each continuum.

    Return None if an interruption left too few sets.
    """
    chances = [basis.chance(c) for c in continua]
    weights: dict[Chance, float] = {}
    for chance, share in zip(chances, shares, strict=True):
        weights[chance] = weights.get(chance, 0.0) + share
    if not all(chance.expected.enough for chance in weights):
        return None
    aligned_sets = []
    scales = []
    owner = []
    for number, (chance, weight) in enumerate(weights.items()):
        of_all = chance.expected.weights
        for s in chance.sets:
            x = chance.expected.samples * s.continuum.mean_units
            scales.append(weight / (x if of_all is None else float(of_all.sum())))
            aligned_sets.append((s.continuum, s.groups))
            owner.append(number)
    borne = borne_in(aligned_sets, scales, people, categories, basis.dissimilarity)
    sums = add_up(np.array(owner, np.int64), borne.items, len(weights))
    rows = dict(zip(weights, sums, strict=True))
    each = [rows[k] * (s / weights[k]) for k, s in zip(chances, shares, strict=True)]
    return borne, np.array(each)
