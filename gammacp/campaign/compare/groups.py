"""Groups of annotators: experts and crowd, people and models, two countries.

The agreement of groups is computed from pairs of annotators, as 1 − Σ observed / Σ expected
disorder. γ within a group uses the pairs inside it, and γ across two groups the pairs with one
annotator of each. The latter is the cross-replication reliability (xRR) of Wong, Paritosh & Aroyo
(2021): their κ_x = 1 − d_o(X, Y) / d_e(X, Y), with the disorders of γ in place of a distance
between labels. Their normalized κ_x divides by the geometric mean of the two groups' own
reliabilities. A value of 1 means that the groups differ from each other no more than the members of
a group do. Unlike in the paper, pairs are weighted by their units and each pair has its own
expected disorder.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from itertools import combinations
from typing import Any

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.campaign.compare.pairs import PairMatrix
from gammacp.campaign.compare.stretches import DocumentParts
from gammacp.chance.beyond import ratio
from gammacp.errors import DataError, UsageError
from gammacp.inference.part_tests import FEWEST_ANNOTATORS, with_holm
from gammacp.inference.replication import Replication, replication
from gammacp.measures.agreement import Agreement


@dataclass(frozen=True, kw_only=True)
class AcrossGroups:
    """Agreement across two groups.

    Attributes
    ----------
    groups, pairs
        Names of the two groups, and the number of pairs of annotators, one of each group, who have
        an expected disorder.
    gamma
        γ across the groups (xRR).
    normalized
        gamma / √(γ within the first · γ within the second); NaN if a group has no pair, or a γ that
        is not positive.
    difference
        γ of all pairs within groups minus γ across. It is not tested, as it also differs from 0 if
        one group is merely less careful than the other.
    p_value
        One-sided p-value of a normalized xRR of 1 against a smaller one: the larger of `p_parts`
        and `p_annotators`. The former is from a jackknife over documents or stretches and holds for
        these annotators. The latter is from one over annotators and holds for these documents. Both
        include the error of random sets. NaN without a test.
    p_holm
        `p_value` after Holm's correction for all tested pairs of groups.
    parts, kind
        Number and kind of parts: documents, clusters or stretches; 0 without a test.
    untested
        Reason why there is no test.
    """

    groups: tuple[str, str]
    pairs: int
    gamma: float
    normalized: float
    difference: float
    p_value: float
    p_parts: float
    p_annotators: float
    p_holm: float
    parts: int
    kind: str
    untested: str | None


@dataclass(frozen=True, kw_only=True)
class Groups:
    """Agreement within and across groups of annotators.

    Attributes
    ----------
    members
        Annotators by group.
    within
        γ over the pairs of each group; NaN if no pair has a γ.
    across
        Results for every two groups.
    left_out
        Annotators who are in no group.
    """

    members: Mapping[str, tuple[str, ...]]
    within: Mapping[str, float]
    across: tuple[AcrossGroups, ...]
    left_out: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the groups as JSON has them."""
        return {
            "groups": {
                name: {"annotators": list(people), "gamma": self.within[name]}
                for name, people in self.members.items()
            },
            "across": [asdict(a) for a in self.across],
            "annotators_left_out": list(self.left_out),
        }

    def in_words(self) -> str:
        """Return a sentence per two groups."""
        tested = sum(a.untested is None for a in self.across)
        return "\n".join(_sentence(a, tested) for a in self.across)


