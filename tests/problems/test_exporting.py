"""Programs that `export` writes, against brute force and other readers."""

import json
import math
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from ortools.linear_solver.python import model_builder
from ortools.sat.python import cp_model
from scipy.optimize import Bounds, LinearConstraint, milp

import gammacp as gc
from gammacp import datasets
from gammacp.alignment import Problem, build_problem, solve
from gammacp.dissimilarity import bind
from gammacp.errors import DataError, UsageError
from gammacp.problems import export, weighted_problem
from gammacp.problems import integer_program as programs
from gammacp.problems.exporting import WRITERS
from gammacp.problems.integer_program import IntegerProgram, pair_program, set_program
from tests.alignment.continua import random_continuum
from tests.conftest import Run


def drawn(n: int, units: int, seed: int, opening: float, share: float = 0.8) -> Problem:
    """Return random weights; some pairs are forbidden, and one costs far more than all
    others gain.
    """
    rng = np.random.default_rng(seed)
    owner = np.repeat(np.arange(n), units)
    first, second = np.triu_indices(n * units, 1)
    kept = (owner[first] != owner[second]) & (rng.random(len(first)) < share)
    weight = rng.normal(0, 1, int(kept.sum()))
    weight[0] = -1e12
    return weighted_problem(owner, first[kept], second[kept], weight, opening=opening)


