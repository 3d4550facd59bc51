"""Conventions of Universal Dependencies and of the Penn Treebank: scores, subtypes and traces."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from gammacp.errors import DataError, UsageError
from gammacp.trees.conll import read_conll
from gammacp.trees.conventions import category, without_punctuation
from gammacp.trees.evalb import evalb_brackets, evalb_f1
from gammacp.trees.measures.annotations import Dependencies, Phrase, Treebank
from gammacp.trees.report import syntax_report
from gammacp.trees.treebank import read_sentences, read_treebank
from gammacp.trees.universal import UD_SCORES, Words, aligned_words, ud_counts, ud_scores


def words(*tokens: str) -> Words:
    """Return a sentence of these tokens; a token of several words is "form word word"."""
    forms: list[str] = []
    several = []
    for token in tokens:
        form, *inside = token.split(" ")
        if inside:
            several.append((len(forms) + 1, len(forms) + len(inside), form))
        forms += inside or [form]
    n = len(forms)
    heads, relations = (0, *(1,) * (n - 1)), ("_",) * n
    return Words.of(Dependencies(heads, relations, tuple(forms), multiword=tuple(several)))


# Examples of the shared task's own evaluation, with the number of aligned words.
ALIGNED = [
    (["a"], ["a"], 1),
    (["a", "b", "c"], ["a", "b", "c"], 3),
    (["abc a b c"], ["a", "b", "c"], 3),
    (["a", "bc b c", "d"], ["a", "b", "c", "d"], 4),
    (["abcd a b c d"], ["ab a b", "cd c d"], 4),
    (["abc a b c", "de d e"], ["a", "bcd b c d", "e"], 5),
    (["abcd"], ["a", "b", "c", "d"], 0),
    (["abc", "d"], ["a", "b", "c", "d"], 1),
    (["a", "bc", "d"], ["a", "b", "c", "d"], 2),
    (["a", "bc b c", "d"], ["a", "b", "cd"], 2),
    (["abc a BX c", "def d EX f"], ["ab a b", "cd c d", "ef e f"], 4),
    (["ab a b", "cd bc d"], ["a", "bc", "d"], 2),
    (["a", "bc b c", "d"], ["ab AX BX", "cd CX a"], 1),
]


@pytest.mark.parametrize(("one", "two", "aligned"), ALIGNED)
def test_words_are_aligned_as_in_the_shared_task(
    one: list[str], two: list[str], aligned: int
) -> None:
    a, b = words(*one), words(*two)
    assert len(aligned_words(a, b)) == aligned
    at = UD_SCORES.index("words")
    assert ud_counts(b, a)[0, at] == aligned
    assert ud_counts(a, b)[1, at] == a.sentence.n_tokens + b.sentence.n_tokens


def annotation(relations: str, heads: str, upos: str, features: str, lemmas: str) -> Dependencies:
    return Dependencies(
        tuple(map(int, heads.split())),
        tuple(relations.split()),
        ("the", "dogs", "have", "barked"),
        upos=tuple(upos.split()),
        features=tuple(features.split()),
        lemmas=tuple(lemmas.split()),
    )


def test_scores_by_hand() -> None:
    a = annotation(
        "det nsubj aux root",
        "2 4 4 0",
        "DET NOUN AUX VERB",
        "_ Number=Plur|X=1 _ _",
        "the dog _ be",
    )
    b = annotation(
        "det nsubj:pass cop root",
        "2 4 4 0",
        "DET NOUN VERB VERB",
        "_ Number=Plur _ _",
        "the dog h b",
    )
    found = ud_scores(Treebank.from_annotations({"A": [a], "B": [b]}))
    assert (found["compared"], found["other_text"]) == (1, 0)
    # The content words are dogs and barked. Below barked, the function words (aux, cop) differ, and
    # so does its lemma.
    expected = {
        "tokens": 1,
        "sentences": 1,
        "words": 1,
        "upos": 3 / 4,
        "xpos": math.nan,
        "features": 1,
        "alltags": 3 / 4,
        "lemma": 2 / 3,
        "uas": 1,
        "las": 3 / 4,
        "clas": 1,
        "mlas": 1 / 2,
        "blex": 1 / 2,
    }
    expected |= dict.fromkeys(("elas", "eulas"), math.nan)
    assert {n: found[n] for n in UD_SCORES} == pytest.approx(expected, nan_ok=True)
    assert tuple(expected) == UD_SCORES


def test_sentences_with_different_words_are_counted_but_not_compared() -> None:
    one, two = words("a", "b").sentence, words("a", "c").sentence
    found = ud_scores(Treebank.from_annotations({"A": [one, one], "B": [two, one]}))
    assert (found["compared"], found["other_text"], found["uas"]) == (1, 1, 1)
    assert str(found["upos"]) == "nan"


ROW = "{0}\t{1}\t{1}\t{2}\t_\t_\t{3}\t{4}\t_\t_"


def conllu(path: Path, *rows: tuple[object, ...]) -> Path:
    lines = [ROW.format(*row) if row else "" for row in rows]
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    return path


def test_subtypes_punctuation_and_unannotated_sentences_are_dropped(tmp_path: Path) -> None:
    first = (1, "dogs", "NOUN", 2, "nsubj:pass"), (2, "bark", "VERB", 0, "root")
    dot, more = (3, ".", "PUNCT", 2, "punct"), (4, "loud", "ADV", 3, "advmod")
    text = (*first, dot, more, (), (1, "yes", "INTJ", 0, "root"), ())
    todo = (*first, dot, more, (), (1, "yes", "INTJ", "_", "root"), ())
    conllu(tmp_path / "ann.conllu", *text, (1, "no", "INTJ", 0, "_"))
    conllu(tmp_path / "ben.conllu", *todo, (1, "no", "INTJ", 0, "root"))
    read = read_treebank(tmp_path, labels="universal", ignore="punct")
    assert [len(item.annotations) for item in read.treebank.items] == [2, 1, 1]
    sentence = read.treebank.items[0].annotations["ann"]
    assert isinstance(sentence, Dependencies)
    assert sentence.relations == ("nsubj", "root", "advmod")
    # the child of the full stop is attached to the head of the full stop
    assert sentence.heads == (2, 0, 2)
    assert sentence.lines == (1, 2, 4)
    lost = {(Path(e.file).stem, e.kind, e.count) for e in read.left_out if "other" not in e.reason}
    tokens = {(name, "token", 1) for name in ("ann", "ben")}
    assert lost == tokens | {("ann", "sentence", 1), ("ben", "sentence", 1)}
    report = syntax_report(read, universal=True).as_dict()
    assert report["universal"]["las"] == 1
    assert "labels=universal" in report["signature"]
    assert "ignore=punct" in report["signature"]


def test_trees_without_labels_are_kept(tmp_path: Path) -> None:
    path = conllu(tmp_path / "a.conllu", (1, "a", "X", 0, "_"), (2, "b", "X", 1, "_"))
    assert not read_conll(path)[0].missing


def test_punctuation_in_a_cycle_or_without_other_words() -> None:
    only = Dependencies((0, 1), ("root", "punct"), ("!", "!"))
    assert without_punctuation(only) is only
    cycle = Dependencies((2, 3, 2), ("a", "b", "c"), ("x", ",", ";"))
    # the word hung on a cycle, and becomes its own head
    assert without_punctuation(cycle).heads == (1,)
    with pytest.raises(DataError, match="this sentence has none"):
        without_punctuation(Dependencies((0,), ("r",)))


PENN = """
( (S (NP-SBJ-1 (DT The) (NN dog))
     (VP (VBZ seems) (S (NP (-NONE- *-1)) (ADJP-PRD (JJ sad))))
     (. .)))
