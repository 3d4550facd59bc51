"""Runs of the notebooks, compared with their stored output."""

from __future__ import annotations

import ast
import base64
import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.needs("campaign", "report", "bench")

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LARGEST = 300_000
"""Bytes of a notebook: whoever clones the repository gets all of them."""


def cells_of(path: Path) -> list[dict[str, Any]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def run_cell(source: str, space: dict[str, Any]) -> tuple[str, Any]:
    """Run a cell; return what it prints, and the value of a last line that is an expression."""
    body = ast.parse(source).body
    last = None
    if isinstance(body[-1], ast.Expr):
        last = ast.Expression(body.pop().value)  # type: ignore[attr-defined]
    printed = StringIO()
    value = None
    with redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), space)
        if last is not None:
            value = eval(compile(last, "<cell>", "eval"), space)
    return printed.getvalue(), value


def check_output(output: dict[str, Any], value: Any) -> None:
    """Check that a value has the stored forms and the stored text."""
    data = {kind: "".join(parts) for kind, parts in output["data"].items()}
    assert repr(value) == data["text/plain"] or data["text/plain"].startswith("{")
    # A figure of matplotlib has `_repr_html_` too, which returns nothing.
    assert ("text/html" in data) == bool(value._repr_html_())
    if "image/png" in data:
        assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
        assert value._repr_png_()


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs_and_shows_what_the_notebook_shows(path: Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    space: dict[str, Any] = {}
    for cell in cells_of(path):
        printed, value = run_cell("".join(cell["source"]), space)
        stored = "".join(line for o in cell["outputs"] for line in o.get("text", ()))
        # Only the page's size and version may change.
        if "kB" not in stored and "|v:" not in stored:
            assert printed == stored
        for output in cell["outputs"]:
            if "data" in output:
                check_output(output, value)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_small_complete_and_has_pictures(path: Path) -> None:
    assert path.stat().st_size <= LARGEST
    cells = cells_of(path)
    assert [cell["execution_count"] for cell in cells] == [*range(1, len(cells) + 1)]
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert {output["output_type"] for output in outputs} <= {"stream", "execute_result"}
    assert any("image/png" in output.get("data", {}) for output in outputs)
