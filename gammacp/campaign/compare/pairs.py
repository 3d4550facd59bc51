"""Agreement by pair, without each annotator, and of each annotator among the others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from gammacp.alignment import Alignment
from gammacp.base.arrays import Floats
from gammacp.base.text import p_of_test, visible
from gammacp.campaign.compare.categories import same_label
from gammacp.campaign.compare.scoring import (
    Selection,
    agreement_of_selected,
    agreement_on,
    annotators_of,
)
from gammacp.campaign.compare.stretches import DocumentParts
from gammacp.inference.part_tests import (
    FEWEST_PARTS,
    below_the_rest,
    gain,
    holm,
    independent_parts,
)
from gammacp.measures.agreement import Agreement
from gammacp.measures.random_sets import Basis

# Largest number of pairs to compare. A crowd has more pairs than anybody would read, and most of
# them share only one or two documents.
MOST_PAIRS = 1000
# Significance level of the tests of pairs and of gains.
_LEVEL = 0.05


def mean_defined(values: Floats) -> float:
    """Return the unweighted mean of the defined values; NaN if there are none."""
    if np.isnan(values).all():
        return math.nan
    return float(np.nanmean(values))


@dataclass(frozen=True, kw_only=True)
class PairTest:
    """Test of a pair against all other pairs together, on the documents of the pair.

    Attributes
    ----------
    gamma, others
        γ of the pair and of the other pairs on the compared parts: 1 − Σ observed / Σ expected.
    p, p_holm
        Two-sided p-value of equal γ, before and after Holm's correction for all tested pairs.
    parts, kind
        Number and kind of the compared parts: documents, clusters or stretches.
    """

    gamma: float
    others: float
    p: float
    p_holm: float
    parts: int
    kind: str


@dataclass(frozen=True, kw_only=True)
class PairMatrix:
    """γ of every pair of annotators, on the documents that both annotated.

    `agreements[a, b]` is the agreement of a pair, with a before b in `annotators`. If there are
    more than `MOST_PAIRS` pairs, it contains those that share most documents, and `left_out` is the
    number of other pairs that share any. `tests` contains the pairs that can be tested against the
    others. `own_chance` contains the pairs whose expected disorder is modelled on their own
    documents alone, although that of the corpus is pooled over all documents.
    """

    annotators: tuple[str, ...]
    agreements: Mapping[tuple[str, str], Agreement]
    left_out: int = 0
    tests: Mapping[tuple[str, str], PairTest] = field(default_factory=dict)
    own_chance: frozenset[tuple[str, str]] = frozenset()

    @cached_property
    def values(self) -> Floats:
        """γ, shape (annotators, annotators), symmetric; 1 on the diagonal, NaN where undefined."""
        index_of = {name: i for i, name in enumerate(self.annotators)}
        matrix = np.full((len(index_of), len(index_of)), math.nan)
        np.fill_diagonal(matrix, 1.0)
        for (a, b), agreement in self.agreements.items():
            matrix[index_of[a], index_of[b]] = matrix[index_of[b], index_of[a]] = agreement.value
        return matrix

    def mean_with_others(self, annotator: str) -> float:
        """Return the unweighted mean of the annotator's defined pair values; NaN without any."""
        index = self.annotators.index(annotator)
        return mean_defined(np.delete(self.values[index], index))

    def in_words(self) -> list[str]:
        """Return which pairs are left out, and which are shown to differ from the others."""
        sentences = []
        if self.left_out:
            shown = len(self.agreements)
            sentences.append(
                f"Only the {shown} pairs with most documents in common are compared; "
                f"{self.left_out} other pairs share documents, too."
            )
        if self.own_chance:
            rated = sum(bool(a.rated) for a in self.agreements.values())
            sentences.append(
                f"γ of {len(self.own_chance)} of the {rated} pairs is against "
                "chance on the pair's own documents alone, γ of the corpus against chance pooled "
                "over all documents: compare pairs with each other, not with the corpus."
            )
        for (a, b), t in self.tests.items():
            if t.p_holm <= _LEVEL:
                if t.gamma < t.others:
                    relation = "less"
                else:
                    relation = "more"
                sentences.append(
                    f"{visible(a)} and {visible(b)} agree {relation} than the other pairs on the "
                    f"same {t.parts} {t.kind}: γ {t.gamma:.3f} against {t.others:.3f} "
                    f"({p_of_test(t.p_holm)} after Holm's correction for {len(self.tests)} pairs)."
                )
        return sentences

    def as_dict(self) -> list[dict[str, Any]]:
        """One entry per pair, as JSON has it."""
        tests = {pair: asdict(t) for pair, t in self.tests.items()}
        return [
            {
                **a.score.as_dict(),
                "annotators": list(pair),
                "documents": len(a.documents),
                "own_chance": pair in self.own_chance,
                "against_others": tests.get(pair),
            }
            for pair, a in self.agreements.items()
        ]

    def tested_on(self, overall: Agreement) -> PairMatrix:
        """Add a test of each pair against all the others, part by part.

        Parameters
        ----------
        overall
            γ of everybody, whose documents, clusters or stretches are the parts.
        """
        cuts = DocumentParts(overall)
        rated = {pair: a for pair, a in self.agreements.items() if a.rated}
        if not cuts.n or len(rated) < 2:
            return self
        sums = np.array([cuts.sums(a) for a in rated.values()])
        errors = np.array([a.score.chance_error for a in rated.values()])
        test = below_the_rest(sums[:, 0], sums[:, 1], errors)
        rows = zip(rated, sums, test.value, test.p, holm(test.p), strict=True)
        total = sums.sum(axis=0)
        tests = {}
        for pair, pair_sums, value, p, p_holm in rows:
            if not math.isfinite(p):
                continue
            is_present = (pair_sums[1] > 0) & (total[1] - pair_sums[1] > 1e-9 * total[1])
            gamma = 1 - float(pair_sums[0, is_present].sum() / pair_sums[1, is_present].sum())
            tests[pair] = PairTest(
                gamma=gamma,
                others=gamma + float(value),
                p=float(p),
                p_holm=float(p_holm),
                parts=int(is_present.sum()),
                kind=cuts.kind,
            )
        return replace(self, tests=tests)


