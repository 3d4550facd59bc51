"""Compiled kernels against the same kernels as plain Python, which checks array indices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gammacp import Combined
from gammacp.alignment import build_problem
from gammacp.alignment.candidates import length_classes
from gammacp.alignment.columns import enumerate_columns, group_of_units, to_columns
from gammacp.alignment.duals.lp import block_prices
from gammacp.alignment.duals.projection import shared_prices, support_of
from gammacp.alignment.heuristics.local_search import improve
from gammacp.alignment.kernels import component_search, components
from gammacp.alignment.kernels.enumeration import profitable_groups
from gammacp.alignment.kernels.feasible_prices import make_feasible
from gammacp.alignment.kernels.greedy import groups_within, take_disjoint
from gammacp.alignment.kernels.insertion import insertions
from gammacp.alignment.kernels.matching import best_matching
from gammacp.alignment.kernels.pairs import (
    Classes,
    Costs,
    Further,
    UnitArrays,
    adjacency,
    costs_inside,
    group_weights,
    scan,
    sums_of_best_weights,
)
from gammacp.alignment.kernels.pricing import price_groups
from gammacp.alignment.kernels.projection import price_near, project_on_all
from gammacp.alignment.limits import Limits
from gammacp.alignment.problem import Problem
from gammacp.alignment.proof.components import decompose
from gammacp.base.arrays import freeze
from gammacp.base.stopping import HALTED, UNLIMITED, new_meter
from gammacp.continuum import Continuum
from gammacp.dissimilarity import bind
from tests.alignment.continua import random_continuum
from tests.kernel.test_late_kernels import as_plain

CASES = [(0, 2, 8), (1, 3, 9), (2, 4, 10), (5, 3, 12)]


def same(kernel: Any, *args: Any) -> Any:
    """Check that a compiled kernel and its plain Python return the same, and return that result.

    The kernels that it calls run as plain Python too, so that none is compiled only for this.
    """
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    plain, compiled = as_plain(kernel, copies), kernel(*args)
    # A kernel that gave up leaves uninitialised arrays; only its last value is compared.
    plain, result = (x[-1:] if _gave_up(x) else x for x in (_parts(plain), _parts(compiled)))
    for a, b in zip(plain, result, strict=True):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(copies, args, strict=True):
        if not isinstance(a, tuple):  # tuples are not written to
            np.testing.assert_array_equal(a, b)
    return compiled


def _parts(result: Any) -> tuple[Any, ...]:
    if not isinstance(result, tuple):
        return (result,)
    return tuple(part for one in result for part in _parts(one))


def _gave_up(parts: tuple[Any, ...]) -> bool:
    return len(parts) > 1 and np.ndim(parts[-1]) == 0 and (parts[-1] is False or parts[-1] == -1)


def build(seed: int, n: int, units: int) -> tuple[Continuum, Problem]:
    continuum = random_continuum(seed, n, units)
    return continuum, build_problem(continuum, bind(Combined(), continuum))


@pytest.mark.parametrize("case", CASES)
def test_compiled_kernels_of_pairs_equal_python(case: tuple[int, int, int]) -> None:
    continuum, problem = build(*case)
    bound = bind(Combined(), continuum)
    formula, factor = bound.formula
    order, class_start, block_end, longest = length_classes(
        continuum, np.arange(continuum.n_units) % 2
    )
    columns = (continuum.starts, continuum.ends, continuum.category_codes)
    meter = new_meter()
    all_units = UnitArrays(*columns, continuum.annotator_codes)
    costs = Costs(formula, float(factor), bound.category_costs)
    classes = Classes(order, class_start, block_end, 0 * longest + np.inf)
    nothing = Further(continuum.extents, np.inf, 0.0)
    same(scan, all_units, classes, nothing, costs, 1e9, 10**6, meter)
    boxes = np.random.default_rng(0).integers(0, 9, (continuum.n_units, 4)).astype(float)
    extents = np.sort(boxes.reshape(-1, 2, 2)).reshape(-1, 4)
    no_table = np.zeros((1, 1))
    for array in (extents, no_table):
        freeze(array)  # as the arrays of `nothing` and `costs`, or `scan` is compiled once more
    near = Further(extents, 1.0, 0.5)
    same(scan, all_units, classes, near, Costs(-1, 1.0, no_table), 1e9, 10**6, meter)
    same(adjacency, problem.n_units, problem.first, problem.second, problem.weight)
    groups = np.column_stack((problem.first, problem.second))
    same(group_weights, groups, problem.graph)
    pairs = np.full((len(groups), continuum.n_annotators), -1, np.int32)
    pairs[:, :2] = groups
    same(costs_inside, pairs, all_units, costs, 1.0)


@pytest.mark.parametrize("case", CASES)
def test_compiled_kernels_of_groups_equal_python(case: tuple[int, int, int]) -> None:
    _, problem = build(*case)
    graph = problem.graph
    same(sums_of_best_weights, graph)
    opening, tolerance, meter = problem.opening, problem.tolerance, new_meter()
    same(profitable_groups, graph, opening, tolerance, graph.n_annotators, 10**6, meter)
    same(profitable_groups, graph, opening, tolerance, 2, 3, meter)
    columns, _ = same(groups_within, graph, opening, opening * 2, 1.0, 10**6)
    same(take_disjoint, problem.n_units, columns, np.argsort(-columns.gain))
    price = np.random.default_rng(0).random(problem.n_units) * opening
    same(make_feasible, price.copy(), columns, opening)
    roots = np.arange(problem.n_units)
    for every, nodes in ((True, 10**9), (False, 10**9), (False, 2)):
        end = (opening, 0.0, every, roots, nodes, 10**6, meter)
        same(price_groups, graph, price, *end)
    same(price_groups, graph, price, *end[:-1], new_meter(0))


@pytest.mark.parametrize("case", CASES)
def test_projections(case: tuple[int, int, int]) -> None:
    _, problem = build(*case)
    groups = improve(problem)
    pool = to_columns(problem, groups)
    support, price = support_of(
        problem.n_units,
        pool,
        np.ones(pool.number),
        shared_prices(problem, groups),
        1e-6,
    )
    group_of = group_of_units(groups, problem.n_units)
    opening, meter = problem.opening, new_meter()
    for floor in (0.0, -0.1 * opening):
        found = same(
            price_near,
            *(problem.graph, price.copy(), opening, groups, group_of, floor, support, meter),
        )
        same(project_on_all, price.copy(), found, 1e-6, support, meter)


def test_halted_pricing_claims_nothing() -> None:
    """A halted enumeration has no list, and a halted pricing still bounds every group's excess."""
    _, problem = build(1, 3, 12)
    graph, opening = problem.graph, problem.opening
    price = np.zeros(problem.n_units)
    halted = new_meter()
    halted[HALTED] = 1
    first = (graph, price, opening, 0.0)
    limits = (np.arange(problem.n_units), 10**9, 10**6)
    assert not same(price_groups, *first, True, *limits, halted)[-1]
    found, halfway, unsure, _ = price_groups(*first, False, *limits, halted)
    assert not found.number
    found, whole, sure, _ = price_groups(*first, False, *limits, new_meter())
    assert found.number
    assert (halfway >= whole).all()
    assert unsure[whole > 0].all()
    assert not sure.any()


