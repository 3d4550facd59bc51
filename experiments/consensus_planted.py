"""Beyond the papers: is the consensus of modelled annotators nearer to the truth than a vote?

Cells: the default beside the vote, over numbers of people, categories, documents, recall and
inventions, and over processes that nothing was tuned on (`PROCESSES`).

Planted crowds, whose truth is known: twelve annotators with their own recall, confusions,
inventions and slips at boundaries, four of them per document. With `--data DIR` also the crowd NER
corpus of Rodrigues, Pereira & Ribeiro 2014 against the gold standard of CoNLL 2003, from
`DIR/seqcrowd-acl17/task1` (the repository thanhan/seqcrowd-acl17 on GitHub).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments._common import Span, write_csv
from gammacp.campaign.consensus import Consensus, consensus_of_each
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.dissimilarity import Combined
from gammacp.errors import DataError
from gammacp.pools import open_pool

CATEGORIES = "LMOP"
PREVALENCE = (0.3, 0.15, 0.3, 0.25)
CROWDS, DOCUMENTS, PEOPLE, EACH, UNITS = 20, 40, 12, 4, 18
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "vote": {"weights": "vote"},
    "one-coin": {"weights": "one-coin"},
    "mace": {"weights": "mace"},
    "dawid-skene": {"weights": "dawid-skene"},
    "dawid-skene, aligned as votes": {"weights": "dawid-skene", "dissimilarity": Combined()},
    "dawid-skene, median boundaries": {"weights": "dawid-skene", "boundaries": "median"},
}
FEWEST = 3  # annotators of a document of crowd NER

Truth = Mapping[str, set[Span]]
Codes = np.ndarray[Any, Any]
_MEANS = ("model", "vote", "auto", "vote_positions", "auto_positions")
_OFF = ("recall_off", "precision_off")
# Violations of the model's assumptions, on units, on a person, or on invented units.
PROCESSES = ("plain", "hard units", "short units", "spammer", "confusable", "crowded", "shared")
SEEDS, CELL_UNITS = 50, 8


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A kind of crowd, in which everybody sees each document and marks a share of its units.

    `invented` is the number of invented units per true unit. With `shaken`, a fifth of the
    boundaries move by one or two. Unequal people differ by ± .2 in recall and up to twofold in
    other respects.
    """

    people: int = 5
    categories: int = 2
    recall: float = 0.8
    invented: float = 0.2
    shaken: bool = True
    unequal: bool = True
    documents: int = 20
    process: str = "plain"


_ONE: Mapping[str, Any] = {"categories": 1, "shaken": False, "unequal": False, "documents": 30}
CELLS = (
    Cell(people=4, recall=0.7, invented=0.1, **_ONE),
    Cell(people=4, recall=0.7, invented=0.3, **_ONE),
    Cell(people=6, recall=0.7, invented=0.3, **_ONE),
    Cell(people=2, recall=0.8, invented=0.1, **_ONE),
    Cell(people=3, recall=0.8, invented=0.1, **_ONE),
    Cell(people=4, recall=0.95, invented=0.0, **_ONE),
    Cell(people=8, recall=0.6, invented=0.0, **_ONE),
    Cell(people=4, categories=1, recall=0.6, invented=0.5, documents=10),
    Cell(people=5, categories=1, recall=0.9, invented=0.5, shaken=False, documents=10),
    Cell(people=8, categories=1, recall=0.6, invented=0.5, documents=10),
    Cell(people=4, categories=1, recall=0.8, invented=0.1, documents=300),
    Cell(people=3, categories=2, recall=0.7, invented=0.1, shaken=False, unequal=False),
    Cell(people=3, categories=2, recall=0.95, invented=0.3, documents=10),
    Cell(people=3, categories=3, recall=0.8, invented=0.3, unequal=False, documents=10),
    Cell(people=3, categories=5, recall=0.6, invented=0.5, shaken=False, documents=10),
    Cell(people=3, categories=5, recall=0.9, invented=0.0, documents=50),
    Cell(people=4, categories=2, recall=0.7, invented=0.5, unequal=False, documents=10),
    Cell(people=4, categories=2, recall=0.6, invented=0.0, shaken=False, documents=50),
    Cell(people=4, categories=5, recall=0.7, invented=0.5, documents=10),
    Cell(people=5, categories=3, recall=0.8, invented=0.1, documents=100),
    Cell(people=6, categories=2, recall=0.9, invented=0.1, documents=10),
    Cell(people=6, categories=5, recall=0.6, invented=0.3, shaken=False, unequal=False),
    Cell(people=8, categories=3, recall=0.7, invented=0.3, documents=10),
    Cell(people=8, categories=5, recall=0.95, invented=0.1, shaken=False, documents=10),
    *(Cell(process=name) for name in PROCESSES),
    *(Cell(process=name, people=4, categories=1) for name in PROCESSES if name != "confusable"),
)


