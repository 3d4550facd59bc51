"""Numbers of the tools that observers code with: ELAN's κ, time-unit κ, aligned sequences, onsets.

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
from collections.abc import Iterable
from itertools import combinations, permutations
from typing import Any

import numpy as np

from gammacp.alignment import align
from gammacp.base.arguments import number, whole
from gammacp.base.arrays import Codes, Floats, Indices
from gammacp.base.signature import describe, signature
from gammacp.chance.beyond import ratio
from gammacp.continuum import Continuum
from gammacp.continuum.needs import require
from gammacp.errors import DataError, UsageError
from gammacp.measures.overlapping import Overlaps, overlaps
from gammacp.measures.registry import registered, unobserved_agreement
from gammacp.measures.score import Score, undefined

# Steps beyond which a time unit is taken for a mistake, and cells of an alignment of sequences.
_MOST_STEPS, _MOST_CELLS = 2_000_000, 25_000_000
_GIVE_UNIT = "Give a longer time unit (`unit=`), such as 1000 for milliseconds"
_ONE_STATE = "only one category is used, so no disagreement can be expected"


@registered(
    "easydiag-kappa",
    "κ of units that overlap by 60 %, unlinked ones facing ∅ (ELAN)",
    "Holle & Rein 2015",
    range="(−∞, 1]",
    disagreement=unobserved_agreement,
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
    if not 0 < number("overlap", overlap) <= 1:
        raise UsageError(f"overlap {overlap:g} is outside (0, 1]")
    codes, size = continuum.category_codes, len(continuum.categories) + 2
    tables = []
    for met in overlaps(continuum):
        left, right = _link(continuum, met, overlap)
        sides = [np.arange(*continuum.offsets[[k, k + 1]]) for k in (met.first, met.second)]
        alone = [np.setdiff1d(rows, used) for rows, used in zip(sides, (left, right), strict=True)]
        table = np.zeros((size, size))
        # Row and column −1 are ∅, −2 is unlabelled.
        np.add.at(table, (_kind(codes[left]), _kind(codes[right])), 2)
        if unlinked:
            np.add.at(table[:, -1], _kind(codes[alone[0]]), 1)
            np.add.at(table[-1], _kind(codes[alone[1]]), 1)
        tables.append(table)
    made = signature(
        "easydiag-kappa", selection=continuum.selection, overlap=overlap, unlinked=unlinked
    )
    return _mean_kappa(map(_quasi_independent, tables), made)


def _kind(codes: Codes) -> Indices:
    return np.where(codes < 0, -2, codes).astype(np.int64)


def _link(c: Continuum, met: Overlaps, least: float) -> tuple[Indices, Indices]:
    longer = np.maximum(c.lengths[met.left], c.lengths[met.right])
    share = np.divide(met.lengths, longer, out=np.ones(len(longer)), where=longer > 0)
    unlike = c.category_codes[met.left] != c.category_codes[met.right]
    first = c.starts[met.left] + c.starts[met.right]
    order = np.lexsort((first, unlike, -met.lengths, -share))
    linked = _one_to_one(met, order[share[order] >= least])
    return met.left[linked], met.right[linked]


def _one_to_one(met: Overlaps, order: Indices) -> Indices:
    """Return the pairs, taken in this order, whose units are both still free."""
    used: set[int] = set()
    linked = []
    for k, *pair in zip(order, met.left[order].tolist(), met.right[order].tolist(), strict=True):
        if not used.intersection(pair):
            used.update(pair)
            linked.append(k)
    return np.array(linked, np.int64)


def _quasi_independent(table: Floats) -> tuple[float, float]:
    """D_o and D_e of a table whose last row and column are ∅: x_ij = M·(r_i/R)·(c_j/C)."""
    total, inner = table.sum(), table[:-1, :-1].sum()
    if not total:
        return math.nan, math.nan
    rows, columns = table.sum(axis=1)[:-1], table.sum(axis=0)[:-1]
    # Zero exactly where all is linked and of one category.
    alike = math.fsum(rows * columns) * inner
    expected = alike / (rows.sum() * columns.sum() * total) if inner else 0.0
    return float(1 - np.trace(table[:-1, :-1]) / total), float(1 - expected)


def _mean_kappa(found: Iterable[tuple[float, float]], made: str) -> Score:
    """The mean κ of pairs of D_o and D_e; undefined if one is."""
    pairs = [pair for pair in found if not math.isnan(pair[0])]
    if not pairs:
        return undefined("no two annotators have anything to compare", signature=made)
    observed, expected = (float(np.mean(column)) for column in zip(*pairs, strict=True))
    kappas = [ratio(*pair, _ONE_STATE) for pair in pairs]
    for _, reason in kappas:
        if reason:
            return undefined(reason, observed=1 - observed, expected=1 - expected, signature=made)
    value = float(np.mean([kappa for kappa, _ in kappas]))
    return Score(value=value, observed=1 - observed, expected=1 - expected, signature=made)


@registered(
    "overlap-ratio",
    "overlap of linked units over their joint extent, 0 for unlinked ones (ELAN)",
    "ELAN (Sloetjes & Wittenburg 2008)",
    range="[0, 1]",
    chance_corrected=False,
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
    made, sizes = signature("overlap-ratio", selection=continuum.selection), continuum.offsets
    found = []
    for met in overlaps(continuum):
        units = int(sum(sizes[k + 1] - sizes[k] for k in (met.first, met.second)))
        if units:
            there = np.flatnonzero(met.lengths > 0)
            for source, target in ((met.left, met.right), (met.right, met.left)):
                order = there[np.lexsort((target[there], -met.lengths[there], source[there]))]
                linked = _one_to_one(met, order)
                shared = math.fsum(met.lengths[linked] / met.spans[linked])
                found.append(shared / (units - len(linked)))
    if not found:
        return undefined("no two annotators have anything to compare", signature=made)
    value = float(np.mean(found))
    return Score(value=value, observed=value, signature=made)


@registered(
    "staccato",
    "degree of organization: units in nuclei, against random ones (ELAN)",
    "Thomann 2001; Lücking, Ptock & Bergmann 2012",
    range="[−1, 1]",
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
    scale, found = 1000.0 if continuum.offset_unit == "s" else 1.0, []
    lowest = continuum.bounds[0]
    origin = lowest if continuum.declared else min(0.0, lowest)
    for i, j in combinations(range(continuum.n_annotators), 2):
        rows = np.isin(continuum.annotator_codes, (i, j))
        starts, ends = (scale * (x[rows] - origin) for x in (continuum.starts, continuum.ends))
        if not len(starts):
            continue
        rng = np.random.default_rng(seed)  # of every pair, whatever the order of annotators
        low, high = (ends - starts).min(), (ends - starts).max()
        random = np.zeros(sets)
        for k in range(sets):
            lengths = low + np.floor(rng.random(len(starts)) * high)
            first = np.floor(rng.random(len(starts)) * (ends.max() - lengths))
            random[k] = _in_nuclei(first, first + lengths)
        share = _in_nuclei(starts, ends) / len(starts)
        half = 1.96 * random.std() / math.sqrt(sets)
        around = random.mean() + half * np.array([0.0, 1.0, -1.0])
        around = np.clip(around / len(starts), 0, 1).tolist()
        found.append([share, around[0], *(_degree(share, e) for e in around)])
    made = signature("staccato", selection=continuum.selection, samples=sets, seed=seed)
    observed, expected, value, least, most = np.mean(found, axis=0).tolist()
    if math.isnan(value):
        return undefined(
            "random units always lie in nuclei, or never, just as these do",
            observed=observed,
            expected=expected,
            signature=made,
        )
    return Score(
        value=value, observed=observed, expected=expected, interval=(least, most), signature=made
    )


def _in_nuclei(starts: Floats, ends: Floats) -> int:
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], ends[order]
    # How many start before each ends, and how many have ended when it starts.
    begun = np.searchsorted(starts, ends)
    ended = np.searchsorted(np.sort(ends), starts, side="right")
    alike = (begun[1:] == begun[:-1]) & (ended[1:] == ended[:-1])
    alike &= begun[:-1] > np.arange(1, len(starts))
    return int(np.count_nonzero(np.append(alike, False) | np.append(False, alike)))


def _degree(observed: float, expected: float) -> float:
    room = 1 - expected if observed >= expected else expected
    return float((observed - expected) / room) if room > 0 else math.nan


@registered(
    "time-unit-kappa",
    "Cohen's κ of the states at each time unit (BORIS, GSEQ)",
    "Bakeman, Quera & Gnisci 2009",
    range="[−1, 1]",
    disagreement=unobserved_agreement,
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
    step, states = _states(continuum, unit)
    reach = int(min(number("tolerance", tolerance, 0.0) / step + 1e-9, len(states[0]) - 1))
    pairs = []
    for i, j in permutations(range(len(states)), 2):
        same = states[i] == states[j]
        for shift in range(1, reach + 1):
            same[shift:] |= states[i][shift:] == states[j][:-shift]
            same[:-shift] |= states[i][:-shift] == states[j][shift:]
        pairs.append(_cohen(states[i], np.where(same, states[i], states[j])))
    made = signature(
        "time-unit-kappa", selection=continuum.selection, unit=step, tolerance=float(tolerance)
    )
    return _mean_kappa(pairs, made)


def _states(continuum: Continuum, unit: float | None) -> tuple[float, Indices]:
    """The time unit and the state of each annotator at each, shape (annotators, times)."""
    seconds = {"s": 1.0, "ms": 1000.0}.get(continuum.offset_unit, 1.0)
    step = seconds if unit is None else number("unit", unit)
    low, high = float(continuum.starts.min()), float(continuum.ends.max())
    if not step > 0 or (high - low) / step > _MOST_STEPS:
        message = f"time unit {step:g} is too short for a length of {high - low:g}"
        # A default that does not fit is no reason to stop what else is measured.
        raise UsageError(message) if unit is not None else DataError(message, hint=_GIVE_UNIT)
    times = int((high - low) / step + 1e-9) + 1
    around = np.where(continuum.lengths == 0, step / 2, 0.0)
    first = np.ceil((continuum.starts - around - low) / step - 1e-9).astype(np.int64)
    last = np.floor((continuum.ends + around - low) / step + 1e-9).astype(np.int64)
    states = np.zeros((continuum.n_annotators, times), np.int64)
    for kind in np.unique(continuum.category_codes):
        rows = continuum.category_codes == kind
        changes = np.zeros((continuum.n_annotators, times + 1), np.int64)
        who = continuum.annotator_codes[rows]
        np.add.at(changes, (who, np.maximum(first[rows], 0)), 1)
        np.add.at(changes, (who, np.minimum(last[rows], times - 1) + 1), -1)
        going_on = changes.cumsum(axis=1)[:, :-1] > 0
        states = np.unique(2 * states + going_on, return_inverse=True)[1].reshape(states.shape)
    return step, states


def _cohen(a: Indices, b: Indices) -> tuple[float, float]:
    size = int(max(a.max(), b.max())) + 1
    shares = [np.bincount(x, minlength=size) / len(x) for x in (a, b)]
    constant = len(np.union1d(a, b)) == 1
    return float((a != b).mean()), 0.0 if constant else 1 - math.fsum(shares[0] * shares[1])


def _sequence_pairs(sequences: list[Codes]) -> Iterable[tuple[Codes, Codes, Codes]]:
    from gammacp.observers.sequences import trace

    for a, b in permutations(sequences, 2):
        if len(a) * len(b) > _MOST_CELLS:
            raise DataError(
                f"sequences of {len(a)} and {len(b)} are too long to align", hint=_GIVE_UNIT
            )
        yield a, b, trace(a, b)


@registered(
    "event-alignment-kappa",
    "κ of the orders of categories, aligned as Needleman & Wunsch do (GSEQ)",
    "Quera, Bakeman & Gnisci 2007",
    range="(−∞, 1]",
    disagreement=unobserved_agreement,
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
    size, tables = len(continuum.categories) + 2, []
    codes = _kind(continuum.category_codes).astype(np.int32)
    sequences = [codes[a:b] for a, b in zip(continuum.offsets, continuum.offsets[1:], strict=False)]
    for a, b, pairs in _sequence_pairs(sequences):
        table = np.zeros((size, size))
        sides = [np.append(x, -1)[k] for x, k in zip((a, b), pairs.T, strict=True)]
        np.add.at(table, tuple(sides), 1)
        tables.append(table)
    made = signature("event-alignment-kappa", selection=continuum.selection)
    return _mean_kappa(map(_quasi_independent, tables), made)


@registered(
    "nw-identity",
    "share of equal states in the aligned sequences of time units (BORIS)",
    "Needleman & Wunsch 1970; BORIS",
    range="[0, 1]",
    chance_corrected=False,
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
    step, states = _states(continuum, unit)
    found = [
        float(((k >= 0).all(axis=1) & (a[k[:, 0]] == b[k[:, 1]])).mean())
        for a, b, k in _sequence_pairs(list(states.astype(np.int32)))
    ]
    made = signature("nw-identity", selection=continuum.selection, unit=step)
    return Score(value=float(np.mean(found)), observed=float(np.mean(found)), signature=made)


@registered(
    "boundaries",
    "aligned pairs of units whose starts and ends differ by at most a tolerance",
    "this library; differences as Bakeman & Quera 2011 suggest",
    range="[0, 1]",
    chance_corrected=False,
)
def boundaries(continuum: Continuum, *, tolerance: float = 0.0, dissimilarity: Any = None) -> Score:
    """Share of the pairs that γ aligns whose onsets and offsets differ by ≤ `tolerance`.

    The mean, the deviation and the mean absolute difference of onsets and offsets are in its notes.

    Parameters
    ----------
    continuum
        At least two annotators and one unit.
    tolerance
        In positions, ≥ 0.
    dissimilarity
        What units are aligned by; default `Combined()`.

    Worked value: A [0,10) [20,30), B [1,10) [20,33), tolerance 1: 1 of 2; onsets +0.5, offsets
    +1.5 on average.
    """
    require(continuum)
    best = align(continuum, dissimilarity)
    i, j = np.triu_indices(continuum.n_annotators, 1)
    u, v = best.groups[:, i].ravel(), best.groups[:, j].ravel()
    u, v = u[(u >= 0) & (v >= 0)], v[(u >= 0) & (v >= 0)]
    made = signature(
        "boundaries",
        selection=continuum.selection,
        tolerance=number("tolerance", tolerance, 0.0),
        d=describe(best.dissimilarity),
    )
    if not len(u):
        return undefined("no two units are aligned", signature=made)
    apart = [x[v] - x[u] for x in (continuum.starts, continuum.ends)]
    notes = [
        f"{name} differ by {d.mean():+.4g} on average (sd {d.std():.4g}; mean absolute difference "
        f"{np.abs(d).mean():.4g}; {len(d)} aligned pairs, "
        "the annotator later in the list minus the earlier)"
        for name, d in zip(("onsets", "offsets"), apart, strict=True)
    ]
    share = float((np.abs(apart).max(axis=0) <= tolerance).mean())
    return Score(value=share, observed=share, notes=tuple(notes), signature=made)
