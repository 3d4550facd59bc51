"""Coverage of intervals of corpus values: python benchmarks/corpus_intervals.py [--draws N].

Documents are drawn from processes whose value is known; the interval over documents of the pooled
value either covers it or not. Beside it stands the interval of γ without exact bounds (Hall's t
alone). Prints a line per process and number of documents: coverage of both, the mean half-width of
the first, and the share of corpora that have an interval at all.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import numpy as np

from gammacp.base.arrays import Floats, Indices
from gammacp.inference.counted import Pooled, interval_of_counts
from gammacp.inference.part_tests import interval_over_documents
from gammacp.measures.counting import Numbers, Rates
from gammacp.measures.gamma import disorder_rates
from gammacp.measures.labels.coincidences import coincidence_rates
from gammacp.measures.matching.f1 import match_rates
from gammacp.measures.pooling import PooledCounts, pooled_rates
from gammacp.observers.counts import state_rates
from gammacp.segmentation.measures.counts import window_rates
from gammacp.segmentation.measures.value import Segmentation
from gammacp.segmentation.measures.windows import windows_of

DOCUMENTS = (8, 20, 50, 100)
Draw = Callable[[np.random.Generator, int], Numbers]
Formula = Callable[[Numbers], Rates]


def f1_of(rng: np.random.Generator, units: Floats, rates: Floats | float) -> Numbers:
    """Draw matches of two annotators with equal numbers of units."""
    matched = rng.binomial(units.astype(np.int64), rates).astype(np.float64)
    return {"matched": matched, "first_units": units, "second_units": units}


def alike(share: float, mean: float = 10.0) -> Draw:
    """Return a process of documents that differ only by their numbers of units."""
    return lambda rng, n: f1_of(rng, 1.0 + rng.poisson(mean - 1, n), share)


def spread(share: float, strength: float) -> Draw:
    """Return a process of documents with different levels of agreement."""

    def draw(rng: np.random.Generator, n: int) -> Numbers:
        levels = rng.beta(share * strength, (1 - share) * strength, n)
        return f1_of(rng, 1.0 + rng.poisson(9, n), levels)

    return draw


def rare(share: float, mean: float) -> Draw:
    """Return a process of a label that most documents do not have."""
    return lambda rng, n: f1_of(rng, rng.poisson(mean, n).astype(np.float64), share)


def empty(share: float) -> Draw:
    """Return a process in which half of the documents have no units."""

    def draw(rng: np.random.Generator, n: int) -> Numbers:
        units = np.where(rng.random(n) < 0.5, 0.0, 1.0 + rng.poisson(9, n))
        return f1_of(rng, units, share)

    return draw


def one_bad(share: float, bad: float, of: int) -> Draw:
    """Return a process in which one document in `of` is bad."""

    def draw(rng: np.random.Generator, n: int) -> Numbers:
        levels = np.where(rng.random(n) < 1 / of, bad, share)
        return f1_of(rng, 1.0 + rng.poisson(9, n), levels)

    return draw


def labels(shares: tuple[float, ...], copied: float, items: int = 20) -> Draw:
    """Return a process of two annotators of items; the second copies a share: α is `copied`."""

    def draw(rng: np.random.Generator, n: int) -> Numbers:
        first = rng.choice(len(shares), size=(n, items), p=shares)
        own_labels = rng.choice(len(shares), size=(n, items), p=shares)
        second = np.where(rng.random((n, items)) < copied, first, own_labels)
        return coincidences_of(first, second, len(shares))

    return draw


def coincidences_of(first: Indices, second: Indices, k: int) -> Numbers:
    """Return coincidences of two annotators' labels, each of shape (documents, items)."""
    n, items = first.shape
    cells = (np.arange(n)[:, None] * k + first) * k + second
    table = np.bincount(cells.ravel(), minlength=n * k * k).reshape(n, k, k).astype(np.float64)
    observed = table + np.swapaxes(table, 1, 2)
    marginal = observed.sum(axis=2)
    units = np.full(n, float(items))
    return {"observed": observed, "marginal": marginal, "alone": marginal, "units": units}


