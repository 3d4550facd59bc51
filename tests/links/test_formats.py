"""Links in files: kept by JSON and CSV, counted if they end nowhere, and reported if lost."""

import json
import zipfile

import numpy as np
import pytest

import gammacp as gc
from gammacp.continuum import Continuum, Corpus, Link
from gammacp.continuum.selecting import keep_annotators
from tests.links.measures.data import linked

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
def test_invalid_links_are_named(tmp_path, links, units, said):
    file = _csv(tmp_path, links, units) if units else _csv(tmp_path, links)
    with pytest.raises(gc.DataError, match=said):
        gc.read(file)


def test_a_column_named_unit_without_links_is_no_id(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("annotator,category,start,end,unit\nA,x,0,5,ms\nA,y,6,9,ms\nB,x,0,5,ms\n")
    c = gc.read(file)
    assert c.ids is None
    assert [x.kind for x in c.left_out] == ["column"]


def test_fragments_taken_apart_report_lost_links(tmp_path):
    c = linked(np.random.default_rng(1), 2, 3, 2)
    first, *others = c
    inside = ((first.start, 6.0), (8.0, first.end))
    broken = gc.Unit("A0", first.start, first.end, "x", inside, id="0")
    gc.write(Continuum.from_units([broken, *others], links=c.links), tmp_path / "a.json")
    split = gc.read(tmp_path / "a.json", discontinuous="split")
    assert not split.links
    assert ("link", 4) in [(x.kind, x.count) for x in split.left_out]


def test_formats_without_links_report_the_loss(tmp_path, run):
    gc.write(linked(np.random.default_rng(1), 2, 3, 2), tmp_path / "a.json")
    told = run("convert", tmp_path / "a.json", tmp_path / "a.rttm")
    assert "links are not kept: 4" in told.err


TEXT = "Ann met Bob in New York. She hit him there."
BRAT = """\
T1\tPER 0 3\tAnn
T2\tPER 8 11\tBob
T3\tMeet 4 7\tmet
T4\tPER 25 28\tShe
T5\tHit 29 32\thit
T6\tPER 33 36\thim
E1\tMeet:T3 Agent:T1 Agent2:T2
E2\tHit:T5 Agent:T4 Theme:T6 After:E1
*\tEquiv T1 T4
R1\tKin Arg1:T1 Arg2:T9\t
R2\tKin Arg1:T1 Arg2:T2\t
R3\tBefore Arg1:T3 Arg2:T5\t
R4\tBroken Arg1:T3\t
"""


def _brat(tmp_path):
    folder = tmp_path / "brat" / "ann"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text(TEXT)
    (folder / "a.ann").write_text(BRAT)
    conf = (
        "[relations]\nKin\tArg1:PER, Arg2:PER, <REL-TYPE>:symmetric\nBefore\tArg1:Meet, Arg2:Hit\n"
    )
    (tmp_path / "brat" / "annotation.conf").write_text(conf)
    return tmp_path / "brat"


def test_brat(tmp_path):
    """Relations, arguments of events (for an event, its trigger) and equivalences are read."""
    c = gc.read_corpus(_brat(tmp_path))["a"]
    assert [(x.type, x.source, x.target, x.kind) for x in c.links] == [
        ("Agent", "T3", "T1", "directed"),
        ("Agent", "T3", "T2", "directed"),
        ("Agent", "T5", "T4", "directed"),
        ("Theme", "T5", "T6", "directed"),
        ("After", "T5", "T3", "directed"),
        ("Equiv", "T1", "T4", "chain"),
        ("Kin", "T1", "T2", "undirected"),
        ("Before", "T3", "T5", "directed"),
    ]
    assert [(x.kind, x.count) for x in c.left_out] == [("relation", 1), ("link", 1)]


def test_brat_is_written_back(tmp_path):
    c = gc.read_corpus(_brat(tmp_path))["a"]
    gc.write(c, tmp_path / "out", format="brat")
    assert gc.read_corpus(tmp_path / "out")["a"] == c
    with pytest.raises(gc.DataError, match="cannot be a brat type"):
        bad = Continuum.from_units(c, links=[Link("ann", "a b", "T1", "T2")])
        gc.write(bad, tmp_path / "bad", format="brat")


def test_without_links_units_have_no_ids(tmp_path):
    folder = tmp_path / "ann"
    folder.mkdir()
    (folder / "a.ann").write_text("".join(BRAT.splitlines(keepends=True)[:6]))
    assert gc.read_corpus(tmp_path)["a"].ids is None


def _label_studio(tmp_path):
    def region(key, start, end, label):
        value = {"start": start, "end": end, "text": TEXT[start:end], "labels": [label]}
        names = {"id": key, "from_name": "label", "to_name": "text", "type": "labels"}
        return {**names, "value": value}

    def relation(source, target, way, *labels):
        ends = {"type": "relation", "from_id": source, "to_id": target, "direction": way}
        return {**ends, "labels": list(labels)}

    result = [region("x", 0, 3, "PER"), region("y", 8, 11, "PER"), region("z", 15, 23, "LOC")]
    result += [
        relation("x", "y", "right", "met", "knows"),
        relation("x", "z", "left", "of"),
        relation("y", "z", "bi"),
        relation("y", "gone", "right", "of"),
    ]
    task = {"id": 1, "data": {"text": TEXT}, "annotations": [{"completed_by": 7, "result": result}]}
    (tmp_path / "ls.json").write_text(json.dumps([task]))
    return tmp_path / "ls.json"


def test_label_studio(tmp_path):
    c = gc.read_corpus(_label_studio(tmp_path))["1"]
    assert [(x.type, x.source, x.target, x.kind) for x in c.links] == [
        ("met", "x", "y", "directed"),
        ("knows", "x", "y", "directed"),
        ("of", "z", "x", "directed"),
        ("", "y", "z", "undirected"),
    ]
    assert [(x.kind, x.count) for x in c.left_out] == [("link", 1)]
    gc.write(c, tmp_path / "again.json", format="label-studio")
    assert gc.read_corpus(tmp_path / "again.json")["1"] == c


def test_label_studio_has_no_chains(tmp_path, run):
    gc.write(gc.read_corpus(_brat(tmp_path))["a"], tmp_path / "a.json")
    told = run("convert", tmp_path / "a.json", tmp_path / "b.json", "--to", "label-studio")
    assert "links are not kept: 1" in told.err


XMI = f"""<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"
 xmlns:custom="http:///webanno/custom.ecore" xmi:version="2.0">
<cas:NULL xmi:id="0"/>
<custom:Span xmi:id="2" sofa="1" begin="0" end="3" label="PER"/>
<custom:Span xmi:id="3" sofa="1" begin="8" end="11" label="PER"/>
<custom:Span xmi:id="4" sofa="1" begin="25" end="28" label="PER"/>
<custom:Rel xmi:id="5" sofa="1" begin="8" end="11" Governor="2" Dependent="3" value="met"/>
<custom:Mention xmi:id="6" sofa="1" begin="0" end="3" next="7" referenceType="a"/>
<custom:Mention xmi:id="7" sofa="1" begin="25" end="28" referenceType="b"/>
<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text/plain" sofaString="{TEXT}"/>
<cas:View sofa="1" members="2 3 4 5 6 7"/>
</xmi:XMI>
"""


def test_cas(tmp_path):
    """Relations between units of the layer are read, and chains through references to the next
    mention.
    """
    folder = tmp_path / "story"
    folder.mkdir()
    (folder / "ann.xmi").write_text(XMI)
    c = gc.read_corpus(tmp_path, layer="Span", feature="label")["story"]
    assert c.links == (Link("ann", "met", "2", "3"),)
    assert not [x for x in c.left_out if x.kind == "relation"]
    mentions = gc.read_corpus(tmp_path, layer="Mention", feature="referenceType")["story"]
    assert [(x.source, x.target, x.kind) for x in mentions.links] == [("6", "7", "chain")]
    assert ("relation", 1) in [(x.kind, x.count) for x in mentions.left_out]


CONLL = """\
#begin document (d); part 000
d 0 0 Ann N (0)
d 0 1 met V -
d 0 2 Bob N (1(2)
d 0 3 's P -
d 0 4 dog N 1)

d 0 0 He N (2)|(3)
d 0 1 barked V -
#end document
"""
COREFUD = """\
# newdoc id = d
# global.Entity = eid-etype-head-other
1\tAnn\t_\t_\t_\t_\t0\t_\t_\tEntity=(e0-person-1-)
2\tmet\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1[1/2]-group-1-)
3\tBob\t_\t_\t_\t_\t0\t_\t_\tSpaceAfter=No|Entity=(e0-person-1-(e2-place-1-)
3.1\t_\t_\t_\t_\t_\t_\t_\t_\tEntity=(e2-place-1-)
4\tthere\t_\t_\t_\t_\t0\t_\t_\tEntity=e0)(e1[2/2]-group-1-)
"""


@pytest.mark.parametrize(
    ("text", "units", "chains", "lost"),
    [
        (
            CONLL,
            [(0, 1, None), (2, 3, None), (2, 5, None), (5, 6, None), (5, 6, None)],
            [((2, 3), (5, 6))],
            [],
        ),
        (
            COREFUD,
            [(0, 1, "person"), (1, 4, "group"), (2, 3, "place"), (2, 4, "person")],
            [((0, 1), (2, 4))],
            [("mention", 1), ("field", 1), ("field", 1)],
        ),
    ],
    ids=["conll-2012", "corefud"],
)
def test_coreference_files_are_read(tmp_path, text, units, chains, lost):
    """Entities are chains, a single mention is a unit, parts are fragments, empty nodes are
    counted.
    """
    for who in ("ann", "bob"):
        (tmp_path / who).mkdir()
        (tmp_path / who / "d.conll").write_text(text)
    c = gc.read_corpus(tmp_path)["d"]
    first = keep_annotators(c, ["ann"])
    assert [(u.start, u.end, u.category) for u in first] == units
    place = {u.id: (u.start, u.end) for u in first}
    assert [(place[x.source], place[x.target]) for x in first.links] == chains
    assert {x.kind for x in c.links} == {"chain"}
    assert [(x.kind, x.count) for x in first.left_out if x.file.endswith("ann/d.conll")] == lost
    assert gc.measure(c, ["gamma-chain", "lea"], samples=10)["lea"].value == 1
    assert [u.fragments for u in first if u.fragments] == ([((1, 2), (3, 4))] if lost else [])


def _corefud(declaration, *cells):
    """Return a CorefUD text with a token for each cell of MISC."""
    rows = [f"{n}\tw{n}{chr(9).join(['', *'_' * 7])}\t{cell}" for n, cell in enumerate(cells, 1)]
    return "\n".join(["# newdoc id = d", declaration, *rows, ""])


@pytest.mark.parametrize(
    ("fields", "first", "other", "end"),
    [
        ("entity-GRP-identity", "person-1-Ann", "person-2", "person-2)"),
        ("entity-GRP-infstat-MIN-coref_type-identity", "person-1-new-2-sgl", "person-2", "2)"),
        ("GRP-etype-infstat-centering-minspan", "1-person-new-cf1-2", "2-person-new-cf1-2", "2)"),
        ("eid-etype-head-other", "1-person-1-", "2-person-1-", "2)"),
        ("eid", "1", "2", "2)"),
    ],
)
def test_the_declared_order_of_fields_is_read(tmp_path, fields, first, other, end):
    """Annotators who put a pronoun into different chains do not agree."""
    for who, pronoun in (("ann", first), ("bob", other)):
        cells = (
            f"Entity=({first})",
            f"Bridge=1<2,1<3:part|Entity=({other}",
            f"SplitAnte=1<2|Entity={end}",
            f"Entity=({pronoun})",
        )
        (tmp_path / who).mkdir()
        text = _corefud(f"# global.Entity = {fields}", *cells)
        (tmp_path / who / "d.conllu").write_text(text)
    c = gc.read_corpus(tmp_path)["d"]
    ann = keep_annotators(c, ["ann"])
    category = None if fields == "eid" else "person"
    assert [(u.start, u.end, u.category) for u in ann] == [
        (0, 1, category),
        (1, 3, category),
        (3, 4, category),
    ]
    place = {(u.annotator, u.id): u.start for u in c}
    links = {(x.annotator, place[x.annotator, x.source]) for x in c.links}
    assert links == {("ann", 0), ("bob", 1)}
    lost = [(x.kind, x.count) for x in ann.left_out if "ann" in x.file and x.kind != "field"]
    assert lost == [("bridge", 2), ("split antecedent", 1)]
    assert gc.measure(c, ["lea"])["lea"].value < 1


@pytest.mark.parametrize(
    ("cells", "missing", "line"),
    [
        (["Entity=(e1[1/2])", "_"], "2/2", 3),
        # The only mention of the same entity that follows is no second part.
        (["Entity=(e1[1/2])", "Entity=(e1)", "_"], "2/2", 3),
        (["_", "Entity=(e1[1/3])", "Entity=(e1[2/3])"], "3/3", 4),
        (["_", "Entity=(e1[2/2])"], "1/2", 4),
        (["Entity=(e1[1/3])", "Entity=(e1[2/2])"], "1/2", 4),
    ],
)
@pytest.mark.parametrize("after", ["", "# newdoc id = e\n1\tw" + "\t_" * 8 + "\n"])
def test_a_mention_without_one_of_its_parts_is_refused(tmp_path, cells, missing, line, after):
    text = _corefud("# global.Entity = eid", *cells)
    (tmp_path / "d.conllu").write_text(text.rstrip("\n") + "\n\n" + after)
    with pytest.raises(gc.DataError, match=rf"there is no e1\[{missing}\]") as caught:
        gc.read_corpus(tmp_path / "d.conllu")
    assert f"d.conllu:{line}" in str(caught.value)


def test_a_part_that_continues_either_of_two_mentions_is_refused(tmp_path):
    cells = ["Entity=(e1[1/2])", "Entity=(e1[1/2])", "Entity=(e1[2/2])"]
    (tmp_path / "d.conllu").write_text(_corefud("# global.Entity = eid", *cells))
    with pytest.raises(gc.DataError, match=r"e1\[2/2\] may continue any of 2 mentions of e1"):
        gc.read_corpus(tmp_path / "d.conllu")


def test_mentions_of_two_and_three_parts_may_interleave(tmp_path):
    cells = [f"Entity=(e1[{part}])" for part in ("1/3", "1/2", "2/3", "2/2", "3/3")]
    (tmp_path / "d.conllu").write_text(_corefud("# global.Entity = eid", *cells))
    (c,) = gc.read_corpus(tmp_path / "d.conllu").values()
    assert sorted(len(u.fragments) for u in c) == [2, 3]


def test_a_part_on_an_empty_node_is_counted(tmp_path):
    rows = [
        ("1", "(e1[1/2])"),
        ("1.1", "(e1[2/2])"),
        ("2", "(e1)"),
        ("2.1", "(e2[1/2])"),
        ("2.2", "(e2[2/2])"),
    ]
    lines = [f"{key}\tw\t" + "_\t" * 7 + f"Entity={cell}" for key, cell in rows]
    (tmp_path / "d.conllu").write_text("# global.Entity = eid\n" + "\n".join(lines) + "\n\n")
    c = gc.read(tmp_path / "d.conllu")
    assert [(u.start, u.end, u.fragments) for u in c] == [(0, 1, ()), (1, 2, ())]
    assert len(c.links) == 1
    assert [(x.count, x.kind, x.reason) for x in c.left_out] == [
        (1, "mention", "is on an empty node"),
        (1, "part of a mention", "is on an empty node"),
    ]


@pytest.mark.parametrize(
    ("declaration", "cells", "message"),
    [
        ("# global.Entity = etype-identity", ["Entity=(person-Ann)"], "2: .* which field"),
        ("# global.Entity = eid-GRP", ["Entity=(e1-1)"], "2: .* which field"),
        ("# meta", ["Entity=(e1-person)"], "3: mentions have fields, but no line declares"),
        ("# global.Entity = entity-GRP", ["Entity=(person)"], "3: .* the fields entity-GRP"),
        ("# global.Entity = eid", ["Entity=e1"], "3: 'e1' is not a list of mentions"),
        ("# global.Entity = eid", ["Entity=(e1[1/3])", "Entity=(e1[3/3])"], "lacks some of its"),
        ("# global.Entity = eid\n# global.columns = ID FORM", ["Entity=(1)"], "no column MISC"),
        ("# global.Entity = eid\n# global.columns = ID FORM MISC", ["Entity=(1)"], "10 columns"),
    ],
)
def test_declarations_that_are_not_understood_are_refused(tmp_path, declaration, cells, message):
    (tmp_path / "d.conllu").write_text(_corefud(declaration, *cells))
    with pytest.raises(gc.DataError, match=message):
        gc.read(tmp_path / "d.conllu")


def test_declared_columns_are_read(tmp_path):
    text = "# global.columns = ID MISC FORM\n# global.Entity = eid\n1\tEntity=(e1)\tAnn\n"
    (tmp_path / "d.conllu").write_text(text)
    c = gc.read(tmp_path / "d.conllu")
    assert (c.text, len(c)) == ("Ann", 1)


def test_trees_beside_other_files_are_ignored(tmp_path):
    (tmp_path / "tree.conllu").write_text(_corefud("# text = w1", "_"))
    (tmp_path / "a.csv").write_text("annotator,category,start,end\nA,x,0,5\n")
    corpus = gc.read_corpus(tmp_path)
    assert len(corpus) == 1
    assert [(x.kind, x.reason) for x in corpus.left_out] == [
        ("file", "CONLLU file of an unknown format")
    ]


def test_an_entity_of_conll_2012_has_the_whole_name(tmp_path):
    rows = ("d 0 0 Ann N (person-1)", "d 0 1 Bob N (person-2)")
    (tmp_path / "d.conll").write_text("\n".join(["#begin document (d); part 000", *rows, ""]))
    c = gc.read(tmp_path / "d.conll")
    assert (len(c), c.links) == (2, ())


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("0)", "2: mention of 0 ends"),
        ("(0", "2: mention of 0 begins, but has no end"),
        ("0", "2: '0' is not a list of mentions"),
    ],
)
def test_a_mention_has_two_ends(tmp_path, cell, said):
    (tmp_path / "d.conll").write_text(f"#begin document (d); part 000\nd 0 0 Ann N {cell}\n")
    with pytest.raises(gc.DataError, match=said):
        gc.read(tmp_path / "d.conll")


