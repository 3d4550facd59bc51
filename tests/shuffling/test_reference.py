from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gammacp import Continuum, Corpus, DataError, Unit
from gammacp.continuum.selecting import keep_annotators
from shuffling import (
    CategoryModel,
    Empirical,
    Layout,
    ReferenceModel,
    Uniform,
    fit,
    reference_of,
    reference_set,
    shuffle,
)

seeds = st.integers(0, 999)


def only(lengths: Uniform | Empirical, prevalence: float = 1) -> tuple[CategoryModel, ...]:
    return (CategoryModel(name="a", prevalence=prevalence, lengths=lengths),)


def gaps_of(reference: Continuum) -> np.ndarray:
    lo, hi = reference.bounds
    gaps: np.ndarray = np.append(reference.starts, hi) - np.append(lo, reference.ends)
    return gaps


def test_the_default_model_is_that_of_the_papers() -> None:
    """Mathet et al. 2015, §6.3, has four categories with given prevalences; 25 units are
    from 2011.
    """
    reference = reference_set(ReferenceModel())
    assert reference.annotators == ("reference",)
    assert reference.n_units == 25
    assert reference.categories == ("A", "B", "C", "D")


@settings(max_examples=40, deadline=None)
@given(
    seeds,
    st.integers(1, 12),
    st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted),
    st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted),
    st.booleans(),
)
def test_draws_keep_to_the_model(
    seed: int, n_units: int, lengths: list[int], gaps: list[int], integer: bool
) -> None:
    model = ReferenceModel(
        n_units=n_units,
        categories=only(Uniform(*lengths)),
        gaps=Uniform(*gaps),
        integer=integer,
    )
    reference = reference_set(model, seed=seed)
    assert reference.n_units == n_units
    between = gaps_of(reference)
    assert (between >= gaps[0] - 1e-9).all() and (between <= gaps[1] + 1e-9).all()
    sizes = reference.lengths
    assert (sizes >= lengths[0] - 1e-9).all() and (sizes <= lengths[1] + 1e-9).all()
    assert not integer or not (reference.starts % 1).any()


@settings(max_examples=40, deadline=None)
@given(
    seeds, st.integers(1, 12), st.integers(0, 40), st.sampled_from(["apart", "covering"]),
    st.booleans(),
)  # fmt: skip
def test_a_given_total_length_is_filled(
    seed: int, n_units: int, spare: int, layout: str, integer: bool
) -> None:
    total = n_units * 10 + (n_units + 1) * 2 + min(spare, n_units * 8)
    model = ReferenceModel(
        n_units=n_units,
        categories=only(Uniform(10, 30)),
        gaps=Uniform(2, 9),
        layout=Layout(layout),
        length=total,
        integer=integer,
    )
    reference = reference_set(model, seed=seed)
    assert reference.bounds == (0, total)
    assert (reference.lengths >= 10 - 1e-9).all()
    assert (reference.lengths <= 30 + 1e-9).all()
    assert not integer or not (reference.starts % 1).any()
    if layout == "apart":
        assert (gaps_of(reference) >= 2 - 1e-9).all()
    else:
        assert not gaps_of(reference).any()


def test_prevalence_and_lengths_of_many_units() -> None:
    model = ReferenceModel(
        n_units=8000,
        categories=(
            CategoryModel(name="a", prevalence=0.7, lengths=Uniform(1, 3)),
            CategoryModel(name=None, prevalence=0.3, lengths=Empirical((10, 10, 40))),
        ),
    )
    reference = reference_set(model)
    assert reference.categories == ("a",)
    unlabelled = reference.category_codes < 0
    assert unlabelled.mean() == pytest.approx(0.3, abs=0.02)
    assert np.bincount(reference.lengths[~unlabelled].astype(int))[1:] / 5600 == pytest.approx(
        np.full(3, 1 / 3), abs=0.03
    )
    assert (reference.lengths[unlabelled] == 10).mean() == pytest.approx(2 / 3, abs=0.04)


def test_fixed_units_are_the_same_in_every_draw() -> None:
    model = ReferenceModel().fixed()
    first, second = (reference_set(model, index=i) for i in range(2))
    assert np.array_equal(first.starts, second.starts)
    assert np.array_equal(first.ends, second.ends)
    assert set(first.lengths) == {100}
    assert set(gaps_of(first)) == {25}
    assert not np.array_equal(first.category_codes, second.category_codes)
    assert set(reference_set(ReferenceModel().fixed(length=7, gap=0)).lengths) == {7}


