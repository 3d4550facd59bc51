"""The content of a set of paths, and what is noted in it about how it was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from gammacp.base.failures import Failure
from gammacp.base.left_out import LeftOut
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.document_table import DocumentTable
from gammacp.continuum.needs import OTHERS
from gammacp.errors import DataError
from gammacp.formats.registry import Format

if TYPE_CHECKING:
    from gammacp.formats.conventions import ConventionNote
    from gammacp.formats.joining import Joining
    from gammacp.formats.understood import Remark

Noting = TypeVar("Noting", Continuum, DocumentTable)
ReaderSettings: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Options of readers by the name of the format."""


@dataclass(frozen=True)
class Collection:
    """Content of a set of paths: continua by name, and files that could not be read.

    Attributes
    ----------
    continua
        Continua by name: the path of a file that is one continuum, the document's name where files
        name their documents or several files make one.
    failures
        (path or document, error) of everything that could not be read.
    formats
        Format by continuum.
    left_out
        Items that were passed over in all that was read: files in folders and archives, and
        whatever in a file does not become a unit.
    joinings
        Layouts with which files of one annotator each would be parts of the same documents.
    apart
        The continua whose files hold one annotator each.
    missing
        Names of the documents that are left out because of a failure, by its path or document; none
        if only the file could have named them.
    conventions
        Conventions of files that were read otherwise than their format says.
    remarks
        Remarks on how each file was understood: its people, states of work, conventions and
        columns.
    files
        First file that has a part of each continuum.
    """

    continua: Mapping[str, Continuum]
    failures: tuple[tuple[str, DataError], ...]
    formats: Mapping[str, str]
    left_out: tuple[LeftOut, ...] = ()
    joinings: tuple[Joining, ...] = ()
    apart: frozenset[str] = frozenset()
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    conventions: tuple[ConventionNote, ...] = ()
    remarks: tuple[Remark, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def unread(self) -> tuple[Failure, ...]:
        """The failures, each with the documents that are missing because of it."""
        return tuple(Failure(error, self.missing.get(name, ())) for name, error in self.failures)

    def doubt(self, declared: Iterable[str], kept: Iterable[str]) -> str | None:
        """Return a doubt about annotators who are declared but would have a file, or None.

        Parameters
        ----------
        declared
            Names of annotators who are said to have found nothing.
        kept
            Names of the continua that count.
        """
        names = dict.fromkeys(declared)
        if not names:
            return None
        lacking = {
            name: [a for a in names if a not in self.continua[name].annotators]
            for name in kept
            if name in self.apart
        }
        gone = [a for a in names if any(a in each for each in lacking.values())]
        if not gone:
            return None
        documents = [name for name, each in lacking.items() if each]
        if len(documents) == 1:
            where = documents[0]
        else:
            where = f"{len(documents)} documents"
        advice = next(
            (a for name in documents if (a := self.continua[name].about.fact(OTHERS))), ""
        )
        return (
            f"{', '.join(gone)}: declared, but without a file in {where}. Each file there has one "
            "annotator's work, and a declared annotator counts as having found nothing. "
            f"{advice or 'If a file is missing, add it'}"
        )


def conventions_of(documents: Iterable[Continuum | Corpus]) -> tuple[ConventionNote, ...]:
    """Return the readers' notes on the conventions of their files."""
    stated = [
        document
        for document in documents
        if any(
            c.about.facts
            for c in (document.values() if isinstance(document, Corpus) else [document])
        )
    ]
    if not stated:
        return ()
    from gammacp.formats.conventions import notes_of

    return tuple(note for document in stated for note in notes_of(document))


def note_options(continuum: Noting, entry: Format, given: Mapping[str, Any]) -> Noting:
    """Return the continuum or table with the reader's options noted in its `selection`."""
    for key, value in given.items():
        noted = {"format", "layout", "include", *entry.reader.options} - {"features"}
        if value is not None and key in noted and isinstance(value, Mapping):
            continuum = continuum.noting(key, *(f"{k}={v}" for k, v in value.items()))
        elif value is not None and key in noted:
            several = isinstance(value, list | tuple)
            if several:
                text = ",".join(map(str, value))
            else:
                text = str(value)
            continuum = continuum.noting(key, text)
    return continuum
