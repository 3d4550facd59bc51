"""Scores of CorefUD on a text with zeros: the values of corefud-scorer, and broken files.

`EXPECTED` are recall, precision and F₁ of ufal/corefud-scorer (4fd7b0e, with udapi 0.5.2): `python
corefud-scorer.py ann.conllu bob.conllu -a head`, and with `-s`. `benchmarks/fields_peers.py
corefud` compares all digits on that scorer's test cases and on real files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gammacp as gc
from gammacp import DataError
from gammacp.links.collecting import collecting
from gammacp.links.measures.corefud import (
    CorefDocument,
    Mention,
    ScoredMentions,
    corefud_scores,
    matching,
)
from tests.conftest import Run

ANN = """\
# newdoc id = letter
# global.Entity = eid-etype-head-other
# sent_id = 1
1 The the DET _ _ 2 det 2:det Entity=(e1-person-2-
2 doctor doctor NOUN _ _ 3 nsubj 3:nsubj Entity=e1)
3 wrote write VERB _ _ 0 root 0:root _
4 a a DET _ _ 5 det 5:det Entity=(e2-object-2-
5 letter letter NOUN _ _ 3 obj 3:obj Entity=e2)

# sent_id = 2
1 Read read VERB _ _ 0 root 0:root _
1.1 _ she PRON _ _ _ _ 1:nsubj Entity=(e1-person-1-)
2 it it PRON _ _ 1 obj 1:obj Entity=(e2-object-1-)
3 aloud aloud ADV _ _ 1 advmod 1:advmod _

"""
BOB = """\
# newdoc id = letter
# global.Entity = eid-etype-head-other
# sent_id = 1
1 The the DET _ _ 2 det 2:det _
2 doctor doctor NOUN _ _ 3 nsubj 3:nsubj Entity=(e1-person-1-)
3 wrote write VERB _ _ 0 root 0:root _
4 a a DET _ _ 5 det 5:det Entity=(e2-object-1-
5 letter letter NOUN _ _ 3 obj 3:obj Entity=e2)

# sent_id = 2
1 Read read VERB _ _ 0 root 0:root _
2 it it PRON _ _ 1 obj 1:obj Entity=(e2-object-1-)
2.1 _ she PRON _ _ _ _ 1:nsubj Entity=(e1-person-1-)
3 aloud aloud ADV _ _ 1 advmod 1:advmod Entity=(e3-manner-1-)

