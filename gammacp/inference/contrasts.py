"""Annotators whose units lie nearer one end of documents than those of the others.

Where texts have more to mark at the beginning, all readers mark more there, and nobody stopped or
tired. Who did is told by a contrast: the mean position of an annotator's units less that of the
others', in the same documents. It is 0 in the mean for readers who miss and add units alike all
along, whatever the texts hold. Its spread over documents gives t; p is Holm's over the annotators.
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

# Documents (or clusters of them) that tell, and units of an annotator in each.
FEWEST_DOCUMENTS = 6
_FEWEST_UNITS = 3
_LEVEL = 0.05


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """Position of an annotator's units against that of the others'.

    Attributes
    ----------
    annotator
        Name.
    difference
        Mean position less that of the others', in shares of a document; below 0 it is nearer the
        beginning.
    documents
        Number of documents in which the two could be compared; documents of one cluster are one.
    p
        p of no difference, by Holm over all annotators.
    other
        Name of the other annotator where there are only two, who share one test.
    """

    annotator: str
    difference: float
    documents: int
    p: float
    other: str | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence where it is shown; of two annotators it is said of one."""
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
        """Return the JSON object."""
        return asdict(self)


def contrasts(continua: Iterable[Continuum]) -> tuple[Contrast, ...]:
    """Return the contrast of every annotator who can be compared in six documents or more.

    Parameters
    ----------
    continua
        Documents. Who is known to have stopped in one does not count there.
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
    found = {
        name: np.sort([np.mean(np.sort(part)) for part in clusters.values()])
        for name, clusters in sorted(parts.items())
        if len(clusters) >= FEWEST_DOCUMENTS
    }
    if len(parts) == 2 and len(found) == 2:
        one, other = found
        p = _p_value(found[one])
        return (_contrast(one, found[one], p, other), _contrast(other, found[other], p, one))
    each = {name: _p_value(differences) for name, differences in found.items()}
    if each:
        held = holm(np.array([*each.values()])).tolist()
    else:
        held = []
    return tuple(
        _contrast(name, positions, p)
        for (name, positions), p in zip(found.items(), held, strict=True)
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
    """Two-sided p of t."""
    from scipy.special import stdtr

    n = len(differences)
    spread = float(differences.std(ddof=1))
    if spread == 0:
        return 1.0
    t = abs(float(differences.mean())) / spread * math.sqrt(n)
    return min(1.0, 2 * float(stdtr(n - 1, -t)))