def clustered(share: float, copied: float, items: int = 20) -> Draw:
    """Return a process of a label on half of the items of some documents, on none of others."""

    def draw(rng: np.random.Generator, n: int) -> Numbers:
        rate = np.where(rng.random(n) < share, 0.5, 0.0)[:, None]
        first, second_draw = (rng.random((2, n, items)) < rate).astype(np.int64)
        second = np.where(rng.random((n, items)) < copied, first, second_draw)
        return coincidences_of(first, second, 2)

    return draw


def disorders(error: float, expected: float = 0.6) -> Draw:
    """Return a process with γ near 1: few units have a cost, at most that of a unit alone."""

    def draw(rng: np.random.Generator, n: int) -> Numbers:
        units = 1.0 + rng.poisson(9, n)
        wrong = rng.binomial(units.astype(np.int64), error)
        cost = np.array([rng.random(k).sum() for k in wrong])
        return {"observed": cost, "expected": expected * units, "units": units, "most": 2 * units}

    return draw


def windows(missed: float) -> Draw:
    """Return a process of WindowDiff with missed boundaries, in texts of 20 to 60 places."""

    def draw(rng: np.random.Generator, n: int) -> Numbers:
        rows = np.zeros((n, 3))
        for d in range(n):
            mass = int(rng.integers(20, 61))
            places = 1 + np.flatnonzero(rng.random(mass - 1) < 0.15)
            kept_places = places[rng.random(len(places)) >= missed]
            reference, other = (
                Segmentation.from_positions(p.tolist(), mass=mass) for p in (places, kept_places)
            )
            windows = windows_of(reference, other)
            rows[d] = windows.unequal, windows.windows, windows.windows / windows.size
        return dict(zip(("wrong", "windows", "units"), rows.T.copy(), strict=True))

    return draw


def states(wrong: float) -> Draw:
    """Return a process of ten stretches in two states, some of which are confused."""

    def draw(rng: np.random.Generator, n: int) -> Numbers:
        lengths = 1.0 + rng.poisson(9, (n, 10))
        first = rng.random((n, 10)) < 0.7
        second = first ^ (rng.random((n, 10)) < wrong)
        chosen = [
            np.stack([(lengths * side).sum(axis=1), (lengths * ~side).sum(axis=1)], axis=1)
            for side in (first, second)
        ]
        return {
            "apart": (lengths * (first != second)).sum(axis=1),
            "times": lengths.sum(axis=1),
            "first_choices": chosen[0],
            "second_choices": chosen[1],
            "units": np.full(n, 10.0),
        }

    return draw


def value_of(draw: Draw, formula: Formula) -> float:
    """Return the value of very many documents."""
    numbers = draw(np.random.default_rng(99), 100_000)
    sums = {name: x.sum(axis=0)[None] for name, x in numbers.items()}
    return float(formula(sums).value[0])


def nominal(numbers: Numbers) -> Rates:
    """Return α of nominal labels."""
    return coincidence_rates(numbers, squared=1.0 - np.eye(numbers["observed"].shape[-1]))


