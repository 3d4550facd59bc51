"""Files that list the stretches in which something can be marked (`--markable FILE`).

Everything between stretches is a pause. A file has one stretch in each line:

    document,start,end
    interview,0,112
    interview,165,400

The column `document` may be left out if there is only one document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gammacp.base.files import content_of
from gammacp.base.text import first_names
from gammacp.continuum import Continuum
from gammacp.continuum.markable import Stretch, declare_markable, find_wrong_stretch
from gammacp.errors import DataError
from gammacp.formats.boundary import place_errors
from gammacp.formats.records import table
from gammacp.formats.source import Source


@dataclass(frozen=True)
class MarkableFile:
    """Stretches of documents, and the lines of the file from which they were read.

    Attributes
    ----------
    path
        The file.
    stretches, lines
        Stretches and their line numbers, by document; "" is a document that the file does not name.
    """

    path: Path
    stretches: Mapping[str, tuple[Stretch, ...]]
    lines: Mapping[str, tuple[int, ...]]

    def check(self, read: Iterable[str], kept: Iterable[str]) -> None:
        """Raise an error if the file names an unknown document, or lacks one that is measured.

        Parameters
        ----------
        read
            Names of all documents that were read.
        kept
            Names of the documents that are measured.

        Raises
        ------
        DataError
            A document does not occur, has no stretch, or is not named although there are several;
            with the line, if there is one.
        """
        names = dict.fromkeys(read)
        needed = dict.fromkeys(kept)
        for name in self.stretches:
            if name and name not in names:
                raise DataError(
                    f"document {name!r} does not occur",
                    file=self.path,
                    line=self.lines[name][0],
                    hint=f"There are: {first_names(sorted(names), 10)}",
                )
        if "" in self.stretches and len(needed) > 1:
            raise DataError(
                f"stretches have no document, and there are {len(needed)} documents",
                file=self.path,
                line=self.lines[""][0],
                hint="Name the document of each stretch in the column document",
            )
        missing = [name for name in needed if not self._key(name)[1]]
        if missing:
            raise DataError(
                f"no stretch for {first_names(missing, 3)}",
                file=self.path,
                hint="Give each document its stretches; one without pauses has a single stretch, "
                "from its beginning to its end",
            )

    def declare(self, continuum: Continuum, name: str, *, bounded: bool | None = None) -> Continuum:
        """Return the document with its stretches declared.

        Parameters
        ----------
        continuum
            The document.
        name
            Name of the document in the file.
        bounded
            Whether somebody declared the document's bounds, which stretches must then not exceed.
            By default they count as declared if they differ from the extent of its units.

        Raises
        ------
        DataError
            As for `declare_markable`, with the line if a single stretch is at fault.
        """
        key, stretches = self._key(name)
        if bounded is None:
            bounded = continuum.declared
        wrong = find_wrong_stretch(stretches, continuum.bounds if bounded else None)
        if wrong:
            line = self.lines[key][wrong.number]
            raise DataError(wrong.message, file=self.path, line=line, hint=wrong.hint)
        if not bounded:
            continuum = _reaching(continuum, stretches)
        with place_errors(self.path, part=f"document {name!r}"):
            return declare_markable(continuum, stretches)

    def _key(self, name: str) -> tuple[str, tuple[Stretch, ...]]:
        if name in self.stretches:
            key = name
        else:
            key = ""
        return key, self.stretches.get(key, ())


def _reaching(continuum: Continuum, stretches: Sequence[Stretch]) -> Continuum:
    """Return the document with its bounds widened to include all stretches."""
    low, high = continuum.bounds
    places = [place for stretch in stretches for place in stretch]
    return replace(continuum, bounds=(min(low, *places), max(high, *places)))


def read_markable(path: Path) -> MarkableFile:
    """Return the stretches of a CSV file, by document.

    Parameters
    ----------
    path
        Path of a table with the columns start, end and, unless there is one document, document.

    Raises
    ------
    DataError
        The file has no stretches, a column is missing, a cell is not a number, or a stretch is
        empty, reversed or overlaps another; with the line, if there is one.
    """
    spans: dict[str, list[Stretch]] = {}
    lines: dict[str, list[int]] = {}
    source = Source(path, "", "", content_of(path))
    for row in table(source, ("start", "end"), delimiter="\t;,"):
        name = row.get("document", "")
        start, end = (row.position(side, "stretch:") for side in ("start", "end"))
        spans.setdefault(name, []).append((start, end))
        lines.setdefault(name, []).append(row.line or 0)
    if not spans:
        raise DataError(
            "the file has no stretches", file=path, hint="Write document,start,end, then stretches"
        )
    for name, stretches in spans.items():
        if wrong := find_wrong_stretch(stretches):
            line = lines[name][wrong.number]
            hint = wrong.hint
            if not name and "overlaps" in wrong.message:
                hint += "; the column document says of which document, where there are several"
            raise DataError(wrong.message, file=path, line=line, hint=hint)
    return MarkableFile(
        path,
        {name: tuple(rows) for name, rows in spans.items()},
        {name: tuple(rows) for name, rows in lines.items()},
    )
