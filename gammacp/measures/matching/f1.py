"""F₁ between annotators: how many units find their like in the other's.

For orientation: nothing here is corrected for chance. The three kinds of match are those of
SemEval-2013 Task 9.1 (Segura-Bedmar, Martínez & Herrero-Zazo 2013): the same boundaries whatever
the category, some overlap whatever the category, some overlap and the same category; `f1-strict`
wants both the same boundaries and the same category.

Matches are one to one, as many as possible, so that a long unit that overlaps three finds only
one of them. F₁ = 2·matches / (x_i + x_j) does not depend on which of the two is the reference. A
boundary that is a little off costs `f1-exact` the whole unit and the other two nothing: none of
them says how far off it is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from gammacp.base.arrays import Bools, Floats, Indices
from gammacp.base.signature import signature
from gammacp.continuum import Continuum
from gammacp.continuum.needs import Need, require
from gammacp.measures.counting import Counting, Counts, Numbers, Rates, pairs_of, share
from gammacp.measures.matching.overlapping import Overlaps, overlaps
from gammacp.measures.registry import registered
from gammacp.measures.score import Score


@dataclass(frozen=True, kw_only=True)
class MatchScore(Score):
    """F₁, the mean over pairs of annotators.

    `matches` has the number of matched units of two annotators, shape (m, m), symmetric; on the
    diagonal each annotator's number of units.
    """

    matches: Indices


Alike: TypeAlias = Callable[[Continuum, Overlaps], Bools]


def count_matches(continuum: Continuum, *, alike: Alike) -> Counts:
    """Count matched units of each pair of annotators, and the units of both.

    Parameters
    ----------
    continuum
        The units.
    alike
        Function that tells which overlapping units may be matched.
    """
    matched = []
    for met in overlaps(continuum):
        edges = alike(continuum, met)
        matched.append(float(_largest_matching(met.left[edges], met.right[edges])))
    return counts_of_pairs(continuum, matched=np.array(matched))


def counts_of_pairs(continuum: Continuum, **numbers: Floats) -> Counts:
    """Return numbers of pairs of annotators, with the units of both.

    Parameters
    ----------
    continuum
        The units.
    numbers
        Numbers by name, in the order of `itertools.combinations` of the annotators.
    """
    i, j = np.triu_indices(continuum.n_annotators, 1)
    units = continuum.counts.astype(np.float64)
    sides = {"first_units": units[i], "second_units": units[j]}
    return Counts(pairs_of(continuum.annotators), {**numbers, **sides})


def match_rates(numbers: Numbers) -> Rates:
    """Return F₁ = 2·matched / (units of both), recall and precision.

    Parameters
    ----------
    numbers
        `matched`, `first_units` (the reference) and `second_units`.
    """
    first = numbers["first_units"]
    second = numbers["second_units"]
    value = share(2 * numbers["matched"], first + second)
    return Rates(
        value=value,
        disagreement=1 - value,
        size=(first + second) / 2,
        recall=share(numbers["matched"], first),
        precision=share(numbers["matched"], second),
    )


def pairs_without_units(continuum: Continuum, values: Floats) -> str | None:
    """Return why the first pair without a value has none; None if all have one.

    Parameters
    ----------
    continuum
        Continuum whose annotators were compared.
    values
        Values of the pairs, in order.
    """
    for k in np.flatnonzero(np.isnan(values))[:1]:
        first, second = pairs_of(continuum.annotators)[int(k)]
        return f"neither {first} nor {second} has a unit"
    return None


def _register(
    name: str, summary: str, alike: Alike, **facts: Any
) -> Callable[[Continuum], MatchScore]:
    """Return a measure of units that overlap and are `alike`."""
    counting = Counting(
        count=partial(count_matches, alike=alike),
        rates=match_rates,
        nothing="nobody has a unit",
    )

    @registered(
        name,
        summary,
        "van Rijsbergen 1979; matches as in SemEval-2013 Task 9.1",
        range="[0, 1]",
        chance_corrected=False,
        counting=counting,
        **facts,
    )
    def f1(continuum: Continuum) -> MatchScore:
        """F₁ of matched units, the mean over pairs of annotators.

        Parameters
        ----------
        continuum
            At least two annotators and one unit; for `f1-category` and `f1-strict` every unit has a
            category.

        Worked value: A [0,10) [15,25), B [0,10) [16,25): 1 match of 2 and 2 units, `f1-exact` 0.5;
        2 matches, `f1-overlap` 1.
        """
        require(continuum, facts.get("needs", ()), fragments="fragments" in facts)
        counts = counting.count(continuum)
        values = counting.rates_of(counts).value
        i, j = np.triu_indices(continuum.n_annotators, 1)
        matches = np.diag(continuum.counts)
        matches[i, j] = matches[j, i] = counts.numbers["matched"]
        value = float(np.mean(values))
        reason = pairs_without_units(continuum, values)
        return MatchScore(
            value=value,
            observed=None if reason else value,
            reason=reason,
            signature=signature(name, selection=continuum.selection),
            counts=counts,
            matches=matches,
        )

    return f1


def _in_the_same_place(c: Continuum, met: Overlaps) -> Bools:
    """Return whether starts, ends and fragments are the same."""
    u = met.left
    v = met.right
    same: Bools = (c.starts[u] == c.starts[v]) & (c.ends[u] == c.ends[v])
    return same if c.inside is None else same & (c.inside[u] == c.inside[v]).astype(np.bool_)


def _of_the_same_category(c: Continuum, met: Overlaps) -> Bools:
    same: Bools = c.category_codes[met.left] == c.category_codes[met.right]
    return same


f1_exact = _register(
    "f1-exact", "F₁ of units with the same boundaries", _in_the_same_place, fragments="whole"
)
f1_overlap = _register(
    "f1-overlap", "F₁ of units that overlap", lambda _, met: np.ones(len(met.left), np.bool_)
)
f1_strict = _register(
    "f1-strict",
    "F₁ of units with the same boundaries and the same category (CoNLL, seqeval)",
    lambda c, met: _in_the_same_place(c, met) & _of_the_same_category(c, met),
    needs={Need.CATEGORIES},
    fragments="whole",
)
f1_category = _register(
    "f1-category",
    "F₁ of units that overlap and have the same category",
    lambda c, met: _of_the_same_category(c, met),
    needs={Need.CATEGORIES},
)


def _largest_matching(left: Indices, right: Indices) -> int:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    if not len(left):
        return 0
    rows, row = np.unique(left, return_inverse=True)
    columns, column = np.unique(right, return_inverse=True)
    graph = csr_array((np.ones(len(row)), (row, column)), shape=(len(rows), len(columns)))
    return int(np.count_nonzero(maximum_bipartite_matching(graph) >= 0))
