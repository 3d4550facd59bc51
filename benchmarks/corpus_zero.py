"""Corpus values of independent annotators beyond chance: their mean should be 0.

    python benchmarks/corpus_zero.py [--sets 200] [--samples 19] [--process NAME] > zero.csv

Nobody looks at any document: each annotator draws gaps, lengths and labels of his or her own, or
labels at given places. Each set is a corpus of four documents; `gammacp.measure` compares its
disagreement with random sets of the chance model. Printed is a line per process, chance model and
measure: how many corpora had a value, its plain mean, the mean beyond chance, the standard error
of that, and how often p ≤ .05, a bound that independent annotators should meet in 5 %.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import gammacp as gc

F1_OF_WORDS = ("f1-exact", "f1-strict")
F1 = ("f1-overlap", "f1-category", "f1-partial", "soft-f1")
ALPHAS = ("u-alpha", "cu-alpha", "kappa-d", "ser")
PLACED = ("alpha", "kappa", "gwet-ac")
DOCUMENTS = 4
PITCH = 20.0


@dataclass(frozen=True)
class Units:
    """Annotators who mark stretches.

    Attributes
    ----------
    people
        Per annotator: units, and their mean length, in times of the average.
    prevalence
        Of the labels, one row for everybody or one per annotator.
    regularity
        Shape of the gamma distribution of gaps: 1 is exponential, less comes in bursts.
    sticky
        Probability that a unit has the label of the one before.
    tiled
        No gaps.
    empty
        Probability that an annotator finds nothing in a document.
    uneven
        Standard deviation of the logarithm of documents' lengths.
    level
        Standard deviation of the logarithm of a document's density, the same for everybody.
    grid
        Positions are whole and units have one to three places.
    declared
        The bounds of documents are known.
    matched
        Labels are names of one's own, and are matched.
    """

    people: tuple[tuple[float, float], ...] = ((1.0, 1.0), (1.0, 1.0))
    prevalence: tuple[tuple[float, ...], ...] = ((0.5, 0.3, 0.2),)
    regularity: float = 2.0
    sticky: float = 0.0
    tiled: bool = False
    empty: float = 0.0
    uneven: float = 0.0
    level: float = 0.0
    grid: bool = False
    declared: bool = True
    matched: bool = False

    def corpus(self, rng: np.random.Generator) -> gc.Corpus:
        """Draw a corpus."""
        documents = {}
        for d in range(DOCUMENTS):
            number = 24 * rng.lognormal(-(self.uneven**2) / 2, self.uneven) + 1
            density = rng.lognormal(-(self.level**2) / 2, self.level)
            end = float(np.rint(number * PITCH))
            units = [u for k in range(len(self.people)) for u in self._units(k, density, end, rng)]
            documents[f"d{d}"] = gc.Continuum.from_units(
                units,
                annotators=[f"A{k}" for k in range(len(self.people))],
                bounds=(0.0, end) if self.declared else None,
                **({"offset_unit": "tokens"} if self.grid else {}),
            )
        return gc.Corpus.from_continua(documents)

    def _units(self, k: int, density: float, end: float, rng: np.random.Generator) -> list[gc.Unit]:
        """One annotator's units of one document; the process runs long before it begins."""
        if rng.random() < self.empty:
            return []
        many, mean = self.people[k]
        pitch = PITCH / (many * density)
        length = pitch if self.tiled else min(8.0 * mean, 0.8 * pitch)
        n = int(3 * end / pitch) + 40
        if self.grid:
            lengths, pitch = rng.integers(1, 4, n).astype(float), 5.0
            gaps = rng.geometric(1 / 4, n).astype(float) - 1
        else:
            lengths = length * rng.lognormal(-0.125, 0.5, n)
            gap = 0.0 if self.tiled else pitch - length
            gaps = gap / self.regularity * rng.gamma(self.regularity, size=n)
        before = rng.integers(40, 50) if self.grid else rng.uniform(10, 11) * pitch
        ends = np.cumsum(gaps + lengths) - before
        # Units that touch share the very same number.
        starts = np.concatenate(([-before], ends[:-1])) + gaps
        inside = (starts >= 0) & (ends <= end)
        shares = self.prevalence[k % len(self.prevalence)]
        labels = _labels(shares, self.sticky, n, rng)[inside]
        own = f"{k}-" if self.matched else ""
        return [
            gc.Unit(f"A{k}", s, e, f"{own}{label}")
            for s, e, label in zip(starts[inside], ends[inside], labels, strict=True)
        ]


