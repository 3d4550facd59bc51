"""Compare the agreement of two rounds or campaigns, with an interval and a test.

The test is over parts. The parts of a round are its documents, or clusters of documents. If both
rounds have the same parts, the test is paired. If each round is a single document, its unitary
alignments in order are the parts. Two standard errors are computed, one from the difference of γ
and one from the log ratio of the two disorders, and the larger one is used. It includes the
Monte-Carlo error of the expected disorders (`gammacp.inference.part_tests`).
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from gammacp.errors import DataError, UsageError
from gammacp.inference.contributions import ALIGNMENTS, DOCUMENTS, Contributions
from gammacp.inference.detecting import DetectableDifference, detectable
from gammacp.inference.part_tests import (
    FEWEST_ALIGNMENTS,
    FEWEST_PARTS,
    Parts,
    difference,
    independent_parts,
    paired_difference,
    parts_in_order,
)
from gammacp.measures.agreement import Agreement

_FEW = 20
_FEW_PAIRS = 40
_NO_SPREAD = 1e-24


@dataclass(frozen=True, kw_only=True)
class RoundTest:
    """Difference between the γ of two rounds, with its interval and test.

    Attributes
    ----------
    difference
        γ of the first minus γ of the second.
    difference_interval
        95 % confidence interval of the difference; None without a test.
    p_value
        Two-sided p of no difference; None without a test. If the interval does not contain 0, p is
        at most .05.
    detectable
        Smallest differences, downwards and upwards, that about three of four such comparisons would
        detect at the 5 % level. None without a test, for single texts, and if the documents are too
        few, too short or too unequal to tell (`gammacp.inference.detecting`).
    df
        Degrees of freedom of the test; None without a test.
    paired
        Whether both rounds have the same parts, so that the test is paired.
    parts, kind
        Number of parts of each round, and which parts they are (documents, clusters, …).
    shared
        Number of documents (or clusters, if any are named) that are in both rounds although the
        test is not paired. The test treats them as independent.
    untested
        Reason why there is no test; None if there is one.
    """

    difference: float
    difference_interval: tuple[float, float] | None = None
    p_value: float | None = None
    detectable: DetectableDifference | None = None
    df: float | None = None
    paired: bool
    parts: tuple[int, int]
    kind: str
    shared: int = 0
    untested: str | None = None

    def in_words(self) -> str:
        """Return sentences on the difference and its test."""
        words = f"γ differs by {self.difference:+.3f}"
        if self.difference_interval is None or self.p_value is None:
            return f"{words}; not tested: {self.untested}."
        low, high = self.difference_interval
        if self.paired:
            n = f"{self.parts[0]} pairs of"
        else:
            n = f"{self.parts[0]} and {self.parts[1]}"
        of = f"{n} {self.kind}"
        if self.kind != ALIGNMENTS:
            of += ", which must be independent"
            if self.kind == DOCUMENTS:
                of += ": if some share an author, patient or video, say so with `cluster=`"
        if self.p_value >= 1e-4:
            p = f"p = {self.p_value:.2g}"
        else:
            p = "p < .0001"
        words += f" (95% confidence {low:+.3f} to {high:+.3f}; {p}; {of})."
        if self.detectable is not None:
            words += f" {self.detectable.in_words()}"
        if self.shared:
            words += (
                f" {self.shared} {self.kind} are in both rounds but count as independent; for a "
                "paired test, compare only these (`document=`)."
            )
        if self.paired:
            few = _FEW_PAIRS
        else:
            few = _FEW
        if self.kind != ALIGNMENTS and min(self.parts) < few:
            words += (
                f" Below {few} {self.kind}, p can be too small by half or more if a few bad "
                "documents skew the disorder of one round."
            )
        return words


@dataclass(frozen=True, kw_only=True)
class OtherRound:
    """Agreement of another round, and the test of the difference.

    Attributes
    ----------
    agreement
        Agreement of the other round, computed with the same chance model as that of the first.
    test
        Difference between the rounds, with its test.
    """

    agreement: Agreement
    test: RoundTest

    def in_words(self) -> str:
        """Return sentences on γ of the other round, on the difference, and caveats of that γ."""
        noted = "".join(f" Other round: {note}." for note in self.agreement.score.caveats())
        return f"γ of the other round is {self.agreement.value:.4f}. {self.test.in_words()}{noted}"

    def as_dict(self) -> dict[str, Any]:
        """Return γ of the other round and the test as a dictionary for JSON.

        `reason` says why γ is missing or, if only the test is missing, why there is no `p_value`.
        """
        score = self.agreement.score.as_dict()
        return {**score, **asdict(self.test), "reason": score["reason"] or self.test.untested}


def compare_rounds(first: Agreement, second: Agreement) -> RoundTest:
    """Return the difference between two rounds or campaigns, with its interval and test.

    Parameters
    ----------
    first, second
        Agreement of each round.

    Raises
    ------
    DataError
        A round has no γ; one round has a single document and the other has several; or a document
        belongs to different clusters in the two rounds.
    UsageError
        The rounds were measured with different chance models, so their γ cannot be compared.
    """
    if first.chance != second.chance:
        raise UsageError(
            f"rounds with the chance models {first.chance!r} and {second.chance!r} cannot be "
            "compared: give both the same, or use compare(…, against=…)"
        )
    if not (first.rated and second.rated):
        raise DataError(
            "one of the two rounds has no document with a γ, so they cannot be compared"
        )
    names = [_names(side) for side in (first, second)]
    same = {*names[0].values()} == {*names[1].values()}
    sides = [first.contributions(), second.contributions()]
    if same and not names[0].keys() ^ names[1].keys():
        sides[0] = first.contributions(names[1])
        for document in (n for n in names[0] if names[0][n] != names[1][n]):
            raise DataError(
                f"document {document!r} is in the cluster {names[0][document]!r} of the one round "
                f"and {names[1][document]!r} of the other"
            )
    kinds = {side.kind for side in sides}
    if len(kinds) > 1:
        raise DataError(
            f"{len(sides[0])} {sides[0].kind} and {len(sides[1])} {sides[1].kind} cannot be "
            "compared",
            hint="Give one document for each round, or several for both, and the clusters of both "
            "rounds or of none",
        )
    kind = kinds.pop()
    paired = same and kind != ALIGNMENTS
    if paired or kind == ALIGNMENTS:
        shared = 0
    else:
        shared = len({*names[0].values()} & {*names[1].values()})
    return difference_of(
        sides[0],
        sides[1],
        paired=paired,
        errors=(first.score.chance_error, second.score.chance_error),
        shared=shared,
    )


def _names(side: Agreement) -> Mapping[str, str]:
    """Return the part that each document with a γ belongs to: its cluster, or itself."""
    return {n: side.clusters.get(n) or n for n in side.rated}


def difference_of(
    first: Contributions,
    second: Contributions,
    *,
    paired: bool = False,
    errors: tuple[float, float] = (0.0, 0.0),
    shared: int = 0,
) -> RoundTest:
    """Return the difference of γ between two sides.

    Parameters
    ----------
    first, second
        Contributions of the two sides, of the same kind. If `paired`, both have equally many, in
        the same order.
    paired
        Whether they are the same documents or clusters.
    errors
        Relative standard errors of the two expected disorders.
    shared
        Number of parts that are on both sides although the comparison is not paired.
    """
    sizes = (len(first), len(second))
    kind = first.kind
    fields: dict[str, Any] = {"difference": first.gamma - second.gamma, "paired": paired}
    fields |= {"parts": sizes, "kind": kind, "shared": shared}
    least = FEWEST_PARTS
    parts_of_sides = f"{kind} of each side"
    if kind == ALIGNMENTS:
        least = FEWEST_ALIGNMENTS
        parts_of_sides = f"{kind} of each text"
    if min(sizes) < least:
        few = f"{sizes[0]} and {sizes[1]} {kind} are too few to tell how they differ"
        return RoundTest(**fields, untested=f"{few} (at least {least} {parts_of_sides})")
    one = _parts(first)
    two = _parts(second)
    if paired:
        test = paired_difference(one, two, math.hypot(*errors))
    else:
        test = difference(one, two, errors)
    if not max(side.variance for side in (one, two)) > _NO_SPREAD:
        return RoundTest(**fields, untested=f"{kind} of each side are all alike")
    low, high = map(float, test.interval())
    power = None
    if kind != ALIGNMENTS:
        both = [(side.observed, side.expected) for side in (first, second)]
        power = detectable(both[0], both[1], paired=paired, errors=errors)
    return RoundTest(
        **fields,
        difference_interval=(low, high),
        p_value=float(test.p),
        detectable=power,
        df=float(test.df),
    )


def _parts(side: Contributions) -> Parts:
    if side.kind == ALIGNMENTS:
        make = parts_in_order
    else:
        make = independent_parts
    return make(side.observed, side.expected)
