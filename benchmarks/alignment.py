"""Alignment at scale: python benchmarks/alignment.py [--peer PYTHON] [--only PART] [--out DIR].

Each measurement is a process of its own, warmed up on small continua; CPU seconds (user + system)
of the process, peak memory above what it had before the case. `--peer` is a Python with
pygamma-agreement 0.5.9 installed. Writes alignment-table.csv, alignment-growth.csv
(and .svg) and alignment-peer.csv to results/benchmarks.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
FIELDS = [
    "case",
    "what",
    "cpu",
    "wall",
    "memory",
    "disorder",
    "status",
    "gap",
    "pairs",
    "columns",
    "units",
    "annotators",
    "limit",
]

TABLE = [
    ("3by100", "align"),
    ("3by100", "milp"),
    ("3by100", "cpsat"),
    ("3by100", "gamma"),
    ("2by1000", "align"),
    ("3x500:1:observed", "align"),
    ("3x500:1:random", "align"),
    ("2x5000:1:observed", "align"),
    ("2x5000:1:random", "align"),
    *[(f"5x100:{seed}:{kind}", "align") for seed in (1, 2, 3) for kind in ("observed", "random")],
    ("5x100:1:observed", "gamma"),
    *[(f"8x30:{seed}:{kind}", "align") for seed in (1, 2, 3) for kind in ("observed", "random")],
    *[(f"10x30:{seed}:{kind}", "align") for seed in (1, 2, 3) for kind in ("observed", "random")],
    *[(f"20x30:{seed}:observed", "align") for seed in (1, 2, 3)],
    *[(f"27x20:{seed}:observed", "align") for seed in (1, 2, 3)],
    ("20x30:1:random", "align"),
    ("27x20:1:random", "align"),
]
GROWTH = [
    *[
        (f"3x{p}:1:{kind}", "align")
        for p in (30, 100, 300, 1000, 3000, 10000)
        for kind in ("observed", "random")
    ],
    *[
        (f"2x{p}:1:{kind}", "align")
        for p in (100, 1000, 10000, 100000)
        for kind in ("observed", "random")
    ],
    *[(f"{n}x30:1:observed", "align") for n in (2, 3, 5, 8, 12, 16, 20, 27)],
    *[(f"{n}x30:1:random", "align") for n in (2, 3, 4, 5, 6, 7, 8, 9)],
]
PEER = [
    ("3by100", "align"),
    ("3by100", "gamma"),
    ("3x500:1:observed", "align"),
    ("2x5000:1:observed", "align"),
    ("5x100:1:observed", "align"),
]


def run(command: list[str], limit: float) -> dict[str, object]:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=limit, check=False, cwd=HERE.parent
        )
    except subprocess.TimeoutExpired:
        return {"status": "no answer", "limit": f"{limit:g} s"}
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        reason = (done.stderr.strip().splitlines() or ["killed"])[-1]
        return {"status": f"failed: {reason[:80]}", "limit": f"{limit:g} s"}
    return dict(json.loads(lines[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="Python with pygamma-agreement")
    parser.add_argument("--peer-limit", type=float, default=120)
    parser.add_argument("--time-limit", type=float, default=60)
    parser.add_argument("--only", choices=["table", "growth", "peer"])
    parser.add_argument("--out", type=Path, default=HERE.parent / "results" / "benchmarks")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for part in [options.only] if options.only else ["table", "growth", "peer"]:
        with (options.out / f"alignment-{part}.csv").open("w", newline="") as stream:
            writer = csv.DictWriter(stream, FIELDS, extrasaction="ignore")
            writer.writeheader()
            for row in measured(part, options):
                writer.writerow(
                    {k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()}
                )
                stream.flush()
                print(row, file=sys.stderr)
        if part == "growth":
            figure(options.out / "alignment-growth.csv")


def measured(part: str, options: argparse.Namespace) -> Iterator[dict[str, object]]:
    if part == "peer":
        for case, what in PEER if options.peer else []:
            yield {"case": case, "what": f"pygamma {what}", **peer(case, what, options)}
        return
    for case, what in TABLE if part == "table" else GROWTH:
        script = str(HERE / "alignment_case.py")
        command = [sys.executable, script, case, what, str(options.time_limit)]
        yield {"case": case, "what": what, **run(command, 10 * options.time_limit)}


def peer(case: str, what: str, options: argparse.Namespace) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "case.csv")
        run([sys.executable, str(HERE / "alignment_case.py"), case, "write", file], 60)
        return run([options.peer, str(HERE / "alignment_peer.py"), file, what], options.peer_limit)


def figure(table: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    with table.open() as stream:
        rows = [r for r in csv.DictReader(stream) if r["what"] == "align" and r["units"]]
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for kind in ("observed", "random"):
        for n, style in ((2, "s"), (3, "o")):
            line = sorted(
                (int(r["units"]), float(r["cpu"]))
                for r in rows
                if r["case"].startswith(f"{n}x") and r["case"].endswith(kind)
            )
            if line:
                axes[0].loglog(
                    *zip(*line, strict=True), f"-{style}", ms=4, label=f"{n} annotators, {kind}"
                )
        line = sorted(
            {
                (int(r["annotators"]), float(r["cpu"]))
                for r in rows
                if "x30:1:" in r["case"] and r["case"].endswith(kind)
            }
        )
        if line:
            axes[1].loglog(*zip(*line, strict=True), "-o", ms=4, label=f"30 units each, {kind}")
    for axis, label in zip(axes, ("units", "annotators"), strict=True):
        axis.set_xlabel(label)
        axis.set_ylabel("CPU seconds")
        axis.legend(fontsize=8)
        axis.grid(alpha=0.3, which="both")
    figure.savefig(table.with_suffix(".svg"), metadata={"Date": None})


if __name__ == "__main__":
    main()
