"""The function `require_agreement`, the pytest fixture, and the workflow that users copy."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gammacp as gc
from gammacp.errors import DataError, UsageError
from gammacp.testing import require_agreement
from tests.conftest import Run

ROOT = Path(__file__).parents[2]
GOOD = "annotator,category,start,end\n" + "".join(
    f"{a},x,{s},{s + 4}\n" for a in ("Ann", "Bob") for s in (1, 7, 20, 31)
)
# One of four units is at another place, so F₁ is 3/4.
WORSE = GOOD.replace("Bob,x,31,35", "Bob,x,50,54")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "annotations"
    folder.mkdir()
    (folder / "a.csv").write_text(GOOD)
    (folder / "b.csv").write_text(WORSE)
    return tmp_path


def test_the_score_is_returned(project: Path) -> None:
    score = require_agreement(project / "annotations", "f1-exact", at_least=0.875)
    assert score.value == pytest.approx(7 / 8)


def test_the_error_names_the_lowest_document(project: Path) -> None:
    with pytest.raises(AssertionError, match=r"f1-exact is 0\.8750, below 0\.9 \(1 of 2 .*b\.csv"):
        require_agreement([project / "annotations"], "f1-exact", at_least=0.9)
    with pytest.raises(AssertionError, match=r"interval .* is undefined: fewer than 5|too few"):
        require_agreement(project / "annotations", "f1-exact", lower_at_least=0.1)
    one = gc.read(project / "annotations" / "b.csv")
    with pytest.raises(AssertionError, match=r"f1-exact is 0\.7500, below 0\.9"):
        require_agreement(one, "f1-exact", at_least=0.9)


def test_a_campaign_file_selects(project: Path) -> None:
    file = project / "campaign.toml"
    text = (project / "annotations" / "b.csv").read_text()
    (project / "annotations" / "b.csv").write_text(f"{text}Eve,x,1,5\n")
    file.write_text('paths = ["annotations/b.csv"]\nexclude = ["Eve"]\n')
    assert require_agreement(file, "f1-exact", at_least=0).value == pytest.approx(3 / 4)


def test_wrong_arguments(project: Path) -> None:
    with pytest.raises(UsageError, match="give at_least or lower_at_least"):
        require_agreement(project, "f1-exact")
    with pytest.raises(UsageError, match="at_least must be a number, not nan"):
        require_agreement(project, "f1-exact", at_least=float("nan"))
    (project / "annotations" / "c.csv").write_text(GOOD + "Bob,x,9,3\n")
    with pytest.raises(DataError, match=r"c\.csv:10"):
        require_agreement(project / "annotations", "f1-exact", at_least=0.1)


def test_the_fixture_in_a_users_project(project: Path, tmp_path: Path) -> None:
    """The project is tested from another folder."""
    (project / "conftest.py").write_text('pytest_plugins = ["gammacp.testing.pytest_plugin"]\n')
    (project / "test_it.py").write_text(
        "def test_good(require_agreement):\n"
        '    require_agreement("annotations", "f1-exact", at_least=0.8)\n'
        "def test_bad(require_agreement):\n"
        '    require_agreement(["annotations"], "f1-exact", at_least=0.9)\n'
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, f"--rootdir={project}", str(project / "test_it.py")],
        cwd=tmp_path.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "AssertionError: f1-exact is 0.8750, below 0.9 (1 of 2 documents miss it" in done.stdout
    # The traceback shows the test's own line and none of the library.
    assert "agreement.py" not in done.stdout


def test_the_fixture_must_be_requested() -> None:
    assert "pytest11" not in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_commands_of_the_workflow_work(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "docs" / "files" / "agreement.yml").read_text(encoding="utf-8")
    commands = re.findall(r"run: gammacp (.*)", text)
    assert [command.split()[0] for command in commands] == ["gamma", "report"]
    monkeypatch.chdir(project)
    failing = run(*commands[0].replace("--fail-under 0.7", "--fail-under 0.9").split())
    assert failing.code == 5
    assert "::error file=annotations/b.csv,title=agreement::γ of " in failing.err
    passing = run(*commands[0].replace("--fail-under 0.7", "--fail-under 0").split())
    assert passing.code == 0
    assert "::error" not in passing.err
