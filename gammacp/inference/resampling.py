"""Compute confidence intervals of γ over documents, or over the parts of one text.

The interval describes how far γ depends on the sample of documents, and it becomes narrower with
more documents. It includes the Monte-Carlo error of the expected disorder, which decreases with
more random sets. It is a confidence interval for these annotators, neither a prediction for another
corpus nor a statement about other people. It does not account for the fact that the expected
disorder of a small corpus is estimated from its own documents.

γ of a corpus is a ratio of sums over documents, or clusters of documents. These parts are often few
and skewed, so the interval is based on Student's t with Hall's correction for skew
(`gammacp.inference.part_tests`). The unitary alignments of one text are not independent. The
interval of a text is therefore based on Student's t with four degrees of freedom, from four cosine
transforms of their residuals, like the test of `--against`. The coverage of the intervals is
measured in `experiments/tests_hold.py`; see docs/tests.md.

For other ratios, `bootstrap` draws parts with replacement and computes a studentised interval
(`gammacp.inference.studentised`). The standard errors are linearised: they are computed from the
residuals o − (1 − value)·e. Plain percentile intervals over few and skewed parts would have a
coverage of .70 to .93 instead of .95.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.base.arguments import number, whole
from gammacp.chance.beyond import ratios
from gammacp.errors import UsageError
from gammacp.inference.contributions import ALIGNMENTS, Contributions
from gammacp.inference.counted import Pooled, interval_of_counts
from gammacp.inference.part_tests import (
    COSINES,
    FEWEST_ALIGNMENTS,
    FEWEST_PARTS,
    interval_over_documents,
    parts_in_order,
)
from gammacp.inference.studentised import studentised_interval

DRAWS = 2000
_FEW = 20


@dataclass(frozen=True, kw_only=True)
class BootstrapInterval:
    """An interval over parts: documents, clusters of documents, or unitary alignments of a text.

    Attributes
    ----------
    low, high
        Ends of the interval; NaN if there are too few parts.
    parts, kind
        Number of parts, and their kind.
    method
        `hall-t` for γ over documents or clusters, `four-cosines` for γ of a text, `bootstrap` for
        other ratios.
    draws, confidence
        Number of resampled sets (0 for a method without resampling), and the nominal coverage.
    reason
        Reason why there is no interval; None if there is one.
    """

    low: float
    high: float
    parts: int
    kind: str
    method: str
    draws: int
    confidence: float
    reason: str | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return the interval as (low, high); None if there is none."""
        if self.reason:
            return None
        return (self.low, self.high)

    def as_dict(self) -> dict[str, Any]:
        """Return the interval as JSON has it."""
        rest = {k: v for k, v in vars(self).items() if k not in ("low", "high")}
        return {"interval": self.interval, **rest}

    def in_words(self) -> str:
        """Return a sentence on what the interval of a γ says, and what it does not say."""
        if self.reason:
            return f"No bootstrap interval: {self.reason}."
        text = self.kind == ALIGNMENTS
        if text:
            how = f"one text of {self.parts} {ALIGNMENTS}"
        else:
            how = f"{self.parts} {self.kind}"
        if text:
            apart = ""
        else:
            apart = ", which must be independent of each other"
        sentences = (
            f"γ of these annotators on other {'text' if text else 'documents'} of this kind: "
            f"{self.low:.3f} to {self.high:.3f} ({self.confidence:.0%} confidence; {how}{apart}). "
            f"For a single new {'text' if text else 'corpus'} the interval is 1.4 times as wide. "
            "It does not cover other annotators."
        )
        if not text and self.parts < _FEW:
            sentences += (
                f" If a few such documents are very bad, these {self.parts} may include none, and "
                "the interval is too narrow."
            )
        return sentences


def bootstrap(
    parts: Contributions, *, draws: int = DRAWS, confidence: float = 0.95, seed: int = 0
) -> BootstrapInterval:
    """Compute the studentised bootstrap interval of a ratio over independent parts.

    Parameters
    ----------
    parts
        Contributions of the parts to the two sums of the ratio.
    draws
        Number of resampled sets, ≥ 1.
    confidence
        Nominal coverage, in (0, 1).
    seed
        The same seed gives the same interval.

    Raises
    ------
    UsageError
        An argument is out of its range.
    """
    draws = whole("bootstrap draws", draws, 1)
    ends = (math.nan, math.nan)
    reason = _too_few(parts, FEWEST_PARTS, confidence)
    if reason is None:
        ends = _studentise(parts, draws, (1 - confidence) / 2, seed)
    return _interval_of(parts, ends, "bootstrap", draws, confidence, reason)


