"""One word, one meaning: names of classes, functions and modules that a reader meets."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "docs" / "dev"))

from size import ROOT, modules

# The classes of compat mirror those of the tool whose programs run unchanged on them.
MIRRORED = {"Alignment", "Continuum", "Unit", "UnitaryAlignment"}
# Functions whose name is a participle and nothing else: at most so many. It says how what comes
# back was made, not what it is. Methods that return a changed copy may do so (`renamed`).
MOST_PARTICIPLES = 60
# Participles without -ed.
IRREGULAR = """
    begun bent bound bought broken brought built caught chosen cut dealt done drawn driven eaten
    fallen felt flown found forgotten frozen given gone grown heard held hidden hit hung kept
    known laid left lent lit lost made meant met paid put read ridden risen run said seen sent
    set shaken shown shut sold sought spent split spread sprung stood struck swept swung taken
    taught thought thrown told torn understood undone unwound withheld won worn wound woven written
"""
OF_NAMED_TUPLES = {"_asdict", "_fields", "_make", "_replace"}  # public, in spite of the underscore
NO_PARTICIPLES = {
    "read": "the verb: it reads a file",
    "run": "the verb: it runs what it is given",
    "cut": "the verb, and a chance model of that name",
    "put": "the verb",
    "set": "the verb, and the noun",
    "split": "the verb, and an error type of that name",
    "spread": "the noun: how far values lie apart",
    "bound": "the noun: below it no alignment is",
    "expected": "D_e of the papers",
    "observed": "D_o of the papers",
    "need": "the noun",
    "seed": "the noun",
    "speed": "the noun",
}


def participle(name: str) -> bool:
    """Whether a function's name is a past participle alone."""
    word = name.strip("_")
    ends = word.endswith("ed") or word in IRREGULAR.split()
    return ends and "_" not in word and word not in NO_PARTICIPLES


def functions() -> Iterator[tuple[str, str]]:
    """Each function, those in others too, with its module."""
    for module, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node.name, module


def public_classes() -> dict[str, list[str]]:
    """Name of a class at the level of a module → the modules that have one."""
    found: dict[str, list[str]] = {}
    for module, tree in modules().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(module)
    return found


def private_names(path: Path) -> Iterator[str]:
    """What a module takes from other modules of ours that is not theirs to give.

    A leading underscore is private, but for `__version__` and its like and for protocols of others
    (`_repr_html_`).
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    ours: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and _is_ours(node.module or ""):
            ours |= {alias.asname or alias.name for alias in node.names}
            yield from (alias.name for alias in node.names if _is_private(alias.name))
        elif isinstance(node, ast.Import):
            ours |= {a.asname or a.name.split(".")[0] for a in node.names if _is_ours(a.name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is_private(node.attr):
            owner = ast.unparse(node.value).split(".")[0].split("(")[0]
            if owner in ours:
                yield ast.unparse(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.split(".")
            if _is_ours(node.value) and " " not in node.value and any(map(_is_private, words)):
                yield node.value


def _is_ours(module: str) -> bool:
    return module.split(".")[0] in ("gammacp", "shuffling", "experiments")


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("_") and name not in OF_NAMED_TUPLES


def test_no_public_class_has_the_name_of_another() -> None:
    both = {name: where for name, where in public_classes().items() if len(where) > 1}
    for name in MIRRORED:
        assert sum("/compat/" not in module for module in both.pop(name)) == 1
    assert both == {}


def test_functions_are_named_by_what_they_give() -> None:
    found = [row for row in functions() if participle(row[0])]
    assert len(found) <= MOST_PARTICIPLES, found


def test_a_module_of_tables_says_of_what() -> None:
    assert [m for m in modules() if m.endswith(("/tables.py", "/table.py"))] == []


def test_private_names_stay_in_their_module() -> None:
    files = [f for d in ("gammacp", "shuffling", "tests") for f in (ROOT / d).rglob("*.py")]
    found = {str(f.relative_to(ROOT)): names for f in files if (names := [*private_names(f)])}
    assert found == {}


def test_what_is_wrong_is_seen(tmp_path: Path) -> None:
    assert all(map(participle, ("checked", "_found", "drawn", "merged")))
    assert not any(map(participle, ("check", "read", "read_only", "seed", "moved_units", "_bound")))
    assert set(NO_PARTICIPLES) & set(IRREGULAR.split()) == {
        "read", "run", "cut", "put", "set", "split", "spread", "bound"
    }  # fmt: skip
    module, own = tmp_path / "module.py", ".".join(("gammacp", "files", "_WAIT"))
    module.write_text(
        "from gammacp.base.files import _read, write\nimport gammacp.pools as pools\n"
        "pools._local\nwrite._own\nself._mine\nwrite._replace()\n"
        f"patch('{own}')\n"
    )
    private = ["_read", "pools._local", "write._own", own]
    assert list(private_names(module)) == private
