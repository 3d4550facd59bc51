"""Scores of coreference beside corefud-scorer, on random and on changed texts (`fields_peers`)."""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

# For each pair of annotators the name of a score, the peer's value and ours.
Values: TypeAlias = Iterator[tuple[str, float, float]]


# Runs in the peer's environment: R, P and F₁ of files, mentions matched in three ways.
COREFUD = """
import json, logging, sys
logging.disable(logging.CRITICAL)
from scorer.corefud.reader import CorefUDReader
from scorer.eval import evaluator as e
metrics = {"muc": e.muc, "b-cubed": e.b_cubed, "ceaf-m": e.ceafm, "ceaf-e": e.ceafe,
           "blanc": [e.blancc, e.blancn], "lea": e.lea, "mor": e.mention_overlap,
           "zeros": e.als_zeros}
made = []
for key, response in json.load(sys.stdin):
    for match in ("head", "partial", "exact"):
        for singletons in (False, True):
            reader = CorefUDReader(
                keep_singletons=singletons, keep_zeros=True, zero_match_method="dependent",
                match="partial-corefud" if match == "partial" else match)
            reader.get_coref_infos(key, response)
            row = {name: [float(x) for x in e.evaluate_documents(reader.doc_coref_infos, metric)]
                   for name, metric in metrics.items()}
            made.append([match, singletons, row])
json.dump(made, sys.stdout)
"""


class RandomChains:
    """A text with chains, heads and zeros, and another annotator's version of it."""

    def __init__(self, rng: random.Random) -> None:
        """Draw words, empty nodes and mentions."""
        self.rng = rng
        self.lengths = [rng.randrange(3, 10) for _ in range(rng.randrange(2, 7))]
        self.zeros = {s: self.zeros_of(n) for s, n in enumerate(self.lengths)}
        # For each mention: entity, sentence, first and last node, and place of the head.
        self.mentions: dict[tuple[int, int, int], tuple[int, int]] = {}
        for sentence in range(len(self.lengths)):
            for _ in range(rng.randrange(4)):
                self.add(sentence)
        self.add_zeros()

    def zeros_of(self, length: int) -> list[tuple[int, str]]:
        """Return empty nodes of a sentence: the word before each, and its dependency."""
        return [
            (self.rng.randrange(1, length + 1), edge)
            for edge in ("1:nsubj", "1:obj", "2:nsubj")
            if self.rng.random() < 0.25
        ]

    def nodes(self, sentence: int) -> list[tuple[str, str]]:
        """Return the IDs of a sentence's nodes with their dependencies."""
        rows = []
        for word in range(1, self.lengths[sentence] + 1):
            rows.append((str(word), "0:root"))
            behind = [edge for at, edge in self.zeros[sentence] if at == word]
            rows += [(f"{word}.{k}", edge) for k, edge in enumerate(behind, start=1)]
        return rows

    def add(self, sentence: int) -> None:
        """Add a mention that nests with the others."""
        size = len(self.nodes(sentence))
        first = self.rng.randrange(size)
        last = min(size - 1, first + self.rng.randrange(4))
        others = [m for m in self.mentions if m[0] == sentence]
        crossing = any(a < first <= b < last or first < a <= last < b for _, a, b in others)
        if not crossing:
            entity = self.rng.randrange(5)
            head = self.rng.randrange(last - first + 1)
            self.mentions[sentence, first, last] = entity, head

    def add_zeros(self) -> None:
        """Make a mention of each empty node."""
        for sentence in range(len(self.lengths)):
            for place, (number, _) in enumerate(self.nodes(sentence)):
                if "." in number:
                    self.mentions.setdefault((sentence, place, place), (self.rng.randrange(5), 0))

    def change(self) -> None:
        """Turn the text into another annotator's version, with changed entities and mentions."""
        for place, (entity, head) in list(self.mentions.items()):
            draw = self.rng.random()
            if draw < 0.15:
                del self.mentions[place]
            elif draw < 0.3:
                self.mentions[place] = self.rng.randrange(5), head
            elif draw < 0.45:
                self.mentions[place] = entity, self.rng.randrange(place[2] - place[1] + 1)
        for sentence in range(len(self.lengths)):
            if self.rng.random() < 0.5:
                self.add(sentence)

    def text(self) -> str:
        """Return the file."""
        lines = ["# newdoc id = d", "# global.Entity = eid-etype-head-other"]
        for sentence in range(len(self.lengths)):
            lines.append(f"# sent_id = {sentence + 1}")
            mentions_here = [(a, b, m) for (s, a, b), m in self.mentions.items() if s == sentence]
            for place, (number, edge) in enumerate(self.nodes(sentence)):
                marks = [
                    f"e{m[0]})" for a, b, m in sorted(mentions_here, reverse=True) if a < b == place
                ]
                for a, b, (entity, head) in sorted(
                    mentions_here, key=lambda one: (one[0], -one[1])
                ):
                    if a == place:
                        end = ")" if b == a else ""
                        marks.append(f"(e{entity}-x-{head + 1}-{end}")
                misc = "Entity=" + "".join(marks) if marks else "_"
                head_cell = "_" if "." in number else "0"
                cells = [number, "w", "_", "_", "_", "_", head_cell, "_", edge, misc]
                lines.append("\t".join(cells))
            lines.append("")
        return "\n".join(lines) + "\n"


