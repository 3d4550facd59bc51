"""Intervals over documents on the command line, and bounds that they must keep."""

import json
from pathlib import Path

from tests.conftest import Run


def test_gamma_can_bootstrap(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "longer.csv"
    rows = [
        f"{a},x,{10 * i + j * (i * i % 5)},{10 * i + 7}"
        for i in range(31)
        for j, a in enumerate("AB")
    ]
    path.write_text("\n".join(rows))
    quick = ("--samples", 30)
    (one,) = json.loads(run("gamma", path, *quick, "--interval", "--json").out)["results"]
    low, high = one["bootstrap"]
    assert low <= one["gamma"] <= high
    assert "bootstrap" in run("gamma", path, *quick, "--interval").out
    (none,) = json.loads(run("gamma", path, *quick, "--json").out)["results"]
    assert none["bootstrap"] is None
    lower = ("--interval", "--fail-under-lower")
    assert run("gamma", path, *quick, *lower, low - 0.01).code == 0
    below = run("gamma", path, *quick, *lower, (low + one["gamma"]) / 2)
    assert (below.code, "the lower end of γ's interval over documents is" in below.err) == (5, True)
    assert run("gamma", path, *quick, "--fail-under", (low + one["gamma"]) / 2).code == 0
    assert "give --interval" in run("gamma", path, *quick, "--fail-under-lower", 0.5).err


def test_too_few_documents_are_a_reason(tmp_path: Path, run: Run) -> None:
    rows = [
        f"d{d},{who},x,{start},{start + 2}"
        for d in range(2)
        for who, start in (("Ann", 0), ("Bob", 1), ("Ann", 4), ("Bob", 4))
    ]
    file = tmp_path / "a.csv"
    file.write_text("\n".join(["document,annotator,category,start,end", *rows, ""]))
    found = json.loads(run("gamma", str(file), "--interval", "--samples", "10", "--json").out)
    over = found["corpus"]["over"]
    assert over["documents"] is None
    assert over["reason"] == (
        "2 documents are too few to tell how they differ (at least 5); "
        "2 annotators are too few to tell how others would differ"
    )
