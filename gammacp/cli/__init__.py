"""The command line: one module per command, no logic; exit codes as in `gammacp.errors`."""

from __future__ import annotations

import sys

from gammacp.errors import GammacpError


def main() -> None:
    """Run the command line and exit: errors are one line on stderr, never a traceback."""
    from gammacp.cli.app import build

    sys.exit(_exit_code(build()))


def _exit_code(app: object) -> int:
    assert callable(app)
    try:
        app()
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
        return 130
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print(f"gammacp: {place}{error.strerror or error}", file=sys.stderr)
        return 1
    return 0
