"""Values of Fournier & Inkpen (2012): Table 2 for the chapters that ship, and the examples."""

from __future__ import annotations

import pytest

from gammacp.segmentation import (
    CodingAgreement,
    Criterion,
    Mode,
    Segmentation,
    boundary_similarity,
    coding_agreement,
    load_codings,
    segmentation_similarity,
    window_diff,
)

masses = Segmentation.from_masses

# Table 2, p. 160, by chapter: π*, κ*, B, 1−WD, its deviation, |c|, |b|, m.
TABLE_2 = {
    1: (0.7452, 0.7463, 0.0039, 0.6641, 0.1307, 4, 13, 13),
    2: (0.8839, 0.8840, 0.0009, 0.7619, 0.1743, 6, 20, 15),
    3: (0.8338, 0.8340, 0.0013, 0.6732, 0.1559, 4, 23, 38),
    4: (0.8414, 0.8417, 0.0019, 0.6019, 0.2245, 4, 25, 46),
    5: (0.8773, 0.8774, 0.0003, 0.6965, 0.1106, 6, 34, 42),
    8: (0.8495, 0.8496, 0.0006, 0.7505, 0.0911, 6, 48, 39),
    10: (0.9077, 0.9078, 0.0002, 0.7729, 0.0770, 6, 56, 83),
    11: (0.8130, 0.8135, 0.0022, 0.6189, 0.1294, 4, 73, 111),
}
# Full and near misses per chapter are from an independent implementation.
MISSES = {
    1: (13, 4),
    2: (16, 7),
    3: (33, 3),
    4: (37, 5),
    5: (50, 24),
    8: (62, 20),
    10: (104, 8),
    11: (105, 15),
}


@pytest.fixture(scope="module")
def published() -> CodingAgreement:
    return coding_agreement(load_codings("moonstone"), comparison=Criterion(mode=Mode.PUBLISHED))


@pytest.mark.parametrize("chapter", TABLE_2)
def test_every_cell_of_table_2(published: CodingAgreement, chapter: int) -> None:
    item = published.items[f"ch{chapter}"]
    row = item
    rounded = [
        round(x, 4)
        for x in (
            item.coefficients.pi,
            item.coefficients.kappa,
            item.coefficients.bias,
            *item.windowdiff[:2],
        )
    ]
    counts = (len(row.group.coders), row.boundaries, row.mass)
    assert (*rounded, *counts) == TABLE_2[chapter]
    assert (row.full, row.near) == MISSES[chapter]


def test_the_equations_differ_from_the_table() -> None:
    agreement = coding_agreement(load_codings("moonstone")).items["ch1"]
    assert round(agreement.coefficients.pi, 4) == 0.7553
    # In eq. 8, |boundaries| counts boundaries: 1 + 4 + 1 + 3.
    assert agreement.boundaries == 9


def test_the_coder_groups_of_the_corpus(published: CodingAgreement) -> None:
    assert [g.group.items for g in published.groups] == [
        ("ch1", "ch3", "ch4", "ch11"),
        ("ch2", "ch5", "ch8", "ch10"),
    ]


def test_figure_3() -> None:
    a, b = masses([1, 2, 2, 3, 3, 1, 2]), masses([1, 2, 1, 2, 6, 2])
    assert round(segmentation_similarity(a, b).value, 4) == 0.6923
    # p. 157 prints 1 − WD = .6154 for k = 2, with windows of one potential boundary as in Table 2.
    assert round(1 - window_diff(a, b, k=1), 4) == 0.6154


def test_figures_6_to_8() -> None:
    """Full misses have 1−WD .8462 and S .8461 (11/13), and a near miss has S .9231 (page 158)."""
    full = masses([1, 2, 2, 2, 4, 2, 1]), masses([1, 2, 8, 2, 1])
    assert segmentation_similarity(*full).value == pytest.approx(11 / 13)
    near = masses([6, 8]), masses([7, 7])
    assert round(segmentation_similarity(*near).value, 4) == 0.9231
    # The WD values are those of the published mode: k = 4 and 11 windows of 3 potential boundaries,
    # two of them wrong.
    assert round(1 - window_diff(*near, k=3), 4) == 0.8182
    assert round(1 - window_diff(*full, k=1), 4) == 0.8462
    extreme = masses([14]), masses([1] * 14)
    assert segmentation_similarity(*extreme).value == 0
    assert window_diff(*extreme) == 1


def test_b_is_strict_where_s_is_lenient() -> None:
    """If one of two boundaries is missing, B is a half at any mass (Fournier 2013)."""
    long = masses([200, 300, 600]), masses([500, 600])
    assert boundary_similarity(*long).value == 0.5
    assert segmentation_similarity(*long).value > 0.999
