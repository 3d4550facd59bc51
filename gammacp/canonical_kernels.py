"""Colour refinement of many continua (`gammacp.canonical`), one after the other."""

import numpy as np

from gammacp.arrays import Codes, Hashes, Indices
from gammacp.kernel import kernel

# Of SplitMix64.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _1 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(1)


@kernel
def mix(value: np.uint64) -> np.uint64:
    """The finaliser of SplitMix64: close numbers become unrelated ones."""
    x = value + _STEP
    x = (x ^ (x >> _30)) * _FIRST
    x = (x ^ (x >> _27)) * _SECOND
    return x ^ (x >> _31)


@kernel
def mixed(values: Hashes) -> Hashes:
    """`mix` of each."""
    flat = values.ravel().copy()
    for i in range(len(flat)):
        flat[i] = mix(flat[i])
    return flat.reshape(values.shape)


@kernel
def _broken(colours: Hashes) -> bool:
    """Tell one of the first tie apart; whether there was a tie."""
    ordered = np.sort(colours)
    for i in range(1, len(ordered)):
        if ordered[i] == ordered[i - 1]:
            colours[np.flatnonzero(colours == ordered[i])[0]] = mix(ordered[i] + _1)
            return True
    return False


@kernel
def _settled(place: Hashes, annotator: Codes, category: Indices, who: Hashes, what: Hashes) -> None:
    """Refine the colours of annotators and categories until no more are told apart."""
    classes = -1
    while True:
        found = len(np.unique(who)) + len(np.unique(what))
        if found == classes:
            return
        classes = found
        old_who, old_what = mixed(who), mixed(what)
        who[:], what[:] = old_who, old_what
        for i in range(len(place)):
            who[annotator[i]] += mix(place[i] + old_what[category[i]])
            what[category[i]] += mix(place[i] + old_who[annotator[i]])


@kernel
def _coloured(
    place: Hashes, annotator: Codes, category: Indices, codes: Indices, costs: Hashes, n: int
) -> tuple[Hashes, Hashes]:
    """Final colours of n annotators and of the categories, no two alike."""
    who, what = np.zeros(n, np.uint64), np.zeros(len(codes), np.uint64)
    for i in range(len(place)):
        who[annotator[i]] += mix(place[i])
        what[category[i]] += mix(place[i])
    for k in range(len(codes)):
        # "Unlabelled" is not one of the labels that renaming may exchange.
        what[k] += mix(_1 if codes[k] < 0 else np.uint64(0))
        for other in range(len(codes) if costs.size else 0):
            what[k] += costs[codes[k], codes[other]]
    _settled(place, annotator, category, who, what)
    while _broken(who) or _broken(what):
        _settled(place, annotator, category, who, what)
    return who, what


@kernel
def refined(
    place: Hashes,
    people: Codes,
    labels: Codes,
    edges: Indices,
    a_edges: Indices,
    width: int,
    costs: Hashes,
) -> tuple[Hashes, Indices, Indices, Indices, Indices]:
    """Continua one after the other in canonical order; see `canonical._ranked`.

    Parameters
    ----------
    place, people, labels
        Of the units: dense ranks, and codes; labels are at least −1 and below `width` − 1. Places
        are counted from 1 in each continuum, in place.
    edges, a_edges
        Where the units and the annotators of each continuum begin.
    costs
        Empty, or mixed costs of pairs of labels.
    """
    who, what = np.empty(len(place), np.int64), np.empty(len(place), np.int64)
    annotators = np.empty(a_edges[-1], np.int64)
    categories = np.empty(len(place), np.int64)  # of a continuum at most as many as units
    known, filled = np.full(width, -1), 0
    for d in range(len(edges) - 1):
        low, high = edges[d], edges[d + 1]
        if low < high:
            place[low:high] -= place[low:high].min() - _1
        known[labels[low:high]] = 0
        codes = np.flatnonzero(known >= 0)
        codes = np.append(codes[codes == width - 1] - width, codes[codes < width - 1])
        known[codes] = np.arange(len(codes))
        category = known[labels[low:high]]
        known[codes] = -1
        n = a_edges[d + 1] - a_edges[d]
        colours = _coloured(place[low:high], people[low:high], category, codes, costs, n)
        by_who, by_what = np.argsort(colours[0]), np.argsort(colours[1])
        annotators[a_edges[d] : a_edges[d + 1]] = by_who
        categories[filled : filled + len(codes)] = codes[by_what]
        filled += len(codes)
        who[low:high] = np.argsort(by_who)[people[low:high]]
        what[low:high] = np.argsort(by_what)[category]
    return place, who, what, annotators, categories[:filled]
