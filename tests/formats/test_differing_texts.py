"""Texts that differ between annotators: by hand, and by the test cases of text-γ."""

from __future__ import annotations

import json
import random
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import gammacp as gc
from gammacp.errors import DataError
from gammacp.formats.differing_texts import on_one_line
from tests.work import calls


def part(annotator: str, text: str | None, *spans: tuple[int, int], **more: Any) -> gc.Continuum:
    rows = [gc.Unit(annotator, s, e, "x") for s, e in spans]
    known = {"name": "d", "text": text, "offset_unit": "characters"} | more
    return gc.Continuum.from_units(rows, annotators=[annotator], **known)


def spans(parts: list[gc.Continuum]) -> list[list[tuple[float, float]]]:
    return [[(u.start, u.end) for u in p] for p in parts]


def test_positions_of_two_texts_by_hand() -> None:
    ann = part("Ann", "a brown fox", (2, 7), (8, 11), (11, 11))
    bob = part("Bob", "a brwn  fox!", (2, 6), (8, 11), (11, 12))
    moved, told = on_one_line([ann, bob])
    # a brown··fox·: only Ann has the o, and only Bob the second blank and the !.
    assert spans(moved) == [[(2, 7), (9, 12), (13, 13)], [(2, 7), (9, 12), (12, 13)]]
    assert {p.text for p in moved} == {"a brown  fox!"}
    assert [(x.kind, x.count) for x in told] == [("character", 3)]
    assert "Ann and Bob" in told[0].reason
    assert moved[0].text_between(2, 7) == "brown"


def test_places_of_several_texts() -> None:
    texts = ["abcdef", "abXYcdef", "abXcdeef", "bcdf"]
    parts = [part(str(i), text, (0, len(text))) for i, text in enumerate(texts)]
    moved, told = on_one_line(parts)
    assert len(told) == 3
    line = str(moved[0].text)
    assert len(line) == 9
    for i, order in enumerate(permutations(range(4))):
        again, _ = on_one_line([parts[k] for k in order])
        assert [p.annotators for p in again] == [(str(k),) for k in order], i
    for text, one in zip(texts, moved, strict=True):
        chars, _ = on_one_line([*parts, part("z", text, *((k, k + 1) for k in range(len(text))))])
        places = [int(u.start) for u in chars[-1]]
        assert places == sorted(set(places))
        # A character with a counterpart in the first text lies where that lies.
        first = dict(enumerate(int(u.start) for u in _characters(parts, texts[0])))
        assert {line[p] for p in first.values()} == set(texts[0])
        assert one.n_units == 1


def _characters(parts: list[gc.Continuum], text: str) -> gc.Continuum:
    every = part("z", text, *((k, k + 1) for k in range(len(text))))
    return on_one_line([*parts, every])[0][-1]


@pytest.mark.parametrize("seed", range(4))
def test_equal_characters_get_the_same_positions(seed: int) -> None:
    """Characters common to two texts by a least number of edits get the same places."""
    draw = random.Random(seed)
    first = "".join(draw.choices("abcdefgh ", k=60))
    second = "".join(
        c + draw.choice(["", "", "", "z"]) if draw.random() > 0.1 else draw.choice(["", "y"])
        for c in first
    )
    one, other = (
        part(n, t, *((k, k + 1) for k in range(len(t)))) for n, t in (("A", first), ("B", second))
    )
    moved, told = on_one_line([one, other])
    places = [[int(u.start) for u in p] for p in moved]
    meeting = set(places[0]) & set(places[1])
    alike = sum(first[places[0].index(p)] == second[places[1].index(p)] for p in meeting)
    assert told[0].count == len(first) + len(second) - 2 * alike
    substituted = len(meeting) - alike
    edits = len(first) + len(second) - 2 * len(meeting) + substituted
    assert edits == _distance(first, second)


