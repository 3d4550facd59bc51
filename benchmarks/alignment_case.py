"""One case with gammacp, in its own process: python THIS CASE WHAT [TIME LIMIT [cpu]].

CASE is a dataset's name, a CSV file, or n×units:seed:kind, kind `observed` (Corpus Shuffling Tool,
position + category, magnitude .25), `random` (circular shifts of that) or `jittered` (a unit every
10, of length 4 to 9, moved by each annotator with standard deviation 2.5, one category in five
drawn anew; cheap to draw at any size), `overlapping` (each annotator keeps each of some units, of
length 5 to 20 anywhere, with p = .85, moves the ends by N(0, 1) and has one of 3 categories, right
with p = .85), `crowd` (each marks each of `units` words of a text of 40 with p = .6, one in ten
ends moved by up to 2, and one word of its own) or `spot` (all within .001 of each other). WHAT is
`align` (best_disorder; the median of several runs), `gamma` (30 random sets), `sets` (what one of
those takes, in times of finding its candidate pairs), or a method's name. With `write` instead, the
case is written as CSV to the path that follows. With `cpu` the solver's clock is the CPU time of
the process: what a time limit gives does not depend on the machine's other work.
"""

import json
import statistics
import sys
import time
from typing import Any

import numpy as np
from alignment_memory import peak_since, reset_peak

from gammacp import Combined, Continuum, read
from gammacp.alignment import best_disorder, build_problem
from gammacp.alignment.columns import enumerate_columns
from gammacp.alignment.solvers.crowds import Crowds
from gammacp.chance.registry import CHANCE_MODELS
from gammacp.chance.sampling import sample_seed
from gammacp.datasets import load, names
from gammacp.dissimilarity import bind
from gammacp.kernel.plain import compile_at_once
from shuffling import ReferenceModel, shuffled_set


def instance(case: str) -> Continuum:
    if case in names():
        return load(case)
    if case.endswith(".csv"):
        return read(case)
    size, seed, kind = case.split(":")
    n, units = (int(x) for x in size.split("x"))
    if kind in DRAWN:
        return DRAWN[kind](n, units, int(seed))
    model = ReferenceModel(n_units=units)
    observed = shuffled_set(model, "position+category", 0.25, n, seed=int(seed))
    if kind == "observed":
        return observed
    return CHANCE_MODELS["shift"].prepare([observed], n).draw(sample_seed(int(seed), 0))


def jittered(n: int, units: int, seed: int) -> Continuum:
    rng = np.random.default_rng(seed)
    starts = np.tile(10.0 * np.arange(units), n) + rng.normal(0, 2.5, n * units)
    ends = starts + np.tile(rng.uniform(4, 9, units), n)
    own_codes, shared = rng.integers(0, 4, n * units), np.tile(rng.integers(0, 4, units), n)
    categories = np.where(rng.random(n * units) < 0.2, own_codes, shared)
    return coded(n, starts, ends, np.repeat(np.arange(n), units), categories)


def overlapping(n: int, units: int, seed: int) -> Continuum:
    rng = np.random.default_rng(seed)
    size = round(units / 0.85)
    annotator, unit = np.nonzero(rng.random((n, size)) < 0.85)
    length, first = rng.uniform(5, 20, size), rng.uniform(0, 3 * size, size)
    right = rng.random(len(unit)) < 0.85
    category = (rng.integers(0, 3, size)[unit] + ~right * rng.integers(1, 3, len(unit))) % 3
    starts = first[unit] + rng.normal(0, 1, len(unit))
    ends = (first + length)[unit] + rng.normal(0, 1, len(unit))
    return coded(n, starts, np.maximum(ends, starts + 0.1), annotator, category)


def crowd(n: int, units: int, seed: int) -> Continuum:
    rng = np.random.default_rng(seed)
    places = np.sort(rng.choice(40, units, replace=False)) * 6
    lengths, kinds = rng.integers(2, 6, units), rng.integers(0, 3, units)
    annotator, unit = np.nonzero(rng.random((n, units)) < 0.6)
    moved = rng.integers(-2, 3, (2, len(unit))) * (rng.random((2, len(unit))) < 0.1)
    starts, own_starts = places[unit] + moved[0], rng.integers(0, 240, n)
    ends = np.maximum(starts + 1, (places + lengths)[unit] + moved[1])
    return coded(
        n,
        np.concatenate((starts, own_starts)),
        np.concatenate((ends, own_starts + 4)),
        np.concatenate((annotator, np.arange(n))),
        np.concatenate((kinds[unit], rng.integers(0, 3, n))),
    )


