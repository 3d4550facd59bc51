"""The option `map=ANNOTATOR:OLD=NEW`, which renames categories of one annotator."""

import pytest

from gammacp import Continuum, Unit
from gammacp.continuum.label import to_label
from gammacp.continuum.renaming import rename_categories_of
from gammacp.errors import DataError
from gammacp.formats.campaign_file import read_campaign
from gammacp.formats.selection import Selection, select

ROWS = {
    "d": [("Ann", 0, "x"), ("Ann", 5, "y"), ("Bob", 0, "a:b"), ("Bob", 5, "x"), ("Bob", 9, None)],
    "e": [("Ann", 0, "x"), ("Bob", 0, "y")],
}


def continua(rows: dict = ROWS) -> dict[str, Continuum]:
    return {
        name: Continuum.from_units([Unit(a, s, s + 4, x) for a, s, x in rows[name]], name=name)
        for name in rows
    }


def mapped(said: dict[str, str], **further: object) -> dict[str, list[tuple]]:
    found = select(continua(), Selection.model_construct(map=said, **further))
    assert len({c.categories for c in found.values()}) == 1
    return {name: sorted((u.annotator, u.start, u.category or "") for u in c)
            for name, c in found.items()}  # fmt: skip


def test_only_one_annotator_is_renamed_and_names_may_be_exchanged() -> None:
    """By hand, Ann's x and y change places, and a:b is a category even if an annotator is
    called a.
    """
    found = mapped({"Ann:x": "y", "Ann:y": "x", "a:b": "c", "x": "z"})
    assert found == {
        "d": [("Ann", 0, "y"), ("Ann", 5, "x"), ("Bob", 0, "c"), ("Bob", 5, "z"), ("Bob", 9, "")],
        "e": [("Ann", 0, "y"), ("Bob", 0, "y")],
    }


def test_a_replaced_name_is_no_category_any_more() -> None:
    found = select(continua(), Selection.model_construct(map={"Bob:a:b": "x"}))
    assert {c.categories for c in found.values()} == {("x", "y")}


def test_new_names_can_be_selected() -> None:
    assert mapped({"Ann:x": "new"}, only=["new"]) == {"d": [("Ann", 0, "new")],
                                                     "e": [("Ann", 0, "new")]}  # fmt: skip


def test_renaming_keeps_features() -> None:
    label = to_label("x", {"size": "big"})
    c = Continuum.from_units([Unit(a, 0, 1, label) for a in ("Ann", "Bob")])
    labels = [u.category for u in rename_categories_of(c, {}, {"Bob": {"x": "y"}})]
    assert labels == [label, to_label("y", {"size": "big"})]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"Ann:q": "x"}, "annotator 'Ann': category 'q' does not occur. There are: x, y"),
        ({"Eve:x": "y"}, "category 'Eve:x' does not occur"),
    ],
)
def test_unknown_names_are_refused(said: dict[str, str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        mapped(said)


def test_a_name_that_could_be_of_two_annotators_is_refused() -> None:
    both = {"d": [("A", 0, "b:x"), ("A:b", 0, "x")]}
    with pytest.raises(DataError, match="'A:b:x' could be about 'A' and 'A:b'"):
        select(continua(both), Selection.model_construct(map={"A:b:x": "y"}))


def test_the_map_is_in_the_signature() -> None:
    found = select(continua(), Selection.model_construct(map={"Ann:x": "z"}))
    assert {c.selection for c in found.values()} == {("map=Ann:x,z",)}


def test_a_round_without_the_name_ignores_the_map(tmp_path) -> None:
    (tmp_path / "a.csv").write_text(
        "document,annotator,category,start,end\nd,Ann,x,0,1\nd,Bob,y,0,1\ne,Ann,y,0,1\ne,Bob,x,0,1\n"
    )
    (tmp_path / "campaign.toml").write_text(
        'paths = ["a.csv"]\n[map]\n"Ann:x" = "y"\n[rounds]\none = ["d"]\ntwo = ["e"]\n'
    )
    read = read_campaign(tmp_path / "campaign.toml")
    for name, expected in (("one", ["y", "y"]), ("two", ["y", "x"])):
        campaign = read.but({}, name)
        kept = campaign.select(campaign.collect())
        assert [u.category for c in kept.continua.values() for u in c] == expected
