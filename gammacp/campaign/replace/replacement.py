"""May a system stand in for a person? The alternative annotator test, also for spans.

Calderon, Reichart & Dror (2025), "The Alternative Annotator Test for LLM-as-a-Judge: How to
Statistically Justify Replacing Human Annotators with LLMs", ACL 2025, §3. Each person in turn is
left out, and on every document the candidate's agreement with the others is compared with that of
the person left out. ρ is the share of documents on which the one agrees at least as well as the
other (a tie is a win of both), ω the share of people for whom ρ_candidate ≤ ρ_person − ε is
rejected, and the candidate passes with ω ≥ ½.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from dataclasses import replace as changed
from typing import Any

import numpy as np

from gammacp.base.arguments import MOST_DRAWS, several, whole
from gammacp.base.record_tables import record_of
from gammacp.base.signature import describe, signature
from gammacp.base.text import first_names
from gammacp.campaign.compare.scoring import annotators_of, check_annotator, with_annotators
from gammacp.campaign.replace.copies import notes_on_copies
from gammacp.campaign.replace.inference import (
    benjamini_yekutieli,
    equivalence,
    exact_test,
    partial_conjunction,
)
from gammacp.campaign.replace.scores import SCORES, Aligning, default_gap, scores_beside
from gammacp.campaign.replace.verdict import (
    TESTED,
    AgainstPerson,
    ByScore,
    Candidacy,
    enough_documents,
    least_epsilon,
)
from gammacp.campaign.replace.wins import Wins, wins_of
from gammacp.continuum import Continuum
from gammacp.continuum.needs import too_few_annotators
from gammacp.errors import DataError, UsageError
from gammacp.inference.contributions import Contributions
from gammacp.inference.part_tests import with_holm
from gammacp.inference.resampling import DRAWS, bootstrap
from gammacp.measures.random_sets import Continua, named_continua

EPSILON: Mapping[str, float] = {"experts": 0.2, "skilled": 0.15, "crowd": 0.1}
"""ε by who the people are (§3.3): how much a candidate's lower price is worth."""

_LEVEL = 0.05
_ENOUGH = 0.5  # of the people, to pass


