"""Select annotators and documents, and compute γ of the selection."""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import TypeAlias

from gammacp.continuum import Continuum
from gammacp.continuum.selecting import keep_annotators
from gammacp.errors import DataError
from gammacp.measures.agreement import Agreement, agreement
from gammacp.measures.gamma import Gamma
from gammacp.measures.random_sets import Basis

Selection: TypeAlias = Mapping[str, Continuum]


def agreement_of_selected(basis: Basis, names: Collection[str], *, keep: bool = True) -> Agreement:
    """Return the agreement of selected annotators, on the documents that all of them annotated.

    The random sets of `basis` are reused if their annotators have the names of real annotators.

    Parameters
    ----------
    basis
        Alignments and random sets of all annotators.
    names
        Names of annotators.
    keep
        Whether to select these annotators, or else all others.
    """
    return agreement_on(basis.select(names, keep=keep), basis)


def agreement_on(chosen: Basis | None, basis: Basis) -> Agreement:
    """Return the agreement of a selection; it is undefined if no document has two annotators.

    Parameters
    ----------
    chosen
        Result of `Basis.select`; None if no document has two annotators.
    basis
        Basis from which the annotators were selected.
    """
    if chosen is None:
        nobody = Gamma(value=math.nan, reason="no document has both annotators")
        return Agreement(score=nobody, documents={}, chance=basis.settings.chance)
    return agreement(chosen)


def with_annotators(
    continua: Selection, names: Iterable[str], *, least: int = 2
) -> dict[str, Continuum]:
    """Return the continua with only these annotators, without continua that have too few of them.

    Bounds are kept, so that chance is modelled on the same stretch of the continuum.

    Parameters
    ----------
    continua
        Continua by name.
    names
        Names of the annotators to keep.
    least
        Least number of these annotators that a continuum must have.
    """
    chosen = frozenset(names)
    present = {name: [a for a in c.annotators if a in chosen] for name, c in continua.items()}
    return {d: keep_annotators(continua[d], a) for d, a in present.items() if len(a) >= least}


def check_annotator(continua: Selection, name: str, role: str) -> None:
    """Raise a DataError, which names the `role`, if no annotator of the continua is `name`."""
    names = annotators_of(continua)
    if name not in names:
        raise DataError(
            f"{role} {name!r} is not an annotator", hint=f"There are: {', '.join(names) or 'none'}"
        )


def documents_with(continua: Selection, name: str) -> Selection:
    """Return the documents that the annotator `name` annotated, with all their annotators."""
    return {d: c for d, c in continua.items() if name in c.annotators}


def categories_of(continua: Selection) -> tuple[str, ...]:
    """Return all categories, in order of first appearance."""
    return tuple(dict.fromkeys(c for k in continua.values() for c in k.categories))


def annotators_of(continua: Selection) -> tuple[str, ...]:
    """Return all annotators, in order of first appearance."""
    return tuple(dict.fromkeys(a for c in continua.values() for a in c.annotators))
