"""Problems with arbitrary weights, and files of multi-matchings."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gammacp.alignment import Problem, solve
from gammacp.errors import DataError, UsageError
from gammacp.problems import read_multi_matching, weighted_problem
from gammacp.problems.integer_program import pair_program
from tests.problems.test_exporting import least

# Graphs have 1, 1 and 2 points. Joining 0–1–2a earns 2 + 1 − 0.5; 2b would earn 0.25 less.
SMALL = """c graphs 0, 1, 2
gm 0 1
p 1 1 1 0
a 0 0 0 -2
gm 0 2
p 1 2 2 0
a 0 0 0 0.5
a 1 0 1 -0.25
# the last two
gm 1 2
p 1 2 1 1
a 0 0 0 -1.0
e 0 0 0.0
"""


def random_weights(n: int, units: int, seed: int, opening: float) -> Problem:
    """Return a problem of random weights; with odd seeds, two fifths of the pairs are left out."""
    rng = np.random.default_rng(seed)
    owner = np.repeat(np.arange(n), units)
    first, second = np.triu_indices(n * units, 1)
    share = 0.6 if seed % 2 else 1.0
    is_pair = (owner[first] != owner[second]) & (rng.random(len(first)) < share)
    weight = rng.normal(0, 1, int(is_pair.sum()))
    # The later unit of a pair comes first here, which must not matter.
    return weighted_problem(owner, second[is_pair], first[is_pair], weight, opening=opening)


@cache
def with_optimum(n: int, units: int, seed: int, opening: float) -> tuple[Problem, float]:
    """Return a problem of random weights and its least cost, computed in two ways."""
    problem = random_weights(n, units, seed, opening)
    best = solve(problem, method="brute").objective
    assert best == pytest.approx(least(pair_program(problem)), abs=1e-6)
    return problem, best


@pytest.mark.parametrize("opening", [0.0, 0.5, -0.5])
@pytest.mark.parametrize("method", ["auto", "enumeration", "generation", "cpsat", "milp", "greedy"])
def test_every_solver_takes_any_opening(method: str, opening: float) -> None:
    """Every solver finds the brute-force optimum for positive and negative openings.

    A unit's share of a negative opening was once counted twice, so that bounds of `greedy` were too
    high.
    """
    for n, units in ((2, 5), (3, 4), (4, 2)):
        for seed in range(4):
            problem, best = with_optimum(n, units, seed, opening)
            solution = solve(problem, method=method)
            assert solution.bound <= best + 1e-9
            assert best <= solution.objective + 1e-9
            if method != "greedy":
                assert solution.status == "optimal"


def test_planted_matches_are_found() -> None:
    """Six points occur in eight sets; pairs of the same point earn, and all others cost."""
    owner = np.repeat(np.arange(8), 6)
    first, second = (rows.astype(int) for rows in np.triu_indices(48, 1))
    is_pair = owner[first] != owner[second]
    first, second = first[is_pair], second[is_pair]
    weight = np.where(first % 6 == second % 6, 0.5, -1.0)
    solution = solve(weighted_problem(owner, first, second, weight))
    assert solution.status == "optimal"
    assert solution.objective == -6 * 28 * 0.5
    assert {tuple(sorted({u % 6 for u in group})) for group in solution.groups.tolist()} == {
        (point,) for point in range(6)
    }


def test_a_file_gives_the_problem_it_describes(tmp_path: Path) -> None:
    path = tmp_path / "small.dd"
    path.write_text(SMALL)
    problem = read_multi_matching(path)
    assert problem.annotator.tolist() == [0, 1, 2, 2]
    pairs = zip(problem.first, problem.second, problem.weight, strict=True)
    assert sorted((int(u), int(v), float(w)) for u, v, w in pairs) == [
        (0, 1, 2.0),
        (0, 2, -0.5),
        (0, 3, 0.25),
        (1, 2, 1.0),
    ]
    solution = solve(problem)
    assert (solution.objective, solution.bound) == (-2.5, -2.5)
    assert solution.groups.tolist() == [[0, 1, 2], [-1, -1, 3]]


def test_two_graphs_need_no_header(tmp_path: Path) -> None:
    path = tmp_path / "two.dd"
    path.write_text("p 2 2 3 0\na 0 0 0 -1\na 1 0 1 -3\na 2 1 0 -1.5\n")
    assert solve(read_multi_matching(path)).objective == -4.5


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("e 0 0 0.0", "e 0 0 0.5\ne 0 0 -1", "2 costs of two assignments together"),
        ("a 0 0 0 -1.0", "a 0 0 2 -1.0", "small.dd:12: this is not a"),
        ("a 0 0 0 -1.0", "a 0 0 0", "small.dd:12: this is not a"),
        ("a 0 0 0 -1.0", "a 0 0 0 nan", "small.dd:12: a cost is not finite"),
        ("a 0 0 0 -1.0", "b 0 0 0 -1.0", "small.dd:12: this is not a"),
        ("a 1 0 1 -0.25", "a 1 0 0 -0.25", "small.dd:8: assignment of 0 and 0 occurs twice"),
        ("p 1 2 1 1", "p 2 2 1 1", "small.dd:11: graph 1 has 2 points, 1 before"),
        ("p 1 2 1 1", "p 1 2 2 1", "graphs 1 and 2: 1 assignments missing"),
        ("p 1 2 2 0", "p 1 2 1 0", "graphs 0 and 2: 1 assignments more"),
        ("gm 1 2", "gm 0 2", "small.dd:11: graphs 0 and 2 occur twice"),
        ("gm 1 2", "gm 2 1", "small.dd:10: this is not a"),
        ("gm 1 2", "gm 1 3", "no section for graphs 0 and 3"),
        (SMALL, "", "no assignment"),
    ],
)
def test_foreign_problems_are_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "small.dd"
    assert old in SMALL
    path.write_text(SMALL.replace(old, new, 1))
    with pytest.raises(DataError) as error:
        read_multi_matching(path)
    assert message in str(error.value)
    assert "small.dd" in str(error.value)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ({"owner": [1, 0, 2]}, "ascending"),
        ({"owner": []}, "owner needs an entry"),
        ({"owner": [0.0, 1.0, 2.0]}, "owner is not a list of whole numbers"),
        ({"second": [1, 3]}, r"pair \(0, 3\) is not among the 3 units"),
        ({"owner": [0, 1, 1], "first": [0, 1]}, r"both units of pair \(1, 2\) have one owner"),
        ({"first": [0, 1], "second": [1, 0]}, r"pair \(1, 0\) is given twice"),
        ({"weight": [1.0, float("inf")]}, "is not finite"),
        ({"weight": [1.0]}, "an entry for each pair"),
        ({"opening": float("nan")}, "is not finite"),
    ],
)
def test_impossible_weights_are_refused(override: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {
        "owner": [0, 1, 2],
        "first": [0, 0],
        "second": [1, 2],
        "weight": [1.0, 2.0],
    }
    weighted_problem(**good)
    with pytest.raises(UsageError, match=message):
        weighted_problem(**good | override)
