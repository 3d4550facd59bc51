"""Relation F₁: how many links of two annotators are the same, by type and in all.

Two links match if they have the same type and both their ends match, of undirected links in either
order. *Strict*: two ends match if their units have the same boundaries and the same label, which is
the strict evaluation of relation extraction (Taillé et al. 2020; n2c2 2018 and BRATEval with exact
spans). *Relaxed*: two ends match if their units overlap, with any labels. Links are matched one to
one, in the largest possible number. With a reference, recall and precision are those of the other
annotator. The scores are not corrected for chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from gammacp.base.arrays import Bools, Floats, Indices
from gammacp.base.signature import signature
from gammacp.continuum import Continuum
from gammacp.continuum.links import DIRECTED, Linked
from gammacp.continuum.needs import require
from gammacp.links.measures.joined import links_to_join
from gammacp.measures.counting import Counting, Counts, Numbers, Rates, pairs_of, share
from gammacp.measures.matching.overlapping import Overlaps, overlaps
from gammacp.measures.registry import registered
from gammacp.measures.score import Score

NAMES = ("relation-f1-strict", "relation-f1-relaxed")
_NOTHING = "nobody has a link"


def count_relations(continuum: Continuum, *, strict: bool = True) -> Counts:
    """Count the links that two annotators have in common, and the links of both, by type.

    Parameters
    ----------
    continuum
        Units and links.
    strict
        Whether ends match by boundaries and label (strict) or by overlap (relaxed).

    Returns
    -------
    Counts
        `matched`, `first_links` and `second_links`, each of shape (pairs, types); `labels` are the
        types.
    """
    links = continuum.link_rows.only(chains=False)
    types = tuple(sorted({links.types[code] for code in np.unique(links.codes)}))
    type_of = np.array([types.index(t) if t in types else -1 for t in links.types] or [0])
    kinds = type_of[links.codes]
    people = continuum.annotator_codes[links.sources]
    of_type = np.array(
        [
            np.bincount(kinds[people == k], minlength=len(types))[: len(types)]
            for k in range(continuum.n_annotators)
        ],
        np.float64,
    )
    matched = np.zeros((len(pairs_of(continuum.annotators)), len(types)))
    for pair, met in enumerate(overlaps(continuum)):
        if strict:
            alike = _same_units(continuum, met)
        else:
            alike = np.ones(len(met.left), np.bool_)
        one, other = _matching_links(continuum.n_units, links, kinds, met, alike)
        matched[pair] = np.bincount(kinds[_largest_matching(one, other)], minlength=len(types))[
            : len(types)
        ]
    first, second = np.triu_indices(continuum.n_annotators, 1)
    numbers = {
        "matched": matched,
        "first_links": of_type[first],
        "second_links": of_type[second],
    }
    return Counts(pairs_of(continuum.annotators), numbers, types)


def relation_rates(numbers: Numbers) -> Rates:
    """Return F₁, recall and precision over all types, and F₁ of each type.

    Parameters
    ----------
    numbers
        Numbers of `count_relations`, with types along the last axis.
    """
    first = numbers["first_links"]
    second = numbers["second_links"]
    matched = numbers["matched"].sum(axis=-1)
    wholes = first.sum(axis=-1), second.sum(axis=-1)
    value = share(2 * matched, wholes[0] + wholes[1])
    return Rates(
        value=value,
        disagreement=1 - value,
        size=(wholes[0] + wholes[1]) / 2,
        recall=share(matched, wholes[0]),
        precision=share(matched, wholes[1]),
        by_label=share(2 * numbers["matched"], first + second),
    )


def relations_by_pair(continua: Iterable[Continuum]) -> list[dict[str, Any]]:
    """Return recall, precision and F₁ of each pair of annotators, by type and in all.

    Parameters
    ----------
    continua
        Documents; their counts are summed.

    Returns
    -------
    list
        For each pair a row for all links (`type` is None) and a row for each type that one of the
        two has. The first annotator is the reference. `relaxed` is None if units have fragments.
    """
    continua = list(continua)
    rules = {"strict": True}
    if all(c.inside is None for c in continua):
        rules["relaxed"] = False
    sums: dict[tuple[str, ...], dict[str | None, dict[str, Any]]] = {}
    for c in continua:
        for rule, strict in rules.items():
            _add(count_relations(c, strict=strict), rule, sums)
    rows = []
    for pair, by_type in sums.items():
        for type_ in sorted(by_type, key=lambda name: name or ""):
            rates = {rule: _rates_of(by_type[type_].get(rule)) for rule in ("strict", "relaxed")}
            links = by_type[type_]["strict"][1:].astype(int).tolist()
            rows.append({"annotators": [*pair], "type": type_, "links": links, **rates})
    return rows


def _add(
    counts: Counts, rule: str, sums: dict[tuple[str, ...], dict[str | None, dict[str, Any]]]
) -> None:
    """Add the counts of a document to the sums by pair and type."""
    names = ("matched", "first_links", "second_links")
    table = np.stack([counts.numbers[name] for name in names])
    for k, pair in enumerate(counts.parties):
        sums_of_pair = sums.setdefault(pair, {})
        parts: list[tuple[str | None, Floats]] = [(None, table[:, k].sum(axis=1))]
        parts += [(name, table[:, k, t]) for t, name in enumerate(counts.labels)]
        for name, numbers in parts:
            if numbers.any():
                by_rule = sums_of_pair.setdefault(name, {})
                by_rule[rule] = by_rule.get(rule, 0) + numbers


def _rates_of(numbers: Floats | None) -> dict[str, float] | None:
    """Return recall, precision, F₁ and the number of matching links."""
    if numbers is None:
        return None
    matched, first, second = (np.array([x]) for x in numbers)
    columns = {
        "recall": share(matched, first),
        "precision": share(matched, second),
        "f1": share(2 * matched, first + second),
    }
    return {"matched": int(numbers[0]), **{name: x.item() for name, x in columns.items()}}


def _same_units(c: Continuum, met: Overlaps) -> Bools:
    """Return which overlapping units have the same boundaries, fragments and label."""
    u = met.left
    v = met.right
    same: Bools = (c.starts[u] == c.starts[v]) & (c.ends[u] == c.ends[v])
    same &= c.category_codes[u] == c.category_codes[v]
    return same if c.inside is None else same & (c.inside[u] == c.inside[v]).astype(np.bool_)


def _matching_links(
    units: int, links: Linked, kinds: Indices, met: Overlaps, alike: Bools
) -> tuple[Indices, Indices]:
    """Return the pairs of links of two annotators that may be matched."""
    cells = np.ones(int(alike.sum()), np.int32), (met.left[alike], met.right[alike])
    same_unit = sparse.csr_array(cells, (units, units))
    rows = np.arange(len(links))

    def at(ends: Indices) -> sparse.csr_array:
        return sparse.csr_array((np.ones(len(rows), np.int32), (rows, ends)), (len(rows), units))

    sources = at(links.sources)
    targets = at(links.targets)
    from_source = sources @ same_unit
    from_target = targets @ same_unit
    straight = (from_source @ sources.T).multiply(from_target @ targets.T)
    crossed = (from_source @ targets.T).multiply(from_target @ sources.T)
    turning = np.array([kind != DIRECTED for kind in links.kinds] or [False])[links.codes]
    one, other = straight.nonzero()
    left, right = crossed.nonzero()
    turned = turning[left] | turning[right]
    one = np.append(one, left[turned])
    other = np.append(other, right[turned])
    same_type = kinds[one] == kinds[other]
    return one[same_type], other[same_type]


def _largest_matching(one: Indices, other: Indices) -> Indices:
    """Return the links of the first annotator in a largest one-to-one matching."""
    from scipy.sparse.csgraph import maximum_bipartite_matching

    if not len(one):
        return one
    rows, row = np.unique(one, return_inverse=True)
    columns, column = np.unique(other, return_inverse=True)
    graph = sparse.csr_array((np.ones(len(row)), (row, column)), (len(rows), len(columns)))
    return rows[maximum_bipartite_matching(graph, perm_type="column") >= 0]


def _register(name: str, summary: str, *, strict: bool) -> Callable[[Continuum], Score]:
    counting = Counting(
        count=partial(count_relations, strict=strict),
        rates=relation_rates,
        nothing=_NOTHING,
    )

    @registered(
        name,
        summary,
        "Taillé et al. 2020; n2c2 2018 track 2",
        range="[0, 1]",
        chance_corrected=False,
        applies_to="links",
        fragments="whole" if strict else "refused",
        counting=counting,
    )
    def relation_f1(continuum: Continuum) -> Score:
        """F₁ of links, the mean over pairs of annotators; of each type in `by_category`.

        Parameters
        ----------
        continuum
            At least two annotators, and a link.

        Raises
        ------
        DataError
            There is no link, only chains, or fewer than two annotators.

        Worked value: A has a → b and c → b, B has a → b and b → c: 1 match of 2 and 2, ½.
        """
        require(continuum, fragments=strict)
        links_to_join(continuum, chains=False)
        counts = counting.count(continuum)
        rates = counting.rates_of(counts)
        missing = np.flatnonzero(np.isnan(rates.value))
        reason = None
        if len(missing):
            reason = "neither {} nor {} has a link".format(*counts.parties[int(missing[0])])
        value = float(np.mean(rates.value))
        lost = continuum.link_rows.loose
        return Score(
            value=value,
            observed=None if reason else value,
            by_category=_by_type(counts, rates),
            reason=reason,
            notes=(f"{lost} links end at units that were left out",) if lost else (),
            signature=signature(name, selection=continuum.selection),
            counts=counts,
        )

    return relation_f1


def _by_type(counts: Counts, rates: Rates) -> dict[str, float]:
    """Return the mean of each type over the pairs in which an annotator has links of the type."""
    assert rates.by_label is not None
    defined = ~np.isnan(rates.by_label)
    sums: Floats = np.where(defined, rates.by_label, 0.0).sum(axis=0)
    means = share(sums, defined.sum(axis=0).astype(np.float64))
    return dict(zip(counts.labels, means.tolist(), strict=True))


relation_f1_strict = _register(
    NAMES[0],
    "F₁ of links between units with the same boundaries and labels, with the same type",
    strict=True,
)
relation_f1_relaxed = _register(
    NAMES[1], "F₁ of links between units that overlap, with the same type", strict=False
)