RS3 = """\
<rst>
  <header><relations>
    <rel name="cause" type="rst"/><rel name="list" type="multinuc"/>
    <rel name="same" type="multinuc"/><rel name="same" type="rst"/>
  </relations></header>
  <body>
    <segment id="1" parent="9" relname="span">It  rained,</segment>
    <segment id="2" parent="8" relname="list">Ann left</segment>
    <segment id="3" parent="8" relname="list">and Bob slept.</segment>
    <segment id="4" parent="8" relname="cause">Late,</segment>
    <segment id="5" parent="11" relname="same">he woke</segment>
    <segment id="6" parent="11" relname="same">up.</segment>
    <group id="8" type="multinuc" parent="1" relname="cause"/>
    <group id="9" type="span" parent="10" relname="span"/>
    <group id="10" type="span"/>
    <group id="11" type="multinuc" parent="9" relname="new"/>
    <group id="12" type="span"/>
  </body>
</rst>
"""


def test_rs3_files_are_read(tmp_path):
    """By hand, 2-3 is a list to which 4 and then 1 lead, 5-6 a unit below 1-4, and 12 is empty."""
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "d.rs3").write_text(RS3)
    c = gc.read_corpus(tmp_path)["d"]
    assert c.text == "It rained, Ann left and Bob slept. Late, he woke up."
    assert [c.text[int(u.start) : int(u.end)] for u in c][1] == "Ann left"
    assert {(x.type, x.source, x.target, x.kind) for x in c.links} == {
        ("list", "2", "3", "undirected"),
        ("cause", "4", "2", "directed"),
        ("cause", "2", "1", "directed"),
        ("same", "5", "6", "undirected"),
        ("new", "5", "1", "directed"),
    }
    assert [(x.kind, x.count) for x in c.left_out] == [("group", 1)]


