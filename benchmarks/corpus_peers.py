"""Corpus values beside those of other packages: python benchmarks/corpus_peers.py PYTHON [SCORER].

PYTHON is that of an environment with seqeval, nervaluate, krippendorff and irrCAC
(pyannote.metrics for `--speakers`), SCORER the `scorer.pl` of the CoNLL reference scorers. Random
corpora are measured by both, or real ones if any are named; printed are the numbers of values that
were compared and that differ by more than 1e-9, and the largest difference.

    python benchmarks/corpus_peers.py PYTHON scorer.pl --chains litbank/coref/conll/*.conll
    python benchmarks/corpus_peers.py PYTHON --spans brat/ --labels ratings.csv --presence codes.csv
    python benchmarks/corpus_peers.py PYTHON --speakers reference/ system.rttm
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import corpus_real
import numpy as np

import gammacp as gc
from gammacp import Continuum, Corpus, Unit
from gammacp.continuum.links import Link

LABELS = ["LOC", "ORG", "PER"]
Case = tuple[dict[str, Any], list[float]]


def spans(rng: np.random.Generator, tokens: int) -> list[tuple[int, int, str]]:
    """Units that do not overlap."""
    units, at = [], 0
    while at < tokens:
        at += int(rng.integers(0, 4))
        end = min(tokens, at + int(rng.integers(1, 4)))
        if at < end:
            units.append((at, end, str(rng.choice(LABELS))))
        at = end
    return units


def noisy(rng: np.random.Generator, units: list[Any], tokens: int) -> list[tuple[int, int, str]]:
    """The units of another annotator: some missing, longer or of another label."""
    noisy_units: list[tuple[int, int, str]] = []
    for start, end, label in units:
        draw, last = rng.random(), noisy_units[-1][1] if noisy_units else 0
        if draw < 0.15 or start < last:
            continue
        if draw < 0.3 and end < tokens:
            end += 1
        noisy_units.append((start, end, str(rng.choice(LABELS)) if draw > 0.85 else label))
    return noisy_units


def tags(units: list[tuple[int, int, str]], tokens: int) -> list[str]:
    """BIO tags."""
    labels = ["O"] * tokens
    for start, end, label in units:
        labels[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    return labels


def corpus_of(sides: list[list[list[tuple[int, int, str]]]], tokens: int) -> Corpus:
    """Documents of two annotators, gold and system."""
    documents = {
        f"d{k}": Continuum.from_units(
            [
                Unit(who, *unit)
                for who, units in zip(("gold", "system"), both, strict=True)
                for unit in units
            ],
            annotators=["gold", "system"],
            bounds=(0, tokens),
        )
        for k, both in enumerate(sides)
    }
    return Corpus.from_continua(documents)


def entity_cases(rng: np.random.Generator, number: int) -> Iterator[Case]:
    """Strict F₁ beside seqeval and nervaluate."""
    tokens = 40
    for _ in range(number):
        sides = []
        for _ in range(int(rng.integers(2, 9))):
            gold = spans(rng, tokens)
            sides.append([gold, noisy(rng, gold, tokens)])
        corpus = corpus_of(sides, tokens)
        scores = gc.measure(
            corpus, ["f1-strict", "f1-exact", "f1-partial"], reference="gold", by="category"
        )
        strict = scores["f1-strict"]
        present = [k for k in LABELS if k in strict.by_category and strict.by_category[k].defined]
        rows = [strict, *(strict.by_category[k] for k in present)]
        mine = [x or 0.0 for s in rows for x in (s.precision, s.recall, s.value)]
        gold, system = ([tags(both[k], tokens) for both in sides] for k in (0, 1))
        yield {"peer": "seqeval", "gold": gold, "system": system, "labels": present}, mine
        whole = [
            [[{"label": x, "start": s, "end": e - 1} for s, e, x in both[k]] for both in sides]
            for k in (0, 1)
        ]
        mine = [x or 0.0 for s in scores.values() for x in (s.precision, s.recall, s.value)]
        case = {"peer": "nervaluate", "gold": whole[0], "system": whole[1], "labels": LABELS}
        yield case, mine


def label_cases(rng: np.random.Generator, number: int) -> Iterator[Case]:
    """α, Fleiss' K, Conger's κ and AC1 beside krippendorff and irrCAC."""
    for k in range(number):
        raters, items = int(rng.integers(2, 6)), int(rng.integers(10, 40))
        true = rng.integers(1, 4, items)
        drawn = rng.integers(1, 4, (raters, items))
        table = np.where(rng.random((raters, items)) < 0.6, true, drawn).astype(object)
        if k % 2:
            table[rng.random((raters, items)) < 0.15] = None
        edges = np.sort(rng.choice(np.arange(1, items), 2, replace=False))
        documents = {}
        for d, part in enumerate(np.split(np.arange(items), edges)):
            units = [
                Unit(f"r{i}", int(j), int(j) + 1, str(table[i, j]))
                for i in range(raters)
                for j in part
                if table[i, j] is not None
            ]
            names = [f"r{i}" for i in range(raters)]
            documents[f"d{d}"] = Continuum.from_units(units, annotators=names)
        corpus = Corpus.from_continua(documents)
        alphas = [gc.measure(corpus, ["alpha"], metric=m)["alpha"] for m in ("nominal", "interval")]
        rows = table.tolist()
        yield {"peer": "krippendorff", "table": rows}, [s.value for s in alphas]
        mine = [gc.measure(corpus, ["gwet-ac"])["gwet-ac"].value]
        wanted = ["gwet"]
        if not k % 2:
            for coefficient in ("fleiss", "conger"):
                score = gc.measure(corpus, ["kappa"], coefficient=coefficient)["kappa"]
                mine.append(score.value)
                wanted.append(coefficient)
        yield {"peer": "irrCAC", "table": rows, "of": wanted}, mine


def chains(rng: np.random.Generator, mentions: int) -> list[int]:
    """The chain of each mention."""
    return rng.integers(0, max(2, mentions // 3), mentions).tolist()


def conll_text(documents: list[list[tuple[int, int]]], tokens: int) -> str:
    """Documents of mentions of one token, as (place, chain)."""
    lines = []
    for k, mentions in enumerate(documents):
        lines.append(f"#begin document (d{k});")
        of = dict(mentions)
        for t in range(tokens):
            lines.append(f"d{k}\t0\t{t}\tw\t{f'({of[t]})' if t in of else '-'}")
        lines += ["", "#end document"]
    return "\n".join(lines) + "\n"


def chain_cases(rng: np.random.Generator, number: int, scorer: str) -> Iterator[Case]:
    """Coreference beside the CoNLL scorer."""
    tokens = 14
    for _ in range(number):
        sides: list[list[list[tuple[int, int]]]] = [[], []]
        documents = {}
        for d in range(3):
            places = np.sort(rng.choice(tokens, 10, replace=False)).tolist()
            key = list(zip(places, chains(rng, 10), strict=True))
            other = [p for p in places if rng.random() < 0.8] or places[:1]
            response = list(zip(other, chains(rng, len(other)), strict=True))
            units, links = [], []
            for who, mentions in (("gold", key), ("system", response)):
                last: dict[int, str] = {}
                for place, chain in mentions:
                    name = f"{who}{place}"
                    units.append(Unit(who, place, place + 1, "m", id=name))
                    if chain in last:
                        links.append(Link(who, "coref", last[chain], name, kind="chain"))
                    last[chain] = name
            sides[0].append(key)
            sides[1].append(response)
            documents[f"d{d}"] = Continuum.from_units(units, links=links)
        scores = gc.measure(
            Corpus.from_continua(documents),
            ["muc", "b-cubed", "ceaf-e", "conll-average"],
            reference="gold",
        )
        first = [scores[n] for n in ("muc", "b-cubed", "ceaf-e")]
        mine = [x or 0.0 for s in first for x in (s.recall, s.precision, s.value)]
        texts = [conll_text(side, tokens) for side in sides]
        case = {"peer": "conll", "key": texts[0], "response": texts[1], "scorer": scorer}
        yield case, [*mine, scores["conll-average"].value]


def real_cases(options: argparse.Namespace) -> list[Case]:
    """Return the cases of the corpora that are named, and say what is left out."""
    left_out: Counter[str] = Counter()
    cases: list[Case] = []
    for paths in options.spans or []:
        cases += corpus_real.span_cases(paths, options.by_label, left_out)
    for paths in options.labels or []:
        cases += corpus_real.label_cases(paths)
    for paths in options.presence or []:
        cases += corpus_real.presence_cases(paths)
    for reference, system in options.speakers or []:
        cases += corpus_real.speaker_cases(reference, system)
    if options.chains:
        if not options.scorer:
            raise SystemExit("--chains needs SCORER")
        cases += corpus_real.chain_cases(options.chains, options.scorer)
    for what, number in left_out.items():
        print(f"# left out: {number} {what}")
    return cases


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python")
    parser.add_argument("scorer", nargs="?")
    parser.add_argument("--number", type=int, default=50)
    parser.add_argument("--spans", action="append", nargs="+", metavar="FILE")
    parser.add_argument("--by-label", action="store_true", help="spans of each label, too")
    parser.add_argument("--labels", action="append", nargs="+", metavar="FILE")
    parser.add_argument("--presence", action="append", nargs="+", metavar="FILE")
    parser.add_argument("--speakers", action="append", nargs=2, metavar=("REFERENCE", "SYSTEM"))
    parser.add_argument("--chains", nargs="+", metavar="FILE")
    parser.add_argument("--show", action="store_true", help="print each value that differs")
    options = parser.parse_args()
    cases = real_cases(options)
    if not cases:
        rng = np.random.default_rng(1)
        cases = [*entity_cases(rng, options.number), *label_cases(rng, options.number)]
        if options.scorer:
            cases += chain_cases(rng, options.number, options.scorer)
    script = Path(__file__).with_name("corpus_peer.py")
    run = subprocess.run(
        [options.python, str(script)],
        input=json.dumps([case for case, _ in cases]),
        capture_output=True,
        text=True,
        check=True,
    )
    compared: dict[str, list[float]] = {}
    for (case, mine), peer_values in zip(cases, json.loads(run.stdout), strict=True):
        row = compared.setdefault(case["peer"], [])
        row += [abs(a - b) for a, b in zip(mine, peer_values, strict=True)]
        if options.show:
            for k, (a, b) in enumerate(zip(mine, peer_values, strict=True)):
                if abs(a - b) > 1e-9:
                    print(f"# {case['peer']}, value {k}: {a:.6f}, theirs {b:.6f}")
    print("peer,values,different,largest_difference")
    for peer, apart in compared.items():
        print(f"{peer},{len(apart)},{sum(x > 1e-9 for x in apart)},{max(apart):.2g}")


if __name__ == "__main__":
    main()
