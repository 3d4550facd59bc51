"""Campaigns under watch: γ as by other commands, and no document measured twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gammacp.campaign import watch
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.dissimilarity import Combined
from gammacp.errors import DataError
from gammacp.measures.agreement import agreement
from gammacp.measures.explaining.explanation import explanation_of
from gammacp.measures.settings import Settings

SETTINGS = Settings.of(samples=20)


def document(name: str, *late: str, people: str = "ABC", gap: int = 20) -> Continuum:
    """Return six units by each person.

    Those in `late` begin later and change the label of every other unit.
    """
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


@pytest.mark.parametrize("number", [1, 2, 6])
@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("chance", ["cut/documents", "cut"])
def test_gamma_is_that_of_other_functions(
    history: watch.History, number: int, broken: bool, chance: str
) -> None:
    """One document, fewer documents than annotators, and more have different default
    chance models.
    """
    continua = {str(i): document(str(i), *"ABC"[: i % 3], gap=20 + i) for i in range(2, 2 + number)}
    settings = Settings.of(samples=5, chance=chance)
    record = watch.look(continua, ["b.csv: broken"] * broken, history, settings)
    several = number > 1 or broken
    source = Corpus.from_continua(continua) if several else next(iter(continua.values()))
    whole = explanation_of(source, samples=5, chance=chance)
    assert record["gamma"] == whole.gamma.value
    assert record["interval"] == whole.gamma.interval
    assert record["signature"] == whole.gamma.signature
    spread = agreement(source, samples=5, chance=chance).bootstrap()
    assert record["bootstrap"] == (spread and spread.interval)
    for a in whole.annotators:
        rate = 1 - a["observed"] / a["expected"]
        assert record["annotators"][a["annotator"]]["gamma"] == pytest.approx(rate, abs=1e-12)


def test_only_changed_documents_are_measured_again_even_after_a_restart(
    history: watch.History,
) -> None:
    continua = {name: document(name) for name in "abc"}
    assert look(continua, history)["measured"].keys() == set("abc")
    continua["b"] = document("b", "C")
    again = watch.History(history.file)
    second = look(continua, again)
    assert second["measured"].keys() == {"b"}
    fresh = look(continua, watch.History(history.file.with_name("other.watch")))
    assert second["gamma"] == fresh["gamma"]
    third = look(continua, watch.History(history.file))
    assert (third["measured"], third["tested"].keys()) == ({}, {"b"})  # b has not changed again
    assert look(continua, watch.History(history.file))["tested"] == {}
    assert len(history.file.read_text().splitlines()) == 3
    other = Settings.of(samples=20, seed=1)
    assert watch.look(continua, (), watch.History(history.file), other)["measured"].keys() == set(
        "abc"
    )


def test_drift_names_the_annotator_who_changes(history: watch.History) -> None:
    continua = {name: document(name, gap=20 + k) for k, name in enumerate("abc")}
    assert {a["drift"] for a in look(continua, history)["annotators"].values()} == {None}
    annotators = look({**continua, "d": document("d", "C", gap=24)}, history)["annotators"]
    assert annotators["C"]["drift"] < annotators["A"]["drift"] < 0
    assert annotators["A"]["drift"] == pytest.approx(annotators["B"]["drift"], abs=0.1)
    assert annotators["C"]["documents"] == 4
    assert annotators["C"]["units"] == 24


def test_waiting_missing_and_unreadable_documents_are_listed(history: watch.History) -> None:
    continua = {"a": document("a"), "b": document("b", gap=23), "c": document("c", people="A")}
    first = look(continua, history)
    assert first["documents"] == 2
    assert "only A" in first["waiting"]["c"]
    # A document with an unreadable file is not counted, not called gone, and later not called
    # changed.
    broken = look({"a": continua["a"]}, history, "b.csv: broken")
    assert (broken["documents"], broken["gone"]) == (1, [])
    again = look(continua, history)
    assert (again["documents"], again["measured"], again["gamma"]) == (2, {}, first["gamma"])
    assert again["annotators"]["A"]["drift"] is None
    last = look({"a": continua["a"]}, history)
    assert (last["documents"], last["gone"]) == (1, ["b", "c"])
    assert watch.History(history.file).documents().keys() == {"a"}
    assert look({}, history, "a.csv: broken")["gamma"] is None


@pytest.mark.parametrize("text", ["annotator,category\n", '{"a": 1}\n', "[1]\n", "\x00\n"])
def test_a_file_that_is_no_history_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.watch"
    file.write_text(json.dumps({"measured": {}, "gone": []}) + "\n" + text)
    with pytest.raises(DataError, match=r"x\.watch:2: was not written by `gammacp watch`\. Move"):
        watch.History(file)


def test_a_new_category_elsewhere_changes_no_other_document(history: watch.History) -> None:
    look({name: document(name) for name in "ab"}, history)
    wider = {
        name: Continuum.from_units(list(document(name)), categories=("w", "x", "y"), name=name)
        for name in "ab"
    }
    assert look(wider, history)["measured"] == {}
    ordinal = Settings.of(samples=20, dissimilarity=Combined(categorial="ordinal"))
    assert watch.key_of(wider["a"], ordinal) != watch.key_of(document("a"), ordinal)
