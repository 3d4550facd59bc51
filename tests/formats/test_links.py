"""Links in files: kept by JSON and CSV, counted where they end at nothing, told of where lost."""

import json

import numpy as np
import pytest

import gammacp as gc
from gammacp.continuum import Continuum, Corpus, Link
from tests.measures.links.data import linked

KINDS = ("directed", "undirected", "chain")


@pytest.mark.parametrize("name", ["a.json", "a.csv", "a.tsv"])
@pytest.mark.parametrize("several", [False, True])
def test_round_trip(tmp_path, name, several):
    rng = np.random.default_rng(1)
    c = linked(rng, 3, 5, 6, KINDS)
    document = Corpus.from_continua({"d": c, "e": linked(rng, 2, 5, 6, KINDS)}) if several else c
    gc.write(document, tmp_path / name)
    back = gc.read_corpus(tmp_path / name) if several else gc.read(tmp_path / name)
    assert back == document
    first = back["d"] if several else back
    assert sorted(map(repr, first.links)) == sorted(map(repr, c.links))
    folder = gc.read_corpus(tmp_path)
    assert not folder.left_out
    assert next(iter(folder.values())).links


def test_json_names_ids_and_links(tmp_path):
    c = linked(np.random.default_rng(1), 2, 3, 2, KINDS)
    gc.write(c, tmp_path / "a.json")
    found = json.loads((tmp_path / "a.json").read_text())["continuum"]
    assert found["ids"] == ["0", "1", "2"] * 2
    assert [len(row) for row in found["links"]] == [4 + (x.kind != "directed") for x in c.links]
    assert next(iter(c)).json["unit"] == "0"


def _csv(
    tmp_path, links, units="annotator,category,start,end,unit\nA,x,0,5,1\nA,y,6,9,2\nB,x,0,5,1\n"
):
    (tmp_path / "a.csv").write_text(units)
    (tmp_path / "a.links.csv").write_text(links)
    return tmp_path / "a.csv"


def test_a_link_to_nothing_is_counted(tmp_path):
    file = _csv(tmp_path, "annotator,type,source,target\nA,r,1,2\nA,r,1,7\n")
    c = gc.read(file)
    assert c.links == (Link("A", "r", "1", "2"),)
    assert [(x.kind, x.count) for x in c.left_out] == [("link", 1)]


@pytest.mark.parametrize(
    ("links", "units", "said"),
    [
        ("annotator,source,target\nA,1,2\n", None, "a.links.csv.*there is no column 'type'"),
        ("annotator,type,source,target,kind\nA,r,1,2,loop\n", None, "a.links.csv.*2.*kind 'loop'"),
        ("annotator,type,source,target\n", "annotator,category,start,end\nA,x,0,5\n", "'unit'"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, links, units, said):
    file = _csv(tmp_path, links, units) if units else _csv(tmp_path, links)
    with pytest.raises(gc.DataError, match=said):
        gc.read(file)


def test_a_column_unit_without_links_is_no_id(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("annotator,category,start,end,unit\nA,x,0,5,ms\nA,y,6,9,ms\nB,x,0,5,ms\n")
    c = gc.read(file)
    assert c.ids is None
    assert [x.kind for x in c.left_out] == ["column"]


def test_fragments_taken_apart_lose_links_aloud(tmp_path):
    c = linked(np.random.default_rng(1), 2, 3, 2)
    first, *others = c
    broken = gc.Unit("A0", first.start, first.end, "x", ((first.start, 6.0), (8.0, first.end)), "0")
    gc.write(Continuum.from_units([broken, *others], links=c.links), tmp_path / "a.json")
    split = gc.read(tmp_path / "a.json", discontinuous="split")
    assert not split.links
    assert ("link", 4) in [(x.kind, x.count) for x in split.left_out]


def test_formats_without_links_say_so(tmp_path, run):
    gc.write(linked(np.random.default_rng(1), 2, 3, 2), tmp_path / "a.json")
    told = run("convert", tmp_path / "a.json", tmp_path / "a.rttm")
    assert "links are not kept: 4" in told.err
