"""Everything `gammacp compare` says, computed once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gammacp.campaign.compare.bootstrap import DRAWS, BootstrapInterval
from gammacp.campaign.compare.categories import CategoryAgreement, Confusion, by_category, confusion
from gammacp.campaign.compare.contributions import Contributions
from gammacp.campaign.compare.pairs import LeftOut, PairMatrix, left_out, pair_matrix
from gammacp.campaign.compare.permutation import DEALS, PermutationTest, permutation_test
from gammacp.campaign.compare.reference import (
    ReferenceComparison,
    against_reference,
    check_reference,
)
from gammacp.campaign.compare.scoring import Agreement, agreement, annotators_of, with_annotators
from gammacp.continuum import Continuum
from gammacp.errors import DataError

if TYPE_CHECKING:
    from gammacp.measures.settings import GammaOptions


@dataclass(frozen=True, kw_only=True)
class AnnotatorSummary:
    """One annotator among the others.

    Attributes
    ----------
    units, documents, mean_length
        What they marked.
    mean_pair
        Plain mean of γ with each other annotator.
    without
        γ of the others, and the gain over everybody; NaN for fewer than three annotators.
    alone
        Share of their units that nobody else marked.
    outvoted
        Share of their units in unitary alignments where another category has more votes than
        theirs.
    """

    name: str
    units: int
    documents: int
    mean_length: float
    mean_pair: float
    without: float
    gain: float
    alone: float
    outvoted: float


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Who agrees with whom, about what, and where.

    `overall` holds the score per document, too; `reference` is None unless one was named.
    """

    overall: Agreement
    bootstrap: BootstrapInterval | None
    pairs: PairMatrix
    left_out: tuple[LeftOut, ...]
    annotators: tuple[AnnotatorSummary, ...]
    categories: tuple[CategoryAgreement, ...]
    confusion: Confusion
    reference: ReferenceComparison | None

    def _repr_html_(self) -> str:
        from gammacp.display import as_html

        return as_html("comparison", self)


def compare(
    continua: Mapping[str, Continuum],
    *,
    reference: str | None = None,
    draws: int = DRAWS,
    leave_one_out: bool = True,
    executor: Executor | None = None,
    progress: Callable[[str], None] | None = None,
    **options: object,
) -> Comparison:
    """Compare the annotators of some continua.

    Parameters
    ----------
    continua
        By name; not everybody has to annotate everything.
    reference
        An annotator to set apart (a gold standard, a system): it takes part in `reference` only.
    draws
        Bootstrap draws; 0 for none.
    leave_one_out
        Compute γ without each annotator: as much work again as γ, for each of them.
    executor
        Where the γ of pairs and of the left-out sets are computed.
    progress
        Is told what comes next.
    options
        As for `gammacp.gamma`.

    Raises
    ------
    DataError
        Fewer than two annotators, no document with a γ, or no such reference.
    """
    settings: GammaOptions = options  # type: ignore[assignment]
    tell = progress or (lambda _: None)
    if reference is not None:
        check_reference(continua, reference)
    people = [a for a in annotators_of(continua) if a != reference]
    others = with_annotators(continua, people) if reference is not None else dict(continua)
    if len(people) < 2 or not others:
        raise DataError(
            f"comparing needs two annotators, and there is only {', '.join(people) or 'nobody'}",
            hint="Give the files of all annotators",
        )
    tell("everybody")
    shared: dict[object, object] = {}
    overall = agreement(others, settings, executor=executor, shared=shared)
    if not overall.computed:
        raise DataError(f"no document has a γ: {_reasons(overall)}")
    tell("pairs of annotators")
    pairs = pair_matrix(others, settings, executor=executor)
    tell("each annotator left out")
    without = left_out(others, overall, pairs, settings, executor=executor) if leave_one_out else ()
    tell("categories")
    names = tuple(dict.fromkeys(c for k in others.values() for c in k.categories))
    table = confusion((s.alignment for s in overall.computed.values()), names)
    found = None
    if reference is not None:
        tell("reference")
        found = against_reference(continua, reference, pairs, settings, executor=executor)
    seed = settings.get("seed", 0)
    return Comparison(
        overall=overall,
        bootstrap=overall.bootstrap(draws=draws, seed=seed) if draws else None,
        pairs=pairs,
        left_out=without,
        annotators=_summaries(others, overall, pairs, without),
        categories=by_category(others, table, settings, shared=shared),
        confusion=table,
        reference=found,
    )


def _reasons(overall: Agreement) -> str:
    reasons = {name: s.reason for name, s in overall.documents.items()}
    return "; ".join(f"{name}: {reason}" for name, reason in reasons.items())


def _summaries(
    continua: Mapping[str, Continuum],
    overall: Agreement,
    pairs: PairMatrix,
    without: tuple[LeftOut, ...],
) -> tuple[AnnotatorSummary, ...]:
    out = {entry.annotator: entry for entry in without}
    return tuple(
        _summary(name, continua, overall, pairs.mean_with_others(name), out.get(name))
        for name in pairs.annotators
    )


def _summary(
    name: str,
    continua: Mapping[str, Continuum],
    overall: Agreement,
    mean_pair: float,
    out: LeftOut | None,
) -> AnnotatorSummary:
    mine = [c for c in continua.values() if name in c.annotators]
    lengths = np.concatenate([c.lengths[c.rows_of(name)] for c in mine])
    alone, outvoted = _position_among_others(name, overall)
    return AnnotatorSummary(
        name=name,
        units=len(lengths),
        documents=len(mine),
        mean_length=float(lengths.mean()) if len(lengths) else math.nan,
        mean_pair=mean_pair,
        without=out.agreement.value if out else math.nan,
        gain=out.gain if out else math.nan,
        alone=alone,
        outvoted=outvoted,
    )


def _position_among_others(name: str, overall: Agreement) -> tuple[float, float]:
    """Share of units alone, and of units outvoted on the category."""
    total = alone = outvoted = 0
    for score in overall.computed.values():
        continuum, groups = score.alignment.continuum, score.alignment.groups
        if name not in continuum.annotators:
            continue
        column = continuum.annotators.index(name)
        own = groups[groups[:, column] >= 0]
        codes = np.where(own >= 0, continuum.category_codes[own], -2)
        for row in codes:
            present = row[row > -2]
            values, votes = np.unique(present, return_counts=True)
            total += 1
            alone += len(present) == 1
            outvoted += int(votes[values == row[column]][0] < votes.max())
    return (alone / total, outvoted / total) if total else (math.nan, math.nan)


def compare_rounds(
    first: Agreement, second: Agreement, *, deals: int = DEALS, seed: int = 0
) -> PermutationTest:
    """Permutation test between two rounds or campaigns.

    Documents are swapped in pairs where both rounds have exactly the same ones, dealt anew where
    they do not; with a single document in either round, runs of neighbouring unitary alignments
    are dealt anew.
    """
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
