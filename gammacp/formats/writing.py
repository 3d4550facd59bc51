"""Writing of continua to files."""

import os
from collections.abc import Iterator, Mapping
from errno import ENOENT
from pathlib import Path

from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.anonymous import unnamed_readers
from gammacp.continuum.links import CHAIN
from gammacp.errors import DataError, UsageError
from gammacp.formats.layout import file_name
from gammacp.formats.parts import Notes, continua_of
from gammacp.formats.registry import Format, format_for_writing
from gammacp.formats.spans import SECONDS


def write(
    document: Continuum | Corpus,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    notes: Notes | None = None,
    **options: object,
) -> None:
    """Write a continuum or a corpus; on failure no file is left behind.

    A folder for several files is created, but the folders above it must exist.

    Parameters
    ----------
    document
        Documents to write.
    path
        The file. For a format with a file per annotator, and for a corpus in one whose files hold
        one continuum, the folder, or a path in which {document} and {annotator} stand for names.
    format
        Name of the format; by default the ending of `path` says it.
    notes
        Function that gives the note on a unit of a document, for formats that hold notes: brat,
        Label Studio.
    options
        Options of the format's writer.

    Raises
    ------
    DataError
        The format cannot hold the document (what, and which format can).
    UsageError
        The format is unknown or only read, or has no such option.
    FileNotFoundError
        The folder that it should be written into does not exist.
    """
    target = Path(path)
    check_folder(target)
    chosen = format_for_writing(target, format)
    writer = chosen.writer
    assert writer is not None
    _check_inside(document, chosen)
    if not chosen.keeps.features and document.features:
        document = _without_features(document)
    for name in options:
        if name not in writer.options:
            options_of_writer = ", ".join(writer.options) or "none"
            raise UsageError(
                f"writing {chosen.name} has no option {name!r}; there are: {options_of_writer}"
            )
    if notes and "notes" in writer.keywords:
        options["notes"] = notes
    if isinstance(document, Corpus) and len(document) == 1 and not chosen.several_continua:
        (document,) = document.values()
    if isinstance(document, Continuum) or chosen.several_continua:
        writer.write(document, target, **options)
        return
    files = _files_of(document, target, chosen)
    for file, continuum in zip(files, document.values(), strict=True):
        writer.write(continuum, file, **options)


def _files_of(corpus: Corpus, target: Path, chosen: Format) -> list[Path]:
    """Return the file to write for each document, for a format whose files hold one of them."""
    pattern = str(target)
    kind = "document"
    if "{document}" not in pattern:
        if target.suffix:
            raise DataError(
                f"{len(corpus)} continua do not fit into one {chosen.title} file",
                file=target,
                hint=f"Give a folder and `write(format={chosen.name})`, or write CSV or JSON",
            )
        pattern = f"{target}/{{document}}{chosen.extensions[0]}"
        kind = "continuum"
    return [Path(pattern.replace("{document}", file_name(name, kind))) for name in corpus]


def _without_features(document: Continuum | Corpus) -> Continuum | Corpus:
    """Return the document without features of units, for formats that have none."""
    if isinstance(document, Continuum):
        return document.with_features()
    return Corpus.from_continua({n: c.with_features() for n, c in document.items()})


def _check_inside(document: Continuum | Corpus, chosen: Format) -> None:
    """Raise a DataError for fragments or shapes that the format cannot hold."""
    for c in continua_of(document):
        unnamed = unnamed_readers(c)
        if unnamed and chosen.name != "json":
            raise DataError(
                f"the units come from {unnamed} readers without names; in {chosen.title}, each "
                "block of units would look like a person",
                hint="Write JSON",
            )
        if c.n_broken and not chosen.keeps.fragments:
            raise DataError(
                f"{c.n_broken} units of {c.name or 'the document'} have several fragments, which "
                f"{chosen.title} cannot hold",
                hint="Write JSON, CSV or brat, or read them with `read(discontinuous=split)` or "
                "cover (in Python: c.atoms() or c.hulls())",
            )
        if c.axes > 1 and not chosen.keeps.shapes:
            raise DataError(
                f"{c.n_units} units have shapes, which {chosen.title} cannot hold",
                hint="Write JSON or CSV, or read them with `read(shapes=no)` (in Python: "
                "c.hulls())",
            )


def check_folder(target: Path) -> None:
    """Raise a FileNotFoundError if `write` would have to create a folder nobody asked for.

    Parameters
    ----------
    target
        As `path` of `write`. If it is a folder, or has {annotator} or {document}, the last folder
        that it names will be created.
    """
    before, brace, _ = str(target).partition("{")
    folder = (Path(f"{before}x").parent if brace else target).parent
    if not folder.is_dir():
        what = "folder does not exist. Make it, or correct the path"
        raise FileNotFoundError(ENOENT, what, str(folder))


def document_of(named: Mapping[str, Continuum]) -> Continuum | Corpus:
    """Return a single continuum unchanged, several as a corpus."""
    if len(named) == 1:
        return next(iter(named.values()))
    return Corpus.from_continua(named)


def lost_links(document: Continuum | Corpus, format: Format | None) -> Iterator[str]:
    """Yield a clause for each part of the links that a format, or a file without one, loses.

    Parameters
    ----------
    document
        Documents that are written.
    format
        The format; None for a file without links.
    """
    kept_kinds = () if format is None else format.keeps.links
    if lost := sum(x.kind not in kept_kinds for c in continua_of(document) for x in c.links):
        yield f"links are not kept: {lost}"
    types = {x.type for c in continua_of(document) for x in c.links if x.kind == CHAIN}
    if types and format and CHAIN in kept_kinds and not format.keeps.chain_types:
        yield f"types of chains are not kept: {', '.join(sorted(types))}"


def losses(document: Continuum | Corpus, format: Format) -> Iterator[str]:
    """Yield a clause for each part of the document that the format loses; units are kept."""
    continua = continua_of(document)
    if any(c.text is not None for c in continua) and not format.keeps.text:
        yield "the text is not kept"
    if document.features and not format.keeps.features:
        yield f"features are not kept: {', '.join(document.features)}"
    yield from lost_links(document, format)
    if format.writer and format.writer.milliseconds:
        edges = (x for c in continua if c.offset_unit == SECONDS for x in (*c.starts, *c.ends))
        moved = [abs(round(x * 1000) - x * 1000) for x in edges]
        if count := sum(distance > 1e-6 for distance in moved):
            if count == 1:
                what = "position is"
            else:
                what = "positions are"
            yield f"{count} {what} rounded to milliseconds, by up to {max(moved):.1g} ms"
    if not format.keeps.bounds:
        declared = [c.bounds for c in continua if c.n_units and c.declared]
        lost = [f"{low:.15g}:{high:.15g}" for low, high in declared]
        if len(lost) > 1:
            whose = f" of {len(lost)} documents"
        else:
            whose = ""
        if len(set(lost)) == 1:
            yield f"bounds {lost[0]}{whose} are not kept; give `bounds=` when reading it"
        elif lost:
            yield f"bounds{whose} are not kept, the first {lost[0]}; write CSV or JSON"
    if format.name != "json":
        if any(c.read_until for c in continua):
            yield (
                "how far somebody read is not kept; give `read_until=` when reading it, "
                "or write JSON"
            )
        if any(c.grid for c in continua):
            yield (
                "the grid of tokens or frames is not kept; give `grid=` when reading it, "
                "or write JSON"
            )
        if any(c.markable for c in continua):
            yield (
                "the stretches that can be marked are not kept; give `markable=` when reading it, "
                "or write JSON"
            )
