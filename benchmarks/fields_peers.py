"""Tables of four fields beside the fields' own scorers: python benchmarks/fields_peers.py PART ….

Each PART needs what its field uses, in an environment of its own:

    python benchmarks/fields_peers.py ud conll18_ud_eval.py gold.conllu …
    python benchmarks/fields_peers.py shapes PYTHON [boxes.csv]
    python benchmarks/fields_peers.py rhetoric PYTHON
    python benchmarks/fields_peers.py corefud PYTHON [text.conllu …]

PYTHON is that of an environment with pycocotools 2.0 (shapes), or with nltk and the repository
irit-melodi/educe on its PYTHONPATH (rhetoric: the scorer of Morey et al. 2017), or with udapi and
ufal/corefud-scorer on its PYTHONPATH (corefud).

Each field has a file `fields_PART.py`. Real files are changed at random as annotators differ
(`--variants` of each), both programs measure the same two files, and
`results/benchmarks/fields_peers.csv` has a row per score: how many values were compared, how many
differ by more than 1e-9, and the largest difference.
"""

from __future__ import annotations

import argparse
import csv
import math
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from fields_corefud import corefud_values
from fields_rhetoric import rhetoric_values
from fields_shapes import shape_values
from fields_ud import ud_values

TABLE = Path(__file__).parent.parent / "results" / "benchmarks" / "fields_peers.csv"
TOLERANCE = 1e-9
# A part yields for each pair of annotators the name of a score, the peer's value and ours.
PARTS: dict[str, Callable[[argparse.Namespace, Path], Iterator[tuple[str, float, float]]]] = {
    "ud": ud_values,
    "shapes": shape_values,
    "rhetoric": rhetoric_values,
    "corefud": corefud_values,
}


def main() -> None:
    """Compare one part, print its rows and put them into the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("scorer", type=Path, help="the field's program, or its Python")
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--variants", type=int, default=3)
    arguments = parser.parse_args()
    compared: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, peer_value, ours in PARTS[arguments.part](arguments, Path(folder)):
            same = math.isnan(peer_value) and math.isnan(ours)
            apart = 0.0 if same else abs(peer_value - ours)
            compared.setdefault(name, []).append(math.inf if math.isnan(apart) else apart)
    rows = [
        [arguments.part, name, len(apart), sum(x > TOLERANCE for x in apart), f"{max(apart):.2g}"]
        for name, apart in compared.items()
    ]
    for row in rows:
        print(*row)
    others = []
    if TABLE.exists():
        with TABLE.open(encoding="utf-8", newline="") as table:
            others = [row for row in csv.reader(table) if row[0] not in ("part", arguments.part)]
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    with TABLE.open("w", encoding="utf-8", newline="") as table:
        header = ["part", "score", "compared", "different", "largest"]
        writer = csv.writer(table, lineterminator="\n")
        writer.writerows([header, *sorted(others + rows, key=lambda row: row[0])])


if __name__ == "__main__":
    main()