def least(program: IntegerProgram) -> float:
    """Return the optimum by HiGHS, as a cost."""
    found = milp(
        program.cost.astype(float),
        integrality=np.ones(len(program.cost)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(program.matrix, program.lower, program.upper),
        options={"mip_rel_gap": 0.0},
    )
    assert found.status == 0
    return float(found.fun) / program.scale


def agrees(program: IntegerProgram, objective: float) -> None:
    """Check that a program's optimum is not above the objective, and below it at most by
    the error.
    """
    value = least(program)
    assert value <= objective + 1e-12 * max(1, abs(objective))
    assert objective - value <= program.error
    assert program.error < 1e-5


@pytest.mark.parametrize("opening", [0.0, 0.7, 3.0, -0.4])
@pytest.mark.parametrize(("n", "units"), [(2, 4), (3, 3), (4, 2)])
def test_both_models_have_the_optimum_of_brute_force(n: int, units: int, opening: float) -> None:
    for seed in range(3):
        problem = drawn(n, units, seed, opening)
        objective = solve(problem, method="brute").objective
        agrees(pair_program(problem), objective)
        agrees(set_program(problem), objective)


def test_programs_of_continua_without_pruning_and_with_listed_groups() -> None:
    for seed in range(4):
        continuum = random_continuum(seed, 3, 9)
        bound = bind(gc.Combined(), continuum)
        everything = build_problem(continuum, bound, prune=False)
        objective = solve(everything, method="brute").objective
        agrees(pair_program(everything), objective)
        agrees(set_program(build_problem(continuum, bound)), objective)


def test_a_cover_has_a_model_by_sets_only() -> None:
    continuum = random_continuum(1, 3, 9)
    bound = bind(gc.Combined(), continuum)
    problem = build_problem(continuum, bound, cover=True)
    whole = build_problem(continuum, bound, cover=True, prune=False)
    agrees(set_program(problem), solve(whole, method="brute").objective)
    with pytest.raises(UsageError, match="use the model by sets"):
        pair_program(problem)


def test_pairs_without_a_limit_cost_no_digits() -> None:
    problem = drawn(3, 3, 0, 0.7)
    program = pair_program(problem)
    assert program.cut == 1
    assert program.error < 1e-6


def test_rows_are_counted_before_they_are_built() -> None:
    for seed in range(4):
        problem = drawn(4, 3, seed, 0.5, share=0.5)
        assert programs.pair_rows(problem) == pair_program(problem).matrix.shape[0]


def test_too_many_rows_are_refused_with_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    continuum = datasets.load("3by100")
    problem = build_problem(continuum, bind(gc.Combined(), continuum), prune=False)
    # 372 units by 3 annotators (124 each): 3·124³ triangles, 372·2 rows of annotators, 372 units.
    assert programs.pair_rows(problem) == 3 * 124**3 + 372 * 3
    with pytest.raises(DataError, match=r"5,720,988 rows; the limit is 2,000,000.*`model=sets`"):
        export(problem, "lp")
    monkeypatch.setattr(programs, "LARGEST", 20)
    with pytest.raises(DataError, match="`model=pairs`"):
        set_program(drawn(3, 3, 0, 0.7))


@pytest.mark.parametrize("model", ["pairs", "sets"])
def test_mps_as_read_by_or_tools_is_the_program_to_the_last_digit(model: str) -> None:
    text, program = export(drawn(3, 3, 1, 0.7), "mps", model=model)
    read = model_builder.Model()
    assert read.import_from_mps_string(text)
    columns = {variable.name: variable for variable in read.get_variables()}
    assert set(columns) == set(program.names)
    order = {columns[name].index: i for i, name in enumerate(program.names)}
    for name, cost in zip(program.names, program.cost, strict=True):
        assert columns[name].objective_coefficient == cost
        assert columns[name].is_integral
        assert (columns[name].lower_bound, columns[name].upper_bound) == (0, 1)
    helper, dense = read.helper, program.matrix.toarray()
    rows = read.get_linear_constraints()
    assert len(rows) == len(dense)
    for row, values in zip(rows, dense, strict=True):
        inside = helper.constraint_var_indices(row.index)
        found = np.zeros(dense.shape[1])
        found[[order[i] for i in inside]] = helper.constraint_coefficients(row.index)
        assert np.array_equal(found, values)
    assert [row.lower_bound for row in rows] == program.lower.tolist()
    assert [row.upper_bound for row in rows] == program.upper.tolist()


def sums(words: list[str]) -> dict[str, int]:
    return {name: int(value) for value, name in zip(words[::2], words[1::2], strict=True)}


@pytest.mark.parametrize("model", ["pairs", "sets"])
def test_lp_has_every_term_and_lines_of_legal_length(model: str) -> None:
    """The format is that of CPLEX; HiGHS and SCIP read it in `benchmarks/foreign_solver.py`."""
    text, program = export(drawn(3, 3, 1, 0.7), "lp", model=model)
    lines = [line for line in text.splitlines() if not line.startswith("\\")]
    assert max(map(len, lines)) < 255
    words = " ".join(lines).split()
    places = [words.index(word) for word in ("Minimize", "Subject", "Binaries", "End")]
    objective, constraints, binary = (words[a + 1 : b] for a, b in pairwise(places))
    assert tuple(binary) == program.names
    costs = dict(zip(program.names, program.cost.tolist(), strict=True))
    assert (objective[0], sums(objective[1:])) == ("cost:", costs)
    assert constraints.pop(0) == "To"
    begins = [i for i, word in enumerate(constraints) if word.endswith(":")]
    rows = [constraints[a:b] for a, b in pairwise([*begins, len(constraints)])]
    dense = program.matrix.toarray()
    assert len(rows) == len(dense)
    for i, (_, *terms, relation, right) in enumerate(rows):
        inside = np.flatnonzero(dense[i])
        assert sums(terms) == {program.names[j]: dense[i, j] for j in inside}
        assert float(right) == (program.lower[i] if relation != "<=" else program.upper[i])
        bounded = (np.isfinite(program.lower[i]), np.isfinite(program.upper[i]))
        assert bounded == {"<=": (False, True), ">=": (True, False), "=": (True, True)}[relation]


def least_of_opb(text: str) -> int:
    """Return the optimum of a small pseudo-Boolean file, by trying all assignments."""
    head, *lines = text.splitlines()
    count = int(head.split()[2])
    points = np.array(list(product((0, 1), repeat=count)))
    objective: NDArray[np.int64] | None = None
    for line in lines:
        if line.startswith("*"):
            continue
        assert line.endswith(" ;")
        words = line.removeprefix("min:").removesuffix(" ;").split()
        limit = 0
        if not line.startswith("min:"):
            *words, relation, right = words
            limit = int(right)
        total = sum(
            int(value) * points[:, int(name[1:]) - 1]
            for value, name in zip(words[::2], words[1::2], strict=True)
        )
        if line.startswith("min:"):
            objective = total
            continue
        kept = total >= limit if relation == ">=" else total == limit
        assert objective is not None
        points, objective = points[kept], objective[kept]
    assert objective is not None
    return int(objective.min())


@pytest.mark.parametrize("model", ["pairs", "sets"])
def test_pseudo_boolean_and_cp_sat_files_have_the_same_optimum(model: str) -> None:
    problem = drawn(3, 2, 2, 0.7, share=0.7)
    expected = solve(problem, method="brute").objective
    text, program = export(problem, "opb", model=model)
    assert text.startswith(f"* #variable= {len(program.cost)} #constraint= {len(program.lower)}\n")
    value = least_of_opb(text)
    assert 0 <= expected - value / program.scale <= program.error
    read = cp_model.CpModel()
    assert read.proto.parse_text_format(export(problem, "cpsat", model=model)[0])
    assert [v.name for v in read.proto.variables] == list(program.names)
    solver = cp_model.CpSolver()
    assert solver.solve(read) == cp_model.OPTIMAL
    assert solver.objective_value == value


def test_formats_and_models_are_known_by_name() -> None:
    problem = drawn(2, 2, 0, 0.7)
    with pytest.raises(UsageError, match="mps, lp, opb, cpsat"):
        export(problem, "xls")
    with pytest.raises(UsageError, match="pairs, sets"):
        export(problem, "lp", model="tours")


@pytest.mark.parametrize("to", WRITERS)
def test_the_command_says_how_the_objective_becomes_the_disorder(
    to: str, run: Run, tmp_path: Path
) -> None:
    out = tmp_path / "figure10"
    done = run(
        "export", "--dataset", "figure10", "--to", to, "--model", "sets", "-o", out, "--json"
    )
    facts = json.loads(done.out)
    assert facts["file"] == str(out)
    assert (facts["to"], facts["model"], facts["left_out"]) == (to, "sets", [])
    text = out.read_text()
    mark = WRITERS[to][1]
    assert f"{mark} unit 0: Jack, 4 to 14, A\n" in text
    assert f"{mark} disorder = cost * {facts['disorder_scale']:.17g}\n" in text
    # The disorder of figure 10 (Mathet et al. 2015) is 1.185185….
    continuum = datasets.load("figure10")
    program = set_program(build_problem(continuum, bind(gc.Combined(), continuum)))
    assert (facts["rows"], facts["variables"]) == program.matrix.shape
    assert facts["scale"] == program.scale
    cost = least(program)
    assert math.isclose(cost * facts["disorder_scale"], 32 / 27, abs_tol=program.error)


def test_the_command_refuses_programs_it_cannot_write(run: Run, tmp_path: Path) -> None:
    unsaid = run("export", "--dataset", "figure10")
    assert (unsaid.code, unsaid.out) == (2, "")
    assert "mps, lp, opb or cpsat" in unsaid.err
    out = tmp_path / "x.lp"
    refused = run("export", "--dataset", "3by100", "--to", "lp", "-o", out)
    assert refused.code == 3
    assert "5,720,988 rows" in refused.err
    assert not out.exists()
    # Following the advice works.
    assert (
        run("export", "--dataset", "3by100", "--to", "lp", "--model", "sets", "-o", out).code == 0
    )
    assert out.exists()
