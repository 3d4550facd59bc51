"""Code lines per package and the most complex functions, for docs/dev/architecture.md.

Code lines are lines with code: no docstrings, comments or blanks. Complexity counts the branches of
a function: 1, and 1 for each `if`, loop, `except`, `case`, condition inside an expression, `and`,
`or`.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_NO_CODE = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)
_BRANCHES = (
    ast.If,
    ast.For,
    ast.While,
    ast.IfExp,
    ast.ExceptHandler,
    ast.comprehension,
    ast.match_case,
)


def code_lines(source: str) -> int:
    """How many lines of a module have code."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if ast.get_docstring(node, clean=False) is not None and first is not None:
                lines -= set(range(first.lineno, (first.end_lineno or 0) + 1))
    return len(lines)


def complexity(function: ast.AST) -> int:
    """Branches of a function, with those of the functions in it."""
    nodes = list(ast.walk(function))
    choices = sum(len(n.values) - 1 for n in nodes if isinstance(n, ast.BoolOp))
    return 1 + choices + sum(isinstance(n, _BRANCHES) for n in nodes)


def report() -> Iterator[str]:
    """The lines of the table, then the functions with most branches."""
    lines: Counter[str] = Counter()
    functions: list[tuple[int, str]] = []
    for package in ("gammacp", "shuffling"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).parts
            source = path.read_text(encoding="utf-8")
            lines["/".join(parts[:2]) if len(parts) > 2 else package] += code_lines(source)
            functions += [
                (complexity(node), f"{node.name} ({'/'.join(parts)})")
                for node in ast.walk(ast.parse(source))
                if isinstance(node, ast.FunctionDef)
            ]
    yield from (f"{count:6,} {name}" for name, count in sorted(lines.items()))
    yield f"{lines.total():6,} together"
    yield from (f"{branches:6} {name}" for branches, name in sorted(functions)[:-6:-1])


if __name__ == "__main__":
    print("\n".join(report()))
