"""Automatic segmenters judged by the agreement of people (2012, §3.4).

Agreement is computed without and with an automatic segmenter among the coders. If it falls, the
segmenter agrees with people less than people do with each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gammacp.arguments import several, whole
from gammacp.errors import DataError, UsageError
from gammacp.segmentation.agreement import Bootstrap
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.coefficients import Coefficients, Pool, coefficients, pool
from gammacp.segmentation.comparison import Comparison
from gammacp.segmentation.ratios import draw_items
from gammacp.segmentation.rows import compared, rows_of


@dataclass(frozen=True, kw_only=True)
class CandidateDrop:
    """What one automatic segmenter does to the agreement of the people.

    Attributes
    ----------
    candidate, items
        Its name, and on how many items it was compared: those that it and two people coded.
    without, with_candidate
        Coefficients of the people, and of the people with the candidate, on these items.
    left_out
        Items that were not compared, since the candidate or two people are missing.
    pi_bootstrap, kappa_bootstrap
        Of the drops, over items; without an interval where nothing or one item is drawn.
    """

    candidate: str
    items: int
    without: Coefficients
    with_candidate: Coefficients
    left_out: int
    pi_bootstrap: Bootstrap
    kappa_bootstrap: Bootstrap

    @property
    def pi_drop(self) -> float:
        """π* of the people minus π* with the candidate: positive where it agrees less."""
        return self.without.pi - self.with_candidate.pi

    @property
    def kappa_drop(self) -> float:
        """The same for κ*."""
        return self.without.kappa - self.with_candidate.kappa

    def as_dict(self) -> dict[str, Any]:
        """The drop as JSON."""
        drawn = {"pi_s": self.pi_bootstrap, "kappa_s": self.kappa_bootstrap}
        return {
            "candidate": self.candidate,
            "items": self.items,
            "left_out": self.left_out,
            "without": self.without.as_dict(),
            "with": self.with_candidate.as_dict(),
            "drop": {"pi_s": self.pi_drop, "kappa_s": self.kappa_drop},
            "interval": {name: b.interval for name, b in drawn.items()},
            "undefined": {name: b.undefined for name, b in drawn.items()},
        }


def candidate_drops(
    codings: Codings,
    candidates: Sequence[str],
    *,
    comparison: Comparison | None = None,
    bootstrap: int = 0,
    seed: int = 0,
) -> tuple[CandidateDrop, ...]:
    """Candidates ranked from the smallest drop of π* to the largest, each judged on its own.

    Parameters
    ----------
    codings
        Segmentations of people and candidates. A candidate is one coder in all groups of people.
    candidates
        Names of coders that are automatic; the others are people.
    comparison, bootstrap, seed
        As for `coding_agreement`; the intervals draw the same items with and without.

    Raises
    ------
    UsageError
        A candidate coded nothing, or nobody else is left.
    DataError
        A candidate has no item in common with two people.
    """
    comparison = comparison or Comparison()
    bootstrap, seed = whole("bootstrap", bootstrap, 0), whole("seed", seed, 0)
    chosen = dict.fromkeys(several("candidates", candidates))
    for name in chosen:
        if name not in codings.coders:
            raise UsageError(
                f"candidate {name!r} coded no item; coders are: {', '.join(codings.coders)}"
            )
    drops = [
        _drop(codings, name, set(chosen) - {name}, comparison, bootstrap, seed) for name in chosen
    ]
    return tuple(sorted(drops, key=lambda d: (d.pi_drop != d.pi_drop, d.pi_drop)))


def _drop(
    codings: Codings,
    name: str,
    others: set[str],
    comparison: Comparison,
    bootstrap: int,
    seed: int,
) -> CandidateDrop:
    people = codings.without({name, *others})
    person = people.people()
    shared = [item for item, coders in people.items() if len(coders) >= 2 and name in codings[item]]
    if not shared:
        raise DataError(
            f"candidate {name!r} has no item that two people coded",
            hint="Put its segmentation among those of the people, under the same item",
        )
    arrays = []
    for part in (people.only(shared), codings.without(others).only(shared)):
        names = [person[item].get(c, c) for item, coders in part.items() for c in coders]
        arrays.append(pool(compared(rows_of(part), comparison), names))
    pi, kappa = _intervals(arrays, len(shared), comparison, bootstrap, seed)
    without, with_candidate = (coefficients(a, mode=comparison.mode) for a in arrays)
    return CandidateDrop(
        candidate=name,
        items=len(shared),
        without=without,
        with_candidate=with_candidate,
        left_out=len(codings) - len(shared),
        pi_bootstrap=pi,
        kappa_bootstrap=kappa,
    )


def _intervals(
    arrays: Sequence[Pool], items: int, comparison: Comparison, draws: int, seed: int
) -> tuple[Bootstrap, Bootstrap]:
    if draws == 0 or items < 2:
        return Bootstrap(), Bootstrap()
    pi, kappa = [], []
    for w in draw_items(items, draws, seed):
        without, with_it = (coefficients(a, mode=comparison.mode, weights=w) for a in arrays)
        pi.append(without.pi - with_it.pi)
        kappa.append(without.kappa - with_it.kappa)
    return Bootstrap.of(pi), Bootstrap.of(kappa)