def processes() -> Iterator[tuple[str, Draw, Formula, float]]:
    """Yield name, draw, formula and true value of each process."""
    for share in (0.67, 0.95, 0.99, 0.998):
        yield f"F1 {share}", alike(share), match_rates, share
    yield "F1 .9, documents differ", spread(0.9, 10.0), match_rates, 0.9
    yield "F1 .8 of a rare label", rare(0.8, 0.3), match_rates, 0.8
    yield "F1 .95 of a rare label", rare(0.95, 0.3), match_rates, 0.95
    yield "F1 .95, half empty", empty(0.95), match_rates, 0.95
    bad = one_bad(0.98, 0.2, 12)
    yield "F1, one bad document in 12", bad, match_rates, 0.98 - (0.98 - 0.2) / 12
    shares = (0.94, 0.03, 0.03)
    for copied in (0.6, 0.9, 0.99):
        yield f"alpha {copied}, labels 94/3/3", labels(shares, copied), nominal, copied
    yield "alpha .8, a label once a document", labels((0.95, 0.05), 0.8), nominal, 0.8
    yield "alpha .8, a label per document, 50/50", labels((0.5, 0.5), 0.8, 1), nominal, 0.8
    yield "alpha .8, a label per document, 90/10", labels((0.9, 0.1), 0.8, 1), nominal, 0.8
    # D_o = .1 · .2 · ½ of items that differ, D_e = 2 · .05 · .95.
    value = 1 - 0.1 * 0.2 * 0.5 / (2 * 0.05 * 0.95)
    yield "alpha, a label in one document of ten", clustered(0.1, 0.8), nominal, value
    for error in (0.2, 0.02, 0.002):
        drawn = windows(error)
        yield f"windowdiff, {error} missed", drawn, window_rates, value_of(drawn, window_rates)
        drawn = states(error)
        yield f"time-unit kappa, {error} wrong", drawn, state_rates, value_of(drawn, state_rates)
    for error in (0.2, 0.02, 0.002):
        value = 1 - error * 0.5 / 0.6
        yield f"gamma {value:.4f}", disorders(error), disorder_rates, value


def hall_alone(pooled: Pooled, theta: float) -> tuple[float, float]:
    """Return the interval of a ratio with these influences, by Hall's t alone."""
    # A ratio of sums o / e with such sizes e has these influences where o follows from them.
    e = pooled.sizes
    o = pooled.without - pooled.value
    o = o * (e.sum() - e) + theta * e
    low, high = interval_over_documents(o, e)
    return float(low), float(high)


def study(draw: Draw, formula: Formula, value: float, n: int, draws: int) -> list[float]:
    """Return coverage of both intervals, mean half-width, and the share with an interval."""
    rng = np.random.default_rng([n, draws])
    covered, before, widths, n_defined = 0, 0, 0.0, 0
    for _ in range(draws):
        numbers = draw(rng, n)
        places = np.arange(n)
        rates = pooled_rates(
            PooledCounts(numbers, places, np.zeros(n, np.int64), n), formula, "all"
        )
        whole, marked = rates.whole, rates.sizes > 0
        if np.isnan(whole.value) or marked.sum() < 5:
            continue
        pooled = Pooled(
            value=float(whole.value),
            without=rates.without[marked],
            sizes=rates.sizes[marked],
            disagreement=float(whole.disagreement),
            expected=1.0 if whole.expected is None else float(whole.expected),
            units=float(rates.sizes.sum()),
            exact=formula is not disorder_rates or np.count_nonzero(numbers["observed"]) < 5,
        )
        ends = interval_of_counts(pooled)
        if ends is None:
            continue
        n_defined += 1
        covered += ends[0] - 1e-12 <= value <= ends[1] + 1e-12
        widths += (ends[1] - ends[0]) / 2
        old = hall_alone(pooled, 1 - pooled.value)
        before += old[0] - 1e-12 <= value <= old[1] + 1e-12
    some = max(n_defined, 1)
    return [covered / some, before / some, widths / some, n_defined / draws]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--process", action="append", help="only those that begin so")
    options = parser.parse_args()
    print("process,documents,coverage,hall_alone,half_width,share_with_interval")
    for name, draw, formula, value in processes():
        if options.process and not name.startswith(tuple(options.process)):
            continue
        for n in DOCUMENTS:
            row = study(draw, formula, value, n, options.draws)
            print(f"{name},{n}," + ",".join(f"{x:.3f}" for x in row), flush=True)


if __name__ == "__main__":
    main()
