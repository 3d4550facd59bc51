from __future__ import annotations

from pathlib import Path

import pytest

from gammacp.errors import DataError, UsageError
from gammacp.trees.brackets import BracketFile, read_brackets, settle_leaves

WORDS = """\
( (S (NP (PRP I))
     (VP (VBD saw) (NP (DT the) (NN dog)))) )
(S (NP (PRP She)) (VP (VBD ran)))
"""
DELEXICALISED = "(S (NP P) (VP V (NP D N)))\n"


def brackets(folder: Path, text: str) -> BracketFile:
    path = folder / "a.mrg"
    path.write_text(text, encoding="utf-8")
    return read_brackets(path)


def test_brackets_with_words_are_read(tmp_path: Path) -> None:
    file = brackets(tmp_path, WORDS)
    assert settle_leaves([file])
    first, second = file.phrases(words=True)
    assert first.forms == ("I", "saw", "the", "dog")
    assert first.tree.labels == ("PRP", "NP", "VBD", "DT", "NN", "NP", "VP", "S")
    assert (first.tree.size, first.line, second.line) == (4, 1, 3)


def test_brackets_without_words_are_read(tmp_path: Path) -> None:
    file = brackets(tmp_path, DELEXICALISED)
    assert not settle_leaves([file])
    (phrase,) = file.phrases(words=False)
    assert phrase.forms == ()
    assert phrase.tree.labels == ("P", "NP", "V", "D", "N", "NP", "VP", "S")
    assert phrase.tree.size == 4


def test_one_delexicalised_file_decides_for_all_files(tmp_path: Path) -> None:
    ambiguous = brackets(tmp_path, "(S (NP P) (VP V))\n")
    assert settle_leaves([ambiguous])
    assert not settle_leaves([ambiguous, brackets(tmp_path, DELEXICALISED)])
    assert not settle_leaves([ambiguous], "labels")
    with pytest.raises(UsageError, match="leaves 'twigs'"):
        settle_leaves([ambiguous], "twigs")


def test_a_word_beside_other_nodes_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r":1: word 'V' is not alone.*`leaves=labels`"):
        brackets(tmp_path, DELEXICALISED).phrases(words=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "file is empty"),
        ("(S (NP a)\n\n(S b)", r":1: '\(' of 'S' is never closed.*1 '\)'"),
        ("(S a))", r":1: '\)' without its '\('"),
        ("\nwords (S a)", ":2: 'words' outside of brackets"),
        ("(S ())", ":1: brackets with nothing in them"),
    ],
)
def test_unbalanced_brackets_are_an_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        brackets(tmp_path, text)


def test_very_deep_brackets_are_read(tmp_path: Path) -> None:
    n = 3000
    (phrase,) = brackets(tmp_path, "(X " * n + "a" + ")" * n).phrases(words=True)
    assert phrase.tree.n_nodes == n


TREE = "(S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN dog))))\n"


def settled(folder: Path, *texts: str) -> bool:
    files = []
    for name, text in zip("abc", texts, strict=False):
        (folder / f"{name}.mrg").write_text(text, encoding="utf-8")
        files.append(read_brackets(folder / f"{name}.mrg"))
    return settle_leaves(files)


def test_one_different_leaf_among_words_is_an_error(tmp_path: Path) -> None:
    odd = TREE * 4 + "(S (NP (PRP I))\n (VP ran (ADVP (RB home))))\n"
    assert settled(tmp_path, TREE, TREE) is True
    with pytest.raises(DataError, match=r"'ran' has a sibling .*1 of 27 bare") as error:
        settled(tmp_path, TREE * 2, odd)
    assert (error.value.file, error.value.line) == (tmp_path / "b.mrg", 6)


def test_files_with_and_without_words_are_not_mixed(tmp_path: Path) -> None:
    bare = "(S (NP P) (VP V (NP D N)))\n"
    assert settled(tmp_path, bare, "(S (NP P) (VP V))\n") is False
    with pytest.raises(
        DataError, match=r"every bare symbol is alone.*but not in .*a\.mrg"
    ) as error:
        settled(tmp_path, bare * 9, TREE * 5)
    assert error.value.file == tmp_path / "b.mrg"
