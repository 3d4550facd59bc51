"""CHAT transcripts of TalkBank and CHILDES (.cha).

After MacWhinney, "Tools for Analyzing Talk, Part 1: The CHAT Transcription Format"
(talkbank.org/manuals/CHAT.html). Headers begin with `@`, utterances with `*` and the code of the
speaker, dependent tiers with `%`. A line that begins with a tab continues the one before. A bullet
gives the time of an utterance: start and end in milliseconds between two characters U+0015. In
older files, it also contains the name of the recording.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gammacp.continuum import Continuum
from gammacp.errors import UsageError
from gammacp.formats.registry import registered, sniff_ending_or_keys
from gammacp.formats.source import Source
from gammacp.formats.spans import MILLISECONDS, Spans

_MARK = "\x15"
_TIMES = re.compile(r"(?:%(?:snd|mov):[^\x15]*_)?(\d+)_(\d+)-?")
_PICTURE = re.compile(r"%(?:pic|txt):[^\x15]*")
_LINE = re.compile(r"(@[^:\t]+|\*[^:\s]+|%[^:\s]+)(?::\s*(.*))?")
_PARTICIPANT = re.compile(r"\s*(\S+)")
_COVER = "cover"
SPEAKER = "speaker"
TEXT = "text"


@dataclass
class _Entry:
    """A header, an utterance or a dependent tier: its name with @, * or %, and its content."""

    name: str
    content: str
    line: int


@dataclass
class _Utterance:
    """An utterance, with its dependent tiers by name."""

    main: _Entry
    tiers: dict[str, str] = field(default_factory=dict)


def read(source: Source, *, category: str = SPEAKER) -> Continuum:
    """Return the utterances of a transcript that have times.

    Parameters
    ----------
    category
        Field that is the category of an utterance: "speaker", "text" (what was said), or the name
        of a dependent tier, as in "spa".

    Raises
    ------
    DataError
        The file is not a transcript or lacks its end, a line is of unknown kind, a bullet has no
        times, or a speaker is not among the participants.
    UsageError
        `category` names a dependent tier that no utterance has.

    Notes
    -----
    Positions
        milliseconds
    Annotators
        the folder: a file is the work of one transcriber or coder
    Category
        code of the speaker (`--option category=text`: what was said; `--option category=spa`: the
        dependent tier %spa, without which an utterance is unlabelled)
    Spans
        every utterance with times is a unit, with several bullets from the first start to the last
        end; utterances without times, and dependent tiers, are left out
    """
    spans = Spans.of(source, MILLISECONDS)
    participants, utterances = _parts(list(_entries(source)), source)
    chosen = category.removeprefix("%")
    _check_category(utterances, chosen)
    for utterance in utterances:
        main = utterance.main
        speaker = main.name[1:]
        if speaker not in participants:
            raise source.error(
                f"speaker {speaker!r} is not among @Participants",
                line=main.line,
                hint="Check the transcript with CLAN's CHECK",
            )
        for tier in utterance.tiers:
            if tier != chosen:
                spans.leave_out("tier", f"%{tier} is not the category")
        spoken, times = _timed(main, source)
        if not times:
            spans.leave_out("utterance", "has no times")
            continue
        label = {SPEAKER: speaker, TEXT: spoken}.get(chosen, utterance.tiers.get(chosen))
        what = f"utterance of {speaker}"
        about = {"line": main.line, "what": what}
        spans.add_parts(source.annotator, label or None, times, _COVER, **about)
    return spans.continuum()


def _check_category(utterances: list[_Utterance], chosen: str) -> None:
    """Raise a UsageError if the category is a dependent tier that no utterance has."""
    tiers = dict.fromkeys(name for utterance in utterances for name in utterance.tiers)
    if chosen not in (SPEAKER, TEXT, *tiers):
        names = ", ".join((SPEAKER, TEXT, *tiers))
        raise UsageError(f"no utterance has the tier {chosen!r}; there are: {names}")


def _entries(source: Source) -> Iterator[_Entry]:
    """Yield the entries of the file, each with the lines that continue it."""
    current: _Entry | None = None
    for number, line in enumerate(source.lines(), 1):
        if line.startswith("\t") and current is not None:
            current.content += " " + line.strip()
            continue
        if current is not None:
            yield current
            current = None
        if not line.strip():
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise source.error(
                f"line is no header, utterance or dependent tier: {line[:60]!r}",
                line=number,
                hint="It begins with @, *, % or a tab",
            )
        current = _Entry(match[1].rstrip(), (match[2] or "").strip(), number)
    if current is not None:
        yield current


def _parts(entries: list[_Entry], source: Source) -> tuple[set[str], list[_Utterance]]:
    """Return the participants' codes, and the utterances."""
    names = [entry.name for entry in entries]
    first_utterance = next(
        (place for place, name in enumerate(names) if name.startswith("*")), len(names)
    )
    for name, where in (("@Begin", names[:first_utterance]), ("@End", names[-1:])):
        if name not in where:
            raise source.error(f"transcript has no {name}", hint="Export it again")
    participants: set[str] = set()
    utterances: list[_Utterance] = []
    for entry in entries:
        if entry.name == "@Participants":
            listed = (_PARTICIPANT.match(part) for part in entry.content.split(","))
            participants.update(match[1] for match in listed if match)
        elif entry.name.startswith("*"):
            utterances.append(_Utterance(entry))
        elif entry.name.startswith("%"):
            if not utterances:
                raise source.error(f"tier {entry.name} is of no utterance", line=entry.line)
            tiers = utterances[-1].tiers
            name = entry.name[1:]
            tiers[name] = f"{tiers[name]} {entry.content}" if name in tiers else entry.content
    return participants, utterances


def _timed(main: _Entry, source: Source) -> tuple[str, list[tuple[object, object]]]:
    """Return the text of an utterance without its bullets, and the times of the bullets."""
    pieces = main.content.split(_MARK)
    if len(pieces) % 2 == 0:
        raise source.error("bullet has no end", line=main.line)
    times: list[tuple[object, object]] = []
    for bullet in pieces[1::2]:
        match = _TIMES.fullmatch(bullet)
        if match:
            low, high = (source.position(text, "time", line=main.line) for text in match.groups())
            times.append((low, high))
        elif not _PICTURE.fullmatch(bullet):
            raise source.error(
                f"bullet {bullet[:40]!r} has no times", line=main.line, hint="START_END"
            )
    return " ".join("".join(pieces[::2]).split()), times


registered(
    "chat",
    "CHAT",
    (".cha",),
    sniff_ending_or_keys(".cha", b"@Begin", b"@Participants:"),
    read,
    layout="{annotator}/{document}",
)
