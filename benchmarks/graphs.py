"""Smatch of AMR-like graphs: time and proof, and what hill-climbing misses.

    python benchmarks/graphs.py                  # 1 000 pairs of 30 nodes, one a perturbed copy
    python benchmarks/graphs.py --change 0.4     # of which more is perturbed
    python benchmarks/graphs.py --unlike         # graphs that have nothing to do with each other
    python benchmarks/graphs.py --peer PYTHON    # one in which smatch is installed

A graph is a tree whose parents are among the six nodes before, with a re-entrancy for every ten
nodes and a constant for every fifteen; concepts and roles follow Zipf's law. A copy has each
concept and role drawn again and each node hung elsewhere with a probability, its children are in
another order and its variables have other names. The peer reads the same files.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from gammacp.trees.graphs.matching import best_matching
from gammacp.trees.graphs.penman import read_penman

ROLES = [
    *("ARG0", "ARG1", "ARG2", "mod", "op1", "op2", "time", "location", "poss", "manner", "ARG3"),
    *("topic", "purpose", "condition", "degree", "part", "source", "quant", "example", "cause"),
]
# Of the peer, which draws other starts in each run: matched triples of each pair, and seconds.
PEER = """
import sys, time, smatch
smatch.iteration_num = int(sys.argv[3]) + 1
began = time.process_time()
with open(sys.argv[1]) as a, open(sys.argv[2]) as b:
    for one, other in smatch.generate_amr_lines(a, b):
        print(smatch.get_amr_match(one, other)[0])
        smatch.match_triple_dict.clear()
print(time.process_time() - began)
"""


def zipf(rng: random.Random, n: int) -> int:
    return rng.choices(range(n), [1 / (k + 1) for k in range(n)])[0]


@dataclass
class Drawn:
    """A tree of nodes with parents and roles, further relations, and constants."""

    concepts: list[int]
    parents: list[int]
    roles: list[int]
    further: list[tuple[int, int, int]]
    constants: list[int]

    @staticmethod
    def draw(rng: random.Random, nodes: int, concepts: int, roles: int) -> Drawn:
        return Drawn(
            [zipf(rng, concepts) for _ in range(nodes)],
            [0, *(rng.randrange(max(0, k - 6), k) for k in range(1, nodes))],
            [zipf(rng, roles) for _ in range(nodes)],
            [
                (i, zipf(rng, roles), j)
                for i, j in (rng.sample(range(nodes), 2) for _ in range(nodes // 10))
            ],
            rng.sample(range(nodes), nodes // 15),
        )

    def perturbed(self, rng: random.Random, p: float, concepts: int, roles: int) -> Drawn:
        return Drawn(
            [zipf(rng, concepts) if rng.random() < p else c for c in self.concepts],
            [rng.randrange(k) if k and rng.random() < p else x for k, x in enumerate(self.parents)],
            [zipf(rng, roles) if rng.random() < p else r for r in self.roles],
            [t for t in self.further if rng.random() >= p],
            self.constants,
        )

    def penman(self, rng: random.Random) -> str:
        names = rng.sample(range(10 * len(self.parents)), len(self.parents))

        tree = {(p, self.roles[c], c) for c, p in enumerate(self.parents)}
        further = set(self.further) - tree  # what is said twice is one triple, but not to the peer

        def node(k: int) -> str:
            parts = [f":{ROLES[self.roles[c]]} {node(c)}" for c, p in enumerate(self.parents)
                     if c and p == k]  # fmt: skip
            parts += [f":{ROLES[r]} v{names[j]}" for i, r, j in further if i == k]
            parts += [":polarity -"] * (k in self.constants)
            rng.shuffle(parts)
            return f"(v{names[k]} / c{self.concepts[k]} {' '.join(parts)})"

        return node(0)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--nodes", type=int, default=30)
    parser.add_argument("--change", type=float, default=0.2)
    parser.add_argument("--concepts", type=int, default=3000)
    parser.add_argument("--roles", type=int, default=len(ROLES))
    parser.add_argument("--unlike", action="store_true")
    parser.add_argument("--time-limit", type=float, default=10)
    parser.add_argument("--peer", help="a Python in which smatch is installed")
    parser.add_argument("--restarts", type=int, default=4)
    chosen = parser.parse_args()
    rng, labels = random.Random(0), (chosen.concepts, chosen.roles)
    first = [Drawn.draw(rng, chosen.nodes, *labels) for _ in range(chosen.pairs)]
    second = [
        Drawn.draw(rng, chosen.nodes, *labels)
        if chosen.unlike
        else graph.perturbed(rng, chosen.change, *labels)
        for graph in first
    ]
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("a.amr", "b.amr")]
        for path, graphs in zip(paths, (first, second), strict=True):
            path.write_text("\n\n".join(g.penman(rng) for g in graphs) + "\n")
        pairs = list(zip(*(read_penman(path)[0] for path in paths), strict=True))
        began = time.process_time()
        options = {"time_limit": chosen.time_limit}
        matchings = [best_matching(a, b, **options) for a, b in pairs]
        seconds = time.process_time() - began
        triples = sum(a.n_triples + b.n_triples for a, b in pairs)
        matched, bound = sum(m.matched for m in matchings), sum(m.bound for m in matchings)
        proven = sum(m.matched == m.bound for m in matchings)
        print(f"{len(pairs)} pairs, {seconds:.1f} CPU s, proven {proven}, "
              f"F {2 * matched / triples:.4f}, at most {2 * bound / triples:.4f}")  # fmt: skip
        if chosen.peer:
            command = [chosen.peer, "-c", PEER, *map(str, paths), str(chosen.restarts)]
            run = subprocess.run(command, capture_output=True, text=True, check=True)
            *counts, spent = run.stdout.split()
            peer_counts = [int(c) for c in counts]
            missed = [m.matched - c for m, c in zip(matchings, peer_counts, strict=True)]
            print(f"smatch, {chosen.restarts} restarts: {float(spent):.1f} CPU s, "
                  f"F {2 * sum(peer_counts) / triples:.4f}, fewer triples in "
                  f"{sum(m > 0 for m in missed)} pairs, up to {max(missed)}, "
                  f"more in {sum(m < 0 for m in missed)}")  # fmt: skip


if __name__ == "__main__":
    main()
