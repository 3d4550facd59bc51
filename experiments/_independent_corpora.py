"""Independent annotators of a corpus who mark stretches, label given places, or find codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gammacp.continuum import Continuum, Corpus, Unit

DOCUMENTS = 4
PITCH = 20.0


@dataclass(frozen=True)
class Units:
    """Annotators who mark stretches.

    Attributes
    ----------
    people
        For each annotator, number and mean length of units, as multiples of the average.
    prevalence
        Prevalence of the labels, one row for everybody or one per annotator.
    regularity
        Shape of the gamma distribution of gaps: 1 is exponential, less comes in bursts.
    sticky
        Probability that a unit has the label of the one before.
    tiled
        Whether units follow each other without gaps.
    empty
        Probability that an annotator finds nothing in a document.
    uneven
        Standard deviation of the logarithm of documents' lengths.
    level
        Standard deviation of the logarithm of a document's density, the same for everybody.
    grid
        Whether positions are whole numbers and units have lengths of one to three.
    declared
        Whether the bounds of documents are declared.
    matched
        Whether each annotator has own names for labels, which are then matched.
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

    def corpus(self, rng: np.random.Generator) -> Corpus:
        """Draw a corpus."""
        documents = {}
        for d in range(DOCUMENTS):
            number = 24 * rng.lognormal(-(self.uneven**2) / 2, self.uneven) + 1
            density = rng.lognormal(-(self.level**2) / 2, self.level)
            end = float(np.rint(number * PITCH))
            units = [u for k in range(len(self.people)) for u in self._units(k, density, end, rng)]
            documents[f"d{d}"] = Continuum.from_units(
                units,
                annotators=[f"A{k}" for k in range(len(self.people))],
                bounds=(0.0, end) if self.declared else None,
                offset_unit="tokens" if self.grid else "",
            )
        return Corpus.from_continua(documents)

    def _units(self, k: int, density: float, end: float, rng: np.random.Generator) -> list[Unit]:
        """Draw one annotator's units of a document from a process that started long before it."""
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
        before = float(rng.integers(40, 50)) if self.grid else rng.uniform(10, 11) * pitch
        ends = np.cumsum(gaps + lengths) - before
        # Adjacent units share exactly the same number as end and start.
        starts = np.concatenate(([-before], ends[:-1])) + gaps
        inside = (starts >= 0) & (ends <= end)
        shares = self.prevalence[k % len(self.prevalence)]
        labels = _labels(shares, self.sticky, n, rng)[inside]
        prefix = f"{k}-" if self.matched else ""
        return [
            Unit(f"A{k}", s, e, f"{prefix}{label}")
            for s, e, label in zip(starts[inside], ends[inside], labels, strict=True)
        ]


@dataclass(frozen=True)
class Places:
    """Annotators who label given places.

    Attributes
    ----------
    prevalence, sticky, uneven, matched
        Fields of `Units`.
    annotators
        Number of annotators.
    places
        Mean number of places in a document.
    missing
        Share of labels that are missing.
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

    def corpus(self, rng: np.random.Generator) -> Corpus:
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
                is_kept = rng.random(number) >= self.missing
                prefix = f"{k}-" if self.matched else ""
                units += [
                    Unit(name, j, j + 1, f"{prefix}{labels[j]}")
                    for j in np.flatnonzero(is_kept).tolist()
                ]
            documents[f"d{d}"] = Continuum.from_units(units, annotators=names, bounds=(0, number))
        return Corpus.from_continua(documents)


@dataclass(frozen=True)
class Codes:
    """Annotators who find codes in documents, each code with its own probability."""

    shares: tuple[float, ...] = (0.6, 0.3, 0.1, 0.05)
    annotators: int = 2
    documents: int = 20

    def corpus(self, rng: np.random.Generator) -> Corpus:
        """Draw a corpus."""
        names = [f"A{k}" for k in range(self.annotators)]
        documents = {}
        for d in range(self.documents):
            units = [
                Unit(name, 10 * j, 10 * j + 5, f"c{j}")
                for name in names
                for j, share in enumerate(self.shares)
                if rng.random() < share
            ]
            documents[f"d{d}"] = Continuum.from_units(
                units, annotators=names, bounds=(0, 10 * len(self.shares))
            )
        return Corpus.from_continua(documents)


def _labels(
    shares: tuple[float, ...] | np.ndarray, sticky: float, n: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw labels; each repeats the label before it with probability `sticky`."""
    labels = rng.choice(len(shares), n, p=shares)
    for k in np.flatnonzero(rng.random(n) < sticky).tolist():
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