def test_rs3_counts_parts_outside_of_a_tree_of_segments(tmp_path):
    """Satellites of nothing, nuclei below segments, and secondary edges as in eRST are counted."""
    edges = '<secedges><secedge id="5-1"/><secedge id="6-1"/></secedges>'
    changed = RS3.replace("</body>", f"{edges}</body>").replace(
        'id="2" parent="8" relname="list"', 'id="2" parent="12" relname="cause"'
    )
    changed = changed.replace(
        'id="6" parent="11" relname="same"', 'id="6" parent="5" relname="span"'
    )
    (tmp_path / "d.rs3").write_text(changed)
    found = gc.read(tmp_path / "d.rs3").left_out
    assert [(x.kind, x.count) for x in found] == [
        ("relation", 1),
        ("group", 1),
        ("relation", 1),
        ("element", 2),
    ]


def test_rs3_counts_ignored_markup(tmp_path):
    """Markup inside of a segment, with its text, and parts outside of the body are counted."""
    changed = RS3.replace("Late,", "Late <i>as</i> ever,").replace(
        "</rst>", '<body><segment id="1">No.</segment><group id="2"/></body><note/></rst>'
    )
    (tmp_path / "d.rs3").write_text(changed)
    c = gc.read(tmp_path / "d.rs3")
    assert "Late ever, he woke up." in c.text
    assert [(x.reason, x.count) for x in c.left_out] == [
        ("has no nucleus", 1),
        ("<i> is inside a segment, as is its text", 1),
        ("<body> is outside the first body", 2),
        ("<note> is outside the first body", 1),
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('parent="10"', 'parent="9"', "d.rs3:14: node '9' is its own ancestor"),
        (
            'id="12" type="span"',
            'id="12" type="span" parent="12" relname="span"',
            "its own ancestor",
        ),
        ('parent="10"', 'parent="77"', "d.rs3:14: node '9' has the parent '77', which does not"),
        ('group id="12"', 'group id="11"', "d.rs3:17: there are two nodes '11'"),
        ("segment", "edu", "no <rst> with segments"),
    ],
)
def test_an_invalid_tree_is_refused(tmp_path, old, new, said):
    (tmp_path / "d.rs3").write_text(RS3.replace(old, new))
    with pytest.raises(gc.DataError, match=said):
        gc.read(tmp_path / "d.rs3")


