"""Pairs of annotators whose chance differs from that of the corpus."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from gammacp.campaign.compare import compare
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.selecting import keep_annotators
from gammacp.measures.agreement import agreement
from shuffling import ReferenceModel, shuffled_set

MODEL = ReferenceModel(n_units=3)
OPTIONS: dict[str, Any] = {"chance": "documents", "samples": 20, "seed": 1}


def rotation(people: int, documents: int) -> dict[str, Continuum]:
    """Return documents of three people each, who take turns."""
    trios = [*combinations(range(people), 3)]
    drawn = {}
    for d in range(documents):
        names = {f"annotator-{k + 1}": f"P{p}" for k, p in enumerate(trios[d * 7 % len(trios)])}
        units = shuffled_set(MODEL, "position", 0.3, 3, index=d, model=MODEL)
        drawn[f"d{d}"] = Continuum.from_units(
            [replace(u, annotator=names[u.annotator]) for u in units]
        )
    return drawn


def alone(documents: dict[str, Continuum], pair: tuple[str, str]) -> float:
    """Return γ of two people's documents as if there were no other annotators."""
    both = {
        d: keep_annotators(c, [a for a in c.annotators if a in pair])
        for d, c in documents.items()
        if {*pair} <= {*c.annotators}
    }
    return agreement(Corpus.from_continua(both), **OPTIONS).value


def test_pairs_with_a_chance_of_their_own_have_the_gamma_of_the_pair_alone() -> None:
    documents = rotation(9, 24)
    comparison = compare(documents, draws=0, by=("pair",), **OPTIONS)
    own_pairs = comparison.pairs.own_chance
    rated = {pair for pair, a in comparison.pairs.agreements.items() if a.rated}
    assert own_pairs
    for pair in rated:
        value = comparison.pairs.agreements[pair].value
        assert (value == pytest.approx(alone(documents, pair), abs=1e-12)) == (pair in own_pairs)
    [sentence] = [s for s in comparison.pairs.in_words() if "own documents alone" in s]
    assert sentence.startswith(f"γ of {len(own_pairs)} of the {len(rated)} pairs")
    entries = comparison.pairs.as_dict()
    assert {tuple(e["annotators"]) for e in entries if e["own_chance"]} == own_pairs


def test_pairs_who_annotate_everything_share_the_chance_of_the_corpus() -> None:
    documents = {f"d{d}": shuffled_set(MODEL, "position", 0.3, 3, index=d) for d in range(8)}
    comparison = compare(documents, draws=0, by=("pair",), **OPTIONS)
    assert not comparison.pairs.own_chance
    assert not [s for s in comparison.pairs.in_words() if "own documents" in s]
