"""Stretches in which nobody marks anything, and γ if nothing could be marked there.

Annotators of a recording with a silence all leave it empty, and so seem to agree without having
agreed on anything. Such a silence can be recognised as a common gap, a stretch that all annotators
leave empty and that is too long to be empty by chance. If n gaps divide a length L at random, one
of them is longer than w with a probability of at most n(1 − w/L)^(n−1) (Fisher 1929, the first term
of his formula). Gaps are taken in ascending order, and each is tested among those that are no
longer. The first that is too long is reported, with all that are longer. If units fill the text, so
that an annotator has more than five units per gap, this test has too few gaps. Then all gaps that
are at least as long as a mean unit are reported.

Annotators who truly agree leave such stretches, too. So a note is printed only if it matters for γ:
if γ would fall by more than .1, or lose its significance, if nothing could be marked there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gammacp.base.signature import shortest
from gammacp.continuum import Continuum

if TYPE_CHECKING:
    from gammacp.continuum.markable import Stretch

# Significance level of the test of a gap.
_LEVEL = 0.01
# Number of units per gap of an annotator above which units are said to fill the text.
_FEW_GAPS = 5
# Share of the gaps, the shortest ones, that are never reported.
_MOST_SMALL = 0.6
# Fall of γ above which a note is printed. It is also printed if γ is no longer significant.
_FALL = 0.1
_LEVEL_OF_GAMMA = 0.05


@dataclass(frozen=True)
class CommonGaps:
    """γ as it would be if nothing could be marked in the gaps that all annotators share.

    Attributes
    ----------
    gaps
        Common gaps by document: stretches too long to be empty by chance.
    gamma, p
        γ if nothing could be marked there, and its p of no agreement above 0.
    before, p_before
        γ and p if everything can be marked, for comparison.
    documents
        Number of documents; None for a single text.
    """

    gaps: Mapping[str, tuple[Stretch, ...]]
    gamma: float
    p: float | None
    before: float
    p_before: float | None
    documents: int | None = None

    @property
    def matters(self) -> bool:
        """Return whether γ falls by more than .1, or is no longer significant."""
        lost = (
            self.p is not None
            and self.p_before is not None
            and self.p_before <= _LEVEL_OF_GAMMA < self.p
        )
        return self.before - self.gamma > _FALL or lost

    @property
    def notes(self) -> tuple[str, ...]:
        """A note if the gaps matter for γ; otherwise nothing."""
        if not self.matters:
            return ()
        listed = [(name, gap) for name, gaps in self.gaps.items() for gap in gaps]
        name, gap = max(listed, key=lambda row: row[1][1] - row[1][0])
        places = f"from {shortest(gap[0])} to {shortest(gap[1])}"
        value = "γ"
        if self.documents is not None:
            many = f"{len(self.gaps)} of {self.documents} documents have such stretches"
            places = f"{places} in {name} ({many})"
            value = "γ within documents"
        elif len(listed) > 1:
            places = f"{places}, nor in {len(listed) - 1} more stretches"
        if self.p is None or self.p <= _LEVEL_OF_GAMMA:
            p = ""
        else:
            p = f" (p = {self.p:.2g})"
        return (
            f"nobody marks anything {places}: if nothing could be marked there, {value} is "
            f"{self.gamma:.2f}{p}, not {self.before:.2f}. Say what can be marked with `markable=`",
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the keys of JSON."""
        if self.documents is None:
            gaps: object = [list(gap) for stretches in self.gaps.values() for gap in stretches]
        else:
            gaps = {name: [list(gap) for gap in stretches] for name, stretches in self.gaps.items()}
        return {"common_gaps": gaps, "gamma_if_unmarkable": self.gamma}


def common_gaps(continuum: Continuum) -> tuple[Stretch, ...]:
    """Return the stretches that all annotators leave empty and that are too long for chance.

    Parameters
    ----------
    continuum
        Continuum with at least two annotators. No gaps are returned if units have shapes or
        several fragments, or if it is known what can be marked.
    """
    looked_at = continuum.inside is None and not continuum.markable
    if not looked_at or not continuum.n_units:
        return ()
    order = np.argsort(continuum.starts, kind="stable")
    starts = continuum.starts[order]
    reached = np.maximum.accumulate(continuum.ends[order])
    low = reached[:-1]
    high = starts[1:]
    if continuum.declared:
        bounds = continuum.bounds
        low = np.append(bounds[0], reached)
        high = np.append(starts, bounds[1])
    widths = np.maximum(high - low, 0.0)
    held = widths > 0
    low = low[held]
    high = high[held]
    widths = widths[held]
    # In ascending order, each gap is compared with those that are no longer. Otherwise one very
    # long gap could hide another.
    order = np.argsort(widths, kind="stable")
    numbers = np.arange(1, len(order) + 1)
    lengths = np.cumsum(widths[order])
    longest = numbers * (1 - widths[order] / lengths).clip(0.0) ** (numbers - 1.0)
    if _FEW_GAPS * len(widths) < continuum.counts.max():
        # Units that fill the text leave too few gaps for the test. Return those that could hold a
        # unit.
        rows = order[widths[order] >= float(continuum.lengths.mean())]
        return tuple(sorted((float(low[k]), float(high[k])) for k in rows.tolist()))
    # Most gaps are taken for random ones, against which the longer ones are tested.
    candidates = np.flatnonzero((longest <= _LEVEL) & (numbers > _MOST_SMALL * len(order)))
    if len(candidates):
        rows = order[candidates[0] :]
    else:
        rows = order[:0]
    return tuple(sorted((float(low[k]), float(high[k])) for k in rows.tolist()))


def without_gaps(continuum: Continuum, gaps: tuple[Stretch, ...]) -> Continuum:
    """Return the continuum with nothing markable in the gaps.

    Parameters
    ----------
    continuum, gaps
        Continuum and gaps, as for `common_gaps`.
    """
    # Imported only here, because few texts have gaps.
    from gammacp.chance.pauses.markable_time import ESTIMATED

    edges = [continuum.bounds[0], *(place for gap in gaps for place in gap), continuum.bounds[1]]
    rows = zip(edges[::2], edges[1::2], strict=True)
    marked = continuum.with_markable([(start, end) for start, end in rows if start < end])
    return replace(marked, about=marked.about.with_fact(ESTIMATED, 1))
