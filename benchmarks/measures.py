"""Time and memory of the interval-based measures on a large continuum.

    python benchmarks/measures.py [--units 10000] [--length 10000000] [--annotators 3]

Each measure runs in a process of its own; printed are the CPU seconds of the call (imports not
included) and the process' peak memory (imports and data included). Targets on the default size:
each of u-alpha, cu-alpha and kappa-d at most 1 s and 500 MB.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time

import numpy as np

MEASURES = (
    "u-alpha",
    "binary-u-alpha",
    "u-alpha-2013",
    "cu-alpha",
    "ku-alpha",
    "kappa-d",
    "ser",
    "f1-exact",
    "f1-overlap",
    "f1-category",
)


def columns(units: int, length: int, annotators: int, seed: int = 0):
    """Disjoint units with random integer boundaries and four categories."""
    rng = np.random.default_rng(seed)
    names, labels, starts, ends = [], [], [], []
    for a in range(annotators):
        cuts = np.sort(rng.choice(length, size=2 * units, replace=False))
        starts += cuts[::2].tolist()
        ends += cuts[1::2].tolist()
        names += [f"annotator {a}"] * units
        labels += [str(c) for c in rng.integers(1, 5, size=units)]
    return names, labels, starts, ends


def run(name: str, size: tuple[int, int, int], answer) -> None:
    from gammacp import Continuum
    from gammacp.measures.registry import MEASURES as registry  # noqa: N811

    continuum = Continuum.from_columns(*columns(*size), bounds=(0, size[1]))
    function = registry[name].function
    if name == "ser" or name.startswith("f1"):
        import scipy.sparse.csgraph  # noqa: F401 (imported at first use, not to be timed)
    start = time.process_time()
    score = function(continuum)
    seconds = time.process_time() - start
    answer.put((seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, score.value))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--units", type=int, default=10_000)
    parser.add_argument("--length", type=int, default=10_000_000)
    parser.add_argument("--annotators", type=int, default=3)
    arguments = parser.parse_args()
    size = (arguments.units, arguments.length, arguments.annotators)
    print(f"{arguments.annotators} x {arguments.units} units over {arguments.length} positions")
    print(f"{'measure':<16}{'CPU s':>8}{'peak MB':>9}{'value':>9}")
    context = multiprocessing.get_context("spawn")
    for name in MEASURES:
        answer = context.Queue()
        process = context.Process(target=run, args=(name, size, answer))
        process.start()
        seconds, peak, value = answer.get()
        process.join()
        print(f"{name:<16}{seconds:>8.3f}{peak:>9.0f}{value:>9.4f}")


if __name__ == "__main__":
    main()