def _distance(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def test_the_cases_of_text_gamma() -> None:
    """Places are those of AnnotatedTextMergeTest (fab-bar/TextGammaTool), as far as it has
    positions.
    """
    # Case 1: identical texts are unchanged.
    same = [part("A", "kaufmann", (0, 4), (4, 8)), part("B", "kaufmann", (0, 4), (4, 8))]
    moved, told = on_one_line(same)
    assert (moved, told) == (same, ())
    assert all(a is b for a, b in zip(moved, same, strict=True))
    # Case 2: kauff|mann and kauf|mmann; each unit finds its counterpart.
    moved, told = on_one_line(
        [part("A", "kauffmann", (0, 5), (5, 9)), part("B", "kaufmmann", (0, 4), (4, 9))]
    )
    both = gc.align(_together(moved))
    assert [len([u for u in g.units.values() if u]) for g in both.unitary_alignments] == [2, 2]
    assert told[0].count == 2
    # Case 4: "sonst" is one of the two words of "sonst sonst", no matter which.
    moved, told = on_one_line(
        [part("A", "sonst sonst", (0, 5), (6, 11)), part("B", "sonst", (0, 5))]
    )
    assert told[0].count == 6
    assert spans(moved)[1][0][1] in (5, 11)
    # Case 5: "so so so" and "so so".
    moved, _ = on_one_line(
        [part("A", "so so so", (0, 2), (3, 5), (6, 8)), part("B", "so so", (0, 2), (3, 5))]
    )
    found = gc.align(_together(moved))
    assert sum(all(g.units.values()) for g in found.unitary_alignments) == 2


def _together(parts: list[gc.Continuum]) -> gc.Continuum:
    return gc.Continuum.from_units([u for p in parts for u in p])


def test_texts_with_too_little_in_common_are_refused() -> None:
    with pytest.raises(DataError, match=r"texts of A and B have 0% in common, less than half"):
        on_one_line([part("A", "abcd", (0, 1)), part("B", "wxyz", (0, 1))])
    with pytest.raises(DataError, match=r"positions of C do not count characters of a text"):
        on_one_line([part("A", "abc"), part("B", "abd"), part("C", None, (0, 1))])
    with pytest.raises(DataError, match=r"positions of B do not count characters"):
        on_one_line([part("A", "abc", (0, 1)), part("B", "abd", (0, 1), offset_unit="s")])
    with pytest.raises(DataError, match=r"unit by B at 0-2 lies outside of the text of 1 tokens"):
        on_one_line([part("A", "abc", (0, 1)), part("B", "abd", (0, 2), offset_unit="tokens")])


def _work_on_texts(length: int) -> int:
    draw = random.Random(1)
    first = "".join(draw.choices("abcdefghijklmnopqrstuvwxyz     ", k=length))
    second = "".join(
        c if draw.random() > 0.05 else draw.choice(["", c + draw.choice("xyz"), "q"]) for c in first
    )
    unit = (5, length - 1000)
    return calls(lambda: on_one_line([part("A", first, unit), part("B", second, unit)]))


def test_the_time_for_texts_grows_with_their_length_only() -> None:
    assert _work_on_texts(100_000) < 11 * _work_on_texts(10_000)


def brat(folder: Path, annotator: str, text: str, *entities: str) -> None:
    (folder / annotator).mkdir()
    (folder / annotator / "d.txt").write_text(text)
    lines = (f"T{i}\t{entity}\n" for i, entity in enumerate(entities, 1))
    (folder / annotator / "d.ann").write_text("".join(lines))


@pytest.mark.needs("tools")
def test_a_campaign_with_two_versions(tmp_path: Path, run: Any) -> None:
    brat(tmp_path, "Ann", "The brown fox.", "Colour 4 9\tbrown", "Animal 10 13\tfox")
    brat(tmp_path, "Bob", "The brwn fox!", "Colour 4 8\tbrwn", "Animal 9 12\tfox")
    refused = run("gamma", str(tmp_path))
    assert refused.code == 3
    assert "from character 6 on" in refused.err
    assert "--align-texts" in refused.err
    aligned = run("gamma", str(tmp_path), "--align-texts", "--json")
    document = json.loads(aligned.out)
    assert document["results"][0]["gamma"] == 1
    assert "sel:align-texts=yes" in document["results"][0]["signature"]
    assert document["left_out"][0]["count"] == 3
    (tmp_path / "campaign.toml").write_text('paths = ["."]\nalign_texts = true\n')
    again = run("gamma", str(tmp_path / "campaign.toml"), "--json")
    assert json.loads(again.out)["results"][0]["gamma"] == 1


def test_equal_texts_change_nothing(tmp_path: Path, run: Any) -> None:
    for name in ("Ann", "Bob"):
        brat(tmp_path, name, "The brown fox.", "Colour 4 9\tbrown", "Animal 10 13\tfox")
    plain, aligned = (run("gamma", str(tmp_path), "--json", *o) for o in ((), ("--align-texts",)))
    assert plain.out == aligned.out


@pytest.mark.parametrize(
    ("span", "more", "message"),
    [
        ((2, 99), {}, "d, Bob: a unit by Bob, 2 to 99, lies outside of the text; the text has 4"),
        ((-2, 1), {}, "a unit by Bob, -2 to 1, lies outside"),
        ((0, 1), {"bounds": (0, 7)}, "bounds, 0 to 7, lies outside"),
        ((0.5, 1), {}, "a unit by Bob, 0.5 to 1, lies not at characters"),
    ],
)
def test_positions_outside_the_text_are_refused(span: Any, more: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        on_one_line([part("Ann", "abcde", (0, 1)), part("Bob", "abcd", span, **more)])
