"""Kinds of differences on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gammacp as gc
from gammacp.continuum import Continuum
from gammacp.kinds import relation_kernels, row_kernels
from gammacp.kinds.kinds import kinds_of

Run = Callable[..., Any]
ROWS = """Ann,x,0,10
Ann,x,20,30
Bob,x,0,4
Bob,x,5,10
Bob,x,20,30
Cas,x,0,4
Cas,x,5,10
Cas,x,20,30
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "three.csv"
    path.write_text(ROWS)
    return path


def test_compare_by_kind(run: Run, table: Path) -> None:
    out = run("compare", table, "--by", "kind", "--samples", 10)
    assert out.code == 0
    assert "Differences of each annotator (by chance)" in out.out
    assert "Share of the disorder charged to each annotator" in out.out


def test_annotators_who_agree_have_nothing_to_draw(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "alike.csv"
    path.write_text("annotator,category,start,end\nAnn,x,0,4\nBob,x,0,4\nCas,x,0,4\n")
    options = ("--by", "kind", "--samples", 10, "--figure", tmp_path / "bars.png")
    out = run("compare", path, *options)
    assert out.code == 3
    assert "no difference to draw" in out.err
    assert "Without a figure, the tables are printed" in out.err


def test_kinds_are_computed_on_demand(run: Run, table: Path) -> None:
    plain = json.loads(run("compare", table, "--by", "document", "--samples", 10, "--json").out)
    assert "kinds" not in plain
    found = json.loads(run("compare", table, "--by", "kind", "--samples", 10, "--json").out)
    parts = found["kinds"]["parts"]
    whole = sum(part["observed"] for part in parts.values())
    assert whole == pytest.approx(found["overall"]["observed_disorder"], abs=1e-9)
    assert [p["one"] for p in found["kinds"]["pairs"]] == ["Ann", "Ann"]


def test_gamma_explained(run: Run, table: Path) -> None:
    found = json.loads(run("gamma", table, "--explain", "--samples", 10, "--json").out)
    (result,) = found["results"]
    parts = found["kinds"]["parts"].values()
    assert sum(part["observed"] for part in parts) == pytest.approx(result["observed_disorder"])
    assert sum(part["expected"] for part in parts) == pytest.approx(result["expected_disorder"])
    assert "By kind of difference" in run("gamma", table, "--explain", "--samples", 10).out


def test_gamma_is_printed_without_kinds_and_with_the_reason(run: Run, tmp_path: Path) -> None:
    """Units of several fragments have no kinds."""
    path = tmp_path / "broken.json"
    units = [
        gc.Unit("A", 0, 9, "x", fragments=((0, 3), (5, 9))),
        gc.Unit("B", 0, 9, "x"),
        gc.Unit("A", 20, 29, "x"),
        gc.Unit("B", 20, 29, "x"),
    ]
    gc.write(Continuum.from_units(units), path)
    out = run("gamma", path, "--explain", "--samples", 5, "--json")
    assert out.code == 0
    assert "1 unit of several fragments" in json.loads(out.out)["kinds"]["reason"]


def test_plain_python_equals_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    units = []
    for name in "ABC":
        starts = np.sort(rng.integers(0, 120, 14)).tolist()
        units += [gc.Unit(name, s, s + int(rng.integers(1, 30)), "x") for s in starts]
    alignment = gc.align(Continuum.from_units(units))
    compiled = kinds_of(alignment).as_dict()
    for module, name in ((relation_kernels, "relate_units"), (row_kernels, "rows_of")):
        monkeypatch.setattr(module, name, getattr(module, name).py_func)
    assert kinds_of(alignment).as_dict() == compiled


def test_unavailable_kinds_are_named_with_the_reason(run: Run, tmp_path: Path) -> None:
    units = [gc.Unit("A", 0, 9, "x", fragments=((0, 3), (5, 9))), gc.Unit("B", 0, 9, "x")]
    gc.write(Continuum.from_units(units), tmp_path / "pieces.json")
    done = run("compare", tmp_path / "pieces.json", "--samples", 10, "--json")
    assert "1 unit of several fragments" in json.loads(done.out)["tables_left_out"]["kind"]
    done = run("compare", tmp_path / "pieces.json", "--samples", 10)
    assert done.code == 0
    assert "no table by kind: " in done.err
    assert run("compare", tmp_path / "pieces.json", "--samples", 10, "--by", "kind").code == 3
