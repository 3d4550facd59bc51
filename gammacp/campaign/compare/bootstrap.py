"""Bootstrap intervals of γ: how far it depends on the documents or passages that were annotated.

This is not the Monte-Carlo error of the expected disorder: that one is about our sampling and
shrinks with more samples, this one is about the user's data and shrinks with more documents.

Documents of a corpus are drawn with replacement. Within a continuum neighbouring unitary alignments
are not independent (an annotator loses the thread for a page), so runs of neighbours are drawn:
the circular block bootstrap of Politis & Romano (1992), blocks of ⌈parts^(1/3)⌉.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gammacp.arrays import Floats
from gammacp.campaign.compare.contributions import Contributions
from gammacp.errors import UsageError

DRAWS = 2000
FEWEST_PARTS = 5
_FEW = 20


@dataclass(frozen=True, kw_only=True)
class BootstrapInterval:
    """A percentile interval of γ.

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

    def in_words(self) -> str:
        """One sentence for people."""
        if self.reason:
            return f"No bootstrap interval: {self.reason}."
        how = f"{self.parts} {self.kind}"
        if self.block > 1:
            how += f", {self.block} neighbours at a time"
        caution = (
            f" With only {self.parts} {self.kind} the interval is rather too narrow than too wide."
            if self.parts < _FEW
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
    """Percentile interval of γ over resampled parts.

    Parameters
    ----------
    draws
        Number of resampled sets, ≥ 1.
    block
        How many neighbouring parts are drawn together. Default: 1 for documents, ⌈parts^(1/3)⌉
        for unitary alignments.
    seed
        The same seed gives the same interval.
    """
    if draws < 1:
        raise UsageError(f"bootstrap draws {draws} < 1")
    if not 0 < confidence < 1:
        raise UsageError(f"confidence {confidence} is not between 0 and 1")
    size = len(parts)
    length = block or (1 if parts.kind == "documents" else math.ceil(size ** (1 / 3)))
    if not 1 <= length <= max(size, 1):
        raise UsageError(f"block {length} is not between 1 and the {size} {parts.kind}")
    if size < FEWEST_PARTS:
        low, high = math.nan, math.nan
        reason = f"{size} {parts.kind} are too few to be resampled (at least {FEWEST_PARTS})"
    else:
        values = parts.weighted(_block_counts(size, length, draws, seed))
        tail = (1 - confidence) / 2
        low, high = (float(q) for q in np.nanquantile(values, [tail, 1 - tail]))
        reason = None
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


def _block_counts(size: int, length: int, draws: int, seed: int) -> Floats:
    """How often each part is drawn, shape (draws, size); circular blocks, the last one cut."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0xB007,)))
    blocks = math.ceil(size / length)
    counts = np.zeros((draws, size))
    row = np.arange(draws)
    for b in range(blocks):
        first = rng.integers(size, size=draws)
        for k in range(min(length, size - b * length)):
            # Within one pass every row gets one entry, so the addition cannot collide.
            counts[row, (first + k) % size] += 1
    return counts
