"""Conventions in which annotators of one document seem to differ: factors, shifts, ends, case.

Two annotators who saw the same things in two conventions have almost no unit alike, and very many
after one change of all positions of one of them. `suspected` looks for such a change, or for two of
them one after the other, and reports it; nothing is changed. Chance, habits and repeated patterns
must not look like that:

- the share of identical units rises by at least .3 to at least .5;
- a convention has no exceptions, so hardly a unit that was identical before is lost;
- a shift, which is itself chosen to fit, must fit far better than the best one of the same units
  with their gaps, lengths and categories in random order;
- where there is a text, one character more at each end is a convention only if the ends cut words
  without it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.continuum import Continuum
from gammacp.formats.conventions import ConventionNote
from gammacp.formats.unit_changes import (
    LEAST,
    LEAST_SHIFTED,
    AnnotatorUnits,
    UnitChange,
    change_between,
    fold_label,
    shift_of_document,
)

# Limits that keep the time independent of the size of the corpus: units per annotator, pairs of
# annotators, documents examined together, and documents examined one by one.
_UNITS = 1000
_PAIRS = 120
_LOOKED_AT = 1000
_DOCUMENTS = 60


@dataclass(frozen=True)
class _Suspicion:
    """A change that would make most units of one annotator identical to those of another."""

    annotator: str
    other: str
    change: UnitChange
    document: str = ""

    def reversed(self) -> "_Suspicion":
        """Return the suspicion with roles swapped: the inverse change, for the other annotator."""
        maps = tuple(step.inverse() for step in self.change.maps[::-1])
        return replace(
            self,
            annotator=self.other,
            other=self.annotator,
            change=replace(self.change, maps=maps),
        )


def suspected(
    continua: Mapping[str, Continuum], written: Mapping[str, str] | None = None
) -> list[ConventionNote]:
    """Return notes on conventions in which annotators seem to differ, with the options to apply.

    Parameters
    ----------
    continua
        Continua by display name.
    written
        Original names, as in the files, of annotators who were renamed.
    """
    several = {
        name: c
        for name, c in islice(continua.items(), _LOOKED_AT)
        if c.n_annotators > 1 and c.axes == 1
    }
    suspicions: list[_Suspicion] = []
    for one, other in _pairs(several):
        shared = {n: c for n, c in several.items() if {one, other} <= {*c.annotators}}
        suspicions += _between(shared, one, other)
    return [_note(each, several, written or {}) for each in _explained(suspicions)]


def _pairs(continua: Mapping[str, Continuum]) -> list[tuple[str, str]]:
    """Return pairs of annotators who share documents, those with the most shared units first."""
    shared: Counter[tuple[str, str]] = Counter()
    for c in continua.values():
        counts = {a: int(n) for a, n in zip(c.annotators, c.counts, strict=True) if n}
        for one, other in combinations(sorted(counts)[:_PAIRS], 2):
            shared[one, other] += min(counts[one], counts[other])
    return [pair for pair, count in shared.most_common(_PAIRS) if count >= LEAST]


def _between(continua: Mapping[str, Continuum], one: str, other: str) -> Iterator[_Suspicion]:
    """Yield changes that make two annotators' units alike, for all documents or for single ones."""
    a = _units(continua, one)
    b = _units(continua, other)
    change = change_between(a, b, _texts(continua))
    if change is not None:
        yield _Suspicion(one, other, change)
    if len(continua) < 2 or (change is not None and change.size > 1):
        return
    for name, c in list(continua.items())[:_DOCUMENTS]:
        a = _units({name: c}, one)
        b = _units({name: c}, other)
        if min(len(a), len(b)) < LEAST_SHIFTED:
            continue
        if change is None:
            difference = change_between(a, b, _texts({name: c}))
        else:
            difference = shift_of_document(a, b, change)
        if difference is not None:
            yield _Suspicion(one, other, difference, name)


