"""Facts about the documents that were compared: who, with whom, on what, and how large.

They are counts and values of these documents, so they need no test. Whether they hold beyond these
documents is told after them (`gammacp.campaign.standing_out`).
"""

import math
from collections.abc import Iterator

import numpy as np

from gammacp.base.text import visible
from gammacp.campaign.compare.categories import NO_UNIT, Confusion
from gammacp.campaign.compare.comparison import Comparison
from gammacp.campaign.statements import Statement

_LEAST = 0.005
"""Difference of γ below which two numbers are printed alike."""


def facts(found: Comparison) -> list[Statement]:
    """Return what is so in these documents, whatever it means for others.

    Parameters
    ----------
    found
        The comparison; what was not computed is left out.
    """
    said = [*_who(found), *_with_whom(found), *_on_what(found.confusion)]
    return [Statement(about="here", words=words, names=names) for words, names in said]


def _who(found: Comparison) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield without whom γ rises most."""
    known = [e for e in found.without if math.isfinite(e.gain)]
    if len(known) < 3:
        return
    most = max(known, key=lambda e: e.gain)
    if most.gain >= _LEAST:
        name = visible(most.annotator)
        yield (
            f"{name} is farthest from the others here: γ is {most.baseline:.2f} with {name} and "
            f"{most.agreement.value:.2f} without.",
            (most.annotator,),
        )


def _with_whom(found: Comparison) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield which pair agrees least, and which most."""
    values = {p: a.value for p, a in found.pairs.agreements.items() if math.isfinite(a.value)}
    if len(values) < 3:
        return
    least = min(values, key=values.__getitem__)
    most = max(values, key=values.__getitem__)
    if values[most] - values[least] >= _LEAST:
        low, high = (" and ".join(map(visible, pair)) for pair in (least, most))
        yield (
            f"Of the pairs, {low} agree least here (γ {values[least]:.2f}), {high} most "
            f"({values[most]:.2f}).",
            least,
        )


def _on_what(table: Confusion) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the difference that occurs most often between two annotators."""
    pairs = table.confused_pairs
    if not pairs:
        return
    one, other, most = pairs[0]
    half = np.triu_indices(len(table.rows)) if not table.directed else slice(None)
    whole = int(table.counts[half].sum())
    label = visible(one if other == NO_UNIT else other if one == NO_UNIT else one)
    what = f"one marks “{label}” and the other nothing"
    if NO_UNIT not in (one, other):
        what = f"one says “{label}” and the other “{visible(other)}”"
    yield (
        f"The most frequent difference here: {what}, in {most} of {whole} comparisons of two "
        f"annotators ({most / whole:.0%}).",
        (one, other),
    )
