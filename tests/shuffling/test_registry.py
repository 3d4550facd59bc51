import pytest

from gammacp import UsageError
from shuffling import ERRORS, Category, Position, Split, describe, parse_errors


def test_error_types_of_the_paper_and_merge_are_registered() -> None:
    papers = {"position", "category", "split", "false-positive", "false-negative"}
    assert papers | {"merge"} <= set(ERRORS)


def test_combinations_keep_their_order() -> None:
    assert parse_errors("category+position") == (Category(), Position())
    assert parse_errors("position + category") == (Position(), Category())


def test_parameters() -> None:
    text = "split:factor=3+position:factor=0.5,overlap=true+category:overlap=true"
    errors = (Split(factor=3), Position(factor=0.5, overlap=True), Category(overlap=True))
    assert parse_errors(text) == errors
    assert parse_errors(describe(errors)) == errors
    assert parse_errors("category:keep-prevalence=false") == (Category(keep_prevalence=False),)
    assert describe((Split(), Position())) == "split+position"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "error type '' is unknown"),
        ("split+", "error type '' is unknown"),
        ("shift", "error type 'shift' is unknown"),
        ("split:size=2", "split has no parameter 'size'; there are: factor"),
        ("category:closeness=2", "no parameter 'closeness'; there are: overlap, keep_prevalence"),
        ("split:factor=much", "split: factor = 'much' is not a number"),
        ("split:factor", "split: factor = '' is not a number"),
        ("position:overlap=1", "position: overlap = '1' is neither true nor false"),
        ("split:factor=9", "factor 9 > 5"),
    ],
)
def test_bad_texts(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_errors(text)