@dataclass(frozen=True)
class Person:
    """Errors of a person: shares of units seen and invented, of boundaries off by one, and labels.

    `labels` are the labels that the person gives for each true label.
    """

    recall: float
    invented: float
    slips: float
    confusion: np.ndarray[Any, Any]


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Strict F₁ (boundaries and category) of each consensus, a row per crowd and setting."""
    chosen = CELLS[:2] if quick else CELLS
    batches = [range(2)] if quick else [range(i, i + 10) for i in range(0, SEEDS, 10)]
    tasks = [(cell, seeds) for cell in chosen for seeds in batches]
    documents = [12] * 2 if quick else [DOCUMENTS] * CROWDS
    with open_pool() as pool:
        scored_crowds = pool.executor.map(scored_crowd, range(len(documents)), documents)
        rows = [row for crowd in scored_crowds for row in crowd]
        scored = list(pool.executor.map(scored_cell, *zip(*tasks, strict=True)))
    write_csv(out / "consensus.csv", rows)
    write_csv(out / "gains.csv", _gains(rows))
    write_csv(out / "cells.csv", _cells(scored))
    write_csv(out / "calibration.csv", _calibration(scored))
    task = (data or Path("DIR")) / "seqcrowd-acl17" / "task1"
    if task.is_dir():
        write_csv(out / "crowd_ner.csv", _scored("crowd NER", *crowd_ner(task)))
    else:
        print(f"consensus_planted: crowd NER left out: {task} is not there", file=sys.stderr)


def scored_crowd(crowd: int, documents: int) -> list[dict[str, object]]:
    """Return a row for each setting on a planted crowd."""
    corpus, truth = planted(crowd, documents)
    return _scored(f"planted {crowd}", corpus, {"planted": truth})


def _scored(name: str, corpus: Corpus, truths: Mapping[str, Truth]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for setting, options in SETTINGS.items():
        consensuses = consensus_of_each(corpus, **options).documents
        for part, truth in truths.items():
            rows.append(
                {"crowd": name, "part": part, "setting": setting, "f1": _f1(consensuses, truth)}
            )
    return rows


def _gains(rows: list[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Return mean F₁ of the planted crowds, and its gain over the vote in the same crowds."""
    by = {(r["crowd"], r["setting"]): float(str(r["f1"])) for r in rows if r["part"] == "planted"}
    crowds = list(dict.fromkeys(crowd for crowd, _ in by))
    for setting in SETTINGS:
        values = np.array([by[c, setting] for c in crowds])
        gain = values - np.array([by[c, "vote"] for c in crowds])
        yield {
            "setting": setting,
            "crowds": len(crowds),
            "f1": float(values.mean()),
            "gain": float(gain.mean()),
            "half_width": float(1.96 * gain.std(ddof=1) / np.sqrt(len(crowds))),
            "worst_gain": float(gain.min()),
        }


@dataclass(frozen=True)
class Scored:
    """Results on crowds of a cell: values by seed, and calibration by tenths of the posterior."""

    cell: Cell
    rows: list[dict[str, float]]
    tenths: np.ndarray[Any, Any]  # (10, 4): units, sum of posteriors, something is there, strict


