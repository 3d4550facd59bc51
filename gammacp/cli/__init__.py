"""The command line: one module per command, no logic; exit codes as in `gammacp.errors`."""

import atexit
import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice

from gammacp.base.text import visible
from gammacp.errors import DataError, GammacpError, UsageError

_INTERRUPTED = 130
# Number of new objects after which Python's cyclic garbage collector runs. A command creates about
# 200 000 objects (900 000 in its first run) and keeps most of them, so with the default threshold
# the collector took a tenth of the time.
_COLLECTED = 1_000_000


def main() -> None:
    """Run the command line and exit: errors are a sentence on stderr, never a traceback."""
    from gammacp.base.subjects import why_missing
    from gammacp.cli import output
    from gammacp.cli.app import build, build_one
    from gammacp.cli.interrupting import ended_by_interrupts

    gc.set_threshold(_COLLECTED)
    atexit.register(gc.freeze)  # skip a useless last garbage collection
    code = 0
    try:
        try:
            output.verbosity = 0
            output.platform = None
            output.make_streams_usable()
            with ended_by_interrupts():
                sys.argv[1:] = _for_all_first(sys.argv[1:])
                name = next(iter(sys.argv[1:]), "")
                if one := build_one(name):
                    one(sys.argv[2:], prog_name=f"gammacp {name}")
                elif why := why_missing("command", name):
                    raise UsageError(why)
                else:
                    build()(prog_name="gammacp")
        except (SystemExit, Exception) as ended:
            code = _exit_code(ended)
        code = _flush(code)
    except KeyboardInterrupt:
        print("gammacp: interrupted", file=sys.stderr)
        code = _INTERRUPTED
    if code == _INTERRUPTED:
        leave_at_once()
    sys.exit(code)


def _flush(code: int) -> int:
    """Flush stdout and return the exit code, which is 1 instead of 0 if that fails."""
    try:
        sys.stdout.flush()
    except OSError as error:
        # Otherwise Python would flush again at exit and print a second error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            print(f"gammacp: stdout: {error.strerror}", file=sys.stderr)
            return code or 1
    return code


def leave_at_once() -> None:
    """Exit without waiting for threads.

    A thread that is inside a solver would otherwise abort Python during shutdown.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(_INTERRUPTED)


def _for_all_first(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with global options moved in front of the command.

    Users may write `--import MODULE`, `--outside`, `--quiet` and `--verbose` behind the command as
    well. `--import` has to take effect before the command is built.
    """
    first: list[str] = []
    rest: list[str] = []
    pending = iter(arguments)
    for argument in pending:
        if argument == "--":
            rest += [argument, *pending]
        elif argument == "--import":
            first += [argument, *islice(pending, 1)]
        else:
            of_all = argument in ("--outside", "-q", "-v", "--quiet", "--verbose")
            (first if of_all or argument.startswith("--import=") else rest).append(argument)
    return first + rest


def _exit_code(ended: SystemExit | Exception) -> int:
    """Print the error that ended a command and return its exit code.

    Exceptions that are bugs of gammacp are raised again.
    """
    if isinstance(ended, SystemExit):
        return _chosen_code(ended)
    from gammacp.cli import output
    from gammacp.cli.output import message

    if output.platform is not None and isinstance(ended, GammacpError):
        from gammacp.cli.judging import annotate_error

        annotate_error(ended)
    if isinstance(ended, DataError):
        text, place = ended.message_and_place
        # The place comes from the user: a file name is printed unchanged even if it looks like a
        # marked parameter.
        message(
            visible(text),
            before=visible(f"gammacp: {place}: " if place else "gammacp: "),
            error=True,
        )
        return ended.exit_code
    if isinstance(ended, GammacpError):
        message(f"gammacp: {visible(str(ended))}", error=True)
        return ended.exit_code
    if isinstance(ended, OSError):
        if ended.filename:
            place = f"{ended.filename}: "
        else:
            place = ""
        message(f"gammacp: {visible(f'{place}{ended.strerror or ended}')}", error=True)
        return 1
    if isinstance(ended, MemoryError):
        message(f"gammacp: not enough memory. {ended}".rstrip(), error=True)
        return 1
    if _comes_from_interrupt(ended):
        raise KeyboardInterrupt from None
    raise ended


def _comes_from_interrupt(error: BaseException | None) -> bool:
    """Return whether an error was caused by Ctrl-C.

    Compiled code turns a KeyboardInterrupt into a chain of one or more SystemErrors.
    """
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _chosen_code(stop: SystemExit) -> int:
    """Return the exit code that typer chose."""
    chosen_for = stop.__context__
    if isinstance(chosen_for, BrokenPipeError):
        # The reader closed the pipe (`| head`). Typer exits with 1, but nothing has failed.
        return 0
    if chosen_for is not None and _comes_from_interrupt(chosen_for.__cause__):
        raise KeyboardInterrupt from None
    if isinstance(stop.code, int):
        return stop.code
    return int(bool(stop.code))
