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
