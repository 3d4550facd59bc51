"""Annotators per person and session, where a column names the session."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gammacp.continuum import Continuum
from gammacp.continuum.columns import check_known, sort_columns

PATTERN = "{annotator}-{session}"


def by_session(continua: Mapping[str, Continuum], feature: str) -> dict[str, Continuum]:
    """Return the continua with annotators named `PERSON-SESSION`, by a feature of the units.

    Parameters
    ----------
    continua
        Continua by name.
    feature
        Feature whose value is the session; units without one keep their annotator's name.

    Raises
    ------
    DataError
        Units have no such feature.
    """
    return {name: _one(c, feature) for name, c in continua.items()}


def _one(c: Continuum, feature: str) -> Continuum:
    if not c.n_units:
        return c
    check_known([feature], c.features, "feature")
    person = [c.annotators[a] for a in c.annotator_codes]
    named = [
        p if s is None else f"{p}-{s}" for p, s in zip(person, c.feature(feature), strict=True)
    ]
    # A person without units has annotated, too, but in an unknown session.
    silent = [a for a, n in zip(c.annotators, c.counts.tolist(), strict=True) if not n]
    names = tuple(sorted({*named, *silent}))
    codes = np.array([names.index(n) for n in named], np.int32)
    columns = sort_columns(c.starts, c.ends, codes, c.category_codes, c.inside)
    until = tuple(entry for entry in c.read_until if entry[0] in names)
    about = replace(c.about, read_until=until).noting("session", feature)
    return replace(c, annotators=names, about=about, **columns)
