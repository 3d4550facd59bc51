"""Runs of Python code in forked processes, which need not import numba for half a second."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

# The server waits for tasks and forks for each of them. It has imported numba, compiles nothing
# itself, and ends with the process that started it.
_SERVER = """
import json, os, sys, traceback
import numba

for line in sys.stdin:
    task = json.loads(line)
    child = os.fork()
    if child:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    for stream, path in enumerate(task["streams"], start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    os.environ.clear()
    os.environ.update(task["environment"])
    sys.argv = ["-c", *task["arguments"]]
    code = 0
    try:
        exec(task["code"], {"__name__": "__main__"})
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
"""


@cache
def _server() -> "subprocess.Popen[str]":
    environment = {
        k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "NUMBA_CACHE_DIR")
    }
    return subprocess.Popen(
        [sys.executable, "-W", "always", "-c", _SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
    )


def run_forked(
    code: str, *arguments: str, environment: dict[str, str], folder: Path
) -> "subprocess.CompletedProcess[str]":
    """Run code as `subprocess.run` of `python -c CODE ARGUMENTS…` would.

    Numba has read its environment variables before. Output goes through files in `folder`.
    """
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    streams = [folder / name for name in ("stdout", "stderr")]
    task = {
        "code": code,
        "arguments": arguments,
        "environment": environment,
        "streams": list(map(str, streams)),
    }
    server.stdin.write(json.dumps(task) + "\n")
    server.stdin.flush()
    exit_code = int(server.stdout.readline())
    out, err = (path.read_text(encoding="utf-8") for path in streams)
    return subprocess.CompletedProcess([code, *arguments], exit_code, out, err)
