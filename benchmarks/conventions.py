"""Conventions in which annotators differ: how often planted ones and absent ones are found.

    python benchmarks/conventions.py [--planted 40] [--without 20] [--noise 0.06] [--show]

Annotators draw on true units: each is missed, gets another category or another boundary at rates
that are drawn for each corpus, up to the point where half of the units of two annotators are
identical. Then one annotator's work is put into another convention. The corpora without a planted
convention are what could look like one: near duplicates, one-character units in short documents,
periodic units, habits (with exceptions, in a text, or of reaction times), coarse grids, dense
tokens, fixed windows, sentences and clauses, few units, unrelated annotators, and errors of the
Corpus Shuffling Tool. Habits without exceptions are listed apart: without a text they are the same
data as a convention.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from gammacp import Continuum, Unit
from gammacp.formats.between_annotators import suspected
from shuffling import ReferenceModel, reference_set, shuffle

Rng = np.random.Generator
Corpus = dict[str, Continuum]
Span = tuple[float, float, str]
LABELS = ("per", "loc", "org", "misc", "date")
ANN, BOB = "Ann", "Bob"


def truth(draw: Rng, count: int, length: float = 12, gap: float = 20) -> list[Span]:
    """Return units one after the other on whole numbers."""
    at, spans = float(draw.integers(0, 30)), list[Span]()
    for _ in range(count):
        at += 1 + draw.poisson(gap)
        end = at + 1 + draw.poisson(length)
        spans.append((at, end, LABELS[draw.integers(len(LABELS))]))
        at = end
    return spans


def drawn(draw: Rng, spans: list[Span], noise: float, reach: int = 4) -> list[Span]:
    """Return one annotator's version of units: some missed, some with other edges or labels."""
    noisy_spans = list[Span]()
    for start, end, label in spans:
        if draw.random() < noise:
            continue
        s = start + draw.integers(-reach, reach + 1) * (draw.random() < noise)
        e = end + draw.integers(-reach, reach + 1) * (draw.random() < noise)
        other = LABELS[draw.integers(len(LABELS))] if draw.random() < noise / 2 else label
        noisy_spans.append((max(0.0, float(s)), float(max(s, e, 0)), other))
    return noisy_spans


def corpus(documents: list[dict[str, list[Span]]], texts: list[str] | None = None) -> Corpus:
    """Return a corpus of documents with the units that annotators marked."""
    continua: Corpus = {}
    for number, document in enumerate(documents):
        units = [Unit(a, s, e, c) for a, spans in document.items() for s, e, c in spans]
        about = {"text": texts[number], "offset_unit": "characters"} if texts else {}
        name = f"d{number}"
        continua[name] = Continuum.from_units(units, annotators=[*document], name=name, **about)
    return continua


def annotated(draw: Rng, most_noise: float, *, several: bool = True) -> list[dict[str, list[Span]]]:
    """Return the work of two to four annotators on one to five documents."""
    noise = draw.uniform(0, most_noise)
    people = [ANN, BOB, "Cid", "Dan"][: draw.integers(2, 5)]
    documents = int(draw.integers(1, 6)) if several else 1
    noisy_documents = []
    for _ in range(documents):
        spans = truth(draw, int(draw.integers(12, 60)))
        noisy_documents.append({a: drawn(draw, spans, noise) for a in people})
    return noisy_documents


def moved(
    change: Callable[[Span], Span], who: str = ANN
) -> Callable[[Rng, list[dict[str, list[Span]]]], None]:
    """Return a function that puts one annotator's units into another convention."""

    def move(_: Rng, documents: list[dict[str, list[Span]]]) -> None:
        for document in documents:
            document[who] = [change(span) for span in document[who]]

    return move


