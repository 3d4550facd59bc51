"""S, B, WindowDiff, P_k and GHD side by side with nltk and segeval: CPU time of one pair.

    python benchmarks/segmentation.py [--mass 100000] [--boundaries 1000] [--segeval PYTHON]
    python benchmarks/segmentation.py --corpus [--segeval PYTHON]
    python benchmarks/segmentation.py --music

Boundaries are uniform; half of the hypothesis' are those of the reference moved by 0 to 2 places.
Printed is the least CPU time of some repetitions, which is what a busy machine disturbs least.
segeval runs in an interpreter of its own (`--segeval` names it; it needs no patch for this, only
its file readers do not work on Python 3.11). Targets, mass 100 000 and 1000 boundaries: S and B at
most 5 ms each; WindowDiff and GHD on mass 100 000 with 10 000 boundaries at most 1 s.

`--corpus`: 500 documents of 6 coders (7500 pairs), all measures at most .1 s, as rows for JSON at
most 1 s; π on B of 60 short pairs beside segeval's, a twentieth of its time.

`--music`: hit rates and T-measures of a recording of 3000 frames, which are our base units,
beside mir_eval's; the values must be equal.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Callable

import numpy as np

from gammacp.segmentation import (
    Codings,
    CorrectedSimilarity,
    Criterion,
    Segmentation,
    boundary_similarity,
    coding_agreement,
    ghd,
    gold_report,
    measures_beyond_chance,
    optimal_edits,
    pk,
    segmentation_report,
    segmentation_similarity,
    t_measures,
    window_diff,
    window_size,
)
from gammacp.segmentation.measures.rows import compare_rows

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
    seconds_and_value = {}
    done = subprocess.run(
        [python, "-c", SEGEVAL],
        input=json.dumps([a.masses, b.masses]),
        capture_output=True,
        text=True,
        check=False,
    )
    for line in done.stdout.splitlines():
        name, seconds, value = json.loads(line)
        seconds_and_value[name] = (seconds, value)
    if done.returncode:
        print(done.stderr.splitlines()[-1])
    return seconds_and_value


SEGEVAL_PI = """
import collections, json, sys, time
import segeval
items = json.load(sys.stdin)
data = segeval.Dataset({i: {c: tuple(m) for c, m in coders.items()} for i, coders in items.items()})
times = []
for _ in range(5):
    start = time.process_time()
    value = segeval.fleiss_pi_linear(data)
    times.append(time.process_time() - start)
print(json.dumps([min(times), float(value)]))
"""


def documents(count: int, coders: int) -> Codings:
    rng = np.random.default_rng(0)
    items = {}
    for item in range(count):
        mass = int(rng.integers(15, 81))
        shared = rng.random(mass - 1) < 0.2
        items[str(item)] = {
            str(coder): Segmentation.from_positions(
                (np.flatnonzero(shared ^ (rng.random(mass - 1) < 0.08)) + 1).tolist(), mass=mass
            )
            for coder in range(coders)
        }
    return Codings.of(items)


def corpora(segeval: str | None) -> None:
    many, few = documents(500, 6), documents(60, 2)
    on_b = Criterion(basis=CorrectedSimilarity.B)
    works: dict[str, Callable[[], object]] = {
        "500 x 6, all measures of all pairs": lambda: compare_rows(many.rows(), Criterion()).values,
        "500 x 6, items, groups, pooled": lambda: coding_agreement(many).as_dict(),
        "500 x 6, every pair as JSON": lambda: json.dumps(
            segmentation_report(many, pairs=True).as_dict()
        ),
        "500 x 6, beyond chance": lambda: measures_beyond_chance(many),
        "500 x 6, two systems against gold": lambda: gold_report(many, "0", systems=["1", "2"]),
        "60 x 2, pi on B": lambda: coding_agreement(few, comparison=on_b).pooled.pi,
    }
    for name, work in works.items():
        work()
        print(f"  {name}: {least(work) * 1e3:.1f} ms", flush=True)
    if segeval:
        items = {i: {c: s.masses for c, s in coders.items()} for i, coders in few.items()}
        done = subprocess.run(
            [segeval, "-c", SEGEVAL_PI],
            input=json.dumps(items),
            capture_output=True,
            text=True,
            check=True,
        )
        seconds, _ = json.loads(done.stdout)
        print(f"  60 x 2, pi on B, segeval: {seconds * 1e3:.1f} ms")


def intervals(s: Segmentation) -> np.ndarray:
    ends = np.cumsum(s.masses)
    return np.stack([ends - s.masses, ends], axis=1).astype(float)


def recordings() -> None:
    """Two hierarchies of 10 and 40 segments over 3000 base units, which are mir_eval's frames.

    Tenths of a second are no frames for it: it cuts .3/.1 = 2.999… to 2.
    """
    import warnings

    import mir_eval

    from gammacp.segmentation.gold_kernels import match_within

    rng = np.random.default_rng(0)
    mass, reach = 3000, 5
    fine = [np.sort(rng.choice(np.arange(1, mass), 39, replace=False)) for _ in range(2)]
    fine[1] = np.union1d(fine[0][::2] + rng.integers(0, 8, 20), fine[1][:19])
    sides = [
        [Segmentation.from_positions(p.tolist(), mass=mass) for p in (places[3::4], places)]
        for places in fine
    ]
    spans = [[intervals(s) for s in side] for side in sides]
    rows = np.concatenate(fine)
    offsets = np.array([0, len(fine[0]), len(rows)])
    pair = np.array([0]), np.array([1])

    def hits() -> tuple[float, float]:
        n_matches = float(match_within(rows, offsets, *pair, float(reach))[0, 0])
        return n_matches / len(fine[1]), n_matches / len(fine[0])

    works: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "hit rates within 5": (
            hits,
            lambda: mir_eval.segment.detection(spans[0][1], spans[1][1], window=5, trim=True)[:2],
        ),
        "T-measures, reduced, 150 around": (
            lambda: t_measures(*sides, window=150),
            lambda: mir_eval.hierarchy.tmeasure(*spans, window=150, frame_size=1),
        ),
        "T-measures, full, all": (
            lambda: t_measures(*sides, transitive=True),
            lambda: mir_eval.hierarchy.tmeasure(*spans, transitive=True, window=None, frame_size=1),
        ),
    }
    warnings.simplefilter("ignore")
    for name, (our, their) in works.items():
        np.testing.assert_allclose(our(), their(), atol=1e-9)
        times = [f"{least(work) * 1e3:.2f} ms" for work in (our, their)]
        print(f"  {name}: gammacp {times[0]}, mir_eval {times[1]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mass", type=int, default=100_000)
    parser.add_argument("--boundaries", type=int, default=1000)
    parser.add_argument("--segeval", help="interpreter of an environment with segeval")
    parser.add_argument("--corpus", action="store_true", help="corpora of short documents")
    parser.add_argument("--music", action="store_true", help="hierarchies beside mir_eval")
    options = parser.parse_args()
    if options.music:
        recordings()
        return
    if options.corpus:
        corpora(options.segeval)
        return
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
