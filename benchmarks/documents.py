"""γ of many small documents in one process, in two, and on two Dask workers, side by side.

    python benchmarks/documents.py [--documents 10000 100000] [--workers 2]

Each corpus is a Parquet file of 3 annotators × 5 units a document, made from a fixed seed. The
cluster is started as docs/scaling.md says. CPU seconds (user + system) of a cluster are those of
client, scheduler and workers, while the command ran; what they take when there is nothing to do is
printed before. The first command on a cluster pays for its workers' imports, so it is measured
twice. The outputs have to be the same to the byte. Start it twice, because kernels are
compiled at the first call. Needs the extras parquet and dask.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
from pyarrow.parquet import ParquetWriter

_AT_ONCE, _IDLE, _READY = 50_000, 15, 20
# For scheduler and workers, as in docs/scaling.md.
_SETTINGS = {
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__WORKER__MEMORY__MONITOR_INTERVAL": "1s",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--documents", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--dask-defaults", action="store_true", help="without those settings")
    arguments = parser.parse_args()
    settings = {} if arguments.dask_defaults else _SETTINGS
    started = cluster(arguments.workers, settings)
    with tempfile.TemporaryDirectory() as folder, started as (url, processes):
        before = seconds_of(processes)
        time.sleep(_IDLE)
        print(f"idle cluster: {(seconds_of(processes) - before) / _IDLE:.3f} CPU s a second")
        for count in arguments.documents:
            units = Path(folder, f"{count}.parquet")
            write_corpus(units, count)
            measure("one process", units, ("--jobs", "1"), ())
            measure(f"{arguments.workers} processes", units, ("--jobs", str(arguments.workers)), ())
            on_dask = f"{arguments.workers} Dask workers"
            measure(on_dask, units, ("--executor", url), processes)
            if count == arguments.documents[0]:
                measure(f"{on_dask} once more", units, ("--executor", url), processes)


def measure(name: str, units: Path, where: Sequence[str], processes: Sequence[int]) -> None:
    """Print what `gammacp gamma` takes there, and the hash of its output."""
    command = [sys.executable, "-m", "gammacp", "-q", "gamma", str(units), "--json", *where]
    digest = hashlib.sha256()
    before, began = seconds_of(processes), time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
        assert running.stdout is not None
        while chunk := running.stdout.read(1 << 20):
            digest.update(chunk)
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    beside = seconds_of(processes) - before
    print(
        f"{units.stem} documents, {name}: {used.ru_utime + used.ru_stime + beside:.1f} CPU s "
        f"({beside:.1f} of the cluster) in {time.monotonic() - began:.0f} s, "
        f"{used.ru_maxrss / 1024:.0f} MB, exit {running.returncode}, {digest.hexdigest()[:12]}",
        flush=True,
    )


def seconds_of(processes: Sequence[int]) -> float:
    """Return the CPU seconds of processes and of all their children."""
    every = [psutil.Process(pid) for pid in processes]
    every += [child for one in every for child in one.children(recursive=True)]
    return sum(t.user + t.system for t in (one.cpu_times() for one in every))


@contextmanager
def cluster(workers: int, settings: Mapping[str, str]) -> Iterator[tuple[str, list[int]]]:
    """Start a scheduler and workers on this machine; yield their address and processes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    dask = Path(sys.executable).with_name("dask")
    size = ("--nworkers", str(workers), "--nthreads", "1")
    started = [
        subprocess.Popen(
            [dask, *command, "--no-dashboard"],
            env=os.environ | settings,
            stderr=subprocess.DEVNULL,
        )
        for command in (
            ("scheduler", "--port", str(port)),
            ("worker", f"tcp://127.0.0.1:{port}", *size),
        )
    ]
    try:
        time.sleep(_READY)
        yield f"dask://127.0.0.1:{port}", [process.pid for process in started]
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


def write_corpus(path: Path, documents: int) -> None:
    """Write documents of three annotators with five units each; a fifth of labels is random."""
    rng, writer = np.random.default_rng(1), None
    for first in range(0, documents, _AT_ONCE):
        n = min(_AT_ONCE, documents - first)
        at = np.sort(rng.integers(0, 190, (n, 1, 5)), axis=2) + rng.integers(-3, 4, (n, 3, 5))
        length = rng.integers(3, 15, (n, 1, 5)) + rng.integers(0, 2, (n, 3, 5))
        what, other = rng.integers(0, 3, (n, 1, 5)), rng.integers(0, 3, (n, 3, 5))
        chosen = np.where(rng.random((n, 3, 5)) < 0.8, what, other).ravel()
        start = np.maximum(at, 0)
        columns = {
            "document": np.repeat(np.arange(first, first + n), 15).astype(str),
            "annotator": np.tile(np.repeat(["a0", "a1", "a2"], 5), n),
            "category": np.array(["x", "y", "z"])[chosen],
            "start": start.ravel().astype(float),
            "end": (start + length).ravel().astype(float),
        }
        table = pa.table(columns)
        writer = writer or ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


if __name__ == "__main__":
    main()