def test_matchings() -> None:
    for seed in range(6):
        _, problem = build(seed, 2, 8 + 4 * seed)
        graph, n_first = problem.graph, int((problem.annotator == 0).sum())
        rest = problem.n_units - n_first
        begin = graph.start[: n_first + 1]
        column = (graph.neighbour[: begin[-1]] - n_first).astype(np.int32)
        gain = graph.weight[: begin[-1]] + problem.opening
        for halted in (False, True):
            same(best_matching, begin, column, gain, rest, new_meter(0 if halted else UNLIMITED))


@pytest.mark.parametrize("case", CASES)
def test_insertions(case: tuple[int, int, int]) -> None:
    _, problem = build(*case)
    units = np.flatnonzero(problem.annotator == 0).astype(np.int32)
    group_of = np.arange(problem.n_units, dtype=np.int32) - len(units)
    size = np.ones(problem.n_units - len(units), np.int32)
    group_of[units] = -1
    same(
        insertions, np.arange(len(units) + 1), units, problem.graph, problem.opening, group_of, size
    )


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("cover", [False, True])
def test_components(
    case: tuple[int, int, int], cover: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed, n, units = case
    continuum = random_continuum(seed, n, units)
    problem = build_problem(continuum, bind(Combined(), continuum), cover=cover)
    columns = enumerate_columns(problem)
    assert columns is not None
    for module, name in (
        (components, "label_components"),
        (components, "activate"),
        (components, "columns_at"),
        (component_search, "search_components"),
    ):
        compiled = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, kernel=compiled: same(kernel, *a))
    good = block_prices(problem.n_units, columns, problem.opening if cover else None)
    for price in (good, np.zeros(units)):
        for ties in (False, True):
            decompose(problem, columns, price, Limits(), np.inf, ties=ties)
