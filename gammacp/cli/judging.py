"""Compare agreement with thresholds, and print annotations that GitHub shows beside files.

GitHub takes lines such as `::error file=a.csv,line=3,title=T::message` from whatever a step prints,
with `%`, line ends and, in properties, `:` and `,` as percent codes.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from gammacp.base.text import visible
from gammacp.cli import output
from gammacp.cli.output import message
from gammacp.errors import BelowThresholdError, DataError, GammacpError, UsageError
from gammacp.measures.corpora.score import CorpusScore

if TYPE_CHECKING:
    from gammacp.inference.resampling import BootstrapInterval
    from gammacp.measures.agreement import Agreement
    from gammacp.measures.score import Score

_NAMED = 3
"""Documents below a threshold that the error names."""
_ANNOTATED = 8
"""Documents that get a line of their own: GitHub shows ten errors of a step, and one is about the
whole, one about the exit code."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A value to compare with thresholds.

    Attributes
    ----------
    what, value
        Name of the value in messages, and the value, which is NaN if undefined.
    measure
        Name of the measure, for the values of single documents.
    reason
        Reason why the value is undefined.
    interval_of
        Description of the interval.
    lower
        The lower end of the interval; NaN where there is none.
    no_interval
        Reason why there is no interval.
    documents, reasons
        Value of each document, and the reason for each undefined one.
    files
        File of each document. The name of a document that is missing here is its file.
    """

    what: str = "γ"
    value: float
    measure: str = "γ"
    reason: str | None = None
    interval_of: str = "its interval"
    lower: float = math.nan
    no_interval: str | None = None
    documents: Mapping[str, float] = field(default_factory=dict)
    reasons: Mapping[str, str | None] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    def below(self, threshold: float) -> list[str]:
        """Return the documents whose value is undefined or below a threshold, lowest first.

        Parameters
        ----------
        threshold
            The least value.
        """
        values = self.documents
        names = [name for name, value in values.items() if not value >= threshold]
        return sorted(names, key=lambda name: (math.isnan(values[name]), values[name]))


def judged_gamma(
    found: Agreement, over: BootstrapInterval | None, files: Mapping[str, str]
) -> Judged:
    """Return γ as a value to judge.

    Parameters
    ----------
    found
        γ of each document and of all together. Documents without any unit are left out.
    over
        Interval of γ over documents, or None.
    files
        File of each document.
    """
    records = {record["file"]: record for record in found.results(marked=True)}
    lower = math.nan
    why = "there is no γ"
    if over is not None:
        lower = over.low
        why = str(over.reason)
    return Judged(
        what="γ of the corpus" if len(found.documents) > 1 else "γ",
        value=found.value,
        reason=found.score.reason,
        interval_of="γ's interval over documents",
        lower=lower,
        no_interval=why,
        documents={name: _value(record["gamma"]) for name, record in records.items()},
        reasons={name: record["reason"] for name, record in records.items()},
        files=files,
    )


def judged_scores(
    name: str, whole: Score | CorpusScore, documents: Mapping[str, Score], files: Mapping[str, str]
) -> Judged:
    """Return a measure as a value to judge.

    Parameters
    ----------
    name
        Name of the measure.
    whole
        Score of all documents.
    documents
        Score of each document.
    files
        File of each document.
    """
    lower = math.nan
    why = "one document has no interval over documents"
    if isinstance(whole, CorpusScore):
        why = whole.over.documents_reason or whole.reason or "the documents are too few"
        if whole.interval is not None:
            lower = whole.interval[0]
    return Judged(
        what=name,
        measure=name,
        value=whole.value,
        reason=whole.reason,
        interval_of=f"the interval of {name} over documents",
        lower=lower,
        no_interval=why,
        documents={document: score.value for document, score in documents.items()},
        reasons={document: score.reason for document, score in documents.items()},
        files=files,
    )


def _value(value: float | None) -> float:
    """Return a value, with NaN instead of None."""
    if value is None:
        return math.nan
    return value


def check_bound(name: str, value: float) -> float:
    """Return a threshold, which must be one that a value can both reach and miss.

    Parameters
    ----------
    name
        Name of the option or argument.
    value
        The threshold.

    Raises
    ------
    UsageError
        The threshold is NaN or above 1.
    """
    if not math.isfinite(value):
        raise UsageError(f"{name} must be a number, not {value:g}")
    if value > 1:
        text = f"{name} {value:g} is above 1, the highest agreement there is"
        if 10 <= value <= 100:
            text += f"; {value:g} % is {value / 100:g}"
        raise UsageError(text)
    return value


def judge(judged: Judged, least: float | None, least_lower: float | None = None) -> None:
    """Raise BelowThresholdError if a value or its lower end is undefined or too low.

    Parameters
    ----------
    judged
        Value to compare.
    least, least_lower
        Thresholds of the value and of the lower end of its interval, or None.
    """
    misses = []
    below = []
    if least is not None:
        below = judged.below(least)
        if miss := _miss(judged.what, judged.value, least, judged.reason):
            misses.append(miss + _named(judged, below, least))
    if least_lower is not None:
        lower = f"the lower end of {judged.interval_of}"
        if miss := _miss(lower, judged.lower, least_lower, judged.no_interval):
            misses.append(miss)
    if output.platform is not None and least is not None:
        _annotate_documents(judged, below, least, failing=bool(misses))
    if misses:
        raise BelowThresholdError("; ".join(misses))


def _miss(what: str, value: float, least: float, reason: str | None) -> str:
    """Return why a value misses its threshold; "" if it does not."""
    if math.isnan(value):
        return f"{what} is undefined{f': {reason}' if reason else ''}"
    if value < least:
        return f"{what} is {_number(value, least)}, below {least:g}"
    return ""


def _number(value: float, least: float) -> str:
    """Return a value with enough digits to show that it is below a threshold."""
    text = f"{value:.4f}"
    if float(text) < least:
        return text
    return repr(value)


def _named(judged: Judged, below: list[str], least: float) -> str:
    """Return the lowest documents in words; "" if the value concerns one document."""
    if len(judged.documents) < 2 or not below:
        return ""
    values = judged.documents
    lowest = [
        f"{name} {'undefined' if math.isnan(values[name]) else _number(values[name], least)}"
        for name in below[:_NAMED]
    ]
    listed = ", ".join(lowest)
    if len(below) > _NAMED:
        listed += ", …"
    return f" ({len(below)} of {len(values)} documents miss it: {listed})"


def _annotate_documents(judged: Judged, below: list[str], least: float, *, failing: bool) -> None:
    """Print an annotation for each of the lowest documents, and the number of the others."""
    if failing:
        level = "error"
    else:
        level = "warning"
    for name in below[:_ANNOTATED]:
        text = _miss(
            f"{judged.measure} of {name}", judged.documents[name], least, judged.reasons.get(name)
        )
        annotate(level, text, title="agreement", file=judged.files.get(name, name))
    more = len(below) - _ANNOTATED
    if more > 0:
        message(
            f"gammacp: {more} more documents are below {least:g}; GitHub shows ten lines of a "
            "step, so the lowest have one"
        )


def annotate_error(error: GammacpError) -> None:
    """Print an error as an annotation for GitHub.

    Parameters
    ----------
    error
        Error that ends the command.
    """
    if isinstance(error, DataError):
        text, _ = error.message_and_place
        annotate("error", text, title="gammacp", file=error.file, line=error.line)
    else:
        annotate("error", str(error), title="gammacp")


def annotate(
    level: str,
    text: str,
    *,
    title: str,
    file: str | PathLike[str] | None = None,
    line: int | None = None,
) -> None:
    """Print an annotation that GitHub shows beside a file, on stderr, apart from JSON.

    Parameters
    ----------
    level
        "error" or "warning".
    text, title
        Text and title that are shown.
    file, line
        File and line of the annotation; a name that is not a file is omitted.
    """
    properties = {}
    if file is not None and (path := _in_repository(file)):
        properties["file"] = path
        if line is not None:
            properties["line"] = str(line)
    properties["title"] = title
    listed = ",".join(f"{name}={_escape_property(value)}" for name, value in properties.items())
    words = visible(output.with_options(text), keep="\n")
    print(f"::{level} {listed}::{_escape(words)}", file=sys.stderr)


def _in_repository(file: str | PathLike[str]) -> str:
    """Return the path of a file relative to the repository, or of the archive that contains it."""
    path = Path(file)
    while not path.exists() and path != path.parent:
        path = path.parent
    if not path.is_file():
        return ""
    root = os.environ.get("GITHUB_WORKSPACE")
    if root and path.resolve().is_relative_to(Path(root).resolve()):
        path = path.resolve().relative_to(Path(root).resolve())
    return path.as_posix()


def _escape(text: str) -> str:
    """Escape a message for GitHub's workflow commands."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    """Escape the value of a property for GitHub's workflow commands."""
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
