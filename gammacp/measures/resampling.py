"""Bootstrap intervals of γ: how far it depends on the documents or passages that were annotated.

This is not the Monte-Carlo error of the expected disorder: that one is about our sampling and
shrinks with more samples, this one is about the user's data and shrinks with more documents.

Documents of a corpus are drawn with replacement. Within a continuum neighbouring unitary alignments
are not independent (an annotator loses the thread for a page), so runs of neighbours are drawn:
the circular block bootstrap of Politis & Romano (1992), blocks of ⌈parts^(1/3)⌉.

γ is a ratio of sums over few and skewed parts, where plain percentiles of resampled values cover
.70 to .93 instead of .95. So the interval is studentised (`gammacp.studentised`), by the linearised
standard error of a ratio, from the residuals o − (1 − γ)·e of whole blocks. What it covers is
measured in `benchmarks/bootstrap_coverage.py`; see docs/reliability.md.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.arguments import number, whole
from gammacp.arrays import Floats, Indices
from gammacp.errors import UsageError
from gammacp.measures.contributions import Contributions
from gammacp.studentised import studentised_interval

DRAWS = 2000
FEWEST_PARTS = 5
_FEW = 20


@dataclass(frozen=True, kw_only=True)
class BootstrapInterval:
    """A studentised bootstrap interval of γ.

    Attributes
    ----------
    low, high
        Bounds; NaN where there are too few parts.
    parts, kind, block
        How many parts were resampled, what they are, and how many neighbours go together.
    draws, confidence
        How many resampled sets, and the coverage that is aimed at.
    reason
        Why there is no interval.
    """

    low: float
    high: float
    parts: int
    kind: str
    block: int
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
        """One sentence for people."""
        if self.reason:
            return f"No bootstrap interval: {self.reason}."
        how = f"{self.parts} {self.kind}"
        if self.block > 1:
            how += f", {self.block} neighbours at a time"
        caution = (
            f" With only {self.parts} {self.kind} the interval is rather too narrow than too wide."
            if self.parts < _FEW * self.block
            else ""
        )
        return (
            f"Had other material of the same kind been annotated, γ would lie between "
            f"{self.low:.3f} and {self.high:.3f} in {self.confidence:.0%} of the cases "
            f"(bootstrap over {how}; the random sampling of the expected disorder is not in it)."
            f"{caution}"
        )


def bootstrap(
    parts: Contributions,
    *,
    draws: int = DRAWS,
    block: int | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> BootstrapInterval:
    """Studentised interval of γ over resampled parts.

    Parameters
    ----------
    parts
        What γ is a ratio of.
    draws
        Number of resampled sets, ≥ 1.
    block
        How many neighbouring parts are drawn together. Default: 1 for documents, ⌈parts^(1/3)⌉
        for unitary alignments.
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
    if not 0 < number("confidence", confidence) < 1:
        raise UsageError(f"confidence {confidence} is not between 0 and 1")
    size = len(parts)
    length = block or (1 if parts.kind == "documents" else math.ceil(size ** (1 / 3)))
    if not 1 <= length <= max(size, 1):
        raise UsageError(f"block {length} is not between 1 and the {size} {parts.kind}")
    low, high, reason = math.nan, math.nan, None
    if size < FEWEST_PARTS:
        reason = f"{size} {parts.kind} are too few to be resampled (at least {FEWEST_PARTS})"
    else:
        low, high = _studentise(parts, length, draws, (1 - confidence) / 2, seed)
    return BootstrapInterval(
        low=low,
        high=high,
        parts=size,
        kind=parts.kind,
        block=length,
        draws=draws,
        confidence=confidence,
        reason=reason,
    )


def _studentise(
    parts: Contributions, length: int, draws: int, tail: float, seed: int
) -> tuple[float, float]:
    """The interval between the two tails; no γ is above 1."""
    size = len(parts)
    blocks = math.ceil(size / length)
    scale = math.sqrt(blocks / (blocks - 1)) if blocks > 1 else 1.0
    ratio = 1 - parts.gamma
    every = np.arange(size)
    residuals = _block_sums(parts.observed - ratio * parts.expected, every, length)
    error = scale * math.sqrt(blocks * float((residuals**2).mean())) / float(parts.expected.sum())
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0xB007,)))
    first = rng.integers(size, size=(draws, blocks))
    lengths = np.full(blocks, length)
    lengths[-1] = size - (blocks - 1) * length
    observed = _block_sums(parts.observed, first, lengths)
    expected = _block_sums(parts.expected, first, lengths)
    totals = expected.sum(axis=1)
    ratios = np.divide(observed.sum(axis=1), totals, out=np.full(draws, ratio), where=totals > 0)
    left = observed - ratios[:, None] * expected
    errors = scale * np.sqrt((left**2).sum(axis=1))
    unknown = np.full(draws, math.inf)
    errors = np.divide(errors, np.abs(totals), out=unknown, where=totals != 0)
    low, high = studentised_interval(ratio, error, ratios, errors, parts=blocks, tail=tail)
    return 1 - high, min(1.0, 1 - low)


def _block_sums(values: Floats, first: Indices, length: int | Indices) -> Floats:
    """Σ of `length` neighbours from `first` on, going round at the end; the shape of `first`."""
    sums = np.concatenate(([0.0], np.cumsum(np.concatenate((values, values)))))
    found: Floats = sums[first + length] - sums[first]
    return found
