"""One multi-matching with pylibmgm, in a process of its own: python THIS FILE [SYNC.dd].

Prints the best objective of three runs (search `EXHAUSTIVE`) and its CPU seconds. With SYNC.dd,
FILE is a quadratic problem: each two graphs are matched by themselves, and what is solved, and
written there, is the problem of making these matchings consistent (permutation synchronisation),
which is linear: −1 for each assignment that was chosen, 0 for the others.
"""

import json
import logging
import sys
import time
from pathlib import Path

import pylibmgm
from pylibmgm import io, solver


def main() -> None:
    logging.disable(logging.CRITICAL)
    model = io.parse_dd_file(sys.argv[1])
    if len(sys.argv) > 2:
        alone = solver.solve_mgm_pairwise(model)
        model = pylibmgm.build_sync_problem(model, alone, True)
        io.export_dd_file(str(Path(sys.argv[2]).resolve()), model)
    start, best = time.process_time(), float("inf")
    for _ in range(3):
        best = min(best, solver.solve_mgm(model, solver.OptimizationLevel.EXHAUSTIVE).evaluate())
    print(json.dumps({"objective": best, "cpu": time.process_time() - start}))


if __name__ == "__main__":
    main()
