"""Conventions of offsets in files with quotes: how many are read right, refused, or read wrongly.

    python benchmarks/offsets.py [--planted 40] [--without 200] [--seed 0] [--show]

A text of random words (with line breaks of two characters, runs of blanks, accents, emoji) is
retold as a tool of each convention has it, by encodings and replacements of the standard library;
spans are words, counted in what the tool has. `right` are files whose units are where the words are
in our text. Without a convention, some words of the text are others than when it was annotated,
quotes are normalised, or they are from another document. If all changed words have the same length,
or lie behind or before all quotes, such a file can be read all the same, its units in place.
"""

from __future__ import annotations

import argparse
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from gammacp.errors import DataError
from gammacp.formats.evidence import Quote, Quoted, settle
from gammacp.formats.offsets import conventions
from gammacp.formats.source import Source

Rng = np.random.Generator
Span = tuple[int, int]
LETTERS = [*"abcdefghiklmnoprstuvw", *"eeeaaiiooun", "é", "ü", "ß", "ο", "한"]
GAPS = (" ", " ", " ", " ", "  ", "\r\n", ".\r\n", " 😊 ", ", ")
RETOLD: dict[str, Callable[[str], str]] = {
    "from-1": lambda text: "\ufeff" + text,
    "no-mark": lambda text: text.removeprefix("\ufeff"),
    "crlf-as-one": lambda text: text.replace("\r\n", "\n"),
    "crlf-as-two": lambda text: re.sub("(?<!\r)\n", "\r\n", text),
    "nfc": lambda text: unicodedata.normalize("NFC", text),
    "nfd": lambda text: unicodedata.normalize("NFD", text),
    "blanks": lambda text: re.sub(r"\s+", " ", text),
    "trimmed": lambda text: re.sub(r"\s+", " ", text).strip(),
}
ENCODINGS = {"utf-16": ("utf-16-le", 2), "utf-8": ("utf-8", 1)}
SOURCE = Source(Path("benchmark"), "document", "annotator", b"")


def text_of(draw: Rng, parts: list[str]) -> tuple[list[str], list[str]]:
    """Return words and what stands between them, in a form that the conventions change."""
    count = int(draw.integers(20, 120))
    words = ["".join(draw.choice(LETTERS, draw.integers(1, 9))) for _ in range(count)]
    gaps = [str(draw.choice(GAPS)) for _ in range(count)]
    if "nfc" in parts:
        words = [unicodedata.normalize("NFD", word) for word in words]
    if "crlf-as-two" in parts:
        gaps = [gap.replace("\r\n", "\n") for gap in gaps]
    return words, ["\ufeff" if "no-mark" in parts else " ", *gaps]


def joined(words: list[str], gaps: list[str]) -> tuple[str, list[Span]]:
    """Return a text and where its words are."""
    text, places = gaps[0], list[Span]()
    for word, gap in zip(words, gaps[1:], strict=True):
        places.append((len(text), len(text) + len(word)))
        text += word + gap
    return text, places


def planted(draw: Rng, parts: list[str]) -> tuple[Quoted, list[Span]]:
    """Return what a tool of a convention writes, and where it is in our text."""
    words, gaps = text_of(draw, parts)
    text, places = joined(words, gaps)
    chosen = sorted(draw.choice(len(words), min(len(words), int(draw.integers(2, 20))), False))
    coding, width = next((ENCODINGS[p] for p in parts if p in ENCODINGS), ("utf-32-le", 4))

    def at(place: int) -> int:
        prefix = text[:place]
        for part in parts:
            if part == "trimmed":
                prefix = re.sub(r"\s+", " ", prefix).lstrip()
            else:
                prefix = RETOLD.get(part, str)(prefix)
        return len(prefix.encode(coding)) // width

    def quoted(word: str) -> str:
        for part in parts:
            word = word if part in ("from-1", "no-mark") else RETOLD.get(part, str)(word)
        return word

    less = int("inclusive" in parts)
    quotes = [
        Quote(((at(places[i][0]), at(places[i][1]) - less),), quoted(words[i]), f"T{i}")
        for i in chosen
    ]
    return Quoted([text], quotes), [places[i] for i in chosen]


def other_version(draw: Rng) -> tuple[Quoted, list[Span]]:
    """Return quotes of a text of which only another version is there, and where its words are."""
    words, gaps = text_of(draw, [])
    _, places = joined(words, gaps)
    chosen = sorted(draw.choice(len(words), int(draw.integers(1, 20)), False))
    quotes = [Quote((places[i],), words[i], f"T{i}") for i in chosen]
    for _ in range(draw.integers(1, 5)):
        place = int(draw.integers(len(words)))
        words[place] = "".join(draw.choice(LETTERS, draw.integers(1, 9)))
    text, moved = joined(words, gaps)
    return Quoted([text], quotes), [moved[i] for i in chosen]


def normalised_quotes(draw: Rng) -> tuple[Quoted, list[Span]]:
    """Return quotes that a tool has written in ASCII."""
    document, truth = planted(draw, [])
    plain = [
        Quote(q.parts, "".join(c if c.isascii() else "a" for c in q.text or ""), q.what)
        for q in document.quotes
    ]
    return Quoted(document.texts, plain), truth


def other_document(draw: Rng) -> tuple[Quoted, list[Span]]:
    """Return quotes of another text."""
    document, _ = planted(draw, [])
    return Quoted(planted(draw, [])[0].texts, document.quotes[: int(draw.integers(1, 8))]), []


WITHOUT = {
    "another version": other_version,
    "normalised quotes": normalised_quotes,
    "another document": other_document,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--planted", type=int, default=40, help="files of each convention")
    parser.add_argument("--without", type=int, default=200, help="files of each other process")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="print more")
    arguments = parser.parse_args()
    total = Counter[tuple[int, str]]()
    for convention in conventions():
        parts = [part.name for part in convention.parts]
        draw = np.random.default_rng([arguments.seed, *convention.name.encode()])
        counts = Counter[str]()
        for _ in range(arguments.planted):
            document, truth = planted(draw, parts)
            try:
                (settled,) = settle(SOURCE, [document])
                places = [settled.places(quote)[0] for quote in document.quotes]
                counts["right" if places == truth else "wrong"] += 1
            except DataError as error:
                counts["refused"] += 1
                if arguments.show:
                    print("   ", convention.name, error)
        total.update({(len(parts), key): count for key, count in counts.items()})
        if arguments.show or len(parts) < 2:
            print(f"{convention.name:24} {dict(counts)}")
    print(f"all of two: { {key: n for (size, key), n in total.items() if size == 2} }")
    for name, make in WITHOUT.items():
        draw = np.random.default_rng([arguments.seed, *name.encode()])
        counts = Counter[str]()
        for _ in range(arguments.without):
            document, truth = make(draw)
            try:
                (settled,) = settle(SOURCE, [document])
            except DataError:
                counts["refused"] += 1
                continue
            right = [settled.places(quote)[0] for quote in document.quotes] == truth
            how = "by a convention" if settled.notes else "as it is"
            counts[f"read {how}, {'in' if right else 'out of'} place"] += 1
            if arguments.show and not right:
                print("   ", settled.notes, [quote.text for quote in document.quotes])
        print(f"{name:24} {dict(counts)}")


if __name__ == "__main__":
    main()