def _in_text(*links):
    """Return two annotators of TEXT, with overlapping mentions and an astral character."""
    text = f"\N{GRINNING FACE}{TEXT}"
    spans = ((1, 4, "PER"), (9, 12, "PER"), (16, 24, "LOC"), (9, 24, None), (26, 29, "a|b_*"))
    units = [gc.Unit(who, *s, id=str(i)) for who in ("ann", "bob") for i, s in enumerate(spans)]
    return Continuum.from_units(units, name="d", offset_unit="characters", text=text, links=links)


WRITTEN = (
    Link("ann", "met", "0", "1"),
    Link("ann", "in|[_]->", "1", "3"),
    Link("ann", "", "4", "0"),
    Link("ann", "met", "2", "3"),
    Link("bob", "met", "1", "0"),
    Link("ann", "coref", "4", "0", "chain"),
    Link("ann", "coref", "1", "2", "chain"),
    Link("ann", "same", "2", "4", "chain"),
    Link("ann", "near", "1", "2", "undirected"),
)


def _joined(c, chains):
    place = {(u.annotator, u.id): (u.start, u.end, u.category) for u in c}
    return {
        (x.annotator, x.type, place[x.annotator, x.source], place[x.annotator, x.target])
        for x in c.links
        if (x.kind == "chain") == chains and x.kind != "undirected"
    }


