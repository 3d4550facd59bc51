"""2011, Table 3: agreement recomputed from the printed entropies, and the text's figures."""

from __future__ import annotations

import math
from pathlib import Path

from experiments._common import write_csv
from gammacp.problems.entropy import agreement

# Text, annotators, e_obs, e_random1, a1, e_random2, a2 as printed; the texts are not available.
PRINTED = (
    ("31", 3, 3.44, 3.76, 0.09, 3.48, 0.01),
    ("121", 3, 3.20, 3.76, 0.15, 3.48, 0.08),
    ("20", 4, 2.81, 3.72, 0.24, 3.34, 0.16),
    ("14", 3, 2.79, 3.76, 0.25, 3.48, 0.20),
    ("1", 3, 2.67, 3.76, 0.29, 3.48, 0.23),
    ("13", 3, 2.37, 3.76, 0.36, 3.48, 0.32),
    ("6", 3, 2.18, 3.76, 0.42, 3.48, 0.37),
)
MOST = 4.0


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Eq. 7 on each row; random1 and random2 as distances from the most, 4."""
    del quick, data
    rows = []
    for text, n, observed, random1, printed1, random2, printed2 in PRINTED:
        a1, a2 = agreement(observed, random1), agreement(observed, random2)
        rows.append(
            {
                "text": f"text {text}",
                "annotators": n,
                "entropy": observed,
                "a1": a1,
                "a1_printed": printed1,
                "a2": a2,
                "a2_printed": printed2,
                "rounds_as_printed": str(
                    abs(a1 - printed1) <= 0.005 and abs(a2 - printed2) <= 0.005
                ).lower(),
            }
        )
    write_csv(out / "table3.csv", rows)
    order = [str(r["text"]) for r in sorted(rows, key=lambda r: float(str(r["a1"])))]
    same = order == [str(r["text"]) for r in sorted(rows, key=lambda r: float(str(r["a2"])))]
    # §5.3: random2 has 3.48 instead of 3.67 of at most 4.
    write_csv(
        out / "text.csv",
        [
            {"quantity": "order by a1 and by a2", "value": "same" if same else "different"},
            {"quantity": "(4 − 3.48) / (4 − 3.67) − 1", "value": (MOST - 3.48) / (MOST - 3.67) - 1},
            {
                "quantity": "mean e_random1 of the 3-annotator texts",
                "value": sum(r[3] for r in PRINTED if r[1] == 3) / 6,
            },
            {"quantity": "p with the entropy of text 6", "value": _omission(2.18)},
        ],
    )


def _omission(entropy: float) -> float:
    """Return p at which two copies that omit each unit with probability p have that entropy.

    Nobody misses it: 0; one of two: ⅔·Δ; both: Δ. So e = Δ·(4p − p²)/3.
    """
    return 2 - math.sqrt(4 - 3 * entropy / MOST)
