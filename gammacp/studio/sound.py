"""Recordings in the folder of the annotations, to play while reviewing."""

from collections.abc import Mapping
from pathlib import Path

from gammacp.base.files import named_as
from gammacp.continuum import Continuum

# Media types that browsers play (of films, the sound), by ending; earlier ones are preferred.
TYPES = {
    ".wav": "audio/wav", ".flac": "audio/flac", ".mp3": "audio/mpeg", ".ogg": "audio/ogg",
    ".oga": "audio/ogg", ".opus": "audio/ogg", ".m4a": "audio/mp4", ".aac": "audio/aac",
    ".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime",
}  # fmt: skip
_TIMES = ("s", "ms")


def recordings(folder: Path, documents: Mapping[str, Continuum]) -> dict[str, Path]:
    """Return the recordings of documents whose positions are in seconds or milliseconds.

    `named_as` matches files to documents; endings are tried in the order of `TYPES`.

    Parameters
    ----------
    folder
        Folder of the campaign.
    documents
        Continua by name.
    """
    timed = [name for name, c in documents.items() if c.offset_unit in _TIMES]
    if timed:
        return named_as(timed, folder, list(TYPES))
    return {}
