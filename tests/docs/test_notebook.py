"""The notebook runs, and prints what it shows."""

import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebooks" / "decision.ipynb"


def test_every_cell_runs_and_prints_what_the_notebook_shows() -> None:
    if not NOTEBOOK.exists():
        pytest.skip("the documentation is not in this installation")
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    space: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        printed = StringIO()
        with redirect_stdout(printed):
            exec("".join(cell["source"]), space)
        shown = "".join(line for output in cell["outputs"] for line in output["text"])
        # The page's size and version are the only things that may change.
        if "kB" not in shown and "|v:" not in shown:
            assert printed.getvalue() == shown
