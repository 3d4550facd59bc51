"""Unusual stdout and stderr: another encoding, closed, full, or a pipe that nobody reads."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gammacp.cli import main

ROWS = 'A,"γ ∆ 😊",0,1\nZoë,"γ ∆ 😊",0,2\n'


def printed(
    monkeypatch: pytest.MonkeyPatch, coding: str, *arguments: object
) -> tuple[object, bytes, bytes]:
    """Return exit code, stdout and stderr of a command whose streams have the given encoding."""
    streams = [io.BytesIO(), io.BytesIO()]
    for name, stream in zip(("stdout", "stderr"), streams, strict=True):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(stream, encoding=coding))
    monkeypatch.setattr(sys, "argv", ["gammacp", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        main()
    for name in ("stdout", "stderr"):
        getattr(sys, name).flush()
    return stop.value.code, streams[0].getvalue(), streams[1].getvalue()


@pytest.mark.parametrize("coding", ["cp1252", "latin-1", "ascii", "utf-8"])
def test_encodings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, coding: str) -> None:
    file = tmp_path / "a.csv"
    file.write_text(ROWS, encoding="utf-8")
    code, out, _ = printed(monkeypatch, coding, "inspect", file, "--json")
    assert code == 0
    (result,) = json.loads(out.decode(coding))["results"]
    assert list(result["categories"]) == ["γ ∆ 😊"]
    assert list(result["annotators"]) == ["A", "Zoë"]
    code, out, _ = printed(monkeypatch, coding, "inspect", file)
    assert code == 0
    text = out.decode(coding)
    assert ("γ ∆ 😊" if coding == "utf-8" else r"\u03b3 \u2206 \U0001f60a") in text
    assert "Zo\\xeb" in text if coding == "ascii" else "Zoë" in text
    assert ("─" if coding == "utf-8" else "---") in text
    code, _, err = printed(monkeypatch, coding, "inspect", tmp_path / "γ.csv")
    assert code == 3
    assert "file does not exist" in err.decode(coding)


def test_commands_run_with_closed_output_streams(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.csv"
    file.write_text(ROWS, encoding="utf-8")
    for arguments in (["inspect", file], ["inspect", file, "--json"], ["formats"]):
        monkeypatch.setattr(sys, "argv", ["gammacp", *map(str, arguments)])
        with monkeypatch.context() as closed:
            closed.setattr(sys, "stdout", None)
            with pytest.raises(SystemExit) as stop:
                main()
            sys.stdout.close()
        assert stop.value.code == 0
        assert capsys.readouterr().err == "stdout is closed: results are not shown\n"
    monkeypatch.setattr(sys, "argv", ["gammacp", "inspect", str(tmp_path / "b.csv")])
    with monkeypatch.context() as closed:
        closed.setattr(sys, "stderr", None)
        with pytest.raises(SystemExit) as stop:
            main()
        sys.stderr.close()
    assert stop.value.code == 3
    assert capsys.readouterr().out == "", "a message among the results"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    ("shell", "code", "err"),
    [
        ("{} measures | head -1 > {out}; exit ${{PIPESTATUS[0]}}", 0, ""),
        ("{} cite > /dev/full", 1, "No space left on device"),
        ("{} cite >&- 2>&-", 0, ""),
    ],
)
def test_a_closed_pipe_is_no_error_but_a_full_disk_is(
    tmp_path: Path, shell: str, code: int, err: str
) -> None:
    command = shell.format(f"{sys.executable} -m gammacp", out=tmp_path / "out")
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False, env=dict(os.environ)
    )
    assert done.returncode == code
    assert err in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
