"""Beyond the papers: is the consensus of modelled annotators nearer to the truth than a vote?

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
from gammacp.campaign.consensus import consensus_of_each
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
    "dawid-skene, beta 1": {"weights": "dawid-skene", "dissimilarity": Combined(beta=1)},
    "dawid-skene, median boundaries": {"weights": "dawid-skene", "boundaries": "median"},
    "dawid-skene, 3 rounds": {"weights": "dawid-skene", "rounds": 3},
}
FEWEST = 3  # annotators of a document of crowd NER

Truth = Mapping[str, set[Span]]


@dataclass(frozen=True)
class Person:
    """How somebody errs: shares of units seen, of units invented, of boundaries off by one, and the
    labels given to each true one."""

    recall: float
    invented: float
    slips: float
    confusion: np.ndarray[Any, Any]


def run(out: Path, *, quick: bool, data: Path | None) -> None:
    """Strict F₁ (boundaries and category) of each consensus, a row per crowd and setting."""
    documents = [12] * 2 if quick else [DOCUMENTS] * CROWDS
    with open_pool() as pool:
        found = pool.executor.map(scored_crowd, range(len(documents)), documents)
        rows = [row for crowd in found for row in crowd]
    write_csv(out / "consensus.csv", rows)
    write_csv(out / "gains.csv", _gains(rows))
    task = (data or Path("DIR")) / "seqcrowd-acl17" / "task1"
    if task.is_dir():
        write_csv(out / "crowd_ner.csv", _scored("crowd NER", *crowd_ner(task)))
    else:
        print(f"consensus_planted: crowd NER left out: {task} is not there", file=sys.stderr)


def scored_crowd(crowd: int, documents: int) -> list[dict[str, object]]:
    """A planted crowd by each setting."""
    corpus, truth = planted(crowd, documents)
    return _scored(f"planted {crowd}", corpus, {"planted": truth})


def _scored(name: str, corpus: Corpus, truths: Mapping[str, Truth]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for setting, options in SETTINGS.items():
        found = consensus_of_each(corpus, **options).documents
        for part, truth in truths.items():
            marked = {d: {(u.start, u.end, u.category) for u in found[d].continuum} for d in truth}
            hits = sum(len(marked[d] & truth[d]) for d in truth)
            of_all = sum(len(marked[d]) + len(truth[d]) for d in truth)
            rows.append({"crowd": name, "part": part, "setting": setting, "f1": 2 * hits / of_all})
    return rows


def _gains(rows: list[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Of the planted crowds: mean F₁, and the gain over the vote in the same crowds."""
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


def planted(crowd: int, documents: int) -> tuple[Corpus, Truth]:
    """A corpus whose truth is known."""
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
    if rng.random() < 0.6:  # a confusion that several people share, which no vote can mend
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
    """Test and validation documents in one corpus; the gold standard of each part.

    Files whose words are not the gold standard's are left out, then documents of fewer than
    `FEWEST` annotators.
    """
    continua: dict[str, Continuum] = {}
    truths: dict[str, Truth] = {}
    for part in ("test", "val"):
        truth: dict[str, set[Span]] = {}
        for path in sorted((task / part / "ground_truth").iterdir()):
            words, spans = _conll(path)
            units, who = [], []
            for own in sorted((task / part / "mturk_train_data").glob(f"*/{path.name}")):
                theirs, marked = _conll(own)
                if theirs == words:
                    who.append(own.parent.name)
                    units += [Unit(own.parent.name, *span) for span in marked]
            if len(who) >= FEWEST and units:
                name = f"{part}/{path.stem}"
                continua[name] = Continuum.from_units(units, annotators=who, bounds=(0, len(words)))
                truth[name] = {(float(s), float(e), c) for s, e, c in spans}
        truths[part] = truth
    if not continua:
        raise DataError("no document of the crowd NER corpus is there", file=task)
    return Corpus.from_continua(continua), truths


def _conll(path: Path) -> tuple[list[str], list[tuple[int, int, str]]]:
    """Words (an empty one between sentences) and spans of IOB tags in the last column."""
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
