"""Chance of shapes: over documents or along time with the other axes, and never within an image."""

from dataclasses import replace

import numpy as np
import pytest

import gammacp as gc
from gammacp import Continuum, Corpus, DataError, Unit
from gammacp.chance.direction import direction
from gammacp.chance.registry import CHANCE_MODELS
from gammacp.continuum.declaring import declare_grid, declare_read_until
from gammacp.continuum.grid import Grid
from tests.boxes import random_boxes


@pytest.mark.parametrize("chance", ["cut", "shift", "non-overlapping", "corpus", "shift-pooled"])
def test_a_single_image_is_refused_with_the_reason(chance: str) -> None:
    c = random_boxes(1, 2, 2, 3)
    with pytest.raises(DataError, match="in images and scans objects crowd the middle") as error:
        CHANCE_MODELS[chance].prepare([c, c], 2) if chance == "corpus" else CHANCE_MODELS[
            chance
        ].prepare([c], 2)
    assert "# offset unit: s" in str(error.value.hint)


def test_the_default_is_documents_for_a_corpus_and_an_error_for_a_single_image() -> None:
    images = {f"i{k}": random_boxes(k, 2, 2, 3) for k in range(12)}
    with pytest.raises(DataError, match="cannot be modelled inside"):
        gc.gamma(images["i1"])
    gamma = gc.gamma_corpus(Corpus.from_continua(images), samples=10, seed=1)
    assert "documents" in gamma.signature
    assert "cannot be modelled inside an image" not in (gamma.reason or "")


@pytest.mark.parametrize("chance", ["cut", "documents", "shift"])
def test_moves_along_time_keep_the_other_axes(chance: str) -> None:
    drawn = Corpus.from_continua({str(k): random_boxes(k, 2, 2, 4) for k in range(4)})
    calls = [c.with_about(offset_unit="s") for c in drawn.values()]
    model = CHANCE_MODELS[chance]
    sampler = model.prepare(calls if model.built_from_all else calls[:1], 2)
    originals = {
        (round(u.length), u.shape, u.category)
        for c in (calls if model.built_from_all else calls[:1]) for u in c
    }  # fmt: skip
    for i in range(20):
        random = sampler.draw(np.random.default_rng(i))
        assert {(round(u.length), u.shape, u.category) for u in random} <= originals


def test_positions_in_images_do_not_count_from_the_first_unit() -> None:
    images = [
        Continuum.from_units([Unit.box(a, (at, at + 2), (5, 9)) for a in "AB"])
        for at in (0, 100, 300)
    ]
    for chance, whole in (("documents", {0.0, 100.0, 300.0}),):
        sampler = CHANCE_MODELS[chance].prepare(images, 2)
        starts = {s for i in range(30) for s in sampler.draw(np.random.default_rng(i)).starts}
        assert starts == whole


def test_an_image_has_no_reading_direction() -> None:
    rows = [
        Unit.box(w, (k, k + 2), (0, 5), category="x") for w in "AB" for k in range(0, 40, 3)
    ] + [Unit.box("A", (999, 1000), (0, 5), category="x")]  # fmt: skip
    image = Continuum.from_units(rows)
    calls = image.with_about(offset_unit="s")
    # Along time there is a direction; the same boxes on an image have none.
    assert direction([image]) is None
    assert direction([calls]) is not None
    with pytest.raises(DataError, match="29 units have shapes on an axis that is not time"):
        declare_read_until(image, {"B": 500})
    assert declare_read_until(calls, {"B": 500}).read("B") == 500
    stopped = declare_read_until(calls, {"B": 50})
    one, two = (
        CHANCE_MODELS["cut"].prepare([c], 2) for c in (stopped, replace(stopped, shapes=None))
    )
    assert one.signature == two.signature == "cut(completed=1)"
    for seed in range(5):
        boxes, plain = (s.draw(np.random.default_rng(seed)) for s in (one, two))
        assert boxes.hulls().starts.tolist() == plain.starts.tolist()
        assert {u.shape for u in boxes} == {u.shape for u in calls}
    for c in (image, calls):
        with pytest.raises(DataError, match="a grid has one axis, but 29 units have shapes"):
            declare_grid(c, Grid("frames", 1.0))
        assert declare_grid(c.hulls(), Grid("frames", 1.0)).grid
