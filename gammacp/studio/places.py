"""Names of places on the page, relative to the campaign's folder."""

import os
import re
from pathlib import Path
from tempfile import gettempdir

from gammacp.cli.wording import options_for_parameters


def inside(folder: Path, name: str) -> str:
    """Return a name relative to the folder, so that it remains valid if the folder is moved.

    Parameters
    ----------
    folder
        Folder of the campaign.
    name
        Name of a file, or of a document.
    """
    path = Path(name)
    if path.is_relative_to(folder):
        return str(path.relative_to(folder))
    return name


_OPTION = re.compile(r"(?<![^\s(`])--[a-z]")
_ASIDE = re.compile(r" ?\([^()\n]*\)")
_SENTENCES = re.compile(r"(?<=[.;]) +(?=[A-Z])")
_CLAUSES = re.compile(r"([;.,]\s+)")


def without_options(text: str) -> str:
    """Return advice without sentences on options of the command line, which a page lacks.

    Marked parameters of the library count as options.

    >>> without_options("no token is there. Write XMI (--to cas), or give --bounds")
    'no token is there. Write XMI'
    >>> without_options("it has no text. Give one with --texts FOLDER, or write CSV")
    'it has no text. Write CSV'

    Parameters
    ----------
    text
        For the page.
    """
    sentences = _SENTENCES.split(options_for_parameters(text))
    text = " ".join(s for s in sentences if not (s.startswith("If ") and _OPTION.search(s)))
    text = _ASIDE.sub(lambda aside: "" if _OPTION.search(aside[0]) else aside[0], text)
    clauses = _CLAUSES.split(text)
    advice = ""
    begins = ","
    for mark, clause in zip([".", *clauses[1::2]], clauses[::2], strict=True):
        if _OPTION.search(clause):
            if begins == ",":
                begins = mark
            continue
        if begins.startswith(".") and clause.startswith("or "):
            # The first of two alternatives used an option: the second one now starts the sentence.
            mark = begins
            clause = clause[3:4].upper() + clause[4:]
        advice = advice + mark + clause
        begins = ","
    return advice.lstrip(";., ").rstrip()


def seen_from(folder: Path, text: str) -> str:
    """Return a message for the page: without options, and without the path of the folder.

    Parameters
    ----------
    folder
        Folder of the campaign.
    text
        For the page.
    """
    text = (
        without_options(text)
        .replace(f"{folder}{os.sep}", "")
        .replace(str(folder), "the campaign's folder")
    )
    return text.replace(gettempdir(), "the folder for temporary files")
