"""The costs of which a disorder is the sum, one per row, for the user's own statistical models.

A row is a pair of annotators in a unitary alignment, where at least one of the two has a unit. Its
cost is d of the two units, or Δ where one of the two has none (2015, §4.5). What pairs of two empty
units cost is shared equally by the rows of their unitary alignment, so that a document's `disorder`
column adds up to its disorder δ, and to 1 − γ if it is divided by `expected_disorder`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gammacp.alignment import Alignment
from gammacp.base.csv_files import write_rows
from gammacp.continuum.label import plain
from gammacp.dissimilarity.base import unit_columns
from gammacp.measures.explaining.cost_shares import components_of, costs_by_component

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class PairRows:
    """Columns of equal length, one row per unitary alignment and pair of annotators.

    Attributes
    ----------
    columns
        `document`; `cluster` where clusters are named; `weight` where documents are weighted;
        `unitary_alignment`, its number in the document; `first` and `second`, the annotators;
        `present`, who of the two has a unit (both, first, second); `first_category`,
        `second_category`; `first_start`, `first_end`, `second_start`, `second_end`;
        `start_offset`, `end_offset`, how much later the second's unit begins and ends; `length`,
        the units' mean length; `place`, the mean centre of the units, 0 at the beginning of the
        document and 1 at its end; `cost`, and `cost_position`, `cost_category` (or the features'),
        `cost_absence`, which add up to it; `disorder`, what the row adds to that of its document;
        `expected_disorder`, δ_e of the document where γ was computed.
    """

    columns: Mapping[str, Sequence[Any]]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.columns["cost"])

    def to_frame(self) -> DataFrame:
        """Return the rows as a pandas data frame."""
        from pandas import DataFrame

        return DataFrame(dict(self.columns))

    def write_csv(self, path: Path) -> None:
        """Write the rows as CSV; numbers in full precision, nothing where there is no unit.

        Parameters
        ----------
        path
            The file.
        """
        write_rows(path, [[*self.columns], *zip(*self.columns.values(), strict=True)])


def pair_rows(
    alignments: Mapping[str, Alignment],
    expected: Mapping[str, float | None] | None = None,
    *,
    clusters: Mapping[str, str] | None = None,
    weights: Mapping[str, float] | None = None,
) -> PairRows:
    """Return the costs of the pairs of all alignments.

    Parameters
    ----------
    alignments
        Alignments by document.
    expected
        δ_e of each document, if it is known.
    clusters, weights
        Cluster and weight of each document that has one.

    Two annotators whose units are the same but for the category:

    >>> from gammacp import Continuum, Unit, align
    >>> c = Continuum.from_units([Unit("Ann", 0, 4, "x"), Unit("Bob", 1, 5, "y")])
    >>> rows = pair_rows({"a": align(c)})
    >>> [float(rows.columns[k][0]) for k in ("start_offset", "cost_position", "cost_category")]
    [1.0, 0.0625, 1.0]
    """
    expected_by_document = expected or {}
    parts = [
        dict(_of_document(name, a, expected_by_document.get(name)))
        for name, a in alignments.items()
    ]
    first = dict.fromkeys(key for part in parts for key in part)
    # A component that a document lacks costs nothing there.
    columns = {k: [part.get(k, np.zeros(len(part["cost"]))) for part in parts] for k in first}
    lists = {key: np.concatenate(column).tolist() for key, column in columns.items()}
    names: list[str] = lists.pop("document", [])
    about: dict[str, list[Any]] = {"document": names}
    if clusters:
        about["cluster"] = [clusters.get(name, "") for name in names]
    if weights:
        about["weight"] = [weights.get(name, 1.0) for name in names]
    return PairRows(about | lists)


def _of_document(name: str, alignment: Alignment, expected: float | None) -> Iterator[Any]:
    c = alignment.continuum
    groups = alignment.groups
    i, j = np.triu_indices(c.n_annotators, 1)
    is_present = (groups[:, i] >= 0) | (groups[:, j] >= 0)
    at, pair = np.nonzero(is_present)
    first = groups[at, i[pair]]
    second = groups[at, j[pair]]
    has = first >= 0
    also = second >= 0
    both = has & also
    size = len(at)
    units = unit_columns(c)
    bound = alignment.dissimilarity
    names = np.array(c.annotators, object)
    labels, code = plain(c.categories)
    codes = np.append(code[c.category_codes], len(labels))  # the last for no unit
    category = np.array([*labels, None], object)[codes]
    yield "document", np.full(size, name, object)
    yield "unitary_alignment", at
    yield "first", names[i[pair]]
    yield "second", names[j[pair]]
    yield "present", np.where(both, "both", np.where(has, "first", "second")).astype(object)
    ends: dict[str, Any] = {}
    for side, rows, real in (("first", first, has), ("second", second, also)):
        ends[f"{side}_category"] = category[np.where(real, rows, c.n_units)]
        ends[f"{side}_start"] = np.where(real, c.starts[rows], math.nan)
        ends[f"{side}_end"] = np.where(real, c.ends[rows], math.nan)
    yield from ends.items()
    yield "start_offset", ends["second_start"] - ends["first_start"]
    yield "end_offset", ends["second_end"] - ends["first_end"]
    count = has.astype(float) + also

    def mean(values: Any) -> Any:
        return (np.where(has, values[first], 0.0) + np.where(also, values[second], 0.0)) / count

    yield "length", mean(c.ends - c.starts)
    centre = mean((c.starts + c.ends) / 2)
    yield "place", (centre - c.bounds[0]) / c.length if c.length else np.full(size, math.nan)
    costs = np.zeros((len(components_of(bound)), size))
    costs[:-1, both] = costs_by_component(bound, units[first[both]], units[second[both]])
    costs[-1, ~both] = bound.delta
    pair_costs = alignment.pair_costs[at, pair]
    yield "cost", pair_costs
    yield from ((f"cost_{k}", row) for k, row in zip(components_of(bound), costs, strict=True))
    # Rows of a unitary alignment share what its pairs of two empty units cost.
    shared = is_present.sum(axis=1)
    empty = (len(i) - shared) * bound.delta / np.maximum(shared, 1)
    yield "disorder", (pair_costs + empty[at]) / (len(i) * c.mean_units or 1.0)
    yield "expected_disorder", np.full(size, math.nan if expected is None else expected)
