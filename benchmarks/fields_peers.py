"""Tables of four fields beside the fields' own scorers: python benchmarks/fields_peers.py PART ….

Each PART needs what its field uses, in an environment of its own:

    python benchmarks/fields_peers.py ud conll18_ud_eval.py gold.conllu …

Real files are changed at random as annotators differ (`--variants` of each), both programs measure
the same two files, and `results/benchmarks/fields_peers.csv` has a row per score: how many values
were compared, how many differ by more than 1e-9, and the largest difference.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import math
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

TABLE = Path(__file__).parent.parent / "results" / "benchmarks" / "fields_peers.csv"
TOLERANCE = 1e-9
# A part yields for each pair of annotators the name of a score, the peer's value and ours.
Values: TypeAlias = Iterator[tuple[str, float, float]]


def module_of(path: Path) -> Any:
    """Return a program of one file as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


UD = {
    "Tokens": "tokens",
    "Sentences": "sentences",
    "Words": "words",
    "UPOS": "upos",
    "XPOS": "xpos",
    "UFeats": "features",
    "AllTags": "alltags",
    "Lemmas": "lemma",
    "UAS": "uas",
    "LAS": "las",
    "CLAS": "clas",
    "MLAS": "mlas",
    "BLEX": "blex",
}
Block: TypeAlias = list[list[str]]


def changed_sentences(blocks: list[Block], rng: random.Random) -> list[Block]:
    """Return sentences as another annotator might have them, with the same characters."""
    made: list[Block] = []
    for block in blocks:
        rows = [[*row] for row in block]
        words = [row for row in rows if row[0].isdigit()]
        for row in words:
            draw = rng.random()
            other = rng.choice(words)
            if draw < 0.04:
                row[3] = other[3]
            elif draw < 0.08:
                row[4] = other[4]
            elif draw < 0.12:
                row[5] = other[5]
            elif draw < 0.16:
                row[2] = other[2]
            elif draw < 0.22 and row[6] != "0":
                # The head of the head makes no cycle, which the peer would refuse.
                above = next(word for word in words if word[0] == row[6])
                if above[6] != "0":
                    row[6] = above[6]
            elif draw < 0.28 and row[6] != "0":
                row[7] = rng.choice(["obj", "nmod", "case", "aux", "obl"])
        if len(words) == len(rows) and len(words) > 3 and rng.random() < 0.2:
            rows = with_token(rows, rng.randrange(len(rows) - 1))
        if made and rng.random() < 0.15:
            made[-1] = as_one(made[-1], rows)
        else:
            made.append(rows)
    return made


def with_token(rows: Block, at: int) -> Block:
    """Return a sentence in which two words are one token."""
    first, second = rows[at], rows[at + 1]
    ids = f"{first[0]}-{second[0]}"
    return [*rows[:at], [ids, first[1] + second[1], *["_"] * 8], *rows[at:]]


def as_one(first: Block, second: Block) -> Block:
    """Return two sentences as one, the second's root below the first's."""
    words = [row for row in first if row[0].isdigit()]
    root = next(row[0] for row in words if row[6] == "0")
    moved = []
    for row in second:
        ids = "-".join(str(int(part) + len(words)) for part in row[0].split("-"))
        head, relation = row[6], row[7]
        if head == "0":
            head, relation = root, "parataxis"
        elif head != "_":
            head = str(int(head) + len(words))
        moved.append([ids, *row[1:6], head, relation, *row[8:]])
    return [*first, *moved]


def read_blocks(path: Path) -> list[Block]:
    """Return the sentences of a CoNLL-U file, without empty nodes and enhanced graphs."""
    blocks: list[Block] = []
    for text in path.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in text.splitlines() if line[:1] not in ("#", "")]
        rows = [[*row[:8], "_", "_"] for row in rows if "." not in row[0]]
        for row in rows:
            # Ours does not compare a lemma that is not given; the peer matches it with any.
            if row[2] == "_":
                row[2] = row[1].strip("_") or "underscore"
        if rows:
            blocks.append(rows)
    return blocks


def write_blocks(path: Path, blocks: list[Block]) -> None:
    """Write sentences as CoNLL-U."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join("".join("\t".join(row) + "\n" for row in block) + "\n" for block in blocks)
    path.write_text(text, encoding="utf-8")


def ud_values(arguments: argparse.Namespace, folder: Path) -> Values:
    """Yield F₁ of Universal Dependencies beside the script of the CoNLL 2018 shared task."""
    from gammacp.trees.treebank import read_treebank
    from gammacp.trees.universal import ud_scores

    peer = module_of(arguments.scorer)
    for path in arguments.files:
        whole = read_blocks(path)
        for variant in range(arguments.variants):
            rng = random.Random(f"{path.name} {variant}")
            start = rng.randrange(max(1, len(whole) - 200))
            gold = whole[start : start + 200]
            here = folder / f"{path.stem}-{variant}"
            files = [here / who / "d.conllu" for who in ("gold", "other")]
            write_blocks(files[0], gold)
            write_blocks(files[1], changed_sentences(gold, rng))
            theirs = peer.evaluate(*(peer.load_conllu_file(str(file)) for file in files))
            ours = ud_scores(read_treebank(here, labels="universal").treebank)
            for name, key in UD.items():
                yield name, theirs[name].f1, ours[key]


PARTS: dict[str, Callable[[argparse.Namespace, Path], Values]] = {"ud": ud_values}


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
        for name, theirs, ours in PARTS[arguments.part](arguments, Path(folder)):
            same = math.isnan(theirs) and math.isnan(ours)
            apart = 0.0 if same else abs(theirs - ours)
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
