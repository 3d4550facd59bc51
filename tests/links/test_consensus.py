"""Links of the gold standard: votes over aligned ends."""

import json

import pytest

import gammacp as gc
from gammacp.campaign.consensus import consensus_of_each
from gammacp.continuum import Continuum, Link, Unit

PLACES = [(0, 20), (22, 40), (45, 60), (64, 80), (85, 99)]


def _continuum(
    links_by_annotator: dict[str, list[tuple[str, str, str]]], kind="directed", unmarked=()
):
    """Return five units of each annotator, without those `unmarked`, and the links between them."""
    units = [
        Unit(a, *place, "x", id=f"{a}{k}")
        for a in links_by_annotator
        for k, place in enumerate(PLACES, 1)
        if (a, k) not in unmarked
    ]
    links = [
        Link(a, type, f"{a}{s}", f"{a}{t}", kind)
        for a, rows in links_by_annotator.items()
        for type, s, t in rows
    ]
    return Continuum.from_units(units, links=links)


def _gold(c, **options):
    """Return the gold standard, and its links as type, source and target."""
    (gold,) = consensus_of_each(c, weights="vote", **options).documents.values()
    links = {(x.type, x.source, x.target) for x in gold.continuum.links}
    return gold, links


def test_votes_by_hand():
    c = _continuum(
        {
            "Ann": [("a", "2", "1"), ("a", "3", "1"), ("a", "5", "4")],
            "Bob": [("a", "2", "1"), ("b", "3", "1"), ("a", "5", "4")],
            "Max": [("b", "2", "1"), ("a", "3", "4")],
        }
    )
    gold, links = _gold(c)
    # Ann and Bob have 3 → 1 with different types. Max's 3 → 4 is joined with their 5 → 4, as both
    # lead to unit 4, and is outvoted.
    assert links == {("a", "2", "1"), ("", "3", "1"), ("a", "5", "4")}
    link_by_starts = {(x.source.start, x.target.start): x for x in gold.links}
    assert link_by_starts[22, 0].reasons == ("type disputed: a 2, b 1",)
    assert link_by_starts[45, 0].reasons[0] == "type tied: a (1) = b (1)"
    assert link_by_starts[22, 0].support == 3
    assert link_by_starts[85, 64].reasons[0] == "ends disputed: 2, 1"


def test_the_required_support_decides():
    rows = {"Ann": [("a", "2", "1")], "Bob": [("a", "2", "1")], "Max": []}
    assert _gold(_continuum(rows))[1] == {("a", "2", "1")}
    gold, links = _gold(_continuum(rows), support=3)
    assert links == set()
    assert gold.links[0].reasons == ("marked by 2 of 3, left out",)


def test_a_link_is_dropped_with_a_unit_at_its_end():
    rows = {"Ann": [("a", "2", "1")], "Bob": [("a", "2", "1")], "Max": []}
    c = _continuum(rows, unmarked={("Bob", 5), ("Max", 5)})
    c = Continuum.from_units(c, links=[*c.links, Link("Ann", "a", "Ann5", "Ann4")])
    gold, links = _gold(c)
    assert links == {("a", "2", "1")}
    assert gold.links[-1].reasons[-1] == "a unit at one end is not in the gold standard"


def test_undirected_links_match_in_both_directions():
    rows = {"Ann": [("a", "2", "1")], "Bob": [("a", "1", "2")], "Max": [("a", "1", "2")]}
    gold, links = _gold(_continuum(rows, "undirected"))
    assert links == {("a", "1", "2")}
    assert gold.links[0].support == 3
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
    gold, links = _gold(_continuum({"Ann": rows, "Bob": rows}))
    assert links == set(rows)
    assert not any(x.reasons for x in gold.links)
    assert [u.id for u in gold.kept] == ["1", "2", "3", "4", "5"]


def test_without_links_there_are_no_ids():
    gold, links = _gold(Continuum.from_units(_continuum({"Ann": [], "Bob": []})))
    assert (links, gold.links) == (set(), ())
    assert gold.continuum.ids is None


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_command(ending, tmp_path, run):
    rows = [("a", "2", "1"), ("b", "3", "1")]
    file = tmp_path / "a.json"
    gold = tmp_path / f"gold.{ending}"
    gc.write(_continuum({"Ann": rows, "Bob": rows, "Max": rows[:1]}), file)
    outcome = run("consensus", file, "--weights", "vote", "--splits", 0, "-o", gold, "--json")
    result = json.loads(outcome.out)
    assert result["left_out"] == []
    assert [x["support"] for x in result["results"][0]["links"]] == [3, 2]
    assert {(x.type, x.source, x.target) for x in gc.read(gold).links} == set(rows)
    listing = run("consensus", file, "--weights", "vote", "--splits", 0)
    assert "Links to review (1 of 1)" in listing.out
