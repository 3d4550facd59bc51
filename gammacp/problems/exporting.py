"""The alignment problem in formats of other solvers: MPS, LP, OPB (pseudo-Boolean), CP-SAT's own.

CP-SAT's format is the text of its protocol buffers; `from_program` returns the same model for its
Python interface. Comments at the top of a file say what it is, how its objective becomes a cost,
and how exact that is. OR-tools' own MPS and LP writers are not used, as they round coefficients to
six digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from gammacp.alignment.problem import Problem
from gammacp.base.arguments import one_of
from gammacp.base.text import visible
from gammacp.problems.integer_program import MODELS, IntegerProgram


def export(
    problem: Problem, to: str, *, model: str = "pairs", comments: Iterable[str] = ()
) -> tuple[str, IntegerProgram]:
    """Return the problem as text for another solver, and the integer program that the text states.

    Parameters
    ----------
    problem
        Problem of a continuum (`build_problem`, with `prune=False` for all pairs) or of given
        weights (`weighted_problem`).
    to
        `mps`, `lp`, `opb` or `cpsat`.
    model
        `pairs` or `sets` (`integer_program`).
    comments
        Further lines at the top.

    Raises
    ------
    UsageError
        The format or the model is unknown, or a cover is to be modelled by pairs.
    DataError
        There are more than two million rows or variables; the message says how many.

    Examples
    --------
    >>> from gammacp.problems import weighted_problem
    >>> problem = weighted_problem([0, 1], [0], [1], [0.5])
    >>> print(export(problem, "opb")[0].splitlines()[-1])
    +1 x1 +1 x3 >= 1 ;
    """
    write, mark = WRITERS[one_of("to", to, WRITERS)]
    program = MODELS[one_of("model", model, MODELS)](problem)
    comment_lines = [
        f"{mark} {visible(line)}" for line in (*_about(problem, model, program), *comments)
    ]
    if to == "opb":  # its readers want the sizes first
        rows, variables = program.matrix.shape
        comment_lines.insert(0, f"* #variable= {variables} #constraint= {rows}")
    return "\n".join((*comment_lines, *write(program), "")), program


def _about(problem: Problem, model: str, program: IntegerProgram) -> list[str]:
    """Return the comment lines that every exported program begins with."""
    rows, variables = program.matrix.shape
    power = int(np.log2(program.scale))
    lines = [
        f"an alignment of {problem.n_units} units of {problem.n_annotators} annotators that costs "
        f"least, by {model}: {variables} variables, {rows} rows",
        f"cost = objective * 2^{-power}: costs were multiplied by 2^{power} and rounded down; the "
        f"least cost is not below this program's optimum, and at most {program.error:.3g} above it",
    ]
    if program.cut:
        lines.append(
            f"{program.cut} pairs cost more than any alignment could gain: their cost is capped"
        )
    return lines


def from_program(program: IntegerProgram) -> Any:
    """Return the program as a CP-SAT model, with its variables in order and under their names.

    Parameters
    ----------
    program
        Program to translate. Rows whose coefficients are all 1 become exactly-one, at-most-one or
        at-least-one constraints.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    variables = [model.new_bool_var(name) for name in program.names]
    for inside, signs, lower, upper in _rows(program):
        terms = [variables[i] for i in inside]
        if upper == 1 and min(signs) > 0:
            (model.add_exactly_one if lower == 1 else model.add_at_most_one)(terms)
        elif lower == 1 and min(signs) > 0:
            model.add_at_least_one(terms)
        else:
            model.add(cp_model.LinearExpr.weighted_sum(terms, signs) <= int(upper))
    model.minimize(cp_model.LinearExpr.weighted_sum(variables, program.cost.tolist()))
    return model


def _bounds(program: IntegerProgram) -> Iterator[tuple[float, float]]:
    return zip(program.lower.tolist(), program.upper.tolist(), strict=True)


def _rows(program: IntegerProgram) -> Iterator[tuple[list[int], list[int], float, float]]:
    """Yield, for each row, its variables, their coefficients, and the bounds of the sum."""
    matrix, begin = program.matrix, program.matrix.indptr.tolist()
    inside = matrix.indices.tolist()
    signs = matrix.data.astype(np.int64).tolist()
    for row, (lower, upper) in enumerate(_bounds(program)):
        part = slice(begin[row], begin[row + 1])
        yield inside[part], signs[part], lower, upper


def _mps(program: IntegerProgram) -> Iterator[str]:
    """Yield the lines of free MPS: columns in order, all of them binary."""
    kinds = ["E" if a == b else "G" if b == np.inf else "L" for a, b in _bounds(program)]
    yield "NAME alignment"
    yield "ROWS"
    yield " N cost"
    yield from (f" {kind} c{row}" for row, kind in enumerate(kinds))
    yield "COLUMNS"
    yield " MARKER 'MARKER' 'INTORG'"
    columns = program.matrix.tocsc()
    begin = columns.indptr.tolist()
    inside = columns.indices.tolist()
    signs = columns.data.astype(np.int64).tolist()
    for i, (name, cost) in enumerate(zip(program.names, program.cost.tolist(), strict=True)):
        yield f" {name} cost {cost}"
        yield from (f" {name} c{inside[p]} {signs[p]}" for p in range(begin[i], begin[i + 1]))
    yield " MARKER 'MARKER' 'INTEND'"
    yield "RHS"
    for row, (lower, upper) in enumerate(_bounds(program)):
        yield f" RHS c{row} {int(lower if upper == np.inf else upper)}"
    yield "BOUNDS"
    yield from (f" BV BOUND {name}" for name in program.names)
    yield "ENDATA"


def _lp(program: IntegerProgram) -> Iterator[str]:
    """Yield the lines of CPLEX's LP format, one per term, as some readers limit the line length."""
    names = program.names
    yield "Minimize"
    yield " cost:"
    yield from _terms(program.cost.tolist(), names)
    yield "Subject To"
    for row, (inside, signs, lower, upper) in enumerate(_rows(program)):
        yield f" c{row}:"
        yield from _terms(signs, [names[i] for i in inside])
        yield f" = {int(upper)}" if lower == upper else _inequality(lower, upper)
    yield "Binaries"
    yield from (f" {name}" for name in names)
    yield "End"


def _inequality(lower: float, upper: float) -> str:
    if upper == np.inf:
        return f" >= {int(lower)}"
    return f" <= {int(upper)}"


def _terms(coefficients: Iterable[int], names: Iterable[str]) -> Iterator[str]:
    return (f" {value:+d} {name}" for value, name in zip(coefficients, names, strict=True))


def _opb(program: IntegerProgram) -> Iterator[str]:
    """Yield the lines of the pseudo-Boolean competition's format, with variables x1, x2, …."""
    names = [f"x{i}" for i in range(1, len(program.cost) + 1)]
    yield from (f"* {x} is {name}" for x, name in zip(names, program.names, strict=True))
    yield f"min:{''.join(_terms(program.cost.tolist(), names))} ;"
    for inside, signs, lower, upper in _rows(program):
        turned = lower == -np.inf
        left = "".join(_terms([-s if turned else s for s in signs], [names[i] for i in inside]))
        right = int(-upper if turned else lower)
        yield f"{left[1:]} {'=' if lower == upper else '>='} {right} ;"


WRITERS: dict[str, tuple[Callable[[IntegerProgram], Iterable[str]], str]] = {
    "mps": (_mps, "*"),
    "lp": (_lp, "\\"),
    "opb": (_opb, "*"),
    "cpsat": (lambda program: [str(from_program(program).proto).rstrip()], "#"),
}
"""What writes the lines of each format, and how a comment begins there."""
