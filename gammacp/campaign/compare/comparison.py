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
    """Agreement of annotators with each other.

    Attributes
    ----------
    pairs
        Agreement of each pair.
    without
        For each annotator, the agreement of the others.
    summaries
        Summary of each annotator.
    """

    pairs: PairMatrix
    without: tuple[WithoutAnnotator, ...]
    summaries: tuple[AnnotatorSummary, ...]


@dataclass(frozen=True, kw_only=True)
class Comparison(Plotted):
    """Comparison of annotators, categories and documents; all γ share one chance model.

    Attributes
    ----------
    overall
        Agreement of all annotators, with the score of each document.
    bootstrap
        Interval of γ over documents; None if none was asked for.
    people
        Tables of annotators, also available as `pairs`, `without` and `annotators`.
    categories
        Agreement on each category.
    confusion
        Counts of aligned pairs by category.
    reference
        Comparison with the reference; None if no reference was named.
    against
        Another round, and the test of the difference; None without another round.
    explanation
        Decomposition of γ; None if it was not asked for.
    groups
        Agreement within and across groups of annotators; None without groups.
    parts
        Results of other subjects, by name.
    refused
        For tables of other subjects that the data do not allow, the reason, by name.
    sessions
        Agreement of people with themselves; None if nobody annotated twice.
    over_time
        Changes over time; None if the documents are in no order of time.
    copies
        Annotators with identical documents; None for a single document.
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
        """Return the number of documents, the annotators and γ."""
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

        There are bars if kinds of differences were compared (`by=[…, "kind"]`).
        """
        from gammacp.campaign.compare.figure import picture_of

        return picture_of(self, width)

    @property
    def kinds(self) -> Kinds | None:
        """Kinds of differences; None if they were not asked for, or the data do not allow them."""
        return self.parts.get("kinds")  # type: ignore[return-value]

    @property
    def pairs(self) -> PairMatrix:
        """Agreement of each pair of annotators."""
        return self.people.pairs

    @property
    def without(self) -> tuple[WithoutAnnotator, ...]:
        """Agreement of the others without each annotator."""
        return self.people.without

    @property
    def annotators(self) -> tuple[AnnotatorSummary, ...]:
        """Summary of each annotator."""
        return self.people.summaries

    def to_frame(self) -> DataFrame:
        """Return the table of `Agreement.to_frame`: a row for each unitary alignment and pair."""
        return self.overall.to_frame()

    @property
    def signatures(self) -> tuple[str, ...]:
        """Return the signature of γ, and that of the other round if there is one."""
        rounds = [self.overall, *([self.against.agreement] if self.against else [])]
        return tuple(r.score.signature for r in rounds)

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
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
    """Compare the annotators of one or several continua.

    Parameters
    ----------
    continua
        A continuum, a corpus, or continua by name. Not every annotator has to annotate everything.
    reference
        Name of an annotator to keep apart (a gold standard, a system). It is compared with the
        others, and takes no part in any other result.
    against
        Continua of another round or campaign, to test the difference in γ.
    groups
        Groups of annotators, each as `NAME=ANNOTATOR,…` (or patterns such as `m*`), to compute the
        agreement within and across groups.
    teams
        Team of each annotator, if annotators work in fixed teams. Intervals over annotators are
        then computed over teams.
    session
        Pattern of annotators' names, such as `{annotator}-{session}`, if people annotated twice.
        All results are then about the first session of each person, except `sessions`, which
        compares people with themselves.
    in_order
        Whether the continua are in the order in which they were annotated. If so, changes of γ are
        computed (`over_time`).
    draws
        0 to compute no interval over documents. All other numbers give the same interval.
    leave_one_out
        Whether to compute γ without each annotator, on the documents of that annotator.
    by
        Names of tables to compute in addition to the overall γ: some of `TABLES`, or tables of
        other subjects. Default: all of `TABLES`, and all others that the data allow.
    also
        Names of tables of other subjects to compute if the data allow it; if not, the reason is
        recorded in `refused`.
    explain
        Whether to decompose the overall γ (`gammacp.measures.explanation`).
    executor
        Pool of processes that align random sets; results are identical with and without it.
    progress
        Function that is called with a text: the next step, or how many random sets are aligned.
    first
        Function that is called with the overall agreement as soon as it is computed.
    options
        Options of `GammaOptions`. One chance model serves everything that is compared
        (`gammacp.chance.registry.default_chance`).

    Raises
    ------
    DataError
        There are fewer than two annotators, no document has a γ, or the reference is not an
        annotator.
    UsageError
        An option is unknown, or a value is outside its range.
    """
    settings = Settings.of(**options)
    draws = whole("draws", draws, 0, MOST_DRAWS)
    required, also = _required_tables(by, also)
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
    if members or reference is not None or required & {"annotator", "pair"}:
        pairs = _pairs(others, basis, tested_on=overall if "pair" in required else None)
    leave_one_out = leave_one_out and "annotator" in required
    people = AnnotatorTables(pairs=pairs, without=(), summaries=())
    if leave_one_out:
        people = replace(people, without=without_each(others, overall, basis, tell))
    parts = _parts(others, basis, pairs="pair" in required, without=leave_one_out)
    further_tables, refused = _further_tables(basis, required, also)
    tell("categories")
    table = confusion((s.alignment for s in overall.computed.values()), categories_of(others))
    reference_comparison = None
    if reference is not None:
        tell("reference")
        reference_basis = Basis(data.with_reference, settings, executor=executor, shared={})
        reference_comparison = against_reference(reference, pairs, reference_basis)
    rounds = None
    if data.other_round is not None:
        tell("the other round")
        rounds = _other_round(overall, Basis(data.other_round, settings, executor=executor))
    spread = None
    if draws:
        spread = overall.bootstrap()
    if "annotator" in required:
        people = replace(people, summaries=summaries(others, overall, pairs, people.without))
    return Comparison(
        overall=_sign(overall, spread),
        bootstrap=spread,
        people=people,
        categories=by_category(others, table, overall, basis) if "category" in required else (),
        confusion=table,
        reference=reference_comparison,
        against=rounds,
        groups=groups_of(pairs, members, overall) if members else None,
        sessions=sessions_of(data.all_sessions, session, settings, executor, overall),
        over_time=over_time(overall, in_order=in_order),
        explanation=explained_on(basis) if explain else None,
        parts=parts | further_tables,
        refused=refused,
        copies=copies(others) if len(others) > 1 else None,
    )