@dataclass(frozen=True, kw_only=True)
class Replacement:
    """All candidates; `unproven` counts alignments without a proof.

    Those that were tested stand first, then those with the higher ρ.
    """

    candidates: tuple[Candidacy, ...]
    score: str
    unproven: int
    signature: str

    def __repr__(self) -> str:
        """Return the verdict on each candidate; `as_dict` has the rest."""
        return f"Replacement({' '.join(c.in_words() for c in self.candidates)})"

    def _repr_html_(self) -> str:
        from gammacp.base.display import as_html

        return as_html("replacement", self)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON of `gammacp replace`."""
        candidates = {c.name: c.as_dict() for c in self.candidates}
        return {"candidates": candidates, **record_of(self, "score unproven signature")}


def replace(
    continua: Continua,
    candidates: Collection[str],
    *,
    score: str = "disorder",
    epsilon: float | str = "experts",
    min_documents: int = 30,
    expert: str | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    dissimilarity: Any = None,
    executor: Executor | None = None,
    method: str = "auto",
    gap: float | None = None,
    time_limit: float | None = None,
) -> Replacement:
    """Test whether each candidate may stand in for a person.

    Parameters
    ----------
    continua
        Documents of all annotators; a candidate is one of them, everybody else is a person.
    candidates
        Names. Each is tested among the people alone, without the other candidates.
    score
        Name of one of `SCORES`: "disorder", "soft-f1", "overlap" for spans, "accuracy" and
        "neg-rmse" for labels of predefined units, whose places are the instances instead of
        documents. Other subjects have scores of their own.
    epsilon
        ε in [0, 1), or one of `EPSILON` by name.
    min_documents
        People with fewer instances are not tested, and stay among the others. With fewer than 30
        an exact test takes the place of the t test.
    expert
        Compare with this person alone (the paper's single expert): who is closer to the expert,
        the candidate or each of the other people?
    draws, seed
        Number of draws and seed of the bootstrap interval, and of the documents drawn to see how
        many would do.
    dissimilarity, executor, method, gap, time_limit
        As for `gammacp.align`, for scores that need alignments. No gap is 0, but `CROWD_GAP` in
        documents of 28 annotators and more; a note says what is not proven.

    Raises
    ------
    DataError
        No such candidate or expert; fewer than two people; a candidate who never meets two.
    UsageError
        A value is outside its range.
    """
    named = named_continua(continua)
    names = tuple(dict.fromkeys(several("candidates", candidates)))
    margin = _epsilon(epsilon)
    least = whole("min_documents", min_documents, 1)
    solving: dict[str, Any] = {"method": method, "time_limit": time_limit}
    if gap is not None:
        solving["gap"] = gap
    draws = whole("draws", draws, 1, MOST_DRAWS)
    test = _Test(margin, least, draws, seed, SCORES[score].of, expert)
    people = _people(named, names, expert)
    aligning = Aligning(dissimilarity, executor, {**solving, "seed": seed})
    candidacies, unproven = _candidacies(named, names, people, score, test, aligning)
    return Replacement(
        candidates=candidacies,
        score=score,
        unproven=unproven,
        signature=_signature(named, names, score, test, aligning),
    )


@dataclass(frozen=True)
class _Test:
    """Settings of the test: ε, the fewest instances of a person, the draws of intervals."""

    epsilon: float
    least: int
    draws: int
    seed: int
    of: str
    expert: str | None


def _candidacies(
    named: Mapping[str, Continuum],
    names: Iterable[str],
    people: tuple[str, ...],
    score: str,
    test: _Test,
    aligning: Aligning,
) -> tuple[tuple[Candidacy, ...], int]:
    """Test each candidate among the people.

    Returns
    -------
    candidacies
        The best candidate first, with p-values adjusted for their number.
    unproven
        How many alignments are not proven optimal.
    """
    candidacies = []
    unproven = 0
    compared = set()
    for name in names:
        # Alignments are collected per candidate: those without the candidate are not made.
        own = Aligning(aligning.dissimilarity, aligning.executor, aligning.solving, candidate=name)
        documents = with_annotators(named, (*people, name), least=1)
        candidacy, instances = _tested(name, documents, people, score, test, own)
        candidacies.append(candidacy)
        compared.add(instances)
        unproven += len(own.unproven)
    if len(compared) > 1:
        what = f"candidates are compared on different {test.of}"
        apart = f"{what}, so their order is not a fair ranking"
        candidacies = [changed(c, notes=(*c.notes, apart)) for c in candidacies]
    if len(candidacies) > 1:
        candidacies = [*with_holm(candidacies)]
    ranked = sorted(candidacies, key=lambda c: (c.passes is None, -c.advantage_probability))
    return tuple(ranked), unproven


def _signature(
    named: Mapping[str, Continuum],
    names: Iterable[str],
    score: str,
    test: _Test,
    aligning: Aligning,
) -> str:
    """Return the signature of the test; without a gap it names the one that the documents have."""
    solving = aligning.solving
    if "gap" in solving:
        gap = solving["gap"]
    else:
        gap = max(map(default_gap, named.values()))
    return signature(
        "replace",
        selection=tuple(dict.fromkeys(s for c in named.values() for s in c.selection)),
        candidates=",".join(names),
        score=score,
        d=describe(aligning.distance) if SCORES[score].aligned else None,
        epsilon=test.epsilon,
        least=test.least,
        expert=test.expert,
        draws=test.draws,
        seed=test.seed,
        gap=gap or None,
        **{k: v for k in ("method", "time_limit") if (v := solving[k]) not in ("auto", None)},
    )


def _tested(
    name: str,
    documents: Mapping[str, Continuum],
    people: tuple[str, ...],
    score: str,
    test: _Test,
    aligning: Aligning,
) -> tuple[Candidacy, tuple[str, ...]]:
    """Return the verdict on one candidate, and on which instances it rests."""
    scoring = SCORES[score]
    instances = [*scoring.instances(documents, aligning)]
    wins = wins_of(name, instances, scoring.rest, expert=test.expert)
    if not wins.people:
        raise DataError(
            f"{name} shares no {scoring.of} with two people",
            hint="The test needs what the candidate and at least two people annotated",
        )
    others, lacking = _by_other_scores(name, documents, score, test, aligning)
    notes = (*_notes(name, documents, wins, people, test), *aligning.proof_notes())
    notes = (*notes, *notes_on_copies(name, documents, instances))
    candidacy = _candidacy(name, wins, test, (*notes, *lacking))
    return changed(candidacy, by_score=others), wins.instances


def _by_other_scores(
    name: str, mine: Mapping[str, Continuum], score: str, test: _Test, aligning: Aligning
) -> tuple[tuple[ByScore, ...], tuple[str, ...]]:
    """Verdicts by other scores, and why one is lacking."""
    found = []
    lacking = []
    for other in scores_beside(score, mine) if test.of == "documents" else ():
        try:
            instances = SCORES[other].instances(mine, aligning)
            wins = wins_of(name, instances, SCORES[other].rest, expert=test.expert)
        except DataError as error:
            lacking.append(f"no verdict by {other}: {error}")
            continue
        rate = float(wins.winning_rate(test.epsilon, test.least, both=True))
        if np.isnan(rate):
            passes = None
        else:
            passes = rate >= _ENOUGH
        there = wins.there * wins.stands_for
        share = (wins.candidate * there).sum() / there.sum()
        found.append(ByScore(other, passes, rate, float(share)))
    return tuple(found), tuple(lacking)


def _candidacy(name: str, wins: Wins, test: _Test, notes: tuple[str, ...]) -> Candidacy:
    epsilon = test.epsilon
    least = test.least
    p, confirmed = (wins.p_values(epsilon, least, both=both) for both in (False, True))
    tested = np.isfinite(p)
    won, lost = ((wins.differences == d).sum(axis=1) for d in (1, -1))
    n = wins.there.sum(axis=1)
    sums = [*zip(n.tolist(), won.tolist(), lost.tolist(), strict=True)]
    if wins.alike:
        q = np.array([equivalence(*each, epsilon) for each in sums])
    else:
        back = [wins.p_of_parts(j, epsilon, least, reverse=True) for j in range(len(sums))]
        q = np.maximum(confirmed, back)
    beaten = benjamini_yekutieli(confirmed, _LEVEL)
    equivalent = benjamini_yekutieli(np.where(tested, q, np.nan), _LEVEL)
    rows = []
    for j, person in enumerate(wins.people):
        known: dict[str, Any] = dict.fromkeys(TESTED)
        if tested[j]:
            # The exact test of documents knows neither clusters nor weights.
            if wins.alike:
                exact = exact_test(*sums[j], epsilon)
            else:
                exact = None
            values = p[j], exact, q[j], beaten[j], equivalent[j]
            known = {k: np.asarray(v).item() for k, v in zip(TESTED, values, strict=True)}
        mine, theirs = (wins.rate(side, j) for side in (wins.candidate, wins.person))
        rows.append(AgainstPerson(person, sums[j][0], mine, theirs, **known))
    if tested.any():
        shown = tested
    else:
        shown = np.ones(len(rows), np.bool_)
    rates = [float(wins.winning_rate(epsilon, least, both=both)) for both in (False, True)]
    rho = float(np.mean([r.rho_candidate for r, s in zip(rows, shown, strict=True) if s]))
    interval, note = _interval(wins.contributions(shown), test)
    return Candidacy(
        name=name,
        passes=rates[1] >= _ENOUGH if tested.any() else None,
        winning_rate=rates[0],
        confirmed_rate=rates[1],
        advantage_probability=rho,
        interval=interval,
        epsilon=epsilon,
        least_epsilon=least_epsilon(wins, least),
        min_documents=least,
        enough_documents=enough_documents(wins, epsilon, least, seed=test.seed),
        people=tuple(rows),
        instances=len(wins.instances),
        left_out=wins.left_out,
        alone=wins.alone,
        present=wins.present,
        expert=test.expert,
        of=test.of,
        notes=(*notes, *note),
        clusters=int(wins.parts.max()) + 1 if wins.clusters else 0,
        weighted=bool(wins.weights),
        p=partial_conjunction(confirmed, _ENOUGH),
    )


def _interval(
    parts: Contributions, test: _Test
) -> tuple[tuple[float, float] | None, tuple[str, ...]]:
    """Return the interval of ρ, and a note where resampling cannot tell it."""
    found = bootstrap(parts, draws=test.draws, seed=test.seed).interval
    there = parts.expected > 0
    lost = parts.observed[there] / parts.expected[there]
    if found is None or np.ptp(lost) > 1e-9:
        return None if found is None else (max(0.0, found[0]), found[1]), ()
    from scipy.special import betaincinv

    n = len(lost)
    k = len(lost) * parts.gamma
    if k > 0:
        low = float(betaincinv(k, n - k + 1, 0.025))
    else:
        low = 0.0
    if k < n:
        high = float(betaincinv(k + 1, n - k, 0.975))
    else:
        high = 1.0
    note = f"ρ is the same on all {n} {test.of}: its interval is Clopper & Pearson's"
    return (low, high), (f"{note}, as there is nothing to resample",)


def _epsilon(value: float | str) -> float:
    try:
        found = EPSILON[value] if value in EPSILON else float(value)  # type: ignore[index]
    except (TypeError, ValueError):
        found = np.nan
    if not 0 <= found < 1:
        known = ", ".join(f"{k} ({v:g})" for k, v in EPSILON.items())
        raise UsageError(f"epsilon {value!r} is neither a number in [0, 1) nor one of: {known}")
    return found


def _people(
    named: Mapping[str, Continuum], candidates: tuple[str, ...], expert: str | None
) -> tuple[str, ...]:
    if not candidates:
        raise UsageError("no candidate is named: `candidates=NAME`")
    _check_two(named, annotators_of(named))
    for name in candidates:
        check_annotator(named, name, "candidate")
    if expert is not None:
        check_annotator(named, expert, "expert")
    people = tuple(n for n in annotators_of(named) if n not in candidates)
    if expert in candidates:
        raise UsageError(f"{expert} cannot be both the expert and a candidate")
    _check_two(named, people)
    return people


def _check_two(named: Mapping[str, Continuum], people: Sequence[str]) -> None:
    """Raise a DataError for fewer than two people."""
    if len(people) < 2:
        what = "each candidate is compared with two people at least"
        raise too_few_annotators(named.values(), what, ", ".join(people))


def _notes(
    name: str, mine: Mapping[str, Continuum], wins: Wins, people: tuple[str, ...], test: _Test
) -> tuple[str, ...]:
    """Return what makes the numbers say less than they seem to."""
    notes = []
    total = len(wins.instances) + wins.left_out
    of = test.of
    expert = test.expert
    if of == "documents":
        what = "row"
    else:
        what = "label"
    lacking = {a: n for a in (name, *people) if (n := total - wins.present.get(a, 0))}
    if missing := lacking.pop(name, 0):
        if what == "row":
            asked = "; if it found nothing there, say so with `annotators=`"
        else:
            asked = ""
        notes.append(
            f"{name} has no {what} in {missing} of {total} {of}: these are left out{asked}"
        )
    if lacking:
        some = [f"{a} in {n}" for a, n in sorted(lacking.items(), key=lambda e: -e[1])]
        shown = first_names(some, 5, "more people")
        notes.append(
            f"people without a {what} in some of the {total} {of} are not compared there: {shown}"
        )
    if never := [a for a in people if a not in (*wins.people, expert)]:
        shown = first_names(never, 5, "more people")
        notes.append(
            f"not compared, because they share no {of.removesuffix('s')} with {name} and a third "
            f"person: {shown}"
        )
    if not any(c.counts[c.annotators.index(name)] for c in mine.values() if name in c.annotators):
        notes.append(f"{name} has no unit at all: it agrees only where people marked nothing too")
    if of != "documents" and (
        bare := sum(int((c.category_codes < 0).sum()) for c in mine.values())
    ):
        notes.append(f"{bare} units without a category are not labels, and left out")
    if not (wins.differences[wins.there] != 0).any():
        notes.append("all agree equally well everywhere: the data cannot tell them apart")
    if expert is None and len(people) < 3:
        notes.append("with fewer than three people, nobody can be left out of a group of others")
    return tuple(notes)
