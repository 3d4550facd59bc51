import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from gammacp.cli import main


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `gammacp ARGS…` in this process."""

    def run_command(*args: object) -> Outcome:
        # It ends the process without unwinding: after an interrupt the exit code is enough here.
        monkeypatch.setattr("gammacp.cli._leave_at_once", lambda: None)
        monkeypatch.setattr(sys, "argv", ["gammacp", *map(str, args)])
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        code = stop.value.code
        assert isinstance(code, int)
        return Outcome(code, captured.out, captured.err)

    return run_command
