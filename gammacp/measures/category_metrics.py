"""δ²: how different two categories are, for Krippendorff's coefficients.

Krippendorff (2013, §12.3.3; 2016): nominal, interval and ratio metrics, unnormalised, or any
matrix of the user's. The categories of interval and ratio metrics are numbers. Distances of sets
and trees stand for δ² as they are, as Passonneau (2006) has it for α with MASI.
"""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from gammacp.arrays import Floats
from gammacp.dissimilarity.categorial import Categorial, Ratio, categorial, numeric
from gammacp.dissimilarity.features import as_features
from gammacp.dissimilarity.matrix_file import read_matrix
from gammacp.errors import DataError, UsageError
from gammacp.signature import describe, fingerprint

Metric: TypeAlias = str | PathLike[str] | Sequence[Sequence[float]] | Floats | Categorial
NAMES = ("nominal", "interval", "ratio")
STRUCTURED = ("jaccard", "masi", "tree", "tree-information")


def squared_differences(
    metric: Metric, categories: Sequence[str], counts: Mapping[str, int] | None = None
) -> Floats:
    """δ²_ck between all categories, shape (K, K), symmetric with a zero diagonal.

    Parameters
    ----------
    metric
        "nominal" (1 off the diagonal), "interval" ((c − k)²), "ratio" (((c − k)/(c + k))²), a
        matrix of δ² in the order of `categories`, or the path of a CSV file with such a matrix:
        category names in the first row and the first column, an empty corner. "jaccard", "masi",
        "tree" and "tree-information", as `--categorial` takes them, and any categorial
        dissimilarity: its distances are δ².
    categories
        Names; interval and ratio read them as numbers.
    counts
        How many units have each, for "tree-information".

    Raises
    ------
    DataError
        A category is not a number, or the matrix does not cover the categories, is not
        symmetric, or has a negative entry or a non-zero diagonal.
    UsageError
        The metric's name is unknown.

    >>> squared_differences("interval", ["1", "2", "4"])[0].tolist()
    [0.0, 1.0, 9.0]
    """
    if isinstance(metric, str) and metric.partition("=")[0] in STRUCTURED:
        metric = categorial(metric)
    if isinstance(metric, Categorial):
        tables = as_features(metric).tables(tuple(categories), counts or {})
        return np.asarray(sum(tables.values()))[:-1, :-1]
    if not isinstance(metric, (str, PathLike)):
        return _check(np.asarray(metric), categories, "metric")
    if metric == "nominal":
        return 1.0 - np.eye(len(categories))
    if metric == "interval":
        x = numeric(tuple(categories), metric)
        return np.asarray((x[:, None] - x) ** 2)
    if metric == "ratio":
        return Ratio().distances(tuple(categories)) ** 2
    if isinstance(metric, str) and not metric.lower().endswith(".csv"):
        known = ", ".join(NAMES + STRUCTURED)
        raise UsageError(f"metric {metric!r} is unknown; there are: {known}, or a matrix (CSV)")
    return _from_file(Path(metric), categories)


def metric_name(metric: Metric, squared: Floats) -> str:
    """The metric for a signature: its name, or what tells its matrix from others.

    `squared` is what `squared_differences` made of it.
    """
    if isinstance(metric, str) and metric in NAMES:
        return metric
    if isinstance(metric, str) and metric.partition("=")[0] in STRUCTURED:
        metric = categorial(metric)
    if isinstance(metric, Categorial):
        return describe(metric)
    file = Path(metric).name if isinstance(metric, (str, PathLike)) else "matrix"
    return f"{file}({fingerprint(squared.tobytes())})"


def _check(matrix: Any, categories: Sequence[str], where: str) -> Floats:
    k = len(categories)
    if matrix.shape != (k, k) or matrix.dtype.kind not in "iufb":
        raise DataError(
            f"{where}: not a {k} × {k} matrix of numbers, one row per category",
            hint=f"Categories are, in order: {', '.join(categories)}",
        )
    squared: Floats = matrix.astype(np.float64)
    if not np.isfinite(squared).all() or (squared < 0).any():
        raise DataError(f"{where}: an entry is negative or not finite")
    if not np.array_equal(squared, squared.T):
        i, j = np.argwhere(squared != squared.T)[0]
        raise DataError(
            f"{where}: {categories[i]} to {categories[j]} is {squared[i, j]:g}, but "
            f"{categories[j]} to {categories[i]} is {squared[j, i]:g}"
        )
    for i in np.flatnonzero(np.diag(squared))[:1]:
        raise DataError(f"{where}: {categories[i]} is {squared[i, i]:g} from itself, not 0")
    return squared


def _from_file(path: Path, categories: Sequence[str]) -> Floats:
    names, matrix, _ = read_matrix(path)
    for name in categories:
        if name not in names:
            raise DataError(f"category {name!r} is missing from the matrix", file=path)
    order = [names.index(name) for name in categories]
    return _check(matrix[np.ix_(order, order)], categories, str(path))
