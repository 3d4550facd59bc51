"""Parseval scores of rhetorical trees, by hand.

The two trees of `STORY` are NN(1, NS(2, 3)) and NS(SN(1, 2), 3). Comparison with educe:
`benchmarks/fields_peers.py rhetoric`.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from gammacp.links.measures.parseval import (
    LEVELS,
    Binary,
    Rhetoric,
    counts_of_trees,
    of_nuclei,
    parseval,
    with_satellites,
)
from tests.conftest import Run

RELATIONS = (
    '<relations><rel name="cause" type="rst"/><rel name="joint" type="multinuc"/></relations>'
)
STORY = {
    "ann": """\
<segment id="1" parent="11" relname="joint">It rained .</segment>
<segment id="2" parent="12" relname="span">We stayed</segment>
<segment id="3" parent="2" relname="cause">as it was cold .</segment>
<group id="12" type="span" parent="11" relname="joint"/>
<group id="11" type="multinuc"/>""",
    "bob": """\
<segment id="1" parent="2" relname="cause">It rained .</segment>
<segment id="2" parent="12" relname="span">We stayed</segment>
<segment id="3" parent="2" relname="cause">as it was cold .</segment>
<group id="12" type="span"/>""",
}


def write(folder: Path, trees: dict[str, str], document: str = "story") -> Path:
    for who, body in trees.items():
        (folder / who).mkdir(exist_ok=True)
        text = f"<rst><header>{RELATIONS}</header><body>\n{body}\n</body></rst>"
        (folder / who / f"{document}.rs3").write_text(text, encoding="utf-8")
    return folder


def leaves(*lengths: int) -> list[Binary]:
    ends = [sum(lengths[:k]) for k in range(len(lengths) + 1)]
    return [Binary.leaf((a, b)) for a, b in pairwise(ends)]


def test_by_hand(run: Run, tmp_path: Path) -> None:
    outcome = run("links", write(tmp_path, STORY), "--samples", "5", "--json")
    document = json.loads(outcome.out)
    assert document["no_tree"] == []
    values = {
        row["variant"]: {level: row[level]["counts"] for level in LEVELS}
        for row in document["parseval"]
    }
    # The first tree has 1 and 2-3 (N joint), 2 (N span) and 3 (S cause); the second has 1 (S
    # cause), 2 and 1-2 (N span) and 3 (S cause). Of the inner nodes, only the root has the same
    # span.
    assert values == {
        "original": {
            "span": [1, 2, 2],
            "nuclearity": [0, 2, 2],
            "relation": [0, 2, 2],
            "full": [0, 2, 2],
        },
        "rst": {
            "span": [3, 4, 4],
            "nuclearity": [2, 4, 4],
            "relation": [2, 4, 4],
            "full": [2, 4, 4],
        },
    }
    out = run("links", tmp_path, "--samples", "5").out
    assert "original Parseval" in out
    assert "RST-Parseval" in out


def test_nuclei_branch_to_the_right_and_left_satellites_join_first() -> None:
    a, b, c, d = leaves(1, 2, 3, 4)
    chain = of_nuclei([(c, "list"), (a, "list"), (b, "list")])
    assert [one.span for one in chain.original] == [(1, 6), (0, 6)]
    around = with_satellites(b, [(c, "cause"), (a, "cause"), (d, "cause")])
    assert [(one.span, one.nuclearity) for one in around.original] == [
        ((0, 3), "SN"),
        ((0, 6), "NS"),
        ((0, 10), "NS"),
    ]
    assert [(one.span, one.relation) for one in around.rst[:2]] == [
        ((0, 1), "cause"),
        ((1, 3), "span"),
    ]


def test_different_segments_of_the_same_text_are_compared(run: Run, tmp_path: Path) -> None:
    other = """\
<segment id="1" parent="12" relname="span">It rained . We stayed</segment>
<segment id="2" parent="1" relname="cause">as it was cold .</segment>
<group id="12" type="span"/>"""
    write(tmp_path, {"ann": STORY["bob"], "bob": other})
    document = json.loads(run("links", tmp_path, "--samples", "5", "--json").out)
    rows = {row["variant"]: row for row in document["parseval"]}
    assert rows["rst"]["full"]["counts"] == [2, 4, 2]
    assert rows["rst"]["full"]["recall"] == 0.5
    assert rows["rst"]["full"]["precision"] == 1
    assert rows["rst"]["full"]["f1"] == pytest.approx(2 / 3)


def test_annotations_that_are_no_tree_are_reported_and_not_compared(
    run: Run, tmp_path: Path
) -> None:
    write(tmp_path, STORY)
    torn = STORY["bob"].replace('<segment id="1" parent="2" relname="cause">', '<segment id="1">')
    crossing = """\
<segment id="1" parent="12" relname="span">It rained .</segment>
<segment id="2">We stayed</segment>
<segment id="3" parent="1" relname="cause">as it was cold .</segment>
<group id="12" type="span"/>"""
    write(tmp_path, {"ann": STORY["ann"], "bob": torn}, "torn")
    write(tmp_path, {"ann": crossing, "bob": STORY["bob"]}, "crossing")
    outcome = run("links", tmp_path, "--samples", "5", "--json")
    document = json.loads(outcome.out)
    assert [(row["document"], row["annotator"], row["reason"]) for row in document["no_tree"]] == [
        (
            "crossing",
            "ann",
            "a relation joins stretches of text that are not neighbours",
        ),
        ("torn", "bob", "2 trees instead of one"),
    ]
    assert [row["documents"] for row in document["parseval"]] == [1, 1]
    assert [row["no_tree"] for row in document["parseval"]] == [2, 2]
    said = run("links", tmp_path, "--samples", "5").err
    assert "Parseval: torn by bob is not compared: 2 trees instead of one" in said


def test_different_texts_are_counted() -> None:
    trees = {"ann": Rhetoric("abc", (), ()), "bob": Rhetoric("abd", (), ())}
    rows = parseval({"d": trees})
    assert [(row["other_text"], row["documents"], row["full"]) for row in rows] == [
        (1, 0, None)
    ] * 2


def test_the_same_tree_agrees_fully() -> None:
    a, b, c = leaves(2, 2, 2)
    tree = with_satellites(of_nuclei([(a, "list"), (b, "list")]), [(c, "cause")])
    same = Rhetoric("abcdef", tuple(tree.original), tuple(tree.rst))
    counts = counts_of_trees(same, same)
    assert all(row == [2, 2, 2] for row in counts["original"].values())
    assert all(row == [4, 4, 4] for row in counts["rst"].values())


def test_excluded_annotators_have_no_row(run: Run, tmp_path: Path) -> None:
    write(tmp_path, {**STORY, "cid": STORY["ann"]})
    outcome = run("links", tmp_path, "--samples", "5", "--exclude", "bob", "--json")
    rows = json.loads(outcome.out)["parseval"]
    assert [row["annotators"] for row in rows] == [["ann", "cid"]] * 2
    assert rows[0]["full"]["f1"] == 1
