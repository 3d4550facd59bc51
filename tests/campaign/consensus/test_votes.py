from statistics import median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp.campaign.consensus.boundaries import BoundaryRule, GroupedUnits, spans
from gammacp.campaign.consensus.votes import needed_support, vote_on_category
from gammacp.errors import UsageError
from tests.campaign.consensus.plain_spans import plain_span, span

drawn = st.lists(
    st.tuples(st.integers(-50, 50), st.integers(0, 30)).map(lambda p: (p[0], p[0] + p[1])),
    min_size=1,
    max_size=7,
)


def test_most_votes_win() -> None:
    vote = vote_on_category(["a", "b", "b", None])
    assert vote.winner == "b"
    assert vote.tied == ()
    assert list(vote.votes.items()) == [("b", 2), ("a", 1), (None, 1)]


def test_ties_have_no_winner_and_are_reported() -> None:
    vote = vote_on_category(["b", "a"])
    assert vote.winner is None
    assert vote.tied == ("a", "b")
    assert not vote.unanimous


def test_unlabelled_can_win_and_can_be_tied() -> None:
    assert vote_on_category([None, None, "a"]).tied == ()
    assert vote_on_category([None, None, "a"]).winner is None
    assert vote_on_category([None, "a"]).tied == ("a", None)


@given(st.permutations(["a", "b", "b", "c", "c", None]))
@settings(max_examples=20)
def test_order_of_annotators_does_not_matter(categories: list[str | None]) -> None:
    vote = vote_on_category(categories)
    assert vote.tied == ("b", "c")
    assert list(vote.votes) == ["b", "c", "a", None]


@pytest.mark.parametrize(
    ("rule", "expected", "averaged"),
    [
        ("median", (0, 10), (0, 10)), ("majority", (0, 10), (0, 10)),
        ("mean", (0, 10), (1 / 3, 32 / 3)),
    ],
)  # fmt: skip
def test_rules_by_hand(
    rule: str, expected: tuple[float, float], averaged: tuple[float, float]
) -> None:
    starts, ends = [0, 0, 1], [10, 12, 10]
    assert span(starts, ends, BoundaryRule(rule)) == (*expected, ())
    times = span(starts, ends, BoundaryRule(rule), discrete=False)
    assert times[:2] == pytest.approx(averaged)


def test_majority_differs_from_the_median() -> None:
    # Two of five chose 9; the median is 3.
    starts, ends = [1, 2, 3, 9, 9], [20, 20, 20, 20, 21]
    assert span(starts, ends, BoundaryRule.MAJORITY)[:2] == (9.0, 20.0)
    assert span(starts, ends, BoundaryRule.MEDIAN)[:2] == (3.0, 20.0)


@pytest.mark.parametrize("discrete", [True, False])
def test_majorities_that_cross_give_way_to_the_medians(discrete: bool) -> None:
    # Most starts are 9 and most ends 5, which no unit could have together.
    starts, ends = [9, 9, 1, 2, 3], [10, 11, 5, 5, 12]
    assert span(starts, ends, BoundaryRule.MAJORITY, discrete=discrete)[:2] == (3.0, 10.0)


def test_times_are_averaged_and_whole_ones_round_outwards() -> None:
    starts, ends = [0, 1], [9, 10]
    assert span(starts, ends, BoundaryRule.MEDIAN, discrete=False)[:2] == (0.5, 9.5)
    assert span(starts, ends, BoundaryRule.MEDIAN, discrete=False, whole=True)[:2] == (0.0, 10.0)


@pytest.mark.parametrize(
    ("starts", "ends", "weights", "chosen", "tied"),
    [
        # Of two annotators' spans the longer one is taken, and the first of equally long ones.
        ([4, 6], [15, 15], None, (4, 15), 2),
        ([4, 6], [12, 14], None, (4, 12), 2),
        ([6, 4], [14, 12], [1, 2], (4, 12), 0),
        # Two medians each: a pair that two annotators drew comes before a longer one.
        ([1, 2, 3, 3], [9, 9, 8, 8], None, (3, 8), 0),
        # Nobody drew both medians together, and they are no tie.
        ([1, 2, 3], [9, 7, 8], None, (2, 8), 0),
    ],
)
def test_ties_of_boundaries_by_hand(
    starts: list[float],
    ends: list[float],
    weights: list[float] | None,
    chosen: tuple[float, float],
    tied: int,
) -> None:
    limits = span(starts, ends, BoundaryRule.MEDIAN, weights=weights)
    assert limits[:2] == chosen
    assert len(limits.tied) == tied
    assert limits.tied[:1] == ((chosen,) if tied else ())


weighed = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 4)), min_size=1, max_size=6
)


