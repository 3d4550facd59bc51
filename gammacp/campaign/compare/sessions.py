"""Compare the agreement of people with themselves and with others (intra- and inter-annotator).

Some documents are annotated twice by the same person, in two sessions. γ_intra is the agreement of
pairs of sessions of one person, γ_inter that of pairs of different people on the same documents.
Both are 1 − Σ observed / Σ expected disorder over pairs. If D and E are the mean observed and
expected disorder of such pairs, then exactly

    1 − γ_inter = (1 − γ_intra)(1 − γ_between)
    1 − γ_between = (D_inter / D_intra) / (E_inter / E_intra)

If the expected disorder is the same for two sessions and for two people (E_inter = E_intra, because
people mark equally many units of equal lengths and the same categories), then γ_between depends on
the observed disorder only: the disorder between a person's own sessions takes the place of chance.
γ_between is 0 if people differ from each other as much as from themselves, and negative if they
differ more from each other.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from gammacp.base.arguments import text
from gammacp.base.arrays import Floats
from gammacp.base.text import counted
from gammacp.campaign.compare.scoring import Selection, agreement_of_selected, annotators_of
from gammacp.campaign.compare.stretches import DocumentParts
from gammacp.continuum.renaming import rename_annotators
from gammacp.continuum.selecting import keep_annotators
from gammacp.errors import DataError, UsageError
from gammacp.formats.layout import fit
from gammacp.inference.part_tests import (
    FEWEST_PARTS,
    Parts,
    independent_parts,
    paired_difference,
    with_holm,
)
from gammacp.measures.agreement import Agreement
from gammacp.measures.random_sets import Basis
from gammacp.measures.settings import Settings

_FIELDS = re.compile(r"(\{annotator\}|\{session\}|\*)")
_LEVEL = 0.05


@dataclass(frozen=True, kw_only=True)
class WithOneself:
    """Agreement of one person, or of all, with themselves and with others.

    Attributes
    ----------
    person
        Name of the person; "" for all people together.
    documents
        Number of documents that were annotated twice.
    intra, inter
        γ with oneself, and with others on the same documents; NaN where undefined.
    between
        γ_between = 1 − (1 − inter) / (1 − intra); NaN if all sessions of a person are identical.
    disorder_ratio, expected_ratio
        D_inter / D_intra, and E_inter / E_intra.
    p, p_holm
        Two-sided p of the hypothesis that the agreement with others is the same as with oneself,
        tested over documents, clusters or stretches of a text; and p after Holm's correction for
        all people. NaN without a test.
    parts, kind
        Number of documents, clusters or stretches that are tested, and which of these they are.
    """

    person: str
    documents: int
    intra: float
    inter: float
    between: float
    disorder_ratio: float
    expected_ratio: float
    p: float = math.nan
    p_holm: float = math.nan
    parts: int = 0
    kind: str = ""


@dataclass(frozen=True, kw_only=True)
class Sessions:
    """Agreement of everybody who annotated twice, together (`all`) and one by one (`people`)."""

    all: WithOneself
    people: tuple[WithOneself, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON."""
        return {"all": asdict(self.all), "people": [asdict(p) for p in self.people]}

    def in_words(self) -> str:
        """Return sentences on γ with oneself and with others, and on what follows from them."""
        a = self.all
        if math.isnan(a.intra):
            return "γ of people with themselves is undefined: chance expects no disorder there."
        if math.isnan(a.inter):
            others = "there is no γ"
        else:
            others = f"at γ = {a.inter:.3f}"
        number = f"{counted(a.documents, 'document')}"
        words = (
            f"On {number} that somebody annotated twice, people agree with themselves at γ = "
            f"{a.intra:.3f}; with others {others}."
        )
        if math.isfinite(a.between):
            words += (
                f" 1 − γ_inter = (1 − γ_intra)(1 − γ_between) with γ_between = {a.between:.3f}: "
                f"they disagree with others {1 - a.between:.2f} times as much as with themselves "
                f"(disorder {a.disorder_ratio:.2f} times, chance {a.expected_ratio:.2f} times)."
            )
        if math.isnan(a.p):
            return f"{words} Not tested: a test takes {FEWEST_PARTS} documents, or a long text."
        tested = f"(p = {a.p:.2g}; {a.parts} {a.kind}, of these people)"
        if a.p <= _LEVEL:
            if a.intra > a.inter:
                relation = "better"
            else:
                relation = "worse"
            return f"{words} They agree with themselves {relation} than with others {tested}."
        return (
            f"{words} They are not shown to agree better with themselves than with others "
            f"{tested}: what looks like disagreement between people may be each person's own "
            "inconsistency."
        )


def people_of(annotators: Sequence[str], pattern: str) -> dict[str, tuple[str, str]]:
    """Return the person and the session that each annotator's name stands for.

    Parameters
    ----------
    annotators
        Names of annotators, such as `Ann-2`.
    pattern
        Pattern with `{annotator}`, `{session}` and `*`. A name that does not match it is that of a
        person who annotated once.

    Raises
    ------
    UsageError
        The pattern does not have `{annotator}` and `{session}` exactly once.

    >>> people_of(["Ann-1", "Ann-2", "Bob"], "{annotator}-{session}")
    {'Ann-1': ('Ann', '1'), 'Ann-2': ('Ann', '2'), 'Bob': ('Bob', '')}
    """
    pieces = _FIELDS.split(text("session", pattern))
    named = [p for p in pieces[1::2] if p != "*"]
    if sorted(named) != ["{annotator}", "{session}"] or "{" in "".join(pieces[::2]):
        raise UsageError(
            f"session {pattern!r} is neither a feature nor a pattern of annotators' names with "
            "{annotator} and {session}, such as '{annotator}-{session}'"
        )
    person_and_session: dict[str, tuple[str, str]] = {}
    for name in annotators:
        values = dict(zip(pieces[1::2], fit(pieces, name) or (), strict=False))
        person_and_session[name] = values.get("{annotator}", name), values.get("{session}", "")
    return person_and_session


