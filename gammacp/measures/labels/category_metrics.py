"""δ²: how different two categories are, for Krippendorff's coefficients.

Krippendorff (2013, §12.3.3; 2016): nominal, interval and ratio metrics, unnormalised, or any
matrix of the user's. The categories of interval and ratio metrics are numbers. Distances of sets
and trees stand for δ² as they are, as Passonneau (2006) has it for α with MASI.
"""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import numpy as np

from gammacp.base.arrays import Floats
from gammacp.base.signature import describe, fingerprint
from gammacp.dissimilarity.categorial import Categorial, Matrix, Ratio, categorial, numeric
from gammacp.dissimilarity.features import as_features
from gammacp.errors import UsageError

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
        Number of units of each category, for "tree-information".

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
        return Matrix(tuple(categories), np.asarray(metric), most=np.inf).values
    if metric == "nominal":
        return 1.0 - np.eye(len(categories))
    if metric == "interval":
        x = numeric(tuple(categories), metric)
        return np.asarray((x[:, None] - x) ** 2)
    if metric == "ratio":
        return Ratio().distances(tuple(categories)) ** 2
    if isinstance(metric, str) and not metric.lower().endswith(".csv"):
        names = ", ".join(NAMES + STRUCTURED)
        raise UsageError(f"metric {metric!r} is unknown; there are: {names}, or a matrix (CSV)")
    return Matrix.read(Path(metric), most=np.inf).distances(tuple(categories))


def metric_name(metric: Metric, squared: Floats) -> str:
    """Return the metric for a signature: its name, or what tells its matrix from others.

    `squared` is what `squared_differences` made of it.
    """
    if isinstance(metric, str) and metric in NAMES:
        return metric
    if isinstance(metric, str) and metric.partition("=")[0] in STRUCTURED:
        metric = categorial(metric)
    if isinstance(metric, Categorial):
        return describe(metric)
    if isinstance(metric, (str, PathLike)):
        file = Path(metric).name
    else:
        file = "matrix"
    return f"{file}({fingerprint(squared.tobytes())})"