@pytest.mark.parametrize("to", ["cas", "webanno"])
def test_inception_gets_relations_and_chains(tmp_path, run, to):
    c = _in_text(*WRITTEN)
    gc.write(c, tmp_path / "a.json")
    told = run("convert", tmp_path / "a.json", tmp_path / "out", "--to", to)
    assert "links are not kept: 1" in told.err
    assert "types of chains are not kept: coref, same" in told.err
    back = gc.read_corpus(tmp_path / "out", layer="NamedEntity")["d"]
    assert back.text == c.text
    assert [(u.annotator, u.start, u.end, u.category) for u in back] == [
        (u.annotator, u.start, u.end, u.category) for u in c
    ]
    assert _joined(back, chains=False) == _joined(c, chains=False)
    mentions = gc.read_corpus(tmp_path / "out", layer="CoreferenceLink", feature="referenceType")
    ann = keep_annotators(mentions["d"], ["ann"])
    assert [(u.start, u.end) for u in ann] == [(1, 4), (9, 12), (16, 24), (26, 29)]
    assert [u.category for u in ann] == ["PER", "PER", "LOC", "a|b_*"]
    name = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
    pairs = {(name, a[:2], b[:2]) for _, name, a, b in _joined(mentions["d"], chains=True)}
    assert pairs == {(name, (1, 4), (9, 12)), (name, (9, 12), (16, 24)), (name, (16, 24), (26, 29))}


