"""Several measures of one continuum, also beyond chance."""

from collections.abc import Iterable
from typing import Any

from gammacp.measures.evaluation import measure_each
from gammacp.measures.score import Score


def measure(
    continuum: Any,
    names: Iterable[str],
    *,
    beyond_chance: bool = False,
    **options: Any,
) -> dict[str, Score]:
    """Measure one continuum, or one treebank, by several measures.

    With `beyond_chance`, each score also has the measure's disagreement against chance
    (`gammacp.measures.beyond_chance`, and the entries of `[beyond chance]`); `chance`,
    `precision`, `confidence`, `samples` and `seed` then are options of every measure of a
    continuum, `seed` of those of trees.

    A measure that does not apply, or whose data are bad for it, is an undefined Score with the
    reason; the others go on.

    Parameters
    ----------
    continuum
        A continuum, or a treebank for measures of trees.
    names
        Of registered measures; `all` stands for every one of a continuum.
    options
        Of the measures, each handed to those that declare it.

    Raises
    ------
    UsageError
        Unknown measure, an option of none of them, or a value outside its range.
    """
    if not beyond_chance:
        return dict(measure_each(continuum, names, **options))
    # Imported only where it is asked for: it stands on γ and its random sets.
    from gammacp.measures.beyond_chance import measured_beyond_chance

    return measured_beyond_chance(continuum, names, options)
