"""Measures of observation tools (ELAN, BORIS, GSEQ): κ variants, overlap, nuclei, boundaries.

- EasyDIAg, as ELAN has it (Holle & Rein 2015): units of two annotators are linked by overlap, and
  κ is taken of the table of categories and ∅. A cell (∅, ∅) cannot be, so that chance is quasi-
  independence: iterative proportional fitting, as they do it, ends in the closed form used here.
- Overlap and extent (ELAN): what linked units share, of what they cover together.
- Time-unit κ (Bakeman, Quera & Gnisci 2009; BORIS): the state at each time unit is an item.
- Staccato (Thomann 2001; Lücking, Ptock & Bergmann 2012): how many units lie in nuclei, against
  units thrown at random; as Staccato 1.0.0 in ELAN computes it.
- Event alignment (Quera, Bakeman & Gnisci 2007): codes in order, aligned after Needleman & Wunsch
  (1970), +1 for a match, −1 for a mismatch or a gap (BORIS' scores), then κ as above.

All are means over pairs of annotators, of both directions where these differ.
"""

import math
from typing import Any

import numpy as np

from gammacp.alignment import align
from gammacp.base.arguments import number, whole
from gammacp.base.signature import describe, signature
from gammacp.continuum import Continuum
from gammacp.continuum.needs import require
from gammacp.measures.counting import Counting, Counts
from gammacp.measures.registry import registered, unobserved_agreement
from gammacp.measures.score import Score, undefined
from gammacp.observers.counts import (
    BOUNDARIES,
    IDENTITY,
    LINKS,
    NOTHING,
    OVERLAP,
    SEQUENCES,
    STATES,
    boundary_differences,
    close_boundaries,
)
from gammacp.observers.nuclei import NUCLEI, degrees
from gammacp.observers.states import time_unit


@registered(
    "easydiag-kappa",
    "κ of units that overlap by 60 %, unlinked ones facing ∅ (ELAN)",
    "Holle & Rein 2015",
    range="(−∞, 1]",
    disagreement=unobserved_agreement,
    counting=LINKS,
)
def easydiag_kappa(continuum: Continuum, *, overlap: float = 0.6, unlinked: bool = True) -> Score:
    """EasyDIAg's κ: ELAN's `kappa_ipf`, or without unlinked units its `kappa (excl.)`.

    Parameters
    ----------
    continuum
        At least two annotators and one unit.
    overlap
        Share of the longer unit that two units must have in common, in (0, 1]. Pairs are linked
        one to one, greatest share first, then greatest length, then equal categories, then first.
    unlinked
        Whether units that are linked to none count, as facing ∅. A link counts twice.

    Raises
    ------
    UsageError
        `overlap` lies outside (0, 1].

    Worked value: A a[0,10) b[20,30) a[40,50), B a[0,9) a[20,30): linked a–a, b–a; A's last faces
    ∅. P_o = 2/5; M = 4 of R = 5 and C = 4: P_e = 4·(3/5·4/4)/5 = .48; κ = −.08/.52 = −.1538.
    """
    require(continuum)
    score_signature = signature(
        "easydiag-kappa", selection=continuum.selection, overlap=overlap, unlinked=unlinked
    )
    return _mean_kappa(
        LINKS, LINKS.count(continuum, overlap=overlap, unlinked=unlinked), score_signature
    )


def _mean_kappa(counting: Counting, counts: Counts, score_signature: str) -> Score:
    """Return the mean κ over pairs of annotators; undefined if that of one pair is."""
    if not counts.parties:
        return undefined(NOTHING, signature=score_signature)
    rates = counting.rates(counts.numbers)
    assert rates.expected is not None
    value = float(np.mean(rates.value))
    return Score(
        value=value,
        observed=1 - float(np.mean(rates.disagreement)),
        expected=1 - float(np.mean(rates.expected)),
        reason=counting.nothing if math.isnan(value) else None,
        signature=score_signature,
        counts=counts,
    )


def _mean_share(counting: Counting, counts: Counts, score_signature: str) -> Score:
    """Return the mean share of agreement over pairs of annotators."""
    if not counts.parties:
        return undefined(NOTHING, signature=score_signature)
    value = float(np.mean(counting.rates(counts.numbers).value))
    return Score(value=value, observed=value, signature=score_signature, counts=counts)


