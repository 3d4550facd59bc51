"""Find annotators whose units lie nearer one end of the documents than the units of the others.

An annotator who tires or stops early leaves few units near the end of a document. The positions of
one annotator alone do not show this, because the text itself may have more to mark at its
beginning. A contrast does: the mean position of an annotator's units minus the mean position of the
others' units in the same documents. Its expected value is 0 for annotators who miss and add units
at a constant rate along the text, whatever the text contains. A t-test over documents compares it
with 0, and the p-values are corrected for the number of annotators by Holm's method.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.continuum import Continuum
from gammacp.inference.part_tests import holm

# Smallest number of documents (or clusters of them) for a test, and smallest number of units that
# an annotator must have in a document for the document to count.
FEWEST_DOCUMENTS = 6
_FEWEST_UNITS = 3
_LEVEL = 0.05


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """Position of an annotator's units compared with the position of the others' units.

    Attributes
    ----------
    annotator
        Name of the annotator.
    difference
        Mean position of the annotator's units minus that of the others' units, as a share of the
        length of a document. Below 0, the annotator's units lie nearer the beginning.
    documents
        Number of documents in which the annotator could be compared with others. The documents of
        a cluster count as one.
    p
        p-value of the hypothesis of no difference, after Holm's correction for all annotators.
    other
        Name of the other annotator if there are only two, who share one test; otherwise None.
    """

    annotator: str
    difference: float
    documents: int
    p: float
    other: str | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Return a sentence if the difference is significant, for only one of two annotators."""
        if self.p > _LEVEL or (self.other is not None and self.difference > 0):
            return ()
        early = self.difference < 0
        if self.other is None:
            whose = "those of the others"
        else:
            whose = f"those of {self.other}"
        cause = (
            ": an annotator who stops early or tires leaves such units (`read_until=` says how far "
            "somebody read)"
        )
        return (
            f"units of {self.annotator} lie nearer the {'beginning' if early else 'end'} than "
            f"{whose} in the same documents (by {abs(self.difference):.2g} of the length in the "
            f"mean of {self.documents}, p = {self.p:.2g}){cause if early else ''}",
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the contrast as a JSON object."""
        return asdict(self)


def contrasts(continua: Iterable[Continuum]) -> tuple[Contrast, ...]:
    """Return the contrast of every annotator who can be compared in six documents or more.

    Parameters
    ----------
    continua
        Continua of the documents. An annotator who is known to have stopped early in a document
        (`read_until`) is not counted there.
    """
    parts: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for number, continuum in enumerate(continua):
        if continuum.in_space or continuum.length == 0:
            continue
        positions = _mean_positions(continuum)
        for name, place in positions.items():
            others = [other for whose, other in positions.items() if whose != name]
            if others:
                cluster = continuum.cluster or f"\n{number}"
                parts[name][cluster].append(place - float(np.mean(others)))
    differences_by_part = {
        name: np.sort([np.mean(np.sort(part)) for part in clusters.values()])
        for name, clusters in sorted(parts.items())
        if len(clusters) >= FEWEST_DOCUMENTS
    }
    if len(parts) == 2 and len(differences_by_part) == 2:
        one, other = differences_by_part
        p = _p_value(differences_by_part[one])
        return (
            _contrast(one, differences_by_part[one], p, other),
            _contrast(other, differences_by_part[other], p, one),
        )
    each = {name: _p_value(differences) for name, differences in differences_by_part.items()}
    if each:
        held = holm(np.array([*each.values()])).tolist()
    else:
        held = []
    return tuple(
        _contrast(name, positions, p)
        for (name, positions), p in zip(differences_by_part.items(), held, strict=True)
    )


def _mean_positions(continuum: Continuum) -> dict[str, float]:
    """Return the mean position of each annotator's units, 0 at the beginning and 1 at the end."""
    stopped = {name for name, _ in continuum.read_until}
    middles = ((continuum.starts + continuum.ends) / 2 - continuum.bounds[0]) / continuum.length
    return {
        name: float(middles[continuum.rows_of(name)].mean())
        for name, count in zip(continuum.annotators, continuum.counts.tolist(), strict=True)
        if count >= _FEWEST_UNITS and name not in stopped
    }


def _contrast(name: str, differences: Floats, p: float, other: str | None = None) -> Contrast:
    return Contrast(
        annotator=name,
        difference=float(differences.mean()),
        documents=len(differences),
        p=p,
        other=other,
    )


def _p_value(differences: Floats) -> float:
    """Return the two-sided p-value of Student's t-test that the mean difference is 0."""
    from scipy.special import stdtr

    n = len(differences)
    spread = float(differences.std(ddof=1))
    if spread == 0:
        return 1.0
    t = abs(float(differences.mean())) / spread * math.sqrt(n)
    return min(1.0, 2 * float(stdtr(n - 1, -t)))
