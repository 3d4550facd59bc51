"""Alignment at scale: python benchmarks/alignment.py [--peer PYTHON] [--only PART] [--out DIR].

Each measurement is a process of its own, warmed up on small continua; CPU seconds (user + system)
of the process, peak memory above what it had before the case. `--peer` is a Python with
pygamma-agreement 0.5.9 installed. Writes alignment-table.csv, alignment-growth.csv (and .svg),
alignment-shares.csv, alignment-peer.csv and alignment-crowds.csv to results/benchmarks. The peer's
rows come with ours, measured right after, so that both have the same machine. Crowds are measured
by the clock of the CPU; `../shared/data/crowds/llm-spans` is taken in where it is there.
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

import numpy as np

HERE = Path(__file__).parent
PARTS = ["table", "growth", "shares", "peer", "crowds"]
DATA = HERE.parents[1] / "shared" / "data" / "crowds" / "llm-spans"
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
    ("3x10000:1:observed", "align"),
    *[
        (f"{size}:{seed}:{kind}", "align")
        for size in ("8x30", "10x30", "12x30", "20x30", "27x20")
        for kind in ("observed", "random")
        for seed in (1, 2, 3)
    ],
]
STAGES = ["rest", "draw", "dissimilarities", "columns", "prices", "LP"]
STAGES += ["assignment", "components", "CP-SAT", "ties"]
GROWTH = [
    *[(f"2x{p}:1:jittered", "align") for p in (1000, 4000, 20000, 100000)],
    *[(f"3x{p}:1:jittered", "align") for p in (300, 1000, 3000, 10000, 30000, 100000)],
    *[(f"5x{p}:1:jittered", "align") for p in (100, 300, 1000, 3000)],
    *[(f"{n}x30:1:jittered", "align") for n in (3, 5, 8, 12, 16, 20, 27)],
    *[(f"{n}x30:1:observed", "align") for n in (3, 5, 8, 12, 16, 20, 27)],
]
SHARES = [
    ("3by100", "align"),
    ("3x500:1:observed", "align"),
    ("3x10000:1:jittered", "align"),
    ("5x100:1:observed", "align"),
    ("2x100000:1:jittered", "align"),
    ("8x30:1:observed", "align"),
    ("3by100", "gamma"),
    ("5x100:1:observed", "gamma"),
]
CROWDS = [
    ("8x425:1:overlapping", 60),
    *[(f"4x8:{seed}:spot", 60) for seed in (1, 2, 3)],
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
    parser.add_argument("--peer-limit", type=float, default=1500)
    parser.add_argument("--time-limit", type=float, default=60)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--out", type=Path, default=HERE.parent / "results" / "benchmarks")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for part in [options.only] if options.only else PARTS:
        with (options.out / f"alignment-{part}.csv").open("w", newline="") as stream:
            fields = ["case", "what", "cpu", "runs", *STAGES] if part == "shares" else FIELDS
            writer = csv.DictWriter(stream, fields, extrasaction="ignore")
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
            yield {"case": case, "what": what, **ours("alignment_case.py", case, what, options)}
        return
    if part == "crowds":
        cases = [(str(f), limit) for f in sorted(DATA.glob("*.csv")) for limit in (5, 60)]
        for case, seconds in cases + CROWDS:
            row = run([*script_of("alignment_case.py"), case, "align", str(seconds), "cpu"], 6000)
            yield {**row, "case": Path(case).stem, "what": "align"}
        return
    script = "alignment_shares.py" if part == "shares" else "alignment_case.py"
    for case, what in {"table": TABLE, "growth": GROWTH, "shares": SHARES}[part]:
        yield {"case": case, "what": what, **ours(script, case, what, options)}


def script_of(name: str) -> list[str]:
    return [sys.executable, str(HERE / name)]


def ours(script: str, case: str, what: str, options: argparse.Namespace) -> dict[str, object]:
    limit = options.time_limit
    return run([*script_of(script), case, what, str(limit)], 10 * limit)


def peer(case: str, what: str, options: argparse.Namespace) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "case.csv")
        run([sys.executable, str(HERE / "alignment_case.py"), case, "write", file], 60)
        return run([options.peer, str(HERE / "alignment_peer.py"), file, what], options.peer_limit)


def figure(table: Path) -> None:
    """CPU seconds over units and over annotators, log-log; hollow where optimality is unproven."""
    from gammacp.base.plots import COLOURS, MARKERS
    from gammacp.base.plots import figure as drawn

    with table.open() as stream:
        rows = [r for r in csv.DictReader(stream) if r["what"] == "align" and r["units"]]
    sizes = [r for r in rows if "x30:" not in r["case"]]
    lines = [
        (0, f"{n} annotators", "units", [r for r in sizes if r["annotators"] == n])
        for n in ("2", "3", "5")
    ]
    for kind in ("jittered", "observed"):
        inside = [r for r in rows if "x30:" in r["case"] and r["case"].endswith(kind)]
        lines.append((1, f"30 units each, {kind}", "annotators", inside))
    with drawn(table.with_suffix(""), width=7.5, columns=2) as axes:
        for style, (panel, label, over, line) in enumerate(lines):
            points = sorted((float(r[over]), float(r["cpu"]), r["status"]) for r in line)
            if len(points) < 2:
                continue
            x, y, _ = zip(*points, strict=True)
            axis = axes.flat[panel]
            if panel == 0:
                exponent = np.polyfit(np.log(x), np.log(y), 1)[0]
                label = f"{label}: exponent {exponent:.2f}"
                print(label, file=sys.stderr)
            axis.loglog(x, y, color=COLOURS[style], label=label)
            for a, b, s in points:
                face = COLOURS[style] if s == "optimal" else "white"
                axis.loglog(a, b, MARKERS[style], color=COLOURS[style], mfc=face)
            axis.set_xlabel(over)
            axis.set_ylabel("CPU seconds")
            axis.legend(loc="upper left")
            if panel == 0:
                axis.set_ylim(top=20)
            else:
                axis.set_xticks((3, 5, 8, 12, 20, 30), ("3", "5", "8", "12", "20", "30"))
                axis.minorticks_off()


if __name__ == "__main__":
    main()