def members_of(annotators: Sequence[str], groups: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the annotators of each group, parsed from texts like `models=gpt4o,llama*`.

    Parameters
    ----------
    annotators
        Everybody there is.
    groups
        A text per group, at least two.

    Raises
    ------
    UsageError
        A text is no `NAME=ANNOTATOR,…`, a name comes twice, or an annotator is in two groups.
    DataError
        A pattern matches nobody.

    >>> members_of(["ann", "bob", "m1"], ["people=ann,bob", "models=m*"])
    {'people': ('ann', 'bob'), 'models': ('m1',)}
    """
    members: dict[str, tuple[str, ...]] = {}
    for entry in groups:
        name, _, listed = entry.partition("=")
        patterns = [p.strip() for p in listed.split(",") if p.strip()]
        if not name or not patterns:
            raise UsageError(f"group {entry!r} is not NAME=ANNOTATOR,… (patterns such as m* too)")
        if name in members:
            raise UsageError(f"group {name!r} is given twice")
        for p in patterns:
            if not any(fnmatchcase(a, p) for a in annotators):
                raise DataError(
                    f"group {name}: no annotator is {p!r}",
                    hint=f"There are {', '.join(annotators[:20])}{' …' * (len(annotators) > 20)}",
                )
        group_members = tuple(a for a in annotators if any(fnmatchcase(a, p) for p in patterns))
        for other, other_members in members.items():
            if both := sorted(set(other_members) & set(group_members)):
                raise UsageError(f"{both[0]} is in the groups {other!r} and {name!r}")
        members[name] = group_members
    if len(members) < 2:
        raise UsageError("one group cannot be compared: give `compare(groups=)` twice")
    return members


def groups_of(pairs: PairMatrix, members: Mapping[str, Sequence[str]], whole: Agreement) -> Groups:
    """Agreement within and across groups.

    Parameters
    ----------
    pairs
        γ of the pairs of all annotators.
    members
        Annotators by group.
    whole
        γ of everybody, whose documents or stretches the test rests on.

    Raises
    ------
    DataError
        Pairs were left out because there are too many.
    """
    if pairs.left_out:
        raise DataError(
            f"{pairs.left_out} pairs of annotators are left out, but groups need all of them",
            hint="Take fewer annotators with `exclude=`, or fewer documents",
        )
    named = {name: tuple(people) for name, people in members.items()}
    everybody = {a for people in named.values() for a in people}
    cuts = DocumentParts(whole)
    disorders, errors = _disorders(pairs, cuts)
    codes = {n: np.array([pairs.annotators.index(a) for a in p]) for n, p in named.items()}
    two = combinations(codes.items(), 2)
    return Groups(
        members=named,
        within={name: _gamma(disorders, [(c, c)]) for name, c in codes.items()},
        across=with_holm((_across(dict(each), disorders, errors, cuts) for each in two), "p_value"),
        left_out=tuple(a for a in pairs.annotators if a not in everybody),
    )


def _disorders(pairs: PairMatrix, cuts: DocumentParts) -> tuple[Floats, Floats]:
    """Return the disorders of each pair by part, and the error of its expected disorder.

    Disorders are weighted by units. The shapes are (2, n, n, parts) and (n, n), both symmetric. If
    the documents cannot be divided into parts, there is one part.
    """
    index_of = {name: i for i, name in enumerate(pairs.annotators)}
    disorders = np.zeros((2, len(index_of), len(index_of), cuts.columns))
    errors = np.zeros((len(index_of), len(index_of)))
    for (a, b), agreement in pairs.agreements.items():
        if agreement.rated:  # otherwise the two share nothing that tells anything
            i = index_of[a]
            j = index_of[b]
            disorders[:, i, j] = disorders[:, j, i] = cuts.sums(agreement)
            errors[i, j] = errors[j, i] = agreement.score.chance_error
    return disorders, errors


def _gamma(disorders: Floats, blocks: Sequence[tuple[Any, Any]]) -> float:
    """Return 1 − Σ observed / Σ expected over blocks of pairs, given as (rows, columns)."""
    sums = [disorders[:, rows[:, None], columns].sum(axis=(1, 2, 3)) for rows, columns in blocks]
    observed, expected = np.sum(sums, axis=0).tolist()
    return ratio(observed, expected, "")[0]


def _across(
    codes: dict[str, Any], disorders: Floats, errors: Floats, cuts: DocumentParts
) -> AcrossGroups:
    (one, first), (other, second) = codes.items()
    sides = ((first, second), (first, first), (second, second))
    gamma = _gamma(disorders, [sides[0]])
    expected = disorders[1].sum(axis=-1)

    def error(rows: Any, columns: Any) -> float:
        """Return the relative error of the expected disorder of a block of pairs.

        Pairs share random sets, so their errors do not cancel out: it is their weighted mean.
        """
        weights = expected[rows[:, None], columns]
        total = float(weights.sum())
        if total:
            return float((weights * errors[rows[:, None], columns]).sum()) / total
        return 0.0

    # Leave out parts in which none of these pairs has any expected disorder.
    both = np.concatenate((first, second))
    has_chance = disorders[1][both[:, None], both].sum(axis=(0, 1)) > 0
    across, within, others = (error(*side) for side in sides)
    parts = disorders[..., has_chance]
    test = replication(parts[0], parts[1], first, second, (across, within, others))
    tested = not math.isnan(test.p)
    return AcrossGroups(
        groups=(one, other),
        pairs=int((expected[first[:, None], second] > 0).sum()),
        gamma=gamma,
        normalized=test.value,
        difference=_gamma(disorders, sides[1:]) - gamma,
        p_value=test.p,
        p_parts=test.p_parts,
        p_annotators=test.p_annotators,
        p_holm=math.nan,
        parts=int(has_chance.sum()) if tested else 0,
        kind=cuts.kind,
        untested=None if tested else _why_untested(test, min(map(len, codes.values())), cuts),
    )


def _why_untested(test: Replication, fewest: int, cuts: DocumentParts) -> str:
    """Return why there is no p."""
    if fewest < FEWEST_ANNOTATORS:
        return f"it takes {FEWEST_ANNOTATORS} annotators in each group"
    if math.isnan(test.value) or test.value <= 0:
        return "γ within or across is 0 or less, or undefined"
    return cuts.reason or "without some document, stretch or annotator, a γ is 0 or less"


def _sentence(across: AcrossGroups, tested: int) -> str:
    a, b = across.groups
    if math.isnan(across.gamma):
        return f"{a} and {b}: no γ across, because no document with a γ has annotators of both."
    if across.pairs == 1:
        pairs = "1 pair"
    else:
        pairs = f"{across.pairs} pairs"
    words = f"{a} and {b}: γ across (xRR) = {across.gamma:.3f} over {pairs}"
    if not math.isnan(across.difference):
        if across.difference >= 0:
            relation = "higher"
        else:
            relation = "lower"
        words += f", γ within is {abs(across.difference):.3f} {relation}"
    if not math.isnan(across.normalized):
        words += f"; normalized xRR {across.normalized:.3f}"
    if across.untested is not None:
        return f"{words}; not tested: {across.untested}."
    return (
        f"{words} (at 1, one truth and each group's own errors explain all differences; p of less "
        f"than 1: {across.p_value:.2g}, the larger of {across.p_parts:.2g} over "
        f"{across.parts} {across.kind} and {across.p_annotators:.2g} over annotators"
        + (f"; {across.p_holm:.2g} by Holm over {tested} pairs of groups" if tested > 1 else "")
        + ")."
    )
