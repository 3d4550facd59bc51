"""Help to write formats with a file per annotator, and formats that contain the text."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from gammacp.base.files import write_text
from gammacp.continuum import Continuum, Corpus, Link, Unit
from gammacp.errors import DataError
from gammacp.formats.archive import why_not_annotators
from gammacp.formats.layout import file_name
from gammacp.formats.spans import CHARACTERS

Notes = Mapping[tuple[str, Unit], str]
"""What to write beside a unit of a document (by its name), where the format has a place for it."""
Rendered = Callable[[Continuum, Sequence[Unit]], Mapping[str, str]]
"""The contents of one annotator's files by ending, and by name those that lie beside them."""
FIELDS = ("{annotator}", "{document}")


def continua_of(document: Continuum | Corpus) -> Collection[Continuum]:
    """Return the continua of the document that is written."""
    if isinstance(document, Continuum):
        return [document]
    return document.values()


def write_parts(
    document: Continuum | Corpus,
    path: Path,
    layout: str,
    ending: str,
    render: Rendered,
    beside: Mapping[str, str] | None = None,
) -> None:
    """Write the files of every annotator of every document, once all of them are made.

    Parameters
    ----------
    path
        A folder, in which the files lie as `layout` says; a file with the format's `ending`, for
        one annotator; or a path with {annotator} or {document}, such as `gold/{document}.xmi`.
    layout
        Layout of the files, without their ending; without {document}, documents share a file.
    render
        Function that returns the files of one annotator.
    beside
        Files to write once into the folder. An existing file is kept; so are existing files of the
        names that `render` gives.

    Raises
    ------
    DataError
        Two parts would be one file, a name cannot be that of a file, or it is one that is passed
        over in folders.
    """
    pattern = str(path)
    fixed = dict[Path, str]()
    named = path.suffix.lower() == ending or any(field in pattern for field in FIELDS)
    if not named:
        pattern = f"{path}/{layout}{ending}"
        fixed = {path / name: content for name, content in (beside or {}).items()}
    files: dict[Path, str] = {}
    owners: dict[Path, tuple[str, str]] = {}
    for c in continua_of(document):
        name = c.name or "document"
        for annotator, units in by_annotator(c):
            place = pattern
            for field, value in zip(FIELDS, (annotator, name), strict=True):
                if field in place:
                    place = place.replace(field, file_name(value, field[1:-1]))
            file = Path(place)
            _check_is_read(Path(pattern), file)
            owner = annotator, name if "{document}" in layout else ""
            if owners.setdefault(file, owner) != owner:
                raise DataError(
                    "a file holds one annotator's part of one document",
                    file=file,
                    hint="Give `write(format=)` and a folder, or a path with {annotator} and "
                    "{document}",
                )
            for key, content in render(c, units).items():
                if key.startswith("."):
                    target = file.with_suffix(key)
                    files[target] = files.get(target, "") + content
                else:
                    fixed[file.with_name(key)] = content
    files |= {file: content for file, content in fixed.items() if not file.exists()}
    for file, content in files.items():
        write_text(file, content)


def _check_is_read(pattern: Path, file: Path) -> None:
    """Raise a DataError if a path made from names would be passed over when folders are read."""
    names_path = "/".join(b for a, b in zip(pattern.parts, file.parts, strict=True) if a != b)
    if names_path and (reason := why_not_annotators([names_path])[names_path]):
        raise DataError(
            f"{names_path!r} would not be read from a folder: {reason}",
            file=file,
            hint="Rename the annotator or the document",
        )


def by_annotator(continuum: Continuum) -> Iterator[tuple[str, list[Unit]]]:
    """Yield each annotator with his or her units; raise a DataError for one without a name."""
    everything = list(continuum)
    for annotator in continuum.annotators:
        if not annotator:
            raise DataError("an annotator has no name", hint="Write JSON")
        yield annotator, everything[continuum.rows_of(annotator)]


def links_of(continuum: Continuum, units: Sequence[Unit]) -> Iterator[tuple[Link, int, int]]:
    """Yield the links from one of these units to another, with the numbers of both, from 0."""
    place = {(u.annotator, u.id): i for i, u in enumerate(units) if u.id}
    for x in continuum.links:
        one, other = (place.get((x.annotator, end)) for end in (x.source, x.target))
        if one is not None and other is not None:
            yield x, one, other


def annotated_text(continuum: Continuum, format: str) -> str:
    """Return the annotated text.

    Raises
    ------
    DataError
        There is none, or positions do not count its characters.
    """
    text = continuum.text
    name = continuum.name
    if text is None:
        raise DataError(
            f"{format} needs the text, and {name or 'the document'!r} has none",
            hint="Give the texts to `gammacp convert` with `text=FOLDER` (a NAME.txt per "
            "document), or write CSV or JSON",
        )
    check_characters(continuum, format)
    if continuum.n_units and not 0 <= continuum.starts.min() <= continuum.ends.max() <= len(text):
        raise DataError(
            f"units of {name or 'the document'!r} lie beyond its text of {len(text)} characters",
            hint="Check that it is the text that was annotated",
        )
    return text


def check_characters(continuum: Continuum, format: str) -> None:
    """Raise a DataError unless positions count characters and are whole numbers."""
    if continuum.offset_unit not in ("", CHARACTERS):
        raise DataError(
            f"positions count {continuum.offset_unit}, but {format} counts characters of a text",
            hint="Write CSV or JSON, or for times ELAN, TextGrid or RTTM",
        )
    for u in continuum:
        edges = (u.start, u.end, *(edge for part in u.fragments for edge in part))
        wrong = next((edge for edge in edges if edge < 0 or edge % 1), None)
        if wrong is not None:
            raise DataError(
                f"position {wrong:.15g} of unit {u.start:.15g}-{u.end:.15g} does not count "
                "characters: it is negative or not whole",
                hint="Write CSV, JSON, ELAN or RTTM",
            )


def whole(unit: Unit) -> tuple[int, int]:
    """Return the start and end of a unit as integers."""
    return int(unit.start), int(unit.end)
