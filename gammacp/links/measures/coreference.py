"""MUC, B³, CEAF, BLANC and LEA between annotators: F₁ of chains, the mean over pairs of annotators.

The scores equal those of the reference scorers: that of CoNLL (Pradhan et al. 2014, with BLANC of
Luo et al. 2014) and, for LEA (Moosavi & Strube 2016), that of CorefUD. By default two mentions are
the same if they have the same place. With `mentions="aligned"` they are the same if γ aligns them.
A mention alone in its chain counts, except in MUC.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple, Unpack

import numpy as np
from scipy.optimize import linear_sum_assignment

from gammacp.base.arguments import one_of
from gammacp.base.arrays import Floats, Indices
from gammacp.continuum import Continuum
from gammacp.continuum.needs import require
from gammacp.links.measures.chains import chains_of
from gammacp.links.measures.joined import groups_of, links_to_join
from gammacp.measures.counting import (
    Counting,
    Counts,
    Numbers,
    Rates,
    harmonic_mean,
    share,
)
from gammacp.measures.random_sets import Basis
from gammacp.measures.registry import registered
from gammacp.measures.score import Score, undefined
from gammacp.measures.settings import FamilyOptions, Settings, spelled_out_with_computing

MENTIONS = ("exact", "aligned")


class Retrieved(NamedTuple):
    """Numerators and denominators of recall and precision."""

    recall: float
    of_key: float
    precision: float
    of_response: float


@dataclass(frozen=True)
class ChainOverlaps:
    """Overlaps of two partitions of mentions, those of a key and of a response.

    Attributes
    ----------
    key, response
        Sizes of the chains of key and response, shape (chains,) each.
    rows, columns, shared
        Chains of key and response with common mentions, and the number of these mentions.
    """

    key: Floats
    response: Floats
    rows: Indices
    columns: Indices
    shared: Floats

    def turn(self) -> ChainOverlaps:
        """Return the overlaps with key and response exchanged."""
        return ChainOverlaps(self.response, self.key, self.columns, self.rows, self.shared)


def _both(
    one: Callable[[ChainOverlaps], tuple[float, float]],
) -> Callable[[ChainOverlaps], list[Retrieved]]:
    return lambda x: [Retrieved(*one(x), *one(x.turn()))]


def _muc(x: ChainOverlaps) -> tuple[float, float]:
    return float(x.shared.sum() - len(x.shared)), float((x.key - 1).sum())


def _b_cubed(x: ChainOverlaps) -> tuple[float, float]:
    return float((x.shared**2 / x.key[x.rows]).sum()), float(x.key.sum())


def _lea(x: ChainOverlaps) -> tuple[float, float]:
    size = x.key[x.rows]
    other = x.response[x.columns]
    links = np.where(size > 1, x.shared * (x.shared - 1) / np.maximum(size - 1, 1), other == 1)
    return float(links.sum()), float(x.key.sum())


def _ceaf(
    weights: Callable[[ChainOverlaps], Floats], *, mentions: bool
) -> Callable[..., list[Retrieved]]:
    def retrieve(x: ChainOverlaps) -> list[Retrieved]:
        table = np.zeros((len(x.key), len(x.response)))
        table[x.rows, x.columns] = weights(x)
        best = float(table[linear_sum_assignment(table, maximize=True)].sum())
        a, b = (float(s.sum()) if mentions else float(len(s)) for s in (x.key, x.response))
        return [Retrieved(best, a, best, b)]

    return retrieve


def _pairs(sizes: Floats) -> float:
    return float((sizes * (sizes - 1) / 2).sum())


def _blanc(x: ChainOverlaps) -> list[Retrieved]:
    """Count the coreferent pairs of mentions, and the pairs that are not coreferent."""
    by_key = np.bincount(x.rows, x.shared, len(x.key)).astype(np.float64)
    by_response = np.bincount(x.columns, x.shared, len(x.response)).astype(np.float64)
    together = _pairs(x.shared)
    apart = _pairs(np.array([x.shared.sum()])) - _pairs(by_key) - _pairs(by_response) + together
    chained = _pairs(x.key), _pairs(x.response)
    others = [_pairs(np.array([s.sum()])) - _pairs(s) for s in (x.key, x.response)]
    both = [(together, *chained), (apart, *others)]
    return [Retrieved(part, a, part, b) for part, a, b in both]


_SCORERS: Mapping[str, tuple[Callable[[ChainOverlaps], list[Retrieved]], str, str]] = {
    "muc": (_both(_muc), "MUC: chain links that both annotators have", "Vilain et al. 1995"),
    "b-cubed": (
        _both(_b_cubed),
        "B³: overlap of the chains of each mention",
        "Bagga & Baldwin 1998",
    ),
    "ceaf-m": (
        _ceaf(lambda x: x.shared, mentions=True),
        "CEAF_m: one-to-one matching of chains, by shared mentions",
        "Luo 2005",
    ),
    "ceaf-e": (
        _ceaf(lambda x: 2 * x.shared / (x.key[x.rows] + x.response[x.columns]), mentions=False),
        "CEAF_e: one-to-one matching of chains, each weighing the same",
        "Luo 2005",
    ),
    "blanc": (_blanc, "BLANC: coreferent and non-coreferent pairs of mentions", "Luo et al. 2014"),
    "lea": (
        _both(_lea),
        "LEA: links found in each chain, weighted by chain size",
        "Moosavi & Strube 2016",
    ),
}


PARTS: Mapping[str, tuple[str, ...]] = {
    "blanc": ("coreferent", "not coreferent"),
    "conll-average": ("muc", "b-cubed", "ceaf-e"),
}
"""Parts over which a measure averages recall and precision; other measures have a single part."""


def retrieved(name: str, overlaps: ChainOverlaps) -> list[Retrieved]:
    """Count the numerators and denominators of recall and precision, for each part of a measure.

    Parameters
    ----------
    name
        A measure of coreference.
    overlaps
        Overlaps of the chains of a key and a response.
    """
    if name == "conll-average":
        return [part for scorer in PARTS[name] for part in retrieved(scorer, overlaps)]
    return _SCORERS[name][0](overlaps)


def counts_of_retrieved(name: str, pairs: Mapping[tuple[str, str], list[Retrieved]]) -> Counts:
    """Return the counts of pairs of annotators as arrays.

    Parameters
    ----------
    name
        The measure.
    pairs
        Counts of `retrieved` for each pair of annotators, the first of whom is the key.
    """
    labels = PARTS.get(name, (name,))
    table = np.array([list(parts) for parts in pairs.values()], np.float64)
    columns = table.reshape(len(pairs), len(labels), 4)
    names = ("first_found", "first_whole", "second_found", "second_whole")
    return Counts(tuple(pairs), {n: columns[..., k] for k, n in enumerate(names)}, labels)


def retrieval_rates(numbers: Numbers, *, every: bool = True) -> Rates:
    """Return F₁, recall and precision as means over parts; they are 0 if there is nothing to find.

    Parameters
    ----------
    numbers
        Numbers of `counts_of_retrieved`, parts along the last axis.
    every
        Whether to include parts that are empty on both sides.
    """
    wholes = numbers["first_whole"], numbers["second_whole"]
    sides = numbers["first_found"], numbers["second_found"]
    recall, precision = (
        np.nan_to_num(share(part, whole)) for part, whole in zip(sides, wholes, strict=True)
    )
    is_counted = (wholes[0] > 0) | (wholes[1] > 0) | every
    parts = np.maximum(is_counted.sum(axis=-1), 1)
    means = [
        np.where(is_counted, column, 0.0).sum(axis=-1) / parts
        for column in (harmonic_mean(recall, precision), recall, precision)
    ]
    return Rates(
        value=means[0],
        disagreement=1 - means[0],
        size=(wholes[0] + wholes[1]).mean(axis=-1) / 2,
        recall=means[1],
        precision=means[2],
    )


def _rates_by(name: str) -> Callable[..., Rates]:
    return partial(retrieval_rates, every=name != "blanc")


def coreference(name: str, overlaps: ChainOverlaps) -> tuple[float, float, float]:
    """Return recall, precision and F₁ of a response against a key.

    Parameters
    ----------
    name
        muc, b-cubed, ceaf-m, ceaf-e, blanc, lea or conll-average.
    overlaps
        Overlaps of the chains of key and response.
    """
    counts = counts_of_retrieved(name, {("key", "response"): retrieved(name, overlaps)})
    rates = _rates_by(name)(counts.numbers)
    assert rates.recall is not None
    assert rates.precision is not None
    return float(rates.recall[0]), float(rates.precision[0]), float(rates.value[0])


def overlaps_of(chains: Indices, places: Indices, key: slice, response: slice) -> ChainOverlaps:
    """Return the overlaps of the chains of two annotators.

    Parameters
    ----------
    chains, places
        Chain of each unit, and the number of its mention, which is equal for the same mentions.
    key, response
        Slices of the units of the two annotators.
    """
    sides = []
    for rows in (key, response):
        # Two mentions of an annotator in the same place count once, in the first of their chains.
        place, first = np.unique(places[rows], return_index=True)
        _, chain, size = np.unique(chains[rows][first], return_inverse=True, return_counts=True)
        sides.append((place, chain.ravel(), size.astype(np.float64)))
    (a, of_a, sizes_a), (b, of_b, sizes_b) = sides
    _, i, j = np.intersect1d(a, b, return_indices=True)
    met, shared = np.unique(np.stack([of_a[i], of_b[j]]), axis=1, return_counts=True)
    return ChainOverlaps(sizes_a, sizes_b, met[0], met[1], shared.astype(np.float64))


def pairwise_coreference(
    name: str, continuum: Continuum, places: Indices
) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Return recall, precision and F₁ of each pair of annotators with mentions, key first.

    Parameters
    ----------
    name
        As for `coreference`.
    continuum
        Continuum with chains.
    places
        Number of the mention of each unit, equal for the same mentions.
    """
    pairs = _chain_overlaps(continuum, places)
    return {pair: coreference(name, x) for pair, x in pairs.items() if _both_mention(x)}


