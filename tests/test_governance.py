"""Rules on imports between packages, and the public names."""

import ast
import re
import runpy
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import gammacp
from gammacp.base.subjects import kinds, subjects, table

ROOT = Path(__file__).parents[1]
NEEDS = {name: set(subject.needs) for name, subject in subjects().items()}
FILES = sorted([*ROOT.glob("gammacp/**/*.py"), *ROOT.glob("shuffling/**/*.py")])
# Packages that `shuffling` may import: the data, and the registry of its error types.
UNDER_SHUFFLING = {"base", "continuum", "errors", "registry"}
# Packages that `base` may import: errors, and `registry` for the views of notebooks
# (`base.display`).
UNDER_BASE = {"base", "errors", "registry"}
PUBLIC = ROOT / "tests" / "public_names.txt"
# An import of ours, in one line or, as ruff wraps it, with names in brackets. Only these statements
# are parsed, in a twentieth of the time that parsing all files takes. Such lines in strings count,
# too.
OURS = r"(?:gammacp|shuffling)(?:\.\w+)*"
IMPORT = re.compile(
    rf"^[ \t]*(from {OURS} import (?:\([^)]*\)|[\w, ]+|\*)|import {OURS}(?: as \w+)?(?=\s))",
    re.MULTILINE,
)


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and package of gammacp for each import anywhere in a file."""
    text = path.read_text(encoding="utf-8")
    for match in IMPORT.finditer(text):
        line = text.count("\n", 0, match.start(1)) + 1
        (node,) = ast.parse(match[1]).body
        if isinstance(node, ast.ImportFrom):
            named = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            named = [alias.name for alias in node.names]
        for name in named:
            first, _, rest = name.partition(".")
            if first == "gammacp" and rest:
                yield line, rest.partition(".")[0]
            elif first == "shuffling":
                yield line, "shuffling"


def may_import(path: Path, package: str) -> bool:
    """Return whether a file may import a package of gammacp (or `shuffling`)."""
    top, *inside = path.relative_to(ROOT).parts
    if top == "shuffling":
        return package in UNDER_SHUFFLING | {"shuffling", "__version__"}
    own = inside[0]
    if own == "base":
        return package in UNDER_BASE | {"__version__"}
    if package not in NEEDS:
        return True
    if own == "__init__.py":
        # Types of public names that subjects define are imported only for type checkers.
        return package in PUBLIC_HOMES
    beside = inside[1].removeprefix("with_") if len(inside) > 1 else ""
    return package in {own, beside} | NEEDS.get(own, set())


PUBLIC_HOMES = {module.split(".")[1] for module in table("name")}


def _listed_subjects():
    """Return the contents of gammacp/contents.toml on the subjects that come with gammacp."""
    return tomllib.loads((ROOT / "gammacp" / "contents.toml").read_text(encoding="utf-8"))


def test_imports_follow_the_layout():
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {package}"
        for path in FILES
        for line, package in imports(path)
        if not may_import(path, package)
    ]
    assert not wrong, "\n".join(wrong)


def test_public_types_of_subjects_are_imported_only_for_type_checkers():
    tree = ast.parse((ROOT / "gammacp" / "__init__.py").read_text(encoding="utf-8"))
    imported = {str(node.module) for node in tree.body if isinstance(node, ast.ImportFrom)}
    assert {name for name in imported if name.startswith("gammacp")} == {"gammacp.base.version"}


@pytest.mark.skipif(not NEEDS, reason="there is no subject")
def test_the_core_names_no_subject():
    commands = {name for subject in subjects().values() for name in subject.entries("command")}
    words = "|".join(map(re.escape, sorted(commands | set(NEEDS))))
    named = re.compile(rf"gammacp[ ./]({words})\b")
    wrong = []
    for path in [*FILES, ROOT / "gammacp" / "built_in.toml"]:
        inside = path.relative_to(ROOT).parts
        if inside[1] in NEEDS:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            allowed = inside[1] == "__init__.py" and line.startswith("    from gammacp.")
            if named.search(line) and not allowed:
                wrong.append(f"{'/'.join(inside)}:{number}: {line.strip()}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", sorted(NEEDS))
def test_code_for_another_subject_is_in_a_folder_of_its_name(name):
    folder = ROOT / "gammacp" / name
    found = {path.name.removeprefix("with_") for path in folder.glob("with_*")}
    assert found <= set(NEEDS)
    assert set(subjects()[name].tables_for) <= found | set(NEEDS[name])


def test_public_names_are_the_listed_ones():
    brought = " ".join(table("name").values()).split()
    lines = [f"gammacp.{name}" for name in sorted({*gammacp.__all__, *brought})]
    lines += [f"registry: {kind}" for kind in kinds()]
    listed = PUBLIC.read_text(encoding="utf-8").splitlines()
    if set(_listed_subjects()) <= set(subjects()):
        assert listed == lines
    else:  # names of deleted subjects are missing
        assert [line for line in listed if line in lines] == lines


def test_every_public_name_exists():
    for name in dir(gammacp):
        assert getattr(gammacp, name) is not None


def test_the_list_for_messages_on_deleted_subjects_is_current():
    """`python docs/dev/contents.py` writes the list; subjects that it does not list are free."""
    listed = _listed_subjects()
    script = runpy.run_path(str(ROOT / "docs" / "dev" / "contents.py"))
    current = tomllib.loads(script["contents"]())
    present = {name: tables for name, tables in listed.items() if name in current}
    assert present == {name: current[name] for name in present}
