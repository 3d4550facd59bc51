"""Alignments and random sets shared by all γ measures of the same continua.

γ, γ_cat, γ_k, soft γ, the γ of pairs of annotators and of rounds, and the curves of a calibration
all draw their random annotation sets here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, Unpack

import numpy as np

from gammacp.alignment import Alignment, Solving, Status, align_each, best_groups_of_each
from gammacp.alignment.aligned import Aligned, MergedAlignments
from gammacp.base.arguments import instance
from gammacp.base.arrays import Codes, Indices
from gammacp.base.signature import describe, signature
from gammacp.base.stopping import due
from gammacp.chance.expected import FEWEST_SAMPLES, ExpectedDisorder, SampleRule
from gammacp.chance.registry import CHANCE_MODELS
from gammacp.chance.sampling import (
    Disagreement,
    Draws,
    OnDemand,
    Sampler,
    Strata,
    expectations,
)
from gammacp.continuum import Continuum, Corpus
from gammacp.continuum.selecting import keep_annotators
from gammacp.continuum.sequence import ContinuumSequence
from gammacp.dissimilarity import BoundDissimilarity, Combined, bind
from gammacp.errors import DataError, UsageError
from gammacp.measures.settings import Computing, Memory, Settings

if TYPE_CHECKING:
    from gammacp.measures.selected_sets import SelectedSets

T = TypeVar("T")
Continua: TypeAlias = Continuum | Corpus | Mapping[str, Continuum]

# Largest number of continua that each get an expected disorder of their own under a chance model
# that works within one continuum.
OWN_CHANCE = 50
# Largest relative error of the expected disorder for continua that are a small share of all.
_WORST = 0.5
# Share of the corpus up to which such continua start with `FEWEST_SAMPLES` random sets, just enough
# to estimate the spread.
_SMALL = 0.01
# Least number of random sets of a corpus, even if γ needs fewer: pairs of annotators reuse the sets
# in which both occur. It is lower for long documents, so that all these sets together hold about
# `_FEW_UNITS` units, which are aligned in a second or so.
_MANY = 1000
_FEW_UNITS = 9000
# Number of units in random sets above which kernels are compiled soon. In plain Python one unit
# takes some 3000 operations with two annotators (2by1000), and 20 000 with three (3by100).
_COMPILED_UNITS = 4000


@dataclass(frozen=True)
class RandomSet:
    """A random annotation set and its best alignment.

    `groups` holds rows of the continuum's units, shape (unitary alignments, annotators).
    """

    continuum: Continuum
    groups: Codes


@dataclass(frozen=True, eq=False)
class Chance:
    """Expected disorder with the model behind it, and the random sets where they were kept.

    Objects are compared by identity: results with the same object rest on the same random sets.
    """

    model: str
    expected: ExpectedDisorder
    sets: tuple[RandomSet, ...] = ()


def by_size(continua: ContinuumSequence) -> Indices:
    """Return the indices of the continua that have units, those with fewest units first.

    Parameters
    ----------
    continua
        Continua in any order.
    """
    order = np.argsort(continua.n_units, kind="stable")
    return order[continua.n_units[order] > 0]


class SampleRules:
    """Numbers of random sets, and gaps of alignments, by the number of annotators.

    Continua with the same number of annotators may share their random sets. If these continua are a
    share s of the corpus, their expected disorder needs only the precision e/√s, where e is the
    precision that was asked for: all of them together then give that of the corpus with precision
    e.

    Parameters
    ----------
    continua
        All continua of the corpus.
    settings
        Settings of γ.
    shared
        Whether continua with the same number of annotators share their random sets.
    reused
        Whether pairs of annotators reuse the random sets of all.
    """

    def __init__(
        self, continua: ContinuumSequence, settings: Settings, *, shared: bool, reused: bool
    ) -> None:
        """Store the arguments; shares are computed when needed."""
        self._continua = continua
        self._settings = settings
        self._shared = shared
        self._reused = reused
        n = continua.n_annotators
        self.indices = {k: np.flatnonzero(n == k) for k in dict.fromkeys(n.tolist())}
        """Indices of the continua with each number of annotators."""

    def rule(self, n_annotators: int) -> SampleRule:
        """Return the sample rule for the continua with this number of annotators."""
        rule = self._settings.rule
        if not self._shared:
            return rule
        if self._reused:
            rule = replace(rule, least=max(rule.least, min(_MANY, _FEW_UNITS // self.mean_units)))
        if len(self.indices) == 1:
            return rule
        share = self._shares[n_annotators]
        if share > _SMALL:
            least = rule.least
        else:
            least = FEWEST_SAMPLES
        precision = min(_WORST, rule.precision / math.sqrt(share))
        return replace(rule, precision=precision, least=least)

    def gap(self, n_annotators: int) -> float:
        """Return the relative gap with which continua of so many annotators are aligned.

        This is the gap of the settings. Where such continua are a small share of the corpus, it is
        the gap of their random sets instead, because the expected disorder with which they are
        compared is not known any more precisely.
        """
        if self._shared and self._shares[n_annotators] <= _SMALL:
            settings = replace(self._settings, rule=self.rule(n_annotators))
            return settings.solving_random(n_annotators)["gap"]
        return self._settings.gap

    @cached_property
    def mean_units(self) -> int:
        """Mean number of units of a continuum, rounded down, at least 1."""
        return max(1, int(self._continua.n_units.sum()) // len(self._continua))

    @cached_property
    def _shares(self) -> Mapping[int, float]:
        """For each number of annotators, the share of the corpus that its continua are, by x̄."""
        units = self._continua.mean_units
        weights = {n: math.fsum(units[some].tolist()) for n, some in self.indices.items()}
        return {n: weight / (sum(weights.values()) or 1.0) for n, weight in weights.items()}


class _Parent(NamedTuple):
    """The basis from which a selection was made, with the names that select.

    `keep` says whether the named annotators or all others stay. `origins` maps each continuum of
    the selection to the one it was cut from.
    """

    basis: Basis
    names: frozenset[str]
    keep: bool
    origins: Mapping[Continuum, Continuum]


def named_continua(continua: Continua) -> Mapping[str, Continuum]:
    """Return continua by name, from any of the accepted types.

    Names that are numbers, such as the group keys of a data frame, become text.

    Raises
    ------
    UsageError
        The argument is neither a Continuum, nor a Corpus, nor a mapping of names to continua; or
        two names are the same text.
    """
    if isinstance(continua, Continuum):
        return {continua.name: continua}
    if isinstance(continua, Corpus):
        return continua.continua
    wanted = "a Continuum, a Corpus or continua by name (gammacp.read makes them of files)"
    instance("continua", continua, Mapping, wanted)
    for name, continuum in continua.items():
        instance(f"continua[{name!r}]", continuum, Continuum, "a Continuum")
    if all(isinstance(name, str) for name in continua):
        return continua
    # Imported only here, because most names are file names, and so are text already.
    from gammacp.base.frames import name_of

    named = {name_of(name): continuum for name, continuum in continua.items()}
    if len(named) < len(continua):
        raise UsageError("continua: two names are the same text")
    return named


class Basis:
    """Alignments and chance of continua that are measured together.

    All measures of γ's family rest on these two: `align_all` gives the observed disorders, and
    `chance` the expected ones. Both are computed once.

    The dissimilarity is bound to all continua together. Which random sets a continuum is compared
    with depends on the chance model:

    - a model that is `built_from_all` is built once. Continua with the same number of annotators
      share their random sets and one expected disorder;
    - any other model is built from each continuum by itself. Up to `OWN_CHANCE` continua, each has
      an expected disorder of its own. In larger corpora, continua with the same number of
      annotators share one: random sets are drawn from each of them in turn.

    Parameters
    ----------
    continua
        Several continua are measured as a corpus, and so is a `Corpus` of one continuum. A single
        Continuum is measured by itself.
    settings
        Settings of γ. If they leave the chance model open, it is chosen to suit the continua.
    how
        Fields of `Computing`; random sets are kept only where `shared` keeps them.
    """

    def __init__(self, continua: Continua, settings: Settings, **how: Unpack[Computing]) -> None:
        """Name the continua; alignments and random sets are computed when needed."""
        self.named = named_continua(continua)
        source: Continuum | Corpus
        if isinstance(continua, Corpus):
            source = continua
        elif len(self.named) == 1:
            (source,) = self.named.values()
        else:
            source = Corpus.from_continua(self.named)
        self.source = source
        one = isinstance(source, Continuum)
        if isinstance(source, Continuum):
            self.continua = ContinuumSequence.of([source])
        else:
            self.continua = source.sequence
        self.settings = settings.deciding([self.continua])
        self.model = CHANCE_MODELS[self.settings.chance]
        # Some dissimilarities cannot be bound without any continuum.
        if self.continua:
            dissimilarity = settings.dissimilarity
        else:
            dissimilarity = Combined()
        self.dissimilarity: BoundDissimilarity = bind(dissimilarity, source)
        self.documents_share_chance = self.model.built_from_all or len(self.continua) > OWN_CHANCE
        # Units in the first batch of random sets: each set is about as large as one continuum.
        units_drawn = self.continua.n_units.sum() * settings.rule.first
        if self.documents_share_chance:
            units_drawn /= max(1, len(self.continua))
        if units_drawn > _COMPILED_UNITS:
            from gammacp.kernel.plain import compile_soon

            compile_soon()
        self._executor = how.get("executor")
        self._progress = how.get("progress")
        memory = how.get("shared")
        self._stores_sets = memory is not None
        self._parent: _Parent | None = None
        self._memory: Memory = {}
        if memory is not None:
            # A continuum and a corpus of this continuum alone may be bound differently.
            key = (one, self.continua, self.settings)
            self._memory = memory.setdefault(key, {})  # type: ignore[assignment]

    @cached_property
    def rules(self) -> SampleRules:
        """Numbers of random sets of the continua, and gaps of their alignments."""
        return SampleRules(
            self.continua,
            self.settings,
            shared=self.documents_share_chance,
            reused=self.model.keeps_names and self._parent is None,
        )

    @cached_property
    def _by_annotator(self) -> Mapping[str, Mapping[str, Continuum]]:
        """For each annotator, the continua that he or she annotated, by name."""
        continua_by_annotator: dict[str, dict[str, Continuum]] = {}
        for name, c in zip(self.named, self.continua, strict=True):
            for annotator in c.annotators:
                continua_by_annotator.setdefault(annotator, {})[name] = c
        return continua_by_annotator

    def once(self, key: tuple[object, ...], compute: Callable[[], T]) -> T:
        """Return the result of `compute`, which is called only once per key and memory."""
        if key not in self._memory:
            self._memory[key] = compute()
        return self._memory[key]  # type: ignore[return-value]

    def like(self, continua: Continua, *, chance: str) -> Basis:
        """Return a basis of other continua, with the same settings except for the chance model.

        Parameters
        ----------
        continua
            Continua as for a new object.
        chance
            Name of the chance model.
        """
        settings = replace(self.settings, chance=chance)
        return Basis(continua, settings, executor=self._executor)

    @property
    def is_selection(self) -> bool:
        """Return whether this basis holds only some annotators of another."""
        return self._parent is not None

    @property
    def chance_is_own(self) -> bool:
        """Return whether this is a selection for which chance is modelled anew.

        Otherwise its random sets are those of the original continua, cut to the same annotators.
        """
        parent = self._parent
        if parent is None:
            return False
        return not self.model.keeps_names or any(
            self._cut(c, parent) is None for c in self.continua
        )

    def align(self, continua: Sequence[Continuum]) -> list[Alignment]:
        """Return the best alignments of some of the continua, ties broken canonically.

        After Ctrl-C the list ends before the first continuum that was not aligned.
        """
        alignments: dict[Continuum, Alignment] = self.once(("alignments",), dict)
        if new := [c for c in continua if c not in alignments]:
            alignments |= {a.continuum: a for a in self.align_all(ContinuumSequence.of(new))}
        done = (alignments.get(c) for c in continua)
        return list(takewhile(lambda a: a is not None, done))  # type: ignore[arg-type]

    def align_all(self, continua: ContinuumSequence) -> MergedAlignments:
        """Return the best alignments of many continua as columns, computed only once.

        Parameters
        ----------
        continua
            Some or all of the continua.
        """
        key = ("aligned", continua)
        memo = self._memory.get(key)
        if isinstance(memo, MergedAlignments):
            return memo
        gaps = {n: self.rules.gap(n) for n in dict.fromkeys(continua.n_annotators.tolist())}
        each = np.array([gaps[n] for n in continua.n_annotators.tolist()])
        parts: list[tuple[Indices, Aligned]] = []
        for gap in sorted(set(gaps.values())):
            some = np.flatnonzero(each == gap)
            solving: Solving = {**self.settings.solving, "gap": gap}
            how: Any = {"executor": self._executor, "progress": self._progress}
            aligned = align_each(continua.at(some), self.dissimilarity, **how, **solving)
            parts.append((some[: len(aligned)], aligned))
        self._memory[key] = alignments = MergedAlignments(len(continua), parts)
        return alignments

    def chances(self, numbers: Indices) -> tuple[list[Chance | DataError], Indices]:
        """Return the expected disorders of some continua.

        Parameters
        ----------
        numbers
            Indices of the continua.

        Returns
        -------
        chances
            The different expected disorders; an error in place of one if chance cannot be modelled.
        which
            For each continuum, the index of its expected disorder in `chances`.
        """
        index_by_chance: dict[Chance | DataError, int] = {}
        which = np.empty(len(numbers), np.int64)
        alike = self.documents_share_chance and self._parent is None
        if alike:
            groups = self.continua.n_annotators[numbers]
        else:
            groups = np.arange(len(numbers))
        for group in dict.fromkeys(groups.tolist()):
            mine = np.flatnonzero(groups == group)
            chance: Chance | DataError
            try:
                chance = self.chance(self.continua[int(numbers[mine[0]])])
            except DataError as error:
                chance = error
            which[mine] = index_by_chance.setdefault(chance, len(index_by_chance))
        return [*index_by_chance], which

    def chance(self, continuum: Continuum) -> Chance:
        """Return the chance of a continuum: expected disorder, chance model, and stored sets.

        As many random sets are drawn as the sample rule needs. The result is computed only once for
        the same draws. After Ctrl-C (`stopping.interruptible`) the completed samples count, and the
        one that was cut short does not.

        Parameters
        ----------
        continuum
            One of the continua.

        Raises
        ------
        DataError
            The chance model cannot be built from these continua.
        """
        rule = self.rules.rule(continuum.n_annotators)
        return self._chance_of(
            self.draws(continuum), rule, keep=self._stores_sets, by_units=self.weighs_sets_by_units
        )

    def chance_within(self, continua: ContinuumSequence) -> Chance:
        """Return the chance of several continua, modelled within each of them.

        The chance model is `cut`, whatever that of the settings; the rest is as for `chance`.
        """
        draws = self._draws_within(continua)
        return self._chance_of(draws, self.settings.rule, keep=False, by_units=True)

    @property
    def weighs_sets_by_units(self) -> bool:
        """Tell whether a random set weighs by its x̄: the expected disorder is then Σ cost / Σ x̄.

        This is so where the sets stand for different continua, which may differ in size.
        """
        return self.model.weighs_by_units or (
            self.documents_share_chance and not self.model.built_from_all
        )

    def _chance_of(
        self, draws: Draws[Continuum], rule: SampleRule, *, keep: bool, by_units: bool
    ) -> Chance:
        memo = self._memory.get(("chance", draws))
        if isinstance(memo, Chance):
            return memo
        at_once = min(200, max(5, 2000 // self.rules.mean_units))
        settings = replace(self.settings, rule=rule)
        count = AlignedDisorder(self.dissimilarity, settings, keep, by_units, at_once)
        (expected,), payloads = expectations(
            draws, count, rule, self.settings.seed, executor=self._executor, progress=self._progress
        )
        sets = tuple(k for k in payloads if isinstance(k, RandomSet))
        chance = self._memory["chance", draws] = Chance(draws.sampler.signature, expected, sets)
        return chance

    def draws(self, continuum: Continuum) -> Draws[Continuum]:
        """Return the random sets with which a continuum is compared."""
        if self._parent is not None and self.model.keeps_names:
            cut = self._cut(continuum, self._parent)
            if cut is not None:
                return cut
        n = continuum.n_annotators
        key = n if self.documents_share_chance else continuum

        def compute() -> Draws[Continuum]:
            if self.model.built_from_all:
                sampler = self.model.prepare(self._with_annotators, n)
            elif self.documents_share_chance:
                sampler = self._strata(self.continua.at(self.rules.indices[n]))
            else:
                sampler = self.model.prepare([continuum], n)
            return Draws(sampler, self.settings.seed, keep=self._stores_sets)

        return self.once(("draws", key), compute)

    def _cut(self, continuum: Continuum, parent: _Parent) -> SelectedSets | None:
        """Return the random sets of the original continuum, cut to the selected annotators.

        Return None if fewer than `FEWEST_SAMPLES` of them hold the annotators that select.
        """
        from gammacp.measures.selected_sets import SelectedSets

        origin = parent.origins[continuum]
        draws = parent.basis.draws(origin)

        def compute() -> SelectedSets | None:
            cut = SelectedSets(draws, parent.names, keep=parent.keep)
            drawn = parent.basis.chance(origin).expected.samples
            if cut.reach(FEWEST_SAMPLES, drawn) >= FEWEST_SAMPLES:
                return cut
            return None

        return self.once(("cut", draws), compute)

    @cached_property
    def _with_annotators(self) -> ContinuumSequence:
        """The continua that have annotators."""
        some = np.flatnonzero(self.continua.n_annotators)
        if len(some) == len(self.continua):
            return self.continua
        return self.continua.at(some)

    def _draws_within(self, continua: ContinuumSequence) -> Draws[Continuum]:
        """Return random sets of these continua with chance modelled within each."""
        seed = self.settings.seed
        return self.once(("within", continua), lambda: Draws(self._strata(continua, "cut"), seed))

    def _strata(self, continua: ContinuumSequence, model: str = "") -> Strata[Continuum]:
        """Return a sampler that draws from each continuum in turn, those with fewest units first.

        Chance is modelled within each continuum.
        """
        chosen = CHANCE_MODELS[model or self.model.name]
        marked = continua.at(by_size(continua))
        samplers: Sequence[Sampler[Continuum]] = OnDemand(
            len(marked), lambda i: chosen.prepare([marked[i]], marked[i].n_annotators)
        )
        if chosen.may_refuse:
            samplers = tuple(samplers)  # Build all of them now, so that errors are raised at once.
        name = model or f"{self.model.name}(over={len(samplers)})"
        return Strata(samplers, name)

    def select(self, names: Collection[str], *, keep: bool) -> Basis | None:
        """Return the basis of the continua that have all of these annotators, cut to some of them.

        If the random sets bear the names of real annotators, the sets that hold all of these are
        cut in the same way. Chance is modelled anew if they bear no names, or if too few of them
        hold these annotators.

        Parameters
        ----------
        names
            Annotators whom a continuum must have.
        keep
            Whether these annotators are kept; otherwise all others are.

        Returns
        -------
        Basis or None
            None if no continuum keeps at least two annotators.
        """
        wanted = frozenset(names)
        documents_of_each = [self._by_annotator.get(name, {}) for name in wanted]
        origins: dict[str, Continuum] = {}
        chosen: dict[str, Continuum] = {}
        for name, c in min(documents_of_each, key=len).items():
            annotators = [a for a in c.annotators if (a in wanted) == keep]
            if len(annotators) > 1 and all(name in other for other in documents_of_each):
                origins[name], chosen[name] = c, keep_annotators(c, annotators)
        if not chosen:
            return None
        several = isinstance(self.source, Corpus)
        source = Corpus(chosen, self.source.categories) if several else next(iter(chosen.values()))
        memory: Memory | None = (
            {} if self._stores_sets and any(c.links for c in chosen.values()) else None
        )
        basis = Basis(source, self.settings, executor=self._executor, shared=memory)
        cut = dict(zip(basis.continua, origins.values(), strict=True))
        basis._parent = _Parent(self, wanted, keep, cut)
        return basis

    def signature(
        self,
        name: str,
        *chances: Chance,
        selection: Sequence[str],
        method: str | None = None,
        **parts: object,
    ) -> str:
        """Return the signature of a number that rests on this.

        Parameters
        ----------
        name
            Name of the measure.
        chances
            The expected disorders behind the number. The signature names their models, the number
            of samples, and a precision that was not reached.
        selection
            Selections that were made in the data.
        method
            Solver that was used; None for that of the settings.
        parts
            Other parts that determine the number, shown first.
        """
        expected = [c.expected for c in dict.fromkeys(chances)]
        capped = [e.precision for e in expected if e.capped]
        return signature(
            name,
            selection=selection,
            **parts,
            d=self.once(("d",), partial(describe, self.settings.dissimilarity)),
            chance=",".join(dict.fromkeys(c.model for c in chances)),
            samples=sum(e.samples for e in expected),
            interrupted=None if all(e.complete for e in expected) else "yes",
            reached=float(f"{max(capped):.2g}") if capped else None,
            method=self.settings.method if method is None else method,
            **self.settings.signature_parts(),
        )


@dataclass(frozen=True)
class AlignedDisorder:
    """Computation of the disorder of the best alignment of random sets, as γ counts it."""

    dissimilarity: BoundDissimilarity
    settings: Settings
    keep: bool
    """Whether the sets and their alignments are kept for later use."""
    by_units: bool
    """Whether sets weigh by their x̄, so that the mean is Σ cost / Σ x̄."""
    at_once: int

    def of_each(self, sets: Sequence[Continuum]) -> list[Sequence[Disagreement]]:
        """Return one disagreement per set; after an interruption, only those of completed sets."""
        every = ContinuumSequence.of(sets)
        marked = every.at(np.flatnonzero(every.n_units))
        solving = self.settings.solving_random(int(marked.n_annotators.max(initial=0)))
        alignments = iter(
            best_groups_of_each(marked, self.dissimilarity, ties=self.keep, **solving)
        )
        rows: list[Sequence[Disagreement]] = []
        if self.by_units:
            weights = every.mean_units.tolist()
        else:
            weights = [1.0] * len(every)
        for k, (units, weight) in enumerate(zip(every.n_units.tolist(), weights, strict=True)):
            if not units:
                rows.append((Disagreement(0.0, 0.0, weight=weight),))
                continue
            best = next(alignments, None)
            if best is None or (due() and best.status is not Status.OPTIMAL):
                break
            if self.keep:
                random_set = RandomSet(every[k], best.groups)
            else:
                random_set = None
            proven = best.status is Status.OPTIMAL
            rows.append((Disagreement(best.disorder, best.bound, proven, weight, random_set),))
        return rows
