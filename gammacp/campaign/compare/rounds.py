"""Two rounds or campaigns: γ of both, and whether they really differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammacp.campaign.compare.permutation import DEALS, PermutationTest, permutation_test
from gammacp.errors import DataError, UsageError
from gammacp.measures.agreement import Agreement
from gammacp.measures.contributions import Contributions


@dataclass(frozen=True, kw_only=True)
class OtherRound:
    """Another round with the test of the difference.

    `agreement` is that of the other round, under the same chance model; its signature and that of
    the first round say so.
    """

    agreement: Agreement
    test: PermutationTest

    def in_words(self) -> str:
        """γ of the other round and the difference, for people."""
        return f"γ of the other round is {self.agreement.value:.4f}. {self.test.in_words()}"

    def as_dict(self) -> dict[str, Any]:
        """γ of the other round and the test as JSON has them."""
        return {**self.agreement.score.as_dict(), **self.test.as_dict()}


def compare_rounds(
    first: Agreement, second: Agreement, *, deals: int = DEALS, seed: int = 0
) -> PermutationTest:
    """Permutation test between two rounds or campaigns.

    Documents are swapped in pairs where both rounds have exactly the same ones, dealt anew where
    they do not; with a single document in either round, runs of neighbouring unitary alignments
    are dealt anew.

    Parameters
    ----------
    first, second
            γ of both, with what each document contributes.
    deals
        Random deals, ≥ 1; all possible ones are compared where they are not more.
    seed
        Of the deals.

    Raises
    ------
    DataError
        A round has no γ, or one has a single document and the other several.
    UsageError
        The two were measured with different chance models, so that their γ cannot be compared.
    """
    if first.chance != second.chance:
        raise UsageError(
            f"rounds with the chance models {first.chance!r} and {second.chance!r} cannot be "
            "compared: give both the same, or use compare(…, against=…)"
        )
    documents = [{n: s for n, s in side.computed.items() if s.defined} for side in (first, second)]
    if any(not side for side in documents):
        raise DataError(
            "one of the two rounds has no document with a γ, so they cannot be compared"
        )
    if min(len(side) for side in documents) == 1:
        parts = [_in_runs(side.contributions()) for side in (first, second)]
        if parts[0].kind != parts[1].kind:
            raise DataError(
                f"{len(documents[0])} and {len(documents[1])} documents cannot be compared",
                hint="Give one document for each round, or several for both",
            )
        return permutation_test(*parts, deals=deals, seed=seed)
    paired = documents[0].keys() == documents[1].keys()
    sides = [first.contributions(), second.contributions()]
    if paired:
        order = [list(documents[0]).index(name) for name in documents[1]]
        base = sides[0]
        sides[0] = Contributions(base.observed[order], base.expected[order], base.kind)
    return permutation_test(sides[0], sides[1], paired=paired, deals=deals, seed=seed)


def _in_runs(parts: Contributions) -> Contributions:
    """Neighbouring unitary alignments put together, because they are not independent."""
    if parts.kind == "documents":
        return parts
    length = math.ceil(len(parts) ** (1 / 3))
    edges = np.arange(0, len(parts), length)
    return Contributions(
        np.add.reduceat(parts.observed, edges),
        np.add.reduceat(parts.expected, edges),
        f"runs of {length} unitary alignments",
    )
