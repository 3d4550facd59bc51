import math
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp.campaign.consensus.votes import BoundaryRule, needed_support, span, vote_on_category
from gammacp.errors import UsageError

spans = st.lists(
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
    ("rule", "expected"),
    [("median", (0.0, 10.0)), ("majority", (0.0, 10.0)), ("mean", (1 / 3, 32 / 3))],
)
def test_rules_by_hand(rule: str, expected: tuple[float, float]) -> None:
    assert span([0, 0, 1], [10, 12, 10], BoundaryRule(rule)) == pytest.approx(expected)


def test_majority_differs_from_the_median() -> None:
    # Two of five chose 9, the median is 3.
    starts, ends = [1, 2, 3, 9, 9], [20, 20, 20, 20, 21]
    assert span(starts, ends, BoundaryRule.MAJORITY) == (9.0, 20.0)
    assert span(starts, ends, BoundaryRule.MEDIAN) == (3.0, 20.0)


def test_majorities_that_cross_give_way_to_the_medians() -> None:
    # Most starts say 9, most ends say 5: no unit could have both.
    starts, ends = [9, 9, 1, 2, 3], [10, 11, 5, 5, 12]
    assert span(starts, ends, BoundaryRule.MAJORITY) == (3.0, 10.0)


def test_whole_positions_round_outwards() -> None:
    assert span([0, 1], [9, 10], BoundaryRule.MEDIAN, whole=True) == (0.0, 10.0)
    assert span([0, 1], [9, 10], BoundaryRule.MEDIAN) == (0.5, 9.5)
    assert span([0, 0, 1], [3, 3, 4], BoundaryRule.MEAN, whole=True) == (0.0, 3.0)


@given(spans, st.sampled_from(list(BoundaryRule)), st.booleans())
@settings(max_examples=60)
def test_a_span_never_ends_before_it_starts_and_lies_inside(
    units: list[tuple[int, int]], rule: BoundaryRule, whole: bool
) -> None:
    starts, ends = [s for s, _ in units], [e for _, e in units]
    start, end = span(starts, ends, rule, whole=whole)
    assert start <= end
    assert min(starts) <= start <= max(starts)
    assert min(ends) <= end <= max(ends)
    if whole:
        assert start == math.floor(start)
    if rule is BoundaryRule.MEDIAN:
        assert abs(start - median(starts)) <= 0.5 * whole


@given(spans, st.sampled_from(list(BoundaryRule)), st.integers(-1000, 1000))
@settings(max_examples=30)
def test_moving_moves_the_span(units: list[tuple[int, int]], rule: BoundaryRule, by: int) -> None:
    here = span([s for s, _ in units], [e for _, e in units], rule, whole=True)
    there = span([s + by for s, _ in units], [e + by for _, e in units], rule, whole=True)
    assert there == (here[0] + by, here[1] + by)


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
def test_support_that_cannot_be_meant(support: str) -> None:
    with pytest.raises(UsageError, match="support"):
        needed_support(support, 3)


def test_a_number_beyond_the_annotators_says_so() -> None:
    with pytest.raises(UsageError, match="9 is not between 1 and the 3 annotators"):
        needed_support("9", 3)
