"""The instance library: python benchmarks/instances.py make|check|race [--seconds S] [NAME…].

results/instances/NAME.json.gz is an instance, its best known alignment and what proves its bound: a
certificate as `gammacp align --certificate` writes it, packed with gzip. `make` draws the instances
that are missing, solves them for S CPU seconds each, and keeps of the old and the new file the one
with the better value, or with the same value and the better bound; so that it may be run again with
more time, or with a better solver. index.csv is written of all files: sizes, best value and bound,
who proved it and when, and what `verify.py` says of it. `check` verifies all files anew and says so
there. `race` has every registered solver (`--import MODULE` for yours) solve every instance for S
CPU seconds, and writes results/benchmarks/instances.csv.

An instance is named by its family and drawn by `alignment_case.instance`; `cover-…` are covers, and
others are named by the constraint that their alignment must keep.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import date
from functools import partial
from importlib import import_module
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from resource import RLIMIT_AS, RLIMIT_CPU, setrlimit
from typing import Any

import numpy as np
from alignment_case import instance, warm_up

import gammacp as gc
from gammacp import verify
from gammacp.alignment import SOLVERS, best_disorder
from gammacp.alignment.certificate import write_certificate
from gammacp.alignment.constraints import constraint
from gammacp.alignment.costs import disorder_scale
from gammacp.dissimilarity import bind
from gammacp.errors import GammacpError

HERE = Path(__file__).parent
FOLDER = HERE.parent / "results" / "instances"
FIELDS = ["name", "case", "annotators", "units", "cover", "value", "bound", "gap", "disorder"]
FIELDS += ["status", "by", "when", "seconds", "verified", "bytes"]
# Bytes of a process that races, and how it begins: with the kernels that are loaded.
MOST_MEMORY = 8 << 30
CONTEXT = get_context("fork")
# Of the processor.
SECONDS_TO_VERIFY = 120
# Bytes before packing; a larger file is kept without its proof (a matrix of 6 bytes per pair of
# units).
MOST_BYTES = 450_000
RANDOM = [
    "3x10:1",
    "3x30:1",
    "3x100:1",
    "4x10:1",
    "4x30:1",
    "5x10:1",
    "5x30:1",
    "5x100:1",
    "6x20:1",
]
RANDOM += [f"8x{size}:{seed}" for size in (10, 20, 30) for seed in (1, 2)]
RANDOM += ["10x20:1", "10x30:1", "10x30:2", "12x20:1", "12x30:1", "12x30:2", "16x20:1", "20x20:1"]
RANDOM += ["20x30:1", "27x20:1", "27x20:2"]
FAMILIES = {
    "shipped": ["figure10", "dalton", "alex-paul-suzan", "3by100", "2by1000"],
    "observed": [
        "3x30:1",
        "3x500:1",
        "5x30:1",
        "5x100:1",
        "8x20:1",
        "8x30:1",
        "10x30:1",
        "12x30:1",
    ],
    "random": RANDOM,
    "jittered": ["3x100:1", "5x100:1", "8x30:1", "12x30:1", "20x30:1"],
    "overlapping": ["3x50:1", "5x50:1", "8x50:1", "12x30:1"],
    "crowd": ["30x8:1", "40x8:1", "30x5:1", "100x12:1", "200x20:1"],
    "spot": ["4x5:1", "4x8:1", "5x8:1", "8x8:1"],
}
INSTANCES = {
    f"{family}-{case.replace(':', '-')}": case if family == "shipped" else f"{case}:{family}"
    for family, cases in FAMILIES.items()
    for case in cases
}
# Problems with constraints, named by the constraint; a file of these has `constraints`, too.
CONSTRAINED = {
    "non-crossing": ["2by1000", "3x20:1:overlapping", "3x30:1:random", "5x10:1:random"],
    "at-most=2": ["3x30:1:random", "8x10:1:random"],
    "at-most=3": ["5x10:1:random"],
    "same-category": ["3x100:1:random", "8x10:1:random"],
}
CONSTRAINT_OF = {
    f"{text.replace('=', '-')}-{case.replace(':', '-')}": (text, case)
    for text, cases in CONSTRAINED.items()
    for case in cases
}
INSTANCES |= {name: case for name, (_, case) in CONSTRAINT_OF.items()}
INSTANCES |= {f"cover-{case}": case for case in ("dalton", "3by100")}
INSTANCES |= {f"cover-random-{n}x20-1": f"{n}x20:1:random" for n in (3, 4, 5)}


KNOWN = ("whole claim", "not in time", "no proof")


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.json.gz"


def certificate_of(name: str) -> dict[str, Any]:
    """Return the certificate of an instance."""
    certificate: dict[str, Any] = json.loads(gzip.decompress(path_of(name).read_bytes()))
    return certificate


def continuum_of(certificate: dict[str, Any]) -> gc.Continuum:
    """Return the continuum of the instance in the file."""
    units = certificate["units"]
    annotators, starts, ends, kinds = zip(*(unit[:4] for unit in units), strict=True)
    return gc.Continuum.from_codes(
        tuple(certificate["annotators"]),
        tuple(certificate["categories"]),
        np.array(starts, float),
        np.array(ends, float),
        np.array(annotators, np.int32),
        np.array([-1 if kind is None else kind for kind in kinds], np.int32),
    )


def constraints_of(name: str) -> list[Any]:
    """Return the constraints that an alignment of the instance must satisfy."""
    if name not in CONSTRAINT_OF:
        return []
    return [constraint(CONSTRAINT_OF[name][0])]


def make(name: str, seconds: float) -> None:
    """Draw the instance if it is missing, solve it, and keep the better file."""
    path = path_of(name)
    old = certificate_of(name) if path.exists() else None
    continuum = instance(INSTANCES[name]) if old is None else continuum_of(old)
    start = time.process_time()
    cover = name.startswith("cover-")
    alignment = gc.align(
        continuum, time_limit=seconds, cover=cover, constraints=constraints_of(name)
    )
    spent = time.process_time() - start
    new = FOLDER / f"{name}.new"
    write_certificate(alignment, new)
    claim = json.loads(new.read_text())["claim"]
    worth = [(c["cost"], -c["bound"]) for c in (claim, old["claim"] if old else claim)]
    if old is None or worth[0] < worth[1]:
        trim(new)
        # Without time and name in the gzip header, equal certificates give equal files.
        path.write_bytes(gzip.compress(new.read_bytes(), mtime=0))
        by = {"by": f"gammacp {gc.__version__} {alignment.method}", "when": str(date.today())}
        index = {row["name"]: row for row in read_index()}
        index[name] = row_of(name) | by | {"seconds": f"{spent:.2g}", "verified": verdict(name)}
        write_index(index)
    new.unlink(missing_ok=True)


def trim(path: Path) -> None:
    """Without a proof that is too large: the bound then stands there unchecked."""
    if path.stat().st_size > MOST_BYTES:
        certificate = json.loads(path.read_text()) | {"proof": {"kind": "none"}}
        rows = (
            f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
            for key, value in certificate.items()
        )
        path.write_text("{" + ",\n".join(rows) + "}\n")


def row_of(name: str) -> dict[str, Any]:
    """Return the row of a certificate's file."""
    certificate = certificate_of(name)
    claim, continuum = certificate["claim"], continuum_of(certificate)
    value, bound = claim["cost"], claim["bound"]
    return {
        "name": name,
        "case": INSTANCES[name],
        "annotators": len(certificate["annotators"]),
        "units": len(certificate["units"]),
        "cover": certificate["cover"],
        "value": value,
        "bound": bound,
        "gap": f"{(value - bound) / max(value, 1e-300):.2g}" if claim["status"] != "optimal" else 0,
        "disorder": value * disorder_scale(continuum.n_annotators, continuum.mean_units),
        "status": claim["status"],
        "bytes": path_of(name).stat().st_size,
    }


