"""Tables of four fields beside the fields' own scorers: python benchmarks/fields_peers.py PART ….

Each PART needs what its field uses, in an environment of its own:

    python benchmarks/fields_peers.py ud conll18_ud_eval.py gold.conllu …
    python benchmarks/fields_peers.py shapes PYTHON [boxes.csv]

    python benchmarks/fields_peers.py rhetoric PYTHON
    python benchmarks/fields_peers.py corefud PYTHON [text.conllu …]

PYTHON is that of an environment with pycocotools 2.0 (shapes), or with nltk and the repository
irit-melodi/educe on its PYTHONPATH (rhetoric: the scorer of Morey et al. 2017), or with udapi and
ufal/corefud-scorer on its PYTHONPATH (corefud).


Real files are changed at random as annotators differ (`--variants` of each), both programs measure
the same two files, and `results/benchmarks/fields_peers.csv` has a row per score: how many values
were compared, how many differ by more than 1e-9, and the largest difference.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import json
import math
import random
import re
import subprocess
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


# Runs in the peer's environment: run lengths of masks, and the IoU of all pairs of shapes.
COCO = """
import json, sys
import numpy as np
from pycocotools import mask as api
made = []
for case in json.load(sys.stdin):
    sides = []
    for side in case:
        if side["kind"] == "box":
            sides.append(np.array(side["boxes"], np.float64).reshape(-1, 4))
            continue
        rows = [np.asfortranarray(np.array(rows, np.uint8)) for rows in side["pixels"]]
        sides.append([api.encode(row) for row in rows])
    left, right = sides
    found = api.iou(left, right, [0] * len(right))
    strings = [[one["counts"].decode() for one in side] if isinstance(side, list) else []
               for side in sides]
    made.append({"iou": np.asarray(found).tolist(), "strings": strings})
json.dump(made, sys.stdout)
"""


def random_masks(rng: random.Random, height: int, width: int) -> list[list[list[int]]]:
    """Return masks of boxes and noise, with holes."""
    found = []
    for _ in range(rng.randrange(1, 4)):
        rows = [[0] * width for _ in range(height)]
        for _ in range(rng.randrange(1, 4)):
            x, y = rng.randrange(width), rng.randrange(height)
            filled = int(rng.random() < 0.8)
            for row in rows[y : y + rng.randrange(2, height)]:
                low, high = x, min(width, x + rng.randrange(3, width))
                row[low:high] = [filled] * (high - low)
        if rng.random() < 0.3:
            rows = [[cell ^ (rng.random() < 0.05) for cell in row] for row in rows]
        rows[rng.randrange(height)][rng.randrange(width)] = 1
        found.append(rows)
    return found


def box_cases(path: Path) -> list[list[dict[str, Any]]]:
    """Return the boxes of each image by its first two annotators, as x, y, width and height."""
    import gammacp as gc

    cases = []
    for document in gc.read_corpus(path).values():
        sides = []
        for annotator in document.annotators[:2]:
            units = [unit for unit in document if unit.annotator == annotator]
            boxes = [
                [u.start, low, u.end - u.start, high - low]
                for u in units
                if u.shape is not None
                for low, high in u.shape.extents
            ]
            sides.append({"kind": "box", "boxes": boxes})
        if len(sides) == 2 and all(side["boxes"] for side in sides):
            cases.append(sides)
    return cases


def coco_document(case: list[dict[str, Any]], strings: list[list[str]]) -> dict[str, Any]:
    """Return the JSON of one image with the shapes of two annotators."""
    annotations = []
    for who, side, masks in zip(("ann", "bob"), case, strings, strict=True):
        for box in side.get("boxes", []):
            annotations.append({"rater": who, "bbox": box})
        for counts in masks:
            size = [len(side["pixels"][0]), len(side["pixels"][0][0])]
            segmentation = {"size": size, "counts": counts}
            annotations.append({"rater": who, "bbox": [0, 0, 1, 1], "segmentation": segmentation})
    for number, one in enumerate(annotations):
        one |= {"id": number, "image_id": 1, "category_id": 1}
    return {
        "images": [{"id": 1, "file_name": "a.png"}],
        "categories": [{"id": 1, "name": "thing"}],
        "annotations": annotations,
    }


def matched_scores(iou: list[list[float]]) -> dict[str, float]:
    """Return F₁ at .5, mean IoU and mean Dice of the best matching, from the peer's IoU."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    table = np.array(iou)
    gains = np.where(table >= 0.5, table + min(table.shape), 0.0)
    found = table[linear_sum_assignment(gains, maximize=True)]
    found = found[found >= 0.5]
    return {
        "f1-iou": 2 * len(found) / sum(table.shape),
        "mean-iou": float(found.mean()) if len(found) else math.nan,
        "mean-dice": float((2 * found / (1 + found)).mean()) if len(found) else math.nan,
    }


