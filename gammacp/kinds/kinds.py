"""Kinds of differences between annotators, and which annotator each is charged to.

The kinds are the errors of the Corpus Shuffling Tool (Mathet et al. 2012), recognised in the best
alignment of γ. A unit of one annotator may have other boundaries (`position`), another label
(`category`), be several where others have one (`split`), one where others have several (`merged`),
missing (`missing`), marked by nobody else (`extra`), or lie on a level of nesting that others do
not mark (`level`). Every aligned pair that costs anything has one kind, so the kinds add up to the
observed disorder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias, Unpack

import numpy as np

from gammacp.alignment import Alignment, align
from gammacp.base.arrays import Floats
from gammacp.base.record_tables import Table
from gammacp.base.text import sentence
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.errors import DataError, UsageError
from gammacp.formats.conventions import ConventionNote
from gammacp.kinds.by_chance import ByChance, RandomSets, by_chance
from gammacp.kinds.charging import (
    SlotSums,
    add_up,
    charged_to,
    parts_of,
    shares_of,
    sides_of,
)
from gammacp.kinds.codes import (
    BEARER_BOTH,
    BEARER_FIRST,
    BEARER_SECOND,
    DIFFERENCE_KINDS,
    FORM_CATEGORY,
    FORM_FAMILY,
    FORM_NESTING,
    FORM_POSITION,
    FORM_UNMATCHED,
)
from gammacp.kinds.conventions import suspected_conventions, uncharge
from gammacp.kinds.differences import Differences, check_pieces, differences_in
from gammacp.kinds.documents import DocumentAlignments, documents_of
from gammacp.kinds.sentences import SentenceCounts, sentences_of
from gammacp.kinds.significance import DifferenceCounts, p_values
from gammacp.kinds.tables import tables_of
from gammacp.measures.agreement import agreement
from gammacp.measures.random_sets import Basis, Chance, RandomSet
from gammacp.measures.settings import FamilyOptions, Settings, spelled_out_with_computing

Record: TypeAlias = dict[str, Any]

TWO_ANNOTATORS = "With two annotators, nobody can be charged with a difference"


@dataclass(frozen=True)
class Case:
    """A difference between two annotators of a document.

    Attributes
    ----------
    document
        Name of the document.
    kind
        One of `DIFFERENCE_KINDS`. A tie between one unit and several is called `merged`; half of
        its cost counts as `split`.
    charged
        Annotator of the two who disagrees with more of the other annotators; None on a tie.
    annotators
        The two annotators who differ. If one of them has one unit where the other has several, the
        first is the one with one unit. If one of them has no unit, the first is the one who has.
    units
        Units of the first and of the second annotator.
    label
        Category of the unit of the first annotator.
    other_label
        Category of the first unit of the second annotator; None if there is no such unit.
    cost
        Part of the observed disorder that the case causes.
    """

    document: str
    kind: str
    charged: str | None
    annotators: tuple[str, str]
    units: tuple[tuple[Unit, ...], tuple[Unit, ...]]
    label: str | None
    other_label: str | None
    cost: float


@dataclass(frozen=True, kw_only=True)
class Kinds:
    """Kinds of differences between annotators.

    Attributes
    ----------
    parts
        A record for each kind: the `observed` disorder, the disorder that is `expected` by chance
        (None without random sets) and the `share` of the observed disorder. The observed disorders
        of the kinds add up to the whole observed disorder.
    people
        A record for each annotator and kind: the `count` of differences, the count at an `even`
        share (if all annotators of a document differed equally often), the mean count `by_chance`
        in random sets, the p-value `p` of the test of both, and the disorder that the annotator is
        `charged` with. Fields are None where they cannot be computed.
    pairs
        A record for each pair of annotators of whom `one` has one unit where the other has
        `several`: the number of `cases`, the number of `units` of the second annotator in them, and
        the number of cases `with_gaps` between these units.
    sentences
        At most three sentences on what stands out.
    conventions
        Conventions in which annotators seem to differ. Nobody is charged with the differences that
        they explain.
    reason
        Reason why nobody is charged; None if annotators are charged.
    even
        Count that an annotator would have of a kind if all annotators of a document differed
        equally often, by annotator and kind.
    documents
        Alignments of the documents.
    batches
        Differences of batches of documents, each with the number of its first document.
    """

    key: ClassVar[str] = "kinds"

    parts: Mapping[str, Record]
    people: tuple[Record, ...]
    pairs: tuple[Record, ...]
    sentences: tuple[str, ...]
    conventions: tuple[ConventionNote, ...]
    reason: str | None
    even: Mapping[tuple[str, str], float]
    documents: DocumentAlignments
    batches: tuple[tuple[int, Differences], ...]

    @property
    def observed(self) -> float:
        """The observed disorder: the sum over the kinds."""
        return sum(float(part["observed"]) for part in self.parts.values())

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """Every difference between two annotators, by document."""
        names = tuple(self.documents.alignments)
        continua = [a.continuum for a in self.documents.alignments.values()]
        return tuple(
            case
            for begin, differences in self.batches
            for case in _cases(
                differences, names[begin:], continua[begin:], charged=self.reason is None
            )
        )

    def costliest(self, annotator: str, kind: str, *, most: int = 50) -> list[Case]:
        """Return the costliest differences of a kind with which an annotator is charged.

        Parameters
        ----------
        annotator, kind
            The annotator, and one of `DIFFERENCE_KINDS`.
        most
            Largest number of differences.
        """
        names = tuple(self.documents.alignments)
        continua = [a.continuum for a in self.documents.alignments.values()]
        cases: list[Case] = []
        for begin, differences in self.batches:
            codes = np.array(
                [
                    c.annotators.index(annotator) if annotator in c.annotators else -1
                    for c in continua[begin : begin + len(differences.edges) - 1]
                ]
            )
            charged = np.flatnonzero(charged_to(differences, codes, kind))
            rows = charged[np.argsort(-differences.cost[charged], kind="stable")[:most]]
            cases += _cases(differences.at(rows), names[begin:], continua[begin:], charged=True)
        cases.sort(key=lambda case: -case.cost)
        return cases[:most]

    def tables(self) -> Iterator[tuple[str, Table]]:
        """Yield a table of costs by kind and one of charges by annotator, each with its title."""
        return tables_of(self.parts, self.people, charging=self.reason is None)

    def in_words(self) -> list[str]:
        """Return sentences on conventions, on what stands out, and why nobody is charged."""
        notes = [str(note) if note.file else note.evidence for note in self.conventions]
        on_conventions = [f"{sentence(note)} Nobody is charged with it." for note in notes]
        return [*on_conventions, *self.sentences, *([f"{self.reason}."] if self.reason else [])]

    def heading(self) -> str:
        """Return the heading of the section in a report."""
        return "Who differs, and how"

    def headline(self) -> str:
        """Return the first sentence; "" where nothing stands out."""
        if self.sentences:
            return self.sentences[0]
        return ""

    def as_dict(self) -> Record:
        """Return a dictionary for JSON."""
        as_json: Record = {
            "parts": {kind: dict(part) for kind, part in self.parts.items()},
            "people": [dict(record) for record in self.people],
            "pairs": [dict(record) for record in self.pairs],
            "sentences": list(self.sentences),
            "conventions": [note.as_dict() for note in self.conventions],
        }
        if self.reason is None:
            return as_json
        return as_json | {"reason": self.reason}


@spelled_out_with_computing
def kinds_of(
    source: Any,
    *,
    random_sets: Sequence[RandomSet | Alignment] | None = None,
    **options: Unpack[FamilyOptions],
) -> Kinds:
    """Return the kinds of differences between annotators.

    Parameters
    ----------
    source
        An alignment; a γ of one continuum or of a corpus; an `Agreement`; or continua. Continua are
        aligned and compared with chance as by `gamma`.
    random_sets
        Random annotation sets with their alignments, with which an alignment or a γ is compared. If
        None, nothing is compared with chance, and there are no sentences.
    options
        Options of continua: those of `FamilyOptions`.

    Raises
    ------
    DataError
        Units have fragments or shapes, the alignment is soft, or the dissimilarity does not
        separate positions from categories.
    UsageError
        The source is none of these, or options were given for a source that is already aligned.
    """
    if isinstance(source, Continuum | Corpus | Mapping):
        if random_sets is not None:
            raise UsageError("random_sets go with an alignment; for continua they are drawn here")
        settings, how = Settings.and_computing(options, keeping=True)
        return kinds_on(Basis(source, settings, **how))
    if options:
        names = ", ".join(options)
        raise UsageError(f"options ({names}) apply to continua only, but this is aligned already")
    documents = documents_of(source)
    if random_sets is None:
        groups = None
    else:
        groups = [_group(documents, random_sets)]
    return _kinds(documents, groups, 0)


def kinds_on(basis: Basis) -> Kinds:
    """Return the kinds of differences of continua, from a basis that keeps its random sets.

    Parameters
    ----------
    basis
        Alignments and random sets of the continua.

    Raises
    ------
    DataError
        As for `kinds_of`.
    """
    # Check the units first: aligning shapes may take minutes, and shapes are refused anyway.
    check_pieces([*basis.continua])
    measured = agreement(basis)
    if not measured.computed:
        raise DataError(f"no continuum has an alignment: {measured.score.reason}")
    documents = documents_of(measured)
    return _kinds(documents, _groups_on(basis, documents), basis.settings.seed)


def _group(documents: DocumentAlignments, sets: Sequence[RandomSet | Alignment]) -> RandomSets:
    """Return one group of random sets, used as the chance baseline of all documents."""
    if not len(sets):
        raise UsageError("random_sets is empty")
    aligned = [(s.continuum, s.groups) for s in sets]
    check_pieces([c for c, _ in aligned])
    people = set(documents.people)
    named = all(people.issuperset(c.annotators) for c, _ in aligned)
    scales = [1 / (len(sets) * c.mean_units) for c, _ in aligned]
    return RandomSets(np.arange(len(documents.alignments)), aligned, scales, named)


def _groups_on(basis: Basis, documents: DocumentAlignments) -> list[RandomSets] | None:
    """Return the random sets of the documents; None if an interruption left too few of them."""
    documents_by_chance: dict[Chance, list[int]] = {}
    for number, alignment in enumerate(documents.alignments.values()):
        documents_by_chance.setdefault(basis.chance(alignment.continuum), []).append(number)
    total = sum(documents.sizes)
    groups = []
    for chance, documents_of_chance in documents_by_chance.items():
        expected = chance.expected
        if not expected.enough or not chance.sets:
            return None
        share = sum(documents.sizes[k] for k in documents_of_chance) / total
        weights = expected.weights
        scales = [
            share
            / (expected.samples * s.continuum.mean_units if weights is None else weights.sum())
            for s in chance.sets
        ]
        aligned = [(s.continuum, s.groups) for s in chance.sets]
        groups.append(
            RandomSets(np.array(documents_of_chance), aligned, scales, basis.model.keeps_names)
        )
    return groups


def _kinds(documents: DocumentAlignments, groups: Sequence[RandomSets] | None, seed: int) -> Kinds:
    aligned = [(a.continuum, a.groups) for a in documents.alignments.values()]
    conventions = suspected_conventions({n: a.continuum for n, a in documents.alignments.items()})
    names = tuple(documents.alignments)
    continua = [c for c, _ in aligned]
    batches = tuple(
        (begin, uncharge(differences, names[begin:], continua[begin:], conventions))
        for begin, differences in differences_in(aligned, documents.dissimilarity, documents.scales)
    )
    size = len(documents.people)
    parts = np.zeros(len(DIFFERENCE_KINDS))
    costs: list[SlotSums] = []
    counts: list[SlotSums] = []
    clear: list[SlotSums] = []
    for begin, differences in batches:
        people = documents.slots[begin : begin + len(differences.edges) - 1]
        shares = shares_of(differences)
        parts += parts_of(differences, shares)
        costs.append(add_up(differences, shares, differences.cost, people, begin))
        if not documents.charging:
            shares = sides_of(differences)
        counts.append(add_up(differences, shares, np.ones(len(differences.form)), people, begin))
        clear.append(
            add_up(differences, shares, differences.clear.astype(np.float64), people, begin)
        )
    cost = SlotSums.joined(costs).by_person(size)
    observed = DifferenceCounts(
        SlotSums.joined(counts), SlotSums.joined(clear), size, documents.charging
    )
    if groups is None:
        chance = None
    else:
        chance = by_chance(documents, groups, documents.dissimilarity)
    if chance is None:
        p = None
    else:
        p = p_values(observed, chance, seed)
    records = tuple(_people(documents, observed, cost, chance, p))
    pairs = tuple(_pairs(documents, batches))
    counts_by_case = _sentence_counts(documents, observed)
    costs_of_kinds = _parts(parts, None if chance is None else chance.parts)
    disorder = sum(part["observed"] for part in costs_of_kinds.values())
    return Kinds(
        parts=costs_of_kinds,
        people=records,
        pairs=pairs,
        sentences=sentences_of(records, pairs, counts_by_case, disorder),
        conventions=conventions,
        reason=None if documents.charging else TWO_ANNOTATORS,
        even={key: counts.even for key, counts in counts_by_case.items()},
        documents=documents,
        batches=batches,
    )


def _sentence_counts(
    documents: DocumentAlignments, observed: DifferenceCounts
) -> dict[tuple[str, str], SentenceCounts]:
    """Return the further counts that sentences need, by annotator and kind."""
    clear = observed.clear.by_person(observed.size)
    return {
        (name, kind): SentenceCounts(float(observed.even[person, code]), float(clear[person, code]))
        for person, name in enumerate(documents.people)
        for code, kind in enumerate(DIFFERENCE_KINDS)
    }


def _parts(observed: Floats, expected: Floats | None) -> dict[str, Record]:
    total = float(observed.sum())
    return {
        kind: {
            "observed": float(observed[code]),
            "expected": None if expected is None else float(expected[code]),
            "share": float(observed[code]) / total if total else 0.0,
        }
        for code, kind in enumerate(DIFFERENCE_KINDS)
    }


def _people(
    documents: DocumentAlignments,
    observed: DifferenceCounts,
    costs: Floats,
    chance: ByChance | None,
    p: Floats | None,
) -> Iterator[Record]:
    if chance is None or chance.counts is None:
        drawn = None
    else:
        drawn = chance.counts.mean
    for person, name in enumerate(documents.people):
        for code, kind in enumerate(DIFFERENCE_KINDS):
            tested = p is not None and not np.isnan(p[person, code])
            yield {
                "annotator": name,
                "kind": kind,
                "count": float(observed.totals[person, code]),
                "even": float(observed.even[person, code]),
                "by_chance": None if drawn is None else float(drawn[person, code]),
                "p": float(p[person, code]) if p is not None and tested else None,
                "charged": float(costs[person, code]) if documents.charging else None,
            }


def _pairs(
    documents: DocumentAlignments, batches: Sequence[tuple[int, Differences]]
) -> Iterator[Record]:
    """Yield a record for each pair of annotators, one unit against several, most cases first."""
    continua = [a.continuum for a in documents.alignments.values()]
    totals: dict[tuple[str, str], list[int]] = {}
    for begin, differences in batches:
        for row in np.flatnonzero(differences.form == FORM_FAMILY).tolist():
            c = continua[begin + int(differences.document[row])]
            parts = differences.parts_of(row)
            pair = (c.annotators[differences.first[row]], c.annotators[differences.second[row]])
            sums = totals.setdefault(pair, [0, 0, 0])
            gaps = has_gaps(c.starts[parts].tolist(), c.ends[parts].tolist())
            for k, number in enumerate((1, len(parts), int(gaps))):
                sums[k] += number
    order = sorted(totals.items(), key=lambda item: (-item[1][0], item[0]))
    for (one, several), (cases, units, with_gaps) in order:
        yield {
            "one": one,
            "several": several,
            "cases": cases,
            "units": units,
            "with_gaps": with_gaps,
        }


def has_gaps(starts: Sequence[float], ends: Sequence[float]) -> bool:
    """Return whether there is a gap between any of the stretches.

    Parameters
    ----------
    starts, ends
        Starts and ends of the stretches, sorted by start.
    """
    if len(ends):
        latest = ends[0]
    else:
        latest = 0.0
    for start, end in zip(starts[1:], ends[1:], strict=True):
        if start > latest:
            return True
        latest = max(latest, end)
    return False


_NAMES = {FORM_POSITION: "position", FORM_CATEGORY: "category", FORM_NESTING: "level"}


def _cases(
    differences: Differences, names: Sequence[str], continua: Sequence[Continuum], *, charged: bool
) -> Iterator[Case]:
    columns = (
        differences.document,
        differences.form,
        differences.first,
        differences.second,
        differences.bearer,
    )
    rows = zip(*(c.tolist() for c in columns), strict=True)
    for row, (document, form, first, second, bearer) in enumerate(rows):
        c = continua[document]
        base = int(differences.edges[document])
        unit = c.unit(int(differences.unit[row]) - base)
        pair = (c.annotators[first], c.annotators[second])
        others: tuple[Unit, ...] = ()
        if form == FORM_FAMILY:
            others = tuple(c.unit(p) for p in differences.parts_of(row).tolist())
        elif differences.other[row] >= 0:
            others = (c.unit(int(differences.other[row]) - base),)
        yield Case(
            names[document],
            _kind(form, bearer),
            None if bearer >= BEARER_BOTH or not charged else pair[bearer],
            pair,
            ((unit,), others),
            unit.category,
            others[0].category if others else None,
            float(differences.cost[row]),
        )


def _kind(form: int, bearer: int) -> str:
    if form == FORM_FAMILY:
        if bearer == BEARER_SECOND:
            return "split"
        return "merged"
    if form == FORM_UNMATCHED:
        if bearer >= BEARER_BOTH:
            return "unmatched"
        if bearer == BEARER_FIRST:
            return "extra"
        return "missing"
    return _NAMES[form]


def example() -> None:
    """Compute the kinds of a small alignment, so that all kernels are compiled."""
    units = [Unit("A", 0, 9, "x"), Unit("B", 0, 4, "x"), Unit("B", 5, 9, "y"), Unit("C", 1, 3, "y")]
    kinds_of(align(Continuum.from_units(units)))