def test_layers_without_links_are_unchanged(tmp_path):
    """A reader finds a single layer if there is only one."""
    for to in ("cas", "webanno"):
        gc.write(_in_text(), tmp_path / to, format=to)
        assert next(iter(gc.read_corpus(tmp_path / to)["d"])).category == "PER"
    assert "Relation" not in (tmp_path / "cas" / "d" / "TypeSystem.xml").read_text()


def test_cassis_reads_the_written_links(tmp_path):
    cassis = pytest.importorskip("cassis")
    c = _in_text(*WRITTEN)
    gc.write(c, tmp_path / "out", format="cas", relation="webanno.custom.Arc", feature="label")
    with (tmp_path / "out" / "d" / "TypeSystem.xml").open("rb") as stream:
        types = cassis.load_typesystem(stream)
    with (tmp_path / "out" / "d" / "ann.xmi").open("rb") as stream:
        cas = cassis.load_cas_from_xmi(stream, typesystem=types)
    assert cas.sofa_string == c.text

    def place(a):
        return a.begin, a.end

    found = cas.select("webanno.custom.Arc")
    assert {place(a) for a in found} == {place(a.Dependent) for a in found}
    theirs = {(a.label or "", place(a.Governor), place(a.Dependent)) for a in found}
    ours = _joined(keep_annotators(c, ["ann"]), chains=False)
    assert theirs == {(type, one[:2], other[:2]) for _, type, one, other in ours}
    core = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.Coreference"
    (chain,) = cas.select(f"{core}Chain")
    at, reached = chain.first, []
    while at is not None:
        reached.append((*place(at), at.referenceType))
        at = at.next
    assert reached == [(1, 4, "PER"), (9, 12, "PER"), (16, 24, "LOC"), (26, 29, "a|b_*")]