def _units(continua: Mapping[str, Continuum], annotator: str) -> AnnotatorUnits:
    documents: list[int] = []
    starts: list[Floats] = []
    ends: list[Floats] = []
    labels: list[str] = []
    for number, c in enumerate(continua.values()):
        rows = c.rows_of(annotator)
        count = min(rows.stop - rows.start, _UNITS - len(labels))
        rows = slice(rows.start, rows.start + count)
        documents += [number] * count
        starts.append(c.starts[rows])
        ends.append(c.ends[rows])
        labels += [c.categories[k] if k >= 0 else "" for k in c.category_codes[rows].tolist()]
        if len(labels) >= _UNITS:
            break
    return AnnotatorUnits(documents, np.concatenate(starts), np.concatenate(ends), labels)


def _texts(continua: Mapping[str, Continuum]) -> list[str | None]:
    return [c.text if c.offset_unit == "characters" else None for c in continua.values()]


def _explained(suspicions: Sequence[_Suspicion]) -> list[_Suspicion]:
    """Return one suspicion per annotator, attributed to whoever differs from the most others."""
    remaining = list(suspicions)
    chosen = list[_Suspicion]()
    while remaining:
        counts = Counter((s.document, name) for s in remaining for name in (s.annotator, s.other))
        most = max(counts.values())
        odd = [key for key, count in counts.items() if count == most]
        document, name = odd[0]
        concerned = [
            s for s in remaining if s.document == document and name in (s.annotator, s.other)
        ]
        turned = [s if s.annotator == name else s.reversed() for s in concerned]
        # If only two annotators differ, either could be changed: choose the one whose positions
        # stay exact.
        alone = len(concerned) == 1 and (document, turned[0].other) in odd
        chosen.append(_preferred(turned[0]) if alone else turned[0])
        remaining = [s for s in remaining if s not in concerned]
    return chosen


def _preferred(suspicion: _Suspicion) -> _Suspicion:
    first = suspicion.change.maps[:1]
    for step in first:
        if step.factor < 1 or (step.factor == 1 and (step.end < 0 or step.start < 0)):
            return suspicion.reversed()
    return suspicion


def _note(
    suspicion: _Suspicion, continua: Mapping[str, Continuum], written: Mapping[str, str]
) -> ConventionNote:
    """Return the note on a suspicion, with the options that apply it."""
    change = suspicion.change
    who = written.get(suspicion.annotator, suspicion.annotator)
    maps = ", ".join(map(str, change.maps))
    if suspicion.document:
        document = continua[suspicion.document].name
    else:
        document = ""
    if document:
        entry = f"{document}/{who}: {maps}"
    else:
        entry = f"{who}: {maps}"
    if maps:
        options = [f"`positions={entry!r}`"]
    else:
        options = []
    if change.folded:
        pairs = _case_pairs(continua, suspicion)
        options += [f"`map={old}={new}`" for old, new in pairs]
    if maps:
        changed = [f"positions of {who} change by {maps}"]
    else:
        changed = []
    if change.folded:
        changed += ["the case of labels is ignored"]
    else:
        changed += []
    if change.rounded:
        rounded = ", up to rounding,"
    else:
        rounded = ""
    evidence = (
        f"{change.before:.0%} of the units of {suspicion.annotator} and {suspicion.other} are "
        f"identical, but {change.after:.0%}{rounded} would be if {' and '.join(changed)}; if the "
        f"two follow different conventions, give {' and '.join(options)}"
    )
    convention = " and ".join(filter(None, (entry if maps else "", "case" * change.folded)))
    file = suspicion.document or (
        next(iter(continua)) if len(continua) == 1 else f"{len(continua)} documents"
    )
    return ConventionNote(file, convention, evidence, applied=False)


def _case_pairs(continua: Mapping[str, Continuum], suspicion: _Suspicion) -> list[tuple[str, str]]:
    """Return pairs (label, spelling) where the other annotator writes a label in another case."""
    labels, others = (
        {label for c in continua.values() if name in c.annotators for label in _labels(c, name)}
        for name in (suspicion.annotator, suspicion.other)
    )
    written = {fold_label(label): label for label in others}
    pairs = [(label, written.get(fold_label(label), label)) for label in sorted(labels)]
    return [(old, new) for old, new in pairs if old != new]


def _labels(c: Continuum, annotator: str) -> set[str]:
    codes = {*c.category_codes[c.rows_of(annotator)].tolist()} - {-1}
    return {c.categories[k] for k in codes}
