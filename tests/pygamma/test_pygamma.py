"""The mirror of pygamma-agreement: its numbers, and its behaviour test by test."""

# ruff: noqa: NPY002
from __future__ import annotations

import math
import re
import sys
import tomllib
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyannote.core import Annotation, Segment, Timeline
from sortedcontainers import SortedSet

import gammacp
import gammacp.pygamma as pa
from gammacp import datasets
from gammacp.pygamma import units
from gammacp.pygamma.alignment import SetPartitionError

ROOT = Path(__file__).parents[2]
Unit, Combined = pa.Unit, pa.CombinedCategoricalDissimilarity
pytestmark = pytest.mark.filterwarnings(
    "ignore::gammacp.pygamma.units.PygammaDifference", "ignore::shuffling.FewerErrors"
)


def continuum_of(name: str) -> Any:
    return continuum(*((u.annotator, u.start, u.end, u.category) for u in datasets.load(name)))


def continuum(*rows: tuple[Any, float, float, Any]) -> Any:
    filled = pa.Continuum()
    for annotator, start, end, label in rows:
        filled.add(annotator, Segment(start, end), label)
    return filled


LATE = (("x", 100, 120, "a"), ("x", 130, 150, "b"), ("y", 101, 119, "a"), ("y", 128, 155, "c"))


# γ and expected disorder that pygamma-agreement 0.5.9 printed for numpy.random.seed(42).
@pytest.mark.parametrize(
    ("data", "made", "options", "gamma", "expected"),
    [
        ("alex-paul-suzan", None, {}, 0.5254660, 1.3772283),
        (
            "alex-paul-suzan",
            lambda _: Combined(alpha=3),
            {"precision_level": 0.05},
            0.4217716,
            1.6613243,
        ),
        ("alex-paul-suzan", lambda _: Combined(), {"soft": True}, 0.6203033, 1.3757324),
        (
            "alex-paul-suzan",
            lambda _: pa.PositionalSporadicDissimilarity(0.5),
            {},
            0.4865976,
            0.3930072,
        ),
        (
            "alex-paul-suzan",
            lambda c: Combined(cat_dissim=pa.NumericalCategoricalDissimilarity(c.categories)),
            {},
            0.5817217,
            1.0892868,
        ),
        (
            "alex-paul-suzan",
            lambda _: Combined(),
            {"ground_truth_annotators": ["Alex", "Paul"]},
            0.4429128,
            1.1731408,
        ),
        (
            "alex-paul-suzan",
            lambda _: Combined(alpha=3),
            {"sampler": pa.ShuffleContinuumSampler(), "precision_level": "low"},
            0.4529625,
            1.7560495,
        ),
        (
            "dalton",
            lambda _: Combined(alpha=3),
            {"sampler": pa.ShuffleContinuumSampler("float_pivot")},
            0.5787972,
            1.8576823,
        ),
        ("dalton", None, {"soft": True}, 0.8017327, 1.3154981),
        ("3by100", lambda _: Combined(alpha=3), {"precision_level": 0.05}, 0.8009516, 1.7257698),
        ("late", lambda _: Combined(), {}, 0.6752633, 1.5781280),
    ],
)
def test_same_seed_same_gamma(
    data: str,
    made: Callable[[Any], Any] | None,
    options: dict[str, Any],
    gamma: float,
    expected: float,
) -> None:
    units = continuum(*LATE) if data == "late" else continuum_of(data)
    np.random.seed(42)
    results = units.compute_gamma(made and made(units), **options)
    assert (results.gamma, results.expected_disorder) == pytest.approx((gamma, expected), abs=2e-6)
    assert results.best_alignment.status == "optimal"


def test_reset_bounds_makes_gamma_independent_of_the_origin() -> None:
    gammas = []
    for offset in (0, 1000, 123456):
        moved = continuum(*((a, s + offset, e + offset, c) for a, s, e, c in LATE))
        moved.reset_bounds()
        np.random.seed(1)
        gammas.append(moved.compute_gamma().gamma)
    assert gammas[1:] == pytest.approx(gammas[:1] * 2)


