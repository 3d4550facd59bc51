"""γ (Mathet, Widlöcher & Métivier 2015, eq. 8) and soft γ.

γ = 1 − δ(s)/δ_e: the disorder of the best alignment against its expectation over random
annotation sets. 1 is perfect, 0 what chance gives; it can be negative.
"""

from __future__ import annotations

import math
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, Unpack

from gammacp.alignment import Alignment, Status, align
from gammacp.continuum import Continuum
from gammacp.dissimilarity import BoundDissimilarity, bind
from gammacp.measures.gamma_run import (
    Chance,
    GammaOptions,
    Progress,
    Settings,
    agreement_interval,
    chance_disorder,
)
from gammacp.measures.registry import Measure, register
from gammacp.measures.score import Score
from gammacp.needs import require
from gammacp.signature import signature


@dataclass(frozen=True, kw_only=True)
class GammaScore(Score):
    """γ with what it rests on.

    Attributes
    ----------
    observed, expected
        δ(s) and δ_e.
    interval
        Monte-Carlo interval of δ_e carried over to γ (asymmetric), widened by what unproven
        alignments leave open.
    samples
        Random sets behind δ_e.
    status
        `optimal` if the observed alignment and those of all random sets are proven, and there
        are as many of these as were wanted.
    bound
        Proven lower bound of δ(s); equal to `observed` when optimal.
    annotators, units
        Counts.
    alignment
        The best alignment of the observed units.
    """

    samples: int
    status: Status
    bound: float
    annotators: int
    units: int
    alignment: Alignment

    def as_dict(self) -> dict[str, Any]:
        """The score as JSON has it."""
        return gamma_record(self)

    def _repr_html_(self) -> str:
        from gammacp.display import as_html

        return as_html("gamma", self)


def gamma_record(score: Score) -> dict[str, Any]:
    """γ as JSON has it; what an undefined score does not have is null."""
    return {
        "gamma": score.value,
        "interval": score.interval,
        "observed_disorder": score.observed,
        "expected_disorder": score.expected,
        "samples": getattr(score, "samples", 0),
        "status": getattr(score, "status", None),
        "bound": getattr(score, "bound", None),
        "annotators": getattr(score, "annotators", None),
        "units": getattr(score, "units", None),
        "reason": score.reason,
        "bootstrap": score.bootstrap,
        "signature": score.signature,
    }


def gamma(
    continuum: Continuum,
    *,
    executor: Executor | None = None,
    progress: Progress | None = None,
    shared: dict[object, object] | None = None,
    **options: Unpack[GammaOptions],
) -> GammaScore:
    """γ of one continuum.

    Parameters
    ----------
    continuum
        At least two annotators and one unit.
    executor
        Where the random sets are aligned; default: here. The same bits wherever.
    progress
        Told how many random sets are done, of how many.
    shared
        Keeps alignment and random sets for the other measures of the family.
    options
        See `GammaOptions`. The same seed gives the same γ after moving, scaling, renaming and
        reordering.

    Raises
    ------
    DataError
        One annotator, no unit, or labels the dissimilarity cannot compare.

    Identical annotators give 1 exactly, whatever the chance model.
    """
    return gamma_of(
        continuum, Settings.of(**options), executor=executor, progress=progress, shared=shared
    )


def soft_gamma(
    continuum: Continuum, *, executor: Executor | None = None, **options: Unpack[GammaOptions]
) -> GammaScore:
    """Soft γ: a unit may be in several unitary alignments, for annotators who split units.

    The alignment is a cover instead of a partition (Σ X ≥ 1 for each unit), for observed and
    random sets alike; x̄ stays the same. Arguments as for `gamma`.
    """
    return gamma_of(continuum, Settings.of(cover=True, **options), executor=executor)


def gamma_of(
    continuum: Continuum,
    settings: Settings,
    *,
    executor: Executor | None = None,
    progress: Progress | None = None,
    shared: dict[object, object] | None = None,
) -> GammaScore:
    """γ with these settings; `shared` keeps alignment and random sets for γ_cat and γ_k."""
    alignment, chance = observed_and_chance(
        continuum, settings, executor=executor, progress=progress, shared=shared
    )
    return gamma_score(continuum, alignment, chance, settings)


def observed_and_chance(
    continuum: Continuum,
    settings: Settings,
    *,
    executor: Executor | None = None,
    progress: Progress | None = None,
    shared: dict[object, object] | None = None,
    keep: bool = False,
) -> tuple[Alignment, Chance]:
    """Best alignment of the continuum and its chance; taken from `shared` if they are there."""
    require(continuum)
    key = ("gamma", continuum, settings)
    if shared is not None and key in shared:
        found: tuple[Alignment, Chance] = shared[key]  # type: ignore[assignment]
        return found
    bound = bind(settings.dissimilarity, continuum)
    alignment = best(continuum, bound, settings)
    chance = chance_disorder(
        [continuum],
        continuum.n_annotators,
        bound,
        settings,
        keep=keep or shared is not None,
        executor=executor,
        progress=progress,
    )
    if shared is not None:
        shared[key] = alignment, chance
    return alignment, chance


def best(continuum: Continuum, bound: BoundDissimilarity, settings: Settings) -> Alignment:
    """The best alignment with these settings, ties broken canonically."""
    return align(
        continuum,
        bound,
        method=settings.method,
        gap=settings.gap,
        time_limit=settings.time_limit,
        seed=settings.seed,
        cover=settings.cover,
    )


def gamma_score(
    continuum: Continuum, alignment: Alignment, chance: Chance, settings: Settings
) -> GammaScore:
    """The Score of an alignment against an expected disorder."""
    expected = chance.expected
    proven = alignment.status is Status.OPTIMAL and expected.proven and expected.complete
    score = GammaScore(
        value=math.nan,
        observed=alignment.disorder,
        expected=expected.mean if expected.enough else None,
        samples=expected.samples,
        status=Status.OPTIMAL if proven else Status.FEASIBLE,
        bound=alignment.bound,
        annotators=continuum.n_annotators,
        units=continuum.n_units,
        alignment=alignment,
        signature=signature(
            "soft-gamma" if settings.cover else "gamma",
            **settings.signature_parts(chance.sampler, expected, alignment.method),
        ),
    )
    if not expected.enough:
        reason = f"interrupted after {expected.samples} random annotation sets, too few for δ_e"
        return replace(score, reason=reason)
    if expected.mean == 0:
        reason = "the expected disorder is 0: random annotation sets agree as perfectly as can be"
        return replace(score, reason=reason)
    value = 1 - alignment.disorder / expected.mean
    interval = agreement_interval(alignment.bound, alignment.disorder, expected)
    return replace(score, value=value, interval=interval)


_REFERENCE = "Mathet, Widlöcher & Métivier 2015, eq. 8"

register(
    Measure(
        name="gamma",
        summary="positions and categories on the best alignment, against chance",
        reference=_REFERENCE,
        function=gamma,
    )
)
register(
    Measure(
        name="soft-gamma",
        summary="γ where a unit may be aligned more than once (for annotators who split)",
        reference=f"after {_REFERENCE}",
        function=soft_gamma,
    )
)