def shape_values(arguments: argparse.Namespace, folder: Path) -> Values:
    """Yield F₁, mean IoU and mean Dice of boxes and masks beside pycocotools' IoU."""
    import gammacp as gc

    rng = random.Random(0)
    cases: list[list[dict[str, Any]]] = []
    for _ in range(100 * arguments.variants):
        size = rng.randrange(4, 30), rng.randrange(4, 30)
        cases.append([{"kind": "mask", "pixels": random_masks(rng, *size)} for _ in range(2)])
    for path in arguments.files:
        cases += box_cases(path)
    program = [str(arguments.scorer), "-c", COCO]
    said = subprocess.run(
        program, input=json.dumps(cases), capture_output=True, check=True, text=True
    )
    for number, (case, peer) in enumerate(zip(cases, json.loads(said.stdout), strict=True)):
        file = folder / f"{number}.json"
        file.write_text(json.dumps(coco_document(case, peer["strings"])), encoding="utf-8")
        (document,) = gc.read_corpus(file).values()
        ours = gc.measure(document, ["f1-iou", "mean-iou", "mean-dice"])
        for name, value in matched_scores(peer["iou"]).items():
            yield f"{name} of {case[0]['kind']}", value, ours[name].value


# Runs in the peer's environment: P, R and F₁ of pairs of trees, made binary by educe itself.
EDUCE = """
import itertools, json, sys
itertools.izip = zip
from educe.metrics.parseval import parseval_scores
from educe.rst_dt.annotation import SimpleRSTTree, _binarize
from educe.rst_dt.metrics.rst_parseval import LBL_FNS
from educe.rst_dt.parse import parse_rst_dt_tree
made = []
for pairs in json.load(sys.stdin):
    trees = [[parse_rst_dt_tree(text) for text in side] for side in zip(*pairs)]
    plain = [[_binarize(tree) for tree in side] for side in trees]
    simple = [[SimpleRSTTree.from_rst_tree(tree) for tree in side] for side in trees]
    row = {}
    for name, label in LBL_FNS[:4]:
        for variant, sides, how in (
            ("rst", plain, {"exclude_root": True}),
            ("original", simple, {"subtree_filter": lambda t: t.height() > 2}),
        ):
            found = parseval_scores(*sides, lbl_fn=label, average="micro", **how)
            row[variant + " " + name] = [float(x) for x in found[:3]]
    made.append(row)
json.dump(made, sys.stdout)
"""
LEVEL_OF = {"S": "span", "N": "nuclearity", "R": "relation", "F": "full"}
# A node is a number of a segment, or its children, each with nuclearity and relation.
Discourse: TypeAlias = Any


def random_tree(rng: random.Random, first: int, last: int, *, binary: bool = False) -> Discourse:
    """Return a tree over segments as RST-DT has them: NS, SN, SNS or several nuclei.

    Below the first two children of SNS all is binary, since educe does not make it so.
    """
    if first == last:
        return first
    size = last - first + 1
    parts = rng.choice([2, 2, 2, 3, 4]) if size > 3 and not binary else 2
    cuts = sorted(rng.sample(range(first + 1, last + 1), parts - 1))
    edges = list(zip([first, *cuts], [*(c - 1 for c in cuts), last], strict=True))
    relation = rng.choice(["joint", "list"])
    codes = {2: ["NS", "SN", "NN"], 3: ["SNS", "NNN"], 4: ["NNNN"]}[parts]
    children = []
    code = rng.choice(codes)
    for letter, edge in zip(code, edges, strict=True):
        label = relation
        if letter == "S":
            label = rng.choice(["elaboration", "cause", "contrast"])
        only = binary or (code == "SNS" and edge != edges[2])
        children.append((letter, label, random_tree(rng, *edge, binary=only)))
    return children


