"""What the γ of continua rests on, each thing computed once: alignments and random sets.

γ, γ_cat, γ_k, soft γ, the γ of pairs of annotators and of rounds, and the curves of a calibration
all draw their random annotation sets here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import takewhile
from typing import Any, NamedTuple, TypeAlias, TypeVar, Unpack

from gammacp.alignment import Alignment, Solving, Status, align_each, best_groups_of_each
from gammacp.arguments import instance
from gammacp.arrays import Codes
from gammacp.chance.expected import FEWEST_SAMPLES, MOST_SAMPLES, ExpectedDisorder, SampleRule
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
from gammacp.dissimilarity import BoundDissimilarity, Combined, bind
from gammacp.measures.settings import Computing, Memory, Settings
from gammacp.signature import describe, signature
from gammacp.stopping import due

T = TypeVar("T")
Continua: TypeAlias = Continuum | Corpus | Mapping[str, Continuum]

# Continua up to which each has an expected disorder of its own where chance is within continua.
OWN_CHANCE = 50
# Relative error of the expected disorder of continua that are a small share of all.
_WORST = 0.5
# Share of all below which such continua get no more random sets than tell their spread.
_SMALL = 0.01
# Random sets of a corpus that pairs of annotators and categories find themselves in: as many of
# its small documents as are aligned in a second or so, whether or not γ asks for them.
_MANY = 1000
_FEW_UNITS = 9000


@dataclass(frozen=True)
class RandomSet:
    """A random annotation set and its best alignment, (unitary alignments, annotators) rows."""

    continuum: Continuum
    groups: Codes


@dataclass(frozen=True, eq=False)
class Chance:
    """Expected disorder with the model behind it, and the random sets where they were kept.

    Each is one of its own: what rests on the same one rests on the same random sets.
    """

    model: str
    expected: ExpectedDisorder
    sets: tuple[RandomSet, ...] = ()


class _Parent(NamedTuple):
    """Of what a basis is a selection: whose, by which names, and what its continua were there."""

    basis: Basis
    names: frozenset[str]
    keep: bool
    origins: Mapping[Continuum, Continuum]


class Selected(Draws[Continuum]):
    """Of the random sets of others those that hold certain annotators, cut to some of them.

    Parameters
    ----------
    draws
        Random sets with the names of real annotators.
    names, keep
        Sets that hold all of these are taken; of their annotators these are kept, or all others.
    """

    def __init__(self, draws: Draws[Continuum], names: Collection[str], *, keep: bool) -> None:
        """Nothing is drawn yet."""
        super().__init__(draws.sampler, draws.seed)
        self._draws, self._names, self._kept = draws, frozenset(names), keep
        self._hits: list[int] = []
        self._seen = 0

    rounds = 1

    def take(self, indices: Sequence[int]) -> list[Continuum]:
        """As many of these numbers as the first `MOST_SAMPLES` of the others hold."""
        self.reach(indices[-1] + 1 if len(indices) else 0, MOST_SAMPLES)
        self.ended = self.ended or (len(indices) > 0 and indices[-1] >= len(self._hits))
        there = self._draws.take([self._hits[k] for k in indices if k < len(self._hits)])
        return [
            s.only_annotators([a for a in s.annotators if (a in self._names) == self._kept])
            for s in there
        ]

    def reach(self, count: int, most: int) -> int:
        """Look for this many among the first `most`; how many there are."""
        while len(self._hits) < count and self._seen < most:
            drawn = self._draws.take([self._seen])
            if not drawn:
                break
            if self._names.issubset(drawn[0].annotators):
                self._hits.append(self._seen)
            self._seen += 1
        return len(self._hits)


def named_continua(continua: Continua) -> Mapping[str, Continuum]:
    """Continua by name, whatever they come as.

    Raises
    ------
    UsageError
        It is none of a Continuum, a Corpus and a mapping of names to continua.
    """
    if isinstance(continua, Continuum):
        return {continua.name: continua}
    instance("continua", continua, Mapping, "a Continuum, a Corpus or continua by name")
    for name, continuum in continua.items():
        instance(f"continua[{name!r}]", continuum, Continuum, "a Continuum")
    return continua.continua if isinstance(continua, Corpus) else continua


class Basis:
    """What continua that are measured together share.

    The dissimilarity is bound to all of them. A chance model that pools is built from all of them
    too, with one set of random sets per number of annotators. Any other is built from each by
    itself; of more than `OWN_CHANCE` continua the random sets are drawn in turn from each, and
    those of as many annotators share one expected disorder, too.

    Parameters
    ----------
    continua
        Several are a corpus, and so is a `Corpus` of one; a single one stands by itself.
    settings
        Where they leave the chance model open, it is decided for the continua.
    how
        How to compute (`Computing`); random sets are kept only where `shared` keeps them.
    """

    def __init__(self, continua: Continua, settings: Settings, **how: Unpack[Computing]) -> None:
        """Nothing is computed yet."""
        self.named = named_continua(continua)
        source: Continuum | Corpus
        if isinstance(continua, Corpus):
            source = continua
        elif len(self.named) == 1:
            (source,) = self.named.values()
        else:
            source = Corpus.from_continua(self.named)
        self.source = source
        self.continua = (source,) if isinstance(source, Continuum) else tuple(source.values())
        self.settings = settings.deciding([self.continua])
        self.model = CHANCE_MODELS[self.settings.chance]
        # Not every dissimilarity can be bound to nothing.
        dissimilarity = settings.dissimilarity if self.continua else Combined()
        self.bound: BoundDissimilarity = bind(dissimilarity, source)
        self.shared = self.model.pools or len(self.continua) > OWN_CHANCE
        self._executor = how.get("executor")
        self._progress = how.get("progress")
        memory = how.get("shared")
        self._keep = memory is not None
        self._rows: dict[int, list[Continuum]] = {}
        for c in self.continua:
            self._rows.setdefault(c.n_annotators, []).append(c)
        self._parent: _Parent | None = None
        # A continuum by itself and a corpus of it alone may be bound alike, but need not be.
        key = (isinstance(source, Continuum), self.continua, self.settings)
        self._memory: Memory = {} if memory is None else memory.setdefault(key, {})  # type: ignore[assignment]

    @cached_property
    def _by_annotator(self) -> Mapping[str, Mapping[str, Continuum]]:
        """The continua of each annotator, by name."""
        found: dict[str, dict[str, Continuum]] = {}
        for name, c in zip(self.named, self.continua, strict=True):
            for annotator in c.annotators:
                found.setdefault(annotator, {})[name] = c
        return found

    def once(self, key: tuple[object, ...], compute: Callable[[], T]) -> T:
        """What `compute` gives, computed once for all that rest on this."""
        if key not in self._memory:
            self._memory[key] = compute()
        return self._memory[key]  # type: ignore[return-value]

    @property
    def selection(self) -> bool:
        """Whether it is of some annotators, selected from the basis of all."""
        return self._parent is not None

    def align(self, continua: Sequence[Continuum]) -> list[Alignment]:
        """The best alignments of some of the continua, ties broken canonically.

        After Ctrl-C those that were not reached are missing at the end.
        """
        new: dict[float, list[Continuum]] = {}
        for c in continua:
            if ("alignment", c) not in self._memory:
                new.setdefault(self.gap(c), []).append(c)
        for gap, some in sorted(new.items()):
            solving: Solving = {**self.settings.solving, "gap": gap}
            how: Any = {"executor": self._executor, "progress": self._progress}
            aligned = align_each(some, self.bound, **how, **solving)
            self._memory |= {("alignment", a.continuum): a for a in aligned}
        done = (self._memory.get(("alignment", c)) for c in continua)
        return list(takewhile(lambda a: a is not None, done))  # type: ignore[arg-type]

    def gap(self, continuum: Continuum) -> float:
        """The gap that is asked for; of a crowd that is a small share of all, that of its chance.

        What it is compared with is not known any better.
        """
        if self.shared and self._shares[continuum.n_annotators] <= _SMALL:
            settings = replace(self.settings, rule=self._rule(continuum))
            return settings.solving_random(continuum.n_annotators)["gap"]
        return self.settings.gap

    def chance(self, of: Continuum | tuple[Continuum, ...]) -> Chance:
        """The expected disorder: random sets until the sample rule holds.

        Computed once for all that rest on the same draws. After Ctrl-C (`stopping.interruptible`)
        the samples that are done count, without the one that was cut short.

        Parameters
        ----------
        of
            One of the continua; or several, with chance modelled within each (`cut`).

        Raises
        ------
        DataError
            The chance model cannot be built from these continua.
        """
        within = isinstance(of, tuple)
        draws = self._draws_within(of) if isinstance(of, tuple) else self.draws(of)
        known = self._memory.get(("chance", draws))
        if isinstance(known, Chance):
            return known
        rule = self.settings.rule if isinstance(of, tuple) else self._rule(of)
        at_once = min(200, max(5, 2000 // self._units))
        settings = replace(self.settings, rule=rule)
        ratio, keep = within or self._ratio, self._keep and not within
        count = AlignedDisorder(self.bound, settings, keep, ratio, at_once)
        (expected,), kept = expectations(
            draws, count, rule, self.settings.seed, executor=self._executor, progress=self._progress
        )
        sets = tuple(k for k in kept if isinstance(k, RandomSet))
        chance = self._memory["chance", draws] = Chance(draws.sampler.signature, expected, sets)
        return chance

    def draws(self, continuum: Continuum) -> Draws[Continuum]:
        """The random sets that serve one of the continua."""
        if self._parent is not None and self.model.named:
            cut = self._cut(continuum, self._parent)
            if cut is not None:
                return cut
        n = continuum.n_annotators
        key = n if self.shared else continuum

        def compute() -> Draws[Continuum]:
            if self.model.pools:
                sampler = self.model.prepare([c for c in self.continua if c.n_annotators], n)
            elif self.shared:
                sampler = self._strata(self._rows[n])
            else:
                sampler = self.model.prepare([continuum], n)
            return Draws(sampler, self.settings.seed, keep=self._keep)

        return self.once(("draws", key), compute)

    def _cut(self, continuum: Continuum, parent: _Parent) -> Selected | None:
        """Random sets of all annotators, cut as this continuum was; None if they are too few."""
        origin = parent.origins[continuum]
        whole = parent.basis.draws(origin)

        def compute() -> Selected | None:
            cut = Selected(whole, parent.names, keep=parent.keep)
            drawn = parent.basis.chance(origin).expected.samples
            return cut if cut.reach(FEWEST_SAMPLES, drawn) >= FEWEST_SAMPLES else None

        return self.once(("cut", whole), compute)

    def _draws_within(self, continua: tuple[Continuum, ...]) -> Draws[Continuum]:
        """Random sets of these continua with chance modelled within each."""
        seed = self.settings.seed
        return self.once(("within", continua), lambda: Draws(self._strata(continua, "cut"), seed))

    def _strata(self, continua: Sequence[Continuum], model: str = "") -> Strata[Continuum]:
        """Chance within each of these in turn, the shortest first."""
        chosen = CHANCE_MODELS[model or self.model.name]
        marked = sorted((c for c in continua if c.n_units), key=lambda c: c.n_units)
        samplers: Sequence[Sampler[Continuum]] = OnDemand(
            len(marked), lambda i: chosen.prepare([marked[i]], marked[i].n_annotators)
        )
        if chosen.demands:
            samplers = tuple(samplers)  # What one cannot be built from is told at once.
        name = model or f"{self.model.name}(over={len(samplers)})"
        return Strata(samplers, name)

    @cached_property
    def _units(self) -> int:
        """Units of a continuum in the mean, 1 at least."""
        return max(1, sum(c.n_units for c in self.continua) // len(self.continua))

    @property
    def _ratio(self) -> bool:
        return self.model.ratio or (self.shared and not self.model.pools)

    def _rule(self, continuum: Continuum) -> SampleRule:
        """The precision of a group of continua that is a share s of all: e/√s.

        All groups together then have the expected disorder of the corpus to a precision of e.
        """
        rule = self.settings.rule
        if not self.shared:
            return rule
        if self.model.named and self._parent is None:
            rule = replace(rule, least=max(rule.least, min(_MANY, _FEW_UNITS // self._units)))
        if len(self._rows) == 1:
            return rule
        share = self._shares[continuum.n_annotators]
        least = rule.least if share > _SMALL else FEWEST_SAMPLES
        precision = min(_WORST, rule.precision / math.sqrt(share))
        return replace(rule, precision=precision, least=least)

    @cached_property
    def _shares(self) -> Mapping[int, float]:
        """By number of annotators: those continua's share of all, by x̄."""
        weights = {n: math.fsum(c.mean_units for c in some) for n, some in self._rows.items()}
        return {n: weight / (sum(weights.values()) or 1.0) for n, weight in weights.items()}

    def select(self, names: Collection[str], *, keep: bool) -> Basis | None:
        """What the continua share that hold all of these annotators, cut to some annotators.

        Where the random sets have the names of real annotators, those that hold these are cut in
        the same way; chance is modelled anew where they do not, or too few of them do.

        Parameters
        ----------
        names
            Annotators who must be there.
        keep
            Whether they are kept, or all others are.

        Returns
        -------
        Basis or None
            None if no continuum has two annotators left.
        """
        wanted = frozenset(names)
        places = [self._by_annotator.get(name, {}) for name in wanted]
        origins: dict[str, Continuum] = {}
        chosen: dict[str, Continuum] = {}
        for name, c in min(places, key=len).items():
            left = [a for a in c.annotators if (a in wanted) == keep]
            if len(left) > 1 and all(name in other for other in places):
                origins[name], chosen[name] = c, c.only_annotators(left)
        if not chosen:
            return None
        several = isinstance(self.source, Corpus)
        source = Corpus(chosen, self.source.categories) if several else next(iter(chosen.values()))
        kept: Memory | None = {} if self._keep and any(c.links for c in chosen.values()) else None
        basis = Basis(source, self.settings, executor=self._executor, shared=kept)
        cut = dict(zip(basis.continua, origins.values(), strict=True))
        basis._parent = _Parent(self, wanted, keep, cut)
        return basis

    def signature(
        self,
        name: str,
        *chances: Chance,
        method: str,
        samples: int,
        selection: Sequence[str],
        **parts: object,
    ) -> str:
        """The signature of a number that rests on this.

        Parameters
        ----------
        name
            Of the measure.
        chances
            The expected disorders behind it: what they decided by themselves is all said.
        method, samples
            The solver that was used, and how many random sets were drawn.
        selection
            What was selected in the data.
        parts
            What else determines the number, shown first.
        """
        capped = [c.expected.precision for c in chances if c.expected.capped]
        return signature(
            name,
            selection=selection,
            **parts,
            d=self.once(("d",), partial(describe, self.settings.dissimilarity)),
            chance=",".join(dict.fromkeys(c.model for c in chances)),
            samples=samples,
            interrupted=None if all(c.expected.complete for c in chances) else "yes",
            reached=float(f"{max(capped):.2g}") if capped else None,
            method=method,
            **self.settings.signature_parts(),
        )


