"""Comparison of annotators by their links and chains."""

import json
from itertools import combinations

import numpy as np
import pytest

import gammacp as gc
from gammacp.campaign.compare import compare
from gammacp.continuum import Continuum, Corpus, Link
from tests.links.measures.data import chained, linked


def _corpus() -> Corpus:
    made = {
        str(k): linked(np.random.default_rng(k), 3, 6, 6, ("directed", "chain")) for k in range(4)
    }
    return Corpus.from_continua(made)


def test_values_of_all_and_of_pairs_equal_single_measurements():
    c = linked(np.random.default_rng(4), 3, 8, 6)
    found = compare(c, samples=10, draws=0).parts["links"]
    alone = gc.measure(c, ["gamma-link"], samples=10)["gamma-link"]
    assert found.overall["gamma-link"].value == alone.value
    assert found.documents[""]["gamma-link"].value == alone.value
    assert set(found.pairs) == set(combinations(c.annotators, 2))
    assert set(found.without) == set(c.annotators)
    assert found.without["A2"]["gamma-link"].value == found.pairs["A0", "A1"]["gamma-link"].value
    mean = np.mean([found.pairs[p]["gamma-link"].value for p in (("A0", "A1"), ("A0", "A2"))])
    assert found.mean_pair("A0", "gamma-link") == pytest.approx(mean)


def test_documents_sum_to_the_whole():
    found = compare(_corpus(), samples=10, draws=0).parts["links"]
    for name in ("gamma-link", "gamma-chain"):
        of_each = [s[name] for s in found.documents.values()]
        assert min(s.observed for s in of_each) <= found.overall[name].observed
        assert max(s.observed for s in of_each) >= found.overall[name].observed


def test_values_of_a_type_are_those_of_its_links_alone():
    c = linked(np.random.default_rng(6), 2, 8, 8)
    found = compare(c, samples=10, draws=0).parts["links"]
    assert set(found.types) == {x.type for x in c.links}
    for name, score in found.types.items():
        only = Continuum.from_units(
            c, links=[x for x in c.links if x.type == name], bounds=c.bounds
        )
        alone = gc.measure(only, ["gamma-link"], samples=10)["gamma-link"]
        assert score.observed == alone.observed


def test_data_without_links_have_no_part_on_links():
    c = linked(np.random.default_rng(4), 2, 6, 4)
    bare = Continuum.from_units(c, bounds=c.bounds)
    plain = compare(bare, samples=5, draws=0)
    assert "links" not in plain.parts
    assert "links" not in plain.as_dict()
    assert plain.overall.value == compare(c, samples=5, draws=0).overall.value
    found = compare(c, samples=5, draws=0, chance="statistical").parts["links"]
    assert "does not carry links along" in found.overall["gamma-link"].reason


def test_command(tmp_path, run):
    file = tmp_path / "a.json"
    gc.write(linked(np.random.default_rng(4), 3, 6, 5), file)
    told = run("compare", file, "--samples", 10)
    assert told.code == 0, told.err
    for title in ("Links by document", "Links by annotator", "Links by pair", "Links by type"):
        assert title in told.out
    made = json.loads(run("compare", file, "--samples", 10, "--json").out)
    assert made["left_out"] == []
    assert len(made["links"]["pairs"]) == 3
    assert made["links"]["overall"]["gamma-link"]["value"] is not None


def test_chains_of_pairs():
    c = chained(np.random.default_rng(1))
    found = compare(c, samples=5, draws=0).parts["links"]
    assert list(found.overall) == ["gamma-chain"]
    assert not found.types
    more = Continuum.from_units(c, links=[*c.links, Link("A0", "r", "0", "1")], bounds=c.bounds)
    assert list(compare(more, samples=5, draws=0).parts["links"].overall) == [
        "gamma-link",
        "gamma-chain",
    ]
