"""Test how Penman notation is read: triples, and defects with their lines."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gammacp.base.left_out import Tally
from gammacp.errors import DataError, UsageError
from gammacp.trees.graphs.penman import read_penman
from tests.trees.graphs.sample import written

BAD = """\
# ::id a.1 ::date 2026
# ::snt The boy goes.
(g / go-02
   :ARG0 (b / boy)
   :ARG1 q)

# ::id a.2
(w / want-01
   :ARG0 (b / boy)

# ::id a.3
(w / want-01 :ARG0 (b / boy) :ARG1 (b / girl)))

# ::id a.4
# ::tok It wants : no
(w / Want-01 :op1 "a (b" :ARG0-of (i / it) :quant 3) (c / d)

(a b)
junk
(a / b :ARG0 )
(a / x :ARG0 (b))
tail
"""


def test_graphs_after_a_malformed_one_are_read(tmp_path: Path) -> None:
    path = tmp_path / "bad.amr"
    path.write_text(BAD, encoding="utf-8")
    tally = Tally(str(path))
    graphs, defects = read_penman(path, tally=tally)
    assert [(g.name, g.line, g.variables) for g in graphs if not g.missing] == [
        ("a.4", 16, ("w", "i")),
        (None, 16, ("c",)),
    ]
    assert graphs[3].forms == ("It", "wants", ":", "no")
    # A malformed graph keeps its position; stray text has none.
    lost = [(g.name, g.line, len(g.forms)) for g in graphs if g.missing]
    assert lost == [("a.1", 3, 3), ("a.2", 8, 0), ("a.3", 12, 0), (None, 18, 0), (None, 21, 0)]
    assert [(d.line, d.message.split(";")[0].split(":")[0]) for d in defects] == [
        (5, "variable q is not defined"),
        (9, "unexpected end of input"),
        (12, "variable b is defined 2 times"),
        (12, "')' stands outside of a graph's brackets"),
        (18, "expected"),
        (19, "'junk' stands outside of a graph's brackets"),
        (21, "node b has no concept"),
        (22, "'tail' stands outside of a graph's brackets"),
    ]
    assert [(entry.kind, entry.count) for entry in tally.entries()] == [("stray text", 3)]


def test_triples_are_those_of_smatch(tmp_path: Path) -> None:
    """Inverse roles are reversed unless "-of" belongs to the name; `mod` becomes `domain`."""
    text = '(a / A-01 :ARG0-of (b / b :consist-of (c / c)) :mod (d / d) :op1 "X Y" :mode Fun~e.3)'
    graph = written(tmp_path, text)
    places = {name: k for k, name in enumerate(graph.variables)}
    a, b, c, d = (places[name] for name in "abcd")
    assert graph.relations == {(b, "arg0", a), (b, "consist-of", c), (d, "domain", a)}
    assert graph.properties == {
        (0, "top", "top"), (a, "instance", "a-01"), (b, "instance", "b"), (c, "instance", "c"),
        (d, "instance", "d"), (a, "op1", "x y"), (a, "mode", "fun"),
    }  # fmt: skip


def test_a_file_without_a_well_formed_graph_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.amr"
    path.write_text("# ::id 1\n(a / b :ARG0 c2)\n")
    with pytest.raises(DataError, match=r"x\.amr:2: graph: variable c2 is not defined"):
        read_penman(path)
    path.write_text("# ::id 1\n")
    with pytest.raises(DataError, match="no graph found"):
        read_penman(path)


def test_without_penman_the_error_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "penman", None)
    with pytest.raises(UsageError, match=r"gammacp\[graphs\]"):
        read_penman(tmp_path / "x.amr")
