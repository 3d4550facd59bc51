"""Several measures of one continuum or of a corpus, also beyond chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gammacp.base.arguments import several
from gammacp.continuum import Continuum, Corpus
from gammacp.errors import UsageError
from gammacp.measures.evaluation import measure_each
from gammacp.measures.score import Score, Scores

if TYPE_CHECKING:
    from gammacp.measures.matching.label_matching import LabelMatching, MatchedScores


def measure(
    continuum: Any,
    names: Iterable[str],
    *,
    by: str | Iterable[str] = (),
    reference: str | None = None,
    beyond_chance: bool = False,
    match_labels: str | None = None,
    **options: Any,
) -> Any:
    """Measure one continuum, one corpus, or one treebank, by several measures.

    A corpus has a `CorpusScore` of each measure: its formula on counts that are summed over the
    documents, the mean of documents, and an interval over documents. So has a continuum with `by`
    or `reference`; otherwise it has a `Score` of each. A measure that does not apply, or whose data
    are bad for it, is an undefined score with the reason.

    With `beyond_chance`, each score also has the measure's disagreement against chance
    (`gammacp.measures.beyond_chance`); `chance`, `precision`, `confidence`, `samples` and `seed`
    then are options of every measure of a continuum, `seed` of those of trees.

    Parameters
    ----------
    continuum
        A continuum, a corpus, or a treebank for measures of trees.
    names
        Names of registered measures; `all` stands for every one of a continuum.
    by
        "category", "pair", or both: each also by itself.
    reference
        An annotator whom the others are compared with, with recall and precision.
    match_labels
        "corpus" or "document": labels are arbitrary names (speakers, clusters) that mean the same
        in all documents, or within one. They are mapped one to one so that units of equal label
        share the greatest length: those of one annotator onto the other's, or of all onto the
        reference's; of random sets, too. The result then has `labels`.
    options
        Options of the measures, each handed to those that declare it.

    Returns
    -------
    dict
        `Score` or `CorpusScore` by measure.

    Raises
    ------
    UsageError
        Unknown measure, an option of none of them, or a value outside its range.
    DataError
        The reference is in no document, or labels of three annotators have none to be mapped onto.
    """
    if match_labels is not None:
        return _match_and_measure(
            continuum,
            names,
            match_labels,
            by=by,
            reference=reference,
            beyond_chance=beyond_chance,
            options=options,
        )
    parts = [by] if isinstance(by, str) else several("by", by)
    if isinstance(continuum, Corpus) or parts or reference is not None:
        return _measure_as_corpus(continuum, names, parts, reference, beyond_chance, options)
    if not beyond_chance:
        return Scores(measure_each(continuum, names, **options))
    # Imported here, because it imports γ and its random sets.
    from gammacp.measures.beyond_chance import measured_beyond_chance

    return Scores(measured_beyond_chance(continuum, names, options))


def _measure_as_corpus(
    data: Any,
    names: Iterable[str],
    parts: Sequence[str],
    reference: str | None,
    beyond_chance: bool,
    options: Mapping[str, Any],
) -> Scores:
    """Measure a corpus, or a continuum as a corpus of one document."""
    # Imported here, because a single continuum does not need it.
    from gammacp.measures.corpora.measuring import as_corpus, measure_corpus

    scores = measure_corpus(
        as_corpus(data),
        names,
        by=parts,
        reference=reference,
        beyond_chance=beyond_chance,
        **options,
    )
    return Scores(scores)


def _match_and_measure(
    data: Any,
    names: Iterable[str],
    scope: str,
    *,
    by: str | Iterable[str],
    reference: str | None,
    beyond_chance: bool,
    options: Mapping[str, Any],
) -> MatchedScores:
    """Match the labels of the data and measure them."""
    from gammacp.measures.corpora.measuring import as_corpus, check_reference, measure_corpus
    from gammacp.measures.matching.label_matching import LabelMatching, MatchedScores

    if not isinstance(data, Continuum | Corpus):
        raise UsageError("match_labels is for a Continuum or a Corpus")
    corpus = as_corpus(data)
    check_reference(corpus, reference)
    matching = LabelMatching(scope, reference)
    matched = matching.match_data(corpus)
    parts = [by] if isinstance(by, str) else several("by", by)
    if isinstance(data, Continuum) and not parts and reference is None:
        (single,) = matched.documents.values()
        scores: Mapping[str, Any] = measure_matched(
            single, names, matching=matching, beyond_chance=beyond_chance, **options
        )
        return MatchedScores(scores, matched.maps)
    scores = measure_corpus(
        Corpus.from_continua(matched.documents),
        names,
        by=parts,
        reference=reference,
        beyond_chance=beyond_chance,
        matching=matching,
        **options,
    )
    return MatchedScores(scores, matched.maps)


def measure_matched(
    continuum: Continuum,
    names: Iterable[str],
    *,
    matching: LabelMatching,
    beyond_chance: bool = False,
    alone: bool = True,
    **options: Any,
) -> dict[str, Score]:
    """Measure a continuum whose labels are matched already.

    Parameters
    ----------
    continuum, names, beyond_chance, options
        As for `measure`.
    matching
        The way in which labels were matched.
    alone
        Whether the continuum is all that the labels were matched on; otherwise labels that are
        matched over a corpus leave a single document without a value beyond chance, as its random
        sets alone do not tell how well labels can be matched over all documents.
    """
    if not beyond_chance:
        return dict(measure_each(continuum, names, **options))
    from gammacp.chance.beyond import BeyondChance
    from gammacp.measures.beyond_chance import CHANCE_OPTIONS, measured_beyond_chance
    from gammacp.measures.registry import MEASURES, expand_names

    if alone or matching.scope == "document":
        return measured_beyond_chance(continuum, names, options, matching)
    names = expand_names(names)
    declared = frozenset[str]().union(*(MEASURES[name].options for name in names))
    own_options = {k: v for k, v in options.items() if k in declared or k not in CHANCE_OPTIONS}
    reason = "labels are matched over the corpus, which alone has a value beyond chance"
    beyond = BeyondChance(value=float("nan"), reason=reason)
    return {
        name: replace(score, beyond_chance=beyond)
        for name, score in measure_each(continuum, names, **own_options)
    }
