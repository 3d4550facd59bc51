"""Panels: unequal annotators, schools that share errors, and copies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gammacp.bench.source import Shuffled
from gammacp.bench.sweep import Sweep, canonical
from gammacp.continuum import Continuum, Unit
from gammacp.errors import DataError, UsageError
from shuffling import (
    ERRORS,
    CategoryModel,
    Group,
    Panel,
    ReferenceModel,
    School,
    Uniform,
    check_error,
    read_panel,
    reference_set,
    shuffle,
    shuffled_set,
)
from shuffling.panel import magnitude_at
from shuffling.setting import poisson_quantile

MODEL = ReferenceModel()


def units(c: Continuum, number: int) -> list[tuple[float, float, int]]:
    rows = c.rows_of(f"annotator-{number}")
    columns = c.starts[rows], c.ends[rows], c.category_codes[rows]
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_a_panel_of_equals_is_the_number_of_annotators() -> None:
    for error in ("position", "split+category", "false-positive"):
        alone = shuffled_set(MODEL, error, 0.4, 3, index=2, seed=7)
        panel = shuffled_set(MODEL, error, 0.4, Panel((Group(count=3),)), index=2, seed=7)
        assert panel == alone


def test_each_annotator_errs_as_in_a_set_of_equals_with_that_magnitude() -> None:
    mixed = shuffled_set(MODEL, "position+category", 0.6, Panel.parse("2*0.1, 1*m,1*0.5*m"), seed=3)
    for number, magnitude in ((1, 0.1), (2, 0.1), (3, 0.6), (4, 0.3)):
        alone = shuffled_set(MODEL, "position+category", magnitude, 4, seed=3)
        assert units(mixed, number) == units(alone, number)


def test_copies_are_the_same_and_count_as_annotators() -> None:
    panel = Panel((Group(copies=3), Group(errors="category", magnitude=1.0)))
    made = shuffled_set(MODEL, "position", 0.5, panel, seed=1)
    assert made.n_annotators == panel.n_annotators == 4
    assert units(made, 1) == units(made, 2) == units(made, 3) != units(made, 4)


def test_a_school_shares_errors_that_nobody_else_has() -> None:
    reference = reference_set(MODEL, seed=4)
    panel = Panel(
        (Group(count=2, magnitude=0, school="blind"), Group(magnitude=0)),
        {"blind": School(errors="false-negative", magnitude=0.5)},
    )
    made = shuffle(reference, "position", 0.9, panel, seed=4)
    true = [unit[:2] for unit in units(made, 3)]
    assert true == list(zip(reference.starts.tolist(), reference.ends.tolist(), strict=True))
    assert units(made, 1) == units(made, 2)
    assert set(units(made, 1)) < set(units(made, 3))
    assert 0 < len(units(made, 1)) < 25
    # Members make errors of their own too, on the units that the school has left.
    erring = Panel((Group(count=2, school="blind"), Group()), panel.schools)
    own = shuffle(reference, "position", 0.2, erring, seed=4)
    assert len(units(own, 1)) == len(units(own, 2)) == len(units(made, 1))
    assert units(own, 1) != units(own, 2)


def test_another_school_changes_no_other_errors() -> None:
    one = Panel((Group(count=2, school="a"), Group()), {"a": School("false-negative", 0.3)})
    two = Panel(
        (*one.groups, Group(school="b")),
        {"b": School("category", 0.5), **one.schools},
    )
    first = shuffled_set(MODEL, "position", 0.3, one, seed=9)
    second = shuffled_set(MODEL, "position", 0.3, two, seed=9)
    assert [units(first, k) for k in (1, 2, 3)] == [units(second, k) for k in (1, 2, 3)]


def test_a_panel_file_has_the_fields_of_the_classes(tmp_path: Path) -> None:
    path = tmp_path / "panel.toml"
    path.write_text(
        '[[groups]]\ncount = 2\nmagnitude = 0.1\nerrors = "position"\nschool = "north"\n'
        '[[groups]]\nmagnitude = "0.5*m"\ncopies = 2\n'
        '[schools.north]\nerrors = "false-negative"\nmagnitude = "m"\n'
    )
    assert read_panel(path) == Panel(
        (Group(2, "position", 0.1, "north"), Group(magnitude="0.5*m", copies=2)),
        {"north": School("false-negative", "m")},
    )
    assert magnitude_at("0.5m", 0.4) == 0.2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("groups = []", "at least one group"),
        ("[[groups]]\ncount = 0", "count = 0"),
        ("[[groups]]\ncopies = 0", "copies = 0"),
        ("[[groups]]\nmagnitude = 1.5", "outside"),
        ("[[groups]]\n[[groups]]\nmagnitude = 1.5", "panel.toml: groups[1]: magnitude 1.5"),
        ("[[groups]]\nschool = 'a'\n[schools.a]\nmagnitude = 2", "schools.a: magnitude 2.0"),
        ('[[groups]]\nmagnitude = "x"', "neither a number nor m"),
        ('[[groups]]\nerrors = "shift"', "unknown"),
        ('[[groups]]\nschool = "a"', "school 'a' is unknown"),
        ("[[groups]]\n[schools.a]\nmagnitude = 0.1", "no group"),
        ("[[groups]]\nwho = 1", "who"),
        ("[[groups]]\ncount = 1.5", "count"),
        ("groups", "panel.toml"),
    ],
)
def test_an_invalid_panel_file_is_refused(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "panel.toml"
    path.write_text(text)
    with pytest.raises(DataError) as told:
        read_panel(path)
    assert why in str(told.value)


@pytest.mark.parametrize("text", ["", "3", "2*", "a*0.1", "0*0.1", "2*0.1,", "1*2", "1*-m"])
def test_an_invalid_short_form_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        Panel.parse(text)


def test_unused_fields_are_in_no_configuration() -> None:
    """Stores of sweeps from before these fields existed stay valid."""
    sweep = Sweep(source=Shuffled(named={"a": tuple(ERRORS[n]() for n in ERRORS)}), errors=("a",))
    plain = canonical(sweep.configuration)
    assert not [word for word in ("random", "order", "panel") if word in plain]
    panel = Panel.parse("2*0.1,1*m")
    named = {"a": (ERRORS["split"](random=True), ERRORS["position"](order=True))}  # type: ignore[call-arg]
    there = canonical(Sweep(source=Shuffled(named=named, panel=panel), errors=("a",)).configuration)
    assert all(word in there for word in ('"random": true', '"order": true', '"panel"'))


def test_a_source_with_a_panel_needs_its_number_of_annotators() -> None:
    source = Shuffled(panel=Panel.parse("2*0.1,1*m"))
    assert source.draw("split", 0.5, 0, n_annotators=3, seed=0).n_annotators == 3
    with pytest.raises(UsageError, match="panel has 3"):
        source.draw("split", 0.5, 0, n_annotators=4, seed=0)


# Random numbers of errors


def test_quantiles_are_those_of_the_poisson_distribution() -> None:
    from scipy.stats import poisson

    rng = np.random.default_rng(0)
    for mean in (0.01, 0.5, 3.0, 40.0, 300.0):
        for u in (*rng.random(50), 0.0, 1 - 1e-12):
            assert poisson_quantile(u, mean) == max(poisson.ppf(u, mean), 0)


@pytest.mark.parametrize(
    ("error", "sign", "mean"),
    [("split", 1, 20.0), ("false-positive", 1, 10.0), ("merge", -1, 10.0)],
)
def test_random_counts_have_mean_and_variance_of_poisson(
    error: str, sign: int, mean: float
) -> None:
    made = [
        sign * (shuffled_set(MODEL, f"{error}:random=true", 0.4, 1, index=k).n_units - 25)
        for k in range(200)
    ]
    spread = np.sqrt(mean / 200)
    assert np.mean(made) == pytest.approx(mean, abs=4 * spread)
    assert np.var(made) == pytest.approx(mean, rel=0.4)
    fixed = {shuffled_set(MODEL, error, 0.4, 1, index=k).n_units for k in range(5)}
    assert fixed == {25 + sign * mean}


def test_random_errors_include_those_of_smaller_magnitudes() -> None:
    for error in ("false-positive", "merge", "split"):
        counts = [
            shuffled_set(MODEL, f"{error}:random=true", m, 1, seed=5).n_units
            for m in np.linspace(0, 1, 11)
        ]
        assert counts[0] == 25
        assert counts in (sorted(counts), sorted(counts, reverse=True))
    fewer, more = (
        set(units(shuffled_set(MODEL, "false-positive:random=true", m, 1, seed=5), 1))
        for m in (0.3, 0.6)
    )
    assert fewer < more


# Order, opposed labels, complements


def test_units_that_keep_their_order_still_move() -> None:
    reference = reference_set(MODEL, seed=2)
    free, kept = (
        shuffle(reference, error, 1.0, 5, seed=2) for error in ("position", "position:order=true")
    )
    codes = reference.category_codes.tolist()
    assert all([u[2] for u in units(kept, k)] == codes for k in range(1, 6))
    assert not all([u[2] for u in units(free, k)] == codes for k in range(1, 6))
    assert [u[:2] for u in units(kept, 1)] != [u[:2] for u in units(kept, 2)]
    for error in ("position:order=true,overlap=true", "position:order=true,keep-lengths=true"):
        with pytest.raises(UsageError, match="order does not go with"):
            shuffle(reference, error, 1.0)
    overlapping = Continuum.from_units([Unit("r", 0, 10, "a"), Unit("r", 5, 15, "a")])
    with pytest.raises(DataError, match="do not overlap"):
        shuffle(overlapping, "position:order=true", 1.0)
    check_error(ERRORS["position"](order=True), keeps=("count",))  # type: ignore[call-arg]


def test_opposed_labels_by_hand() -> None:
    names = "abcde"
    model = ReferenceModel(
        categories=tuple(
            CategoryModel(name=n, prevalence=0.2, lengths=Uniform(5, 9)) for n in names
        )
    )
    reference = Continuum.from_units(
        [Unit("r", 10 * k, 10 * k + 5, n) for k, n in enumerate((*"edcba", None))]
    )
    made = shuffle(reference, "opposed", 1.0, 1, model=model)
    labels = [None if k < 0 else made.categories[k] for k in made.category_codes]
    assert labels == ["a", "b", "c", "d", "e", None]
    twice = shuffle(reference, "opposed+opposed", 1.0, 1, model=model)
    assert twice.category_codes.tolist() == reference.category_codes.tolist()
    some = shuffled_set(MODEL, "opposed", 0.3, 40)
    truth = np.tile(reference_set(MODEL).category_codes, 40)
    assert (some.category_codes != truth).mean() == pytest.approx(0.3, abs=0.06)


def test_a_complement_by_hand() -> None:
    reference = Continuum.from_units(
        [Unit("r", 5, 10, "a"), Unit("r", 10, 14, "b"), Unit("r", 20, 25, "c")], bounds=(0, 30)
    )
    made = shuffle(reference, "complement", 1.0, 1)
    spans = zip(made.starts.tolist(), made.ends.tolist(), strict=True)
    labels = [made.categories[k] for k in made.category_codes]
    assert list(zip(spans, labels, strict=True)) == [
        ((0, 5), "a"),
        ((14, 20), "b"),
        ((25, 30), "c"),
    ]


@pytest.mark.parametrize("layout", ["apart", "overlapping", "fixed"])
def test_a_complement_covers_everything_outside_units(layout: str) -> None:
    for seed in range(5):
        reference = reference_set(MODEL.laid_out(layout), seed=seed)
        made = shuffle(reference, "complement", 1.0, 1, seed=seed)
        low, high = (int(b) for b in reference.bounds)

        def covered(c: Continuum, low: int = low, high: int = high) -> np.ndarray:
            places = np.zeros(high - low, int)
            for start, end in zip(c.starts.astype(int), c.ends.astype(int), strict=True):
                places[start - low : end - low] += 1
            return places

        assert ((covered(reference) > 0) == (covered(made) == 0)).all()
        assert covered(made).max() <= 1
    some = shuffle(reference, "complement", 0.4, 20, seed=1)
    assert some.n_units != made.n_units


def test_segmentations_and_fragments_have_no_complement() -> None:
    covering = reference_set(MODEL.laid_out("covering"))
    with pytest.raises(DataError, match="no gaps"):
        shuffle(covering, "complement", 0.5, model=MODEL.laid_out("covering"))
