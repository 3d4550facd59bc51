"""γ of whatever a comparison singles out: some annotators, some documents, another round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from gammacp.continuum import Continuum
from gammacp.measures.agreement import Agreement, agreement_of

if TYPE_CHECKING:
    from gammacp.measures.random_sets import Memory
    from gammacp.measures.settings import Settings

Selection: TypeAlias = Mapping[str, Continuum]


@dataclass(frozen=True)
class Scores:
    """γ of selections that are compared: one chance model for all, each measured once.

    Attributes
    ----------
    settings
        With the chance model decided.
    executor
        Where selections are measured, one task each; the same bits whatever it is.
    """

    settings: Settings
    executor: Executor | None = None
    known: dict[object, Agreement] = field(default_factory=dict)

    @classmethod
    def of_all(
        cls, selections: Iterable[Selection], settings: Settings, executor: Executor | None = None
    ) -> Scores:
        """Settings with the one chance model that all these selections can have."""
        return cls(settings.deciding([tuple(s.values()) for s in selections]), executor)

    def of(self, selection: Selection, *, memory: Memory | None = None) -> Agreement:
        """γ of one selection; its random sets are spread over the executor."""
        key = tuple(selection.items())
        if key not in self.known:
            self.known[key] = agreement_of(
                selection, self.settings, executor=self.executor, shared=memory
            )
        return self.known[key]

    def each(self, selections: Sequence[Selection]) -> list[Agreement]:
        """γ of several selections."""
        keys = [tuple(s.items()) for s in selections]
        new = {k: s for k, s in zip(keys, selections, strict=True) if k not in self.known}
        tasks = [(s, self.settings) for s in new.values()]
        spread = map if self.executor is None else self.executor.map
        self.known.update(zip(new, spread(_task, tasks), strict=True))
        return [self.known[key] for key in keys]


def _task(task: tuple[Selection, Settings]) -> Agreement:
    return agreement_of(*task)


def with_annotators(
    continua: Selection, names: Iterable[str], *, all_of_them: bool = False
) -> dict[str, Continuum]:
    """The continua with these annotators alone; those with fewer than two are left out.

    `all_of_them` keeps only continua that all of the annotators annotated. Bounds stay, so that
    chance is modelled on the same stretch of the continuum.
    """
    wanted = tuple(dict.fromkeys(names))
    chosen = {}
    for name, continuum in continua.items():
        there = [a for a in wanted if a in continuum.annotators]
        if len(there) < (len(wanted) if all_of_them else 2):
            continue
        chosen[name] = continuum.only_annotators(there)
    return chosen


def annotators_of(continua: Selection) -> tuple[str, ...]:
    """Everybody who annotates, in the order of the files."""
    return tuple(dict.fromkeys(a for c in continua.values() for a in c.annotators))