def _required_tables(
    by: Collection[str] | None, also: Collection[str]
) -> tuple[set[str], Collection[str]]:
    """Return the names of the tables to compute, and of those to compute if the data allow them."""
    further = names_of("comparison table")
    if by is None:
        by = TABLES
        also = further
    return {one_of("by", name, (*TABLES, *further)) for name in several("by", by)}, also


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
    """Return the agreement of each pair, with tests if the overall agreement is given."""
    pairs = pair_matrix(people, basis)
    if tested_on is not None:
        pairs = pairs.tested_on(tested_on)
    return pairs


@dataclass(frozen=True)
class _Compared:
    """Continua that take part in a comparison.

    Attributes
    ----------
    all_sessions, people
        Documents without the reference, with all sessions and with first sessions only.
    other_round
        First sessions of another round; None without another round.
    with_reference
        Documents that the reference annotated, with all annotators; empty without a reference.
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
        """Select the continua of people, of the reference and of another round.

        Raises
        ------
        DataError
            There are fewer than two annotators, or the reference is not an annotator.
        """
        everything = named_continua(continua)
        all_sessions = _people(everything, reference)
        other_round = None
        if against is not None:
            other_people = _people(named_continua(against), reference, must_have_reference=False)
            other_round = first_sessions(other_people, session)
        with_reference: Selection = {}
        if reference is not None:
            with_reference = documents_with(first_sessions(everything, session), reference)
        people = first_sessions(all_sessions, session)
        return cls(all_sessions, people, other_round, with_reference)

    @property
    def all(self) -> list[tuple[Continuum, ...]]:
        """Continua of each part of the comparison, for the choice of a chance model."""
        parts = (self.people, self.other_round or {}, self.with_reference)
        return [tuple(part.values()) for part in parts]


def _parts(
    people: Selection, basis: Basis, *, pairs: bool, without: bool
) -> dict[str, ComparisonPart]:
    """Return the results that other subjects always add, by name."""
    parts = {}
    for name, make in COMPARED.items():
        part = make(people, basis, pairs=pairs, without=without)
        if part is not None:
            parts[name] = part
    return parts


def _further_tables(
    basis: Basis, required: Collection[str], also: Collection[str]
) -> tuple[dict[str, ComparisonPart], dict[str, str]]:
    """Return the tables of other subjects by key, and the reasons why some of `also` are missing.

    Raises
    ------
    DataError
        The data do not allow a required table.
    """
    parts: dict[str, ComparisonPart] = {}
    refused: dict[str, str] = {}
    for name in sorted({*required, *also}.difference(TABLES)):
        try:
            table = TABLES_BESIDE[name](basis)
        except DataError as error:
            if name in required:
                raise
            refused[name] = str(error)
            continue
        parts[table.key] = table
    return parts, refused


def _other_round(overall: Agreement, basis: Basis) -> OtherRound:
    """Measure the other round, and test the difference."""
    second = agreement(basis)
    return OtherRound(agreement=second, test=compare_rounds(overall, second))


def _sign(overall: Agreement, spread: BootstrapInterval | None) -> Agreement:
    """Add the interval over documents to the signature."""
    if not overall.score.signature or spread is None:
        return overall
    signature = extend(overall.score.signature, interval=spread.method)
    return replace(overall, score=replace(overall.score, signature=signature))


def _counted(tell: Callable[[str], None]) -> Callable[[int, int], None]:
    return lambda done, total: tell(f"{done} of {total} random annotation sets")


def _people(
    continua: Selection, reference: str | None, *, must_have_reference: bool = True
) -> Selection:
    """Return the continua without the reference; `must_have_reference` says if it must be one."""
    everybody = annotators_of(continua)
    if reference is not None and must_have_reference and len(everybody) > 1:
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
