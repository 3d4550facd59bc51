"""Imports point one way, and the picture in docs/dev shows them as they are."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

from layers import PICTURE, WINGS, imports, package_of, picture, upward

# (importing package, imported package): the modules that still do so. Take out what is mended.
EXCEPTIONS: dict[tuple[str, str], set[str]] = {}


def test_imports_point_down() -> None:
    assert upward(imports()) == EXCEPTIONS


def test_the_core_imports_no_wing() -> None:
    found = {pair: modules for pair, modules in imports().items() if pair[1] in WINGS}
    assert {importer for importer, _ in found} <= {"cli"} | WINGS, found


def test_the_picture_is_that_of_the_code() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture(imports()), (
        "run python tests/docs/layers.py"
    )


def test_a_wrong_direction_is_seen() -> None:
    found = {("measures", "cli"): {"gammacp.measures.score"}, ("cli", "measures"): {"gammacp.cli"}}
    assert upward(found) == {("measures", "cli"): {"gammacp.measures.score"}}
    assert package_of("gammacp.base.files") == "foundations"
    assert package_of("gammacp.cli.commands.gamma") == "cli"
