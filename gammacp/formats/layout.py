"""Names of documents and annotators: taken from paths, or used as parts of paths."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gammacp.errors import DataError, UsageError

_FIELD = re.compile(r"(\{annotator\}|\{document\}|\{session\}|\*)")
# Names that Windows takes for devices, whatever ending follows.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{name}{n}" for name in ("com", "lpt") for n in "0123456789¹²³"]
)
# Longest name in bytes. File systems allow 255 for a whole file name, which also has an ending and
# the rest of the pattern.
_LONGEST = 200


@dataclass(frozen=True)
class PathNames:
    """Names taken from a path; the annotator is "" where the path has none."""

    document: str
    annotator: str


def names_from_path(path: Path, layout: str | None) -> PathNames:
    """Return the document and annotator that a layout finds in the last parts of a path.

    A layout is the end of a path, without the file's ending: {annotator}, {document}, {session}, *
    (anything) and what stands between them in a name. Without {document} the document is the file's
    stem; with {session} the annotator is called ANNOTATOR-SESSION.

    >>> names_from_path(Path("brat/Lisa/interview.ann"), "{annotator}/{document}")
    PathNames(document='interview', annotator='Lisa')
    >>> names_from_path(Path("flat/interview_1-Lisa.ann"), "{document}-{annotator}")
    PathNames(document='interview_1', annotator='Lisa')
    """
    if path.suffix:
        stem = path.name[: -len(path.suffix)]
    else:
        stem = path.name
    if layout is None:
        return PathNames(stem, "")
    fields = layout.strip("/")
    pieces = _FIELD.split(fields)
    names = [piece for piece in pieces[1::2] if piece != "*"]
    if not pieces[1:] or len(set(names)) < len(names) or "{" in "".join(pieces[::2]):
        raise UsageError(
            f"layout {layout!r} is not a path with {{annotator}}, {{document}}, {{session}} "
            "(each at most once) and *"
        )
    wanted = fields.split("/")
    parts = (*path.absolute().parts[1:-1], stem)
    if len(parts) < len(wanted):
        raise DataError(f"path is shorter than the layout {layout!r}", file=path)
    value_by_field = {"{document}": stem, "{annotator}": ""}
    for pattern, part in zip(wanted, parts[-len(wanted) :], strict=True):
        split = _FIELD.split(pattern)
        values = fit(split, part)
        if values is None:
            raise DataError(f"name does not fit the layout {layout!r}", file=path)
        value_by_field |= zip(split[1::2], values, strict=True)
    person = [
        value_by_field[key] for key in ("{annotator}", "{session}") if value_by_field.get(key)
    ]
    return PathNames(value_by_field["{document}"], "-".join(person))


def fit(pattern: Sequence[str], text: str) -> list[str] | None:
    """Return the values of a pattern's fields in a text; None if it does not fit.

    Parameters
    ----------
    pattern
        Fixed texts and fields in turn, a fixed text first and last; a field "*" may be empty.
    text
        A name.

    >>> fit(["", "{document}", "-", "{annotator}", ""], "interview-1-Lisa")
    ['interview-1', 'Lisa']
    """
    if text.endswith(pattern[-1]):
        end = len(text) - len(pattern[-1])
    else:
        end = -1
    values: list[str] = []
    # Match from the end, each field as short as possible: this never needs backtracking.
    for i in range(len(pattern) - 2, 0, -2):
        fixed = pattern[i - 1]
        limit = end - (pattern[i] != "*")
        if i > 1:
            at = text.rfind(fixed, 0, max(limit, 0))
        else:
            at = 0
        if at < 0 or limit < at + len(fixed) or not text.startswith(fixed, at):
            return None
        values.append(text[at + len(fixed) : end])
        end = at
    if end:
        return None
    return values[::-1]


def file_name(name: str, kind: str) -> str:
    """Return `name` if it can be part of a path on every system; otherwise raise a DataError.

    >>> file_name("Lisa", "annotator")
    'Lisa'
    """
    device = name.partition(".")[0].rstrip().casefold() in _DEVICES
    wrong = device or not name.strip(". ") or not name.isprintable()
    if wrong or any(x in name for x in '/\\:*?"<>|\0'):
        raise DataError(f"{kind} {name!r} cannot be the name of a file", hint="Rename it")
    if len(name.encode()) > _LONGEST:
        what = f"{kind} {name[:40]!r}… has {len(name)} characters, too many for the name of a file"
        raise DataError(what, hint="Rename it")
    return name