def scored_cell(cell: Cell, seeds: range) -> Scored:
    """Return the default and the vote on crowds of one kind."""
    rows, tenths = [], np.zeros((10, 4))
    for seed in seeds:
        corpus, truth, quality = cell_crowd(cell, seed)
        vote = consensus_of_each(corpus, weights="vote").documents
        consensuses = consensus_of_each(corpus)
        row = {"model": float(consensuses.belief.fit is not None)}
        for name, documents in (("vote", vote), ("auto", consensuses.documents)):
            row[name] = _f1(documents, truth)
            row[f"{name}_positions"] = _f1(documents, truth, positions=True)
        if consensuses.belief.fit is not None:
            estimates = np.array([(a.recall, a.precision) for a in consensuses.belief.annotators])
            off = (
                estimates - quality[[int(a.name[1:]) for a in consensuses.belief.annotators]]
            ).mean(axis=0)
            row |= dict(zip(("recall_off", "precision_off"), off.tolist(), strict=True))
            tenths += _tenths(consensuses.documents, truth)
        rows.append(row)
    return Scored(cell, rows, tenths)


def _f1(consensuses: Mapping[str, Consensus], truth: Truth, *, positions: bool = False) -> float:
    until = 2 if positions else 3
    hits = of_all = 0
    for name, spans in truth.items():
        marked = {(u.start, u.end, u.category)[:until] for u in consensuses[name].continuum}
        hits += len(marked & {span[:until] for span in spans})
        of_all += consensuses[name].continuum.n_units + len(spans)
    return 2 * hits / of_all


def _tenths(consensuses: Mapping[str, Consensus], truth: Truth) -> np.ndarray[Any, Any]:
    sums = np.zeros((10, 4))
    for name, spans in truth.items():
        for u in consensuses[name].units:
            p = float(u.posterior or 0.0)
            is_there = any(u.start < e and s < u.end and u.category == c for s, e, c in spans)
            strict = (u.start, u.end, u.category) in spans
            sums[min(int(10 * p), 9)] += 1, p, is_there, strict
    return sums


def _cells(scored: list[Scored]) -> Iterator[dict[str, object]]:
    """Yield mean F₁ of vote and default, the gain, and the errors of recall and precision."""
    for cell in dict.fromkeys(s.cell for s in scored):
        rows = [row for s in scored if s.cell == cell for row in s.rows]
        gain = np.array([row["auto"] - row["vote"] for row in rows])
        yield {
            **vars(cell),
            "seeds": len(rows),
            **{name: float(np.mean([row[name] for row in rows])) for name in _MEANS},
            "gain": float(gain.mean()),
            "half_width": float(1.96 * gain.std(ddof=1) / np.sqrt(len(rows))),
            "gain_positions": float(
                np.mean([row["auto_positions"] - row["vote_positions"] for row in rows])
            ),
            **{name: _mean([row[name] for row in rows if name in row]) for name in _OFF},
        }


