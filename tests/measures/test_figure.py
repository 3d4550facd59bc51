"""Pictures of scores: rows, values, intervals and captions."""

from __future__ import annotations

import math
from typing import Any

import pytest

import gammacp as gc
from gammacp.continuum import Continuum, Corpus, Unit
from gammacp.datasets import load
from gammacp.errors import DataError
from gammacp.measures import figure as measures_figure
from gammacp.measures.score import Score, undefined

pytest.importorskip("matplotlib")


def rows(figure: Any) -> list[str]:
    return [t.get_text() for t in figure.axes[0].get_yticklabels()]


def points(figure: Any) -> list[float]:
    found = [list(line.get_xdata()) for line in figure.axes[0].lines]
    return [x[0] for x in found if len(x) == 1]


def test_gamma_has_a_scale_above_its_alignment() -> None:
    score = gc.gamma(load("alex-paul-suzan"), samples=10)
    figure = score.plot()
    assert rows(figure) == ["γ"]
    assert points(figure) == [score.value]
    low, high = score.interval
    assert f"γ = {score.value:.3f} (with unlimited random sets {low:.3f} to {high:.3f})." in (
        figure.caption
    )
    assert "Chance: cut, 10 random sets. 3 annotators, 16 units." in figure.caption
    units = [c for axes in figure.axes for c in axes.collections if c.get_gid() == "units"]
    assert sum(len(c.get_paths()) for c in units) == 16


def test_intervals_are_rows_of_their_own() -> None:
    score = Score(value=0.5, interval=(0.4, 0.6), bootstrap=(0.2, 0.8), signature="alpha|x")
    figure = score.plot()
    assert rows(figure) == ["alpha", "other documents"]
    spans = [list(line.get_xdata()) for line in figure.axes[0].lines if len(line.get_xdata()) == 2]
    assert spans == [[0.4, 0.6], [0.2, 0.8]]
    shown = [t.get_text().strip() for t in figure.axes[0].texts]
    assert shown == ["0.500", "0.200 to 0.800"]


def test_categories_are_rows_with_the_lowest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"a": 0.9, "b": 0.1, "c": math.nan, "d": -0.5}
    score = Score(value=0.3, by_category=values, signature="f1|x")
    figure = score.plot()
    assert rows(figure) == ["f1", "d", "b", "a"]
    assert points(figure) == [0.3, -0.5, 0.1, 0.9]
    assert figure.axes[0].get_xlim()[0] <= -0.5
    assert "1 category without a value." in figure.caption
    monkeypatch.setattr(measures_figure, "MOST_PARTS", 2)
    assert rows(cut := score.plot()) == ["f1", "d", "b"]
    assert "Shown are the lowest 2 of 3." in cut.caption


def test_documents_of_a_corpus_are_rows() -> None:
    documents = {
        f"d{k}": Continuum.from_units(
            [Unit(a, 20 * t + k * (a == "B"), 20 * t + 9, "x") for a in "AB" for t in range(8)]
        )
        for k in range(3)
    }
    score = gc.gamma_corpus(Corpus.from_continua(documents), samples=10)
    figure = score.plot()
    lowest = sorted(score.scores, key=lambda name: score.scores[name].value)
    assert rows(figure)[-3:] == lowest
    assert "3 documents, 2 annotators, 48 units." in figure.caption


def test_an_undefined_score_says_why_it_cannot_be_drawn() -> None:
    with pytest.raises(DataError, match="nothing to draw: x is undefined: no unit"):
        undefined("no unit", signature="x|y").plot()
