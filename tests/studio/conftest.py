"""Studios for tests: started from the command line, and without a server."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

SECONDS = 600.0  # for a cold cache of compiled code on a busy machine


def framed(files: Mapping[str, bytes]) -> bytes:
    """Return files as the page sends them: a line of names and sizes, then their contents."""
    sizes = [(name, len(content)) for name, content in files.items()]
    return json.dumps({"files": sizes}).encode() + b"\n" + b"".join(files.values())


@dataclass
class Running:
    """Studio that runs, with a client."""

    folder: Path
    process: "subprocess.Popen[str]"
    address: str
    client: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        origin = "/".join(self.address.split("/")[:3])
        self.client = httpx.Client(
            base_url=self.address, headers={"origin": origin}, timeout=SECONDS, trust_env=False
        )

    def state(self) -> dict[str, Any]:
        now: dict[str, Any] = self.client.get("state").json()
        return now

    def wait(self, *states: str) -> dict[str, Any]:
        """Wait until the studio is in one of the given states."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if (now := self.state())["state"] in states:
                return now
            time.sleep(0.02)
        raise AssertionError(f"still {now}")

    def drop(self, name: str, content: bytes) -> httpx.Response:
        return self.client.post("files", content=framed({name: content}))

    def close(self) -> None:
        self.client.close()
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


def start(folder: Path, *options: str) -> Running:
    """Start `gammacp studio FOLDER`."""
    process = subprocess.Popen(
        [sys.executable, "-m", "gammacp", "studio", str(folder), "--no-browser", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    assert address, process.stderr and process.stderr.read()
    return Running(folder, process, address)


@pytest.fixture(scope="module")
def starting() -> Iterator[Callable[..., Running]]:
    """Start studios; they are ended with the tests of the module."""
    running: list[Running] = []

    def begin(folder: Path, *options: str) -> Running:
        running.append(start(folder, *options))
        return running[-1]

    yield begin
    for studio in running:
        with suppress(OSError):
            studio.close()
