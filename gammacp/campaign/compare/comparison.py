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
from gammacp.measures.explaining.explanation import Explanation, explained_on
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
        Name of an annotator to keep apart (a gold standard, a system), who is only compared with
        the others.
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
        All results but `sessions` are then about the first session of each person.
    in_order
        Whether the continua are in the order in which they were annotated, to compute `over_time`.
    draws
        0 to compute no interval over documents. All other numbers give the same interval.
    leave_one_out
        Whether to compute γ without each annotator, on the documents of that annotator.
    by
        Names of tables to compute in addition to the overall γ: some of `TABLES`, or tables of
        other subjects. Default: all of `TABLES`, and all others that the data allow.
    also
        Names of tables of other subjects to compute if the data allow it; if not, `refused` has the
        reason.
    explain
        Whether to decompose the overall γ (`gammacp.measures.explaining.explanation`).
    executor
        Pool of processes that align random sets; results are identical with and without it.
    progress, first
        Functions that are called with a text (the next step, or how many random sets are aligned),
        and with the overall agreement as soon as it is computed.
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
    members: dict[str, tuple[str, ...]] = {}
    if groups:
        members = members_of(annotators_of(data.people), several("groups", groups))
    settings = settings.deciding(data.all)
    tell("everybody")
    basis = Basis(data.people, settings, executor=executor, progress=_counted(tell), shared={})
    overall = _everybody(basis, teams)
    if first is not None:
        first(overall)
    steps = _Steps(data, overall, basis, settings, executor, required, tell)
    leave_one_out = leave_one_out and "annotator" in required
    # Each step tells the progress, so that their order here is the order on the screen.
    people = steps.annotator_tables(
        pairs_needed=bool(members) or reference is not None, leave_one_out=leave_one_out
    )
    parts, refused = steps.parts(also, leave_one_out=leave_one_out)
    table, categories = steps.categories()
    reference_comparison = steps.reference(reference, people.pairs)
    other_round = steps.other_round()
    spread = overall.bootstrap() if draws else None
    return Comparison(
        overall=_sign(overall, spread),
        bootstrap=spread,
        people=people,
        categories=categories,
        confusion=table,
        reference=reference_comparison,
        against=other_round,
        groups=groups_of(people.pairs, members, overall) if members else None,
        sessions=sessions_of(data.all_sessions, session, settings, executor, overall),
        over_time=over_time(overall, in_order=in_order),
        explanation=explained_on(basis) if explain else None,
        parts=parts,
        refused=refused,
        copies=copies(data.people) if len(data.people) > 1 else None,
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


@dataclass(frozen=True)
class _Steps:
    """Steps of a comparison after the overall agreement; each tells the progress when it begins.

    Attributes
    ----------
    data, overall
        Continua that are compared, and the agreement of all people.
    basis
        Alignments and random sets of all people.
    settings, executor
        Settings of γ, and a pool of processes.
    required
        Names of the tables to compute.
    tell
        Function that is called with the name of the next step.
    """

    data: _Compared
    overall: Agreement
    basis: Basis
    settings: Settings
    executor: Executor | None
    required: Collection[str]
    tell: Callable[[str], None]

    def annotator_tables(self, *, pairs_needed: bool, leave_one_out: bool) -> AnnotatorTables:
        """Return the tables of annotators; pairs only if a table or another result needs them.

        Parameters
        ----------
        pairs_needed
            Whether another result needs the agreement of pairs.
        leave_one_out
            Whether to compute the agreement without each annotator.
        """
        people = self.data.people
        self.tell("pairs of annotators")
        pairs = PairMatrix(annotators=annotators_of(people), agreements={})
        if pairs_needed or not {"annotator", "pair"}.isdisjoint(self.required):
            pairs = pair_matrix(people, self.basis)
        if "pair" in self.required:
            pairs = pairs.tested_on(self.overall)
        without: tuple[WithoutAnnotator, ...] = ()
        if leave_one_out:
            without = without_each(people, self.overall, self.basis, self.tell)
        rows: tuple[AnnotatorSummary, ...] = ()
        if "annotator" in self.required:
            rows = summaries(people, self.overall, pairs, without)
        return AnnotatorTables(pairs=pairs, without=without, summaries=rows)

    def parts(
        self, also: Collection[str], *, leave_one_out: bool
    ) -> tuple[dict[str, ComparisonPart], dict[str, str]]:
        """Return the results of other subjects by name, and why some tables of `also` are missing.

        Raises
        ------
        DataError
            The data do not allow a required table.
        """
        parts = _parts(
            self.data.people, self.basis, pairs="pair" in self.required, without=leave_one_out
        )
        tables, refused = _further_tables(self.basis, self.required, also)
        return parts | tables, refused

    def categories(self) -> tuple[Confusion, tuple[CategoryAgreement, ...]]:
        """Return the counts of aligned pairs by category, and the agreement on each if required."""
        people = self.data.people
        self.tell("categories")
        alignments = (score.alignment for score in self.overall.computed.values())
        counts = confusion(alignments, categories_of(people))
        if "category" not in self.required:
            return counts, ()
        return counts, by_category(people, counts, self.overall, self.basis)

    def reference(self, name: str | None, pairs: PairMatrix) -> ReferenceComparison | None:
        """Compare everybody with the reference, if there is one."""
        if name is None:
            return None
        self.tell("reference")
        basis = Basis(self.data.with_reference, self.settings, executor=self.executor, shared={})
        return against_reference(name, pairs, basis)

    def other_round(self) -> OtherRound | None:
        """Measure the other round, if there is one, and test the difference."""
        if self.data.other_round is None:
            return None
        self.tell("the other round")
        second = agreement(Basis(self.data.other_round, self.settings, executor=self.executor))
        return OtherRound(agreement=second, test=compare_rounds(self.overall, second))


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
