"""S, B, WindowDiff, P_k and GHD side by side with nltk and segeval: CPU time of one pair.

    python benchmarks/segmentation.py [--mass 100000] [--boundaries 1000] [--segeval PYTHON]

Boundaries are uniform; half of the hypothesis' are those of the reference moved by 0 to 2 places.
Printed is the least CPU time of some repetitions, which is what a busy machine disturbs least.
segeval runs in an interpreter of its own (`--segeval` names it; it needs no patch for this, only
its file readers do not work on Python 3.11). Targets, mass 100 000 and 1000 boundaries: S and B at
most 5 ms each; WindowDiff and GHD on mass 100 000 with 10 000 boundaries at most 1 s.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Callable

import numpy as np

from gammacp.segmentation import (
    Segmentation,
    boundary_similarity,
    ghd,
    optimal_edits,
    pk,
    segmentation_similarity,
    window_diff,
    window_size,
)

SEGEVAL = """
import json, sys, time, segeval
a, b = json.load(sys.stdin)
for name, function in (("S", segeval.segmentation_similarity), ("B", segeval.boundary_similarity),
                       ("WindowDiff", segeval.window_diff), ("P_k", segeval.pk)):
    start = time.process_time()
    value = function(tuple(b), tuple(a))
    print(json.dumps([name, time.process_time() - start, float(value)]), flush=True)
"""


def pair(mass: int, boundaries: int, seed: int = 0) -> tuple[Segmentation, Segmentation]:
    rng = np.random.default_rng(seed)
    places = np.sort(rng.choice(np.arange(1, mass), boundaries, replace=False))
    moved = places[::2] + rng.integers(0, 3, len(places[::2]))
    fresh = rng.choice(np.arange(1, mass), boundaries - len(moved), replace=False)
    other = np.union1d(moved[moved < mass], fresh)
    return tuple(Segmentation.from_positions(p.tolist(), mass=mass) for p in (places, other))


def least(function: Callable[[], object], *, budget: float = 2.0) -> float:
    times: list[float] = []
    while sum(times) < budget and len(times) < 15:
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def ours(a: Segmentation, b: Segmentation) -> dict[str, tuple[float, float]]:
    functions: dict[str, Callable[[], float]] = {
        "S": lambda: segmentation_similarity(a, b).value,
        "S, n = 5 (published and optimal)": lambda: segmentation_similarity(a, b, n=5).value,
        "optimal edit, n = 5": lambda: float(optimal_edits(a, b, n=5).full),
        "B": lambda: boundary_similarity(a, b).value,
        "WindowDiff": lambda: window_diff(a, b),
        "P_k": lambda: pk(a, b),
        "GHD": lambda: ghd(a, b).distance,
    }
    return {name: (least(f), f()) for name, f in functions.items()}


def nltks(a: Segmentation, b: Segmentation) -> dict[str, tuple[float, float]]:
    from nltk.metrics import segmentation as nltk

    one, other, k = a.to_string(), b.to_string(), window_size(a)
    mean = a.mass / a.n_segments
    functions: dict[str, Callable[[], float]] = {
        "WindowDiff": lambda: nltk.windowdiff(one, other, k),
        "P_k": lambda: nltk.pk(one, other, k),
    }
    if len(one) <= nltk.MAX_GHD_INPUT_LEN:
        functions["GHD"] = lambda: nltk.ghd(one, other, mean, mean, 2.0)
    return {name: (least(f), f()) for name, f in functions.items()}


def segevals(python: str, a: Segmentation, b: Segmentation) -> dict[str, tuple[float, float]]:
    found = {}
    done = subprocess.run(
        [python, "-c", SEGEVAL],
        input=json.dumps([a.masses, b.masses]),
        capture_output=True,
        text=True,
        check=False,
    )
    for line in done.stdout.splitlines():
        name, seconds, value = json.loads(line)
        found[name] = (seconds, value)
    if done.returncode:
        print(done.stderr.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mass", type=int, default=100_000)
    parser.add_argument("--boundaries", type=int, default=1000)
    parser.add_argument("--segeval", help="interpreter of an environment with segeval")
    options = parser.parse_args()
    a, b = pair(options.mass, options.boundaries)
    columns = {"gammacp": ours(a, b), "nltk": nltks(a, b)}
    if options.segeval:
        columns["segeval"] = segevals(options.segeval, a, b)
    print(f"mass {options.mass}, {options.boundaries} boundaries; milliseconds (value)")
    for name in columns["gammacp"]:
        cells = [
            f"{who} {row[name][0] * 1e3:.2f} ({row[name][1]:.6g})"
            for who, row in columns.items()
            if name in row
        ]
        print(f"  {name}: {', '.join(cells)}")


if __name__ == "__main__":
    main()
