"""WindowDiff and P_k: worked values, nltk, and windows one by one."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.metrics import segmentation as nltk

from gammacp.errors import DataError, UsageError
from gammacp.segmentation import (
    Codings,
    Criterion,
    Mode,
    Segmentation,
    pk,
    window_diff,
    window_size,
)
from gammacp.segmentation.measures.rows import compare_rows
from gammacp.segmentation.measures.windows import WINDOWS

masses = Segmentation.from_masses


@st.composite
def pairs(draw: st.DrawFn, largest: int = 40) -> tuple[Segmentation, Segmentation]:
    mass = draw(st.integers(1, largest))
    places = st.sets(st.integers(1, mass - 1)) if mass > 1 else st.just(set())
    return tuple(Segmentation.from_positions(draw(places), mass=mass) for _ in range(2))


@pytest.mark.parametrize(
    ("reference", "hypothesis", "k", "wd", "p"),
    [
        ([2, 3, 6], [5, 6], 2, Fraction(2, 9), Fraction(2, 9)),
        ([2, 3, 6], [1, 1, 3, 1, 5], 2, Fraction(1, 3), Fraction(1, 9)),
        ([5, 6], [11], 3, Fraction(3, 8), Fraction(3, 8)),
    ],
)
def test_worked_values(
    reference: list[int], hypothesis: list[int], k: int, wd: Fraction, p: Fraction
) -> None:
    ref, hyp = masses(reference), masses(hypothesis)
    assert window_size(ref) == k
    assert window_diff(ref, hyp) == pytest.approx(float(wd))
    assert pk(ref, hyp) == pytest.approx(float(p))


def test_halves_round_up() -> None:
    # N/(2·segments) is exactly 5/2; rounding half to even would give 2.
    assert window_size(masses([5, 5])) == 3
    assert window_size(masses([1] * 10)) == 2


@settings(max_examples=100, deadline=None)
@given(pairs(), st.integers(1, 12))
def test_values_are_those_of_nltk(pair: tuple[Segmentation, Segmentation], k: int) -> None:
    ref, hyp = pair
    if ref.mass <= k:
        assert math.isnan(window_diff(ref, hyp, k=k))
        assert math.isnan(pk(ref, hyp, k=k))
        return
    # nltk's strings have one character per potential boundary.
    strings = ref.to_string(), hyp.to_string()
    assert window_diff(ref, hyp, k=k) == pytest.approx(nltk.windowdiff(*strings, k))
    assert pk(ref, hyp, k=k) == pytest.approx(nltk.pk(*strings, k))


def test_a_thousand_random_cases_equal_nltk() -> None:
    rng = np.random.default_rng(0)
    for _ in range(1000):
        mass = int(rng.integers(3, 120))
        strings = ["".join(rng.choice(["0", "1"], mass - 1, p=[0.8, 0.2])) for _ in range(2)]
        ref, hyp = (Segmentation.from_string(s) for s in strings)
        k = window_size(ref)
        assert window_diff(ref, hyp) == pytest.approx(nltk.windowdiff(*strings, k))
        assert pk(ref, hyp) == pytest.approx(nltk.pk(*strings, k))


def counted(ref: Segmentation, hyp: Segmentation, k: int) -> tuple[float, float]:
    """Count padded windows one by one, on segment labels with k phantom units at both ends."""
    labels = []
    for s in (ref, hyp):
        inner = [i for i, mass in enumerate(s.masses) for _ in range(mass)]
        labels.append([inner[0]] * k + inner + [inner[-1]] * k)
    wd = p = 0
    windows = ref.mass + k
    for i in range(windows):
        counts = [sum(row[j] != row[j + 1] for j in range(i, i + k)) for row in labels]
        wd += counts[0] != counts[1]
        p += (counts[0] > 0) != (counts[1] > 0)
    return wd / windows, p / windows


@settings(max_examples=60, deadline=None)
@given(pairs(20), st.integers(1, 25))
def test_padding_gives_each_boundary_k_windows(
    pair: tuple[Segmentation, Segmentation], k: int
) -> None:
    ref, hyp = pair
    wd, p = counted(ref, hyp, k)
    assert window_diff(ref, hyp, k=k, padded=True) == pytest.approx(wd)
    assert pk(ref, hyp, k=k, padded=True) == pytest.approx(p)


def test_padding_removes_the_bias_of_the_ends() -> None:
    whole = masses([20])
    at_the_edge, inside = masses([1, 19]), masses([10, 10])
    assert window_diff(whole, at_the_edge, k=4) < window_diff(whole, inside, k=4)
    assert window_diff(whole, at_the_edge, k=4, padded=True) == window_diff(
        whole, inside, k=4, padded=True
    )


def test_too_short_for_a_window_is_undefined() -> None:
    assert math.isnan(window_diff(masses([2]), masses([1, 1])))
    assert window_diff(masses([3]), masses([1, 2])) == 1.0


def test_bad_calls() -> None:
    with pytest.raises(DataError, match="masses 4 and 5"):
        window_diff(masses([4]), masses([5]))
    with pytest.raises(UsageError, match="k 0 < 1"):
        pk(masses([4]), masses([4]), k=0)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "of_nltk", "segeval", "padded"),
    [  # segeval 2.0.11: window_diff(hypothesis, reference), and with lamprier_et_al_2007_fix
        ([3, 8, 1, 5, 2, 1, 2], [1, 3, 5, 2, 5, 6], 0.6, 0.6, 0.52),
        ([8, 2, 1, 2, 4], [3, 2, 5, 2, 1, 2, 2], 2 / 3, 2 / 3, 0.5),
        ([2, 2, 1, 1, 2, 2, 2, 2, 3, 3, 2, 6], [2, 2, 2, 5, 3, 1, 3, 5, 2, 2, 1],
         13 / 27, 17 / 26, 18 / 31),
        ([3, 3, 8, 2], [1, 8, 3, 1, 3], 5 / 7, 5 / 7, 11 / 19),
        ([5, 1, 8, 3, 3, 1, 1], [1, 2, 3, 8, 8], 0.45, 0.45, 0.44),
    ],
)  # fmt: skip
def test_other_variants_of_windowdiff(
    reference: list[int], hypothesis: list[int], of_nltk: float, segeval: float, padded: float
) -> None:
    a, b = Segmentation.from_masses(reference), Segmentation.from_masses(hypothesis)
    want = {"nltk": of_nltk, "segeval": segeval, "segeval-lamprier": padded}
    for name, value in want.items():
        assert window_diff(a, b, variant=name) == pytest.approx(value)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_windowdiff_of_a_corpus_and_nltk(data: st.DataObject) -> None:
    mass = data.draw(st.integers(2, 25))
    places = st.sets(st.integers(1, mass - 1), max_size=8)
    a, b = (Segmentation.from_positions(data.draw(places), mass=mass) for _ in range(2))
    for name in WINDOWS:
        k = int(WINDOWS[name].size(mass, a.n_segments))
        want = window_diff(a, b, variant=name)
        assert k or math.isnan(want)
        pairs = compare_rows(Codings.of({"i": {"a": a, "b": b}}).rows(), Criterion(windows=name))
        assert pairs.values["windowdiff"][0, 0] == pytest.approx(1 - want, nan_ok=True)
        if name == "nltk" and 0 < k < mass:
            assert want == pytest.approx(nltk.windowdiff(a.to_string(), b.to_string(), k))
    # By Lamprier et al., every boundary is in k windows of N + k.
    k = window_size(a)
    assert window_diff(a, b, variant="lamprier") == window_diff(a, b, k=k, padded=True)


def test_unknown_windowdiff() -> None:
    s = Segmentation.from_masses([2, 2])
    with pytest.raises(UsageError, match="windowdiff 'x' is unknown; there are: 2002, lamprier"):
        window_diff(s, s, variant="x")
    with pytest.raises(UsageError, match="mode 'published' has no windowdiff 'lamprier'"):
        Criterion(windows="lamprier", mode=Mode.PUBLISHED)