def changed_entities(text: str, rng: random.Random) -> str:
    """Return a real file with some mentions of one word left out or of another entity."""
    entities = re.findall(r"Entity=\((\w+)-", text)

    def change(mark: re.Match[str]) -> str:
        """Change one mention."""
        draw = rng.random()
        if draw < 0.1:
            return ""
        if draw < 0.25:
            return f"({rng.choice(entities)}-{mark[2]})"
        return mark[0]

    changed = re.sub(r"\((\w+)-([^()|\s]*)\)", change, text)
    return re.sub(r"Entity=(?=[|\n])", "Empty=Yes", changed)


def corefud_files(arguments: argparse.Namespace, folder: Path) -> Iterator[tuple[Path, Path]]:
    """Yield files of two annotators."""
    texts: list[tuple[str, str]] = []
    for number in range(50 * arguments.variants):
        chains = RandomChains(random.Random(number))
        first = chains.text()
        chains.change()
        texts.append((first, chains.text()))
    for path in arguments.files:
        whole = path.read_text(encoding="utf-8")
        for variant in range(arguments.variants):
            rng = random.Random(variant)
            texts.append((whole, changed_entities(whole, rng)))
    for number, both in enumerate(texts):
        files = []
        for who, text in zip(("key", "response"), both, strict=True):
            files.append(folder / str(number) / who / "d.conllu")
            files[-1].parent.mkdir(parents=True)
            files[-1].write_text(text, encoding="utf-8")
        yield files[0], files[1]


def corefud_values(arguments: argparse.Namespace, folder: Path) -> Values:
    """Yield the scores of CorefUD beside corefud-scorer's."""
    import gammacp as gc
    from gammacp.links.collecting import collecting
    from gammacp.links.measures.corefud import corefud_scores

    pairs = list(corefud_files(arguments, folder))
    process = subprocess.run(
        [str(arguments.scorer), "-c", COREFUD],
        input=json.dumps([[str(path) for path in pair] for pair in pairs]),
        capture_output=True,
        check=True,
        text=True,
    )
    peer_rows = iter(json.loads(process.stdout))
    for key, _ in pairs:
        with collecting() as collected:
            gc.read_corpus(key.parent.parent)
        for _ in range(6):
            match, singletons, row = next(peer_rows)
            (ours,) = corefud_scores(collected["coreference"], match=match, singletons=singletons)
            if ours["twice"]:
                continue
            for name, values in row.items():
                our_values = [ours[name][rate] for rate in ("recall", "precision", "f1")]
                for value, mine in zip(values, our_values, strict=True):
                    yield f"{match} {name}", value, mine
