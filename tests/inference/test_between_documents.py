"""Test of differences of γ between documents, against scipy's analysis of variance."""

import math

import numpy as np
import pytest
from scipy.stats import f_oneway

from gammacp.inference.between_documents import p_of_equal_documents
from gammacp.inference.contributions import ALIGNMENTS, Contributions


def parts(observed: list[float], expected: list[float]) -> Contributions:
    return Contributions(np.array(observed), np.array(expected), ALIGNMENTS)


def test_p_is_that_of_an_analysis_of_variance_of_the_deviations() -> None:
    rng = np.random.default_rng(1)
    documents = []
    for number in (3, 8, 12, 1, 5):
        expected = rng.choice([1 / 3, 2 / 3, 1.0], number)
        documents.append(parts((rng.gamma(1, 0.3, number) * expected).tolist(), expected.tolist()))
    # The γ of all documents is given away by the deviations, which sum to 0.
    theta = sum(d.observed.sum() for d in documents) / sum(d.expected.sum() for d in documents)
    deviations = [d.observed - theta * d.expected for d in documents]
    assert sum(x.sum() for x in deviations) == pytest.approx(0)
    assert p_of_equal_documents(documents) == pytest.approx(f_oneway(*deviations).pvalue)


def test_equal_documents_are_told_apart_in_one_of_twenty() -> None:
    rng = np.random.default_rng(2)
    found = [
        p_of_equal_documents(
            [parts(rng.exponential(0.3, 12).tolist(), [1.0] * 12) for _ in range(10)]
        )
        for _ in range(400)
    ]
    assert 0.02 < np.mean(np.array(found) <= 0.05) < 0.08


def test_too_little_to_test() -> None:
    assert math.isnan(p_of_equal_documents([parts([0.1, 0.2], [1, 1])]))
    assert math.isnan(p_of_equal_documents([parts([0.1], [1]), parts([0.4], [1])]))
    assert math.isnan(p_of_equal_documents([parts([0.2, 0.2], [1, 1]), parts([0.2] * 3, [1] * 3)]))
