"""No package grows, no function branches, no import circles beyond what docs/dev/size.py allows."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "docs" / "dev"))

from size import (
    CEILINGS,
    COMPLEXITY,
    CORE,
    FLOORS,
    TOGETHER,
    WINGS,
    chain,
    code_lines,
    core,
    functions,
    imports,
    sizes,
)

# What stands on all, and nothing else, reaches into a wing.
OF_WINGS = {"cli": {"links", "segmentation", "studio", "syntax"}}


def test_no_package_is_larger_than_its_ceiling() -> None:
    found = sizes()
    assert found.keys() == CEILINGS.keys()
    over = {name: n for name, n in found.items() if n > CEILINGS[name]}
    moves = f"CEILINGS {over}, TOGETHER {found.total()}, CORE {core(found)}"
    advice = f"Remove lines, or set in docs/dev/size.py and say why in the commit: {moves}"
    assert not over and found.total() <= TOGETHER and core(found) <= CORE, advice


def test_no_function_has_more_branches_than_a_reader_keeps_apart() -> None:
    assert [row for row in functions() if row[0] > COMPLEXITY] == []


def test_the_core_imports_no_wing() -> None:
    """Also inside functions, and for types alone."""
    edges = imports(late=True)
    found = {who: edges[who] & WINGS for who in edges.keys() - WINGS if edges[who] & WINGS}
    assert found == OF_WINGS


def test_imports_run_in_no_circle() -> None:
    """Of packages and single modules, also by imports inside functions and for types alone."""
    circle = chain(imports(late=True))
    assert circle[0] != circle[-1], circle


def test_the_longest_chain_of_imports_is_short() -> None:
    assert len(chain(imports(late=False))) <= FLOORS


def test_what_is_too_much_is_seen() -> None:
    assert code_lines('"""Text."""\n\n# why\nx = (\n    1\n)\n') == 3
    assert chain({"a": {"b"}, "b": {"c", "d"}, "c": set(), "d": {"c"}}) == ["a", "b", "d", "c"]
    assert chain({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert core(Counter({"gammacp/trees": 5, "gammacp/chance": 2})) == 2
