"""The command `gammacp links`: units, links and chains side by side, and kinds of differences."""

import json
import math

import numpy as np
import pytest

import gammacp as gc
from gammacp.continuum import Continuum, Corpus, Link, Unit
from gammacp.continuum.needs import links_unused
from gammacp.links.report import WHAT, link_report
from tests.links.measures.data import chained, linked

UNITS = [(0, 20), (22, 40), (45, 60), (64, 80), (85, 99)]
LINKS = {
    "Ann": ["supports 2 1", "supports 3 1", "supports 5 4"],
    "Bob": ["supports 2 1", "attacks 3 1", "supports 5 4"],
    "Max": ["supports 2 1", "supports 3 4"],
}


def _argue():
    """Return links whose costs are counted by hand.

    They are 0 for 2 → 1, twice ½ for Max's 3 → 4 beside 5 → 4, 1 for the type, and twice Δ.
    """
    units = [Unit(a, *place, "x", id=str(k)) for a in LINKS for k, place in enumerate(UNITS, 1)]
    links = [Link(a, *text.split()) for a, texts in LINKS.items() for text in texts]
    return Continuum.from_units(units, links=links, name="argue")


def test_costs_by_hand():
    found = link_report(_argue(), samples=20)
    assert found.scores["gamma-link"].observed == pytest.approx((1 + 1 + 2) / 3 / (8 / 3))
    assert found.components == pytest.approx({"ends": 1 / 8, "types": 1 / 8, "absence": 2 / 8})
    rows = {tuple(r["annotators"]): [r[w] for w in WHAT] for r in found.pairs}
    assert rows == {
        ("Ann", "Bob"): [2, 1, 0, 0, 0],
        ("Ann", "Max"): [1, 0, 1, 0, 1],
        ("Bob", "Max"): [1, 0, 1, 0, 1],
    }
    first, second = found.differing
    assert first["what"] == ["missing", "other type"]
    assert first["links"]["Max"] is None
    assert first["disorder"] == pytest.approx(1)
    assert second["what"] == ["one end elsewhere"]
    assert second["links"]["Max"]["source"]["start"] == 45


@pytest.mark.parametrize("seed", range(4))
def test_components_sum_to_the_observed_disorder(seed):
    rng = np.random.default_rng(seed)
    kinds = ("directed", "undirected")
    corpus = {"a": linked(rng, 3, 5, 4, kinds), "b": linked(rng, 2, 6, 5, kinds)}
    found = link_report(Corpus.from_continua(corpus), samples=5, chance="cut")
    observed = found.scores["gamma-link"].observed
    assert math.fsum(found.components.values()) == pytest.approx(observed)
    size = sum(len(c.links) / c.n_annotators for c in corpus.values())
    assert math.fsum(r["disorder"] for r in found.differing) == pytest.approx(observed * size)


def test_measures_are_those_of_the_registry():
    c = linked(np.random.default_rng(4), 3, 6, 5, ("directed", "chain"))
    names = ["gamma-link", "gamma-link-given-units", "gamma-chain", "gamma-chain-given-units"]
    alone = gc.measure(c, names, samples=5)
    together = link_report(c, samples=5).scores
    for name in names:
        assert together[name].value == alone[name].value
    assert list(together) == ["gamma", *names]


def test_coreference_of_each_pair():
    c = chained(np.random.default_rng(1))
    found = link_report(c, samples=10)
    assert "gamma-link" not in found.scores
    lea = gc.measure(c, ["lea"])["lea"].value
    assert np.mean([row["lea"]["f1"] for row in found.coreference]) == pytest.approx(lea)
    assert len(found.coreference) == 3


def test_command(tmp_path, run):
    file = tmp_path / "argue.json"
    gc.write(_argue(), file)
    told = run("links", file, "--samples", 5, "--explain")
    assert told.code == 0
    assert "gamma-link-given-units" in told.out
    assert "one end elsewhere" in told.out
    made = json.loads(run("links", file, "--samples", 5, "--json").out)
    report = link_report(gc.read(file), samples=5)
    assert made["measures"]["gamma-link"]["value"] == report.scores["gamma-link"].value
    assert made["components"] == pytest.approx(report.components)
    assert made["left_out"] == []
    assert run("links", file, "--samples", 5, "--fail-under", 0.99).code == 5


def test_command_without_links(tmp_path, run):
    file = tmp_path / "a.csv"
    file.write_text("Ann,x,0,5\nBob,x,0,5\n")
    told = run("links", file)
    assert told.code == 3
    assert "there are no links between units" in told.err


