"""Pairing by words: planted pairs are found in any order, and all other sentences are counted."""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from gammacp.errors import DataError, UsageError
from gammacp.trees.measures.agreement import syntax_agreement
from gammacp.trees.measures.annotations import Dependencies, Item, Phrase, Treebank
from gammacp.trees.pairing import pair_sentences
from gammacp.trees.treebank import read_treebank

DATA = Path(os.environ.get("GAMMACP_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
WITH_WORDS = DATA / "syntax" / "cdt"


def sentence(
    words: list[str], *, of: str = "", key: int = 1, name: str | None = None
) -> Dependencies:
    """Return a sentence whose tree is a chain; `key`, its first line, identifies it."""
    heads = tuple(range(len(words)))
    return Dependencies(heads, ("r",) * len(words), tuple(words), of, (key,) * len(words), name)


def planted(items: list[Item]) -> list[dict[str, int | None]]:
    return [{a: s.line for a, s in item.annotations.items()} for item in items]


@st.composite
def treebanks(draw: st.DrawFn) -> dict[str, list[Dependencies]]:
    """Draw each annotator's version of a text of unlike sentences.

    Each has some of the sentences, edited, in another order, with right, wrong or no names.
    """
    lengths = draw(st.lists(st.integers(5, 12), min_size=1, max_size=10))
    text = [[*(f"w{k}-{i}" for i in range(n - 2)), "the", "."] for k, n in enumerate(lengths)]
    annotations = {}
    for annotator in draw(st.sampled_from(["AB", "ABC", "ABCD"])):
        kept = draw(st.sets(st.sampled_from(range(len(text))), min_size=1))
        order = draw(st.permutations(sorted(kept))) if draw(st.booleans()) else sorted(kept)
        naming = draw(st.sampled_from(["none", "right", "wrong"]))
        names = {k: f"s{k}" for k in kept}
        if naming == "wrong":
            names = dict(zip(kept, draw(st.permutations(list(names.values()))), strict=True))
        rows = []
        for k in order:
            words = list(text[k])
            # two versions of a sentence share more than half of their words
            for i in draw(st.sets(st.integers(0, len(words) - 1), max_size=(len(words) - 1) // 4)):
                words[i] = f"{annotator}{k}-{i}"
            if draw(st.booleans()):
                words = [w.upper() for w in words]
            name = None if naming == "none" else names[k]
            rows.append(sentence(words, of=annotator, key=k, name=name))
        annotations[annotator] = rows
    return annotations


@settings(max_examples=30, deadline=None)
@given(treebanks())
def test_planted_pairs_are_found_and_other_sentences_counted(
    annotations: dict[str, list[Dependencies]],
) -> None:
    items, left_out = pair_sentences("text", annotations)
    wanted: dict[int, dict[str, int | None]] = {}
    for annotator, sentences in annotations.items():
        for one in sentences:
            wanted.setdefault(one.lines[0], {})[annotator] = one.lines[0]
    assert sorted(map(str, planted(items))) == sorted(map(str, wanted.values()))
    alone = Counter(next(iter(row)) for row in wanted.values() if len(row) == 1)
    assert {entry.file: entry.count for entry in left_out} == alone
    assert all(entry.kind == "sentence" for entry in left_out)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=12),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=12),
    st.randoms(use_true_random=False),
)
def test_as_many_equal_sentences_are_paired_as_possible(
    first: list[str], second: list[str], rng: random.Random
) -> None:
    names = [f"s{k}" for k in range(12)]
    sides = {
        who: [sentence([w], of=who, key=k, name=names[k]) for k, w in enumerate(words)]
        for who, words in (("A", first), ("B", second))
    }
    rng.shuffle(sides["B"])
    items, left_out = pair_sentences("text", sides)
    pairs = [item for item in items if len(item.annotations) == 2]
    assert all(len({s.forms for s in item.annotations.values()}) == 1 for item in pairs)
    assert len(pairs) == (Counter(first) & Counter(second)).total()
    assert sum(e.count for e in left_out) == len(first) + len(second) - 2 * len(pairs)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_similar_sentences_are_paired_with_the_largest_sum(data: st.DataObject) -> None:
    """The sum is that of scipy's dense assignment of Dice coefficients, counted one by one."""
    word = st.sampled_from("abcdefgh")
    # A letter of its own makes each sentence differ from all others.
    sides = {
        who: [
            sentence([*words, f"{who}{k}"], of=who, key=k)
            for k, words in enumerate(
                data.draw(st.lists(st.lists(word, min_size=2, max_size=6), min_size=1, max_size=5))
            )
        ]
        for who in "AB"
    }
    dice = np.array(
        [
            [
                2 * (Counter(a.forms) & Counter(b.forms)).total() / (a.n_tokens + b.n_tokens)
                for b in sides["B"]
            ]
            for a in sides["A"]
        ]
    )
    gains = np.where(dice > 0.5, dice - 0.5, 0.0)
    items, _ = pair_sentences("text", sides)
    rows = [tuple(planted([item])[0][who] for who in "AB") for item in items
            if len(item.annotations) == 2]  # fmt: skip
    # The order decides only between equal sums.
    assert sum(gains[r] for r in rows) == pytest.approx(
        gains[linear_sum_assignment(gains, maximize=True)].sum(), abs=2e-5
    )
    assert all(dice[r] > 0.5 for r in rows)


def test_neighbours_distinguish_equal_sentences() -> None:
    text = ["a", "yes", "b", "yes", "c", "yes", "d"]
    first = [sentence([w], of="A", key=k) for k, w in enumerate(text)]
    second = [sentence([w], of="B", key=k) for k, w in enumerate(text) if k != 1]
    items, left_out = pair_sentences("text", {"A": first, "B": second})
    assert planted(items)[1] == {"A": 1}
    assert all(row["A"] == row["B"] for row in planted(items) if "B" in row)
    assert [e.count for e in left_out] == [1]


def test_names_distinguish_equal_sentences() -> None:
    text = ["yes", "no", "yes"]
    first = [sentence([w], of="A", key=k, name=f"s{k}") for k, w in enumerate(text)]
    second = [first[k] for k in (2, 0, 1)]
    items, _ = pair_sentences("text", {"A": first, "B": second})
    assert all(row["A"] == row["B"] for row in planted(items))


def test_sentences_split_at_different_places_are_paired_by_number() -> None:
    first = [sentence(["a", "b"], key=0), sentence(["c"], key=1), sentence(["d"], key=2)]
    second = [sentence(["a"], key=0), sentence(["b", "c"], key=1), sentence(["d"], key=2)]
    items, left_out = pair_sentences("text", {"A": first, "B": second})
    assert [len(set(row.values())) for row in planted(items)] == [1, 1, 1]
    assert left_out == []
    # If the numbers of sentences differ, the words decide instead.
    items, left_out = pair_sentences("text", {"A": first, "B": [*second, sentence(["e"], key=3)]})
    assert {"A": 2, "B": 2} in planted(items)
    assert sum(e.count for e in left_out) == len(first) + 4 - 2 * len(
        [i for i in items if len(i.annotations) == 2]
    )


def test_sentences_without_words_are_paired_by_names_or_order() -> None:
    def bare(n: int, key: int, name: str | None = None) -> Dependencies:
        return replace(sentence(["_"] * n, key=key), name=name)

    first = [bare(n, k) for k, n in enumerate((3, 1, 2))]
    by_order, _ = pair_sentences("t", {"A": first, "B": [bare(n, 5) for n in (3, 1, 7)]})
    assert len(by_order) == 3
    shorter, left_out = pair_sentences("t", {"A": first, "B": [bare(3, 0), bare(2, 2)]})
    assert planted(shorter) == [{"A": 0, "B": 0}, {"A": 1}, {"A": 2, "B": 2}]
    assert [e.count for e in left_out] == [1]
    named = [bare(n, k, f"s{k}") for k, n in enumerate((3, 1, 2))]
    moved, _ = pair_sentences("t", {"A": named, "B": [named[2], named[0], named[1]]})
    assert planted(moved) == [{"A": k, "B": k} for k in range(3)]
    # One common name of three does not suffice to pair by names.
    other = [replace(s, name=n) for s, n in zip(named, ("x", "s0", "y"), strict=True)]
    kept, left_out = pair_sentences("t", {"A": named, "B": other})
    assert planted(kept) == planted(moved)
    assert left_out == []


def test_pairing_by_order_or_id_ignores_the_words() -> None:
    first = [sentence([w], key=k, name=f"s{k}") for k, w in enumerate("abc")]
    second = [sentence([w], key=k, name=f"s{k}") for k, w in ((1, "x"), (2, "y"))]
    by_order, left_out = pair_sentences("t", {"A": first, "B": second}, pairing="order")
    assert planted(by_order) == [{"A": 0, "B": 1}, {"A": 1, "B": 2}, {"A": 2}]
    assert [e.count for e in left_out] == [1]
    by_name, left_out = pair_sentences("t", {"A": first, "B": second}, pairing="id")
    assert planted(by_name) == [{"A": 0}, {"A": 1, "B": 1}, {"A": 2, "B": 2}]
    assert [e.count for e in left_out] == [1]
    with pytest.raises(DataError, match="no or the same sent_id"):
        pair_sentences("t", {"A": [first[0]] * 2, "B": second}, pairing="id")
    with pytest.raises(UsageError, match="pairing 'luck'"):
        pair_sentences("t", {"A": first, "B": second}, pairing="luck")


def test_a_document_of_one_annotator_is_left_out_and_reported() -> None:
    _, left_out = pair_sentences("t", {"A": [sentence(["a"], of="a.conll")] * 3})
    (entry,) = left_out
    assert entry.as_dict() == {
        "file": "a.conll",
        "kind": "sentence",
        "count": 3,
        "reason": "nobody else annotated the document",
    }


def test_phrases_are_paired_by_their_words() -> None:
    trees = [Phrase(("S", (("N", ()),)), (word,), "", k) for k, word in enumerate("abc")]
    items, _ = pair_sentences("t", {"A": trees, "B": trees[::-1]})
    assert planted(items) == [{"A": k, "B": k} for k in range(3)]


def test_one_common_id_does_not_prevent_pairing_by_words() -> None:
    """130 sentences with one common name are paired in order, reversed, and without names."""
    text = [[f"w{k}", "goes", f"to{k}", "."] for k in range(130)]
    labels = np.random.default_rng(0).choice(list("xyz"), (2, 130, 4))
    sides = {
        who: [
            replace(sentence(words, key=k), relations=tuple(labels[n, k]), name=f"{who}{k}")
            for k, words in enumerate(text)
        ]
        for n, who in enumerate("AB")
    }
    whole = Treebank.from_annotations(sides)
    alpha = syntax_agreement(whole).total.alpha
    sides["B"][7] = replace(sides["B"][7], name="A7")
    shuffled = sides["B"][::-1]
    for second in (sides["B"], shuffled, [replace(s, name=None) for s in shuffled]):
        items, left_out = pair_sentences("t", {"A": sides["A"], "B": second})
        assert left_out == []
        found = Treebank(("A", "B"), tuple(items), "dependency")
        assert syntax_agreement(found).total.alpha == pytest.approx(alpha)


def test_edited_sentences_keep_their_order_where_one_is_missing() -> None:
    text = [[f"w{k}-{i}" for i in range(6)] for k in range(20)]
    edited = [[*words[:2], "else", *words[3:]] for words in text]
    first = [sentence(words, key=k) for k, words in enumerate(text)]
    second = [sentence(words, key=k) for k, words in enumerate(edited) if k != 4]
    items, left_out = pair_sentences("t", {"A": first, "B": second})
    assert planted(items) == [{"A": k, "B": k} if k != 4 else {"A": 4} for k in range(20)]
    assert [e.count for e in left_out] == [1]


def moved(source: Path, target: Path, rng: random.Random, drop: int) -> None:
    """Write a file's sentences without `drop` of them, reordered and with wrong names."""
    blocks = [b for b in source.read_text(encoding="utf-8").strip().split("\n\n") if b.strip()]
    rng.shuffle(blocks)
    kept = blocks[drop:] if len(blocks) > drop + 1 else blocks
    rows = [f"# sent_id = {k}\n{block}\n" for k, block in enumerate(kept, start=1)]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(rows), encoding="utf-8")