def shifted(from_middle: bool) -> Callable[[Rng, list[dict[str, list[Span]]]], None]:
    """Return a function that shifts one document, all of it or from its middle on."""

    def shift(draw: Rng, documents: list[dict[str, list[Span]]]) -> None:
        spans = documents[0][ANN]
        place = spans[len(spans) // 2][0] if from_middle else -1.0
        by = float(draw.integers(1, 400))
        documents[0][ANN] = [(s + by, e + by, c) if s >= place else (s, e, c) for s, e, c in spans]

    return shift


def both(*changes: Callable[[Rng, list[dict[str, list[Span]]]], None]) -> Callable[..., None]:
    """Return a function that applies changes one after the other."""

    def change(draw: Rng, documents: list[dict[str, list[Span]]]) -> None:
        for each in changes:
            each(draw, documents)

    return change


milliseconds = moved(lambda u: (u[0] * 1000, u[1] * 1000, u[2]))
seconds = moved(lambda u: (u[0] / 1000, u[1] / 1000, u[2]))
frames = moved(lambda u: (u[0] / 25, u[1] / 25, u[2]))


def rounded_frames(_: Rng, documents: list[dict[str, list[Span]]]) -> None:
    """Convert all positions to milliseconds, one annotator's rounded to frames."""
    for document in documents:
        for who, spans in document.items():
            document[who] = [(s * 97, e * 97, c) for s, e, c in spans]
        document[ANN] = [(s // 40, e // 40, c) for s, e, c in document[ANN]]


later_ends = moved(lambda u: (u[0], max(u[0], u[1] - 1), u[2]))
earlier_ends = moved(lambda u: (u[0], u[1] + 1, u[2]))
upper = moved(lambda u: (u[0], u[1], u[2].upper()))
from_one = moved(lambda u: (u[0] + 1, max(u[0] + 1, u[1]), u[2]))
PLANTED: Mapping[str, tuple[Callable[..., None], str]] = {
    "x1000": (milliseconds, "x1000|x1/1000"),
    "x1/1000": (seconds, "x1000|x1/1000"),
    "x1/25": (frames, "x25|x1/25"),
    "frames, rounded down": (rounded_frames, "x40|x1/40"),
    "shift": (shifted(False), "+|-"),
    "shift from a place on": (shifted(True), "from"),
    "end+1 (inclusive)": (later_ends, "end+1|end-1"),
    "end-1": (earlier_ends, "end+1|end-1"),
    "case": (upper, "case"),
    "end+1 and case": (both(later_ends, upper), "end+1 and case|end-1 and case"),
    "x1000 and case": (both(milliseconds, upper), "x1000 and case|x1/1000 and case"),
    "shift and case": (both(shifted(False), upper), "and case"),
    "x1000 and a shift": (
        both(milliseconds, moved(lambda u: (u[0] + 7250, u[1] + 7250, u[2]))),
        ", ",
    ),
    "from 1, ends inclusive": (from_one, "start|end"),
}


def near_duplicates(draw: Rng) -> Corpus:
    """Draw annotators who corrected the same pre-annotation."""
    spans = truth(draw, int(draw.integers(20, 80)))
    return corpus([{a: drawn(draw, spans, 0.02, 1) for a in (ANN, BOB, "Cid")}])


def one_character(draw: Rng) -> Corpus:
    """Draw short documents with units of one character."""
    documents = []
    for _ in range(draw.integers(1, 30)):
        length = int(draw.integers(4, 40))
        share = draw.uniform(0.1, 0.7)
        document = {}
        for a in (ANN, BOB):
            places = np.flatnonzero(draw.random(length) < share).tolist()
            document[a] = [(float(p), p + 1.0, LABELS[draw.integers(2)]) for p in places]
        documents.append(document)
    return corpus(documents)


def periodic(draw: Rng) -> Corpus:
    """Draw units at equal distances; annotators begin with different units."""
    step, length = float(draw.integers(4, 30)), float(draw.integers(1, 4))
    count = int(draw.integers(8, 60))
    document = {}
    for a in (ANN, BOB):
        first = float(draw.integers(0, 5)) * (step if draw.random() < 0.5 else 1)
        chosen_beats = [k for k in range(count) if draw.random() > 0.1]
        document[a] = [(first + k * step, first + k * step + length, "beat") for k in chosen_beats]
    return corpus([document])


def habit_with_exceptions(draw: Rng) -> Corpus:
    """Draw annotators of whom one includes the token after most units."""
    rate = draw.uniform(0.4, 0.85)
    spans = truth(draw, int(draw.integers(20, 80)), 2, 6)
    shifted_spans = [(s, e + (draw.random() < rate), c) for s, e, c in drawn(draw, spans, 0.05, 1)]
    return corpus([{ANN: shifted_spans, BOB: drawn(draw, spans, 0.05, 1)}])


def punctuation(draw: Rng) -> Corpus:
    """Draw a text whose sentences one annotator marks with, another without the full stop."""
    words = ["".join(draw.choice([*"abcdefgh"], draw.integers(2, 8))) for _ in range(40)]
    text, spans = "", list[Span]()
    for _ in range(draw.integers(12, 40)):
        start = len(text)
        text += " ".join(draw.choice(words, draw.integers(2, 7)))
        spans.append((float(start), float(len(text)), LABELS[draw.integers(3)]))
        text += ". "
    shifted_spans = [(s, e + 1, c) for s, e, c in spans if draw.random() > 0.05]
    return corpus([{ANN: shifted_spans, BOB: [u for u in spans if draw.random() > 0.05]}], [text])


def reaction(draw: Rng) -> Corpus:
    """Draw live coding in which one annotator reacts later, with varying delays."""
    spans = truth(draw, int(draw.integers(15, 60)), 800, 2000)
    lag, spread = draw.uniform(150, 500), draw.uniform(20, 150)
    delayed_spans = []
    for s, e, c in spans:
        begin = s + float(round(draw.normal(lag, spread)))
        delayed_spans.append((begin, max(begin, e + float(round(draw.normal(lag, spread)))), c))
    return corpus([{ANN: delayed_spans, BOB: spans}])


def coarse_grid(draw: Rng) -> Corpus:
    """Draw annotators who work at whole seconds and at milliseconds."""
    spans = truth(draw, int(draw.integers(15, 60)), 1500, 3000)
    fine = drawn(draw, spans, 0.1, 300)
    coarse = [(s // 1000 * 1000, max(s, e) // 1000 * 1000 + 1000, c) for s, e, c in spans]
    return corpus([{ANN: fine, BOB: coarse}])


def dense_tokens(draw: Rng) -> Corpus:
    """Draw runs of tokens that cover most of a text, with each annotator's own boundaries."""
    document = {}
    length = int(draw.integers(40, 200))
    for a in (ANN, BOB, "Cid"):
        cuts = np.unique(draw.integers(0, length, length // 3)).tolist()
        runs = pairwise(cuts)
        document[a] = [(float(s), float(e), LABELS[draw.integers(2)]) for s, e in runs]
    return corpus([document])


def fixed_windows(draw: Rng) -> Corpus:
    """Draw windows of a recording with labels that persist for some time, coded with errors."""
    count = int(draw.integers(20, 120))
    state, stay = 0, draw.uniform(0.3, 0.95)
    states = []
    for _ in range(count):
        state = state if draw.random() < stay else int(draw.integers(4))
        states.append(state)
    document = {}
    for a in (ANN, BOB):
        wrong = draw.uniform(0.1, 0.9)
        labels = [int(draw.integers(4)) if draw.random() < wrong else k for k in states]
        document[a] = [(10.0 * i, 10.0 * i + 10, LABELS[k]) for i, k in enumerate(labels)]
    return corpus([document])


def other_granularity(draw: Rng) -> Corpus:
    """Draw annotators of whom one marks sentences, another the clauses in them."""
    spans = truth(draw, int(draw.integers(10, 40)), 60, 2)
    parts = list[Span]()
    for s, e, c in spans:
        cuts = sorted({s, e, *(float(x) for x in draw.integers(int(s), int(e) + 1, 2))})
        parts += [(x, y, c) for x, y in pairwise(cuts)]
    return corpus([{ANN: drawn(draw, spans, 0.1), BOB: drawn(draw, parts, 0.1)}])


def few_units(draw: Rng) -> Corpus:
    """Draw many documents of one to four units."""
    documents = []
    for _ in range(draw.integers(5, 40)):
        spans = truth(draw, int(draw.integers(1, 5)), 3, 5)
        documents.append({a: drawn(draw, spans, 0.3, 2) for a in (ANN, BOB)})
    return corpus([d for d in documents if d[ANN] and d[BOB]] or documents)


def unrelated(draw: Rng) -> Corpus:
    """Draw annotators who have nothing in common."""
    return corpus([{a: truth(draw, int(draw.integers(5, 60)), 2, 3) for a in (ANN, BOB)}])


def shuffled(draw: Rng) -> Corpus:
    """Draw errors of the Corpus Shuffling Tool at random magnitudes."""
    seed = int(draw.integers(1 << 30))
    error = str(draw.choice(["position", "category", "split", "merge", "position+category"]))
    reference = reference_set(ReferenceModel(), seed=seed)
    annotations = shuffle(reference, error, float(draw.uniform(0, 0.9)), n_annotators=3, seed=seed)
    return {"d": annotations}


def habit_without_exceptions(draw: Rng) -> Corpus:
    """Draw annotators of whom one always includes the token after a unit."""
    spans = truth(draw, int(draw.integers(20, 80)), 2, 6)
    shifted_spans = [(s, e + 1, c) for s, e, c in drawn(draw, spans, 0.05, 1)]
    return corpus([{ANN: shifted_spans, BOB: drawn(draw, spans, 0.05, 1)}])


WITHOUT: Mapping[str, Callable[[Rng], Corpus]] = {
    "near duplicates": near_duplicates,
    "one-character units": one_character,
    "periodic units": periodic,
    "a habit with exceptions": habit_with_exceptions,
    "a habit, seen in the text": punctuation,
    "reaction times": reaction,
    "a coarse grid": coarse_grid,
    "dense tokens": dense_tokens,
    "fixed windows": fixed_windows,
    "sentences and clauses": other_granularity,
    "few units": few_units,
    "unrelated": unrelated,
    "Corpus Shuffling Tool": shuffled,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--planted", type=int, default=40, help="corpora of each convention")
    parser.add_argument("--without", type=int, default=20, help="corpora of each other process")
    parser.add_argument("--noise", type=float, default=0.06, help="largest rate of differences")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="print what was wrong")
    arguments = parser.parse_args()
    for name, (plant, right) in PLANTED.items():
        draw = np.random.default_rng([arguments.seed, *name.encode()])
        counts = Counter[str]()
        for number in range(arguments.planted):
            documents = annotated(draw, arguments.noise, several="from a place" not in name)
            plant(draw, documents)
            conventions = [note.convention for note in suspected(corpus(documents))]
            expected = [s for s in conventions if any(part in s for part in right.split("|"))]
            counts["found"] += bool(expected)
            counts["alone"] += len(expected) == len(conventions) == 1
            if arguments.show and len(expected) != 1:
                print("   ", name, number, conventions)
        print(
            f"{name:28} found in {counts['found']} of {arguments.planted}, alone {counts['alone']}"
        )
    total = wrong = 0
    for name, make in {**WITHOUT, "a habit without exceptions": habit_without_exceptions}.items():
        draw = np.random.default_rng([arguments.seed, *name.encode()])
        notes = [suspected(make(draw)) for _ in range(arguments.without)]
        count = sum(bool(document_notes) for document_notes in notes)
        print(f"{name:28} warned in {count} of {arguments.without}")
        if arguments.show:
            for document_notes in notes:
                for note in document_notes:
                    print("   ", note)
        if name in WITHOUT:
            total, wrong = total + arguments.without, wrong + count
    print(f"without a convention: warned in {wrong} of {total}")


if __name__ == "__main__":
    main()
