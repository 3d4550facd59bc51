"""Statements of readers about how they understood a file."""

from dataclasses import dataclass

KINDS = ("people", "states", "conventions", "columns")
"""Subjects of remarks, in the order in which `gammacp inspect -v` lists them."""


@dataclass(frozen=True)
class Remark:
    """One statement about a file.

    Attributes
    ----------
    file
        The file, or `archive!member`.
    kind
        What it is about, one of `KINDS`.
    text
        The statement, as a name or a phrase.
    count
        How many documents or works it is about.
    told
        Whether every command says it, and not `gammacp inspect -v` alone.
    """

    file: str
    kind: str
    text: str
    count: int = 1
    told: bool = False

    def as_dict(self) -> dict[str, object]:
        """Return the JSON of a remark: `{"file", "kind", "text", "count"}`."""
        return {"file": self.file, "kind": self.kind, "text": self.text, "count": self.count}
