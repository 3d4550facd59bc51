"""WindowDiff against several references at once, without making one of them.

A window is wrong as often as a reference has another number of boundaries in it. Where references
differ no segmentation is right for all, so the share of errors has bounds of its own: what the
commonest number of boundaries in every window would cost, and the rarest.

References
----------
Kazantseva & Szpakowicz 2012. Topical segmentation: a study of human performance and a new measure
of quality. NAACL-HLT (multWinDiff).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gammacp.arguments import several
from gammacp.arrays import Indices
from gammacp.errors import DataError, UsageError
from gammacp.segmentation.codings import Codings
from gammacp.segmentation.comparison import Comparison
from gammacp.segmentation.value import Segmentation, check_comparable
from gammacp.segmentation.windows import window
from gammacp.signature import quoted


class WindowErrors(NamedTuple):
    """Errors over windows and references, their least and largest, and how many there may be.

    Errors of several items are added: `WindowErrors(*map(sum, zip(*found)))`.
    """

    errors: float
    least: float
    most: float
    windows: float

    @property
    def value(self) -> float:
        """multWinDiff, the share of errors: 0 is perfect; NaN for an item without a window."""
        return self.errors / self.windows if self.windows else math.nan

    @property
    def normalised(self) -> float:
        """From 0 (the least errors there can be) to 1 (the most); NaN where these are equal."""
        span = self.most - self.least
        return (self.errors - self.least) / span if span else math.nan

    def as_dict(self) -> dict[str, float]:
        """The shares as JSON."""
        windows = self.windows or math.nan
        return {
            "windowdiff": self.value,
            "least": self.least / windows,
            "most": self.most / windows,
            "normalised": self.normalised,
        }


def mult_window_diff(
    references: Sequence[Segmentation], hypothesis: Segmentation, *, variant: str = "2002"
) -> WindowErrors:
    """multWinDiff of a segmentation against several references.

    Parameters
    ----------
    references
        Of one item, at least one; with one it is WindowDiff.
    hypothesis
        Of the same item.
    variant
        Whose k, as for `window_diff`; of the mean number of segments of all references.

    Raises
    ------
    DataError
        There is no reference, or they are not of one item.
    UsageError
        The variant is unknown, or pads the item.

    >>> one, two = Segmentation.from_masses([2, 4]), Segmentation.from_masses([3, 3])
    >>> found = mult_window_diff([one, two], one)  # k = 2: windows of the places 1–2, …, 4–5
    >>> found.errors, found.least, found.most, found.windows
    (2.0, 2.0, 8.0, 8.0)
    """
    if not references:
        raise DataError("there is no reference")
    for reference in references:
        check_comparable(reference, hypothesis)
    chosen = window(variant)
    if chosen.padded:
        raise UsageError(f"windowdiff {variant!r} pads the item, which no bounds are known for")
    mass, people = hypothesis.mass, len(references)
    k = int(chosen.size(mass * people, sum(r.n_segments for r in references)))
    if k < 1 or mass <= k:
        return WindowErrors(0.0, 0.0, 0.0, 0.0)
    counts = np.array([_in_windows(r, k) for r in references])
    # How many references have v boundaries in each window, v from 0 to one more than any has.
    support = np.array(
        [(counts == v).sum(axis=0) for v in range(min(k, int(counts.max()) + 1) + 1)]
    )
    wrong = (counts != _in_windows(hypothesis, k)).sum()
    return WindowErrors(
        float(wrong),
        float((people - support.max(axis=0)).sum()),
        float((people - support.min(axis=0)).sum()),
        float(people * (mass - k)),
    )


def _in_windows(segmentation: Segmentation, k: int) -> Indices:
    """Boundaries in each window of k places."""
    upto = np.zeros(segmentation.mass, np.int64)
    upto[segmentation.places] = 1
    upto = np.cumsum(upto)
    return np.asarray(upto[k:] - upto[:-k])


@dataclass(frozen=True, kw_only=True)
class SeveralReferences:
    """Systems against several references at once, best first.

    Attributes
    ----------
    references
        Who they are.
    systems
        By name, and by item; among them `none` and `all`, the segmentations without a boundary and
        with all of them, and `people`, each of the references against the others.
    notes, signature
        What is left out; how it was made.
    """

    references: tuple[str, ...]
    systems: Mapping[str, Mapping[str, WindowErrors]]
    notes: tuple[str, ...]
    signature: str

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON."""
        return {
            "references": self.references,
            "systems": [
                {
                    "system": name,
                    "documents": len(items),
                    **_total(items.values()).as_dict(),
                    "by_document": {item: found.as_dict() for item, found in items.items()},
                }
                for name, items in self.systems.items()
            ],
            "notes": self.notes,
            "signature": self.signature,
        }


