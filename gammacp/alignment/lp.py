"""The linear relaxation of the set packing problem, by OR-tools' GLOP."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from gammacp.alignment.groups import Columns
from gammacp.arrays import Floats


class Relaxation(NamedTuple):
    """x per column and the duals y ≥ 0 per unit: the price of a unit's place."""

    value: Floats
    price: Floats
    gain: float


def relax(n_units: int, columns: Columns) -> Relaxation:
    """max Σ gain·x, Σ_{G∋u} x_G ≤ 1 for each unit, x ≥ 0."""
    from scipy.sparse import csc_matrix

    builder: Any = import_module("ortools.linear_solver.python.model_builder_helper")
    size = len(columns)
    matrix = csc_matrix(
        (np.ones(len(columns.members)), columns.members, columns.begin), shape=(n_units, size)
    ).tocsr()
    model = builder.ModelBuilderHelper()
    model.fill_model_from_sparse_data(
        np.zeros(size),
        np.full(size, np.inf),
        -columns.gain,
        np.full(n_units, -np.inf),
        np.ones(n_units),
        matrix,
    )
    solver = builder.ModelSolverHelper("glop")
    solver.solve(model)
    if solver.status() != builder.SolveStatus.OPTIMAL:
        raise RuntimeError(f"GLOP ended with {solver.status()} on a packing problem")
    price = np.maximum(-np.asarray(solver.dual_values()), 0.0)
    return Relaxation(np.asarray(solver.variable_values()), price, -solver.objective_value())
