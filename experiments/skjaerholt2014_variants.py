"""Skjærholt 2014, §5.1 (future work): other tree errors, and phrase structure.

The paper's reattachment favours trees like the given one, seen in LAS at p = 1. Beside it: a draw
that is uniform over trees, attachments one step away, labels confused as the annotators confuse
them; and all of it on phrase structure (each projective dependency tree turned into constituents,
a head with its dependents being one).
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

from experiments._common import write_csv
from experiments._treebanks import corpus, one_annotator, tree_points, trees_page
from gammacp.trees.measures.annotations import Dependencies, Phrase
from gammacp.trees.measures.tree import Nested
from gammacp.trees.with_bench.sweep import PAPER_MAGNITUDES, PAPER_SETS, Perturbed, sample_sentences
from shuffling.trees import LabelConfusion

ERRORS = ("attach", "attach:uniform", "attach:local", "label", "label:confusion")
PHRASE_ERRORS = ("attach", "attach:uniform", "attach:local", "label")


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Write the curves of every variant on the Danish sample and on its phrase structure."""
    sentences = sample_sentences(one_annotator("da", data), number=15 if quick else 100)
    phrases = [phrase(s) for s in sentences if isinstance(s, Dependencies) and is_projective(s)]
    rows: list[dict[str, object]] = []
    for sample, trees, errors in (
        ("dependency", sentences, ERRORS),
        ("phrase", tuple(phrases), PHRASE_ERRORS),
    ):
        points, row_list = tree_points(
            out,
            Perturbed(trees, confused_labels(data)),
            errors,
            magnitudes=(0.2, 0.6, 1.0) if quick else PAPER_MAGNITUDES,
            sets=3 if quick else PAPER_SETS,
            name=f"trees-variants-{sample}",
        )
        rows += [{"sample": sample, **row} for row in row_list]
        panels = {e: [p for p in points if p.error == e] for e in errors[:3]}
        trees_page(out / f"attachment-{sample}", panels, len(trees))
    write_csv(out / "variants.csv", rows)


def confused_labels(data: Path | None) -> LabelConfusion:
    """Count the labels that the two annotators of the Danish treebank confuse."""
    first: list[str] = []
    second: list[str] = []
    for item in corpus("da", data).treebank.shared_items:
        pairs = combinations(item.annotations.values(), 2)
        for a, b in pairs:
            if isinstance(a, Dependencies) and isinstance(b, Dependencies) and item.same_length:
                first += a.relations
                second += b.relations
    return LabelConfusion.observed(first, second)


def is_projective(sentence: Dependencies) -> bool:
    """Return whether no two arcs cross, the root being left of the sentence."""
    arcs = [sorted((head, token)) for token, head in enumerate(sentence.heads, start=1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def phrase(sentence: Dependencies) -> Phrase:
    """Each token with dependents is a constituent with its relation's label; leaves are heads."""
    children: list[list[int]] = [[] for _ in range(sentence.n_tokens + 1)]
    for token, head in enumerate(sentence.heads, start=1):
        children[head].append(token)

    def build(token: int) -> Nested:
        label = sentence.relations[token - 1]
        if not children[token]:
            return (label, ())
        before = tuple(build(c) for c in children[token] if c < token)
        after = tuple(build(c) for c in children[token] if c > token)
        return (label, (*before, ("head", ()), *after))

    return Phrase(("S", tuple(build(c) for c in children[0])))
