"""Works in a file: answers of people with their states, and the choice among repeated answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from gammacp.formats.source import Source
from gammacp.formats.states import State, Wanted, why_left_out

Content = TypeVar("Content")
LeaveOut = Callable[[str, str, int, str], None]
"""`leave_out(kind, reason, count, state)`, as `Spans` and `Documents` have it."""
TWICE = "answered more than once by one person; choose with `repeated=first`, last or session"
"""Reason to leave out a document."""


@dataclass(frozen=True)
class Work(Generic[Content]):
    """One answer of one person on one document.

    Attributes
    ----------
    annotator
        Person who made it.
    content
        Content from which the reader makes units.
    state
        State of the work; None if the tool's word for it is unknown.
    wording
        The tool's own word for the state.
    reason
        Reason why it is left out, if the reader has a better sentence than `why_left_out`.
    time
        Time at which it was made, as a text or a number that sorts; None if unknown.
    answer
        The answer in a form that can be compared: a second equal one of the same person is
        dropped, since the tool served the task twice by accident. None: never compared.
    """

    annotator: str
    content: Content
    state: State | None = State.FINISHED
    wording: str = ""
    reason: str = ""
    time: str | float | None = None
    answer: object = None


def choose_works(
    works: Mapping[str, Sequence[Work[Content]]],
    wanted: Wanted,
    kinds: tuple[str, str],
    source: Source,
    leave_out: LeaveOut,
) -> dict[str, list[Work[Content]]]:
    """Return the works that count, by document, with one work per annotator and document.

    Documents without work that counts are omitted. With "session", whoever repeats an answer
    anywhere in the file is called NAME-1, NAME-2, … in the order of the answers. A
    reference by somebody who also has other work on the document is called `NAME (reference)`.

    Parameters
    ----------
    works
        Works by document.
    wanted
        Rules on which works count.
    kinds
        Names of a work and of a document in the format: ("annotation", "task").
    source
        The file, on which remarks about the states are stored.
    leave_out
        Function that counts what is left out.
    """
    _note_states(works, source)
    kind = kinds[0]
    named_works: dict[str, list[Work[Content]]] = {}
    for document, listed in works.items():
        wanted_works = []
        for work in listed:
            if wanted.takes(work.state):
                wanted_works.append(work)
            elif work.state is not None:
                if work.state == State.REFERENCE:
                    who = work.annotator
                else:
                    who = work.wording
                leave_out(kind, work.reason or why_left_out(work.state, who), 1, work.state)
        named = _with_own_references(wanted_works)
        if wanted.repeated != "session":
            named = _distinct(named, kind, leave_out)
        if named:
            named_works[document] = named
    return _resolve(named_works, wanted.repeated, kinds, leave_out)


def _note_states(works: Mapping[str, Sequence[Work[Content]]], source: Source) -> None:
    """Store a remark on each state in a file, with its count, unless the file has none."""
    counts = Counter((w.state, w.wording) for listed in works.values() for w in listed)
    if set(counts) == {(State.FINISHED, "")}:
        return
    for (state, wording), count in counts.items():
        note_state(source, state, wording, count)


def note_state(source: Source, state: State | None, said: str, count: int = 1) -> None:
    """Store a remark on a state of works in a file, which `gammacp inspect -v` lists.

    Parameters
    ----------
    source
        The file.
    state
        State of the works; None is unknown, which every command reports.
    said
        The tool's own word.
    count
        Number of works that have it.
    """
    if state is None:
        text = f"state {said!r} is unknown: read as finished work"
        source.remark("states", text, count, told=True)
    else:
        source.remark("states", f"{state} ({said})" if said else str(state), count)


def _with_own_references(works: Sequence[Work[Content]]) -> list[Work[Content]]:
    """Return the works; rename references by people who also have other work."""
    others = {w.annotator for w in works if w.state != State.REFERENCE}
    return [
        replace(w, annotator=f"{w.annotator} (reference)")
        if w.state == State.REFERENCE and w.annotator in others
        else w
        for w in works
    ]


def _distinct(
    works: Sequence[Work[Content]], kind: str, leave_out: LeaveOut
) -> list[Work[Content]]:
    """Return the works without those that repeat an answer of the same person."""
    distinct: list[Work[Content]] = []
    for work in works:
        before = [w.answer for w in distinct if w.annotator == work.annotator]
        if work.answer is not None and work.answer in before:
            leave_out(kind, "repeats an answer", 1, "")
        else:
            distinct.append(work)
    return distinct


def _resolve(
    works: Mapping[str, list[Work[Content]]],
    repeated: str,
    kinds: tuple[str, str],
    leave_out: LeaveOut,
) -> dict[str, list[Work[Content]]]:
    """Return the works with at most one of each person on each document."""
    people = {name for listed in works.values() for name in _repeating(listed)}
    resolved: dict[str, list[Work[Content]]] = {}
    for document, listed in works.items():
        if repeated == "session":
            resolved[document] = _by_session(listed, people)
        elif not _repeating(listed):
            resolved[document] = listed
        elif repeated:
            resolved[document] = _one_each(listed, repeated)
            earlier = len(listed) - len(resolved[document])
            reason = f"another answer of one person counts, `repeated={repeated}`"
            leave_out(kinds[0], reason, earlier, "")
        else:
            leave_out(kinds[1], TWICE, 1, "")
    return resolved


def _repeating(works: Iterable[Work[Content]]) -> list[str]:
    counts = Counter(work.annotator for work in works)
    return [name for name, count in counts.items() if count > 1]


def _in_time(works: Sequence[Work[Content]]) -> list[Work[Content]]:
    """Sort works by their times; keep their order if one lacks a comparable time."""
    for kind in (str, int | float):
        if all(isinstance(work.time, kind) for work in works):
            return sorted(works, key=lambda work: work.time)  # type: ignore[arg-type,return-value]
    return list(works)


def _one_each(works: Sequence[Work[Content]], repeated: str) -> list[Work[Content]]:
    """Return each person's first or last answer, in the order of the file."""
    ordered = _in_time(works)
    if repeated == "first":
        ordered.reverse()
    chosen = {work.annotator: id(work) for work in ordered}
    return [work for work in works if chosen[work.annotator] == id(work)]


def _by_session(works: Sequence[Work[Content]], people: set[str]) -> list[Work[Content]]:
    """Return the works, under numbered names for people who repeat answers."""
    numbers = Counter[str]()
    named = []
    for work in _in_time(works):
        numbers[work.annotator] += 1
        name = f"{work.annotator}-{numbers[work.annotator]}"
        named.append(replace(work, annotator=name) if work.annotator in people else work)
    return named
