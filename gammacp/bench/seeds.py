"""The random stream of a cell, from values that never change.

A stream is identified by its purpose and the number of the set, never by an index into the sweep.
So finer steps and further sets, errors and measures do not change any existing stream. All
magnitudes of a set share a stream, so that curves can be compared set by set. Streams of annotation
sets are in `shuffling.shuffle`, those of measures here.
"""

from hashlib import sha256

from numpy.random import SeedSequence

MAGNITUDE_DECIMALS = 9
DRAWS = "common to the magnitudes of a set"
"""Part of a sweep's configuration: a store of other draws is refused, not mixed."""
# First word of the key; shuffling has 0 for references and 1 for annotators.
_MEASURES = 2
_TREES = 3


def _stable(name: str) -> int:
    """Return 32 bits for a name, the same in every process and version."""
    return int.from_bytes(sha256(name.encode()).digest()[:4], "big")


def measure_seed(seed: int, set_number: int) -> int:
    """Return the seed of a set's measures (γ's chance model), 0 ≤ seed < 2³²."""
    return int(SeedSequence(seed, spawn_key=(_MEASURES, set_number)).generate_state(1)[0])


def tree_seed(seed: int, error: str, set_number: int) -> SeedSequence:
    """Return the stream of the perturbed copies of a sample of trees."""
    return SeedSequence(seed, spawn_key=(_TREES, _stable(error), set_number))
