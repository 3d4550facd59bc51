"""The mean and spread of values of which some may be undefined."""

import math
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import NamedTuple

import numpy as np


class Spread(NamedTuple):
    """Mean and population standard deviation of the defined values, and how many are undefined.

    Mean and sd are NaN where no value is defined.
    """

    mean: float
    sd: float
    undefined: int = 0


def in_words(counts: Mapping[str, int]) -> str:
    """Those that are not 0: `s 2, windowdiff 4`.

    Parameters
    ----------
    counts
        By name.
    """
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count)


def spread(values: Iterable[float]) -> Spread:
    """The spread of values, NaN standing for an undefined one.

    >>> spread([0.5, 1.0, math.nan])
    Spread(mean=0.75, sd=0.25, undefined=1)
    """
    listed = np.fromiter(values, np.float64)
    defined = listed[~np.isnan(listed)]
    if not len(defined):
        return Spread(math.nan, math.nan, len(listed))
    return Spread(fmean(defined.tolist()), float(np.std(defined)), len(listed) - len(defined))
