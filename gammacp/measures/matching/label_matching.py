"""Labels that are arbitrary names (speakers, clusters), matched one to one before measuring.

The labels of an annotator are mapped onto those of another so that units of equal label share the
greatest total length. This is an assignment problem, as for the diarization error rate (NIST, Rich
Transcription). A label without a match gets a name that nobody else uses. Choosing the best mapping
inflates the agreement even of random labels. So for values beyond chance, the labels of random sets
are matched in the same way.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gammacp.base.arguments import one_of
from gammacp.base.arrays import Floats, Indices
from gammacp.base.matching import largest_matching
from gammacp.base.signature import fingerprint
from gammacp.continuum import Continuum
from gammacp.continuum.label import category_of
from gammacp.continuum.renaming import rename_categories_of
from gammacp.continuum.selecting import keep_annotators, keep_rows
from gammacp.errors import DataError
from gammacp.measures.matching.overlapping import overlaps
from gammacp.measures.score import Scores

SCOPES = ("corpus", "document")
# Factor that makes the best mapping slightly worse, so that another one that is as good would win.
_HANDICAP = 1 - 1e-9
# Largest number of matched labels that are spelled out in one line.
_SHOWN = 8


@dataclass(frozen=True)
class LabelMap:
    """One-to-one mappings of annotators' labels onto those of one annotator.

    Attributes
    ----------
    onto
        The annotator whose labels stay as they are.
    matched
        For each other annotator, a mapping from old labels to labels of `onto`.
    unmatched
        For each other annotator, a mapping from labels without a match to new names that nobody
        else uses.
    left_over
        For each other annotator, the labels of `onto` to which none of theirs is matched.
    shared, labelled
        Length that units with matched labels share, and length that any labelled units share with
        those of `onto`; both are summed over the other annotators.
    tied
        Annotators for whom another mapping would share the same length.
    """

    onto: str
    matched: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    unmatched: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    left_over: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    shared: float = 0.0
    labelled: float = 0.0
    tied: tuple[str, ...] = ()

    @property
    def names(self) -> dict[str, dict[str, str]]:
        """New names of labels by annotator."""
        return {a: {**self.matched[a], **self.unmatched[a]} for a in self.matched}

    def as_dict(self) -> dict[str, Any]:
        """Return the mapping as JSON has it."""
        return {
            "onto": self.onto,
            "matched": {a: dict(names) for a, names in self.matched.items()},
            "unmatched": {a: dict(names) for a, names in self.unmatched.items()},
            "left_over": {a: list(names) for a, names in self.left_over.items()},
            "shared": self.shared,
            "of_shared": self.labelled,
            "tied": list(self.tied),
        }

    def describe(self) -> str:
        """Return the mapping in one line."""
        parts = []
        for annotator, names in self.matched.items():
            pairs = [f"{old} = {new}" for old, new in names.items()]
            if len(pairs) > _SHOWN:
                pairs[_SHOWN:] = [f"and {len(pairs) - _SHOWN} more"]
            text = f"{annotator} onto {self.onto}: {', '.join(pairs) or 'none'}"
            alone = len(self.unmatched[annotator]), len(self.left_over[annotator])
            if alone != (0, 0):
                text += f" (unmatched: {alone[0]} of {annotator}, {alone[1]} of {self.onto})"
            if annotator in self.tied:
                text += " (another mapping shares as much)"
            else:
                text += ""
            parts.append(text)
        return "; ".join(parts)


@dataclass(frozen=True)
class MatchedDocuments:
    """Documents whose labels are matched.

    Attributes
    ----------
    documents
        The continua by name, with new labels.
    maps
        Maps by document; a single one under the name "" if labels are matched over the corpus.
    """

    documents: Mapping[str, Continuum]
    maps: Mapping[str, LabelMap]

    def labels_of(self, document: str) -> dict[str, Any] | None:
        """Return the mapping of one document as JSON has it, where it has one of its own."""
        if document in self.maps:
            return self.maps[document].as_dict()
        return None

    def describe(self) -> str:
        """Return in one line how labels are matched."""
        if not self.maps:
            return "no labels are matched: no document has two annotators"
        if len(self.maps) == 1:
            return f"labels matched: {next(iter(self.maps.values())).describe()}"
        every = [*self.maps.values()]
        matched = sum(len(names) for m in every for names in m.matched.values())
        alone = sum(len(names) for m in every for names in m.unmatched.values())
        tied = sum(bool(m.tied) for m in every)
        text = f"labels matched in each of {len(every)} documents: {matched} matched"
        text += f", {alone} unmatched (see `labels` in JSON)"
        return text + (f"; {tied} of the documents have another mapping as good" if tied else "")


@dataclass(frozen=True)
class LabelMatching:
    """Rules for matching labels.

    Attributes
    ----------
    scope
        "corpus" if a label means the same in all documents; "document" if it has a meaning only
        within one document.
    onto
        Annotator whose labels stay; None for the first one.
    """

    scope: str
    onto: str | None = None

    def __post_init__(self) -> None:
        """Check the scope."""
        one_of("match_labels", self.scope, SCOPES)

    def check(self, documents: Mapping[str, Continuum]) -> None:
        """Raise a DataError where labels cannot be matched.

        Parameters
        ----------
        documents
            The data.
        """
        by_document = {name: c.annotators for name, c in documents.items()}
        if self.scope == "corpus":
            by_document = {
                "": tuple(dict.fromkeys(a for some in by_document.values() for a in some))
            }
        for name, people in by_document.items():
            if len(people) > 2 and self.onto is None:
                if name:
                    where = f"{name} has"
                else:
                    where = "there are"
                raise DataError(
                    f"labels are matched between two annotators, but {where} {len(people)}: "
                    f"{', '.join(people)}",
                    hint="Leave annotators out with `exclude=`, or name the one whose labels "
                    "the others are mapped onto with `reference=`",
                )
        for name, c in documents.items():
            if c.axes > 1:
                raise DataError(
                    f"labels are matched on shared length, but {name} has shapes, "
                    "which have no length"
                )
        lost = _without_length(documents.values())
        if lost is not None:
            annotator, label = lost
            raise DataError(
                f"labels are matched on shared length, but all units of {label!r} by {annotator} "
                "have length 0",
                hint="Map its labels by hand with `map=`, or leave these units out with `only=`",
            )

    def match(self, documents: Mapping[str, Continuum]) -> MatchedDocuments:
        """Return documents with matched labels.

        Parameters
        ----------
        documents
            Data or random sets. If labels are matched within documents, a document without the
            annotator `onto` is mapped onto its first annotator.
        """
        groups = {name: {name: c} for name, c in documents.items()}
        if self.scope == "corpus":
            groups = {"": dict(documents)}
        maps = {name: label_map(group.values(), self.onto) for name, group in groups.items()}
        renamed = {
            name: _renamed(c, maps[name if name in maps else ""]) for name, c in documents.items()
        }
        return MatchedDocuments(renamed, {name: m for name, m in maps.items() if m.matched})

    def match_data(self, documents: Mapping[str, Continuum]) -> MatchedDocuments:
        """Return checked documents with matched labels, and the mapping in their signatures.

        Parameters
        ----------
        documents
            The data.

        Raises
        ------
        DataError
            Labels cannot be matched.
        """
        self.check(documents)
        matching = self.match(documents)
        every = {name: [m.onto, m.names] for name, m in matching.maps.items()}
        mark = fingerprint(json.dumps(every, sort_keys=True))
        values = (self.scope, *([] if self.onto is None else [self.onto]), mark)
        signed = {
            name: replace(c, about=c.about.noting("match-labels", *values))
            for name, c in matching.documents.items()
        }
        return replace(matching, documents=signed)


def _without_length(documents: Iterable[Continuum]) -> tuple[str, str] | None:
    """Return the first annotator and label whose units all have length 0; None if there is none.

    Such a label would remain without a match, even if everybody agreed on it.
    """
    longest: dict[tuple[str, str], float] = {}
    for c in documents:
        for k, annotator in enumerate(c.annotators):
            rows = slice(int(c.offsets[k]), int(c.offsets[k + 1]))
            codes = c.category_codes[rows]
            lengths = c.lengths[rows]
            for code in np.unique(codes[codes >= 0]).tolist():
                key = annotator, str(c.categories[code])
                most = float(lengths[codes == code].max())
                longest[key] = max(most, longest.get(key, 0.0))
    return next((key for key, length in longest.items() if length == 0), None)


def label_map(continua: Iterable[Continuum], onto: str | None = None) -> LabelMap:
    """Return the one-to-one mapping of labels whose units share the greatest length.

    Parameters
    ----------
    continua
        Documents in which a label has the same meaning. Units without a label are ignored.
    onto
        Annotator whose labels stay. If it is None or not among the annotators, the first one is
        taken.

    >>> from gammacp.continuum.unit import Unit
    >>> units = [Unit("Ann", 0, 5, "x"), Unit("Bob", 0, 4, "1"), Unit("Bob", 4, 5, "2")]
    >>> found = label_map([Continuum.from_units(units)])
    >>> found.matched, found.unmatched
    ({'Bob': {'1': 'x'}}, {'Bob': {'2': 'Bob:2'}})
    """
    documents = [c.atoms() if c.inside is not None else c for c in continua]
    people = [*dict.fromkeys(a for c in documents for a in c.annotators)]
    if not people:
        return LabelMap("")
    if onto not in people:
        onto = people[0]
    used = {a: sorted({k for c in documents for k in _labels_of(c, a)}) for a in people}
    used_labels = {label for labels in used.values() for label in labels}
    matched: dict[str, dict[str, str]] = {}
    unmatched: dict[str, dict[str, str]] = {}
    left_over: dict[str, tuple[str, ...]] = {}
    tied = []
    lengths = []
    for annotator in (a for a in people if a != onto):
        shared = shared_lengths(documents, (annotator, onto), (used[annotator], used[onto]))
        rows, columns, unsure = _assign(shared)
        names = {used[annotator][i]: used[onto][j] for i, j in zip(rows, columns, strict=True)}
        matched[annotator] = names
        rest = [old for old in used[annotator] if old not in names]
        unmatched[annotator] = {old: _free_name(f"{annotator}:{old}", used_labels) for old in rest}
        left_over[annotator] = tuple(sorted(set(used[onto]) - set(names.values())))
        lengths.append((float(shared[rows, columns].sum()), float(shared.sum())))
        if unsure:
            tied.append(annotator)
    return LabelMap(
        onto,
        matched,
        unmatched,
        left_over,
        math.fsum(length for length, _ in lengths),
        math.fsum(length for _, length in lengths),
        tuple(tied),
    )


def shared_lengths(
    documents: Iterable[Continuum], pair: tuple[str, str], labels: tuple[list[str], list[str]]
) -> Floats:
    """Return the length shared by units of each pair of labels, shape (labels, labels).

    Parameters
    ----------
    documents
        Continua without fragments.
    pair
        The two annotators.
    labels
        Labels of the first annotator (rows), and of the second (columns).
    """
    shared = np.zeros((len(labels[0]), len(labels[1])))
    codes = [{label: i for i, label in enumerate(some)} for some in labels]
    for c in documents:
        if not set(pair) <= set(c.annotators):
            continue
        two = keep_annotators(c, pair)
        # The last code is that of units without a label.
        categories = [*map(category_of, two.categories), None]
        code_of = [
            np.array([code_by_label.get(name or "", -1) for name in categories])
            for code_by_label in codes
        ]
        (overlap,) = overlaps(two)
        rows = [overlap.left, overlap.right]
        if two.annotators != pair:
            rows.reverse()
        left, right = (code_of[k][two.category_codes[rows[k]]] for k in (0, 1))
        labelled = (left >= 0) & (right >= 0)
        np.add.at(shared, (left[labelled], right[labelled]), overlap.lengths[labelled])
    return shared


def _labels_of(continuum: Continuum, annotator: str) -> set[str]:
    """Return the categories that an annotator used."""
    if annotator not in continuum.annotators:
        return set()
    used = np.unique(continuum.category_codes[continuum.rows_of(annotator)])
    names = (category_of(continuum.categories[code]) for code in used.tolist() if code >= 0)
    return {name for name in names if name is not None}


def _assign(shared: Floats) -> tuple[Indices, Indices, bool]:
    """Return rows and columns of the best assignment, and whether another one is as good."""
    rows, columns = np.nonzero(shared > 0)
    gains = shared[rows, columns]
    best = largest_matching(rows, columns, gains)
    # Lower the gains of the chosen pairs slightly: another assignment wins only if it is as good.
    lowered = gains.copy()
    lowered[best] *= _HANDICAP
    unsure = set(largest_matching(rows, columns, lowered).tolist()) != set(best.tolist())
    return rows[best], columns[best], unsure


def _free_name(name: str, used_names: set[str]) -> str:
    """Return a name that is not yet taken, and add it to those that are."""
    while name in used_names:
        name += "'"
    used_names.add(name)
    return name


def _renamed(continuum: Continuum, label_map: LabelMap) -> Continuum:
    """Return the units with new labels; old names that are no longer used are removed."""
    names_by_annotator = {
        a: names for a, names in label_map.names.items() if a in continuum.annotators
    }
    if not any(names_by_annotator.values()):
        return continuum
    renamed = rename_categories_of(continuum, {}, names_by_annotator)
    before = set(continuum.categories) - {
        continuum.categories[code] for code in np.unique(continuum.category_codes) if code >= 0
    }
    used = set(np.unique(renamed.category_codes).tolist())
    is_kept = np.array(
        [code in used or name in before for code, name in enumerate(renamed.categories)], bool
    )
    # The last code is that of units without a label.
    new = np.append(np.where(is_kept, np.cumsum(is_kept) - 1, -1), -1)
    return keep_rows(
        renamed,
        categories=tuple(
            name for name, keep in zip(renamed.categories, is_kept, strict=True) if keep
        ),
        category_codes=new[renamed.category_codes],
        about=continuum.about,
    )


class MatchedScores(Scores):
    """Scores by measure, of documents whose labels were matched.

    Attributes
    ----------
    labels
        Mappings by document; a single one under the name "" if labels are matched over a corpus.
    """

    def __init__(self, scores: Mapping[str, Any], labels: Mapping[str, LabelMap]) -> None:
        """Keep the mappings beside the scores."""
        super().__init__(scores)
        self.labels = labels
