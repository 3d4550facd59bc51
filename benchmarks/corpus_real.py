"""Cases of real corpora for `corpus_peers.py`: what gammacp measures, and what a peer needs.

Corpora are read as gammacp reads them; nothing of them is kept. A case is a pair of what the peer
gets and gammacp's values; documents that a peer cannot take are left out of both, and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import gammacp as gc
from gammacp import Continuum, Corpus, Unit
from gammacp.continuum.links import Link

Span = tuple[int, int, str]
Case = tuple[dict[str, Any], list[float]]


def spans_of(continuum: Continuum, annotator: str) -> list[Span]:
    """Return the units of one annotator as whole positions from the lower bound."""
    low = continuum.bounds[0]
    units = (u for u in continuum if u.annotator == annotator)
    return sorted({(int(u.start - low), int(u.end - low), str(u.category)) for u in units})


def overlapping(spans: Sequence[Span]) -> bool:
    """Return whether a span begins before the one before it ends."""
    return any(b[0] < a[1] for a, b in pairwise(spans))


def tags(spans: Sequence[Span], places: int) -> list[str]:
    """Return BIO tags of spans that do not overlap."""
    labels = ["O"] * places
    for start, end, label in spans:
        labels[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    return labels


def span_cases(paths: Sequence[str], by_label: bool, left_out: Counter[str]) -> Iterator[Case]:
    """Yield cases of every two annotators: F₁ scores beside seqeval and nervaluate."""
    corpus = gc.read_corpus(paths)
    people = dict.fromkeys(a for c in corpus.values() for a in c.annotators)
    for pair in combinations(people, 2):
        continua: dict[str, Continuum] = {}
        sides: list[tuple[list[Span], list[Span]]] = []
        lengths = []
        for name, c in corpus.items():
            if not set(pair) <= set(c.annotators):
                continue
            both = spans_of(c, pair[0]), spans_of(c, pair[1])
            unlabelled = any(u.category is None for u in c)
            if not any(both) or any(map(overlapping, both)) or unlabelled:
                left_out["span documents: empty, unlabelled or with overlaps"] += 1
                continue
            units = [Unit(a, *s) for a, spans in zip(pair, both, strict=True) for s in spans]
            length = max(s[1] for spans in both for s in spans)
            continua[name] = Continuum.from_units(units, annotators=pair, bounds=(0, length))
            sides.append(both)
            lengths.append(length)
        if len(continua) > 1:
            yield from _pair_cases(
                Corpus.from_continua(continua), pair[0], sides, lengths, by_label
            )


def _pair_cases(
    corpus: Corpus,
    reference: str,
    sides: Sequence[tuple[list[Span], list[Span]]],
    lengths: Sequence[int],
    by_label: bool,
) -> Iterator[Case]:
    names = ["f1-strict", "f1-exact", "f1-partial"]
    by = ["category"] if by_label else []
    scores = gc.measure(corpus, names, reference=reference, by=by)
    strict = scores["f1-strict"]
    present = [k for k, score in strict.by_category.items() if score.defined]
    rows = [strict, *(strict.by_category[k] for k in present)]
    mine = [x or 0.0 for s in rows for x in (s.precision, s.recall, s.value)]
    gold, system = (
        [tags(both[k], n) for both, n in zip(sides, lengths, strict=True)] for k in (0, 1)
    )
    yield {"peer": "seqeval", "gold": gold, "system": system, "labels": present}, mine
    whole = [
        [[{"label": x, "start": s, "end": e - 1} for s, e, x in both[k]] for both in sides]
        for k in (0, 1)
    ]
    labels = sorted({x for both in sides for spans in both for _, _, x in spans})
    mine = [x or 0.0 for s in scores.values() for x in (s.precision, s.recall, s.value)]
    yield {"peer": "nervaluate", "gold": whole[0], "system": whole[1], "labels": labels}, mine


def label_cases(paths: Sequence[str]) -> Iterator[Case]:
    """Yield cases of labels at given places: α, κ and AC1 beside krippendorff and irrCAC."""
    corpus = gc.read_corpus(paths)
    people = [*dict.fromkeys(a for c in corpus.values() for a in c.annotators)]
    names = sorted({str(u.category) for c in corpus.values() for u in c})
    codes = {name: str(k + 1) for k, name in enumerate(names)}
    items: dict[tuple[str, float, float], dict[str, str]] = {}
    for name, c in corpus.items():
        for u in c:
            items.setdefault((name, u.start, u.end), {})[u.annotator] = codes[str(u.category)]
    table = [[labels.get(a) for labels in items.values()] for a in people]
    measures, coefficients = ["alpha", "gwet-ac"], ["gwet"]
    complete = all(x is not None for row in table for x in row)
    scores = gc.measure(corpus, measures)
    yield {"peer": "krippendorff", "table": table, "levels": ["nominal"]}, [scores["alpha"].value]
    mine = [scores["gwet-ac"].value]
    if complete:
        for coefficient in ("fleiss", "conger"):
            mine.append(gc.measure(corpus, ["kappa"], coefficient=coefficient)["kappa"].value)
            coefficients.append(coefficient)
    yield {"peer": "irrCAC", "table": table, "of": coefficients}, mine


def presence_cases(paths: Sequence[str]) -> Iterator[Case]:
    """Yield cases of the presence of codes in documents: α by code, beside krippendorff."""
    corpus = gc.read_corpus(paths)
    score_by_code = gc.measure(corpus, ["presence"], by=["category"])["presence"].by_category
    people = [*dict.fromkeys(a for c in corpus.values() for a in c.annotators)]
    place = {name: k for k, name in enumerate(people)}
    documents = [c for c in corpus.values() if c.n_annotators > 1]
    for code, score in score_by_code.items():
        if not score.defined:
            continue
        table: list[list[str | None]] = [[None] * len(documents) for _ in people]
        for d, c in enumerate(documents):
            marked = {u.annotator for u in c if u.category == code}
            for a in c.annotators:
                table[place[a]][d] = "2" if a in marked else "1"
        yield {"peer": "krippendorff", "table": table, "levels": ["nominal"]}, [score.value]


def speaker_cases(reference: str, system: str) -> Iterator[Case]:
    """Yield cases of speakers: matched time beside pyannote.metrics' diarization error rate."""
    sides = [_turns(Path(reference)), _turns(Path(system))]
    documents = {
        name: Continuum.from_units(
            [Unit(a, *t) for a, s in zip(("ref", "sys"), sides, strict=True) for t in s[name]]
        )
        for name in sorted(sides[0].keys() & sides[1].keys())
    }
    corpus = Corpus.from_continua(documents)
    maps = gc.measure(corpus, ["f1-overlap"], reference="ref", match_labels="document").labels  # type: ignore[attr-defined]
    for name in documents:
        turns = [side[name] for side in sides]
        yield {"peer": "pyannote", "reference": turns[0], "system": turns[1]}, [maps[name].shared]


