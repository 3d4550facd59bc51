"""Test that damaged and hostile treebanks give a DataError or trees, without traceback or hang.

The guard around the readers, which converts other exceptions, is off here, so that they are seen.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from gammacp import DataError, UsageError
from gammacp.trees.treebank import read_treebank
from tests.fuzzing import Fuzzing, Seed

_CONLL = """# sent_id = a
1	I	i	PRON	_	Case=Nom	2	nsubj	2:nsubj|0:root	_
2	saw	see	VERB	_	_	0	root	0:root	_
3-4	don't	_	_	_	_	_	_	_	_
3	do	do	AUX	_	_	2	obj	2:obj	_
3.1	x	x	X	_	_	_	_	2:dep	_
4	n't	not	PART	_	_	3	neg:x	3:neg|3.1:dep	_
5	.	.	PUNCT	_	_	2	punct	2:punct	_

# sent_id = b
1	Go	go	VERB	_	_	0	root	0:root	_
2	on	on	ADP	_	_	1	prt	1:prt	_
"""
_PLUS = """# global.columns = ID FORM HEAD DEPREL UPOS
1 I 2 a N
2 go 0 r V
3 . 2 p P

1 Go 0 r V
2 on 1 p P
"""
_BRACKETS = """( (S (NP-SBJ-1 (PRP I))
  (VP (VBD saw) (NP (-NONE- *T*-1)) (NP (DT the) (NN dog)))) )
(S (VP (VB go) (RB on)) (. .))
"""
_AMR = """# ::id a ::date x
# ::snt I want to go
(w / want-01 :ARG0 (i / i) :ARG1 (g / go-01 :ARG0 i :mod (v / very) :quant 3
  :name "x y"~e.4 :polarity -))

# ::id b
# ::tok go on
(g / go-01 :direction (o / on) :ARG0-of (z / z))
"""
_ORDERS: tuple[dict[str, str], ...] = ({"pairing": "order"}, {"pairing": "id"})
TREEBANKS: dict[str, tuple[str, tuple[dict[str, str], ...]]] = {
    "conllu": (
        _CONLL,
        ({"kind": "enhanced"}, {"ignore": "punct"}, {"labels": "universal"}, *_ORDERS),
    ),
    "conllup": (_PLUS, ({"labels": "universal"}, _ORDERS[0])),
    "mrg": (
        _BRACKETS,
        ({"leaves": "words"}, {"leaves": "labels"}, {"labels": "categories", "ignore": "traces"}),
    ),
    "amr": (_AMR, _ORDERS),
}


def read_both(folder: Path, options: Mapping[str, Any]) -> None:
    """Read the folder, which holds the damaged file and an undamaged one."""
    with suppress(DataError, UsageError):
        read_treebank(folder, **options)


@pytest.fixture(scope="module")
def fuzzing(tmp_path_factory: pytest.TempPathFactory) -> Fuzzing:
    pytest.importorskip("penman")
    folder, seeds = tmp_path_factory.mktemp("treebanks"), {}
    for name, (text, options) in TREEBANKS.items():
        (folder / name).mkdir()
        for annotator in ("Ann", "Ben"):
            (folder / name / f"{annotator}.{name}").write_text(text, encoding="utf-8")
        seeds[name] = Seed(name, f"{name}/Ben.{name}", ({}, *options))
    # The penman library needs a tenth of a millisecond for each character.
    return Fuzzing(folder, seeds, 20.0, read_both)


@pytest.mark.parametrize("target", TREEBANKS)
def test_damaged_treebanks_give_a_data_error_or_trees(fuzzing: Fuzzing, target: str) -> None:
    for chosen in ({}, *TREEBANKS[target][1]):
        assert len(read_treebank(fuzzing.folder / target, **chosen).treebank.items) == 2
    for number in range(60):
        fuzzing.attempt(target, number)


@pytest.mark.slow
@pytest.mark.parametrize("target", TREEBANKS)
def test_many_more_damaged_treebanks_give_a_data_error_or_trees(
    fuzzing: Fuzzing, target: str
) -> None:
    for number in range(60, 1660):
        fuzzing.attempt(target, number)


_RANGE = "# sent_id = c\n" + "9" * 5000 + "-" + "9" * 5001 + "\tx" + "\t_" * 8 + "\n"
_DEEP = "# ::id c\n" + "(a / b :c " * 3000 + "x" + ")" * 3000 + "\n"


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        (
            "conllu",
            _RANGE,
            r"Ben\.conllu:2: limits of a sentence: token id '9+ where 1 was expected",
        ),
        ("amr", _DEEP, r"Ben\.amr:2: graph: nested too deeply"),
    ],
)
def test_huge_ids_and_deep_graphs_are_defects_of_one_sentence(
    fuzzing: Fuzzing, name: str, text: str, told: str
) -> None:
    whole = TREEBANKS[name][0]
    file = fuzzing.folder / fuzzing.seeds[name].file
    try:
        file.write_text(f"{text}\n{whole}", encoding="utf-8")
        found = read_treebank(fuzzing.folder / name, pairing="id")
    finally:
        file.write_text(whole, encoding="utf-8")
    assert [i.name for i in found.treebank.shared_items] == ["a", "b"]
    assert re.search(told, "\n".join(found.messages))
