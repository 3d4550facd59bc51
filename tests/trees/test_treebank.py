from __future__ import annotations

from pathlib import Path

import pytest

from gammacp.errors import DataError, UsageError
from gammacp.trees.defects import require_sound
from gammacp.trees.diagnosis import diagnose
from gammacp.trees.treebank import ReadTreebank, read_sentences, read_treebank


def conll(*sentences: str, names: bool = False) -> str:
    """Format sentences given as `form/head/label form/head/label` in CoNLL-X."""
    blocks = []
    for k, sentence in enumerate(sentences, start=1):
        rows = [f"# sent_id = s{k}"] if names else []
        for i, token in enumerate(sentence.split(), start=1):
            form, head, label = token.split("/")
            rows.append("\t".join((str(i), form, "_", "_", "_", "_", head, label, "_", "_")))
        blocks.append("\n".join(rows) + "\n")
    return "\n".join(blocks)


def read(folder: Path, *texts: str, suffix: str = "conll", **options: str) -> ReadTreebank:
    paths = []
    for name, text in zip("abc", texts, strict=False):
        paths.append(folder / f"{name}.{suffix}")
        paths[-1].write_text(text, encoding="utf-8")
    return read_treebank(paths, **options)


def test_sentences_are_paired_by_order(tmp_path: Path) -> None:
    text = conll("x/0/r", "y/0/r z/1/s")
    result = read(tmp_path, text, text)
    assert [item.name for item in result.treebank.items] == ["1", "2"]
    assert result.defects == ()


def test_sentences_are_paired_by_names_that_agree_with_the_words(tmp_path: Path) -> None:
    a = conll("x/0/r", "y/0/r z/1/s", names=True)
    b = conll("y/0/r z/1/q", names=True).replace("s1", "s2")
    items = read(tmp_path, a, b).treebank.items
    assert [(i.name, list(i.annotations)) for i in items] == [("s1", ["a"]), ("s2", ["a", "b"])]
    by_order = read(tmp_path, a, a.replace("s1", "t1"), pairing="order").treebank
    assert len(by_order.shared_items) == 2
    with pytest.raises(DataError, match="no or the same sent_id"):
        read(tmp_path, conll("x/0/r"), conll("x/0/r"), pairing="id")


def test_a_missing_sentence_is_found_by_its_words(tmp_path: Path) -> None:
    a = conll("x/0/r", "y/0/r z/1/s", "w/0/r")
    b = conll("x/0/r", "w/0/q")
    result = read(tmp_path, a, b)
    assert [list(i.annotations) for i in result.treebank.items] == [["a", "b"], ["a"], ["a", "b"]]
    assert result.defects == ()
    (left,) = result.left_out
    assert (Path(left.file).name, left.kind, left.count) == ("a.conll", "sentence", 1)
    with pytest.raises(DataError, match=r"a\.conll:3: sentence 2 of a is left out, since nobody"):
        result.require_complete()


def test_defects_have_file_and_line(tmp_path: Path) -> None:
    a = conll("x/0/r y/1/s z/1/t", "x/2/r y/1/s z/0/t", "x/0/r y/0/s", "x/9/r", "k/0/r m/1/s n/1/s")
    b = conll("x/0/r y/1/s", "x/0/r y/1/s z/1/t", "x/0/r y/1/s", "x/0/r", "l/0/r m/1/s n/1/s")
    result = read(tmp_path, a, b)
    assert [(d.kind.value, Path(d.file).name, d.line) for d in result.defects] == [
        ("token count", "b.conll", 1),
        ("cycle", "a.conll", 5),
        ("several roots", "a.conll", 10),
        ("head out of range", "a.conll", 12),
        ("form", "b.conll", 13),
    ]
    assert "1 → 2 → 1" in str(result.defects[1])
    with pytest.raises(DataError, match=r"b\.conll:1: token count: .*; 4 more defects"):
        require_sound(result.defects)
    require_sound([])


def test_sentences_after_a_malformed_one_keep_their_positions(tmp_path: Path) -> None:
    """Without words, sentences are paired by order, in which a malformed one has a position."""
    a = conll("_/0/r", "_/0/r _/1/s", "_/0/r _/1/q _/1/t").replace(
        "\n2\t_\t_\t_\t_\t_\t1\ts", "\n3\t_"
    )
    b = conll("_/0/r", "_/0/r _/1/q _/1/t", "_/0/r _/1/q _/x/t")
    for pairing in ("auto", "order"):
        result = read(tmp_path, a, b, pairing=pairing)
        assert [list(i.annotations) for i in result.treebank.items] == [["a", "b"], ["b"], ["a"]]
        assert [(str(d.kind), d.line) for d in result.defects] == [("sentence", 4), ("sentence", 9)]
        assert [e.count for e in result.left_out if "sound" in e.reason] == [1, 1]
    with pytest.raises(DataError, match=r"a\.conll:4: sentence: 4 columns"):
        result.require_complete()
    split = conll("_/0/r", "_/0/r _/1/s").replace("\n2\t", "\n\n2\t")
    with pytest.raises(DataError, match=r"a\.conll:5: token id '2' .* cannot be counted"):
        read(tmp_path, split, b)
    words = conll("x/0/r", "y/0/r z/1/s", "w/0/r")
    found = read(tmp_path, words.replace("\n2\t", "\n\n2\t"), words)
    assert [len(i.annotations) for i in found.treebank.items] == [2, 2, 2]
    read(tmp_path, a, b)
    with pytest.raises(DataError, match=r"b\.conll:9: head 'x'"):
        read_sentences(tmp_path / "b.conll")


def test_the_diagnosis_names_the_differences(tmp_path: Path) -> None:
    a = conll("x/0/r y/1/s z/1/t", "v/0/r", "x/0/r y/1/s z/2/t")
    b = conll("x/0/r", "y/0/r z/1/s v/1/t", "x/0/r y/1/q z/1/t")
    treebank = read(tmp_path, a, b).treebank
    assert "with sentence 2 all have 4" in diagnose(treebank, treebank.items[0])
    third = diagnose(treebank, treebank.items[2])
    assert "1 head and 1 label of 3 tokens differ" in third
    assert "token 3 'z' with 0 tokens below it, head 2 by a, 1 by b" in third


def test_phrase_structure_is_read(tmp_path: Path) -> None:
    a = "(S (NP P) (VP V (NP D N)))\n"
    b = "(S (NP P) (VP V D N))\n"
    result = read(tmp_path, a, b, suffix="tree")
    assert result.treebank.kind == "phrase"
    assert "without words" in result.notes[1]
    what = diagnose(result.treebank, result.treebank.items[0])
    assert what == "1 of 8 bracketings are not shared by all; longest: NP over leaves 3–4 by a"
    # Where the ending does not say the kind, the content does.
    assert read(tmp_path, a, b, suffix="txt").treebank.kind == "phrase"


def test_impossible_options_and_treebanks_are_errors(tmp_path: Path) -> None:
    text = conll("x/0/r")
    with pytest.raises(UsageError, match="trees 'bush'"):
        read(tmp_path, text, text, kind="bush")
    with pytest.raises(UsageError, match="pairing 'luck'"):
        read(tmp_path, text, text, pairing="luck")
    with pytest.raises(DataError, match="no sentence has two annotations"):
        read(tmp_path, text, conll("y/0/r", "z/0/r"))
