"""Find the differences that follow from a convention, and charge nobody with them.

An annotator may count positions or write labels differently from the others: all ends are off by
one, all positions are shifted or multiplied by a factor, or labels differ in case.
`gammacp.formats.between_annotators` finds such conventions. Differences that follow from a
convention are not mistakes of an annotator, and reports state the convention first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gammacp.base.arrays import Bools
from gammacp.continuum import Continuum
from gammacp.formats.between_annotators import suspected
from gammacp.formats.conventions import ConventionNote
from gammacp.formats.unit_changes import fold_label
from gammacp.kinds.codes import BEARER_NOBODY, FORM_CATEGORY, FORM_POSITION
from gammacp.kinds.differences import Differences

# Two offsets between positions count as equal if they agree to this number of decimals.
_DECIMALS = 6
_CASE = "case"


def suspected_conventions(continua: Mapping[str, Continuum]) -> tuple[ConventionNote, ...]:
    """Return the conventions in which annotators seem to differ.

    Parameters
    ----------
    continua
        Continua by name, each with more than one annotator.
    """
    return tuple(suspected(continua))


def uncharge(
    differences: Differences,
    names: Sequence[str],
    continua: Sequence[Continuum],
    notes: Sequence[ConventionNote],
) -> Differences:
    """Return the differences, charging nobody with those that conventions explain.

    Parameters
    ----------
    differences
        Differences of a batch of documents.
    names, continua
        Names and continua of the documents.
    notes
        Conventions in which annotators seem to differ.
    """
    explained = np.zeros(len(differences.form), np.bool_)
    for note in notes:
        here = np.array([note.file == name for name in names])
        if not here.any():
            here[:] = True
        explained |= here[differences.document] & _explained(differences, continua, note)
    if not explained.any():
        return differences
    return replace(
        differences, bearer=np.where(explained, np.int32(BEARER_NOBODY), differences.bearer)
    )


def _explained(
    differences: Differences, continua: Sequence[Continuum], note: ConventionNote
) -> Bools:
    """Return whether the convention explains each row, assuming that it holds in all documents."""
    explained = np.zeros(len(differences.form), np.bool_)
    if note.convention.endswith(_CASE):
        for row in np.flatnonzero(differences.form == FORM_CATEGORY).tolist():
            one, other = _labels(differences, continua, row)
            explained[row] = fold_label(one) == fold_label(other)
    mine = _rows_of_annotator(differences, continua, note)
    if not mine.any():
        return explained
    if _has_factor(note):
        return explained | mine
    return explained | _same_offset(
        differences, continua, mine & (differences.form == FORM_POSITION), note
    )


def _rows_of_annotator(
    differences: Differences, continua: Sequence[Continuum], note: ConventionNote
) -> Bools:
    """Return whether each row involves the annotator who follows the convention."""
    marked = [[_is_about(note, c, name) for name in c.annotators] for c in continua]
    first = np.concatenate(([0], np.cumsum([len(m) for m in marked])))
    flat = np.array([mark for marks in marked for mark in marks], np.bool_)
    base = first[differences.document]
    return np.asarray(flat[base + differences.first] | flat[base + differences.second])


def _is_about(note: ConventionNote, continuum: Continuum, name: str) -> bool:
    entries = (f"{name}: ", f"{continuum.name}/{name}: ")
    return note.convention.startswith(entries)


def _has_factor(note: ConventionNote) -> bool:
    maps = note.convention.rpartition(": ")[2]
    return any(part.strip().startswith("x") for part in maps.split(","))


def _same_offset(
    differences: Differences, continua: Sequence[Continuum], rows: Bools, note: ConventionNote
) -> Bools:
    """Return whether each row is one of `rows` and has their most frequent offsets.

    The offsets of a row are the differences of the starts and of the ends of its two units.
    """
    offsets: dict[int, tuple[float, float]] = {}
    for row in np.flatnonzero(rows).tolist():
        c = continua[differences.document[row]]
        base = differences.edges[differences.document[row]]
        u = int(differences.unit[row] - base)
        v = int(differences.other[row] - base)
        if not _is_about(note, c, c.annotators[differences.first[row]]):
            u, v = v, u
        start = c.starts[u] - c.starts[v]
        end = c.ends[u] - c.ends[v]
        offsets[row] = (round(float(start), _DECIMALS), round(float(end), _DECIMALS))
    explained = np.zeros(len(rows), np.bool_)
    if offsets:
        ((most, _),) = Counter(offsets.values()).most_common(1)
        explained[[row for row, offset in offsets.items() if offset == most]] = True
    return explained


def _labels(differences: Differences, continua: Sequence[Continuum], row: int) -> tuple[str, str]:
    c = continua[differences.document[row]]
    base = differences.edges[differences.document[row]]
    codes = c.category_codes[[differences.unit[row] - base, differences.other[row] - base]]
    one, other = (c.categories[k] if k >= 0 else "" for k in codes.tolist())
    return str(one), str(other)