def test_webanno_files_are_as_in_the_user_guide(tmp_path):
    """Relations are at their target with both identifiers, mentions have the numbers of their
    chain.
    """
    gc.write(_in_text(*WRITTEN), tmp_path / "out", format="webanno")
    lines = (tmp_path / "out" / "d" / "ann.tsv").read_text().splitlines()
    layer = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
    assert f"#T_RL=webanno.custom.Relation|value|BT_{layer}" in lines
    rows = {row[2]: row[3:8] for row in (line.split("\t") for line in lines) if len(row) > 3}
    assert rows["Ann"] == ["PER[1]", "*->1-1", "PER[1]", "*", "1-9[5_1]"]
    assert rows["Bob"] == [
        "PER[2]|*[3]",
        "*->1-2",
        "PER[1]",
        "met|in\\|\\[\\_\\]\\->|met",
        "1-2[1_2]|1-4[2_3]|1-6[4_3]",
    ]
    assert rows["York"] == ["*[3]|LOC[4]", "*->1-3", "LOC[1]", "_", "_"]


@pytest.mark.parametrize(
    ("relation", "type", "label"), [("*", "PER[1]", "PER"), ("*", "*[1]", None)]
)
def test_a_column_of_chains_without_values_needs_no_choice(tmp_path, relation, type, label):
    """INCEpTION writes such mentions; no feature has to be chosen where none has values."""
    tsv = (
        "#FORMAT=WebAnno TSV 3.3\n#T_CH=x.Coref|referenceRelation|referenceType\n\n\n"
        "#Text=Ann met\n"
        f"1-1\t0-3\tAnn\t{relation}->1-1\t{type}\t\n1-2\t4-7\tmet\t_\t_\t\n"
    )
    (tmp_path / "ann.tsv").write_text(tsv)
    (unit,) = gc.read(tmp_path / "ann.tsv", layer="x.Coref")
    assert unit.category == label


