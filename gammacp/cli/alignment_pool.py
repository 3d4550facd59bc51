"""Output of `align --pool`: the best alignments as text and JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gammacp.alignment.alignment import Alignment
from gammacp.alignment.alternatives.pool import Pool, alignments
from gammacp.alignment.solvers.registry import SOLVERS
from gammacp.cli.alignment_table import (
    alignment_records,
    print_alignment,
    print_alignment_rows,
)
from gammacp.cli.output import say
from gammacp.errors import UsageError


@dataclass(frozen=True)
class ShownPool:
    """A pool of alignments, and the alignment that was printed before it.

    Attributes
    ----------
    pool
        Result of `alignments`.
    shown
        The alignment printed before the pool. It is as good as the first one of the pool, unless
        the time limit was too short.
    """

    pool: Pool
    shown: Alignment

    @property
    def is_shown(self) -> bool:
        """Return whether the printed alignment is as good as the first one of the pool."""
        least = self.pool.alignments[0].disorder
        return self.shown.disorder <= least + self.pool.tolerance

    def as_dict(self) -> dict[str, Any]:
        """Return the pool with the disorder and the units of each alignment."""
        listed = [
            {"disorder": a.disorder, "unitary_alignments": alignment_records(a)} for a in self.pool
        ]
        return {**self.pool.as_dict(), "alignments": listed}

    def show(self) -> None:
        """Print the number of alignments, and how each one differs from the first."""
        say(_count_in_words(self.pool, "this disorder" if self.is_shown else "the least disorder"))
        for note in self.pool.notes:
            say(note)
        if not self.is_shown:
            print_alignment(
                self.pool[0],
                title=f"alignment 1, disorder {self.pool[0].disorder:.12g}: better than that above",
            )
        first = {tuple(group) for group in self.pool[0].groups.tolist()}
        for number, alignment in enumerate(self.pool.alignments[1:], 2):
            groups = alignment.groups.tolist()
            different = [k for k, group in enumerate(groups) if tuple(group) not in first]
            print_alignment_rows(
                alignment,
                different,
                title=f"alignment {number}, disorder {alignment.disorder:.12g}: "
                "what is not in the first one",
            )


def check_pool(pool: int | None, within: float | None, method: str) -> None:
    """Raise a UsageError for invalid values of the pool options, or a limit without a pool.

    Parameters
    ----------
    pool, within, method
        The options of `align`. The method must be exact, because others may miss the best
        alignments.
    """
    if pool is None:
        raise UsageError("--within needs --pool: how many alignments to list")
    if pool < 1:
        raise UsageError(f"--pool {pool} < 1")
    if within is not None and not within >= 0:
        raise UsageError(f"--within {within} is not a disorder of 0 or more")
    if not SOLVERS[method].exact:
        raise UsageError(
            f"--pool lists the best alignments, and --method {method} need not find one: leave "
            "--method out"
        )


def pool_of(
    alignment: Alignment, most: int, within: float | None, solving: Mapping[str, Any], seed: int
) -> ShownPool:
    """Return the pool of best alignments of a continuum that has been aligned.

    Parameters
    ----------
    alignment
        The best alignment.
    most, within
        Arguments of `alignments`.
    solving, seed
        Options of the solver, and the seed. The time limit applies to the pool, too.
    """
    return ShownPool(
        alignments(
            alignment.continuum,
            alignment.dissimilarity,
            most=most,
            within=within or 0.0,
            time_limit=solving.get("time_limit"),
            seed=seed,
        ),
        alignment,
    )


def _count_in_words(pool: Pool, least: str) -> str:
    """Return the number of alignments within the limit, in words.

    `least` is the phrase for the best disorder.
    """
    if math.isinf(pool.within) and pool.exact:
        return f"all alignments there are, {pool.count:,}:"
    if math.isinf(pool.within):
        return f"the {len(pool)} best alignments:"
    if pool.count == 1:
        many = "1 alignment has"
    else:
        many = f"{pool.count:,} alignments have"
    if not pool.exact:
        many = f"at least {many}"
    if pool.within == 0:
        return f"{many} {least}"
    return f"{many} a disorder of at most {pool[0].disorder + pool.within:.6g}"
