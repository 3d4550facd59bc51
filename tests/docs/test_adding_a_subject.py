"""The subject of docs/dev/adding-a-subject.md, built in a copy of the package."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "dev" / "adding-a-subject.md"
_FILE = re.compile(r"<!-- file: (\S+) -->\n```\w*\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    for package in ("gammacp", "shuffling"):
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    for name, content in _FILE.findall(PAGE.read_text(encoding="utf-8")):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


CHECKS = {
    "pause-time": "check_measure('pause-time')",
    "pauses": """check_format(
        "pauses",
        "talk.pauses",
        [Unit("Ann", 0, 4, "pause"), Unit("Ann", 6, 8, "pause"), Unit("Bob", 1, 4, "pause")],
        refused={"Ann\\t0\\n": 1, "Ann\\t0\\t1\\nAnn\\tx\\t2\\n": 2},
    )""",
}
"""What checks each extension of the page, in the copy."""


def _run(copy, *words):
    return _run_python(copy, "-m", "gammacp", *words)


def _run_python(copy, *words):
    told = subprocess.run(
        [sys.executable, *words],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    return told.stdout


def test_the_subject_has_a_command_and_a_format(copy):
    assert _run(copy, "pauses", "talk.pauses").split("\n")[:2] == ["Ann: 6 s", "Bob: 3 s"]
    assert json.loads(_run(copy, "inspect", "talk.pauses", "--json"))
    assert "pauses" in _run(copy, "formats", "pauses")
    assert "pauses" in _run(copy, "--help")


@pytest.mark.parametrize(("option", "value"), [((), 0.5), (("--shortest", "3"), 0.75)])
def test_the_subject_has_a_measure_and_an_option(copy, option, value):
    answer = _run(copy, "measure", "talk.pauses", "-m", "pause-time", "--json", *option)
    assert f'"value": {value}' in answer


@pytest.mark.needs("testing")
@pytest.mark.parametrize("name", CHECKS)
def test_measure_and_format_keep_their_promises(copy, name):
    imports = "from gammacp import Unit; from gammacp.testing import check_format, check_measure"
    _run_python(copy, "-c", f"{imports}\n{CHECKS[name]}")


def test_the_subject_is_gone_with_its_folder(copy):
    shutil.rmtree(copy / "gammacp" / "pauses")
    assert "pause-time" not in _run(copy, "measures")