def spot(n: int, units: int, seed: int) -> Continuum:
    rng = np.random.default_rng(seed)
    starts, ends = rng.uniform(0, 0.001, (2, n * units))
    annotators, categories = np.repeat(np.arange(n), units), rng.integers(0, 2, n * units)
    return coded(n, 10 + starts, 20 + ends, annotators, categories)


def coded(n: int, starts: Any, ends: Any, annotators: Any, categories: Any) -> Continuum:
    names = tuple(f"A{i:03}" for i in range(n))
    return Continuum.from_codes(names, tuple("abcd"), starts, ends, annotators, categories)


DRAWN = {"jittered": jittered, "overlapping": overlapping, "crowd": crowd, "spot": spot}


def gamma(continuum: Continuum) -> float:
    from gammacp.measures.gamma import gamma

    return float(gamma(continuum, samples=30, seed=0).expected or 0.0)


def sets_in_pairs(continuum: Continuum) -> dict[str, float]:
    """Return the cost of a random set of γ in times of one set's candidate pairs; of ten runs."""
    from gammacp.measures.settings import Settings

    chance = Settings.of().deciding([[continuum]]).chance
    sampler = CHANCE_MODELS[chance].prepare([continuum], continuum.n_annotators)
    drawn = [sampler.draw(sample_seed(0, i)) for i in range(30)]
    bound = bind(Combined(), continuum)
    spent: list[tuple[float, float]] = []
    for _ in range(11):
        start = time.process_time()
        for one in drawn:
            build_problem(one, bound)
        between = time.process_time()
        gamma(continuum)
        spent.append((between - start, time.process_time() - between))
    pairs, sets = (statistics.median(s) / 30 for s in zip(*spent[1:], strict=True))
    return {"pairs": pairs, "sets": sets, "ratio": sets / pairs}


def warm_up(n_annotators: int) -> None:
    """Load, or compile, what an alignment of so many annotators runs."""
    compile_at_once()
    cases = ["dalton", "figure10", "3x30:9:random", "9x9:9:random"]
    for case in cases + ["2by1000"] * (n_annotators == 2):
        small = instance(case)
        best_disorder(small, bind(Combined(), small))
    if n_annotators >= 28:
        small, at_once = instance("40x8:9:crowd"), [Crowds(first=1)]
        best_disorder(small, bind(Combined(), small), time_limit=30, tuning=at_once)


def main() -> None:
    case, what = sys.argv[1:3]
    continuum = instance(case)
    if what == "write":
        continuum_rows = [f"{u.annotator},{u.category},{u.start:g},{u.end:g}" for u in continuum]
        with open(sys.argv[3], "w") as stream:  # noqa: PTH123
            stream.write("\n".join(continuum_rows) + "\n")
        return
    limit = float(sys.argv[3]) if len(sys.argv) > 3 else None
    bound = bind(Combined(), continuum)
    method = "auto" if what in ("align", "gamma") else what
    warm_up(continuum.n_annotators)
    if what == "sets":
        print(json.dumps(sets_in_pairs(continuum)))
        return
    held = reset_peak()
    if sys.argv[4:] == ["cpu"]:
        time.monotonic = time.process_time
    times, walls, alignment = [], [], None
    while not times or (len(times) < 5 and sum(times) < 1):
        start, wall = time.process_time(), time.perf_counter()
        if what == "gamma":
            value = gamma(continuum)
        else:
            alignment = best_disorder(continuum, bound, method=method, time_limit=limit)
            value = alignment.disorder
        times.append(time.process_time() - start)
        walls.append(time.perf_counter() - wall)
    memory = peak_since(held)
    problem = build_problem(continuum, bound)
    few = continuum.n_annotators <= 7
    listed = enumerate_columns(problem, most_members=1_000_000) if few else None
    print(
        json.dumps(
            {
                "cpu": statistics.median(times),
                "wall": statistics.median(walls),
                "memory": memory,
                "disorder": value,
                "status": "" if alignment is None else str(alignment.status),
                "gap": None if alignment is None else 1 - alignment.bound / alignment.disorder,
                "limit": None if limit is None else f"{limit:g} s",
                "pairs": len(problem.first),
                "columns": None if listed is None else listed.number,
                "units": continuum.n_units,
                "annotators": continuum.n_annotators,
            }
        )
    )


if __name__ == "__main__":
    main()
