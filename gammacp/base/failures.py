"""Files that could not be read, with the documents that are missing because of them.

A result computed from the remaining files is not the result for the data that were given. So every
answer begins with a sentence on what is missing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gammacp.base.text import first_names
from gammacp.errors import DataError

# Largest number of names of documents or files in a sentence.
_NAMED = 5


@dataclass(frozen=True)
class Failure:
    """A file or document that could not be read.

    Attributes
    ----------
    error
        The reason, with file and line if they are known.
    documents
        Names of the documents that are missing because of it; empty where only the file could have
        said what it holds.
    """

    error: DataError
    documents: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON of an entry: `{"file", "line", "message", "documents"}`."""
        message, _ = self.error.message_and_place
        return {
            "file": None if self.error.file is None else str(self.error.file),
            "line": self.error.line,
            "message": message,
            "documents": list(self.documents),
        }


def documents_missing(failures: Iterable[Failure]) -> list[str]:
    """Return the names of all documents that are known to be missing, each once.

    Parameters
    ----------
    failures
        The files that could not be read.
    """
    return list(dict.fromkeys(name for each in failures for name in each.documents))


def incomplete_in_words(read: int, failures: Sequence[Failure]) -> str | None:
    """Return the sentence that says what is missing in an answer; None if nothing is.

    Parameters
    ----------
    read
        Number of documents that were read.
    failures
        The files that could not be read.

    >>> error = DataError("end 3 < start 7", file="ann/d2.ann", line=4)
    >>> incomplete_in_words(6, [Failure(error, ("d2",))])
    '6 of 7 documents; d2 left out: ann/d2.ann:4: end 3 < start 7'
    """
    if not failures:
        return None
    documents = documents_missing(failures)
    files = [str(each.error.file) for each in failures if not each.documents]
    total = f"of {read + len(documents)}"
    if files:
        # A file that names its documents itself may have held any number of them.
        total = f"of at least {read + len(documents) + 1}"
    names = first_names(list(dict.fromkeys([*documents, *files])), _NAMED)
    if len(failures) > 1:
        more = f" (and {len(failures) - 1} more)"
    else:
        more = ""
    # The hint stands with the error itself, which is printed before the answer.
    first = failures[0].error
    _, place = first.message_and_place
    if place:
        reason = f"{place}: {first.message}"
    else:
        reason = first.message
    return f"{read} {total} documents; {names} left out: {reason}{more}"
