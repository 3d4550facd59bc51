"""How places are named on the page: as seen from the campaign's folder, wherever that is."""

import os
from pathlib import Path
from tempfile import gettempdir


def inside(folder: Path, name: str) -> str:
    """A name without the folder, so that it stays when the folder is moved.

    Parameters
    ----------
    folder
        Of the campaign.
    name
        Of a file, or of a document.
    """
    path = Path(name)
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else name


def seen_from(folder: Path, text: str) -> str:
    """A message without the way to the folder, and to that of temporary files.

    Parameters
    ----------
    folder
        Of the campaign.
    text
        For the page.
    """
    text = text.replace(f"{folder}{os.sep}", "").replace(str(folder), "the campaign's folder")
    return text.replace(gettempdir(), "the folder for temporary files")