@registered(
    "overlap-ratio",
    "overlap of linked units over their joint extent, 0 for unlinked ones (ELAN)",
    "ELAN (Sloetjes & Wittenburg 2008)",
    range="[0, 1]",
    chance_corrected=False,
    counting=OVERLAP,
)
def overlap_ratio(continuum: Continuum) -> Score:
    """ELAN's ratio of overlap and total extent: the mean of all units, unlinked ones counting 0.

    Units of the first annotator, in order, each take the unit of the second that they share most
    with (the first of equals) and that nobody took. Categories do not count. ELAN goes from one
    tier to the other; this is the mean of both directions, which differ only where units could be
    linked in several ways. It is not corrected for chance. (ELAN itself loses a unit that begins
    just where an unlinked one of the other tier ends; that is not copied.)

    Parameters
    ----------
    continuum
        At least two annotators and one unit.

    Worked value: A [0,10) [20,30), B [5,10) [18,30) [40,50): (5/10 + 10/12 + 0)/3 = .4444.
    """
    require(continuum)
    score_signature = signature("overlap-ratio", selection=continuum.selection)
    return _mean_share(OVERLAP, OVERLAP.count(continuum), score_signature)


@registered(
    "staccato",
    "degree of organization: units in nuclei, against random ones (ELAN)",
    "Thomann 2001; Lücking, Ptock & Bergmann 2012",
    range="[−1, 1]",
    counting=NUCLEI,
)
def staccato(continuum: Continuum, *, samples: int | None = None, seed: int = 0) -> Score:
    """Staccato's degree of organization; categories do not count.

    Units of two annotators in the order of their starts: neighbours lie in one nucleus if they
    overlap, and the same others. Of n units k lie in nuclei, and E of random ones. The degree is
    (k − E)/(n − E) if k ≥ E, else (k − E)/E: 1 if all do, −1 if none does.

    Random units have lengths between the least and the least plus the greatest (as Staccato 1.0.0
    has it), and lie between 0 (the continuum's lower bound, where bounds are declared) and the last
    end, in whole steps: of milliseconds, where positions are seconds. So the degree depends on how
    long the recording had been running when the first unit began.

    Parameters
    ----------
    continuum
        At least two annotators and one unit.
    samples
        Random sets; 1000 if not given, as in ELAN.
    seed
        The same seed gives the same sets.

    Worked value: A [0,10) [20,30), B [1,9) [40,50): two of four lie in a nucleus, k/n = .5.
    """
    require(continuum)
    sets = whole("samples", 1000 if samples is None else samples, 1)
    score_signature = signature("staccato", selection=continuum.selection, samples=sets, seed=seed)
    counts = NUCLEI.count(continuum, samples=sets, seed=seed)
    rates = NUCLEI.rates(counts.numbers)
    assert rates.expected is not None
    share_in_nuclei = counts.numbers["nuclei"] / counts.numbers["units"]
    half = 1.96 * np.sqrt(counts.numbers["variance"]) / math.sqrt(sets)
    around = [counts.numbers["expected"] + half * sign for sign in (0.0, 1.0, -1.0)]
    chance = [np.clip(x / counts.numbers["units"], 0, 1) for x in around]
    ends = [degrees(share_in_nuclei, e) for e in chance[1:]]
    columns = np.stack([share_in_nuclei, chance[0], rates.value, *ends], axis=1)
    observed, expected, value, least, most = columns.mean(axis=0).tolist()
    if math.isnan(value):
        return Score(
            value=value,
            reason=NUCLEI.nothing,
            observed=observed,
            expected=expected,
            signature=score_signature,
            counts=counts,
        )
    return Score(
        value=value,
        observed=observed,
        expected=expected,
        interval=(least, most),
        signature=score_signature,
        counts=counts,
    )


@registered(
    "time-unit-kappa",
    "Cohen's κ of the states at each time unit (BORIS, GSEQ)",
    "Bakeman, Quera & Gnisci 2009",
    range="[−1, 1]",
    disagreement=unobserved_agreement,
    counting=STATES,
)
def time_unit_kappa(
    continuum: Continuum, *, unit: float | None = None, tolerance: float = 0.0
) -> Score:
    """Time-unit κ of what is going on at first start, first start + unit, … last end.

    Parameters
    ----------
    continuum
        At least two annotators and one unit. Categories that overlap are a state of their own; both
        ends belong to a unit, and one of length 0 to the times within half a time unit (BORIS).
    unit
        Length of a time unit; by default a second where positions are seconds or milliseconds,
        and 1 otherwise.
    tolerance
        A state agrees with the other's if that is the same within so long before or after; each
        annotator is first once, and κ is the mean of both. 0: none.

    Worked value: A x[0,4], B x[1,4], unit 1: both x at 4 of 5 times. P_o = .8, P_e = 1·.8 = .8,
    κ = 0.
    """
    require(continuum)
    step = time_unit(continuum, unit)
    score_signature = signature(
        "time-unit-kappa", selection=continuum.selection, unit=step, tolerance=float(tolerance)
    )
    return _mean_kappa(
        STATES, STATES.count(continuum, unit=unit, tolerance=tolerance), score_signature
    )