def test_overlapping_units_stay_inside_the_bounds() -> None:
    model = ReferenceModel(gaps=Uniform(-200, 60), layout=Layout.OVERLAPPING, length=900)
    reference = reference_set(model)
    assert reference.bounds == (0, 900)
    assert (reference.starts[1:] < reference.ends[:-1]).any()
    free = reference_set(replace(model, length=None))
    assert free.bounds[0] == 0
    shuffled = shuffle(free, "position+false-positive", 1, model=replace(model, length=None))
    assert shuffled.bounds == free.bounds


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"n_units": 0}, "units = 0"),
        ({"categories": ()}, "categories: there are none"),
        ({"categories": only(Uniform(1, 2), 0.9)}, "prevalences sum to 0.9, not to 1"),
        ({"categories": only(Uniform(1, 2), 1.5)}, "categories.a: prevalence 1.5 is outside"),
        ({"categories": only(Uniform(-1, 2))}, "categories.a: minimum length -1 < 0"),
        ({"categories": only(Uniform(1, 2)) * 2}, "'a' is declared twice"),
        ({"categories": only(Uniform(1.5, 2))}, "categories.a: values are not all whole"),
        ({"gaps": Uniform(-3, 2)}, "gaps: minimum -3 < 0 makes units overlap"),
        ({"gaps": Uniform(0, 2.5)}, "gaps: values are not all whole"),
        ({"length": 100}, "units do not fit: 25 units of categories.A .* need 1250"),
        ({"length": 99.5}, "length = 99.5 is not whole"),
        ({"length": 9000, "layout": Layout.COVERING}, "units do not cover: .* at most 3750"),
        ({"length": 90, "layout": Layout.OVERLAPPING}, "maximum length 150 does not fit"),
        ({"layout": Layout.FIXED}, "categories have different lengths"),
        (
            {"layout": Layout.FIXED, "categories": only(Uniform(5, 5))},
            "gaps: minimum and maximum differ",
        ),
    ],
)
def test_contradictory_models_are_refused(keys: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        ReferenceModel(**keys)  # type: ignore[arg-type]


@pytest.mark.parametrize("bounds", [(3, 2), (0, float("inf"))])
def test_contradictory_ranges_are_refused(bounds: tuple[float, float]) -> None:
    with pytest.raises(DataError, match=r"minimum 3 > maximum 2|not finite"):
        Uniform(*bounds)


@pytest.mark.parametrize("values", [(), (1, float("nan"))])
def test_bad_observed_values_are_refused(values: tuple[float, ...]) -> None:
    with pytest.raises(DataError, match=r"empty|not finite"):
        Empirical(values)


def test_fit_learns_what_was_annotated() -> None:
    c = Continuum.from_units(
        [
            Unit("Ann", 12, 20, "x"),
            Unit("Ann", 25, 30, "y"),
            Unit("Bob", 10, 18, "x"),
            Unit("Bob", 26, 30, None),
        ],
        bounds=(10, 40),
        categories=["z"],
    )
    model = fit(c)
    assert model.n_units == 2
    assert model.layout is Layout.APART
    assert model.integer
    assert model.gaps == Empirical((0, 2, 5, 8, 10, 10))
    shares = {k.name: (k.prevalence, k.lengths) for k in model.categories}
    assert shares["x"] == (0.5, Empirical((8, 8)))
    assert shares["y"] == (0.25, Empirical((5,)))
    assert shares[None] == (0.25, Empirical((4,)))
    assert shares["z"][0] == 0
    assert model.category_names == ("z", "x", "y")


def test_fit_of_a_drawn_corpus_recovers_the_model() -> None:
    truth = ReferenceModel(n_units=40)
    drawn = {str(i): reference_set(truth, index=i) for i in range(60)}
    model = fit(Corpus.from_continua(drawn))
    assert model.n_units == 40
    assert model.layout is Layout.APART
    assert model.prevalence == pytest.approx(truth.prevalence, abs=0.04)
    assert model.gaps.mean == pytest.approx(25, abs=1.5)
    for category in model.categories:
        assert category.lengths.mean == pytest.approx(100, abs=6)
    assert fit(drawn.values()) == model


def test_fit_finds_overlaps_segmentations_and_fractions() -> None:
    overlapping = Continuum.from_units([Unit("A", 0, 9, "x"), Unit("A", 3, 5, "x")], bounds=(0, 20))
    model = fit(overlapping)
    assert (model.layout, model.length) == (Layout.OVERLAPPING, 20)
    assert model.gaps.minimum == -6
    tiled = Continuum.from_units([Unit("A", 0, 9.5), Unit("A", 9.5, 20), Unit("B", 0, 20)])
    segmentation = fit(tiled)
    assert (segmentation.layout, segmentation.integer) == (Layout.COVERING, False)
    with pytest.raises(DataError, match="not all whole"):
        fit(tiled, integer=True)
    with pytest.raises(DataError, match="no unit"):
        fit(Continuum.from_units([], annotators=["A"]))
    with pytest.raises(DataError, match="no continuum"):
        fit([])


@pytest.mark.filterwarnings("ignore::shuffling.FewerErrors")
@settings(max_examples=25, deadline=None)
@example([(31, 0)], 365, 0.1)
@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 30)), min_size=1, max_size=8),
    seeds,
    st.sampled_from([1, 0.1]),
)
def test_a_fitted_model_can_be_drawn_from_and_shuffled(
    spans: list[tuple[int, int]], seed: int, scale: float
) -> None:
    units = [Unit("A", s * scale, (s + n) * scale, "x") for s, n in spans]
    model = fit(Continuum.from_units(units))
    reference = reference_set(model, seed=seed)
    assert reference.n_units == len(units)
    shuffle(reference, "position+split+false-positive+merge", 0.7, model=model, seed=seed)


def test_the_reference_of_a_continuum_is_one_annotator() -> None:
    c = Continuum.from_units([Unit("A", 2, 3, "x"), Unit("B", 5, 9, "y")], annotators=["C"])
    assert list(reference_of(c, "B")) == [Unit("B", 5, 9, "y")]
    assert reference_of(c, "B").bounds == (2, 9)
    assert list(reference_of(keep_annotators(c, ["A"]))) == [Unit("A", 2, 3, "x")]
    with pytest.raises(DataError, match="Name one of: C, A, B"):
        reference_of(c)
    with pytest.raises(DataError, match="'D' does not occur"):
        reference_of(c, "D")
    with pytest.raises(DataError, match="'C' has no unit"):
        reference_of(c, "C")
