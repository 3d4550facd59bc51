"""Rules on imports: no circles of files, and few modules for one γ."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import pytest

from gammacp.base.subjects import subjects

ROOT = Path(__file__).parents[1]

COMMAND = """
import contextlib, io, sys
sys.argv = ["gammacp", "gamma", "--dataset", "alex-paul-suzan", "--json"]
from gammacp.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
"""
LIBRARY = """
import sys
import gammacp as gc
units = [gc.Unit("A", 0, 4, "x"), gc.Unit("A", 6, 9, "y")]
units += [gc.Unit("B", 1, 4, "x"), gc.Unit("B", 6, 8, "y")]
gc.gamma(gc.Continuum.from_units(units), samples=30)
"""
NAMES = """
import json
print(json.dumps([n for n in sys.modules if n.split(".")[0] in ("gammacp", "shuffling")]))
"""

# Packages from which γ of a small continuum may load modules. A commit that adds one says why: code
# for only some data or options is imported where it is used.
LOADED_BY_LIBRARY = {
    "gammacp",
    "gammacp.alignment",
    "gammacp.alignment.duals",
    "gammacp.alignment.kernels",
    "gammacp.alignment.presolve",
    "gammacp.alignment.proof",
    "gammacp.alignment.solvers",
    "gammacp.base",
    "gammacp.chance",
    "gammacp.continuum",
    "gammacp.dissimilarity",
    "gammacp.inference",
    "gammacp.kernel",
    "gammacp.measures",
}
LOADED_BY_COMMAND = LOADED_BY_LIBRARY | {
    "gammacp.campaign",  # for the verdict, in one sentence
    "gammacp.cli",
    "gammacp.cli.commands",
    "gammacp.cli.options",
    "gammacp.datasets",
    "gammacp.formats",
    "gammacp.pools",
}


def modules() -> dict[str, Path]:
    """Return the files of both packages by module name."""
    files = {}
    for package in ("gammacp", "shuffling"):
        for path in (ROOT / package).rglob("*.py"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            files[name.removesuffix(".__init__")] = path
    return files


def imports_of(body: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield imports that run with the module, and those for types only, but none in functions."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for block in ("body", "orelse", "handlers", "finalbody"):
                yield from imports_of(getattr(node, block, []))


def import_graph(files: dict[str, Path]) -> nx.DiGraph[str]:
    """Return the graph of imports between modules."""
    graph = nx.DiGraph()
    for name, path in files.items():
        for node in imports_of(ast.parse(path.read_text(encoding="utf-8")).body):
            if isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            else:
                assert node.level == 0, f"{path}: relative import"
                full = [f"{node.module}.{alias.name}" for alias in node.names]
                targets = [name if name in files else str(node.module) for name in full]
            graph.add_edges_from((name, target) for target in targets if target in files)
    return graph


def circles(graph: nx.DiGraph[str]) -> list[list[str]]:
    """Return the sets of modules that import each other."""
    return [sorted(part) for part in nx.strongly_connected_components(graph) if len(part) > 1]


def test_a_look_up_imports_only_the_module_of_the_name() -> None:
    code = """
import sys
from gammacp.alignment import SOLVERS
assert SOLVERS["greedy"].name == "greedy"
"""
    run = subprocess.run(
        [sys.executable, "-c", code + NAMES], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = json.loads(run.stdout)
    assert "gammacp.alignment.solvers.greedy" in loaded
    assert "gammacp.alignment.solvers.cpsat" not in loaded


def test_there_are_no_circles_of_files() -> None:
    """Imports for types only count too.

    A frozen subject may keep circles of its copied interface.
    """
    frozen = {f"gammacp.{name}" for name, subject in subjects().items() if subject.frozen}
    files = {
        name: path
        for name, path in modules().items()
        if ".".join(name.split(".")[:2]) not in frozen
    }
    assert circles(import_graph(files)) == []


def test_a_circle_is_found(tmp_path: Path) -> None:
    files = {"a": tmp_path / "a.py", "b": tmp_path / "b.py"}
    files["a"].write_text("def f():\n    import b\n")
    files["b"].write_text("if TYPE_CHECKING:\n    from a import f\n")
    assert circles(import_graph(files)) == []
    files["a"].write_text("try:\n    import b\nexcept ImportError:\n    pass\n")
    assert circles(import_graph(files)) == [["a", "b"]]


@pytest.mark.parametrize(
    ("code", "packages", "most"),
    [(COMMAND, LOADED_BY_COMMAND, 150), (LIBRARY, LOADED_BY_LIBRARY, 110)],
    ids=["gammacp gamma", "gc.gamma"],
)
def test_gamma_of_a_small_continuum_loads_only_what_it_uses(
    code: str, packages: set[str], most: int
) -> None:
    run = subprocess.run(
        [sys.executable, "-c", code + NAMES], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = json.loads(run.stdout.splitlines()[-1])
    files = modules()
    homes = {n if files[n].name == "__init__.py" else n.rpartition(".")[0] for n in loaded}
    assert homes <= packages
    assert len(loaded) <= most