@dataclass(frozen=True)
class AlignedDisorder:
    """Disorder of the best alignment of random sets: what γ counts."""

    dissimilarity: BoundDissimilarity
    settings: Settings
    keep: bool
    """Whether the sets and their alignments are wanted later."""
    ratio: bool
    """Whether sets weigh by their x̄, so that the mean is Σ cost / Σ x̄."""
    at_once: int

    def of_each(self, sets: Sequence[Continuum]) -> list[Sequence[Disagreement]]:
        """One disagreement per set, without those that an interruption left out or cut short."""
        marked = [s for s in sets if s.n_units]
        most = max((s.n_annotators for s in marked), default=0)
        solving = self.settings.solving_random(most)
        found = iter(best_groups_of_each(marked, self.dissimilarity, ties=self.keep, **solving))
        rows: list[Sequence[Disagreement]] = []
        for s in sets:
            weight = s.mean_units if self.ratio else 1.0
            if not s.n_units:
                rows.append((Disagreement(0.0, 0.0, weight=weight),))
                continue
            best = next(found, None)
            if best is None or (due() and best.status is not Status.OPTIMAL):
                break
            kept = RandomSet(s, best.groups) if self.keep else None
            proven = best.status is Status.OPTIMAL
            rows.append((Disagreement(best.disorder, best.bound, proven, weight, kept),))
        return rows
