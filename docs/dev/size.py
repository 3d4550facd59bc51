"""How large and how tangled the packages are, and the ceilings that a test holds.

Code lines are lines with code: no docstrings, comments or blanks. Complexity counts the branches of
a function: 1, and 1 for each `if`, loop, `except`, `case`, condition inside an expression, `and`,
`or`. Floors are the packages and single modules on the longest chain of imports at the level of
modules. A ceiling moves only in a commit that says why.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Code lines; "gammacp" are its single modules.
CEILINGS = {
    "gammacp": 2_578,
    "gammacp/alignment": 6_539,
    "gammacp/bench": 2_167,
    "gammacp/campaign": 6_074,
    "gammacp/chance": 1_611,
    "gammacp/cli": 3_707,
    "gammacp/compat": 952,
    "gammacp/continuum": 1_615,
    "gammacp/datasets": 36,
    "gammacp/dissimilarity": 1_244,
    "gammacp/formats": 7_769,
    "gammacp/kernel": 468,
    "gammacp/links": 232,
    "gammacp/measures": 8_573,
    "gammacp/pools": 525,
    "gammacp/report": 1_043,
    "gammacp/shapes": 303,
    "gammacp/segmentation": 2_351,
    "gammacp/studio": 1_906,
    "gammacp/trees": 2_968,
    "shuffling": 2_169,
}
# What one kind of data, or one way of working, has beyond the core; the core never imports them.
WINGS = {"segmentation", "syntax", "links", "studio", "compat", "shapes"}
TOGETHER, CORE = 54_830, 46_118
COMPLEXITY, FLOORS = 25, 10
_BRANCHES = (
    ast.If,
    ast.For,
    ast.While,
    ast.IfExp,
    ast.ExceptHandler,
    ast.comprehension,
    ast.match_case,
)


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the two packages, by its path from the root."""
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for package in ("gammacp", "shuffling")
        for path in sorted((ROOT / package).rglob("*.py"))
    }


def code_lines(source: str, tree: ast.Module | None = None) -> int:
    """How many lines of a module have code; `tree` is the source parsed, where that is there."""
    lines = {
        number
        for number, line in enumerate(source.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    }
    docs: set[int] = set()
    for node in ast.walk(tree or ast.parse(source)):
        if isinstance(node, ast.Constant | ast.JoinedStr):  # blank lines in a string are code
            lines.update(range(node.lineno, (node.end_lineno or 0) + 1))
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if ast.get_docstring(node, clean=False) is not None and first is not None:
                docs.update(range(first.lineno, (first.end_lineno or 0) + 1))
    return len(lines - docs)


def complexity(function: ast.AST) -> int:
    """Branches of a function, with those of the functions in it."""
    nodes = list(ast.walk(function))
    choices = sum(len(n.values) - 1 for n in nodes if isinstance(n, ast.BoolOp))
    return 1 + choices + sum(isinstance(n, _BRANCHES) for n in nodes)


def sizes() -> Counter[str]:
    """Code lines by package; of gammacp's single modules together, under its own name."""
    lines: Counter[str] = Counter()
    for name, tree in modules().items():
        parts = name.split("/")
        package = "/".join(parts[:2]) if len(parts) > 2 else parts[0]
        lines[package] += code_lines((ROOT / name).read_text(encoding="utf-8"), tree)
    return lines


def core(lines: Counter[str]) -> int:
    """Code lines without the wings."""
    return lines.total() - sum(lines[f"gammacp/{wing}"] for wing in WINGS)


def functions() -> list[tuple[int, str]]:
    """Complexity of each function, and where it is."""
    return [
        (complexity(node), f"{node.name} ({name})")
        for name, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def home(module: str) -> str:
    """The package of a dotted module, or the single module itself; "" for gammacp's own front."""
    parts = [part for part in module.split(".") if part != "__init__"]
    if parts[0] != "gammacp":
        return parts[0]
    if parts[2:] == ["command"]:
        return "cli"  # a wing's command, which it finds by an entry point
    return "" if parts[1:] in ([], ["__main__"]) else parts[1]


def imports(*, late: bool) -> dict[str, set[str]]:
    """Package or single module → those it imports.

    Parameters
    ----------
    late
        Those inside functions and for types alone too; otherwise only what importing it imports.
    """
    edges: dict[str, set[str]] = {}
    for name, tree in modules().items():
        importer = home(name.removesuffix(".py").replace("/", "."))
        nodes: Iterator[ast.AST] = ast.walk(tree) if late else iter(tree.body)
        for node in nodes:
            edges.setdefault(importer, set()).update(_imported(node) - {importer, ""})
    edges.pop("", None)
    return edges


def _imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module == "gammacp":
        names = [f"gammacp.{alias.name}" for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        names = [node.module or ""]
    else:
        return set()
    return {home(n) for n in names if n.split(".")[0] in ("gammacp", "shuffling")} & _homes()


@cache
def _homes() -> set[str]:
    return {home(name.removesuffix(".py").replace("/", ".")) for name in modules()}


def chain(edges: dict[str, set[str]]) -> list[str]:
    """The longest chain of imports, or the first circle, whose two ends are then the same."""
    longest: dict[str, list[str]] = {}
    for start in sorted(edges):
        stack = [start]
        while stack:
            below = sorted(edges.get(stack[-1], ()))
            missing = next((b for b in below if b not in longest), None)
            if missing is None:
                best = max((longest[b] for b in below), key=len, default=[])
                longest[stack[-1]] = [stack[-1], *best]
                stack.pop()
                stack = [s for s in stack if s not in longest]
            elif missing in stack:
                return [*stack[stack.index(missing) :], missing]
            else:
                stack.append(missing)
    return max(longest.values(), key=len)


def report() -> Iterator[str]:
    """The table beside its ceilings, then the most complex functions and the floors."""
    lines = sizes()
    for name, count in sorted(lines.items()):
        yield f"{count:6,} of {CEILINGS.get(name, 0):6,} {name}"
    yield f"{lines.total():6,} of {TOGETHER:6,} together"
    yield f"{core(lines):6,} of {CORE:6,} without {', '.join(sorted(WINGS))}"
    yield from (f"{branches:6} branches {name}" for branches, name in sorted(functions())[:-6:-1])
    floors = chain(imports(late=False))
    yield f"{len(floors):6} floors: {' > '.join(floors)}"


if __name__ == "__main__":
    print("\n".join(report()))
