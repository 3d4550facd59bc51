"""Registries: the names that come with gammacp are listed without importing their modules."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from gammacp.base.subjects import table
from gammacp.registry import REGISTRIES, names
from tests.forked import run_forked

_WHERE = {
    "chance model": "gammacp.chance.registry",
    "categorial dissimilarity": "gammacp.dissimilarity",
    "dissimilarity": "gammacp.dissimilarity.named",
    "positional dissimilarity": "gammacp.dissimilarity",
    "error type": "shuffling.registry",
    "format": "gammacp.formats.registry",
    "measure": "gammacp.measures.registry",
    "score": "gammacp.campaign.replace",
    "solver": "gammacp.alignment.solvers.registry",
    "view": "gammacp.base.display",
}

# Pages that describe the names of a kind; others are in the guide. Commands list solvers and
# formats, and the page of formats is generated from the registry.
_PAGES = {
    "categorial dissimilarity": "rich-labels",
    "error type": "shuffling",
    "measure": "measures",
    "score": "replace",
}


@pytest.mark.parametrize("kind", _WHERE)
def test_listed_names_are_those_that_the_modules_register(kind: str) -> None:
    import_module(_WHERE[kind])
    registry = REGISTRIES[kind]
    for module, listed in table(kind).items():
        for name in listed.split():
            entry = registry[name]
            entry = getattr(entry, "reader", entry)
            keys = ("prepare", "function", "read", "instances")
            functions = (getattr(entry, key, None) for key in keys)
            function = next(filter(None, functions), entry)
            function = getattr(function, "func", function)
            origin = getattr(function, "__module__", module)
            assert origin.startswith(module.rpartition(".")[0])
    own = {n for n in registry if not n.startswith("toy-")}
    listed_names = set(" ".join(table(kind).values()).split())
    assert own == listed_names, f"list them in gammacp/built_in.toml, [{kind!r}]"
    assert set(names(kind)) >= own


@pytest.mark.parametrize("kind", ["format", "measure"])
def test_the_order_is_that_of_the_list_after_any_imports(kind: str, tmp_path: Path) -> None:
    """For formats, the order decides which one recognises a file."""
    last = [*table(kind)][-1]
    show = f"from gammacp.registry import REGISTRIES; print(*REGISTRIES[{kind!r}])"
    code = f"import {last}, {_WHERE[kind]}; {show}"
    done = run_forked(code, environment=dict(os.environ), folder=tmp_path)
    assert done.stdout.split() == " ".join(table(kind).values()).split(), done.stderr


@pytest.mark.parametrize("kind", sorted(set(_WHERE) - {"view", "format", "solver"}))
def test_a_page_describes_each_name(kind: str) -> None:
    page = Path(__file__).parents[1] / "docs" / f"{_PAGES.get(kind, 'guide')}.md"
    text = page.read_text("utf-8")
    missing = [n for n in " ".join(table(kind).values()).split() if f"`{n}`" not in text]
    assert not missing, f"say it in docs/{page.name}"


@pytest.mark.parametrize("command", [["gamma", "--help"], ["bench", "-h"], ["--help"]])
def test_help_imports_no_numerical_code(command: list[str]) -> None:
    code = (
        f"import sys; sys.argv[1:] = {command}\n"
        "from gammacp.cli import main\n"
        "try: main()\n"
        "finally: print({'numpy', 'pydantic', 'numba'} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "set()\n"
    assert "sage: gammacp" in done.stdout


@pytest.mark.parametrize("kind", _WHERE)
def test_names_of_gammacp_cannot_be_taken(kind: str, tmp_path: Path) -> None:
    """This holds in a process that has not looked up any name before."""
    name = next(iter(table(kind).values())).split()[0]
    code = (
        f"import gammacp.cli, {_WHERE[kind]}\n"
        "from gammacp.errors import UsageError\nfrom gammacp.registry import REGISTRIES\n"
        f"try: REGISTRIES[{kind!r}].register({name!r}, object())\n"
        "except UsageError as error: print(error)"
    )
    done = run_forked(code, environment=dict(os.environ), folder=tmp_path)
    assert done.stdout == f"{kind} {name!r} is registered already\n", done.stderr
