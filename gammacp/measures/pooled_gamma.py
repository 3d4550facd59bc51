"""γ of a whole corpus from its documents: the pooled value, its interval, and its p.

The value is 1 − Σ w·δ / Σ w·δ_e over the documents, where w is x̄ times the document's weight
(`gammacp.measures.gamma_corpus`). Where chance is drawn over documents, γ is also split into
agreement within and between them (`gammacp.measures.within`).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from gammacp.alignment import Status
from gammacp.base.arrays import Floats
from gammacp.chance.beyond import ratio_interval
from gammacp.chance.cut import circle_of
from gammacp.chance.direction import Direction, direction, documents_looked_at
from gammacp.chance.grid import known_grids
from gammacp.continuum.sequence import ContinuumSequence
from gammacp.measures.gamma import FEWEST_UNITS_OF_GAPS, disorder_rates
from gammacp.measures.gamma_corpus import CorpusGamma, DisorderColumns, ScoreTable
from gammacp.measures.gamma_notes import notes_on
from gammacp.measures.random_sets import Basis
from gammacp.measures.score import ChanceBaseline
from gammacp.measures.settings import Settings
from gammacp.measures.within import (
    factors,
    gaps_within,
    p_over_documents,
    p_within_documents,
    sets_of_each,
)

_DRAWN_ALIKE = (
    "weights count where the documents' disorders are added up; chance draws all documents "
    "equally often"
)

_ON_COARSE_PLACES = (
    "units are whole sentences, lines or places of a grid: boundaries that annotators share for "
    "this reason count as agreement here (+.17 for annotators who choose sentences at random); "
    "`chance=cut`, and γ within documents, count them as chance"
)
_COARSE = {"paragraphs", "lines", "sentences", "places"}


def pool_scores(scores: ScoreTable, basis: Basis) -> CorpusGamma:
    """Return γ of a corpus from the scores of its continua.

    Parameters
    ----------
    scores
        Scores of the continua, by name.
    basis
        Alignments and random sets that the scores rest on.
    """
    parts = scores.parts
    computed = scores.with_chance
    continua = basis.continua.at(computed.document_numbers)
    chances = parts.chances
    if basis.is_selection:
        trend = None
    else:
        trend = _direction(continua, basis.settings.seed)
    values = parts.values
    is_defined = ~np.isnan(values)
    if scores.complete:
        status = Status.OPTIMAL
    else:
        status = Status.FEASIBLE
    score = CorpusGamma(
        value=math.nan,
        mean=_mean(values[is_defined], parts.stands_for[is_defined]),
        scores=scores,
        continua=int(is_defined.sum()),
        annotators=len(parts.continua.people[0]),
        units=int(parts.continua.n_units.sum()),
        baseline=ChanceBaseline(samples=sum(c.expected.samples for c in chances)),
        status=status if len(computed) else None,
        notes=tuple(dict.fromkeys(n for c in chances for n in notes_on(c.expected, basis.settings)))
        + (trend.notes if trend else ())
        + (_pooling(continua, scores.stands_for) if basis.model.built_from_all else ()),
        direction=trend,
    )
    if not len(parts):
        return replace(score, reason="no continuum has a γ")
    if basis.settings.cover:
        soft = "soft-"
    else:
        soft = ""
    line = basis.signature(
        f"{soft}gamma-corpus", *chances, selection=continua.selection, continua=len(parts)
    )
    score = _with_value(replace(score, signature=line), parts, basis)
    if basis.is_selection:
        return score
    if any(c.markable for c in continua.structured):
        # Imported here: most documents have no pauses.
        from gammacp.continuum.markable import small_value_in_words

        caution = small_value_in_words(score.value, score.p)
        score = replace(score, notes=(*score.notes, *caution))
    return _with_gaps(score, parts, basis)


def _with_gaps(score: CorpusGamma, parts: DisorderColumns, basis: Basis) -> CorpusGamma:
    """Add what γ within documents would be if nothing could be marked in the common gaps.

    A common gap is a long stretch that nobody marks.
    """
    within = score.within if basis.model.weighs_by_units else score
    by_cut = basis.model.name in ("documents", "cut") and not (parts.stands_for != 1.0).any()
    if within is None or math.isnan(within.value) or not by_cut:
        return score
    if not (parts.continua.n_units >= FEWEST_UNITS_OF_GAPS).any():
        return score
    names = (parts.names[number] for number in parts.document_numbers.tolist())
    named = dict(zip(names, parts.continua, strict=True))
    gaps = gaps_within(basis, named, parts.observed, (within.value, within.p))
    if gaps is None:
        return score
    return replace(score, gaps=gaps, notes=(*score.notes, *gaps.notes))


def _direction(continua: ContinuumSequence, seed: int) -> Direction | None:
    """Return the direction of documents, and the annotators who differ from the others in it."""
    trend = direction(continua, seed)
    if trend is None or trend.by != "documents":
        return trend
    # Imported only here, because few documents say nothing about single annotators.
    from gammacp.inference.contrasts import contrasts

    return replace(trend, annotators=contrasts(documents_looked_at(continua)))


def _pooling(continua: ContinuumSequence, stands_for: Floats) -> tuple[str, ...]:
    """Return notes on chance over documents: on ignored weights, and on whole sentences."""
    notes = (_DRAWN_ALIKE,) if (stands_for != 1.0).any() else ()
    coarse = any(
        (grid := circle_of(c).grid) is not None and grid.name in _COARSE
        for c in continua.structured
        if c.n_units and any(one.name in _COARSE for one in known_grids(c))
    )
    return notes + ((_ON_COARSE_PLACES,) if coarse else ())


def _mean(values: Floats, stands_for: Floats) -> float:
    """Return the weighted mean of values of γ; NaN if there are none."""
    if len(values):
        return float(np.average(values, weights=stands_for))
    return math.nan


def _with_value(score: CorpusGamma, parts: DisorderColumns, basis: Basis) -> CorpusGamma:
    """Complete the score of a corpus with the value of the weighted sums over its parts."""
    from gammacp.measures.pooling import exact_sum, pooled_rates

    low, mean, high, error = _expected(parts, basis.settings)
    pool = parts.pool(mean)
    pooled = pooled_rates(pool, disorder_rates, "all")
    sums = pool.total
    total, observed = (float(sums[name][0]) for name in ("units", "observed"))
    lowest = exact_sum(parts.weight * parts.bound)
    within, between = None, None
    if not basis.is_selection:
        within, between = factors(
            basis,
            parts.continua,
            observed / total,
            lowest / total,
            (low / total, mean / total, high / total),
            parts.observed,
            weighted=bool((parts.stands_for != 1.0).any()),
        )
    value = float(pooled.rates.value)
    reason = None
    interval = None
    baseline = score.baseline
    if math.isnan(value):
        reason = "the expected disorder is 0"
    else:
        p, least = _p_value(parts, basis)
        baseline = replace(baseline, p=p, least_p=least)
        interval = ratio_interval(lowest, observed, low, high)
    return replace(
        score,
        value=value,
        baseline=baseline,
        chance_error=error,
        interval=interval,
        observed=observed / total,
        expected=mean / total,
        bound=lowest / total,
        within=within,
        between=between,
        reason=reason,
        pooled=pooled,
    )


def _p_value(parts: DisorderColumns, basis: Basis) -> tuple[float | None, float | None]:
    """Return p of the hypothesis of no agreement above 0, and the least value it can take.

    `gammacp.measures.within` describes the tests.
    """
    continua = parts.continua
    seed = basis.settings.seed
    if basis.model.weighs_by_units:
        from gammacp.measures.pooling import exact_sum

        shares = [exact_sum(parts.weight[parts.which == k]) for k, _ in enumerate(parts.chances)]
        weighted = parts.weight * parts.observed
        return p_over_documents(
            parts.chances, shares, weighted, parts.weight * parts.expected
        ), None
    if basis.model.built_from_all:
        return None, None
    sets: dict[int, Floats] = {}
    for k, chance in enumerate(parts.chances):
        mine = np.flatnonzero(parts.which == k)
        if not basis.documents_share_chance:
            # Each document has random sets of its own, weighted by its x̄. The test is exact, and
            # treats documents alike even if some stand for more of the population than others.
            sets |= {int(i): parts.mean_units[i] * chance.expected.disorders for i in mine}
            continue
        document_sets = sets_of_each(chance.expected, continua.at(mine))
        if document_sets is None:
            return None, None
        sets |= zip(mine.tolist(), document_sets, strict=True)
    every = [sets[i] for i in range(len(parts))]
    return p_within_documents(continua, parts.observed, every, seed)


def _expected(parts: DisorderColumns, settings: Settings) -> tuple[float, float, float, float]:
    """Return the Monte-Carlo interval of Σ w·δ_e as (low, sum, high), and its relative error.

    The random sets of different expected disorders are independent, so their variances add up.
    """
    shares = np.bincount(parts.which, parts.weight, len(parts.chances)).tolist()
    terms = [(w, chance.expected) for w, chance in zip(shares, parts.chances, strict=True)]
    mean = math.fsum(w * e.mean for w, e in terms)
    proven = math.fsum(w * e.proven_mean for w, e in terms)
    variance = math.fsum((w * e.standard_error) ** 2 for w, e in terms)
    error = math.sqrt(variance)
    half = settings.rule.quantile * error
    return max(0.0, proven - half), mean, mean + half, error / mean if mean > 0 else 0.0
