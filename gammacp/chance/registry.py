"""The chance models by name.

A chance model turns observed annotations into a sampler of random annotation sets. A new one is
a function `prepare(continua, n_annotators) -> Sampler`, registered by name.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from gammacp.chance.refusals import check_no_pauses, check_read_completely
from gammacp.chance.sampling import Sampler
from gammacp.continuum import Continuum
from gammacp.continuum.sequence import ContinuumSequence
from gammacp.registry import Registry

Prepare: TypeAlias = Callable[[Sequence[Continuum], int], Sampler[Continuum]]
F = TypeVar("F", bound=Prepare)


@dataclass(frozen=True, kw_only=True)
class ChanceModel:
    """A registered chance model.

    Attributes
    ----------
    name, summary, reference
        Name, a line about the model, and its paper.
    prepare
        Function of the continua that chance is modelled on (one, or all of a corpus; they share
        their categories) and of the number of random annotators in a set. It returns a sampler, and
        raises DataError if the model cannot be built from these continua.
    built_from_all
        Whether the model is built once from all continua of a corpus, instead of from each.
    weighs_by_units
        Whether the expected disorder is Σ cost / Σ x̄ over the random sets, instead of the mean of
        their cost / x̄.
    keeps_names
        Whether random annotators bear the names of real ones, each at most once in a set.
    keeps_places
        Whether all random annotators have units at the same places if the real ones do, so that
        measures of predefined units can be taken of them.
    respects_read_until
        Whether units of annotators who did not finish stay where they read
        (`Continuum.read_until`).
    avoids_pauses
        Whether no unit comes to lie where nothing can be marked (`Continuum.markable`).
    may_refuse
        Whether the model cannot be built from some continua. A model that never refuses is built
        only when a random set is drawn.
    """

    name: str
    summary: str
    reference: str
    prepare: Prepare
    built_from_all: bool
    weighs_by_units: bool = False
    keeps_names: bool = False
    keeps_places: bool = False
    respects_read_until: bool = False
    avoids_pauses: bool = False
    may_refuse: bool = True


CHANCE_MODELS: Registry[ChanceModel] = Registry("chance model")


def registered(name: str, summary: str, reference: str, **facts: Any) -> Callable[[F], F]:
    """Register the decorated function as a chance model, and leave it as it is.

    Parameters
    ----------
    name, summary, reference, facts
        The attributes of `ChanceModel`; its `prepare` is the function.
    """

    def add(prepare: F) -> F:
        def prepare_or_refuse(
            continua: Sequence[Continuum], n_annotators: int
        ) -> Sampler[Continuum]:
            if not facts.get("respects_read_until"):
                check_read_completely(continua, name)
            if not (facts.get("avoids_pauses") or facts.get("keeps_places")):
                check_no_pauses(continua, name)
            return prepare(continua, n_annotators)

        named = {"name": name, "summary": summary, "reference": reference}
        CHANCE_MODELS.register(name, ChanceModel(prepare=prepare_or_refuse, **facts | named))
        return prepare

    return add


# Model of a single continuum / of a corpus. docs/chance.md says when γ of independent
# annotators is 0.
DEFAULT_CHANCE = "cut/documents"


def default_chance(compared: Iterable[Collection[Continuum]], models: str = DEFAULT_CHANCE) -> str:
    """Choose one chance model for all values that are compared: a corpus's if all can have it.

    Numbers can be compared only if chance is modelled in one way, so this is decided once for all
    of them: documents, annotator pairs, annotators left out, categories, rounds.

    Parameters
    ----------
    compared
        The continua behind each number; those without any continuum do not count.
    models
        The model of one continuum and that of a corpus, as "cut/documents". If there is only one
        name, it is returned.

    Returns
    -------
    str
        The model of a corpus, if each number rests on at least two continua and on as many as
        there are annotators, everybody read to the end, and there are no pauses. Otherwise the
        model of one continuum.
    """
    one, _, several = models.partition("/")
    enough = [
        len(continua) >= max(2, int(continua.n_annotators.max()))
        and not any(c.read_until or c.markable for c in continua.structured)
        for continua in map(ContinuumSequence.of, compared)
        if len(continua)
    ]
    if several and enough and all(enough):
        return several
    return one


_CHANGES = {
    "exclude": "Without {}",
    "document": "Of these documents alone",
    "annotators": "With {}",
    "read_until": "With annotators who did not finish",
    "markable": "With pauses",
}


def changed_default(
    read: Mapping[str, Continuum], selected: Mapping[str, Continuum], values: Mapping[str, Any]
) -> str | None:
    """Return a warning if a selection changes the default chance model; None if it does not.

    Values under two models differ although the annotators and documents that stay have not changed.

    Parameters
    ----------
    read, selected
        All continua, and those that count, by name.
    values
        Selected values, by the keys of a campaign.toml.
    """
    changes = [key for key in _CHANGES if values.get(key)]
    if not changes or not selected:
        return None
    before, after = (default_chance([[*each.values()]]) for each in (read, selected))
    if before == after:
        return None
    names = ", ".join(map(str, values[changes[0]]))
    if len(changes) == 1:
        selection = _CHANGES[changes[0]].format(names)
    else:
        selection = "After this selection"
    return (
        f"{selection} the default chance model is {after} instead of {before}, so the values "
        "cannot be compared with those of everything that was read"
    )
