"""Comparison of annotators: all results of `gammacp compare`, and their computation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack

from gammacp.base.arguments import MOST_DRAWS, one_of, several, whole
from gammacp.base.lazy import Plotted
from gammacp.base.record_tables import record_of
from gammacp.base.signature import extend
from gammacp.base.text import in_short
from gammacp.campaign.compare.categories import CategoryAgreement, Confusion, by_category, confusion
from gammacp.campaign.compare.groups import Groups, groups_of, members_of
from gammacp.campaign.compare.over_time import OverTime, over_time
from gammacp.campaign.compare.pairs import (
    AnnotatorSummary,
    PairMatrix,
    WithoutAnnotator,
    pair_matrix,
    summaries,
    without_each,
)
from gammacp.campaign.compare.reference import ReferenceComparison, against_reference
from gammacp.campaign.compare.rounds import OtherRound, compare_rounds
from gammacp.campaign.compare.scoring import (
    Selection,
    annotators_of,
    categories_of,
    check_annotator,
    documents_with,
    with_annotators,
)
from gammacp.campaign.compare.sessions import Sessions, first_sessions, sessions_of
from gammacp.campaign.copies import CopiesFound, copies
from gammacp.campaign.parts import COMPARED, TABLES_BESIDE, ComparisonPart
from gammacp.continuum import Continuum
from gammacp.continuum.needs import too_few_annotators
from gammacp.errors import DataError
from gammacp.inference.resampling import DRAWS, BootstrapInterval
from gammacp.measures.agreement import (
    Agreement,
    agreement,
)
from gammacp.measures.explanation import Explanation, explained_on
from gammacp.measures.random_sets import Basis, Continua, named_continua
from gammacp.measures.settings import GammaOptions, Settings, spelled_out
from gammacp.registry import names as names_of

if TYPE_CHECKING:
    from pandas import DataFrame

    from gammacp.base.pictures import Picture
    from gammacp.kinds.kinds import Kinds

TABLES = ("document", "annotator", "pair", "category")


@dataclass(frozen=True, kw_only=True)
class AnnotatorTables:
    """The agreement of annotators with each other.

    Attributes
    ----------
    pairs
        Agreement of each pair.
    without
        Agreement of the others without each annotator.
    summaries
        A row about each annotator.
    """

    pairs: PairMatrix
    without: tuple[WithoutAnnotator, ...]
    summaries: tuple[AnnotatorSummary, ...]


@dataclass(frozen=True, kw_only=True)
class Comparison(Plotted):
    """Comparison of annotators, categories and documents; all γ under one chance model.

    `overall` holds the score per document, too; the tables of `people` can also be read as `pairs`,
    `without` and `annotators`. `reference` is None unless one was named, `against` unless there is
    another round, `sessions` unless people annotated twice, `over_time` unless documents are in
    order, `copies` of a single document, `explanation` unless it was asked for. `parts` holds what
    other subjects compare, by name; `refused` the reasons why the data have no such table.
    """

    overall: Agreement
    bootstrap: BootstrapInterval | None
    people: AnnotatorTables
    categories: tuple[CategoryAgreement, ...]
    confusion: Confusion
    reference: ReferenceComparison | None
    against: OtherRound | None = None
    explanation: Explanation | None = None
    groups: Groups | None = None
    parts: Mapping[str, ComparisonPart] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    sessions: Sessions | None = None
    over_time: OverTime | None = None
    copies: CopiesFound | None = None

    def __repr__(self) -> str:
        """Return how many documents, by whom, and their γ; `to_frame`, `as_dict` have the rest."""
        agreement = self.overall
        people = ", ".join(a.annotator for a in self.annotators[:5])
        more = len(self.annotators) - 5
        if more > 0:
            people += f", {more} more"
        if (n := len(agreement.documents)) != 1:
            documents = f"{n} documents"
        else:
            documents = "1 document"
        return f"Comparison({documents} by {people}: {agreement.score!r})"

    def _repr_html_(self) -> str:
        from gammacp.base.display import as_html

        return as_html("comparison", self)

    def _picture(self, width: float) -> Picture:
        """Draw the matrix of pairs, and bars of what each annotator does differently.

        Bars are there if kinds of differences were compared (`by=[…, "kind"]`).
        """
        from gammacp.campaign.compare.figure import picture_of

        return picture_of(self, width)

    @property
    def kinds(self) -> Kinds | None:
        """Kinds of differences; None where they were not asked for, or there are none."""
        return self.parts.get("kinds")  # type: ignore[return-value]

    @property
    def pairs(self) -> PairMatrix:
        """Agreement of each pair of annotators."""
        return self.people.pairs

    @property
    def without(self) -> tuple[WithoutAnnotator, ...]:
        """Agreement without each annotator."""
        return self.people.without

    @property
    def annotators(self) -> tuple[AnnotatorSummary, ...]:
        """A row about each annotator."""
        return self.people.summaries

    def to_frame(self) -> DataFrame:
        """Return a row per unitary alignment and pair, as of `Agreement.to_frame`."""
        return self.overall.to_frame()

    @property
    def signatures(self) -> tuple[str, ...]:
        """Return the signature of γ, and that of the other round if there is one."""
        rounds = [self.overall, *([self.against.agreement] if self.against else [])]
        return tuple(r.score.signature for r in rounds)

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON has it."""
        return {
            "overall": {**self.overall.score.as_dict(), **record_of(self, "bootstrap")},
            "documents": list(self.overall.results()),
            "annotators": [asdict(a) for a in self.annotators],
            "pairs": self.pairs.as_dict(),
            "pairs_left_out": self.pairs.left_out,
            "categories": [asdict(c) for c in self.categories],
            **record_of(self, "confusion reference against groups"),
            **{name: part.as_dict() for name, part in self.parts.items()},
            "tables_left_out": dict(self.refused),
            **record_of(self, "sessions over_time copies"),
            **record_of(self, "explanation" if self.explanation else ""),
        }


