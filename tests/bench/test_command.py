"""The command `gammacp bench`, as a user runs it."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from gammacp.bench.baseline import read_curves
from gammacp.bench.curves import CURVE_COLUMNS
from gammacp.cli.progress import ProgressLine
from gammacp.plugins import load_package
from tests.conftest import Run

QUICK = ("--measures", "kappa-d,ser", "--sets", "3", "--step", "0.25", "--executor", "serial")


@pytest.fixture
def gammacp(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a runner of commands in the test's own folder, where no module is imported yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr("gammacp.plugins.LOADED", {})
    return run


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--measures", "alpha-plain", "does not apply to units"),
        ("--executor", "dask://127.0.0.1:1", "no Dask scheduler answers"),
    ],
)
def test_a_sweep_that_cannot_begin_leaves_no_empty_store(
    gammacp: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    value: str,
    told: str,
) -> None:
    if option == "--executor":
        pytest.importorskip("distributed")
        monkeypatch.setattr("gammacp.pools.cluster.CONNECT", 1)
    done = gammacp("bench", "--error", "split", option, value)
    assert done.code in (1, 2)
    assert told in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_sweep_writes_table_figure_and_provenance(gammacp: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = gammacp("bench", "--error", "split", *QUICK)
    assert done.code == 0, done.err
    out = tmp_path / "bench-out"
    with (out / "split.csv").open() as file:
        table = list(csv.reader(file))
    assert tuple(table[0]) == CURVE_COLUMNS
    assert table[1] == ["split", "0.0", "kappa-d", "1.0", "0.0", "3", "0"]
    assert len(table) == 1 + 5 * 2
    assert (out / "split.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (out / "split.svg").read_text()
    provenance = json.loads((out / "split.json").read_text())
    assert provenance["configuration"]["seed"] == 0
    assert provenance["signatures"]["ser"].startswith("ser|")
    assert "split: magnitude" in done.out
    assert "30 cells computed, 0 reused; seed 0" in done.err
    # A second run with one more error reuses all existing cells.
    again = gammacp("bench", "--error", "split", "--error", "position+category", *QUICK)
    assert "30 cells computed, 30 reused" in again.err
    assert (out / "position+category.csv").exists()
    assert (out / "measure-ser.svg").exists()
    refused = gammacp("bench", "--error", "split", "--n-annotators", "4", *QUICK)
    assert refused.code == 2
    assert "with another configuration (n_annotators: 3 versus 4). Choose" in refused.err
    assert "Traceback" not in refused.err
    status = gammacp("bench", "status", "--json")
    (experiment,) = json.loads(status.out)["experiments"]
    assert {h["error"] for h in experiment["holdings"]} == {"split", "position+category"}
    assert gammacp("bench", "export", "cells.csv").code == 0
    assert (tmp_path / "cells.csv").read_text().count("\n") == 61
    merged = gammacp("bench", "merge", "all.sqlite", "bench-out/bench.sqlite")
    assert "60 cells added, 0 known already" in merged.err
    mistyped = gammacp("bench", "merge", "new.sqlite", "al.sqlite")
    assert (mistyped.code, (tmp_path / "new.sqlite").exists()) == (3, False)


def test_json_holds_the_points(gammacp: Run, tmp_path: Path) -> None:
    done = gammacp("bench", "--error", "category", *QUICK, "--no-figures", "--json")
    document = json.loads(done.out)
    points = document["errors"]["category"]
    assert [p["mean"] for p in points if p["magnitude"] == 0] == [1, 1]
    assert (document["computed"], document["failures"]) == (30, [])
    assert not list((tmp_path / "bench-out").glob("*.png"))


@pytest.mark.slow
def test_without_matplotlib_there_is_a_table_and_a_message(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from gammacp.cli import main\n"
        f"sys.argv = ['gammacp', 'bench', '--error', 'split', *{QUICK!r}]\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "no figures: matplotlib is missing; pip install 'gammacp[plot]'" in done.stderr
    assert (tmp_path / "bench-out" / "split.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ((), 2, "no error to sweep; give one, such as --error split"),
        (("--error", "splits"), 2, "did you mean 'split'"),
        (("--error", "split", "--measures", "kapa-d"), 2, "did you mean 'kappa-d'"),
        (("--error", "split", "--step", "0"), 2, "step 0 is not in"),
        (("--error", "split", "--magnitudes", "0,x"), 2, "is not numbers separated by commas"),
        (("--error", "split", "--magnitudes", "0,1.5"), 2, "magnitude 1.5 is not in [0, 1]"),
        (("--error", "split", "--sets", "0"), 2, "sets 0 < 1"),
        (("--error", "split", "--executor", "threads"), 2, "serial, processes, dask://host:port"),
        (("--error", "split", "--jobs", "5000"), 2, "would overload this machine"),
        (("--error", "split", "--layout", "loose"), 2, "there are: apart, overlapping"),
        (("--error", "split", "--reference", "absent.csv"), 3, "absent.csv"),
        (("--error", "split", "--check", "absent.csv"), 3, "absent.csv: file does not exist"),
        (("--error", "split", "--dissimilarity", "json:Nothing"), 2, "no class 'Nothing'"),
        (("--error", "split", "--experiment", ""), 2, "an experiment needs a name"),
        (
            ("--error", "split", "--dissimilarity", "needing.py:Needs"),
            2,
            "cannot be made without arg",
        ),
        (
            ("--error", "split", "--dissimilarity", "needing.py:Other"),
            2,
            "has no method 'pairwise'",
        ),
        (("--error", "split", "--executor", "dask://here"), 2, "is not dask://host:port"),
        (("--error", "split", "--store", "."), 3, "a folder, not a store"),
        (("--trees", "x.conll", "--alpha", "2"), 2, "--alpha is not an option of sweeps of trees"),
        (
            ("--store", "s.sqlite", "status"),
            2,
            "--store has no effect before `status`: give it after",
        ),
        (("status",), 3, "no such store"),
    ],
)
def test_impossible_options_are_refused(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    code: int,
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr("gammacp.plugins.LOADED", {})
    monkeypatch.delitem(sys.modules, "needing", raising=False)
    (tmp_path / "needing.py").write_text(
        "class Other: pass\n"
        "class Needs:\n"
        "    def __init__(self, scale): self.scale = scale\n"
        "    def pairwise(self, u, v): return abs(u.start - v.start) / self.scale\n"
    )
    done = run("bench", *arguments)
    assert done.code == code
    assert told in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("module", "told"),
    [("no_such", "'no_such' cannot be imported"), ("typo.py", "invalid syntax (typo.py, line 1)")],
)
def test_a_module_that_cannot_be_imported_is_named(
    gammacp: Run, tmp_path: Path, module: str, told: str
) -> None:
    (tmp_path / "typo.py").write_text("def f(:\n")
    done = gammacp("--import", module, "bench", "--error", "split")
    assert (done.code, done.out) == (2, "")
    assert told in done.err


DISSIMILARITY = '''
from dataclasses import dataclass
import numpy as np

@dataclass(frozen=True)
class Strict:
    """The difference of starts, categories aside."""
    scale: float = {scale}

    def pairwise(self, u, v):
        return np.abs(u.start - v.start) / self.scale
'''


@pytest.mark.slow
def test_curves_are_compared_with_a_baseline(
    gammacp: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed dissimilarity moves the curves, and another seed does not."""
    small = ("--magnitudes", "0,0.3,0.6", "--sets", "6", "--samples", "10", "--no-figures")
    small = (*small, "--executor", "serial")

    def define(scale: float) -> None:
        (tmp_path / "mine.py").write_text(DISSIMILARITY.format(scale=scale))
        monkeypatch.delitem(sys.modules, "mine", raising=False)
        monkeypatch.setattr("gammacp.plugins.LOADED", {})

    define(100.0)
    mine = ("--dissimilarity", "mine.py:Strict")
    base = ("--error", "position", "--measures", "gamma", *small, *mine, "--out", "base")
    done = gammacp("bench", *base)
    assert done.code == 0, done.err
    check = ("--check", "base/position.csv", *mine, "--samples", "10", "--executor", "serial")
    same = gammacp("bench", *check, "--seed", "1", "--out", "same", "--no-figures")
    assert same.code == 0, same.err
    assert "3 points compared with base/position.csv: none moved beyond noise" in same.err
    define(20.0)
    moved = gammacp("bench", *check, "--out", "moved", "--no-figures")
    assert moved.code == 1, moved.err
    assert "points moved, against base/position.csv, which has the same seed" in moved.err
    assert "gamma" in moved.out
    # The store notices that the class has changed.
    stale = gammacp("bench", *check, "--out", "same", "--no-figures")
    assert stale.code == 2
    assert "options.dissimilarity.scale: 100.0 versus 20.0" in stale.err
    other = gammacp("bench", *check, "--n-annotators", "4", "--out", "other")
    assert other.code == 2
    assert "made with another configuration (n_annotators differs)" in other.err
    assert [p.sets for p in read_curves(tmp_path / "same" / "position.csv")] == [6, 6, 6]


