"""Names of parameters in texts of the library, which the command line shows as options."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main

import gammacp
from gammacp.base.record_tables import Column, Table
from gammacp.base.subjects import table
from gammacp.cli.app import build
from gammacp.cli.output import message, print_json, show
from gammacp.cli.wording import MARK, options_for_parameters, options_in_texts
from gammacp.errors import DataError
from gammacp.formats.campaign_file import KEYS
from gammacp.formats.registry import FORMATS

ROOT = Path(gammacp.__file__).parent.parent
# These files belong to the command line and name options; a page's style sheet has `--share`.
COMMAND_LINE = re.compile(r"/(cli|commands)/|/(command|options)\.py$")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
STYLES = frozenset({"--share"})


def library_files() -> Iterator[Path]:
    for package in ("gammacp", "shuffling"):
        for path in sorted((ROOT / package).rglob("*.py")):
            # `verify` is a program of its own, with its own options.
            if not COMMAND_LINE.search(path.as_posix()) and path.name != "verify.py":
                yield path


@cache
def parsed() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in library_files()}


@cache
def nodes() -> dict[Path, list[ast.AST]]:
    """Return the nodes of each file that the tests look at; a walk takes longer than parsing."""
    kinds = (ast.Expr, ast.JoinedStr, ast.Constant, ast.FunctionDef)
    return {
        path: [node for node in ast.walk(tree) if isinstance(node, kinds)]
        for path, tree in parsed().items()
    }


@cache
def texts() -> dict[Path, list[str]]:
    return {path: [*texts_in(of_file)] for path, of_file in nodes().items()}


def texts_in(of_file: list[ast.AST]) -> Iterator[str]:
    """Yield the strings of a file except its docstrings; values in f-strings are "{}"."""
    passed = {id(node.value) for node in of_file if isinstance(node, ast.Expr)}
    for node in of_file:
        if isinstance(node, ast.JoinedStr):
            passed |= {id(part) for part in node.values}
            parts = [p.value if isinstance(p, ast.Constant) else "{}" for p in node.values]
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and id(node) not in passed:
            yield str(node.value)


@cache
def marks() -> list[tuple[str, re.Match[str]]]:
    found = []
    for path, said in texts().items():
        for text in said:
            for mark in MARK.finditer(text):
                call = mark["call"]
                if call is None or any(key.startswith(f"{call}(") for key in table("parameter")):
                    found.append((str(path.relative_to(ROOT)), mark))
    return found


def options_of_commands() -> set[str]:
    found = {"--json"}

    def collect(command: Any) -> None:
        for parameter in command.params:
            found.update(parameter.opts, parameter.secondary_opts)
        for inner in getattr(command, "commands", {}).values():
            collect(inner)

    collect(typer.main.get_command(build()))
    return found


def parameters_in(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the parameters of public functions and the fields of public classes."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for inner in node.body:
                if isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name):
                    yield inner.target.id
            yield from parameters_in(node.body)
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            for argument in (*node.args.args, *node.args.kwonlyargs):
                yield argument.arg


@pytest.fixture(scope="module")
def parameters() -> set[str]:
    """Return the parameters of the library's public functions, and the keys of readers."""
    found = set(KEYS)
    for tree in parsed().values():
        found.update(parameters_in(tree.body))
    return found


@pytest.fixture(scope="module")
def functions() -> set[str]:
    """Return the names of the library's public functions and methods."""
    found = set()
    for path, of_file in nodes().items():
        for node in of_file:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                found |= {node.name, f"{path.stem}.{node.name}"}
    return found


@pytest.fixture(scope="module")
def reader_options() -> set[str]:
    return {name for _, entry in FORMATS.items() for name in entry.reader.options}


def test_every_marked_name_is_a_parameter(
    parameters: set[str], functions: set[str], reader_options: set[str]
) -> None:
    found = marks()
    assert len(found) > 50
    for place, mark in found:
        if mark["call"] is None:
            assert mark["name"] in parameters, (place, mark[0])
        else:
            assert mark["call"] in functions, (place, mark[0])
        if mark["call"] == "read":
            assert mark["inside"].partition("=")[0] in reader_options, (place, mark[0])


def test_every_marked_name_has_an_option() -> None:
    options = options_of_commands()
    for place, mark in marks():
        option = options_for_parameters(f"({mark[0]})").strip("()").split()[0]
        assert option in options, (place, mark[0])


def test_every_entry_of_the_table_is_used() -> None:
    used = set()
    for _, mark in marks():
        name, _, _ = (mark["inside"] or "").partition("=")
        used |= {
            f"{mark['name']}=",
            f"{mark['name']}={mark['value']}",
            f"{mark['call']}()",
            f"{mark['call']}({name}=)",
        }
    assert set(table("parameter")) <= used


def test_the_library_names_no_options() -> None:
    for path, said in texts().items():
        for text in said:
            assert set(OPTION.findall(text)) <= STYLES, (path, text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Leave `read_until=` out", "Leave --read-until out"),
        ("(`annotators=A,B`), or not.", "(--annotators A,B), or not."),
        ("`grid=` 0 is not > 0", "--grid 0 is not > 0"),
        ("with `tier='gesture@{annotator}'`.", "with --tier 'gesture@{annotator}'."),
        ("Read them with `read(shapes=no)`", "Read them with --option shapes=no"),
        ("Write XMI (`write(format=cas)`)", "Write XMI (--to cas)"),
        ("give `plugins.load(my.py)`", "give --import my.py"),
        ("Use `gammacp convert` or `pip install x`", "Use `gammacp convert` or `pip install x`"),
        ("call `other(a=1)` here", "call `other(a=1)` here"),
    ],
)
def test_marked_names_become_options(text: str, shown: str) -> None:
    assert options_for_parameters(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "`read_until=`",
        "category '`read_until=`' is unknown",
        'file "`read_until=`"',
        "folder/`read_until=`: empty",
        "`read_until=`: empty",
        "gammacp: `read_until=`: empty",
        "`read_until=`.csv: empty",
        "`read_until=`+b",
    ],
)
def test_names_from_data_are_unchanged(text: str) -> None:
    assert options_for_parameters(text) == text


def test_json_translates_texts_only() -> None:
    said = "Leave `read_until=` out"
    document = {
        "category": "`read_until=`",
        "text": f"a passage: {said}",
        said: 1,
        "results": [{"reason": said, "notes": [said], "file": "a `read_until=` b"}],
    }
    shown = "Leave --read-until out"
    assert options_in_texts(document) == {
        **document,
        "results": [{"reason": shown, "notes": [shown], "file": "a `read_until=` b"}],
    }


def test_all_outputs_translate_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    said = "Leave `read_until=` out"
    message(said)
    print_json({"reason": said, "category": "`read_until=`"}, lines=True)
    columns = Column("category", "category"), Column("reason", "reason", wrapped=True)
    show(Table(columns, [{"category": "a `read_until=`", "reason": said}]))
    out, err = capsys.readouterr()
    assert err == "Leave --read-until out\n"
    assert out.startswith('{"reason": "Leave --read-until out", "category": "`read_until=`"}\n')
    assert "a `read_until=`   Leave --read-until out" in out


def test_python_names_the_parameter() -> None:
    error = DataError("no end", hint="Say where the text ends with `bounds=`")
    assert str(error) == "no end. Say where the text ends with `bounds=`"
