"""Measures that use the declared stretches of markable text, and those that do not."""

import json
from pathlib import Path

from tests.conftest import Run


def test_measures_say_whether_they_read_the_stretches(run: Run, tmp_path: Path) -> None:
    units = tmp_path / "units.csv"
    rows = [f"d,{a},x,{s + k},{s + 3 + k}" for k, a in enumerate("AB") for s in (0, 10, 60, 70)]
    units.write_text("\n".join(["document,annotator,category,start,end", *rows, ""]))
    stretches = tmp_path / "stretches.csv"
    stretches.write_text("document,start,end\nd,0,20\nd,55,80\n")
    options = ("measure", units, "--samples", "20", "-m", "gamma,ser,kappa-d", "--json")
    without = json.loads(run(*options).out)
    found = json.loads(run(*options, "--markable", stretches).out)
    assert found["markable"] == {"read_by": ["gamma"], "not_read_by": ["ser", "kappa-d"]}
    assert "markable" not in without

    told = run(*options[:-1], "--markable", stretches)
    assert "not by ser, kappa-d" in told.out + told.err
