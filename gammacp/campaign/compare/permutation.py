"""Two rounds or campaigns: is their agreement really different? A permutation test.

Under the null hypothesis a part (a document, a unitary alignment) could as well have come from the
other round. So parts are dealt anew to the two rounds, or, where both rounds annotated the same
documents, swapped within each pair; the p-value is the share of deals whose difference of γ is at
least as large as the observed one. Few parts are dealt in all possible ways, which makes the value
exact; otherwise at random, with the observed deal counted (Phipson & Smyth 2010), so that it is
never 0.
"""

import math
from dataclasses import asdict, dataclass
from itertools import combinations, product
from typing import Any

import numpy as np

from gammacp.arrays import Floats
from gammacp.errors import DataError, UsageError
from gammacp.measures.agreement import Agreement
from gammacp.measures.contributions import Contributions

DEALS = 9999


@dataclass(frozen=True, kw_only=True)
class PermutationTest:
    """Difference of two γ with its two-sided p-value.

    Attributes
    ----------
    difference
        γ of the first minus γ of the second.
    p_value
        In (0, 1].
    deals, exact
        How many deals were compared, and whether those are all there are.
    paired
        Whether parts were swapped within pairs.
    parts, kind
        Number of parts of the two sides and what they are.
    """

    difference: float
    p_value: float
    deals: int
    exact: bool
    paired: bool
    parts: tuple[int, int]
    kind: str

    def in_words(self) -> str:
        """One sentence for people; no claim beyond what the value says."""
        way = "swapped within pairs" if self.paired else "dealt anew"
        dealt = f"all {self.deals}" if self.exact else f"{self.deals} random"
        n = f"{self.parts[0]} pairs of" if self.paired else f"{self.parts[0]} + {self.parts[1]}"
        share = f"{self.p_value:.4f}" if self.p_value >= 1e-4 else f"{self.p_value:.1e}"
        return (
            f"γ differs by {self.difference:+.3f}; if the two did not differ, a difference at "
            f"least as large would come up with probability {share} "
            f"({n} {self.kind} {way}, {dealt} deals)."
        )


def permutation_test(
    first: Contributions,
    second: Contributions,
    *,
    paired: bool = False,
    deals: int = DEALS,
    seed: int = 0,
) -> PermutationTest:
    """Two-sided test of the difference of γ.

    Parameters
    ----------
    first, second
        Contributions of the two sides, of the same kind; `paired` ones are as many, in order.
    deals
        Number of random deals, ≥ 1; all possible ones are compared where they are not more.
    seed
        Of the random deals.

    Raises
    ------
    DataError
        There are too few parts to be permuted.
    """
    sizes = (len(first), len(second))
    if min(sizes) == 0 or (not paired and sum(sizes) < 3):
        raise DataError(f"{sizes[0]} and {sizes[1]} {first.kind} are too few to be permuted")
    masks, exact = (
        _paired_deals(sizes[0], deals, seed) if paired else deal_sides(*sizes, deals, seed)
    )
    differences = _differences(first, second, masks)
    observed = first.gamma - second.gamma
    return PermutationTest(
        difference=observed,
        p_value=p_value(np.abs(differences), abs(observed), exact=exact),
        deals=len(differences),
        exact=exact,
        paired=paired,
        parts=sizes,
        kind=first.kind,
    )


def _differences(first: Contributions, second: Contributions, masks: Floats) -> Floats:
    """γ₁ − γ₂ of each deal; masks (deals, parts of both): 1 where a part goes to the first."""
    both = Contributions(
        np.concatenate([first.observed, second.observed]),
        np.concatenate([first.expected, second.expected]),
        first.kind,
    )
    return np.nan_to_num(both.weigh(masks) - both.weigh(1 - masks), nan=0.0)


def p_value(differences: Floats, observed: float, *, exact: bool) -> float:
    """The share of deals with at least the observed difference, which counts as one of them."""
    # Equal deals differ by rounding; the observed one must be at least as large as itself.
    extreme = int((differences >= observed - 1e-12).sum())
    return extreme / len(differences) if exact else (extreme + 1) / (len(differences) + 1)


def deal_sides(n: int, m: int, deals: int, seed: int) -> tuple[Floats, bool]:
    """Masks (deals, n + m) of who goes to the first side, and whether those are all there are."""
    if math.comb(n + m, n) <= deals:
        chosen = list(combinations(range(n + m), n))
        masks = np.zeros((len(chosen), n + m))
        masks[np.arange(len(chosen))[:, None], chosen] = 1
        return masks, True
    masks = np.zeros((deals, n + m))
    masks[:, :n] = 1
    return _generator(seed).permuted(masks, axis=1), False


def _paired_deals(n: int, deals: int, seed: int) -> tuple[Floats, bool]:
    exact = n < 63 and 2**n <= deals
    if exact:
        swapped = np.array(list(product((0.0, 1.0), repeat=n)))
    else:
        swapped = _generator(seed).integers(2, size=(deals, n)).astype(np.float64)
    return np.concatenate([1 - swapped, swapped], axis=1), exact


def _generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0xDEA1,)))


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
        return {**self.agreement.score.as_dict(), **asdict(self.test)}


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
