"""Independence of the package `shuffling`: no import circles, and few imports.

`tests/test_governance.py` checks what it may import.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import shuffling

FOLDER = Path(shuffling.__path__[0])


def imports(path: Path) -> set[str]:
    """Return the modules that a file imports, also inside its functions."""
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module))
            if node.module == "shuffling":
                found |= {f"shuffling.{alias.name}" for alias in node.names}
    return found


def test_there_is_no_import_circle() -> None:
    graph = {
        f"shuffling.{p.stem}": {
            name for name in imports(p) if name.startswith("shuffling.") and p.stem != "__init__"
        }
        for p in FOLDER.glob("*.py")
    }
    list(TopologicalSorter(graph).static_order())  # a CycleError names the circle


def test_importing_shuffling_loads_little() -> None:
    code = (
        "import shuffling, sys\n"
        "ours = [m for m in sys.modules if m.startswith('gammacp.')]\n"
        "light = ('gammacp.continuum.', 'gammacp.base.')\n"
        "ours = [m for m in ours if not f'{m}.'.startswith(light)]\n"
        "print(*(m for m in ours if m.count('.') > 1 or hasattr(sys.modules[m], '__path__')))\n"
        "print(*{'scipy', 'numba', 'ortools', 'typer', 'pebble'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    packages, heavy = done.stdout.splitlines()
    assert (packages, heavy) == ("", "")