"""


def test_function_tags_and_traces_can_be_ignored(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg"
    path.write_text(PENN, encoding="utf-8")
    (plain,) = read_sentences(path)
    assert isinstance(plain, Phrase)
    assert plain.forms == ("The", "dog", "seems", "*-1", "sad", ".")
    assert "NP-SBJ-1" in plain.tree.labels
    path.rename(tmp_path / "ben.mrg")
    (tmp_path / "ann.mrg").write_text(PENN, encoding="utf-8")
    read = read_treebank(tmp_path, labels="categories", ignore="traces")
    sentence = read.treebank.items[0].annotations["ann"]
    assert sentence.tree.labels == ("DT", "NN", "NP", "VBZ", "JJ", "ADJP", "S", "VP", ".", "S")
    assert sentence.forms == ("The", "dog", "seems", "sad", ".")
    assert {(e.kind, e.count) for e in read.left_out} == {("trace", 1)}
    assert [category(x) for x in ("PRP$", "-LRB-", "NP|X-2")] == ["PRP$", "-LRB-", "NP|X"]
    with pytest.raises(UsageError, match="not for phrase trees"):
        read_treebank(tmp_path, labels="universal")
    with pytest.raises(UsageError, match="'commas' is unknown; there are: punct, traces"):
        read_treebank(tmp_path, ignore="commas")


# EVALB's own sample: the gold tree, the test tree, and their matched, gold and test brackets.
GOLD = "(S (A (P this)) (B (Q is) (A (R a) (T test))))"
EVALB = [
    (GOLD, GOLD, 4, 4, 4),
    (GOLD, "(S (A (P this)) (B (Q is) (C (R a) (T test))))", 3, 4, 4),
    (GOLD, "(S (A (P this)) (B (Q is) (A (R a) (U test))))", 4, 4, 4),
    (GOLD, "(S (A (P this)) (B (Q is) (R a) (A (T test))))", 3, 4, 4),
    (GOLD, "(S (A (P this) (Q is)) (A (R a) (T test)))", 2, 4, 3),
    (GOLD, "(S (P this) (Q is) (R a) (T test))", 1, 4, 1),
    (GOLD, "(S (A (P this)) (B (Q is) (A (A (R a) (T test)))))", 4, 4, 5),
    (GOLD, "(S (A (P this)) (B (Q is) (A (A (A (A (A (R a) (T test))))))))", 4, 4, 8),
    (GOLD, "(TOP (S (A (P this)) (B (Q is) (A (R a) (T test)))))", 4, 4, 4),
    ("(S (A-SBJ-1 (P this)) (B-WHATEVER (Q is) (A (R a) (T test))))", GOLD, 4, 4, 4),
    (GOLD[:-1] + " (-NONE- *))", GOLD[:-1] + " (-NONE- *))", 4, 4, 4),
    (GOLD[:-1] + " (: *))", GOLD[:-1] + " (: *))", 4, 4, 4),
]


@pytest.mark.parametrize(("gold", "test", "matched", "of_gold", "of_test"), EVALB)
def test_brackets_are_counted_as_evalb_counts_its_sample(
    tmp_path: Path, gold: str, test: str, matched: int, of_gold: int, of_test: int
) -> None:
    sentences = []
    for text in (gold, test):
        (tmp_path / "a.mrg").write_text(text, encoding="utf-8")
        sentences += read_sentences(tmp_path / "a.mrg")
    a, b = sentences
    assert isinstance(a, Phrase)
    assert isinstance(b, Phrase)
    x, y = evalb_brackets(a), evalb_brackets(b)
    assert ((x & y).total(), x.total(), y.total()) == (matched, of_gold, of_test)
    f1 = evalb_f1(Treebank.from_annotations({"A": [a], "B": [b]}))
    assert f1 == pytest.approx(2 * matched / (of_gold + of_test))


def test_missing_words_are_not_punctuation() -> None:
    unknown = Dependencies((2, 0), ("det", "root"), ("a", "_"))
    assert without_punctuation(unknown) == unknown
    with pytest.raises(DataError, match="this sentence has none"):
        without_punctuation(Dependencies((2, 0), ("det", "root"), ("_", "_")))


def test_missing_annotations_are_not_compared() -> None:
    """B gives no parts of speech. The two sentences have no word in common."""
    both = [
        Words.of(Dependencies((0, 1), ("root", "obj"), forms, upos=upos))
        for forms, upos in ((("ab", "c"), ("VERB", "NOUN")), (("a", "bc"), ("_", "_")))
    ]
    found = dict(zip(UD_SCORES, ud_counts(*both).T.tolist(), strict=True))
    assert found["upos"] == [0, 0]
    assert found["uas"] == [0, 4]


def test_sentences_without_words_are_counted_but_not_compared() -> None:
    bare = Dependencies((0, 1), ("root", "obj"))
    found = ud_scores(Treebank.from_annotations({"A": [bare], "B": [bare]}))
    assert [found[n] for n in ("compared", "other_text", "no_words")] == [0, 0, 1]
