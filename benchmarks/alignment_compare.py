"""Two trees side by side: python benchmarks/alignment_compare.py BASE [NEW] [--repeats N] [CASE …].

BASE and NEW (default: this one) are checkouts. One process each is fed the same continua in turn,
so that both have the same machine; CPU seconds of the best alignment, the median of all repeats
after a warm-up, and their ratio NEW / BASE. CASE as in alignment_case. Both must find the same
disorder.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

CASES = ["3by100", "2by1000", "2x5000:1:observed", "3x500:1:observed", "5x100:1:observed"]
CASES += ["10x30:1:observed", "10x30:1:random", "3x10000:1:jittered", "20x30:1:observed"]
QUICK = 0.3


def serve() -> None:
    """Read a file's name per line, align what it holds, print seconds and disorder."""
    from gammacp import Combined, Continuum
    from gammacp.alignment import best_disorder
    from gammacp.dissimilarity import bind

    for line in sys.stdin:
        c = Continuum.from_codes(*pickle.loads(Path(line.strip()).read_bytes()))
        bound = bind(Combined(), c)
        seconds = []
        while not seconds or (sum(seconds) < QUICK and len(seconds) < 50):
            start = time.process_time()
            alignment = best_disorder(c, bound)
            seconds.append(time.process_time() - start)
        print(
            json.dumps([statistics.median(seconds), alignment.disorder, alignment.status]),
            flush=True,
        )


class Tree:
    """A checkout's process."""

    def __init__(self, path: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": path},
        )
        self.seconds: list[float] = []

    def ask(self, file: Path) -> tuple[float, float, str]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{file}\n")
        self.process.stdin.flush()
        seconds, disorder, status = json.loads(self.process.stdout.readline())
        return float(seconds), float(disorder), str(status)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base")
    parser.add_argument("new", nargs="?", default=str(Path(__file__).parents[1]))
    parser.add_argument("--cases", nargs="*", default=CASES)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    from alignment_case import instance

    trees = [Tree(options.base), Tree(options.new)]
    print("case,base,new,ratio,status")
    with tempfile.TemporaryDirectory() as folder:
        for case in options.cases:
            c = instance(case)
            parts = (c.annotators, c.categories, c.starts, c.ends, c.annotator_codes)
            file = Path(folder) / "case"
            file.write_bytes(pickle.dumps((*parts, c.category_codes)))
            seconds: list[list[float]] = [[], []]
            for repeat in range(options.repeats + 1):
                answers = [tree.ask(file) for tree in trees]
                assert np.isclose(answers[0][1], answers[1][1], rtol=0, atol=1e-9), (case, answers)
                for mine, (spent, _, _) in zip(seconds, answers, strict=True):
                    mine += [spent] if repeat else []
            a, b = (statistics.median(mine) for mine in seconds)
            print(f"{case},{a:.3g},{b:.3g},{b / a:.2f},{answers[1][2]}", flush=True)


if __name__ == "__main__":
    serve() if "--serve" in sys.argv else main()
