"""Mutants of Python source: one small change each, found in the syntax tree, made in the text.

Annotations, docstrings and other strings are left alone. A mutant replaces the text of one
expression or statement, so that the rest of the file stays as it is, byte for byte.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

N = TypeVar("N", bound=ast.AST)

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
NAMES = {
    a: b
    for pair in (
        ("min", "max"),
        ("minimum", "maximum"),
        ("argmin", "argmax"),
        ("any", "all"),
        ("floor", "ceil"),
    )
    for a, b in (pair, pair[::-1])
}


@dataclass(frozen=True)
class Mutant:
    """One change of one file; `identity` names it as long as the file stays the same."""

    path: str
    line: int
    column: int
    kind: str
    before: str
    after: str
    start: int
    stop: int

    @property
    def identity(self) -> str:
        return f"{self.path}:{self.line}:{self.column} {self.kind} {self.before} → {self.after}"

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.stop :]


def mutants_of(root: Path, package: str) -> list[Mutant]:
    """Every mutant of the package's modules, in the order of the files."""
    files = sorted((root / package).rglob("*.py"))
    return [m for file in files for m in _of_file(file, file.relative_to(root).as_posix())]


def drawn(root: Path, package: str, seed: int) -> list[Mutant]:
    """All mutants in random order: the first n are a sample, and more of them a larger one."""
    every = mutants_of(root, package)
    random.Random(f"{seed}:{package}").shuffle(every)
    # Of a constant's two mutants one is enough.
    sites: set[tuple[str, int]] = set()
    kept = []
    for mutant in every:
        site = (mutant.path, mutant.start)
        if mutant.kind != "constant" or site not in sites:
            kept.append(mutant)
        if mutant.kind == "constant":
            sites.add(site)
    return kept


def _of_file(file: Path, path: str) -> Iterator[Mutant]:
    source = file.read_bytes()
    starts = [0]
    for text in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(text))
    for node, kind, changed in _changes(ast.parse(source)):
        start = starts[node.lineno - 1] + node.col_offset
        stop = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        after = ast.unparse(changed)
        if isinstance(changed, ast.expr) and not isinstance(changed, ast.Name | ast.Constant):
            after = f"({after})"
        before = ast.unparse(node) if isinstance(node, ast.expr | ast.stmt) else ""
        yield Mutant(path, node.lineno, node.col_offset, kind, before, after, start, stop)


Change = tuple[ast.expr | ast.stmt, str, ast.expr | ast.stmt]


def _changes(tree: ast.Module) -> Iterator[Change]:
    hidden = set(_annotations(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt) and id(node) not in hidden:
            for kind, changed in _mutations(node):
                yield node, kind, changed
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.While) and not isinstance(
            node.test, ast.Compare | ast.Constant | ast.UnaryOp
        ):
            yield node.test, "negation", ast.UnaryOp(ast.Not(), node.test)
        # What ends a branch early: a return within an if or a loop, continue and break.
        if isinstance(node, ast.If | ast.For | ast.While):
            for statement in (*node.body, *node.orelse):
                if isinstance(statement, ast.Return | ast.Continue | ast.Break):
                    yield statement, "drop", ast.Pass()


def _annotations(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        parts: list[ast.AST | None] = []
        if isinstance(node, ast.arg | ast.AnnAssign):
            parts = [node.annotation]
        elif isinstance(node, ast.FunctionDef):
            parts = [node.returns, *node.decorator_list]
        elif isinstance(node, ast.ClassDef):
            parts = list(node.decorator_list)
        elif isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        ):
            parts = [node]
        for part in parts:
            if part is not None:
                yield from (id(inner) for inner in ast.walk(part))


def _mutations(node: ast.expr | ast.stmt) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    if isinstance(node, ast.Compare):
        for i, operator in enumerate(node.ops):
            for other in COMPARISONS[type(operator)]:
                yield "compare", _with(node, lambda n, i=i, o=other: n.ops.__setitem__(i, o()))
    elif isinstance(node, ast.BinOp | ast.AugAssign):
        if type(node.op) in ARITHMETIC:
            other_operator = ARITHMETIC[type(node.op)]
            yield "arithmetic", _with(node, lambda n: setattr(n, "op", other_operator()))
    elif isinstance(node, ast.BoolOp):
        swapped = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield "and/or", _with(node, lambda n: setattr(n, "op", swapped()))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield "negation", node.operand
    elif isinstance(node, ast.IfExp):
        turned = ast.UnaryOp(ast.Not(), node.test)
        yield "negation", _with(node, lambda n: setattr(n, "test", turned))
    elif isinstance(node, ast.Constant):
        yield from (("constant", ast.Constant(value)) for value in _near(node.value))
    elif isinstance(node, ast.Name) and node.id in NAMES:
        yield "min/max", ast.Name(NAMES[node.id])
    elif isinstance(node, ast.Attribute) and node.attr in NAMES:
        yield "min/max", ast.Attribute(node.value, NAMES[node.attr])


def _near(value: object) -> tuple[bool | int | float, ...]:
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int | float):
        return (value + 1, value - 1)
    return ()


def _with(node: N, change: Callable[..., None]) -> N:
    changed = copy.deepcopy(node)
    change(changed)
    return changed
