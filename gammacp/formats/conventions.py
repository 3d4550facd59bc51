"""Notes on conventions by which a file was read, or in which annotators seem to differ.

Readers attach such notes to the continua that they make, and `collect` gathers them.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from gammacp.base.text import counted
from gammacp.continuum import Continuum, Corpus

FACT = "conventions"
"""The fact that holds notes of a reader (`About.facts`)."""


@dataclass(frozen=True)
class ConventionNote:
    """A convention of one file, or of one annotator.

    Attributes
    ----------
    file
        The file, or the document whose annotators differ.
    convention
        Name of the convention: "inclusive", "crlf-as-one", "Ann: x1000".
    evidence
        A sentence that says why.
    applied
        Whether the file was read by this convention.
    usual
        Whether it is the usual convention of the format, which needs no message.
    quotes
        Number of quotes that support it; 0 if the evidence is of another kind.
    """

    file: str
    convention: str
    evidence: str
    applied: bool
    usual: bool = False
    quotes: int = 0

    def __str__(self) -> str:
        """Return the evidence, with the file."""
        return f"{self.file}: {self.evidence}"

    def as_dict(self) -> dict[str, object]:
        """Return the JSON of a note: `{"file", "convention", "evidence", "applied"}`."""
        if self.quotes:
            quotes = f" ({counted(self.quotes, 'quote')})"
        else:
            quotes = ""
        return {
            "file": self.file,
            "convention": self.convention,
            "evidence": self.evidence + quotes,
            "applied": self.applied,
        }


def fact_of(notes: Iterable[ConventionNote]) -> str:
    """Return the notes as the value of a fact.

    Parameters
    ----------
    notes
        Notes of one document.
    """
    listed = [asdict(note) for note in notes]
    if listed:
        return json.dumps(listed)
    return ""


def notes_of(document: Continuum | Corpus) -> list[ConventionNote]:
    """Return the notes on the continua that a reader made from one file, each note once.

    Parameters
    ----------
    document
        A continuum, or a corpus of them.
    """
    continua = document.continua.values() if isinstance(document, Corpus) else [document]
    texts = [str(c.about.fact(FACT) or "[]") for c in continua]
    notes = [ConventionNote(**entry) for listed in texts for entry in json.loads(listed)]
    return list(dict.fromkeys(notes))