def other_tree(rng: random.Random, node: Discourse, *, binary: bool = False) -> Discourse:
    """Return the tree of another annotator: some labels, and some subtrees, are others."""
    if isinstance(node, int):
        return node
    if rng.random() < 0.15:
        return random_tree(rng, *ends_of(node), binary=binary)
    code = "".join(letter for letter, _, _ in node)
    children = []
    for letter, relation, child in node:
        if letter == "S" and rng.random() < 0.2:
            relation = "evidence"
        only = binary or (code == "SNS" and child is not node[2][2])
        children.append((letter, relation, other_tree(rng, child, binary=only)))
    return children


def ends_of(node: Discourse) -> tuple[int, int]:
    """Return the first and the last segment below a node."""
    if isinstance(node, int):
        return node, node
    return ends_of(node[0][2])[0], ends_of(node[-1][2])[1]


def as_dis(node: Discourse, head: str = "Root", relation: str = "") -> str:
    """Return a tree as RST-DT writes it."""
    first, last = ends_of(node)
    if isinstance(node, int):
        return f"( {head} (leaf {first}) {relation} (text _!w{first}_!) )\n"
    several = sum(letter == "N" for letter, _, _ in node) > 1
    inside = []
    for letter, name, child in node:
        shown = name if letter == "S" or several else "span"
        kind = {"N": "Nucleus", "S": "Satellite"}[letter]
        inside.append(as_dis(child, kind, f"(rel2par {shown})"))
    return f"( {head} (span {first} {last}) {relation} {' '.join(inside)} )"


def as_rs3(tree: Discourse) -> str:
    """Return a tree as RSTTool writes it."""
    segments: dict[int, str] = {}
    groups: list[str] = []

    def place(node: Discourse, above: str) -> str:
        """Write a node below another, and return its id."""
        if isinstance(node, int):
            segments[node] = f'<segment id="{node}"{above}>w{node}</segment>'
            return str(node)
        name = str(1000 + len(groups))
        several = sum(letter == "N" for letter, _, _ in node) > 1
        groups.append(f'<group id="{name}" type="{"multinuc" if several else "span"}"{above}/>')
        nucleus = ""
        for letter, relation, child in node:
            if letter == "N":
                shown = relation if several else "span"
                nucleus = place(child, f' parent="{name}" relname="{shown}"')
        for letter, relation, child in node:
            if letter == "S":
                place(child, f' parent="{nucleus}" relname="{relation}"')
        return name

    place(tree, "")
    both = [*(segments[k] for k in sorted(segments)), *groups]
    names = dict.fromkeys(("elaboration", "cause", "contrast", "evidence"), "rst")
    names |= {"joint": "multinuc", "list": "multinuc"}
    kinds = "".join(f'<rel name="{name}" type="{kind}"/>' for name, kind in names.items())
    return f"<rst><header><relations>{kinds}</relations></header><body>{''.join(both)}</body></rst>"


def rhetoric_values(arguments: argparse.Namespace, folder: Path) -> Values:
    """Yield Parseval of random trees in rs3 beside educe's of the same trees in RST-DT's format."""
    import gammacp as gc
    from gammacp.links.collecting import collecting
    from gammacp.links.measures.parseval import parseval

    rng = random.Random(0)
    corpora = []
    for number in range(10 * arguments.variants):
        pairs = []
        with collecting() as collected:
            for document in range(5):
                tree = random_tree(rng, 1, rng.randrange(2, 25))
                both = {"ann": tree, "bob": other_tree(rng, tree)}
                pairs.append([as_dis(one) for one in both.values()])
                for who, one in both.items():
                    file = folder / str(number) / who / f"{document}.rs3"
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(as_rs3(one), encoding="utf-8")
            gc.read_corpus(folder / str(number))
        corpora.append((pairs, parseval(collected["rhetoric"])))
    said = subprocess.run(
        [str(arguments.scorer), "-c", EDUCE],
        input=json.dumps([pairs for pairs, _ in corpora]),
        capture_output=True,
        check=True,
        text=True,
    )
    for (_, ours), theirs in zip(corpora, json.loads(said.stdout), strict=True):
        rows = {row["variant"]: row for row in ours}
        for name, (precision, recall, f1) in theirs.items():
            variant, level = name.split()
            own = rows[variant][LEVEL_OF[level]]
            label = f"{variant} {LEVEL_OF[level]}"
            yield f"{label} precision", precision, own["precision"]
            yield f"{label} recall", recall, own["recall"]
            yield f"{label} F₁", f1, own["f1"]


