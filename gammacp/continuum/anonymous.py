"""Continua by anonymous readers.

Each annotator of such a continuum stands for a block of units by one of the readers. Their number
is a fact about the continuum (`About.facts`); measures that compare people refuse it.
"""

from dataclasses import replace

import numpy as np

from gammacp.continuum.continuum import Continuum
from gammacp.continuum.selecting import keep_rows
from gammacp.errors import UsageError

_MOST_READERS = 100_000

_FACT = "unnamed"


def unnamed_readers(continuum: Continuum) -> int:
    """Return the number of unnamed readers of a document; 0 if its annotators are people.

    Parameters
    ----------
    continuum
        Continuum whose readers are counted.
    """
    return int(continuum.about.fact(_FACT) or 0)


def declare_unnamed_readers(continuum: Continuum, readers: int) -> Continuum:
    """Return a copy that declares its units to be by a number of unnamed readers.

    Parameters
    ----------
    continuum
        Continuum whose annotators are blocks of units.
    readers
        Number of people who read the document; 0 if the annotators are people.
    """
    if readers == unnamed_readers(continuum):
        return continuum
    return replace(continuum, about=continuum.about.with_fact(_FACT, readers))


def hide_names(continuum: Continuum, readers: int, *, blocks: bool = False) -> Continuum:
    """Return a copy whose units are by a number of unnamed readers.

    Parameters
    ----------
    continuum
        Continuum whose names are hidden.
    readers
        Number of people who read the document, >= 2.
    blocks
        Whether the units of one annotator are by one reader, whose name may differ between
        documents; otherwise each unit may be by any reader.

    Raises
    ------
    UsageError
        There are fewer than two readers, or more than the largest number allowed.

    >>> from gammacp.continuum.unit import Unit
    >>> c = Continuum.from_units([Unit("Ann", 2, 9), Unit("Ann", 3, 9)])
    >>> hide_names(c, 4).annotators, hide_names(c, 4, blocks=True).annotators
    (('1', '2'), ('Ann',))
    """
    if readers < 2:
        raise UsageError(f"readers {readers} < 2")
    if readers > _MOST_READERS:
        raise UsageError(f"readers {readers} > {_MOST_READERS:,}")
    hidden = declare_unnamed_readers(continuum, readers).with_about(read_until=())
    if blocks:
        return hidden.noting("readers", str(readers), "blocks")
    width = len(str(hidden.n_units))
    names = tuple(f"{row:0{width}}" for row in range(1, hidden.n_units + 1))
    codes = np.arange(hidden.n_units, dtype=np.int32)
    renamed = keep_rows(hidden, annotators=names, annotator_codes=codes)
    return renamed.noting("readers", str(readers))