@registered(
    "event-alignment-kappa",
    "κ of the orders of categories, aligned as Needleman & Wunsch do (GSEQ)",
    "Quera, Bakeman & Gnisci 2007",
    range="(−∞, 1]",
    disagreement=unobserved_agreement,
    counting=SEQUENCES,
)
def event_alignment_kappa(continuum: Continuum) -> Score:
    """κ of units in order of their starts; positions count only for their order.

    Worked value: A x y z, B x z: x–x, y–∅, z–z. P_o = 2/3; M = 2, R = 3, C = 2:
    P_e = 2·(1/3·1/2 + 1/3·1/2)/3 = 2/9; κ = 4/7.

    Parameters
    ----------
    continuum
        At least two annotators and one unit.
    """
    require(continuum)
    score_signature = signature("event-alignment-kappa", selection=continuum.selection)
    return _mean_kappa(SEQUENCES, SEQUENCES.count(continuum), score_signature)


@registered(
    "nw-identity",
    "share of equal states in the aligned sequences of time units (BORIS)",
    "Needleman & Wunsch 1970; BORIS",
    range="[0, 1]",
    chance_corrected=False,
    counting=IDENTITY,
)
def nw_identity(continuum: Continuum, *, unit: float | None = None) -> Score:
    """BORIS' Needleman–Wunsch identity, as a fraction; states and `unit` as for `time_unit_kappa`.

    Worked value: states x x y and x y: x–x, x–∅, y–y; 2/3.

    Parameters
    ----------
    continuum
        At least two annotators and one unit.
    unit
        Length of a time unit.
    """
    require(continuum)
    step = time_unit(continuum, unit)
    score_signature = signature("nw-identity", selection=continuum.selection, unit=step)
    return _mean_share(IDENTITY, IDENTITY.count(continuum, unit=unit), score_signature)


@registered(
    "boundaries",
    "aligned pairs of units whose starts and ends differ by at most a tolerance",
    "this library; differences as Bakeman & Quera 2011 suggest",
    range="[0, 1]",
    chance_corrected=False,
    counting=BOUNDARIES,
)
def boundaries(continuum: Continuum, *, tolerance: float = 0.0, dissimilarity: Any = None) -> Score:
    """Share of the pairs that γ aligns whose onsets and offsets differ by ≤ `tolerance`.

    The mean, the deviation and the mean absolute difference of onsets and offsets are in its notes.

    Parameters
    ----------
    continuum
        At least two annotators and one unit.
    tolerance
        Distance in positions, ≥ 0.
    dissimilarity
        Dissimilarity that units are aligned by; default `Combined()`.

    Worked value: A [0,10) [20,30), B [1,10) [20,33), tolerance 1: 1 of 2; onsets +0.5, offsets
    +1.5 on average.
    """
    require(continuum)
    best = align(continuum, dissimilarity)
    score_signature = signature(
        "boundaries",
        selection=continuum.selection,
        tolerance=number("tolerance", tolerance, 0.0),
        d=describe(best.dissimilarity),
    )
    counts = close_boundaries(continuum, best, tolerance)
    differences = boundary_differences(continuum, best)
    if not differences.shape[1]:
        return undefined(BOUNDARIES.nothing, signature=score_signature)
    notes = [
        f"{name} differ by {d.mean():+.4g} on average (sd {d.std():.4g}; mean absolute difference "
        f"{np.abs(d).mean():.4g}; {len(d)} aligned pairs, "
        "the annotator later in the list minus the earlier)"
        for name, d in zip(("onsets", "offsets"), differences, strict=True)
    ]
    share = float(BOUNDARIES.rates(counts.numbers).value[0])
    return Score(
        value=share, observed=share, notes=tuple(notes), signature=score_signature, counts=counts
    )