# Runs in the peer's environment: R, P and F₁ of files, mentions matched in three ways.
COREFUD = """
import json, logging, sys
logging.disable(logging.CRITICAL)
from scorer.corefud.reader import CorefUDReader
from scorer.eval import evaluator as e
metrics = {"muc": e.muc, "b-cubed": e.b_cubed, "ceaf-m": e.ceafm, "ceaf-e": e.ceafe,
           "blanc": [e.blancc, e.blancn], "lea": e.lea, "mor": e.mention_overlap,
           "zeros": e.als_zeros}
made = []
for key, response in json.load(sys.stdin):
    for match in ("head", "partial", "exact"):
        for singletons in (False, True):
            reader = CorefUDReader(
                keep_singletons=singletons, keep_zeros=True, zero_match_method="dependent",
                match="partial-corefud" if match == "partial" else match)
            reader.get_coref_infos(key, response)
            row = {name: [float(x) for x in e.evaluate_documents(reader.doc_coref_infos, metric)]
                   for name, metric in metrics.items()}
            made.append([match, singletons, row])
json.dump(made, sys.stdout)
"""


class RandomChains:
    """A text with chains, heads and zeros, and another annotator's version of it."""

    def __init__(self, rng: random.Random) -> None:
        """Draw words, empty nodes and mentions."""
        self.rng = rng
        self.lengths = [rng.randrange(3, 10) for _ in range(rng.randrange(2, 7))]
        self.zeros = {s: self.zeros_of(n) for s, n in enumerate(self.lengths)}
        # Of each mention the entity, sentence, first and last node, and place of the head.
        self.mentions: dict[tuple[int, int, int], tuple[int, int]] = {}
        for sentence in range(len(self.lengths)):
            for _ in range(rng.randrange(4)):
                self.add(sentence)
        self.add_zeros()

    def zeros_of(self, length: int) -> list[tuple[int, str]]:
        """Return empty nodes of a sentence: behind which word, and their dependency."""
        return [
            (self.rng.randrange(1, length + 1), edge)
            for edge in ("1:nsubj", "1:obj", "2:nsubj")
            if self.rng.random() < 0.25
        ]

    def nodes(self, sentence: int) -> list[tuple[str, str]]:
        """Return the IDs of a sentence's nodes with their dependencies."""
        found = []
        for word in range(1, self.lengths[sentence] + 1):
            found.append((str(word), "0:root"))
            behind = [edge for at, edge in self.zeros[sentence] if at == word]
            found += [(f"{word}.{k}", edge) for k, edge in enumerate(behind, start=1)]
        return found

    def add(self, sentence: int) -> None:
        """Add a mention that nests with the others."""
        size = len(self.nodes(sentence))
        first = self.rng.randrange(size)
        last = min(size - 1, first + self.rng.randrange(4))
        others = [m for m in self.mentions if m[0] == sentence]
        crossing = any(a < first <= b < last or first < a <= last < b for _, a, b in others)
        if not crossing:
            entity = self.rng.randrange(5)
            head = self.rng.randrange(last - first + 1)
            self.mentions[sentence, first, last] = entity, head

    def add_zeros(self) -> None:
        """Make a mention of each empty node."""
        for sentence in range(len(self.lengths)):
            for place, (number, _) in enumerate(self.nodes(sentence)):
                if "." in number:
                    self.mentions.setdefault((sentence, place, place), (self.rng.randrange(5), 0))

    def change(self) -> None:
        """Turn into another annotator's version: entities, heads and mentions are others."""
        for place, (entity, head) in list(self.mentions.items()):
            draw = self.rng.random()
            if draw < 0.15:
                del self.mentions[place]
            elif draw < 0.3:
                self.mentions[place] = self.rng.randrange(5), head
            elif draw < 0.45:
                self.mentions[place] = entity, self.rng.randrange(place[2] - place[1] + 1)
        for sentence in range(len(self.lengths)):
            if self.rng.random() < 0.5:
                self.add(sentence)

    def text(self) -> str:
        """Return the file."""
        lines = ["# newdoc id = d", "# global.Entity = eid-etype-head-other"]
        for sentence in range(len(self.lengths)):
            lines.append(f"# sent_id = {sentence + 1}")
            own = [(a, b, m) for (s, a, b), m in self.mentions.items() if s == sentence]
            for place, (number, edge) in enumerate(self.nodes(sentence)):
                marks = [f"e{m[0]})" for a, b, m in sorted(own, reverse=True) if a < b == place]
                for a, b, (entity, head) in sorted(own, key=lambda one: (one[0], -one[1])):
                    if a == place:
                        end = ")" if b == a else ""
                        marks.append(f"(e{entity}-x-{head + 1}-{end}")
                misc = "Entity=" + "".join(marks) if marks else "_"
                head_cell = "_" if "." in number else "0"
                cells = [number, "w", "_", "_", "_", "_", head_cell, "_", edge, misc]
                lines.append("\t".join(cells))
            lines.append("")
        return "\n".join(lines) + "\n"