def _chain_overlaps(continuum: Continuum, places: Indices) -> dict[tuple[str, str], ChainOverlaps]:
    """Return the overlaps of chains of each pair of annotators, if one of them has mentions."""
    chains = chains_of(continuum, continuum.link_rows.only(chains=True))
    rows = {a: continuum.rows_of(a) for a in continuum.annotators}
    return {
        (a, b): overlaps_of(chains, places, rows[a], rows[b])
        for a, b in combinations(rows, 2)
        if len(chains[rows[a]]) or len(chains[rows[b]])
    }


def _both_mention(x: ChainOverlaps) -> bool:
    return bool(len(x.key) and len(x.response))


def mention_places(continuum: Continuum, mentions: str, basis: Basis | None) -> Indices:
    """Return a number for each unit, equal if the mentions of two annotators are the same.

    Parameters
    ----------
    continuum
        The mentions.
    mentions
        "exact" or "aligned".
    basis
        Units with their alignment, required for "aligned".
    """
    one_of("mentions", mentions, MENTIONS)
    if mentions == "aligned" and basis is not None:
        return groups_of(continuum, basis.align([continuum])[0].groups)
    place = {
        u: k for k, u in enumerate(dict.fromkeys((u.start, u.end, u.fragments) for u in continuum))
    }
    return np.array([place[u.start, u.end, u.fragments] for u in continuum], np.int64)