@dataclass(frozen=True)
class Places:
    """Annotators who label given places.

    Attributes
    ----------
    prevalence, sticky, uneven, matched
        As of `Units`.
    annotators
        How many there are.
    places
        Of a document, on average.
    missing
        Share of labels that are not given.
    level
        Whether each document has a prevalence of its own, for everybody.
    """

    prevalence: tuple[tuple[float, ...], ...] = ((0.5, 0.3, 0.2),)
    annotators: int = 2
    places: int = 25
    documents: int = DOCUMENTS
    sticky: float = 0.0
    uneven: float = 0.0
    missing: float = 0.0
    level: bool = False
    matched: bool = False

    def corpus(self, rng: np.random.Generator) -> gc.Corpus:
        """Draw a corpus."""
        documents = {}
        names = [f"A{k}" for k in range(self.annotators)]
        for d in range(self.documents):
            drawn = self.places * rng.lognormal(-(self.uneven**2) / 2, self.uneven)
            number = max(1, round(drawn)) if self.uneven else self.places
            units = []
            turned = rng.dirichlet(10 * np.array(self.prevalence[0])) if self.level else None
            for k, name in enumerate(names):
                shares = self.prevalence[k % len(self.prevalence)] if turned is None else turned
                labels = _labels(shares, self.sticky, number, rng)
                kept = rng.random(number) >= self.missing
                own = f"{k}-" if self.matched else ""
                units += [
                    gc.Unit(name, j, j + 1, f"{own}{labels[j]}") for j in np.flatnonzero(kept)
                ]
            documents[f"d{d}"] = gc.Continuum.from_units(
                units, annotators=names, bounds=(0, number)
            )
        return gc.Corpus.from_continua(documents)


@dataclass(frozen=True)
class Codes:
    """Annotators who find each of some codes in a document with a probability of its own."""

    shares: tuple[float, ...] = (0.6, 0.3, 0.1, 0.05)
    annotators: int = 2
    documents: int = 20

    def corpus(self, rng: np.random.Generator) -> gc.Corpus:
        """Draw a corpus."""
        names = [f"A{k}" for k in range(self.annotators)]
        documents = {}
        for d in range(self.documents):
            units = [
                gc.Unit(name, 10 * j, 10 * j + 5, f"c{j}")
                for name in names
                for j, share in enumerate(self.shares)
                if rng.random() < share
            ]
            documents[f"d{d}"] = gc.Continuum.from_units(
                units, annotators=names, bounds=(0, 10 * len(self.shares))
            )
        return gc.Corpus.from_continua(documents)


def _labels(
    shares: tuple[float, ...] | np.ndarray, sticky: float, n: int, rng: np.random.Generator
) -> np.ndarray:
    """Labels that may stay what they were."""
    labels = rng.choice(len(shares), n, p=shares)
    for k in np.flatnonzero(rng.random(n) < sticky):
        labels[k] = labels[max(k - 1, 0)]
    return labels


UNLIKE = ((0.5, 2.0), (1.5, 0.5), (1.0, 1.0))
OWN = ((0.8, 0.1, 0.1), (0.1, 0.8, 0.1), (0.3, 0.3, 0.4))
RARE = ((0.94, 0.03, 0.03),)
MANY = ((0.1,) * 10,)

