"""γ of a corpus in two factors: agreement within documents, and agreement about documents.

Annotators may agree that one document has many units and another has none, or on its most frequent
label, without agreeing on any single unit. Chance over documents (`documents`) counts this as
agreement. Chance within each document (`cut`) takes it for granted. Let D_o be the observed
disorder, E_within its expectation under the latter and E that under the former. Then

    γ_within = 1 − D_o / E_within,  γ_between = 1 − E_within / E,  γ = 1 − D_o / E

so that 1 − γ = (1 − γ_within)(1 − γ_between), exactly. Each p is one-sided and tests the hypothesis
that there is no agreement above 0:

- for γ_within, and for γ of any corpus with chance inside each document, the annotation of a
  document is exchanged with its random sets, in each document by itself (`exchanged`). This test is
  exact;
- for γ_between, and for γ under `documents`, a random set is not a random corpus. So documents and
  random sets are treated as two independent samples (`difference`), if there are at least five
  documents.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.chance.beyond import BeyondChance, ratio, ratio_interval, ratio_with_interval
from gammacp.chance.expected import ExpectedDisorder
from gammacp.chance.sampling import MOST_STRATA
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.sequence import ContinuumSequence
from gammacp.inference.part_tests import (
    FEWEST_PARTS,
    Parts,
    difference,
    exchanged,
    independent_parts,
)
from gammacp.measures.gamma import FEWEST_UNITS_OF_GAPS
from gammacp.measures.gamma_notes import FEWEST_UNITS
from gammacp.measures.random_sets import Basis, Chance, by_size

_INTERRUPTED = "interrupted before random sets were drawn"
WITHIN = "cut"
TOO_SHORT = "documents are too short"
WEIGHTED = "documents are weighted, and chance inside them ignores weights"
if TYPE_CHECKING:
    from gammacp.chance.common_gaps import CommonGaps

# Largest number of documents in which common gaps are looked for.
_MOST_WITH_GAPS = 500
_LEVEL = 0.05
_LEAST_SHOWN = 1e-4


def factors(
    basis: Basis,
    continua: ContinuumSequence,
    observed: float,
    lowest: float,
    interval: tuple[float, float, float],
    disorders: Floats,
    *,
    weighted: bool = False,
) -> tuple[BeyondChance, BeyondChance]:
    """Return γ_within and γ_between of a corpus; undefined with a reason if they are not known.

    Parameters
    ----------
    continua
        Continua that have a γ.
    observed, lowest
        D_o, the mean disorder of the continua weighted by x̄, and its proven bound.
    interval
        Lower end of the interval of E, E itself, and the upper end, under the corpus' own chance
        model.
    disorders
        δ of each continuum.
    weighted
        Whether documents have unequal weights (`Continuum.weight`).
    """
    reason = _reason(basis, continua) or (WEIGHTED if weighted else None)
    if reason is not None:
        missing = BeyondChance(value=math.nan, chance=WITHIN, reason=reason)
        return missing, missing
    low, mean, high = interval
    within = basis.chance_within(continua)
    expected = within.expected
    if not expected.samples:
        missing = BeyondChance(value=math.nan, chance=WITHIN, reason=_INTERRUPTED)
        return missing, missing
    document_sets = sets_of_each(expected, continua)
    p_within, least = p_within_documents(continua, disorders, document_sets, basis.settings.seed)
    selection = continua.selection
    line = basis.signature("gamma-within", within, selection=selection, continua=len(continua))

    # Interval of E_within / E: the relative errors of the two are independent of each other.
    expected_ratio = 0.0
    error = 0.0
    if expected.mean and mean:
        expected_ratio = expected.mean / mean
        error = math.hypot(expected.half_width / expected.mean, (high - low) / 2 / mean)
    about = 1 - expected_ratio * math.exp(error), 1 - expected_ratio * math.exp(-error)
    both = ratio_interval(lowest, observed, *expected.interval)
    nothing = "the expected disorder is 0"
    drawn = {"samples": expected.samples, "signature": line}
    inside = ratio_with_interval(observed, expected.mean, both, nothing) | drawn
    outside = ratio_with_interval(expected.mean, mean, about, nothing) | drawn
    p = _p_between(basis, continua, document_sets)
    return (
        BeyondChance(**inside, chance=WITHIN, p=p_within, least_p=least),
        BeyondChance(**outside, chance=basis.model.name, p=p),
    )


def sets_of_each(expected: ExpectedDisorder, continua: ContinuumSequence) -> list[Floats] | None:
    """Return the disorders x̄·δ of the random sets of each document; empty for one without units.

    Return None if some document has no random sets of its own.

    Parameters
    ----------
    expected
        Expected disorder from random sets that were drawn within each continuum in turn.
    continua
        The same continua, in the same order.
    """
    marked = by_size(continua).tolist()
    if len(marked) > MOST_STRATA:
        return None
    strata = np.zeros(expected.samples) if expected.strata is None else expected.strata
    if len(np.unique(strata)) != len(marked):
        return None  # An interruption left some documents without sets.
    values = expected.disorders * _weights(expected)
    document_sets = [np.zeros(0)] * len(continua)
    for k, i in enumerate(marked):
        document_sets[i] = values[strata == k]
    return document_sets


def p_within_documents(
    continua: ContinuumSequence, disorders: Floats, sets: Sequence[Floats] | None, seed: int
) -> tuple[float | None, float | None]:
    """Return p of no agreement within documents, and the least p that these sets can give.

    Parameters
    ----------
    continua, disorders
        The documents and δ of each.
    sets
        x̄·δ of the random sets of each.
    seed
        Seed of the recombinations.
    """
    if sets is None:
        return None, None
    weighted_disorders = continua.mean_units * disorders
    documents = [i for i, s in enumerate(sets) if len(s)]
    if not documents:
        return None, None
    return exchanged(
        np.array([weighted_disorders[i] for i in documents]), [sets[i] for i in documents], seed
    )


def gaps_within(
    basis: Basis,
    named: Mapping[str, Continuum],
    disorders: Floats,
    before: tuple[float, float | None],
) -> CommonGaps | None:
    """Return what γ within documents would be if nothing could be marked in common gaps.

    Parameters
    ----------
    basis
        Alignments and random sets of the corpus.
    named
        Documents that have a γ.
    disorders
        δ of each.
    before
        γ within documents, and its p.

    Returns
    -------
    CommonGaps or None
        None if there is no common gap, or if more than 500 documents would have to be searched.
    """
    names = [*named]
    continua = [*named.values()]
    many = [k for k, c in enumerate(continua) if c.n_units >= FEWEST_UNITS_OF_GAPS]
    if len(many) > _MOST_WITH_GAPS:
        return None
    # Imported only here, because it is seldom needed.
    from gammacp.chance.common_gaps import CommonGaps, common_gaps, without_gaps

    gaps_by_document: dict[str, tuple[tuple[float, float], ...]] = {}
    for k in many:
        if gaps := common_gaps(continua[k]):
            gaps_by_document[names[k]] = gaps
            continua[k] = without_gaps(continua[k], gaps)
    if not gaps_by_document:
        return None
    marked = ContinuumSequence.of(continua)
    corpus = Corpus(dict(zip(names, continua, strict=True)), continua[0].categories)
    expected = basis.like(corpus, chance="cut").chance_within(marked).expected
    weights = marked.mean_units
    observed = float((weights * disorders).sum() / weights.sum())
    value, reason = ratio(observed, expected.mean, "")
    if reason is not None or not expected.enough:
        return None
    seed = basis.settings.seed
    p, _ = p_within_documents(marked, disorders, sets_of_each(expected, marked), seed)
    return CommonGaps(gaps_by_document, value, p, *before, len(names))


def p_in_words(p: float | None, least: float | None = None) -> str:
    """Return p in words, such as `p = 0.03`, with a remark if needed; empty without p.

    Parameters
    ----------
    p, least
        The one-sided p, and the least p that the random sets can give.

    >>> p_in_words(1 / 31, 1 / 31), p_in_words(0.2)
    ('p = 0.032, the least that these random sets can give', 'p = 0.2, not shown to be above 0')
    """
    if p is None:
        return ""
    if p >= _LEAST_SHOWN:
        text = f"p = {p:.2g}"
    else:
        text = f"p < {_LEAST_SHOWN:g}"
    if least is not None and p <= least * (1 + 1e-9):
        return f"{text}, the least that these random sets can give"
    if p <= _LEVEL:
        return text
    return f"{text}, not shown to be above 0"


def p_over_documents(
    chances: Sequence[Chance], shares: Sequence[float], observed: Floats, expected: Floats
) -> float | None:
    """Return p of the hypothesis that documents have no less disorder than random sets.

    Return None for fewer than five documents.

    Parameters
    ----------
    chances, shares
        The expected disorders over documents, and for each of them Σ x̄ of the documents that are
        compared with it.
    observed, expected
        x̄·δ and x̄·δ_e of each document.
    """
    if np.count_nonzero(expected > 0) < FEWEST_PARTS:
        return None
    # Treat the random sets as one sample. Its statistic is Σ share · (mean of the sets) over all
    # chances, divided by `total`, and so equals 1.
    moved = []
    squares = 0.0
    total = sum(s * c.expected.mean for s, c in zip(shares, chances, strict=True))
    for share, chance in zip(shares, chances, strict=True):
        weights = _weights(chance.expected)
        side = independent_parts(chance.expected.disorders * weights, weights)
        moved.append(share / total * side.influences)
        squares += float((moved[-1] ** 2).sum()) ** 2 / float(side.df)
    influences = np.concatenate(moved)
    if squares:
        df = float((influences**2).sum()) ** 2 / squares
    else:
        df = math.inf
    sets = Parts(np.ones(()), influences, np.array(df), np.zeros(()))
    test = difference(independent_parts(observed, expected), sets)
    if test.error > 0:
        return float(test.p_of_more)
    return None


def _p_between(
    basis: Basis, continua: ContinuumSequence, document_sets: Sequence[Floats] | None
) -> float | None:
    """Return p of no agreement about documents.

    The mean disorder of the random sets of each document is compared with the expectation over
    documents.
    """
    if document_sets is None:
        return None
    some = [(c, s) for c, s in zip(continua, document_sets, strict=True) if len(s)]
    chances = [basis.chance(c) for c, _ in some]
    each = list(dict.fromkeys(chances))
    weights = np.array([c.mean_units for c, _ in some])
    shares = [float(weights[[k is one for k in chances]].sum()) for one in each]
    over = weights * [k.expected.mean for k in chances]
    return p_over_documents(each, shares, np.array([s.mean() for _, s in some]), over)


def _weights(expected: ExpectedDisorder) -> Floats:
    weights = expected.weights
    if weights is None:
        return np.ones(expected.samples)
    return weights


def _reason(basis: Basis, continua: ContinuumSequence) -> str | None:
    if any(c.in_space for c in continua.structured):
        return "chance cannot be modelled inside an image or a scan, so γ has no two factors"
    if not basis.model.weighs_by_units:
        return f"chance model {basis.model.name!r} is not across documents, so γ has no two factors"
    units = math.fsum(continua.mean_units.tolist()) / len(continua)
    if units < FEWEST_UNITS:
        return (
            f"{TOO_SHORT} to model chance inside each one ({units:.2g} units per annotator and "
            f"document; {FEWEST_UNITS:g} are needed)"
        )
    return None
