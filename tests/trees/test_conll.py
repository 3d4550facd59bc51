from __future__ import annotations

from pathlib import Path

import pytest

from gammacp.base.left_out import Tally
from gammacp.errors import DataError, UsageError
from gammacp.trees.conll import read_conll
from gammacp.trees.measures.annotations import Dependencies

CONLL_U = """\
# newdoc
# sent_id = s1
# text = vámonos al mar
1-2	vámonos	_	_	_	_	_	_	_	_
1	vamos	ir	VERB	_	Mood=Imp	0	root	0:root	_
2	nos	nosotros	PRON	_	_	1	obj	_	_
2.1	algo	_	_	_	_	_	_	1:dep	_
3-4	al	_	_	_	_	_	_	_	_
3	a	a	ADP	_	_	5	case	_	_
4	el	el	DET	_	_	5	det	_	_
5	mar	mar	NOUN	_	_	1	obl	_	SpaceAfter=No

# sent_id = s2
1	Sí	sí	INTJ	_	_	0	root	_	_
"""


def write(folder: Path, text: str | bytes, name: str = "a.conllu") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_conll_u_is_read(tmp_path: Path) -> None:
    first, second = read_conll(write(tmp_path, CONLL_U))
    assert first.heads == (0, 1, 5, 5, 1)
    assert first.relations == ("root", "obj", "case", "det", "obl")
    assert first.forms == ("vamos", "nos", "a", "el", "mar")
    assert first.lines == (5, 6, 9, 10, 11)
    assert (first.name, second.name) == ("s1", "s2")
    assert second.tree.labels == ("root", "")


def test_dialects_of_conll_x_are_read(tmp_path: Path) -> None:
    """The dialects have comments, features without `=`, blanks for tabs, eight columns and CRLF."""
    text = (
        "# 49 2 danish\r\n1\tTo\tto\tA\tA\tpl|samset\t2\tsubj\r\n2\tser\tse\tV\tV\t_\t0\tROOT\r\n"
    )
    (sentence,) = read_conll(write(tmp_path, text))
    assert sentence.heads == (2, 0)
    (blanks,) = read_conll(write(tmp_path, text.replace("\t", "  ")))
    assert blanks == sentence


def test_conll_2009_and_named_columns_are_read(tmp_path: Path) -> None:
    row = "1\tTo\t_\t_\t_\t_\t_\t_\t0\t0\tROOT\tROOT\t_\t_\n"
    (sentence,) = read_conll(write(tmp_path, row))
    assert (sentence.heads, sentence.relations) == ((0,), ("ROOT",))
    (plus,) = read_conll(write(tmp_path, "# global.columns = ID HEAD DEPREL\n1\t0\tROOT\n"))
    assert (plus.heads, plus.relations, plus.forms) == ((0,), ("ROOT",), ())


def test_other_encodings_are_read(tmp_path: Path) -> None:
    text = "1\tdét\t_\t_\t_\t_\t0\tROOT\t_\t_\n"
    assert read_conll(write(tmp_path, text.encode("utf-8-sig")))[0].forms == ("dét",)
    assert read_conll(write(tmp_path, text.encode("utf-16")))[0].forms == ("dét",)
    latin = write(tmp_path, text.encode("latin-1"))
    assert read_conll(latin, encoding="latin-1")[0].forms == ("dét",)
    with pytest.raises(DataError, match=r"a\.conllu:1: byte 0xe9 is not UTF-8.*`encoding=`"):
        read_conll(latin)
    for encoding in ("klingon", "hex"):
        with pytest.raises(UsageError, match=f"encoding '{encoding}'"):
            read_conll(latin, encoding=encoding)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "file is empty"),
        ("# only a comment\n", "no sentence"),
        ("1\ta\t_\n", ":1: 3 columns where at least 8"),
        ("1\ta\t_\t_\t_\t_\tx\tr\t_\t_\n", ":1: head 'x' is not a token number"),
        ("1\ta\t_\t_\t_\t_\t9999999999\tr\t_\t_\n", ":1: head '9999999999' is not a token"),
        ("\n2\ta\t_\t_\t_\t_\t0\tr\t_\t_\n", ":2: token id '2' where 1 was expected"),
        ("1.1\ta\t_\t_\t_\t_\t0\tr\t_\t_\n", ":1: sentence without a token"),
        ("# global.columns = ID FORM\n1\ta\n", ":1: global.columns has no HEAD and no DEPREL"),
    ],
)
def test_malformed_lines_are_errors(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_conll(write(tmp_path, text))


def test_ranges_and_empty_nodes_are_skipped_and_counted(tmp_path: Path) -> None:
    rest = "_\t_\t_\t_\t{head}\tr\t_\t_"
    rows = ["1-2\tdu\t" + rest.format(head="_"), "1\tde\t" + rest.format(head=0)]
    rows += ["2\tle\t" + rest.format(head=1), "2.1\te\t" + rest.format(head="_")]
    (tmp_path / "a.conllu").write_text("\n".join(rows), encoding="utf-8")
    tally = Tally("a.conllu")
    (sentence,) = read_conll(tmp_path / "a.conllu", tally=tally)
    assert sentence.heads == (0, 1)
    assert {(e.kind, e.count) for e in tally.entries()} == {
        ("multiword range", 1),
        ("empty node", 1),
    }
    (tmp_path / "b.conllu").write_text("\n" + rows[0] + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="sentence without a token") as error:
        read_conll(tmp_path / "b.conllu")
    assert (error.value.file, error.value.line) == (tmp_path / "b.conllu", 2)


def test_an_empty_sentence_is_an_error() -> None:
    with pytest.raises(DataError, match="a sentence has no token"):
        Dependencies((), ())
    with pytest.raises(DataError, match="1 relations for 2 heads"):
        Dependencies((0, 1), ("r",))
    with pytest.raises(DataError, match="1 forms for 2 heads"):
        Dependencies((0, 1), ("r", "s"), ("x",))


@pytest.mark.parametrize(("ids", "what"), [("2-1", "backwards"), ("1-5", "of 2 tokens")])
def test_an_impossible_range_is_an_error(ids: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    row = "\t_\t_\t_\t_\t"
    path.write_text(f"{ids}\tab{row}_\t_\t_\t_\n1\ta{row}0\troot\t_\t_\n2\tb{row}1\tobj\t_\t_\n\n")
    with pytest.raises(DataError, match=what):
        read_conll(path)
