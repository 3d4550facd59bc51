"""Recordings that lie beside the annotations, to be heard while reviewing."""

from collections.abc import Mapping
from pathlib import Path, PurePath

from gammacp.continuum import Continuum
from gammacp.files import is_inside

# What browsers play, by ending (of a film, its sound); the first ones are taken before others.
TYPES = {
    ".wav": "audio/wav", ".flac": "audio/flac", ".mp3": "audio/mpeg", ".ogg": "audio/ogg",
    ".oga": "audio/ogg", ".opus": "audio/ogg", ".m4a": "audio/mp4", ".aac": "audio/aac",
    ".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime",
}  # fmt: skip
_TIMES = ("s", "ms")


def recordings(folder: Path, documents: Mapping[str, Continuum]) -> dict[str, Path]:
    """The recording of each document that is in seconds or milliseconds, where there is one.

    It is the file named as the document or its file is, with or without the ending, anywhere in the
    folder; of several, the one whose ending comes first in `TYPES`.

    Parameters
    ----------
    folder
        Of the campaign.
    documents
        By name.
    """
    timed = [name for name, c in documents.items() if c.offset_unit in _TIMES]
    if not timed:
        return {}
    there = [p for p in sorted(folder.rglob("*")) if p.suffix.lower() in TYPES and p.is_file()]
    there = [path for path in there if is_inside(path, folder)]
    there.sort(key=lambda path: list(TYPES).index(path.suffix.lower()))
    by_name = {name: path for path in reversed(there) for name in (path.stem, path.name)}
    # Documents without a name of their own are called as their files.
    own = {n: PurePath(n).stem if (folder / n).is_file() else PurePath(n).name for n in timed}
    found = {n: by_name.get(PurePath(n).name) or by_name.get(own[n]) for n in timed}
    return {name: path for name, path in found.items() if path is not None}
