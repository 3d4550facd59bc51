"""Use of private names outside of their module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OF_NAMED_TUPLES = {"_asdict", "_fields", "_make", "_replace"}  # public, in spite of the underscore
# Texts that may have private names of others: an attribute of anything but `self` and `cls`, or an
# import, in one line or with names in brackets. Other files need not be parsed.
_SUSPECT = re.compile(
    r"(?<!\bself)(?<!\bcls)\._[A-Za-z]|import[^\n(]*\b_[A-Za-z]|import \([^)]*\b_[A-Za-z]"
)


def private_names(path: Path) -> Iterator[str]:
    """Yield the private names that a module takes from other modules of ours.

    A leading underscore is private, except in `__version__` and the like and in foreign protocols
    (`_repr_html_`).
    """
    text = path.read_text(encoding="utf-8")
    if not _SUSPECT.search(text):
        return
    nodes = list(ast.walk(ast.parse(text)))
    ours: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and _is_ours(node.module or ""):
            ours |= {alias.asname or alias.name for alias in node.names}
            yield from (alias.name for alias in node.names if _is_private(alias.name))
        elif isinstance(node, ast.Import):
            ours |= {a.asname or a.name.split(".")[0] for a in node.names if _is_ours(a.name)}
    for node in nodes:
        if isinstance(node, ast.Attribute) and _is_private(node.attr):
            if _owner(node) in ours:
                yield ast.unparse(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.split(".")
            if _is_ours(node.value) and " " not in node.value and any(map(_is_private, words)):
                yield node.value


def _owner(node: ast.expr) -> str | None:
    """Return the name that attributes and calls are of, as `a` in `a.b().c`, or None."""
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def _is_ours(module: str) -> bool:
    return module.split(".")[0] in ("gammacp", "shuffling", "experiments")


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("_") and name not in OF_NAMED_TUPLES


def test_private_names_stay_in_their_module() -> None:
    files = [f for d in ("gammacp", "shuffling", "tests") for f in (ROOT / d).rglob("*.py")]
    found = {str(f.relative_to(ROOT)): names for f in files if (names := [*private_names(f)])}
    assert found == {}


@pytest.mark.parametrize(
    "text",
    [
        "from gammacp.base.files import _read\n",
        "from gammacp.base.files import read, _read as _mine\n",
        "from gammacp.base.files import (\n    _read,\n    write,\n)\n",
        "from gammacp.base.files import (\n    read, _read,  # noqa\n    write,\n)\n",
        "import gammacp.pools as pools\nuse(pools._read)\n",
    ],
)
def test_one_private_name_is_enough(tmp_path: Path, text: str) -> None:
    module = tmp_path / "module.py"
    module.write_text(text)
    assert len(list(private_names(module))) == 1


def test_private_names_are_found(tmp_path: Path) -> None:
    module, own = tmp_path / "module.py", ".".join(("gammacp", "files", "_WAIT"))
    module.write_text(
        "from gammacp.base.files import _read, write\nimport gammacp.pools as pools\n"
        "pools._local\nwrite._own\nself._mine\nwrite._replace()\n"
        f"patch('{own}')\n"
    )
    private = ["_read", "pools._local", "write._own", own]
    assert list(private_names(module)) == private
