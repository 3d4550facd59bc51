"""Everything `gammacp compare` says, computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from gammacp.arguments import whole
from gammacp.campaign.compare.annotators import AnnotatorSummary, summaries
from gammacp.campaign.compare.categories import CategoryAgreement, Confusion, by_category, confusion
from gammacp.campaign.compare.pairs import (
    PairMatrix,
    WithoutAnnotator,
    pair_matrix,
    selections_of_pairs,
    selections_without,
    without_each,
)
from gammacp.campaign.compare.permutation import DEALS
from gammacp.campaign.compare.reference import (
    ReferenceComparison,
    against_reference,
    check_reference,
    documents_with,
    selections_with,
)
from gammacp.campaign.compare.rounds import OtherRound, compare_rounds
from gammacp.campaign.compare.scoring import Scores, Selection, annotators_of, with_annotators
from gammacp.errors import DataError
from gammacp.measures.agreement import Agreement, Continua, named_continua
from gammacp.measures.resampling import DRAWS, BootstrapInterval
from gammacp.measures.settings import GammaOptions, Settings, spelled_out

if TYPE_CHECKING:
    from gammacp.measures.random_sets import Memory


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Who agrees with whom, about what, and where; all γ under one chance model.

    `overall` holds the score per document, too; `without` is the agreement without each annotator;
    `reference` is None unless one was named, `against` unless there is another round.
    """

    overall: Agreement
    bootstrap: BootstrapInterval | None
    pairs: PairMatrix
    without: tuple[WithoutAnnotator, ...]
    annotators: tuple[AnnotatorSummary, ...]
    categories: tuple[CategoryAgreement, ...]
    confusion: Confusion
    reference: ReferenceComparison | None
    against: OtherRound | None = None

    def _repr_html_(self) -> str:
        from gammacp.display import as_html

        return as_html("comparison", self)

    @property
    def signatures(self) -> tuple[str, ...]:
        """How γ was made, and γ of the other round if there is one."""
        rounds = [self.overall, *([self.against.agreement] if self.against else [])]
        return tuple(r.score.signature for r in rounds)

    def as_dict(self) -> dict[str, Any]:
        """The comparison as JSON has it."""
        return {
            "overall": {
                **self.overall.score.as_dict(),
                "bootstrap": self.bootstrap.as_dict() if self.bootstrap else None,
            },
            "documents": [
                {"file": name, **s.as_dict()} for name, s in self.overall.documents.items()
            ],
            "annotators": [a.as_dict() for a in self.annotators],
            "pairs": self.pairs.as_dict(),
            "categories": [c.as_dict() for c in self.categories],
            "confusion": self.confusion.as_dict(),
            "reference": self.reference.as_dict() if self.reference else None,
            "against": self.against.as_dict() if self.against else None,
        }


@spelled_out
def compare(
    continua: Continua,
    *,
    reference: str | None = None,
    against: Continua | None = None,
    draws: int = DRAWS,
    deals: int = DEALS,
    leave_one_out: bool = True,
    executor: Executor | None = None,
    progress: Callable[[str], None] | None = None,
    **options: Unpack[GammaOptions],
) -> Comparison:
    """Compare the annotators of some continua.

    Parameters
    ----------
    continua
        One, a corpus, or several by name; not everybody has to annotate everything.
    reference
        An annotator to set apart (a gold standard, a system): it takes part in `reference` only.
    against
        Another round or campaign, for a permutation test of the difference.
    draws, deals
        Bootstrap draws (0 for none), and random deals of the permutation test.
    leave_one_out
        Compute γ without each annotator: as much work again as γ, for each of them.
    executor
        Where the γ of pairs and of the left-out sets are computed.
    progress
        Is told what comes next.
    options
        Those of `GammaOptions`. One chance model serves everything that is compared
        (`gammacp.chance.registry.default_chance`).

    Raises
    ------
    DataError
        Fewer than two annotators, no document with a γ, or no such reference.
    UsageError
        An option is unknown or cannot be meant.
    """
    settings = Settings.of(**options)
    draws, deals = whole("draws", draws, 0), whole("deals", deals, 1)
    tell = progress or (lambda _: None)
    everything = named_continua(continua)
    others = _people(everything, reference)
    another = None if against is None else _people(named_continua(against), reference, there=False)
    scores = Scores.of_all(_compared(everything, others, another, reference), settings, executor)
    tell("everybody")
    memory: Memory = {}
    overall = scores.of(others, memory=memory)
    if not overall.computed:
        reasons = "; ".join(f"{name}: {s.reason}" for name, s in overall.documents.items())
        raise DataError(f"no document has a γ: {reasons}")
    tell("pairs of annotators")
    pairs = pair_matrix(others, scores)
    tell("each annotator left out")
    without = without_each(others, scores) if leave_one_out else ()
    tell("categories")
    names = tuple(dict.fromkeys(c for k in others.values() for c in k.categories))
    table = confusion((s.alignment for s in overall.computed.values()), names)
    categories = by_category(others, table, overall, scores.settings, memory)
    found, rounds = None, None
    if reference is not None:
        tell("reference")
        found = against_reference(everything, reference, pairs, scores)
    if another is not None:
        tell("the other round")
        second = scores.of(another)
        test = compare_rounds(overall, second, deals=deals, seed=settings.seed)
        rounds = OtherRound(agreement=second, test=test)
    return Comparison(
        overall=overall,
        bootstrap=overall.bootstrap(draws=draws, seed=settings.seed) if draws else None,
        pairs=pairs,
        without=without,
        annotators=summaries(others, overall, pairs, without),
        categories=categories,
        confusion=table,
        reference=found,
        against=rounds,
    )


def _people(continua: Selection, reference: str | None, *, there: bool = True) -> Selection:
    """The continua without the reference, which must be `there`."""
    if reference is not None and there:
        check_reference(continua, reference)
    people = [a for a in annotators_of(continua) if a != reference]
    others = with_annotators(continua, people) if reference is not None else dict(continua)
    if len(people) < 2 or not others:
        raise DataError(
            f"comparing needs two annotators, and there is only {', '.join(people) or 'nobody'}",
            hint="Give the files of all annotators",
        )
    return others


def _compared(
    everything: Selection,
    others: Selection,
    another: Selection | None,
    reference: str | None,
) -> Iterable[Selection]:
    """Every selection whose γ is compared with another one's, asked for or not."""
    yield others
    yield from selections_of_pairs(others).values()
    for both in selections_without(others).values():
        yield from both
    if another is not None:
        yield another
    if reference is not None:
        yield documents_with(everything, reference)
        yield from selections_with(everything, reference).values()
