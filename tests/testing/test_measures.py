"""The checkers of measures and chance models: registered ones pass, broken ones are named."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gammacp import Continuum, Score
from gammacp.chance.registry import CHANCE_MODELS, ChanceModel, Sampler
from gammacp.continuum.selecting import keep_annotators
from gammacp.measures.registry import MEASURES, Measure
from gammacp.testing import check_chance_model, check_measure

CONTINUUM_MEASURES = [
    n for n, m in MEASURES.items() if m.applies_to == "continuum" and not n.startswith("toy-")
]
SAMPLED = {"gamma", "soft-gamma", "gamma-cat", "gamma-k", "staccato"}


@pytest.mark.parametrize("name", CONTINUUM_MEASURES)
def test_registered_measures(name: str) -> None:
    # For cuα and (k)uα, identical embedded units disagree (2016): each intersection counts.
    perfect = name not in ("cu-alpha", "ku-alpha")
    # Staccato places units from time 0 on, if the beginning of the recording is not declared.
    moving = () if name == "staccato" else ("moving",)
    options = {"samples": 3} if name in SAMPLED else {}
    check_measure(name, perfect=perfect, invariant=(*moving, "annotators", "rows"), **options)


@pytest.mark.parametrize("name", list(CHANCE_MODELS))
def test_registered_chance_models(name: str) -> None:
    # This model keeps whole positions whole, so that a finer scale has other arrangements.
    scaling = () if name == "non-overlapping" else ("scaling",)
    # The gaps of this model count from 0, as in pygamma-agreement.
    moving = () if name == "statistical-normal" else ("moving",)
    check_chance_model(name, invariant=("annotators", *moving, *scaling))


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda _: Score(value=2.0), r"broken is 2 > 1 for A 0-5 a; A 9-14 b; B 1-5 a"),
        (lambda _: Score(value=math.nan), "is NaN without a reason for A 0-5 a"),
        (lambda _: 0.5, "returned 0.5, not a Score"),
        (lambda _: Score(value=0.5), "is 0.5, not 1, for identical annotators"),
        (lambda c: Score(value=1 - c.starts[0] / 1e4), r"after changing moving \\[0.94"),
        (lambda c: Score(value=1 / c.counts[0]), "after changing annotators"),
        (lambda _: Score(value=float(np.random.default_rng().random())), "the second time"),
    ],
)
def test_broken_measures_are_named(function: Any, told: str) -> None:
    broken = Measure(name="broken", summary="", reference="", function=function)
    with pytest.raises(AssertionError, match=told.replace("\\\\", "\\")):
        check_measure(broken)


class _Few:
    signature = "few"

    def __init__(self, sampler: Sampler) -> None:
        self.sampler = sampler

    def draw(self, rng: np.random.Generator) -> Continuum:
        drawn = self.sampler.draw(rng)
        return keep_annotators(drawn, drawn.annotators[1:])


def test_broken_chance_models_are_named() -> None:
    shift = CHANCE_MODELS["shift"]

    def few(continua: Sequence[Continuum], n_annotators: int) -> Sampler:
        return _Few(shift.prepare(continua, n_annotators))

    def moved(continua: Sequence[Continuum], n_annotators: int) -> Sampler:
        c = continua[0]
        at_origin = Continuum.from_units(list(c), bounds=(min(0, c.bounds[0]), c.bounds[1]))
        return shift.prepare([at_origin], n_annotators)

    def whole(continua: Sequence[Continuum], n_annotators: int) -> Sampler:
        return shift.prepare([replace(c, breaks=None) for c in continua], n_annotators)

    broken: list[tuple[ChanceModel, str]] = [
        (replace(shift, prepare=whole), "makes one piece of units of several fragments"),
        (replace(shift, prepare=few), "draws 2 annotators, not 3"),
        (replace(shift, prepare=moved), "after changing moving"),
    ]
    for model, complaint in broken:
        with pytest.raises(AssertionError, match=complaint):
            check_chance_model(model)