def pair_matrix(continua: Selection, basis: Basis) -> PairMatrix:
    """γ of every pair of annotators, each against chance modelled on the two of them."""
    names = annotators_of(continua)
    index_of = {name: i for i, name in enumerate(names)}
    shared = Counter(
        pair
        for c in continua.values()
        for pair in combinations(sorted(c.annotators, key=index_of.__getitem__), 2)
    )
    if math.comb(len(names), 2) <= MOST_PAIRS:
        pairs = list(combinations(names, 2))
    else:
        pairs = []
    if not pairs:
        pairs = [pair for pair, _ in shared.most_common(MOST_PAIRS)]
    agreements = {}
    own_chance = set()
    for pair in pairs:
        chosen = basis.select(pair, keep=True)
        agreements[pair] = agreement_on(chosen, basis)
        if chosen is None or not basis.documents_share_chance or not agreements[pair].rated:
            continue
        if chosen.chance_is_own:
            own_chance.add(pair)
    return PairMatrix(
        annotators=names,
        agreements=agreements,
        left_out=len(shared.keys() - set(pairs)),
        own_chance=frozenset(own_chance),
    )


@dataclass(frozen=True)
class WithoutAnnotator:
    """Agreement without one annotator.

    Attributes
    ----------
    annotator
        Annotator who is left out.
    agreement
        γ of the others, on the annotator's documents where at least two others remain.
    baseline
        γ of all annotators on the same documents; NaN where undefined.
    parts, kind
        Number and kind of the compared parts: documents, clusters or stretches; 0 without a test.
    p_raw, p_value
        One-sided p-value of no gain, before and after Holm's correction for all annotators; NaN
        without a test.
    among
        Number of tested annotators.
    unfinished
        Whether the annotator is known not to have read to the end (`Continuum.read_until`). What
        others marked beyond that point counts as missed, so a gain would not be informative.
    """

    annotator: str
    agreement: Agreement
    baseline: float
    parts: int = 0
    kind: str = ""
    p_raw: float = math.nan
    p_value: float = math.nan
    among: int = 0
    unfinished: bool = False

    @property
    def gain(self) -> float:
        """Return γ of the others minus γ of all annotators."""
        return self.agreement.value - self.baseline

    def in_words(self) -> str:
        """Return a sentence on the gain if it is significant or untestable, otherwise ""."""
        if self.unfinished and self.gain > 0:
            return (
                f"Without {visible(self.annotator)}, who did not read to the end, γ of the others "
                f"is {self.gain:.3f} higher. This is not tested, because what others marked beyond "
                "that point counts as missed."
            )
        if not self.p_value <= _LEVEL:
            return ""
        return (
            f"Without {visible(self.annotator)} γ of the others is {self.gain:.3f} higher "
            f"({self.parts} {self.kind}; p = {self.p_value:.2g}, Holm over {self.among} "
            "annotators)."
        )


