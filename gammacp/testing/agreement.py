"""Test of a campaign's agreement: an AssertionError if it is too low."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from gammacp.continuum import Continuum, Corpus
from gammacp.errors import BelowThresholdError, UsageError

if TYPE_CHECKING:
    from gammacp.measures.corpora.score import CorpusScore
    from gammacp.measures.score import Score

Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def require_agreement(
    data: Paths | Continuum | Corpus,
    measure: str = "gamma",
    *,
    at_least: float | None = None,
    lower_at_least: float | None = None,
    **options: Any,
) -> Score | CorpusScore:
    """Return the agreement on files; AssertionError if it is undefined or too low.

    The value, the interval and the sentence are those of `gammacp measure --fail-under`.

    Parameters
    ----------
    data
        Files, folders or globs, a campaign.toml, or a continuum or corpus that was read from them.
    measure
        Name of a measure of units.
    at_least
        Smallest accepted value of all documents together.
    lower_at_least
        Smallest accepted lower end of the 95 % interval over documents.
    options
        Options of the measure, such as `precision` and `seed`.

    Raises
    ------
    AssertionError
        The value is too low or undefined. The message names the documents with the lowest values.
    DataError
        A file cannot be read.
    UsageError
        No threshold is given, or one is NaN or above 1.

    >>> from gammacp import datasets
    >>> c = datasets.load("alex-paul-suzan")
    >>> require_agreement(c, "f1-exact", at_least=0.7)
    Traceback (most recent call last):
    AssertionError: f1-exact is 0.4333, below 0.7
    """
    from gammacp.cli.judging import check_bound, judge, judged_scores
    from gammacp.cli.measured import MeasureTask, Together

    # Makes pytest show only the line of the test in tracebacks.
    __tracebackhide__ = True
    if at_least is None and lower_at_least is None:
        raise UsageError("give at_least or lower_at_least")
    for name, threshold in (("at_least", at_least), ("lower_at_least", lower_at_least)):
        if threshold is not None:
            check_bound(name, threshold)
    documents, files = _documents_of(data)
    task = MeasureTask.of([measure], options, False, None, documents)
    scores, joint = task.measure(documents, None, lambda _done, _of: None)
    together = Together.of(
        documents,
        scores,
        (),
        None,
        beyond_chance=False,
        options=options,
        executor=None,
        joint=joint,
    )
    whole: Score | CorpusScore = together.headline[measure]
    by_document = {name: scores_of_one[measure] for name, scores_of_one in scores.items()}
    try:
        judge(judged_scores(measure, whole, by_document, files), at_least, lower_at_least)
    except BelowThresholdError as error:
        raise AssertionError(str(error)) from None
    return whole


def _documents_of(
    data: Paths | Continuum | Corpus,
) -> tuple[Mapping[str, Continuum], Mapping[str, str]]:
    """Return the documents by name, and their files."""
    if isinstance(data, Continuum):
        return {data.name: data}, {}
    if isinstance(data, Corpus):
        return dict(data), {}
    # Imported here because tests of continua that were already read need no reader of files.
    from gammacp.formats.campaign_file import campaign_of

    if isinstance(data, str | os.PathLike):
        paths = [Path(data)]
    else:
        paths = [Path(path) for path in data]
    campaign = campaign_of(paths)
    collected = campaign.collect()
    for _, error in collected.failures:
        raise error
    selected = campaign.select(collected)
    return selected.continua, selected.files
