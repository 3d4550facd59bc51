"""Measures of observation tools (ELAN, BORIS, GSEQ): κ variants, overlap, nuclei, boundaries.

- EasyDIAg, as in ELAN (Holle & Rein 2015): units of two annotators are linked by overlap, and κ is
  computed on the table of categories and ∅. The cell (∅, ∅) cannot occur, so that chance agreement
  assumes quasi-independence. Holle & Rein compute it by iterative proportional fitting, which
  converges to the closed form used here.
- Overlap and extent (ELAN): the extent that linked units share, as a share of what both cover.
- Time-unit κ (Bakeman, Quera & Gnisci 2009; BORIS): the state at each time unit is an item.
- Staccato (Thomann 2001; Lücking, Ptock & Bergmann 2012): the number of units in nuclei, compared
  with that of randomly placed units, as Staccato 1.0.0 in ELAN computes it.
- Event alignment (Quera, Bakeman & Gnisci 2007): sequences of codes are aligned after Needleman &
  Wunsch (1970), with +1 for a match and −1 for a mismatch or a gap (BORIS' scores). κ is then
  computed as above.

Each value is a mean over pairs of annotators, and over both directions where these differ.
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
        Whether units without a link count, as pairs of their category and ∅. A link counts twice.

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
    """Return the mean κ over pairs of annotators, undefined if κ of any pair is."""
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

    Each unit of the first annotator, in order, is linked to the unit of the second that it shares
    the largest extent with, among those not yet linked; of equals, to the first. Categories do not
    count. ELAN goes from one tier to the other. The value here is the mean of both directions,
    which differ only where units can be linked in several ways. It is not corrected for chance.
    (ELAN misses a unit that begins exactly where an unlinked unit of the other tier ends; this
    error is not reproduced.)

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

    The units of two annotators are sorted by their starts. Neighbours lie in one nucleus if they
    overlap each other and both overlap the same other units. Let k of n units lie in nuclei, and E
    of n randomly placed units. The degree is (k − E)/(n − E) if k ≥ E, else (k − E)/E: it is 1 if
    all units lie in nuclei, −1 if none does.

    Random units have lengths between the least length and the sum of the least and the greatest
    length (as in Staccato 1.0.0). They lie between 0 (or the continuum's lower bound, where bounds
    are declared) and the last end. Their positions are whole numbers, in milliseconds where
    positions are seconds. So the degree depends on how long the recording had been running when the
    first unit began.

    Parameters
    ----------
    continuum
        At least two annotators and one unit.
    samples
        Number of random sets of units; 1000 if not given, as in ELAN.
    seed
        Seed of the random sets.

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
    """Time-unit κ of the states at the first start, one time unit later, … until the last end.

    Parameters
    ----------
    continuum
        At least two annotators and one unit. Each combination of overlapping categories is a state
        of its own. A unit includes both of its ends; a unit of length 0 covers the times at most
        half a time unit away, as in BORIS.
    unit
        Length of a time unit; by default a second where positions are seconds or milliseconds,
        and 1 otherwise.
    tolerance
        Longest time before or after within which the other annotator must have the same state for
        an agreement. Each annotator is compared with the other in turn, and κ is the mean of both
        directions. With 0, states are compared at the same time only.

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
    """κ of aligned sequences of categories; positions only determine the order of units.

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
    """BORIS' Needleman–Wunsch identity of states, as a fraction; states as in `time_unit_kappa`.

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
    """Share of the pairs aligned by γ whose onsets and offsets differ by at most `tolerance`.

    The notes of the score give the mean, the standard deviation and the mean absolute difference of
    onsets and of offsets.

    Parameters
    ----------
    continuum
        At least two annotators and one unit.
    tolerance
        Largest distance that is tolerated, in positions; at least 0.
    dissimilarity
        Dissimilarity for the alignment of units; default `Combined()`.

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
