"""Intervals of γ: how far it depends on the documents or the text that were annotated.

This is not the Monte-Carlo error of the expected disorder: that one is about our sampling and
shrinks with more samples, this one is about the user's data and shrinks with more documents. It is
an interval of confidence, of these annotators: no forecast of another corpus, and nothing about
other people. The expected disorder is taken as known.

Documents of a corpus, or clusters of them, are drawn with replacement. γ is a ratio of sums over
few and skewed parts, where plain percentiles of resampled values cover .70 to .93, not .95. So the
bootstrap is studentised (`gammacp.studentised`), by the linearised standard error of a ratio,
from the residuals o − (1 − γ)·e. Where few parts are bad or the long ones are worse that still
covers too little; so what the jackknife gives for log(1 − γ) is taken in, too.

The unitary alignments of one text are not independent: the interval is Student's t with four
degrees of freedom from four cosines of their residuals (`gammacp.measures.part_tests`), as for
`--against`.
What the intervals cover is measured in `experiments/tests_hold.py`; see docs/tests.md.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gammacp.arguments import number, whole
from gammacp.errors import UsageError
from gammacp.measures.contributions import ALIGNMENTS, Contributions
from gammacp.measures.part_tests import (
    COSINES,
    FEWEST_ALIGNMENTS,
    FEWEST_PARTS,
    independent_parts,
    parts_in_order,
)
from gammacp.studentised import studentised_interval

DRAWS = 2000
_FEW, _FAR = 20, 700.0
_BOTH = "bootstrap or log ratio"


@dataclass(frozen=True, kw_only=True)
class BootstrapInterval:
    """An interval over parts: documents, clusters of them, the unitary alignments of a text.

    Attributes
    ----------
    low, high
        Bounds; NaN where there are too few parts.
    parts, kind
        How many parts there are, and what they are.
    method
        `bootstrap`, `bootstrap or log ratio` (whichever reaches further), or `four cosines`.
    draws, confidence
        How many resampled sets (0: it takes none), and the coverage that is aimed at.
    reason
        Why there is no interval.
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
        """(low, high), or None."""
        return None if self.reason else (self.low, self.high)

    def as_dict(self) -> dict[str, Any]:
        """The interval as JSON has it."""
        rest = {k: v for k, v in vars(self).items() if k not in ("low", "high")}
        return {"interval": self.interval, **rest}

    def in_words(self) -> str:
        """What the interval of a γ says, and what it does not say."""
        if self.reason:
            return f"No bootstrap interval: {self.reason}."
        text = self.kind == ALIGNMENTS
        how = f"one text of {self.parts} {ALIGNMENTS}" if text else f"{self.parts} {self.kind}"
        apart = "" if text else ", which must be independent of each other"
        said = (
            f"γ of these annotators on {'text' if text else 'documents'} of this kind: "
            f"{self.low:.3f} to {self.high:.3f} (bootstrap, {self.confidence:.0%} confidence; "
            f"{how}{apart}; the expected disorder is taken as known). This is no forecast of the "
            "next corpus (that would be 1.4 times as wide), and says nothing of other annotators."
        )
        if text:
            said = said.replace("(bootstrap, ", "(").replace("corpus", "text")
        elif self.parts < _FEW:
            said += (
                f" With only {self.parts} {self.kind} it is too narrow where few of them are bad "
                "or the long ones are worse."
            )
        return said


def bootstrap(
    parts: Contributions, *, draws: int = DRAWS, confidence: float = 0.95, seed: int = 0
) -> BootstrapInterval:
    """Studentised interval of a ratio over resampled parts that are independent.

    Parameters
    ----------
    parts
        What it is a ratio of.
    draws
        Number of resampled sets, ≥ 1.
    confidence
        Coverage that is aimed at, in (0, 1).
    seed
        The same seed gives the same interval.

    Raises
    ------
    UsageError
        An argument is out of its range.
    """
    draws = whole("bootstrap draws", draws, 1)
    ends, reason = (math.nan, math.nan), _too_few(parts, FEWEST_PARTS, confidence)
    if reason is None:
        ends = _studentise(parts, draws, (1 - confidence) / 2, seed)
    return _interval_of(parts, ends, "bootstrap", draws, confidence, reason)


def interval_of_gamma(
    parts: Contributions, *, draws: int = DRAWS, confidence: float = 0.95, seed: int = 0
) -> BootstrapInterval:
    """The interval of γ: the bootstrap's with that of the log ratio, or of one text from cosines.

    Parameters
    ----------
    parts
        What γ is a ratio of.
    draws, confidence, seed
        As for `bootstrap`.

    Raises
    ------
    UsageError
        An argument is out of its range.
    """
    draws, tail = whole("bootstrap draws", draws, 1), (1 - confidence) / 2
    if parts.kind == ALIGNMENTS:
        ends, reason = (math.nan, math.nan), _too_few(parts, FEWEST_ALIGNMENTS, confidence)
        if reason is None:
            found = parts_in_order(parts.observed, parts.expected)
            half = _quantile(COSINES, tail) * math.sqrt(found.variance)
            ends = parts.gamma - half, min(1.0, parts.gamma + half)
        return _interval_of(parts, ends, "four cosines", 0, confidence, reason)
    drawn = bootstrap(parts, draws=draws, confidence=confidence, seed=seed)
    found = independent_parts(parts.observed, parts.expected)
    ratio, effective = (
        float(found.ratio),
        1 / float(((parts.expected / parts.expected.sum()) ** 2).sum()),
    )
    if drawn.reason is not None or ratio <= 0 or effective <= 1:
        return replace(drawn, method=_BOTH)
    wide = _quantile(max(1.0, effective - 1), tail) * math.sqrt(found.variance) / ratio
    # A long document among short ones leaves next to nothing known.
    low = min(drawn.low, 1 - ratio * math.exp(wide) if wide < _FAR else -math.inf)
    return replace(drawn, low=low, high=max(drawn.high, 1 - ratio * math.exp(-wide)), method=_BOTH)


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
    """The interval between the two tails; no γ is above 1."""
    size = len(parts)
    scale = math.sqrt(size / (size - 1))
    ratio = 1 - parts.gamma
    residuals = parts.observed - ratio * parts.expected
    error = scale * math.sqrt(size * float((residuals**2).mean())) / float(parts.expected.sum())
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0xB007,)))
    chosen = rng.integers(size, size=(draws, size))
    observed, expected = parts.observed[chosen], parts.expected[chosen]
    totals = expected.sum(axis=1)
    ratios = np.divide(observed.sum(axis=1), totals, out=np.full(draws, ratio), where=totals > 0)
    left = observed - ratios[:, None] * expected
    errors = scale * np.sqrt((left**2).sum(axis=1))
    unknown = np.full(draws, math.inf)
    errors = np.divide(errors, np.abs(totals), out=unknown, where=totals != 0)
    low, high = studentised_interval(ratio, error, ratios, errors, parts=size, tail=tail)
    return 1 - high, min(1.0, 1 - low)