def changed_entities(text: str, rng: random.Random) -> str:
    """Return a real file with some mentions of one word left out or of another entity."""
    entities = re.findall(r"Entity=\((\w+)-", text)

    def change(mark: re.Match[str]) -> str:
        """Change one mention."""
        draw = rng.random()
        if draw < 0.1:
            return ""
        if draw < 0.25:
            return f"({rng.choice(entities)}-{mark[2]})"
        return mark[0]

    changed = re.sub(r"\((\w+)-([^()|\s]*)\)", change, text)
    return re.sub(r"Entity=(?=[|\n])", "Empty=Yes", changed)


def corefud_files(arguments: argparse.Namespace, folder: Path) -> Iterator[tuple[Path, Path]]:
    """Yield files of two annotators."""
    texts: list[tuple[str, str]] = []
    for number in range(50 * arguments.variants):
        chains = RandomChains(random.Random(number))
        first = chains.text()
        chains.change()
        texts.append((first, chains.text()))
    for path in arguments.files:
        whole = path.read_text(encoding="utf-8")
        for variant in range(arguments.variants):
            rng = random.Random(variant)
            texts.append((whole, changed_entities(whole, rng)))
    for number, both in enumerate(texts):
        made = []
        for who, text in zip(("key", "response"), both, strict=True):
            made.append(folder / str(number) / who / "d.conllu")
            made[-1].parent.mkdir(parents=True)
            made[-1].write_text(text, encoding="utf-8")
        yield made[0], made[1]


def corefud_values(arguments: argparse.Namespace, folder: Path) -> Values:
    """Yield the scores of CorefUD beside corefud-scorer's."""
    import gammacp as gc
    from gammacp.links.collecting import collecting
    from gammacp.links.measures.corefud import corefud_scores

    pairs = list(corefud_files(arguments, folder))
    said = subprocess.run(
        [str(arguments.scorer), "-c", COREFUD],
        input=json.dumps([[str(path) for path in pair] for pair in pairs]),
        capture_output=True,
        check=True,
        text=True,
    )
    theirs = iter(json.loads(said.stdout))
    for key, _ in pairs:
        with collecting() as collected:
            gc.read_corpus(key.parent.parent)
        for _ in range(6):
            match, singletons, row = next(theirs)
            (ours,) = corefud_scores(collected["coreference"], match=match, singletons=singletons)
            if ours["twice"]:
                continue
            for name, values in row.items():
                own = [ours[name][rate] for rate in ("recall", "precision", "f1")]
                for value, mine in zip(values, own, strict=True):
                    yield f"{match} {name}", value, mine


PARTS: dict[str, Callable[[argparse.Namespace, Path], Values]] = {
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
