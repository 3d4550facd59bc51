"""Groups of annotators: experts and crowd, people and models, two countries.

The agreement of two groups is that of their pairs: γ within a group over the pairs inside it, γ
across over the pairs with one of each, both as 1 − Σ observed / Σ expected disorder. Across, it is
cross-replication reliability (xRR; Wong, Paritosh & Aroyo 2021): their κ_x = 1 − d_o(X, Y) /
d_e(X, Y) with γ's disorders in place of a distance of labels. Their normalized κ_x divides by the
root of the two groups' own reliabilities: 1 says that the groups differ from one another no more
than each differs in itself. Unlike there, a pair of annotators weighs by its units, and chance is
each pair's own.
"""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from itertools import combinations
from typing import Any

import numpy as np

from gammacp.arrays import Floats
from gammacp.campaign.compare.pairs import PairMatrix
from gammacp.campaign.compare.permutation import DEALS, deal_sides, p_value
from gammacp.errors import DataError, UsageError


@dataclass(frozen=True, kw_only=True)
class AcrossGroups:
    """Two groups.

    Attributes
    ----------
    groups, pairs
        Their names, and how many pairs have one annotator of each.
    gamma
        xRR: γ across.
    normalized
        gamma / √(γ within the first · γ within the second); NaN where a group has no pair or a γ
        that is not positive.
    difference, p_value, deals
        γ of all pairs within minus γ across, the share of deals of the annotators into groups of
        these sizes with at least such a difference (one-sided), and how many deals; NaN with
        fewer than three deals.
    """

    groups: tuple[str, str]
    pairs: int
    gamma: float
    normalized: float
    difference: float
    p_value: float
    deals: int


