"""Batches of continua: each gets the alignment that it gets alone."""

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammacp import Combined, Continuum
from gammacp.alignment import align, align_each, batch, best_groups, best_groups_of_each
from gammacp.alignment.align import BestGroups
from gammacp.alignment.batch import BatchTuning
from gammacp.base.arrays import Floats
from gammacp.base.stopping import interruptible
from gammacp.continuum import Corpus
from gammacp.dissimilarity import bind
from gammacp.dissimilarity.base import UnitColumns
from gammacp.testing import continua

ROWS = st.lists(continua(n_annotators=(2, 4), n_units=(1, 8)), min_size=2, max_size=8)


@settings(max_examples=25, deadline=None)
@given(ROWS, st.booleans())
def test_each_continuum_of_a_batch_is_aligned_as_by_itself(
    found: list[Continuum], cover: bool
) -> None:
    corpus = Corpus.from_continua({str(i): c for i, c in enumerate(found)})
    bound = bind(Combined(), corpus)
    together = align_each(list(corpus.values()), bound, cover=cover)
    for c, one in zip(corpus.values(), together, strict=True):
        alone = align(c, bound, cover=cover)
        assert one.disorder == pytest.approx(alone.disorder, abs=1e-12)
        assert one.status is alone.status
        np.testing.assert_array_equal(one.groups, alone.groups)


@settings(max_examples=20, deadline=None)
@given(ROWS)
def test_batches_of_any_length_have_the_same_bits(found: list[Continuum]) -> None:
    corpus = Corpus.from_continua({str(i): c for i, c in enumerate(found)})
    bound = bind(Combined(), corpus)
    rows = [
        best_groups_of_each(list(corpus.values()), bound, tuning=[BatchTuning(units=units)])
        for units in (10, 10_000)
    ]
    assert [a.disorder for a in rows[0]] == [b.disorder for b in rows[1]]


class _ByPlace:
    """Dissimilarity that depends on absolute positions, so that continua must not be moved."""

    def pairwise(self, u: UnitColumns, v: UnitColumns) -> Floats:
        return np.abs(u.start - v.start) / (1 + np.minimum(u.start, v.start))

    def reach(self, most: float) -> tuple[float, float]:
        return most * 100, 0.0


def test_a_custom_dissimilarity_is_never_moved() -> None:
    c = Continuum.from_columns(["A", "B"], ["x", "x"], [1, 4], [2, 5])
    bound = bind(_ByPlace(), c)
    for found in best_groups_of_each([c, c, c], bound):
        assert found.disorder == best_groups(c, bound).disorder == pytest.approx(1.5)


class _Interrupted:
    """Executor that runs only the start of the first part, as an interruption would."""

    def map(self, solve: Callable[[Any], Any], parts: list[Any]) -> Iterator[Any]:
        for i, part in enumerate(parts):
            yield solve(part).at(np.arange(1 if i == 0 else len(part)))


def test_the_part_after_an_interrupted_one_is_not_taken_for_its_rest() -> None:
    found = [
        Continuum.from_columns(["A", "B"], ["x", "x"], [k, k + 1.0], [k + 3, k + 4.0])
        for k in range(64)
    ]
    corpus = Corpus.from_continua({str(i): c for i, c in enumerate(found)})
    bound = bind(Combined(), corpus)
    kept = align_each(list(corpus.values()), bound, executor=cast(Executor, _Interrupted()))
    assert [a.continuum.starts[0] for a in kept] == [0]


def test_an_interrupt_keeps_every_crowded_continuum_that_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Crowded continua are aligned one by one, so that an interruption keeps those that
    are done.
    """
    rng = np.random.default_rng(0)
    starts = rng.uniform(0, 10, (5, 96))
    crowded = [
        Continuum.from_codes(
            tuple("ABCD"), ("x",), s, s + 5, np.arange(96) % 4, np.zeros(96, np.int32)
        )
        for s in starts
    ]
    bound, done = bind(Combined(), crowded[0]), []

    def aligned(*args: Any, **solving: Any) -> BestGroups:
        done.append(best_groups(*args, **solving))
        if len(done) == 2:
            signal.raise_signal(signal.SIGINT)
        return done[-1]

    monkeypatch.setattr(batch, "best_groups", aligned)
    with interruptible():
        found = best_groups_of_each(crowded, bound)
    assert [(f.disorder, f.bound, f.groups.tolist()) for f in found] == [
        (d.disorder, d.bound, d.groups.tolist()) for d in done
    ]
    assert [f.status for f in found] == ["optimal", "optimal"]
