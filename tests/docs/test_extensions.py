"""Checks of every extension that a page shows.

Pages of `docs/dev` call the checker themselves, and `test_blocks.py` runs them. Extensions of other
pages are checked here.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from doctest import script_from_examples
from pathlib import Path
from typing import Any

import pytest

from gammacp.testing import check_dissimilarity
from tests.docs import test_adding_a_subject as subject

sys.path.append(str(Path(__file__).parent))

from blocks import PAGES, Block, blocks

# A class with one of these methods is a dissimilarity or a part of one, an error type or a
# constraint.
_METHODS = {"pairwise", "distances", "apply", "allows_pairs", "allows_groups"}
_IN_A_SUBJECT = {"pause-time", "pauses"}


def _starts(names: dict[str, Any]) -> None:
    check_dissimilarity(names["Starts"]())


CHECKED_HERE: dict[str, Callable[[dict[str, Any]], None]] = {"Starts": _starts}


def _python(page: str) -> Iterator[tuple[Block, ast.AST]]:
    for block in blocks(page):
        if block.language == "python":
            text = block.text
            if text.startswith(">>>"):
                text = script_from_examples(text)
            yield from ((block, node) for node in ast.walk(ast.parse(text)))


def extensions(page: str) -> dict[str, Block]:
    """Return the extensions that a page shows: classes by name, others by their registered name."""
    found = {}
    for block, node in _python(page):
        if isinstance(node, ast.ClassDef):
            if _METHODS & {x.name for x in node.body if isinstance(x, ast.FunctionDef)}:
                found[node.name] = block
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "registered":
            assert isinstance(node.args[0], ast.Constant)
            found[str(node.args[0].value)] = block
    return found


def checked(page: str) -> set[str]:
    """Return the names and texts in a page's calls of checkers."""
    found = set()
    for _, call in _python(page):
        if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("check_"):
            for node in ast.walk(call):
                if isinstance(node, ast.Name):
                    found.add(node.id)
                elif isinstance(node, ast.Constant):
                    found.add(str(node.value))
    return found


def test_every_extension_of_every_page_goes_through_its_checker() -> None:
    shown = {name: page for page in PAGES for name in extensions(page)}
    assert {"Starts", "Jaccard", "Taxonomy", "CategoryFirst", "Trim"} < set(shown)
    assert {"mirror", "label-track", "count-alpha", *_IN_A_SUBJECT} < set(shown)
    own = {name for name, page in shown.items() if name in checked(page)}
    assert set(shown) - own == {*CHECKED_HERE, *_IN_A_SUBJECT}
    assert set(subject.CHECKS) == _IN_A_SUBJECT


@pytest.mark.needs("testing")
@pytest.mark.parametrize("name", CHECKED_HERE)
def test_extensions_of_other_pages_pass_their_checker(name: str) -> None:
    (block,) = (extensions(page)[name] for page in PAGES if name in extensions(page))
    names: dict[str, Any] = {}
    exec(block.text, names)
    CHECKED_HERE[name](names)