def interval_of_gamma(
    parts: Contributions,
    *,
    error: float = 0.0,
    confidence: float = 0.95,
    units: tuple[float, float] | None = None,
) -> BootstrapInterval:
    """Compute the interval of γ over documents or clusters, or of one text, without resampling.

    Parameters
    ----------
    parts
        Contributions of the parts to the observed and the expected disorder.
    error
        Relative standard error of the expected disorder.
    confidence
        As for `bootstrap`.
    units
        Number of units per annotator, and the largest disorder that they could have. If fewer than
        five documents have any disorder, the interval is extended to an exact bound
        (`gammacp.inference.counted`).

    Raises
    ------
    UsageError
        An argument is out of its range.
    """
    text = parts.kind == ALIGNMENTS
    if text:
        least = FEWEST_ALIGNMENTS
    else:
        least = FEWEST_PARTS
    low = math.nan
    high = math.nan
    reason = _too_few(parts, least, confidence)
    if reason is None and text:
        cosines = parts_in_order(parts.observed, parts.expected)
        standard_error = math.sqrt(float(cosines.variance) + ((1 - parts.gamma) * error) ** 2)
        half = _quantile(COSINES, (1 - confidence) / 2) * standard_error
        low = parts.gamma - half
        high = min(1.0, parts.gamma + half)
    elif reason is None:
        both = parts.observed, parts.expected
        low, high = map(float, interval_over_documents(*both, error=error, confidence=confidence))
        if units is not None and np.count_nonzero(parts.observed > 0) < FEWEST_PARTS:
            exact = interval_of_counts(_as_counts(parts, units, error), confidence=confidence)
            low, high = (low, high) if exact is None else (min(low, exact[0]), max(high, exact[1]))
    if text:
        method = "four-cosines"
    else:
        method = "hall-t"
    return _interval_of(parts, (low, high), method, 0, confidence, reason)


def _as_counts(parts: Contributions, units: tuple[float, float], error: float) -> Pooled:
    """Return γ in the form that `interval_of_counts` takes."""
    number, most = units
    observed = float(parts.observed.sum())
    expected = float(parts.expected.sum())
    rest = observed - parts.observed, expected - parts.expected
    return Pooled(
        value=parts.gamma,
        without=ratios(*rest),
        sizes=parts.expected,
        disagreement=observed / most,
        expected=expected / most,
        units=number,
        error=error,
    )


def _quantile(df: float, tail: float) -> float:
    from scipy.special import stdtrit

    return -float(stdtrit(df, tail))


def _too_few(parts: Contributions, least: int, confidence: float) -> str | None:
    if not 0 < number("confidence", confidence) < 1:
        raise UsageError(f"confidence {confidence} is not between 0 and 1")
    if len(parts) >= least:
        return None
    return f"{len(parts)} {parts.kind} are too few to tell how they differ (at least {least})"


def _interval_of(
    parts: Contributions,
    ends: tuple[float, float],
    method: str,
    draws: int,
    confidence: float,
    reason: str | None,
) -> BootstrapInterval:
    return BootstrapInterval(
        low=ends[0],
        high=ends[1],
        parts=len(parts),
        kind=parts.kind,
        method=method,
        draws=draws,
        confidence=confidence,
        reason=reason,
    )


def _studentise(parts: Contributions, draws: int, tail: float, seed: int) -> tuple[float, float]:
    """Return the studentised bootstrap interval between two tails; no γ is above 1."""
    size = len(parts)
    scale = math.sqrt(size / (size - 1))
    ratio = 1 - parts.gamma
    residuals = parts.observed - ratio * parts.expected
    error = scale * math.sqrt(size * float((residuals**2).mean())) / float(parts.expected.sum())
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0xB007,)))
    chosen = rng.integers(size, size=(draws, size))
    observed = parts.observed[chosen]
    expected = parts.expected[chosen]
    totals = expected.sum(axis=1)
    ratios = np.divide(observed.sum(axis=1), totals, out=np.full(draws, ratio), where=totals > 0)
    resampled_residuals = observed - ratios[:, None] * expected
    errors = scale * np.sqrt((resampled_residuals**2).sum(axis=1))
    unknown = np.full(draws, math.inf)
    errors = np.divide(errors, np.abs(totals), out=unknown, where=totals != 0)
    low, high = studentised_interval(ratio, error, ratios, errors, parts=size, tail=tail)
    return 1 - high, min(1.0, 1 - low)
