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


def _all_but_bytecode(folder, names):
    """Ignore files in `__pycache__` that are no bytecode, such as those being written now.

    Without its bytecode, the copy would be compiled anew.
    """
    if Path(folder).name != "__pycache__":
        return set()
    return {name for name in names if not name.endswith(".pyc")}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy")
    for package in ("gammacp", "shuffling"):
        shutil.copytree(ROOT / package, folder / package, ignore=_all_but_bytecode)
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


COMMANDS = (
    "pauses talk.pauses",
    "inspect talk.pauses --json",
    "formats pauses",
    "--help",
    "measure talk.pauses -m pause-time --json",
    "measure talk.pauses -m pause-time --json --shortest 3",
)
# One process runs all commands, as it takes longer to start than they do.
_RUN_EACH = """
import contextlib, io, json, sys
from gammacp.cli import main
answers = {}
for command in sys.argv[1:]:
    sys.argv = ["gammacp", *command.split()]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            main()
        except SystemExit as ended:
            assert ended.code == 0, command
    answers[command] = out.getvalue()
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers(copy):
    return json.loads(_run_python(copy, "-c", _RUN_EACH, *COMMANDS))


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


def test_the_subject_has_a_command_and_a_format(answers):
    assert answers["pauses talk.pauses"].split("\n")[:2] == ["Ann: 6 s", "Bob: 3 s"]
    assert json.loads(answers["inspect talk.pauses --json"])
    assert "pauses" in answers["formats pauses"]
    assert "pauses" in answers["--help"]


@pytest.mark.parametrize(("option", "value"), [("", 0.5), (" --shortest 3", 0.75)])
def test_the_subject_has_a_measure_and_an_option(answers, option, value):
    answer = answers[f"measure talk.pauses -m pause-time --json{option}"]
    assert f'"value": {value}' in answer


@pytest.mark.needs("testing")
def test_measure_and_format_keep_their_promises(copy):
    imports = "from gammacp import Unit; from gammacp.testing import check_format, check_measure"
    _run_python(copy, "-c", "\n".join((imports, *CHECKS.values())))


def test_the_subject_is_gone_with_its_folder(copy):
    shutil.rmtree(copy / "gammacp" / "pauses")
    assert "pause-time" not in _run_python(copy, "-m", "gammacp", "measures")
