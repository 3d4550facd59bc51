"""From paths to continua: files, folders and globs, documents × annotators."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gammacp.continuum import Continuum, Corpus
from gammacp.errors import DataError, UsageError
from gammacp.formats.layout import names_from_path
from gammacp.formats.merging import merged
from gammacp.formats.registry import FORMATS, HEAD_BYTES, Format, recognise
from gammacp.formats.source import Source

PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Collection:
    """What a set of paths holds: continua by name, and what could not be read.

    Attributes
    ----------
    continua
        By name: the path of a file that is one continuum, the document's name where files name
        their documents or several files make one.
    failures
        (path or document, error) of everything that could not be read.
    formats
        Format by continuum.
    """

    continua: Mapping[str, Continuum]
    failures: tuple[tuple[str, DataError], ...]
    formats: Mapping[str, str]


def read(path: PathLike, *, format: str | None = None, **options: object) -> Continuum:
    """The continuum of one file (or of a folder whose files make one document).

    Parameters
    ----------
    path
        A file, or a folder with one file per annotator.
    format
        Name of the format; by default it is recognised by content.
    options
        What the format's reader takes (`gammacp formats`).

    Raises
    ------
    DataError
        The file cannot be read, or holds several continua (then use `read_corpus`).
    UsageError
        No such format or option.
    """
    found = collect([path], format=format, **options)
    for _, error in found.failures:
        raise error
    if len(found.continua) != 1:
        raise DataError(
            f"{len(found.continua)} continua instead of one", file=path, hint="Use read_corpus"
        )
    return next(iter(found.continua.values()))


def read_corpus(
    paths: PathLike | Iterable[PathLike], *, format: str | None = None, **options: object
) -> Corpus:
    """All continua of files, folders and globs as one corpus; the first failure is raised.

    Files that hold one annotator's part of a document are merged by document. Continua have the
    name of their document, or their path where that is not unique. Arguments and errors as for
    `read`; `collect` goes on after failures.
    """
    listed = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    found = collect(listed, format=format, **options)
    for _, error in found.failures:
        raise error
    return Corpus.from_continua(by_document(found.continua))


def by_document(continua: Mapping[str, Continuum]) -> dict[str, Continuum]:
    """Continua by the name of their document; those that share a name keep their key."""
    names = Counter(c.name for c in continua.values())
    return {c.name if names[c.name] == 1 else key: c for key, c in continua.items()}


def collect(
    paths: Iterable[PathLike], *, format: str | None = None, **options: object
) -> Collection:
    """Every continua of files, folders and globs; what fails is listed, the others go on."""
    chosen = None if format is None else FORMATS[format]
    given = {name: value for name, value in options.items() if value is not None}
    layout = given.pop("layout", None)
    _check_options(given, chosen)
    parts: list[tuple[str, Continuum, Format, bool]] = []
    failures: list[tuple[str, DataError]] = []
    for path in expand(paths, chosen):
        try:
            parts += _read_file(path, chosen, str(layout) if layout else None, given)
        except DataError as error:
            failures.append((str(path), error.at(path)))
    continua: dict[str, Continuum] = {}
    formats: dict[str, str] = {}
    for name, group in _documents(parts).items():
        try:
            continua[name] = merged([c for _, c, _, _ in group])
            formats[name] = group[0][2].name
        except DataError as error:
            failures.append((name, error.at(name)))
    if not continua and not failures:
        raise DataError("no file of a known format", file=", ".join(str(p) for p in paths))
    return Collection(continua, tuple(failures), formats)


def _documents(
    parts: list[tuple[str, Continuum, Format, bool]],
) -> dict[str, list[tuple[str, Continuum, Format, bool]]]:
    """Parts by display name; only parts whose document is named are put together."""
    groups: dict[str, list[tuple[str, Continuum, Format, bool]]] = {}
    for part in parts:
        path, continuum, _, shared = part
        groups.setdefault(continuum.name if shared else path, []).append(part)
    return groups


def _check_options(options: Mapping[str, object], chosen: Format | None) -> None:
    offered = [chosen] if chosen else [f for _, f in FORMATS.items()]
    known = sorted({name for f in offered for name in f.options})
    for name in options:
        if name not in known:
            whose = f"format {chosen.name!r}" if chosen else "any format"
            raise UsageError(
                f"option {name!r} is not one of {whose}; there are: {', '.join(known) or 'none'}"
            )


def expand(paths: Iterable[PathLike], chosen: Format | None = None) -> list[Path]:
    """The files that paths mean: globs expanded, folders walked, sorted, each once.

    Of a folder, the files are taken whose ending and content belong to a known format (or to
    `chosen`). A path that is named outright is always taken; one that is not there is kept, so
    that reading it says so.
    """
    files: dict[Path, None] = {}
    for given in paths:
        path = Path(given)
        if path.is_dir():
            found = [p for p in sorted(path.rglob("*")) if _belongs(p, path, chosen)]
            files |= dict.fromkeys(found)
        elif not path.exists() and glob.has_magic(str(given)):
            # Path.glob does not take absolute patterns.
            matches = sorted(Path(p) for p in glob.glob(str(given), recursive=True))  # noqa: PTH207
            if not matches:
                raise DataError("no file matches", file=str(given))
            files |= dict.fromkeys(expand(matches, chosen))
        else:
            files[path] = None
    return list(files)


def _belongs(path: Path, root: Path, chosen: Format | None) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
    if hidden or not path.is_file():
        return False
    offered = [chosen] if chosen else [f for _, f in FORMATS.items()]
    return any(path.suffix.lower() in f.extensions for f in offered)


def _read_file(
    path: Path, chosen: Format | None, layout: str | None, options: Mapping[str, object]
) -> list[tuple[str, Continuum, Format, bool]]:
    """(path, continuum, format, whether the document is named and may be in other files too)."""
    content = _content(path)
    format = chosen or recognise(content[:HEAD_BYTES], path)
    if format is None:
        known = ", ".join(FORMATS)
        raise DataError(
            "format is not recognised", file=path, hint=f"Name it with --format: {known}"
        )
    names = names_from_path(path, layout or format.layout)
    source = Source(path, names.document, names.annotator, content)
    read = format.read_with(source, options)
    if isinstance(read, Corpus):
        return [(str(path), continuum, format, True) for continuum in read.values()]
    return [(str(path), read, format, (layout or format.layout) is not None)]


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise DataError("file does not exist", file=path, hint="Check the path") from None
    except OSError as error:
        raise DataError(f"file cannot be read: {error.strerror}", file=path) from None
