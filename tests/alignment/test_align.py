import math

import numpy as np
import pytest
from hypothesis import given, settings

from gammacp import Combined, Continuum, DataError, Unit, align, best_disorder
from gammacp.alignment import Status
from gammacp.alignment.limits import Limits, Ties
from gammacp.alignment.proof.components import Components
from gammacp.datasets import load
from gammacp.dissimilarity import bind
from gammacp.errors import UsageError
from gammacp.testing import continua
from tests.alignment.pairs import pairs

FEW = settings(max_examples=25, deadline=None)


def disorder(continuum: Continuum) -> float:
    return align(continuum).disorder


@FEW
@given(continua())
def test_moving_scaling_and_renaming_change_nothing(continuum: Continuum) -> None:
    moved = [
        Unit("x" + u.annotator, u.start * 4 + 1000, u.end * 4 + 1000, u.category and u.category * 2)
        for u in continuum
    ]
    names = ["x" + a for a in continuum.annotators]
    again = Continuum.from_units(moved[::-1], annotators=names[::-1])
    assert disorder(again) == pytest.approx(disorder(continuum), abs=1e-9)


@FEW
@given(continua(n_annotators=1, n_units=(1, 6)))
def test_identical_annotators_have_no_disorder(continuum: Continuum) -> None:
    units = [
        Unit(name, u.start, u.end, u.category) for name in ("A", "B", "C", "D") for u in continuum
    ]
    a = align(Continuum.from_units(units))
    assert a.disorder == pytest.approx(0, abs=1e-12)
    assert len(a) == continuum.n_units


@FEW
@given(continua())
def test_pruned_unpruned_and_brute_force_agree(continuum: Continuum) -> None:
    bound = bind(Combined(), continuum)
    best = best_disorder(continuum, bound)
    assert best.disorder == pytest.approx(
        best_disorder(continuum, bound, method="brute").disorder, abs=1e-9
    )
    soft = best_disorder(continuum, bound, cover=True)
    assert soft.disorder <= best.disorder + 1e-12
    assert best.bound <= best.disorder


def test_disorder_is_the_sum_of_unitary_disorders_over_mean_units() -> None:
    """The disorder is the sum over unitary alignments of their mean pair cost, divided by x̄.

    The formula is that of Mathet et al. 2015, §4.5.
    """
    continuum = load("alex-paul-suzan")
    a = align(continuum)
    total = math.fsum(u.disorder for u in a.unitary_alignments)
    assert total / continuum.mean_units == pytest.approx(a.disorder, abs=1e-12)
    by_pairs = math.fsum(p.dissimilarity for p in pairs(a)) / 3
    assert by_pairs / continuum.mean_units == pytest.approx(a.disorder, abs=1e-12)
    for pair in pairs(a):
        if pair.first and pair.second:
            assert pair.positional + pair.categorial == pytest.approx(pair.dissimilarity)
        else:
            assert pair.dissimilarity == 1


def test_a_unit_alone_has_disorder_delta() -> None:
    """A unit alone costs Δ, since every pair with an empty unit costs Δ, (u∅, u∅) too."""
    continuum = Continuum.from_units([Unit("A", 0, 5, "x")], annotators=["A", "B", "C"])
    a = align(continuum, Combined(delta=2))
    assert [u.disorder for u in a.unitary_alignments] == [2]
    assert a.disorder == pytest.approx(6)
    assert a.unitary_alignments[0].units["B"] is None


def test_an_alignment_is_converted_to_a_graph_and_a_table() -> None:
    continuum = load("figure10")
    a = align(continuum)
    graph = a.to_networkx()
    assert graph.number_of_nodes() == 6
    aligned = sum(
        math.comb(sum(unit is not None for unit in u.units.values()), 2)
        for u in a.unitary_alignments
    )
    assert graph.number_of_edges() == aligned
    frame = a.to_frame()
    assert len(frame) == 6
    assert set(frame["annotator"]) == {"Joe", "Jack", "William"}
    assert "3 unitary alignments" in repr(a) or "4 unitary alignments" in repr(a)


def test_bad_data() -> None:
    alone = Continuum.from_units([Unit("A", 0, 5, "x")])
    with pytest.raises(DataError, match="there is only A"):
        align(alone)
    with pytest.raises(DataError, match="no unit at all"):
        align(Continuum.from_units([], annotators=["A", "B"]))


@pytest.mark.parametrize(
    ("starts", "lengths"),
    [
        (np.full(400, 3.0), np.full(400, 5.0)),
        (np.zeros(400), np.zeros(400)),
        (np.arange(400.0), np.where(np.arange(400) == 7, 400.0, 3.0)),
    ],
    ids=["one spot", "one point", "a unit that covers everything"],
)
@pytest.mark.parametrize("n", [2, 3, pytest.param(12, marks=pytest.mark.slow)])
def test_pathological_density_ends(
    starts: np.ndarray[tuple[int], np.dtype[np.float64]],
    lengths: np.ndarray[tuple[int], np.dtype[np.float64]],
    n: int,
) -> None:
    continuum = Continuum.from_codes(
        tuple(f"A{i}" for i in range(n)),
        ("x",),
        starts,
        starts + lengths,
        np.arange(400, dtype=np.int32) % n,
        np.zeros(400, np.int32),
    )
    best = best_disorder(continuum, bind(Combined(), continuum), time_limit=2)
    assert best.bound <= best.disorder
    if starts[1] == starts[0]:
        # All annotators have the same units; only the units beyond a multiple of n remain.
        assert best.status is Status.OPTIMAL


@pytest.mark.parametrize("method", ["auto", "greedy"])
@FEW
@given(continua(n_annotators=(2, 4)))
def test_unitary_alignments_are_in_order_of_position(method: str, continuum: Continuum) -> None:
    firsts = [
        min((u.start, u.end) for u in unitary.units.values() if u is not None)
        for unitary in align(continuum, method=method).unitary_alignments
    ]
    assert firsts == sorted(firsts)


def test_no_bound_is_below_zero() -> None:
    # The time limit passes before anything is proven.
    units = [Unit(f"A{a}", 10 * i + a, 10 * i + 15, "a") for a in range(3) for i in range(60)]
    continuum = Continuum.from_units(units)
    bound = bind(Combined(), continuum)
    assert align(continuum, method="cpsat", time_limit=0.001).bound >= 0
    assert best_disorder(continuum, bound, method="cpsat", time_limit=0.001).bound >= 0


def test_stages_are_tuned_one_by_one() -> None:
    """A stage without tuning has its defaults, and values that no stage reads are refused."""
    tuned = Limits(tuning=[Components(nodes=3)])
    assert tuned.of(Components) == Components(nodes=3)
    assert tuned.of(Ties) == Ties()
    for wrong in (Components(), [3], "Components", [Components(), Components(nodes=3)]):
        with pytest.raises(UsageError, match="tuning"):
            Limits(tuning=wrong)  # type: ignore[arg-type]
