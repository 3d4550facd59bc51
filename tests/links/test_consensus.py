"""Links of the gold standard: votes over aligned ends."""

import json

import pytest

import gammacp as gc
from gammacp.campaign.consensus import consensus_of_each
from gammacp.continuum import Continuum, Link, Unit

PLACES = [(0, 20), (22, 40), (45, 60), (64, 80), (85, 99)]


def _continuum(said: dict[str, list[tuple[str, str, str]]], kind="directed", gone=()):
    units = [
        Unit(a, *place, "x", id=f"{a}{k}")
        for a in said
        for k, place in enumerate(PLACES, 1)
        if (a, k) not in gone
    ]
    links = [
        Link(a, type, f"{a}{s}", f"{a}{t}", kind) for a, rows in said.items() for type, s, t in rows
    ]
    return Continuum.from_units(units, links=links)


def _gold(c, **options):
    found = consensus_of_each(c, weights="vote", **options)
    (one,) = found.documents.values()
    links = {(x.type, x.source, x.target) for x in one.continuum.links}
    return one, links


def test_votes_by_hand():
    c = _continuum(
        {
            "Ann": [("a", "2", "1"), ("a", "3", "1"), ("a", "5", "4")],
            "Bob": [("a", "2", "1"), ("b", "3", "1"), ("a", "5", "4")],
            "Max": [("b", "2", "1"), ("a", "3", "4")],
        }
    )
    one, links = _gold(c)
    # Two annotators have 3 → 1 with different types; Max's link joins the other two at one end.
    assert links == {("a", "2", "1"), ("", "3", "1"), ("a", "5", "4")}
    said = {(x.source.start, x.target.start): x for x in one.links}
    assert said[22, 0].reasons == ("type disputed: a 2, b 1",)
    assert said[45, 0].reasons[0] == "type tied: a (1) = b (1)"
    assert said[22, 0].support == 3


def test_the_required_support_decides():
    rows = {"Ann": [("a", "2", "1")], "Bob": [("a", "2", "1")], "Max": []}
    assert _gold(_continuum(rows))[1] == {("a", "2", "1")}
    one, links = _gold(_continuum(rows), support=3)
    assert links == set()
    assert one.links[0].reasons == ("marked by 2 of 3, left out",)


def test_a_link_is_dropped_with_a_unit_at_its_end():
    rows = {"Ann": [("a", "2", "1")], "Bob": [("a", "2", "1")], "Max": []}
    c = _continuum(rows, gone={("Bob", 5), ("Max", 5)})
    c = Continuum.from_units(c, links=[*c.links, Link("Ann", "a", "Ann5", "Ann4")])
    one, links = _gold(c)
    assert links == {("a", "2", "1")}
    assert one.links[-1].reasons[-1] == "a unit at one end is not in the gold standard"


def test_undirected_links_match_in_both_directions():
    rows = {"Ann": [("a", "2", "1")], "Bob": [("a", "1", "2")], "Max": [("a", "1", "2")]}
    one, links = _gold(_continuum(rows, "undirected"))
    assert links == {("a", "1", "2")}
    assert one.links[0].support == 3
    assert _gold(_continuum(rows))[0].links[0].support == 2


def test_chains_by_hand():
    """Pairs with two votes are 12, 23 and 45, by hand.

    The chains are {1, 2, 3} {4, 5}, {1, 2} {4, 5} and {2, 3} {1, 4}.
    """
    rows = {
        "Ann": [("c", "1", "2"), ("c", "2", "3"), ("c", "4", "5")],
        "Bob": [("c", "1", "2"), ("c", "5", "4")],
        "Max": [("c", "2", "3"), ("c", "1", "4")],
    }
    _, links = _gold(_continuum(rows, "chain"))
    assert links == {("c", "1", "2"), ("c", "2", "3"), ("c", "4", "5")}


def test_identical_links_are_the_gold_standard():
    rows = [("a", "2", "1"), ("b", "3", "1"), ("a", "5", "4")]
    one, links = _gold(_continuum({"Ann": rows, "Bob": rows}))
    assert links == set(rows)
    assert not any(x.reasons for x in one.links)
    assert [u.id for u in one.kept] == ["1", "2", "3", "4", "5"]


def test_without_links_there_are_no_ids():
    one, links = _gold(Continuum.from_units(_continuum({"Ann": [], "Bob": []})))
    assert (links, one.links) == (set(), ())
    assert one.continuum.ids is None


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_command(ending, tmp_path, run):
    rows = [("a", "2", "1"), ("b", "3", "1")]
    file, gold = tmp_path / "a.json", tmp_path / f"gold.{ending}"
    gc.write(_continuum({"Ann": rows, "Bob": rows, "Max": rows[:1]}), file)
    told = run("consensus", file, "--weights", "vote", "--splits", 0, "-o", gold, "--json")
    made = json.loads(told.out)
    assert made["left_out"] == []
    assert [x["support"] for x in made["results"][0]["links"]] == [3, 2]
    assert {(x.type, x.source, x.target) for x in gc.read(gold).links} == set(rows)
    shown = run("consensus", file, "--weights", "vote", "--splits", 0)
    assert "Links to review (1 of 1)" in shown.out
