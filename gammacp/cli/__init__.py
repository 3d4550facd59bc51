"""The command line: one module per command, no logic; exit codes as in `gammacp.errors`."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

from gammacp.errors import GammacpError

_INTERRUPTED = 130


def main() -> None:
    """Run the command line and exit: errors are one line on stderr, never a traceback."""
    code = _exit_code()
    if code == _INTERRUPTED:
        _leave_at_once()
    sys.exit(code)


def _leave_at_once() -> None:
    """End without waiting for threads: one that is in a solver would abort Python on its way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(_INTERRUPTED)


def _exit_code() -> int:
    try:
        from gammacp.cli.app import build

        build()()
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):
            # The reader went away (`| head`): typer exits 1, but nothing has failed.
            return 0
        return stop.code if isinstance(stop.code, int) else int(bool(stop.code))
    except GammacpError as error:
        print(f"gammacp: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("gammacp: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print(f"gammacp: {place}{error.strerror or error}", file=sys.stderr)
        return 1
    return 0
