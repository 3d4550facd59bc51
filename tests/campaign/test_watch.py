"""A campaign that is followed: the same γ as by other ways, and nothing measured twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gammacp.campaign import watch
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.dissimilarity import Combined
from gammacp.errors import DataError, UsageError
from gammacp.measures.gamma_corpus import gamma_corpus

SETTINGS = watch.settings_of({"samples": 20})


def document(name: str, *late: str, people: str = "ABC", gap: int = 20) -> Continuum:
    """Six units each; those who are late begin later and call every other unit differently."""
    return Continuum.from_units(
        (
            Unit(p, gap * k + 3 * (p in late), gap * k + 10, "xy"[(k + (p in late and k % 2)) % 2])
            for p in people
            for k in range(6)
        ),
        categories=("x", "y"),
        name=name,
    )


@pytest.fixture
def history(tmp_path: Path) -> watch.History:
    return watch.History(tmp_path / "export.watch")


def look(continua: dict[str, Continuum], history: watch.History, *failures: str) -> dict[str, Any]:
    return watch.look(continua, failures, history, SETTINGS)


def test_same_gamma_as_of_the_corpus(history: watch.History) -> None:
    continua = {str(i): document(str(i), *"ABC"[: i % 3], gap=20 + i) for i in range(6)}
    found = look(continua, history)
    whole = gamma_corpus(Corpus.from_continua(continua), chance="cut", samples=20)
    assert found["gamma"] == pytest.approx(whole.value, abs=1e-12)
    assert found["interval"] == pytest.approx(whole.interval, abs=1e-12)
    assert found["bootstrap"] is not None
    # The parts of the annotators sum to the whole.
    records = [
        (r["weight"], *a) for r in found["measured"].values() for a in r["annotators"].values()
    ]
    observed, expected = (sum(r[0] * r[i] for r in records) for i in (2, 3))
    assert 1 - observed / expected == pytest.approx(found["gamma"], abs=1e-12)


def test_only_what_changed_is_measured_again_also_after_a_restart(history: watch.History) -> None:
    continua = {name: document(name) for name in "abc"}
    assert look(continua, history)["measured"].keys() == set("abc")
    continua["b"] = document("b", "C")
    again = watch.History(history.file)
    second = look(continua, again)
    assert second["measured"].keys() == {"b"}
    fresh = look(continua, watch.History(history.file.with_name("other.watch")))
    assert second["gamma"] == fresh["gamma"]
    assert look(continua, watch.History(history.file))["measured"] == {}
    assert len(history.file.read_text().splitlines()) == 2
    other = watch.settings_of({"samples": 20, "seed": 1})
    assert watch.look(continua, (), watch.History(history.file), other)["measured"].keys() == set(
        "abc"
    )


def test_who_drifts(history: watch.History) -> None:
    continua = {name: document(name) for name in "abc"}
    assert {a["drift"] for a in look(continua, history)["annotators"].values()} == {None}
    found = look({**continua, "d": document("d", "C")}, history)["annotators"]
    assert found["C"]["drift"] < found["A"]["drift"] < 0
    assert found["A"]["drift"] == pytest.approx(found["B"]["drift"], abs=0.05)
    assert found["C"]["documents"] == 4
    assert found["C"]["units"] == 24


def test_what_waits_what_is_gone_and_what_could_not_be_read(history: watch.History) -> None:
    continua = {"a": document("a"), "b": document("b"), "c": document("c", people="A")}
    first = look(continua, history)
    assert first["documents"] == 2
    assert "only A" in first["waiting"]["c"]
    # A file that cannot be read takes no document away, one that is deleted does.
    assert look({"a": continua["a"]}, history, "b.csv: broken")["documents"] == 2
    last = look({"a": continua["a"]}, history)
    assert (last["documents"], last["gone"]) == (1, ["b", "c"])
    assert watch.History(history.file).documents().keys() == {"a"}


def test_chance_of_all_documents_is_refused() -> None:
    assert watch.settings_of({"chance": "shift/corpus"}).chance == "shift"
    with pytest.raises(UsageError, match="chance 'documents' is of all documents together"):
        watch.settings_of({"chance": "documents"})


@pytest.mark.parametrize("text", ["annotator,category\n", '{"a": 1}\n', "[1]\n", "\x00\n"])
def test_no_history(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.watch"
    file.write_text(json.dumps({"measured": {}, "gone": []}) + "\n" + text)
    with pytest.raises(DataError, match=r"x\.watch:2: is no look of `gammacp watch`\. Move"):
        watch.History(file)


def test_a_category_that_comes_elsewhere_changes_no_other_document(history: watch.History) -> None:
    look({name: document(name) for name in "ab"}, history)
    wider = {
        name: Continuum.from_units(list(document(name)), categories=("w", "x", "y"), name=name)
        for name in "ab"
    }
    assert look(wider, history)["measured"] == {}
    ordinal = watch.settings_of({"samples": 20, "dissimilarity": Combined(categorial="ordinal")})
    assert watch.key_of(wider["a"], ordinal) != watch.key_of(document("a"), ordinal)