def verdict(name: str) -> str:
    """Check in a process of its own whether the claim, or at least the bound, is proven."""
    command = [sys.executable, verify.__file__, str(path_of(name))]
    limit = partial(setrlimit, RLIMIT_CPU, (SECONDS_TO_VERIFY, SECONDS_TO_VERIFY))
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)
    if done.returncode < 0:
        return "not in time"
    if certificate_of(name)["proof"]["kind"] == "none":
        return "no proof"
    return {0: "whole claim", 1: "less than the claim"}.get(done.returncode, "refused")


def read_index() -> Iterator[dict[str, Any]]:
    path = FOLDER / "index.csv"
    if path.exists():
        with path.open(newline="") as stream:
            yield from csv.DictReader(stream)


def write_index(index: dict[str, dict[str, Any]]) -> None:
    with (FOLDER / "index.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(index[name] for name in INSTANCES if name in index)


def race(names: list[str], seconds: float) -> None:
    """Every solver on every instance: value and bound relative to the best known value."""
    fields = ["name", "solver", "status", "cpu", "above", "gap"]
    with (HERE.parent / "results" / "benchmarks" / "instances.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, fields, lineterminator="\n")
        writer.writeheader()
        for name, method in product(names, SOLVERS):
            row = {"name": name, "solver": method, **one_run(name, method, seconds)}
            writer.writerow(row)
            stream.flush()
            print(row, file=sys.stderr)


def one_run(name: str, method: str, seconds: float) -> dict[str, str]:
    """Solve in a process that ends some time after the limit: some solvers list groups first."""
    receiver, sender = CONTEXT.Pipe(duplex=False)
    running = CONTEXT.Process(target=run_here, args=(sender, name, method, seconds))
    running.start()
    sender.close()
    try:
        row: dict[str, str] = receiver.recv()
    except EOFError:
        row = {"status": "stopped: no answer"}
    running.join()
    return row


def run_here(sender: Any, name: str, method: str, seconds: float) -> None:
    most = int(5 * seconds) + 10
    setrlimit(RLIMIT_CPU, (most, most))
    setrlimit(RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    certificate = certificate_of(name)
    continuum = continuum_of(certificate)
    best = max(
        certificate["claim"]["cost"] * disorder_scale(continuum.n_annotators, continuum.mean_units),
        1e-300,
    )
    start, limits = time.process_time(), {"method": method, "time_limit": seconds}
    try:
        bound = bind(gc.Combined(), continuum)
        constraints = constraints_of(name)
        alignment = best_disorder(
            continuum, bound, **limits, cover=certificate["cover"], constraints=constraints
        )
        row = {
            "status": str(alignment.status),
            "above": f"{alignment.disorder / best - 1:.2g}",
            "gap": f"{(alignment.disorder - alignment.bound) / best:.2g}",
        }
    except (GammacpError, MemoryError) as error:
        row = {"status": f"refused: {str(error)[:60] or 'out of memory'}"}
    sender.send(row | {"cpu": f"{time.process_time() - start:.3g}"})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["make", "check", "race"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--import", dest="modules", nargs="*", default=[])
    options = parser.parse_args()
    for module in options.modules:
        import_module(module)
    names = options.names or list(INSTANCES)
    if options.what == "check":
        index = {row["name"]: row for row in read_index()}
        for name in names:
            index[name] |= row_of(name) | {"verified": verdict(name)}
        write_index(index)
        wrong = [name for name in names if index[name]["verified"] not in KNOWN]
        print("\n".join(wrong) or "every claim is proven, or not checked in time")
        return int(bool(wrong))
    for n in (3, 9, 30):
        warm_up(n)
    time.monotonic = time.process_time
    if options.what == "race":
        race(names, options.seconds)
        return 0
    FOLDER.mkdir(exist_ok=True)
    for name in names:
        make(name, options.seconds)
        print(name, *(row for row in read_index() if row["name"] == name), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