@pytest.mark.parametrize(
    ("slot", "relation"),
    [("agent\t1-2[7]", "_\t_"), ("agent\t1-2", "r\t1-9")],
    ids=["slot", "relation"],
)
def test_errors_of_a_layer_do_not_affect_others(tmp_path, slot, relation):
    tsv = (
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=x.Word|kind\n#T_SP=x.Frame|ROLE_x.Frame:links_x.L|x.Word"
        "\n#T_RL=x.Dep|kind|BT_x.Frame\n\n\n#Text=Ann met\n"
        f"1-1\t0-3\tAnn\tnoun\t{slot}\t{relation}\t\n1-2\t4-7\tmet\tverb\t_\t_\t_\t_\t\n"
    )
    (tmp_path / "ann.tsv").write_text(tsv)
    assert [u.category for u in gc.read(tmp_path / "ann.tsv", layer="x.Word")] == ["noun", "verb"]
    with pytest.raises(gc.DataError, match=r"ann\.tsv.*8"):
        gc.read(tmp_path / "ann.tsv", layer="x.Frame")


def test_no_advice_to_read_fillers_that_are_no_annotations(tmp_path):
    tsv = (
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=x.Frame|ROLE_x.Frame:links_x.L|x.Role\n\n\n#Text=Ann met\n"
        "1-1\t0-3\tAnn\tagent\t1-2\t\n1-2\t4-7\tmet\t_\t_\t\n"
    )
    (tmp_path / "ann.tsv").write_text(tsv)
    found = gc.read(tmp_path / "ann.tsv", layer="x.Frame", fillers="units")
    assert [(x.kind, x.count, x.reason) for x in found.left_out] == [
        ("link", 1, "joins units that were not read")
    ]


@pytest.mark.parametrize("packed", [False, True])
def test_a_named_format_takes_precedence_over_endings(tmp_path, packed):
    """Files are recognised by content, and if none looks like the format, all of them are read."""
    folder = tmp_path / "in"
    folder.mkdir()

    def given():
        if not packed:
            return folder
        with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
            for file in folder.iterdir():
                archive.write(file, file.name)
        return tmp_path / "in.zip"

    (folder / "a.dat").write_text(CONLL)
    (folder / "notes.md").write_text("Nothing to be read.\n")
    corpus = gc.read_corpus(given(), format="coreference")
    assert [len(c) for c in corpus.values()] == [5]
    assert [x.reason for x in corpus.left_out] == ["not recognised as CoNLL-2012, CorefUD"]
    (folder / "notes.md").unlink()
    for name in ("a.dat", "b.txt"):
        (folder / name).write_text("d 0 0 Ann N (0)\n")
    assert len(gc.read_corpus(given(), format="coreference")) == 2
