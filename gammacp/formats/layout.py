"""Names of documents and annotators from paths, and as parts of paths."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gammacp.errors import DataError, UsageError

_FIELDS = ("{annotator}", "{document}", "*")


@dataclass(frozen=True)
class PathNames:
    """What a path says; "" for the annotator when it says nothing."""

    document: str
    annotator: str


def names_from_path(path: Path, layout: str | None) -> PathNames:
    """The last parts of a path, read by a layout.

    A layout is the end of a path, without the file's ending: parts that are {annotator},
    {document} or * (anything). Without {document} the document is the file's stem.

    >>> names_from_path(Path("brat/Lisa/interview.ann"), "{annotator}/{document}")
    PathNames(document='interview', annotator='Lisa')
    """
    stem = path.name[: -len(path.suffix)] if path.suffix else path.name
    if layout is None:
        return PathNames(stem, "")
    fields = layout.strip("/").split("/")
    for part in fields:
        if part not in _FIELDS or (part != "*" and fields.count(part) > 1):
            raise UsageError(
                f"layout {layout!r} is not a path of {{annotator}}, {{document}} and *"
            )
    parts = (*path.absolute().parts[1:-1], stem)
    if len(parts) < len(fields):
        raise DataError(f"path is shorter than the layout {layout!r}", file=path)
    values = dict(zip(fields, parts[-len(fields) :], strict=True))
    return PathNames(values.get("{document}", stem), values.get("{annotator}", ""))


def file_name(name: str, kind: str) -> str:
    """`name` if it can be a part of a path on every system; a DataError that tells its kind if not.

    >>> file_name("Lisa", "annotator")
    'Lisa'
    """
    if not name.strip(". ") or any(x in name for x in '/\\:*?"<>|\0') or not name.isprintable():
        raise DataError(f"{kind} {name!r} cannot be the name of a file", hint="Rename it")
    return name
