"""Python functions of the commands: they return what the commands print as JSON."""

from __future__ import annotations

import inspect
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gammacp as gc
from gammacp import Continuum, Corpus, DataError, Unit
from gammacp.base.subjects import subjects
from gammacp.cli.wording import options_for_parameters
from tests.conftest import Run

ENTRANCES = ["compare", "consensus", "calibrate", "plan", "replace"]
if "report" in subjects():
    ENTRANCES.append("report")
PEOPLE = ("Ann", "Bob", "Cid")


def document(k: int) -> Continuum:
    """Return six units of each person; Cid is late, and Bob changes some labels."""
    units = [
        Unit(who, s, s + 8, "ab"[(n + (who == "Bob" and (n + k) % 3 == 0)) % 2])
        for who in PEOPLE
        for n in range(6)
        for s in [(12 + k) * n + (who == "Cid") * (n % (k + 2))]
    ]
    return Continuum.from_units(units, name=f"d{k}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign")
    for k in range(6):
        gc.write(document(k), folder / f"d{k}.csv")
    return folder


@pytest.fixture(scope="module")
def corpus(folder: Path) -> Corpus:
    return gc.read_corpus(folder)


def as_json(value: Any) -> Any:
    """Return a result as JSON keeps it, with parameters of the library renamed to options."""
    if isinstance(value, dict):
        return {str(key): as_json(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str):
        return options_for_parameters(str(value))
    return value


CALLS: dict[str, tuple[Callable[[Any], Any], tuple[str, ...]]] = {
    "compare": (lambda c: gc.compare(c, samples=20), ("--samples", "20")),
    "consensus": (lambda c: gc.consensus(c), ()),
    "calibrate": (
        lambda c: gc.calibrate(c, errors=["category"], sets=3, samples=20),
        ("--samples", "20", "--error", "category", "--sets", "3"),
    ),
    "plan": (
        lambda c: gc.plan(c, goal=gc.Goal(half_width=0.1), annotators=[3], samples=20),
        ("--samples", "20", "--half-width", "0.1", "--per-document", "3"),
    ),
    "replace": (
        lambda c: gc.replace(c, ["Cid"], min_documents=5),
        ("--candidate", "Cid", "--min-documents", "5"),
    ),
}


def check_entrance(run: Run, name: str, folder: Path, data: Any) -> None:
    """Check that a function gives what its command prints, and refuses what it refuses."""
    call, options = CALLS[name]
    printed = run(name, folder, *options, "--json")
    if printed.code == 3:
        with pytest.raises(DataError) as refused:
            call(data)
        assert refused.value.message in printed.err
        return
    # The command calls a document by its path, `read_corpus` by its name.
    document = json.loads(printed.out.replace(f"{folder}/", "").replace(".csv", ""))
    record = as_json(call(data).as_dict())
    assert len(record) > 2
    assert {key: document[key] for key in record} == record


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n == "plan" else n for n in CALLS]
)
@pytest.mark.usefixtures("little_is_simulated")
def test_a_function_gives_the_json_of_its_command(
    run: Run, name: str, folder: Path, corpus: Corpus
) -> None:
    check_entrance(run, name, folder, corpus)


@pytest.mark.parametrize("name", [n for n in CALLS if n != "calibrate"])
def test_a_function_takes_one_continuum(
    run: Run, name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Function and command treat a single continuum alike.

    A plan and a replacement need several documents, and both say so.
    """
    monkeypatch.chdir(folder)
    data = gc.read("d2.csv").with_about(name="d2")
    check_entrance(run, name, Path("d2.csv"), data)


@pytest.mark.needs("report")
def test_a_report_has_the_values_of_its_command(run: Run, folder: Path, corpus: Corpus) -> None:
    out = folder.parent / "report.html"
    printed = json.loads(run("report", folder, "-o", out, "--samples", 10, "--json").out)
    page = gc.report(corpus, samples=10)
    assert page.contents.comparison.overall.score.value == printed["gamma"]
    assert page.html.count("<section") == out.read_text(encoding="utf-8").count("<section")


def test_an_alignment_has_the_consensus_of_its_continuum() -> None:
    one = document(2)
    voted = gc.consensus(one, weights="vote")
    assert voted.documents["d2"].units == gc.consensus(gc.align(one)).units


def test_functions_are_listed_and_described() -> None:
    shown = dir(gc)
    assert len(shown) <= 40
    for name in ENTRANCES:
        assert name in shown
        entrance = getattr(gc, name)
        first = next(iter(inspect.signature(entrance).parameters))
        assert first == "continua"
        assert entrance.__doc__


@pytest.mark.needs("report")
def test_a_package_named_like_its_function_can_be_called_and_imported() -> None:
    """`gammacp.report` is a function and, for importers of its modules, a package."""
    import gammacp.report.building as building
    from gammacp import report

    assert report is gc.report
    assert report.report is building.report
    code = "import gammacp as gc; f = gc.report; import gammacp.report.page; assert f is gc.report"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_importing_gammacp_loads_no_command_function() -> None:
    code = "import sys, gammacp; print([m for m in sys.modules if m.startswith('gammacp.')])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['gammacp.base', 'gammacp.base.version']"
