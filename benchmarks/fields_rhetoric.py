"""Parseval of random rhetorical trees beside educe (`fields_peers`)."""

from __future__ import annotations

import argparse
import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

# For each pair of annotators the name of a score, the peer's value and ours.
Values: TypeAlias = Iterator[tuple[str, float, float]]


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
    """Return a tree over segments with the nodes of RST-DT: NS, SN, SNS or several nuclei.

    Below the first two children of SNS, all nodes are binary, as educe does not binarise them.
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
    """Return a tree in the format of RST-DT."""
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
    """Return a tree in the format of RSTTool."""
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
    process = subprocess.run(
        [str(arguments.scorer), "-c", EDUCE],
        input=json.dumps([pairs for pairs, _ in corpora]),
        capture_output=True,
        check=True,
        text=True,
    )
    for (_, ours), peer_values in zip(corpora, json.loads(process.stdout), strict=True):
        rows = {row["variant"]: row for row in ours}
        for name, (precision, recall, f1) in peer_values.items():
            variant, level = name.split()
            our_values = rows[variant][LEVEL_OF[level]]
            label = f"{variant} {LEVEL_OF[level]}"
            yield f"{label} precision", precision, our_values["precision"]
            yield f"{label} recall", recall, our_values["recall"]
            yield f"{label} F₁", f1, our_values["f1"]