def _mean(values: list[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _calibration(scored: list[Scored]) -> Iterator[dict[str, object]]:
    """Yield the share of true units by process and tenth of the posterior."""
    for process in PROCESSES:
        sums = sum((s.tenths for s in scored if s.cell.process == process), np.zeros((10, 4)))
        for tenth, (units, posterior, n_true, strict) in enumerate(sums.tolist()):
            if units:
                yield {
                    "process": process,
                    "tenth": tenth,
                    "units": int(units),
                    "posterior": posterior / units,
                    "there": n_true / units,
                    "strict": strict / units,
                }


def cell_crowd(cell: Cell, seed: int) -> tuple[Corpus, Truth, np.ndarray[Any, Any]]:
    """Return a crowd, its truth, and recall and precision of everybody, shape (people, 2)."""
    rng = np.random.default_rng([seed, 4711])
    n, k, m = cell.people, cell.categories, CELL_UNITS
    recall, invented, shaken = (np.full(n, x) for x in (cell.recall, cell.invented, 0.2))
    if cell.unequal:
        recall = np.clip(recall + rng.uniform(-0.2, 0.2, n), 0.3, 0.98)
        invented, shaken = invented * rng.uniform(0, 2, n), shaken * rng.uniform(0, 2, n)
    shaken = shaken * cell.shaken
    if cell.process == "spammer":
        recall[0], invented[0] = 0.3, 2.0
    prevalence = np.arange(k, 0, -1.0) ** 0.7
    prevalence /= prevalence.sum()
    hits, marks, true = np.zeros(n), np.zeros(n), cell.documents * m
    continua: dict[str, Continuum] = {}
    truths: dict[str, set[Span]] = {}
    for number in range(cell.documents):
        lengths = rng.integers(3, 9, m)
        starts = np.cumsum(rng.integers(8, 40, m) + lengths) - lengths
        end = int(starts[-1] + lengths[-1] + 20)
        labels = rng.choice(k, m, p=prevalence)
        places = _shared_places(rng, starts, lengths, end) if cell.process == "shared" else []
        hard = rng.normal(0, 1.5, m) * (cell.process == "hard units")
        hard = hard + 0.5 * (lengths - 5.5) * (cell.process == "short units")
        units = []
        for a in range(n):
            odds = np.log(recall[a] / (1 - recall[a])) + hard
            is_seen = rng.random(m) < 1 / (1 + np.exp(-odds))
            wrong = np.where((labels < 2) & (cell.process == "confusable"), 0.4, 0.1) * (k > 1)
            other = labels ^ 1 if cell.process == "confusable" else labels + rng.integers(1, k + 1)
            said_labels = np.where(
                rng.random(m) < wrong, np.minimum(other % max(k, 1), k - 1), labels
            )
            slips = np.where(rng.random((2, m)) < shaken[a], rng.choice([-2, -1, 1, 2], (2, m)), 0)
            spans = [
                (s, max(e, s + 1), int(c))
                for s, e, c in zip(
                    (starts + slips[0])[is_seen].tolist(),
                    (starts + lengths + slips[1])[is_seen].tolist(),
                    said_labels[is_seen],
                    strict=True,
                )
            ]
            hits[a] += (is_seen & (said_labels == labels)).sum()
            free = cell.process != "crowded"
            for _ in range(rng.binomial(4 * m, invented[a] / 4)):
                s, e = _empty_place(rng, starts, lengths, end, free=free)
                spans.append((s, e, int(rng.choice(k, p=prevalence))))
            spans += [(*place, 0) for place in places if rng.random() < 0.3]
            marks[a] += len(spans)
            units += [Unit(f"p{a}", s, e, "abcde"[c]) for s, e, c in spans]
        name = f"d{number}"
        who = [f"p{a}" for a in range(n)]
        continua[name] = Continuum.from_units(units, annotators=who, bounds=(0, end))
        truths[name] = {
            (float(s), float(s + length), "abcde"[c])
            for s, length, c in zip(starts, lengths, labels, strict=True)
        }
    quality = np.column_stack([hits / true, hits / np.maximum(marks, 1)])
    return Corpus.from_continua(continua), truths, quality


def _empty_place(
    rng: np.random.Generator, starts: Codes, lengths: Codes, end: int, *, free: bool
) -> tuple[int, int]:
    """Draw a place for an invented unit: without other units if `free`, else anywhere."""
    while True:
        s = int(rng.integers(0, end - 9))
        e = s + int(rng.integers(3, 9))
        if not free or not np.any((starts < e) & (s < starts + lengths)):
            return s, e


def _shared_places(
    rng: np.random.Generator, starts: Codes, lengths: Codes, end: int
) -> list[tuple[int, int]]:
    """Return places that look like units to everybody but are not: one for every four units."""
    return [_empty_place(rng, starts, lengths, end, free=True) for _ in range(len(starts) // 4)]


def planted(crowd: int, documents: int) -> tuple[Corpus, Truth]:
    """Return a corpus whose truth is known."""
    rng = np.random.default_rng(crowd)
    people = {f"w{n}": _person(rng) for n in range(PEOPLE)}
    continua: dict[str, Continuum] = {}
    truths: dict[str, set[Span]] = {}
    for number in range(documents):
        lengths = rng.integers(1, 4, UNITS)
        starts = np.cumsum(rng.geometric(0.25, UNITS) + lengths) - lengths
        labels = rng.choice(len(CATEGORIES), UNITS, p=PREVALENCE)
        truth = list(
            zip(starts.tolist(), (starts + lengths).tolist(), labels.tolist(), strict=True)
        )
        end = truth[-1][1] + 5
        who = sorted(rng.choice(list(people), EACH, replace=False).tolist())
        units = [
            Unit(name, *span) for name in who for span in _marked(rng, people[name], truth, end)
        ]
        name = f"d{number}"
        continua[name] = Continuum.from_units(units, annotators=who, bounds=(0, end))
        truths[name] = {(float(s), float(e), CATEGORIES[c]) for s, e, c in truth}
    return Corpus.from_continua(continua), truths


def _person(rng: np.random.Generator) -> Person:
    right = rng.beta(6, 2)
    confusion = np.full((4, 4), (1 - right) / 3)
    np.fill_diagonal(confusion, right)
    if rng.random() < 0.6:  # a confusion that several people share, which no vote can correct
        confusion[2] = (0.5, 0.1, 0.35, 0.05)
    return Person(rng.beta(8, 2), rng.beta(2, 10) * 0.6, rng.beta(2, 12), confusion)


def _marked(
    rng: np.random.Generator, person: Person, truth: list[tuple[int, int, int]], end: int
) -> Iterator[tuple[int, int, str]]:
    for start, stop, label in truth:
        if rng.random() >= person.recall:
            continue
        slips = np.where(rng.random(2) < person.slips, rng.choice((-1, 1), 2), 0)
        first = max(0, start + int(slips[0]))
        last = max(first + 1, stop + int(slips[1]))
        yield first, last, CATEGORIES[rng.choice(4, p=person.confusion[label])]
    for _ in range(rng.binomial(len(truth), person.invented)):
        start = int(rng.integers(0, end - 3))
        yield start, start + int(rng.integers(1, 4)), CATEGORIES[rng.integers(4)]


def crowd_ner(task: Path) -> tuple[Corpus, dict[str, Truth]]:
    """Return test and validation documents as one corpus, and the gold standard of each part.

    Files whose words differ from the gold standard are left out, and then documents with fewer than
    `FEWEST` annotators.
    """
    continua: dict[str, Continuum] = {}
    truths: dict[str, Truth] = {}
    for part in ("test", "val"):
        truth: dict[str, set[Span]] = {}
        for path in sorted((task / part / "ground_truth").iterdir()):
            words, spans = _conll(path)
            units, who = [], []
            for file in sorted((task / part / "mturk_train_data").glob(f"*/{path.name}")):
                worker_words, marked = _conll(file)
                if worker_words == words:
                    who.append(file.parent.name)
                    units += [Unit(file.parent.name, *span) for span in marked]
            if len(who) >= FEWEST and units:
                name = f"{part}/{path.stem}"
                continua[name] = Continuum.from_units(units, annotators=who, bounds=(0, len(words)))
                truth[name] = {(float(s), float(e), c) for s, e, c in spans}
        truths[part] = truth
    if not continua:
        raise DataError("no document of the crowd NER corpus is there", file=task)
    return Corpus.from_continua(continua), truths


def _conll(path: Path) -> tuple[list[str], list[tuple[int, int, str]]]:
    """Return words (an empty one between sentences) and spans of IOB tags in the last column."""
    words: list[str] = []
    spans: list[tuple[int, int, str]] = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        cells = line.split()
        words.append(cells[0] if len(cells) > 1 else "")
        tag = re.fullmatch(r"([BI])-(\w+)", cells[-1]) if len(cells) > 1 else None
        if tag is None:
            continue
        at, category = len(words) - 1, tag[2]
        goes_on = tag[1] == "I" and spans and spans[-1][1:] == (at, category)
        spans.append((spans.pop()[0] if goes_on else at, at + 1, category))
    return words, spans