def first_sessions(continua: Selection, pattern: str | None) -> Selection:
    """Return the documents with only the first session of each person, named after the person.

    Parameters
    ----------
    continua
        Continua in which each annotator is one session of a person.
    pattern
        Pattern as for `people_of`; None if nobody annotated twice.
    """
    if pattern is None:
        return continua
    people = people_of(annotators_of(continua), pattern)
    selected = {}
    for document, c in continua.items():
        first: dict[str, str] = {}
        for name in sorted(c.annotators, key=lambda a: _rank(people[a][1])):
            first.setdefault(people[name][0], name)
        first_ones = keep_annotators(c, [a for a in c.annotators if a in first.values()])
        named = {name: person for person, name in first.items() if name != person}
        selected[document] = rename_annotators(first_ones, named).noting("sessions", "first")
    return selected


def _rank(session: str) -> tuple[float, str]:
    """Return a sort key of sessions: by the last number in the name, otherwise alphabetically."""
    digits = re.findall(r"\d+", session)
    return (float(digits[-1]) if digits else -1.0), session


def sessions_of(
    continua: Selection,
    pattern: str | None,
    settings: Settings,
    executor: Executor | None,
    whole: Agreement,
) -> Sessions | None:
    """Return the agreement of people with themselves and with others; None without a pattern.

    Parameters
    ----------
    continua, pattern
        As for `first_sessions`.
    settings, executor
        Settings of γ, and the pool of processes that compute it.
    whole
        Agreement of the first sessions of all people. The test is over its documents or stretches.

    Raises
    ------
    DataError
        Nobody annotated a document twice.
    """
    if pattern is None:
        return None
    people = people_of(annotators_of(continua), pattern)
    basis = Basis(continua, settings, executor=executor, shared={})
    times = {d: Counter(people[a][0] for a in c.annotators) for d, c in continua.items()}
    twice = {
        d: {person for person, n in repeating.items() if n > 1} for d, repeating in times.items()
    }
    if not any(twice.values()):
        names = ", ".join([*people][:10])
        raise DataError(
            "nobody annotated a document twice, in two sessions",
            hint=f"Give a feature that names sessions, or a pattern of annotators' names: {names}",
        )
    cuts = DocumentParts(whole)
    rows = defaultdict[tuple[str, bool], Floats](lambda: np.zeros((3, cuts.columns)))
    documents: dict[str, set[str]] = {}
    for pair in combinations(annotators_of(continua), 2):
        who = {people[a][0] for a in pair}
        shared = {d for d, c in continua.items() if set(pair) <= {*c.annotators}}
        if not any(who & twice[d] for d in shared):
            continue
        agreement = agreement_of_selected(basis, pair)
        for person in who:
            documents_of_person = [
                d for d in agreement.rated if person in twice[d] and d in whole.rated
            ]
            if len(who) == 1:
                documents.setdefault(person, set()).update(documents_of_person)
            # The rows are observed and expected disorder by part; the third sums x̄ in column 0.
            row = rows[person, len(who) == 1]
            row[:2] += cuts.sums(agreement, documents_of_person)
            row[2, 0] += sum(map(agreement.size, documents_of_person))
    repeating = sorted(documents)
    each = [
        _compare_with_oneself(p, len(documents[p]), rows[p, True], rows[p, False], cuts)
        for p in repeating
    ]
    both = [np.sum([rows[p, same] for p in repeating], axis=0) for same in (True, False)]
    total = len(set().union(*documents.values()))
    return Sessions(
        all=_compare_with_oneself("", total, both[0], both[1], cuts),
        people=with_holm(each),
    )


def _compare_with_oneself(
    person: str, documents: int, intra: Floats, inter: Floats, cuts: DocumentParts
) -> WithOneself:
    (o, e, x), (other_o, other_e, other_x) = intra.sum(axis=1), inter.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        own_disorder = o / e
        others = other_o / other_e
        disorder = (other_o / other_x) / (o / x)
        expected = (other_e / other_x) / (e / x)
        between = 1 - others / own_disorder
    is_present = (intra[1] > 0) & (inter[1] > 0)
    tested: dict[str, Any] = {}
    if cuts.n and is_present.sum() >= FEWEST_PARTS:
        sides: list[Parts] = [independent_parts(*s[:2, is_present]) for s in (intra, inter)]
        apart = paired_difference(sides[0], sides[1])
        if float(apart.error) > 0:
            n = int(is_present.sum())
            tested = {"p": float(apart.p), "parts": n, "kind": cuts.kind}
    ratios = (1 - own_disorder, 1 - others, between, disorder, expected)
    finite = [float(v) if np.isfinite(v) else math.nan for v in ratios]
    return WithOneself(
        person=person,
        documents=documents,
        intra=finite[0],
        inter=finite[1],
        between=finite[2],
        disorder_ratio=finite[3],
        expected_ratio=finite[4],
        **tested,
    )
