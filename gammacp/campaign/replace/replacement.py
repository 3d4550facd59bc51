"""Test whether a system may replace a person: the alternative annotator test, also for spans.

The test is that of Calderon, Reichart & Dror (2025), "The Alternative Annotator Test for
LLM-as-a-Judge: How to Statistically Justify Replacing Human Annotators with LLMs", ACL 2025, §3.
Each person in turn is left out, and on each document, the candidate's agreement with the others is
compared with that of the person left out. The one with the better agreement wins the document; a
tie is a win of both. ρ_candidate and ρ_person are the shares of documents that each of them wins. ω
is the share of people for whom the hypothesis ρ_candidate ≤ ρ_person − ε is rejected. The candidate
passes if ω ≥ ½.
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
from gammacp.campaign.replace.scores import SCORES, Aligning, default_gap, further_scores
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
"""ε for kinds of annotators (§3.3): by how much a cheaper candidate may be worse than a person."""

_LEVEL = 0.05
_ENOUGH = 0.5  # least ω with which a candidate passes


@dataclass(frozen=True, kw_only=True)
class Replacement:
    """Results of the test for all candidates.

    Attributes
    ----------
    candidates
        Result of each candidate. Candidates that could be tested come first; among these and among
        the others, those with a higher ρ come first.
    score
        Name of the score.
    unproven
        Number of alignments that are not proven optimal.
    signature
        Signature of the test.
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
        Documents of all annotators, including the candidates. All other annotators are people.
    candidates
        Names of the candidates. Each is tested against the people only, without the others.
    score
        Name of one of `SCORES`: "disorder", "soft-f1" or "overlap" for spans; "accuracy" or
        "neg-rmse" for labels of predefined units, whose places are then the instances of the test
        instead of documents. Other subjects add further scores.
    epsilon
        ε in [0, 1), or the name of one of `EPSILON`.
    min_documents
        Least number of instances for a person to be tested. Untested people still count among the
        others. For people with fewer than 30 instances, an exact test replaces the t test.
    expert
        Name of a person (the single expert of the paper). If given, agreement is that with the
        expert only, and the candidate is compared with each of the other people.
    draws, seed
        Number of draws of the bootstrap interval, and the seed of this interval and of the
        documents that are drawn to estimate how many would be enough.
    dissimilarity, executor, method, gap, time_limit
        As for `gammacp.align`, for scores that need alignments. If `gap` is None, it is 0, or
        `CROWD_GAP` in documents with 28 annotators or more; a note counts unproven alignments.

    Raises
    ------
    DataError
        A candidate or the expert is not an annotator, there are fewer than two people, or a
        candidate shares no instance with two people.
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
    """Settings of the test; `least` is `min_documents`, and `of` names the instances."""

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
        # Collect alignments for each candidate: documents without the candidate are not aligned.
        own_alignments = Aligning(
            aligning.dissimilarity, aligning.executor, aligning.solving, candidate=name
        )
        documents = with_annotators(named, (*people, name), least=1)
        candidacy, instances = _test_candidate(name, documents, people, score, test, own_alignments)
        candidacies.append(candidacy)
        compared.add(instances)
        unproven += len(own_alignments.unproven)
    if len(compared) > 1:
        difference = f"candidates are compared on different {test.of}"
        apart = f"{difference}, so their order is not a fair ranking"
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
    """Return the signature of the test, with the largest default gap if no gap was given."""
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


def _test_candidate(
    name: str,
    documents: Mapping[str, Continuum],
    people: tuple[str, ...],
    score: str,
    test: _Test,
    aligning: Aligning,
) -> tuple[Candidacy, tuple[str, ...]]:
    """Return the result of one candidate, and the names of the instances that were compared."""
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
    """Return the verdicts by other scores, and notes on scores that have none."""
    verdicts = []
    lacking = []
    for other in further_scores(score, mine) if test.of == "documents" else ():
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
        weights = wins.annotated * wins.stands_for
        share = (wins.candidate * weights).sum() / weights.sum()
        verdicts.append(ByScore(other, passes, rate, float(share)))
    return tuple(verdicts), tuple(lacking)


def _candidacy(name: str, wins: Wins, test: _Test, notes: tuple[str, ...]) -> Candidacy:
    epsilon = test.epsilon
    least = test.least
    p, confirmed = (wins.p_values(epsilon, least, both=both) for both in (False, True))
    tested = np.isfinite(p)
    won, lost = ((wins.differences == d).sum(axis=1) for d in (1, -1))
    n = wins.annotated.sum(axis=1)
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
        test_columns: dict[str, Any] = dict.fromkeys(TESTED)
        if tested[j]:
            # The exact test of documents does not support clusters and weights.
            if wins.alike:
                exact = exact_test(*sums[j], epsilon)
            else:
                exact = None
            values = p[j], exact, q[j], beaten[j], equivalent[j]
            test_columns = {k: np.asarray(v).item() for k, v in zip(TESTED, values, strict=True)}
        candidate_rate, person_rate = (wins.rate(side, j) for side in (wins.candidate, wins.person))
        rows.append(AgainstPerson(person, sums[j][0], candidate_rate, person_rate, **test_columns))
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
    """Return the interval of ρ, with a note if all instances are alike and cannot be resampled."""
    interval = bootstrap(parts, draws=test.draws, seed=test.seed).interval
    is_present = parts.expected > 0
    lost = parts.observed[is_present] / parts.expected[is_present]
    if interval is None or np.ptp(lost) > 1e-9:
        return None if interval is None else (max(0.0, interval[0]), interval[1]), ()
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
        share = EPSILON[value] if value in EPSILON else float(value)  # type: ignore[index]
    except (TypeError, ValueError):
        share = np.nan
    if not 0 <= share < 1:
        names = ", ".join(f"{k} ({v:g})" for k, v in EPSILON.items())
        raise UsageError(f"epsilon {value!r} is neither a number in [0, 1) nor one of: {names}")
    return share


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
        requirement = "each candidate is compared with two people at least"
        raise too_few_annotators(named.values(), requirement, ", ".join(people))


def _notes(
    name: str, mine: Mapping[str, Continuum], wins: Wins, people: tuple[str, ...], test: _Test
) -> tuple[str, ...]:
    """Return notes on missing data and other limits of the test."""
    notes = []
    total = len(wins.instances) + wins.left_out
    of = test.of
    expert = test.expert
    if of == "documents":
        thing = "row"
    else:
        thing = "label"
    lacking = {a: n for a in (name, *people) if (n := total - wins.present.get(a, 0))}
    if missing := lacking.pop(name, 0):
        if thing == "row":
            advice = "; if it found nothing there, say so with `annotators=`"
        else:
            advice = ""
        notes.append(
            f"{name} has no {thing} in {missing} of {total} {of}: these are left out{advice}"
        )
    if lacking:
        some = [f"{a} in {n}" for a, n in sorted(lacking.items(), key=lambda e: -e[1])]
        shown = first_names(some, 5, "more people")
        notes.append(
            f"people without a {thing} in some of the {total} {of} are not compared there: {shown}"
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
    if not (wins.differences[wins.annotated] != 0).any():
        notes.append("all agree equally well everywhere: the data cannot tell them apart")
    if expert is None and len(people) < 3:
        notes.append("with fewer than three people, nobody can be left out of a group of others")
    return tuple(notes)