@spelled_out
def compare(
    continua: Continua,
    *,
    reference: str | None = None,
    against: Continua | None = None,
    groups: Collection[str] = (),
    teams: Mapping[str, str] | None = None,
    session: str | None = None,
    in_order: bool = False,
    draws: int = DRAWS,
    leave_one_out: bool = True,
    by: Collection[str] | None = None,
    also: Collection[str] = (),
    explain: bool = False,
    executor: Executor | None = None,
    progress: Callable[[str], None] | None = None,
    first: Callable[[Agreement], None] | None = None,
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
        Another round or campaign, for the difference with its interval and test.
    groups
        Groups of annotators, each as `NAME=ANNOTATOR,…` (patterns such as `m*`, too), for the
        agreement within and across them.
    teams
        The team of each annotator, if they work in fixed teams: intervals over annotators are over
        teams then.
    session
        A pattern of annotators' names, such as `{annotator}-{session}`, if people annotated twice:
        everything is about everybody's first session then, and `sessions` about their agreement
        with themselves.
    in_order
        Whether the continua are in the order in which they were annotated; changes of γ from the
        first to the last are `over_time` then.
    draws
        0 for no interval over documents; any other number gives the same one.
    leave_one_out
        Compute γ without each annotator, on the annotator's documents.
    by
        Tables beside γ of everybody: those of `TABLES`, or of other subjects. Default: all of
        `TABLES`, and of the others those that the data have, as `gammacp compare` does.
    also
        Tables of other subjects that are left out, with the reason, where the data have none.
    explain
        Whether γ of everybody is taken apart, too (`gammacp.measures.explanation`).
    executor
        Processes that align random sets; the result is the same to the bit.
    progress
        Is told what comes next, and of everybody how many random sets are aligned.
    first
        Is handed γ of everybody as soon as it is there.
    options
        Options of `GammaOptions`. One chance model serves everything that is compared
        (`gammacp.chance.registry.default_chance`).

    Raises
    ------
    DataError
        Fewer than two annotators, no document with a γ, or no such reference.
    UsageError
        Unknown option, or a value outside its range.
    """
    settings = Settings.of(**options)
    draws = whole("draws", draws, 0, MOST_DRAWS)
    wanted, also = _tables_wanted(by, also)
    tell = progress or (lambda _: None)
    data = _Compared.of(continua, against, reference, session)
    others = data.people
    members: dict[str, tuple[str, ...]] = {}
    if groups:
        members = members_of(annotators_of(others), several("groups", groups))
    settings = settings.deciding(data.all)
    tell("everybody")
    basis = Basis(others, settings, executor=executor, progress=_counted(tell), shared={})
    overall = _everybody(basis, teams)
    if first is not None:
        first(overall)
    tell("pairs of annotators")
    pairs = PairMatrix(annotators=annotators_of(others), agreements={})
    if members or reference is not None or wanted & {"annotator", "pair"}:
        pairs = _pairs(others, basis, tested_on=overall if "pair" in wanted else None)
    leave_one_out = leave_one_out and "annotator" in wanted
    people = AnnotatorTables(pairs=pairs, without=(), summaries=())
    if leave_one_out:
        people = replace(people, without=without_each(others, overall, basis, tell))
    parts = _parts(others, basis, pairs="pair" in wanted, without=leave_one_out)
    tables_beside, refused = _tables_beside(basis, wanted, also)
    tell("categories")
    table = confusion((s.alignment for s in overall.computed.values()), categories_of(others))
    reference_comparison = None
    rounds = None
    if reference is not None:
        tell("reference")
        reference_basis = Basis(data.with_reference, settings, executor=executor, shared={})
        reference_comparison = against_reference(reference, pairs, reference_basis)
    if data.other_round is not None:
        tell("the other round")
        second = agreement(Basis(data.other_round, settings, executor=executor))
        rounds = OtherRound(agreement=second, test=compare_rounds(overall, second))
    spread = None
    if draws:
        spread = overall.bootstrap()
    if "annotator" in wanted:
        people = replace(people, summaries=summaries(others, overall, pairs, people.without))
    return Comparison(
        overall=_sign(overall, spread),
        bootstrap=spread,
        people=people,
        categories=by_category(others, table, overall, basis) if "category" in wanted else (),
        confusion=table,
        reference=reference_comparison,
        against=rounds,
        groups=groups_of(pairs, members, overall) if members else None,
        sessions=sessions_of(data.all_sessions, session, settings, executor, overall),
        over_time=over_time(overall, in_order=in_order),
        explanation=explained_on(basis) if explain else None,
        parts=parts | tables_beside,
        refused=refused,
        copies=copies(others) if len(others) > 1 else None,
    )


def _tables_wanted(
    by: Collection[str] | None, also: Collection[str]
) -> tuple[set[str], Collection[str]]:
    """Return the names of the tables to compute, and of those to compute if the data have them."""
    beside = names_of("comparison table")
    if by is None:
        by = TABLES
        also = beside
    return {one_of("by", name, (*TABLES, *beside)) for name in several("by", by)}, also


def _everybody(basis: Basis, teams: Mapping[str, str] | None) -> Agreement:
    """Measure the agreement of all annotators together.

    Raises
    ------
    DataError
        No document has a γ.
    """
    overall = agreement(basis).with_over(teams=teams)
    if not overall.computed:
        raise DataError(f"no document has a γ: {in_short(overall.reasons)}")
    return overall


def _pairs(people: Selection, basis: Basis, *, tested_on: Agreement | None) -> PairMatrix:
    """Return the agreement of each pair, tested where that of everybody is given."""
    pairs = pair_matrix(people, basis)
    if tested_on is not None:
        pairs = pairs.tested_on(tested_on)
    return pairs


@dataclass(frozen=True)
class _Compared:
    """The continua that take part in a comparison.

    Attributes
    ----------
    all_sessions, people
        Everybody but the reference, with all sessions and with the first one alone.
    other_round
        The first sessions of another round; None without one.
    with_reference
        Documents of everybody that the reference annotated; empty without one.
    """

    all_sessions: Selection
    people: Selection
    other_round: Selection | None
    with_reference: Selection

    @classmethod
    def of(
        cls,
        continua: Continua,
        against: Continua | None,
        reference: str | None,
        session: str | None,
    ) -> _Compared:
        """Tell people, reference and rounds apart.

        Raises
        ------
        DataError
            Fewer than two annotators, or no such reference.
        """
        everything = named_continua(continua)
        all_sessions = _people(everything, reference)
        other_round = None
        if against is not None:
            other_people = _people(named_continua(against), reference, there=False)
            other_round = first_sessions(other_people, session)
        with_reference: Selection = {}
        if reference is not None:
            with_reference = documents_with(first_sessions(everything, session), reference)
        people = first_sessions(all_sessions, session)
        return cls(all_sessions, people, other_round, with_reference)

    @property
    def all(self) -> list[tuple[Continuum, ...]]:
        """Return the continua of each part, for the choice of a chance model."""
        parts = (self.people, self.other_round or {}, self.with_reference)
        return [tuple(part.values()) for part in parts]


def _parts(
    people: Selection, basis: Basis, *, pairs: bool, without: bool
) -> dict[str, ComparisonPart]:
    """Return what other subjects compare, by name."""
    parts = {}
    for name, make in COMPARED.items():
        part = make(people, basis, pairs=pairs, without=without)
        if part is not None:
            parts[name] = part
    return parts


def _tables_beside(
    basis: Basis, wanted: Collection[str], also: Collection[str]
) -> tuple[dict[str, ComparisonPart], dict[str, str]]:
    """Return the tables of other subjects by key, and the reasons why some of `also` are missing.

    Raises
    ------
    DataError
        The data have none of a table that is wanted.
    """
    parts: dict[str, ComparisonPart] = {}
    refused: dict[str, str] = {}
    for name in sorted({*wanted, *also}.difference(TABLES)):
        try:
            table = TABLES_BESIDE[name](basis)
        except DataError as error:
            if name in wanted:
                raise
            refused[name] = str(error)
            continue
        parts[table.key] = table
    return parts, refused


def _sign(overall: Agreement, spread: BootstrapInterval | None) -> Agreement:
    """Add the interval over documents to the signature."""
    if not overall.score.signature or spread is None:
        return overall
    signature = extend(overall.score.signature, interval=spread.method)
    return replace(overall, score=replace(overall.score, signature=signature))


def _counted(tell: Callable[[str], None]) -> Callable[[int, int], None]:
    return lambda done, total: tell(f"{done} of {total} random annotation sets")


def _people(continua: Selection, reference: str | None, *, there: bool = True) -> Selection:
    """Return the continua without the reference, which must be `there`."""
    everybody = annotators_of(continua)
    if reference is not None and there and len(everybody) > 1:
        check_annotator(continua, reference, "reference")
    people = [a for a in everybody if a != reference]
    if reference is not None:
        others = with_annotators(continua, people)
    else:
        others = dict(continua)
    if len(people) < 2 or not others:
        who = ", ".join(people)
        raise too_few_annotators(continua.values(), "comparing needs two annotators", who)
    return others
