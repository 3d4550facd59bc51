"""Random sets that contain certain annotators, cut from random sets of all annotators.

A γ of some annotators reuses the random sets of all of them in this way, where these bear the names
of real annotators.
"""

from collections.abc import Collection, Sequence

from gammacp.chance.expected import MOST_SAMPLES
from gammacp.chance.sampling import Draws
from gammacp.continuum import Continuum
from gammacp.continuum.selecting import keep_annotators


class SelectedSets(Draws[Continuum]):
    """Random sets that contain the given annotators, restricted to them.

    Parameters
    ----------
    draws
        Random sets with the names of real annotators.
    names, keep
        Only sets that hold all annotators with these names are selected. In them, these
        annotators are kept if `keep` is true, and all others if it is false.
    """

    def __init__(self, draws: Draws[Continuum], names: Collection[str], *, keep: bool) -> None:
        """Select from these draws; they are drawn when needed."""
        super().__init__(draws.sampler, draws.seed)
        self._draws, self._names, self._kept = draws, frozenset(names), keep
        self._hits: list[int] = []
        self._seen = 0

    rounds = 1

    def take(self, indices: Sequence[int]) -> list[Continuum]:
        """Return selected sets by number, as far as the first `MOST_SAMPLES` draws contain them."""
        self.reach(indices[-1] + 1 if len(indices) else 0, MOST_SAMPLES)
        self.ended = self.ended or (len(indices) > 0 and indices[-1] >= len(self._hits))
        drawn = self._draws.take([self._hits[k] for k in indices if k < len(self._hits)])
        return [
            keep_annotators(s, [a for a in s.annotators if (a in self._names) == self._kept])
            for s in drawn
        ]

    def reach(self, count: int, most: int) -> int:
        """Look for `count` suitable sets among the first `most` draws; return how many are known.

        The number may exceed `count` if more were found before.
        """
        while len(self._hits) < count and self._seen < most:
            drawn = self._draws.take([self._seen])
            if not drawn:
                break
            if self._names.issubset(drawn[0].annotators):
                self._hits.append(self._seen)
            self._seen += 1
        return len(self._hits)
