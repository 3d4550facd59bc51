"""Independent annotators of trees, from processes that are none of the chance models.

Nobody looks at the words. Each annotator has a way of attaching tokens and preferences for
relations, both drawn once, and knows only the length of a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.trees.measures.annotations import Dependencies, Treebank

RELATIONS = 12


@dataclass(frozen=True)
class Process:
    """Independent annotators of sentences.

    Attributes
    ----------
    lengths
        Lengths of sentences: "3-30" tokens alike often, "gamma", "tail" (lognormal) or "two"
        (headlines and long sentences).
    sentences
        Number of sentences.
    shapes
        Shapes of each annotator's trees: "near" attaches to what is near (the k-th annotator k
        times as far), "right" and "left" mostly to the token before or after, "flat" to one token,
        "any" anywhere.
    labels
        "taste" of each annotator; "rule": each one's own, from where the head lies; "kinds": long
        sentences by another taste than short ones; "places": by the place in the sentence, the
        same for everybody; "moods": a taste for each annotator and sentence.
    spread
        Parameter of the Dirichlet distribution of tastes; a small one means strong preferences.
    each
        Annotators of a sentence: all, "2" at random, or the first or second "team" of two.
    shared
        Share of a sentence's heads, and of its labels, that are copied from a common truth. Such
        annotators are not independent. They show the power of a test.
    """

    lengths: str
    sentences: int
    shapes: tuple[str, ...] = ("near", "near")
    labels: str = "taste"
    spread: float = 2.0
    each: str = "all"
    shared: float = 0.0


_FIVE = ("near", "right", "flat", "left", "right")
PROCESSES: Mapping[str, Process] = {
    "like 3-8 x40": Process("3-8", 40),
    "like 3-30 x20": Process("3-30", 20),
    "like 3-30 x40": Process("3-30", 40),
    "like 3-30 x150": Process("3-30", 150),
    "like tail x20": Process("tail", 20),
    "like tail x40": Process("tail", 40),
    "strong tastes tail x20": Process("tail", 20, spread=0.2),
    "left, right tail x20": Process("tail", 20, ("right", "left"), spread=0.5),
    "chains gamma x40": Process("gamma", 40, ("right", "right"), "rule"),
    "chains tail x20": Process("tail", 20, ("right", "right"), "rule"),
    "own rules 3-30 x40": Process("3-30", 40, ("near", "any"), "rule"),
    "two kinds 3-30 x40": Process("3-30", 40, labels="kinds", spread=0.3),
    "by place 3-30 x40": Process("3-30", 40, ("near", "right"), "places"),
    "moods 3-30 x40": Process("3-30", 40, ("near", "flat"), "moods", 0.3),
    "two lengths x40": Process("two", 40, ("right", "flat"), "kinds", 0.3),
    "three tail x40": Process("tail", 40, ("left", "any", "near"), "rule"),
    "four 3-30 x40": Process("3-30", 40, _FIVE[:4], spread=0.5),
    "two of five 3-30 x60": Process("3-30", 60, _FIVE, spread=0.5, each="2"),
    "teams 3-30 x60": Process("3-30", 60, ("right", "right", "flat", "flat"), each="team"),
    "shared .15 3-30 x40": Process("3-30", 40, shared=0.15),
    "shared .3 3-30 x40": Process("3-30", 40, shared=0.3),
    "shared .5 3-30 x40": Process("3-30", 40, shared=0.5),
    "shared .3 3-30 x150": Process("3-30", 150, shared=0.3),
    "shared .5 tail x20": Process("tail", 20, shared=0.5),
}


def drawn(cell: str, rng: np.random.Generator) -> Treebank:
    """Draw the annotators of a process."""
    process = PROCESSES[cell]
    number = len(process.shapes)
    tastes = rng.dirichlet(np.full(RELATIONS, process.spread), (2, number))
    columns: dict[str, list[Dependencies | None]] = {f"A{k + 1}": [] for k in range(number)}
    for n in lengths_drawn(process.lengths, process.sentences, rng).tolist():
        annotators_here = _who(process.each, number, rng)
        truth = annotated(process, n, 2, tastes[:, 0], rng)
        for k, column in enumerate(columns.values()):
            own_tree = annotated(process, n, k, tastes[:, k], rng)
            column.append(
                _seen(own_tree, truth, process.shared, rng) if k in annotators_here else None
            )
    return Treebank.from_annotations(columns)


def lengths_drawn(kind: str, number: int, rng: np.random.Generator) -> Indices:
    """Draw the number of tokens of each sentence, at least 2."""
    if kind == "tail":
        drawn = np.clip(rng.lognormal(2.5, 0.7, number), 2, 70)
    elif kind == "gamma":
        drawn = np.clip(rng.gamma(3, 5, number), 2, 60)
    elif kind == "two":
        short = rng.random(number) < 0.4
        drawn = np.where(short, rng.integers(3, 7, number), rng.integers(18, 36, number))
    else:
        low, _, high = kind.partition("-")
        drawn = rng.integers(int(low), int(high) + 1, number).astype(np.float64)
    lengths: Indices = np.round(drawn).astype(np.int64)
    return lengths


def _who(each: str, number: int, rng: np.random.Generator) -> list[int]:
    if each == "all":
        return list(range(number))
    if each == "team":
        first = 2 * int(rng.integers(number // 2))
        return [first, first + 1]
    chosen_annotators: list[int] = rng.permutation(number)[:2].tolist()
    return chosen_annotators


def annotated(
    process: Process, n: int, annotator: int, tastes: Floats, rng: np.random.Generator
) -> Dependencies:
    """Return a sentence of n tokens by an annotator, whose tastes are shape (2, relations)."""
    heads = _heads(process.shapes[annotator % len(process.shapes)], n, annotator + 1, rng)
    taste = tastes[1] if process.labels == "kinds" and n > 14 else tastes[0]
    if process.labels == "moods":
        taste = rng.dirichlet(np.full(RELATIONS, process.spread))
    labels = rng.choice(RELATIONS, size=n, p=taste)
    if process.labels == "rule":
        away = np.where(heads > 0, np.clip(heads - 1 - np.arange(n), -3, 3) + 3, 7)
        ruled = (tastes[0][away] * 1e6).astype(np.int64) % RELATIONS
        labels = np.where(rng.random(n) < 0.9, ruled, rng.integers(RELATIONS, size=n))
    elif process.labels == "places":
        labels = np.where(rng.random(n) < 0.7, np.arange(n) % 3, labels)
    return Dependencies(tuple(heads.tolist()), tuple(f"r{x}" for x in labels))


def _seen(
    tree: Dependencies, truth: Dependencies, share: float, rng: np.random.Generator
) -> Dependencies:
    """Return an annotation that takes this share of heads, and of labels, from the truth."""
    if not share:
        return tree
    labels = np.where(rng.random(tree.n_tokens) < share, truth.relations, tree.relations)
    return Dependencies(truth.heads if rng.random() < share else tree.heads, tuple(labels.tolist()))


def _heads(shape: str, n: int, reach: float, rng: np.random.Generator) -> Indices:
    """Return the head of each token, counted from 1, 0 for the root."""
    heads = np.zeros(n, np.int64)
    if shape in ("right", "left"):
        for k in range(1, n):
            heads[k] = k if rng.random() < 0.8 else 1 + rng.integers(k)
        if shape == "left":
            heads = np.where(heads > 0, n + 1 - heads, 0)[::-1]
    elif shape == "flat":
        top = int(rng.integers(n))
        beside = np.where(np.arange(n) > top, np.arange(n), np.arange(n) + 2)
        heads = np.where(rng.random(n) < 0.2, beside, top + 1)
        heads[top] = 0
    else:
        order = rng.permutation(n)
        for k in range(1, n):
            tokens_before = order[:k]
            likely = np.exp(-np.abs(tokens_before - order[k]) / reach / 2) + 1e-9
            likely = np.cumsum(np.ones(k) if shape == "any" else likely)
            chosen = np.searchsorted(likely, rng.random() * likely[-1])
            heads[order[k]] = 1 + tokens_before[min(int(chosen), k - 1)]
    return heads