def count_chains(
    name: str, continuum: Continuum, *, mentions: str = "exact", **options: Any
) -> Counts:
    """Count the overlaps of chains of each pair of annotators, if one of them has mentions.

    The value of a document is the mean over the pairs who both have mentions (`both_mention`).

    Parameters
    ----------
    name
        The measure.
    continuum
        Continuum with chains.
    mentions, options
        As for the measure.
    """
    settings, how = Settings.and_computing(options)
    basis = Basis(continuum, settings, **how)
    pairs = _chain_overlaps(continuum, mention_places(continuum, mentions, basis))
    counts = counts_of_retrieved(name, {pair: retrieved(name, x) for pair, x in pairs.items()})
    both = np.array([float(_both_mention(x)) for x in pairs.values()])
    return replace(counts, numbers={**counts.numbers, "both_mention": both})


def _register(name: str, summary: str, reference: str) -> None:
    counting = Counting(
        count=partial(count_chains, name),
        rates=_rates_by(name),
        nothing="no two annotators have mentions",
    )

    @registered(
        name,
        f"{summary}: F₁ of pairs",
        reference,
        range="[0, 1]",
        chance_corrected=False,
        applies_to="links",
        fragments="whole",
        counting=counting,
    )
    @spelled_out_with_computing
    def measure(
        continuum: Continuum, *, mentions: str = "exact", **options: Unpack[FamilyOptions]
    ) -> Score:
        """F₁ of the chains of two annotators, the mean over all pairs of them.

        Parameters
        ----------
        continuum
            At least two annotators, and a chain of two units.
        mentions
            "exact": mentions are the same that have the same place; "aligned": those that γ aligns.
        options
            Options of `FamilyOptions`, by which units are aligned.
        """
        settings, how = Settings.and_computing(options)
        require(continuum, fragments=True)
        links_to_join(continuum, chains=True)
        basis = Basis(continuum, settings, **how)
        if mentions == "aligned":
            method = settings.method
        else:
            method = ""
        about = {"selection": continuum.selection, "mentions": mentions}
        counts = counting.count(continuum, mentions=mentions, **options)
        signature = basis.signature(name, method=method, **about)
        both = counts.numbers["both_mention"] > 0
        if not both.any():
            return replace(
                undefined("no two annotators have mentions", signature=signature), counts=counts
            )
        value = float(np.mean(counting.rates_of(counts).value[both]))
        return Score(value=value, observed=value, signature=signature, counts=counts)


for _name, (_, _summary, _paper) in _SCORERS.items():
    _register(_name, _summary, _paper)
_register("conll-average", "mean F₁ of MUC, B³ and CEAF_e (CoNLL-2012)", "Pradhan et al. 2012")