def test_orders_and_compares_units() -> None:
    a, b, none = Unit(Segment(0, 1), "A"), Unit(Segment(0, 1), "B"), Unit(Segment(0, 1))
    later = Unit(Segment(0, 2))
    assert a == Unit(Segment(0, 1), "A") != b
    assert list(SortedSet([later, b, a, none, a])) == [none, a, b, later]
    assert none < a < b < later > a
    numbers = [Unit(Segment(0, 1), label) for label in (2, 0, 1)]
    assert [unit.annotation for unit in sorted(numbers)] == [0, 1, 2]


def test_holds_pyannote_annotations_and_timelines() -> None:
    held, annotation = pa.Continuum(), Annotation()
    assert not held
    for segment, label in ((Segment(1, 5), "Carol"), (Segment(6, 8), "Bob")):
        annotation[segment] = label
    held.add_annotation("liza", annotation)
    held.add_timeline("pierrot", Timeline([Segment(2, 6)]))
    assert held
    assert (len(held), held.num_units, held.avg_num_annotations_per_annotator) == (2, 3, 1.5)
    assert list(held.categories) == ["Bob", "Carol"]
    assert held["liza", 1] == Unit(Segment(6, 8), "Bob")
    assert held.bounds == (0, 8)
    assert held.avg_length_unit == pytest.approx(10 / 3)
    assert held.compute_gamma(sampler=pa.StatisticalContinuumSampler()).n_samples == 30


def test_merges_copies_and_compares() -> None:
    one = continuum(("marvin", 0, 1, "A"), ("robin", 0, 2, "B"))
    other = continuum(("maureen", 5, 6, "D"))
    merged = one + other
    assert (merged.num_units, merged.num_annotators, list(merged.categories)) == (
        3,
        3,
        ["A", "B", "D"],
    )
    copied = one.copy()
    assert copied == one
    one.merge(other, in_place=True)
    assert one == merged != copied
    copied.add_annotator("maureen")
    assert copied != merged
    unit = next(one.iter_annotator("maureen"))
    with pytest.raises(KeyError):
        one.remove("robin", unit)
    one.remove("maureen", unit)
    assert one == copied
    assert "D" in one.categories  # as in pygamma-agreement, categories stay


def test_reads_and_writes_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "units.csv"
    file.write_text("Ann,a,0,2\nBob,a,1,3\nBob,b,4,4\n")
    read = pa.Continuum.from_csv(file)
    assert "Discarded invalid segment" in capsys.readouterr().out
    assert read.num_units == 2
    with pytest.raises(ValueError, match=r"duration 0"):
        pa.Continuum.from_csv(file, discard_invalid_rows=False)
    read.to_csv(tmp_path / "again.csv")
    assert pa.Continuum.from_csv(str(tmp_path / "again.csv")) == read
    file.write_text("Ann,a,zero,2\n")
    with pytest.raises(gammacp.DataError, match=r"units.csv:1: 'Ann,a,zero,2' is not annotator"):
        pa.Continuum.from_csv(file)
    rttm = tmp_path / "units.rttm"
    rttm.write_text("SPEAKER Ann 1 0.5 2.0 <NA> <NA> noun <NA> <NA>\n")
    assert list(pa.Continuum.from_rttm(rttm)) == [("Ann", Unit(Segment(0.5, 2.5), "noun"))]


def test_reads_tiers(tmp_path: Path) -> None:
    source = gammacp.Continuum.from_units(
        [gammacp.Unit("Ann", 0, 2000, "S"), gammacp.Unit("Bob", 500, 900, "S")], offset_unit="ms"
    )
    for name, add, end in (("x.eaf", "add_elan", 2000), ("x.TextGrid", "add_textgrid", 2)):
        gammacp.write(source, tmp_path / name)
        continuum = pa.Continuum()
        getattr(continuum, add)("me", tmp_path / name, selected_tiers=["Ann"])
        assert list(continuum) == [("me", Unit(Segment(0, end), "S"))]
        getattr(continuum, add)("me", tmp_path / name, use_tier_as_annotation=True)
        assert set(continuum.categories) == {"Ann", "Bob", "S"}


