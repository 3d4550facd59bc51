"""Scores of UD trees beside conll18_ud_eval.py, on sentences changed at random (`fields_peers`)."""

from __future__ import annotations

import argparse
import importlib.util
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

# For each pair of annotators the name of a score, the peer's value and ours.
Values: TypeAlias = Iterator[tuple[str, float, float]]


def module_of(path: Path) -> Any:
    """Return a single-file program as a module."""
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
    """Return another annotator's possible version of sentences, with the same characters."""
    sentences: list[Block] = []
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
                # Taking the head of the head cannot make a cycle, which the peer would refuse.
                above = next(word for word in words if word[0] == row[6])
                if above[6] != "0":
                    row[6] = above[6]
            elif draw < 0.28 and row[6] != "0":
                row[7] = rng.choice(["obj", "nmod", "case", "aux", "obl"])
        if len(words) == len(rows) and len(words) > 3 and rng.random() < 0.2:
            rows = with_token(rows, rng.randrange(len(rows) - 1))
        if sentences and rng.random() < 0.15:
            sentences[-1] = as_one(sentences[-1], rows)
        else:
            sentences.append(rows)
    return sentences


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
            # gammacp does not compare a missing lemma; the peer matches it with any lemma.
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
            peer_scores = peer.evaluate(*(peer.load_conllu_file(str(file)) for file in files))
            ours = ud_scores(read_treebank(here, labels="universal").treebank)
            for name, key in UD.items():
                yield name, peer_scores[name].f1, ours[key]