def test_a_custom_reference(gammacp: Run, tmp_path: Path) -> None:
    (tmp_path / "two.csv").write_text("Ann,a,0,10\nAnn,b,20,30\nBob,a,1,10\n")
    quick = ("--error", "false-negative", *QUICK, "--no-figures", "--reference", "two.csv")
    several = gammacp("bench", *quick)
    assert several.code == 3
    assert "two.csv" in several.err
    one = gammacp("bench", *quick, "--annotator", "Ann", "--json")
    assert one.code == 0, one.err
    points = json.loads(one.out)["errors"]["false-negative"]
    # At magnitude 1 no annotator has any unit, so no measure has a value.
    assert [p["undefined"] for p in points if p["magnitude"] == 1] == [3, 3]


def test_failures_are_reported_and_exit_with_1(tmp_path: Path) -> None:
    """Failing measures of a module in the working directory are reported."""
    toys = Path(__file__).with_name("sweep_toys.py")
    (tmp_path / "my_measures.py").write_text(toys.read_text(encoding="utf-8"), encoding="utf-8")
    arguments = ("--measures", "toy-fragile,ser", "--error", "split")
    quick = ("--sets", "2", "--step", "0.5", "--jobs", "1", "--no-figures")
    # The console script does not look for modules in the working directory.
    command = ["--import", "my_measures.py", "bench", *arguments, *quick]
    code = f"import sys; sys.argv[1:] = {command!r}\n"
    code += "if __name__ == '__main__':\n    from gammacp.cli import main\n    main()\n"
    script = tmp_path / "bin" / "script.py"
    script.parent.mkdir()
    script.write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "not computed: split, magnitude 0.5, set 0: TaskError: ZeroDivisionError" in done.stderr
    assert "4 annotation sets could not be computed" in done.stderr
    assert len((tmp_path / "bench-out" / "split.csv").read_text().splitlines()) == 3


