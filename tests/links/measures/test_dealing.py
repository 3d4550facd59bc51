"""Randomised links: what they keep, equal probabilities, hubs, and a mean of zero."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gammacp as gc
from gammacp.continuum import Continuum, Link, Unit
from gammacp.links.measures.dealing import Anchored, DealtLinks, find_hubs


def _anchored(pairs, units, *, free=False):
    sources, targets = np.array(pairs).T
    count = len(pairs)
    return Anchored.of(np.arange(count), sources, targets, np.full(count, free), units)


@pytest.mark.slow
def test_all_arrangements_are_equally_probable():
    """The frequencies of all arrangements that fit are equal, by a χ² test.

    Distances are −1, −2, −1, −4 and +1 in seven units, so that brute force is possible.
    """
    pairs = [(1, 0), (3, 1), (4, 3), (6, 2), (5, 6)]
    own = _anchored(pairs, 7)
    assert own.relative.all()
    steps = [j - i for i, j in pairs]
    fitting = {
        order
        for order in permutations(steps)
        if all(0 <= i + d < 7 for (i, _), d in zip(pairs, order, strict=True))
    }
    rng = np.random.default_rng(0)
    draws = 6000
    found = Counter(tuple((own.deal(rng)[1] - own.anchors).tolist()) for _ in range(draws))
    assert set(found) == fitting
    mean = draws / len(fitting)
    chi_squared = sum((found[order] - mean) ** 2 / mean for order in fitting)
    # The limit is the mean, df, plus five standard deviations, √(2 df).
    df = len(fitting) - 1
    assert chi_squared < df + 5 * np.sqrt(2 * df)


@st.composite
def _links(draw):
    units = draw(st.integers(2, 12))
    unit = st.integers(0, units - 1)
    pair = st.tuples(unit, unit).filter(lambda x: x[0] != x[1])
    return units, draw(st.lists(pair, min_size=1, max_size=20, unique=True))


@settings(max_examples=60, deadline=None)
@given(_links(), st.integers(0, 5))
def test_habits_of_linking_are_kept(case, seed):
    """Anchors, distances or hubs, and directions stay; no link is doubled or ends where it
    begins.
    """
    units, pairs = case
    own = _anchored(pairs, units)
    order, others = own.deal(np.random.default_rng(seed))
    assert sorted(order.tolist()) == list(range(len(pairs)))
    assert ((others >= 0) & (others < units)).all()
    assert ((others > own.anchors) == own.ahead[order]).all()
    assert len({*zip(own.anchors.tolist(), others.tolist(), strict=True)}) == len(pairs)
    steps = own.relative[order] == 1
    assert ((others - own.anchors)[steps] == own.places[order][steps]).all()
    assert (others[~steps] == own.places[order][~steps]).all()


def test_the_end_that_is_repeated_less_is_the_anchor():
    star = [(i, 3) for i in range(12) if i != 3]
    own, turned = _anchored(star, 12), _anchored([x[::-1] for x in star], 12)
    assert not own.turned
    assert turned.turned
    free = _anchored([tuple(sorted(x)) for x in star], 12, free=True)
    for found in (own, turned, free):
        assert sorted(found.anchors.tolist()) == [i for i, _ in star]
        assert set(found.places.tolist()) == {3}
        assert not found.relative.any()


def test_hubs_are_units_with_more_links_than_distances_explain():
    """Links to neighbours or random earlier units make hardly any hubs, and nine of 20 links do."""
    rng = np.random.default_rng(0)
    before = np.arange(1, 21)
    assert not find_hubs(before, before - 1, 21).any()
    others = before - 1
    others[rng.permutation(20)[:9]] = 5
    others[before == others] = 0
    assert find_hubs(before, others, 21)[5]
    counts = [find_hubs(before, rng.integers(before), 21).sum() for _ in range(200)]
    assert np.mean(counts) < 0.5


def test_types_keep_their_distances():
    """An annotator who links "next" ahead and "because" back still does; other annotators stay."""
    units = [Unit(a, 10 * i, 10 * i + 5, "x", id=str(i)) for a in "AB" for i in range(12)]
    links = [Link("A", "next", str(i), str(i + 1)) for i in range(0, 10, 2)]
    links += [Link("A", "because", str(i), str(i - 2)) for i in range(3, 12, 2)]
    links += [Link("B", "pair", str(i), str(i + 1), "undirected") for i in (1, 5, 8)]
    c = Continuum.from_units(units, links=links)
    dealt = DealtLinks.of(c, c.link_rows)
    for k in range(20):
        found = dealt.draw(np.random.default_rng(k))
        steps = {"next": 1, "because": -2}
        for name, kind, source, target in found.rows:
            assert c.annotator_codes[source] == c.annotator_codes[target]
            if name in steps:
                assert target - source == steps[name]
            else:
                assert (abs(target - source), kind) == (1, "undirected")
        assert Counter(x[0] for x in found.rows) == Counter(x.type for x in links)


def _independent(habit, seed, units=20):
    rng = np.random.default_rng(seed)
    rows = [Unit(a, 10 * i, 10 * i + 5, "x", id=str(i)) for a in "AB" for i in range(units)]
    links = [Link(a, "r", str(i), str(habit(i, rng))) for a in "AB" for i in range(1, units - 1)]
    return Continuum.from_units(rows, links=links)


@pytest.mark.parametrize(
    "habit",
    [
        lambda i, rng: rng.integers(i),
        pytest.param(
            lambda i, rng: i - 1 if rng.random() < 0.8 else rng.integers(i), marks=pytest.mark.slow
        ),
        pytest.param(lambda i, rng: i + rng.choice([-1, 1]), marks=pytest.mark.slow),
    ],
    ids=["any earlier", "mostly the one before", "one beside"],
)
def test_independent_habits_have_a_mean_of_zero(habit):
    """The mean 1 − Σ D_o / Σ D_e is near 0 (SE .025).

    With free pairs, it would be .14, .31 and .24 here.
    """
    sums = np.zeros(2)
    for k in range(40):
        c = _independent(habit, k)
        found = gc.measure(c, ["gamma-link-given-units"], samples=3, seed=k)
        score = found["gamma-link-given-units"]
        sums += score.observed, score.expected
    assert abs(1 - sums[0] / sums[1]) < 0.08


def test_links_always_to_the_unit_before_have_no_agreement_beyond_chance():
    c = _independent(lambda i, _: i - 1, 0)
    score = gc.measure(c, ["gamma-link-given-units"])["gamma-link-given-units"]
    assert score.reason == "the expected disagreement is 0: random data agree perfectly"