@pytest.mark.parametrize(
    "command",
    [
        ("gamma", "FILE", "--samples", "10"),
        ("align", "FILE"),
        ("measure", "FILE", "-m", "ser"),
        *[("shuffle", "--reference", "FILE", "--annotator", "Ann", "--error", "position")],
    ],
    ids=lambda row: row[0],
)
def test_links_that_a_command_ignores_are_counted(command, tmp_path, run):
    file = tmp_path / "argue.json"
    gc.write(_argue(), file)
    more = ("--magnitude", 0.1, "--out", tmp_path / "out") if command[0] == "shuffle" else ()
    given = [file if word == "FILE" else word for word in command]
    told = run(*given, *more, "--json")
    assert told.code == 0, told.err
    assert f"links: {links_unused()}" in told.err
    lost = {(e["kind"], e["reason"]): e["count"] for e in json.loads(told.out)["left_out"]}
    assert lost == {("link", links_unused()): 3 if more else 8}


def test_links_at_units_that_are_not_selected_are_counted(tmp_path, run):
    file = tmp_path / "argue.json"
    gc.write(_argue(), file)
    made = json.loads(run("links", file, "--samples", 5, "--json", "--min-length", 15).out)
    (lost,) = (e for e in made["left_out"] if e["kind"] == "link")
    assert lost["reason"] == "ends at a unit that was left out"
    run("convert", file, tmp_path / "some.json", "--min-length", 15)
    kept = gc.read(tmp_path / "some.json")
    assert len(kept.links) == 8 - lost["count"] > 0


def test_the_page_has_links_over_the_lanes_and_their_tables(tmp_path, run):
    file, out = tmp_path / "argue.json", tmp_path / "page.html"
    gc.write(_argue(), file)
    assert run("report", file, "-o", out, "--samples", 5).code == 0
    html = out.read_text()
    value = link_report(gc.read(file), samples=5).scores["gamma-link"].value
    assert f"γ of links {value:.3f}" in html
    assert "Links to review" in html
    assert "Links by pair of annotators" in html
    assert '"links":{"source":[' in html
    bare = tmp_path / "bare.csv"
    bare.write_text("Ann,x,0,5\nBob,x,0,5\nAnn,x,9,15\nBob,x,8,15\n")
    assert run("report", bare, "-o", out, "--samples", 5).code == 0
    assert "Links between units" not in out.read_text()


def test_chains_given_the_units_have_no_p_value() -> None:
    """Independent people who link to the previous mention would seem to be above chance."""
    units = [Unit(w, 10 * i, 10 * i + 5, "u", id=str(i)) for w in "AB" for i in range(6)]
    links = [Link(w, "same", str(i), str(i + 1), "chain") for w in "AB" for i in (0, 2, 4)]
    c = Continuum.from_units(units, links=links, bounds=(0, 60))
    score = gc.measure(c, ["gamma-chain-given-units"], samples=5)["gamma-chain-given-units"]
    assert score.value == 1
    assert score.p is None
    assert any("has no p" in note for note in score.notes)


def _mentions(path, *cells):
    """Write a CorefUD file with an entity for each cell; `0` is a mention on an empty node."""
    rows = ["# newdoc id = d", "# global.Entity = eid-etype-head-other"]
    for number, cell in enumerate(cells, 1):
        overt = f"Entity=({cell.strip('0')}-x-1-)" if cell else "_"
        rows.append("\t".join([str(number), f"w{number}", *"_" * 7, overt]))
        if "0" in cell:
            zero = f"Entity=({cell.strip('0')}-x-1-)"
            rows.append("\t".join([f"{number}.1", "_", *"_" * 6, "1:nsubj", zero]))
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([*rows, "", ""]))


@pytest.mark.parametrize("zero", ["", pytest.param("0", marks=pytest.mark.slow)])
def test_entities_with_one_mention_on_words_are_mentions_without_links(tmp_path, run, zero):
    """One of two mentions is shared, so that precision and recall with singletons are ½."""
    _mentions(tmp_path / "Ann" / "d.conllu", f"a{zero}", "", "b", "")
    _mentions(tmp_path / "Bob" / "d.conllu", f"a{zero}", "", "", "b")
    done = run("links", tmp_path, "--samples", 10, "--json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    chains = document["measures"]["gamma-chain"]
    assert (chains["value"], "no entity has two mentions on words" in chains["reason"]) == (
        None,
        True,
    )
    assert document["measures"]["gamma"]["units"] == 4
    (row,) = (x for x in document["corefud"] if x["match"] == "exact" and x["singletons"])
    if not zero:
        assert row["b-cubed"] == row["mentions"] == {"recall": 0.5, "precision": 0.5, "f1": 0.5}
    counts = {x["kind"]: x["count"] for x in document["left_out"] if x["kind"] == "mention"}
    assert counts == ({"mention": 1} if zero else {})
    assert "no entity has two mentions on words" in run("links", tmp_path, "--samples", 10).err
