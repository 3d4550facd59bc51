"""γ of whatever a comparison singles out: some annotators on the documents that they share."""

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
    """γ of these annotators, or of all others, on the documents that they all annotated.

    It rests on random sets of `basis` where these have real annotators' names.
    """
    return agreement_on(basis.select(names, keep=keep), basis)


def agreement_on(chosen: Basis | None, basis: Basis) -> Agreement:
    """Return γ of selected annotators; undefined where no document has two of them.

    Parameters
    ----------
    chosen
        Result of `Basis.select`.
    basis
        The one that they were selected from.
    """
    if chosen is None:
        nobody = Gamma(value=math.nan, reason="no document has both annotators")
        return Agreement(score=nobody, documents={}, chance=basis.settings.chance)
    return agreement(chosen)


def with_annotators(
    continua: Selection, names: Iterable[str], *, least: int = 2
) -> dict[str, Continuum]:
    """Return the continua with these annotators alone; those with fewer than `least` are left out.

    Bounds stay, so that chance is modelled on the same stretch of the continuum.
    """
    wanted = frozenset(names)
    there = {name: [a for a in c.annotators if a in wanted] for name, c in continua.items()}
    return {d: keep_annotators(continua[d], a) for d, a in there.items() if len(a) >= least}


def check_annotator(continua: Selection, name: str, role: str) -> None:
    """DataError if nobody of that name annotates."""
    names = annotators_of(continua)
    if name not in names:
        raise DataError(
            f"{role} {name!r} is not an annotator", hint=f"There are: {', '.join(names) or 'none'}"
        )


def documents_with(continua: Selection, name: str) -> Selection:
    """Return the documents that somebody annotated, with everybody."""
    return {d: c for d, c in continua.items() if name in c.annotators}


def categories_of(continua: Selection) -> tuple[str, ...]:
    """Every category, in the order of the files."""
    return tuple(dict.fromkeys(c for k in continua.values() for c in k.categories))


def annotators_of(continua: Selection) -> tuple[str, ...]:
    """Everybody who annotates, in the order of the files."""
    return tuple(dict.fromkeys(a for c in continua.values() for a in c.annotators))
