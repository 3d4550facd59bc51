"""Crowds of annotators who make mistakes of their own, share them, or copy documents.

Documents have 12 true units in words. Each annotator misses some, moves a boundary of some by a
word, and adds others. Processes marked * were made after the first rule of the search was fixed,
those marked ** after the rule that counts units.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gammacp.continuum import Continuum, Unit

TRUE, STEP = 12, 8
Spans = set[tuple[int, int]]


@dataclass(frozen=True)
class Crowd:
    """Annotators and their mistakes.

    Attributes
    ----------
    people, documents
        Number of people and of documents.
    errs
        Share of units that are moved, and number of mistakes added per unit.
    attract
        Share of mistakes that are attractive ones in the text, which others make, too.
    hard
        Spread of the documents' difficulty in logarithms.
    schools
        Whether people of either of two schools make the mistakes of their school.
    copied
        Share of documents that the second annotator takes from the first.
    per_document
        Number of people who annotate each document.
    careless
        Factor of the error rates of the first two.
    """

    people: int = 5
    documents: int = 15
    errs: float = 0.25
    attract: float = 0.0
    hard: float = 0.0
    schools: bool = False
    copied: float = 0.0
    per_document: int | None = None
    careless: float = 1.0

    def draw(self, rng: np.random.Generator) -> dict[str, Continuum]:
        """Return the documents."""
        return {f"d{k}": self._document(rng) for k in range(self.documents)}

    def _document(self, rng: np.random.Generator) -> Continuum:
        times = np.exp(self.hard * rng.standard_normal())
        # The attractive mistakes in the text, the same for everybody or for a school.
        at_hand = [self._mistakes(rng) for _ in range(2)]
        marked = []
        for k in range(self.people):
            pool = at_hand[k % 2 if self.schools else 0]
            errs = times * self.errs
            if k < 2:
                errs *= self.careless
            marked.append(self._person(rng, pool, min(0.9, errs)))
        if rng.random() < self.copied:
            marked[1] = set(marked[0])
        names = "ABCDEFGHIJKLMNOP"[: self.people]
        if self.per_document is not None:
            chosen = rng.choice(self.people, self.per_document, replace=False)
            names, marked = "".join(names[i] for i in chosen), [marked[i] for i in chosen]
        units = [Unit(n, s, e) for n, m in zip(names, marked, strict=True) for s, e in m]
        return Continuum.from_units(units, annotators=[*names], bounds=(0, TRUE * STEP))

    def _mistakes(self, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Return one mistake for each true unit: a moved boundary or another word."""
        kinds = rng.integers(4, size=TRUE).tolist()
        moved = [(0, 4), (1, 3), (0, 3), (1, 4)]
        return [(STEP * i + moved[k][0], STEP * i + moved[k][1]) for i, k in enumerate(kinds)]

    def _person(self, rng: np.random.Generator, pool: list[tuple[int, int]], errs: float) -> Spans:
        spans: Spans = set()
        for i in range(TRUE):
            if rng.random() >= errs:
                spans.add((STEP * i + 1, STEP * i + 4 - 1 + 1))
                continue
            if rng.random() < self.attract:
                spans.add(pool[i])
            elif rng.random() < 0.7:
                start = STEP * i + int(rng.integers(3))
                spans.add((start, start + 2 + int(rng.integers(3))))
        if rng.random() < errs:
            start = STEP * int(rng.integers(TRUE)) + 5
            spans.add((start, start + 2))
        return spans


HONEST = {
    "independent": Crowd(),
    "three people": Crowd(people=3),
    "attractive mistakes .5": Crowd(attract=0.5),
    "attractive mistakes .9": Crowd(attract=0.9),
    "three people, attractive .9": Crowd(people=3, attract=0.9),
    "two schools .8, of two and three": Crowd(schools=True, attract=0.8),
    "two schools .8, of two and two": Crowd(people=4, schools=True, attract=0.8),
    "precise": Crowd(errs=0.03),
    "* documents unequally hard": Crowd(hard=0.8, attract=0.5),
    "* hard documents, three people, attractive": Crowd(people=3, hard=0.8, attract=0.8),
    "* schools, hard documents": Crowd(people=4, schools=True, attract=0.9, hard=0.8),
    "* ten people, three each": Crowd(people=10, documents=40, per_document=3, attract=0.5),
    "* sixty documents, attractive": Crowd(documents=60, attract=0.7),
    "** two careless of four, attractive": Crowd(people=4, attract=0.6, careless=2.0),
    "** seven people, hard documents": Crowd(people=7, hard=0.6, attract=0.3, documents=25),
    "** three people, six documents": Crowd(people=3, documents=6, hard=0.5, attract=0.5),
}
COPYING = {
    "30 % of 15 documents": Crowd(copied=0.3),
    "30 %, attractive .5": Crowd(copied=0.3, attract=0.5),
    "30 %, three people": Crowd(people=3, copied=0.3),
    "15 %": Crowd(copied=0.15),
    "all documents": Crowd(copied=1.0),
    "30 %, precise": Crowd(copied=0.3, errs=0.03),
    "* 30 %, unequally hard": Crowd(copied=0.3, hard=0.8, attract=0.5),
    "** 30 %, seven people": Crowd(people=7, copied=0.3),
    "** 30 % of 25, four people, hard": Crowd(4, 25, copied=0.3, hard=0.5, attract=0.3),
    "* 30 % of 40, three of ten each": Crowd(10, 40, copied=0.3, per_document=3),
}
