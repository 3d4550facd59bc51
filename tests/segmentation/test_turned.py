"""Chance of segmentations: every window of the circle by hand, and completion by definition."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from gammacp.chance.expected import SampleRule
from gammacp.chance.sampling import sample_seed
from gammacp.segmentation import (
    Codings,
    Segmentation,
    candidate_drops,
    load_codings,
    measures_beyond_chance,
)
from gammacp.segmentation.measures.rows import Rows
from gammacp.segmentation.measures.turned import TurnedSegments
from gammacp.segmentation.measures.turning_kernels import FEWEST_WHOLE, completed

Placed = tuple[tuple[int, str], ...]


def whole_lengths(part: int, own: list[int], pool: list[int], torn: list[int]) -> dict[int, float]:
    """Return the probability of each whole length of a torn segment, of which a part is known."""
    if len(own) >= FEWEST_WHOLE:
        fit = [x for x in own if x >= part] or [x for x in pool if x >= part] or [part]
        return {x: n / len(fit) for x, n in Counter(fit).items()}
    probabilities, remaining = dict.fromkeys([part], 0.0), 1.0
    for value in sorted({x for x in pool if x >= part}):
        at_risk = sum(x >= value for x in (*pool, *torn))
        probabilities[value] = remaining * pool.count(value) / at_risk
        remaining -= probabilities[value]
    longest = max(probabilities)
    probabilities[longest] += remaining
    return probabilities


def windows(
    places: list[int], mass: int, pool: list[int], torn: list[int], kinds: str = ""
) -> dict[Placed, float]:
    """Return the probability of each segmentation, window by window; letters are kinds of
    boundaries.
    """
    n, lengths = len(places), np.diff(places).tolist()
    kinds = kinds or "b" * n
    counts: Counter[Placed] = Counter()
    ends = (places[0], mass - places[-1])
    first, last = (whole_lengths(part, lengths, pool, torn) for part in ends)
    for (f, p), (g, q), joint in product(first.items(), last.items(), kinds):
        circle = f + (places[-1] - places[0]) + g
        edges = [(f - places[0] + x, k) for x, k in zip(places, kinds, strict=True)]
        edges.append((circle, joint))
        round_twice = [(e + t, k) for e, k in edges for t in (0, circle)]
        cut = [
            tuple(sorted((e - o, k) for e, k in round_twice if o < e < o + mass))
            for o in range(circle)
        ]
        fitting = [x for x in cut if Counter(k for _, k in x) == Counter(kinds)]
        for x in fitting:
            counts[x] += p * q / len(fitting) / n
    return dict(counts)


CASES = {
    "own wholes": ([[3, 5, 9, 10], [2, 7]], 12),
    "few segments": ([[4], [2, 6], [3, 11]], 14),
    "nothing is long enough": ([[8, 9, 10, 11, 12], [1]], 20),
    "none": ([[5, 7], []], 9),
}


@pytest.mark.parametrize("case", CASES)
def test_every_window_has_the_probability_of_its_definition(case: str) -> None:
    rows, mass = CASES[case]
    pool = [int(x) for row in rows for x in np.diff(row)]
    torn = [x for row in rows if row for x in (row[0], mass - row[-1])]
    codings = {
        str(k): {"a": Segmentation.from_positions(row, mass=mass)} for k, row in enumerate(rows)
    }
    data, sets = Rows.of(codings, ("boundary",)), 4000
    turned = TurnedSegments.of(data, data.coder)
    rng = np.random.default_rng(1)
    counts = [Counter[tuple[int, ...]]() for _ in rows]
    for _ in range(sets):
        one = turned.draw(rng)
        for k, count in enumerate(counts):
            count[tuple(one.places[one.offsets[k] : one.offsets[k + 1]].tolist())] += 1
    for row, count in zip(rows, counts, strict=True):
        likely = windows(row, mass, pool, torn) if row else {(): 1.0}
        want = {tuple(place for place, _ in placed): p for placed, p in likely.items()}
        assert set(count) <= set(want)
        for places, p in want.items():
            assert abs(count[places] - sets * p) < 5 * (sets * p * (1 - p)) ** 0.5 + 1


def test_torn_segments_are_completed_as_by_renewal_theory() -> None:
    """Segments torn at a random place get back their mean length."""
    rng = np.random.default_rng(2)
    lengths = np.sort(rng.gamma(2.0, 10.0, 4000).astype(np.int64) + 1)
    torn = rng.choice(lengths, 3000, p=lengths / lengths.sum())
    parts = (rng.random(len(torn)) * torn).astype(np.int64) + 1
    none = np.zeros(0, np.int64)
    completions = [completed(int(x), lengths, none, none, rng.random()) for x in parts]
    assert np.mean(completions) == pytest.approx(torn.mean(), rel=0.04)


def test_a_random_corpus_keeps_coders_items_and_inner_segments() -> None:
    codings = load_codings("moonstone")
    before = codings.rows()
    turned = TurnedSegments.of(before, codings.row_people())
    after = turned.draw(sample_seed(0, 0))
    assert not np.array_equal(before.places, after.places)
    for row, (i, j) in enumerate(zip(before.offsets[:-1], before.offsets[1:], strict=True)):
        places = after.places[i:j]
        assert (np.diff(places, prepend=0, append=before.masses[row]) > 0).all()
        inner = [Counter(np.diff(r.places[i:j]).tolist()) for r in (before, after)]
        # Except for completed ends and those torn by the window, segments are the row's own.
        assert (inner[1] - inner[0]).total() <= 2


def test_types_stay_with_their_boundary() -> None:
    s = Segmentation.from_typed({"x": [3, 5], "y": [5, 9, 20, 31]}, mass=40)
    rows = Codings.of({"i": {"a": s, "b": s}}).rows()
    turned = TurnedSegments.of(rows, "ab")
    cycle = [rows.held[k] for k in range(5)]
    orders = [[*cycle[t:], *cycle[:t]] for t in range(5)]
    seen_pairs = set()
    for k in range(200):
        one = turned.draw(sample_seed(0, k))
        held = list(one.held[:5])
        assert Counter(held) == Counter(cycle)
        without = [held[:i] + held[i + 1 :] for i in range(5)]
        # The order is that of the data, except where the ends of the circle meet.
        assert any(part == order[:4] for part in without for order in orders)
        seen_pairs.add((tuple(one.places[:5].tolist()), tuple(held)))
    assert len(seen_pairs) > 20
    assert len({held for _, held in seen_pairs}) > 2


def test_a_person_in_another_group_is_another_coder() -> None:
    """Completions come only from the coder's own lengths."""
    items = {"i": ([30], 100), "j": ([35, 75, 115, 160], 200)}
    codings = {i: {"a": Segmentation.from_positions(x, mass=m)} for i, (x, m) in items.items()}
    rows = Codings.of(codings).rows()
    same, apart = (
        {int(t.draw(sample_seed(0, k)).places[0]) for k in range(80)}
        for t in (TurnedSegments.of(rows, people) for people in ("aa", "ab"))
    )
    # For a coder with one boundary, only the two parts are known.
    assert apart == {30, 70}
    assert len(same) > 5


def test_regular_coders_are_not_beyond_chance() -> None:
    """Coders of segments of 20 ± 2 have no agreement beyond chance.

    If segments were put in random order, WindowDiff would be −.14.
    """
    from experiments._independent_coders import codings_of, drawn

    sums: dict[str, np.ndarray] = {}
    for k in range(60):
        codings = codings_of(drawn("regular", np.random.default_rng(k)))
        scores = measures_beyond_chance(codings, rule=SampleRule(samples=5), seed=k)
        for name in ("windowdiff", "pk", "s", "ghd"):
            beyond = scores[name].beyond_chance
            sums[name] = sums.get(name, 0) + np.array([beyond.observed, beyond.expected])
    for name, (observed, expected) in sums.items():
        assert abs(1 - observed / expected) < 0.04, name


def test_baselines_are_coders_of_their_own() -> None:
    codings = load_codings("moonstone")
    (first, *_) = codings.coders
    drops = candidate_drops(codings, [first], rule=SampleRule(samples=5))
    named = {d.candidate: d for d in drops}
    assert named["(all)"].own < named["(shuffled)"].own < 0.2