PROCESSES: Mapping[str, Units | Places | Codes] = {
    "like": Units(),
    "bounds not declared": Units(declared=False),
    "uneven lengths": Units(uneven=1.0),
    "rare labels": Units(prevalence=RARE),
    "empty documents": Units(empty=0.4),
    "three unlike annotators": Units(people=UNLIKE, prevalence=OWN),
    "adjacent units": Units(tiled=True),
    "bursts": Units(regularity=0.4, sticky=0.7),
    "words": Units(grid=True),
    "documents of own density": Units(level=0.7),
    "matched labels": Units(prevalence=MANY, matched=True),
    "matched labels, uneven lengths": Units(prevalence=MANY, matched=True, uneven=1.0),
    "matched labels, bursts": Units(prevalence=MANY, matched=True, regularity=0.4, sticky=0.7),
    "matched labels, three unlike": Units(people=UNLIKE, prevalence=MANY, matched=True),
    "places": Places(),
    "places, uneven lengths": Places(uneven=1.0),
    "places, rare labels": Places(prevalence=RARE),
    "places, three annotators": Places(annotators=3),
    "places, labels missing": Places(annotators=3, missing=0.2),
    "places, own prevalences": Places(annotators=3, prevalence=OWN),
    "places, runs of a label": Places(sticky=0.7),
    "places, documents of own prevalence": Places(level=True),
    "labels of whole documents": Places(places=1, documents=40),
    "places, matched labels": Places(prevalence=MANY, matched=True, places=30),
    "codes": Codes(),
    "codes, three annotators": Codes(annotators=3),
    "codes, rare": Codes(shares=(0.05, 0.05, 0.03)),
}


def measures_of(process: Units | Places | Codes) -> tuple[list[str], tuple[str, ...]]:
    """Return the measures that apply, and the chance models."""
    if isinstance(process, Codes):
        return ["presence"], ("documents",)
    if isinstance(process, Places):
        names = ["alpha", "gwet-ac"] if process.missing else [*PLACED]
        return names, ("fixed-positions",)
    # Without a grid nobody meets another's boundaries: F₁ of equal units is 0 and stays 0.
    names = [*F1, *ALPHAS] if not process.grid else [*F1_OF_WORDS, *F1, *ALPHAS]
    return names, ("cut", "documents")


@dataclass
class Column:
    """Results of one measure, a row per corpus."""

    plain: list[float]
    beyond: list[float]
    p: list[float]
    without: list[str]


def study(
    process: Units | Places | Codes,
    sets: int,
    samples: int,
    chance: str,
    seed: int = 1,
    only: list[str] | None = None,
) -> dict[str, Column]:
    """Return the results of each measure."""
    names = [n for n in measures_of(process)[0] if only is None or n in only]
    matched = getattr(process, "matched", False)
    many = matched and len(getattr(process, "people", (0, 0))) > 2
    found = {name: Column([], [], [], []) for name in names}
    for k in range(sets):
        corpus = process.corpus(np.random.default_rng([seed, k]))
        scores = gc.measure(
            corpus, names, beyond_chance=True, chance=chance, samples=samples, seed=k,
            **({"match_labels": "corpus"} if matched else {}),
            **({"reference": "A0"} if many else {}),
        )  # fmt: skip
        for name, score in scores.items():
            beyond = score.beyond_chance
            if beyond.reason is not None:
                found[name].without.append(beyond.reason)
                continue
            found[name].plain.append(score.value)
            found[name].beyond.append(beyond.value)
            if beyond.p is not None:
                found[name].p.append(beyond.p)
    return found


def main() -> None:
    """Print a line per process, chance model and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--samples", type=int, default=19)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--process", choices=PROCESSES, action="append")
    parser.add_argument("--chance", action="append")
    parser.add_argument("--measure", action="append")
    given = parser.parse_args()
    print("process,chance,measure,corpora,plain,beyond_chance,standard_error,p_small,reason")
    for name in given.process or PROCESSES:
        process = PROCESSES[name]
        for chance in measures_of(process)[1]:
            if given.chance and chance not in given.chance:
                continue
            found = study(process, given.sets, given.samples, chance, given.seed, given.measure)
            for measure, column in found.items():
                print(_line(name, chance, measure, column), flush=True)


def _line(name: str, chance: str, measure: str, column: Column) -> str:
    """Return one line of the table."""
    n = len(column.beyond)
    reason = column.without[0].replace('"', "'") if column.without else ""
    start = f'"{name}",{chance},{measure},{n}'
    if n < 2:
        return f'{start},,,,,"{reason}"'
    error = np.std(column.beyond, ddof=1) / n**0.5
    small = f"{np.mean(np.array(column.p) <= 0.05):.3f}" if column.p else ""
    means = f"{np.mean(column.plain):.4f},{np.mean(column.beyond):.4f},{error:.4f}"
    return f'{start},{means},{small},"{reason}"'


if __name__ == "__main__":
    main()
