"""Records of what readers leave out of a file, counted by kind and reason."""

from pathlib import Path

from gammacp import Continuum, Corpus, Unit, read
from gammacp.base.left_out import LeftOut, gather
from gammacp.formats import select
from gammacp.formats.selection import Selection

TABLE = """# a comment
annotator,category,start,end,note,page
A,x,0,1,,
B,x,0,1,,
"""


def test_left_out_parts_are_metadata(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text(TABLE, encoding="utf-8")
    c = read(tmp_path / "b.csv")
    plain = Continuum.from_units([Unit("A", 0, 1, "x"), Unit("B", 0, 1, "x")])
    assert c.left_out
    assert c == plain
    assert hash(c) == hash(plain)
    kept = select({"c": c}, Selection(exclude=["B"]))["c"]
    assert kept.left_out == c.left_out
    assert Corpus.from_continua({"c": c}).left_out == c.left_out


def test_entries_that_differ_only_in_their_count_are_added() -> None:
    a, b = LeftOut("f", "relation", 2, "x"), LeftOut("f", "relation", 3, "x")
    assert gather([(a,), (b,), (LeftOut("g", "relation", 1, "x"),)]) == (
        LeftOut("f", "relation", 5, "x"),
        LeftOut("g", "relation", 1, "x"),
    )