MATRIX = np.array([[0, 0.5, 0.3, 0.7], [0.5, 0, 0.6, 0.4], [0.3, 0.6, 0, 0.7], [0.7, 0.4, 0.7, 0]])
NAMES = SortedSet(["Carol", "Bob", "Alice", "Jeremy"])
THREE = (
    *(
        ("liza", *row)
        for row in ((1, 5, "Carol"), (6, 8, "Bob"), (12, 18, "Carol"), (7, 20, "Alice"))
    ),
    *(
        ("pierrot", *row)
        for row in (
            (2, 6, "Carol"),
            (7, 8, "Bob"),
            (12, 18, "Alice"),
            (8, 10, "Alice"),
            (7, 19, "Jeremy"),
        )
    ),
    *(
        ("hadrien", *row)
        for row in ((1, 6, "Carol"), (8, 10, "Alice"), (7, 19, "Jeremy"), (19, 20, "Alice"))
    ),
)


def precomputed(alpha: float) -> Any:
    cat = pa.PrecomputedCategoricalDissimilarity(NAMES, MATRIX, delta_empty=0.5)
    return Combined(delta_empty=0.5, alpha=alpha, cat_dissim=cat)


def unitary(*rows: tuple[str, float, float, Any] | str) -> Any:
    return pa.UnitaryAlignment(
        [
            (row, None) if isinstance(row, str) else (row[0], Unit(Segment(*row[1:3]), row[3]))
            for row in rows
        ]
    )


def test_disorders_of_pygammas_own_tests() -> None:
    one = unitary(("liza", 12, 18, "Carol"), ("pierrot", 12, 18, "Alice"), "hadrien")
    assert one.nb_units == 2
    assert one.bounds == (12, 18)
    with pytest.raises(ValueError, match="hasn't been computed"):
        one.disorder  # noqa: B018
    assert one.compute_disorder(precomputed(1)) == pytest.approx(0.575)
    held = continuum(*THREE)
    alignment = pa.Alignment(
        [
            unitary(
                ("liza", 1, 5, "Carol"), ("pierrot", 2, 6, "Carol"), ("hadrien", 1, 6, "Carol")
            ),
            unitary(("liza", 6, 8, "Bob"), ("pierrot", 7, 8, "Bob"), ("hadrien", 8, 10, "Alice")),
            unitary(
                ("liza", 7, 20, "Alice"), ("pierrot", 7, 19, "Jeremy"), ("hadrien", 7, 19, "Jeremy")
            ),
            one,
            unitary("liza", ("pierrot", 8, 10, "Alice"), ("hadrien", 19, 20, "Alice")),
        ],
        continuum=held,
        check_validity=True,
    )
    assert alignment.compute_disorder(precomputed(3)) == pytest.approx(6.16555815)
    best = held.get_best_alignment(precomputed(3))
    assert best.disorder == pytest.approx(0.434788756)
    assert best.disorder == pytest.approx(best.compute_disorder(precomputed(3)))
    assert sum(u.nb_units for u in best) == 13
    with pytest.raises(SetPartitionError):
        pa.Alignment([*alignment, one], held).check()
    with pytest.raises(SetPartitionError):
        pa.Alignment([one], held).check()
    pa.SoftAlignment([*alignment, one], held, check_validity=True)


@pytest.mark.parametrize(
    ("first", "second", "value"),
    [
        ((4, 14), (40, 44), (66 / 14) ** 2),
        ((4, 14), (20, 25), 3.24),
        ((4, 14), (14, 24), 1),
        ((20, 30), (20, 25), 1 / 9),
        ((20, 25), (14, 24), (7 / 15) ** 2),
    ],
)
def test_positional_dissimilarity(first: Any, second: Any, value: float) -> None:
    d = pa.PositionalSporadicDissimilarity()
    pair = [
        unitary(("a", *first, "x"), ("b", *second, "y")),
        Unit(Segment(*first)),
        Unit(Segment(*second)),
    ]
    assert pair[0].compute_disorder(d) == pytest.approx(value)
    assert d.d(*pair[1:]) == pytest.approx(value)


