"""Every pair of codings: segeval's values of B, and the single measures."""

from __future__ import annotations

import math

import pytest

from gammacp.segmentation import (
    Codings,
    Segmentation,
    load_codings,
    means,
    merge_codings,
    pairwise,
    window_diff,
)


@pytest.fixture(scope="module")
def stargazer() -> Codings:
    shipped = load_codings("hearst1997")
    hypotheses = Codings({"stargazer": shipped["stargazer_hypotheses"]}, shipped.types)
    return merge_codings([shipped.only(["stargazer"]), hypotheses])


def test_b_of_hypotheses_is_that_of_segeval(stargazer: Codings) -> None:
    # Values are from segeval 2.0.11, similarity/boundary_test.py, test_b_datasets.
    want = {("1", "h1"): 4 / 7, ("1", "h2"): 7 / 18, ("2", "h1"): 3 / 7, ("2", "h2"): 1 / 3}
    b_by_pair = {(row.reference, row.hypothesis): row.values["b"] for row in pairwise(stargazer)}
    assert {pair: b_by_pair[pair] for pair in want} == pytest.approx(want)
    assert len(b_by_pair) == 9 * 8


def test_precision_and_recall_are_not_confused(stargazer: Codings) -> None:
    row = next(r for r in pairwise(stargazer) if (r.reference, r.hypothesis) == ("1", "2"))
    a, b = stargazer["stargazer"]["1"], stargazer["stargazer"]["2"]
    # There are three full matches and half of a near one; one more boundary in the second, two in
    # the first.
    assert (row.full, row.near, a.n_boundaries, b.n_boundaries) == (3, 1, 6, 5)
    assert row.values["precision"] == pytest.approx(3.5 / (3.5 + 1))
    assert row.values["recall"] == pytest.approx(3.5 / (3.5 + 2))
    assert row.values["windowdiff"] == 1 - window_diff(a, b)


def test_means_count_undefined_values() -> None:
    coders = {"a": Segmentation.from_masses([3, 3]), "b": Segmentation.from_masses([6])}
    rows = pairwise(Codings.of({"x": coders}))
    assert [math.isnan(row.values["precision"]) for row in rows] == [True, False]
    mean_values = means(rows)
    assert mean_values["precision"] == (0, 0, 1)
    assert mean_values["f"] == (0, 0, 0)
    assert mean_values["s"] == pytest.approx((0.8, 0, 0))
    assert math.isnan(means([])["s"][0])
