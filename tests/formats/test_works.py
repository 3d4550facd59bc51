"""States of work and repeated answers, for any format."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gammacp.errors import UsageError
from gammacp.formats.source import Source
from gammacp.formats.states import State, Wanted, why_left_out
from gammacp.formats.works import Work, choose_works

FINISHED, UNFINISHED = State.FINISHED, State.UNFINISHED
REFERENCE, SKIPPED = State.REFERENCE, State.SKIPPED


def source() -> Source:
    return Source(Path("a.json"), "a", "", b"")


def chosen(
    works: dict[str, list[Work[str]]], include: str = "", repeated: str = ""
) -> tuple[dict[str, list[tuple[str, str]]], Counter[tuple[str, str]]]:
    """Return (annotator, content) by document, and what is left out by kind and state."""
    counts: Counter[tuple[str, str]] = Counter()

    def leave_out(kind: str, _: str, count: int, state: str) -> None:
        counts[kind, state] += count

    wanted = Wanted.of(include, repeated)
    found = choose_works(works, wanted, ("annotation", "task"), source(), leave_out)
    return {d: [(w.annotator, w.content) for w in listed] for d, listed in found.items()}, counts


WORKS = {
    "1": [Work("ann", "a"), Work("bob", "b", UNFINISHED), Work("eva", "e", REFERENCE)],
    "2": [Work("ann", "c", SKIPPED), Work("bob", "d", UNFINISHED)],
}


@pytest.mark.parametrize(
    ("include", "first", "second"),
    [
        ("", [("ann", "a")], None),
        ("unfinished", [("ann", "a"), ("bob", "b")], [("bob", "d")]),
        ("reference", [("ann", "a"), ("eva", "e")], None),
        ("unfinished,reference", [("ann", "a"), ("bob", "b"), ("eva", "e")], [("bob", "d")]),
    ],
)
def test_only_finished_work_counts_by_default(
    include: str, first: list[tuple[str, str]], second: list[tuple[str, str]] | None
) -> None:
    found, counts = chosen(WORKS, include)
    assert found == ({"1": first} if second is None else {"1": first, "2": second})
    left = {"unfinished": 2, "reference": 1, "skipped": 1}
    expected = {("annotation", s): n for s, n in left.items() if s not in include.split(",")}
    assert counts == expected


TWICE = {
    "1": [Work("ann", "old", time="2024-01-02"), Work("ann", "new", time="2024-01-03")],
    # The later answer comes first in the file.
    "2": [Work("bob", "x"), Work("ann", "new", time=9.5), Work("ann", "old", time=3)],
    "3": [Work("ann", "only"), Work("bob", "y")],
}


@pytest.mark.parametrize(
    ("repeated", "expected", "counts"),
    [
        ("", {"3": [("ann", "only"), ("bob", "y")]}, {("task", ""): 2}),
        (
            "first",
            {
                "1": [("ann", "old")],
                "2": [("bob", "x"), ("ann", "new")],
                "3": [("ann", "only"), ("bob", "y")],
            },
            {("annotation", ""): 2},
        ),
        (
            "last",
            {
                "1": [("ann", "new")],
                "2": [("bob", "x"), ("ann", "old")],
                "3": [("ann", "only"), ("bob", "y")],
            },
            {("annotation", ""): 2},
        ),
        (
            "session",
            {
                "1": [("ann-1", "old"), ("ann-2", "new")],
                "2": [("bob", "x"), ("ann-1", "new"), ("ann-2", "old")],
                "3": [("ann-1", "only"), ("bob", "y")],
            },
            {},
        ),
    ],
)
def test_repeated_answers_are_chosen_by_time_or_order(
    repeated: str, expected: dict[str, list[tuple[str, str]]], counts: dict[tuple[str, str], int]
) -> None:
    """Document 2 has answers without a time, so the order of the file counts there."""
    assert chosen(TWICE, repeated=repeated) == (expected, Counter(counts))


def test_times_take_precedence_over_the_order_of_the_file() -> None:
    works = {"1": [Work("ann", "new", time=9.5), Work("ann", "old", time=3)]}
    assert chosen(works, repeated="first")[0] == {"1": [("ann", "old")]}
    assert chosen(works, repeated="last")[0] == {"1": [("ann", "new")]}
    assert chosen(works, repeated="session")[0] == {"1": [("ann-1", "old"), ("ann-2", "new")]}


def test_equal_answers_are_one_except_for_sessions() -> None:
    works = {"1": [Work("ann", "a", answer=[1]), Work("ann", "b", answer=[1])]}
    assert chosen(works) == ({"1": [("ann", "a")]}, Counter({("annotation", ""): 1}))
    assert chosen(works, repeated="session")[0] == {"1": [("ann-1", "a"), ("ann-2", "b")]}


def test_a_reference_beside_own_work_gets_its_own_name() -> None:
    works = {"1": [Work("ann", "mine"), Work("ann", "gold", REFERENCE)]}
    assert chosen(works)[0] == {"1": [("ann", "mine")]}
    assert chosen(works, "reference")[0] == {"1": [("ann", "mine"), ("ann (reference)", "gold")]}


def test_two_references_are_both_named() -> None:
    works = {"1": [Work("ann", "a", REFERENCE), Work("bob", "b", REFERENCE)]}
    reasons = []
    choose_works(works, Wanted(), ("annotation", "task"), source(), lambda *e: reasons.append(e[1]))
    assert reasons == [why_left_out(REFERENCE, "ann"), why_left_out(REFERENCE, "bob")]
    assert "ann" in reasons[0]
    assert "bob" in reasons[1]


def test_an_unknown_state_is_read_and_reported() -> None:
    file = source()
    works = {"1": [Work("ann", "a", None, "half-baked"), Work("bob", "b", None, "half-baked")]}
    found = choose_works(works, Wanted(), ("annotation", "task"), file, lambda *_: None)
    assert [w.annotator for w in found["1"]] == ["ann", "bob"]
    [remark] = file.remarks
    assert remark.told
    assert remark.count == 2
    assert "'half-baked'" in remark.text


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"include": "skipped"}, "has no answer to read"),
        ({"include": ["unfinished", "done"]}, "include 'done'"),
        ({"include": "finished"}, "include 'finished'"),
        ({"include": "", "repeated": "second"}, "repeated 'second'"),
    ],
)
def test_unknown_words_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Wanted.of(**values)


@given(
    st.dictionaries(
        st.sampled_from("123"),
        st.lists(
            st.builds(
                Work,
                st.sampled_from(["ann", "bob"]),
                st.text(max_size=2),
                st.sampled_from(list(State)),
            ),
            max_size=4,
        ),
    ),
    st.sampled_from(["", "unfinished", "reference", "unfinished,reference"]),
    st.sampled_from(["", "first", "last", "session"]),
)
def test_no_annotator_occurs_twice_in_a_document_and_nothing_is_lost(
    works: dict[str, list[Work[str]]], include: str, repeated: str
) -> None:
    found, counts = chosen(works, include, repeated)
    for listed in found.values():
        people = [annotator for annotator, _ in listed]
        assert people
        assert len({*people}) == len(people)
    # Works that are neither read nor counted are in documents that are counted as a whole.
    read = sum(map(len, found.values()))
    single = sum(n for (kind, _), n in counts.items() if kind == "annotation")
    whole = counts["task", ""]
    total = sum(map(len, works.values()))
    assert read + single + whole <= total
    assert (read + single == total) == (whole == 0)