def test_categorial_dissimilarities() -> None:
    a, b, ten = (Unit(Segment(0, 1), x) for x in ("1", "2", "10"))
    labels = ["1", "10", "2"]
    assert pa.AbsoluteCategoricalDissimilarity(0.5).d(a, b) == 0.5
    assert pa.NumericalCategoricalDissimilarity(labels).d(a, b) == pytest.approx(1 / 9)
    assert pa.OrdinalCategoricalDissimilarity(["2", "1", "10"]).d(b, ten) == 1
    assert pa.OrdinalCategoricalDissimilarity(["2", "1", "10"], p=[0, 3, 6]).d(b, a) == 0.5
    assert pa.LevenshteinCategoricalDissimilarity(["kitten", "sitting"]).d(
        Unit(Segment(0, 1), "kitten"), Unit(Segment(0, 1), "sitting")
    ) == pytest.approx(3 / 7)
    for wrong in (
        lambda: pa.LevenshteinCategoricalDissimilarity([]),
        lambda: pa.NumericalCategoricalDissimilarity(["one"]),
        lambda: pa.OrdinalCategoricalDissimilarity(["a", "a"]),
        lambda: pa.OrdinalCategoricalDissimilarity(["a", "b"], p=[1]),
        lambda: pa.PrecomputedCategoricalDissimilarity(["a", "b"], [[0, 1], [0.5, 0]]),
    ):
        with pytest.raises(ValueError):
            wrong()


def test_delta_scales_both_parts() -> None:
    pair = unitary(("a", 0, 10, "x"), ("b", 5, 15, "y"))
    # By hand, (10/20)² · Δ + Δ.
    assert pair.compute_disorder(Combined(delta_empty=0.01)) == pytest.approx(0.0125)
    dissimilarity = Combined(delta_empty=0.01, pos_dissim=pa.PositionalSporadicDissimilarity(1.0))
    assert pair.compute_disorder(dissimilarity) == pytest.approx(0.25 + 0.01)


class Euclidean(pa.AbstractDissimilarity):
    """Compiled dissimilarity as in the documentation of pygamma-agreement."""

    def __init__(self, p: float, delta_empty: float = 1.0) -> None:
        self.p = p
        super().__init__(delta_empty=delta_empty)

    def compile_d_mat(self) -> Any:
        p = self.p

        @pa.dissimilarity_dec
        def d_mat(unit1: Any, unit2: Any) -> float:
            apart = abs(unit1[0] - unit2[0]) ** p + abs(unit1[1] - unit2[1]) ** p
            return (apart ** (1 / p)) / 10

        return d_mat


class Product(pa.AbstractDissimilarity):
    """Product of two dissimilarities, through their compiled functions."""

    def __init__(self, place: Any, kind: Any) -> None:
        self.place, self.kind = place, kind
        super().__init__(kind.categories)

    def compile_d_mat(self) -> Any:
        place, kind = self.place.d_mat, self.kind.d_mat
        return pa.dissimilarity_dec(lambda u, v: place(u, v) * kind(u, v))


class Prefix(pa.LambdaCategoricalDissimilarity):
    """Custom distance of labels."""

    @staticmethod
    def cat_dissim_func(str1: str, str2: str) -> float:
        return 0.5 if str1[0] == str2[0] else 2.0


def test_custom_dissimilarities() -> None:
    one, other = Unit(Segment(0, 6), "aa"), Unit(Segment(3, 10), "ab")
    far = Unit(Segment(3, 10), "b")
    euclidean, prefix = Euclidean(2), Prefix(["aa", "ab", "b"])
    assert euclidean.d(one, other) == pytest.approx(0.5)
    assert (prefix.d(one, other), prefix.d(one, far)) == (0.25, 1.0)
    assert Product(euclidean, prefix).d(one, other) == pytest.approx(0.125)
    both = Combined(2, 3, delta_empty=0.5, pos_dissim=euclidean, cat_dissim=prefix)
    assert both.d(one, other) == pytest.approx(2 * 0.5 + 3 * 0.25 * 0.5)
    for kind in (
        pa.PositionalSporadicDissimilarity(),
        pa.AbsoluteCategoricalDissimilarity(),
        Combined(),
    ):
        zero = np.array([0.0, 6.0, 6.0, 0.0]), np.array([3.0, 10.0, 7.0, 1.0])
        assert kind.d_mat(*zero) == pytest.approx(kind.d(one, other))
    held = continuum(("x", 0, 6, "aa"), ("x", 20, 26, "b"), ("y", 3, 10, "ab"))
    assert held.get_best_alignment(euclidean).disorder == pytest.approx((0.5 + 1) / 1.5)
    assert held.compute_gamma(both, n_samples=5).observed_disorder == pytest.approx(
        held.get_best_alignment(both).disorder
    )

    class Skewed(Euclidean):
        def compile_d_mat(self) -> Any:
            return pa.dissimilarity_dec(lambda u, _: u[0])

    with pytest.raises(ValueError, match="not symmetrical"):
        Skewed(2).d(one, other)
    with pytest.raises(TypeError):
        held.compute_gamma(euclidean, n_samples=5).gamma_cat  # noqa: B018


