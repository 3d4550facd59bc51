"""Colour refinement of many continua (`gammacp.continuum.canonical`), as compiled functions.

They use plain loops, because slices and NumPy's functions would each take seconds to compile.
"""

from typing import Any

import numpy as np

from gammacp.base.arrays import Codes, Hashes, Indices
from gammacp.kernel import kernel, late_kernel

# Constants of the random number generator SplitMix64.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30 = np.uint64(30)
_27 = np.uint64(27)
_31 = np.uint64(31)
_1 = np.uint64(1)


def finalise(value: Any) -> Any:
    """Hash a number, or each number of an array, with the finaliser of SplitMix64.

    Close numbers get very different hashes.
    """
    x = value + _STEP
    x = (x ^ (x >> _30)) * _FIRST
    x = (x ^ (x >> _27)) * _SECOND
    return x ^ (x >> _31)


mix = kernel(finalise)


@kernel
def _sorted(colours: Hashes) -> Hashes:
    """Return the colours sorted, by heapsort: NumPy's sort takes two seconds to compile."""
    heap = np.empty(len(colours), np.uint64)
    for k in range(len(colours)):
        heap[k] = colours[k]
    first = len(heap) // 2
    end = len(heap)
    while end > 1:
        if first > 0:
            first -= 1
        else:
            end -= 1
            heap[0], heap[end] = heap[end], heap[0]
        root = first
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and heap[child] < heap[child + 1]:
                child += 1
            if heap[root] >= heap[child]:
                break
            heap[root], heap[child] = heap[child], heap[root]
            root = child
    return heap


@kernel
def _classes(colours: Hashes) -> int:
    """Count the different hashes."""
    ordered = _sorted(colours)
    count = 0
    for i in range(len(ordered)):
        if i == 0 or ordered[i] != ordered[i - 1]:
            count += 1
    return count


@kernel
def _break_tie(colours: Hashes) -> bool:
    """Give one item of the smallest shared colour a new colour; return whether there was a tie."""
    ordered = _sorted(colours)
    for i in range(1, len(ordered)):
        if ordered[i] == ordered[i - 1]:
            k = 0
            while colours[k] != ordered[i]:
                k += 1
            colours[k] = mix(ordered[i] + _1)
            return True
    return False


@kernel
def _place_among(colours: Hashes, place: Indices) -> None:
    """Write to `place` the rank of each colour; all colours must be different."""
    ordered = _sorted(colours)
    for k in range(len(colours)):
        low = 0
        high = len(ordered) - 1
        while low < high:
            middle = (low + high) // 2
            if ordered[middle] < colours[k]:
                low = middle + 1
            else:
                high = middle
        place[k] = low


@kernel
def _settle(
    place: Hashes, people: Codes, category: Codes, low: int, high: int, who: Hashes, what: Hashes
) -> None:
    """Refine the colours of annotators and categories until no more of them become different.

    Each round hashes into the colour of an annotator the places of its units and the old colours
    of their categories. The colours of categories are refined in the same way.
    """
    classes = -1
    old_who = np.empty_like(who)
    old_what = np.empty_like(what)
    while True:
        n_classes = _classes(who) + _classes(what)
        if n_classes == classes:
            return
        classes = n_classes
        for k in range(len(who)):
            old_who[k] = who[k] = mix(who[k])
        for k in range(len(what)):
            old_what[k] = what[k] = mix(what[k])
        for i in range(low, high):
            who[people[i]] += mix(place[i] + old_what[category[i]])
            what[category[i]] += mix(place[i] + old_who[people[i]])


@late_kernel
def refine(
    place: Hashes, people: Codes, labels: Codes, edges: Indices, a_edges: Indices, costs: Hashes
) -> tuple[Hashes, Codes, Codes, Indices, Indices, int]:
    """Find the canonical order of each of several continua; see `canonical._canonical_ranks`.

    The continua are laid one after the other. The first three arrays are changed in place: `place`
    then counts from 1 in each continuum, and the codes are replaced by ranks in its canonical
    order.

    Parameters
    ----------
    place, people, labels
        Dense rank of each unit's place, and codes of its annotator and its label (−1 for no label).
    edges, a_edges
        Index of the first unit and of the first annotator of each continuum, then the total number.
    costs
        Hashed costs of pairs of labels, or an empty array.

    Returns
    -------
    tuple
        The three changed arrays; the codes of annotators and of categories in canonical order, one
        continuum after the other; and how many entries of the last array are used.
    """
    annotators = np.empty(a_edges[-1], np.int64)
    width = 2
    filled = 0
    for i in range(len(labels)):
        width = max(width, labels[i] + 2)
    # Large enough: a continuum has at most as many categories as units, and as there are labels.
    categories = np.zeros(min(len(place), width * (len(edges) - 1)), np.int64)
    # Number of each label within the continuum at hand, −1 if it does not occur there. Index −1,
    # "unlabelled", is the last entry.
    number_of_label = np.full(width, -1)
    codes = np.empty(width, np.int64)
    order = np.empty(width, np.int64)
    for d in range(len(edges) - 1):
        low = edges[d]
        high = edges[d + 1]
        first = a_edges[d]
        if low < high:
            least = place[low]
        else:
            least = _1
        for i in range(low, high):
            least = min(least, place[i])
            number_of_label[labels[i]] = 0
        size = 0
        for label in range(-1, width - 1):
            if number_of_label[label] == 0:
                number_of_label[label] = size
                codes[size] = label
                size += 1
        who = np.zeros(a_edges[d + 1] - first, np.uint64)
        what = np.zeros(size, np.uint64)
        for i in range(low, high):
            place[i] -= least - _1
            labels[i] = number_of_label[labels[i]]
            who[people[i]] += mix(place[i])
            what[labels[i]] += mix(place[i])
        for k in range(size):
            # "Unlabelled" gets a colour of its own: renaming cannot exchange it for a label.
            what[k] += mix(_1 if codes[k] < 0 else _1 - _1)
            number_of_label[codes[k]] = -1
            for other in range(size if costs.size else 0):
                what[k] += costs[codes[k], codes[other]]
        _settle(place, people, labels, low, high, who, what)
        while _break_tie(who) or _break_tie(what):
            _settle(place, people, labels, low, high, who, what)
        of_who = np.empty(len(who), np.int64)
        _place_among(who, of_who)
        _place_among(what, order)
        for k in range(len(who)):
            annotators[first + of_who[k]] = k
        for k in range(size):
            categories[filled + order[k]] = codes[k]
        filled += size
        for i in range(low, high):
            people[i] = of_who[people[i]]
            labels[i] = order[labels[i]]
    return place, people, labels, annotators, categories, filled
