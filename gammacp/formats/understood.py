"""Statements of readers about how they understood a file."""

from collections.abc import Iterable
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
        Subject of the remark, one of `KINDS`.
    text
        The statement, as a name or a phrase.
    count
        Number of documents or works to which it applies.
    told
        Whether every command prints it, rather than `gammacp inspect -v` alone.
    """

    file: str
    kind: str
    text: str
    count: int = 1
    told: bool = False

    def as_dict(self) -> dict[str, object]:
        """Return the JSON of a remark: `{"file", "kind", "note", "count"}`."""
        return {"file": self.file, "kind": self.kind, "note": self.text, "count": self.count}


def by_file(remarks: Iterable[Remark]) -> dict[str, dict[str, dict[str, int]]]:
    """Group remarks by file and kind; return the texts with their counts.

    Parameters
    ----------
    remarks
        Remarks on all files.

    >>> by_file([Remark("a.json", "people", "Ann", 2), Remark("a.json", "people", "Bob")])
    {'a.json': {'people': {'Ann': 2, 'Bob': 1}}}
    """
    files: dict[str, dict[str, dict[str, int]]] = {}
    for remark in sorted(remarks, key=lambda remark: KINDS.index(remark.kind)):
        counts = files.setdefault(remark.file, {}).setdefault(remark.kind, {})
        counts[remark.text] = counts.get(remark.text, 0) + remark.count
    return files