class Half(pa.CategoricalDissimilarity):
    """Custom dissimilarity of categories that scales itself by Δ, as those of pygamma-agreement."""

    def compile_d_mat(self) -> Any:
        delta = self.delta_empty
        return pa.dissimilarity_dec(lambda u, v: 0.0 if u[3] == v[3] else delta / 2)


@pytest.mark.parametrize(
    "categorical",
    [
        lambda own: Half(["x", "y"], own),
        lambda own: pa.PrecomputedCategoricalDissimilarity(["x", "y"], [[0, 0.5], [0.5, 0]], own),
    ],
)
@pytest.mark.parametrize(("own", "common"), [(1.0, 2.0), (0.5, 2.0), (2.0, 2.0)])
def test_delta_scales_categories_once(categorical: Any, own: float, common: float) -> None:
    first, second = Unit(Segment(0, 10), "x"), Unit(Segment(5, 15), "y")
    kind = categorical(own)
    both = Combined(delta_empty=common, cat_dissim=kind)
    # By hand, (10/20)² · Δ + Δ/2.
    expected = 0.25 * common + 0.5 * common
    assert both.d(first, second) == pytest.approx(expected)
    rows = np.array([0.0, 10.0, 10.0, 0.0]), np.array([5.0, 15.0, 10.0, 1.0])
    assert both.d_mat(*rows) == pytest.approx(expected)
    # pygamma-agreement compiles in the constructor, so with the Δ given there.
    assert kind.d_mat(*rows) == pytest.approx(own / 2)


def test_gamma_cat_is_that_of_mathet_2017() -> None:
    results = continuum_of("alex-paul-suzan").compute_gamma(Combined())
    # The observed δ_cat is gammacp's, which tests/measures computes by hand for the same alignment.
    native = gammacp.measure(datasets.load("alex-paul-suzan"), ["gamma-cat"])["gamma-cat"]
    assert results.best_alignment.gamma_k_disorder(Combined()) == pytest.approx(native.observed)
    assert results.gamma_cat < 1
    assert results.gamma_k("1") == 1
    assert math.isnan(results.gamma_k("nobody's"))


def test_undefined_values_are_assertion_errors_as_in_pygamma() -> None:
    lonely = continuum(("Martin", 0, 10, "15"))
    for call in (lonely.compute_gamma, lambda: lonely.get_best_alignment(Combined())):
        with pytest.raises(AssertionError, match="less than two annotators"):
            call()
    lonely.add_annotator("Martino")
    kind = pa.LevenshteinCategoricalDissimilarity(lonely.categories)
    best = lonely.get_best_alignment(Combined(alpha=3, beta=2, cat_dissim=kind))
    assert best[0].n_tuple == [("Martin", Unit(Segment(0, 10), "15")), ("Martino", None)]
    assert lonely.compute_gamma().gamma <= 0
    assert math.isnan(lonely.compute_gamma().gamma_cat)
    lonely.add("Martino", Segment(0, 1), "16")
    with pytest.raises(AssertionError, match="'16' is not compared"):
        lonely.compute_gamma(Combined(cat_dissim=kind))
    with pytest.raises(NotImplementedError):
        lonely.compute_gamma(soft=True, fast=True)
    with pytest.raises(AssertionError, match="precision_level"):
        lonely.compute_gamma(precision_level=5)


