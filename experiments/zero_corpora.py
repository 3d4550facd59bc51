"""Beyond the papers: what γ of a corpus and its two factors give independent annotators."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from experiments._common import MATHET_2015
from experiments._independent import PITCH, PROCESSES, Habits, continuum
from experiments._zero import (
    Independent,
    Row,
    StudyPart,
    findings,
    limit_of,
    ratio,
    study,
    study_measure,
)
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.about import About
from gammacp.measures.gamma_corpus import gamma_corpus

# Cells: process, documents × annotators × units per annotator and document.
CELLS = (
    "like 8x3x10", "unlike 8x3x10", "unlike documents 8x3x10", "unlike documents 20x3x5",
    "like 20x3x3", "like 4x2x20", "like 3x3x10",
)  # fmt: skip
SAMPLES = 40
SHOWN = ("gamma by corpus", "gamma by documents", "within by cut")


def drawn(cell: str, rng: np.random.Generator) -> Continuum:
    """Draw the annotators of a cell, one document after the other; bounds are the whole's."""
    people, documents, n, units = parsed(cell)
    apart = people == "unlike documents"
    process = PROCESSES["like" if apart else people](n)
    parts = [
        continuum(_in_document(process, rng) if apart else process, units, rng, declared=True)
        for _ in range(documents)
    ]
    return _laid_out(cell, parts, units * PITCH)


def _in_document(people: list[Habits], rng: np.random.Generator) -> list[Habits]:
    """Return a density and a topic that all annotators of a document share."""
    density = float(np.clip(rng.lognormal(-0.125, 0.5), 0.3, 2.0))
    topic = tuple(float(p) for p in rng.dirichlet((0.7, 0.7, 0.7)))
    return [replace(h, density=density, prevalence=topic) for h in people]


def _laid_out(name: str, parts: list[Continuum], length: float) -> Continuum:
    ahead = [k * length for k in range(len(parts))]
    first = parts[0]
    return Continuum.from_codes(
        first.annotators,
        first.categories,
        np.concatenate([c.starts + a for c, a in zip(parts, ahead, strict=True)]),
        np.concatenate([c.ends + a for c, a in zip(parts, ahead, strict=True)]),
        np.concatenate([c.annotator_codes for c in parts]),
        np.concatenate([c.category_codes for c in parts]),
        bounds=(0.0, length * len(parts)),
        about=About(name),
    )


def corpus_of(c: Continuum) -> Corpus:
    """Return the documents of a cell, told apart again."""
    _, documents, _, units = parsed(c.name)
    length = units * PITCH
    which = np.minimum((c.starts / length).astype(int), documents - 1)
    continua = {}
    for k in range(documents):
        mine = which == k
        continua[f"d{k}"] = Continuum.from_codes(
            c.annotators,
            c.categories,
            c.starts[mine],
            c.ends[mine],
            c.annotator_codes[mine],
            c.category_codes[mine],
            bounds=(k * length, (k + 1) * length),
        )
    return Corpus.from_continua(continua)


def parsed(cell: str) -> tuple[str, int, int, int]:
    """Process, documents, annotators and units per annotator and document."""
    people, _, size = cell.rpartition(" ")
    documents, n, units = (int(x) for x in size.split("x"))
    return people, documents, n, units


def factored(c: Continuum, seed: int) -> dict[str, float]:
    """γ of the corpus by its default and as the paper has it, and its two factors."""
    corpus = corpus_of(c)
    corpus_gamma = gamma_corpus(corpus, samples=SAMPLES, seed=seed)
    scores = {
        "gamma by documents": corpus_gamma,
        "within by cut": corpus_gamma.within,
        "between by documents": corpus_gamma.between,
        "gamma by corpus": gamma_corpus(corpus, samples=SAMPLES, seed=seed, **MATHET_2015),
    }
    findings_by_name: dict[str, float] = {}
    for name, score in scores.items():
        if score is not None:
            findings_by_name |= findings(name, score) | ratio(name, score)
    return findings_by_name


study_measure("zero-corpora", factored)


def about(cell: str) -> Row:
    """Return the columns that describe a cell."""
    people, documents, n, units = parsed(cell)
    return {"process": people, "documents": documents, "annotators": n, "units": units}


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Documents that are alike, and documents that differ in density and topic."""
    del data
    cells = CELLS[-1:] if quick else CELLS
    part = StudyPart(
        "zero-corpora", cells, most=200, shown=SHOWN[2:], limit=lambda c: limit_of(parsed(c)[3])
    )
    study(
        out,
        Independent("corpora", drawn),
        (part,),
        about,
        (*SHOWN, "between by documents"),
        quick=quick,
    )
