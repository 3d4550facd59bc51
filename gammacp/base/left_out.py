"""Counts of items that a reader passed over, so that nothing is dropped silently.

Everything of a file either becomes a unit (or declares an annotator, a text, bounds) or is counted
here by kind and reason. What a tool's own library counts is what we read plus what we left out.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field

from gammacp.base.text import counted


@dataclass(frozen=True, order=True)
class LeftOut:
    """Items of one kind in a file that did not become units, all for the same reason.

    Attributes
    ----------
    file
        The file, or `archive!member`.
    kind
        Kind of the items, in the singular and in the format's own word: "relation", "interval",
        "tier", "annotation", "task", "column", "file".
    count
        Number of items, at least 1.
    reason
        Reason as a phrase: "tier without a name".
    state
        The state of the work that they are (`formats.states`), where that is why; "" elsewhere.
    """

    file: str
    kind: str
    count: int
    reason: str
    state: str = ""

    def __str__(self) -> str:
        """`3 relations: …`; kinds take a plain plural.

        >>> str(LeftOut("a.ann", "relation", 3, "links units"))
        '3 relations: links units'
        """
        return f"{counted(self.count, self.kind)}: {self.reason}"

    def as_dict(self) -> dict[str, object]:
        """Return the JSON: `{"file", "kind", "count", "reason"}`, and `"state"` if it has one."""
        fields = asdict(self)
        if not self.state:
            del fields["state"]
        return fields


@dataclass
class Tally:
    """Counter of what is left out of one file while it is read.

    Parameters
    ----------
    file
        Name of the file for people (`Source.place`).
    """

    file: str
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def add(self, kind: str, reason: str, count: int = 1, state: str = "") -> None:
        """Add `count` items of a kind; 0 adds no entry."""
        if count:
            self.counts[kind, reason, state] += count

    def entries(self) -> tuple[LeftOut, ...]:
        """Return the counts in the order in which their kinds were met."""
        return tuple(
            LeftOut(self.file, kind, count, reason, state)
            for (kind, reason, state), count in self.counts.items()
        )


def by_reason(entries: Iterable[LeftOut]) -> tuple[LeftOut, ...]:
    """Return an entry per kind and reason over all files, the most frequent first.

    `file` is then how many files, where they are several.

    >>> [e] = by_reason([LeftOut("a", "tier", 1, "empty"), LeftOut("b", "tier", 2, "empty")])
    >>> e.file, e.count
    ('2 files', 3)
    """
    counts = Counter[tuple[str, str, str]]()
    files: dict[tuple[str, str, str], set[str]] = {}
    for e in entries:
        key = e.kind, e.reason, e.state
        counts[key] += e.count
        files.setdefault(key, set()).add(e.file)
    where = {key: next(iter(f)) if len(f) == 1 else f"{len(f)} files" for key, f in files.items()}
    return tuple(
        LeftOut(where[key], kind, count, reason, state)
        for key, count in counts.most_common()
        for kind, reason, state in [key]
    )


def gather(groups: Iterable[Sequence[LeftOut]]) -> tuple[LeftOut, ...]:
    """Return the entries of several groups; those that differ only in their count are added up.

    >>> a = LeftOut("a.ann", "relation", 1, "links units")
    >>> gather([(a,), (a,)])[0].count
    2
    """
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for entry in (e for group in groups for e in group):
        counts[entry.file, entry.kind, entry.reason, entry.state] += entry.count
    return tuple(
        LeftOut(file, kind, count, reason, state)
        for (file, kind, reason, state), count in counts.items()
    )