def against_several(
    codings: Codings,
    references: Sequence[str],
    *,
    systems: Sequence[str] = (),
    comparison: Comparison | None = None,
) -> SeveralReferences:
    """Systems against several coders at once, by multWinDiff.

    Parameters
    ----------
    codings
        The references' and the systems' segmentations.
    references
        Names of coders, at least two; an item that fewer than two of them coded is left out.
    systems
        Names of coders; default: all others.
    comparison
        Which WindowDiff.

    Raises
    ------
    UsageError
        A name is unknown or twice, or there are fewer than two references.
    DataError
        No item is coded by two of the references.
    """
    comparison = comparison or Comparison()
    chosen = codings.systems(references, several("systems", systems), rows=_MADE)
    if len(set(references)) < max(2, len(references)):
        raise UsageError("several references are at least two, each once: see gold_report for one")
    gold = {
        item: found
        for item, coders in codings.items()
        if len(found := [coders[name] for name in references if name in coders]) > 1
    }
    if not gold:
        raise DataError(f"no item is coded by two of {', '.join(references)}")
    made = {
        name: {i: _made(name, found, comparison) for i, found in gold.items()} for name in _MADE
    }
    scores = made | {
        name: {
            item: mult_window_diff(found, codings[item][name], variant=comparison.windows)
            for item, found in gold.items()
            if name in codings[item]
        }
        for name in chosen
    }
    value = {name: _total(items.values()).value for name, items in scores.items()}
    left_out = [item for item in codings if item not in gold]
    return SeveralReferences(
        references=tuple(references),
        systems=dict(sorted(scores.items(), key=lambda s: (math.isnan(value[s[0]]), value[s[0]]))),
        notes=tuple(_notes(left_out, len(gold), {n: len(scores[n]) for n in chosen})),
        signature=comparison.signed(
            "segmentation",
            references=",".join(map(quoted, references)),
            systems=",".join(map(quoted, sorted(chosen))),
        ),
    )


_MADE = ("none", "all", "people")


def _made(name: str, gold: Sequence[Segmentation], comparison: Comparison) -> WindowErrors:
    mass = gold[0].mass
    if name == "people":
        return _total(
            mult_window_diff([*gold[:n], *gold[n + 1 :]], one, variant=comparison.windows)
            for n, one in enumerate(gold)
        )
    types = gold[0].types
    placed = {types[0]: range(1, mass) if name == "all" else ()}
    made = Segmentation.from_typed(placed, mass=mass, types=types)
    return mult_window_diff(gold, made, variant=comparison.windows)


def _total(found: Iterable[WindowErrors]) -> WindowErrors:
    return WindowErrors(
        *np.array([tuple(one) for one in found] or [(0.0,) * 4]).sum(axis=0).tolist()
    )


def _notes(left_out: Sequence[str], documents: int, by_system: Mapping[str, int]) -> list[str]:
    notes = [
        f"{name}: {documents - count} documents of the references that it did not code are left out"
        for name, count in by_system.items()
        if count < documents
    ]
    if left_out:
        notes.append(
            f"{len(left_out)} items that fewer than two references coded are left out: "
            f"{', '.join(left_out)}"
        )
    return notes
