"""Names of documents and annotators from paths, and as parts of paths."""

import re
from dataclasses import dataclass
from pathlib import Path

from gammacp.errors import DataError, UsageError

_FIELD = re.compile(r"(\{annotator\}|\{document\}|\*)")
# What Windows takes for a device, whatever ending follows.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{name}{n}" for name in ("com", "lpt") for n in "0123456789¹²³"]
)
_MOST_FIELDS = 4  # in a part of a path: the time to try their places grows with this power
_GROUPS = {"{annotator}": "(?P<annotator>[^/]+)", "{document}": "(?P<document>[^/]+)", "*": "[^/]*"}


@dataclass(frozen=True)
class PathNames:
    """What a path says; "" for the annotator when it says nothing."""

    document: str
    annotator: str


def names_from_path(path: Path, layout: str | None) -> PathNames:
    """The last parts of a path, read by a layout.

    A layout is the end of a path, without the file's ending: {annotator}, {document}, * (anything)
    and what stands between them in a name. Without {document} the document is the file's stem.

    >>> names_from_path(Path("brat/Lisa/interview.ann"), "{annotator}/{document}")
    PathNames(document='interview', annotator='Lisa')
    >>> names_from_path(Path("flat/interview_1-Lisa.ann"), "{document}-{annotator}")
    PathNames(document='interview_1', annotator='Lisa')
    """
    stem = path.name[: -len(path.suffix)] if path.suffix else path.name
    if layout is None:
        return PathNames(stem, "")
    fields = layout.strip("/")
    pieces = _FIELD.split(fields)
    names = [piece for piece in pieces[1::2] if piece != "*"]
    if not pieces[1:] or len(set(names)) < len(names) or "{" in "".join(pieces[::2]):
        raise UsageError(
            f"layout {layout!r} is not a path of {{annotator}}, {{document}} and *, each name once"
        )
    if any(len(_FIELD.findall(part)) > _MOST_FIELDS for part in fields.split("/")):
        raise UsageError(f"layout {layout!r} has more than {_MOST_FIELDS} of them in one part")
    wanted = fields.count("/") + 1
    parts = (*path.absolute().parts[1:-1], stem)
    if len(parts) < wanted:
        raise DataError(f"path is shorter than the layout {layout!r}", file=path)
    pattern = "".join(_GROUPS.get(piece) or re.escape(piece) for piece in pieces)
    match = re.fullmatch(pattern, "/".join(parts[-wanted:]), re.DOTALL)
    if match is None:
        raise DataError(f"name does not fit the layout {layout!r}", file=path)
    found = match.groupdict()
    return PathNames(found.get("document", stem), found.get("annotator", ""))


def file_name(name: str, kind: str) -> str:
    """`name` if it can be a part of a path on every system; a DataError that tells its kind if not.

    >>> file_name("Lisa", "annotator")
    'Lisa'
    """
    device = name.partition(".")[0].rstrip().casefold() in _DEVICES
    wrong = device or not name.strip(". ") or not name.isprintable()
    if wrong or any(x in name for x in '/\\:*?"<>|\0'):
        raise DataError(f"{kind} {name!r} cannot be the name of a file", hint="Rename it")
    return name
