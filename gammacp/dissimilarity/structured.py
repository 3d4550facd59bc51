"""Categorial distances of labels that have a structure: sets, and places in a tree.

References
----------
Passonneau (2006), "Measuring Agreement on Set-valued Items (MASI)", LREC; Wu & Palmer (1994),
"Verbs semantics and lexical selection", ACL; Lin (1998), "An information-theoretic definition of
similarity", ICML.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.base.signature import fingerprint, quote_part
from gammacp.dissimilarity.categorial import CATEGORIAL
from gammacp.dissimilarity.matrix_file import rows_with_lines
from gammacp.errors import DataError, UsageError

_Path = tuple[str, ...]


@dataclass(frozen=True)
class Sets:
    """Labels that are sets of names: `1 − |a ∩ b| / |a ∪ b|` (Jaccard), or MASI.

    MASI (Passonneau 2006) is 1 − J·M with J = |a ∩ b| / |a ∪ b|. M is 1 for equal sets, 2/3 if one
    contains the other, 1/3 if they overlap, and 0 if they are disjoint. Labels are split into names
    at `separator`; order, surrounding blanks and repetitions do not count. Labels of one name each
    are compared as nominal ones.
    """

    metric: str = "jaccard"
    separator: str = "+"

    def with_argument(self, argument: str) -> Sets:
        """Return a copy with another separator, as in `masi=;`.

        Parameters
        ----------
        argument
            The separator; a UsageError without one.
        """
        if not argument.strip():
            raise UsageError(f"{self.metric}= needs a separator, such as {self.metric}=;")
        return replace(self, separator=argument.strip())

    @property
    def signature(self) -> str:
        """`masi(+)`, with the separator."""
        return f"{self.metric}({quote_part(self.separator)})"

    def distances(self, categories: tuple[str, ...]) -> Floats:
        """Return distances (`a+b` to `a`: 1/2, MASI 2/3); DataError for a label without names."""
        sets = [
            frozenset(filter(None, map(str.strip, c.split(self.separator)))) for c in categories
        ]
        for label, members in zip(categories, sets, strict=True):
            if not members:
                raise DataError(
                    f"category {label!r} holds no name between separators {self.separator!r}"
                )
        return _table(sets, self._distance)

    def _distance(self, a: frozenset[str], b: frozenset[str]) -> float:
        shared = len(a & b)
        together = len(a | b)
        if self.metric == "jaccard" or a == b or not shared:
            return 1 - shared / together
        return 1 - shared / together * (2 / 3 if a < b or b < a else 1 / 3)


@dataclass(frozen=True)
class LabelTree:
    """Labels that are places in a tree: `1 − 2·h(a ∧ b) / (h(a) + h(b))`, a ∧ b their ancestor.

    a ∧ b is the lowest common ancestor. By "path", h is the depth, which is 1 at the top (Wu &
    Palmer 1994); the distance is the path between the labels over the sum of their depths.
    By "information", h is −ln p, where p is the share of all labels at this place or below it (Lin
    1998); a rare common ancestor then counts more than a frequent one. Labels of depth 1 are
    compared as nominal ones in either case.

    Parameters
    ----------
    by
        "path" or "information".
    separator
        Character that separates levels: `Accuracy/Mistranslation` lies below `Accuracy`.
    parents
        Parent of each label, "" for none; used instead of levels in the names.
    file
        File from which `parents` were read, for messages.
    counts
        Number of units of each label, for "information" (see `counting`).
    """

    by: str = "path"
    separator: str = "/"
    parents: tuple[tuple[str, str], ...] = ()
    file: str | None = None
    counts: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        """Raise a DataError for a label that lies below itself or below two others."""
        above = dict(self.parents)
        for label, count in Counter(label for label, _ in self.parents).items():
            if count > 1:
                raise DataError(f"label {label!r} has two parents in the tree", file=self.file)
        for label in above:
            chain = [label]
            while above.get(chain[-1]):
                chain.append(above[chain[-1]])
                if chain[-1] in chain[:-1]:
                    raise DataError(f"tree runs in a circle: {' < '.join(chain)}", file=self.file)

    def with_argument(self, argument: str) -> LabelTree:
        """Return a copy with the tree in a CSV file.

        Parameters
        ----------
        argument
            The file: rows of label and parent, which is empty for none.
        """
        return replace(self, parents=_read(Path(argument)), file=argument)

    def counting(self, counts: Mapping[str, int]) -> LabelTree:
        """Return a copy with the frequencies of labels, which "information" needs.

        Parameters
        ----------
        counts
            Number of units by label, in all data that are measured.
        """
        if self.by == "information":
            return replace(self, counts=tuple(counts.items()))
        return self

    @property
    def signature(self) -> str:
        """`tree(/)`, or with a fingerprint of the tree in a file."""
        if self.by == "path":
            name = "tree"
        else:
            name = "tree-information"
        if not self.parents:
            return f"{name}({quote_part(self.separator)})"
        contents = fingerprint(*(text for row in sorted(self.parents) for text in row))
        if self.file:
            return f"{name}({quote_part(Path(self.file).name)},{contents})"
        return f"{name}({contents})"

    def distances(self, categories: tuple[str, ...]) -> Floats:
        """Return distances, such as 1/2 between `A/x` and `A/y` by path.

        Raises
        ------
        DataError
            A label is not in the tree.
        UsageError
            `by` is "information", but no labels were counted.
        """
        paths = [self._path(label) for label in categories]
        height: Callable[[_Path], float] = len
        if self.by == "information":
            if not self.counts:
                raise UsageError("tree-information needs label counts: bind it to data")
            height = self._information()
        return _table(paths, lambda a, b: _apart(a, b, height))

    def _path(self, label: str) -> _Path:
        if not self.parents:
            return tuple(part.strip() for part in label.split(self.separator))
        above = dict(self.parents)
        path = [label]
        if label not in above and label not in above.values():
            raise DataError(
                f"category {label!r} is not in the tree",
                file=self.file,
                hint=f"It has: {', '.join(above)}. Add it, or rename it with `map=`",
            )
        while above.get(path[-1]):
            path.append(above[path[-1]])
        return tuple(reversed(path))

    def _information(self) -> Callable[[_Path], float]:
        below: Counter[_Path] = Counter()
        for label, count in self.counts:
            path = self._path(label)
            below.update({path[:depth]: count for depth in range(1, len(path) + 1)})
        total = sum(count for _, count in self.counts)
        return lambda path: -math.log(below[path] / total) if below[path] else math.inf


def _apart(a: _Path, b: _Path, height: Callable[[_Path], float]) -> float:
    if a == b:
        return 0.0
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False))
    common = tuple(x for x, _ in pairs)
    sum_of_heights = height(a) + height(b)
    if not common or not sum_of_heights or math.isinf(sum_of_heights):
        return 1.0
    return 1 - 2 * height(common) / sum_of_heights


def _table(values: Sequence[Any], distance: Callable[[Any, Any], float]) -> Floats:
    distances = np.zeros((len(values), len(values)))
    for i, a in enumerate(values):
        for j, b in enumerate(values[:i]):
            distances[i, j] = distances[j, i] = distance(a, b)
    return distances


def _read(path: Path) -> tuple[tuple[str, str], ...]:
    rows = []
    for line, cells in rows_with_lines(path):
        label, *above = (cell.strip() for cell in cells)
        if len(above) != 1 or not label:
            raise DataError(
                "row is not LABEL,PARENT",
                file=path,
                line=line,
                hint="Leave the parent empty for a label at the top",
            )
        rows.append((label, above[0]))
    if rows and rows[0][1].lower() == "parent":
        del rows[0]
    if not rows:
        raise DataError("file is empty, where a tree was expected", file=path)
    return tuple(rows)


for _metric in ("jaccard", "masi"):
    CATEGORIAL.register(_metric, Sets(_metric))
for _name, _by in (("tree", "path"), ("tree-information", "information")):
    CATEGORIAL.register(_name, LabelTree(_by))