def _turns(path: Path) -> dict[str, list[tuple[float, float, str]]]:
    """Return turns by recording, from one RTTM file or all in a folder."""
    rows_by_speaker: dict[str, list[tuple[float, float, str]]] = {}
    for file in sorted(path.glob("*.rttm")) if path.is_dir() else [path]:
        for line in file.read_text(encoding="utf-8").splitlines():
            parts = line.split()
            if parts and parts[0] == "SPEAKER":
                start, length = float(parts[3]), float(parts[4])
                row = (start, round(start + length, 6), parts[7])
                rows_by_speaker.setdefault(parts[1], []).append(row)
    return rows_by_speaker


def chain_cases(paths: Sequence[str], scorer: str) -> Iterator[Case]:
    """Yield cases of coreference in CoNLL files, beside the CoNLL scorer.

    The response is that of a simple system: mentions with the same words are one chain.
    """
    for path in paths:
        documents, key, response = {}, [], []
        for name, tokens, mentions in _conll_documents(Path(path)):
            words = {m: " ".join(tokens[m[0] : m[1]]).lower() for m, _ in mentions}
            sides = [mentions, [(m, words[m]) for m, _ in mentions]]
            documents[name] = _linked(sides)
            key.append(_conll_text(name, sides[0], len(tokens)))
            response.append(_conll_text(name, sides[1], len(tokens)))
        measures = ["muc", "b-cubed", "ceaf-e", "conll-average"]
        scores = gc.measure(Corpus.from_continua(documents), measures, reference="gold")
        mine = [x or 0.0 for n in measures[:3] for s in [scores[n]]
                for x in (s.recall, s.precision, s.value)]  # fmt: skip
        case = {"peer": "conll", "key": "".join(key), "response": "".join(response)}
        yield {**case, "scorer": scorer}, [*mine, scores["conll-average"].value]


Mentions = list[tuple[tuple[int, int], str]]


def _conll_documents(path: Path) -> Iterator[tuple[str, list[str], Mentions]]:
    """Yield name, tokens and mentions of each document; only one mention at each place."""
    name, tokens, open_at = "", list[str](), dict[str, list[int]]()
    chain_by_span: dict[tuple[int, int], str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#begin document"):
            name, tokens, open_at, chain_by_span = line[15:].strip(" ;"), [], {}, {}
        elif line.startswith("#end"):
            yield name, tokens, sorted(chain_by_span.items())
        elif line.strip():
            columns = line.split("\t") if "\t" in line else line.split()
            tokens.append(columns[3])
            for mark in columns[-1].strip("-_ \n").split("|"):
                chain = mark.strip("()")
                if mark.startswith("("):
                    open_at.setdefault(chain, []).append(len(tokens) - 1)
                if mark.endswith(")"):
                    chain_by_span.setdefault((open_at[chain].pop(), len(tokens)), chain)


def _linked(sides: Sequence[Mentions]) -> Continuum:
    """Return two annotators' mentions; those of a chain are linked one to the next."""
    units, links = [], []
    for who, mentions in zip(("gold", "system"), sides, strict=True):
        last: dict[str, str] = {}
        for (start, end), chain in mentions:
            name = f"{who}{start}-{end}"
            units.append(Unit(who, start, end, "m", id=name))
            if chain in last:
                links.append(Link(who, "coref", last[chain], name, kind="chain"))
            last[chain] = name
    return Continuum.from_units(units, links=links)


def _conll_text(name: str, mentions: Mentions, tokens: int) -> str:
    """Return one document in the format of the scorer."""
    numbers = {chain: k for k, chain in enumerate(dict.fromkeys(c for _, c in mentions))}
    marks: list[list[str]] = [[] for _ in range(tokens)]
    # Longer mentions open first and close last.
    for (start, end), chain in sorted(mentions, key=lambda m: (m[0][0], -m[0][1])):
        one = end - start == 1
        marks[start].append(f"({numbers[chain]})" if one else f"({numbers[chain]}")
    for (start, end), chain in sorted(mentions, key=lambda m: (-m[0][0], m[0][1])):
        if end - start > 1:
            marks[end - 1].append(f"{numbers[chain]})")
    lines = [f"#begin document ({name});"]
    lines += [f"d\t0\t{k}\tw\t{'|'.join(m) or '-'}" for k, m in enumerate(marks)]
    return "\n".join([*lines, "", "#end document", ""])