@given(weighed)
@settings(max_examples=50)
def test_medians_are_the_drawn_boundaries_that_are_nearest_to_all(
    rows: list[tuple[int, int, int]],
) -> None:
    """No pair of drawn positions is nearer to all, by trying every pair.

    Of equally near pairs, the chosen one was drawn with most weight, or is longer, or earlier.
    """
    starts, ends = [s for s, _, _ in rows], [s + length for s, length, _ in rows]
    weights = [float(w) for *_, w in rows]

    def far(pair: tuple[int, int]) -> float:
        each = zip(starts, ends, weights, strict=True)
        return sum(w * (abs(pair[0] - s) + abs(pair[1] - e)) for s, e, w in each)

    def together(pair: tuple[int, int]) -> float:
        return sum(w for *drawn, w in zip(starts, ends, weights, strict=True) if (*drawn,) == pair)

    pairs = {(s, e) for s in starts for e in ends if s <= e}
    near = [p for p in pairs if far(p) == min(map(far, pairs))]
    best = [p for p in near if together(p) == max(map(together, near))]
    best.sort(key=lambda p: (p[0] - p[1], p[0]))
    limits = span(starts, ends, BoundaryRule.MEDIAN, weights=weights)
    assert limits[:2] == best[0]
    assert limits.tied == (tuple(best) if len(best) > 1 else ())


@given(drawn, st.sampled_from(list(BoundaryRule)), st.booleans())
@settings(max_examples=60)
def test_a_span_never_ends_before_it_starts_and_is_drawn_or_lies_inside(
    units: list[tuple[int, int]], rule: BoundaryRule, discrete: bool
) -> None:
    starts, ends = [s for s, _ in units], [e for _, e in units]
    start, end, tied = span(starts, ends, rule, discrete=discrete)
    assert start <= end
    assert min(starts) <= start <= max(starts)
    assert min(ends) <= end <= max(ends)
    for s, e in tied or [(start, end)] * discrete:
        assert s in starts
        assert e in ends
    if rule is BoundaryRule.MEDIAN and not discrete:
        assert start == median(starts)


several = st.lists(
    st.tuples(
        st.lists(
            st.tuples(
                st.integers(0, 9),
                st.sampled_from([0, 1, 2.5, 4]),
                st.sampled_from([1, 1.5, 3**0.5]),
            ),
            min_size=1,
            max_size=9,
        ),
        st.booleans(),
        st.booleans(),
    ),
    min_size=1,
    max_size=6,
)


@given(several, st.sampled_from(list(BoundaryRule)))
@settings(max_examples=50)
def test_many_spans_at_once_are_as_one_by_one(
    rows: list[tuple[list[tuple[int, float, float]], bool, bool]], rule: BoundaryRule
) -> None:
    """Spans are those of the rules read one by one, for alignments of different sizes and kinds."""
    units = [(k, s, s + length, w) for k, (row, *_) in enumerate(rows) for s, length, w in row]
    group, *columns = (np.array(x) for x in zip(*units, strict=True))
    marked = GroupedUnits(group, *(x.astype(float) for x in columns))
    discrete, whole = (np.array(x) for x in zip(*((d, w) for _, d, w in rows), strict=True))
    sides = spans(marked, rule, discrete=discrete, whole=whole)
    for k, (row, d, w) in enumerate(rows):
        starts, ends = [s for s, _, _ in row], [s + length for s, length, _ in row]
        weights = [x for *_, x in row]
        start, end, tied = plain_span(starts, ends, rule, discrete=d, whole=w, weights=weights)
        assert (sides.starts[k], sides.ends[k]) == pytest.approx((start, end), rel=1e-12)
        assert sides.tied.get(k, ()) == tied


@given(drawn, st.sampled_from(list(BoundaryRule)), st.integers(-1000, 1000))
@settings(max_examples=30)
def test_moving_moves_the_span(units: list[tuple[int, int]], rule: BoundaryRule, by: int) -> None:
    here = span([s for s, _ in units], [e for _, e in units], rule)
    moved_span = span([s + by for s, _ in units], [e + by for _, e in units], rule)
    assert moved_span[:2] == (here[0] + by, here[1] + by)
    assert moved_span.tied == tuple((s + by, e + by) for s, e in here.tied)


@pytest.mark.parametrize(
    ("support", "n", "needed"),
    [
        (None, 2, 2), (None, 3, 2), (None, 4, 3), ("1", 5, 1), (3, 5, 3), ("0.5", 5, 3),
        ("0.667", 3, 2), ("100%", 4, 4), (1.0, 4, 4), ("60%", 5, 3), ("0.01", 3, 1),
    ],
)  # fmt: skip
def test_needed_support(support: str | float | None, n: int, needed: int) -> None:
    assert needed_support(support, n) == needed


@pytest.mark.parametrize("support", ["0", "4", "x", "0.0", "120%", "-1", "nan%", ""])
def test_impossible_support_is_refused(support: str) -> None:
    with pytest.raises(UsageError, match="support"):
        needed_support(support, 3)


def test_more_support_than_annotators_is_refused() -> None:
    with pytest.raises(UsageError, match="9 is not between 1 and the 3 annotators"):
        needed_support("9", 3)
