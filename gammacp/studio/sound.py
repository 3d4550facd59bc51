"""Recordings that lie beside the annotations, to be heard while reviewing."""

from collections.abc import Mapping
from pathlib import Path

from gammacp.base.files import named_as
from gammacp.continuum import Continuum

# What browsers play, by ending (of a film, its sound); the first ones are taken before others.
TYPES = {
    ".wav": "audio/wav", ".flac": "audio/flac", ".mp3": "audio/mpeg", ".ogg": "audio/ogg",
    ".oga": "audio/ogg", ".opus": "audio/ogg", ".m4a": "audio/mp4", ".aac": "audio/aac",
    ".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime",
}  # fmt: skip
_TIMES = ("s", "ms")


def recordings(folder: Path, documents: Mapping[str, Continuum]) -> dict[str, Path]:
    """Return the recording of each document that is in seconds or milliseconds, where there is one.

    Which it is, says `named_as`; endings are in the order of `TYPES`.

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
