"""State of somebody's work on a document: one concept for all formats.

Annotation tools say whether somebody has finished a document, skipped it, or made the reference
that others are compared with, each in its own words. Readers translate these words into a `State`
(`gammacp.formats.works`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from gammacp.base.arguments import one_of
from gammacp.errors import UsageError


class State(StrEnum):
    """State of one person's work on one document."""

    FINISHED = "finished"
    UNFINISHED = "unfinished"
    REFERENCE = "reference"
    SKIPPED = "skipped"


INCLUDABLE = (State.UNFINISHED, State.REFERENCE)
"""States of work that is left out unless it is asked for."""
REPEATED = ("first", "last", "session")
"""Ways to resolve several answers of one person on one document."""


def why_left_out(state: State, said: str = "") -> str:
    """Return the reason to leave out work of a state, with the way to include it.

    Parameters
    ----------
    state
        State of the work.
    said
        The tool's own word for it; for a reference, its author.

    >>> why_left_out(State.UNFINISHED, "IN_PROGRESS")
    'unfinished (IN_PROGRESS), read with `include=unfinished`'
    """
    if state == State.REFERENCE:
        word = "a reference"
    else:
        word = str(state)
    if said:
        reason = f"{word} ({said})"
    else:
        reason = word
    if state in INCLUDABLE:
        return f"{reason}, read with `include={state}`"
    return reason


@dataclass(frozen=True)
class Origin:
    """State that a file's surroundings (folder, metadata of the project) give to the whole file.

    Attributes
    ----------
    state
        State of the work; None if the tool's word for it is unknown.
    wording
        The tool's own word; for a reference, its author.
    """

    state: State | None
    wording: str = ""


@dataclass(frozen=True)
class Wanted:
    """Work to read: states in addition to finished, and the treatment of repeated answers.

    Attributes
    ----------
    include
        States that are read beside finished work.
    repeated
        "first", "last" or "session"; "" leaves a document out that somebody answered twice.
    """

    include: frozenset[State] = frozenset()
    repeated: str = ""

    @classmethod
    def of(cls, include: str | Iterable[str] | None, repeated: str | None = None) -> Wanted:
        """Parse the options `include` and `repeated`.

        Parameters
        ----------
        include
            Names of states, or one text with commas between them.
        repeated
            The attribute of this name; None is "".

        Raises
        ------
        UsageError
            There is no such state or way.

        >>> sorted(Wanted.of("unfinished,reference").include)
        [<State.REFERENCE: 'reference'>, <State.UNFINISHED: 'unfinished'>]
        """
        if isinstance(include, str):
            entries = [include]
        else:
            entries = list(include or ())
        names = [name.strip() for entry in entries for name in entry.split(",") if name.strip()]
        for name in names:
            if name == State.SKIPPED:
                raise UsageError(
                    "`include=` cannot be skipped: a skipped document has no answer to read; "
                    f"there are: {', '.join(INCLUDABLE)}"
                )
            one_of("include", name, INCLUDABLE)
        if repeated:
            one_of("repeated", repeated, REPEATED)
        return cls(frozenset(map(State, names)), repeated or "")

    def takes(self, state: State | None) -> bool:
        """Return whether work of a state counts; an unknown state counts as finished.

        Parameters
        ----------
        state
            State of the work.
        """
        return state is None or state == State.FINISHED or state in self.include