def test_results() -> None:
    results = continuum_of("alex-paul-suzan").compute_gamma(precision_level=0.05, fast=True)
    low, high = results.approx_gamma_range
    assert low < results.gamma < high
    assert results.alignments_nb == len(results.best_alignment.unitary_alignments)
    assert "compat:pygamma" in results.signature
    assert "StatisticalContinuumSampler" in results.signature
    with pytest.raises(ValueError, match="precision level"):
        continuum_of("dalton").compute_gamma().approx_gamma_range  # noqa: B018


def test_sampler_with_given_values() -> None:
    sampler = pa.StatisticalContinuumSampler()
    with pytest.raises(AssertionError, match="init_sampling"):
        sampler.sample_from_continuum  # noqa: B018
    sampler.init_sampling_custom(["R"], 40, 0, 0, 5, 10, 1, np.array(["aa", "b"]), [0.9, 0.1])
    drawn = sampler.sample_from_continuum
    assert (drawn.num_units, list(drawn.annotators)) == (40, ["R"])
    assert drawn.avg_length_unit == pytest.approx(10, abs=1)
    assert drawn.category_weights["aa"] == pytest.approx(0.9, abs=0.2)
    with pytest.raises(ValueError, match="different sizes"):
        sampler.init_sampling_custom(["R"], 4, 0, 0, 5, 10, 1, ["a", "b"], [1.0])


def test_shuffles_a_reference() -> None:
    reference = continuum_of("alex-paul-suzan")
    kinds = {
        "shift": True,
        "false_pos": True,
        "false_neg": True,
        "cat_shuffle": True,
        "split": True,
    }
    nothing = pa.CorpusShufflingTool(0.0, reference).corpus_shuffle(
        ["M", "N"], **kinds, include_ref=True
    )
    assert list(nothing.annotators) == ["Alex", "M", "N"]
    assert nothing.compute_gamma().gamma == 1
    tool = pa.CorpusShufflingTool(1.0, reference)
    assert tool.corpus_shuffle(2, **kinds).compute_gamma(Combined(alpha=3)).gamma < 0.5
    labels = tool.corpus_from_reference(3)
    tool.category_shuffle(labels, lambda a, b: 1.0 if a == b else 0.5)
    assert Counter(annotator for annotator, _ in labels) == dict.fromkeys(labels.annotators, 6)
    assert len(labels.annotators) == 3
    assert labels != tool.corpus_from_reference(3)
    everything = tool.corpus_from_reference(["M"])
    tool.false_neg_shuffle(everything)
    assert everything.num_units == 1


def test_draws_on_axes() -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    held = continuum_of("alex-paul-suzan")
    held.add_annotator("Zoe")
    _, ax = plt.subplots()
    best = held.get_best_alignment(Combined())
    pa.notebook.Notebook().plot_alignment(best, ax)
    assert len(ax.get_lines()) == held.num_units + best.num_unitary_alignments
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["Alex", "Paul", "Suzan"]
    pa.show_continuum(held)
    plt.close("all")


def gitma(folder: Path) -> None:
    """Imitate CATMA's gitma: a CSV file made for this, and weights by keyword."""
    (folder / "temp.csv").write_text("A,x,0,5\nA,y,7,9\nB,x,1,5\n")
    continuum = pa.Continuum.from_csv(str(folder / "temp.csv"))
    d = Combined(delta_empty=0.01, alpha=3, beta=1)
    assert continuum.compute_gamma(d, n_samples=30, precision_level=0.1).gamma < 1


def factgenie(_: Path) -> None:
    """Imitate factgenie: one dissimilarity for many continua, soft γ, an exception if undefined."""
    d = Combined(alpha=1.0, beta=1.0, delta_empty=1.0)
    for _ in range(2):
        np.random.seed(42)
        filled = continuum(("g0", 0, 5, "0"), ("g1", 1, 5, "0"), ("g1", 8, 9, "1"))
        assert filled.compute_gamma(d, soft=True).gamma < 1


