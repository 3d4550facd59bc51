"""Commands that could not read all of their input: the warning, the JSON and exit code 3.

`note_unread` records what a command could not read. A sentence about it is then printed on stderr
and above the first result, `unread_json` lists it for `--json`, and `exit_code_of_incomplete_input`
makes the command end with exit code 3. A command only has to put `unread_json()` into its JSON,
which `Loaded.json` does.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from gammacp.base.failures import Failure
from gammacp.cli import output
from gammacp.cli.output import announce, message, withdraw_announcements
from gammacp.errors import BelowThresholdError, DataError, UnprovenError


@dataclass
class _Unread:
    """Files and parts that one command could not read."""

    failures: list[Failure] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    is_refused: bool = False


_UNREAD: ContextVar[_Unread | None] = ContextVar("unread", default=None)


def note_unread(failures: Sequence[Failure], sentence: str | None, *, allowed: bool) -> None:
    """Record what could not be read, for the warning, the JSON and the exit code.

    Parameters
    ----------
    failures
        The files that could not be read.
    sentence
        Sentence on what is missing, from `incomplete_in_words`; None if nothing is.
    allowed
        Whether the command ends with exit code 0 all the same (`--allow-unread`).
    """
    if sentence is None:
        return
    announce(sentence)
    message(f"gammacp: {sentence}", error=True)
    annotate_failures(failures)
    unread = _UNREAD.get()
    if unread is None:
        return
    unread.failures += failures
    unread.sentences.append(sentence)
    unread.is_refused |= not allowed


def annotate_failures(failures: Sequence[Failure]) -> None:
    """Print a line for each failure that the CI platform shows beside the file, if `--ci` is given.

    Parameters
    ----------
    failures
        The files that could not be read.
    """
    if output.platform is None:
        return
    # Imported here, because few commands run in continuous integration.
    from gammacp.cli.judging import annotate

    for each in failures:
        text, _ = each.error.message_and_place
        annotate("error", text, title="not read", file=each.error.file, line=each.error.line)


def unread_json() -> list[dict[str, object]]:
    """Return the value of `"failures"` in JSON: everything the running command could not read."""
    unread = _UNREAD.get()
    if unread is None:
        return []
    return [each.as_dict() for each in unread.failures]


def unread_in_words() -> tuple[str, ...]:
    """Return the sentences on what the running command could not read."""
    unread = _UNREAD.get()
    if unread is None:
        return ()
    return tuple(unread.sentences)


@contextmanager
def exit_code_of_incomplete_input() -> Iterator[None]:
    """Run a command, and end it with exit code 3 if it could not read everything.

    Results are printed by then. Exit code 3 takes precedence over 4 (below a threshold) and 5 (not
    proven), because these judge only what was read; their messages are still printed.

    Raises
    ------
    DataError
        A file could not be read, and `--allow-unread` was not given.
    """
    unread = _Unread()
    token = _UNREAD.set(unread)
    withdraw_announcements()
    try:
        try:
            yield
        except (BelowThresholdError, UnprovenError) as error:
            if not unread.is_refused:
                raise
            message(f"gammacp: {error}", error=True)
            if output.platform is not None:
                from gammacp.cli.judging import annotate_error

                annotate_error(error)
        if unread.is_refused:
            raise DataError(
                "some of the input could not be read; the results cover only the rest",
                hint="Repair the files, or accept the gap with `allow_unread=`",
            )
    finally:
        _UNREAD.reset(token)
        withdraw_announcements()