def without_each(
    continua: Selection, overall: Agreement, basis: Basis, tell: Callable[[str], None]
) -> tuple[WithoutAnnotator, ...]:
    """Compute the agreement without each annotator; empty for fewer than three annotators.

    Both values of an entry are from the same documents. That of all annotators is taken from
    `overall`. Each gain is tested part by part on documents, clusters or stretches (one-sided t,
    Holm's correction over annotators), except for annotators who are known not to have read to the
    end.
    """
    names = annotators_of(continua)
    if len(names) < 3:
        return ()
    agreements = []
    for number, name in enumerate(names, 1):
        # In a crowd, each of these takes as long as γ of all annotators, so progress is shown.
        tell(f"{number} of {len(names)} annotators left out")
        agreements.append((name, agreement_of_selected(basis, {name}, keep=False)))
    cuts = DocumentParts(overall)
    unfinished = {a for c in basis.named.values() for a, _ in c.read_until}
    none = math.nan, 0
    tested = [none if a in unfinished else _p_of_gain(overall, r, cuts) for a, r in agreements]
    p = holm(np.array([p for p, _ in tested]))
    among = int(np.isfinite(p).sum())
    return tuple(
        WithoutAnnotator(
            *(name, rest, overall.on(rest.documents)),
            parts=0 if math.isnan(q) else parts,
            kind=cuts.kind,
            p_raw=raw,
            p_value=q,
            among=among,
            unfinished=name in unfinished,
        )
        for (name, rest), q, (raw, parts) in zip(agreements, p.tolist(), tested, strict=True)
    )


def _p_of_gain(overall: Agreement, rest: Agreement, cuts: DocumentParts) -> tuple[float, int]:
    """Return the one-sided p of no gain and the number of parts; NaN and 0 without a test."""
    sums = [cuts.sums(measured, cuts.in_common(rest)) for measured in (overall, rest)]
    is_present = np.all([expected > 0 for _, expected in sums], axis=0)
    if is_present.sum() < FEWEST_PARTS:
        return math.nan, 0
    full, others = (independent_parts(*s[:, is_present]) for s in sums)
    errors = overall.score.chance_error, rest.score.chance_error
    return float(gain(full, others, errors).p_of_more), int(is_present.sum())


@dataclass(frozen=True, kw_only=True)
class AnnotatorSummary:
    """One annotator among the others.

    Attributes
    ----------
    units, documents, mean_length
        Number of units that the annotator marked, of documents, and mean length.
    mean_pair
        Plain mean of γ with each other annotator.
    without
        γ of the others, and the gain over everybody; NaN for fewer than three annotators.
    alone
        Share of their units that nobody else marked.
    p_raw, p_value, unfinished
        Fields of the gain and why it has none, as in `WithoutAnnotator`.
    outvoted
        Share of their units in unitary alignments where another category has more votes than
        theirs.
    """

    annotator: str
    units: int
    documents: int
    mean_length: float
    mean_pair: float
    without: float
    gain: float
    p_raw: float
    p_value: float
    unfinished: bool
    alone: float
    outvoted: float


def summaries(
    continua: Selection,
    overall: Agreement,
    pairs: PairMatrix,
    without: tuple[WithoutAnnotator, ...],
) -> tuple[AnnotatorSummary, ...]:
    """Each annotator among the others."""
    out = {entry.annotator: entry for entry in without}
    index_of = {name: i for i, name in enumerate(pairs.annotators)}
    marked = np.zeros((len(index_of), 3))
    for c in continua.values():
        columns = [index_of[name] for name in c.annotators]
        parts = c.atoms()
        covered = np.bincount(parts.annotator_codes, parts.lengths, len(columns))
        marked[columns] += np.column_stack((c.counts, np.ones(len(columns)), covered))
    among = np.zeros((len(index_of), 3))
    for score in overall.computed.values():
        columns = [index_of[name] for name in score.alignment.continuum.annotators]
        among[columns] += _among_others(score.alignment)

    def summary(name: str) -> AnnotatorSummary:
        units, documents, length = marked[index_of[name]].tolist()
        total, alone, outvoted = among[index_of[name]].tolist()
        entry = out.get(name)
        return AnnotatorSummary(
            annotator=name,
            units=int(units),
            documents=int(documents),
            mean_length=length / units if units else math.nan,
            mean_pair=pairs.mean_with_others(name),
            without=entry.agreement.value if entry else math.nan,
            gain=entry.gain if entry else math.nan,
            p_raw=entry.p_raw if entry else math.nan,
            p_value=entry.p_value if entry else math.nan,
            unfinished=bool(entry and entry.unfinished),
            alone=alone / total if total else math.nan,
            outvoted=outvoted / total if total else math.nan,
        )

    return tuple(map(summary, index_of))


def _among_others(alignment: Alignment) -> Floats:
    """Units of each annotator: how many are aligned, alone, and outvoted on the category."""
    real = alignment.groups >= 0
    votes = same_label(alignment.groups, alignment.continuum.category_codes)
    alone = real & (real.sum(axis=1, keepdims=True) == 1)
    outvoted = real & (votes < votes.max(axis=1, keepdims=True))
    return np.column_stack([kind.sum(axis=0) for kind in (real, alone, outvoted)]).astype(float)