def test_the_progress_counter_shows_rate_and_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("gammacp.cli.progress.time.monotonic", lambda: now)
    line = ProgressLine("cells")
    for now, done in ((110.0, 0), (120.0, 100), (129.0, 190), (141.0, 310)):  # noqa: B007
        line(done, 1000)
    messages = capsys.readouterr().err
    assert messages.splitlines()[-1] == "310 of 1000 cells, 10.0/s, 1:09 left"


@pytest.mark.slow
def test_the_stored_seed_finds_a_change_that_another_seed_misses(
    gammacp: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The example of docs/bench.md holds: a dissimilarity and 1.3 times it, each with both
    seeds.
    """
    docs = Path(__file__).parents[2] / "docs"
    page = (docs / "bench.md").read_text(encoding="utf-8")
    assert "a dissimilarity that is 1.3 times as large\n  passes" in page
    code = page.partition("# mine.py\n")[2].partition("```")[0]
    larger = code.replace("mean > 0) ** 2", "mean > 0) ** 2 * 1.3")
    larger = larger.replace("bound**0.5", "(bound / 1.3) ** 0.5")
    small = ("--samples", "10", "--no-figures", "--executor", "serial")
    mine = ("--dissimilarity", "mine.py:Starts", *small)

    def bench(text: str, *arguments: str) -> int:
        (tmp_path / "mine.py").write_text(text)
        monkeypatch.delitem(sys.modules, "mine", raising=False)
        monkeypatch.setattr("gammacp.plugins.LOADED", {})
        return int(gammacp("bench", *arguments, *mine).code)

    drawn = ("--measures", "gamma", "--sets", "4", "--magnitudes", "0.1,0.2")
    assert bench(code, "--error", "position", *drawn, "--out", "base") == 0
    check = ("--check", "base/position.csv")
    assert bench(code, *check, "--out", "same") == 0
    assert bench(larger, *check, "--out", "larger") == 1
    assert bench(larger, *check, "--out", "other", "--seed", "1") == 0


def test_no_page_advises_another_seed_for_a_check() -> None:
    root = Path(__file__).parents[2]
    pages = [root / "README.md", root / "CONTRIBUTING.md", *(root / "docs").rglob("*.md")]
    commands = [
        command
        for page in pages
        for command in page.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
        if "gammacp" in command and "bench" in command and "--check " in command
    ]
    assert len(commands) >= 2
    assert not [command for command in commands if "--seed" in command]


def test_panels_are_swept_and_are_part_of_the_configuration(gammacp: Run, tmp_path: Path) -> None:
    (tmp_path / "panel.toml").write_text("[[groups]]\ncount = 2\nmagnitude = 0.1\n[[groups]]\n")
    panel = ("--panel", "panel.toml")
    done = gammacp("bench", "--error", "split", *QUICK, *panel, "--no-figures")
    assert done.code == 0, done.err
    provenance = json.loads((tmp_path / "bench-out/split.json").read_text())
    assert provenance["configuration"]["n_annotators"] == 3
    assert len(provenance["configuration"]["source"]["panel"]["groups"]) == 2
    short = ("--n-annotators", "2*0.1,1*m")
    again = gammacp("bench", "--error", "split", *QUICK, *short, "--no-figures")
    assert "0 cells computed, 30 reused" in again.err
    equals = gammacp("bench", "--error", "split", *QUICK, "--no-figures")
    assert equals.code == 2
    assert "panel: {" in equals.err.replace("source.", "")
    assert gammacp("bench", "--error", "split", *panel, *short).code == 2


def test_a_sweep_within_a_study_imports_the_folder_of_the_study(
    gammacp: Run, tmp_path: Path
) -> None:
    """A study that runs `bench` has its folder imported by name, not by path."""
    folder = tmp_path / "some studies"
    folder.mkdir()
    (folder / "first.py").write_text("")
    load_package(folder, "studies_with_a_sweep")
    small = ("--error", "position", "--magnitudes", "0.5", "--sets", "1", "-m", "ser")
    done = gammacp("bench", *small, "--no-figures", "--out", tmp_path / "out", "--json")
    assert (done.code, done.err.count("Traceback")) == (0, 0), done.err
