"""Measures of a corpus: counts of its documents, summed, and one formula.

A document has the mean of its pairs' values. A corpus has the value of the sums over its documents,
each weighing as in γ, and beside it the mean of the documents. Parts of the data (a category, a
pair of annotators, all against a reference) are measured as a corpus of their own is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from gammacp.base.arguments import one_of, several
from gammacp.base.signature import extend
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.selecting import keep_annotators, keep_categories, relabel
from gammacp.errors import DataError, UsageError
from gammacp.inference.counted import Pooled, interval_of_counts
from gammacp.inference.part_tests import FEWEST_PARTS
from gammacp.inference.populations import Over, PairSums, intervals_over
from gammacp.measures.corpus_score import CorpusScore, Retrieval
from gammacp.measures.counting import Counting, Counts, Numbers, Rates
from gammacp.measures.evaluation import evaluate
from gammacp.measures.pooling import Pool, PooledRates, pooled_rates, with_common_labels
from gammacp.measures.registry import MEASURES, UNITS, Measure, expand_names
from gammacp.measures.score import Score

if TYPE_CHECKING:
    from gammacp.measures.label_matching import LabelMatching

BY = ("category", "pair", "document")
OTHERS = "others"
"""The label of all categories but one, for measures that tell one label from the rest."""
_MOST_PAIRS = 45
# Reasons why documents are left out that are spelled out.
_SHOWN = 3
_FEW = f"fewer than {FEWEST_PARTS} documents with units tell no interval"
_HELD = "one document has nearly all that is compared, so that the others tell no interval"


@dataclass(frozen=True)
class Part:
    """One measure of some documents.

    Attributes
    ----------
    measure
        The measure.
    documents
        The continua by name.
    options
        Of the measure.
    reference
        The annotator whom the others are compared with; None: everybody with everybody.
    scores
        Of the documents, where they are there already.
    executor
        For random sets.
    """

    measure: Measure
    documents: Mapping[str, Continuum]
    options: Mapping[str, Any]
    reference: str | None = None
    scores: Mapping[str, Score] = field(default_factory=dict)
    executor: Executor | None = None

    @property
    def counting(self) -> Counting:
        """The way the measure counts."""
        assert self.measure.counting is not None
        return self.measure.counting

    @cached_property
    def own_options(self) -> dict[str, Any]:
        """The options that the measure declares."""
        return {k: v for k, v in self.options.items() if k in self.measure.options}

    def only(self, change: Callable[[Continuum], Continuum], **options: Any) -> Part:
        """The same of changed documents.

        Parameters
        ----------
        change
            From a document to what is left of it.
        options
            Those that are other ones.
        """
        documents = {name: change(c) for name, c in self.documents.items()}
        changed = {**self.options, **options}
        return Part(self.measure, documents, changed, self.reference, executor=self.executor)

    @cached_property
    def whole(self) -> Any:
        """The score of all documents, of measures that need all for each; else None."""
        together = None if self.measure.counting is None else self.measure.counting.together
        if together is None or len(self.documents) < 2:
            return None
        try:
            corpus = Corpus.from_continua(self.documents)
            return together(corpus, executor=self.executor, **self.own_options)
        except DataError as error:
            return Score(value=math.nan, reason=str(error))

    @cached_property
    def found(self) -> Mapping[str, Score]:
        """The score of each document, without a reference."""
        if self.whole is not None:
            return getattr(self.whole, "scores", dict.fromkeys(self.documents, self.whole))
        return {
            name: self.scores[name]
            if name in self.scores
            else evaluate(self.measure, c, self.options, None)
            for name, c in self.documents.items()
        }

    @cached_property
    def pairs(self) -> dict[str, Counts]:
        """The counts of each document by pair of annotators, where there are any."""
        counts = {name: s.counts for name, s in self.found.items() if s.counts is not None}
        if all(c.of_pairs for c in counts.values()):
            return counts
        rows: dict[str, list[Counts]] = {}
        for pair in self._pairs_of_people():
            some = {d: c for d, c in self.documents.items() if set(pair) <= set(c.annotators)}
            alone = Part(self.measure, some, self.options, executor=self.executor)
            alone = alone.only(partial(keep_annotators, names=pair))
            for name, score in alone.found.items():
                if score.counts is not None:
                    rows.setdefault(name, []).append(replace(score.counts, parties=(pair,)))
        return {name: _joined(rows[name]) for name in self.documents if name in rows}

    def _pairs_of_people(self) -> list[tuple[str, str]]:
        people = dict.fromkeys(a for c in self.documents.values() for a in c.annotators)
        if self.reference is not None:
            return [(self.reference, a) for a in people if a != self.reference]
        return list(combinations(people, 2))

    @cached_property
    def counts(self) -> dict[str, Counts]:
        """Counts that each document adds to the sums."""
        if self.reference is None:
            found = {n: s.counts for n, s in self.found.items() if s.counts is not None}
        else:
            turned = {n: c.against(self.reference) for n, c in self.pairs.items()}
            found = {n: c for n, c in turned.items() if c.parties}
        order = next(iter(self.documents.values())).categories if self.documents else ()
        return dict(zip(found, with_common_labels([*found.values()], order), strict=True))

    @property
    def values(self) -> list[float]:
        """The values of the documents that have one."""
        if self.reference is None:
            found = [s.value for s in self.found.values()]
        else:
            found = [self.value_of(c) for c in self.counts.values()]
        return [value for value in found if not math.isnan(value)]

    def value_of(self, counts: Counts) -> float:
        """The mean of the values of a document's pairs.

        Parameters
        ----------
        counts
            Of the document.
        """
        return float(self.counting.rates_of(counts, **self.own_options).value.mean())


def _joined(counts: Sequence[Counts]) -> Counts:
    """Counts of one document by pair, put together."""
    alike = with_common_labels(counts)
    numbers = {name: np.concatenate([c.numbers[name] for c in alike]) for name in alike[0].numbers}
    return Counts(tuple(c.parties[0] for c in alike), numbers, alike[0].labels)


def measure_corpus(
    corpus: Corpus,
    names: Iterable[str],
    *,
    by: Iterable[str] = (),
    reference: str | None = None,
    beyond_chance: bool = False,
    scores: Mapping[str, Mapping[str, Score]] | None = None,
    executor: Executor | None = None,
    check: bool = True,
    matching: LabelMatching | None = None,
    **options: Any,
) -> dict[str, CorpusScore]:
    """Measure a corpus; `gammacp.measure` of a corpus does so.

    Parameters
    ----------
    corpus
        The documents.
    names
        Of registered measures.
    by
        Any of "category" and "pair"; "document" adds nothing here.
    reference
        An annotator: the others are compared with this one, with recall and precision.
    beyond_chance
        Whether each value has its disagreement against chance.
    scores
        Of the documents, by measure within document, where they were computed before.
    executor
        For random sets of measures whose documents share them.
    check
        Whether a reference who is in no document is an error; otherwise scores have no value.
    matching
        The way in which labels of the corpus were matched, for random sets.
    options
        Of the measures, and of chance.

    Raises
    ------
    DataError
        The reference is in no document.
    UsageError
        A measure or an option is unknown.
    """
    from gammacp.measures.beyond_chance import CHANCE_OPTIONS

    chosen = {name: MEASURES[name] for name in expand_names(names)}
    wanted = [one_of("by", part, BY) for part in several("by", by)]
    known = frozenset[str]().union(*(m.options for m in chosen.values()))
    if beyond_chance:
        known |= CHANCE_OPTIONS
    for option in options.keys() - known:
        raise UsageError(f"{option} is an option of none of: {', '.join(chosen)}")
    if check:
        check_reference(corpus, reference)
    found = {}
    for name, m in chosen.items():
        own = {d: s[name] for d, s in (scores or {}).items() if name in s}
        part = Part(m, dict(corpus), options, reference, own, executor)
        found[name] = _score_by(part, wanted)
    if beyond_chance:
        # It stands on this module.
        from gammacp.measures.corpus_chance import corpus_beyond_chance

        found = corpus_beyond_chance(corpus, found, reference, options, matching)
    return found


def as_corpus(data: Any) -> Corpus:
    """Return a corpus, or a corpus of one continuum.

    Parameters
    ----------
    data
        What is measured.

    Raises
    ------
    UsageError
        It is neither.
    """
    if isinstance(data, Corpus):
        return data
    if not isinstance(data, Continuum):
        raise UsageError("by and reference are for a Continuum or a Corpus")
    return Corpus.from_continua({data.name or "": data})


def check_reference(documents: Mapping[str, Continuum], reference: str | None) -> None:
    """Raise a DataError where nobody is the reference.

    Parameters
    ----------
    documents
        The continua.
    reference
        A name; None is fine.
    """
    people = dict.fromkeys(a for c in documents.values() for a in c.annotators)
    if reference is not None and reference not in people:
        raise DataError(
            f"reference {reference!r} is not an annotator",
            hint=f"There are: {', '.join(people) or 'none'}",
        )


def _score_by(part: Part, by: Collection[str]) -> CorpusScore:
    """The score of one measure, with those of its categories and pairs."""
    score = corpus_score(part)
    if part.measure.counting is None or part.measure.applies_to not in UNITS:
        return score
    if "category" in by:
        score = replace(score, by_category=_by_category(part))
    if "pair" in by:
        score = replace(score, by_pair=_by_pair(part))
    return score


def corpus_score(part: Part, *, plain: bool = False) -> CorpusScore:
    """Return the score of one measure of some documents.

    Parameters
    ----------
    part
        The measure and the documents.
    plain
        Whether intervals are left out.
    """
    m, of = part.measure, len(part.documents)
    if m.counting is None:
        return _without_sums(part)
    counts = part.counts
    if not counts:
        return CorpusScore(value=math.nan, of=of, reason=_why_nothing(part))
    settled = m.counting.settle(_all(counts), **part.own_options)

    def formula(numbers: Numbers) -> Rates:
        return part.counting.rates(numbers, **settled)

    pooling = m.counting.pooling_of(**part.own_options)
    weights = [part.documents[name].weight for name in counts]
    pool = Pool.of([*counts.values()], weights, pooling)
    pooled = pooled_rates(pool, formula, pooling)
    whole = _mean_of_pairs(part, counts, formula) if of == 1 else pooled.whole
    value = float(whole.value)
    labels = next(iter(counts.values())).labels
    found = CorpusScore(
        value=value,
        mean=float(np.mean(part.values)) if part.values else math.nan,
        documents=len(counts),
        of=of,
        retrieval=_retrieval(whole) if part.reference is not None else Retrieval(),
        support=_support(part),
        reason=None if not math.isnan(value) else _why_undefined(part, whole),
        notes=(*_left_out(part), *_missing(counts)),
        signature=_signature(part),
        disagreement=float(whole.disagreement),
        by_category=_by_label(whole, labels, len(counts), of),
    )
    if math.isnan(value) or of == 1 or plain:
        return found
    return _with_intervals(found, part, pooled, formula)


def _all(counts: Mapping[str, Counts]) -> Counts:
    """The counts of all documents, one row after the other."""
    every = [*counts.values()]
    numbers = {name: np.concatenate([c.numbers[name] for c in every]) for name in every[0].numbers}
    return Counts(tuple(p for c in every for p in c.parties), numbers, every[0].labels)


def _mean_of_pairs(
    part: Part, counts: Mapping[str, Counts], formula: Callable[[Numbers], Rates]
) -> Rates:
    """Return a single document's own value, and the means of its pairs' rates."""
    (only,) = counts.values()
    rates = formula(only.numbers)
    value = next(iter(part.found.values())).value if part.reference is None else rates.value.mean()
    columns = {
        name: None if (x := getattr(rates, name)) is None else np.asarray(x.mean(axis=0))
        for name in ("disagreement", "size", "expected", "recall", "precision", "by_label")
    }
    return Rates(value=np.asarray(value), **columns, most=rates.most)  # type: ignore[arg-type]


def _by_label(
    whole: Rates, labels: Sequence[str], documents: int, of: int
) -> dict[str, CorpusScore]:
    """The values of a measure that has one per label."""
    if whole.by_label is None:
        return {}
    values = dict(zip(labels, whole.by_label.tolist(), strict=True))
    return {
        name: CorpusScore(value=value, documents=documents, of=of) for name, value in values.items()
    }


def _retrieval(whole: Rates) -> Retrieval:
    sides = {}
    for name in ("recall", "precision"):
        found = getattr(whole, name)
        sides[name] = None if found is None or math.isnan(float(found)) else float(found)
    return Retrieval(**sides)


def _support(part: Part) -> int:
    """Units of the reference, or of everybody."""
    if part.reference is None:
        return sum(c.n_units for c in part.documents.values())
    there = [c for c in part.documents.values() if part.reference in c.annotators]
    return sum(len(c.starts[c.rows_of(part.reference)]) for c in there)


def _without_sums(part: Part) -> CorpusScore:
    """The mean of the documents, of measures that do not add up."""
    name, of = part.measure.name, len(part.documents)
    reason = f"{name} does not add up over documents: a corpus has the mean of documents only"
    if part.reference is not None:
        return CorpusScore(value=math.nan, of=of, reason=f"{name} takes no reference; {reason}")
    values = [s.value for s in part.found.values() if s.defined]
    if not values:
        return CorpusScore(value=math.nan, of=of, reason=_why_nothing(part))
    mean = math.fsum(values) / len(values)
    return CorpusScore(
        value=math.nan, mean=mean, documents=len(values), of=of, reason=reason,
        support=_support(part),
    )  # fmt: skip


def _reasons(part: Part) -> dict[str, int]:
    """Count the documents that count nothing, by reason."""
    found: dict[str, int] = {}
    for name, score in part.found.items():
        if score.counts is None and name not in part.counts:
            reason = score.reason or "it has no counts"
            found[reason] = found.get(reason, 0) + 1
    return found


def _why_nothing(part: Part) -> str:
    if part.reference is not None and part.measure.counting is not None and part.pairs:
        both = f"{part.reference} and somebody to compare"
        return f"it does not have {both}" if len(part.documents) == 1 else f"no document has {both}"
    reasons = [s.reason for s in part.found.values() if s.reason]
    return reasons[0] if reasons else "no document has anything to compare"


def _why_undefined(part: Part, whole: Rates) -> str:
    if part.measure.per_category:
        return "it has a value per category only"
    if whole.expected is not None and float(whole.expected) < 0:
        return f"the expected disagreement is negative ({float(whole.expected):.3g})"
    if len(part.documents) == 1:
        reason = next(iter(part.found.values())).reason
        return reason or part.counting.nothing
    return part.counting.nothing


def _left_out(part: Part) -> tuple[str, ...]:
    """Return a note on documents that do not count, for each reason."""
    if len(part.documents) == 1:
        return ()
    every = sorted(_reasons(part).items(), key=lambda entry: -entry[1])
    of = len(part.documents)
    notes = [f"{n} of {of} documents left out: {reason}" for reason, n in every[:_SHOWN]]
    if rest := sum(number for _, number in every[_SHOWN:]):
        notes.append(f"{rest} of {of} documents left out for other reasons")
    return tuple(notes)


def _missing(counts: Mapping[str, Counts]) -> tuple[str, ...]:
    """Return a note on missing labels, of measures that count them."""
    sums = [
        int(sum(c.numbers[name].sum() for c in counts.values() if name in c.numbers))
        for name in ("missing", "asked")
    ]
    return (f"{sums[0]} of {sums[1]} labels are missing",) if sums[0] else ()


def _signature(part: Part) -> str:
    """Return the signature of the whole, or of the first document that counts."""
    known = [s.signature for s in part.found.values() if s.counts is not None and s.signature]
    line = getattr(part.whole, "signature", "") or (known[0] if known else "")
    if not line:
        return ""
    return extend(line, documents=len(part.counts), reference=part.reference)


def _with_intervals(
    found: CorpusScore, part: Part, pooled: PooledRates, formula: Callable[[Numbers], Rates]
) -> CorpusScore:
    """The score with its intervals over documents, annotators and both."""
    whole, marked = pooled.whole, pooled.sizes > 0
    if part.measure.per_category:
        return found
    if np.count_nonzero(marked) < FEWEST_PARTS:
        return replace(found, notes=(*found.notes, _FEW))
    interval = interval_of_counts(_pooled(part, pooled, marked))
    if interval is None:
        return replace(found, notes=(*found.notes, _HELD))
    return replace(found, interval=interval, over=_over(part, whole, interval, formula))


def _pooled(part: Part, pooled: PooledRates, marked: np.ndarray[Any, Any]) -> Pooled:
    whole, weights = pooled.whole, np.array([part.documents[n].weight for n in part.counts])
    expected = 1.0 if whole.expected is None else float(whole.expected)
    most = whole.most or 1.0
    sizes = pooled.sizes[marked]
    # Of documents that stand for unequal numbers of others the sample is worth fewer units.
    units = sizes.sum() ** 2 / (sizes * weights[marked]).sum()
    return Pooled(
        value=float(whole.value),
        without=pooled.without[marked],
        sizes=sizes,
        disagreement=float(whole.disagreement) / most,
        expected=expected / most,
        units=float(units),
        error=float(getattr(part.whole, "chance_error", 0.0)),
        exact=part.counting.together is None or _few_disagree(part),
        least=part.measure.least,
    )


def _few_disagree(part: Part) -> bool:
    """Return whether too few documents have a cost to tell how others would differ."""
    costs = [float(c.numbers["observed"].sum()) for c in part.counts.values()]
    return bool(np.count_nonzero(costs) < FEWEST_PARTS)


def _over(
    part: Part, whole: Rates, interval: tuple[float, float], formula: Callable[[Numbers], Rates]
) -> Over:
    """The interval over documents, and those over annotators and both from the pairs."""
    plain = Over(documents=interval, n_documents=len(part.counts))
    if part.reference is not None:
        return replace(plain, reason="a reference is not one of many such annotators")
    if len(part._pairs_of_people()) > _MOST_PAIRS:
        return replace(plain, reason=f"more than {_MOST_PAIRS} pairs are not measured by pair")
    if whole.value >= 1:
        return replace(plain, reason="there is no disagreement")
    labels = next(iter(part.counts.values())).labels
    rows = [(k, part.pairs[n]) for k, n in enumerate(part.counts) if n in part.pairs]
    alike = with_common_labels([c for _, c in rows], labels)
    expected = 1.0 if whole.expected is None else float(whole.expected)
    names = dict.fromkeys(a for c in alike for pair in c.parties for a in pair)
    people = {name: i for i, name in enumerate(names)}
    columns: list[tuple[int, tuple[int, int], float, float]] = []
    for (k, _), counts in zip(rows, alike, strict=True):
        rates = formula(counts.numbers)
        weight = part.documents[[*part.counts][k]].weight / len(counts.parties)
        for pair, apart, size in zip(counts.parties, rates.disagreement, rates.size, strict=True):
            if size > 0 and not math.isnan(apart):
                cell = weight * float(size)
                who = (people[pair[0]], people[pair[1]])
                columns.append((k, who, cell * float(apart), cell * expected))
    if not columns:
        return plain
    documents, pairs, observed, chance = zip(*columns, strict=True)
    # Pairs may sum to another value than the whole has: what they tell is how far they differ.
    scale = (1 - float(whole.value)) / (math.fsum(observed) / math.fsum(chance) or 1.0)
    sums = PairSums.of_pairs(documents, pairs, [scale * x for x in observed], chance)
    return intervals_over(sums, interval)


def _by_category(part: Part) -> dict[str, CorpusScore]:
    """The same of each category: its units alone, or its label against all others."""
    every = dict.fromkeys(k for c in part.documents.values() for k in c.categories)
    found = {}
    for category in every:
        own = part.only(partial(_only_category, category=category))
        if part.counting.relabelled:
            options = {"metric": "nominal"} if "metric" in part.measure.options else {}
            rest = part.only(partial(_against_rest, category=category), **options)
            found[category] = replace(corpus_score(rest), support=_support(own))
        else:
            found[category] = corpus_score(own)
    return found


def _only_category(continuum: Continuum, category: str) -> Continuum:
    return keep_categories(continuum, [category] if category in continuum.categories else [])


def _against_rest(continuum: Continuum, category: str) -> Continuum:
    return relabel(continuum, [k if k == category else OTHERS for k in continuum.categories])


def _by_pair(part: Part) -> dict[str, CorpusScore]:
    """The same of each pair of annotators, on the documents that both annotated."""
    found = {}
    for first, second in part._pairs_of_people():
        there = {d: c for d, c in part.documents.items() if {first, second} <= set(c.annotators)}
        if there:
            alone = Part(part.measure, there, part.options, part.reference, executor=part.executor)
            alone = alone.only(partial(keep_annotators, names=(first, second)))
            found[f"{first}, {second}"] = corpus_score(alone)
    return found
