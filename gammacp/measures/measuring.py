"""Several measures of one continuum or of a corpus, also beyond chance."""

from collections.abc import Iterable
from typing import Any

from gammacp.base.arguments import several
from gammacp.continuum import Corpus
from gammacp.measures.evaluation import measure_each


def measure(
    continuum: Any,
    names: Iterable[str],
    *,
    by: str | Iterable[str] = (),
    reference: str | None = None,
    beyond_chance: bool = False,
    **options: Any,
) -> Any:
    """Measure one continuum, one corpus, or one treebank, by several measures.

    A corpus has a `CorpusScore` of each measure: its formula on counts that are summed over the
    documents, the mean of documents, and an interval over documents. So has a continuum with `by`
    or `reference`; otherwise it has a `Score` of each.

    With `beyond_chance`, each score also has the measure's disagreement against chance
    (`gammacp.measures.beyond_chance`, and the entries of `[beyond chance]`); `chance`,
    `precision`, `confidence`, `samples` and `seed` then are options of every measure of a
    continuum, `seed` of those of trees.

    A measure that does not apply, or whose data are bad for it, is an undefined Score with the
    reason; the others go on.

    Parameters
    ----------
    continuum
        A continuum, a corpus, or a treebank for measures of trees.
    names
        Of registered measures; `all` stands for every one of a continuum.
    by
        "category", "pair", or both: each also by itself.
    reference
        An annotator whom the others are compared with, with recall and precision.
    options
        Of the measures, each handed to those that declare it.

    Returns
    -------
    dict
        `Score` or `CorpusScore` by measure.

    Raises
    ------
    UsageError
        Unknown measure, an option of none of them, or a value outside its range.
    """
    parts = [by] if isinstance(by, str) else several("by", by)
    if isinstance(continuum, Corpus) or parts or reference is not None:
        # Imported only where it is asked for, as what is below.
        from gammacp.measures.corpus_measuring import as_corpus, measure_corpus

        return measure_corpus(
            as_corpus(continuum),
            names,
            by=parts,
            reference=reference,
            beyond_chance=beyond_chance,
            **options,
        )
    if not beyond_chance:
        return dict(measure_each(continuum, names, **options))
    # It stands on γ and its random sets.
    from gammacp.measures.beyond_chance import measured_beyond_chance

    return measured_beyond_chance(continuum, names, options)
