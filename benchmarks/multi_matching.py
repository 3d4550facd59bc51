"""Multi-matchings: python benchmarks/multi_matching.py --peer PYTHON [--seconds S] [FILE.dd…].

Drawn problems, and public ones, are solved by ours (`solve`, S CPU seconds) and by pylibmgm, which
PYTHON has, in a process of its own (the best of three runs). FILE.dd is a problem of the literature
on multi-graph matching; its costs of two assignments together make it no problem of ours, so both
solve what is linear about it: to make its best matchings of each two graphs consistent
(`multi_matching_peer.py`). Writes multi-matching.csv.

planted N×P    P points in the unit square, moved in each of N sets by normal errors; a pair earns
               .15 less its distance
sync N×P, E    permutation synchronisation: N·(N − 1)/2 matchings of P points, a share E of each at
               random; an assignment of a matching earns 1
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from gammacp.alignment import Problem, solve
from gammacp.problems import read_multi_matching

HERE = Path(__file__).parent
DRAWN = [
    ("planted", 4, 10, 0.1),
    ("planted", 8, 10, 0.1),
    ("planted", 8, 20, 0.05),
    ("planted", 30, 10, 0.05),
    ("sync", 4, 10, 0.5),
    ("sync", 8, 10, 0.6),
    ("sync", 10, 10, 0.5),
    ("sync", 16, 10, 0.5),
    ("sync", 30, 10, 0.5),
]


def costs(kind: str, n: int, points: int, noise: float) -> list[Any]:
    """Cost matrix of each two sets."""
    rng = np.random.default_rng(1)
    if kind == "planted":
        true = rng.random((points, 2))
        points_seen = true + rng.normal(0, noise, (n, points, 2))
        return [
            np.hypot(*(points_seen[a][:, None] - points_seen[b][None]).transpose(2, 0, 1)) - 0.15
            for a, b in combinations(range(n), 2)
        ]
    matrices = []
    for _ in combinations(range(n), 2):
        matched, wrong = np.arange(points), np.flatnonzero(rng.random(points) < noise)
        matched[wrong] = matched[rng.permutation(wrong)]
        matrices.append(np.where(matched[:, None] == np.arange(points), -1.0, 0.0))
    return matrices


def write(path: Path, n: int, points: int, matrices: list[Any]) -> None:
    lines = []
    for (a, b), matrix in zip(combinations(range(n), 2), matrices, strict=True):
        lines += [f"gm {a} {b}", f"p {points} {points} {points * points} 0"]
        cells = enumerate(np.ndenumerate(matrix))
        lines += [f"a {i} {u} {v} {float(cost)!r}" for i, ((u, v), cost) in cells]
    path.write_text("\n".join(lines) + "\n")


def peer(python: str, *paths: Path) -> dict[str, Any]:
    command = [python, str(HERE / "multi_matching_peer.py"), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout[done.stdout.rindex("{") :]))


def ours(problem: Problem, seconds: float) -> dict[str, Any]:
    start = time.process_time()
    solution = solve(problem, time_limit=seconds)
    return {
        "sets": problem.n_annotators,
        "points": problem.n_units,
        "pairs": len(problem.first),
        "objective": solution.objective,
        "bound": solution.bound,
        "status": str(solution.status),
        "cpu": time.process_time() - start,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--peer", required=True, help="Python with pylibmgm")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--out", type=Path, default=HERE.parent / "results" / "benchmarks")
    options = parser.parse_args()
    fields = ["case", "sets", "points", "pairs", "objective", "bound", "status", "cpu"]
    fields += ["pylibmgm", "pylibmgm cpu"]
    time.monotonic = time.process_time
    with tempfile.TemporaryDirectory() as folder:
        cases = []
        for kind, n, points, noise in DRAWN:
            path = Path(folder) / f"{kind}-{n}-{points}.dd"
            write(path, n, points, costs(kind, n, points, noise))
            cases.append((f"{kind} {n}×{points}, {noise:g}", path, peer(options.peer, path)))
        for file in options.files:
            path = Path(folder) / f"{file.stem}.dd"
            cases.append((file.stem, path, peer(options.peer, file, path)))
        ours(read_multi_matching(cases[0][1]), 9)  # kernels are loaded, or compiled
        with (options.out / "multi-matching.csv").open("w", newline="") as stream:
            writer = csv.DictWriter(stream, fields)
            writer.writeheader()
            for case, path, other in cases:
                peer_cells = {"pylibmgm": other["objective"], "pylibmgm cpu": other["cpu"]}
                cells = {
                    "case": case,
                    **ours(read_multi_matching(path), options.seconds),
                    **peer_cells,
                }
                row = {k: f"{v:.6g}" if isinstance(v, float) else v for k, v in cells.items()}
                writer.writerow(row)
                stream.flush()
                print(row, file=sys.stderr)


if __name__ == "__main__":
    main()
