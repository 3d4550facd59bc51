"""γ of a corpus (Mathet, Widlöcher & Métivier 2015, eq. 8 with c the whole corpus).

Each continuum s has its own γ(s) = 1 − δ(s)/δ_e(c), with the expected disorder of the whole
corpus for its number of annotators. One value for the corpus is a choice: 1 − Σ x̄_s δ(s) /
Σ x̄_s δ_e(s), beside the plain mean of the γ(s).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from gammacp.alignment import Status
from gammacp.arguments import instance
from gammacp.arrays import Floats
from gammacp.chance.beyond import BeyondChance, ratio, ratio_interval
from gammacp.chance.cut import circle_of
from gammacp.chance.direction import direction
from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError
from gammacp.measures.gamma import Gamma, GammaScore, gamma_score, notes_on
from gammacp.measures.marked import Marked, alpha_of_marking
from gammacp.measures.random_sets import Basis, Chance
from gammacp.measures.settings import FamilyOptions, Settings, spelled_out_with_computing
from gammacp.measures.within import (
    TOO_SHORT,
    factors,
    p_in_words,
    p_over_documents,
    p_within_documents,
    sets_of_each,
)
from gammacp.needs import require

_NOT_REACHED = "interrupted before it was aligned"


@dataclass(frozen=True, kw_only=True)
class CorpusGamma(Gamma):
    """γ of a corpus.

    Attributes
    ----------
    value, mean
        Weighted by units (see the module), and the plain mean of the continua's γ.
    observed, expected, bound
        Means of the continua's, weighted by x̄.
    scores
        Per continuum; an undefined `Gamma` where γ could not be computed.
    continua
        How many of them have a γ.
    annotators, units, samples
        Different annotators and units of those, and random sets (of all that were drawn).
    within, between
        Its two factors (`gammacp.measures.within`); None if there is no γ, and of a selection of
        annotators.
    marked
        How far annotators agree which continua hold anything; None of a selection of annotators.
    """

    mean: float
    scores: Mapping[str, Gamma]
    continua: int
    within: BeyondChance | None = None
    between: BeyondChance | None = None
    marked: Marked | None = None

    def as_dict(self) -> dict[str, Any]:
        """The keys of every γ, and `continua`, `mean`, `within`, `between` and `marked`."""
        return {
            **super().as_dict(),
            "continua": self.continua,
            "mean": self.mean,
            "within": None if self.within is None else self.within.as_dict(),
            "between": None if self.between is None else self.between.as_dict(),
            "marked": None if self.marked is None else self.marked.as_dict(),
        }

    def in_words(self) -> list[str]:
        """What a corpus has beside γ, a sentence each."""
        said = [self.marked.in_words()] if self.marked else []
        if self.p is not None:
            said.append(f"Agreement above 0: {p_in_words(self.p, self.least_p)} (one-sided).")
        within, between = self.within, self.between
        if within and between and within.interval and between.interval:
            said.append(
                f"Within documents γ is {_with_interval(within)}: agreement on units, given the "
                f"document. About documents it is {_with_interval(between)}: on how much there is "
                "in each and of what. 1 − γ = (1 − within)(1 − about)."
            )
        elif within and within.reason and within.reason.startswith(TOO_SHORT):
            said.append(f"γ has no parts within and about documents: {within.reason}.")
        return [sentence for sentence in said if sentence]


def _with_interval(part: BeyondChance) -> str:
    low, high = part.interval or (math.nan, math.nan)
    p = p_in_words(part.p, part.least_p)
    return f"{part.value:.4f} ({low:.4f} to {high:.4f}{f'; {p}' * bool(p)})"


@spelled_out_with_computing
def gamma_corpus(corpus: Corpus, **options: Unpack[FamilyOptions]) -> CorpusGamma:
    """γ of every continuum of a corpus, and of the corpus.

    Parameters
    ----------
    corpus
        Continua without a γ (one annotator, no unit) are undefined scores in it.
    options
        Those of `FamilyOptions`, as for `gamma`. The default chance model is `documents`
        (after §5.2.2) where there are at least as many continua as annotators, and otherwise `cut`
        of each continuum by itself (the signature says which).

    Raises
    ------
    DataError
        Labels the dissimilarity cannot compare.
    UsageError
        An option is unknown or cannot be meant.
    """
    instance("corpus", corpus, Corpus, "a Corpus (of one continuum: gamma)")
    settings, how = Settings.and_computing(options)
    return gamma_on(corpus, Basis(corpus, settings, **how))


def gamma_on(corpus: Corpus, basis: Basis) -> CorpusGamma:
    """γ of a corpus on its basis."""
    reasons = {name: _reason(continuum) for name, continuum in corpus.items()}
    sound = [name for name, reason in reasons.items() if reason is None]
    # All alignments first: an interruption then leaves each continuum with its γ.
    aligned = set(sound[: len(basis.align([corpus[name] for name in sound]))])
    scores: dict[str, Gamma] = {}
    for name, reason in reasons.items():
        try:
            if reason is None and name not in aligned:
                reason = _NOT_REACHED
            scores[name] = (
                gamma_score(corpus[name], basis, continua=len(corpus))
                if reason is None
                else Gamma(value=math.nan, reason=reason)
            )
        except DataError as error:
            scores[name] = Gamma(value=math.nan, reason=str(error))
    found = None if basis.selection else alpha_of_marking(corpus)
    return replace(_pool(scores, basis), marked=found)


def _reason(continuum: Continuum) -> str | None:
    """Why a continuum has no γ."""
    try:
        require(continuum, fragments=True)
    except DataError as error:
        return str(error)
    return None


@dataclass(frozen=True)
class _Part:
    """A continuum with a γ: its weight x̄, its score and its chance."""

    weight: float
    score: GammaScore
    chance: Chance


def _pool(scores: Mapping[str, Gamma], basis: Basis) -> CorpusGamma:
    computed = [s for s in scores.values() if isinstance(s, GammaScore)]
    continua = [s.alignment.continuum for s in computed]
    parts = [
        _Part(c.mean_units, s, basis.chance(c))
        for s, c in zip(computed, continua, strict=True)
        if s.expected is not None
    ]
    chances = list(dict.fromkeys(p.chance for p in parts))
    defined = [s.value for s in scores.values() if s.defined]
    complete = bool(computed) and all(s.status is Status.OPTIMAL for s in computed)
    complete = complete and all(s.reason != _NOT_REACHED for s in scores.values())
    samples = sum(c.expected.samples for c in chances)
    towards = None if basis.selection else direction(continua, basis.settings.seed)
    whole = CorpusGamma(
        value=math.nan,
        mean=float(np.mean(defined)) if defined else math.nan,
        scores=scores,
        continua=len(defined),
        annotators=len({name for p in parts for name in p.score.alignment.continuum.annotators}),
        units=sum(p.score.units or 0 for p in parts),
        samples=samples,
        status=(Status.OPTIMAL if complete else Status.FEASIBLE) if computed else None,
        notes=tuple(dict.fromkeys(n for c in chances for n in notes_on(c.expected, basis.settings)))
        + (towards.notes if towards else ())
        + _on_coarse_places(continua, basis),
        direction=towards,
    )
    if not parts:
        return replace(whole, reason="no continuum has a γ")
    selection = dict.fromkeys(entry for c in continua for entry in c.selection)
    made = basis.signature(
        "gamma-corpus",
        *chances,
        method=parts[0].score.alignment.method,
        samples=samples,
        selection=tuple(selection),
        continua=len(parts),
    )
    return _weigh(replace(whole, signature=made), parts, basis)


def _on_coarse_places(continua: Sequence[Continuum], basis: Basis) -> tuple[str, ...]:
    """A note on whole sentences and the like, whose ends units of other documents do not meet."""
    on = {grid.name for c in continua if c.n_units and (grid := circle_of(c).grid) is not None}
    if not basis.model.pools or not on & {"paragraphs", "lines", "sentences", "places"}:
        return ()
    return (
        "units are whole sentences, lines or places of a grid: that annotators meet at their "
        "boundaries counts as agreement here (+.17 for annotators who choose sentences at random); "
        "--chance cut, and γ within documents, take it for chance",
    )


def _weigh(whole: CorpusGamma, parts: Sequence[_Part], basis: Basis) -> CorpusGamma:
    """With its value, Σ over the parts weighted by x̄ of both disorders."""
    total = math.fsum(p.weight for p in parts)
    observed = math.fsum(p.weight * (p.score.observed or 0.0) for p in parts)
    lowest = math.fsum(p.weight * (p.score.bound or 0.0) for p in parts)
    low, mean, high, error = _expected(parts, basis.settings)
    within, between = (
        (None, None)
        if basis.selection
        else factors(
            basis,
            [p.score.alignment.continuum for p in parts],
            observed / total,
            lowest / total,
            (low / total, mean / total, high / total),
            np.array([p.score.observed for p in parts]),
        )
    )
    value, nothing = ratio(observed, mean, "the expected disorder is 0")
    p, least = _p_value(parts, basis)
    return replace(
        whole,
        value=value,
        p=None if nothing else p,
        least_p=None if nothing else least,
        chance_error=error,
        interval=None if nothing else ratio_interval(lowest, observed, low, high),
        observed=observed / total,
        expected=mean / total,
        bound=lowest / total,
        within=within,
        between=between,
        reason=nothing,
    )


def _p_value(parts: Sequence[_Part], basis: Basis) -> tuple[float | None, float | None]:
    """p of no agreement above 0, and the least that it can be (`gammacp.measures.within`)."""
    continua = [p.score.alignment.continuum for p in parts]
    disorders = np.array([p.score.observed for p in parts])
    chances = list(dict.fromkeys(p.chance for p in parts))
    if basis.model.ratio:
        weights = np.array([p.weight for p in parts])
        expected = weights * [p.chance.expected.mean for p in parts]
        shares = [math.fsum(p.weight for p in parts if p.chance is c) for c in chances]
        return p_over_documents(chances, shares, weights * disorders, expected), None
    if basis.model.pools:
        return None, None
    if not basis.shared:
        # Each has random sets of its own, which weigh by the document's x̄.
        own = [p.weight * p.chance.expected.disorders for p in parts]
        return p_within_documents(continua, disorders, own, basis.settings.seed)
    sets: dict[int, Floats] = {}
    for chance in chances:
        mine = [i for i, p in enumerate(parts) if p.chance is chance]
        found = sets_of_each(chance.expected, [continua[i] for i in mine])
        if found is None:
            return None, None
        sets |= zip(mine, found, strict=True)
    every = [sets[i] for i in range(len(parts))]
    return p_within_documents(continua, disorders, every, basis.settings.seed)


def _expected(parts: Sequence[_Part], settings: Settings) -> tuple[float, float, float, float]:
    """Σ w·δ_e, its Monte-Carlo interval and relative error; random sets are independent."""
    shares: dict[Chance, float] = {}
    for p in parts:
        shares[p.chance] = shares.get(p.chance, 0.0) + p.weight
    terms = [(share, chance.expected) for chance, share in shares.items()]
    mean = math.fsum(w * e.mean for w, e in terms)
    proven = math.fsum(w * e.proven_mean for w, e in terms)
    variance = math.fsum((w * e.standard_error) ** 2 for w, e in terms)
    error = math.sqrt(variance)
    half = settings.rule.quantile * error
    return max(0.0, proven - half), mean, mean + half, error / mean if mean > 0 else 0.0