@pytest.mark.skipif(
    not WITH_WORDS.is_dir(),
    reason=f"no treebanks with words in {WITH_WORDS} (GAMMACP_DATA names another folder)",
)
@pytest.mark.parametrize("name", [pytest.param("da", marks=pytest.mark.slow), "es"])
def test_real_treebanks_are_paired_in_any_order_and_with_wrong_names(
    tmp_path: Path, name: str
) -> None:
    files = [
        p for p in WITH_WORDS.rglob("*.conll") if f"{name}-" in p.name or f"-{name}-" in p.name
    ]
    rng = random.Random(1)
    folders = {}
    for drop in (0, 1):
        folders[drop] = tmp_path / str(drop)
        for path in sorted(files):
            moved(path, folders[drop] / path.relative_to(WITH_WORDS), rng, drop)

    def read(folder: Path) -> Treebank:
        return read_treebank(sorted(folder.glob(f"{name}-*.conll")) or [folder / name]).treebank

    whole = read(WITH_WORDS)
    assert sorted(map(sorted, rows_of(read(folders[0])))) == sorted(map(sorted, rows_of(whole)))
    alpha = syntax_agreement(whole, breakdown=False).total.alpha
    assert syntax_agreement(read(folders[0]), breakdown=False).total.alpha == pytest.approx(alpha)
    # Where sentences are missing, the others are paired as before.
    known = rows_of(whole)
    assert all(any(row <= other for other in known) for row in rows_of(read(folders[1])))


def rows_of(treebank: Treebank) -> list[frozenset[tuple[str, str]]]:
    """Return for each sentence the set of its annotators with their trees."""
    return [
        frozenset((a, f"{s.tree.labels} {s.tree.leftmost}") for a, s in item.annotations.items())
        for item in treebank.items
    ]
