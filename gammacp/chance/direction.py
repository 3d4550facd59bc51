"""Test of whether annotators mark one end of the text more than the other.

`cut` treats the text as a circle, and assumes that annotators do the same all along it. Annotators
who stop early, who stop after a certain number of units, or who tire, mark the beginning more. They
meet there without having agreed on anything.

The test uses two statistics that change their sign if the text is reversed. If annotators do the
same all along the text, both are 0 in the mean, whatever their habits. They are computed from the
middles of each annotator's units: the mean position, less .5, and the difference between the empty
stretch at the end and that at the beginning. Their weighted sum is tested; the weights have
opposite signs, because a unit near the end raises the first and lowers the second.

For fewer than six documents, the sum is compared with its values when the units of every annotator
are turned on the circle by a random angle of their own. From six documents on, its mean over
documents is tested by Student's t. Annotators who agree do not err independently, so the sum of a
document is scaled down by the share of units that they have in common. That share is how many
middles lie within half a mean unit length of a middle of another annotator, beyond what turned
units reach by chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gammacp.base.arrays import Bools, Floats
from gammacp.chance.annotation import Annotation
from gammacp.chance.cut import circle_of
from gammacp.continuum import Continuum
from gammacp.continuum.canonical import in_content_order
from gammacp.continuum.sequence import ContinuumSequence

if TYPE_CHECKING:
    from gammacp.inference.contrasts import Contrast

_TURNS = 999
# Number of these turns that tell how many units two annotators have in common by chance.
_TURNS_OF_SHARES = 99
_ROUNDING = 1e-9
# Weights of the mean position and of the empty stretches, each in standard deviations over turns. A
# larger second weight finds annotators who tire less often, a smaller one those who stop early.
_WEIGHTS = np.array([-1.0, 0.3])
_LEVEL = 0.05
# Least number of documents for a test by their own spread, and how many of a large corpus are used.
_DOCUMENTS = 6
_MOST_DOCUMENTS = 500
# Annotators with fewer units in a document are left out, because they show no direction.
_FEWEST = 5


@dataclass(frozen=True, kw_only=True)
class Direction:
    """End of the text that annotators mark more, with its statistics.

    Attributes
    ----------
    mean_position
        Mean over annotators of the mean middle of their units: 0 at the text's beginning, 1 at its
        end.
    trailing
        Mean over annotators of the empty stretch at the end less that at the beginning, as a share
        of the text.
    towards
        "beginning" or "end", according to the weighted sum of both statistics.
    p
        p of the hypothesis that there is no direction, from the same sum.
    by
        Kind of random data that the annotations were compared with: "turns" or "documents".
    documents
        Number of documents that the result rests on: of a large corpus 500, spread evenly over the
        order of contents.
    annotators
        Annotators whose units lie nearer to an end than those of others in the same documents;
        empty for a single text.
    """

    mean_position: float
    trailing: float
    towards: str
    p: float
    by: str
    documents: int = 1
    annotators: tuple[Contrast, ...] = ()

    @property
    def shown(self) -> bool:
        """Return whether units lie towards one end."""
        return self.p <= _LEVEL

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence if a direction is shown, and those about annotators who differ from others."""
        people = tuple(note for contrast in self.annotators for note in contrast.notes)
        if not self.shown:
            return people
        more = "more"
        hint = ""
        if self.towards == "beginning":
            more = "less"
            hint = " (`read_until=` says how far somebody read)"
        return (
            f"units lie towards the {self.towards} of the text (mean position "
            f"{self.mean_position:.3f}, p = {self.p:.2g}). Part of this agreement may come from "
            f"that: the text has more to mark there, or everybody marks {more} as it goes on{hint}",
            *people,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return asdict(self)


def direction(continua: Sequence[Continuum], seed: int = 0) -> Direction | None:
    """Return the direction of one continuum, or of the documents of a corpus.

    Parameters
    ----------
    continua
        Documents; annotators with fewer than five units in one do not count there.
    seed
        Seed of the turns.

    Returns
    -------
    Direction or None
        None where no annotator made enough units, and on images and scans.
    """
    from scipy.special import stdtr

    rows = []
    turned = np.zeros(_TURNS)
    rng = np.random.default_rng([seed, 0])
    for continuum in documents_looked_at(continua):
        if continuum.in_space:
            continue
        people = [
            a for a in circle_of(continuum).annotations if len(a.starts) >= _FEWEST and a.length > 0
        ]
        if people:
            observed_sides, drawn = _towards_beginning(people, rng)
            rows.append(observed_sides)
            turned += drawn
    if not rows:
        return None
    place, trailing, each = np.array(rows).T
    if len(each) >= _DOCUMENTS and each.std() > 0:
        error = float(each.std(ddof=1)) / math.sqrt(len(each))
        p = 2 * float(stdtr(len(each) - 1, -abs(each.mean()) / error))
        by = "documents"
    else:
        further = np.abs(turned) >= abs(each.sum()) - _ROUNDING
        p = float((1 + further.sum()) / (1 + _TURNS))
        by = "turns"
    return Direction(
        mean_position=float(place.mean()) + 0.5,
        trailing=float(trailing.mean()),
        towards="beginning" if each.sum() > 0 else "end",
        p=p,
        by=by,
        documents=len(rows),
    )


def documents_looked_at(continua: Sequence[Continuum]) -> Sequence[Continuum]:
    """Return the documents that are tested: all, or 500 of a larger corpus.

    Parameters
    ----------
    continua
        Documents of a corpus.
    """
    if len(continua) <= _MOST_DOCUMENTS:
        return continua
    every = ContinuumSequence.of(continua)
    ordered = in_content_order(every.at(np.flatnonzero(every.most_units >= _FEWEST)))
    some = np.linspace(0, len(ordered) - 1, min(_MOST_DOCUMENTS, len(ordered)))
    return [ordered[i] for i in some.round().astype(int)]


def _towards_beginning(
    people: Sequence[Annotation], rng: np.random.Generator
) -> tuple[tuple[float, float, float], Floats]:
    """Return the statistics of a document, and their weighted sum for random turns.

    The statistics are the mean position − .5, the empty stretch at the end less that at the
    beginning, and their weighted sum, which is positive if units lie towards the beginning.
    """
    middles = [np.sort((a.starts + a.lengths / 2) / a.length) for a in people]
    angles = rng.random((len(people), _TURNS))
    observed_sides = np.array([_sides(positions[:, None])[:, 0] for positions in middles])
    turns = zip(middles, angles, strict=True)
    drawn = np.array([_sides_of_turns(positions, angle) for positions, angle in turns])
    spread = np.maximum(drawn.std(axis=2, keepdims=True), _ROUNDING)
    n = len(people)
    scale = math.sqrt(n * (1 + (n - 1) * _share_in_common(people, middles, angles)))
    one = _WEIGHTS @ (observed_sides / spread[:, :, 0]).sum(axis=0) / scale
    return (*observed_sides.mean(axis=0), one), _WEIGHTS @ (drawn / spread).sum(axis=0) / math.sqrt(
        n
    )


def _sides(middles: Floats) -> Floats:
    """Return both statistics of middles of units, shape (units, sets), as an array (2, sets)."""
    ends = 1 - middles.max(axis=0) - middles.min(axis=0)
    return np.stack([middles.mean(axis=0) - 0.5, ends])


def _sides_of_turns(middles: Floats, angles: Floats) -> Floats:
    """Return `_sides` of middles turned by each angle, in parts that fit into the cache."""
    parts = np.array_split(angles, min(1 + len(middles) // 32, 32))
    return np.concatenate([_sides(_around(middles[:, None] + part)) for part in parts], axis=1)


def _around(places: Floats) -> Floats:
    """Reduce places modulo 1 in place, with the same bits as `%` in a third of its time."""
    places -= np.floor(places)
    return places


def _share_in_common(
    people: Sequence[Annotation], middles: Sequence[Floats], angles: Floats
) -> float:
    """Return the share of units that other annotators have too, corrected for chance by turns."""
    if len(people) < 2:
        return 0.0
    distance = float(np.concatenate([a.lengths / a.length for a in people]).mean()) / 2
    shares = []
    for k, own in enumerate(middles):
        for j, other in enumerate(middles):
            if j != k:
                # A row per turn, so that places that are looked up in turn are close together. The
                # first row is not turned.
                sets = np.empty((1 + _TURNS_OF_SHARES, len(own)))
                sets[0] = own
                turns = angles[k, :_TURNS_OF_SHARES] - angles[j, :_TURNS_OF_SHARES]
                sets[1:] = _around(own + turns[:, None])
                near = _near(sets, other, distance)
                met = np.count_nonzero(near[0]) / len(own)
                by_chance = np.count_nonzero(near[1:]) / near[1:].size
                shares.append((met - by_chance) / max(1 - by_chance, 1e-12))
    return min(1.0, max(0.0, float(np.mean(shares))))


def _near(places: Floats, others: Floats, distance: float) -> Bools:
    """Return for each place whether one of the sorted others lies within a distance."""
    after = np.searchsorted(others, places)
    # No place is near the ends, so that the first and the last of the others have a neighbour too.
    neighbours = np.concatenate([[-np.inf], others, [np.inf]])
    nearest: Floats = np.minimum(places - neighbours[after], neighbours[after + 1] - places)
    return nearest <= distance