@dataclass(frozen=True, kw_only=True)
class Groups:
    """Agreement within and across groups of annotators.

    Attributes
    ----------
    members
        Annotators by group.
    within
        γ over the pairs of a group; NaN where no pair has a γ.
    across
        Every two groups.
    left_out
        Annotators in no group.
    """

    members: Mapping[str, tuple[str, ...]]
    within: Mapping[str, float]
    across: tuple[AcrossGroups, ...]
    left_out: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The groups as JSON has them."""
        return {
            "groups": {
                name: {"annotators": list(people), "gamma": self.within[name]}
                for name, people in self.members.items()
            },
            "across": [asdict(a) for a in self.across],
            "annotators_left_out": list(self.left_out),
        }

    def in_words(self) -> str:
        """A sentence per two groups."""
        return "\n".join(_sentence(a) for a in self.across)


def members_of(annotators: Sequence[str], wanted: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Annotators by group, from texts like `models=gpt4o,llama*`.

    Parameters
    ----------
    annotators
        Everybody there is.
    wanted
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
    found: dict[str, tuple[str, ...]] = {}
    for entry in wanted:
        name, _, listed = entry.partition("=")
        patterns = [p.strip() for p in listed.split(",") if p.strip()]
        if not name or not patterns:
            raise UsageError(f"group {entry!r} is not NAME=ANNOTATOR,… (patterns such as m* too)")
        if name in found:
            raise UsageError(f"group {name!r} is given twice")
        for p in patterns:
            if not any(fnmatchcase(a, p) for a in annotators):
                raise DataError(
                    f"group {name}: no annotator is {p!r}",
                    hint=f"There are {', '.join(annotators[:20])}{' …' * (len(annotators) > 20)}",
                )
        mine = tuple(a for a in annotators if any(fnmatchcase(a, p) for p in patterns))
        for other, theirs in found.items():
            if both := sorted(set(theirs) & set(mine)):
                raise UsageError(f"{both[0]} is in the groups {other!r} and {name!r}")
        found[name] = mine
    if len(found) < 2:
        raise UsageError("one group cannot be compared: give --group twice")
    return found


def groups_of(
    pairs: PairMatrix, members: Mapping[str, Sequence[str]], *, deals: int = DEALS, seed: int = 0
) -> Groups:
    """Agreement within and across groups.

    Parameters
    ----------
    pairs
        γ of the pairs of all annotators.
    members
        Annotators by group.
    deals, seed
        Random deals of the permutation test; all possible ones where they are few.

    Raises
    ------
    DataError
        Pairs were left out because there are too many.
    """
    if pairs.left_out:
        raise DataError(
            f"{pairs.left_out} pairs of annotators are left out, and groups need all",
            hint="Take fewer annotators with --exclude, or fewer documents",
        )
    named = {name: tuple(people) for name, people in members.items()}
    everybody = {a for people in named.values() for a in people}
    disorders = _disorders(pairs)
    codes = {n: np.array([pairs.annotators.index(a) for a in p]) for n, p in named.items()}
    two = combinations(codes.items(), 2)
    return Groups(
        members=named,
        within={name: _gamma(disorders, c, c) for name, c in codes.items()},
        across=tuple(_across(dict(each), disorders, deals, seed) for each in two),
        left_out=tuple(a for a in pairs.annotators if a not in everybody),
    )


def _disorders(pairs: PairMatrix) -> Floats:
    """Observed and expected disorder of each pair, weighed by its units; (2, n, n), symmetric."""
    place = {name: i for i, name in enumerate(pairs.annotators)}
    found = np.zeros((2, len(place), len(place)))
    for (a, b), agreement in pairs.agreements.items():
        with suppress(DataError):  # the two share nothing that tells anything
            parts = agreement.contributions()
            sums = parts.observed.sum(), parts.expected.sum()
            found[:, place[a], place[b]] = found[:, place[b], place[a]] = sums
    return found


def _gamma(disorders: Floats, rows: Any, columns: Any) -> float:
    observed, expected = disorders[:, rows[:, None], columns].sum(axis=(1, 2))
    return float(1 - observed / expected) if expected > 0 else math.nan


def _across(codes: dict[str, Any], disorders: Floats, deals: int, seed: int) -> AcrossGroups:
    (one, first), (other, second) = codes.items()
    within = _gamma(disorders, first, first), _gamma(disorders, second, second)
    gamma = _gamma(disorders, first, second)
    both = np.concatenate((first, second))
    mine = disorders[:, both[:, None], both]
    masks, exact = deal_sides(len(first), len(second), deals, seed)
    differences = _differences(mine, masks)
    observed = float(_differences(mine, (np.arange(len(both)) < len(first))[None].astype(float))[0])
    known = differences[~np.isnan(differences)]
    tested = len(known) > 2 and not math.isnan(observed)
    return AcrossGroups(
        groups=(one, other),
        pairs=int((disorders[1][first[:, None], second] > 0).sum()),
        gamma=gamma,
        normalized=gamma / math.sqrt(math.prod(within)) if min(within) > 0 else math.nan,
        difference=observed,
        p_value=p_value(known, observed, exact=exact) if tested else math.nan,
        deals=len(known),
    )


def _differences(disorders: Floats, masks: Floats) -> Floats:
    """γ within minus γ across for each deal."""
    total = disorders.sum(axis=(1, 2)) / 2
    sums = [np.einsum("di,ij,dj->d", masks, d, 1 - masks) for d in disorders]
    across = np.stack(sums, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = across[:, 0] / across[:, 1]
        inside = (total[0] - across[:, 0]) / (total[1] - across[:, 1])
    return np.asarray(apart - inside)


def _sentence(found: AcrossGroups) -> str:
    a, b = found.groups
    if math.isnan(found.gamma):
        return f"{a} and {b}: no γ across, as no document that tells anything has one of each."
    said = f"{a} and {b}: γ across (xRR) = {found.gamma:.3f} over {found.pairs} pairs"
    if not math.isnan(found.normalized):
        said += f", normalized {found.normalized:.3f}"
    if math.isnan(found.p_value):
        return f"{said}; too few annotators for a test of the difference."
    return (
        f"{said}; γ within is {found.difference:+.3f} against it, a difference that annotators "
        f"dealt at random into such groups reach with probability {found.p_value:.4f} "
        f"({found.deals} deals)."
    )
