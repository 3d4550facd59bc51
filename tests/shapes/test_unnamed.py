"""Anonymous readers: intervals of γ, against every naming of small corpora."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest

import gammacp as gc
from gammacp import Combined, Continuum, Corpus, DataError, Unit, UsageError
from gammacp.continuum.anonymous import declare_unnamed_readers, hide_names, unnamed_readers
from gammacp.continuum.selecting import keep_annotators
from gammacp.dissimilarity import bind, unit_columns
from gammacp.shapes.unnamed import unnamed_gamma
from tests.boxes import random_boxes
from tests.conftest import Run


def namings(c: Continuum, k: int) -> Iterator[Continuum]:
    """Yield the document under every naming of its blocks."""
    for chosen in product(range(k), repeat=c.n_annotators):
        rows = [replace(u, annotator="ABCD"[chosen[c.annotators.index(u.annotator)]]) for u in c]
        yield Continuum.from_units(rows, annotators="ABCD"[:k], categories=c.categories)


def admissible(c: Continuum, d: Combined, same: float) -> bool:
    """Return whether no reader has two units that differ by `same` or less."""
    columns = unit_columns(c)
    costs = bind(d, c).pairwise(columns[:, None], columns[None])
    one = c.annotator_codes[:, None] == c.annotator_codes[None]
    return not (one & (costs <= same) & ~np.eye(c.n_units, dtype=bool)).any()


def cost(c: Continuum, d: Combined) -> float:
    """Return the disorder times x̄, or 0 without units."""
    return gc.align(c, d).disorder * c.mean_units if c.n_units else 0.0


def of_chance(named: list[Continuum], k: int, d: Combined) -> float:
    """Return x̄·D_e of the model `documents`, over every choice of k different documents."""
    disorders = []
    for chosen in permutations(named, k):
        rows = [u for a, c in zip("ABCD"[:k], chosen, strict=True) for u in c if u.annotator == a]
        disorders.append(
            cost(Continuum.from_units(rows, annotators="ABCD"[:k]), d) if rows else 0.0
        )
    return float(np.mean(disorders))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("positional", ["iou", "sporadic"])
def test_the_interval_holds_every_naming(seed: int, positional: str) -> None:
    k, d = 2, Combined(positional=positional)
    documents = [random_boxes(10 * seed + i, 2, 2, 2) for i in range(3)]
    corpus = Corpus.from_continua(
        {str(i): c.without_names(k) for i, c in enumerate(documents) if c.n_units}
    )
    bounds = unnamed_gamma(corpus, dissimilarity=d)
    assert bounds.expected
    mean = bounds.units / k
    each = [
        [
            (cost(n, d), n, admissible(n, d, bounds.same))
            for n in namings(declare_unnamed_readers(c, 0), k)
        ]
        for c in corpus.values()
    ]
    least = sum(min(value for value, _, _ in rows) for rows in each) / mean
    assert bounds.observed[0] == pytest.approx(least)
    tried = 0
    for chosen in product(*each):
        observed = sum(value for value, _, _ in chosen) / mean
        assert observed >= bounds.observed[0] - 1e-9
        if not all(ok for _, _, ok in chosen):
            continue
        tried += 1
        assert observed <= bounds.observed[1] + 1e-9
        if tried % 5 == 1 and tried < 60:
            expected = of_chance([n for _, n, _ in chosen], k, d) * len(corpus) / mean
            assert bounds.expected[0] - 1e-9 <= expected <= bounds.expected[1] + 1e-9
            low, high = bounds.interval
            assert low - 1e-9 <= 1 - observed / expected <= high + 1e-9
    assert tried or bounds.unexplained


def near(images: int, k: int, seed: int) -> Corpus:
    """Return objects that k readers draw a little apart; some readers miss one."""
    rng, units = np.random.default_rng(seed), {}
    for image in range(images):
        rows = []
        for _ in range(rng.integers(1, 4)):
            x, y, w, h = rng.uniform((0, 0, 10, 10), (200, 200, 40, 40))
            for who in "ABCD"[:k]:
                if rng.random() < 0.85:
                    a, b, c, e = rng.normal(0, 1.5, 4)
                    rows.append(Unit.box(who, (x + a, x + w + b), (y + c, y + h + e)))
        units[f"i{image}"] = Continuum.from_units(rows, annotators="ABCD"[:k])
    return Corpus.from_continua(units)


@pytest.mark.parametrize("k", [3, 4])
def test_the_interval_holds_the_gamma_of_named_readers(k: int) -> None:
    corpus, d = near(40, k, k), Combined(positional="iou")
    true = gc.gamma_corpus(corpus, dissimilarity=d, samples=200)
    for blocks in (False, True):
        bare = {n: c.without_names(k, blocks=blocks) for n, c in corpus.items()}
        bounds = unnamed_gamma(Corpus.from_continua(bare), dissimilarity=d)
        low, high = bounds.interval
        assert low <= true.value <= high
        assert high - low < 0.08
        assert bounds.observed[0] <= true.observed + 1e-9
        assert bounds.unexplained == 0
        assert bounds.status == "optimal"


def test_sizes_of_groups_and_units_that_no_naming_explains() -> None:
    rows = [Unit.box(str(i), (0, 10), (0, 10)) for i in range(3)]
    rows.append(Unit.box("9", (50, 60), (0, 10)))
    one = Continuum.from_units(rows)
    bounds = unnamed_gamma(one.without_names(3), dissimilarity=Combined(positional="iou"))
    assert dict(bounds.sizes) == {1: 1, 2: 0, 3: 1}
    assert bounds.unexplained == 0
    # One unit of one reader costs Δ and one of all three costs 0; x̄ = 4/3.
    assert bounds.observed == pytest.approx((0.75, 0.75))
    assert bounds.reason == "chance across documents needs 3 for 3 readers, and there are 1"
    assert bounds.expected is None
    two = unnamed_gamma(one.without_names(2), dissimilarity=Combined(positional="iou"))
    assert two.unexplained == 3
    assert two.observed == pytest.approx((1, 2))
    # Units of one block are never grouped.
    alike = Continuum.from_units([replace(u, annotator="A") for u in rows])
    blocks = unnamed_gamma(alike.without_names(3, blocks=True))
    assert dict(blocks.sizes) == {1: 4, 2: 0, 3: 0}


def test_functions_that_need_names_refuse(tmp_path: Path) -> None:
    bare = near(3, 3, 1)["i0"].without_names(3)
    calls = [gc.gamma, gc.align, lambda c: gc.gamma_corpus(Corpus.from_continua({"a": c}))]
    for call in calls[:2]:
        with pytest.raises(DataError, match="the 3 readers have no names") as error:
            call(bare)
        assert "gammacp unnamed" in str(error.value.hint)
    assert "who drew what" in (calls[2](bare).scores["a"].reason or "")
    with pytest.raises(
        DataError, match="in CSV, TSV, each block of units would look like a person"
    ):
        gc.write(bare, tmp_path / "x.csv")
    gc.write(bare, tmp_path / "x.json")
    again = gc.read(tmp_path / "x.json")
    assert (unnamed_readers(again), list(again)) == (3, list(bare))
    assert unnamed_readers(keep_annotators(again, again.annotators[:2])) == 3
    with pytest.raises(DataError, match="numbers of readers: 3 and 4"):
        unnamed_gamma(bare, 4)
    with pytest.raises(DataError, match="1 of 1 documents name their annotators"):
        unnamed_gamma(declare_unnamed_readers(bare, 0))


def test_the_command(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    gc.write(near(12, 3, 5), path)
    document = json.loads(run("unnamed", path, "--readers", 3, "--positional", "iou", "--json").out)
    bare = {n: c.without_names(3) for n, c in near(12, 3, 5).items()}
    right = unnamed_gamma(Corpus.from_continua(bare), dissimilarity=Combined(positional="iou"))
    assert document["gamma"] == list(right.interval)
    assert document["marked_by"] == {str(n): count for n, count in right.sizes.items()}
    assert sum(len(g) for r in document["results"] for g in r["groups"]) == right.units
    assert document["left_out"] == []
    shown = run("unnamed", path, "--readers", 3, "--positional", "iou")
    assert f"{right.interval[0]:.4f}" in shown.out
    assert "whichever of the 3 readers drew which unit" in shown.err
    assert run("unnamed", path, "--blocks").code == 2
    assert run("unnamed", path).code == 3


def test_too_many_readers_are_refused() -> None:
    c = Continuum.from_units([Unit("A", 0, 5), Unit("B", 0, 5)])
    with pytest.raises(UsageError, match="readers 99999999999999999999 > 100,000"):
        hide_names(c, 99999999999999999999)
