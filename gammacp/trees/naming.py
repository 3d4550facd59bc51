"""Names of annotators and documents taken from file names.

Two layouts are recognised: a folder per annotator whose files share document names (the
annotator's name may be part of them: `es/lotte/1252-es-lotte.conll`), and files side by side whose
names differ in a field (`da-morten.conll`, `da-lotte.conll`). Where several fields differ, the
annotator's is the one under which the files of a document have most in common: they are about the
same text. A pattern with the named groups `annotator` and, if there are several, `document`
overrides both.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import combinations
from pathlib import Path

from gammacp.base.arguments import one_of
from gammacp.base.files import content_of, paths_below
from gammacp.base.left_out import LeftOut
from gammacp.continuum.columns import check_known
from gammacp.errors import DataError, UsageError
from gammacp.formats.layout import names_from_path

SUFFIXES = {
    "dependency": (".conll", ".conllu", ".conllup", ".conllx", ".conll09", ".dep", ".malt"),
    "phrase": (".tree", ".trees", ".mrg", ".ptb", ".psd", ".parse", ".brackets"),
    "graph": (".amr", ".penman"),
}
FOLDERS = ("auto", "annotators", "documents")
_FIELDS = re.compile(r"[-_.\s]+")


@dataclass(frozen=True)
class Named:
    """A file, with the names of its annotator and of its document."""

    path: Path
    annotator: str
    document: str


def name_files(
    paths: Sequence[Path],
    *,
    pattern: str | None = None,
    layout: str | None = None,
    folders: str = "auto",
    kind: str | None = None,
) -> tuple[list[Named], str]:
    """Return all files below the paths with their names, and how these were recognised.

    Below folders, only files with a suffix of `kind` are taken, or of any kind by default.
    """
    one_of("folders", folders, FOLDERS)
    if pattern is not None and layout is not None:
        raise UsageError("give either a pattern or a layout, not both")
    for path in paths:
        if not path.exists():
            raise DataError("no such file or folder", file=path)
    if pattern is not None:
        named, how = _by_pattern(_files(paths, kind), pattern)
    elif layout is not None:
        parsed = [(path, names_from_path(path, layout)) for path in _files(paths, kind)]
        named = [Named(path, names.annotator, names.document) for path, names in parsed]
        how = f"layout {layout!r}"
    elif roots := _folders(paths, kind):
        named, how = _by_folder(roots, folders, kind)
    else:
        named, how = _by_field(_files(paths, kind))
    require_different(named)
    return named, how


def chosen(
    named: Sequence[Named],
    documents: Iterable[Sequence[str]],
    rename: Mapping[str, str],
    exclude: Collection[str],
) -> list[Named]:
    """Select documents and annotators, and rename annotators.

    Parameters
    ----------
    named
        All files.
    documents
        Lists of patterns. A document is kept if it fits a pattern of each list that is not empty.
    rename
        New names of annotators, by their names in the files.
    exclude
        Annotators to leave out, by their new names.

    Raises
    ------
    DataError
        A document or an annotator does not occur, or the selected files cannot be compared.
    """
    selected = list(named)
    for patterns in filter(None, documents):
        for pattern in patterns:
            if not any(fnmatchcase(one.document, pattern) for one in selected):
                examples = ", ".join(sorted({one.document for one in selected})[:10])
                if examples:
                    hint = f"There are: {examples}"
                else:
                    hint = "Each file is a document of its own"
                raise DataError(f"document {pattern!r} does not occur", hint=hint)
        selected = [o for o in selected if any(fnmatchcase(o.document, p) for p in patterns)]
    check_known(rename, tuple(dict.fromkeys(o.annotator for o in selected)), "annotator")
    selected = [replace(o, annotator=rename.get(o.annotator, o.annotator)) for o in selected]
    check_known(exclude, tuple(dict.fromkeys(o.annotator for o in selected)), "annotator")
    selected = [o for o in selected if o.annotator not in exclude]
    require_different(selected)
    return selected


def are_trees(paths: Iterable[Path]) -> bool:
    """Return whether all files have suffixes of trees, except `.conll`, which may hold spans."""
    suffixes_of_trees = {s for suffixes in SUFFIXES.values() for s in suffixes} - {".conll"}
    files = [q for p in paths for q in (_visible(p) if p.is_dir() else [p])]
    return bool(files) and all(q.suffix.lower() in suffixes_of_trees for q in files)


def _files(paths: Iterable[Path], kind: str | None) -> list[Path]:
    files = (q for p in paths for q in (_inside(p, kind) if p.is_dir() else [p]))
    return list(dict.fromkeys(files))


def _inside(folder: Path, kind: str | None) -> list[Path]:
    accepted = {s for k, suffixes in SUFFIXES.items() if kind in (None, k) for s in suffixes}
    files = [p for p in _visible(folder) if p.suffix.lower() in accepted]
    if not files:
        raise DataError(
            "no treebank file in this folder",
            file=folder,
            hint=f"Looked for {' '.join(sorted(accepted))}; other files can be named one by one.",
        )
    return files


def passed_over(paths: Iterable[Path], named: Iterable[Named]) -> list[LeftOut]:
    """Count the files in these folders that are not read, as their format is unknown."""
    read = {one.path for one in named}
    folders = (path for path in paths if path.is_dir())
    counts = {folder: sum(p not in read for p in _visible(folder)) for folder in folders}
    reason = "its ending is of no known tree format"
    return [LeftOut(str(folder), "file", n, reason) for folder, n in counts.items() if n]


def _visible(folder: Path) -> list[Path]:
    """Return all files below a folder, except hidden ones and those in hidden folders."""
    below, closed = paths_below(folder)
    for path in closed:
        raise DataError("folder cannot be opened", file=path, hint="Check its permissions")
    # Keep links to missing files: reading them fails with a message.
    files = [p for p in below if p.is_file() or (p.is_symlink() and not p.exists())]
    return [p for p in files if not any(x.startswith(".") for x in p.relative_to(folder).parts)]


def _folders(paths: Sequence[Path], kind: str | None) -> list[Path]:
    """Return the folders of annotators (or documents); empty if files lie side by side."""
    inner = [p for p in paths if p.is_dir()]
    if not inner:
        return []
    if len(inner) < len(paths):
        raise DataError(
            "files and folders cannot be mixed", file=paths[0], hint="Give one kind, or `pattern=`."
        )
    if len(inner) > 1:
        return inner
    below = sorted(p for p in inner[0].iterdir() if p.is_dir() and not p.name.startswith("."))
    below = [p for p in below if any(q.is_file() for q in p.rglob("*"))]
    beside = [p for p in _inside(inner[0], kind) if p.parent == inner[0]]
    if beside and below:
        raise DataError(
            "treebank files and folders are mixed here, so it is unclear which belong together",
            file=inner[0],
            hint="Give the folders or the files of one treebank, or use `pattern=`.",
        )
    return below


def _by_folder(roots: Sequence[Path], folders: str, kind: str | None) -> tuple[list[Named], str]:
    named = []
    for root in roots:
        name = root.resolve().name
        named += [
            Named(path, name, _without(path.relative_to(root).with_suffix(""), name))
            for path in _inside(root, kind)
        ]
    if folders == "documents":
        swapped = [Named(n.path, n.document, n.annotator) for n in named]
        return swapped, "folders are documents, file names are annotators"
    shared = Counter(n.document for n in named)
    single = Counter(n.annotator for n in named)
    if len(roots) > 1 and max(shared.values()) == 1 and max(single.values()) == 1:
        # With one file per annotator, all are of the same document, whatever their names.
        named = [Named(n.path, n.annotator, "") for n in named]
    how = "folders are annotators, file names (without the annotator's) are documents"
    return named, how


def _without(relative: Path, annotator: str) -> str:
    """Return a file's name without the annotator's name, if that is one of its fields."""
    edge = rf"(?:^|[-_.\s]+){re.escape(annotator)}(?=$|[-_.\s])"
    stem = re.sub(edge, "", relative.name, count=1, flags=re.IGNORECASE).strip("-_. ")
    parent = relative.parent.as_posix()
    if parent == ".":
        return stem
    return f"{parent}/{stem}"


def _by_pattern(files: Sequence[Path], pattern: str) -> tuple[list[Named], str]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"pattern {pattern!r} is not a regular expression: {error}") from None
    if "annotator" not in compiled.groupindex:
        raise UsageError(f"pattern {pattern!r} has no group (?P<annotator>…)")
    named = []
    for path in files:
        match = compiled.search(path.as_posix())
        if match is None:
            raise DataError(f"path does not match the pattern {pattern!r}", file=path)
        groups = match.groupdict()
        named.append(Named(path, groups["annotator"] or "", groups.get("document") or ""))
    return named, f"pattern {pattern!r}"


def _by_field(files: Sequence[Path]) -> tuple[list[Named], str]:
    fields = [_FIELDS.split(path.stem) for path in files]
    if len(files) > 1 and len({path.stem for path in files}) == 1:
        # a/text.conll b/text.conll: the folders tell them apart.
        return [
            Named(path, path.resolve().parent.name, path.stem) for path in files
        ], "folders are annotators, file names are documents"
    if len({len(row) for row in fields}) == 1:
        differing = [k for k in range(len(fields[0])) if len({row[k] for row in fields}) > 1]
        options = [k for k in reversed(differing) if _shares_documents(fields, k)]
        if options:
            if len(options) == 1:
                k = options[0]
            else:
                k = _same_texts(files, fields, options)
            named = [
                Named(path, row[k], "-".join(row[:k] + row[k + 1 :]))
                for path, row in zip(files, fields, strict=True)
            ]
            return named, f"field {k + 1} of the file names is the annotator"
    return [Named(path, path.stem, "") for path in files], "each file is an annotator"


def _shares_documents(fields: Sequence[Sequence[str]], k: int) -> bool:
    documents = Counter((*row[:k], *row[k + 1 :]) for row in fields)
    pairs = {(row[k], (*row[:k], *row[k + 1 :])) for row in fields}
    return min(documents.values()) > 1 and len(pairs) == len(fields)


def _same_texts(
    files: Sequence[Path], fields: Sequence[Sequence[str]], options: Sequence[int]
) -> int:
    """Return the field of the annotator: without it, files of equal names share most words."""
    words = [Counter(content_of(path).split()) for path in files]

    def likeness(k: int) -> float:
        documents: dict[tuple[str, ...], list[Counter[bytes]]] = {}
        for row, counts in zip(fields, words, strict=True):
            documents.setdefault((*row[:k], *row[k + 1 :]), []).append(counts)
        pairs = [(a, b) for group in documents.values() for a, b in combinations(group, 2)]
        return sum((a & b).total() / max((a | b).total(), 1) for a, b in pairs) / len(pairs)

    # Ties go to the field with the fewest names, as there are more texts than annotators, and then
    # to the last field, where the annotator mostly is.
    return max(options, key=lambda k: (round(likeness(k), 3), -len({r[k] for r in fields}), k))


def require_different(named: Sequence[Named]) -> None:
    """Check the names of files for clashes.

    Raises DataError if two files have the same annotator and document, or all files the same
    annotator.
    """
    path_by_name: dict[tuple[str, str], Path] = {}
    for one in named:
        key = (one.annotator, one.document)
        if key in path_by_name:
            raise DataError(
                f"annotator {one.annotator!r} and document {one.document!r} already belong to "
                f"{path_by_name[key]}",
                file=one.path,
                hint="Tell them apart with `pattern='(?P<annotator>…)…(?P<document>…)'`.",
            )
        path_by_name[key] = one.path
    if len({one.annotator for one in named}) < 2:
        raise DataError(
            f"one annotator only ({named[0].annotator})" if named else "no annotator is left",
            file=named[0].path if named else None,
            hint="Agreement needs two: name the files or folders of both, or `pattern=`.",
        )
