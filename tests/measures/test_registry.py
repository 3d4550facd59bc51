import numpy as np
import pytest

from gammacp import Continuum, Unit, UsageError, measure
from gammacp.continuum.needs import Need, require, unmet_need
from gammacp.continuum.selecting import keep_categories
from gammacp.measures.evaluation import measure_each
from gammacp.measures.registry import MEASURES, Measure, register

CONTINUUM = Continuum.from_units([Unit("A", 0, 4, "a"), Unit("A", 3, 6, "b"), Unit("B", 0, 4, "a")])


def test_inapplicable_measures_are_skipped_with_the_reason() -> None:
    scores = measure(CONTINUUM, ["u-alpha", "cu-alpha", "alpha", "ser"])
    assert list(scores) == ["u-alpha", "cu-alpha", "alpha", "ser"]
    assert scores["u-alpha"].reason == "unit 3-6 of A overlaps unit 0-4 of A"
    assert scores["alpha"].reason == "unit 0-4 of A and unit 3-6 of A overlap in different places"
    assert scores["ser"].defined


def test_bad_data_for_one_measure_do_not_affect_others() -> None:
    scores = measure(CONTINUUM, ["cu-alpha", "ser"], metric="interval")
    assert scores["cu-alpha"].reason is not None
    assert scores["cu-alpha"].reason.startswith("category 'a' is not a number")
    assert scores["ser"].defined


def test_one_annotator_or_no_unit_is_undefined_among_several() -> None:
    for c in (
        Continuum.from_units([Unit("A", 0, 4, "a")]),
        Continuum.from_units([], annotators=["A", "B"]),
        Continuum.from_units([]),
    ):
        for name, score in measure(c, ours()).items():
            assert np.isnan(score.value), name
            assert score.reason, name


def test_scores_of_equal_measurements_are_equal() -> None:
    """This includes scores with arrays, alignments, and NaN with a reason."""
    names = [n for n, m in MEASURES.items() if m.applies_to == "continuum"]
    segments = [Unit(x, k, k + 1, "ab"[k % 2]) for x in "AB" for k in range(4)]
    for c in (CONTINUUM, Continuum.from_units([*segments, Unit("B", 4, 6, "a")])):
        first, again, other = (measure(c, names, seed=seed, samples=10) for seed in (1, 1, 2))
        assert first == again
        assert list(map(hash, first.values())) == list(map(hash, again.values()))
        assert first["gamma"] != other["gamma"]
        assert first["gamma"] != first["ser"]


def ours() -> list[str]:
    return [
        name
        for name, m in MEASURES.items()
        if m.function.__module__.rpartition(".")[2]
        in {
            "krippendorff",
            "krippendorff_2013",
            "discretised",
            "slot_error_rate",
            "f1",
            "predefined",
        }
    ]


def test_options_are_passed_to_measures_that_have_them() -> None:
    scores = measure(keep_categories(CONTINUUM, ["a"]), ["kappa-d", "ser"], coefficient="cohen")
    assert "coefficient:cohen" in scores["kappa-d"].signature


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (["ser"], {"metric": "nominal"}, "metric is an option of none of: ser"),
        (["kappa-d"], {"coefficient": "scott"}, "coefficient 'scott' is unknown"),
        (["cu-alpha"], {"metric": "ordinal"}, "metric 'ordinal' is unknown"),
        (["u-alpha"], {"atom": -1.0}, "atom -1 is not a length"),
        (["u-alpha"], {"bootstrap": -1}, "bootstrap -1 < 0"),
        (["u-alfa"], {}, "did you mean 'u-alpha'"),
    ],
)
def test_wrong_usage(names: list[str], options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        measure(keep_categories(CONTINUUM, ["a"]), names, **options)


def test_a_name_cannot_be_registered_twice() -> None:
    taken = MEASURES["ser"]
    assert register(taken) is taken
    other = Measure(name="ser", summary="", reference="", function=measure)
    with pytest.raises(UsageError, match="registered already"):
        register(other)


def test_every_measure_has_a_description() -> None:
    for name, m in MEASURES.items():
        assert m.name == name
        assert m.summary, name
        assert m.reference, name
        assert m.range, name
        assert m.function.__doc__, name


def test_scores_come_one_by_one() -> None:
    first, _ = next(measure_each(CONTINUUM, ["ser", "u-alpha"]))
    assert first == "ser"


@pytest.mark.parametrize(
    ("units", "need", "reason"),
    [
        ([Unit("A", 0, 4, None)], Need.CATEGORIES, "unit 0-4 of A has no category"),
        ([Unit("A", 0, 4, "a"), Unit("A", 2, 5, "a")], Need.NO_OVERLAP, "unit 2-5 of A overlaps"),
        ([Unit("A", 0, 4.5, "a")], Need.INTEGERS, "unit 0-4.5 of A has a position"),
        ([Unit("A", 0, 4, "a"), Unit("A", 5, 6, "a")], Need.FULL_COVERING, "gap between 4 and 5"),
        ([Unit("A", 0, 4, "a"), Unit("A", 3, 6, "a")], Need.FULL_COVERING, "overlap between 4"),
        ([Unit("A", 0, 4, "a"), Unit("B", 0, 5, "a")], Need.PREDEFINED, "at different places"),
        ([Unit("A", 0, 4, "a")], Need.TWO_ANNOTATORS, "1 annotators"),
    ],
)
def test_unmet_needs_have_a_reason(units: list[Unit], need: Need, reason: str) -> None:
    found = unmet_need(Continuum.from_units(units), [need])
    assert found is not None
    assert found.startswith(reason) or reason in found


def test_needs_that_are_met() -> None:
    c = Continuum.from_units([Unit(n, s, s + 2, "a") for n in "AB" for s in (0, 2)])
    assert unmet_need(c, Need) is None
    require(c, Need)