"""
# Keys are match and singletons. Bob's zero is at another place, but has the same dependency.
EXPECTED: dict[tuple[str, bool], dict[str, tuple[float, ...]]] = {
    ("head", False): {
        "muc": (0.5, 0.5, 0.5),
        "b-cubed": (0.625, 0.625, 0.625),
        "ceaf-m": (0.75, 0.75, 0.75),
        "ceaf-e": (0.75, 0.75, 0.75),
        "blanc": (0.5, 0.5, 0.5),
        "lea": (0.5, 0.5, 0.5),
        "mor": (2 / 3, 0.8, 8 / 11),
        "zeros": (1, 1, 1),
        "mentions": (0.75, 0.75, 0.75),
    },
    ("head", True): {
        "muc": (0.5, 0.5, 0.5),
        "b-cubed": (0.625, 0.5, 5 / 9),
        "ceaf-m": (0.75, 0.6, 2 / 3),
        "ceaf-e": (0.75, 0.5, 0.6),
        "blanc": (0.5, 0.375, 5 / 12),
        "lea": (0.5, 0.4, 4 / 9),
        "mor": (2 / 3, 2 / 3, 2 / 3),
        "zeros": (1, 1, 1),
        "mentions": (0.75, 0.6, 2 / 3),
    },
    ("partial", True): {
        "muc": (1, 1, 1),
        "b-cubed": (1, 0.8, 8 / 9),
        "ceaf-e": (1, 2 / 3, 0.8),
        "blanc": (1, 0.75, 5 / 6),
        "mentions": (1, 0.8, 8 / 9),
    },
    ("exact", False): {
        "muc": (0.5, 0.5, 0.5),
        "b-cubed": (0.625, 0.625, 0.625),
        "zeros": (0, 0, 0),
        "mentions": (0.75, 0.75, 0.75),
    },
}


def write(folder: Path, who: str, text: str) -> Path:
    lines = [
        line if line.startswith("#") else "\t".join(line.split(" ", 9))
        for line in text.splitlines()
    ]
    (folder / who).mkdir(exist_ok=True)
    path = folder / who / "letter.conllu"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def rows_of(run: Run, folder: Path) -> dict[tuple[str, bool], dict[str, Any]]:
    outcome = run("links", folder, "--samples", "5", "--json")
    assert outcome.code == 0, outcome.err
    rows = json.loads(outcome.out)["corefud"]
    return {(row["match"], row["singletons"]): row for row in rows}


def test_the_scores_are_those_of_corefud_scorer(run: Run, tmp_path: Path) -> None:
    write(tmp_path, "ann", ANN)
    write(tmp_path, "bob", BOB)
    rows = rows_of(run, tmp_path)
    assert len(rows) == 6
    for key, scores in EXPECTED.items():
        for name, values in scores.items():
            own = rows[key][name]
            found = own["recall"], own["precision"], own["f1"]
            assert found == pytest.approx(values), (key, name)
    out = run("links", tmp_path, "--samples", "5").out
    assert "key, response" in out
    assert "mentions F₁" in out


def test_without_heads_the_first_words_are_heads(run: Run, tmp_path: Path) -> None:
    for who, text in (("ann", ANN), ("bob", BOB)):
        bare = text.replace("eid-etype-head-other", "eid-etype-other")
        write(tmp_path, who, bare)
    said = run("links", tmp_path, "--samples", "5").err
    assert "1 document of ann and bob name no heads in global.Entity" in said.replace("\n", " ")


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        ("(e1-person-2-", "(e1-person-3-", "head 3 is outside the mention of e1, which has 2", 4),
        ("(e1-person-2-", "(e1-person-0-", "head 0 is outside the mention of e1", 4),
        ("(e1-person-2-", "(e1-person-x-", "head 'x' of a mention of e1 is not a number", 4),
        ("Entity=e2)", "_", "mention of e2 begins, but has no end", 7),
        ("1:advmod _", "1:advmod Entity=e9)", "mention of e9 ends, but has no beginning", 14),
    ],
)
def test_broken_mentions(
    run: Run, tmp_path: Path, old: str, new: str, message: str, line: int
) -> None:
    assert old in ANN
    path = write(tmp_path, "ann", ANN.replace(old, new))
    write(tmp_path, "bob", BOB)
    with pytest.raises(DataError) as error:
        gc.read(path)
    assert message in error.value.message
    assert error.value.line == line
    assert error.value.hint
    assert run("links", tmp_path, "--samples", "5").code == 3


def test_differing_sentences_are_reported(run: Run, tmp_path: Path) -> None:
    write(tmp_path, "ann", ANN)
    second = "\n\n# sent_id = 2\n"
    assert second in BOB
    write(tmp_path, "bob", BOB.replace(second, "\n"))
    rows = rows_of(run, tmp_path)
    assert {row["other_sentences"] for row in rows.values()} == {1}
    said = run("links", tmp_path, "--samples", "5").err
    assert "1 document of ann and bob not compared" in said.replace("\n", " ")


def mention(*words: int, head: int = 0) -> Mention:
    places = tuple((0, word, 0) for word in words)
    return Mention(places, places[head])


def test_mentions_with_one_head_match_the_nearest() -> None:
    long, short = mention(1, 2, 3, 4, head=1), mention(2, 3)
    key = ScoredMentions((long, short), (0, 0))
    response = ScoredMentions((mention(1, 2, 3, head=1), mention(2)), (0, 0))
    assert matching(key, response, "head") == {0: 0, 1: 1}
    assert matching(key, response, "exact") == {}


def test_a_place_in_two_chains_counts_in_the_first() -> None:
    one, two, three = mention(1), mention(2), mention(3)
    twice = CorefDocument((3,), ((one, two), (two, three)))
    side = ScoredMentions.of(twice, "exact", singletons=True)
    assert side.chains == (0, 0, 1)
    assert side.twice == 1
    (row,) = corefud_scores({"d": {"a": twice, "b": twice}}, match="exact", singletons=True)
    assert row["twice"] == 2
    assert row["conll-average"]["f1"] == pytest.approx(1)


def test_discontinuous_mentions_count_their_heads_over_all_parts(tmp_path: Path) -> None:
    split = ANN.replace("Entity=(e2-object-2-", "Entity=(e2[1/2]-object-2-)", 1)
    split = split.replace("3:obj Entity=e2)", "3:obj _")
    split = split.replace("_ 0 root 0:root _\n4", "_ 0 root 0:root Entity=(e2[2/2]-object-2-)\n4")
    split = split.replace("(e2[1/2]-object-2-)", "_").replace(
        "2:det Entity=(e1-person-2-", "2:det Entity=(e2[1/2]-object-2-)(e1-person-2-"
    )
    with collecting() as collected:
        gc.read(write(tmp_path, "ann", split))
    document = collected["coreference"]["letter"]["ann"]
    mentions = [mention for chain in document.chains for mention in chain]
    discontinuous = next(m for m in mentions if (0, 3, 0) in m.words)
    assert discontinuous.words == ((0, 1, 0), (0, 3, 0))
    assert discontinuous.head == (0, 3, 0)