def human_protocol(_: Path) -> None:
    """Imitate a protocol with annotators as ground truth, consolidated over the best alignment."""
    filled = continuum(("a", 0, 5, "x"), ("b", 0, 6, "x"), ("ground_truth", 0, 5, "x"))
    results = filled.compute_gamma(
        Combined(), precision_level=0.2, fast=True, ground_truth_annotators=SortedSet(["a", "b"])
    )
    for aligned in results.best_alignment:
        labels = Counter(unit.annotation for _, unit in aligned.n_tuple if unit is not None)
        assert labels.most_common(1)[0][1] / aligned.nb_units == 1
        assert list(aligned.bounds) == [0, 6]


@pytest.mark.parametrize("program", [gitma, factgenie, human_protocol])
def test_programs_that_build_on_pygamma_run(
    program: Callable[[Path], None], tmp_path: Path
) -> None:
    program(tmp_path)


@pytest.fixture
def untold() -> Iterator[None]:
    units.warn_of_difference.cache_clear()
    yield
    units.warn_of_difference.cache_clear()


TOLD: dict[str, Callable[[], object]] = {
    "twice": lambda: continuum(("a", 0, 1, "x"), ("a", 0, 1, "x")),
    "from-zero": lambda: continuum(*LATE, ("x", 101, 105, "a")).compute_gamma(),
    "categorial-delta": lambda: Combined(delta_empty=0.5),
    "gamma-cat": lambda: continuum(*LATE).compute_gamma().gamma_cat,
    "levenshtein": lambda: pa.LevenshteinCategoricalDissimilarity(["a", "b"]),
    "ordinal": lambda: pa.OrdinalCategoricalDissimilarity(["b", "a"]),
    "shuffling": lambda: pa.CorpusShufflingTool(0.5, continuum(*LATE)),
}
TEXTS = tomllib.loads((Path(units.__file__).with_name("differences.toml")).read_text("utf-8"))


@pytest.mark.usefixtures("untold")
@pytest.mark.parametrize("key", TOLD)
def test_differences_are_reported_once(key: str, recwarn: pytest.WarningsRecorder) -> None:
    warnings.simplefilter("always")
    TOLD[key]()
    TOLD[key]()
    shown = [w for w in recwarn if w.category is pa.PygammaDifference]
    files = [w.filename for w in shown if str(w.message) == TEXTS[key]]
    assert files == [__file__]


def test_every_difference_is_on_the_page() -> None:
    assert TOLD.keys() == TEXTS.keys()
    page = (ROOT / "docs" / "coming-from-pygamma.md").read_text("utf-8")
    assert set(re.findall(r"^\| `([a-z][a-z-]+)` \|", page, re.MULTILINE)) == TEXTS.keys()


@pytest.mark.filterwarnings("ignore:the first unit starts")
def test_needs_no_pyannote(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in sys.modules if n.startswith(("pyannote", "gammacp.pygamma"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyannote.core", None)
    import gammacp.pygamma as alone

    continuum = alone.Continuum()
    for annotator, start, end, label in LATE:
        continuum.add(annotator, alone.Segment(start, end), label)
    np.random.seed(42)
    assert continuum.compute_gamma().gamma == pytest.approx(0.6752633, abs=2e-6)


@pytest.mark.parametrize(
    "options", [{"precision_level": "hihg"}, {"precision_level": 2}, {"n_samples": 0}]
)
def test_impossible_settings_are_refused(options: dict[str, object]) -> None:
    continuum = pa.Continuum()
    for annotator in "AB":
        continuum.add(annotator, Segment(0, 5), "x")
    with pytest.raises(pa.DisorderError):
        continuum.compute_gamma(**options)


@pytest.mark.parametrize("start", [math.nan, -math.inf])
def test_segments_are_finite(start: float) -> None:
    with pytest.raises(ValueError, match="duration"):
        pa.Continuum().add("A", Segment(start, 3), "x")


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> None:
        raise ModuleNotFoundError("No module named 'sortedcontainers'", name="sortedcontainers")

    monkeypatch.setattr(pa, "import_module", missing)
    with pytest.raises(ImportError, match=r"pip install 'gammacp\[pygamma\]'"):
        _ = pa.Continuum
